"""What the source of a cabled network states of its cables and switches on the floor: lengths and units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Stated:
    """Lengths and units that a source states; they hold in place of those of the floor.

    Attributes
    ----------
    link_m, host_m : float64[links], float64[endpoints]
        The length of each cable in m; 0 where not stated.
    unit : int32[switches]
        The lowest unit of each switch in its rack, from 1; 0 where not stated.
    taken : dict of str to frozenset of int
        The units of each rack, by its name, in which hosts are: switches without a unit do not stand there.
    """

    link_m: np.ndarray
    host_m: np.ndarray
    unit: np.ndarray
    taken: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def part(self, switches: np.ndarray, links: np.ndarray, endpoints: np.ndarray) -> "Stated":
        """What is stated of a part of the network.

        Parameters
        ----------
        switches, links, endpoints : int64[...]
            The numbers in the whole network of those of the part.

        Returns
        -------
        Stated
        """
        return Stated(self.link_m[links], self.host_m[endpoints], self.unit[switches], self.taken)


def with_stated(of_floor: np.ndarray, stated: np.ndarray) -> np.ndarray:
    """Stated values, and those of the floor where nothing (0) is stated."""
    return np.where(stated > 0, stated, of_floor)


def placed_units(stated: Stated, units: np.ndarray, rack: np.ndarray, rack_names: Sequence[str]) -> np.ndarray:
    """The lowest unit of each switch in racks whose switches have stated units, or stand in the lowest free ones.

    Parameters
    ----------
    stated : Stated
    units : float64[switches]
        The height of each switch.
    rack : int32[switches]
        The rack of each.
    rack_names : sequence of str

    Returns
    -------
    int32[switches]
        From 1; 0 for the switches of racks without a stated unit.
    """
    out = stated.unit.astype(np.int32)
    tall = np.maximum(np.ceil(units - 1e-9), 1).astype(np.int64)
    # Where every switch has a unit, none looks for a free one.
    for number in np.intersect1d(rack[out > 0], rack[out == 0]).tolist():
        inside = np.flatnonzero(rack == number)
        taken = {unit for s in inside[out[inside] > 0].tolist() for unit in range(out[s], out[s] + tall[s])}
        taken |= stated.taken.get(rack_names[number], frozenset())
        lowest = 1
        for switch in inside[stated.unit[inside] == 0].tolist():
            while not taken.isdisjoint(range(lowest, lowest + tall[switch])):
                lowest += 1
            out[switch] = lowest
            taken.update(range(lowest, lowest + tall[switch]))
    return out
