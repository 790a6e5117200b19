"""The last stage of a router's cycle: flits cross the switch, to a cable or to a host."""

import numpy as np

from topoloom.core.compiling.decorators import stage
from topoloom.graph.kernels.simd import lowest_bit
from topoloom.simulation.flits.buffers import (
    DONE,
    FLITS,
    FREE,
    HOPS,
    INSIDE,
    LATENCY,
    RECORD,
    ROUTERS,
    Buffers,
    Demand,
    NetworkPart,
    Play,
    RouterNetwork,
    Rules,
)
from topoloom.simulation.flits.kernels.credits import credit_leaves, note, note_ejected, note_far
from topoloom.simulation.flits.kernels.fields import (
    NEAR_PACKETS,
    PACE_FREE,
    PACKET_BORN,
    PACKET_HOPS,
    PACKET_NEXT,
    PACKET_SIZE,
    PLACE_ARRIVAL,
    PLACE_BIRTH,
    PLACE_NEXT,
    PLACE_SIZE,
    PLACE_WORD,
    PORT_INPUT_TURN,
    PORT_LAST,
    PORT_OUTPUT_TURN,
    PORT_SENT,
    PORT_SIZE,
    PORT_WIRE,
    VC_BIRTH,
    VC_FLITS,
    VC_FURTHER,
    VC_LEFT,
    VC_NEXT,
    VC_OUTPUT,
    VC_PACKETS,
    VC_SIZE,
    VC_WORD,
    at,
)
from topoloom.simulation.flits.kernels.flits import BORN, HEAD, append, flits_left
from topoloom.simulation.flits.kernels.messages import post
from topoloom.simulation.flits.kernels.paces import sent_by
from topoloom.simulation.flits.kernels.requests import begin_routing, request
from topoloom.simulation.flits.kernels.round_trips import arrived
from topoloom.simulation.flits.parts import RouterParts


@stage
def move_up(s: Buffers, g: int, free: int) -> int:
    """Remove the first packet of VC g; return how many places of the pool are then free."""
    rec, base = s.rec, g * VC_SIZE
    packets = np.int64(rec[at(base + VC_PACKETS)]) - 1
    rec[at(base + VC_PACKETS)] = packets
    for k in range(2 * NEAR_PACKETS - 2):
        rec[at(base + k)] = rec[at(base + k + 2)]
    if s.since.size:
        for k in range(NEAR_PACKETS - 1):
            s.since[at(g * NEAR_PACKETS + k)] = s.since[at(g * NEAR_PACKETS + k + 1)]
    if packets >= NEAR_PACKETS:
        place, last = np.int64(rec[at(base + VC_FURTHER)]), base + 2 * NEAR_PACKETS - 2
        rec[at(last + VC_WORD)] = s.pool[at(place * PLACE_SIZE + PLACE_WORD)]
        rec[at(last + VC_BIRTH)] = s.pool[at(place * PLACE_SIZE + PLACE_BIRTH)]
        rec[at(base + VC_FURTHER)] = s.pool[at(place * PLACE_SIZE + PLACE_NEXT)]
        if s.since.size:
            s.since[at((g + 1) * NEAR_PACKETS - 1)] = s.pool[at(place * PLACE_SIZE + PLACE_ARRIVAL)]
        s.spare[at(free)] = place
        free += 1
    return free


