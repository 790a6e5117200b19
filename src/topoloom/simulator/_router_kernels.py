"""Routers, cycle by cycle: allocation of VCs and of the switch, and sources that inject packets.

The model (input-queued, separable round-robin allocators, BookSim 2's `iq_router`): a cycle has as many internal steps as the
speedup; a step allocates output VCs to waiting packets, then the switch to flits, both from the state before the step. A flit
that wins in step k of internal time leaves its output at the end of step k + 1, one a cycle, and is seen downstream a cycle
and the cable's latency later. Output queues are unlimited. Credits come back `credit` cycles after a flit left its buffer. A
packet holds its output VC from the allocation to its last flit.

Nothing that happens in a cycle is seen by another router before two cycles later, nor credits before four: so each router runs
AHEAD cycles at a visit, and the result does not depend on the order of the routers.

Shapes: `words`, `slots`, `vcs` are tuples whose lengths are words of VC bits a router, log2 of VC slots a port, and VCs a
port: lengths of tuples are constants to the compiler.
"""

import math

import numpy as np
from numba import njit

from topoloom.graph._simd import lowest_bit
from topoloom.simulator._flit_kernels import SLOTS, append, arm, at, full

#: Cycles that a router runs at a visit.
AHEAD = 2

# Places in `state`, int64[32].
FREE, BACKLOG, NEXT, RANDOM, HOPS, TIME = 0, 1, 2, 3, 4, 5
# Of the window that is measured: packets created, delivered, their latency, their routers;
# flits delivered in the window.
MADE, DONE, LATENCY, ROUTERS, FLITS, INJECTED = 8, 9, 10, 11, 12, 13


@njit(cache=True, nogil=True, inline="always")
def draw(state: np.ndarray) -> np.uint64:
    """The next word of xorshift64."""
    x = np.uint64(state[RANDOM])
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[RANDOM] = np.int64(x)
    return x


@njit(cache=True, nogil=True)
def request(
    table: np.ndarray, lane_table: np.ndarray, lane_rule: int, width: int, switches: int, host_switch: np.ndarray,
    host_port: np.ndarray, pending: np.ndarray, asked: np.ndarray, words: int, shift: int, r: int, vc: int, destination: int,
) -> None:  # fmt: skip
    """Let the packet at the head of a VC ask for an output VC of its class.

    destination: host | hops << 20 | lane << 27. lane_rule: 0 any VC, 1 the hop's, 2 the packet's, 3 the switch's.
    """
    host = destination & 0xFFFFF
    goal = np.int64(host_switch[at(host)])
    if goal == r:
        out = np.int64(host_port[at(host)]) << shift
    else:
        out = np.int64(table[at(goal * switches + r)]) << shift
        if lane_rule == 1:
            out += ((destination >> 20) & 0x7F) * width
        elif lane_rule == 2:
            out += ((destination >> 27) & 0xF) * width
        elif lane_rule == 3:
            out += np.int64(lane_table[at(goal * switches + r)]) * width
    asked[at((r * words * 64 + out) * (words + 1) + (vc >> 6))] |= np.int64(1) << (vc & 63)
    pending[at(r * words + (out >> 6))] |= np.int64(1) << (out & 63)


