"""Hosts: inject the flits of waiting packets as credits allow.

`fields` lists the fields of the arrays.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, stage
from topoloom.graph.kernels.simd import fetch, lowest_bit
from topoloom.simulation.flits.buffers import (
    BACKLOG,
    BY_PACKET,
    DETOUR,
    FREE,
    INJECTED,
    INSIDE,
    RANDOM,
    RECORD,
    WAITED,
    Buffers,
    Demand,
    Play,
    RouterNetwork,
    Rules,
)
from topoloom.simulation.flits.kernels.credits import full, next_credit
from topoloom.simulation.flits.kernels.fields import (
    HOST_COUNT,
    HOST_FINAL,
    HOST_FIRST,
    HOST_LEFT,
    HOST_PACKET,
    HOST_SIZE,
    HOST_SOON,
    HOST_VC,
    NO_DETOUR,
    PACE_HOST_FREE,
    PACKET_ASKED,
    PACKET_BORN,
    PACKET_ENTERED,
    PACKET_ESCAPED,
    PACKET_HOPS,
    PACKET_KIND,
    PACKET_LAYER,
    PACKET_LENGTH,
    PACKET_NEXT,
    PACKET_OWNER,
    PACKET_PHASE,
    PACKET_SIZE,
    PACKET_SOURCE,
    PACKET_VC,
    PACKET_VIA,
    PACKET_WORD,
    PLACE_BIRTH,
    PLACE_LENGTH,
    PLACE_NEXT,
    PLACE_SIZE,
    PLACE_WORD,
    TRIP_ASKED,
    TRIP_KIND,
    TRIP_LAYER,
    TRIP_OWNER,
    UNDECIDED,
    VC_SIZE,
    at,
)
from topoloom.simulation.flits.kernels.flits import BORN, HEAD, VC, append, below, ones
from topoloom.simulation.flits.kernels.paces import host_free, sent_by

#: How many hosts ahead in the list of waiting hosts a host's VCs are prefetched.
_SOON = 8


@stage
def record_of(
    choice: int,
    vc_rule: int,
    allowed: np.ndarray,
    layer_at: np.ndarray,
    vc_of: np.ndarray,
    packets: np.ndarray,
    pool: np.ndarray,
    trips: np.ndarray,
    state: np.ndarray,
    stream: np.ndarray,
    drawn: int,
    N: int,
    PS: int,
    n: int,
    here: int,
    place: int,
    vc: int,
    c: int,
) -> int:
    """Create a record for the packet that host n at switch `here` is about to inject; a free record must exist."""
    number = state[RECORD]
    state[RECORD] = np.int64(packets[at(number * PACKET_SIZE + PACKET_NEXT)])
    state[INSIDE] += 1
    word = np.int64(pool[at(place * PLACE_SIZE + PLACE_WORD)])
    packets[at(number * PACKET_SIZE + PACKET_WORD)] = word
    packets[at(number * PACKET_SIZE + PACKET_SOURCE)] = n
    packets[at(number * PACKET_SIZE + PACKET_BORN)] = np.int64(pool[at(place * PLACE_SIZE + PLACE_BIRTH)]) >> BORN
    packets[at(number * PACKET_SIZE + PACKET_VIA)] = UNDECIDED if choice == DETOUR else NO_DETOUR
    packets[at(number * PACKET_SIZE + PACKET_HOPS)] = 0
    packets[at(number * PACKET_SIZE + PACKET_PHASE)] = 0
    packets[at(number * PACKET_SIZE + PACKET_LENGTH)] = pool[at(place * PLACE_SIZE + PLACE_LENGTH)]
    packets[at(number * PACKET_SIZE + PACKET_ENTERED)] = c
    packets[at(number * PACKET_SIZE + PACKET_VC)] = vc
    packets[at(number * PACKET_SIZE + PACKET_LAYER)] = 0
    packets[at(number * PACKET_SIZE + PACKET_ESCAPED)] = 0
    if allowed.size:
        # A random layer among those that the pair may take.
        destination = word >> 16
        layers = allowed[at(here * N + destination)]
        count = ones(layers)
        if count > 1:
            for _ in range(below(stream, drawn, count)):
                layers &= layers - 1
        layer = lowest_bit(np.uint64(layers)) if layers else np.int64(0)
        packets[at(number * PACKET_SIZE + PACKET_LAYER)] = layer
        if vc_rule == BY_PACKET:
            packets[at(number * PACKET_SIZE + PACKET_VC)] = vc_of[at((layer * N + here) * N + destination)]
    elif layer_at.size:
        # The layer of the destination host: each host has its own table, or one for each of its addresses.
        goes = word >> 16
        own = np.int64(layer_at[at(goes * PS + ((word >> 7) & 0x1FF))])
        if own >> 16:
            own = (own & 0xFFFF) + below(stream, drawn, own >> 16)
        packets[at(number * PACKET_SIZE + PACKET_LAYER)] = own
        if vc_rule == BY_PACKET:
            packets[at(number * PACKET_SIZE + PACKET_VC)] = vc_of[at((own * N + here) * N + goes)]
    elif trips.size:
        # The layer of its message.
        packets[at(number * PACKET_SIZE + PACKET_LAYER)] = trips[at(place * PLACE_SIZE + TRIP_LAYER)]
    if trips.size:
        packets[at(number * PACKET_SIZE + PACKET_KIND)] = trips[at(place * PLACE_SIZE + TRIP_KIND)]
        packets[at(number * PACKET_SIZE + PACKET_OWNER)] = trips[at(place * PLACE_SIZE + TRIP_OWNER)]
        packets[at(number * PACKET_SIZE + PACKET_ASKED)] = trips[at(place * PLACE_SIZE + TRIP_ASKED)]
    return number


@inner
def next_of_message(play: Play, i: int) -> int:
    """Return the flits of the next packet of the message of send i, where packets take turns; 0: no packet is left."""
    if play.unsent.size == 0:
        return np.int64(0)
    length = min(np.int64(play.unsent[i]), np.int64(play.packet_flits))
    play.unsent[i] -= length
    return length


@stage
def inject(
    records: int | None,
    long_credits: int | None,
    pace: np.ndarray | None,
    net: RouterNetwork,
    s: Buffers,
    rules: Rules,
    demand: Demand,
    play: Play | None,
    c: int,
    t: int,
    begin: int,
    end: int,
) -> None:
    """Inject a flit from every host whose VC has a credit."""
    W, LV, V = rules.words, rules.slot_bits, rules.vcs
    PS = (W * 64) >> LV
    state, queue, pool, backlog, home_of, vc_of = s.state, s.queue, s.pool, s.backlog, net.home, net.vc
    rec, popped, spare = s.rec, s.popped, s.spare
    whole, vc_rule, credit = rules.whole, rules.vc_rule, rules.host_credit
    N = s.active.size // W
    allowed, layer_at, packets, trips, choice = net.allowed, net.layer_at, s.packets, s.round_trips, rules.choice
    any_vc = rules.last_vcs > 1 or V == 1
    free, still = state[FREE], np.int64(0)
    stream, drawn = state, np.int64(RANDOM)
    if s.streams.size:
        stream = s.streams
    for k in range(state[BACKLOG]):
        if k + _SOON < state[BACKLOG]:
            n = np.int64(backlog[at(k + _SOON)])
            if queue[at(n * HOST_SIZE + HOST_SOON)] <= c:
                home = np.int64(home_of[at(n)])
                v = np.int64(queue[at(n * HOST_SIZE + HOST_VC)]) + 1
                fetch(rec, ((((home >> 16) * PS + ((home >> 7) & 511)) << LV) + (v if v < V else 0)) * VC_SIZE)
                fetch(pool, np.int64(queue[at(n * HOST_SIZE + HOST_FIRST)]) * PLACE_SIZE)
        n = np.int64(backlog[at(k)])
        if queue[at(n * HOST_SIZE + HOST_SOON)] > c:
            backlog[at(still)] = n
            still += 1
            continue
        home = np.int64(home_of[at(n)])
        g0, v = ((home >> 16) * PS + ((home >> 7) & 511)) << LV, np.int64(queue[at(n * HOST_SIZE + HOST_VC)])
        if s.streams.size:
            drawn = home >> 16
        place = np.int64(queue[at(n * HOST_SIZE + HOST_FIRST)])
        birth, left = (
            np.int64(pool[at(place * PLACE_SIZE + PLACE_BIRTH)]),
            np.int64(queue[at(n * HOST_SIZE + HOST_LEFT)]),
        )
        # Does the packet's VC have a credit? A new packet may take the first VC that has one.
        has_credit, start, soon = False, left == 0, np.int64(0)
        if not start:
            has_credit = not full(rules.many, long_credits, rec, popped, rules.history, g0 + v, c, rules.room, credit)
            if not has_credit:
                soon = next_credit(long_credits, popped, rules.history, g0 + v, c, credit)
        elif (birth >> BORN) <= c and state[RECORD] >= 0:
            left = np.int64(pool[at(place * PLACE_SIZE + PLACE_LENGTH)])
            room = rules.room - (left - 1 if whole else 0)
            if rules.tail:  # the VC is free when all credits are back
                room = np.int64(1)
            for _ in range(V if any_vc else 1):
                v = v + 1 if v + 1 < V else 0
                if not any_vc:
                    v = below(stream, drawn, V)
                if not full(rules.many, long_credits, rec, popped, rules.history, g0 + v, c, room, credit):
                    has_credit = True
                    break
                if any_vc:  # otherwise the VC is random in each cycle
                    first = next_credit(long_credits, popped, rules.history, g0 + v, c, credit)
                    soon = first if soon == 0 or first < soon else soon
        if has_credit:
            word = np.int64(pool[at(place * PLACE_SIZE + PLACE_WORD)])
            # The first flit determines the virtual channel and creates the record.
            if start:
                if begin <= birth >> BORN < end:
                    state[WAITED] += c - (birth >> BORN)
                vc = np.int64(0)
                if vc_rule == BY_PACKET:
                    vc = np.int64(vc_of[at((home >> 16) * N + (word >> 16))])
                if records is not None:
                    queue[at(n * HOST_SIZE + HOST_PACKET)] = record_of(
                        choice,
                        vc_rule,
                        allowed,
                        layer_at,
                        vc_of,
                        packets,
                        pool,
                        trips,
                        state,
                        stream,
                        drawn,
                        N,
                        PS,
                        n,
                        home >> 16,
                        place,
                        vc,
                        c,
                    )
                birth |= (vc << VC) | HEAD
            if records is not None:
                word = np.int64(queue[at(n * HOST_SIZE + HOST_PACKET)])
            left -= 1
            queue[at(n * HOST_SIZE + HOST_VC)], queue[at(n * HOST_SIZE + HOST_LEFT)] = v, left
            state[INJECTED] += 1
            # The last flit removes the packet from the queue.
            if left == 0:
                length = np.int64(0)
                if play is not None:
                    length = next_of_message(play, np.int64(trips[at(place * PLACE_SIZE + TRIP_OWNER)]))
                if length == 0:
                    queue[at(n * HOST_SIZE + HOST_FIRST)] = pool[at(place * PLACE_SIZE + PLACE_NEXT)]
                    queue[at(n * HOST_SIZE + HOST_COUNT)] -= 1
                    spare[at(free)] = place
                    free += 1
                else:
                    # The message's next packet takes this packet's place, behind packets of other messages.
                    pool[at(place * PLACE_SIZE + PLACE_LENGTH)] = length
                    if queue[at(n * HOST_SIZE + HOST_COUNT)] > 1:
                        queue[at(n * HOST_SIZE + HOST_FIRST)] = pool[at(place * PLACE_SIZE + PLACE_NEXT)]
                        pool[at(np.int64(queue[at(n * HOST_SIZE + HOST_FINAL)]) * PLACE_SIZE + PLACE_NEXT)] = place
                        queue[at(n * HOST_SIZE + HOST_FINAL)] = place
            leaves = c
            if pace is not None:
                leaves = sent_by(pace, g0 >> LV, PACE_HOST_FREE, c)
                queue[at(n * HOST_SIZE + HOST_SOON)] = host_free(pace, g0 >> LV)
            free = append(s, rules, g0 + v, word, birth, leaves + rules.inject, t, free)
        else:
            queue[at(n * HOST_SIZE + HOST_SOON)] = soon
        if queue[at(n * HOST_SIZE + HOST_COUNT)] > 0:
            backlog[at(still)] = n
            still += 1
    state[BACKLOG], state[FREE] = still, free
