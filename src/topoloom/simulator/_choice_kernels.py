"""What packets with records ask for at a switch: by tables in layers, any shortest way, shortest ways with an escape, detours."""

import numpy as np
from numba import njit

from topoloom.simulator._flit_kernels import at, below, full, under_way, under_way_far
from topoloom.simulator.buffers import (
    ANY, BY_HOP, BY_PACKET, DETOUR, ESCAPE, ESCAPED, LAYER, MADE_HOPS, NO_DETOUR, OF_LANE, PHASE, RANDOM, SHORTER, TABLES,
    UNDECIDED, VIA, WORD,
)  # fmt: skip


@njit(cache=True, nogil=True)
def flits_at(shape: tuple, far: int | None, s: tuple, rules: tuple, place: int, c: int) -> int:
    """Flits sent through a port whose credits have not come back: what its switch knows of the queue there."""
    V = len(shape[2])
    mask = s.ring.size // max(1, s.rec.size >> 3) - 1
    down = np.int64(s.port[at(place << 3)])
    if down < 0:
        return np.int64(0)
    count = np.int64(0)
    for v in range(V):
        g = down + v
        sent = np.int64(s.rec[at((g << 3) + 7)])
        if far is not None:
            count += sent + under_way_far(s.ring, s.passed, mask, g, c, np.int64(s.port[at((place << 3) + 7)]))
        else:
            count += sent + under_way(s.popped, g, c, rules.credit)
    return count


@njit(cache=True, nogil=True)
def queue_along(shape: tuple, far: int | None, net: tuple, s: tuple, rules: tuple, r: int, goal: int, c: int) -> int:
    """The sum of the queues on the way of the tables."""
    W, LV = len(shape[0]), len(shape[1])
    PS, N = (W * 64) >> LV, s.active.size // W
    total, u = np.int64(0), r
    while u != goal:
        place = u * PS + (np.int64(net.way[at(u * N + goal)]) >> LV)
        total += flits_at(shape, far, s, rules, place, c)
        u = np.int64(s.port[at(place << 3)]) // (W * 64)
    return total


@njit(cache=True, nogil=True)
def detour_of(shape: tuple, far: int | None, net: tuple, s: tuple, rules: tuple, r: int, goal: int, c: int) -> int:
    """The switch by which a packet makes a detour, `NO_DETOUR` where the way of the tables is no worse (UGAL).

    Compared are the queues at the source, each times the hops of its way (or times `over` / 256 where that is set), or the sums
    of the queues along the ways.
    """
    W, LV = len(shape[0]), len(shape[1])
    PS, N = (W * 64) >> LV, s.active.size // W
    best, cost = np.int64(NO_DETOUR), np.int64(0)
    if rules.knows == 2:
        cost = queue_along(shape, far, net, s, rules, r, goal, c)
    elif rules.knows == 1:
        place = r * PS + (np.int64(net.way[at(r * N + goal)]) >> LV)
        hops = np.int64(256) if rules.over else np.int64(net.distance[at(r * N + goal)])
        cost = flits_at(shape, far, s, rules, place, c) * hops
    cost -= rules.threshold * (256 if rules.knows == 1 and rules.over else 1)
    for _ in range(rules.tries):
        via = below(s.state, RANDOM, N - 1)
        if via >= r:
            via += 1
        if via == goal:
            continue
        if rules.knows == 0:
            return via
        if rules.knows == 2:
            other = queue_along(shape, far, net, s, rules, r, via, c) + queue_along(
                shape, far, net, s, rules, via, goal, c
            )
        else:
            place = r * PS + (np.int64(net.way[at(r * N + via)]) >> LV)
            hops = np.int64(net.distance[at(r * N + via)]) + np.int64(net.distance[at(via * N + goal)])
            other = flits_at(shape, far, s, rules, place, c) * (rules.over if rules.over else hops)
        if other < cost:
            best, cost = via, other
    return best


