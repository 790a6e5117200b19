"""Ranks: each executes its operations in order, and blocks for messages and for its own computation.

The arrays are those of `Program` (operations) and `State` (position, step and requests of each rank).
"""

from topoloom.core.compiling.decorators import kernel, stage
from topoloom.simulation.flows.kernels.behind import pass_time
from topoloom.simulation.flows.kernels.filling import refill
from topoloom.simulation.flows.kernels.heap import put, take_out
from topoloom.simulation.flows.kernels.messages import receive, send, travel
from topoloom.simulation.flows.kernels.steps import step_of, steps_of
from topoloom.simulation.flows.kernels.undisturbed import gathers, go_through, scatter
from topoloom.simulation.flows.state import (
    ALGORITHM,
    CLASH,
    CLOCK,
    COLLECTIVE,
    COMPUTE,
    DIRTY,
    DIRTY_SINCE,
    ENDS,
    EVENTS,
    FINISHED,
    FRESH,
    GATHERED,
    GROUP,
    HEAP,
    HURRY,
    IRECV,
    ISEND,
    LABEL,
    NOW,
    PEER,
    READY,
    ROOM,
    SEND,
    SLOT,
    STANDING,
    STEPS,
    TAG,
    TIMES,
    WAIT,
    WHOLE,
    WINDOW,
    FlowNetwork,
    Program,
    State,
)

#: Return values of `run`: all ranks are done; none can continue; the limit of events is reached; no room for messages is left;
#: a collective that was computed without events was not alone.
DONE, STUCK, PAUSED, FULL, DISTURBED = range(5)
#: The tag base of collectives' messages; tags of programs count from 0.
_COLLECTIVE_TAG = -1
#: The number of kinds of groups in a tag.
_KINDS = 64
#: Seconds within which events count as simultaneous, as in SimGrid.
_INSTANT = 1e-12


@kernel
def run(f: FlowNetwork, p: Program, s: State, events: int) -> int:
    """Run until the end, or for a number of events; return DONE, STUCK, PAUSED (after the events), FULL (no room for
    messages) or DISTURBED (the operation is in CLASH).
    """
    until = s.counter[EVENTS] + events
    while True:
        while s.counter[READY] > 0 and s.counter[WHOLE] == 0:
            # A rank posts at most two messages per call of `_go_on`.
            if s.counter[ROOM] < 2:
                return FULL
            s.counter[READY] -= 1
            _go_on(f, p, s, s.ready[s.counter[READY]])
        if s.counter[WHOLE] > 0:
            if not go_through(f, p, s, until):
                return DISTURBED if s.counter[CLASH] > 0 else PAUSED
            continue
        if s.counter[GATHERED] > 0 and (s.counter[HEAP] == 0 or s.key[0] > s.clock[NOW]):
            scatter(p, s)
            continue
        if s.counter[HEAP] == 0:
            return DONE if s.counter[FINISHED] == s.at.size else STUCK
        item = s.order[0]  # a rank that computes, or the number of ranks + a message
        when = s.key[0]
        if s.counter[DIRTY] + s.counter[FRESH] > 0:
            # Rates are recomputed before time advances. With a window, this waits until they have been outdated for WINDOW
            # times the mean duration of a message (1 / HURRY).
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
            s.ready[s.counter[READY]] = item
            s.counter[READY] += 1
        else:
            travel(f, s, item - s.at.size)
            if s.counter[CLASH] > 0:
                return DISTURBED


@stage
def _go_on(f: FlowNetwork, p: Program, s: State, rank: int) -> None:
    """Let a rank do what it can do now; it posts at most two messages."""
    end = p.first[p.of[rank] + 1]
    while True:
        i = s.at[rank]
        if i == end:
            s.finished[rank] = s.clock[NOW]
            s.counter[FINISHED] += 1
            return
        if s.step[rank] < 0:
            s.began[rank] = s.clock[NOW]
            s.step[rank] = s.again[rank] = 0
            if p.until[i, ENDS] > i and gathers(p, s, rank, i):
                return
        code = p.code[i]
        if code == COLLECTIVE:
            acted, stands = _collective(f, p, s, rank, i)
            if not acted:
                _next(p, s, rank, i)
                continue
        elif s.step[rank] > 0:
            _next(p, s, rank, i)
            continue
        else:
            s.step[rank] = 1
            acted = code != CLOCK and code != WAIT
            stands = _act(f, p, s, rank, i, code)
        if stands:
            return
        if acted:
            # It continues at once, as soon as there is room for its next messages.
            s.ready[s.counter[READY]] = rank
            s.counter[READY] += 1
            return


