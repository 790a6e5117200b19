"""Collectives that nothing disturbs: their steps follow from each other, without events and without sharing.

Where all ranks of a group begin a collective at the same moment, and each of its messages is alone on its path, a message takes
its delays and then its bytes at the full rate of its path. So the times of all steps of a group follow directly, and are those
of the events, to the last digit. The resources of a message are held until its end. A flow that enters a held resource shows
that the assumption was wrong: the simulation ends as DISTURBED, and is repeated with events at the end of such collectives, or
for all of them.

Arrays (see `State`): here, here_at and gathered, the ranks that have begun a collective at this moment; pace and way, the
times of each rank and the path of its last message; s.share[r, HELD] and s.share[r, OWNER], until when and by which operation a
resource is held.
"""

from topoloom.core.compiling.decorators import inner, stage
from topoloom.simulation.flows.kernels.heap import put
from topoloom.simulation.flows.kernels.steps import step_of, steps_of
from topoloom.simulation.flows.state import (
    ALGORITHM,
    ALONE,
    CAPACITY,
    CLASH,
    ENDS,
    EVENTS,
    GATHERED,
    GROUP,
    HEAP,
    HELD,
    LABEL,
    LEFT,
    MESSAGES,
    NOW,
    OWNER,
    READY,
    RING,
    STAMP,
    STEPS,
    TIMES,
    USED,
    WHOLE,
    FlowNetwork,
    Program,
    State,
)

#: Columns of `State.pace`: when the current and the next step of a rank begin, and delay and rate of its last message's path.
_BEGINS, _NEXT, _DELAY, _RATE = range(4)
#: Columns of `State.way`, before the resources: the receiver of the last message, and the resources on its path.
_TO, _HOPS, _PATH = range(3)
#: The most steps of a collective whose paths are compared before it begins; the others are checked as they come.
_COMPARED = 64


@inner
def gathers(p: Program, s: State, rank: int, i: int) -> bool:
    """Let a rank that begins a collective wait for its group, until the moment is over; return whether it waits.

    When the whole group waits, `WHOLE` has its number.
    """
    g = p.group[rank, p.argument[i, GROUP]]
    size = p.member_first[g + 1] - p.member_first[g]
    part = p.amount[i] / size if p.argument[i, ALGORITHM] == RING else p.amount[i]
    if (
        size == 1
        or part < p.detached
        or s.counter[GATHERED] == s.gathered.size
        or (s.here[g] > 0 and s.here_at[g] != i)
    ):
        return False
    for slot in range(s.request.shape[1]):
        if s.request[rank, slot] != 0:
            # Another message of the rank may start at any time.
            return False
    s.here_at[g] = i
    s.here[g] += 1
    s.is_gathered[rank] = 1
    s.gathered[s.counter[GATHERED]] = rank
    s.counter[GATHERED] += 1
    if s.here[g] == size:
        s.counter[WHOLE] = g + 1
    return True


@inner
def scatter(p: Program, s: State) -> None:
    """Let all ranks that still wait for their group continue with events, in the order in which they came."""
    for place in range(s.counter[GATHERED] - 1, -1, -1):
        rank = s.gathered[place]
        if s.is_gathered[rank] != 0:
            s.is_gathered[rank] = 0
            s.here[p.group[rank, p.argument[s.at[rank], GROUP]]] = 0
            s.ready[s.counter[READY]] = rank
            s.counter[READY] += 1
    s.counter[GATHERED] = 0


