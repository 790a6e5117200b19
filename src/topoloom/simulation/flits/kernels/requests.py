"""Requests of waiting packets for an output class, which is the first of the output VCs that a packet may take.

pending, int64[routers * words]: requested output classes. asked, int64[VCs * (words + 1)]: for each output class, the VCs that
request it, and the round-robin position.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, stage
from topoloom.graph.kernels.simd import lowest_bit
from topoloom.simulation.flits.buffers import BY_HOP, BY_PACKET, Buffers, RouterNetwork, Rules
from topoloom.simulation.flits.kernels.fields import NEAR_PACKETS, VC_BIRTH, VC_NEXT, VC_OUTPUT, VC_SIZE, VC_WORD, at
from topoloom.simulation.flits.kernels.flits import VC, arm

#: In place of an output VC: the packet is being routed.
_IN_ROUTING = -2


@stage
def class_of(LV: int, outputs: np.ndarray, vc_rule: int, width: int, N: int, r: int, word: int, birth: int) -> int:
    """Return the output class that a packet by the tables requests."""
    goal = word >> 16
    own = ((word >> 7) & 511) << LV
    out = np.int64(outputs[at(r * N + goal)])
    if vc_rule == BY_HOP:
        out += (word & 127) * width
    elif vc_rule == BY_PACKET:
        out += ((birth >> VC) & 15) * width
    return own if goal == r else out


@stage
def row_of(W: int, LV: int, r: int, out: int) -> int:
    """Return the start of an output class's row in `asked`; rows are sorted by VC, then by port, to keep used rows close."""
    return (r * W * 64 + (out & ((1 << LV) - 1)) * ((W * 64) >> LV) + (out >> LV)) * (W + 1)


@stage
def ask(asked: np.ndarray, pending: np.ndarray, W: int, LV: int, r: int, vc: int, out: int) -> None:
    """Enter a VC's request for an output class."""
    asked[at(row_of(W, LV, r, out) + (vc >> 6))] |= np.int64(1) << (vc & 63)
    pending[at(r * W + (out >> 6))] |= np.int64(1) << (out & 63)


@inner
def withdraw(asked: np.ndarray, pending: np.ndarray, W: int, LV: int, r: int, vc: int, out: int) -> None:
    """Withdraw a VC's request."""
    base, left = row_of(W, LV, r, out), np.int64(0)
    asked[at(base + (vc >> 6))] &= ~(np.int64(1) << (vc & 63))
    for w in range(W):
        left |= asked[at(base + w)]
    if left == 0:
        pending[at(r * W + (out >> 6))] &= ~(np.int64(1) << (out & 63))


@stage
def request(records: int | None, net: RouterNetwork, s: Buffers, rules: Rules, r: int, iv: int) -> None:
    """Request an output for the packet at the head of input VC iv of router r; packets that choose do so in the next step."""
    W, LV = rules.words, rules.slot_bits
    g = r * W * 64 + iv
    if records is None:
        word, birth = np.int64(s.rec[at(g * VC_SIZE + VC_WORD)]), np.int64(s.rec[at(g * VC_SIZE + VC_BIRTH)])
        out = class_of(LV, net.outputs, rules.vc_rule, rules.width, rules.switches, r, word, birth)
        ask(s.asked, s.pending, W, LV, r, iv, out)
    else:
        s.rec[at(g * VC_SIZE + VC_NEXT)] = -1
        s.choosing[at(r * W + (iv >> 6))] |= np.int64(1) << (iv & 63)


@stage
def begin_routing(s: Buffers, rules: Rules, r: int, iv: int, start: int, c: int) -> None:
    """Route the packet at the head of input VC iv from cycle `start` on; it requests an output after `rules.route` cycles.

    The last of these is one step: the first of its cycle, or the step in which a routing of one cycle begins.
    """
    W = rules.words
    g, ends = r * W * 64 + iv, start + rules.route - 1
    if rules.route == 1 or s.rec[at(g * VC_SIZE + VC_OUTPUT)] == _IN_ROUTING:
        s.rec[at(g * VC_SIZE + VC_OUTPUT)] = -1
        s.routed[at(r * W + (iv >> 6))] |= np.int64(1) << (iv & 63)
    else:
        s.rec[at(g * VC_SIZE + VC_OUTPUT)], s.since[at(g * NEAR_PACKETS)] = _IN_ROUTING, ends
        arm(s.timers, s.active.size, g, ends, c)


@stage
def end_routing(records: int | None, net: RouterNetwork, s: Buffers, rules: Rules, r: int) -> None:
    """Request outputs for the packets of router r whose routing ends with this step."""
    for w in range(rules.words):
        m = s.routed[at(r * rules.words + w)]
        s.routed[at(r * rules.words + w)] = 0
        while m:
            request(records, net, s, rules, r, (w << 6) + lowest_bit(np.uint64(m)))
            m &= m - 1
