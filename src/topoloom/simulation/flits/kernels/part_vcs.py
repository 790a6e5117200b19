"""The allocation of output VCs by an allocator of the register (`router_parts`)."""

from collections.abc import Callable

import numpy as np

from topoloom.core.compiling.decorators import stage
from topoloom.graph.kernels.simd import lowest_bit
from topoloom.simulation.flits.buffers import RANDOM, UNMATCHED, Buffers, RouterNetwork, Rules
from topoloom.simulation.flits.kernels.allocation import free_vcs, take_vc, tried_vc, width_of
from topoloom.simulation.flits.kernels.credits import full, host_full, in_flight, in_flight_far
from topoloom.simulation.flits.kernels.fields import (
    PACKET_BORN,
    PACKET_SIZE,
    PORT_CREDIT,
    PORT_LAST,
    PORT_NEXT,
    PORT_SIZE,
    VC_BIRTH,
    VC_FLITS,
    VC_SIZE,
    VC_WORD,
    at,
)
from topoloom.simulation.flits.kernels.flits import BORN, below, ones
from topoloom.simulation.flits.kernels.requests import row_of, withdraw
from topoloom.simulation.flits.parts import ANY_VC, EMPTIEST, LOWEST, RANDOM_VC, SPREAD, WITH_CREDIT, RouterParts
from topoloom.simulation.flits.router_parts import Requests


@stage
def born_of(records: int | None, s: Buffers, g: int) -> int:
    """Return the cycle in which the packet at the head of VC g was created."""
    if records is not None:
        return np.int64(s.packets[at(np.int64(s.rec[at(g * VC_SIZE + VC_WORD)]) * PACKET_SIZE + PACKET_BORN)])
    return np.int64(s.rec[at(g * VC_SIZE + VC_BIRTH)]) >> BORN


@stage
def credit_of(long_credits: int | None, s: Buffers, rules: Rules, gp: int) -> int:
    """Return the cycles of a credit for port gp."""
    return np.int64(s.port[at(gp * PORT_SIZE + PORT_CREDIT)]) if long_credits is not None else np.int64(rules.credit)


@stage
def sent_to(long_credits: int | None, s: Buffers, rules: Rules, gp: int, g: int, c: int) -> int:
    """Return the flits that port gp has sent to VC g without a returned credit."""
    count, credit = np.int64(s.rec[at(g * VC_SIZE + VC_FLITS)]), credit_of(long_credits, s, rules, gp)
    if long_credits is not None:
        return count + in_flight_far(s.popped, rules.history, g, c, credit)
    return count + in_flight(s.popped, g, c, credit)


@stage
def with_credit(
    long_credits: int | None,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    gp: int,
    down: int,
    vc: int,
    can: int,
    c: int,
) -> int:
    """Return those of the VCs `can`, from `vc` of the port on, that have a credit; for a host that shares them, all or none.

    down : int
        The first of them downstream, -1: they lead to a host.
    """
    rest, credit = can, credit_of(long_credits, s, rules, gp)
    if down < 0:
        if np.int64(s.port[at(gp * PORT_SIZE + PORT_LAST)]) - c >= rules.eject:
            return np.int64(0)
        while s.ejected.size and rest:
            v = lowest_bit(np.uint64(rest))
            rest &= rest - 1
            if host_full(net, s, rules, gp, vc + v, c):
                can &= ~(np.int64(1) << v)
        return can
    while rest:
        v = lowest_bit(np.uint64(rest))
        rest &= rest - 1
        if full(rules.many, long_credits, s.rec, s.popped, rules.history, down + v, c, rules.room, credit):
            can &= ~(np.int64(1) << v)
    return can


@stage
def wanted(
    long_credits: int | None,
    parts: RouterParts,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    gp: int,
    down: int,
    vc: int,
    can: int,
    wide: int,
    iv: int,
    c: int,
    step: int,
) -> int:
    """Return those of the free VCs `can`, from `vc` of port gp and `down` on, that input VC iv requests."""
    choice = parts.choice
    if choice == SPREAD:
        return np.int64(1) << tried_vc(can, wide, iv, c, step)
    if choice == LOWEST:
        return can & -can
    if choice == WITH_CREDIT:
        return with_credit(long_credits, net, s, rules, gp, down, vc, can, c)
    if choice == RANDOM_VC:
        for _ in range(below(s.state, RANDOM, ones(can))):
            can &= can - 1
        return can & -can
    if choice == EMPTIEST and down >= 0:
        best, least, rest = np.int64(0), np.int64(1) << 40, can
        while rest:
            v = lowest_bit(np.uint64(rest))
            rest &= rest - 1
            flits = sent_to(long_credits, s, rules, gp, down + v, c)
            if flits < least:
                best, least = v, flits
        return np.int64(1) << best
    return can if choice == ANY_VC else can & -can


@stage
def free_ended(long_credits: int | None, parts: RouterParts, s: Buffers, rules: Rules, r: int, c: int) -> None:
    """Free the output VCs of router r whose last packet has left, and whose credits are all back."""
    W, LV = rules.words, rules.slot_bits
    VM, PS = (1 << LV) - 1, (W * 64) >> LV
    for w in range(W):
        m = parts.ending[at(r * W + w)]
        while m:
            ov = (w << 6) + lowest_bit(np.uint64(m))
            m &= m - 1
            gp = r * PS + (ov >> LV)
            down = np.int64(s.port[at(gp * PORT_SIZE + PORT_NEXT)])
            if down < 0:
                back = parts.released[at(r * W * 64 + ov)] <= c
            else:
                back = sent_to(long_credits, s, rules, gp, down + (ov & VM), c) == 0
            if back:
                parts.ending[at(r * W + w)] &= ~(np.int64(1) << (ov & 63))
                s.unowned[at(r * W + w)] |= np.int64(1) << (ov & 63)


