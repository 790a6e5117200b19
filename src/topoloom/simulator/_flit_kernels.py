"""Flits in input buffers: queues, credits, and when a flit that has arrived asks for its way on.

A VC of an input port is number g = (switch * words * 64) + port * slots + vc, so that the VCs of a switch are the bits of
`words` words. Its record, rec[8 g ...], int32: 0 destination, 1 birth (cycle * 2 + 1 for a packet's last flit), 2 arrival of
the first flit; 3, 4 the first and last flit behind it (`pool`); 5 the output VC that it holds, -1 for none; 6 the VC downstream
of that, -1 for a host; 7 flits sent to it and not sent on.

pool[4 i ...], int32: 0 the next flit or free place, 1 destination, 2 birth, 3 arrival.
"""

import numpy as np
from numba import njit

#: Cycles of the calendar of arrivals; what takes longer is entered again.
SLOTS = 16


@njit(cache=True, nogil=True, inline="always")
def at(index: int) -> np.uint64:
    """An index that is never negative, which Numba need not check."""
    return np.uint64(index)


@njit(cache=True, nogil=True)
def arm(calendar: np.ndarray, words: int, g: int, arrival: int, now: int, ahead: int) -> None:
    """Enter VC g into the calendar for when its first flit arrives, or as late as the calendar reaches."""
    when = arrival
    if when - now > SLOTS - ahead - 1:
        when = now + SLOTS - ahead - 1
    calendar[at((when & (SLOTS - 1)) * words + (g >> 6))] |= np.int64(1) << (g & 63)


@njit(cache=True, nogil=True)
def full(rec: np.ndarray, popped: np.ndarray, g: int, now: int, room: int, credit: int, ahead: int) -> bool:
    """Whether no credit for VC g has reached those who send to it, at a cycle.

    popped : int64[VCs]
        The cycle of the last flit sent on << 32 | two bits a cycle back from there: how many were.
    credit : int
        Cycles from a flit's leaving to the credit's use.
    """
    sent = np.int64(rec[at((g << 3) + 7)])
    if sent + 2 * (credit + ahead) < room:
        return False
    history = popped[at(g)]
    recent = (history >> 32) - now + credit  # cycles whose credits are still on their way
    if recent > 0:
        bits = history & ((np.int64(1) << min(2 * recent, 32)) - 1)
        while bits:
            sent += bits & 3
            bits >>= 2
    return sent >= room


@njit(cache=True, nogil=True)
def append(
    pool: np.ndarray, rec: np.ndarray, calendar: np.ndarray, words: int, g: int, destination: int, birth: int, arrival: int,
    now: int, ahead: int, free: int,
) -> int:  # fmt: skip
    """Put a flit at the end of VC g; the first free place of the pool afterwards."""
    if rec[at((g << 3) + 7)] == 0:
        rec[at(g << 3)] = destination
        rec[at((g << 3) + 1)] = birth
        rec[at((g << 3) + 2)] = arrival
        arm(calendar, words, g, arrival, now, ahead)
    else:
        place = free
        free = np.int64(pool[at(place << 2)])
        pool[at((place << 2) + 1)] = destination
        pool[at((place << 2) + 2)] = birth
        pool[at((place << 2) + 3)] = arrival
        if rec[at((g << 3) + 7)] == 1:
            rec[at((g << 3) + 3)] = place
        else:
            pool[at(np.int64(rec[at((g << 3) + 4)]) << 2)] = place
        rec[at((g << 3) + 4)] = place
    rec[at((g << 3) + 7)] += 1
    return free
