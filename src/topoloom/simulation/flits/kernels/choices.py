"""The outputs that packets with records request at a switch: layers of tables, any shortest path, groups, escapes, detours.

slot_bits, vcs, ports, switches and history: log2 of VC slots per port, VCs, ports per router, switches, words of a VC's
history. The arrays are those of `buffers`.
"""

from collections.abc import Callable

import numpy as np

from topoloom.core.compiling.decorators import inner, stage
from topoloom.graph.kernels.simd import lowest_bit
from topoloom.simulation.flits.buffers import BY_HOP, BY_PACKET, ESCAPE, GROUPS, OWN, SHORTER, Rules
from topoloom.simulation.flits.kernels.adaptive import own_output
from topoloom.simulation.flits.kernels.fields import (
    NO_DETOUR,
    PACKET_ESCAPED,
    PACKET_HOPS,
    PACKET_LAYER,
    PACKET_PHASE,
    PACKET_SIZE,
    PACKET_VC,
    PACKET_VIA,
    PACKET_WORD,
    PORT_NEXT,
    PORT_SIZE,
    UNDECIDED,
    VC_FLITS,
    VC_SIZE,
    at,
)
from topoloom.simulation.flits.kernels.flits import below, ones
from topoloom.simulation.flits.kernels.paces import cycles_for
from topoloom.simulation.flits.kernels.queues import flits_at, open_to_choice, output_queue
from topoloom.simulation.flits.own_choice import OwnArrays


@inner
def queue_along(
    pace: np.ndarray | None,
    slot_bits: int,
    ports: int,
    switches: int,
    outputs: np.ndarray,
    port: np.ndarray,
    r: int,
    goal: int,
    c: int,
) -> int:
    """Return the sum of the output queues on the path of the tables (see `output_queue`)."""
    total, u = np.int64(0), r
    while u != goal:
        place = u * ports + (np.int64(outputs[at(u * switches + goal)]) >> slot_bits)
        total += output_queue(pace, port, place, c)
        u = (np.int64(port[at(place * PORT_SIZE + PORT_NEXT)]) >> slot_bits) // ports
    return total


@inner
def detour_of(
    long_credits: int | None,
    pace: np.ndarray | None,
    rules: Rules,
    slot_bits: int,
    vcs: int,
    ports: int,
    switches: int,
    history: int,
    outputs: np.ndarray,
    distance: np.ndarray,
    group: np.ndarray,
    port: np.ndarray,
    rec: np.ndarray,
    popped: np.ndarray,
    stream: np.ndarray,
    drawn: int,
    r: int,
    goal: int,
    c: int,
) -> int:
    """Return the switch of a packet's detour, or `NO_DETOUR` where the path of the tables is no worse (UGAL).

    It compares the flits sent through the first ports without a returned credit, each times the hops of its path (or times
    `over` / 256 where that is set); or, where all queues are known, the sums of the output queues along the paths.
    """
    best, cost, credit = np.int64(NO_DETOUR), np.int64(0), np.int64(rules.credit)
    if rules.knows == 2:
        cost = queue_along(pace, slot_bits, ports, switches, outputs, port, r, goal, c)
    elif rules.knows == 1:
        place = r * ports + (np.int64(outputs[at(r * switches + goal)]) >> slot_bits)
        hops = np.int64(256) if rules.over else np.int64(distance[at(r * switches + goal)])
        cost = flits_at(long_credits, pace, vcs, history, credit, port, rec, popped, place, c) * hops
    cost -= rules.threshold * (256 if rules.knows == 1 and rules.over else 1)
    tries = rules.tries
    if group.size and group[at(goal)] == group[at(r)]:
        tries = 0
    for _ in range(tries):
        # With traffic to the sender itself, the packet's own switch or its destination may be drawn: then there is no detour.
        via = below(stream, drawn, switches if rules.itself else switches - 1)
        if not rules.itself and via >= r:
            via += 1
        if rules.itself and rules.knows == 0 and (via == r or via == goal):
            break
        if via == r or via == goal or (group.size and group[at(via)] == group[at(r)]):
            continue
        if rules.longest:
            hops = np.int64(distance[at(r * switches + via)]) + np.int64(distance[at(via * switches + goal)])
            if hops > rules.longest:
                continue
        if rules.knows == 0:
            best = via
            break
        if rules.knows == 2:
            other = queue_along(pace, slot_bits, ports, switches, outputs, port, r, via, c)
            if other < cost:
                other += queue_along(pace, slot_bits, ports, switches, outputs, port, via, goal, c)
        else:
            place = r * ports + (np.int64(outputs[at(r * switches + via)]) >> slot_bits)
            hops = np.int64(distance[at(r * switches + via)]) + np.int64(distance[at(via * switches + goal)])
            other = flits_at(long_credits, pace, vcs, history, credit, port, rec, popped, place, c)
            other *= rules.over if rules.over else hops
        if other < cost:
            best, cost = via, other
    return best


