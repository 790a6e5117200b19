"""The allocation of the switch by an allocator of the register (`router_parts`), with speedups, holding and speculation."""

import numpy as np

from topoloom.core.compiling.decorators import stage
from topoloom.graph.kernels.simd import lowest_bit
from topoloom.simulation.flits.buffers import Buffers, RouterNetwork, Rules
from topoloom.simulation.flits.kernels.allocation import may_leave
from topoloom.simulation.flits.kernels.fields import VC_OUTPUT, VC_SIZE, at
from topoloom.simulation.flits.kernels.flits import flits_left
from topoloom.simulation.flits.kernels.part_vcs import born_of, match
from topoloom.simulation.flits.parts import RouterParts

#: Added to the ranks of speculative requests: more than any rank.
_LATE = 1 << 61
#: An input or output of the switch that nothing holds; one that was held at the beginning of the step.
_FREE, _BLOCKED = -1, -2


@stage
def is_active(s: Buffers, rules: Rules, r: int, g: int) -> bool:
    """Return whether VC g of router r had an output VC before this step, and a flit."""
    word = s.active[at(g >> 6)] & ~s.fresh[at((g >> 6) - r * rules.words)]
    return (word >> (g & 63)) & 1 != 0


@stage
def pass_held(
    records: int | None,
    long_credits: int | None,
    pace: np.ndarray | None,
    parts: RouterParts,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    r: int,
    c: int,
) -> None:
    """Let the VCs that hold the switch send their next flit, or release it; it is free for others in the next step."""
    for k in range(parts.inputs):
        place = r * parts.inputs + k
        g = parts.held_in[at(place)]
        if g < 0:
            continue
        o = -1
        for out in range(parts.outputs):
            if parts.held_out[at(r * parts.outputs + out)] == k:
                o = out
        if not is_active(s, rules, r, g):
            parts.held_in[at(place)] = parts.held_out[at(r * parts.outputs + o)] = _FREE
        elif may_leave(records, long_credits, pace, net, s, rules, r, g, c):
            parts.won[at(o)] = g
        else:
            parts.held_in[at(place)] = parts.held_out[at(r * parts.outputs + o)] = _BLOCKED


@stage
def enter(
    records: int | None,
    parts: RouterParts,
    s: Buffers,
    rules: Rules,
    r: int,
    g: int,
    o: int,
    late: int,
    begin: int,
    count: int,
) -> int:
    """Enter the request of VC g for output port o, unless another VC of its input goes before it there; return the count.

    begin : int
        The first request of its input port.
    """
    LV, V = rules.slot_bits, rules.vcs
    iv = g - r * rules.words * 64
    p, v = iv >> LV, iv & ((1 << LV) - 1)
    i, out = p * parts.into + v % parts.into, o * parts.out + p % parts.out
    inputs, outputs = parts.inputs, parts.outputs
    if parts.held_in[at(r * inputs + i)] != _FREE or parts.held_out[at(r * outputs + out)] != _FREE:
        return count
    born, served = born_of(records, s, g), np.int64(0)
    if parts.serves:
        served = np.int64(parts.served_vc[at((r * inputs + i) * V + v)])
    first = parts.rank_ports(v, V, np.int64(parts.last_vc[at(r * inputs + i)]), served, born) + _LATE * late
    place = count
    for e in range(begin, count):
        if parts.input[at(e)] == i and parts.output[at(e)] == out:
            if first >= parts.scratch[at(e)]:
                return count
            place = e
    parts.scratch[at(place)] = first
    parts.input[at(place)], parts.output[at(place)], parts.label[at(place)] = i, out, g
    if parts.serves:
        served = np.int64(parts.served_in[at((r * inputs + i) * outputs + out)])
    last = np.int64(parts.last_in[at(r * inputs + i)])
    parts.input_rank[at(place)] = parts.rank_ports(out, outputs, last, served, born) + _LATE * late
    if parts.serves:
        served = np.int64(parts.served_out[at((r * outputs + out) * inputs + i)])
    last = np.int64(parts.last_out[at(r * outputs + out)])
    parts.output_rank[at(place)] = parts.rank_ports(i, inputs, last, served, born) + _LATE * late
    parts.late[at(place)], parts.granted[at(place)] = late, 0
    return max(count, place + 1)