@inner
def go_through(f: FlowNetwork, p: Program, s: State, until: int) -> bool:
    """Compute the consecutive collectives of the gathered group; return whether they ended before event number `until`.

    The first rank of the group has the operation, the repetition and the step that come next. A group whose first messages are
    not alone on their paths stays gathered, and continues with events.
    """
    g = s.counter[WHOLE] - 1
    first, end = p.member_first[g], p.member_first[g + 1]
    lead, begun = p.member[first], s.here_at[g]
    if s.at[lead] == begun and s.again[lead] == 0 and s.step[lead] == 0:
        if not _alone(f, p, s, g, begun):
            s.counter[WHOLE] = 0
            return True
        for place in range(first, end):
            s.pace[p.member[place], _BEGINS] = s.clock[NOW]
    while s.at[lead] < p.until[begun, ENDS]:
        i = s.at[lead]
        steps = steps_of(p.argument[i, ALGORITHM], end - first)
        _parts(p, s, g, i)
        while s.again[lead] < p.argument[i, TIMES]:
            while s.step[lead] < steps - _left(p, s, begun, lead):
                if not _step(f, p, s, g, i, s.step[lead], begun):
                    return False
                s.step[lead] += 1
                s.counter[STEPS] += end - first
                s.counter[EVENTS] += (end - first) >> 4
                if s.counter[EVENTS] >= until:
                    return False
            if _left(p, s, begun, lead) > 0:
                _let_go(p, s, g)
                return True
            s.again[lead] += 1
            s.step[lead] = 0
        for place in range(first, end):
            rank = p.member[place]
            s.spent[rank, p.argument[i, LABEL]] += s.pace[rank, _BEGINS] - s.began[rank]
            s.began[rank] = s.pace[rank, _BEGINS]
        s.counter[STEPS] += end - first
        s.at[lead], s.again[lead] = i + 1, 0
    s.step[lead] = -1
    _let_go(p, s, g)
    return True


@stage
def _left(p: Program, s: State, begun: int, lead: int) -> int:
    """Return how many steps at the end of this repetition of a collective are left for events."""
    i = s.at[lead]
    last = i + 1 == p.until[begun, ENDS] and s.again[lead] + 1 == p.argument[i, TIMES]
    return p.until[begun, LEFT] if last else 0


@stage
def _let_go(p: Program, s: State, g: int) -> None:
    """Let each rank of the group continue with events, from its own time on, where the first one is."""
    lead = p.member[p.member_first[g]]
    at, again, step = s.at[lead], s.again[lead], s.step[lead]
    for place in range(p.member_first[g], p.member_first[g + 1]):
        rank = p.member[place]
        s.at[rank], s.again[rank], s.step[rank], s.is_gathered[rank] = at, again, step, 0
        s.counter[HEAP] = put(s.order, s.position, s.key, s.counter[HEAP], rank, s.pace[rank, _BEGINS])
    s.here[g] = s.counter[WHOLE] = 0


@stage
def _parts(p: Program, s: State, g: int, i: int) -> None:
    """Store the bytes of each part of a ring's vector: the first message of each rank has its own part."""
    if p.argument[i, ALGORITHM] == RING:
        size = p.member_first[g + 1] - p.member_first[g]
        for place in range(size):
            _, s.part_bytes[place], _, _ = step_of(RING, 0, place, size, p.amount[i])


@stage
def _sent(p: Program, s: State, g: int, i: int, step: int, place: int) -> tuple[int, float]:
    """Return the place in the group to which a rank sends in a step, and the bytes; -1: to none."""
    size = p.member_first[g + 1] - p.member_first[g]
    if p.argument[i, ALGORITHM] == RING:
        own = place - step if place >= step else place - step + size
        return (place + 1 if place + 1 < size else 0), s.part_bytes[own]
    to, out, _, _ = step_of(p.argument[i, ALGORITHM], step, place, size, p.amount[i])
    return to, out


@inner
def _alone(f: FlowNetwork, p: Program, s: State, g: int, i: int) -> bool:
    """Return whether no message of the first steps shares a resource with another one of its step, or with other flows."""
    first, end = p.member_first[g], p.member_first[g + 1]
    # All messages of a rank in a ring have the same path.
    steps = 1 if p.argument[i, ALGORITHM] == RING else min(_COMPARED, steps_of(p.argument[i, ALGORITHM], end - first))
    _parts(p, s, g, i)
    for step in range(steps):
        s.counter[STAMP] += 1
        for place in range(end - first):
            to, out = _sent(p, s, g, i, step, place)
            if to < 0:
                continue
            # A rank does not wait for messages that are sent at once, and so has several.
            if out <= 0 or out < p.detached or out < p.eager:
                return False
            rank = p.member[first + place]
            _take_way(f, p, s, rank, p.member[first + to], p.member[min(first + place + 1, end - 1)])
            for hop in range(s.way[rank, _HOPS]):
                resource = s.way[rank, _PATH + hop]
                if (
                    s.mark[resource] == s.counter[STAMP]
                    or s.share[resource, USED] != 0
                    or s.share[resource, HELD] > s.clock[NOW]
                ):
                    return False
                s.mark[resource] = s.counter[STAMP]
    return True


