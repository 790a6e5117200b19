"""Hosts: packets that they make and queue, and flits that they inject.

`fields` says what lies where in their arrays.
"""

import math

import numpy as np

from topoloom.compiling.decorators import inner, kernel, stage
from topoloom.graph.kernels.simd import fetch, lowest_bit
from topoloom.simulator.buffers import (
    BACKLOG,
    BURSTS,
    BY_PACKET,
    DETOUR,
    EVENT,
    FREE,
    HASH,
    INJECTED,
    INSIDE,
    LEAST_LOADED,
    MADE,
    NEXT,
    RANDOM,
    RECORD,
    WAITED,
    Buffers,
    Demand,
    Network,
    Play,
    Rules,
)
from topoloom.simulator.kernels.credits import full, next_credit
from topoloom.simulator.kernels.fields import (
    BURST_CYCLE,
    BURST_GOAL,
    BURST_HOST,
    BURST_PACKETS,
    BURST_SIZE,
    HOST_COUNT,
    HOST_FINAL,
    HOST_FIRST,
    HOST_LEFT,
    HOST_PACKET,
    HOST_SIZE,
    HOST_SOON,
    HOST_TURN,
    HOST_VC,
    NO_DETOUR,
    PACKET_ASKED,
    PACKET_BORN,
    PACKET_ENTERED,
    PACKET_ESCAPED,
    PACKET_HOPS,
    PACKET_KIND,
    PACKET_LANE,
    PACKET_LAYER,
    PACKET_LENGTH,
    PACKET_NEXT,
    PACKET_OWNER,
    PACKET_PHASE,
    PACKET_SIZE,
    PACKET_SOURCE,
    PACKET_VIA,
    PACKET_WORD,
    PLACE_BIRTH,
    PLACE_LENGTH,
    PLACE_NEXT,
    PLACE_SIZE,
    PLACE_WORD,
    TRIP_ASKED,
    TRIP_KIND,
    TRIP_LAYER,
    TRIP_OWNER,
    UNDECIDED,
    VC_SIZE,
    at,
)
from topoloom.simulator.kernels.flits import BORN, HEAD, LANE, LAST, append, below, draw, ones, stirred
from topoloom.traffic.traffic import LISTS, ROUND, UNIFORM

#: Places in the list of waiting hosts after which a host's VCs are wanted, when they are asked for.
_SOON = 8


