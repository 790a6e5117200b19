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
    VC_SIZE,
    VC_WORD,
    at,
)
from topoloom.simulation.flits.kernels.flits import AHEAD, HEAD, arm
from topoloom.simulation.flits.kernels.paces import queued_beyond
from topoloom.simulation.flits.kernels.queues import open_to_choice
from topoloom.simulation.flits.kernels.requests import row_of

#: More flits than a host ever has.
_BOUNDLESS = 1 << 40


@stage
def width_of(records: int | None, net: RouterNetwork, rules: Rules, oc: int, down: int) -> int:
    """Return how many output VCs an output class has; `down` is the first VC downstream, -1 for a host."""
    if records is not None:
        return rules.last_vcs if down < 0 else net.spans[at(oc & ((1 << rules.slot_bits) - 1))]
    return rules.vcs if down < 0 else rules.width


@stage
def free_vcs(records: int | None, s: Buffers, rules: Rules, r: int, oc: int, down: int, wide: int) -> int:
    """Return the free output VCs of an output class as bits, from its first VC on; of adaptive ones, those that are open."""
    can = (s.unowned[at(r * rules.words + (oc >> 6))] >> (oc & 63)) & ((np.int64(1) << wide) - 1)
    first = oc & ((1 << rules.slot_bits) - 1)
    if records is not None and rules.choice == ESCAPE and down >= 0 and first >= rules.escapes:
        for v in range(wide):
            if not open_to_choice(rules.spare, np.int64(s.rec[at((down + first + v) * VC_SIZE + VC_FLITS)])):
                can &= ~(np.int64(1) << v)
    return can


@stage
def tried_vc(can: int, wide: int, iv: int, c: int, step: int) -> int:
    """Return the one of the free VCs `can` that input VC iv tries: another one for each input VC and step."""
    v = (((iv + 1) * 0x9E3779B1 + (2 * c + step) * 0x85EBCA6B) >> 15 & 0xFFFF) * wide >> 16
    rest = can & (np.int64(-1) << v)
    return lowest_bit(np.uint64(rest if rest else can))


@stage
def only_request(s: Buffers, W: int, a: int) -> int:
    """Return the VC that alone requests the output class of row `a`; -1: several do."""
    iv = np.int64(-1)
    for w in range(W):
        h = s.asked[at(a + w)]
        if h:
            if h & (h - 1) or iv >= 0:
                return np.int64(-1)
            iv = (w << 6) + lowest_bit(np.uint64(h))
    return iv


@stage
def take_vc(records: int | None, s: Buffers, rules: Rules, r: int, c: int, iv: int, ov: int, down: int) -> None:
    """Give output VC ov to the packet at the head of input VC iv; it requests the switch from the next step on."""
    W, VM = rules.words, (1 << rules.slot_bits) - 1
    g, bit = r * W * 64 + iv, np.int64(1) << (iv & 63)
    s.unowned[at(r * W + (ov >> 6))] &= ~(np.int64(1) << (ov & 63))
    s.held[at(r * W + (iv >> 6))] |= bit
    s.rec[at(g * VC_SIZE + VC_OUTPUT)] = ov
    s.rec[at(g * VC_SIZE + VC_NEXT)] = down + (ov & VM) if down >= 0 else -1
    if down >= 0:
        fetch(s.rec, (down + (ov & VM)) * VC_SIZE)
    if records is not None:
        s.choosing[at(r * W + (iv >> 6))] &= ~bit
        if rules.choice == ESCAPE and not rules.returns and down >= 0 and (ov & VM) < rules.escapes:
            s.packets[at(np.int64(s.rec[at(g * VC_SIZE + VC_WORD)]) * PACKET_SIZE + PACKET_ESCAPED)] = 1
    if rules.hold:
        arm(s.timers, s.active.size, g, c + rules.hold + 1, c)
    else:
        s.active[at(g >> 6)] |= bit
        s.fresh[at(iv >> 6)] |= bit


