"""What every reader shares: text from bytes, numbers for switches, checks on what a file claims."""

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError, at
from topoloom.fabric.fabric import Fabric
from topoloom.model.topology import MOST_SWITCHES, Topology

#: NumPy gives every text of a label the width of the longest one.
_LONGEST_TEXT = 1024
#: Bytes that an endpoint takes while a topology is made of it.
_ENDPOINT_BYTES = 80
#: Bytes that a switch takes where its network is looked at.
_SWITCH_BYTES = 100.0


def text_of(data: bytes, source: str) -> str:
    """The text in a file: UTF-8, with or without a byte-order mark.

    Raises
    ------
    InputError
        Another encoding, or no text at all, with the line.
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
    """The name of a topology that comes from a file without a name in it: ``a/b.edges.gz`` gives ``b``."""
    name = Path(source).name.removesuffix(".gz")
    # Bytes of a file's name that are no UTF-8 would make every file that holds the topology's name unreadable.
    name = name.encode("utf-8", "backslashreplace").decode()
    return Path(name).stem or name or "topology"


def short(text: str) -> str:
    """Text from a file as a message shows it: printable, and not a page long."""
    shown = ascii(text) if not text.isprintable() else f"'{text}'"
    return shown if len(shown) <= 60 else f"{shown[:56]}...'"


def largest_id_allowed(ids: int) -> int:
    """The largest switch id believed in a file that writes `ids` ids: some switches may have no links, but not most."""
    return min(4 * ids + 1024, MOST_SWITCHES) - 1


def label_array(key: str, values: list[Any], source: str, allowance: Allowance) -> np.ndarray:
    """One label as an array: text, int64, or float64 when any value is a float.

    Parameters
    ----------
    key : str
        The label's name.
    values : list of str, int or float
        One a switch.
    source : str
        The file's name, for messages.
    allowance : Allowance
        What the file may still ask for.

    Raises
    ------
    InputError
        A text or a number that is too long, or all of them together are.
    """
    if any(isinstance(value, str) for value in values):
        values = [value if isinstance(value, str) else str(value) for value in values]
        width = max(map(len, values))
        if width > _LONGEST_TEXT:
            raise at(source, None, f"label {short(key)} holds {width} characters; at most {_LONGEST_TEXT} are kept")
        # Twice: once more where the topology keeps it.
        allowance.take(
            8.0 * width * len(values), f"{len(values):,} texts of label {short(key)}, as wide as the longest,"
        )
        return np.array(values, np.str_)
    if any(isinstance(value, float) for value in values):
        return np.array(values, np.float64)
    try:
        return np.array(values, np.int64)
    except OverflowError:
        raise at(source, None, f"label {short(key)} holds a number past 64 bits") from None


def take_endpoints(allowance: Allowance, hosts: int) -> None:
    """Count the memory of endpoints that a file only gives the number of; raises `InputError` past the limit."""
    allowance.take(float(_ENDPOINT_BYTES) * hosts, f"{hosts:,} hosts")


def topology_from(source: str, **parts: Any) -> Topology:
    """`Topology(**parts)`, whose complaints name the file."""
    parts.setdefault("name", stem(source))
    # A file may only count switches: those without a cable are no text, but memory for whatever comes next.
    lonely = parts["switches"] - 2 * len(parts.get("links", ())) - len(parts.get("endpoints", ()))
    Allowance(source).take(_SWITCH_BYTES * max(0, lonely), f"{parts['switches']:,} switches")
    try:
        return Topology(**parts)
    except InputError as error:
        # Topology names itself first; here the file is the better name.
        raise at(source, None, str(error).removeprefix(f"{parts['name']}: ")) from None


def fabric_from(source: str, make: Callable[[], Fabric]) -> Fabric:
    """What `make` gives, a fabric called by the file's stem; where its topology refuses something, the file is named."""
    try:
        return make()
    except InputError as error:
        # What Topology refuses it names by its own name; here the file is the better one.
        said = str(error)
        if said.startswith(source):
            raise
        raise at(source, None, said.removeprefix(f"{stem(source)}: ")) from None
