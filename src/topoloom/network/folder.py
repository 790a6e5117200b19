"""The network folder: which files hold which part of a network, how each is read and written, and which belong together."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from topoloom.cabling.cabling import cable
from topoloom.cabling.files import INSTALLER_FILES, layout_files, layout_of_cables, network_files
from topoloom.cabling.product_rates import planned_cables
from topoloom.core.errors import InputError, at, check_path
from topoloom.core.files import read_text
from topoloom.core.folders import settle, write_folder
from topoloom.core.former_keys import with_current_keys
from topoloom.core.json_files import parse_json
from topoloom.core.staging import Content
from topoloom.cost.remembered import read_remembered, remembered_files
from topoloom.cost.terms import Terms
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.installed import NO_LEVELS, read_installed
from topoloom.formats import load
from topoloom.formats.cable_reader import CableList
from topoloom.formats.cabled import cabled_in, cabled_text
from topoloom.formats.cables import load_cables
from topoloom.formats.ibnetdiscover import load_fabric
from topoloom.model.network_folders import (
    AFTER,
    BEFORE,
    CABLED,
    CABLED_NET,
    CABLES,
    DESIGN,
    FABRIC,
    FABRIC_LEVELS,
    FABRIC_TABLES,
    FLOOR,
    HOSTS,
    HOUSING,
    MACHINE,
    NETWORK,
    NETWORKS,
    PANEL_PLAN,
    PARTS,
    PLAN,
    PLANT,
    PROVENANCE,
    RACKS,
    TABLES,
    TOPOLOGY,
    FolderNote,
    note_text,
    read_note,
    refuse_other_network,
)
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.model.topology import Topology
from topoloom.network.network import Network
from topoloom.placement.hosts.files import read_host_names
from topoloom.routing.routing import MANIFEST
from topoloom.routing.table_files import load_tables, stale_tables, table_contents

_MOST_CHARACTERS = 1 << 28
#: Where and when an adopted network was collected, in the settings of its provenance.
ORIGIN = ("source", "collected")

Folder = str | os.PathLike[str]
Readers = dict[str, Callable[[], Any]]


@dataclass(frozen=True)
class FolderPart:
    """A part of a network folder.

    Attributes
    ----------
    files : tuple of str
        Patterns of the files that hold it, and of files derived from it, which are removed when the part is replaced. The
        part is present if the first one exists.
    read : callable (folder, Topology) -> dict of str to callable
        The readers that it adds to a `Network`, by the name of what they read.
    write : callable (Network, folder) -> dict of file contents, optional
        None for parts that only other commands write.
    keeps : callable (Network, Network) -> bool
        Whether the part of the second network, which the folder holds, may stay when the first is saved.
    """

    files: tuple[str, ...]
    read: Callable[[Path, Topology], Readers]
    write: Callable[[Network, Folder], dict[str, Content]] | None = None
    keeps: Callable[[Network, Network], bool] = lambda network, saved: True


def _read_remembered(folder: Path, topology: Topology) -> Readers:
    read = cache(lambda: read_remembered(folder))
    return {"terms": lambda: read().terms, "requirements": lambda: read().requirements}


def _write_remembered(network: Network, folder: Folder) -> dict[str, Content]:
    return remembered_files(network.terms, network.layout, network.requirements)


def _keeps_remembered(network: Network, saved: Network) -> bool:
    same = network.terms in (Terms(), saved.terms) and network.requirements in (None, saved.requirements)
    return same and _keeps_layout(network, saved)


def _read_layout(folder: Path, topology: Topology) -> Readers:
    return _of_list(folder, load_cables(folder / CABLES))


def _write_layout(network: Network, folder: Folder) -> dict[str, Content]:
    terms = network.terms
    if network.layout is None:
        return {}
    rate_gbps = None if network.topology.mixed else terms.link_rate_gbps
    cabling = cable(network.layout, terms.catalogue, rate_gbps, terms.host_cables, network.plugs, network.cabled)
    return layout_files(cabling)


def _keeps_layout(network: Network, saved: Network) -> bool:
    return network.layout is None or network.layout == saved.layout


def _write_tables(network: Network, folder: Folder) -> dict[str, Content]:
    return {} if network.tables is None else table_contents(network.tables, folder)


def fabric_files(network: Network, writer: str) -> dict[str, Content]:
    """The files of what is cabled: real names and ports, and the note with where and when they were collected.

    Parameters
    ----------
    network : Network
    writer : str
        The command that writes the folder.

    Returns
    -------
    dict of str to str or bytes
        Contents by name; without names and ports that are as planned, or that the lists of a layout hold.
    """
    return _cabled_file(network) | _origin_note(network, writer)


def _cabled_file(network: Network) -> dict[str, Content]:
    planned = network.fabric.planned if network.layout is not None else network.fabric.as_planned
    return {} if planned else {CABLED: cabled_text(network.fabric)}


def _origin_note(network: Network, writer: str) -> dict[str, Content]:
    """The note of an adopted network, which keeps its source and its time; none for other networks."""
    noted = network.provenance.settings
    if not noted.keys() >= set(ORIGIN):
        return {}
    origin = {name: noted[name] for name in ORIGIN}
    return {PROVENANCE: note_text(provenance_of(network.topology, settings=origin), writer)}


#: The parts of a network in addition to its topology.
FOLDER_PARTS: Mapping[str, FolderPart] = {
    "remembered": FolderPart((NETWORK, PARTS), _read_remembered, _write_remembered, _keeps_remembered),
    "layout": FolderPart(
        (CABLES, FLOOR, HOUSING, HOSTS, RACKS, PLANT, *INSTALLER_FILES), _read_layout, _write_layout, _keeps_layout
    ),
    "tables": FolderPart(
        (f"{TABLES}/{MANIFEST}",),
        lambda folder, topology: {"tables": lambda: load_tables(folder, topology)},
        _write_tables,
        lambda network, saved: network.tables is None,
    ),
    "fabric": FolderPart(
        (CABLED, CABLED_NET),
        lambda folder, topology: {"fabric": lambda: cabled_in(folder, topology)},
        lambda network, folder: _cabled_file(network),
        lambda network, saved: "fabric" not in network.known,
    ),
    "former fabric": FolderPart(
        (CABLED_NET,), lambda folder, topology: {"fabric": lambda: _cabled(folder / CABLED_NET, topology)}
    ),
    "design": FolderPart(
        (DESIGN,),
        lambda folder, _: {
            "design": lambda: with_current_keys(
                parse_json(read_text(folder / DESIGN, _MOST_CHARACTERS), str(folder / DESIGN))
            )
        },
    ),
}


def save_network(network: Network, folder: Folder) -> list[Path]:
    """Write a network folder, all of it or nothing; returns the paths of its files.

    If the folder holds the same network already, missing parts are added and parts that differ are replaced.

    Parameters
    ----------
    network : Network
    folder : path
        Created if missing; its parent folder must exist.

    Returns
    -------
    list of Path
        The files written, with the path of `folder`.

    Raises
    ------
    InputError
        The folder is of another network, or cannot be created or written.
    """
    check_path(folder, "save_network", "name a folder")
    topology, writer = network.topology, "route" if network.layout is None else "layout"
    saved = _saved_network(folder, topology, writer)
    files: dict[str, Content] = {}
    stale: list[str] = []
    if saved is None or not any((Path(folder) / name).is_file() for name in (CABLES, PLAN, DESIGN)):
        files |= network_files(topology, writer) | _origin_note(network, writer)
    for name, part in FOLDER_PARTS.items():
        if part.write is not None and (saved is None or not part.keeps(network, saved)):
            files |= part.write(network, folder)
            stale += part.files
            if name == "tables" and network.tables is not None:
                stale += stale_tables(network.tables, folder)
    return write_folder(folder, files, stale=stale)


def folder_contents(network: Network, writer: str) -> dict[str, Content]:
    """All files of a new network folder, by name.

    Parameters
    ----------
    network : Network
    writer : str
        The command that writes it.
    """
    files = network_files(network.topology, writer, network.terms, network.layout, network.requirements)
    files |= _origin_note(network, writer)
    for part in FOLDER_PARTS.values():
        if part.write is not None:
            files |= part.write(network, "")
    return files


def save_routing(routing: NetworkSource, folder: Folder, fabric: Fabric | None = None) -> list[Path]:
    """Write tables with their network into a folder, all of it or nothing; returns the paths of the files.

    Writes ``topology.json``, ``provenance.json`` and ``tables/``, and ``cabled.json`` if names, GUIDs and ports are not as
    topoloom plans them. The folder of a layout, a plan or a design keeps its files and gets the tables as well.

    Parameters
    ----------
    routing : NetworkSource
        Tables, or a network: its installed tables, otherwise those of the fitting engine.
    folder : path
        Created if missing; its parent folder must exist.
    fabric : Fabric, optional
        The actual names of the network's parts and ports of its cables; as planned when omitted.

    Returns
    -------
    list of Path
        The files written, with the path of `folder`.

    Raises
    ------
    InputError
        The folder is a layout, plan or design of another network, or it cannot be created or written.
    """
    check_path(folder, "save_routing", "name a folder")
    network = network_of(routing, "save_routing").with_tables()
    return save_network(network if fabric is None else network.with_fabric(fabric), folder)


def _saved_network(folder: Folder, topology: Topology, writer: str) -> Network | None:
    """The network in a folder if it is the given one; None if the folder has none, or one that may be replaced.

    Raises
    ------
    InputError
        The folder holds another network, which must not be replaced.
    """
    path = Path(folder)
    protected = [PLAN, DESIGN] if writer == "layout" else [PLAN, DESIGN, CABLES]
    protected = [name for name in protected if (path / name).is_file()]
    if not protected:
        refuse_other_network(folder, topology.digest, writer)
        if not ((path / TOPOLOGY).is_file() or (path / CABLES).is_file()):
            return None
    saved = open_folder(os.fspath(folder), path)
    if saved.topology.digest == topology.digest:
        return saved
    if protected:
        raise InputError(f"{folder}: the folder is of another network, {saved.topology.name}; choose another folder")
    return None


def holds(path: Path) -> list[str]:
    """The files in a folder that make it a network folder."""
    names = [name for name in (CABLES, TOPOLOGY, PLAN, DESIGN, FABRIC) if (path / name).is_file()]
    return [name for name in names if name != CABLES or (path / FLOOR).is_file()]


def open_folder(text: str, path: Path) -> Network:
    """The network in a folder that topoloom wrote.

    Parameters
    ----------
    text : str
        The folder as the user named it, for messages.
    path : Path

    Raises
    ------
    InputError
        The folder holds no network, is damaged, or was written by a newer topoloom.
    """
    settle(path)
    note = read_note(path)  # refuses the folder of a newer version before any other message
    held = holds(path)
    if not held and (path / MACHINE).is_file():
        networks = sorted(f"{text}/{NETWORKS}/{each.name}" for each in (path / NETWORKS).iterdir() if each.is_dir())
        raise at(text, None, f"is a machine; name one of its networks: {', '.join(networks)}")
    if note is not None:
        _check_whole(text, path, note)
    if PLAN in held:
        return _planned(text, path)
    if CABLES in held:
        return laid_out(text, path)
    if TOPOLOGY in held:
        return _with_tables(text, path)
    if FABRIC in held:
        return _running(text, path)
    if DESIGN in held:
        raise at(
            text,
            None,
            "this design has no winner, so there is no network; report.html says which limits excluded every candidate",
        )
    if (path / CABLES).is_file():
        raise at(text, None, f"the folder holds no {CABLES} with its {FLOOR}; 'topoloom layout -o' writes them")
    if any((path / name).is_file() for name in ("ports.npy", f"{TABLES}/ports.npy")):
        raise at(
            text,
            None,
            f"the folder holds tables, but no {TOPOLOGY} of their network; write it again with 'topoloom route'",
        )
    # Only a folder that is refused needs the readers of all makers.
    from topoloom.formats._lldp.folder import why_not_read

    raise at(
        text,
        None,
        f"the folder holds no network{why_not_read(path)}; topoloom layout, expand, route and design write folders that do,"
        f" with {CABLES} and {FLOOR}, or {TOPOLOGY}; topoloom export opensm and repair write {FABRIC}",
    )


def _check_whole(text: str, path: Path, note: FolderNote) -> None:
    """Refuse a folder with missing parts: without them the same question would get other numbers."""
    writer = note.written_by
    together = {
        "layout": (CABLES, FLOOR),
        "design": (CABLES, FLOOR),
        "expand": (PLAN, BEFORE, AFTER),
        "route": (TABLES, f"{TABLES}/{MANIFEST}"),
    }.get(writer, ())
    missing = [name for name in together if not (path / name).exists()]
    # A user may remove all of them on purpose; the network without them is valid.
    if missing and len(missing) < len(together):
        raise at(
            text, None, f"topoloom {writer} wrote this folder, but {' and '.join(missing)} is missing; write it again"
        )


def laid_out(text: str, folder: Path) -> Network:
    """The network of a cable list with its floor: a layout, the state before or after a plan, or the winner of a design."""
    cables = load_cables(folder / CABLES)
    return _opened(text, folder, cables.topology, _of_list(folder, cables))


def _of_list(folder: Path, cables: CableList) -> Readers:
    """Readers of the content of a cable list and its floor."""

    def fabric() -> Fabric:
        fabric = planned_cables(cables)
        if not (folder / HOSTS).is_file():
            return fabric
        return replace(fabric, host_names=read_host_names(folder / HOSTS, fabric.topology.hosts))

    return {"cables": lambda: cables, "fabric": fabric, "layout": lambda: layout_of_cables(cables, folder / CABLES)}


def _with_tables(text: str, path: Path) -> Network:
    return _opened(text, path, load(path / TOPOLOGY), {})


def _running(text: str, path: Path) -> Network:
    """The network of a discovered fabric, with its installed tables if the folder has them."""
    fabric = load_fabric(path / FABRIC)
    readers: Readers = {"fabric": lambda: fabric}
    if (path / FABRIC_TABLES).is_file():
        levels = path / FABRIC_LEVELS
        # Tables of topoloom without a policy use service level 0.
        qos = levels if levels.is_file() else NO_LEVELS
        readers["tables"] = lambda: read_installed(fabric, path / FABRIC_TABLES, qos).routing(fabric)
    return Network(fabric.topology, text, "folder", provenance_of(fabric.topology), path, readers)


def _cabled(path: Path, topology: Topology) -> Fabric:
    """Names, GUIDs and ports of a network, from the ``cabled.net`` in its folder."""
    fabric = load_fabric(path)
    for name in ("links", "endpoints", "host"):
        if not np.array_equal(getattr(fabric.topology, name), getattr(topology, name)):
            raise at(
                os.fspath(path),
                None,
                f"is of another network than {topology.name}; remove it, or route the fabric again",
            )
    return replace(fabric, topology=topology)


def _planned(text: str, path: Path) -> Network:
    """The network of a plan's folder: the state before the work, and the plan."""
    from topoloom.cabling.expansion.plan_reader import load_expansion

    for inner in (BEFORE, AFTER):
        if not (path / inner / CABLES).is_file():
            raise at(
                text, None, f"the folder of a plan needs {inner}/{CABLES}; write it again with 'topoloom expand -o'"
            )
    before = laid_out(text, path / BEFORE)
    # A plan for panels has other tasks.
    read: Readers = {} if (path / PANEL_PLAN).is_file() else {"expansion": lambda: load_expansion(path)}
    plan = _opened(text, path, before.topology, read)
    return replace(plan, provenance=before.provenance, known={**plan.known, **before.known})


def _opened(text: str, folder: Path, topology: Topology, readers: Readers) -> Network:
    """A network with the other parts in its folder."""
    for part in FOLDER_PARTS.values():
        if part.files[0] != CABLES and (folder / part.files[0]).is_file():
            of_part = part.read(folder, topology)
            # A cable list has ports, and none of the names.
            readers = {**readers, **of_part} if part.files[0] == CABLED else {**of_part, **readers}
    note = read_note(folder)
    noted = note is not None and note.provenance.digest == topology.digest
    provenance = note.provenance if note is not None and noted else provenance_of(topology)
    return Network(topology, text, "folder", provenance, folder, readers)
