"""Ranks: each does its operations one after the other, and stands still for messages and for its own computing."""

from topoloom.core.compiling.decorators import kernel, stage
from topoloom.simulation.flows.kernels.filling import refill
from topoloom.simulation.flows.kernels.heap import put, take_out
from topoloom.simulation.flows.kernels.messages import receive, send, travel
from topoloom.simulation.flows.kernels.steps import step_of, steps_of
from topoloom.simulation.flows.state import (
    ALGORITHM,
    CLOCK,
    COLLECTIVE,
    COMPUTE,
    DIRTY,
    DIRTY_SINCE,
    EVENTS,
    FINISHED,
    FRESH,
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
    WINDOW,
    FlowNetwork,
    Program,
    State,
)

#: Why `run` returns: all ranks are done; none can go on; so many events have passed; there is no room for messages.
DONE, STUCK, PAUSED, FULL = range(4)
#: Messages of collectives have tags below those of programs, which count from 0.
_COLLECTIVE_TAG = -1
#: Groups' kinds in a tag.
_KINDS = 64
#: Seconds within which events are at one time, as in SimGrid.
_INSTANT = 1e-12


@kernel
def run(f: FlowNetwork, p: Program, s: State, events: int) -> int:
    """Go on until the end, or for so many events; see DONE and the others."""
    until = s.counter[EVENTS] + events
    while True:
        while s.counter[READY] > 0:
            # A rank posts two messages at most before it is asked again.
            if s.counter[ROOM] < 2:
                return FULL
            s.counter[READY] -= 1
            _go_on(f, p, s, s.ready[s.counter[READY]])
        if s.counter[HEAP] == 0:
            return DONE if s.counter[FINISHED] == s.at.size else STUCK
        item = s.order[0]
        when = s.key[item]
        if s.counter[DIRTY] + s.counter[FRESH] > 0:
            # Rates are worked out again when time goes on, or when they have been out of date for long enough.
            window = s.clock[WINDOW] / s.clock[HURRY] if s.clock[HURRY] > 0 else 0.0
            since = s.clock[DIRTY_SINCE] if window > 0 else s.clock[NOW]
            if when > since + window + _INSTANT:
                refill(f, s)
                continue
        if s.counter[EVENTS] >= until:
            return PAUSED
        s.counter[EVENTS] += 1
        s.clock[NOW] = max(s.clock[NOW], when)
        s.counter[HEAP] = take_out(s.order, s.position, s.key, s.counter[HEAP], item)
        if item < s.at.size:
            s.ready[s.counter[READY]] = item
            s.counter[READY] += 1
        else:
            travel(f, s, item - s.at.size)


@stage
def _go_on(f: FlowNetwork, p: Program, s: State, rank: int) -> None:
    """A rank does what it can do now, and posts at most two messages."""
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
            # It goes on at once, but not before there is room for its next messages.
            s.ready[s.counter[READY]] = rank
            s.counter[READY] += 1
            return


@stage
def _next(p: Program, s: State, rank: int, i: int) -> None:
    """An operation is over."""
    s.spent[rank, p.argument[i, LABEL]] += s.clock[NOW] - s.began[rank]
    s.at[rank], s.step[rank] = i + 1, -1
    s.counter[STEPS] += 1


@stage
def _member(p: Program, rank: int, kind: int, place: int) -> int:
    return p.member[p.member_first[p.group[rank, kind]] + place]


@stage
def _act(f: FlowNetwork, p: Program, s: State, rank: int, i: int, code: int) -> bool:
    """Begin an operation that is no collective; whether the rank stands still for it."""
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
            # A send that does not wait tells nobody.
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
    """Receive; whether it was not there already. What is told at once puts the rank among the ready ones: it is taken back."""
    ready = s.counter[READY]
    receive(f, p, s, source, rank, tag, STANDING)
    if s.pending[rank] == 0:
        s.counter[READY] = ready
        return False
    return True


@stage
def _collective(f: FlowNetwork, p: Program, s: State, rank: int, i: int) -> tuple[bool, bool]:
    """Do the next step of a collective in which the rank sends or receives: whether there is one, and whether it stands."""
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
        # Told at once: whoever was told is this rank, and it goes on by itself.
        s.counter[READY] = ready
        return True, False
    return True, True