@stage
def _step(f: FlowNetwork, p: Program, s: State, g: int, i: int, step: int, owner: int) -> bool:
    """Compute a step of all ranks of a group; return whether its messages are alone, else `CLASH` has the operation `owner`."""
    first, end, channels = p.member_first[g], p.member_first[g + 1], f.to.size
    for place in range(first, end):
        rank = p.member[place]
        s.pace[rank, _NEXT] = s.pace[rank, _BEGINS]
    for place in range(end - first):
        to_place, out = _sent(p, s, g, i, step, place)
        if to_place < 0:
            continue
        rank, to = p.member[first + place], p.member[first + to_place]
        if s.way[rank, _TO] != to:
            _take_way(f, p, s, rank, to, p.member[min(first + place + 1, end - 1)])
        begins = max(s.pace[rank, _BEGINS], s.pace[to, _BEGINS])
        hops = s.way[rank, _HOPS]
        alone = out > 0 and out >= p.detached and out >= p.eager
        if hops == 0:
            ends = begins + (s.pace[rank, _DELAY] + out / s.pace[rank, _RATE])
        else:
            s.clock[ALONE] += out
            enters = begins + s.pace[rank, _DELAY]
            ends = enters + out / s.pace[rank, _RATE]
            for hop in range(hops):
                resource = s.way[rank, _PATH + hop]
                alone = alone and s.share[resource, HELD] <= enters and s.share[resource, USED] == 0
                s.share[resource, HELD], s.share[resource, OWNER] = ends, owner
                if resource < channels:
                    s.carried[resource] += out
        if not alone:
            s.counter[CLASH] = owner + 1
            return False
        s.pace[rank, _NEXT] = max(s.pace[rank, _NEXT], ends)
        s.pace[to, _NEXT] = max(s.pace[to, _NEXT], ends)
        s.counter[MESSAGES] += 1
    for place in range(first, end):
        rank = p.member[place]
        s.pace[rank, _BEGINS] = s.pace[rank, _NEXT]
    return True


@stage
def _take_way(f: FlowNetwork, p: Program, s: State, rank: int, to: int, other: int) -> None:
    """Store the path of a rank's messages to another one, with its delay and its full rate.

    `other` is a rank that may have a path to the same receiver: the next one, where each step sends to the next receiver.
    """
    source, goal_host = p.home[rank], p.home[to]
    if source == goal_host:
        s.way[rank, _TO], s.way[rank, _HOPS] = to, 0
        s.pace[rank, _DELAY], s.pace[rank, _RATE] = f.inside_delay, f.inside_rate
        return
    out_port, in_port = f.port[source, 0], f.port[goal_host, 0]
    at, goal, row = f.switch[out_port], f.switch[in_port], f.row[in_port]
    delay, hops = f.host_delay, 1
    s.way[rank, _PATH] = f.to.size + out_port
    if s.way[other, _TO] == to and s.way[other, _HOPS] > 0 and f.switch[f.port[p.home[other], 0]] == at:
        delay, at = s.pace[other, _DELAY], goal
        for hop in range(1, s.way[other, _HOPS] - 1):
            s.way[rank, _PATH + hop] = s.way[other, _PATH + hop]
        hops = s.way[other, _HOPS] - 1
    while at != goal:
        channel = f.first[at] + f.ports[row, at]
        s.way[rank, _PATH + hops] = channel
        delay += f.delay[channel]
        hops += 1
        at = f.to[channel]
    s.way[rank, _PATH + hops] = f.to.size + f.switch.size + in_port
    s.way[rank, _TO], s.way[rank, _HOPS], s.pace[rank, _DELAY] = to, hops + 1, delay
    rate = f.top
    for hop in range(hops + 1):
        rate = min(rate, s.share[s.way[rank, _PATH + hop], CAPACITY])
    s.pace[rank, _RATE] = rate
