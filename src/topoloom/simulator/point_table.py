"""Points of load curves as a CSV table: a row a point with all that it depends on, so that a sweep can go on."""

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from topoloom._version import __version__
from topoloom.errors import InputError
from topoloom.files import read_text, write_atomically
from topoloom.routing.routing import Routing
from topoloom.simulator.config import RouterConfig
from topoloom.simulator.curve import Point

#: The columns of a point, and before and behind them those of what it was simulated with.
POINT_COLUMNS = tuple(field.name for field in fields(Point) if field.compare)
_BEFORE, _BEHIND = ("topology", "engine", "traffic", "preset", "seed"), ("router", "tables", "version")
_COLUMNS = (*_BEFORE, *POINT_COLUMNS, *_BEHIND)
_LONGEST = 1 << 26
_TRUTH = {"True": True, "False": False}

#: What a point depends on beside its load, by column.
Settings = Mapping[str, str]


def settings_of(
    routing: Routing, traffic: str, preset: str, config: RouterConfig, seed: int, cables: np.ndarray | None = None
) -> Settings:
    """What points depend on beside their loads, as the table's columns have it; ``tables``: a digest."""
    digest = hashlib.sha256(routing.topology.digest.encode())
    digest.update(routing.ports.tobytes())
    if routing.lanes is not None:
        digest.update(routing.lanes.tobytes())
    if cables is not None:
        digest.update(cables.tobytes())
    digest.update(type(routing.choice).__name__.encode())
    for value in vars(routing.choice).values() if routing.choice is not None else ():
        for part in value if isinstance(value, tuple) else (value,):
            digest.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
    return {
        "topology": routing.topology.name,
        "engine": routing.engine,
        "traffic": traffic,
        "preset": preset,
        "seed": str(seed),
        "router": " ".join(f"{name}={value}" for name, value in config.values.items()),
        "tables": digest.hexdigest()[:16],
        "version": __version__,
    }


class PointTable:
    """The points of some load curves, and the file that they are kept in.

    Parameters
    ----------
    curves : sequence of Settings
        Of each curve, from `settings_of`.
    path : str, optional
        A CSV file, written whole after each point; without it the points are only held.
    resume : bool
        Take the points that the file has, if it is there.

    Raises
    ------
    InputError
        The file cannot be read or is no such table, or has a point of other settings.
    """

    def __init__(self, curves: Sequence[Settings], path: str | None = None, resume: bool = False) -> None:
        self._curves, self._path = list(curves), path
        self._points: list[dict[float, Point]] = [{} for _ in curves]
        if resume and path is not None and Path(path).exists():
            for line, row in _rows(path):
                self._take(line, row)

    def known(self, number: int) -> dict[float, Point]:
        """The points of a curve by load."""
        return dict(self._points[number])

    def add(self, number: int, point: Point) -> None:
        """A new point of a curve; the file has it when this returns (a pipe gets the table from `write` alone)."""
        self._points[number][point.offered] = point
        if self._path is not None and (not Path(self._path).exists() or Path(self._path).is_file()):
            self.write()

    def write(self) -> None:
        """Write the file, if there is one."""
        if self._path is not None:
            write_atomically(self._path, self.text())

    def text(self) -> str:
        """The table: rows by curve and load; numbers so that they are read back as the same numbers."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for settings, points in zip(self._curves, self._points, strict=True):
            for load in sorted(points):
                values = [getattr(points[load], name) for name in POINT_COLUMNS]
                writer.writerow([*(settings[name] for name in _BEFORE), *values, *(settings[name] for name in _BEHIND)])
        return out.getvalue()

    def _take(self, line: int, row: dict[str, str]) -> None:
        """Keep a row of the file with the curve that it belongs to."""
        names = (*_BEFORE, *_BEHIND)
        unlike = [[name for name in names if row[name] != settings[name]] for settings in self._curves]
        best = min(range(len(unlike)), key=lambda number: len(unlike[number]))
        if unlike[best]:
            name = unlike[best][0]
            raise InputError(
                f"{self._path}, line {line}: a point with {name} '{row[name]}', not '{self._curves[best][name]}';"
                " resume with what it was made with, or name another file"
            )
        point = _point(f"{self._path}, line {line}", row)
        for number, ways in enumerate(unlike):
            if not ways:  # the same network may be given twice
                self._points[number][point.offered] = point


def _rows(path: str) -> list[tuple[int, dict[str, str]]]:
    """The rows of a table by column, each with the number of its line."""
    reader = csv.reader(io.StringIO(read_text(path, _LONGEST), newline=""))
    out: list[tuple[int, dict[str, str]]] = []
    try:
        head = next(reader, None)
        if head is None or tuple(head) != _COLUMNS:
            raise InputError(f"{path}: no table of load points that can be gone on with; name another file")
        for cells in reader:
            if len(cells) != len(_COLUMNS):
                raise InputError(f"{path}, line {reader.line_num}: {len(cells)} cells; there are {len(_COLUMNS)}")
            out.append((reader.line_num, dict(zip(_COLUMNS, cells, strict=True))))
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}") from None
    return out


def _point(place: str, row: dict[str, str]) -> Point:
    kinds = get_type_hints(Point)
    values: dict[str, Any] = {}
    for name in POINT_COLUMNS:
        try:
            values[name] = _TRUTH[row[name]] if kinds[name] is bool else kinds[name](row[name])
        except (KeyError, ValueError):
            raise InputError(f"{place}: {name} is '{row[name]}', which is no such value; remove the line") from None
    return Point(**values)
