"""The network folder: the product's document. Its files' names, its version, and the note of where it came from."""

import os
from pathlib import Path

import msgspec

from topoloom._version import __version__
from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.json_files import parse_json
from topoloom.model.results import Provenance

#: What lies in a network folder: the network, where its switches stand, every cable, forwarding tables, where it came from.
TOPOLOGY, FLOOR, CABLES, TABLES, PROVENANCE = "topology.json", "floor.toml", "cables.csv", "tables", "provenance.json"
#: And, where hosts stand in racks of their own: what they are, where each stands, what each rack holds.
HOUSING, HOSTS, RACKS = "hosts.toml", "hosts.csv", "racks.csv"
#: What tells the folder of a plan, and that of a design.
PLAN, DESIGN = "plan.csv", "design.json"
#: In the folder of a plan, the network folders of what stands before the work and of what stands after it.
BEFORE, AFTER = "before", "after"
#: Names, GUIDs, LIDs and ports of a network that is not cabled as topoloom plans it, in the words of ibnetdiscover.
CABLED = "cabled.net"
#: What the network remembers: terms, placement and requirement; and its parts catalogue, by content.
NETWORK, PARTS = "network.json", "parts.json"
#: Readers of this release know folders of versions 0 (without a note) and 1 (which remember nothing) to VERSION.
VERSION = 2
_LONGEST = 1 << 24
_FORMAT = "topoloom-folder"


class FolderNote(msgspec.Struct, forbid_unknown_fields=False):
    """Which operation wrote a folder, and from what."""

    format: str
    version: int
    written_by: str
    provenance: Provenance


def note_text(provenance: Provenance, operation: str) -> str:
    """The note of a folder that an operation writes; timings are omitted, for equal runs write equal folders."""
    note = FolderNote(_FORMAT, VERSION, operation, msgspec.structs.replace(provenance, timings={}))
    return msgspec.json.format(msgspec.json.encode(note), indent=1).decode() + "\n"


def read_note(folder: str | os.PathLike[str]) -> FolderNote | None:
    """What the writer of a folder noted; None where there is no note, as before version 1.

    Raises
    ------
    InputError
        A note that is damaged, or of a folder that a newer topoloom wrote.
    """
    path = Path(folder) / PROVENANCE
    if not path.is_file():
        return None
    text, what = read_text(path, _LONGEST), "note of a network folder (remove it, or write the folder again)"
    version = parse_json(text, str(path), _Version, what).version
    if version > VERSION:
        reason = f"the folder is of version {version}; topoloom {__version__} reads up to {VERSION}: take a newer one"
        raise at(str(path), None, reason)
    return parse_json(text, str(path), FolderNote, what)


def refuse_other_network(folder: str | os.PathLike[str], digest: str, operation: str) -> None:
    """Refuse to put a network into a folder in which another operation left what is of another network: both would be lost.

    Parameters
    ----------
    folder : path
    digest : str
        Of the network that is to be written.
    operation : str
        Which writes it; what it left there itself it may replace.

    Raises
    ------
    InputError
        The folder holds a layout, a plan, a design or tables of another network; or as `read_note`.
    """
    note = read_note(folder)
    if note is None or note.provenance.digest == digest:
        return
    here = Path(folder)
    left = {
        "expand": ("a plan", PLAN),
        "design": ("a design", DESIGN),
        "route": ("tables", f"{TABLES}/ports.npy"),
        "layout": ("a layout", CABLES),
    }
    if (here / DESIGN).is_file():
        del left["layout"]  # the cables are of the design
        if operation == "design":
            del left["route"]  # a new winner replaces the old one, with the tables that were made of it
    for writer, (what, name) in left.items():
        if writer != operation and (here / name).is_file():
            raise InputError(
                f"{folder}: the folder holds {what} of another network, {note.provenance.name}; choose another folder"
            )


class _Version(msgspec.Struct):
    version: int
