"""Separable round-robin allocation, as in BookSim 2's `iq_router`: output VCs to packets, and the switch to flits.

The arrays are those of `buffers`; `router` describes the bit sets, and `fields` the records.
"""

import numpy as np

from topoloom.core.compiling.decorators import stage
from topoloom.graph.kernels.simd import fetch, lowest_bit
from topoloom.simulation.flits.buffers import ESCAPE, Buffers, RouterNetwork, Rules
from topoloom.simulation.flits.kernels.credits import full, host_full, next_credit
from topoloom.simulation.flits.kernels.fields import (
    PACKET_ESCAPED,
    PACKET_LENGTH,
    PACKET_SIZE,
    PLACE_SIZE,
    PORT_CREDIT,
    PORT_INPUT_TURN,
    PORT_LAST,
    PORT_NEXT,
    PORT_OUTPUT_TURN,
    PORT_SIZE,
    VC_BIRTH,
    VC_FLITS,
    VC_NEXT,
    VC_OUTPUT,
    VC_SECOND,
    VC_SIZE,
    VC_WORD,
    at,
)
from topoloom.simulation.flits.kernels.flits import HEAD, arm
from topoloom.simulation.flits.kernels.paces import queued_beyond
from topoloom.simulation.flits.kernels.queues import open_to_choice
from topoloom.simulation.flits.kernels.requests import row_of


@stage
def allocate_vcs(records: int | None, net: RouterNetwork, s: Buffers, rules: Rules, r: int, c: int, step: int) -> None:
    """Allocate output VCs of router r to waiting packets, in internal step `step` of cycle c.

    For each requested output class: find its free VCs; if several are free, each waiting packet tries one of them; of the
    packets that try the same VC, the next one in round-robin order wins.
    """
    W, LV = rules.words, rules.slot_bits
    V, VM, GS, PS, N = rules.vcs, (1 << LV) - 1, W * 64, (W * 64) >> LV, s.active.size // W
    b, G, NW = r * W, r * W * 64, N * W
    rec, port, calendar, pending, unowned, asked, choosing = (
        s.rec,
        s.port,
        s.calendar,
        s.pending,
        s.unowned,
        s.asked,
        s.choosing,
    )
    fresh, tried, packets, spans = s.fresh, s.tried, s.packets, net.spans
    width, hold = rules.width, rules.hold
    for w in range(W):
        m = pending[at(b + w)]
        while m:
            k = lowest_bit(np.uint64(m))
            m &= m - 1
            oc = (w << 6) + k
            gp = r * PS + (oc >> LV)
            down = np.int64(port[at(gp * PORT_SIZE + PORT_NEXT)])
            if records is not None:
                wide = rules.last_vcs if down < 0 else spans[at(oc & VM)]
            else:
                wide = V if down < 0 else width
            can = (unowned[at(b + w)] >> k) & ((np.int64(1) << wide) - 1)
            if records is not None and rules.choice == ESCAPE and down >= 0 and (oc & VM) >= rules.escapes:
                for v in range(wide):
                    if not open_to_choice(rules.spare, np.int64(rec[at((down + (oc & VM) + v) * VC_SIZE + VC_FLITS)])):
                        can &= ~(np.int64(1) << v)
                if can == 0:
                    continue
            a = row_of(W, LV, r, oc)
            several = wide > 1 and can & (can - 1) != 0
            if several:
                # Each waiting packet tries one of the free VCs; of those that try the same VC, the next in round-robin order
                # wins.
                for v in range(wide):
                    tried[at(2 * v)] = GS
                for w2 in range(W):
                    h = asked[at(a + w2)]
                    while h:
                        iv = (w2 << 6) + lowest_bit(np.uint64(h))
                        h &= h - 1
                        v = (((iv + 1) * 0x9E3779B1 + (2 * c + step) * 0x85EBCA6B) >> 15 & 0xFFFF) * wide >> 16
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
                # The next flit moves up when this packet leaves: prefetch it.
                fetch(s.pool, np.int64(rec[at(g * VC_SIZE + VC_SECOND)]) * PLACE_SIZE)
                rec[at(g * VC_SIZE + VC_NEXT)] = down + (ov & VM) if down >= 0 else -1
                if down >= 0:
                    fetch(rec, (down + (ov & VM)) * VC_SIZE)
                if records is not None:
                    choosing[at(b + (iv >> 6))] &= ~bit
                    if rules.choice == ESCAPE and not rules.returns and down >= 0 and (ov & VM) < rules.escapes:
                        packets[at(np.int64(rec[at(g * VC_SIZE + VC_WORD)]) * PACKET_SIZE + PACKET_ESCAPED)] = 1
                if hold:
                    arm(calendar, NW, g, c + hold + 1, c)
                else:
                    fresh[at(iv >> 6)] |= bit


@stage
def allocate_switch(
    records: int | None,
    long_credits: int | None,
    pace: np.ndarray | None,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    r: int,
    c: int,
) -> None:
    """Allocate the switch of router r in cycle c: each input port selects a VC, then each output the next input in turn.

    touched and nearest, winner (by output port): outputs with a request, the distance of the best input in round-robin order,
    and the VC that wins.
    """
    W, LV = rules.words, rules.slot_bits
    VM, FULL, PS = (1 << LV) - 1, (np.int64(1) << (1 << LV)) - 1, (W * 64) >> LV
    b, G, NW = r * W, r * W * 64, s.active.size
    rec, popped, port, history = s.rec, s.popped, s.port, rules.history
    active, calendar, packets = s.active, s.calendar, s.packets
    touched, nearest, winner = s.touched, s.nearest, s.winner
    room, bound, eject, usual, whole = rules.room, rules.bound, rules.eject, rules.credit, rules.whole
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
                if pace is None:
                    if np.int64(port[at(gp * PORT_SIZE + PORT_LAST)]) - c >= (bound if g2 >= 0 else eject):
                        continue
                elif queued_beyond(pace, gp, bound if g2 >= 0 else eject, c):
                    continue
                if g2 < 0:
                    if s.ejected.size and host_full(
                        net, s, rules, gp, np.int64(rec[at(g * VC_SIZE + VC_OUTPUT)]) & VM, c
                    ):
                        continue
                else:
                    least = room
                    if records is not None and whole and rec[at(g * VC_SIZE + VC_BIRTH)] & HEAD:
                        packet = np.int64(rec[at(g * VC_SIZE + VC_WORD)])
                        least -= np.int64(packets[at(packet * PACKET_SIZE + PACKET_LENGTH)]) - 1
                    credit = usual
                    if long_credits is not None:
                        credit = np.int64(port[at(gp * PORT_SIZE + PORT_CREDIT)])
                    if full(rules.many, long_credits, rec, popped, history, g2, c, least, credit):
                        soon = next_credit(long_credits, popped, history, g2, c, credit)
                        if soon > c + 1:  # look again when a credit may have arrived
                            active[at(g >> 6)] &= ~(np.int64(1) << (g & 63))
                            arm(calendar, NW, g, soon, c)
                        continue
                d = ((gi - G) >> LV) - np.int64(port[at(gp * PORT_SIZE + PORT_OUTPUT_TURN)])
                if d < 0:
                    d += PS
                seen = (touched[at(o >> 6)] >> (o & 63)) & 1
                if seen == 0 or d < nearest[at(o)]:
                    touched[at(o >> 6)] |= np.int64(1) << (o & 63)
                    nearest[at(o)], winner[at(o)] = d, g
                break
