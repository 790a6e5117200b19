"""Hosts: create packets and queue them.

`fields` lists the fields of the arrays.
"""

import math

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.simulation.flits.buffers import (
    BACKLOG,
    BURSTS,
    EVENT,
    FREE,
    HASH,
    LEAST_LOADED,
    MADE,
    NEXT,
    RANDOM,
    READY,
    WAITING,
    Buffers,
    Demand,
    NetworkPart,
    RouterNetwork,
    Rules,
)
from topoloom.simulation.flits.kernels.fields import (
    BURST_CYCLE,
    BURST_GOAL,
    BURST_HOST,
    BURST_PACKETS,
    BURST_SIZE,
    HOST_COUNT,
    HOST_FINAL,
    HOST_FIRST,
    HOST_LEFT,
    HOST_SIZE,
    HOST_TURN,
    PLACE_BIRTH,
    PLACE_LENGTH,
    PLACE_NEXT,
    PLACE_SIZE,
    PLACE_WORD,
    TRIP_ASKED,
    TRIP_KIND,
    TRIP_OWNER,
    at,
)
from topoloom.simulation.flits.kernels.flits import BORN, below, draw, stirred
from topoloom.simulation.flits.kernels.paces import cycles_for
from topoloom.throughput.traffic.traffic import LISTS, ROUND, UNIFORM


