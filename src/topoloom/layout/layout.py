"""Layout: a topology on a floor, every cable with its length."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topoloom.layout.cabinets import assign_cabinets
from topoloom.layout.floor import Floor, preset
from topoloom.topology import Topology


@dataclass(frozen=True)
class Layout:
    """Where every switch stands and how long every cable is.

    cabinet: int32[switches]; place_m: float64[cabinets, 2], the (x, y) of each cabinet.
    """

    topology: Topology
    floor: Floor
    cabinet: np.ndarray
    place_m: np.ndarray

    @property
    def cabinets(self) -> int:
        """How many cabinets are used."""
        return len(self.place_m)

    @cached_property
    def between(self) -> np.ndarray:
        """Whether each link runs between cabinets, bool[links]."""
        ends = self.cabinet[self.topology.links]
        return np.asarray(ends[:, 0] != ends[:, 1])

    @cached_property
    def length_m(self) -> np.ndarray:
        """The length of each link's cable, float64[links]: Manhattan plus overhead, or the length inside a cabinet."""
        ends = self.place_m[self.cabinet[self.topology.links]]
        apart = np.abs(ends[:, 0] - ends[:, 1]).sum(axis=1)
        return np.where(self.between, apart + self.floor.overhead_m, self.floor.inside_m)

    @property
    def mean_length_m(self) -> float:
        """The mean over all switch-to-switch cables; 0 without any."""
        return float(self.length_m.mean()) if self.length_m.size else 0.0

    @property
    def longest_m(self) -> float:
        """The longest cable; 0 without any."""
        return float(self.length_m.max()) if self.length_m.size else 0.0


def place(topology: Topology, floor: Floor | str = "slimfly-2014", cluster: str = "auto") -> Layout:
    """Put the switches into cabinets and the cabinets on the floor, row by row.

    Parameters
    ----------
    topology : Topology
    floor : Floor or str
        A floor, or the name of a preset.
    cluster : str
        ``groups``, ``sequence`` or ``auto`` (groups where the family has them).

    Raises
    ------
    InputError
        The cabinets do not fit the floor, or one switch's hosts do not fit a cabinet.

    Examples
    --------
    >>> from topoloom import build
    >>> layout = place(build("slimfly:q=19,hosts=15"))
    >>> layout.cabinets, int(layout.between.sum()), round(layout.mean_length_m, 3)
    (19, 6498, 3.436)
    """
    floor = preset(floor) if isinstance(floor, str) else floor
    cabinet = assign_cabinets(topology, floor, cluster)
    return Layout(topology, floor, cabinet, floor.places(int(cabinet.max()) + 1))
