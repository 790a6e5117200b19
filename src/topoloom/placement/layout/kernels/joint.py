"""Kernels of joint placement: two switches, or the contents of two racks, are swapped by the price of all cables.

Simulated annealing (Metropolis). The state, all changed in place: a seat is a place for one switch in a slot; slot s has the
seats seat0[s] .. seat0[s] + seats[s] - 1 (int32[slots] each). `occupant` int32[all seats] is the occupant of each seat: a
switch 0 .. n - 1, or a number from n on for an empty seat (each has its own); `seat` int32[all seats] is its inverse; `slot`
int32[all seats] is the slot of each occupant. `loads` float64[occupants, k] is the demand of an occupant for k limited
resources, `room` float64[slots, k] the free capacity. thresholds float32[4096]: a swap may cost up to the temperature times a
random one of these.

The graph: start int32[n + 1] and neighbour int32[2 m], the links of each switch one after another; back int32[2 m], the
position of the other direction of a link; end_slot uint32[2 m], the slot that the link leads to, so that the loop over a
switch's links reads memory sequentially (unsigned, so that Numba does not check for negative indices).

The price of a cable between slots s and t is table[s, t] (float32[slots, slots]). Without a table (None: Numba compiles two
versions) prices are counted above that inside a rack: 0 for s = t, else the Manhattan distance of (x, y), float32[slots] each,
plus `extra`.
"""

import numpy as np

from topoloom.core.compiling.decorators import kernel, stage
from topoloom.core.random_streams.kernels import next_below, next_word

_LOW32 = np.uint64(0xFFFFFFFF)
_LOW24 = np.uint64(0xFFFFFF)
_LOW16 = np.uint64(0xFFFF)


@stage
def _price(table: np.ndarray | None, x: np.ndarray, y: np.ndarray, extra: np.float32, s: int, t: int) -> np.float32:
    """The price of a cable between slots s and t; without a table, less the price inside a rack."""
    if table is None:
        if s == t:
            return np.float32(0.0)
        return np.float32(abs(x[s] - x[t]) + abs(y[s] - y[t]) + extra)
    return np.float32(table[s, t])


# Sums keep their order (no fastmath), so that every machine finds the same layout.
@kernel
def swap_switches(
    start: np.ndarray,
    neighbour: np.ndarray,
    back: np.ndarray,
    end_slot: np.ndarray,
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

    near int32[slots, k]: for each slot the open slots, nearest first; the first `window` of them are tried. `guided` of 256
    tries use the slot of a neighbour instead: where only sharing a rack counts, no other slot improves the price. The time of a
    try is proportional to the two degrees.
    """
    n = start.size - 1
    total, made = 0.0, 0
    for _ in range(moves):
        # Draw a switch a in slot s, another slot t, and an occupant b of t.
        word = next_word(state)
        a = int(((word & _LOW32) * np.uint64(n)) >> np.uint64(32))
        s = slot[a]
        word2 = next_word(state)
        if guided and int((word >> np.uint64(32)) & np.uint64(255)) < guided and start[a] < start[a + 1]:
            degree = start[a + 1] - start[a]
            t = end_slot[start[a] + int(((word >> np.uint64(40)) * np.uint64(degree)) >> np.uint64(24))]
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
        # The change of the price, over the links of a and of b.
        change = np.float32(0.0)
        joined = 0
        for i in range(start[a], start[a + 1]):
            z = end_slot[i]
            change += _price(table, x, y, extra, t, z) - _price(table, x, y, extra, s, z)
            joined += neighbour[i] == b
        if b < n:
            for i in range(start[b], start[b + 1]):
                z = end_slot[i]
                change += _price(table, x, y, extra, s, z) - _price(table, x, y, extra, t, z)
        if joined:
            # A cable between a and b keeps its price, but both loops counted it as if it were inside a rack afterwards.
            across = _price(table, x, y, extra, s, t)
            change += joined * (2 * across - _price(table, x, y, extra, t, t) - _price(table, x, y, extra, s, s))
        if change > thresholds[word2 >> np.uint64(52)] * temperature:
            continue
        # Accepted: exchange a and b.
        seat_a, seat_b = seat[a], seat[b]
        occupant[seat_a], occupant[seat_b] = b, a
        seat[a], seat[b] = seat_b, seat_a
        slot[a], slot[b] = t, s
        for i in range(start[a], start[a + 1]):
            end_slot[back[i]] = t
        if b < n:
            for i in range(start[b], start[b + 1]):
                end_slot[back[i]] = s
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
    end_slot: np.ndarray,
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
    """`moves` tries to move a rack with its contents to an empty slot of the same kind.

    used, closed: int32 lists of the slots with and without a rack, changed in place. kind int32[slots]: slots of one kind have
    equal limits. The other arrays are described above. Returns (the change of the price, racks moved).
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
                    z = end_slot[e]
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
                    end_slot[back[e]] = t
        for k in range(loads.shape[1]):
            free_of_s = room[s, k]
            room[s, k] = room[t, k]
            room[t, k] = free_of_s
        used[i], closed[j] = t, s
        total += float(change)
        made += 1
    return total, made
