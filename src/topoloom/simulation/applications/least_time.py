"""The lower bound on the time of a program that is a collective, for comparison with the simulated time."""

from functools import lru_cache

import numpy as np

from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.simulation.applications.machine import machine
from topoloom.simulation.applications.program import Program
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.collectives.bound import CollectiveBound, bound_of
from topoloom.simulation.flows.schedule import Schedule

#: Bytes of the cached bounds; the bandwidth part of a bound is proportional to its bytes.
_BYTES = 1 << 40


def least_seconds(
    program: Program, topology: Topology, homes: np.ndarray, settings: AppSettings, layout: Layout | None
) -> float | None:
    """Return the least time for any algorithm and any tables on this network; None where the program is not a collective.

    For networks of thousands of switches it takes seconds, and gives a valid bound that may not be tight.

    Parameters
    ----------
    program : Program
    topology : Topology
    homes : int64[ranks]
        The host of each rank.
    settings : AppSettings
    layout : Layout or None

    Returns
    -------
    float or None
    """
    if isinstance(program, Schedule) or program.moved is None:
        return None
    bound = _cached_bound(
        topology, program.moved.operation, homes.tobytes(), settings, None if layout is None else _LayoutKey(layout)
    )
    bandwidth = bound.bandwidth_s * program.moved.bytes / _BYTES
    return max(bandwidth + bound.first_s, bound.farthest_s) if bandwidth else bound.farthest_s


class _LayoutKey:
    """A layout as a cache key, compared by its cables' lengths."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.key = layout.length_m.tobytes(), layout.floor.inside_m

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _LayoutKey) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=16)
def _cached_bound(
    topology: Topology, operation: str, homes: bytes, settings: AppSettings, by: _LayoutKey | None
) -> CollectiveBound:
    rates = machine(topology, settings, None if by is None else by.layout)
    return bound_of(topology, operation, _BYTES, np.frombuffer(homes, np.int64), rates, quick=True, jobs=1)
