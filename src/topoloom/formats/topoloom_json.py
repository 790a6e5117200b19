"""topoloom's own JSON: the complete content of a topology, versioned; specified in docs/reference/file-formats.md."""

import json
import math
import re
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import numpy as np

from topoloom._version import __version__
from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError, at
from topoloom.core.json_files import strict_json
from topoloom.formats._packed import Packed, json_array, unpack
from topoloom.formats._registry import MOST_LABELS, Format, register
from topoloom.formats._text import directed_from, label_array, refused, short, text_of, topology_from
from topoloom.model.directed import DirectedTopology
from topoloom.model.link_rates import RATE_OF_ENDPOINTS, RATE_OF_LINKS, rate_array
from topoloom.model.topology import MOST_SWITCHES, Topology

#: This release reads versions 1 .. VERSION; tests/formats/fixtures has a file of each. Version 2 adds rates; a network
#: without them is written as version 1, which older releases read. Version 3 has arcs in place of links.
RATED, DIRECTED = 2, 3
VERSION = DIRECTED
#: Bytes per number of a packed array while it is read.
_NUMBER_BYTES = 40.0

_Text = Annotated[str, msgspec.Meta(max_length=10_000)]


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    format: str
    version: int
    switches: int
    links: list[tuple[int, int]] | Packed | msgspec.UnsetType = msgspec.UNSET
    arcs: list[tuple[int, int]] | Packed | msgspec.UnsetType = msgspec.UNSET
    made_by: _Text = ""
    name: _Text | None = None
    spec: _Text | None = None
    endpoints: list[int] | Packed = []
    host: list[int] | Packed | None = None
    labels: dict[str, list[int | float | str] | Packed] = {}
    link_rate_gbps: list[float] | Packed | None = None
    endpoint_rate_gbps: list[float] | Packed | None = None


def write(topology: Topology) -> str:
    """A topology as JSON, one field per line."""
    document = _document(topology, RATED if topology.rated else 1, "links", topology.links)
    if not np.array_equal(topology.host, np.arange(topology.host.size)):
        document["host"] = json_array(topology.host, delta=True)
    if "labels" in document:  # after the hosts, as ever
        document["labels"] = document.pop("labels")
    document |= {key: json_array(rates) for key, rates in topology.rates_of().items() if rates.size}
    return _written(document)


def write_directed(topology: DirectedTopology) -> str:
    """A directed topology as JSON, one field per line: ``arcs`` in place of ``links``."""
    return _written(_document(topology, DIRECTED, "arcs", topology.arcs))


def _document(topology: Topology | DirectedTopology, version: int, key: str, ends: np.ndarray) -> dict[str, Any]:
    """The fields that both have."""
    document: dict[str, Any] = {
        "format": "topoloom",
        "version": version,
        "made_by": f"topoloom {__version__}",
        "name": topology.name,
        "spec": topology.spec,
        "switches": topology.switches,
        key: json_array(ends, delta=True),
        "endpoints": json_array(topology.endpoints, delta=True),
    }
    if topology.labels:
        document["labels"] = {key: json_array(values) for key, values in topology.labels.items()}
    if not topology.endpoints.size:
        del document["endpoints"]
    if topology.spec is None:
        del document["spec"]
    return document


