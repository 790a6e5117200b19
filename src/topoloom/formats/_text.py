"""Parts shared by all readers: decoding text, numbering switches, checking the claims of a file."""

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError, at
from topoloom.fabric.fabric import Fabric
from topoloom.model.directed import DirectedNetworkError, DirectedTopology
from topoloom.model.topology import MOST_SWITCHES, Topology

N = TypeVar("N", Topology, DirectedTopology)

#: NumPy gives every text of a label the width of the longest one, so the length is limited.
_MOST_TEXT_CHARACTERS = 1024
#: Bytes per endpoint while a topology is built.
_ENDPOINT_BYTES = 80
#: Bytes per switch while its network is processed.
_SWITCH_BYTES = 100.0


def text_of(data: bytes, source: str) -> str:
    """The text in a file: UTF-8, with or without a byte-order mark.

    Raises
    ------
    InputError
        The file has another encoding or is not text; the message names the line.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise at(source, 1, "is UTF-16 text; save it as UTF-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    zero = data.find(0)
    if zero >= 0:
        raise at(source, 1 + data.count(b"\n", 0, zero), "holds a zero byte: this is not a text file")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        raise at(source, line, f"the byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8") from None


def stem(source: str) -> str:
    """The name of a topology from a file that states none: ``a/b.edges.gz`` gives ``b``; a folder's name has no suffix."""
    path = Path(source)
    name = path.name if path.is_dir() else Path(path.name.removesuffix(".gz")).stem
    # Bytes of a file name that are not UTF-8 would make every file with the topology's name unreadable.
    return name.encode("utf-8", "backslashreplace").decode() or "topology"


def short(text: str) -> str:
    """Text from a file as a message shows it: printable, and at most 60 characters."""
    shown = ascii(text) if not text.isprintable() else f"'{text}'"
    return shown if len(shown) <= 60 else f"{shown[:56]}...'"


def largest_id_allowed(ids: int) -> int:
    """The largest switch id accepted in a file that writes `ids` ids: some switches may have no links, but not most."""
    return min(4 * ids + 1024, MOST_SWITCHES) - 1


def label_array(key: str, values: list[Any], source: str, allowance: Allowance) -> np.ndarray:
    """One label as an array: text, int64, or float64 when any value is a float.

    Parameters
    ----------
    key : str
        The label's name.
    values : list of str, int or float
        One per switch.
    source : str
        The name of the file, for messages.
    allowance : Allowance
        The memory that the file may still use.

    Raises
    ------
    InputError
        A text or a number is too long, or all together are.
    """
    if any(isinstance(value, str) for value in values):
        values = [value if isinstance(value, str) else str(value) for value in values]
        width = max(map(len, values))
        if width > _MOST_TEXT_CHARACTERS:
            raise at(
                source, None, f"label {short(key)} holds {width} characters; at most {_MOST_TEXT_CHARACTERS} are kept"
            )
        # Factor 8: four bytes per character, twice because the topology keeps a copy.
        allowance.take(
            8.0 * width * len(values), f"{len(values):,} texts of label {short(key)}, as wide as the longest,"
        )
        return np.array(values, np.str_)
    if any(isinstance(value, float) for value in values):
        return np.array(values, np.float64)
    try:
        return np.array(values, np.int64)
    except OverflowError:
        raise at(source, None, f"label {short(key)} holds a number beyond 64 bits") from None


def take_endpoints(allowance: Allowance, hosts: int) -> None:
    """Count the memory of endpoints of which a file gives only the number; raises `InputError` above the limit."""
    allowance.take(float(_ENDPOINT_BYTES) * hosts, f"{hosts:,} hosts")


def topology_from(source: str, **parts: Any) -> Topology:
    """`Topology(**parts)`, with error messages that name the file."""
    _check_parts(source, parts)
    return _named_after(source, parts["name"], lambda: Topology(**parts))


def directed_from(source: str, **parts: Any) -> DirectedTopology:
    """As `topology_from`, a directed topology whose arcs are the links, tail first."""
    _check_parts(source, parts)
    return _named_after(source, parts["name"], lambda: DirectedTopology.from_parts(parts, parts["name"]))


def refused(source: str, opened: Callable[[], DirectedTopology]) -> DirectedNetworkError:
    """The refusal of a file with a directed network; `opened` reads it as one."""
    return DirectedNetworkError(source, "load", opened)


def undirected_file(source: str) -> InputError:
    """The error for a file with an undirected network, where a directed one is wanted."""
    return at(source, None, "holds an undirected network, and a directed one is wanted")


def _check_parts(source: str, parts: dict[str, Any]) -> None:
    """Name the network after the file unless it has a name, and count the memory of switches without links."""
    parts.setdefault("name", stem(source))
    # A file may just state a number of switches: those without cables take no text but much memory later.
    unconnected = parts["switches"] - 2 * len(parts.get("links", ())) - len(parts.get("endpoints", ()))
    Allowance(source).take(_SWITCH_BYTES * max(0, unconnected), f"{parts['switches']:,} switches")


def _named_after(source: str, name: str, make: Callable[[], N]) -> N:
    """The result of `make`; its errors begin with the name of the network, and the file is the better name."""
    try:
        return make()
    except InputError as error:
        raise at(source, None, str(error).removeprefix(f"{name}: ")) from None


def fabric_from(source: str, make: Callable[[], Fabric]) -> Fabric:
    """The result of `make`, a fabric named after the file's stem; errors from its topology name the file instead."""
    try:
        return make()
    except InputError as error:
        # Topology's errors start with its own name; the file is the better one.
        message = str(error)
        if message.startswith(source):
            raise
        raise at(source, None, message.removeprefix(f"{stem(source)}: ")) from None
