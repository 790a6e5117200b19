"""Floors: the rules of a machine room (slots, limits, cable overheads), and the floors of the papers by name."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom.placement.floors.slots import NO_LIMIT, Slots, grid_names


@dataclass(frozen=True)
class Floor:
    """A machine room: where racks can stand, what they hold, and the rules for cable lengths.

    A cable inside a rack is `inside_m` long; a cable between racks is as long as the distance of their slots plus
    `overhead_end_m` at each end. A floor is generated as `rows` x `columns` racks of `width_m` x `depth_m`, with `aisle_m`
    more after every `aisle_every` rows, or it has listed slots (`fixed`). Without `rows` and `columns` it is as nearly square
    as possible: ceil(sqrt(c)) rows for c racks (Koibuchi 2013 III.D).

    Limits per rack: `switches_per_rack`, `hosts_per_rack`, `power_w_per_rack` (of its switches); None is no limit.
    `sequence_rack` switches, or `sequence_hosts` hosts if they come first, fill a rack when the topology defines no groups.
    `pillars_m` are rectangles (x and y of the centre, width, depth) where nothing can stand, and `blocked` are slots (name, x,
    y) that are occupied; both are only drawn, since `fixed` already excludes them. `trays_m` are the segments (x, y, x, y) of
    the cable trays, where `distance` is ``trays``, and `tray_cables` the cables that fit into each; None where not known.
    """

    name: str
    width_m: float
    depth_m: float
    inside_m: float
    overhead_end_m: float
    sequence_rack: int
    source: str = ""
    sequence_hosts: int | None = None
    rows: int | None = None
    columns: int | None = None
    switches_per_rack: int | None = None
    hosts_per_rack: int | None = None
    power_w_per_rack: float | None = None
    aisle_every: int | None = None
    aisle_m: float = 0.0
    distance: str = "manhattan"
    fixed: Slots | None = None
    pillars_m: tuple[tuple[float, float, float, float], ...] = ()
    trays_m: tuple[tuple[float, float, float, float], ...] = ()
    blocked: tuple[tuple[str, float, float], ...] = ()
    tray_cables: tuple[int | None, ...] = ()

    def cable_m(self, apart_m: np.ndarray, between: np.ndarray) -> np.ndarray:
        """The lengths of cables, float64, between slots that are `apart_m` apart; `between`: whether each leaves its rack."""
        return np.where(between, apart_m + 2 * self.overhead_end_m, self.inside_m)

    @property
    def limits_power(self) -> bool:
        """Whether some rack has a limit of power."""
        if self.fixed is not None:
            return bool(np.isfinite(self.fixed.limits[:, 2]).any())
        return self.power_w_per_rack is not None

    @property
    def places(self) -> str:
        """The places for racks in words: "6 rows of 16 places"."""
        if self.fixed is None:
            sides = [
                f"{self.rows} rows" if self.rows else "",
                f"{self.columns} places in a row" if self.columns else "",
            ]
            if self.rows and self.columns:
                return f"{self.rows} rows of {self.columns} places"
            return " ".join(filter(None, sides)) or "as nearly square as possible"
        _, in_row = np.unique(np.round(self.fixed.place_m[:, 1], 6), return_counts=True)
        if (in_row == in_row[0]).all():
            return f"{in_row.size} rows of {in_row[0]} places"
        return f"{len(self.fixed)} places in {in_row.size} rows of up to {in_row.max()}"

    @property
    def cable_rule(self) -> str:
        """The length of a cable between racks in words: "the Manhattan distance + 4 m"."""
        rule = self.distance if self.fixed is None else self.fixed.rule
        return f"{_DISTANCES.get(rule, rule)} + {2 * self.overhead_end_m:g} m"

    def shape(self, racks: int) -> tuple[int, int]:
        """(rows, columns) of a generated floor for this number of racks."""
        if self.rows is not None and self.columns is not None:
            return self.rows, self.columns
        rows = self.rows or (-(-racks // self.columns) if self.columns else int(np.ceil(np.sqrt(racks))))
        return rows, self.columns or -(-racks // rows)

    def slots_for(self, racks: int) -> Slots:
        """The slots of the floor, at least `racks` of them.

        Raises
        ------
        InputError
            The floor has fewer slots.
        """
        if self.fixed is not None:
            if racks > len(self.fixed):
                raise InputError(
                    f"floor '{self.name}': {racks} racks need more than its {len(self.fixed)} slots; add slots,"
                    " or let a rack hold more"
                )
            return self.fixed
        rows, columns = self.shape(racks)
        if racks > rows * columns:
            raise InputError(
                f"floor '{self.name}': {racks} racks need more than its {rows} x {columns} = {rows * columns} places;"
                " add rows, or let a rack hold more"
            )
        place = np.arange(rows * columns)
        row, column = np.divmod(place, columns)
        aisles = row // self.aisle_every * self.aisle_m if self.aisle_every else 0.0
        place_m = np.stack([column * self.width_m, row * self.depth_m + aisles], axis=1)
        limits = [self.switches_per_rack, self.hosts_per_rack, self.power_w_per_rack]
        each = np.array([NO_LIMIT if limit is None else float(limit) for limit in limits])
        return Slots(
            grid_names(rows, columns),
            place_m,
            np.tile(each, (place.size, 1)),
            self.distance,
            rows=rows,
            columns=columns,
        )


_DISTANCES = {
    "manhattan": "the Manhattan distance",
    "euclidean": "the straight distance",
    "trays": "the way along the trays",
    "matrix": "the given distance",
}

#: The papers' floors by name; other packages can add floors by entry points.
PRESETS: Register[Floor] = Register("floor", group="topoloom.floors", listed="topoloom layout --help")
for _floor in (
    Floor(
        "koibuchi-2013",
        0.6,
        2.1,
        2.0,
        2.0,
        16,
        "Koibuchi 2013 III.D: racks of 0.6 m x 2.1 m, 2 m inside, 2 m more at each end of a cable between"
        " racks (errata of Koibuchi 2013, 6)",
    ),
    Floor(
        "slimfly-2014",
        1.0,
        1.0,
        1.0,
        1.0,
        256,
        "Besta 2014 VI.A-B: racks of 1 m x 1 m, 1 m inside, 2 m more for a global cable; a rack in sequence holds"
        " what Besta 2014's fullest racks do: 256 switches (its hypercube's) or 570 hosts (its Slim Fly's)",
        sequence_hosts=570,
    ),
    Floor(
        "nakano-grid",
        1.0,
        1.0,
        0.0,
        0.0,
        1,
        "Nakano 2016 VIII.A: one switch a rack, racks 1 m apart, cables along the grid",
    ),
):
    PRESETS.add(_floor.name, _floor)


def preset(name: str) -> Floor:
    """A floor by name; change its values with `dataclasses.replace`.

    Raises
    ------
    InputError
        No floor has this name.
    """
    try:
        return PRESETS.find(name)
    except InputError as error:
        raise InputError(f"{error}; or give the path of a .toml or .csv file") from None
