"""Routers, cycle by cycle: allocation of output VCs to packets, and of the switch to flits.

The model (input-queued, separable round-robin allocators, BookSim 2's `iq_router`): a cycle has as many internal steps as the
speedup; a step allocates output VCs to waiting packets, then the switch to flits, both from the state before the step. A flit
that wins in step k of internal time leaves its output at the end of step k + 1, one per cycle, and is registered downstream one
cycle plus the cable's delay later. Credits return `credit` cycles after a flit left its buffer. A packet holds its output VC
from the allocation to its last flit.

No event of a cycle, nor any credit, affects another router before two cycles later: so each router simulates AHEAD cycles per
visit, and the result does not depend on the order of the routers.

Where ports differ in rate, a cycle is the time of a flit on the fastest one; a slower output, and a slower host, takes several
cycles per flit (`paces`). A flit is registered downstream when all of it has arrived.

`fields` lists the fields of VCs, ports, places and packets.

here, more, held, active, pending, unowned, choosing, int64[routers * words]: VCs that have a flit; that have several; that hold
an output VC; that hold one, have a flit and wait for the switch; requested output classes (their first VC); free output VCs;
VCs whose packet has yet to choose, or chooses again every cycle. fresh, int64[words]: active VCs that got their output VC in
this step. behind, int32[VCs]: flits that a VC has beyond one. timers: VCs to look at in a cycle. asked, int64[VCs * (words +
1)]: for each output class, the VCs that request it, and the round-robin position.
"""

from collections.abc import Callable

import numpy as np

from topoloom.core.compiling.decorators import kernel, stage
from topoloom.graph.kernels.simd import fetch, lowest_bit
from topoloom.simulation.flits.buffers import TABLES, TIME, Buffers, Demand, NetworkPart, Play, RouterNetwork, Rules
from topoloom.simulation.flits.kernels.allocation import allocate_switch, allocate_vcs
from topoloom.simulation.flits.kernels.arrivals import choose_outputs, see_arrivals
from topoloom.simulation.flits.kernels.fields import PORT_SIZE, VC_SIZE, at
from topoloom.simulation.flits.kernels.flits import AHEAD, bring_forward
from topoloom.simulation.flits.kernels.injection import inject
from topoloom.simulation.flits.kernels.messages import begin_visit, read_messages, wait_for_others
from topoloom.simulation.flits.kernels.part_switch import allocate_switch_by_parts, take_winners
from topoloom.simulation.flits.kernels.part_vcs import allocate_vcs_by_parts
from topoloom.simulation.flits.kernels.requests import end_routing
from topoloom.simulation.flits.kernels.schedules import go
from topoloom.simulation.flits.kernels.sources import make_packets
from topoloom.simulation.flits.kernels.traversal import traverse
from topoloom.simulation.flits.own_choice import OwnArrays
from topoloom.simulation.flits.parts import RouterParts

#: Numbers in all VCs' records up to which a network stays in a processor's near caches by itself (one MiB).
_CACHED = 1 << 18


