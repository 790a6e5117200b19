"""Registering a format of discovered InfiniBand fabrics: from the functions for a fabric follow those for a topology."""

from collections.abc import Callable

from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.rates import has_name
from topoloom.formats._registry import IDENTITIES, Format, register
from topoloom.model.topology import Topology


def register_fabric_format(
    name: str,
    suffix: str,
    description: str,
    fabric_of: Callable[[bytes, str], Fabric],
    write_fabric: Callable[[Fabric], str],
    *,
    isolated: bool = True,
) -> None:
    """Register a format that keeps names, GUIDs, LIDs, ports and rates.

    Parameters
    ----------
    name, suffix, description : str
    fabric_of : callable
        The fabric in a file, from its content and name.
    write_fabric : callable
        The text of a fabric.
    isolated : bool
        Whether it keeps switches without a cable.
    """
    content = {"endpoints", "host", "rate_gbps"}

    def read(data: bytes, source: str) -> Topology:
        """The topology of a fabric, with rates if all are known; names and GUIDs are ignored (`open_network` keeps them)."""
        return fabric_of(data, source).topology

    def write(topology: Topology) -> str:
        """The text of a planned network."""
        return write_fabric(planned_fabric(topology))

    register(
        Format(
            name=name,
            suffixes=(suffix,),
            description=description,
            keeps=frozenset({*content, "isolated"} if isolated else content),
            says_rate=has_name,
            holds=IDENTITIES,
            read=read,
            write=write,
            write_fabric=write_fabric,
            fabric=fabric_of,
        )
    )
