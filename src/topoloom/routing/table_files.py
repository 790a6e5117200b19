"""Tables in a folder: ``tables/`` with ports, virtual channels, their network, and what the verifier said of them."""

import hashlib
import io
import mmap
import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.former_keys import with_current_keys
from topoloom.core.json_files import parse_json
from topoloom.core.npy_files import read_npy, read_npz
from topoloom.core.staging import Content
from topoloom.model.link_rates import RATE_OF_ENDPOINTS, RATE_OF_LINKS
from topoloom.model.network_folders import TABLES
from topoloom.model.results import Provenance
from topoloom.model.topology import Topology
from topoloom.routing.choices import AnyShortest, Choice, Detour, Escape, Layers
from topoloom.routing.routing import MANIFEST, Routing
from topoloom.routing.verification.verification import Verification

#: Readers of this release know this version of the manifest.
SCHEMA = "topoloom/tables/2"
#: What topoloom 0.2 wrote: its arrays of virtual channels were called lanes.
_FORMER_SCHEMA = "topoloom/tables/1"

_CHOICES: dict[str, type[Any]] = {kind.__name__: kind for kind in (AnyShortest, Escape, Detour, Layers)}
#: Patterns of the files of tables, in a network's folder.
TABLE_NAMES = (f"{TABLES}/*.npy", f"{TABLES}/*.npz", f"{TABLES}/{MANIFEST}")
#: Tables of more entries are not read into memory but looked up in their file.
_MOST_ENTRIES = 1 << 29
_LONGEST = 1 << 28
#: Destinations whose entries are looked at together.
_BLOCK = 256
_REMEDY = "route the network again"
_PARTS = ("links", "endpoints", "host")
_LABEL = "label."
_ARRAYS = ("histogram", "virtual_channel_pairs", "cycle")


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    name: str
    spec: str | None
    switches: int
    digest: str
    engine: str
    virtual_channel_rule: str
    minimal: bool
    virtual_channels: bool
    choice: dict[str, Any] | None
    verification: dict[str, Any] | None
    provenance: Provenance
    #: SHA-256 of each array by its file's name without suffix; empty in folders of before they were noted.
    arrays: dict[str, str] = {}


def stale_tables(routing: Routing, folder: str | os.PathLike[str]) -> list[str]:
    """Patterns of what earlier tables left in a folder, and which goes when these are written there."""
    return [] if _lie_in(routing, folder) else [f"{TABLES}/*.npy", f"{TABLES}/*.npz"]


def table_contents(routing: Routing, folder: str | os.PathLike[str] | None = None) -> dict[str, Content]:
    """The files of a routing by their paths in a network's folder, as `Routing.save` writes them.

    Parameters
    ----------
    routing : Routing
    folder : path, optional
        Where they will be written: tables whose files are there already are omitted.
    """
    files: dict[str, Content] = {f"{TABLES}/network.npz": _network(routing.topology)}
    digests = {}
    for name, array in _arrays(routing):
        digests[name] = _digest(array)
        if not (name in ("ports", "virtual_channels") and _lie_in(routing, folder)):
            files[f"{TABLES}/{name}.npy"] = _file_of(array) or _npy(array)
    topology, verification = routing.topology, routing.verification
    manifest = _Manifest(
        SCHEMA,
        topology.name,
        topology.spec,
        topology.switches,
        topology.digest,
        routing.engine,
        routing.virtual_channel_rule,
        routing.minimal,
        routing.virtual_channels is not None,
        _choice_record(routing.choice),
        None if verification is None else verification.record(),
        routing.provenance,
        digests,
    )
    files[f"{TABLES}/{MANIFEST}"] = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
    return files