@stage
def allocate_switch_by_parts(
    records: int | None,
    long_credits: int | None,
    pace: np.ndarray | None,
    parts: RouterParts,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    r: int,
    c: int,
    step: int,
    ahead: int,
) -> None:
    """Allocate the switch of router r in a step: `parts.won`. `ahead` VCs of `parts.late_vc` request speculatively."""
    W, LV, V = rules.words, rules.slot_bits, rules.vcs
    VM, G = (1 << LV) - 1, r * W * 64
    inputs, outputs = parts.inputs, parts.outputs
    if parts.hold:
        pass_held(records, long_credits, pace, parts, net, s, rules, r, c)
    count = np.int64(0)
    for p in range(parts.ports):
        begin = count
        m = s.active[at(r * W + (p << LV >> 6))] & ~s.fresh[at(p << LV >> 6)]
        m = (m >> (p << LV & 63)) & ((np.int64(1) << V) - 1)
        while m:
            g = G + (p << LV) + lowest_bit(np.uint64(m))
            m &= m - 1
            if may_leave(records, long_credits, pace, net, s, rules, r, g, c):
                o = np.int64(s.rec[at(g * VC_SIZE + VC_OUTPUT)]) >> LV
                count = enter(records, parts, s, rules, r, g, o, 0, begin, count)
        for k in range(ahead):
            iv, oc = parts.late_vc[at(k)] & 0xFFFFFFFF, parts.late_vc[at(k)] >> 32
            if iv >> LV == p:
                count = enter(records, parts, s, rules, r, G + iv, oc >> LV, 1, begin, count)
    if count:
        match(parts.allocate_ports, parts.switch_memory, parts, s, r, 1, inputs, outputs, count)
    for e in range(count):
        if parts.granted[at(e)] == 0:
            continue
        i, out, g = parts.input[at(e)], parts.output[at(e)], parts.label[at(e)]
        v = g & VM
        if parts.granted[at(e)] == 1:
            parts.last_in[at(r * inputs + i)], parts.last_out[at(r * outputs + out)] = out, i
            if parts.serves:
                parts.served_in[at((r * inputs + i) * outputs + out)] = 2 * c + step + 1
                parts.served_out[at((r * outputs + out) * inputs + i)] = 2 * c + step + 1
        parts.last_vc[at(r * inputs + i)] = v
        if parts.serves:
            parts.served_vc[at((r * inputs + i) * V + v)] = 2 * c + step + 1
        if parts.late[at(e)]:
            # Only what got a VC with a credit in this step may go.
            if s.rec[at(g * VC_SIZE + VC_OUTPUT)] < 0:
                continue
            if not may_leave(records, long_credits, pace, net, s, rules, r, g, c):
                continue
        parts.won[at(out)] = g
        if parts.hold and flits_left(records, s, rules, g) > 1 and (s.more[at(g >> 6)] >> (g & 63)) & 1:
            parts.held_in[at(r * inputs + i)], parts.held_out[at(r * outputs + out)] = g, i
    for w in range(W):
        s.fresh[at(w)] = 0
    if parts.hold:
        for k in range(inputs):
            if parts.held_in[at(r * inputs + k)] == _BLOCKED:
                parts.held_in[at(r * inputs + k)] = _FREE
        for k in range(outputs):
            if parts.held_out[at(r * outputs + k)] == _BLOCKED:
                parts.held_out[at(r * outputs + k)] = _FREE


@stage
def take_winners(parts: RouterParts, s: Buffers, k: int) -> None:
    """Hand the winners of part k of each output port to the traversal of the switch."""
    for o in range(parts.ports):
        g = parts.won[at(o * parts.out + k)]
        if g >= 0:
            parts.won[at(o * parts.out + k)] = -1
            s.touched[at(o >> 6)] |= np.int64(1) << (o & 63)
            s.winner[at(o)] = g
