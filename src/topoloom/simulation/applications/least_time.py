"""The least time of a program that is a collective, beside which a simulated one stands."""

from functools import lru_cache

import numpy as np

from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.simulation.applications.machine import machine
from topoloom.simulation.applications.program import Program
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.collectives.bound import CollectiveBound, bound_of
from topoloom.simulation.flows.schedule import Schedule

#: Bytes of the bounds that are kept; a bound is so many times as long as its bytes.
_BYTES = 1 << 40


def least_seconds(
    program: Program, topology: Topology, homes: np.ndarray, settings: AppSettings, layout: Layout | None
) -> float | None:
    """What no algorithm, no tables and no network of these links take less than; None where the program is no collective.

    Of a network of thousands of switches in seconds: a bound that holds, and may be no least.

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
    one = _kept(topology, program.moved.operation, homes.tobytes(), settings, None if layout is None else _By(layout))
    bandwidth = one.bandwidth_s * program.moved.bytes / _BYTES
    return max(bandwidth + one.first_s, one.farthest_s) if bandwidth else one.farthest_s


class _By:
    """A layout that is known by its cables' lengths."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.known = layout.length_m.tobytes(), layout.floor.inside_m

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _By) and self.known == other.known

    def __hash__(self) -> int:
        return hash(self.known)


@lru_cache(maxsize=16)
def _kept(topology: Topology, operation: str, homes: bytes, settings: AppSettings, by: _By | None) -> CollectiveBound:
    there = machine(topology, settings, None if by is None else by.layout)
    return bound_of(topology, operation, _BYTES, np.frombuffer(homes, np.int64), there, quick=True, jobs=1)
