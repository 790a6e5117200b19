"""Flows enter and leave their paths; resources and flows whose rates must then be recomputed are recorded.

The arrays are those of `State`: s.crowd lists the flows of each resource, s.share its capacity and the used part.
"""

import numpy as np

from topoloom.core.compiling.decorators import stage
from topoloom.simulation.flows.kernels.heap import put
from topoloom.simulation.flows.state import (
    CAPACITY,
    CLASH,
    DIRTY,
    DIRTY_SINCE,
    FLOWS,
    FRESH,
    HEAD,
    HEAP,
    HELD,
    NOW,
    OWNER,
    USED,
    FlowNetwork,
    State,
)

#: A resource is full when less than this share of it is free; rates that differ by a smaller share are equal.
FULL, SAME = 1e-9, 1e-12


@stage
def weight_of(f: FlowNetwork, s: State, m: int, hop: int) -> float:
    """Return the share of its rate that a flow has on a resource of its path."""
    return s.weight[(m * s.path.shape[1] + hop) * f.split]


@stage
def set_rate(f: FlowNetwork, s: State, m: int, rate: float, now: float) -> None:
    """Give a flow a rate from now on, and enter its end into the heap of events."""
    old = s.rate[m]
    s.left[m] = max(0.0, s.left[m] - old * (now - s.since[m]))
    s.since[m], s.rate[m] = now, rate
    for hop in range(s.hops[m]):
        s.share[s.path[m, hop], USED] += (rate - old) * weight_of(f, s, m, hop)
    item = s.at.size + m
    s.counter[HEAP] = put(s.order, s.position, s.key, s.counter[HEAP], item, now + s.left[m] / rate)


@stage
def _touch(s: State, resource: int) -> None:
    """Record that the flows of a resource have outdated rates."""
    if s.is_dirty[resource] == 0:
        if s.counter[DIRTY] == 0 and s.counter[FRESH] == 0:
            s.clock[DIRTY_SINCE] = s.clock[NOW]
        s.is_dirty[resource] = 1
        s.dirty[s.counter[DIRTY]] = resource
        s.counter[DIRTY] += 1


@stage
def enter(f: FlowNetwork, s: State, m: int, now: float) -> None:
    """Let a flow enter its path. Where its full rate is free, no other flow's rate changes."""
    most = s.path.shape[1]
    fastest, once = f.top, True
    s.neck[m] = -1
    for hop in range(s.hops[m]):
        resource, node = s.path[m, hop], m * most + hop
        if s.share[resource, HELD] > now:
            s.counter[CLASH] = np.int64(s.share[resource, OWNER]) + 1
        first = s.crowd[resource, HEAD]
        s.next[node], s.back[node] = first, -1
        if first >= 0:
            s.back[first] = node
            # A walk over a group may come back over the link that it left by.
            once = once and first // most != m
        s.crowd[resource, HEAD] = node
        s.crowd[resource, FLOWS] += 1
        if s.share[resource, CAPACITY] < fastest * weight_of(f, s, m, hop):
            fastest, s.neck[m] = s.share[resource, CAPACITY] / weight_of(f, s, m, hop), resource
    fits, share = once, fastest
    for hop in range(s.hops[m]):
        resource = s.path[m, hop]
        free = (s.share[resource, CAPACITY] * (1 + FULL) - s.share[resource, USED]) / weight_of(f, s, m, hop)
        fits = fits and free >= fastest
        share = min(share, max(free, s.share[resource, CAPACITY] / s.crowd[resource, FLOWS]))
    s.since[m], s.rate[m] = now, 0.0
    # Until rates are recomputed, a flow uses the free capacity, or an even share.
    set_rate(f, s, m, share, now)
    if not fits and s.is_fresh[m] == 0:
        if s.counter[DIRTY] == 0 and s.counter[FRESH] == 0:
            s.clock[DIRTY_SINCE] = now
        s.is_fresh[m] = 1
        s.fresh[s.counter[FRESH]] = m
        s.counter[FRESH] += 1


@stage
def leave(f: FlowNetwork, s: State, m: int) -> None:
    """Let a flow leave. Where it frees capacity of a full resource, other flows there may become faster."""
    most = s.path.shape[1]
    for hop in range(s.hops[m]):
        resource, node = s.path[m, hop], m * most + hop
        before, behind = s.back[node], s.next[node]
        if before >= 0:
            s.next[before] = behind
        else:
            s.crowd[resource, HEAD] = behind
        if behind >= 0:
            s.back[behind] = before
        s.crowd[resource, FLOWS] -= 1
        full = s.share[resource, USED] >= s.share[resource, CAPACITY] * (1 - FULL)
        if s.crowd[resource, FLOWS] == 0:
            s.share[resource, USED] = 0.0
        else:
            s.share[resource, USED] -= s.rate[m] * weight_of(f, s, m, hop)
            if full:
                _touch(s, resource)
