"""Flits in input buffers: queues, and when an arrived flit requests an output.

A VC of an input port has number g = (switch * words * 64) + port * slots + vc, so that the VCs of a switch are the bits of
`words` words. `fields` lists the fields of its record, and of the places of the pool in which flits wait.

A flit's word is its destination's switch << 16 | the host's port << 7 | hops made; or, where packets have their own records,
the number of the packet. Its birth is the cycle << 6 | virtual channel << 2 | 2 for the first flit of a packet | 1 for its
last.

`records`, `long_credits`, `any_shortest` and `detours` are None or 1, which the compiler evaluates: packets with records, long
credits, packets that choose among shortest paths, packets that may make a detour.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel
from topoloom.simulation.flits.kernels.fields import (
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

#: Cycles of the calendar of arrivals; later arrivals are entered again.
SLOTS = 16
#: Cycles that a router simulates per visit.
AHEAD = 2
#: In a birth: the positions of its cycle and its virtual channel; the bits of a packet's first and last flit.
BORN, VC, HEAD, LAST = 6, 2, 2, 1


@kernel
def ones(bits: int) -> int:
    """Return the number of set bits of a word."""
    count = np.int64(0)
    while bits:
        bits &= bits - 1
        count += 1
    return count


@inner
def arm(calendar: np.ndarray, words: int, g: int, arrival: int, now: int) -> None:
    """Enter VC g into the calendar for the arrival of its first flit, or for the latest cycle that the calendar covers."""
    when = arrival
    if when - now > SLOTS - AHEAD - 1:
        when = now + SLOTS - AHEAD - 1
    calendar[at((when & (SLOTS - 1)) * words + (g >> 6))] |= np.int64(1) << (g & 63)


@kernel
def append(
    pool: np.ndarray,
    spare: np.ndarray,
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
    """Put a flit at the end of VC g; return how many places of the pool are then free."""
    if rec[at(g * VC_SIZE + VC_FLITS)] == 0:
        rec[at(g * VC_SIZE + VC_WORD)] = word
        rec[at(g * VC_SIZE + VC_BIRTH)] = birth
        rec[at(g * VC_SIZE + VC_ARRIVAL)] = arrival
        arm(calendar, words, g, arrival, now)
    else:
        free -= 1
        place = np.int64(spare[at(free)])
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
