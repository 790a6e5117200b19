"""What the columns of a sheet have: by the words of its heads, by known heads that repeat, or as the user says.

Heads that repeat are read by their order: the InfiniBand sheet of NVIDIA's cable validation tool (Rack U Name HCA/Port Rack
Name Name Port, the second unit headed Name, as its guide has it), and the sheets of canu's SHCD workbooks (Source Rack Location
Slot Port Destination Rack Location Port, other columns between).
"""

import csv
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topoloom.core.errors import InputError, at, hint

log = logging.getLogger("topoloom")

#: Rows above the heads.
MOST_TITLES = 40
#: The fields that every sheet has.
NEEDED = ("a_device", "a_port", "z_device", "z_port")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|#")
#: The words that say which end a column is about.
_SIDE_A = {"a", "source", "src", "from", "local", "start", "near"}
_SIDE_Z = {"z", "b", "destination", "dest", "dst", "to", "remote", "end", "peer", "far", "target"}
_RATE = {"speed", "bandwidth", "band", "rate"}
#: The words that say what a column has, the most telling first.
_FIELDS: tuple[tuple[str, set[str]], ...] = (
    ("", {"id", "mac", "ip", "vlan", "module", "mpo", "connector", "enabled", "label", "shuffle", "description"}),
    ("", {"site"}),
    ("mtu", {"mtu"}),
    ("fec", {"fec"}),
    ("rate", _RATE),
    ("place", {"location"}),
    ("unit", {"u", "ru", "unit", "elevation", "height"}),
    ("rack", {"rack", "cabinet", "cab"}),
    ("port", {"port", "interface", "intf", "int", "nic", "hca", "termination"}),
    ("type", {"type", "kind", "role"}),
    ("device", {"device", "node", "host", "hostname", "system", "switch", "router", "server"}),
    ("name", {"name"}),
)
_OF_CABLE = {
    "mtu": {"mtu"},
    "fec": {"fec"},
    "rate": _RATE,
    "length": {"length"},
    "part": {"part", "sku", "pn"},
    "status": {"status", "state"},
    "protocol": {"protocol"},
    "kind": {"link"},
}
#: Heads that repeat, in their order, and what each column has; between the last ones other columns may stand.
_ORDERED = (
    (
        ("rack", "u", "name", "hca/port", "rack", "name|u", "name", "port"),
        ("a_rack", "a_unit", "a_device", "a_hca", "z_rack", "z_unit", "z_device", "z_port"),
    ),
    (
        ("source", "rack", "location", "slot", "port", "destination", "rack", "location", "port"),
        ("a_device", "a_rack", "a_unit", "a_slot", "a_number", "z_device", "z_rack", "z_unit", "z_number"),
    ),
)
#: How to open a sheet whose heads are not known.
_EACH = "a_device=HEAD,a_port=HEAD,b_device=HEAD,b_port=HEAD"
_NAME_THEM = f"say what they have: topoloom convert FILE plan.p2p.csv --columns {_EACH}"
#: What a user may name: of each end, and of the cable.
#: The settings of ports, which a sheet has for each end, or for both ends of a cable.
SETTINGS = ("mtu", "fec", "rate")
_OF_END = ("device", "port", "rack", "unit", "type", *SETTINGS)
_NAMED = (*(f"{side}_{field}" for side in "ab" for field in _OF_END), *(*SETTINGS, "length", "part", "status", "kind"))
_LETTERS = re.compile(r"[A-Z]{1,2}")


@dataclass(frozen=True)
class Heads:
    """What the columns of a sheet have.

    Attributes
    ----------
    columns : mapping of str to int
        The column of each field (``a_device``, ``z_port``, ``rate`` ...), from 0.
    line : int
        The row of the heads; 0: there is none.
    """

    columns: Mapping[str, int]
    line: int


def find_heads(rows: Sequence[tuple[int, list[str]]]) -> Heads | None:
    """The row of heads among the first rows: one row, or two of which the upper one names the ends; None if there is none."""
    above: list[str] = []
    for line, cells in rows[:MOST_TITLES]:
        for heads, fields in _ORDERED:
            if places := _in_order(heads, cells):
                others = ["" if place in places else cell for place, cell in enumerate(cells)]
                of_cable = {field: place for field, place in _columns(others).items() if field in SETTINGS}
                return Heads(of_cable | dict(zip(fields, places, strict=True)), line)
        for names in (cells, _joined(above, cells)):
            columns = _columns(names)
            if all(name in columns for name in NEEDED):
                return Heads(columns, line)
        above = cells
    return None