def load_tables(folder: str | os.PathLike[str], topology: Topology | None = None) -> Routing:
    """The routing in ``tables/`` of a folder.

    Parameters
    ----------
    folder : path
    topology : Topology, optional
        The network that the tables must be of, read from elsewhere; the one that lies beside them when omitted.

    Raises
    ------
    InputError
        There are no tables, they are damaged, or they are of another network: ``file: reason``.
    """
    place = Path(folder) / TABLES / MANIFEST
    source = os.fspath(place)
    record = parse_json(read_text(place, _LONGEST), source)
    schema = record.get("schema") if isinstance(record, dict) else None
    if schema not in (SCHEMA, _FORMER_SCHEMA):
        raise at(source, None, f"is {schema or 'no record of topoloom'}; expected {SCHEMA}")
    stem = "virtual_channels" if schema == SCHEMA else "lanes"
    try:
        manifest = msgspec.convert(record if schema == SCHEMA else with_current_keys(record), _Manifest)
    except msgspec.ValidationError as error:
        raise at(source, None, f"is damaged: {error}") from None
    here = Path(folder) / TABLES
    known = topology or _read_network(here / "network.npz", manifest)
    if known.digest != manifest.digest:
        what = "the network beside them has changed" if topology is None else f"they are not of {topology.name}"
        raise at(source, None, f"the tables are of {manifest.name}; {what}: route it again")
    ports = _read(here / "ports.npy")
    _check_ports(ports, known, here / "ports.npy")
    virtual_channels = _read(here / f"{stem}.npy") if manifest.virtual_channels else None
    routing = Routing(
        known,
        manifest.engine,
        ports,
        virtual_channels,
        manifest.virtual_channel_rule,
        manifest.minimal,
        _read_choice(manifest.choice, here, known, stem),
        _read_verification(manifest.verification, here, known),
        manifest.provenance,
    )
    digests = {name.replace("lanes", "virtual_channels"): digest for name, digest in manifest.arrays.items()}
    _check_unchanged(routing, digests, here)
    return routing


def _check_unchanged(routing: Routing, digests: dict[str, str], here: Path) -> None:
    """Refuse arrays that are not those that the verdict is about."""
    digests = dict(digests)
    noted = bool(digests)
    for name, array in _arrays(routing):
        if noted and digests.pop(name, None) != _digest(array):
            raise at(
                os.fspath(here / f"{name}.npy"),
                None,
                "has changed since the tables were followed, so their verdict is not of it; route the network again",
            )
    if digests:
        raise at(os.fspath(here / f"{min(digests)}.npy"), None, "is missing; route the network again")


def _digest(array: np.ndarray) -> str:
    """The SHA-256 of an array: its type, its shape, its entries."""
    found = hashlib.sha256(f"{array.dtype.str}{list(array.shape)}".encode())
    for begin in range(0, len(array), _BLOCK):
        found.update(np.ascontiguousarray(array[begin : begin + _BLOCK]).data)
    return found.hexdigest()


def _lie_in(routing: Routing, folder: str | os.PathLike[str] | None) -> bool:
    """Whether the tables are files of that folder already."""
    file = _file_of(routing.ports)
    try:
        return folder is not None and file is not None and file.samefile(Path(folder) / TABLES / "ports.npy")
    except OSError:
        return False


def _file_of(array: np.ndarray) -> Path | None:
    """The file that an array is mapped from, whole; None of an array in memory, or of a part of a mapped one."""
    base: Any = array.base
    whole = isinstance(array, np.memmap) and isinstance(base, mmap.mmap)
    name = getattr(array, "filename", None)
    return Path(name) if whole and name is not None else None


def _arrays(routing: Routing) -> Iterator[tuple[str, np.ndarray]]:
    """The arrays that are files, by name."""
    yield "ports", routing.ports
    if routing.virtual_channels is not None:
        yield "virtual_channels", routing.virtual_channels
    if routing.verification is not None:
        yield "channel_load", routing.verification.channel_load
        yield "switch_load", routing.verification.switch_load
    choice = routing.choice
    if isinstance(choice, Detour) and choice.group is not None:
        yield "group", choice.group
    if isinstance(choice, Layers):
        for number, ports in enumerate(choice.ports):
            yield f"ports_{number + 1}", ports
        for number, virtual_channels in enumerate(choice.virtual_channels or ()):
            yield f"virtual_channels_{number + 1}", virtual_channels
        if choice.allowed is not None:
            yield "allowed", choice.allowed


def _choice_record(choice: Choice | None) -> dict[str, Any] | None:
    """What packets may choose, without its arrays."""
    if choice is None:
        return None
    record: dict[str, Any] = {"kind": type(choice).__name__}
    if isinstance(choice, Layers):
        return record | {"layers": len(choice.ports)} | ({"by_host": True} if choice.by_host else {})
    plain = (field.name for field in fields(choice) if field.name != "group")
    return record | {name: getattr(choice, name) for name in plain}


