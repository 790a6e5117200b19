"""Messages: a send finds its receive, travels its path, and tells both ranks of its end."""

from topoloom.core.compiling.decorators import stage
from topoloom.simulation.flows.kernels.fair import enter, leave
from topoloom.simulation.flows.kernels.heap import put
from topoloom.simulation.flows.state import (
    AWAITED,
    DELAYED,
    FLOWING,
    FREE,
    HEAP,
    HURRY,
    MESSAGES,
    NOBODY,
    NOW,
    READY,
    ROOM,
    SENT,
    STANDING,
    FlowNetwork,
    Program,
    State,
)

#: How fast the mean time of a message forgets: it is of about so many of the last ones.
_REMEMBERED = 1024
#: A send that travels before anybody waits for it has ended, unawaited.
ARRIVED = 5


@stage
def _queued(s: State, queue: int, source: int, goal: int, tag: int) -> int:
    """Take the oldest message of a queue (0: awaited, 1: sent) from source to goal with this tag; -1: there is none."""
    ends = s.sent if queue else s.awaited
    before, m = -1, ends[goal, 0]
    while m >= 0:
        if s.source[m] == source and s.tag[m] == tag:
            if before < 0:
                ends[goal, 0] = s.after[m]
            else:
                s.after[before] = s.after[m]
            if ends[goal, 1] == m:
                ends[goal, 1] = before
            return m
        before, m = m, s.after[m]
    return -1


@stage
def _queue(s: State, queue: int, source: int, goal: int, tag: int) -> int:
    """Put a new message at the end of a queue."""
    s.counter[ROOM] -= 1
    m = s.room[s.counter[ROOM]]
    s.source[m], s.goal[m], s.tag[m], s.after[m] = source, goal, tag, -1
    ends = s.sent if queue else s.awaited
    if ends[goal, 0] < 0:
        ends[goal, 0] = m
    else:
        s.after[ends[goal, 1]] = m
    ends[goal, 1] = m
    return m


@stage
def send(f: FlowNetwork, p: Program, s: State, source: int, goal: int, tag: int, size: float, teller: int) -> None:
    """Post a send; who sends is told at once where it does not wait."""
    s.counter[MESSAGES] += 1
    if size < p.detached:
        tell(s, source, teller)
        teller = NOBODY
    m = _queued(s, 0, source, goal, tag)
    awaited = m >= 0
    if not awaited:
        m = _queue(s, 1, source, goal, tag)
        s.phase[m], s.listener[m] = SENT, NOBODY
    s.left[m], s.teller[m] = size, teller
    if awaited or size < p.eager:
        _start(f, p, s, m)


@stage
def receive(f: FlowNetwork, p: Program, s: State, source: int, goal: int, tag: int, listener: int) -> None:
    """Post a receive."""
    m = _queued(s, 1, source, goal, tag)
    if m < 0:
        m = _queue(s, 0, source, goal, tag)
        s.phase[m], s.listener[m] = AWAITED, listener
    elif s.phase[m] == ARRIVED:
        free(s, m)
        tell(s, goal, listener)
    else:
        s.listener[m] = listener
        if s.phase[m] == SENT:
            _start(f, p, s, m)


@stage
def tell(s: State, rank: int, who: int) -> None:
    """A rank learns that a message has ended: one that it stands still for, or the request of a number."""
    if who == STANDING:
        s.pending[rank] -= 1
        if s.pending[rank] == 0:
            s.ready[s.counter[READY]] = rank
            s.counter[READY] += 1
    elif who >= 0:
        s.request[rank, who] = 0
        if s.waits[rank] == who:
            s.waits[rank] = -1
            s.ready[s.counter[READY]] = rank
            s.counter[READY] += 1


@stage
def _start(f: FlowNetwork, p: Program, s: State, m: int) -> None:
    """A message sets out, by the next of the sender's ports."""
    set_out(f, s, m, p.home[s.source[m]], p.home[s.goal[m]], -1)


@stage
def set_out(f: FlowNetwork, s: State, m: int, source: int, goal_host: int, port: int) -> None:
    """Walk the path from host to host, by a port of theirs (-1: by each in turn); the delays come first."""
    s.started[m] = s.clock[NOW]
    s.phase[m], s.hops[m] = DELAYED, 0
    if source == goal_host:
        delay = f.inside_delay + s.left[m] / f.inside_rate
    else:
        place = port % f.port.shape[1]
        if port < 0:
            place = s.turn[source] % f.port.shape[1]
            s.turn[source] += 1
        here, there = f.port[source, place], f.port[goal_host, place]
        if f.sent_from[there] >= 0:
            here = f.sent_from[there]
        delay = f.host_delay
        at, goal, row, hosts = f.switch[here], f.switch[there], f.row[there], f.switch.size
        s.path[m, 0] = f.resource[f.to.size + here]
        hops = 1
        while at != goal:
            channel = f.first[at] + f.ports[row, at]
            s.path[m, hops] = f.resource[channel]
            s.carried[channel] += s.left[m]
            delay += f.delay[channel]
            hops += 1
            at = f.to[channel]
        s.path[m, hops] = f.resource[f.to.size + hosts + there]
        s.hops[m] = hops + 1
    s.counter[HEAP] = put(s.order, s.position, s.key, s.counter[HEAP], s.at.size + m, s.clock[NOW] + delay)


@stage
def arrives(f: FlowNetwork, s: State, m: int) -> bool:
    """What is next for a message, which the heap has given up: it takes a rate, or has come."""
    if s.phase[m] == DELAYED and s.hops[m] > 0 and s.left[m] > 0:
        s.phase[m] = FLOWING
        enter(f, s, m, s.clock[NOW])
        return False
    if s.phase[m] == FLOWING:
        leave(f, s, m)
        s.rate[m] = 0.0
    took = s.clock[NOW] - s.started[m]
    if took > 0:
        s.clock[HURRY] += (1 / took - s.clock[HURRY]) / (_REMEMBERED if s.clock[HURRY] > 0 else 1)
    return True


@stage
def travel(f: FlowNetwork, s: State, m: int) -> None:
    """What is next for a message: where it has come, both ranks are told."""
    if not arrives(f, s, m):
        return
    source, goal, teller, listener = s.source[m], s.goal[m], s.teller[m], s.listener[m]
    if listener == NOBODY:
        s.phase[m] = ARRIVED
    else:
        free(s, m)
        tell(s, goal, listener)
    tell(s, source, teller)


@stage
def free(s: State, m: int) -> None:
    s.phase[m] = FREE
    s.room[s.counter[ROOM]] = m
    s.counter[ROOM] += 1