@stage
def match(
    allocate: Callable,
    memory: np.ndarray,
    parts: RouterParts,
    s: Buffers,
    r: int,
    which: int,
    inputs: int,
    outputs: int,
    count: int,
) -> None:
    """Call an allocator of router r, 0: that of VCs, 1: that of the switch, with `count` requests: `parts.granted`.

    Grants of an input or output that has one already, as a wrong allocator may make them, are withdrawn, and noted.
    """
    turn, words = 2 * r + which, memory.size // (parts.turns.size // 2)
    parts.at_input[:inputs] = -1
    parts.at_output[:outputs] = -1
    allocate(
        Requests(
            inputs,
            outputs,
            count,
            parts.rounds,
            parts.turns[at(turn)],
            parts.input,
            parts.output,
            parts.input_rank,
            parts.output_rank,
            parts.late,
            parts.granted,
            parts.at_input,
            parts.at_output,
            parts.scratch,
            memory[r * words : (r + 1) * words],
        )
    )
    parts.turns[at(turn)] += 1
    parts.at_input[:inputs] = -1
    parts.at_output[:outputs] = -1
    for e in range(count):
        if parts.granted[at(e)]:
            i, o = parts.input[at(e)], parts.output[at(e)]
            if parts.at_input[at(i)] >= 0 or parts.at_output[at(o)] >= 0:
                parts.granted[at(e)] = 0
                s.state[UNMATCHED] = turn + 1
            else:
                parts.at_input[at(i)] = parts.at_output[at(o)] = e


@stage
def allocate_vcs_by_parts(
    records: int | None,
    long_credits: int | None,
    parts: RouterParts,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    r: int,
    c: int,
    step: int,
) -> int:
    """Allocate output VCs of router r; return how many input VCs may request the switch ahead (`parts.late_vc`)."""
    W, LV, V = rules.words, rules.slot_bits, rules.vcs
    VM, PS, G = (1 << LV) - 1, (W * 64) >> LV, r * W * 64
    many = parts.ports * V
    if rules.tail:
        free_ended(long_credits, parts, s, rules, r, c)
    count, late = np.int64(0), np.int64(0)
    for w in range(W):
        m = s.pending[at(r * W + w)]
        while m:
            oc = (w << 6) + lowest_bit(np.uint64(m))
            m &= m - 1
            gp = r * PS + (oc >> LV)
            down = np.int64(s.port[at(gp * PORT_SIZE + PORT_NEXT)])
            wide = width_of(records, net, rules, oc, down)
            can = free_vcs(records, s, rules, r, oc, down, wide)
            if can == 0:
                continue
            vc = oc & VM
            first, first_out = down + vc if down >= 0 else -1, (oc >> LV) * V + vc
            ahead = parts.speculative != 0
            if ahead:
                ahead = with_credit(long_credits, net, s, rules, gp, first, vc, can, c) != 0
            for w2 in range(W):
                h = s.asked[at(row_of(W, LV, r, oc) + w2)]
                while h:
                    iv = (w2 << 6) + lowest_bit(np.uint64(h))
                    h &= h - 1
                    if ahead:
                        parts.late_vc[at(late)] = iv | oc << 32
                        late += 1
                    i, born = (iv >> LV) * V + (iv & VM), born_of(records, s, G + iv)
                    some = wanted(long_credits, parts, net, s, rules, gp, first, vc, can, wide, iv, c, step)
                    while some:
                        o = first_out + lowest_bit(np.uint64(some))
                        some &= some - 1
                        served = np.int64(0)
                        if parts.vc_serves:
                            served = np.int64(parts.vc_served_in[at((r * many + i) * many + o)])
                        last = np.int64(parts.vc_last_in[at(r * many + i)])
                        parts.input[at(count)], parts.output[at(count)] = i, o
                        parts.input_rank[at(count)] = parts.rank_vcs(o, many, last, served, born)
                        if parts.vc_serves:
                            served = np.int64(parts.vc_served_out[at((r * many + o) * many + i)])
                        last = np.int64(parts.vc_last_out[at(r * many + o)])
                        parts.output_rank[at(count)] = parts.rank_vcs(i, many, last, served, born)
                        parts.label[at(count)] = iv | oc << 32
                        parts.late[at(count)] = parts.granted[at(count)] = 0
                        count += 1
    if count == 0:
        return late
    match(parts.allocate_vcs, parts.vc_memory, parts, s, r, 0, many, many, count)
    for e in range(count):
        if parts.granted[at(e)]:
            i, o = parts.input[at(e)], parts.output[at(e)]
            if parts.granted[at(e)] == 1:
                parts.vc_last_in[at(r * many + i)], parts.vc_last_out[at(r * many + o)] = o, i
                if parts.vc_serves:
                    parts.vc_served_in[at((r * many + i) * many + o)] = 2 * c + step + 1
                    parts.vc_served_out[at((r * many + o) * many + i)] = 2 * c + step + 1
            iv, oc = parts.label[at(e)] & 0xFFFFFFFF, parts.label[at(e)] >> 32
            withdraw(s.asked, s.pending, W, LV, r, iv, oc)
            down = np.int64(s.port[at((r * PS + (oc >> LV)) * PORT_SIZE + PORT_NEXT)])
            take_vc(records, s, rules, r, c, iv, (oc >> LV << LV) + o % V, down)
    return late
