"""Tables in a folder: ``tables/`` with ports, virtual channels, their network, and their verification."""

import hashlib
import io
import mmap
import os
from collections.abc import Iterator, Sequence
from dataclasses import fields
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.former_keys import with_current_keys
from topoloom.core.json_files import indented_json, parse_json
from topoloom.core.npy_files import read_npy, read_npz
from topoloom.core.staging import Content
from topoloom.model.link_rates import RATE_OF_ENDPOINTS, RATE_OF_LINKS
from topoloom.model.network_folders import TABLES
from topoloom.model.results import Provenance
from topoloom.model.topology import Topology
from topoloom.routing.choices import CHOICES, Adaptive, Choice, Detour, Layers, NextHopGroups
from topoloom.routing.plane_layers import PlaneLayers
from topoloom.routing.routing import MANIFEST, Routing
from topoloom.routing.verification.verification import Verification

#: The version of the manifest that this release writes.
SCHEMA = "topoloom/tables/2"
#: The version of topoloom 0.2, whose arrays of virtual channels were called lanes.
_FORMER_SCHEMA = "topoloom/tables/1"

_CHOICES: dict[str, type[Any]] = {kind.__name__: kind for kind in CHOICES}
#: Patterns of the table files in a network's folder.
TABLE_NAMES = (f"{TABLES}/*.npy", f"{TABLES}/*.npz", f"{TABLES}/{MANIFEST}")
#: Larger tables are not read into memory; they stay in their file.
_MOST_ENTRIES = 1 << 29
_MOST_MANIFEST_BYTES = 1 << 28
#: Destinations per block.
_BLOCK = 256
_REMEDY = "route the network again"
_PARTS = ("links", "endpoints", "host")
_LABEL = "label."
#: The arrays of next-hop groups, each in a file of its own.
_GROUP_ARRAYS = tuple(field.name for field in fields(NextHopGroups))
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
    #: SHA-256 of each array by its file's name without suffix; empty in folders of older releases.
    arrays: dict[str, str] = {}


def stale_tables(routing: Routing, folder: str | os.PathLike[str]) -> list[str]:
    """Patterns of the files of earlier tables in a folder, which are removed when these tables are written there."""
    return [] if _lie_in(routing, folder) else [f"{TABLES}/*.npy", f"{TABLES}/*.npz"]


