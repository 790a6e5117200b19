"""Floors: the rules of a machine room (slots, limits, cable overheads) and the papers' own floors by name."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom.placement.floors.slots import NO_LIMIT, Slots, grid_names


@dataclass(frozen=True)
class Floor:
    """A machine room: where cabinets can stand, what they hold, and the rules for cable lengths.

    A cable inside a cabinet is `inside_m` long; one between cabinets as long as their slots are apart plus
    `overhead_end_m` at each end. A floor is generated, `rows` x `columns` cabinets of `width_m` x `depth_m` with
    `aisle_m` more after every `aisle_every` rows, or has the slots that somebody listed (`fixed`). Without `rows` and
    `columns` it is as near to a square as it can be: ceil(sqrt(c)) rows for c cabinets (Koibuchi 2013 III.D).

    Limits a cabinet: `switches_per_cabinet`, `hosts_per_cabinet`, `power_w_per_cabinet` (of its switches); None is no
    limit. `sequence_cabinet` switches, or `sequence_hosts` hosts if they come first, fill a cabinet when the topology
    has no groups of its own. `pillars_m` are rectangles (x and y of the centre, width, depth) where nothing stands,
    `blocked` slots (name, x, y) that are taken, both for the picture: `fixed` is what is left. `trays_m` are the segments
    (x, y, x, y) of the cable trays, where `distance` is ``trays``.
    """

    name: str
    width_m: float
    depth_m: float
    inside_m: float
    overhead_end_m: float
    sequence_cabinet: int
    source: str = ""
    sequence_hosts: int | None = None
    rows: int | None = None
    columns: int | None = None
    switches_per_cabinet: int | None = None
    hosts_per_cabinet: int | None = None
    power_w_per_cabinet: float | None = None
    aisle_every: int | None = None
    aisle_m: float = 0.0
    distance: str = "manhattan"
    fixed: Slots | None = None
    pillars_m: tuple[tuple[float, float, float, float], ...] = ()
    trays_m: tuple[tuple[float, float, float, float], ...] = ()
    blocked: tuple[tuple[str, float, float], ...] = ()

    def cable_m(self, apart_m: np.ndarray, between: np.ndarray) -> np.ndarray:
        """The lengths of cables, float64, where their slots are `apart_m` apart and `between` says which leave a cabinet."""
        return np.where(between, apart_m + 2 * self.overhead_end_m, self.inside_m)

    @property
    def limits_power(self) -> bool:
        """Whether some cabinet may not draw any power."""
        if self.fixed is not None:
            return bool(np.isfinite(self.fixed.limits[:, 2]).any())
        return self.power_w_per_cabinet is not None

    def shape(self, cabinets: int) -> tuple[int, int]:
        """(rows, columns) of a generated floor for so many cabinets."""
        if self.rows is not None and self.columns is not None:
            return self.rows, self.columns
        rows = self.rows or (-(-cabinets // self.columns) if self.columns else int(np.ceil(np.sqrt(cabinets))))
        return rows, self.columns or -(-cabinets // rows)

    def slots_for(self, cabinets: int) -> Slots:
        """The slots of the floor, at least `cabinets` of them.

        Raises
        ------
        InputError
            The floor has fewer.
        """
        if self.fixed is not None:
            if cabinets > len(self.fixed):
                raise InputError(
                    f"floor '{self.name}': {cabinets} cabinets need more than its {len(self.fixed)} slots; add slots,"
                    " or let a cabinet hold more"
                )
            return self.fixed
        rows, columns = self.shape(cabinets)
        if cabinets > rows * columns:
            raise InputError(
                f"floor '{self.name}': {cabinets} cabinets need more than its {rows} x {columns} = {rows * columns} places;"
                " add rows, or let a cabinet hold more"
            )
        place = np.arange(rows * columns)
        row, column = np.divmod(place, columns)
        aisles = row // self.aisle_every * self.aisle_m if self.aisle_every else 0.0
        place_m = np.stack([column * self.width_m, row * self.depth_m + aisles], axis=1)
        limits = [self.switches_per_cabinet, self.hosts_per_cabinet, self.power_w_per_cabinet]
        each = np.array([NO_LIMIT if limit is None else float(limit) for limit in limits])
        return Slots(
            grid_names(rows, columns),
            place_m,
            np.tile(each, (place.size, 1)),
            self.distance,
            rows=rows,
            columns=columns,
        )


#: The papers' floors by name; other packages add theirs by entry points.
PRESETS: Register[Floor] = Register("floor", group="topoloom.floors", listed="topoloom layout --help")
for _floor in (
    Floor(
        "koibuchi-2013",
        0.6,
        2.1,
        2.0,
        2.0,
        16,
        "Koibuchi 2013 III.D: cabinets of 0.6 m x 2.1 m, 2 m inside, 2 m more at each end of a cable between"
        " cabinets (errata of Koibuchi 2013, 6)",
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
        "Nakano 2016 VIII.A: one switch a cabinet, cabinets 1 m apart, cables along the grid",
    ),
):
    PRESETS.add(_floor.name, _floor)


def preset(name: str) -> Floor:
    """A floor by name; `dataclasses.replace` changes some of its values.

    Raises
    ------
    InputError
        There is no such floor.
    """
    try:
        return PRESETS.find(name)
    except InputError as error:
        raise InputError(f"{error}; or give the path of a .toml or .csv file") from None
