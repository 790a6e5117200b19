"""The order of a schedule's operations: which can start, what a CPU does next, and which send matches which receive.

A simulator of messages calls `begin`, then `go_on`; after each event it calls `computed` or `ended`, and `go_on`. Then
`starting` lists the sends whose messages start, and `computing` the CPUs that start to compute. The arrays are those of
`ScheduleState`.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.simulation.flows.operations import ANY, CALC, RECV
from topoloom.simulation.flows.state import COMPUTING, OVER, READY_COUNT, SEEN, STARTING, ScheduleState

#: Phases of a send: posted; its message travels; the message has arrived before its receive was posted.
POSTED, TRAVELS, CAME = 1, 2, 3


@kernel
def cyclic(
    needs: np.ndarray, done_first: np.ndarray, done_next: np.ndarray, start_first: np.ndarray, start_next: np.ndarray
) -> int:
    """Return an operation that waits for itself, through others, or -1; needs, int32[k], is overwritten."""
    k, seen, top = needs.size, 0, -1
    # Ready operations form a linked list, stored in `needs`.
    for i in range(k):
        if needs[i] == 0:
            needs[i] = -2 - top
            top = i
    while top >= 0:
        i = top
        top = -2 - needs[i]
        needs[i] = -1 - k - 2
        seen += 1
        for place in range(done_first[i], done_first[i + 1]):
            j = done_next[place]
            needs[j] -= 1
            if needs[j] == 0:
                needs[j] = -2 - top
                top = j
        for place in range(start_first[i], start_first[i + 1]):
            j = start_next[place]
            needs[j] -= 1
            if needs[j] == 0:
                needs[j] = -2 - top
                top = j
    if seen == k:
        return -1
    for i in range(k):
        if needs[i] > 0:
            return i
    return -1


@kernel
def begin(o: ScheduleState) -> None:
    """Mark all operations that wait for nothing as ready."""
    for i in range(o.kind.size):
        if o.needs[i] == 0:
            _ready(o, i)


@stage
def _ready(o: ScheduleState, i: int) -> None:
    o.ready[o.counter[READY_COUNT]] = i
    o.counter[READY_COUNT] += 1


@stage
def _started(o: ScheduleState, i: int) -> None:
    for place in range(o.start_first[i], o.start_first[i + 1]):
        j = o.start_next[place]
        o.needs[j] -= 1
        if o.needs[j] == 0:
            _ready(o, j)


@stage
def _done(o: ScheduleState, i: int, now: float) -> None:
    o.counter[OVER] += 1
    o.finished[o.rank[i]] = now
    for place in range(o.done_first[i], o.done_first[i + 1]):
        j = o.done_next[place]
        o.needs[j] -= 1
        if o.needs[j] == 0:
            _ready(o, j)


@stage
def _queue(o: ScheduleState, ends: np.ndarray, where: int, i: int) -> None:
    """Put an operation at the end of a list."""
    o.after[i] = -1
    if ends[where, 0] < 0:
        ends[where, 0] = i
    else:
        o.after[ends[where, 1]] = i
    ends[where, 1] = i


@stage
def _bucket(o: ScheduleState, source: int, goal: int, tag: int) -> int:
    """Return the list for messages between two ranks with a tag; one list per receiver where receives match anything."""
    mixed = np.uint64(goal) * np.uint64(0x9E3779B97F4A7C15)
    if o.picky:
        mixed ^= (np.uint64(source) << np.uint64(32)) + np.uint64(tag)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(31)
    else:
        return goal
    return np.int64(mixed & np.uint64(o.sent.shape[0] - 1))


@stage
def _matching(o: ScheduleState, ends: np.ndarray, i: int, source: int, goal: int, tag: int) -> int:
    """Remove the oldest match among the waiting receives (or the posted sends); return it, or -1."""
    where = _bucket(o, source, goal, tag)
    before, j = -1, ends[where, 0]
    while j >= 0:
        receives = o.kind[j] == RECV
        sender, to = (o.peer[j], o.rank[j]) if receives else (o.rank[j], o.peer[j])
        if (
            to == goal
            and (sender == source or sender == ANY or source == ANY)
            and (o.tag[j] == tag or o.tag[j] == ANY or tag == ANY)
        ):
            if before < 0:
                ends[where, 0] = o.after[j]
            else:
                o.after[before] = o.after[j]
            if ends[where, 1] == j:
                ends[where, 1] = before
            return j
        before, j = j, o.after[j]
    return -1


@stage
def _set_out(o: ScheduleState, i: int) -> None:
    o.phase[i] = TRAVELS
    o.starting[o.counter[STARTING]] = i
    o.counter[STARTING] += 1


@stage
def _for_cpu(o: ScheduleState, i: int) -> None:
    """Queue an operation for its CPU."""
    w = o.rank[i] * o.cpus + o.cpu[i]
    _queue(o, o.jobs, w, i)


@inner
def _work(o: ScheduleState, w: int, now: float) -> None:
    """Let a free CPU do what it can."""
    while o.busy[w] < 0 and o.jobs[w, 0] >= 0:
        i = o.jobs[w, 0]
        o.jobs[w, 0] = o.after[i]
        kind = o.kind[i]
        if kind == RECV:
            _done(o, i, now)
            continue
        _started(o, i)
        if kind == CALC:
            if o.amount[i] <= 0:
                _done(o, i, now)
                continue
            r = o.rank[i]
            if o.working[r] == 0:
                o.since[r] = now
            o.working[r] += 1
            o.busy[w] = i
            o.computing[o.counter[COMPUTING]] = w
            o.counter[COMPUTING] += 1
            continue
        goal, tag = o.peer[i], o.tag[i]
        detached = o.amount[i] < o.detached
        o.phase[i] = POSTED
        j = _matching(o, o.awaited, i, o.rank[i], goal, tag)
        o.partner[i] = j
        if j < 0:
            _queue(o, o.sent, _bucket(o, o.rank[i], goal, tag), i)
        if j >= 0 or o.amount[i] < o.eager:
            _set_out(o, i)
        if detached:
            _done(o, i, now)


@inner
def go_on(o: ScheduleState, now: float) -> None:
    """Start all operations that can start now."""
    while o.counter[SEEN] < o.counter[READY_COUNT]:
        i = o.ready[o.counter[SEEN]]
        o.counter[SEEN] += 1
        if o.kind[i] == RECV:
            # A receive waits for its message without occupying its CPU.
            _started(o, i)
            goal, source, tag = np.int64(o.rank[i]), np.int64(o.peer[i]), o.tag[i]
            j = _matching(o, o.sent, i, source, goal, tag)
            if j < 0:
                _queue(o, o.awaited, _bucket(o, source, goal, tag), i)
                continue
            o.partner[j] = i
            if o.phase[j] == POSTED:
                _set_out(o, j)
                continue
            if o.phase[j] == TRAVELS:
                continue
        _for_cpu(o, i)
        _work(o, o.rank[i] * o.cpus + o.cpu[i], now)


@inner
def ended(o: ScheduleState, i: int, now: float) -> None:
    """Handle the arrival of the message of send i."""
    if o.amount[i] >= o.detached:
        _done(o, i, now)
    j = o.partner[i]
    if j < 0:
        o.phase[i] = CAME
    else:
        _for_cpu(o, j)
        _work(o, o.rank[j] * o.cpus + o.cpu[j], now)
    go_on(o, now)


@inner
def computed(o: ScheduleState, w: int, now: float) -> None:
    """Handle the end of a CPU's computation."""
    i = o.busy[w]
    o.busy[w] = -1
    r = o.rank[i]
    o.working[r] -= 1
    if o.working[r] == 0:
        o.worked[r] += now - o.since[r]
    _done(o, i, now)
    _work(o, w, now)
    go_on(o, now)
