"""The opener: whatever a user may name as a network, opened: a spec, a file, a discovered fabric, a folder."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from topoloom.cabling.files import layout_of_cables
from topoloom.cabling.product_rates import planned_cables
from topoloom.errors import at, check_path
from topoloom.expansion.plan_files import AFTER, BEFORE
from topoloom.expansion.plan_reader import load_expansion
from topoloom.fabrics.fabric import Fabric
from topoloom.files import is_pipe, read_text
from topoloom.folders import settle
from topoloom.formats import format_for, load, parsed, read_source
from topoloom.formats.cable_reader import read_cables
from topoloom.formats.cables import load_cables
from topoloom.formats.ibnetdiscover import NAME as DISCOVERED
from topoloom.formats.ibnetdiscover import fabric_of, load_fabric
from topoloom.hosts.files import read_host_names
from topoloom.json_files import parse_json
from topoloom.network import Network
from topoloom.network_folders import CABLED, CABLES, DESIGN, FLOOR, HOSTS, PLAN, TABLES, TOPOLOGY, FolderNote, read_note
from topoloom.results import Provenance, provenance_of
from topoloom.routing.routing import MANIFEST
from topoloom.routing.table_files import load_tables
from topoloom.topology import Topology

#: What only the folder of a design has.
_LONGEST = 1 << 28


def open_network(source: str | os.PathLike[str], format: str | None = None, *, borne: bool = False) -> Network:
    """The network that a user names.

    Parameters
    ----------
    source : str or path
        A spec (``slimfly:q=5``); a file of any format, what ibnetdiscover prints among them; ``-`` (standard input) or a
        pipe, whose content tells the format if it is topoloom's JSON, GraphML, DOT or what ibnetdiscover prints; a folder
        that `topoloom layout`, `expand` (the plan itself: what stands before the work; or its ``before`` and ``after``),
        `route --tables` or `design` (the winner) wrote. A folder is told from a spec of the same name by what it holds, a
        file by its suffix.
    format : str, optional
        The format of a file; its suffix, or the content of a pipe, tells when it is left out.
    borne : bool
        Whether what cannot be in a discovered fabric is left out and told (`Fabric.flaws`), where it would be refused.

    Returns
    -------
    Network

    Raises
    ------
    InputError
        Nothing of that name, a file or folder that is damaged, or a spec that cannot be built.

    Examples
    --------
    >>> open_network("petersen")
    Network(spec 'petersen': Topology(petersen: 10 switches, 15 links))
    >>> open_network("petersen").layout is None
    True
    """
    check_path(source, "open_network", "name a network: a spec, a file, a folder")
    text = os.fspath(source)
    if format is not None:
        return _file(text, format, borne)
    path = Path(text)
    if text != "-" and _is_folder(path):
        return _folder(text, path)
    if path.name == CABLES and path.is_file() and path.with_name(FLOOR).is_file():
        return _laid_out(text, path)
    # A file or a pipe that happens to be called like a family ("petersen") must not hide the family.
    record = format_for(text)
    if text == "-" or (record is None and _is_pipe(text)):
        return _file(text, None, borne)
    if record is not None or "/" in text or (path.suffix and _exists(path)):
        if record is None and not _exists(path):
            raise at(text, None, "there is no such file")
        return _file(text, None if record is None else record.name, borne)
    from topoloom.spec import build

    topology = build(text)
    return Network(topology, text, "spec", provenance_of(topology))


def _file(text: str, format: str | None, borne: bool) -> Network:
    """A file of any format; `format` None: its suffix, or the content of a pipe, tells."""
    data, source, record = read_source(text, format)
    if record.fabric is not None:
        fabric = (
            fabric_of(data, source, borne=True) if borne and record.name == DISCOVERED else record.fabric(data, source)
        )
        return Network(
            fabric.topology, text, "fabric", provenance_of(fabric.topology), None, {"fabric": lambda: fabric}
        )
    if record.name == "cables":
        found = read_cables(data, source)
        known: dict[str, Any] = {"cables": lambda: found, "fabric": lambda: planned_cables(found)}
        return Network(found.topology, text, "file", provenance_of(found.topology), None, known)
    topology = parsed(data, source, record)
    return Network(topology, text, "file", provenance_of(topology))


def _is_folder(path: Path) -> bool:
    """Whether a folder is meant: one that holds a network, or one that is called like no family."""
    try:
        if not path.is_dir():
            return False
    except (OSError, ValueError):
        return False
    from topoloom.spec import FAMILIES

    return len(path.parts) != 1 or str(path) not in FAMILIES or any(_holds(path))


def _is_pipe(text: str) -> bool:
    """Whether a pipe is meant: one that is named with its folder, or that is called like no family."""
    if not is_pipe(text):
        return False
    from topoloom.spec import FAMILIES

    return "/" in text or text.partition(":")[0] not in FAMILIES


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _holds(path: Path) -> list[str]:
    """Which of the files are in a folder that make it a network's."""
    names = [name for name in (CABLES, TOPOLOGY, PLAN, DESIGN) if (path / name).is_file()]
    return [name for name in names if name != CABLES or (path / FLOOR).is_file()]