@kernel
def chance(state: np.ndarray) -> float:
    """A number between 0 and 1, drawn, never either."""
    return (np.float64(draw(state, RANDOM) >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)


@stage
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
        turn = np.int64(queue[at(n * HOST_SIZE + HOST_TURN)])
        queue[at(n * HOST_SIZE + HOST_TURN)] = turn + 1 if turn + 2 < hosts else 0
        return (n + 1 + turn) % hosts
    if itself:
        return below(state, RANDOM, hosts)
    goal = below(state, RANDOM, hosts - 1)
    return goal + 1 if goal >= n else goal


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
    """Put a packet at the end of a host's queue; its place."""
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
def port_of(spread: int, ports: np.ndarray, turn: np.ndarray, queue: np.ndarray, h: int, goal: int) -> tuple[int, int]:
    """Which of its ports host h sends a packet to host `goal` through, and how many ports a host has."""
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
            waiting = np.int64(queue[at(np.int64(ports[at(h * count + other)]) * HOST_SIZE + HOST_COUNT)])
            if waiting < least:
                best, least = other, waiting
        q = best
    turn[at(h)] = q
    return q, count


@inner
def length_of(lengths: np.ndarray, shares: np.ndarray, state: np.ndarray) -> int:
    """Flits of the next packet."""
    if lengths.size == 1:
        return np.int64(lengths[0])
    drawn, k = chance(state), 0
    while k + 1 < lengths.size and drawn > shares[at(k)]:
        k += 1
    return np.int64(lengths[at(k)])


@inner
def make_packets(net: Network, s: Buffers, rules: Rules, demand: Demand, c: int, begin: int, end: int) -> None:
    """The packets of a cycle: their hosts by geometric skips over all hosts and cycles, bursts under way, or a trace."""
    state, home, queue, backlog, burst = s.state, net.home, s.queue, s.backlog, s.burst
    pool, spare = s.pool, s.spare
    hosts, most, load = home.size, rules.most, demand.load
    owner, several = demand.owner, demand.owner.size > 0
    # Of hosts with several ports each port makes packets; whom they go to is drawn among hosts, and then the port.
    among = demand.turn.size if several else hosts
    kind, first, to, share, itself = demand.kind, demand.first, demand.to, demand.share, rules.itself
    lengths, shares, usual = demand.lengths, demand.shares, np.int64(demand.lengths[0])
    if load > 0:
        scale = 1.0 / math.log1p(-load)
        following, x = state[NEXT], np.uint64(state[RANDOM])
        span = among if itself else among - 1
        while following < hosts:
            n = following
            h = np.int64(owner[at(n)]) if several else n
            x = stirred(x)
            following += 1 + np.int64(
                math.log((np.float64(x >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)) * scale
            )
            if kind == UNIFORM:
                x = stirred(x)
                goal = np.int64(((x >> np.uint64(32)) * np.uint64(span)) >> np.uint64(32))
                if not itself and goal >= h:
                    goal += 1
            else:
                state[RANDOM] = np.int64(x)
                goal = goal_of(kind, first, to, share, itself, queue, state, h, among)
                x = np.uint64(state[RANDOM])
            if goal < 0:
                continue
            if demand.burst > 1.0:
                # As many packets as a geometric draw with that mean; a host that is in a burst already makes a longer one.
                state[RANDOM] = np.int64(x)
                more = 1 + np.int64(math.log(chance(state)) / math.log1p(-1.0 / demand.burst))
                if burst[at(n * BURST_SIZE + BURST_PACKETS)] == 0:
                    burst[at((state[BURSTS]) * BURST_SIZE + BURST_HOST)] = n
                    state[BURSTS] += 1
                    burst[at(n * BURST_SIZE + BURST_CYCLE)] = c
                burst[at(n * BURST_SIZE + BURST_PACKETS)] += more
                burst[at(n * BURST_SIZE + BURST_GOAL)] = goal
                x = np.uint64(state[RANDOM])
                continue
            if several:
                q = port_of(demand.spread, demand.ports, demand.turn, queue, h, goal)
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
            enqueue(pool, spare, queue, backlog, state, n, np.int64(home[at(goal)]), c, length)
        state[NEXT], state[RANDOM] = following - hosts, np.int64(x)
    # Hosts in a burst make a packet as soon as the one before could have left.
    still = np.int64(0)
    for k in range(state[BURSTS]):
        n = np.int64(burst[at(k * BURST_SIZE + BURST_HOST)])
        if burst[at(n * BURST_SIZE + BURST_CYCLE)] <= c:
            goal, m = np.int64(burst[at(n * BURST_SIZE + BURST_GOAL)]), n
            if several:
                h = np.int64(owner[at(n)])
                q = port_of(demand.spread, demand.ports, demand.turn, queue, h, goal)
                m, goal = np.int64(demand.ports[at(h * q[1] + q[0])]), np.int64(demand.ports[at(goal * q[1] + q[0])])
            if queue[at(m * HOST_SIZE + HOST_COUNT)] < most:
                if begin <= c < end:
                    state[MADE] += 1
                length = length_of(lengths, shares, state)
                enqueue(pool, spare, queue, backlog, state, m, np.int64(home[at(goal)]), c, length)
                burst[at(n * BURST_SIZE + BURST_CYCLE)] = c + length
            burst[at(n * BURST_SIZE + BURST_PACKETS)] -= 1
        if burst[at(n * BURST_SIZE + BURST_PACKETS)] > 0:
            burst[at(still * BURST_SIZE + BURST_HOST)] = n
            still += 1
    state[BURSTS] = still
    e, events = state[EVENT], demand.events
    while (e << 2) < events.size and np.int64(events[at(e << 2)]) <= c:
        born, length = np.int64(events[at(e << 2)]), np.int64(events[at((e << 2) + 3)])
        n, goal = np.int64(events[at((e << 2) + 1)]), np.int64(events[at((e << 2) + 2)])
        if several:
            q = port_of(demand.spread, demand.ports, demand.turn, queue, n, goal)
            n, goal = np.int64(demand.ports[at(n * q[1] + q[0])]), np.int64(demand.ports[at(goal * q[1] + q[0])])
        if begin <= born < end:
            state[MADE] += 1
        enqueue(pool, spare, queue, backlog, state, n, np.int64(home[at(goal)]), born, length)
        e += 1
    state[EVENT] = e


@stage
def record_of(
    choice: int,
    lanes: int,
    allowed: np.ndarray,
    layer_at: np.ndarray,
    lane_of: np.ndarray,
    packets: np.ndarray,
    pool: np.ndarray,
    trips: np.ndarray,
    state: np.ndarray,
    N: int,
    PS: int,
    n: int,
    here: int,
    place: int,
    lane: int,
    c: int,
) -> int:
    """A record for the packet that host n at switch `here` is about to inject; there must be one left."""
    number = state[RECORD]
    state[RECORD] = np.int64(packets[at(number * PACKET_SIZE + PACKET_NEXT)])
    state[INSIDE] += 1
    word = np.int64(pool[at(place * PLACE_SIZE + PLACE_WORD)])
    packets[at(number * PACKET_SIZE + PACKET_WORD)] = word
    packets[at(number * PACKET_SIZE + PACKET_SOURCE)] = n
    packets[at(number * PACKET_SIZE + PACKET_BORN)] = np.int64(pool[at(place * PLACE_SIZE + PLACE_BIRTH)]) >> BORN
    packets[at(number * PACKET_SIZE + PACKET_VIA)] = UNDECIDED if choice == DETOUR else NO_DETOUR
    packets[at(number * PACKET_SIZE + PACKET_HOPS)] = 0
    packets[at(number * PACKET_SIZE + PACKET_PHASE)] = 0
    packets[at(number * PACKET_SIZE + PACKET_LENGTH)] = pool[at(place * PLACE_SIZE + PLACE_LENGTH)]
    packets[at(number * PACKET_SIZE + PACKET_ENTERED)] = c
    packets[at(number * PACKET_SIZE + PACKET_LANE)] = lane
    packets[at(number * PACKET_SIZE + PACKET_LAYER)] = 0
    packets[at(number * PACKET_SIZE + PACKET_ESCAPED)] = 0
    if allowed.size:
        # A layer, drawn among those that the pair may take.
        there = word >> 16
        layers = allowed[at(here * N + there)]
        count = ones(layers)
        if count > 1:
            for _ in range(below(state, RANDOM, count)):
                layers &= layers - 1
        layer = lowest_bit(np.uint64(layers)) if layers else np.int64(0)
        packets[at(number * PACKET_SIZE + PACKET_LAYER)] = layer
        if lanes == BY_PACKET:
            packets[at(number * PACKET_SIZE + PACKET_LANE)] = lane_of[at((layer * N + here) * N + there)]
    elif layer_at.size:
        # That of the host where it goes: a table with an entry for each of them.
        goes = word >> 16
        own = np.int64(layer_at[at(goes * PS + ((word >> 7) & 0x1FF))])
        packets[at(number * PACKET_SIZE + PACKET_LAYER)] = own
        if lanes == BY_PACKET:
            packets[at(number * PACKET_SIZE + PACKET_LANE)] = lane_of[at((own * N + here) * N + goes)]
    elif trips.size:
        # That which its message says.
        packets[at(number * PACKET_SIZE + PACKET_LAYER)] = trips[at(place * PLACE_SIZE + TRIP_LAYER)]
    if trips.size:
        packets[at(number * PACKET_SIZE + PACKET_KIND)] = trips[at(place * PLACE_SIZE + TRIP_KIND)]
        packets[at(number * PACKET_SIZE + PACKET_OWNER)] = trips[at(place * PLACE_SIZE + TRIP_OWNER)]
        packets[at(number * PACKET_SIZE + PACKET_ASKED)] = trips[at(place * PLACE_SIZE + TRIP_ASKED)]
    return number


@inner
def next_of_message(play: Play, i: int) -> int:
    """Flits of the next packet of the message of send i, where packets take turns; 0: there is none."""
    if play.unsent.size == 0:
        return np.int64(0)
    length = min(np.int64(play.unsent[i]), np.int64(play.packet_flits))
    play.unsent[i] -= length
    return length


@kernel
def inject(
    records: int | None,
    long_credits: int | None,
    net: Network,
    s: Buffers,
    rules: Rules,
    demand: Demand,
    play: Play | None,
    c: int,
    t: int,
    begin: int,
    end: int,
) -> None:
    """Every host whose VC has a credit injects a flit."""
    W, LV, V = rules.words, rules.slot_bits, rules.vcs
    PS = (W * 64) >> LV
    state, queue, pool, backlog, home_of, lane_of = s.state, s.queue, s.pool, s.backlog, net.home, net.lane
    rec, popped, calendar, spare = s.rec, s.popped, s.calendar, s.spare
    whole, lanes, credit = rules.whole, rules.lanes, rules.host_credit
    N = s.active.size // W
    allowed, layer_at, packets, trips, choice = net.allowed, net.layer_at, s.packets, s.round_trips, rules.choice
    any_vc = rules.last_vcs > 1 or V == 1
    free, still = state[FREE], np.int64(0)
    for k in range(state[BACKLOG]):
        if k + _SOON < state[BACKLOG]:
            n = np.int64(backlog[at(k + _SOON)])
            if queue[at(n * HOST_SIZE + HOST_SOON)] <= c:
                home = np.int64(home_of[at(n)])
                fetch(rec, (((home >> 16) * PS + ((home >> 7) & 511)) << LV) * VC_SIZE)
                fetch(pool, np.int64(queue[at(n * HOST_SIZE + HOST_FIRST)]) * PLACE_SIZE)
        n = np.int64(backlog[at(k)])
        if queue[at(n * HOST_SIZE + HOST_SOON)] > c:
            backlog[at(still)] = n
            still += 1
            continue
        home = np.int64(home_of[at(n)])
        g0, v = ((home >> 16) * PS + ((home >> 7) & 511)) << LV, np.int64(queue[at(n * HOST_SIZE + HOST_VC)])
        place = np.int64(queue[at(n * HOST_SIZE + HOST_FIRST)])
        birth, left = (
            np.int64(pool[at(place * PLACE_SIZE + PLACE_BIRTH)]),
            np.int64(queue[at(n * HOST_SIZE + HOST_LEFT)]),
        )
        found, start, soon = False, left == 0, np.int64(0)
        if not start:
            found = not full(rules.many, long_credits, rec, popped, rules.history, g0 + v, c, rules.room, credit)
            if not found:
                soon = next_credit(long_credits, popped, rules.history, g0 + v, c, credit)
        elif (birth >> BORN) <= c and state[RECORD] >= 0:
            left = np.int64(pool[at(place * PLACE_SIZE + PLACE_LENGTH)])
            room = rules.room - (left - 1 if whole else 0)
            for _ in range(V if any_vc else 1):
                v = v + 1 if v + 1 < V else 0
                if not any_vc:
                    v = below(state, RANDOM, V)
                if not full(rules.many, long_credits, rec, popped, rules.history, g0 + v, c, room, credit):
                    found = True
                    break
                if any_vc:  # else which VC is looked at is drawn anew each cycle
                    first = next_credit(long_credits, popped, rules.history, g0 + v, c, credit)
                    soon = first if soon == 0 or first < soon else soon
        if found:
            word = np.int64(pool[at(place * PLACE_SIZE + PLACE_WORD)])
            if start:
                if begin <= birth >> BORN < end:
                    state[WAITED] += c - (birth >> BORN)
                lane = np.int64(0)
                if lanes == BY_PACKET:
                    lane = np.int64(lane_of[at((home >> 16) * N + (word >> 16))])
                if records is not None:
                    queue[at(n * HOST_SIZE + HOST_PACKET)] = record_of(
                        choice,
                        lanes,
                        allowed,
                        layer_at,
                        lane_of,
                        packets,
                        pool,
                        trips,
                        state,
                        N,
                        PS,
                        n,
                        home >> 16,
                        place,
                        lane,
                        c,
                    )
                birth |= (lane << LANE) | HEAD
            if records is not None:
                word = np.int64(queue[at(n * HOST_SIZE + HOST_PACKET)])
            left -= 1
            queue[at(n * HOST_SIZE + HOST_VC)], queue[at(n * HOST_SIZE + HOST_LEFT)] = v, left
            state[INJECTED] += 1
            if left == 0:
                birth |= LAST
                length = np.int64(0)
                if play is not None:
                    length = next_of_message(play, np.int64(trips[at(place * PLACE_SIZE + TRIP_OWNER)]))
                if length == 0:
                    queue[at(n * HOST_SIZE + HOST_FIRST)] = pool[at(place * PLACE_SIZE + PLACE_NEXT)]
                    queue[at(n * HOST_SIZE + HOST_COUNT)] -= 1
                    spare[at(free)] = place
                    free += 1
                else:
                    # The message's next packet takes this one's place, behind those of others.
                    pool[at(place * PLACE_SIZE + PLACE_LENGTH)] = length
                    if queue[at(n * HOST_SIZE + HOST_COUNT)] > 1:
                        queue[at(n * HOST_SIZE + HOST_FIRST)] = pool[at(place * PLACE_SIZE + PLACE_NEXT)]
                        pool[at(np.int64(queue[at(n * HOST_SIZE + HOST_FINAL)]) * PLACE_SIZE + PLACE_NEXT)] = place
                        queue[at(n * HOST_SIZE + HOST_FINAL)] = place
            free = append(pool, spare, rec, calendar, N * W, g0 + v, word, birth, c + rules.inject, t, free)
        else:
            queue[at(n * HOST_SIZE + HOST_SOON)] = soon
        if queue[at(n * HOST_SIZE + HOST_COUNT)] > 0:
            backlog[at(still)] = n
            still += 1
    state[BACKLOG], state[FREE] = still, free
