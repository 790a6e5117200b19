"""Reading the two tables of a machine room in CSV files: its slots, and the distances between them."""

import csv
import difflib
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.settings import accepts, setting
from topoloom.core.text_parts import decimal_in, text_lines
from topoloom.core.toml_files import TomlTable

#: Most characters of a floor file, which may contain a matrix of thousands of slots.
LONGEST = 200_000_000
_YES, _NO = ("yes", "y", "true", "1", "x"), ("", "no", "n", "false", "0")


def coordinate(description: str) -> Any:
    """The annotation of a coordinate: within 100 km of the origin, because larger values are errors, or in millimetres."""
    return setting(description, unit="m", least=-1e5, most=1e5)


class SlotRow(TomlTable, frozen=True):
    """A place where a rack can stand: its centre, its limits, and whether it is blocked."""

    group: ClassVar[str] = "floor [[slot]]"

    name: Annotated[str, setting("its name, as on the floor's markings; names must be unique")]
    x_m: Annotated[float, coordinate("the centre of the rack, from left to right")]
    y_m: Annotated[float, coordinate("the centre of the rack, upwards")]
    switches: Annotated[float, setting("most switches, a whole number; inf: no limit", least=0)] | None = None
    hosts: (
        Annotated[float, setting("most hosts, a whole number, 0 for switches only; inf: no limit", least=0)] | None
    ) = None
    power_w: Annotated[float, setting("most power of the switches; inf: no limit", unit="W", above=0)] | None = None
    blocked: Annotated[bool, setting("whether the place is occupied")] = False

    def __post_init__(self) -> None:
        """Skip the checks of the base class: a floor has up to a million rows, which the readers of files check."""


COLUMNS = ("slot", *SlotRow.__struct_fields__[1:])


def read_slots(path: str | Path) -> list[tuple[int, SlotRow]]:
    """The slots of a CSV file, each with its line: columns `COLUMNS` in any order, of which the first three are required.

    Cells are separated by commas or semicolons; with semicolons, numbers may have decimal commas. An empty cell means no
    limit of its own. Empty lines and lines that begin with # are skipped.

    Raises
    ------
    InputError
        ``file:line: reason`` for anything else.
    """
    rows, comma = _rows(path)
    line, header = next(rows, (1, []))
    names = [cell.lower() for cell in header]
    for name in names:
        if name not in COLUMNS:
            near = difflib.get_close_matches(name, COLUMNS, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(COLUMNS)}"
            raise at(str(path), line, f"unknown column '{name}' ({hint})")
        if names.count(name) > 1:
            raise at(str(path), line, f"the column '{name}' occurs twice; remove one")
    for name in COLUMNS[:3]:
        if name not in names:
            raise at(str(path), line, f"the column '{name}' is missing (required: {', '.join(COLUMNS[:3])})")
    return [(line, _slot(dict(zip(names, cells, strict=True)), str(path), line, comma)) for line, cells in rows]


def read_matrix(path: str | Path, names: Collection[str], others: Collection[str]) -> np.ndarray:
    """The distances of the slots `names`, in that order, from a CSV file: float64[slots, slots].

    The first row and the first column name the slots, in any order; slots among `others` (blocked ones) are omitted.

    Parameters
    ----------
    path : path
        The CSV file, with `,` or `;` between cells.
    names : collection of str
        The usable slots, in the order of the result.
    others : collection of str
        Further slots that the file may contain.

    Returns
    -------
    float64[slots, slots]
        Metres; symmetric, zero on the diagonal.

    Raises
    ------
    InputError
        A slot is missing, unknown or repeated; a number is missing, negative or not a number; the matrix is not symmetric or
        not zero on its diagonal; two slots have no path between them.
    """
    rows, comma = _rows(path)
    line, header = next(rows, (1, [""]))
    heads = header[1:]
    wanted = {name: number for number, name in enumerate(names)}
    for head in heads:
        if head not in wanted and head not in others:
            raise at(str(path), line, f"the floor has no slot '{head}'")
    _all_there(heads, wanted, f"{path}:{line}", "column")
    at_column = {head: column for column, head in enumerate(heads)}
    columns = [at_column[name] for name in wanted]
    apart_m = np.full((len(wanted), len(wanted)), np.nan)
    lines = np.zeros(len(wanted), np.int64)
    seen = []
    for line, (head, *cells) in rows:
        if head not in wanted and head not in others:
            raise at(str(path), line, f"the floor has no slot '{head}'")
        seen.append(head)
        if head in wanted:
            row = wanted[head]
            lines[row] = line
            apart_m[row] = [_distance(cells[column], str(path), line, heads[column], comma) for column in columns]
    _all_there(seen, wanted, str(path), "row")
    _check_matrix(apart_m, tuple(wanted), str(path), lines)
    # The two numbers of a pair differ at most by a printed digit; the one above the diagonal is used.
    return np.triu(apart_m) + np.triu(apart_m).T


