"""Kernels of joint placement: two switches, or two racks' contents, swapped under the price of every cable.

The state, all changed in place. A seat is a place in a slot for one switch; slot s has the seats seat0[s] ..
seat0[s] + seats[s] - 1. `occupant` int32[seats in all] says who sits there: a switch 0 .. n - 1, or n and above for
nobody (each empty seat has a number of its own); `seat` int32 is its inverse; `slot` int32 the slot of each occupant.
`loads` float64[occupants, k] is what an occupant takes of k limited resources, `room` float64[slots, k] what is left.
thresholds float32[4096]: the temperature times a random one is what a swap may cost.

The graph: start int32[n + 1] and neighbour int32[2 m], each switch's links one after another; back int32[2 m], where the
other direction of a link is listed; beside uint32[2 m], the slot where the link leads, so that the loop over a switch's
links reads memory in a row (unsigned, for Numba then asks nothing about negative indices).

The price of a cable between slots s and t is table[s, t]; without a table (None: Numba compiles two versions) it is
inside for s = t, else the Manhattan distance of (x, y) plus `extra`, all in units of `inside`.
"""

import numpy as np

from topoloom.core.compiling.decorators import kernel, stage
from topoloom.core.random_streams.kernels import next_below, next_word

_LOW32 = np.uint64(0xFFFFFFFF)
_LOW24 = np.uint64(0xFFFFFF)
_LOW16 = np.uint64(0xFFFF)


@stage
def _price(table: np.ndarray | None, x: np.ndarray, y: np.ndarray, extra: np.float32, s: int, t: int) -> np.float32:
    """The price of a cable between slots s and t, less that inside a rack where there is no table."""
    if table is None:
        if s == t:
            return np.float32(0.0)
        return np.float32(abs(x[s] - x[t]) + abs(y[s] - y[t]) + extra)
    return np.float32(table[s, t])


# Sums stay in their order (no fastmath), so that every machine finds the same layout.
@kernel
def swap_switches(
    start: np.ndarray,
    neighbour: np.ndarray,
    back: np.ndarray,
    beside: np.ndarray,
    table: np.ndarray | None,
    x: np.ndarray,
    y: np.ndarray,
    extra: np.float32,
    seat0: np.ndarray,
    seats: np.ndarray,
    occupant: np.ndarray,
    seat: np.ndarray,
    slot: np.ndarray,
    near: np.ndarray,
    window: int,
    guided: int,
    loads: np.ndarray,
    room: np.ndarray,
    thresholds: np.ndarray,
    temperature: np.float32,
    moves: int,
    state: np.ndarray,
) -> tuple[float, int]:
    """`moves` tries to swap a switch with an occupant of another slot; returns (the change of the price, swaps made).

    near int32[slots, k]: for each slot the open slots, nearest first; the first `window` of them are tried. `guided` of
    256 tries take the slot of a neighbour instead: where only sharing a rack counts, no other slot is better than the
    present one. A try costs the two degrees.
    """
    n = start.size - 1
    total, made = 0.0, 0
    for _ in range(moves):
        word = next_word(state)
        a = int(((word & _LOW32) * np.uint64(n)) >> np.uint64(32))
        s = slot[a]
        word2 = next_word(state)
        if guided and int((word >> np.uint64(32)) & np.uint64(255)) < guided and start[a] < start[a + 1]:
            degree = start[a + 1] - start[a]
            t = beside[start[a] + int(((word >> np.uint64(40)) * np.uint64(degree)) >> np.uint64(24))]
        else:
            t = near[s, int(((word2 & _LOW24) * np.uint64(window)) >> np.uint64(24))]
        if t == s:
            continue
        b = occupant[seat0[t] + int((((word2 >> np.uint64(24)) & _LOW16) * np.uint64(seats[t])) >> np.uint64(16))]
        fits = True
        for k in range(loads.shape[1]):
            more = loads[a, k] - loads[b, k]
            fits = fits and more <= room[t, k] and -more <= room[s, k]
        if not fits:
            continue
        change = np.float32(0.0)
        joined = 0
        for i in range(start[a], start[a + 1]):
            z = beside[i]
            change += _price(table, x, y, extra, t, z) - _price(table, x, y, extra, s, z)
            joined += neighbour[i] == b
        if b < n:
            for i in range(start[b], start[b + 1]):
                z = beside[i]
                change += _price(table, x, y, extra, s, z) - _price(table, x, y, extra, t, z)
        if joined:
            # Each cable between the two keeps its price; both loops took it as going inside a rack.
            across = _price(table, x, y, extra, s, t)
            change += joined * (2 * across - _price(table, x, y, extra, t, t) - _price(table, x, y, extra, s, s))
        if change > thresholds[word2 >> np.uint64(52)] * temperature:
            continue
        seat_a, seat_b = seat[a], seat[b]
        occupant[seat_a], occupant[seat_b] = b, a
        seat[a], seat[b] = seat_b, seat_a
        slot[a], slot[b] = t, s
        for i in range(start[a], start[a + 1]):
            beside[back[i]] = t
        if b < n:
            for i in range(start[b], start[b + 1]):
                beside[back[i]] = s
        for k in range(loads.shape[1]):
            more = loads[a, k] - loads[b, k]
            room[t, k] -= more
            room[s, k] += more
        total += float(change)
        made += 1
    return total, made


@kernel
def swap_racks(
    start: np.ndarray,
    neighbour: np.ndarray,
    back: np.ndarray,
    beside: np.ndarray,
    table: np.ndarray | None,
    x: np.ndarray,
    y: np.ndarray,
    extra: np.float32,
    seat0: np.ndarray,
    seats: np.ndarray,
    occupant: np.ndarray,
    seat: np.ndarray,
    slot: np.ndarray,
    kind: np.ndarray,
    used: np.ndarray,
    closed: np.ndarray,
    loads: np.ndarray,
    room: np.ndarray,
    thresholds: np.ndarray,
    temperature: np.float32,
    moves: int,
    state: np.ndarray,
) -> tuple[float, int]:
    """`moves` tries to move a rack with all that is in it to an empty slot of the same kind.

    used, closed: int32 lists of slots, exchanged in place when a rack moves. kind int32[slots]: slots of one kind
    have the same limits. Returns (the change of the price, racks moved).
    """
    n = start.size - 1
    total, made = 0.0, 0
    for _ in range(moves):
        i, j = next_below(state, used.size), next_below(state, closed.size)
        s, t = used[i], closed[j]
        word = next_word(state)
        if kind[s] != kind[t]:
            continue
        change = np.float32(0.0)
        for k in range(seats[s]):
            a = occupant[seat0[s] + k]
            if a < n:
                for e in range(start[a], start[a + 1]):
                    z = beside[e]
                    if z != s:
                        change += _price(table, x, y, extra, t, z) - _price(table, x, y, extra, s, z)
        if change > thresholds[word >> np.uint64(52)] * temperature:
            continue
        for k in range(seats[s]):
            seat_a, seat_b = seat0[s] + k, seat0[t] + k
            a, b = occupant[seat_a], occupant[seat_b]
            occupant[seat_a], occupant[seat_b] = b, a
            seat[a], seat[b] = seat_b, seat_a
            slot[a], slot[b] = t, s
            if a < n:
                for e in range(start[a], start[a + 1]):
                    beside[back[e]] = t
        for k in range(loads.shape[1]):
            kept = room[s, k]
            room[s, k] = room[t, k]
            room[t, k] = kept
        used[i], closed[j] = t, s
        total += float(change)
        made += 1
    return total, made