def _folder(text: str, path: Path) -> Network:
    """A folder that topoloom wrote."""
    settle(path)
    note = read_note(path)  # a folder of a newer version is refused before anything else is said of it
    held = _holds(path)
    if note is not None:
        _check_whole(text, path, note)
    if PLAN in held:
        return _planned(text, path)
    if CABLES in held:
        return _laid_out(text, path / CABLES)
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
            f"the folder holds tables, but no {TOPOLOGY} of their network; write it anew with 'topoloom route'",
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
            text, None, f"topoloom {writer} wrote this folder, but {' and '.join(missing)} is missing; write it anew"
        )


def _laid_out(text: str, path: Path) -> Network:
    """The folder of a cable list with its floor: a layout, what stands before or after a plan, the winner of a design."""
    found = load_cables(path)
    folder = path.parent
    known: dict[str, Any] = {
        "cables": lambda: found,
        "fabric": lambda: _called(planned_cables(found), folder),
        "layout": lambda: layout_of_cables(found, path),
        **_beside(folder, found.topology),
    }
    return Network(found.topology, text, "folder", _noted(folder, found.topology), folder, known)


def _called(fabric: Fabric, folder: Path) -> Fabric:
    """The fabric with the names that the folder's list of hosts gives them, where it has one."""
    if not (folder / HOSTS).is_file():
        return fabric
    return replace(fabric, host_names=read_host_names(folder / HOSTS, fabric.topology.hosts))


def _with_tables(text: str, path: Path) -> Network:
    topology = load(path / TOPOLOGY)
    known = _beside(path, topology)
    if (path / CABLED).is_file():
        known["fabric"] = lambda: _cabled(path / CABLED, topology)
    return Network(topology, text, "folder", _noted(path, topology), path, known)


def _cabled(path: Path, topology: Topology) -> Fabric:
    """Names, GUIDs and ports of a network, from the file beside it."""
    fabric = load_fabric(path)
    for name in ("links", "endpoints", "host"):
        if not np.array_equal(getattr(fabric.topology, name), getattr(topology, name)):
            raise at(os.fspath(path), None, f"is not of {topology.name}; remove it, or route the fabric anew")
    return replace(fabric, topology=topology)


def _planned(text: str, path: Path) -> Network:
    """The folder of a plan: what stands before the work, and the plan."""
    for inner in (BEFORE, AFTER):
        if not (path / inner / CABLES).is_file():
            raise at(
                text, None, f"the folder of a plan needs {inner}/{CABLES}; write it anew with 'topoloom expand -o'"
            )
    before = _laid_out(text, path / BEFORE / CABLES)
    known = {**before.known, **_beside(path, before.topology), "expansion": lambda: load_expansion(path)}
    return Network(before.topology, text, "folder", before.provenance, path, known)


def _beside(folder: Path, topology: Topology) -> dict[str, Any]:
    """What else may lie in a folder."""
    known: dict[str, Any] = {}
    if (folder / TABLES / MANIFEST).is_file():
        known["tables"] = lambda: load_tables(folder, topology)
    if (folder / DESIGN).is_file():
        known["design"] = lambda: parse_json(read_text(folder / DESIGN, _LONGEST), str(folder / DESIGN))
    return known


def _noted(folder: Path, topology: Topology) -> Provenance:
    """What the folder's writer noted of the network, if it is still this one."""
    note = read_note(folder)
    return (
        note.provenance if note is not None and note.provenance.digest == topology.digest else provenance_of(topology)
    )
