"""The network folder: which files hold which part of a network, how each is read and written, and what belongs together."""

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
from topoloom.fabric.net_text import discovered_text
from topoloom.formats import load
from topoloom.formats.cable_reader import CableList
from topoloom.formats.cables import load_cables
from topoloom.formats.ibnetdiscover import load_fabric
from topoloom.model.network_folders import (
    AFTER,
    BEFORE,
    CABLED,
    CABLES,
    DESIGN,
    FLOOR,
    HOSTS,
    HOUSING,
    NETWORK,
    PARTS,
    PLAN,
    RACKS,
    TABLES,
    TOPOLOGY,
    FolderNote,
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

_LONGEST = 1 << 28

Folder = str | os.PathLike[str]
Readers = dict[str, Callable[[], Any]]


@dataclass(frozen=True)
class FolderPart:
    """A part of a network folder.

    Attributes
    ----------
    files : tuple of str
        Patterns of the files that hold it, and of what is made of it, which goes when the part is replaced. The first one
        tells that the part is there.
    read : callable (folder, Topology) -> dict of str to callable
        What a `Network` knows by it: readers by name.
    write : callable (Network, folder) -> dict of file contents, optional
        None for what only other commands write.
    keeps : callable (Network, Network) -> bool
        Whether what a folder holds of the second need not be replaced for the first.
    """

    files: tuple[str, ...]
    read: Callable[[Path, Topology], Readers]
    write: Callable[[Network, Folder], dict[str, Content]] | None = None
    keeps: Callable[[Network, Network], bool] = lambda network, stands: True


def _read_remembered(folder: Path, topology: Topology) -> Readers:
    read = cache(lambda: read_remembered(folder))
    return {"terms": lambda: read().terms, "requirements": lambda: read().requirements}


def _write_remembered(network: Network, folder: Folder) -> dict[str, Content]:
    return remembered_files(network.terms, network.layout, network.requirements)


def _keeps_remembered(network: Network, stands: Network) -> bool:
    same = network.terms in (Terms(), stands.terms) and network.requirements in (None, stands.requirements)
    return same and _keeps_layout(network, stands)


def _read_layout(folder: Path, topology: Topology) -> Readers:
    return _of_list(folder, load_cables(folder / CABLES))


def _write_layout(network: Network, folder: Folder) -> dict[str, Content]:
    terms = network.terms
    if network.layout is None:
        return {}
    return layout_files(cable(network.layout, terms.catalogue, terms.link_rate_gbps, terms.host_cables, network.plugs))


def _keeps_layout(network: Network, stands: Network) -> bool:
    return network.layout is None or network.layout == stands.layout


def _write_tables(network: Network, folder: Folder) -> dict[str, Content]:
    return {} if network.tables is None else table_contents(network.tables, folder)


def _write_fabric(network: Network, folder: Folder) -> dict[str, Content]:
    # Where there is a layout, its lists have the names and ports.
    planned = network.layout is not None or network.fabric.as_planned
    return {} if planned else {CABLED: discovered_text(network.fabric)}


#: The parts of a network besides its topology.
FOLDER_PARTS: Mapping[str, FolderPart] = {
    "remembered": FolderPart((NETWORK, PARTS), _read_remembered, _write_remembered, _keeps_remembered),
    "layout": FolderPart(
        (CABLES, FLOOR, HOUSING, HOSTS, RACKS, *INSTALLER_FILES), _read_layout, _write_layout, _keeps_layout
    ),
    "tables": FolderPart(
        (f"{TABLES}/{MANIFEST}",),
        lambda folder, topology: {"tables": lambda: load_tables(folder, topology)},
        _write_tables,
        lambda network, stands: network.tables is None,
    ),
    "fabric": FolderPart(
        (CABLED,),
        lambda folder, topology: {"fabric": lambda: _cabled(folder / CABLED, topology)},
        _write_fabric,
        lambda network, stands: "fabric" not in network.known,
    ),
    "design": FolderPart(
        (DESIGN,),
        lambda folder, _: {
            "design": lambda: with_current_keys(parse_json(read_text(folder / DESIGN, _LONGEST), str(folder / DESIGN)))
        },
    ),
}


def save_network(network: Network, folder: Folder) -> list[Path]:
    """Write a network folder, all of it or nothing; returns the paths of its files.

    To a folder of the same network what it lacks is added, and what differs is replaced.

    Parameters
    ----------
    network : Network
    folder : path
        Made if it is not there; the folder around it must be.

    Returns
    -------
    list of Path
        The files written, as they lie in `folder`.

    Raises
    ------
    InputError
        The folder is of another network; it cannot be made or written.
    """
    check_path(folder, "save_network", "name a folder")
    topology, writer = network.topology, "route" if network.layout is None else "layout"
    stands = _standing_in(folder, topology, writer)
    files: dict[str, Content] = {}
    stale: list[str] = []
    if stands is None or not any((Path(folder) / name).is_file() for name in (CABLES, PLAN, DESIGN)):
        files |= network_files(topology, writer)
    for name, part in FOLDER_PARTS.items():
        if part.write is not None and (stands is None or not part.keeps(network, stands)):
            files |= part.write(network, folder)
            stale += part.files
            if name == "tables" and network.tables is not None:
                stale += stale_tables(network.tables, folder)
    return write_folder(folder, files, stale=stale)


def save_routing(routing: NetworkSource, folder: Folder, fabric: Fabric | None = None) -> list[Path]:
    """Write tables with their network into a folder, all of it or nothing; returns the paths of the files.

    ``topology.json``, ``provenance.json`` and ``tables/``, and ``cabled.net`` where names, GUIDs and ports are not as topoloom
    plans them. To the folder of a layout, a plan or a design the tables are added.

    Parameters
    ----------
    routing : NetworkSource
        Tables, or a network, whose installed tables these are, else those of the fitting engine.
    folder : path
        Made if it is not there; the folder around it must be.
    fabric : Fabric, optional
        What the network's parts are really called, and the ports that its cables are in; as planned when omitted.

    Returns
    -------
    list of Path
        The files written, as they lie in `folder`.

    Raises
    ------
    InputError
        The folder is a layout, plan or design of another network; it cannot be made or written.
    """
    check_path(folder, "save_routing", "name a folder")
    network = network_of(routing, "save_routing").with_tables()
    return save_network(network if fabric is None else network.with_fabric(fabric), folder)


def _standing_in(folder: Folder, topology: Topology, writer: str) -> Network | None:
    """The network that a folder holds already, if it is this one; None where there is none, or another that may go.

    Raises
    ------
    InputError
        It is another one, which must not.
    """
    here = Path(folder)
    kept = [PLAN, DESIGN] if writer == "layout" else [PLAN, DESIGN, CABLES]
    kept = [name for name in kept if (here / name).is_file()]
    if not kept:
        refuse_other_network(folder, topology.digest, writer)
        if not ((here / TOPOLOGY).is_file() or (here / CABLES).is_file()):
            return None
    stands = open_folder(os.fspath(folder), here)
    if stands.topology.digest == topology.digest:
        return stands
    if kept:
        raise InputError(f"{folder}: the folder is of another network, {stands.topology.name}; choose another folder")
    return None


def holds(path: Path) -> list[str]:
    """Which of the files are in a folder that make it a network's."""
    names = [name for name in (CABLES, TOPOLOGY, PLAN, DESIGN) if (path / name).is_file()]
    return [name for name in names if name != CABLES or (path / FLOOR).is_file()]


def open_folder(text: str, path: Path) -> Network:
    """The network in a folder that topoloom wrote.

    Parameters
    ----------
    text : str
        What the user called it.
    path : Path

    Raises
    ------
    InputError
        It holds no network, is damaged, or a newer topoloom wrote it.
    """
    settle(path)
    note = read_note(path)  # a folder of a newer version is refused before anything else is said of it
    held = holds(path)
    if note is not None:
        _check_whole(text, path, note)
    if PLAN in held:
        return _planned(text, path)
    if CABLES in held:
        return laid_out(text, path)
    if TOPOLOGY in held:
        return _with_tables(text, path)
    if DESIGN in held:
        raise at(
            text, None, "this design has no winner, so there is no network; report.html says which limits dropped all"
        )
    if (path / CABLES).is_file():
        raise at(text, None, f"the folder holds no {CABLES} with its {FLOOR}; 'topoloom layout -o' writes them")
    if any((path / name).is_file() for name in ("ports.npy", f"{TABLES}/ports.npy")):
        raise at(
            text,
            None,
            f"the folder holds tables, but no {TOPOLOGY} of their network; write it again with 'topoloom route'",
        )
    raise at(
        text,
        None,
        "the folder holds no network; topoloom layout, expand, route and design write folders that do,"
        f" with {CABLES} and {FLOOR}, or {TOPOLOGY}",
    )


def _check_whole(text: str, path: Path, note: FolderNote) -> None:
    """Refuse a folder that lacks a part of what its writer put there: what is left would answer with other numbers."""
    writer = note.written_by
    together = {
        "layout": (CABLES, FLOOR),
        "design": (CABLES, FLOOR),
        "expand": (PLAN, BEFORE, AFTER),
        "route": (TABLES, f"{TABLES}/{MANIFEST}"),
    }.get(writer, ())
    missing = [name for name in together if not (path / name).exists()]
    # All of it may be taken away on purpose: then the network is left.
    if missing and len(missing) < len(together):
        raise at(
            text, None, f"topoloom {writer} wrote this folder, but {' and '.join(missing)} is missing; write it again"
        )


def laid_out(text: str, folder: Path) -> Network:
    """The folder of a cable list with its floor: a layout, what stands before or after a plan, the winner of a design."""
    cables = load_cables(folder / CABLES)
    return _opened(text, folder, cables.topology, _of_list(folder, cables))


def _of_list(folder: Path, cables: CableList) -> Readers:
    """What a cable list and its floor say."""

    def fabric() -> Fabric:
        fabric = planned_cables(cables)
        if not (folder / HOSTS).is_file():
            return fabric
        return replace(fabric, host_names=read_host_names(folder / HOSTS, fabric.topology.hosts))

    return {"cables": lambda: cables, "fabric": fabric, "layout": lambda: layout_of_cables(cables, folder / CABLES)}


def _with_tables(text: str, path: Path) -> Network:
    return _opened(text, path, load(path / TOPOLOGY), {})


def _cabled(path: Path, topology: Topology) -> Fabric:
    """Names, GUIDs and ports of a network, from the file beside it."""
    fabric = load_fabric(path)
    for name in ("links", "endpoints", "host"):
        if not np.array_equal(getattr(fabric.topology, name), getattr(topology, name)):
            raise at(os.fspath(path), None, f"is not of {topology.name}; remove it, or route the fabric again")
    return replace(fabric, topology=topology)


def _planned(text: str, path: Path) -> Network:
    """The folder of a plan: what stands before the work, and the plan."""
    from topoloom.cabling.expansion.plan_reader import load_expansion

    for inner in (BEFORE, AFTER):
        if not (path / inner / CABLES).is_file():
            raise at(
                text, None, f"the folder of a plan needs {inner}/{CABLES}; write it again with 'topoloom expand -o'"
            )
    before = laid_out(text, path / BEFORE)
    plan = _opened(text, path, before.topology, {"expansion": lambda: load_expansion(path)})
    return replace(plan, provenance=before.provenance, known={**plan.known, **before.known})


def _opened(text: str, folder: Path, topology: Topology, known: Readers) -> Network:
    """A network with what else lies in its folder."""
    for part in FOLDER_PARTS.values():
        if part.files[0] != CABLES and (folder / part.files[0]).is_file():
            known = {**part.read(folder, topology), **known}
    note = read_note(folder)
    noted = note is not None and note.provenance.digest == topology.digest
    provenance = note.provenance if note is not None and noted else provenance_of(topology)
    return Network(topology, text, "folder", provenance, folder, known)
