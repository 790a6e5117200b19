"""Hosts: packets that they make and queue, and flits that they inject.

queue[8 h ...], int32: packets that wait at host h: 0, 1 first and last; 2 how many; 3 the VC of the last injection; 4 flits of
the first still to inject, 0: none has been; 5 the record of that packet; 6 where its round through all hosts stands.

trips[4 i ...], int32, for place i of the pool, where there are round trips: kind (0 a request, 1 its reply, 2 a request to a
second place, 3 the reply to that), who asked first, who was asked first, nothing.
"""

import math

import numpy as np
from numba import njit

from topoloom.graph.kernels.simd import lowest_bit
from topoloom.simulator.buffers import (
    ASKED,
    BACKLOG,
    BORN_IN,
    BURSTS,
    BY_PACKET,
    DETOUR,
    ENTERED,
    ESCAPED,
    EVENT,
    FREE,
    INJECTED,
    INSIDE,
    KIND,
    LAYER,
    LENGTH,
    MADE,
    MADE_HOPS,
    NEXT,
    NO_DETOUR,
    OF_LANE,
    OWNER,
    PHASE,
    RANDOM,
    RECORD,
    SOURCE,
    UNDECIDED,
    VIA,
    WAITED,
    WORD,
    Buffers,
    Demand,
    Network,
    Rules,
)
from topoloom.simulator.kernels.flits import BORN, HEAD, LANE, LAST, append, at, below, draw, full, ones, stirred
from topoloom.traffic.traffic import LISTS, ROUND, UNIFORM

#: Of a queue's record.
FIRST, FINAL, COUNT, VC, LEFT, PACKET, TURN = 0, 1, 2, 3, 4, 5, 6