def find_nodes(rows: Sequence[tuple[int, list[str]]]) -> Heads | None:
    """The row of heads of a sheet of devices (``name``, ``type``, ``rack``, ``unit``); None if there is none."""
    for line, cells in rows[:MOST_TITLES]:
        columns: dict[str, int] = {}
        for column, head in enumerate(cells):
            words = {word.lower() for word in _WORDS.findall(head)}
            field = next((field for field, marks in _FIELDS if marks & words), "")
            if field and field not in SETTINGS:
                columns.setdefault("name" if field == "device" else field, column)
        if "name" in columns and len(columns) > 1:
            return Heads(columns, line)
    return None


def no_heads(rows: Sequence[tuple[int, list[str]]]) -> str:
    """What a message says of a sheet without known heads: those of its widest row, and how to name columns."""
    cells = max((cells for _, cells in rows[:MOST_TITLES]), key=lambda cells: sum(map(bool, cells)), default=[])
    shown = ", ".join(repr(cell[:30]) for cell in cells[:8] if cell)
    return f"its columns are {shown or 'empty'}; {_NAME_THEM}"


class ColumnChoice:
    """The columns of a sheet as a user names them: ``a_device=Von,a_port=Port,b_device=Nach,b_port=F``.

    Parameters
    ----------
    text : str
        FIELD=COLUMN, with commas between. A column is its head, its letter (A, B, ... AA), or its number from 1; a head with a
        comma stands in quotes. ``heads=N`` says which row has the heads; 0: none.

    Raises
    ------
    InputError
        A field is not known, or one of the four that every sheet needs is missing.

    Examples
    --------
    >>> ColumnChoice("a_device=Von,a_port=B,b_device=Nach,b_port=4").named["z_port"]
    '4'
    """

    def __init__(self, text: str) -> None:
        self.named: dict[str, str] = {}
        self.heads: int | None = None
        for part in filter(None, next(csv.reader([text], skipinitialspace=True), [])):
            field, _, column = (piece.strip() for piece in part.partition("="))
            name = re.sub("^b_", "z_", field.lower())
            if field.lower() == "heads":
                if not re.fullmatch("[0-9]{1,4}", column):
                    raise InputError(
                        f"`columns`: heads={column[:20]!a}: the number of the row that has the heads, or 0"
                    )
                self.heads = int(column)
                continue
            if name.replace("z_", "b_", 1) not in _NAMED:
                raise InputError(f"`columns`: {field[:30]!a} is no field; {hint(field.lower(), [*_NAMED, 'heads'])}")
            if not column:
                raise InputError(f"`columns`: {field} names no column; write {field}=HEAD, or a letter: {field}=B")
            if name in self.named:
                raise InputError(f"`columns`: {field} is there twice")
            self.named[name] = column
        for name in NEEDED:
            if name not in self.named:
                field = name.replace("z_", "b_")
                raise InputError(f"`columns` needs a_device, a_port, b_device and b_port; {field} is missing")

    def find(self, rows: Sequence[tuple[int, list[str]]], source: str) -> Heads:
        """The named columns among the first rows of a sheet.

        Raises
        ------
        InputError
            No row has these heads, or a head is there several times.
        """
        lines = [(line, cells) for line, cells in rows[:MOST_TITLES] if self.heads in (None, line)]
        if self.heads == 0:
            lines = [(0, [])]
        elif not lines:
            raise at(source, self.heads, "has no heads: this row is empty, or not among the first")
        width = max((len(cells) for _, cells in rows[:MOST_TITLES]), default=0)
        best: tuple[int, int, list[str]] = (-1, 0, [])
        above: list[str] = []
        for line, cells in lines:
            for names in (cells, _joined(above, cells)):
                places = {field: _places(column, names, width) for field, column in self.named.items()}
                placed = sum(map(bool, places.values()))
                best = max(best, (placed, line, names), key=lambda each: each[0])
                # By letters alone, the first row with cells for both ends has the heads, not a title above it.
                filled = line == 0 or all(any(cells[place : place + 1]) for name in NEEDED for place in places[name])
                if placed == len(places) and filled:
                    return self._heads(places, names, line, source)
            above = cells
        _, line, names = best
        lost = next((column for column in self.named.values() if not _places(column, names, width)), "")
        shown = ", ".join(repr(name[:30]) for name in names if name)
        if not lost:
            raise at(source, None, "no row has the columns that `columns` names")
        raise at(source, line or None, f"`columns`: there is no column {lost[:40]!a}; the heads are {shown or 'none'}")

    def _heads(self, places: Mapping[str, list[int]], names: Sequence[str], line: int, source: str) -> Heads:
        for field, columns in places.items():
            if len(columns) > 1:
                letters = " and ".join(map(_letter, columns))
                own = field.replace("z_", "b_", 1)
                raise at(
                    source,
                    line,
                    f"`columns`: the head {self.named[field]!a} is in columns {letters}; name one by its letter:"
                    f" {own}={_letter(columns[0])}",
                )
        if line and self.heads is None and not any(_is_head(column, names) for column in self.named.values()):
            log.warning("%s: row %d is read as heads; if it is a cable, add heads=0 to the columns", source, line)
        return Heads({field: columns[0] for field, columns in places.items()}, line)