@stage
def bring_near(net: RouterNetwork, s: Buffers, rules: Rules, r: int, t: int) -> None:
    """Prefetch the data of router r from cycle t on, without waiting: in large networks, the access is longer than a visit."""
    W, GS = rules.words, rules.words * 64
    g, p, PS = r * GS, (r * GS) >> rules.slot_bits, GS >> rules.slot_bits
    for w in range(W):
        m = s.here[at(r * W + w)]
        for c in range(t, t + AHEAD):
            m |= s.calendar[at((c & rules.slots) * s.active.size + r * W + w)]
        while m:
            fetch(s.rec, (g + (w << 6) + lowest_bit(np.uint64(m))) * VC_SIZE)
            m &= m - 1
    for k in range(0, GS * (rules.history + 1), 8):
        fetch(s.popped, g * (rules.history + 1) + k)
    for k in range(0, PS * PORT_SIZE, 16):
        fetch(s.port, p * PORT_SIZE + k)
    for v in range(0, rules.vcs, rules.width):
        for k in range(0, PS * (W + 1), 8):
            fetch(s.asked, (g + v * PS) * (W + 1) + k)
    if rules.choice == TABLES:
        for k in range(0, rules.switches, 64 // net.outputs.itemsize):
            fetch(net.outputs, r * rules.switches + k)


@stage
def idle(records: int | None, s: Buffers, rules: Rules, r: int) -> bool:
    """Return whether no VC of router r waits for anything in this cycle, so that its next steps would change nothing."""
    for w in range(rules.words):
        word = at(r * rules.words + w)
        if s.active[word] | s.pending[word]:
            return False
        if records is not None and s.choosing[word]:
            return False
        if rules.route and s.routed[word]:
            return False
    return True


@stage
def routers(
    records: int | None,
    long_credits: int | None,
    any_shortest: int | None,
    detours: int | None,
    pace: np.ndarray | None,
    parts: RouterParts | None,
    adaptive: Callable | None,
    arrays: OwnArrays | None,
    part: NetworkPart | None,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    demand: Demand,
    play: Play | None,
    t: int,
    tb: int,
    begin: int,
    end: int,
) -> None:
    """Run every router from cycle t to before cycle tb, at most AHEAD cycles later."""
    large = s.rec.size > _CACHED
    first, last = np.int64(0), s.active.size // rules.words
    if part is not None:
        first, last = part.first, part.last
    for r in range(first, last):
        if large and r + 1 < last:
            bring_near(net, s, rules, r + 1, t)
        for c in range(t, tb):
            if see_arrivals(records, net, s, rules, r, c) == 0:
                continue
            steps = rules.speedup
            if rules.tenths:
                steps = (c + 1) * rules.tenths // 10 - c * rules.tenths // 10
            for step in range(steps):
                if step and parts is None and idle(records, s, rules, r):
                    break
                if records is not None:
                    choose_outputs(
                        long_credits, any_shortest, detours, pace, adaptive, arrays, net, s, rules, r, c, step
                    )
                if parts is None:
                    allocate_vcs(records, net, s, rules, r, c, step)
                    allocate_switch(records, long_credits, pace, net, s, rules, r, c)
                else:
                    ahead = allocate_vcs_by_parts(records, long_credits, parts, net, s, rules, r, c, step)
                    allocate_switch_by_parts(records, long_credits, pace, parts, net, s, rules, r, c, step, ahead)
                if rules.route:
                    end_routing(records, net, s, rules, r)
                for k in range(1 if parts is None else parts.out):
                    if parts is not None:
                        take_winners(parts, s, k)
                    traverse(
                        records,
                        long_credits,
                        pace,
                        parts,
                        part,
                        net,
                        s,
                        rules,
                        demand,
                        play,
                        r,
                        c,
                        step,
                        steps,
                        begin,
                        end,
                    )


@kernel
def run(
    records: int | None,
    long_credits: int | None,
    any_shortest: int | None,
    detours: int | None,
    pace: np.ndarray | None,
    parts: RouterParts | None,
    adaptive: Callable | None,
    arrays: OwnArrays | None,
    part: NetworkPart | None,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    demand: Demand,
    play: Play | None,
    until: int,
    begin: int,
    end: int,
) -> None:
    """Run until a cycle; packets created from `begin` to before `end` are measured."""
    t = s.state[TIME]
    while t < until:
        tb = min(t + AHEAD, until)
        if part is not None:
            begin_visit(part)
        if s.later.size:
            bring_forward(s, rules, t)
        for c in range(t, tb):
            if play is not None:
                go(net, s, demand, play, c)
            make_packets(pace, part, net, s, rules, demand, c, begin, end)
            inject(records, long_credits, pace, net, s, rules, demand, play, c, t, begin, end)
        routers(
            records,
            long_credits,
            any_shortest,
            detours,
            pace,
            parts,
            adaptive,
            arrays,
            part,
            net,
            s,
            rules,
            demand,
            play,
            t,
            tb,
            begin,
            end,
        )
        if part is not None:
            wait_for_others(part)
            read_messages(long_credits, part, s, rules, tb)
        t = tb
    s.state[TIME] = t
