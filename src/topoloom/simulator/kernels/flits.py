"""Flits in input buffers: queues, credits, and when a flit that has arrived asks for an output.

A VC of an input port is number g = (switch * words * 64) + port * slots + vc, so that the VCs of a switch are the bits of
`words` words. `fields` says what lies where in its record, and in the places of the pool that flits wait in.

A flit's word is its destination's switch << 16 | the host's port << 7 | hops made; or, where packets have records of their
own, the number of the packet. Its birth is the cycle << 6 | lane << 2 | 2 for a packet's first flit | 1 for its last.

`records`, `long_credits`, `any_shortest` and `detours` are None or 1, which the compiler looks at: packets with records,
credits that take long, packets that choose among shortest paths, packets that may make a detour.
"""

import numpy as np

from topoloom.compiling.decorators import inner, kernel, stage
from topoloom.graph.kernels.simd import bits_of
from topoloom.simulator.kernels.fields import (
    PLACE_ARRIVAL,
    PLACE_BIRTH,
    PLACE_NEXT,
    PLACE_SIZE,
    PLACE_WORD,
    VC_ARRIVAL,
    VC_BIRTH,
    VC_FINAL,
    VC_FLITS,
    VC_SECOND,
    VC_SIZE,
    VC_WORD,
    at,
)

#: Cycles of the calendar of arrivals; what takes longer is entered again.
SLOTS = 16
#: Cycles that a router runs at a visit.
AHEAD = 2
#: The lower bits of the counts in a VC's history.
_ONE_FLIT = np.uint64(0x5555555555555555)
#: Of a birth: where its cycle and its lane begin; the bits of a packet's first and last flit.
BORN, LANE, HEAD, LAST = 6, 2, 2, 1


@kernel
def ones(bits: int) -> int:
    """How many bits of a word are set."""
    count = np.int64(0)
    while bits:
        bits &= bits - 1
        count += 1
    return count


@inner
def arm(calendar: np.ndarray, words: int, g: int, arrival: int, now: int) -> None:
    """Enter VC g into the calendar for when its first flit arrives, or as late as the calendar reaches."""
    when = arrival
    if when - now > SLOTS - AHEAD - 1:
        when = now + SLOTS - AHEAD - 1
    calendar[at((when & (SLOTS - 1)) * words + (g >> 6))] |= np.int64(1) << (g & 63)


@stage
def note(popped: np.ndarray, g: int, now: int) -> None:
    """VC g sends a flit on."""
    word = popped[at(g)]
    since = now - (word >> 32)
    word = (word & 0xFFFFFFFF) << (2 * since) if since < 16 else np.int64(0)
    popped[at(g)] = (now << 32) | ((word + 1) & 0xFFFFFFFF)


@kernel
def under_way(popped: np.ndarray, g: int, now: int, credit: int) -> int:
    """How many of VC g's credits are on their way back at a cycle.

    popped : int64[VCs]
        The cycle of the last flit sent on << 32 | two bits a cycle back from there: how many were.
    credit : int
        Cycles from a flit's leaving to the credit's use, at most 16.
    """
    word = popped[at(g)]
    recent = (word >> 32) - now + credit  # cycles whose credits are still on their way
    count = np.int64(0)
    if recent > 0:
        bits = word & ((np.int64(1) << min(2 * recent, 32)) - 1)
        while bits:
            count += bits & 3
            bits >>= 2
    return count


@stage
def note_far(popped: np.ndarray, history: int, g: int, now: int) -> None:
    """As `note`, for `under_way_far`."""
    base = g * (history + 1)
    before, here = popped[at(base)] >> 5, now >> 5
    if before != here:
        for k in range(before + 1 if here - before < history else here - history + 1, here + 1):
            popped[at(base + 1 + (k & (history - 1)))] = 0
    popped[at(base)] = now
    popped[at(base + 1 + (here & (history - 1)))] += np.int64(1) << (2 * (now & 31))


@inner
def under_way_far(popped: np.ndarray, history: int, g: int, now: int, credit: int) -> int:
    """As `under_way`, where credits may take longer.

    popped : int64[VCs, history + 1]
        The cycle of the last flit sent on; then words of 32 cycles, two bits a cycle, those of a cycle always in the same
        word: how many were sent on.
    history : int
        A power of two; all but one of its words cover `credit` and what routers run ahead.
    """
    base, count = g * (history + 1), np.int64(0)
    last, first = popped[at(base)], now - credit + 1 if now >= credit else 0
    if last >= first:
        for k in range(first >> 5, (last >> 5) + 1):
            word = np.uint64(popped[at(base + 1 + (k & (history - 1)))])
            if k == first >> 5:
                word &= ~np.uint64(0) << np.uint64(2 * (first & 31))
            count += bits_of(word & _ONE_FLIT) + 2 * bits_of(word & ~_ONE_FLIT)
    return count


@stage
def full(
    many: int,
    long_credits: int | None,
    rec: np.ndarray,
    popped: np.ndarray,
    history: int,
    g: int,
    now: int,
    room: int,
    credit: int,
) -> bool:
    """Whether fewer than 1 of `room` credits for VC g have reached those who send to it, at a cycle."""
    sent = np.int64(rec[at(g * VC_SIZE + VC_FLITS)])
    if sent + ((credit + AHEAD) << many) < room:  # whatever is on its way
        return False
    if long_credits is not None:
        return sent + under_way_far(popped, history, g, now, credit) >= room
    return sent + under_way(popped, g, now, credit) >= room


@kernel
def append(
    pool: np.ndarray,
    rec: np.ndarray,
    calendar: np.ndarray,
    words: int,
    g: int,
    word: int,
    birth: int,
    arrival: int,
    now: int,
    free: int,
) -> int:
    """Put a flit at the end of VC g; the first free place of the pool afterwards."""
    if rec[at(g * VC_SIZE + VC_FLITS)] == 0:
        rec[at(g * VC_SIZE + VC_WORD)] = word
        rec[at(g * VC_SIZE + VC_BIRTH)] = birth
        rec[at(g * VC_SIZE + VC_ARRIVAL)] = arrival
        arm(calendar, words, g, arrival, now)
    else:
        place = free
        free = np.int64(pool[at(place * PLACE_SIZE + PLACE_NEXT)])
        pool[at(place * PLACE_SIZE + PLACE_WORD)] = word
        pool[at(place * PLACE_SIZE + PLACE_BIRTH)] = birth
        pool[at(place * PLACE_SIZE + PLACE_ARRIVAL)] = arrival
        if rec[at(g * VC_SIZE + VC_FLITS)] == 1:
            rec[at(g * VC_SIZE + VC_SECOND)] = place
        else:
            pool[at(np.int64(rec[at(g * VC_SIZE + VC_FINAL)]) * PLACE_SIZE + PLACE_NEXT)] = place
        rec[at(g * VC_SIZE + VC_FINAL)] = place
    rec[at(g * VC_SIZE + VC_FLITS)] += 1
    return free


@inner
def stirred(x: np.uint64) -> np.uint64:
    """The next word of xorshift64."""
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    return x


@kernel
def draw(state: np.ndarray, place: int) -> np.uint64:
    """The next word of the stream that is kept at a place."""
    x = stirred(np.uint64(state[at(place)]))
    state[at(place)] = np.int64(x)
    return x


@kernel
def below(state: np.ndarray, place: int, count: int) -> int:
    """A number below `count`, drawn; the high bits decide."""
    return np.int64(((draw(state, place) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))