@kernel
def chance(state: np.ndarray) -> float:
    """Return a random number strictly between 0 and 1."""
    return (np.float64(draw(state, RANDOM) >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)


@stage
def goal_of(
    kind: int,
    first: np.ndarray,
    to: np.ndarray,
    weights: np.ndarray,
    share: float,
    itself: int,
    queue: np.ndarray,
    state: np.ndarray,
    n: int,
    hosts: int,
) -> int:
    """Return the destination of host n's next packet; -1: none."""
    if kind == LISTS:
        begin, end = first[at(n)], first[at(n + 1)]
        if begin == end:
            return np.int64(-1)
        if share >= 1.0 or chance(state) < share:
            if weights.size:
                return np.int64(to[at(begin + np.searchsorted(weights[begin : end - 1], chance(state), side="right"))])
            place = begin if end == begin + 1 else begin + below(state, RANDOM, end - begin)
            return np.int64(to[at(place)])
    elif kind == ROUND:
        turn = np.int64(queue[at(n * HOST_SIZE + HOST_TURN)])
        queue[at(n * HOST_SIZE + HOST_TURN)] = turn + 1 if turn + 2 < hosts else 0
        return (n + 1 + turn) % hosts
    if itself:
        return below(state, RANDOM, hosts)
    goal = below(state, RANDOM, hosts - 1)
    return goal + 1 if goal >= n else goal


@inner
def goal_by_rate(
    kind: int,
    first: np.ndarray,
    to: np.ndarray,
    weights: np.ndarray,
    share: float,
    itself: int,
    host_rate: np.ndarray,
    to_any: np.ndarray,
    queue: np.ndarray,
    state: np.ndarray,
    n: int,
    hosts: int,
) -> int:
    """Return the destination of host n's next packet, where hosts differ in rate; -1: none.

    Hosts of no list receive in proportion to their rates; a host of a list gets equal shares, at most its own rate from
    each, or shares by weights.
    """
    among = kind
    if kind == LISTS and share < 1.0 and first[at(n)] < first[at(n + 1)] and chance(state) >= share:
        among = UNIFORM
    if among == LISTS:
        goal = goal_of(among, first, to, weights, 1.0, itself, queue, state, n, hosts)
        count = first[at(n + 1)] - first[at(n)]
        if goal >= 0 and not weights.size and chance(state) * host_rate[at(n)] * share >= host_rate[at(goal)] * count:
            return np.int64(-1)
        return goal
    if chance(state) >= to_any[at(n)]:
        return np.int64(-1)
    while True:
        goal = goal_of(among, first, to, weights, 1.0, itself, queue, state, n, hosts)
        if goal < 0 or chance(state) < host_rate[at(goal)]:
            return goal


@stage
def enqueue(
    pool: np.ndarray,
    spare: np.ndarray,
    queue: np.ndarray,
    backlog: np.ndarray,
    state: np.ndarray,
    n: int,
    word: int,
    born: int,
    length: int,
) -> int:
    """Put a packet at the end of a host's queue; return its place."""
    state[FREE] -= 1
    place = np.int64(spare[at(state[FREE])])
    pool[at(place * PLACE_SIZE + PLACE_WORD)] = word
    pool[at(place * PLACE_SIZE + PLACE_BIRTH)] = born << BORN
    pool[at(place * PLACE_SIZE + PLACE_LENGTH)] = length
    if queue[at(n * HOST_SIZE + HOST_COUNT)] == 0:
        queue[at(n * HOST_SIZE + HOST_FIRST)] = place
        queue[at(n * HOST_SIZE + HOST_LEFT)] = 0
        backlog[at(state[BACKLOG])] = n
        state[BACKLOG] += 1
    else:
        pool[at(np.int64(queue[at(n * HOST_SIZE + HOST_FINAL)]) * PLACE_SIZE + PLACE_NEXT)] = place
    queue[at(n * HOST_SIZE + HOST_FINAL)] = place
    queue[at(n * HOST_SIZE + HOST_COUNT)] += 1
    return place


@inner
def port_of(demand: Demand, queue: np.ndarray, h: int, goal: int) -> tuple[int, int]:
    """Return the port through which host h sends a packet to host `goal`, and the number of ports per host."""
    spread, ports, turn, rate = demand.spread, demand.ports, demand.turn, demand.port_rate
    count = ports.size // turn.size
    if spread == HASH:
        pair = np.uint64(h) * np.uint64(turn.size) + np.uint64(goal + 1)
        mixed = stirred(pair * np.uint64(0x9E3779B97F4A7C15))
        return np.int64(((mixed >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)), count
    following = np.int64(turn[at(h)]) + 1
    q = following if following < count else np.int64(0)
    if spread == LEAST_LOADED:
        best, least = q, np.int64(1) << 60
        for k in range(count):
            other = q + k if q + k < count else q + k - count
            n = np.int64(ports[at(h * count + other)])
            waiting = np.int64(queue[at(n * HOST_SIZE + HOST_COUNT)])
            if rate.size:
                waiting = np.int64((waiting << 16) / rate[at(n)])
            if waiting < least:
                best, least = other, waiting
        q = best
    elif rate.size:
        # In turn, in proportion to the rates of the ports: the one that would then have sent least per rate.
        soonest = np.inf
        for k in range(count):
            n = np.int64(ports[at(h * count + k)])
            if demand.due[at(n)] + 1.0 / rate[at(n)] < soonest:
                q, soonest = np.int64(k), demand.due[at(n)] + 1.0 / rate[at(n)]
        demand.due[at(np.int64(ports[at(h * count + q)]))] = soonest
    turn[at(h)] = q
    return q, count


@inner
def length_of(lengths: np.ndarray, shares: np.ndarray, state: np.ndarray) -> int:
    """Return the flits of the next packet."""
    if lengths.size == 1:
        return np.int64(lengths[0])
    drawn, k = chance(state), 0
    while k + 1 < lengths.size and drawn > shares[at(k)]:
        k += 1
    return np.int64(lengths[at(k)])


@inner
def note_request(trips: np.ndarray, place: int, n: int, goal: int) -> None:
    """Note that a queued packet is a request of host n to host `goal`."""
    trips[at(place * PLACE_SIZE + TRIP_KIND)] = 0
    trips[at(place * PLACE_SIZE + TRIP_OWNER)] = n
    trips[at(place * PLACE_SIZE + TRIP_ASKED)] = goal


@inner
def begin_replies(s: Buffers, demand: Demand, home: np.ndarray, most: int, c: int, begin: int, end: int) -> None:
    """Queue the replies whose requests have been served; a host whose queue is full loses its reply, as it does packets."""
    state, ring = s.state, demand.replies
    places = ring.size >> 2
    # Routers are visited for two cycles at a time, so that replies are in order but for one cycle.
    for number in range(state[READY], state[WAITING]):
        line = (number % places) << 2
        born = np.int64(ring[at(line)])
        if born > c + 1:
            break
        if born < 0 or born > c:
            continue
        ring[at(line)] = -1
        n, owner = np.int64(ring[at(line + 1)]), np.int64(ring[at(line + 2)])
        if s.queue[at(n * HOST_SIZE + HOST_COUNT)] >= most:
            continue
        if begin <= born < end:
            state[MADE] += 1
        word = np.int64(home[at(owner)])
        place = enqueue(s.pool, s.spare, s.queue, s.backlog, state, n, word, born, demand.loop[1])
        s.round_trips[at(place * PLACE_SIZE + TRIP_KIND)] = 1
        s.round_trips[at(place * PLACE_SIZE + TRIP_OWNER)] = owner
        s.round_trips[at(place * PLACE_SIZE + TRIP_ASKED)] = ring[at(line + 3)]
    while state[READY] < state[WAITING] and ring[at((state[READY] % places) << 2)] < 0:
        state[READY] += 1


@stage
def make_packets(
    pace: np.ndarray | None,
    part: NetworkPart | None,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    demand: Demand,
    c: int,
    begin: int,
    end: int,
) -> None:
    """Create the packets of a cycle: by geometric skips over all hosts and cycles, from current bursts, or from a trace.

    Every part of a network draws the same numbers, for all hosts, and creates the packets of its own.
    """
    state, home, queue, backlog, burst = s.state, net.home, s.queue, s.backlog, s.burst
    pool, spare = s.pool, s.spare
    hosts, most, load = home.size, rules.most, demand.load
    owner, several = demand.owner, demand.owner.size > 0
    # With several ports per host, each port creates packets; the destination is drawn among hosts, then the port.
    among = demand.turn.size if several else hosts
    kind, first, to, share, itself = demand.kind, demand.first, demand.to, demand.share, rules.itself
    lengths, shares, usual = demand.lengths, demand.shares, np.int64(demand.lengths[0])
    if demand.replies.size:
        begin_replies(s, demand, net.home, most, c, begin, end)
    # Traffic with a load: geometric skips over hosts, whose count continues in the next cycle.
    if load > 0:
        scale = 1.0 / math.log1p(-load)
        following, x = state[NEXT], np.uint64(state[RANDOM])
        span = among if itself else among - 1
        now, begun = hosts, np.int64(0)
        if pace is not None:
            # Hosts have a turn per time of a flit on their port, not per cycle: those of a turn, in a mixed order, follow each
            # other over its cycles.
            begun = c * hosts * demand.slot_flits // demand.slot_cycles
            now = (c + 1) * hosts * demand.slot_flits // demand.slot_cycles - begun
        while following < now:
            n, slot = following, np.int64(0)
            if pace is not None:
                slot = (begun + following) // hosts
                n = (begun + following - slot * hosts) * demand.stride % hosts
            h = np.int64(owner[at(n)]) if several else n
            elsewhere = False
            if part is not None:
                switch = np.int64(home[at(n)]) >> 16
                elsewhere = switch < part.first or switch >= part.last
            x = stirred(x)
            following += 1 + np.int64(
                math.log((np.float64(x >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)) * scale
            )
            if demand.pace.size:
                # A host that sends less than the busiest one skips turns at random.
                x = stirred(x)
                if (np.float64(x >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0) >= demand.pace[at(h)]:
                    continue
            if pace is not None and demand.port_rate.size:
                # A slower host has fewer turns than the fastest ones, evenly spaced.
                turn, rate = np.float64(slot + n), demand.port_rate[at(n)]
                if math.floor((turn + 1.0) * rate) == math.floor(turn * rate):
                    continue
                state[RANDOM] = np.int64(x)
                goal = goal_by_rate(
                    kind,
                    first,
                    to,
                    demand.weights,
                    share,
                    itself,
                    demand.host_rate,
                    demand.to_any,
                    queue,
                    state,
                    h,
                    among,
                )
                x = np.uint64(state[RANDOM])
            elif kind == UNIFORM:
                x = stirred(x)
                goal = np.int64(((x >> np.uint64(32)) * np.uint64(span)) >> np.uint64(32))
                if not itself and goal >= h:
                    goal += 1
            elif elsewhere and kind == ROUND:  # draws nothing
                continue
            else:
                state[RANDOM] = np.int64(x)
                goal = goal_of(kind, first, to, demand.weights, share, itself, queue, state, h, among)
                x = np.uint64(state[RANDOM])
            if goal < 0:
                continue
            if demand.burst > 1.0:
                # The length of a burst is geometric with this mean; a host that is already in a burst prolongs it.
                state[RANDOM] = np.int64(x)
                more = 1 + np.int64(math.log(chance(state)) / math.log1p(-1.0 / demand.burst))
                x = np.uint64(state[RANDOM])
                if elsewhere:
                    continue
                if burst[at(n * BURST_SIZE + BURST_PACKETS)] == 0:
                    burst[at((state[BURSTS]) * BURST_SIZE + BURST_HOST)] = n
                    state[BURSTS] += 1
                    burst[at(n * BURST_SIZE + BURST_CYCLE)] = c
                burst[at(n * BURST_SIZE + BURST_PACKETS)] += more
                burst[at(n * BURST_SIZE + BURST_GOAL)] = goal
                continue
            if elsewhere:
                continue
            if several:
                q = port_of(demand, queue, h, goal)
                n, goal = np.int64(demand.ports[at(h * q[1] + q[0])]), np.int64(demand.ports[at(goal * q[1] + q[0])])
            if queue[at(n * HOST_SIZE + HOST_COUNT)] >= most:
                continue
            if begin <= c < end:
                state[MADE] += 1
            length = usual
            if lengths.size > 1:
                state[RANDOM] = np.int64(x)
                length = length_of(lengths, shares, state)
                x = np.uint64(state[RANDOM])
            place = enqueue(pool, spare, queue, backlog, state, n, np.int64(home[at(goal)]), c, length)
            if demand.replies.size:
                note_request(s.round_trips, place, n, goal)
        state[NEXT], state[RANDOM] = following - now, np.int64(x)
    # Hosts in a burst create a packet as soon as the previous one could have left.
    still = np.int64(0)
    for k in range(state[BURSTS]):
        n = np.int64(burst[at(k * BURST_SIZE + BURST_HOST)])
        if burst[at(n * BURST_SIZE + BURST_CYCLE)] <= c:
            goal, m = np.int64(burst[at(n * BURST_SIZE + BURST_GOAL)]), n
            if several:
                h = np.int64(owner[at(n)])
                q = port_of(demand, queue, h, goal)
                m, goal = np.int64(demand.ports[at(h * q[1] + q[0])]), np.int64(demand.ports[at(goal * q[1] + q[0])])
            if queue[at(m * HOST_SIZE + HOST_COUNT)] < most:
                if begin <= c < end:
                    state[MADE] += 1
                length = length_of(lengths, shares, state)
                place = enqueue(pool, spare, queue, backlog, state, m, np.int64(home[at(goal)]), c, length)
                if demand.replies.size:
                    note_request(s.round_trips, place, m, goal)
                busy = length
                if pace is not None:
                    word, ports = np.int64(home[at(m)]), net.host_at.size // (s.active.size // rules.words)
                    busy = cycles_for(pace, (word >> 16) * ports + ((word >> 7) & 511), length)
                burst[at(n * BURST_SIZE + BURST_CYCLE)] = c + busy
            burst[at(n * BURST_SIZE + BURST_PACKETS)] -= 1
        if burst[at(n * BURST_SIZE + BURST_PACKETS)] > 0:
            burst[at(still * BURST_SIZE + BURST_HOST)] = n
            still += 1
    state[BURSTS] = still
    # Packets of a trace.
    e, events = state[EVENT], demand.events
    while (e << 2) < events.size and np.int64(events[at(e << 2)]) <= c:
        born, length = np.int64(events[at(e << 2)]), np.int64(events[at((e << 2) + 3)])
        n, goal = np.int64(events[at((e << 2) + 1)]), np.int64(events[at((e << 2) + 2)])
        if several:
            q = port_of(demand, queue, n, goal)
            n, goal = np.int64(demand.ports[at(n * q[1] + q[0])]), np.int64(demand.ports[at(goal * q[1] + q[0])])
        if begin <= born < end:
            state[MADE] += 1
        enqueue(pool, spare, queue, backlog, state, n, np.int64(home[at(goal)]), born, length)
        e += 1
    state[EVENT] = e
