"""Routers, cycle by cycle: allocation of output VCs to packets, and of the switch to flits.

The model (input-queued, separable round-robin allocators, BookSim 2's `iq_router`): a cycle has as many internal steps as the
speedup; a step allocates output VCs to waiting packets, then the switch to flits, both from the state before the step. A flit
that wins in step k of internal time leaves its output at the end of step k + 1, one a cycle, and is seen downstream a cycle
and the cable's latency later. Credits come back `credit` cycles after a flit left its buffer. A packet holds its output VC
from the allocation to its last flit.

Nothing that happens in a cycle is seen by another router before two cycles later, nor credits before that: so each router runs
AHEAD cycles at a visit, and the result does not depend on the order of the routers.

`fields` says what lies where in the arrays of VCs, ports, places and packets.

active, unowned, choosing, int64[routers * words]: VCs that hold an output VC and have a flit; output VCs that nobody holds; VCs
whose packet has yet to choose, or chooses anew every cycle. `requests` says what pending and asked are.
"""

import numpy as np
from numba import njit

from topoloom.graph.kernels.simd import lowest_bit
from topoloom.simulator.buffers import (
    DONE,
    ESCAPE,
    FLITS,
    FREE,
    HOPS,
    INSIDE,
    LATENCY,
    RECORD,
    ROUTERS,
    TIME,
    Buffers,
    Demand,
    Network,
    Rules,
)
from topoloom.simulator.kernels.choices import choose
from topoloom.simulator.kernels.fields import (
    PACKET_BORN,
    PACKET_ESCAPED,
    PACKET_HOPS,
    PACKET_LENGTH,
    PACKET_NEXT,
    PACKET_SIZE,
    PLACE_ARRIVAL,
    PLACE_BIRTH,
    PLACE_NEXT,
    PLACE_SIZE,
    PLACE_WORD,
    PORT_CREDIT,
    PORT_INPUT_TURN,
    PORT_LAST,
    PORT_NEXT,
    PORT_OUTPUT_TURN,
    PORT_SENT,
    PORT_SIZE,
    PORT_WIRE,
    VC_ARRIVAL,
    VC_BIRTH,
    VC_FLITS,
    VC_NEXT,
    VC_OUTPUT,
    VC_SECOND,
    VC_SIZE,
    VC_WORD,
    at,
)
from topoloom.simulator.kernels.flits import AHEAD, BORN, HEAD, LAST, SLOTS, append, arm, full
from topoloom.simulator.kernels.requests import ask, class_of, withdraw
from topoloom.simulator.kernels.round_trips import arrived
from topoloom.simulator.kernels.sources import inject, make_packets