def _written(document: dict[str, Any]) -> str:
    # ASCII escapes would accept half of a surrogate pair; with UTF-8 it is refused when the file is encoded.
    lines = (f"  {_json(key)}: {_json(value)}" for key, value in document.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(data: bytes, source: str) -> Topology:
    """The topology in topoloom's own JSON."""
    text = text_of(data, source)
    raw = strict_json(text, source)
    _recognised(raw, source)
    try:
        document = msgspec.convert(raw, _Document)
    except msgspec.ValidationError as error:
        raise _field_error(text, source, str(error)) from None
    del raw
    if document.arcs is msgspec.UNSET:
        return topology_from(source, **_parts(document, "links", text, source))
    if document.version < DIRECTED:
        raise _field_error(text, source, f"arcs need version {DIRECTED} - at `$.arcs`")
    if document.links is not msgspec.UNSET:
        raise _field_error(text, source, "a network has links or arcs, not both - at `$.arcs`")
    raise refused(source, lambda: directed_from(source, **_parts(document, "arcs", text, source)))


def _parts(document: _Document, ends: str, text: str, source: str) -> dict[str, Any]:
    """The arguments of `Topology`; its links are the field `ends`."""
    switches = document.switches
    if not 0 < switches <= MOST_SWITCHES:
        raise _field_error(text, source, f"{switches} switches; a topology has 1 to {MOST_SWITCHES} - at `$.switches`")
    if len(document.labels) > MOST_LABELS:
        raise _field_error(text, source, f"more than {MOST_LABELS} labels - at `$.labels`")
    parts: dict[str, Any] = {}
    allowance = Allowance(source, len(text))
    for field, packed in _packed(document):
        numbers = math.prod(max(0, size) for size in packed.shape)
        allowance.take(_NUMBER_BYTES * numbers, f"{numbers:,} numbers of {field[:60]!a}")
    if getattr(document, ends) is msgspec.UNSET:
        raise _field_error(text, source, "Object missing required field `links`")
    for field, key, shape in (("links", ends, (None, 2)), ("endpoints", "endpoints", (None,))):
        parts[field] = _numbers(getattr(document, key), shape, text, source, f"$.{key}")
    if document.host is not None:
        parts["host"] = _numbers(document.host, parts["endpoints"].shape, text, source, "$.host")
    for field, of in ((RATE_OF_LINKS, "links"), (RATE_OF_ENDPOINTS, "endpoints")):
        rates = getattr(document, field)
        if rates is None:
            continue
        if document.version < RATED:
            raise _field_error(text, source, f"rates need version {RATED} - at `$.{field}`")
        parts[field] = _rates(rates, len(parts[of]), of, text, source, field)
    labels = {key: _label(key, value, switches, text, source, allowance) for key, value in document.labels.items()}
    for array, field in ((parts["links"], ends), (parts["endpoints"], "endpoints")):
        wrong = np.argwhere((array < 0) | (array >= switches))
        if wrong.size:
            place = "".join(f"[{i}]" for i in wrong[0])
            problem = f"switch {array[tuple(wrong[0])]}, but switches are numbered 0 to {switches - 1}"
            raise _field_error(text, source, f"{problem} - at `$.{field}{place}`")
    loop = np.flatnonzero(parts["links"][:, 0] == parts["links"][:, 1])
    if loop.size:
        problem = f"switch {parts['links'][loop[0], 0]} is linked to itself; a link joins two switches"
        raise _field_error(text, source, f"{problem} - at `$.{ends}[{loop[0]}]`")
    if document.name is not None:
        parts["name"] = document.name
    return {"switches": switches, "labels": labels, "spec": document.spec, **parts}


def _numbers(value: Any, shape: tuple[int | None, ...], text: str, source: str, path: str) -> np.ndarray:
    """Whole numbers, int64 or int32, listed or packed."""
    try:
        if isinstance(value, Packed):
            array = unpack(value, shape)
            if array.dtype.kind == "f":
                raise InputError("holds float64; it must hold whole numbers")
            return array
        listed = np.array(value, np.int64).reshape(-1, *(size for size in shape[1:] if size is not None))
        if shape[0] not in (None, len(listed)):
            raise InputError(f"holds {len(listed)} numbers; it must hold {shape[0]}")
        return listed
    except (InputError, OverflowError) as error:
        problem = "a number beyond 64 bits" if isinstance(error, OverflowError) else str(error)
        raise _field_error(text, source, f"{problem} - at `{path}`") from None


def _rates(value: list[float] | Packed, count: int, of: str, text: str, source: str, field: str) -> np.ndarray | None:
    """Rates, float64[count], listed or packed."""
    try:
        given = unpack(value, (count,)) if isinstance(value, Packed) else value
        return rate_array(given, count, "a rate", of)
    except InputError as error:
        raise _field_error(text, source, f"{error} - at `$.{field}`") from None


def _packed(document: _Document) -> Iterator[tuple[str, Packed]]:
    """The packed fields, with their names."""
    fields = {
        key: getattr(document, key) for key in ("links", "arcs", "endpoints", "host", RATE_OF_LINKS, RATE_OF_ENDPOINTS)
    }
    return ((key, value) for key, value in [*fields.items(), *document.labels.items()] if isinstance(value, Packed))


def _label(
    key: str, value: list[Any] | Packed, switches: int, text: str, source: str, allowance: Allowance
) -> np.ndarray:
    path = f"$.labels.{key[:60]}"
    if isinstance(value, Packed):
        try:
            array = unpack(value, (switches,))
        except InputError as error:
            raise _field_error(text, source, f"{error} - at `{path}`") from None
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise _field_error(text, source, f"holds a number that is not finite - at `{path}`")
        return array
    if len(value) != switches:
        problem = f"{len(value)} values; a label needs one for each of {switches} switches"
        raise _field_error(text, source, f"{problem} - at `{path}`")
    if 0 < sum(isinstance(entry, str) for entry in value) < switches:
        raise _field_error(text, source, f"text and numbers are mixed; a label holds one or the other - at `{path}`")
    try:
        return label_array(key, value, source, allowance)
    except OverflowError:
        raise _field_error(text, source, f"a number beyond 64 bits - at `{path}`") from None


def _recognised(raw: Any, source: str) -> None:
    if not isinstance(raw, dict) or raw.get("format") != "topoloom":
        raise at(source, None, 'is JSON, but not a topology of topoloom, which starts with {"format": "topoloom", ...')
    version = raw.get("version")
    if type(version) is not int or version < 1:
        raise at(
            source, None, f"the version is {short(json.dumps(version))}; this topoloom reads versions 1 to {VERSION}"
        )
    if version > VERSION:
        raise at(source, None, f"the version is {version}; this topoloom reads up to {VERSION}: update topoloom")


def _field_error(text: str, source: str, message: str) -> InputError:
    """The error for a field: msgspec's ``reason - at `$.links[3]``` becomes ``file:line: links[3]: reason``."""
    reason, _, path = message.partition(" - at `$")
    path = path.rstrip("`").lstrip(".")
    field = re.match(r"\w*", path)
    # The parser ensures that each field occurs once. The line of the field is where users look.
    match = re.search(rf'^\s*"{field[0]}"\s*:', text, re.MULTILINE) if field and field[0] else None
    line = 1 + text.count("\n", 0, match.end()) if match else None
    reason = reason.replace("Object", "the document").replace("`", "'")
    return at(source, line, f"{path}: {reason}" if path else reason)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


register(
    Format(
        name="topoloom",
        suffixes=(".json",),
        description="topoloom's own JSON: everything that a topology holds",
        keeps=frozenset({"isolated", "endpoints", "host", "labels", "name", "spec", "rate_gbps"}),
        read=read,
        write=write,
        write_directed=write_directed,
    )
)