@stage
def traverse(
    records: int | None,
    long_credits: int | None,
    pace: np.ndarray | None,
    parts: RouterParts | None,
    part: NetworkPart | None,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    demand: Demand,
    play: Play | None,
    r: int,
    c: int,
    step: int,
    steps: int,
    begin: int,
    end: int,
) -> None:
    """Move the winners out of router r in cycle c: return credits, advance the packets behind them, and count arrivals."""
    W, LV = rules.words, rules.slot_bits
    VM, PS = (1 << LV) - 1, (W * 64) >> LV
    b, G = r * W, r * W * 64
    rec, popped, port = s.rec, s.popped, s.port
    active, unowned, touched, winner = s.active, s.unowned, s.touched, s.winner
    state, histogram, packets = s.state, s.histogram, s.packets
    notes = s.log.size > 0 or demand.loop.size > 0 or demand.events.size > 0 or play is not None
    free = state[FREE]
    for w in range((PS + 63) >> 6):
        m = touched[at(w)]
        touched[at(w)] = 0
        while m:
            o = (w << 6) + lowest_bit(np.uint64(m))
            m &= m - 1
            g = winner[at(o)]
            iv = g - G
            # Take the flit from its VC, and record its credit.
            ov, g2 = np.int64(rec[at(g * VC_SIZE + VC_OUTPUT)]), np.int64(rec[at(g * VC_SIZE + VC_NEXT)])
            word, birth = (np.int64(rec[at(g * VC_SIZE + VC_WORD)]), np.int64(rec[at(g * VC_SIZE + VC_BIRTH)]))
            rec[at(g * VC_SIZE + VC_FLITS)] -= 1
            back = np.int64(c)
            if parts is not None and parts.sent_credits.size:
                back = credit_leaves(parts.sent_credits, r * parts.ports + (iv >> LV), c, step)
            if long_credits is not None:
                note_far(popped, rules.history, g, back)
            else:
                note(popped, g, back)
            if part is not None and part.copy[at(g >> LV)] >= 0:
                copy = np.int64(part.copy[at(g >> LV)]) + (g & VM)
                post(part, np.int64(part.sender[at(g >> LV)]), copy, back, 0, 0)
            bit = np.int64(1) << (iv & 63)
            # Another flit may be there, of this packet or the next one.
            word_at = at(b + (iv >> 6))
            following = s.more[word_at] & bit
            s.here[word_at] &= ~(bit ^ following)
            active[word_at] &= ~(bit ^ following)
            if following:
                s.behind[at(g)] -= 1
                if s.behind[at(g)] == 0:
                    s.more[word_at] &= ~bit
            last = rules.many == 0
            if not last:
                left = flits_left(records, s, rules, g) - 1
                rec[at(g * VC_SIZE + VC_LEFT)] = left
                rec[at(g * VC_SIZE + VC_BIRTH)] = birth & ~HEAD
                last = left == 0
            # The last flit of a packet frees the output VC; the next packet, if it is there, requests an output.
            if last:
                active[word_at] &= ~bit
                s.held[word_at] &= ~bit
                if parts is not None and rules.tail:
                    parts.ending[at(b + (ov >> 6))] |= np.int64(1) << (ov & 63)
                else:
                    unowned[at(b + (ov >> 6))] |= np.int64(1) << (ov & 63)
                rec[at(g * VC_SIZE + VC_OUTPUT)] = -1
                free = move_up(s, g, free)
                if following and rules.route:
                    begin_routing(s, rules, r, iv, c + (step + 1 == steps), c)
                elif following:
                    request(records, net, s, rules, r, iv)
            # Advance the round-robin positions.
            port[at((g >> LV) * PORT_SIZE + PORT_INPUT_TURN)] = (g + 1) & VM
            z = (iv >> LV) + 1
            gp = r * PS + o
            port[at(gp * PORT_SIZE + PORT_OUTPUT_TURN)] = z if z < PS else 0
            port[at(gp * PORT_SIZE + PORT_SENT)] += 1
            # Send the flit over the cable: to a VC of the next router, or to a host.
            if pace is None:
                leaves = max(np.int64(port[at(gp * PORT_SIZE + PORT_LAST)]) + 1, np.int64(c + (step + 1 == steps)))
            else:
                leaves = sent_by(pace, gp, PACE_FREE, np.int64(c + (step + 1 == steps)))
            port[at(gp * PORT_SIZE + PORT_LAST)] = leaves
            arrival = leaves + np.int64(port[at(gp * PORT_SIZE + PORT_WIRE)])
            state[HOPS] += 1
            if g2 >= 0:
                if records is None:
                    word += 1
                elif birth & HEAD:
                    packets[at(word * PACKET_SIZE + PACKET_HOPS)] += 1
                if part is not None and g2 >= part.vcs:
                    rec[at(g2 * VC_SIZE + VC_FLITS)] += 1
                    copied = g2 - part.vcs
                    to, original = np.int64(part.where[at(copied)]), np.int64(part.original[at(copied)])
                    post(part, to, original, word, birth, arrival)
                    continue
                free = append(s, rules, g2, word, birth, arrival, c, free)
                continue
            if parts is not None and rules.tail:
                parts.released[at(G + ov)] = leaves + rules.eject_trip
            if s.ejected.size:
                note_ejected(net, s, rules, gp, ov & VM, leaves)
            # Arrival at a host: count the flit and, with its last flit, the packet; free the packet's record.
            state[FLITS] += 1
            if last:
                born, made = birth >> BORN, word & 127
                if records is not None:
                    born = np.int64(packets[at(word * PACKET_SIZE + PACKET_BORN)])
                    made = np.int64(packets[at(word * PACKET_SIZE + PACKET_HOPS)])
                if begin <= born < end:
                    latency = arrival - born
                    state[DONE] += 1
                    state[LATENCY] += latency
                    state[ROUTERS] += made + 1
                    place = latency if latency < 4096 else min(4096 + (latency >> 6), histogram.size - 1)
                    histogram[at(place)] += 1
                if records is not None:
                    if notes:
                        state[FREE] = free
                        arrived(net, s, demand, play, word, arrival, begin, end)
                        free = state[FREE]
                    state[INSIDE] -= 1
                    if part is not None and word // part.records != part.number:
                        post(part, word // part.records, -1 - word, 0, 0, 0)
                        continue
                    packets[at(word * PACKET_SIZE + PACKET_NEXT)] = state[RECORD]
                    state[RECORD] = word
    state[FREE] = free
