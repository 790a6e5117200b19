"""LLDP neighbours as a format: `topoloom.formats._lldp` reads what eight makers' devices print; nothing writes it."""

from topoloom.fabric.fabric import Fabric
from topoloom.formats._registry import PORTS, Format, register
from topoloom.model.topology import Topology

NAME = "lldp"


def fabric_of(data: bytes, source: str, *, lenient: bool = False) -> Fabric:
    """The fabric in one file: the neighbours of one device, or of many.

    Parameters
    ----------
    data : bytes
    source : str
        The file, which names the device if its content does not.
    lenient : bool
        Whether the caller reports entries that are not cables (`Fabric.flaws`) itself.

    Raises
    ------
    InputError
        The file has no form that is read, is damaged, or names no cable.
    """
    # Only files of neighbours need the readers of all makers.
    from topoloom.formats._lldp.folder import fabric_of as read_views

    return read_views(data, source, lenient=lenient)


def read(data: bytes, source: str) -> Topology:
    """The topology in one file; names and ports are ignored (`open_network` keeps them)."""
    return fabric_of(data, source).topology


register(
    Format(
        name=NAME,
        suffixes=(".lldp", ".lldp.json", ".lldp.txt"),
        description="LLDP neighbours: lldpd, networkctl, SONiC, Cumulus, EOS, NX-OS, Junos, OpenConfig; also a folder",
        keeps=frozenset({"endpoints", "host", "rate_gbps"}),
        holds=frozenset({"names", PORTS}),
        read=read,
        write=None,
        fabric=fabric_of,
        lenient=True,
        shared=(".json", ".txt", ".xml"),
    )
)
