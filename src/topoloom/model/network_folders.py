"""The network folder: its file names, its version, and the note with its provenance."""

import os
from pathlib import Path

import msgspec

from topoloom._version import __version__
from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.json_files import parse_json
from topoloom.model.results import Provenance

#: Files of a network folder: the network, its placement, every cable, forwarding tables, its provenance.
TOPOLOGY, FLOOR, CABLES, TABLES, PROVENANCE = "topology.json", "floor.toml", "cables.csv", "tables", "provenance.json"
#: Files for hosts in separate racks: their kind, the place of each host, the content of each rack.
HOUSING, HOSTS, RACKS = "hosts.toml", "hosts.csv", "racks.csv"
#: Panels, cords and trunks that links pass through.
PLANT = "fibre.json"
#: The files that identify the folder of a plan and that of a design.
PLAN, DESIGN = "plan.csv", "design.json"
#: In place of the record of a plan that moves cables: the record of one that works on panels, trunks and cords.
PANEL_PLAN = "panel-expansion.json"
#: Within the folder of a plan: the network folders of the states before and after the work.
BEFORE, AFTER = "before", "after"
#: Names, GUIDs, LIDs, ports and racks of a network whose cabling differs from topoloom's plan; and the file of folders before
#: ports had names, in the format of ibnetdiscover.
CABLED, CABLED_NET = "cabled.json", "cabled.net"
#: A fabric and its installed tables, as `topoloom export opensm` and `repair` write them: the fabric in the format of
#: ibnetdiscover, its forwarding tables and their service levels.
FABRIC, FABRIC_TABLES, FABRIC_LEVELS = "fabric.net", "fabric.lft", "fabric.qos"
#: The file that makes a folder that of a machine of several networks, and the folder of their network folders.
MACHINE, NETWORKS = "machine.json", "networks"
#: In it, the folders of the machine after each phase but the last.
PHASES = "phases"
#: The assessment of a network that was designed.
ASSESSMENT = "assessment.json"
#: The terms, placement and requirement of the network; and the content of its parts catalogue.
NETWORK, PARTS = "network.json", "parts.json"
#: This release reads folders of versions 0 (without a note), 1 (without `NETWORK` and `PARTS`) and 2.
VERSION = 2
#: Most characters of a note.
_MOST_CHARACTERS = 1 << 24
_FORMAT = "topoloom-folder"


class FolderNote(msgspec.Struct, forbid_unknown_fields=False):
    """The operation that wrote a folder, and the provenance of the network."""

    format: str
    version: int
    written_by: str
    provenance: Provenance


def note_text(provenance: Provenance, operation: str) -> str:
    """The note of a folder; timings are omitted, so that equal runs write equal folders."""
    note = FolderNote(_FORMAT, VERSION, operation, msgspec.structs.replace(provenance, timings={}))
    return msgspec.json.format(msgspec.json.encode(note), indent=1).decode() + "\n"


def read_note(folder: str | os.PathLike[str]) -> FolderNote | None:
    """The note in a folder; None without a note, as before version 1.

    Raises
    ------
    InputError
        The note is damaged, or a newer topoloom wrote the folder.
    """
    path = Path(folder) / PROVENANCE
    if not path.is_file():
        return None
    text, what = read_text(path, _MOST_CHARACTERS), "note of a network folder (remove it, or write the folder again)"
    version = parse_json(text, str(path), _Version, what).version
    if version > VERSION:
        reason = (
            f"the folder is of version {version}; topoloom {__version__} reads up to {VERSION}: install a newer one"
        )
        raise at(str(path), None, reason)
    return parse_json(text, str(path), FolderNote, what)


def refuse_other_network(folder: str | os.PathLike[str], digest: str, operation: str) -> None:
    """Refuse to write a network into a folder where another operation left results of another network, which would be lost.

    Parameters
    ----------
    folder : path
    digest : str
        The digest of the network to write.
    operation : str
        The operation that writes; it may replace its earlier results.

    Raises
    ------
    InputError
        The folder holds a layout, a plan, a design or tables of another network; or as for `read_note`.
    """
    note = read_note(folder)
    if note is None or note.provenance.digest == digest:
        return
    path = Path(folder)
    left = {
        "expand": ("a plan", PLAN),
        "design": ("a design", DESIGN),
        "route": ("tables", f"{TABLES}/ports.npy"),
        "layout": ("a layout", CABLES),
    }
    if (path / DESIGN).is_file():
        del left["layout"]  # the cables belong to the design
        if operation == "design":
            del left["route"]  # a new winner replaces the old one, and its tables
    for writer, (what, name) in left.items():
        if writer != operation and (path / name).is_file():
            raise InputError(
                f"{folder}: the folder holds {what} of another network, {note.provenance.name}; choose another folder"
            )


class _Version(msgspec.Struct):
    version: int