@njit(cache=True, nogil=True)
def routers(
    shape: tuple,
    rich: int | None,
    far: int | None,
    near_too: int | None,
    detours: int | None,
    net: Network,
    s: Buffers,
    rules: Rules,
    demand: Demand,
    t: int,
    tb: int,
    begin: int,
    end: int,
) -> None:
    """Every router runs from one cycle to before another, AHEAD later at most."""
    W, LV, V = len(shape[0]), len(shape[1]), rules.vcs
    VM, FULL = (1 << LV) - 1, (np.int64(1) << (1 << LV)) - 1
    GS, PS = W * 64, (W * 64) >> LV
    N = s.active.size // W
    NW = N * W
    pool, rec, popped, ring, passed, port = s.pool, s.rec, s.popped, s.ring, s.passed, s.port
    calendar, active, pending, unowned, asked, choosing = (
        s.calendar,
        s.active,
        s.pending,
        s.unowned,
        s.asked,
        s.choosing,
    )
    fresh, touched, nearest, winner, tried = s.fresh, s.touched, s.nearest, s.winner, s.tried
    state, histogram, packets, spans = s.state, s.histogram, s.packets, net.spans
    mask = ring.size // max(1, rec.size >> 3) - 1
    distance, group, near = net.distance, net.group, net.near
    outputs, lanes, width, hold, whole = net.outputs, rules.lanes, rules.width, rules.hold, rules.whole
    speedup, room, bound, eject, usual = rules.speedup, rules.room, rules.bound, rules.eject, rules.credit
    notes = s.log.size > 0 or demand.loop.size > 0 or demand.events.size > 0
    free, hops, flits = state[FREE], np.int64(0), np.int64(0)
    for r in range(N):
        b, G = r * W, r * GS
        for c in range(t, tb):
            # Arrivals: flits that are due are seen, and packets by the tables ask for an output.
            base = (c & (SLOTS - 1)) * NW + b
            some = np.int64(0)
            for w in range(W):
                m = calendar[at(base + w)]
                if m:
                    calendar[at(base + w)] = 0
                    while m:
                        iv = (w << 6) + lowest_bit(np.uint64(m))
                        m &= m - 1
                        g = G + iv
                        if rec[at(g * VC_SIZE + VC_ARRIVAL)] > c:
                            arm(calendar, NW, g, np.int64(rec[at(g * VC_SIZE + VC_ARRIVAL)]), c)
                        elif rec[at(g * VC_SIZE + VC_OUTPUT)] >= 0:
                            active[at(b + w)] |= np.int64(1) << (iv & 63)
                        elif rich is None:
                            word, birth = (
                                np.int64(rec[at(g * VC_SIZE + VC_WORD)]),
                                np.int64(rec[at(g * VC_SIZE + VC_BIRTH)]),
                            )
                            ask(asked, pending, W, r, iv, class_of(LV, outputs, lanes, width, N, r, word, birth))
                        else:
                            rec[at(g * VC_SIZE + VC_NEXT)] = -1
                            choosing[at(b + w)] |= np.int64(1) << (iv & 63)
                some |= active[at(b + w)] | pending[at(b + w)]
                if rich is not None:
                    some |= choosing[at(b + w)]
            if some == 0:
                continue
            for step in range(speedup):
                if rich is not None:
                    # Routing: packets choose; those that may escape do so anew every cycle, until they get a VC.
                    for w in range(W):
                        m = choosing[at(b + w)]
                        while m:
                            iv = (w << 6) + lowest_bit(np.uint64(m))
                            m &= m - 1
                            g = G + iv
                            old = np.int64(rec[at(g * VC_SIZE + VC_NEXT)])
                            if old >= 0:
                                if step:
                                    continue
                                withdraw(asked, pending, W, r, iv, old)
                            out = choose(
                                far,
                                near_too,
                                detours,
                                rules,
                                LV,
                                V,
                                PS,
                                N,
                                mask,
                                outputs,
                                distance,
                                group,
                                near,
                                port,
                                rec,
                                popped,
                                ring,
                                passed,
                                unowned,
                                packets,
                                state,
                                b,
                                r,
                                iv & VM,
                                np.int64(rec[at(g * VC_SIZE + VC_WORD)]),
                                c,
                            )
                            ask(asked, pending, W, r, iv, out)
                            rec[at(g * VC_SIZE + VC_NEXT)] = out
                            if rules.choice != ESCAPE:
                                choosing[at(b + w)] &= ~(np.int64(1) << (iv & 63))
                # VC allocation: output VCs for waiting packets.
                for w in range(W):
                    m = pending[at(b + w)]
                    while m:
                        k = lowest_bit(np.uint64(m))
                        m &= m - 1
                        oc = (w << 6) + k
                        gp = r * PS + (oc >> LV)
                        down = np.int64(port[at(gp * PORT_SIZE + PORT_NEXT)])
                        if rich is not None:
                            wide = rules.last_vcs if down < 0 else spans[at(oc & VM)]
                        else:
                            wide = V if down < 0 else width
                        can = (unowned[at(b + w)] >> k) & ((np.int64(1) << wide) - 1)
                        a = (G + oc) * (W + 1)
                        several = wide > 1 and can & (can - 1) != 0
                        if several:
                            # Each waiting packet tries one of the free VCs, and of those that try the same one the next wins.
                            for v in range(wide):
                                tried[at(2 * v)] = GS
                            for w2 in range(W):
                                h = asked[at(a + w2)]
                                while h:
                                    iv = (w2 << 6) + lowest_bit(np.uint64(h))
                                    h &= h - 1
                                    v = (
                                        ((iv + 1) * 0x9E3779B1 + (2 * c + step) * 0x85EBCA6B) >> 15 & 0xFFFF
                                    ) * wide >> 16
                                    rest = can & (np.int64(-1) << v)
                                    v = lowest_bit(np.uint64(rest if rest else can))
                                    d = iv - asked[at(a + W)]
                                    if d < 0:
                                        d += GS
                                    if d < tried[at(2 * v)]:
                                        tried[at(2 * v)], tried[at(2 * v + 1)] = d, iv
                        while can:
                            v = lowest_bit(np.uint64(can))
                            if several:
                                iv = tried[at(2 * v + 1)]
                                if tried[at(2 * v)] == GS:
                                    can &= can - 1
                                    continue
                            else:
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
                            g = G + iv
                            bit = np.int64(1) << (iv & 63)
                            asked[at(a + (iv >> 6))] &= ~bit
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
                            rec[at(g * VC_SIZE + VC_OUTPUT)] = ov
                            rec[at(g * VC_SIZE + VC_NEXT)] = down + (ov & VM) if down >= 0 else -1
                            if rich is not None:
                                choosing[at(b + (iv >> 6))] &= ~bit
                                if (
                                    rules.choice == ESCAPE
                                    and not rules.returns
                                    and down >= 0
                                    and (ov & VM) < rules.escapes
                                ):
                                    packets[
                                        at(np.int64(rec[at(g * VC_SIZE + VC_WORD)]) * PACKET_SIZE + PACKET_ESCAPED)
                                    ] = 1
                            if hold:
                                arm(calendar, NW, g, c + hold + 1, c)
                            else:
                                fresh[at(iv >> 6)] |= bit
                # Switch allocation. Input stage: a VC of each port; output stage: the input next in turn.
                for w in range(W):
                    m = active[at(b + w)]
                    while m:
                        low = lowest_bit(np.uint64(m)) & ~VM
                        sub = (m >> low) & FULL
                        m &= ~(FULL << low)
                        gi = G + (w << 6) + low
                        h, rest = sub, np.int64(0)
                        if sub & (sub - 1):
                            v = np.int64(port[at((gi >> LV) * PORT_SIZE + PORT_INPUT_TURN)])
                            h, rest = sub & (np.int64(-1) << v), sub & ~(np.int64(-1) << v)
                            if h == 0:
                                h, rest = rest, np.int64(0)
                        while h:
                            v = lowest_bit(np.uint64(h))
                            h &= h - 1
                            if h == 0:
                                h, rest = rest, np.int64(0)
                            g = gi + v
                            g2 = np.int64(rec[at(g * VC_SIZE + VC_NEXT)])
                            o = np.int64(rec[at(g * VC_SIZE + VC_OUTPUT)]) >> LV
                            gp = r * PS + o
                            if np.int64(port[at(gp * PORT_SIZE + PORT_LAST)]) - c >= (bound if g2 >= 0 else eject):
                                continue
                            if g2 >= 0:
                                least = room
                                if rich is not None and whole and rec[at(g * VC_SIZE + VC_BIRTH)] & HEAD:
                                    packet = np.int64(rec[at(g * VC_SIZE + VC_WORD)])
                                    least -= np.int64(packets[at(packet * PACKET_SIZE + PACKET_LENGTH)]) - 1
                                credit = usual
                                if far is not None:
                                    credit = np.int64(port[at(gp * PORT_SIZE + PORT_CREDIT)])
                                if full(shape, far, rec, popped, ring, passed, mask, g2, c, least, credit):
                                    continue
                            d = ((gi - G) >> LV) - np.int64(port[at(gp * PORT_SIZE + PORT_OUTPUT_TURN)])
                            if d < 0:
                                d += PS
                            seen = (touched[at(o >> 6)] >> (o & 63)) & 1
                            if seen == 0 or d < nearest[at(o)]:
                                touched[at(o >> 6)] |= np.int64(1) << (o & 63)
                                nearest[at(o)], winner[at(o)] = d, g
                            break
                # Traversal: winners leave, credits go back, the flits behind move up.
                for w in range((PS + 63) >> 6):
                    m = touched[at(w)]
                    touched[at(w)] = 0
                    while m:
                        o = (w << 6) + lowest_bit(np.uint64(m))
                        m &= m - 1
                        g = winner[at(o)]
                        iv = g - G
                        ov, g2 = np.int64(rec[at(g * VC_SIZE + VC_OUTPUT)]), np.int64(rec[at(g * VC_SIZE + VC_NEXT)])
                        word, birth = (
                            np.int64(rec[at(g * VC_SIZE + VC_WORD)]),
                            np.int64(rec[at(g * VC_SIZE + VC_BIRTH)]),
                        )
                        left = np.int64(rec[at(g * VC_SIZE + VC_FLITS)]) - 1
                        rec[at(g * VC_SIZE + VC_FLITS)] = left
                        if far is not None:
                            d = np.int64(passed[at(2 * g + 1)])
                            ring[at(g * (mask + 1) + (d & mask))] = c
                            passed[at(2 * g + 1)] = d + 1
                        else:
                            history = popped[at(g)]
                            d = c - (history >> 32)
                            history = (history & 0xFFFFFFFF) << (2 * d) if d < 16 else np.int64(0)
                            popped[at(g)] = (c << 32) | ((history + 1) & 0xFFFFFFFF)
                        bit = np.int64(1) << (iv & 63)
                        last = len(shape[2]) == 0 or birth & LAST != 0
                        if last:
                            active[at(b + (iv >> 6))] &= ~bit
                            unowned[at(b + (ov >> 6))] |= np.int64(1) << (ov & 63)
                            rec[at(g * VC_SIZE + VC_OUTPUT)] = -1
                        port[at((g >> LV) * PORT_SIZE + PORT_INPUT_TURN)] = (g + 1) & VM
                        z = (iv >> LV) + 1
                        gp = r * PS + o
                        port[at(gp * PORT_SIZE + PORT_OUTPUT_TURN)] = z if z < PS else 0
                        port[at(gp * PORT_SIZE + PORT_SENT)] += 1
                        if left > 0:
                            p = np.int64(rec[at(g * VC_SIZE + VC_SECOND)])
                            coming = np.int64(pool[at(p * PLACE_SIZE + PLACE_ARRIVAL)])
                            word2, birth2 = (
                                np.int64(pool[at(p * PLACE_SIZE + PLACE_WORD)]),
                                np.int64(pool[at(p * PLACE_SIZE + PLACE_BIRTH)]),
                            )
                            rec[at(g * VC_SIZE + VC_WORD)] = word2
                            rec[at(g * VC_SIZE + VC_BIRTH)] = birth2
                            rec[at(g * VC_SIZE + VC_ARRIVAL)] = coming
                            rec[at(g * VC_SIZE + VC_SECOND)] = pool[at(p * PLACE_SIZE + PLACE_NEXT)]
                            pool[at(p * PLACE_SIZE + PLACE_NEXT)] = free
                            free = p
                            if coming > c:
                                active[at(b + (iv >> 6))] &= ~bit
                                arm(calendar, NW, g, coming, c)
                            elif last:
                                if rich is not None:
                                    rec[at(g * VC_SIZE + VC_NEXT)] = -1
                                    choosing[at(b + (iv >> 6))] |= bit
                                else:
                                    ask(
                                        asked,
                                        pending,
                                        W,
                                        r,
                                        iv,
                                        class_of(LV, outputs, lanes, width, N, r, word2, birth2),
                                    )
                        else:
                            active[at(b + (iv >> 6))] &= ~bit
                        leaves = max(
                            np.int64(port[at(gp * PORT_SIZE + PORT_LAST)]) + 1, np.int64(c + (step + 1) // speedup)
                        )
                        port[at(gp * PORT_SIZE + PORT_LAST)] = leaves
                        arrival = leaves + np.int64(port[at(gp * PORT_SIZE + PORT_WIRE)])
                        hops += 1
                        if g2 >= 0:
                            if rich is None:
                                word += 1
                            elif birth & HEAD:
                                packets[at(word * PACKET_SIZE + PACKET_HOPS)] += 1
                            free = append(pool, rec, calendar, NW, g2, word, birth, arrival, c, free)
                            continue
                        flits += 1
                        if last:
                            born, made = birth >> BORN, word & 127
                            if rich is not None:
                                born = np.int64(packets[at(word * PACKET_SIZE + PACKET_BORN)])
                                made = np.int64(packets[at(word * PACKET_SIZE + PACKET_HOPS)])
                            if begin <= born < end:
                                latency = arrival - born
                                state[DONE] += 1
                                state[LATENCY] += latency
                                state[ROUTERS] += made + 1
                                place = latency if latency < 4096 else min(4096 + (latency >> 6), histogram.size - 1)
                                histogram[at(place)] += 1
                            if rich is not None:
                                if notes:
                                    state[FREE] = free
                                    arrived(net, s, demand, word, arrival, begin, end)
                                    free = state[FREE]
                                packets[at(word * PACKET_SIZE + PACKET_NEXT)] = state[RECORD]
                                state[RECORD] = word
                                state[INSIDE] -= 1
                for w in range(W):
                    active[at(b + w)] |= fresh[at(w)]
                    fresh[at(w)] = 0
    state[FREE] = free
    state[HOPS] += hops
    state[FLITS] += flits


@njit(cache=True, nogil=True)
def run(
    shape: tuple,
    rich: int | None,
    far: int | None,
    near_too: int | None,
    detours: int | None,
    net: Network,
    s: Buffers,
    rules: Rules,
    demand: Demand,
    until: int,
    begin: int,
    end: int,
) -> None:
    """Run until a cycle; packets born from `begin` to before `end` are measured."""
    t = s.state[TIME]
    while t < until:
        tb = min(t + AHEAD, until)
        for c in range(t, tb):
            make_packets(net, s, rules, demand, c, begin, end)
            inject(shape, rich, far, net, s, rules, demand, c, t, begin, end)
        routers(shape, rich, far, near_too, detours, net, s, rules, demand, t, tb, begin, end)
        t = tb
    s.state[TIME] = t
