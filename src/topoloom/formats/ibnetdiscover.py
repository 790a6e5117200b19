"""InfiniBand fabrics: the output of ibnetdiscover, which is also the file that ibsim reads."""

import os

from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.net_text import as_described, discovered_text
from topoloom.fabric.rates import has_name
from topoloom.formats._registry import IDENTITIES, Format, register
from topoloom.formats._storage import read_source
from topoloom.formats._text import fabric_from, stem, text_of
from topoloom.model.topology import Topology


def read(data: bytes, source: str) -> Topology:
    """The topology of a fabric; names, GUIDs and LIDs are ignored (`load_fabric` keeps them)."""
    return fabric_of(data, source).topology


def load_fabric(path: str | os.PathLike[str]) -> Fabric:
    """A discovered fabric with its names, GUIDs, LIDs and ports; raises `InputError` like `load`."""
    data, source, _ = read_source(path, NAME)
    return fabric_of(data, source)


def fabric_of(data: bytes, source: str, *, lenient: bool = False) -> Fabric:
    """The fabric in the content of a file.

    Parameters
    ----------
    data : bytes
    source : str
        The file, for messages.
    lenient : bool
        As in `topoloom.fabric.discovery.read_fabric`.
    """
    text = text_of(data, source)
    return fabric_from(source, lambda: read_fabric(text, source, stem(source), lenient=lenient))


def write_fabric(fabric: Fabric) -> str:
    """A fabric as ibnetdiscover prints it."""
    return discovered_text(as_described(fabric))


def write(topology: Topology) -> str:
    """A planned network as ibnetdiscover prints it."""
    return write_fabric(planned_fabric(topology))


NAME = "ibnetdiscover"

register(
    Format(
        name=NAME,
        suffixes=(".net", ".ibnetdiscover"),
        description="InfiniBand fabric: output of ibnetdiscover, input of ibsim",
        keeps=frozenset({"isolated", "endpoints", "host", "rate_gbps"}),
        says_rate=has_name,
        holds=IDENTITIES,
        read=read,
        write=write,
        write_fabric=write_fabric,
        fabric=fabric_of,
        lenient=True,
    )
)