def table_contents(routing: Routing, folder: str | os.PathLike[str] | None = None) -> dict[str, Content]:
    """The files of a routing by their paths in a network's folder, in the form that `Routing.save` writes.

    Parameters
    ----------
    routing : Routing
    folder : path, optional
        The destination: tables whose files are already there are omitted.
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
    files[f"{TABLES}/{MANIFEST}"] = indented_json(manifest)
    return files


def load_tables(folder: str | os.PathLike[str], topology: Topology | None = None) -> Routing:
    """The routing in ``tables/`` of a folder.

    Parameters
    ----------
    folder : path
    topology : Topology, optional
        The network that the tables must belong to; when omitted, the network that is saved with them.

    Raises
    ------
    InputError
        There are no tables, they are damaged, or they belong to another network: ``file: reason``.
    """
    place = Path(folder) / TABLES / MANIFEST
    source = os.fspath(place)
    record = parse_json(read_text(place, _MOST_MANIFEST_BYTES), source)
    schema = record.get("schema") if isinstance(record, dict) else None
    if schema not in (SCHEMA, _FORMER_SCHEMA):
        raise at(source, None, f"is {schema or 'not a record of topoloom'}; expected {SCHEMA}")
    stem = "virtual_channels" if schema == SCHEMA else "lanes"
    try:
        manifest = msgspec.convert(record if schema == SCHEMA else with_current_keys(record), _Manifest)
    except msgspec.ValidationError as error:
        raise at(source, None, f"is damaged: {error}") from None
    tables_folder = Path(folder) / TABLES
    network = topology or _read_network(tables_folder / "network.npz", manifest)
    if network.digest != manifest.digest:
        what = (
            "the network saved with them has changed" if topology is None else f"they do not belong to {topology.name}"
        )
        raise at(source, None, f"the tables are of {manifest.name}; {what}: route it again")
    ports = _read(tables_folder / "ports.npy")
    _check_ports(ports, network, tables_folder / "ports.npy")
    virtual_channels = _read(tables_folder / f"{stem}.npy") if manifest.virtual_channels else None
    routing = Routing(
        network,
        manifest.engine,
        ports,
        virtual_channels,
        manifest.virtual_channel_rule,
        manifest.minimal,
        _read_choice(manifest.choice, tables_folder, network, stem),
        _read_verification(manifest.verification, tables_folder, network),
        manifest.provenance,
    )
    digests = {name.replace("lanes", "virtual_channels"): digest for name, digest in manifest.arrays.items()}
    _check_unchanged(routing, digests, tables_folder)
    return routing


def _check_unchanged(routing: Routing, digests: dict[str, str], here: Path) -> None:
    """Raise an error if an array differs from the one that was verified."""
    digests = dict(digests)
    noted = bool(digests)
    for name, array in _arrays(routing):
        if noted and digests.pop(name, None) != _digest(array):
            raise at(
                os.fspath(here / f"{name}.npy"),
                None,
                "has changed since the tables were verified; route the network again",
            )
    if digests:
        raise at(os.fspath(here / f"{min(digests)}.npy"), None, "is missing; route the network again")


def _digest(array: np.ndarray) -> str:
    """The SHA-256 of an array: its type, its shape, its entries."""
    digest = hashlib.sha256(f"{array.dtype.str}{list(array.shape)}".encode())
    for begin in range(0, len(array), _BLOCK):
        digest.update(np.ascontiguousarray(array[begin : begin + _BLOCK]).data)
    return digest.hexdigest()


def _lie_in(routing: Routing, folder: str | os.PathLike[str] | None) -> bool:
    """Whether the tables are already files of that folder."""
    file = _file_of(routing.ports)
    try:
        return folder is not None and file is not None and file.samefile(Path(folder) / TABLES / "ports.npy")
    except OSError:
        return False


def _file_of(array: np.ndarray) -> Path | None:
    """The file that the whole array is mapped from; None for an array in memory, or for a part of a mapped one."""
    base: Any = array.base
    whole = isinstance(array, np.memmap) and isinstance(base, mmap.mmap)
    name = getattr(array, "filename", None)
    return Path(name) if whole and name is not None else None


def _arrays(routing: Routing) -> Iterator[tuple[str, np.ndarray]]:
    """The arrays that are saved as files, by name."""
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
        yield from _arrays_of_layers(choice.ports)
        for number, virtual_channels in enumerate(choice.virtual_channels or ()):
            yield f"virtual_channels_{number + 1}", virtual_channels
        if choice.allowed is not None:
            yield "allowed", choice.allowed
    if isinstance(choice, Adaptive):
        yield "data", choice.data
        yield "learned", choice.learned
    if isinstance(choice, NextHopGroups):
        for name in _GROUP_ARRAYS:
            yield f"groups_{name}", getattr(choice, name)


def _arrays_of_layers(layers: Sequence[np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """The tables of layers; those of planes once per different plane, with the plane of each switch."""
    if not isinstance(layers, PlaneLayers):
        yield from ((f"ports_{number}", ports) for number, ports in enumerate(layers, 1))
        return
    yield "plane_of", layers.plane_of
    yield "plane_kind", np.array(layers.kinds, np.int64)
    yield from ((f"plane_ports_{number}", np.stack(tables)) for number, tables in enumerate(layers.tables))


def _read_layers(layers: int, planes: int | None, here: Path, topology: Topology) -> Sequence[np.ndarray]:
    """The tables of layers, in the form of `_arrays_of_layers`; `planes`: the different planes, or None.

    Raises
    ------
    InputError, ValueError
        They are damaged.
    """
    if planes is None:
        names = [here / f"ports_{number}.npy" for number in range(1, 1 + layers)]
        ports: Sequence[np.ndarray] = tuple(_read(name) for name in names)
    else:
        names = [here / "plane_ports_0.npy"] * layers
        plane_of, kinds = _read(here / "plane_of.npy"), _read(here / "plane_kind.npy").tolist()
        places = [np.flatnonzero(plane_of == number) for number in range(len(kinds))]
        tables = [_read(here / f"plane_ports_{number}.npy") for number in range(planes)]
        shapes = [(layers, place.size, place.size) for place in places]
        if plane_of.shape != (topology.switches,) or sum(place.size for place in places) != topology.switches:
            raise ValueError(plane_of)
        if not set(kinds) <= set(range(planes)) or len({table.dtype for table in tables}) != 1:
            raise ValueError(kinds)
        if [tables[kind].shape for kind in kinds] != shapes:
            raise ValueError(shapes)
        ports = PlaneLayers(places, kinds, [list(table) for table in tables])
    for name, table in zip(names, ports, strict=True):
        _check_ports(table, topology, name)
    return ports


def _choice_record(choice: Choice | None) -> dict[str, Any] | None:
    """The record of a choice, without its arrays."""
    if choice is None:
        return None
    if isinstance(choice, Adaptive) and not all(
        isinstance(part, str | None) for part in (choice.function, choice.moves)
    ):
        raise InputError(
            f"tables with the adaptive function '{choice.name}' cannot be saved, as a function is no data; give Adaptive its"
            " place, package.module:name"
        )
    record: dict[str, Any] = {"kind": type(choice).__name__}
    if isinstance(choice, Layers):
        record |= {"layers": len(choice.ports)} | ({"by_host": True} if choice.by_host else {})
        record |= {"planes": len(choice.ports.tables)} if isinstance(choice.ports, PlaneLayers) else {}
        return record | ({"paths": choice.paths} if choice.paths > 1 else {})
    if isinstance(choice, NextHopGroups):
        return record | {"states": choice.states}
    plain = (field.name for field in fields(choice) if field.name not in ("group", "data", "learned"))
    return record | {name: getattr(choice, name) for name in plain}


def _read_choice(record: dict[str, Any] | None, here: Path, topology: Topology, stem: str) -> Choice | None:
    if record is None:
        return None
    source = os.fspath(here / MANIFEST)
    values = {key: value for key, value in record.items() if key != "kind"}
    kind = _CHOICES.get(str(record.get("kind")))
    try:
        places = {key: _place(values.pop(key)) for key in ("function", "moves") if kind is Adaptive}
        values = _typed(kind, values) | places
        if kind is Layers:
            numbers = range(1, 1 + msgspec.convert(record["layers"], int))
            ports = _read_layers(len(numbers), msgspec.convert(values.get("planes"), int | None), here, topology)
            virtual_channels = tuple(
                _read(here / f"{stem}_{n}.npy") for n in numbers if (here / f"{stem}_{n}.npy").exists()
            )
            allowed = _read(here / "allowed.npy") if (here / "allowed.npy").exists() else None
            paths = msgspec.convert(values.get("paths", 1), int)
            if paths < 1 or (1 + len(ports)) % paths:
                raise ValueError(paths)
            by_host = bool(values.get("by_host", False))
            return Layers(ports, virtual_channels or None, allowed, by_host=by_host, paths=paths)
        if kind is NextHopGroups:
            groups = NextHopGroups(**{name: _read(here / f"groups_{name}.npy") for name in _GROUP_ARRAYS})
            fault = groups.fault(topology.degrees)
            if fault or record["states"] != groups.states:
                raise at(os.fspath(here / "groups_group.npy"), None, f"holds {fault or 'other states'}; {_REMEDY}")
            return groups
        if kind is Adaptive:
            values |= {name: _read(here / f"{name}.npy") for name in ("data", "learned")}
        if kind is Detour and (here / "group.npy").exists():
            values["group"] = _read(here / "group.npy")
        if kind is not None:
            made: Choice = kind(**values)
            return made
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
    raise at(source, None, "the record of the packets' choice is damaged; route the network again")


def _place(place: object) -> str | None:
    """The place of a function in a record: only of topoloom and its plug-ins, because it is imported.

    Raises
    ------
    InputError
        It is of another package.
    """
    if place is None:
        return None
    package = str(place).partition(":")[0].partition(".")[0]
    if package not in {"topoloom", *(each.value.partition(".")[0] for each in entry_points(group="topoloom.engines"))}:
        raise InputError(
            f"the tables name a function of {package!r}, which is no plug-in of topoloom; route the network again"
        )
    return str(place)


def _read_verification(record: dict[str, Any] | None, here: Path, topology: Topology) -> Verification | None:
    """Read the verification: its record, and the loads from their files."""
    if record is None:
        return None
    channel_load, switch_load = _read(here / "channel_load.npy"), _read(here / "switch_load.npy")
    if channel_load.shape != (2 * len(topology.links),) or switch_load.shape != (topology.switches,):
        raise at(os.fspath(here), None, "the loads belong to another network; route it again")
    recorded = {name for name in (field.name for field in fields(Verification)) if name not in Verification.unrecorded}
    values = {key: value for key, value in record.items() if key in recorded}
    try:
        values["histogram"] = np.array(values["histogram"], np.int64)
        values["virtual_channel_pairs"] = np.array(values["virtual_channel_pairs"], np.int64)
        values["cycle"] = tuple((int(source), int(target)) for source, target in values["cycle"])
        values |= _typed(Verification, {key: value for key, value in values.items() if key not in _ARRAYS})
        return Verification(**values, channel_load=channel_load, switch_load=switch_load)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise at(os.fspath(here / MANIFEST), None, f"the record of the verification is damaged: {error}") from None


def _typed(kind: type[Any] | None, values: dict[str, Any]) -> dict[str, Any]:
    """Convert values to the types of the class's fields of the same names; other values stay.

    Raises
    ------
    msgspec.ValidationError
        A value that a field cannot hold.
    """
    hints = get_type_hints(kind) if kind is not None else {}
    return {key: msgspec.convert(value, hints[key]) if key in hints else value for key, value in values.items()}


def _network(topology: Topology) -> bytes:
    """The network's arrays, so that tables can be read without another file."""
    arrays = {name: getattr(topology, name) for name in _PARTS}
    arrays |= topology.rates_of()
    arrays |= {_LABEL + name: np.asarray(values) for name, values in topology.labels.items()}
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _read_network(path: Path, manifest: _Manifest) -> Topology:
    arrays = read_npz(path, _REMEDY)
    labels = {name.removeprefix(_LABEL): values for name, values in arrays.items() if name.startswith(_LABEL)}
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
    """Raise an error for ports that a switch does not have: kernels would read past the ends of arrays."""
    n = topology.switches
    if ports.shape != (n, n) or ports.dtype not in (np.uint8, np.uint16):
        raise at(os.fspath(path), None, f"holds {ports.dtype}{list(ports.shape)}; expected the ports of {n} switches")
    none = np.iinfo(ports.dtype).max
    for begin in range(0, n, _BLOCK):
        some = ports[begin : begin + _BLOCK]
        if ((some >= topology.degrees) & (some != none)).any():
            raise at(os.fspath(path), None, f"names a port that its switch of {topology.name} does not have")