@njit(cache=True, nogil=True)
def chance(state: np.ndarray) -> float:
    """A number between 0 and 1, drawn, never either."""
    return (np.float64(draw(state, RANDOM) >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True, inline="always")
def goal_of(
    kind: int,
    first: np.ndarray,
    to: np.ndarray,
    share: float,
    itself: int,
    queue: np.ndarray,
    state: np.ndarray,
    n: int,
    hosts: int,
) -> int:
    """The host that host n sends its next packet to; -1: none."""
    if kind == LISTS:
        begin, end = first[at(n)], first[at(n + 1)]
        if begin == end:
            return np.int64(-1)
        if share >= 1.0 or chance(state) < share:
            place = begin if end == begin + 1 else begin + below(state, RANDOM, end - begin)
            return np.int64(to[at(place)])
    elif kind == ROUND:
        turn = np.int64(queue[at((n << 3) + TURN)])
        queue[at((n << 3) + TURN)] = turn + 1 if turn + 2 < hosts else 0
        return (n + 1 + turn) % hosts
    if itself:
        return below(state, RANDOM, hosts)
    goal = below(state, RANDOM, hosts - 1)
    return goal + 1 if goal >= n else goal


@njit(cache=True, nogil=True, inline="always")
def enqueue(
    pool: np.ndarray,
    queue: np.ndarray,
    backlog: np.ndarray,
    state: np.ndarray,
    n: int,
    word: int,
    born: int,
    length: int,
) -> int:
    """Put a packet at the end of a host's queue; its place."""
    place = state[FREE]
    state[FREE] = np.int64(pool[at(place << 2)])
    pool[at((place << 2) + 1)] = word
    pool[at((place << 2) + 2)] = born << BORN
    pool[at((place << 2) + 3)] = length
    q = n << 3
    if queue[at(q + COUNT)] == 0:
        queue[at(q + FIRST)] = place
        queue[at(q + LEFT)] = 0
        backlog[at(state[BACKLOG])] = n
        state[BACKLOG] += 1
    else:
        pool[at(np.int64(queue[at(q + FINAL)]) << 2)] = place
    queue[at(q + FINAL)] = place
    queue[at(q + COUNT)] += 1
    return place


@njit(cache=True, nogil=True)
def length_of(lengths: np.ndarray, shares: np.ndarray, state: np.ndarray) -> int:
    """Flits of the next packet."""
    if lengths.size == 1:
        return np.int64(lengths[0])
    drawn, k = chance(state), 0
    while k + 1 < lengths.size and drawn > shares[at(k)]:
        k += 1
    return np.int64(lengths[at(k)])


@njit(cache=True, nogil=True)
def make_packets(net: Network, s: Buffers, rules: Rules, demand: Demand, c: int, begin: int, end: int) -> None:
    """The packets of a cycle: their hosts by geometric skips over all hosts and cycles, bursts under way, or a trace."""
    state, home, queue, pool, backlog, burst = s.state, net.home, s.queue, s.pool, s.backlog, s.burst
    hosts, most, load = home.size, rules.most, demand.load
    kind, first, to, share, itself = demand.kind, demand.first, demand.to, demand.share, rules.itself
    lengths, shares, usual = demand.lengths, demand.shares, np.int64(demand.lengths[0])
    if load > 0:
        scale = 1.0 / math.log1p(-load)
        following, x = state[NEXT], np.uint64(state[RANDOM])
        span = hosts if itself else hosts - 1
        while following < hosts:
            n = following
            x = stirred(x)
            following += 1 + np.int64(
                math.log((np.float64(x >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)) * scale
            )
            if kind == UNIFORM:
                x = stirred(x)
                goal = np.int64(((x >> np.uint64(32)) * np.uint64(span)) >> np.uint64(32))
                if not itself and goal >= n:
                    goal += 1
            else:
                state[RANDOM] = np.int64(x)
                goal = goal_of(kind, first, to, share, itself, queue, state, n, hosts)
                x = np.uint64(state[RANDOM])
            if goal < 0:
                continue
            if demand.burst > 1.0:
                # As many packets as a geometric draw with that mean; a host that is in a burst already makes a longer one.
                state[RANDOM] = np.int64(x)
                more = 1 + np.int64(math.log(chance(state)) / math.log1p(-1.0 / demand.burst))
                if burst[at((n << 2) + 1)] == 0:
                    burst[at((state[BURSTS] << 2) + 3)] = n
                    state[BURSTS] += 1
                    burst[at(n << 2)] = c
                burst[at((n << 2) + 1)] += more
                burst[at((n << 2) + 2)] = goal
                x = np.uint64(state[RANDOM])
                continue
            if queue[at((n << 3) + COUNT)] >= most:
                continue
            if begin <= c < end:
                state[MADE] += 1
            length = usual
            if lengths.size > 1:
                state[RANDOM] = np.int64(x)
                length = length_of(lengths, shares, state)
                x = np.uint64(state[RANDOM])
            enqueue(pool, queue, backlog, state, n, np.int64(home[at(goal)]), c, length)
        state[NEXT], state[RANDOM] = following - hosts, np.int64(x)
    # Hosts in a burst make a packet as soon as the one before could have left.
    still = np.int64(0)
    for k in range(state[BURSTS]):
        n = np.int64(burst[at((k << 2) + 3)])
        if burst[at(n << 2)] <= c:
            if queue[at((n << 3) + COUNT)] < most:
                if begin <= c < end:
                    state[MADE] += 1
                length = length_of(lengths, shares, state)
                goal = np.int64(burst[at((n << 2) + 2)])
                enqueue(pool, queue, backlog, state, n, np.int64(home[at(goal)]), c, length)
                burst[at(n << 2)] = c + length
            burst[at((n << 2) + 1)] -= 1
        if burst[at((n << 2) + 1)] > 0:
            burst[at((still << 2) + 3)] = n
            still += 1
    state[BURSTS] = still
    e, events = state[EVENT], demand.events
    while (e << 2) < events.size and np.int64(events[at(e << 2)]) <= c:
        born, length = np.int64(events[at(e << 2)]), np.int64(events[at((e << 2) + 3)])
        n, goal = np.int64(events[at((e << 2) + 1)]), np.int64(events[at((e << 2) + 2)])
        if begin <= born < end:
            state[MADE] += 1
        enqueue(pool, queue, backlog, state, n, np.int64(home[at(goal)]), born, length)
        e += 1
    state[EVENT] = e


@njit(cache=True, nogil=True, inline="always")
def record_of(
    choice: int,
    lanes: int,
    allowed: np.ndarray,
    lane_of: np.ndarray,
    packets: np.ndarray,
    pool: np.ndarray,
    trips: np.ndarray,
    state: np.ndarray,
    N: int,
    n: int,
    here: int,
    place: int,
    lane: int,
    c: int,
) -> int:
    """A record for the packet that host n at switch `here` is about to inject; there must be one left."""
    number = state[RECORD]
    k = number << 4
    state[RECORD] = np.int64(packets[at(k)])
    state[INSIDE] += 1
    word = np.int64(pool[at((place << 2) + 1)])
    packets[at(k + WORD)] = word
    packets[at(k + SOURCE)] = n
    packets[at(k + BORN_IN)] = np.int64(pool[at((place << 2) + 2)]) >> BORN
    packets[at(k + VIA)] = UNDECIDED if choice == DETOUR else NO_DETOUR
    packets[at(k + MADE_HOPS)] = 0
    packets[at(k + PHASE)] = 0
    packets[at(k + LENGTH)] = pool[at((place << 2) + 3)]
    packets[at(k + ENTERED)] = c
    packets[at(k + OF_LANE)] = lane
    packets[at(k + LAYER)] = 0
    packets[at(k + ESCAPED)] = 0
    if allowed.size:
        # A layer, drawn among those that the pair may take.
        there = word >> 16
        layers = allowed[at(here * N + there)]
        count = ones(layers)
        if count > 1:
            for _ in range(below(state, RANDOM, count)):
                layers &= layers - 1
        layer = lowest_bit(np.uint64(layers)) if layers else np.int64(0)
        packets[at(k + LAYER)] = layer
        if lanes == BY_PACKET:
            packets[at(k + OF_LANE)] = lane_of[at((layer * N + here) * N + there)]
    if trips.size:
        packets[at(k + KIND)] = trips[at(place << 2)]
        packets[at(k + OWNER)] = trips[at((place << 2) + 1)]
        packets[at(k + ASKED)] = trips[at((place << 2) + 2)]
    return number


@njit(cache=True, nogil=True)
def inject(
    shape: tuple,
    rich: int | None,
    far: int | None,
    net: Network,
    s: Buffers,
    rules: Rules,
    demand: Demand,
    c: int,
    t: int,
    begin: int,
    end: int,
) -> None:
    """Every host whose VC has a credit injects a flit."""
    W, LV, V = len(shape[0]), len(shape[1]), rules.vcs
    PS = (W * 64) >> LV
    state, queue, pool, backlog, home_of, lane_of = s.state, s.queue, s.pool, s.backlog, net.home, net.lane
    rec, popped, ring, passed, calendar = s.rec, s.popped, s.ring, s.passed, s.calendar
    whole, lanes, credit = rules.whole, rules.lanes, rules.host_credit
    N = s.active.size // W
    mask = s.ring.size // max(1, s.rec.size >> 3) - 1
    allowed, packets, trips, choice = net.allowed, s.packets, s.trips, rules.choice
    any_vc = rules.last_vcs > 1 or V == 1
    free, still = state[FREE], np.int64(0)
    for k in range(state[BACKLOG]):
        n = np.int64(backlog[at(k)])
        q = n << 3
        home = np.int64(home_of[at(n)])
        g0, v = ((home >> 16) * PS + ((home >> 7) & 511)) << LV, np.int64(queue[at(q + VC)])
        place = np.int64(queue[at(q + FIRST)])
        birth, left = np.int64(pool[at((place << 2) + 2)]), np.int64(queue[at(q + LEFT)])
        found, start = False, left == 0
        if not start:
            found = not full(shape, far, rec, popped, ring, passed, mask, g0 + v, c, rules.room, credit)
        elif (birth >> BORN) <= c and state[RECORD] >= 0:
            left = np.int64(pool[at((place << 2) + 3)])
            room = rules.room - (left - 1 if whole else 0)
            for _ in range(V if any_vc else 1):
                v = v + 1 if v + 1 < V else 0
                if not any_vc:
                    v = below(state, RANDOM, V)
                if not full(shape, far, rec, popped, ring, passed, mask, g0 + v, c, room, credit):
                    found = True
                    break
        if found:
            word = np.int64(pool[at((place << 2) + 1)])
            if start:
                if begin <= birth >> BORN < end:
                    state[WAITED] += c - (birth >> BORN)
                lane = np.int64(0)
                if lanes == BY_PACKET:
                    lane = np.int64(lane_of[at((home >> 16) * N + (word >> 16))])
                if rich is not None:
                    queue[at(q + PACKET)] = record_of(
                        choice, lanes, allowed, lane_of, packets, pool, trips, state, N, n, home >> 16, place, lane, c
                    )
                birth |= (lane << LANE) | HEAD
            if rich is not None:
                word = np.int64(queue[at(q + PACKET)])
            left -= 1
            queue[at(q + VC)], queue[at(q + LEFT)] = v, left
            state[INJECTED] += 1
            if left == 0:
                queue[at(q + FIRST)] = pool[at(place << 2)]
                queue[at(q + COUNT)] -= 1
                pool[at(place << 2)] = free
                free = place
                birth |= LAST
            free = append(pool, rec, calendar, N * W, g0 + v, word, birth, c + rules.inject, t, free)
        if queue[at(q + COUNT)] > 0:
            backlog[at(still)] = n
            still += 1
    state[BACKLOG], state[FREE] = still, free
