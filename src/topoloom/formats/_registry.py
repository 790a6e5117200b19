"""The register of file formats; the command line, the docs and the error messages derive from its records."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError, check_made
from topoloom.core.register import Register
from topoloom.fabric.cable_lengths import CableLengths
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.fabric.fabric import Fabric, without_rates
from topoloom.model.directed import DirectedTopology
from topoloom.model.link_rates import RATE, rate_text, tell_dropped
from topoloom.model.topology import Topology

#: More labels than any family has. The limit keeps a short file with default attribute values from filling memory.
MOST_LABELS = 100


@dataclass(frozen=True)
class Format:
    """One file format.

    Parameters
    ----------
    name : str
        The value of ``--format``.
    suffixes : tuple of str
        File suffixes that select it, with the dot.
    shared : tuple of str
        Suffixes of other formats that its files often have, too; their content tells.
    description : str
        One line for the catalogue.
    keeps : frozenset of str
        The parts that survive writing and reading: ``isolated`` (switches without links), ``endpoints`` (their number at
        each switch), ``host`` (the host of each endpoint), ``labels``, ``name``, ``spec``, ``rate_gbps`` (the rates of
        links, and of endpoints if these survive). Links always do, and also parallel ones unless `simple`.
    read : callable (data: bytes, source: str) -> Topology, optional
        `source` is the name of the file, for messages and the topology's name; None: the format is write-only.
    write : callable (topology: Topology) -> str or bytes, optional
        None: the format is read-only.
    write_order : callable (order: ExportRequest) -> str or bytes, optional
        As `write`, with the known names, lengths, rates and delays of the network.
    write_fabric : callable (fabric: Fabric) -> str or bytes, optional
        As `write`, with the names, GUIDs, LIDs, ports and rates of a fabric.
    write_directed : callable (topology: DirectedTopology) -> str or bytes, optional
        Writes a directed network, with all that `keeps` names; `read` raises `DirectedNetworkError` for such a file, with the
        way to read it. None: the format holds no directions.
    simple : bool
        Whether parallel links are merged or refused.
    fabric : callable (data: bytes, source: str) -> Fabric, optional
        Also reads names, GUIDs, ports and rates, if the format has them.
    lenient : bool
        Whether `fabric` also takes ``lenient=True``: entries that cannot be right are omitted and reported (`Fabric.flaws`).
    columned : bool
        Whether `fabric` also takes ``columns`` and ``hca_mapping``: what the columns of a sheet have.
    lengths : callable (data: bytes, source: str) -> CableLengths, optional
        Reads the lengths of cables, if the format has them or their delays.
    holds : frozenset of str
        What the format holds of a fabric's identities: ``names``, ``GUIDs``, ``LIDs``, ``ports`` (their names).
    says_rate : callable (rate_gbps: float) -> bool, optional
        Whether the format can express a rate; None: it can express all. A network with any other rate is written without.
    """

    name: str
    suffixes: tuple[str, ...]
    description: str
    keeps: frozenset[str]
    read: Callable[[bytes, str], Topology] | None
    write: Callable[[Topology], str | bytes] | None
    write_order: Callable[[ExportRequest], str | bytes] | None = None
    write_fabric: Callable[[Fabric], str | bytes] | None = None
    simple: bool = False
    fabric: Callable[..., Fabric] | None = None
    lenient: bool = False
    columned: bool = False
    shared: tuple[str, ...] = ()
    lengths: Callable[[bytes, str], CableLengths] | None = None
    holds: frozenset[str] = frozenset()
    says_rate: Callable[[float], bool] | None = None
    write_directed: Callable[[DirectedTopology], str | bytes] | None = None


#: All formats by name.
FORMATS: Register[Format] = Register("format", package="topoloom.formats", group="topoloom.formats")


def register(record: Format) -> Format:
    """Add a format to `FORMATS`."""
    FORMATS.add(record.name, record)
    return record


def format_for(path: str) -> Format | None:
    """The format for the suffix of `path`, below a ``.gz`` if there is one; None if no format has that suffix."""
    name = path.lower().removesuffix(".gz")
    if "." not in name:  # as in most specs, for which no format needs to be loaded
        return None
    matches = [(suffix, record) for record in FORMATS.values() for suffix in record.suffixes if name.endswith(suffix)]
    # .ufm.json before .json
    return max(matches, key=lambda match: len(match[0]))[1] if matches else None


def unknown_suffix(path: str, *, read: bool = False) -> InputError:
    """The error for a file whose suffix belongs to no format; `read`: its content, if any, is not recognised either."""
    why = (
        "neither its suffix nor its content is that of a known format"
        if read
        else "the suffix belongs to no known format"
    )
    return InputError(f"{path}: {why}; choose a suffix, or name the format: {', '.join(FORMATS)}")


def encode(topology: Topology, record: Format, order: ExportRequest | None = None) -> bytes:
    """The bytes of a topology in a format; a warning lists the omitted quantities (`dropped`).

    Parameters
    ----------
    topology : Topology
    record : Format
    order : ExportRequest, optional
        Further facts about the network, for the formats that hold them.

    Raises
    ------
    InputError
        The format cannot hold the topology, or is read-only.
    """
    if record.write is None:
        written = ", ".join(name for name, each in FORMATS.items() if each.write is not None)
        raise InputError(f"topoloom reads the format {record.name} but does not write it; it writes {written}")
    _check_labels(topology)
    if why := _rates_lost(topology, record):
        tell_dropped(record.name, why)
        topology = topology.without_rates()
    write, write_order, write_fabric = record.write, record.write_order, record.write_fabric
    if order is not None and write_fabric is not None:
        fabric = without_rates(order.fabric) if why else order.fabric
        return _bytes_of(lambda: write_fabric(fabric), record)
    if order is None or write_order is None:
        return _bytes_of(lambda: write(topology), record)
    return _bytes_of(lambda: write_order(order), record)


def encode_directed(topology: DirectedTopology, record: Format) -> bytes:
    """The bytes of a directed topology in a format.

    Raises
    ------
    InputError
        The format holds no directions, or cannot hold the labels.
    """
    if record.write_directed is None:
        able = ", ".join(name for name, each in FORMATS.items() if each.write_directed is not None)
        raise InputError(
            f"{topology.name}: the format {record.name} holds no directed networks; choose one of {able}, or have links of both"
            " directions ('topoloom convert --undirected', DirectedTopology.undirected())"
        )
    _check_labels(topology)
    write = record.write_directed
    return _bytes_of(lambda: write(topology), record)


def _check_labels(topology: Topology | DirectedTopology) -> None:
    """Refuse more labels than files hold, and numbers that are not finite."""
    if len(topology.labels) > MOST_LABELS:
        raise InputError(f"{topology.name}: {len(topology.labels)} labels; files hold at most {MOST_LABELS}")
    for key, values in topology.labels.items():
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            switch = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InputError(
                f"{topology.name}: label '{key}' of switch {switch} is {values[switch]}, not a finite number"
            )


def _bytes_of(write: Callable[[], str | bytes], record: Format) -> bytes:
    """The bytes of what a format writes."""
    try:
        content = write()
        check_made(content, (str, bytes), f"format {record.name}", "text or bytes for what it writes")
        return content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        raise InputError(f"a label or the name holds {half}, half of a surrogate pair; UTF-8 cannot hold it") from None


def dropped(topology: Topology, record: Format) -> tuple[str, ...]:
    """The quantities of `topology` that a format omits: ``rate_gbps``, or none."""
    return (RATE,) if _rates_lost(topology, record) else ()


def _rates_lost(topology: Topology, record: Format) -> str:
    """The reason why a file of the format lacks the network's rates; empty if it has none, or the file has them."""
    if not topology.rated:
        return ""
    if RATE not in record.keeps:
        return "this format holds no rates"
    says = record.says_rate
    wrong = [] if says is None else [rate for rate in topology.rates_gbps.tolist() if not says(rate)]
    return f"this format cannot express a rate of {rate_text(wrong[0])} Gb/s" if wrong else ""


