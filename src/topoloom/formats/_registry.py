"""The register of file formats: records that the command line, the docs and the error messages are made from."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.fabric.fabric import Fabric
from topoloom.model.link_rates import RATE, rate_text, tell_dropped
from topoloom.model.topology import Topology

#: More labels than any family has. The bound keeps a short file with default values for attributes from filling memory.
MOST_LABELS = 100


@dataclass(frozen=True)
class Format:
    """One file format.

    Parameters
    ----------
    name : str
        What ``--format`` takes.
    suffixes : tuple of str
        File suffixes that choose it, with the dot.
    description : str
        One line for the catalogue.
    keeps : frozenset of str
        What survives a write and a read, of: ``isolated`` (switches without links), ``endpoints`` (how many at each
        switch), ``host`` (which host an endpoint belongs to), ``labels``, ``name``, ``spec``, ``rate_gbps`` (the rates of
        links, and of endpoints where these survive). Links always do. Parallel ones do, too, unless `simple`.
    read : callable (data: bytes, source: str) -> Topology, optional
        `source` is the file's name, for messages and for the topology's name; None: the format is only written.
    write : callable (topology: Topology) -> str or bytes
    write_order : callable (order: ExportRequest) -> str or bytes, optional
        As `write`, with the names, lengths, rates and delays that are known of the network.
    simple : bool
        Whether parallel links become one, or are refused.
    fabric : callable (data: bytes, source: str) -> Fabric, optional
        Reads names, GUIDs, ports and rates, too, where the format has them.
    says_rate : callable (rate_gbps: float) -> bool, optional
        Whether the format has a word for a rate; None: for every one. A network with any other rate is written without.
    """

    name: str
    suffixes: tuple[str, ...]
    description: str
    keeps: frozenset[str]
    read: Callable[[bytes, str], Topology] | None
    write: Callable[[Topology], str | bytes]
    write_order: Callable[[ExportRequest], str | bytes] | None = None
    simple: bool = False
    fabric: Callable[[bytes, str], Fabric] | None = None
    says_rate: Callable[[float], bool] | None = None


#: Every format by its name.
FORMATS: Register[Format] = Register("format", package="topoloom.formats", group="topoloom.formats")


def register(record: Format) -> Format:
    """Add a format to `FORMATS`."""
    FORMATS.add(record.name, record)
    return record


def format_for(path: str) -> Format | None:
    """The format that the suffix of `path` chooses, below a ``.gz`` if there is one; None when no format claims it."""
    name = path.lower().removesuffix(".gz")
    for record in FORMATS.values():
        if name.endswith(record.suffixes):
            return record
    return None


def unknown_suffix(path: str) -> InputError:
    """The error for a file whose suffix no format claims."""
    suffixes = ", ".join(suffix for record in FORMATS.values() for suffix in record.suffixes)
    return InputError(
        f"{path}: the suffix names no known format ({suffixes}, each also with .gz); "
        f"choose a suffix or name a format: {', '.join(FORMATS)}"
    )


def encode(topology: Topology, record: Format, order: ExportRequest | None = None) -> bytes:
    """The bytes of a topology in a format; a warning says what of `dropped` is not in them.

    Parameters
    ----------
    topology : Topology
    record : Format
    order : ExportRequest, optional
        What else is known of the network, for the formats that carry it.

    Raises
    ------
    InputError
        The format cannot carry it.
    """
    if len(topology.labels) > MOST_LABELS:
        raise InputError(f"{topology.name}: {len(topology.labels)} labels; files hold at most {MOST_LABELS}")
    for key, values in topology.labels.items():
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            switch = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InputError(
                f"{topology.name}: label '{key}' of switch {switch} is {values[switch]}, not a finite number"
            )
    if why := _rates_lost(topology, record):
        tell_dropped(record.name, why)
        topology = topology.without_rates()
    try:
        if order is None or record.write_order is None:
            content = record.write(topology)
        else:
            content = record.write_order(order)
        return content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        raise InputError(f"a label or the name holds {half}, half of a surrogate pair; UTF-8 cannot hold it") from None


def dropped(topology: Topology, record: Format) -> tuple[str, ...]:
    """The quantities of `topology` that a format does not carry: ``rate_gbps``, or none."""
    return (RATE,) if _rates_lost(topology, record) else ()


def _rates_lost(topology: Topology, record: Format) -> str:
    """Why the rates of a network are not in a file of the format; empty where it has none, or they are."""
    if not topology.rated:
        return ""
    if RATE not in record.keeps:
        return "this format carries no rates"
    says = record.says_rate
    wrong = [] if says is None else [rate for rate in topology.rates_gbps.tolist() if not says(rate)]
    return f"this format has no word for a rate of {rate_text(wrong[0])} Gb/s" if wrong else ""


def dropped_by(topology: Topology, record: Format) -> list[str]:
    """What of `topology` a format leaves out, in words; empty when it keeps all of its content."""
    lost = []
    if record.simple and (np.diff(topology.links, axis=0) == 0).all(axis=1).any():
        lost.append("how many cables two switches share")
    if "isolated" not in record.keeps and not topology.degrees.all():
        lost.append(f"{int((topology.degrees == 0).sum())} switches without links")
    if "endpoints" not in record.keeps and topology.hosts:
        lost.append(f"{topology.hosts} hosts")
    elif "host" not in record.keeps and not np.array_equal(topology.host, np.arange(topology.host.size)):
        lost.append("which ports belong to one host")
    if "labels" not in record.keeps and topology.labels:
        lost.append(f"label{'s' * (len(topology.labels) > 1)} {', '.join(topology.labels)}")
    return lost
