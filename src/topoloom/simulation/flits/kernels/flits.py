"""Flits in input buffers: the queues of their packets, and when they arrive.

A VC of an input port has number g = (switch * words * 64) + port * slots + vc, so that the VCs of a switch are the bits of
`words` words. `fields` lists the fields of its record, and of the places of the pool in which packets wait.

A VC queues packets. Of a flit it only knows that it has arrived: the calendar has a bit for each VC and cycle, as a VC's flits
come over one cable, one per cycle. Arrivals beyond the calendar wait in a list for each of its periods.

A packet's word is its destination's switch << 16 | the host's port << 7 | hops made; or, where packets have their own records,
the number of the packet. Its birth is the cycle << 6 | virtual channel << 2 | 2 until its first flit leaves.

`records`, `long_credits`, `any_shortest` and `detours` are None or 1, which the compiler evaluates: packets with records, long
credits, packets that choose among shortest paths, packets that may make a detour.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.simulation.flits.buffers import FREE, PERIOD, Buffers, Rules
from topoloom.simulation.flits.kernels.fields import (
    NEAR_PACKETS,
    PACKET_LENGTH,
    PACKET_SIZE,
    PLACE_ARRIVAL,
    PLACE_BIRTH,
    PLACE_NEXT,
    PLACE_SIZE,
    PLACE_WORD,
    VC_BIRTH,
    VC_FINAL,
    VC_FLITS,
    VC_FURTHER,
    VC_LEFT,
    VC_PACKETS,
    VC_SIZE,
    VC_WORD,
    at,
)

#: Cycles of the timers of VCs that wait; a longer wait begins again.
TIMES = 16
#: Cycles that a router simulates per visit.
AHEAD = 2
#: In a birth: the positions of its cycle and its virtual channel; the bit of a packet whose first flit has not left.
BORN, VC, HEAD = 6, 2, 2


@kernel
def ones(bits: int) -> int:
    """Return the number of set bits of a word."""
    count = np.int64(0)
    while bits:
        bits &= bits - 1
        count += 1
    return count


@inner
def arm(timers: np.ndarray, words: int, g: int, when: int, now: int) -> None:
    """Look at VC g again in cycle `when`, or in the latest one that the timers cover."""
    if when - now > TIMES - AHEAD - 1:
        when = now + TIMES - AHEAD - 1
    timers[at((when & (TIMES - 1)) * words + (g >> 6))] |= np.int64(1) << (g & 63)


@inner
def arrive_late(
    pool: np.ndarray, spare: np.ndarray, later: np.ndarray, g: int, arrival: int, place: int, k: int
) -> None:
    """Note the arrival of a flit beyond the calendar, at `place` of the pool, in the list of its period k."""
    pool[at(place * PLACE_SIZE + PLACE_WORD)] = g
    pool[at(place * PLACE_SIZE + PLACE_ARRIVAL)] = arrival
    pool[at(place * PLACE_SIZE + PLACE_NEXT)] = later[at(k & (later.size - 1))]
    later[at(k & (later.size - 1))] = place


@inner
def bring_forward(s: Buffers, rules: Rules, t: int) -> None:
    """Enter into the calendar the late arrivals of the period after that of cycle t."""
    period, words = rules.period, s.active.size
    while s.state[PERIOD] <= t >> period:
        s.state[PERIOD] += 1
        line = s.state[PERIOD] & (s.later.size - 1)
        place = np.int64(s.later[at(line)])
        s.later[at(line)] = -1
        while place >= 0:
            g, arrival = (
                np.int64(s.pool[at(place * PLACE_SIZE + PLACE_WORD)]),
                s.pool[at(place * PLACE_SIZE + PLACE_ARRIVAL)],
            )
            following = np.int64(s.pool[at(place * PLACE_SIZE + PLACE_NEXT)])
            if arrival >> period == s.state[PERIOD]:
                s.calendar[at((arrival & rules.slots) * words + (g >> 6))] |= np.int64(1) << (g & 63)
                s.spare[at(s.state[FREE])] = place
                s.state[FREE] += 1
            else:  # a later turn of the list
                s.pool[at(place * PLACE_SIZE + PLACE_NEXT)] = s.later[at(line)]
                s.later[at(line)] = place
            place = following


@inner
def queue_behind(pool: np.ndarray, rec: np.ndarray, g: int, word: int, birth: int, arrival: int, place: int) -> None:
    """Put a packet behind those of VC g, at `place` of the pool."""
    pool[at(place * PLACE_SIZE + PLACE_WORD)] = word
    pool[at(place * PLACE_SIZE + PLACE_BIRTH)] = birth
    pool[at(place * PLACE_SIZE + PLACE_ARRIVAL)] = arrival
    if rec[at(g * VC_SIZE + VC_PACKETS)] == NEAR_PACKETS + 1:
        rec[at(g * VC_SIZE + VC_FURTHER)] = place
    else:
        pool[at(np.int64(rec[at(g * VC_SIZE + VC_FINAL)]) * PLACE_SIZE + PLACE_NEXT)] = place
    rec[at(g * VC_SIZE + VC_FINAL)] = place


@stage
def flits_left(records: int | None, s: Buffers, rules: Rules, g: int) -> int:
    """Return how many flits of the first packet of VC g have not left."""
    if s.rec[at(g * VC_SIZE + VC_BIRTH)] & HEAD == 0:
        return np.int64(s.rec[at(g * VC_SIZE + VC_LEFT)])
    if records is None:
        return rules.flits
    packet = np.int64(s.rec[at(g * VC_SIZE + VC_WORD)])
    return np.int64(s.packets[at(packet * PACKET_SIZE + PACKET_LENGTH)])


@stage
def append(s: Buffers, rules: Rules, g: int, word: int, birth: int, arrival: int, now: int, free: int) -> int:
    """Send a flit to VC g, where it arrives later; return how many places of the pool are then free.

    Only the first flit of a packet has the packet's word and birth.
    """
    rec = s.rec
    rec[at(g * VC_SIZE + VC_FLITS)] += 1
    if birth & HEAD:
        packets = np.int64(rec[at(g * VC_SIZE + VC_PACKETS)])
        rec[at(g * VC_SIZE + VC_PACKETS)] = packets + 1
        if packets < NEAR_PACKETS:
            rec[at(g * VC_SIZE + 2 * packets + VC_WORD)] = word
            rec[at(g * VC_SIZE + 2 * packets + VC_BIRTH)] = birth
            if s.since.size:
                s.since[at(g * NEAR_PACKETS + packets)] = arrival
        else:
            free -= 1
            queue_behind(s.pool, rec, g, word, birth, arrival, np.int64(s.spare[at(free)]))
    if arrival - now > rules.slots - AHEAD:
        free -= 1
        arrive_late(s.pool, s.spare, s.later, g, arrival, np.int64(s.spare[at(free)]), arrival >> rules.period)
    else:
        s.calendar[at((arrival & rules.slots) * s.active.size + (g >> 6))] |= np.int64(1) << (g & 63)
    return free


@inner
def stirred(x: np.uint64) -> np.uint64:
    """Return the next word of xorshift64."""
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    return x


@kernel
def draw(state: np.ndarray, place: int) -> np.uint64:
    """Return the next word of the random stream stored at a place."""
    x = stirred(np.uint64(state[at(place)]))
    state[at(place)] = np.int64(x)
    return x


@kernel
def below(state: np.ndarray, place: int, count: int) -> int:
    """Return a random number below `count`; the high bits decide."""
    return np.int64(((draw(state, place) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))