@njit(cache=True, nogil=True)
def run(
    words: tuple, slots: tuple, vcs: tuple, speedup: int, room: int, credit: int, inject: int, pool: np.ndarray,
    rec: np.ndarray, popped: np.ndarray, port: np.ndarray, calendar: np.ndarray, active: np.ndarray, pending: np.ndarray,
    unowned: np.ndarray, asked: np.ndarray, table: np.ndarray, lane_table: np.ndarray, lane_rule: int, width: int,
    host_switch: np.ndarray, host_port: np.ndarray, partner: np.ndarray, own_too: bool, flits: int, queue: np.ndarray,
    backlog: np.ndarray, most: int, state: np.ndarray, histogram: np.ndarray, got: np.ndarray, load: float, until: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Run until a cycle.

    Parameters
    ----------
    speedup, room, credit, inject : int
        Internal steps a cycle; flits a VC; cycles of a credit; cycles from a source to its router.
    pool, rec, popped, calendar : see `_flit_kernels`
    port : int32[8 * ports]
        0 the first VC downstream, -1 a host; 1 cycles on the wire; 2 the last departure; round-robin pointers: 3 of the output,
        4 of the input's VCs, 5 of its output VCs; 6 flits sent.
    active, pending, unowned : int64[routers * words]
        VCs that hold an output VC and have a flit; output classes (their first VC) that are asked for; output VCs not held.
    asked : int64[VCs * (words + 1)]
        For each output class the VCs that ask, and where the round robin stands.
    table, lane_table : uint8 or uint16, uint8 [switches * switches] or empty
        By destination, then switch: output port; lane where `lane_rule` says so (`request`). A class has `width` VCs.
    host_switch, host_port : int32[hosts]
    partner : int32[hosts] or int32[0]
        Where each host sends, -1 nowhere; empty: anywhere, to itself too if `own_too`.
    flits : int
        Of a packet.
    queue : int32[8 * hosts]
        Packets that wait at each host: 0, 1 first and last; 2 how many; 3 the VC of the last injection; 4 flits of the first
        still to inject, 0: all; 5 cycle of the last injection.
    most : int
        Packets that may wait at a host; more are not made (above saturation, where only who gets how much counts).
    load : float
        Packets a host and cycle.
    begin, end : int
        Packets born in these cycles, and flits delivered in them, are measured.
    histogram, got : int64[k], int64[hosts]
        Get packets by latency in cycles, the last place all longer ones; and flits by the host that they reached.
    """
    W, LV, V = len(words), len(slots), len(vcs)
    VM, FULL = (1 << LV) - 1, (np.int64(1) << (1 << LV)) - 1
    GS, PS = W * 64, (W * 64) >> LV
    N, hosts = active.size // W, host_switch.size
    NW = N * W
    scale = 1.0 / math.log1p(-load) if load > 0 else 0.0
    fresh, touched = np.zeros(W, np.int64), np.zeros((PS + 63) >> 6, np.int64)
    nearest, winner = np.zeros(PS, np.int64), np.zeros(PS, np.int64)
    free, waiting, following = state[FREE], state[BACKLOG], state[NEXT]
    hops, moved = np.int64(0), np.int64(0)
    t = state[TIME]
    while t < until:
        tb = min(t + AHEAD, until)
        for c in range(t, tb):
            # New packets: their hosts by geometric skips over all hosts and cycles.
            if load <= 0:
                following = hosts
            while following < hosts:
                n = following
                goal = np.int64(-1)
                if partner.size:
                    goal = np.int64(partner[at(n)])
                else:
                    span = hosts if own_too else hosts - 1
                    goal = np.int64(((draw(state) >> np.uint64(32)) * np.uint64(span)) >> np.uint64(32))
                    if not own_too and goal >= n:
                        goal += 1
                chance = (np.float64(draw(state) >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)
                following += 1 + np.int64(math.log(chance) * scale)
                if goal < 0:
                    continue
                if queue[at((n << 3) + 2)] >= most:
                    continue
                if begin <= c < end:
                    state[MADE] += 1
                word = goal
                if lane_rule == 2:
                    there, here = np.int64(host_switch[at(goal)]), np.int64(host_switch[at(n)])
                    word |= np.int64(lane_table[at(there * N + here)]) << 27
                place = free
                free = np.int64(pool[at(place << 2)])
                pool[at((place << 2) + 1)] = word
                pool[at((place << 2) + 2)] = c << 1
                q = n << 3
                if queue[at(q + 2)] == 0:
                    queue[at(q)] = place
                    queue[at(q + 4)] = 0
                    backlog[at(waiting)] = n
                    waiting += 1
                else:
                    pool[at(np.int64(queue[at(q + 1)]) << 2)] = place
                queue[at(q + 1)] = place
                queue[at(q + 2)] += 1
            following -= hosts
            # Injection: a flit a host and cycle, where its VC has a credit.
            still = 0
            for k in range(waiting):
                n = np.int64(backlog[at(k)])
                q = n << 3
                gp = np.int64(host_switch[at(n)]) * PS + np.int64(host_port[at(n)])
                g0, v = gp << LV, np.int64(queue[at(q + 3)])
                found = False
                if queue[at(q + 4)] > 0:
                    found = not full(rec, popped, g0 + v, c, room, credit, AHEAD)
                else:
                    for _ in range(V):
                        v = v + 1 if v + 1 < V else 0
                        if not full(rec, popped, g0 + v, c, room, credit, AHEAD):
                            found = True
                            break
                if found:
                    place = np.int64(queue[at(q)])
                    word, birth = np.int64(pool[at((place << 2) + 1)]), np.int64(pool[at((place << 2) + 2)])
                    left = (np.int64(queue[at(q + 4)]) if queue[at(q + 4)] else flits) - 1
                    queue[at(q + 3)], queue[at(q + 4)] = v, left
                    moved += 1
                    if left == 0:
                        queue[at(q)] = pool[at(place << 2)]
                        queue[at(q + 2)] -= 1
                        pool[at(place << 2)] = free
                        free = place
                        birth |= 1
                    free = append(pool, rec, calendar, NW, g0 + v, word, birth, c + inject, t, AHEAD, free)
                    if begin <= c < end:
                        state[INJECTED] += 1
                if queue[at(q + 2)] > 0:
                    backlog[at(still)] = n
                    still += 1
            waiting = still
        for r in range(N):
            b, G = r * W, r * GS
            for c in range(t, tb):
                base = (c & (SLOTS - 1)) * NW + b
                for w in range(W):
                    m = calendar[at(base + w)]
                    if m:
                        calendar[at(base + w)] = 0
                        while m:
                            iv = (w << 6) + lowest_bit(np.uint64(m))
                            m &= m - 1
                            g = G + iv
                            if rec[at((g << 3) + 2)] > c:
                                arm(calendar, NW, g, np.int64(rec[at((g << 3) + 2)]), c, AHEAD)
                            elif rec[at((g << 3) + 5)] >= 0:
                                active[at(b + w)] |= np.int64(1) << (iv & 63)
                            else:
                                request(
                                    table, lane_table, lane_rule, width, N, host_switch, host_port, pending, asked, W, LV,
                                    r, iv, np.int64(rec[at(g << 3)]),
                                )  # fmt: skip
                some = np.int64(0)
                for w in range(W):
                    some |= active[at(b + w)] | pending[at(b + w)]
                if some == 0:
                    continue
                for s in range(speedup):
                    # Output VCs for waiting packets.
                    for w in range(W):
                        m = pending[at(b + w)]
                        while m:
                            k = lowest_bit(np.uint64(m))
                            m &= m - 1
                            oc = (w << 6) + k
                            gp = r * PS + (oc >> LV)
                            down = np.int64(port[at(gp << 3)])
                            wide = V if down < 0 else width
                            can = (unowned[at(b + w)] >> k) & ((np.int64(1) << wide) - 1)
                            while can:
                                if wide == 1:
                                    v = np.int64(0)
                                else:
                                    v = np.int64(port[at((gp << 3) + 5)])
                                    h = can & (np.int64(-1) << v) if v < wide else np.int64(0)
                                    v = lowest_bit(np.uint64(h if h else can))
                                    port[at((gp << 3) + 5)] = v + 1
                                a = (G + oc) * (W + 1)
                                z = asked[at(a + W)]
                                w2 = z >> 6
                                h = asked[at(a + w2)] & (np.int64(-1) << (z & 63))
                                if h == 0:
                                    for _ in range(W):
                                        w2 = w2 + 1 if w2 + 1 < W else 0
                                        h = asked[at(a + w2)]
                                        if h:
                                            break
                                iv = (w2 << 6) + lowest_bit(np.uint64(h))
                                asked[at(a + (iv >> 6))] &= ~(np.int64(1) << (iv & 63))
                                asked[at(a + W)] = iv + 1 if iv + 1 < GS else 0
                                h = np.int64(0)
                                for w2 in range(W):
                                    h |= asked[at(a + w2)]
                                ov = oc + v
                                can &= ~(np.int64(1) << v)
                                if h == 0:
                                    pending[at(b + w)] &= ~(np.int64(1) << k)
                                    can = np.int64(0)
                                unowned[at(b + w)] &= ~(np.int64(1) << (k + v))
                                rec[at(((G + iv) << 3) + 5)] = ov
                                rec[at(((G + iv) << 3) + 6)] = down + (ov & VM) if down >= 0 else -1
                                fresh[at(iv >> 6)] |= np.int64(1) << (iv & 63)
                    # The switch, input stage: a VC of each port; output stage: the input next in turn.
                    for w in range(W):
                        m = active[at(b + w)]
                        while m:
                            low = lowest_bit(np.uint64(m)) & ~VM
                            sub = (m >> low) & FULL
                            m &= ~(FULL << low)
                            gi = G + (w << 6) + low
                            h, rest = sub, np.int64(0)
                            if sub & (sub - 1):
                                v = np.int64(port[at(((gi >> LV) << 3) + 4)])
                                h, rest = sub & (np.int64(-1) << v), sub & ~(np.int64(-1) << v)
                                if h == 0:
                                    h, rest = rest, np.int64(0)
                            while h:
                                v = lowest_bit(np.uint64(h))
                                h &= h - 1
                                if h == 0:
                                    h, rest = rest, np.int64(0)
                                g2 = np.int64(rec[at(((gi + v) << 3) + 6)])
                                if g2 < 0 or not full(rec, popped, g2, c, room, credit, AHEAD):
                                    o = np.int64(rec[at(((gi + v) << 3) + 5)]) >> LV
                                    d = ((gi - G) >> LV) - np.int64(port[at(((r * PS + o) << 3) + 3)])
                                    if d < 0:
                                        d += PS
                                    seen = (touched[at(o >> 6)] >> (o & 63)) & 1
                                    if seen == 0 or d < nearest[at(o)]:
                                        touched[at(o >> 6)] |= np.int64(1) << (o & 63)
                                        nearest[at(o)], winner[at(o)] = d, gi + v
                                    break
                    for w in range(touched.size):
                        m = touched[at(w)]
                        touched[at(w)] = 0
                        while m:
                            o = (w << 6) + lowest_bit(np.uint64(m))
                            m &= m - 1
                            g = winner[at(o)]
                            iv = g - G
                            ov, g2 = np.int64(rec[at((g << 3) + 5)]), np.int64(rec[at((g << 3) + 6)])
                            word, birth = np.int64(rec[at(g << 3)]), np.int64(rec[at((g << 3) + 1)])
                            rec[at((g << 3) + 7)] -= 1
                            history = popped[at(g)]
                            d = c - (history >> 32)
                            history = (history & 0xFFFFFFFF) << (2 * d) if d < 16 else np.int64(0)
                            popped[at(g)] = (c << 32) | ((history + 1) & 0xFFFFFFFF)
                            bit = np.int64(1) << (iv & 63)
                            last = birth & 1
                            if last:
                                active[at(b + (iv >> 6))] &= ~bit
                                unowned[at(b + (ov >> 6))] |= np.int64(1) << (ov & 63)
                                rec[at((g << 3) + 5)] = -1
                            port[at(((g >> LV) << 3) + 4)] = (g + 1) & VM
                            z = (iv >> LV) + 1
                            gp = r * PS + o
                            port[at((gp << 3) + 3)] = z if z < PS else 0
                            port[at((gp << 3) + 6)] += 1
                            if rec[at((g << 3) + 7)] > 0:
                                p = np.int64(rec[at((g << 3) + 3)])
                                coming = np.int64(pool[at((p << 2) + 3)])
                                rec[at(g << 3)] = pool[at((p << 2) + 1)]
                                rec[at((g << 3) + 1)] = pool[at((p << 2) + 2)]
                                rec[at((g << 3) + 2)] = coming
                                rec[at((g << 3) + 3)] = pool[at(p << 2)]
                                pool[at(p << 2)] = free
                                free = p
                                if coming > c:
                                    active[at(b + (iv >> 6))] &= ~bit
                                    arm(calendar, NW, g, coming, c, AHEAD)
                                elif last:
                                    request(
                                        table, lane_table, lane_rule, width, N, host_switch, host_port, pending, asked, W,
                                        LV, r, iv, np.int64(rec[at(g << 3)]),
                                    )  # fmt: skip
                            else:
                                active[at(b + (iv >> 6))] &= ~bit
                            leaves = max(np.int64(port[at((gp << 3) + 2)]) + 1, np.int64(c + (s + 1) // speedup))
                            port[at((gp << 3) + 2)] = leaves
                            arrival = leaves + np.int64(port[at((gp << 3) + 1)])
                            hops += 1
                            if g2 >= 0:
                                free = append(
                                    pool, rec, calendar, NW, g2, word + (np.int64(1) << 20), birth, arrival, c, AHEAD, free
                                )  # fmt: skip
                                continue
                            if begin <= arrival < end:
                                state[FLITS] += 1
                                got[at(word & 0xFFFFF)] += 1
                            if last and begin <= birth >> 1 < end:
                                latency = arrival - (birth >> 1)
                                state[DONE] += 1
                                state[LATENCY] += latency
                                state[ROUTERS] += ((word >> 20) & 0x7F) + 1
                                histogram[at(min(latency, np.int64(histogram.size - 1)))] += 1
                    for w in range(W):
                        active[at(b + w)] |= fresh[at(w)]
                        fresh[at(w)] = 0
        t = tb
    state[FREE], state[BACKLOG], state[NEXT], state[TIME] = free, waiting, following, t
    state[HOPS] += hops
