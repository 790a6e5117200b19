"""Floors: where cabinets can stand, how far apart they are, and what a cable needs besides distance."""

from dataclasses import dataclass, replace

import numpy as np

from topoloom.errors import InputError


@dataclass(frozen=True)
class Floor:
    """A rectangular floor of cabinet places and the rules for cable lengths.

    A cable inside a cabinet is `inside_m` long; one between cabinets the Manhattan distance of their places plus
    `overhead_m` (both ends together). Without `rows` and `columns` the floor is as near to a square as it can be:
    ceil(sqrt(c)) rows for c cabinets. `switches_per_cabinet` and `hosts_per_cabinet` are limits; None is no limit.
    `sequence_cabinet` switches, or `sequence_hosts` hosts if they come first, fill a cabinet when the topology has no
    groups of its own.
    """

    name: str
    width_m: float
    depth_m: float
    inside_m: float
    overhead_m: float
    sequence_cabinet: int
    source: str = ""
    sequence_hosts: int | None = None
    rows: int | None = None
    columns: int | None = None
    switches_per_cabinet: int | None = None
    hosts_per_cabinet: int | None = None

    def places(self, cabinets: int) -> np.ndarray:
        """Where `cabinets` cabinets stand, row by row: float64[cabinets, 2], (x_m, y_m).

        Raises
        ------
        InputError
            The floor has fewer places.
        """
        if self.rows is None or self.columns is None:
            rows = self.rows or int(np.ceil(np.sqrt(cabinets)))
            columns = self.columns or -(-cabinets // rows)
            rows = -(-cabinets // columns)
        else:
            rows, columns = self.rows, self.columns
        if cabinets > rows * columns:
            raise InputError(
                f"floor '{self.name}': {cabinets} cabinets need more than its {rows} x {columns} = {rows * columns} places"
            )
        place = np.arange(cabinets)
        return np.stack([place % columns * self.width_m, place // columns * self.depth_m], axis=1)

    def shape(self, cabinets: int) -> tuple[int, int]:
        """(rows, columns) that `places` uses for so many cabinets."""
        if self.rows is not None and self.columns is not None:
            return self.rows, self.columns
        places = self.places(cabinets)
        return round(places[-1, 1] / self.depth_m) + 1, round(places[:, 0].max() / self.width_m) + 1


PRESETS = {
    "koibuchi-2013": Floor(
        "koibuchi-2013", 0.6, 2.1, 2.0, 4.0, 16,
        "000 III.D: cabinets of 0.6 m x 2.1 m, 2 m inside, 2 m more at each end of a cable between cabinets (errata 000.6)",
    ),
    "slimfly-2014": Floor(
        "slimfly-2014", 1.0, 1.0, 1.0, 2.0, 256,
        "004 VI.A-B: racks of 1 m x 1 m, 1 m inside, 2 m more for a global cable; a rack in sequence holds"
        " what 004's fullest racks do: 256 switches (its hypercube's) or 570 hosts (its Slim Fly's)",
        sequence_hosts=570,
    ),
    "nakano-grid": Floor(
        "nakano-grid", 1.0, 1.0, 0.0, 0.0, 1, "001 VIII.A: one switch a cabinet, cabinets 1 m apart, cables along the grid",
    ),
}  # fmt: skip


def preset(name: str, **changes: object) -> Floor:
    """A floor by name, with some of its fields changed."""
    if name not in PRESETS:
        raise InputError(f"no floor named '{name}' (known: {', '.join(PRESETS)})")
    return replace(PRESETS[name], **changes)  # type: ignore[arg-type]