@inner
def any_port(near: np.ndarray, stream: np.ndarray, drawn: int, base: int, K: int) -> int:
    """Return a random port among those on a shortest path."""
    count = np.int64(0)
    for k in range(K):
        count += ones(near[at(base + k)])
    skip, port = np.int64(0), np.int64(0)
    if count > 1:
        skip = below(stream, drawn, count)
    for k in range(K):
        bits = near[at(base + k)]
        while bits and skip >= 0:
            if skip == 0:
                port = (k << 6) + lowest_bit(np.uint64(bits))
            skip -= 1
            bits &= bits - 1
    return port


@inner
def member_output(
    rules: Rules,
    slot_bits: int,
    switches: int,
    near: np.ndarray,
    packets: np.ndarray,
    stream: np.ndarray,
    drawn: int,
    r: int,
    goal: int,
    packet: int,
) -> int:
    """Return the output class of a random member of the packet's next-hop group, or -1 where there is no group.

    The member gives the packet's next state, which counts from the next switch on: it is kept with the hop at which it was
    drawn, as a packet may ask again at the same switch.
    """
    hops = np.int64(packets[at(packet * PACKET_SIZE + PACKET_HOPS)])
    chosen = np.int64(packets[at(packet * PACKET_SIZE + PACKET_VIA)])
    if hops > 0 and chosen >> 8 == hops - 1:
        packets[at(packet * PACKET_SIZE + PACKET_PHASE)] = chosen & 255
    own = np.int64(packets[at(packet * PACKET_SIZE + PACKET_PHASE)])
    place = near[at((own * switches + r) * switches + goal)]
    if place == 0:
        return np.int64(-1)
    first = near[at(place)]
    member = near[at(first + below(stream, drawn, near[at(place + 1)] - first))]
    packets[at(packet * PACKET_SIZE + PACKET_VIA)] = hops << 8 | member & 255
    out = (member >> 8) << slot_bits
    return out + hops * rules.width if rules.vc_rule == BY_HOP else out


@stage
def free_port(
    pace: np.ndarray | None,
    escapes: int,
    spare: int,
    slot_bits: int,
    vcs: int,
    ports: int,
    near: np.ndarray,
    port: np.ndarray,
    rec: np.ndarray,
    unowned: np.ndarray,
    stream: np.ndarray,
    drawn: int,
    base: int,
    K: int,
    b: int,
    r: int,
) -> int:
    """Return the port on a shortest path with an available VC and the fewest flits; -1: none (see `open_to_choice`).

    escapes: VCs that are not chosen here, the first ones of a port; spare: the most flits in a VC such that the longest packet
    still fits; r: the switch; near[base : base + K]: its ports on shortest paths to the destination, as bits; b: the first
    of its words in `unowned`, which has a bit for each VC without a packet.
    """
    best, least, ties = np.int64(-1), np.int64(1) << 60, np.int64(0)
    for k in range(K):
        bits = near[at(base + k)]
        while bits:
            out = (k << 6) + lowest_bit(np.uint64(bits))
            bits &= bits - 1
            cell = out << slot_bits
            idle = unowned[at(b + (cell >> 6))] >> (cell & 63)
            down = np.int64(port[at((r * ports + out) * PORT_SIZE + PORT_NEXT)])
            some, flits = False, np.int64(0)
            for v in range(escapes, vcs):
                sent = np.int64(rec[at((down + v) * VC_SIZE + VC_FLITS)])
                flits += sent
                some |= (idle >> v) & 1 != 0 and open_to_choice(spare, sent)
            if pace is not None:
                flits = cycles_for(pace, r * ports + out, flits)
            if some:
                ties = ties + 1 if flits == least else np.int64(1)
                if flits < least or (flits == least and below(stream, drawn, ties) == 0):
                    best, least = out, flits
    return best


