"""Messages: a send is matched with its receive, travels its path, and notifies both ranks of its end.

The arrays are those of `State`: source, goal, tag, phase by message; sent and awaited list messages posted on one side only.
"""

import numpy as np

from topoloom.core.compiling.decorators import stage
from topoloom.simulation.flows.kernels.fair import enter, leave
from topoloom.simulation.flows.kernels.heap import put
from topoloom.simulation.flows.kernels.walks import member_of, split
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

#: The number of recent messages over which the mean time of a message is averaged.
_REMEMBERED = 1024
#: The phase of a message that has arrived before its receive was posted.
ARRIVED = 5


@stage
def _queued(s: State, queue: int, source: int, goal: int, tag: int) -> int:
    """Remove the oldest message of a queue (0: awaited, 1: sent) from source to goal with this tag; return it, or -1."""
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
    """Put a new message at the end of a queue; return it."""
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
def send(f: FlowNetwork, p: Program, s: State, source: int, goal: int, tag: int, size: float, sender_wait: int) -> None:
    """Post a send; the sender is notified at once where it does not wait."""
    s.counter[MESSAGES] += 1
    if size < p.detached:
        notify(s, source, sender_wait)
        sender_wait = NOBODY
    m = _queued(s, 0, source, goal, tag)
    awaited = m >= 0
    if not awaited:
        m = _queue(s, 1, source, goal, tag)
        s.phase[m], s.receiver_wait[m] = SENT, NOBODY
    s.left[m], s.sender_wait[m] = size, sender_wait
    if awaited or size < p.eager:
        _start(f, p, s, m)


@stage
def receive(f: FlowNetwork, p: Program, s: State, source: int, goal: int, tag: int, receiver_wait: int) -> None:
    """Post a receive."""
    m = _queued(s, 1, source, goal, tag)
    if m < 0:
        m = _queue(s, 0, source, goal, tag)
        s.phase[m], s.receiver_wait[m] = AWAITED, receiver_wait
    elif s.phase[m] == ARRIVED:
        free(s, m)
        notify(s, goal, receiver_wait)
    else:
        s.receiver_wait[m] = receiver_wait
        if s.phase[m] == SENT:
            _start(f, p, s, m)


@stage
def notify(s: State, rank: int, wait: int) -> None:
    """Notify a rank that a message has ended: wake a rank that blocks, or complete the request with number `wait`."""
    if wait == STANDING:
        s.pending[rank] -= 1
        if s.pending[rank] == 0:
            s.ready[s.counter[READY]] = rank
            s.counter[READY] += 1
    elif wait >= 0:
        s.request[rank, wait] = 0
        if s.waits[rank] == wait:
            s.waits[rank] = -1
            s.ready[s.counter[READY]] = rank
            s.counter[READY] += 1


@stage
def _start(f: FlowNetwork, p: Program, s: State, m: int) -> None:
    """Start a message, through the next of the sender's ports."""
    set_out(f, s, m, s.source[m], s.goal[m], p.home[s.source[m]], p.home[s.goal[m]], -1)


@stage
def set_out(
    f: FlowNetwork, s: State, m: int, from_rank: int, to_rank: int, source: int, goal_host: int, port: int
) -> None:
    """Determine the path between two hosts through one of their ports (-1: each in turn), and start with the delays.

    Ranks are what distinguishes the connections of two hosts, as the ports of their protocol do.
    """
    s.started[m] = s.clock[NOW]
    s.phase[m], s.hops[m] = DELAYED, 0
    if source == goal_host:
        delay = f.inside_delay + s.left[m] / f.inside_rate
    else:
        place = port % f.port.shape[1]
        if port < 0:
            place = s.turn[source] % f.port.shape[1]
            s.turn[source] += 1
        out_port, in_port = f.port[source, place], f.port[goal_host, place]
        if f.sent_from[in_port] >= 0:
            out_port = f.sent_from[in_port]
        delay = f.host_delay
        at, goal, row, hosts = f.switch[out_port], f.switch[in_port], f.row[in_port], f.switch.size
        s.path[m, 0] = f.resource[f.to.size + out_port]
        hops = 1
        if f.split and at != goal:
            hops = split(f, s, m, at, goal)
            delay += s.late[at]
            at = goal
        state = np.int64(0)
        while at != goal:
            channel = f.first[at]
            if f.group.shape[0]:
                chosen = member_of(f, state, goal, at, from_rank, to_rank)
                channel, state = channel + np.int64(f.member_port[chosen]), np.int64(f.member_state[chosen])
            else:
                channel += f.ports[row, at]
            s.path[m, hops] = f.resource[channel]
            s.carried[channel] += s.left[m]
            delay += f.delay[channel]
            hops += 1
            at = f.to[channel]
        if f.split:
            s.weight[m * s.path.shape[1]] = s.weight[m * s.path.shape[1] + hops] = 1.0
        s.path[m, hops] = f.resource[f.to.size + hosts + in_port]
        s.hops[m] = hops + 1
    s.counter[HEAP] = put(s.order, s.position, s.key, s.counter[HEAP], s.at.size + m, s.clock[NOW] + delay)


@stage
def arrives(f: FlowNetwork, s: State, m: int) -> bool:
    """Advance a message whose event is due: after its delays it becomes a flow; return whether it has arrived."""
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
    """Advance a message whose event is due; when it has arrived, notify both ranks."""
    if not arrives(f, s, m):
        return
    source, goal, sender_wait, receiver_wait = s.source[m], s.goal[m], s.sender_wait[m], s.receiver_wait[m]
    if receiver_wait == NOBODY:
        s.phase[m] = ARRIVED
    else:
        free(s, m)
        notify(s, goal, receiver_wait)
    notify(s, source, sender_wait)


@stage
def free(s: State, m: int) -> None:
    s.phase[m] = FREE
    s.room[s.counter[ROOM]] = m
    s.counter[ROOM] += 1
