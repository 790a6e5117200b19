"""The first stages of a router's cycle: register flits that have arrived, and request outputs for packets."""

from collections.abc import Callable

import numpy as np

from topoloom.core.compiling.decorators import inner, stage
from topoloom.graph.kernels.simd import lowest_bit
from topoloom.simulation.flits.buffers import ESCAPE, RANDOM, Buffers, RouterNetwork, Rules
from topoloom.simulation.flits.kernels.choices import choose
from topoloom.simulation.flits.kernels.fields import (
    NEAR_PACKETS,
    PACKET_LENGTH,
    PACKET_SIZE,
    PORT_ASKED,
    PORT_SIZE,
    VC_NEXT,
    VC_OUTPUT,
    VC_SIZE,
    VC_WORD,
    at,
)
from topoloom.simulation.flits.kernels.flits import TIMES, arm
from topoloom.simulation.flits.kernels.paces import stored_until
from topoloom.simulation.flits.kernels.requests import ask, begin_routing, request, withdraw
from topoloom.simulation.flits.own_choice import OwnArrays


@inner
def look_again(s: Buffers, r: int, c: int, w: int, m: int, words: int) -> int:
    """Look at the VCs m of word w of router r, which waited for a credit, for their rest, or to be routed.

    Return those that wait no longer and have no output VC.
    """
    rest = m
    while rest:
        bit = rest & -rest
        g = ((r * words + w) << 6) + lowest_bit(np.uint64(rest))
        rest &= rest - 1
        if s.since.size and s.since[at(g * NEAR_PACKETS)] > c:
            m &= ~bit
            arm(s.timers, s.active.size, g, np.int64(s.since[at(g * NEAR_PACKETS)]), c)
        elif s.rec[at(g * VC_SIZE + VC_OUTPUT)] >= 0:
            m &= ~bit
            s.active[at(g >> 6)] |= bit
    return m


@stage
def see_arrivals(records: int | None, net: RouterNetwork, s: Buffers, rules: Rules, r: int, c: int) -> int:
    """Register flits that have arrived, and request outputs for packets that use the tables; return whether work remains."""
    W, NW = rules.words, s.active.size
    b, G = r * W, r * W * 64
    calendar, timers, active, pending, choosing = s.calendar, s.timers, s.active, s.pending, s.choosing
    here, some = s.here, np.int64(0)
    for w in range(W):
        first = timers[at((c & (TIMES - 1)) * NW + b + w)]
        if first:
            timers[at((c & (TIMES - 1)) * NW + b + w)] = 0
            first = look_again(s, r, c, w, first, W)
        m = calendar[at((c & rules.slots) * NW + b + w)]
        if m:
            calendar[at((c & rules.slots) * NW + b + w)] = 0
            before, held = here[at(b + w)], s.held[at(b + w)]
            here[at(b + w)] = before | m
            again = m & before
            while again:
                s.behind[at(G + (w << 6) + lowest_bit(np.uint64(again)))] += 1
                s.more[at(b + w)] |= again & -again
                again &= again - 1
            active[at(b + w)] |= m & ~before & held
            first |= m & ~before & ~held
        some |= first | active[at(b + w)] | pending[at(b + w)]
        while first:
            iv = (w << 6) + lowest_bit(np.uint64(first))
            first &= first - 1
            if rules.route:
                begin_routing(s, rules, r, iv, c, c)
            else:
                request(records, net, s, rules, r, iv)
        if records is not None:
            some |= choosing[at(b + w)]
        if rules.route:
            some |= s.routed[at(b + w)]
    return some


@stage
def choose_outputs(
    long_credits: int | None,
    any_shortest: int | None,
    detours: int | None,
    pace: np.ndarray | None,
    adaptive: Callable | None,
    arrays: OwnArrays | None,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    r: int,
    c: int,
    step: int,
) -> None:
    """Request outputs for packets that choose; those that may escape request again every cycle, until they get a VC.

    A packet that would leave faster than it comes is stored first.
    """
    W, LV = rules.words, rules.slot_bits
    V, VM, PS, N = rules.vcs, (1 << LV) - 1, (W * 64) >> LV, s.active.size // W
    b, G = r * W, r * W * 64
    rec, popped, port, history = s.rec, s.popped, s.port, rules.history
    pending, unowned, asked, choosing = s.pending, s.unowned, s.asked, s.choosing
    state, packets = s.state, s.packets
    outputs, distance, group, near = net.outputs, net.distance, net.group, net.near
    stream, drawn = state, np.int64(RANDOM)
    if s.streams.size:
        stream, drawn = s.streams, r
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
                withdraw(asked, pending, W, LV, r, iv, old)
            out = choose(
                long_credits,
                any_shortest,
                detours,
                pace,
                adaptive,
                arrays,
                rules,
                LV,
                V,
                PS,
                N,
                history,
                outputs,
                distance,
                group,
                near,
                port,
                rec,
                popped,
                unowned,
                packets,
                state,
                stream,
                drawn,
                b,
                r,
                iv >> LV,
                iv & VM,
                np.int64(rec[at(g * VC_SIZE + VC_WORD)]),
                c,
            )
            if adaptive is not None and out < 0:
                rec[at(g * VC_SIZE + VC_NEXT)] = -1
                continue
            if pace is not None:
                packet = np.int64(rec[at(g * VC_SIZE + VC_WORD)])
                flits = min(np.int64(packets[at(packet * PACKET_SIZE + PACKET_LENGTH)]), rules.room)
                arrival = np.int64(s.since[at(g * NEAR_PACKETS)]) - max(0, rules.route - 1)
                ready = stored_until(pace, g >> LV, r * PS + (out >> LV), flits, arrival)
                if ready > c:
                    choosing[at(b + w)] &= ~(np.int64(1) << (iv & 63))
                    arm(s.timers, N * W, g, ready, c)
                    continue
            ask(asked, pending, W, LV, r, iv, out)
            if detours is not None and rules.knows == 2:
                length = packets[at(np.int64(rec[at(g * VC_SIZE + VC_WORD)]) * PACKET_SIZE + PACKET_LENGTH)]
                port[at((r * PS + (out >> LV)) * PORT_SIZE + PORT_ASKED)] += length
            rec[at(g * VC_SIZE + VC_NEXT)] = out
            if rules.choice != ESCAPE and (arrays is None or arrays.again == 0):
                choosing[at(b + w)] &= ~(np.int64(1) << (iv & 63))
