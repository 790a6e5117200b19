"""Reading floors from files: the description of a machine room."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable, parse_toml
from topoloom.core.toml_lines import line_of
from topoloom.placement.floors.floor import PRESETS, Floor, preset
from topoloom.placement.floors.floor_csv import LONGEST, SlotRow, coordinate, read_matrix, read_slots
from topoloom.placement.floors.slots import MOST_SLOTS_WITH_MATRIX, NO_LIMIT, Slots
from topoloom.placement.floors.trays import TOUCH_M, tray_paths

#: The preset that supplies the defaults of a file that names none.
DEFAULT_PRESET = "koibuchi-2013"

#: Width and depth of a rack where slots are listed and no size is given: the width of a 19-inch rack.
RACK_M = 0.6

#: Most slots of a floor.
_MOST_SLOTS = 1_000_000


def _size(description: str) -> Any:
    return setting(description, unit="m", least=0.001, most=1e5)


def _length(description: str) -> Any:
    return setting(description, unit="m", least=0, most=1e5)


def _count(description: str, most: int = 1_000_000) -> Any:
    return setting(description, least=1, most=most)


class GridTable(TomlTable, frozen=True):
    """Slots in rows and columns."""

    group: ClassVar[str] = "floor [grid]"

    rows: Annotated[int, _count("rows of slots", 10_000)] | None = None
    columns: Annotated[int, _count("slots in a row", 10_000)] | None = None
    aisle_every: Annotated[int, _count("number of rows between two aisles", 10_000)] | None = None
    aisle_m: Annotated[
        float, _length("extra distance between rows across such an aisle, in addition to `depth_m`; cables cross it")
    ] = 0.0
    blocked: Annotated[tuple[str, ...], setting("names of slots where no rack can stand")] = ()


#: Most characters of a slot's name, which is printed on labels.
_MOST_NAME_CHARACTERS = 64


class LimitsTable(TomlTable, frozen=True):
    """The limits of a rack, for slots without their own."""

    group: ClassVar[str] = "floor [limits]"

    switches: Annotated[int, _count("most switches")] | None = None
    hosts: Annotated[int, setting("most hosts", least=0, most=1_000_000_000)] | None = None
    power_w: (
        Annotated[
            float,
            setting(
                "most power of the rack there: its switches, their transceivers and cables, and hosts where these have racks",
                unit="W",
                above=0,
                most=1e5,
            ),
        ]
        | None
    ) = None


class PillarRow(TomlTable, frozen=True):
    """A rectangle where nothing can stand: its centre and its sides."""

    group: ClassVar[str] = "floor [[pillar]]"

    x_m: Annotated[float, coordinate("its centre, from left to right")]
    y_m: Annotated[float, coordinate("its centre, upwards")]
    width_m: Annotated[float, _size("its side along x")]
    depth_m: Annotated[float, _size("its side along y")]


_Coordinate = Annotated[float, coordinate("metres from the origin")]


class TrayRow(TomlTable, frozen=True):
    """A straight section of cable tray."""

    group: ClassVar[str] = "floor [[tray]]"

    from_m: Annotated[tuple[_Coordinate, _Coordinate], setting("(x, y) of one end", unit="m")]
    to_m: Annotated[tuple[_Coordinate, _Coordinate], setting("(x, y) of the other end", unit="m")]
    cables: (
        Annotated[int, setting("cables that fit into it; not known, if omitted", least=1, most=1_000_000)] | None
    ) = None


class FloorFile(TomlTable, frozen=True):
    """A floor, as its TOML file gives it."""

    group: ClassVar[str] = "floor"

    name: Annotated[str, setting("the floor's name in reports; the file's name, if omitted")] = ""
    source: Annotated[str, setting("where the numbers come from, for the report")] = ""
    preset: (
        Annotated[
            str,
            setting(
                "the preset to start from; each other key changes one of its values. If omitted, the values of"
                f" `{DEFAULT_PRESET}`"
            ),
        ]
        | None
    ) = None
    inside_m: Annotated[float, _length("the length of a cable inside a rack")] | None = None
    overhead_end_m: (
        Annotated[
            float,
            _length(
                "extra length of a cable between racks, at each of its ends: up to the tray, down to the switch,"
                " and slack"
            ),
        ]
        | None
    ) = None
    distance: Annotated[
        Literal["manhattan", "euclidean", "trays", "matrix"], setting("the rule for the distance between two slots")
    ] = "manhattan"
    matrix: Annotated[
        str | tuple[tuple[Annotated[float, _length("a distance")], ...], ...] | None,
        setting(
            'with `distance = "matrix"`: a CSV file, relative to the folder of this file, or the numbers', unit="m"
        ),
    ] = None
    width_m: (
        Annotated[
            float,
            _size(
                "a rack's width; in a grid, the step from one slot to the next in its row. Where slots"
                f" are listed and no preset is named: {RACK_M:g}"
            ),
        ]
        | None
    ) = None
    depth_m: (
        Annotated[
            float,
            _size(
                "a rack's depth; in a grid, the step from one row to the next. Where slots are listed and"
                f" no preset is named: {RACK_M:g}"
            ),
        ]
        | None
    ) = None
    sequence_rack: (
        Annotated[int, _count("switches that fill a rack when the family defines no groups and there is no limit")]
        | None
    ) = None
    sequence_hosts: Annotated[int, _count("hosts that fill such a rack, if that happens first")] | None = None
    slots: Annotated[str, setting("a CSV file with the slots, relative to the folder of this file")] | None = None
    grid: Annotated[GridTable | None, setting("slots in rows and columns")] = None
    limits: Annotated[LimitsTable, setting("the limits of slots without their own")] = LimitsTable()
    slot: Annotated[tuple[SlotRow, ...], setting("the slots, one by one")] = ()
    pillar: Annotated[tuple[PillarRow, ...], setting("rectangles where nothing can stand")] = ()
    tray: Annotated[tuple[TrayRow, ...], setting("sections of cable tray")] = ()

    def __post_init__(self) -> None:
        """Skip the checks of the base class: a matrix has millions of numbers, which `read_floor` checks."""


def read_floor(name: str | Path) -> Floor:
    """A floor: a preset by name, or a ``.toml`` or ``.csv`` file by path (docs/reference/floor-file.md).

    Raises
    ------
    InputError
        There is no such preset; or ``file:line: reason``: an unknown key, a missing number, two slots with one name or at one
        position, a floor without a slot, or slots between which no cable can run.
    """
    suffix = Path(name).suffix.lower()
    if suffix == ".toml":
        text = read_text(name, LONGEST)
        return _Reader(str(name), text, parse_toml(text, FloorFile, str(name), former=True)).floor()
    if suffix == ".csv":
        return _Reader(str(name), "", FloorFile(slots=Path(name).name)).floor()
    return preset(str(name))


@dataclass(frozen=True)
class _Place:
    """A slot, and its position in the file."""

    row: SlotRow
    source: str
    line: Callable[[], int | None]

    def wrong(self, reason: str) -> InputError:
        """An error about this slot."""
        return at(self.source, self.line(), f"slot '{self.row.name}' {reason}")


@dataclass(frozen=True)
class _Reader:
    """Builds a `Floor` from a floor file."""

    source: str
    text: str
    file: FloorFile

    def floor(self) -> Floor:
        """The floor: generated where a grid is its only content, else with listed slots."""
        file, grid = self.file, self.file.grid
        self._check()
        base = preset(file.preset or DEFAULT_PRESET)
        keys = ("inside_m", "overhead_end_m", "width_m", "depth_m", "sequence_rack", "sequence_hosts")
        given: dict[str, Any] = {key: value for key in keys if (value := getattr(file, key)) is not None}
        if grid is None and file.preset is None:
            given = {"width_m": RACK_M, "depth_m": RACK_M} | given
        floor = replace(
            base,
            name=file.name or Path(self.source).stem,
            source=file.source,
            distance=file.distance,
            switches_per_rack=file.limits.switches,
            hosts_per_rack=file.limits.hosts,
            power_w_per_rack=file.limits.power_w,
            pillars_m=tuple((pillar.x_m, pillar.y_m, pillar.width_m, pillar.depth_m) for pillar in file.pillar),
            trays_m=tuple((*tray.from_m, *tray.to_m) for tray in file.tray),
            tray_cables=tuple(tray.cables for tray in file.tray),
            **given,
        )
        if grid is None:
            return self._listed(floor, self._places(floor))
        floor = replace(floor, rows=grid.rows, columns=grid.columns, aisle_every=grid.aisle_every, aisle_m=grid.aisle_m)
        if not (floor.pillars_m or grid.blocked or file.distance in ("trays", "matrix")):
            return floor
        places = self._grid_places(floor, grid)
        return self._listed(replace(floor, rows=None, columns=None, aisle_every=None, aisle_m=0.0), places)

    def _check(self) -> None:
        """Check the keys that belong together, or exclude each other."""
        file, grid = self.file, self.file.grid
        if file.preset is not None:
            try:
                PRESETS.find(file.preset)
            except InputError as error:
                raise self._at(f"preset: {error}", "preset") from None
        given = [key for key in ("slots", "slot", "grid") if getattr(file, key) not in (None, ())]
        if len(given) != 1:
            problem = f"{' and '.join(given)} are given" if given else "no slots are given"
            raise self._at(f'{problem}; give one of [grid], slots = "FILE.csv" or [[slot]] tables', *given[-1:])
        if (file.distance == "matrix") != (file.matrix is not None):
            raise self._at('distance = "matrix" and the key matrix belong together; give both or neither', "distance")
        if (file.distance == "trays") != bool(file.tray):
            raise self._at('distance = "trays" and [[tray]] tables belong together; give both or neither', "distance")
        for number, tray in enumerate(file.tray):
            if np.hypot(*np.subtract(tray.to_m, tray.from_m)) <= TOUCH_M:
                raise self._at("the tray has no length; give two different ends", "tray", str(number))
        if grid is not None and (grid.rows or 1) * (grid.columns or 1) > _MOST_SLOTS:
            raise self._at(f"a grid has at most {_MOST_SLOTS:,} slots; give fewer rows or columns", "grid")
        if grid is not None and (grid.rows is None or grid.columns is None):
            needs = {"[[pillar]]": file.pillar, "blocked": grid.blocked, "trays": file.tray, "matrix": file.matrix}
            for key, value in needs.items():
                if value:
                    raise self._at(f"a grid with {key} needs rows and columns; give both", "grid")

    def _places(self, floor: Floor) -> list[_Place]:
        """The listed slots, checked: none overlaps another or a pillar."""
        if self.file.slots is not None:
            path = str(Path(self.source).parent / self.file.slots)
            places = [_Place(row, path, partial(int, line)) for line, row in read_slots(path)]
        else:
            places = [
                _Place(row, self.source, partial(line_of, self.text, ["slot", str(number)]))
                for number, row in enumerate(self.file.slot)
            ]
        first: dict[str, _Place] = {}
        for place in places:
            row = place.row
            if not row.name:
                raise place.wrong("has no name; give one")
            if len(row.name) > _MOST_NAME_CHARACTERS or "\0" in row.name:
                raise InputError(
                    f"{place.source}:{place.line()}: give the slot a name of at most {_MOST_NAME_CHARACTERS}"
                    " characters, without a zero byte"
                )
            if row.name in first:
                raise place.wrong(f"is already defined in line {first[row.name].line()}; give unique names")
            for what, most in (("switches", row.switches), ("hosts", row.hosts)):
                if most is not None and most != NO_LIMIT and most % 1:
                    raise place.wrong(f"holds {most:g} {what}; give a whole number")
            first[row.name] = place
        standing = [place for place in places if not place.row.blocked]
        self._check_apart(standing, floor)
        for place, pillar in zip(standing, _on_pillar(_centres(standing), floor).tolist(), strict=True):
            if pillar:
                raise place.wrong("stands on a pillar; move it, or set blocked")
        return places

    @staticmethod
    def _check_apart(standing: list[_Place], floor: Floor) -> None:
        """Raise an error if two racks overlap."""
        from scipy.spatial import cKDTree

        if len(standing) < 2:
            return
        # In units of rack width and depth, two racks overlap when they are less than 1 apart in both.
        size_m = np.array([floor.width_m, floor.depth_m])
        scaled = _centres(standing) / np.maximum(size_m - TOUCH_M, size_m / 2)
        distance, nearest = cKDTree(scaled).query(scaled, k=2, p=np.inf)
        for number in np.flatnonzero(distance[:, 1] < 1):
            # Of two slots at one position, the query may return a slot itself as its second neighbour.
            other = next(int(n) for n in nearest[number] if n != number)
            early, late = sorted((int(number), other))
            raise standing[late].wrong(
                f"overlaps slot '{standing[early].row.name}' in line {standing[early].line()}: racks are"
                f" {floor.width_m:g} m x {floor.depth_m:g} m; move one, or give width_m and depth_m in a .toml"
            )

    def _grid_places(self, floor: Floor, grid: GridTable) -> list[_Place]:
        """The slots of the grid, without those on which a pillar stands."""
        slots = floor.slots_for(1)
        for name in grid.blocked:
            if name not in slots.names:
                near = difflib.get_close_matches(name, slots.names, 1)
                hint = f"did you mean '{near[0]}'?" if near else f"they are {slots.names[0]} to {slots.names[-1]}"
                raise self._at(f"blocked: the grid has no slot '{name}' ({hint})", "grid", "blocked")
        blocked, pillar = set(grid.blocked), _on_pillar(slots.place_m, floor)
        line = partial(line_of, self.text, ["grid"])
        return [
            _Place(SlotRow(name, x, y, blocked=name in blocked), self.source, line)
            for name, (x, y), skip in zip(slots.names, slots.place_m.tolist(), pillar.tolist(), strict=True)
            if not skip
        ]

    def _listed(self, floor: Floor, places: list[_Place]) -> Floor:
        """The floor with its listed slots, limits and distances."""
        standing = [place for place in places if not place.row.blocked]
        if not standing:
            raise InputError(f"{self.source}: no slot is left for a rack; add slots, or unblock some")
        common = (floor.switches_per_rack, floor.hosts_per_rack, floor.power_w_per_rack)
        own = [(place.row.switches, place.row.hosts, place.row.power_w) for place in standing]
        limits = np.array([_limits(row, common) for row in own])
        names = tuple(place.row.name for place in standing)
        blocked = tuple((p.row.name, p.row.x_m, p.row.y_m) for p in places if p.row.blocked)
        slots = Slots(names, _centres(standing), limits, floor.distance)
        slots = replace(slots, given_m=self._given(slots, floor, {name for name, _, _ in blocked}))
        return replace(floor, fixed=slots, blocked=blocked)

    def _given(self, slots: Slots, floor: Floor, others: set[str]) -> np.ndarray | None:
        """The distances that do not follow from positions: from the matrix, or along the trays; None where they do."""
        if (self.file.matrix is not None or floor.trays_m) and len(slots) > MOST_SLOTS_WITH_MATRIX:
            raise self._at(
                f"{len(slots)} slots have too many distances; list at most {MOST_SLOTS_WITH_MATRIX}", "distance"
            )
        if isinstance(self.file.matrix, str):
            return read_matrix(Path(self.source).parent / self.file.matrix, slots.names, others)
        if self.file.matrix is not None:
            return self._triangle(self.file.matrix, slots)
        if not floor.trays_m:
            return None
        paths = tray_paths(slots.place_m, np.array(floor.trays_m))
        cut = np.argwhere(np.isinf(paths.apart_m))
        if cut.size:
            a, b = cut[0].tolist()
            names = f"slot '{slots.names[a]}' to slot '{slots.names[b]}'"
            reason = f"no tray leads from {names}: the floor is disconnected; connect the trays"
            raise self._at(reason, "tray", str(int(paths.tray[b])))
        return paths.apart_m

    def _triangle(self, rows: tuple[tuple[float, ...], ...], slots: Slots) -> np.ndarray:
        """A matrix whose row k, counted from 0, has the k distances to the slots before slot k."""
        if [len(row) for row in rows] != list(range(len(slots))):
            raise self._at(
                f"matrix: {len(slots)} slots need {len(slots)} rows, with 0, 1, 2 ... distances to the slots before",
                "matrix",
            )
        apart_m = np.zeros((len(slots), len(slots)))
        apart_m[np.tril_indices(len(slots), -1)] = [distance for row in rows for distance in row]
        return apart_m + apart_m.T

    def _at(self, reason: str, *keys: str) -> InputError:
        return at(self.source, line_of(self.text, list(keys)), reason)


def _centres(places: list[_Place]) -> np.ndarray:
    return np.array([[place.row.x_m, place.row.y_m] for place in places]).reshape(-1, 2)


def _limits(own: tuple[float | None, ...], common: tuple[float | None, ...]) -> list[float]:
    """The limits of a slot: its own, or else the common ones."""
    return [
        NO_LIMIT
        if own_limit is None and common_limit is None
        else float(common_limit if own_limit is None else own_limit)  # type: ignore[arg-type]
        for own_limit, common_limit in zip(own, common, strict=True)
    ]


def _on_pillar(place_m: np.ndarray, floor: Floor) -> np.ndarray:
    """Whether a rack at each position overlaps a pillar, bool[places]."""
    hit = np.zeros(len(place_m), bool)
    for x_m, y_m, width_m, depth_m in floor.pillars_m:
        near = (np.array([floor.width_m + width_m, floor.depth_m + depth_m])) / 2 - TOUCH_M
        hit |= (np.abs(place_m - (x_m, y_m)) < near).all(axis=1)
    return hit