def _read_choice(record: dict[str, Any] | None, here: Path, topology: Topology, stem: str) -> Choice | None:
    if record is None:
        return None
    source = os.fspath(here / MANIFEST)
    values = {key: value for key, value in record.items() if key != "kind"}
    kind = _CHOICES.get(str(record.get("kind")))
    try:
        values = _typed(kind, values)
        if kind is Layers:
            numbers = range(1, 1 + msgspec.convert(record["layers"], int))
            ports = tuple(_read(here / f"ports_{number}.npy") for number in numbers)
            for number, table in zip(numbers, ports, strict=True):
                _check_ports(table, topology, here / f"ports_{number}.npy")
            virtual_channels = tuple(
                _read(here / f"{stem}_{n}.npy") for n in numbers if (here / f"{stem}_{n}.npy").exists()
            )
            allowed = _read(here / "allowed.npy") if (here / "allowed.npy").exists() else None
            return Layers(ports, virtual_channels or None, allowed, by_host=bool(values.get("by_host", False)))
        if kind is Detour and (here / "group.npy").exists():
            values["group"] = _read(here / "group.npy")
        if kind is not None:
            made: Choice = kind(**values)
            return made
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
    raise at(source, None, "what packets may choose is damaged")


def _read_verification(record: dict[str, Any] | None, here: Path, topology: Topology) -> Verification | None:
    """The verdict: its record, and the loads, which lie in files."""
    if record is None:
        return None
    channel_load, switch_load = _read(here / "channel_load.npy"), _read(here / "switch_load.npy")
    if channel_load.shape != (2 * len(topology.links),) or switch_load.shape != (topology.switches,):
        raise at(os.fspath(here), None, "the loads are not those of the network; route it again")
    kept = {name for name in (field.name for field in fields(Verification)) if name not in Verification.unrecorded}
    values = {key: value for key, value in record.items() if key in kept}
    try:
        values["histogram"] = np.array(values["histogram"], np.int64)
        values["virtual_channel_pairs"] = np.array(values["virtual_channel_pairs"], np.int64)
        values["cycle"] = tuple((int(one), int(other)) for one, other in values["cycle"])
        values |= _typed(Verification, {key: value for key, value in values.items() if key not in _ARRAYS})
        return Verification(**values, channel_load=channel_load, switch_load=switch_load)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise at(os.fspath(here / MANIFEST), None, f"the verdict is damaged: {error}") from None


def _typed(kind: type[Any] | None, values: dict[str, Any]) -> dict[str, Any]:
    """The values as the fields of a class that have their names hold them; others stay.

    Raises
    ------
    msgspec.ValidationError
        A value that a field cannot hold.
    """
    hints = get_type_hints(kind) if kind is not None else {}
    return {key: msgspec.convert(value, hints[key]) if key in hints else value for key, value in values.items()}


def _network(topology: Topology) -> bytes:
    """The network's arrays, so that tables can be read without anything else."""
    arrays = {name: getattr(topology, name) for name in _PARTS}
    arrays |= topology.rates_of()
    arrays |= {_LABEL + name: np.asarray(values) for name, values in topology.labels.items()}
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _read_network(path: Path, manifest: _Manifest) -> Topology:
    arrays = read_npz(path, _REMEDY)
    labels = {name.removeprefix(_LABEL): one for name, one in arrays.items() if name.startswith(_LABEL)}
    missing = next((name for name in _PARTS if name not in arrays), None)
    if missing is not None:
        raise at(os.fspath(path), None, f"is damaged (it has no array {missing}); {_REMEDY}")
    parts = {name: arrays[name] for name in (*_PARTS, RATE_OF_LINKS, RATE_OF_ENDPOINTS) if name in arrays}
    try:
        return Topology(**parts, switches=manifest.switches, labels=labels, name=manifest.name, spec=manifest.spec)
    except InputError as error:
        raise at(os.fspath(path), None, str(error)) from None


def _npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(array), allow_pickle=False)
    return file.getvalue()


def _read(path: Path) -> np.ndarray:
    array = read_npy(path, _REMEDY)
    if array.size > _MOST_ENTRIES:
        return array
    return np.array(array)


def _check_ports(ports: np.ndarray, topology: Topology, path: Path) -> None:
    """Refuse ports that a switch does not have: kernels would look past the ends of arrays."""
    n = topology.switches
    if ports.shape != (n, n) or ports.dtype not in (np.uint8, np.uint16):
        raise at(os.fspath(path), None, f"holds {ports.dtype}{list(ports.shape)}; expected the ports of {n} switches")
    none = np.iinfo(ports.dtype).max
    for begin in range(0, n, _BLOCK):
        some = ports[begin : begin + _BLOCK]
        if ((some >= topology.degrees) & (some != none)).any():
            raise at(os.fspath(path), None, f"names a port that its switch of {topology.name} does not have")