#: What formats with names of ports hold.
PORTS = "ports"
#: All that identifies the parts of a fabric.
IDENTITIES = frozenset({"names", "GUIDs", "LIDs"})
#: The labels that hold the names and GUIDs of switches.
_IDENTIFYING = {"id", "guid"}
#: GUIDs up to here have no maker: ibsim and topoloom invent them.
_MOST_INVENTED = 0xFFFF_FFFF


def dropped_by(topology: Topology, record: Format, fabric: Fabric | None = None) -> list[str]:
    """The content of `topology`, and of its discovered fabric, that a format omits, as text; empty if it keeps everything."""
    lost = []
    if record.simple and (np.diff(topology.links, axis=0) == 0).all(axis=1).any():
        lost.append("the number of parallel cables")
    if "isolated" not in record.keeps and not topology.degrees.all():
        lost.append(f"{int((topology.degrees == 0).sum())} switches without links")
    grouped = not np.array_equal(topology.host, np.arange(topology.host.size))
    if "endpoints" in record.keeps and "host" not in record.keeps and grouped:
        lost.append("the grouping of ports into hosts")
    lost += directed_dropped_by(topology, record)
    if fabric is not None and not fabric.planned:
        addressed = fabric.switch_lids.any() or fabric.port_lids.any()
        real = (fabric.switch_guids > _MOST_INVENTED).any()
        lost += [
            f"{what} of {'hosts' if 'labels' in record.keeps else 'switches and hosts'}"
            for what, is_known in (("names", True), ("GUIDs", real), ("LIDs", addressed))
            if is_known and what not in record.holds
        ]
        if fabric.named_ports and PORTS not in record.holds:
            lost.append("names of ports")
    return lost


def directed_dropped_by(topology: Topology | DirectedTopology, record: Format) -> list[str]:
    """The hosts and labels that a format omits, as text; for a directed network, this is all that one may omit."""
    lost = []
    if "endpoints" not in record.keeps and topology.hosts:
        lost.append(f"{topology.hosts} hosts")
    labels = [name for name in topology.labels if "names" not in record.holds or name not in _IDENTIFYING]
    if "labels" not in record.keeps and labels:
        lost.append(f"label{'s' * (len(labels) > 1)} {', '.join(labels)}")
    return lost