@stage
def _next(p: Program, s: State, rank: int, i: int) -> None:
    """End an operation of a rank."""
    s.spent[rank, p.argument[i, LABEL]] += s.clock[NOW] - s.began[rank]
    s.at[rank], s.step[rank] = i + 1, -1
    s.counter[STEPS] += 1


@stage
def _member(p: Program, rank: int, kind: int, place: int) -> int:
    return p.member[p.member_first[p.group[rank, kind]] + place]


@stage
def _act(f: FlowNetwork, p: Program, s: State, rank: int, i: int, code: int) -> bool:
    """Begin an operation other than a collective; return whether the rank blocks for it."""
    if code == COMPUTE:
        s.counter[HEAP] = put(s.order, s.position, s.key, s.counter[HEAP], rank, s.clock[NOW] + p.amount[i])
        return True
    if code == WAIT:
        if s.request[rank, p.argument[i, SLOT]] == 0:
            return False
        s.waits[rank] = p.argument[i, SLOT]
        return True
    if code == CLOCK:
        if p.argument[i, TAG] == 0:
            s.spent[rank, p.argument[i, LABEL]] -= s.clock[NOW]
        else:
            s.spent[rank, p.argument[i, LABEL]] += s.clock[NOW]
        return False
    peer = _member(p, rank, p.argument[i, GROUP], p.argument[i, PEER])
    tag = p.argument[i, TAG] * _KINDS + p.argument[i, GROUP]
    if code == SEND or code == ISEND:
        stands = code == SEND and p.amount[i] >= p.detached
        if code == ISEND:
            s.request[rank, p.argument[i, SLOT]] = 1
            send(f, p, s, rank, peer, tag, p.amount[i], p.argument[i, SLOT])
        else:
            if stands:
                s.pending[rank] += 1
            # A send that does not block notifies no rank.
            send(f, p, s, rank, peer, tag, p.amount[i], STANDING if stands else -2)
        return stands
    if code == IRECV:
        s.request[rank, p.argument[i, SLOT]] = 1
        receive(f, p, s, peer, rank, tag, p.argument[i, SLOT])
        return False
    s.pending[rank] += 1
    return _stands_for(f, p, s, peer, rank, tag)


@stage
def _stands_for(f: FlowNetwork, p: Program, s: State, source: int, rank: int, tag: int) -> bool:
    """Receive; return whether the rank blocks. If the message was there, the rank is not blocked: undo its wake-up."""
    ready = s.counter[READY]
    receive(f, p, s, source, rank, tag, STANDING)
    if s.pending[rank] == 0:
        s.counter[READY] = ready
        return False
    return True


@stage
def _collective(f: FlowNetwork, p: Program, s: State, rank: int, i: int) -> tuple[bool, bool]:
    """Execute the next step of a collective that involves the rank; return whether there is one, and whether the rank
    blocks."""
    kind, algorithm = p.argument[i, GROUP], p.argument[i, ALGORITHM]
    g = p.group[rank, kind]
    size = p.member_first[g + 1] - p.member_first[g]
    steps = steps_of(algorithm, size)
    tag = _COLLECTIVE_TAG * _KINDS + kind
    while True:
        if s.step[rank] >= steps:
            s.again[rank] += 1
            s.step[rank] = 0
            if s.again[rank] >= p.argument[i, TIMES] or steps == 0:
                return False, False
        step = s.step[rank]
        to, out, source, _ = step_of(algorithm, step, p.place[rank, kind], size, p.amount[i])
        s.step[rank] = step + 1
        s.counter[STEPS] += 1
        if to >= 0 or source >= 0:
            break
    ready = s.counter[READY]
    waits = to >= 0 and out >= p.detached
    if source >= 0:
        s.pending[rank] += 1
    if waits:
        s.pending[rank] += 1
    if source >= 0:
        receive(f, p, s, _member(p, rank, kind, source), rank, tag, STANDING)
    if to >= 0:
        send(f, p, s, rank, _member(p, rank, kind, to), tag, out, STANDING if waits else -2)
    if s.pending[rank] == 0:
        # The rank was notified at once: undo its wake-up, as it continues by itself.
        s.counter[READY] = ready
        return True, False
    return True, True
