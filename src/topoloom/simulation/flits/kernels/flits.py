"""Flits in input buffers: queues, and when a flit that has arrived asks for an output.

A VC of an input port is number g = (switch * words * 64) + port * slots + vc, so that the VCs of a switch are the bits of
`words` words. `fields` says what lies where in its record, and in the places of the pool that flits wait in.

A flit's word is its destination's switch << 16 | the host's port << 7 | hops made; or, where packets have records of their
own, the number of the packet. Its birth is the cycle << 6 | virtual channel << 2 | 2 for a packet's first flit | 1 for its
last.

`records`, `long_credits`, `any_shortest` and `detours` are None or 1, which the compiler looks at: packets with records,
credits that take long, packets that choose among shortest paths, packets that may make a detour.
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

#: Cycles of the calendar of arrivals; what takes longer is entered again.
SLOTS = 16
#: Cycles that a router runs at a visit.
AHEAD = 2
#: Of a birth: where its cycle and its virtual channel begin; the bits of a packet's first and last flit.
BORN, VC, HEAD, LAST = 6, 2, 2, 1


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
    """Put a flit at the end of VC g; how many places of the pool are free afterwards."""
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