def _is_head(column: str, names: Sequence[str]) -> bool:
    return column.casefold() in (name.casefold() for name in names)


def _places(column: str, names: Sequence[str], width: int) -> list[int]:
    """The columns that a text means: all with this head, else the one of the first `width` with this letter or number."""
    wanted = " ".join(column.casefold().split())
    if places := [place for place, name in enumerate(names) if " ".join(name.casefold().split()) == wanted]:
        return places
    place = int(column) - 1 if re.fullmatch("[1-9][0-9]{0,2}", column) else -1
    if _LETTERS.fullmatch(column):
        for letter in column:
            place = 26 * (place + 1) + ord(letter) - ord("A")
    return [place] if 0 <= place < width else []


def _letter(column: int) -> str:
    """The letter of a column: A for 0, AA for 26."""
    first, last = divmod(column, 26)
    return (chr(ord("A") + first - 1) if first else "") + chr(ord("A") + last)


def _in_order(heads: Sequence[str], cells: Sequence[str]) -> list[int]:
    """The columns with these heads in this order; empty if one is missing."""
    places: list[int] = []
    names = [cell.lower() for cell in cells]
    for head in heads:
        start = places[-1] + 1 if places else 0
        place = next((place for place in range(start, len(names)) if names[place] in head.split("|")), -1)
        if place < 0:
            return []
        places.append(place)
    return places


def _joined(above: list[str], cells: list[str]) -> list[str]:
    """Two rows of heads as one: an upper one that is merged over several columns is written in the first of them."""
    joined, last = [], ""
    for upper, cell in zip([*above, *[""] * len(cells)], cells, strict=False):
        last = upper or last
        joined.append(f"{last} {cell}".strip())
    return joined


def _columns(names: Sequence[str]) -> dict[str, int]:
    """The column of each field that the heads name."""
    columns: dict[str, int] = {}
    for column, name in enumerate(names):
        words = [word.lower() for word in _WORDS.findall(name)]
        side = _side(words)
        if side:
            bare = not set(words) - _SIDE_A - _SIDE_Z - {"side"}
            field = next((field for field, marks in _FIELDS if marks & set(words)), "device" if bare else "")
            key = f"{side}_{field}" if field else ""
        else:
            key = next((key for key, marks in _OF_CABLE.items() if marks & set(words)), "")
        if key:
            columns.setdefault(key, column)
    for side in "az":
        if f"{side}_place" in columns:
            columns.setdefault(f"{side}_rack", columns.pop(f"{side}_place"))
        # A name is that of the port where the device has a column of its own, and that of the device where it has none.
        if f"{side}_name" in columns:
            column = columns.pop(f"{side}_name")
            columns.setdefault(f"{side}_device", column)
            if columns[f"{side}_device"] != column:
                columns.setdefault(f"{side}_port", column)
    return columns


def _side(words: Sequence[str]) -> str:
    """The end that a head is about: ``a`` or ``z``; empty if it does not say.

    ``A-End`` and ``End Device`` differ: ``end`` means the far end only as the first word.
    """
    for place, word in enumerate(words):
        if word in _SIDE_Z and (word != "end" or place == 0):
            return "z"
        if word in _SIDE_A:
            return "a"
    # Arista AVD: Node, Node Interface; Peer Node, Peer Interface.
    return "a" if words[:1] == ["node"] else ""