@njit(cache=True, nogil=True)
def shortest(
    shape: tuple, far: int | None, net: tuple, s: tuple, rules: tuple, r: int, goal: int, c: int, by_queue: bool
) -> int:
    """A port on a shortest way, drawn, or one with the fewest flits before it; ties are drawn."""
    W, LV = len(shape[0]), len(shape[1])
    PS, N = (W * 64) >> LV, s.active.size // W
    K = net.near.size // (N * N)
    base, count = (r * N + goal) * K, 0
    for k in range(K):
        bits = net.near[at(base + k)]
        while bits:
            bits &= bits - 1
            count += 1
    if not by_queue:
        skip = below(s.state, RANDOM, count) if count > 1 else np.int64(0)
        for port in range(K << 6):
            if (net.near[at(base + (port >> 6))] >> (port & 63)) & 1:
                if skip == 0:
                    return port
                skip -= 1
    best, least, ties = np.int64(0), np.int64(1) << 60, 0
    for port in range(K << 6):
        if (net.near[at(base + (port >> 6))] >> (port & 63)) & 1:
            flits = flits_at(shape, far, s, rules, r * PS + port, c)
            ties = ties + 1 if flits == least else 1
            if flits < least or (flits == least and below(s.state, RANDOM, ties) == 0):
                best, least = np.int64(port), flits
    return best


@njit(cache=True, nogil=True)
def free_port(shape: tuple, far: int | None, net: tuple, s: tuple, rules: tuple, r: int, goal: int, c: int) -> int:
    """A port on a shortest way with a VC to choose that nobody holds and that has a credit, the one with most room; -1: none."""
    W, LV, V = len(shape[0]), len(shape[1]), len(shape[2])
    PS, N = (W * 64) >> LV, s.active.size // W
    K = net.near.size // (N * N)
    mask = s.ring.size // max(1, s.rec.size >> 3) - 1
    best, least, ties = np.int64(-1), np.int64(1) << 60, 0
    for k in range(K):
        bits, base = net.near[at((r * N + goal) * K + k)], k << 6
        port = base
        while bits:
            while bits & 1 == 0:
                bits = (bits >> 1) & 0x7FFFFFFFFFFFFFFF
                port += 1
            place = r * PS + port
            down = np.int64(s.port[at(place << 3)])
            credit = np.int64(s.port[at((place << 3) + 7)]) if far is not None else rules.credit
            some, sent = False, np.int64(0)
            for v in range(rules.escapes, V):
                out = (port << LV) + v
                sent += np.int64(s.rec[at(((down + v) << 3) + 7)])
                if (s.unowned[at(r * W + (out >> 6))] >> (out & 63)) & 1 and not full(
                    shape, far, s.rec, s.popped, s.ring, s.passed, mask, down + v, c, rules.room, credit
                ):
                    some = True
            if some:
                ties = ties + 1 if sent == least else 1
                if sent < least or (sent == least and below(s.state, RANDOM, ties) == 0):
                    best, least = np.int64(port), sent
            bits = (bits >> 1) & 0x7FFFFFFFFFFFFFFF
            port += 1
    return best


@njit(cache=True, nogil=True)
def choose(shape: tuple, far: int | None, net: tuple, s: tuple, rules: tuple, r: int, packet: int, c: int) -> int:
    """The output class that a packet at the head of its VC asks for: port << log2(slots) | first VC."""
    LV, N = len(shape[1]), s.active.size // len(shape[0])
    k, packets = packet << 4, s.packets
    word = np.int64(packets[at(k + WORD)])
    goal = word >> 16
    toward = goal
    if rules.choice == DETOUR:
        if packets[at(k + VIA)] == UNDECIDED:
            packets[at(k + VIA)] = (
                detour_of(shape, far, net, s, rules, r, goal, c) if r != goal else np.int64(NO_DETOUR)
            )
        elif packets[at(k + VIA)] == r:
            packets[at(k + VIA)] = NO_DETOUR
            packets[at(k + PHASE)] = 1
        if packets[at(k + VIA)] >= 0:
            toward = np.int64(packets[at(k + VIA)])
    if toward == r:
        return ((word >> 7) & 511) << LV
    if rules.choice == ANY or rules.choice == SHORTER:
        return shortest(shape, far, net, s, rules, r, goal, c, rules.choice == SHORTER) << LV
    if rules.choice == ESCAPE and not packets[at(k + ESCAPED)]:
        port = free_port(shape, far, net, s, rules, r, goal, c)
        if port >= 0:
            return (port << LV) + rules.escapes
    out = np.int64(net.way[at((np.int64(packets[at(k + LAYER)]) * N + r) * N + toward)])
    if rules.lanes == BY_HOP:
        out += np.int64(packets[at(k + MADE_HOPS)]) * rules.width
    else:
        if rules.lanes == BY_PACKET:
            out += np.int64(packets[at(k + OF_LANE)]) * rules.width
        out += np.int64(packets[at(k + PHASE)]) * rules.escapes
    return out