@stage
def allocate_vcs(records: int | None, net: RouterNetwork, s: Buffers, rules: Rules, r: int, c: int, step: int) -> None:
    """Allocate output VCs of router r to waiting packets, in internal step `step` of cycle c.

    For each requested output class: find its free VCs; if several are free, each waiting packet tries one of them; of the
    packets that try the same VC, the next one in round-robin order wins.
    """
    W, LV = rules.words, rules.slot_bits
    GS, PS = W * 64, (W * 64) >> LV
    b, port, pending, asked, tried = r * W, s.port, s.pending, s.asked, s.tried
    for w in range(W):
        m = pending[at(b + w)]
        while m:
            k = lowest_bit(np.uint64(m))
            m &= m - 1
            oc = (w << 6) + k
            down = np.int64(port[at((r * PS + (oc >> LV)) * PORT_SIZE + PORT_NEXT)])
            wide = width_of(records, net, rules, oc, down)
            can = free_vcs(records, s, rules, r, oc, down, wide)
            if records is not None and can == 0:
                continue
            a = row_of(W, LV, r, oc)
            iv = only_request(s, W, a)
            single = iv >= 0
            several = not single and wide > 1 and can & (can - 1) != 0
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
                        v = tried_vc(can, wide, iv, c, step)
                        d = iv - asked[at(a + W)]
                        if d < 0:
                            d += GS
                        if d < tried[at(2 * v)]:
                            tried[at(2 * v)], tried[at(2 * v + 1)] = d, iv
            while can:
                v = lowest_bit(np.uint64(can))
                if single:
                    v = tried_vc(can, wide, iv, c, step)
                elif several:
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
                asked[at(a + (iv >> 6))] &= ~(np.int64(1) << (iv & 63))
                asked[at(a + W)] = iv + 1 if iv + 1 < GS else 0
                h = np.int64(0)
                if not single:
                    for w2 in range(W):
                        h |= asked[at(a + w2)]
                ov = oc + v
                can &= ~(np.int64(1) << v)
                if h == 0:
                    pending[at(b + w)] &= ~(np.int64(1) << k)
                    can = np.int64(0)
                take_vc(records, s, rules, r, c, iv, ov, down)


@stage
def may_leave(
    records: int | None,
    long_credits: int | None,
    pace: np.ndarray | None,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    r: int,
    g: int,
    c: int,
) -> bool:
    """Return whether the first flit of VC g, which has an output VC, has room at the output and a credit in cycle c.

    A VC that waits for a credit is taken out of `active`, until one may have arrived.
    """
    LV, VM, PS = rules.slot_bits, (1 << rules.slot_bits) - 1, (rules.words * 64) >> rules.slot_bits
    rec, port = s.rec, s.port
    g2, ov = np.int64(rec[at(g * VC_SIZE + VC_NEXT)]), np.int64(rec[at(g * VC_SIZE + VC_OUTPUT)])
    gp = r * PS + (ov >> LV)
    bound = rules.bound if g2 >= 0 else rules.eject
    if pace is None:
        queued = np.int64(port[at(gp * PORT_SIZE + PORT_LAST)]) - c >= bound
    else:
        queued = queued_beyond(pace, gp, bound, c)
    least = rules.room
    if records is not None and rules.whole and rec[at(g * VC_SIZE + VC_BIRTH)] & HEAD:
        packet = np.int64(rec[at(g * VC_SIZE + VC_WORD)])
        least -= np.int64(s.packets[at(packet * PACKET_SIZE + PACKET_LENGTH)]) - 1
    credit = rules.credit
    if long_credits is not None:
        credit = np.int64(port[at(gp * PORT_SIZE + PORT_CREDIT)])
    # Nearly always there is room, at a host as at a VC: one jump, which the processor foresees.
    sent = np.int64(rec[at((g2 if g2 >= 0 else np.int64(0)) * VC_SIZE + VC_FLITS)]) + ((credit + AHEAD) << rules.many)
    near = sent >= (least if g2 >= 0 else _BOUNDLESS)
    if queued or near:
        if queued:
            return False
        if full(rules.many, long_credits, rec, s.popped, rules.history, g2, c, least, credit):
            soon = next_credit(long_credits, s.popped, rules.history, g2, c, credit)
            if soon > c + 1:  # look again when a credit may have arrived
                s.active[at(g >> 6)] &= ~(np.int64(1) << (g & 63))
                arm(s.timers, s.active.size, g, soon, c)
            return False
    return not (s.ejected.size and g2 < 0 and host_full(net, s, rules, gp, ov & VM, c))


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
    b, G = r * W, r * W * 64
    rec, port, active = s.rec, s.port, s.active
    touched, nearest, winner = s.touched, s.nearest, s.winner
    for w in range(W):
        m = active[at(b + w)] & ~s.fresh[at(w)]
        s.fresh[at(w)] = 0
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
                o = np.int64(rec[at(g * VC_SIZE + VC_OUTPUT)]) >> LV
                gp = r * PS + o
                if not may_leave(records, long_credits, pace, net, s, rules, r, g, c):
                    continue
                d = ((gi - G) >> LV) - np.int64(port[at(gp * PORT_SIZE + PORT_OUTPUT_TURN)])
                if d < 0:
                    d += PS
                seen = (touched[at(o >> 6)] >> (o & 63)) & 1
                if seen == 0 or d < nearest[at(o)]:
                    touched[at(o >> 6)] |= np.int64(1) << (o & 63)
                    nearest[at(o)], winner[at(o)] = d, g
                break
