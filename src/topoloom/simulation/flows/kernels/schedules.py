"""Schedules in the simulator flows: messages as flows, and computation of CPUs, in the order of time."""

import numpy as np

from topoloom.core.compiling.decorators import kernel, stage
from topoloom.simulation.flows.kernels.behind import pass_time
from topoloom.simulation.flows.kernels.filling import refill
from topoloom.simulation.flows.kernels.heap import put, take_out
from topoloom.simulation.flows.kernels.messages import arrives, free, set_out
from topoloom.simulation.flows.kernels.order import computed, ended, go_on
from topoloom.simulation.flows.kernels.ranks import DONE, FULL, PAUSED, STUCK
from topoloom.simulation.flows.state import (
    COMPUTING,
    DIRTY,
    DIRTY_SINCE,
    EVENTS,
    FRESH,
    HEAP,
    HURRY,
    MESSAGES,
    NOW,
    OVER,
    ROOM,
    STARTING,
    STEPS,
    WINDOW,
    FlowNetwork,
    ScheduleState,
    State,
)

#: Seconds within which events count as simultaneous, as in SimGrid.
_INSTANT = 1e-12


@kernel
def run_order(f: FlowNetwork, o: ScheduleState, s: State, home: np.ndarray, ports: int, events: int) -> int:
    """Run until the end, or for a number of events; return DONE or another code. home: int64[ranks]; ports 1: by `nic`."""
    until = s.counter[EVENTS] + events
    go_on(o, s.clock[NOW])
    while True:
        if not _begin(f, o, s, home, ports):
            return FULL
        s.counter[STEPS] = o.counter[OVER]
        if s.counter[HEAP] == 0:
            return DONE if o.counter[OVER] == o.kind.size else STUCK
        item = s.order[0]
        when = s.key[0]
        if s.counter[DIRTY] + s.counter[FRESH] > 0:
            window = s.clock[WINDOW] / s.clock[HURRY] if s.clock[HURRY] > 0 else 0.0
            since = s.clock[DIRTY_SINCE] if window > 0 else s.clock[NOW]
            if when > since + window + _INSTANT:
                refill(f, s)
                continue
        if s.counter[EVENTS] >= until:
            return PAUSED
        s.counter[EVENTS] += 1
        pass_time(f, s, when)
        s.counter[HEAP] = take_out(s.order, s.position, s.key, s.counter[HEAP], item)
        if item < s.at.size:
            computed(o, item, s.clock[NOW])
            continue
        m = item - s.at.size
        if arrives(f, s, m):
            i = s.sender_wait[m]
            free(s, m)
            ended(o, i, s.clock[NOW])


@stage
def _begin(f: FlowNetwork, o: ScheduleState, s: State, home: np.ndarray, ports: int) -> bool:
    """Enter CPUs that compute and messages that start into the heap; return whether there was room for all messages."""
    while o.counter[COMPUTING] > 0:
        o.counter[COMPUTING] -= 1
        w = o.computing[o.counter[COMPUTING]]
        ends = s.clock[NOW] + o.amount[o.busy[w]]
        s.counter[HEAP] = put(s.order, s.position, s.key, s.counter[HEAP], w, ends)
    # Messages start in the order in which they became ready, and so use their host's ports in this order.
    begun = 0
    while begun < o.counter[STARTING] and s.counter[ROOM] > 0:
        i = o.starting[begun]
        begun += 1
        s.counter[MESSAGES] += 1
        s.counter[ROOM] -= 1
        m = s.room[s.counter[ROOM]]
        s.left[m], s.sender_wait[m] = o.amount[i], i
        source, goal = o.rank[i], o.peer[i]
        set_out(f, s, m, source, goal, home[source], home[goal], o.nic[i] if ports else -1)
    left = o.counter[STARTING] - begun
    for place in range(left):
        o.starting[place] = o.starting[begun + place]
    o.counter[STARTING] = left
    return left == 0