def _rows(path: str | Path) -> tuple[Iterator[tuple[int, list[str]]], bool]:
    """The rows of a CSV file with their lines, as stripped cells of equal number; and whether commas are decimal."""
    text = read_text(path, LONGEST)
    first = next((line for line in text_lines(text) if line.strip() and not line.startswith("#")), "")
    comma = ";" in first

    def rows() -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(text_lines(text), delimiter=";" if comma else ",")
        width = 0
        try:
            for cells in reader:
                if not any(cell.strip() for cell in cells) or cells[0].startswith("#"):
                    continue
                width = width or len(cells)
                if len(cells) != width:
                    raise at(str(path), reader.line_num, f"{len(cells)} cells, but the first row has {width}")
                yield reader.line_num, [cell.strip() for cell in cells]
        except csv.Error as error:
            raise at(str(path), reader.line_num, f"not a CSV row: {error}") from None

    return rows(), comma


def _slot(cells: dict[str, str], source: str, line: int, comma: bool) -> SlotRow:
    """One slot from a row of the table."""
    row: dict[str, Any] = {"name": cells.pop("slot")}
    blocked = cells.pop("blocked", "").lower()
    if blocked not in (*_YES, *_NO):
        raise at(source, line, f"blocked: give yes or no, not '{blocked}'")
    for key, cell in cells.items():
        if cell:
            row[key] = _number(cell, source, line, key, comma)
        elif key in COLUMNS[:3]:
            raise at(source, line, f"{key}: a number is missing")
    try:
        return msgspec.convert({**row, "blocked": blocked in _YES}, SlotRow)
    except msgspec.ValidationError as error:
        key = str(error).partition(" - at `$.")[2].rstrip("`")
        info: Any = msgspec.inspect.type_info(SlotRow)
        kind = next(field.type for field in info.fields if field.encode_name == key)
        raise at(source, line, f"{key}: {row[key]:g} is out of range; give {_words(kind)}") from None


def _words(kind: Any) -> str:
    """What a cell accepts, without the remark that it may be empty."""
    return accepts(kind).removesuffix(" or none")


#: The words for no limit, or no path.
_ENDLESS = {"inf": np.inf, "-inf": -np.inf}


def _number(cell: str, source: str, line: int, key: str, comma: bool) -> float:
    plain = cell.replace(",", ".") if comma else cell
    value = _ENDLESS.get(plain.lower(), decimal_in(plain))
    if value is None:
        raise at(source, line, f"{key}: {cell[:40]!a} is not a number")
    return value


def _distance(cell: str, source: str, line: int, name: str, comma: bool) -> float:
    """A distance; an empty cell means that there is no path."""
    return _number(cell, source, line, f"distance to '{name}'", comma) if cell else np.inf


def _all_there(names: list[str], wanted: Collection[str], place: str, what: str) -> None:
    times = Counter(names)
    for name in wanted:
        if times[name] != 1:
            raise InputError(f"{place}: slot '{name}' has {times[name] or 'no'} {what}s; it needs exactly one")


def _check_matrix(apart_m: np.ndarray, names: tuple[str, ...], source: str, lines: np.ndarray) -> None:
    """Check that a matrix is zero on the diagonal, never negative, symmetric, and finite."""
    with np.errstate(invalid="ignore"):
        unequal = ~(np.abs(apart_m - apart_m.T) <= 1e-6) & (apart_m != apart_m.T)
    for wrong, reason in (
        (apart_m < 0, "the distance from slot '{}' to slot '{}' is negative"),
        (np.diag(np.diag(apart_m) != 0), "the distance from slot '{}' to itself must be 0"),
        (unequal, "the distance between slot '{}' and slot '{}' differs by direction; make the matrix symmetric"),
        (np.isinf(apart_m), "there is no path from slot '{}' to slot '{}': the floor is disconnected; give a distance"),
    ):
        if wrong.any():
            a, b = np.argwhere(wrong)[0]
            raise at(source, int(lines[a]), reason.format(names[a], names[b]))