@stage
def choose(
    long_credits: int | None,
    any_shortest: int | None,
    detours: int | None,
    pace: np.ndarray | None,
    adaptive: Callable | None,
    arrays: OwnArrays | None,
    rules: Rules,
    slot_bits: int,
    vcs: int,
    ports: int,
    switches: int,
    history: int,
    outputs: np.ndarray,
    distance: np.ndarray,
    group: np.ndarray,
    near: np.ndarray,
    port: np.ndarray,
    rec: np.ndarray,
    popped: np.ndarray,
    unowned: np.ndarray,
    packets: np.ndarray,
    state: np.ndarray,
    stream: np.ndarray,
    drawn: int,
    b: int,
    r: int,
    came: int,
    vc: int,
    packet: int,
    c: int,
) -> int:
    """Return the output class that a packet at the head of its VC requests: port << log2(slots) | first VC; -1: none yet.

    came, vc: the port and the VC by which the packet arrived.
    """
    word = np.int64(packets[at(packet * PACKET_SIZE + PACKET_WORD)])
    goal = word >> 16
    toward, out = goal, np.int64(-1)
    if detours is not None:
        via = np.int64(packets[at(packet * PACKET_SIZE + PACKET_VIA)])
        if via == UNDECIDED:
            via = np.int64(NO_DETOUR)
            if r != goal:
                via = detour_of(
                    long_credits,
                    pace,
                    rules,
                    slot_bits,
                    vcs,
                    ports,
                    switches,
                    history,
                    outputs,
                    distance,
                    group,
                    port,
                    rec,
                    popped,
                    stream,
                    drawn,
                    r,
                    goal,
                    c,
                )
            packets[at(packet * PACKET_SIZE + PACKET_VIA)] = via
            packets[at(packet * PACKET_SIZE + PACKET_PHASE)] = 1 if via < 0 else 0
        elif via == r or (via >= 0 and goal == r):
            via = np.int64(NO_DETOUR)
            packets[at(packet * PACKET_SIZE + PACKET_VIA)] = via
            packets[at(packet * PACKET_SIZE + PACKET_PHASE)] = 1
        if via >= 0:
            toward = via
    if toward == r:
        out = ((word >> 7) & 511) << slot_bits
        if rules.last_vcs == 1 and packets[at(packet * PACKET_SIZE + PACKET_HOPS)]:
            out += vc
    elif adaptive is not None:
        if not packets[at(packet * PACKET_SIZE + PACKET_ESCAPED)]:
            out = own_output(
                adaptive,
                arrays,
                rules,
                slot_bits,
                vcs,
                ports,
                history,
                outputs,
                port,
                rec,
                popped,
                unowned,
                packets,
                state,
                b,
                r,
                goal,
                came,
                vc,
                packet,
                c,
            )
            if out < 0 and rules.choice == OWN:
                return out
    elif any_shortest is not None and rules.choice == GROUPS:
        out = member_output(rules, slot_bits, switches, near, packets, stream, drawn, r, goal, packet)
    elif any_shortest is not None:
        K = near.size // (switches * switches)
        base = (r * switches + goal) * K
        if rules.choice != ESCAPE:
            chosen_port = any_port(near, stream, drawn, base, K)
            if rules.choice == SHORTER:
                # Of two random ports, take the one with the shorter queue.
                other = any_port(near, stream, drawn, base, K)
                here = flits_at(
                    long_credits, pace, vcs, history, rules.credit, port, rec, popped, r * ports + chosen_port, c
                )
                if here > flits_at(
                    long_credits, pace, vcs, history, rules.credit, port, rec, popped, r * ports + other, c
                ):
                    chosen_port = other
            out = chosen_port << slot_bits
        elif not packets[at(packet * PACKET_SIZE + PACKET_ESCAPED)]:
            chosen_port = free_port(
                pace,
                rules.escapes,
                rules.spare,
                slot_bits,
                vcs,
                ports,
                near,
                port,
                rec,
                unowned,
                stream,
                drawn,
                base,
                K,
                b,
                r,
            )
            if chosen_port >= 0:
                out = (chosen_port << slot_bits) + rules.escapes
    if out < 0:
        out = np.int64(
            outputs[at((np.int64(packets[at(packet * PACKET_SIZE + PACKET_LAYER)]) * switches + r) * switches + toward)]
        )
        if rules.vc_rule == BY_HOP:
            out += np.int64(packets[at(packet * PACKET_SIZE + PACKET_HOPS)]) * rules.width
        else:
            if rules.vc_rule == BY_PACKET:
                out += np.int64(packets[at(packet * PACKET_SIZE + PACKET_VC)]) * (
                    1 if adaptive is not None else rules.width
                )
            if adaptive is None:
                out += np.int64(packets[at(packet * PACKET_SIZE + PACKET_PHASE)]) * rules.escapes
    return out
