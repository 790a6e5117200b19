"""Ports slower than the fastest one: a flit takes several cycles, a whole number or not, and exactly so on average.

`pace` is None where all ports have the same rate, which the compiler evaluates; for its fields see `fields`. All results are
those of a port without pace where a flit takes one cycle.
"""

import numpy as np

from topoloom.core.compiling.decorators import stage
from topoloom.simulation.flits.kernels.fields import PACE_CYCLES, PACE_FLITS, PACE_FREE, PACE_HOST_FREE, PACE_SIZE, at


@stage
def sent_by(pace: np.ndarray, port: int, free: int, c: int) -> int:
    """Send a flit through a port from cycle c at the earliest; return the last cycle in which it occupies the port.

    free : int
        The field of the time at which the port is free: `PACE_FREE` or `PACE_HOST_FREE`.
    """
    flits, base = pace[at(port * PACE_SIZE + PACE_FLITS)], port * PACE_SIZE
    ends = max(pace[at(base + free)], c * flits) + pace[at(base + PACE_CYCLES)]
    pace[at(base + free)] = ends
    return (ends + flits - 1) // flits - 1


@stage
def queued_beyond(pace: np.ndarray, port: int, bound: int, c: int) -> bool:
    """Return whether `bound` flits or more wait for a port behind the one that could leave in cycle c."""
    base = port * PACE_SIZE
    later = pace[at(base + PACE_FREE)] - (c + 1) * pace[at(base + PACE_FLITS)]
    return later // pace[at(base + PACE_CYCLES)] >= bound


@stage
def host_free(pace: np.ndarray, port: int) -> int:
    """Return the cycle in which a host may hand the next flit to its port."""
    return pace[at(port * PACE_SIZE + PACE_HOST_FREE)] // pace[at(port * PACE_SIZE + PACE_FLITS)]


@stage
def cycles_for(pace: np.ndarray, port: int, flits: int) -> int:
    """Return the whole cycles, rounded up, in which flits pass a port."""
    per = pace[at(port * PACE_SIZE + PACE_FLITS)]
    return (flits * pace[at(port * PACE_SIZE + PACE_CYCLES)] + per - 1) // per


@stage
def stored_until(pace: np.ndarray, came: int, leaves: int, flits: int, arrival: int) -> int:
    """Return the cycle from which a packet may ask for an output such that it never waits for its own flits there.

    Its flits come by port `came` and leave by port `leaves`. A faster output would wait between them, and hold its VC: so a
    switch stores the packet until the rest arrives in time, as cut-through switches do.
    """
    into, out = came * PACE_SIZE, leaves * PACE_SIZE
    per = pace[at(into + PACE_FLITS)] * pace[at(out + PACE_FLITS)]
    slower = (
        pace[at(into + PACE_CYCLES)] * pace[at(out + PACE_FLITS)]
        - pace[at(out + PACE_CYCLES)] * pace[at(into + PACE_FLITS)]
    )
    return arrival + ((flits - 1) * slower + per - 1) // per if slower > 0 else arrival
