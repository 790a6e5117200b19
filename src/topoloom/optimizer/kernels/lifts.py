"""Voltage lifts under annealing: the hops of all pairs from one source a class, and 2-opt moves on whole orbits.

A lift has b classes of g switches, one for each element of a group; switch x of class a is number a * g + x. A dart is a
slot of a class: `head` c and `voltage` s say that every switch x of class a is linked to switch x s of class c. `back` is
the dart that is the same link seen from c (voltage s^-1), as class * K + slot; a dart that is its own back (c = a, s s = 1)
is one link a switch by itself. Multiplying from the left maps the graph onto itself and class onto class transitively, so
hops from one switch of each class are all there are.
"""

from typing import NamedTuple

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel, stage
from topoloom.core.random_streams.kernels import next_below, next_word, shuffle
from topoloom.graph.kernels.simd import WORDS, add, either, load, ones_of, same, store, total, zeros

#: What a hop beyond the target diameter costs more than any other.
WEIGHT = 4
#: Of 16 moves so many change the voltage of one link; of 8 of these one parts it in two, if it can.
_TURNS = 4
#: Darts that one move sets, at most.
_MOST_SET = 4
#: Draws for the voltage of a link of a random lift, and rounds of pairing, until they are given up.
_VOLTAGES, _PAIRINGS = 32, 200
#: Share of the bits set from which testing rows for fullness pays.
_DENSE = 0.5


class Lift(NamedTuple):
    """A lift running; all arrays but the group's are changed in place.

    times : int32[g, g]
        times[s, x] = x s; element 0 is the neutral one.
    inverse : int32[g]
    involutions : int32[i]
        The elements that are their own inverse, but for the neutral one.
    degree : int32[b]
        Darts of each class.
    head, voltage, back : int32[b * K]
        The darts; -1: none.
    table : int32[b * g, K]
        The neighbours of every switch; slots beyond its degree hold the switch itself.
    """

    times: np.ndarray
    inverse: np.ndarray
    involutions: np.ndarray
    degree: np.ndarray
    head: np.ndarray
    voltage: np.ndarray
    back: np.ndarray
    table: np.ndarray


@kernel
def orbit_hops(
    table: np.ndarray, order: int, target: int, limit: int, reach: np.ndarray, ahead: np.ndarray
) -> tuple[int, int, int, int, int]:
    """Hops from switches 0, order, 2 order, ... to all: (cost, pairs not connected, diameter, pairs so far apart, hops).

    The cost of a pair d hops apart is d, and `WEIGHT` more for each hop beyond `target`; of one not connected, that of n
    hops; `hops` is their sum over connected pairs. Stops with the cost so far once that exceeds `limit`. reach, ahead:
    unsigned[8 n], scratch; their type says how many sources are followed at a time.
    """
    n, degree = table.shape
    bits = 8 * reach.itemsize
    cost = lost = diameter = farthest = hops = 0
    for first in range(0, n // order, WORDS * bits):
        sources = min(WORDS * bits, n // order - first)
        reach[:] = 0
        ahead[:WORDS] = 0
        for j in range(sources):
            source = (first + j) * order
            word, bit = j // bits, reach.dtype.type(1) << reach.dtype.type(j % bits)
            ahead[word] |= bit
            reach[source * WORDS + word] |= bit
            for slot in range(degree):
                reach[np.int64(table[source, slot]) * WORDS + word] |= bit
        full = load(ahead, 0)
        count = zeros(reach)
        for i in range(n):
            count = add(count, ones_of(load(reach, i * WORDS)))
        pairs, before, seen, rounds = sources * n, sources, total(count), 1
        hops += pairs - sources
        cost += (pairs - sources) * (1 + WEIGHT if target < 1 else 1)
        while seen < pairs and seen > before:
            # Every pair not yet seen is one hop more apart, at least.
            hops += pairs - seen
            cost += (pairs - seen) * (1 + WEIGHT if rounds >= target else 1)
            if cost > limit:
                return cost, lost, diameter, farthest, hops
            before = seen
            seen = _pull(table, reach, ahead, full, seen > _DENSE * pairs)
            rounds += 1
            reach, ahead = ahead, reach
        if seen < pairs:
            lost += pairs - seen
            hops -= (pairs - seen) * rounds
            cost += (pairs - seen) * (n - rounds) * (1 + WEIGHT)
            rounds -= 1  # the last one reached nothing new
        if rounds > diameter:
            diameter, farthest = rounds, 0
        if rounds == diameter:
            farthest += seen - before
    return cost, lost, diameter, farthest, hops


@inner
def _pull(table: np.ndarray, reach: np.ndarray, ahead: np.ndarray, full: np.ndarray, dense: bool) -> int:
    """One round: every row takes its neighbours' bits; how many bits are set after it."""
    n, degree = table.shape
    count = zeros(reach)
    slots = np.uint64(degree)
    for i in range(n):
        row = load(reach, i * WORDS)
        if dense:
            slot = np.uint64(0)
            while slot < slots and not same(row, full):
                row = either(row, load(reach, np.int64(table[i, slot]) * WORDS))
                if slot + np.uint64(1) < slots:
                    row = either(row, load(reach, np.int64(table[i, slot + np.uint64(1)]) * WORDS))
                slot += np.uint64(2)
        else:
            for k in range(slots):
                row = either(row, load(reach, np.int64(table[i, k]) * WORDS))
        store(ahead, i * WORDS, row)
        count = add(count, ones_of(row))
    ones: int = total(count)
    return ones


@stage
def _set(lift: Lift, undo: np.ndarray, dart: int, head: int, voltage: int, back: int) -> None:
    """Give a dart new values; `undo`, int32[5, 4], keeps the old ones: undo[0, 0] says how many."""
    undo[0, 0] += 1
    row = undo[undo[0, 0]]
    row[0], row[1], row[2], row[3] = dart, lift.head[dart], lift.voltage[dart], lift.back[dart]
    lift.head[dart], lift.voltage[dart], lift.back[dart] = head, voltage, back


@stage
def _join(lift: Lift, undo: np.ndarray, here: int, there: int, voltage: int) -> None:
    """A link of darts `here` and `there`."""
    degree = lift.table.shape[1]
    _set(lift, undo, here, there // degree, voltage, there)
    _set(lift, undo, there, here // degree, lift.inverse[voltage], here)


@stage
def _close(lift: Lift, undo: np.ndarray, dart: int, state: np.ndarray) -> None:
    """A link of one dart by itself, over a random involution."""
    voltage = lift.involutions[next_below(state, lift.involutions.size)]
    _set(lift, undo, dart, dart // lift.table.shape[1], voltage, dart)


@inner
def _valid(lift: Lift, undo: np.ndarray) -> bool:
    """Whether the darts that were set make no loop and no doubled link."""
    degree = lift.table.shape[1]
    for k in range(1, undo[0, 0] + 1):
        dart = undo[k, 0]
        own = dart // degree
        head, voltage = lift.head[dart], lift.voltage[dart]
        if head == own and voltage == 0:
            return False
        for other in range(own * degree, own * degree + lift.degree[own]):
            if other != dart and lift.head[other] == head and lift.voltage[other] == voltage:
                return False
    return True


@inner
def take_back(lift: Lift, undo: np.ndarray) -> None:
    """The darts as they were, the last that was set first."""
    for k in range(undo[0, 0], 0, -1):
        dart = undo[k, 0]
        lift.head[dart], lift.voltage[dart], lift.back[dart] = undo[k, 1], undo[k, 2], undo[k, 3]


@kernel
def spread(lift: Lift, undo: np.ndarray) -> None:
    """Bring the table in step with the darts that were set."""
    order, degree = lift.inverse.size, lift.table.shape[1]
    for k in range(1, undo[0, 0] + 1):
        dart = undo[k, 0]
        own, slot = dart // degree, dart % degree
        begin = lift.head[dart] * order
        times = lift.times[lift.voltage[dart]]
        for x in range(order):
            lift.table[own * order + x, slot] = begin + times[x]


@inner
def propose(lift: Lift, undo: np.ndarray, state: np.ndarray) -> bool:
    """A random move of the darts, not yet of the table; False, and nothing moved, when the draw is none.

    Most are 2-opt moves on orbits: links a - b over s and c - d over t become a - c over a random h and b - d over
    s^-1 h t, or, of a link by itself at a, a - c and a link by itself at d. The others give one link another voltage,
    or part it into two links by themselves.
    """
    order, degree = lift.inverse.size, lift.table.shape[1]
    undo[0, 0] = 0
    a = next_below(state, lift.degree.size)
    first = a * degree + next_below(state, lift.degree[a])
    first_back = lift.back[first]
    single = lift.involutions.size > 0
    if order > 1 and next_below(state, 16) < _TURNS:
        if first_back == first:
            _close(lift, undo, first, state)
        elif single and next_below(state, 8) == 0:
            _close(lift, undo, first, state)
            _close(lift, undo, first_back, state)
        else:
            _join(lift, undo, first, first_back, next_below(state, order))
    else:
        c = next_below(state, lift.degree.size)
        second = c * degree + next_below(state, lift.degree[c])
        second_back = lift.back[second]
        if second == first or second == first_back:
            return False
        h = next_below(state, order)
        if first_back == first:
            _join(lift, undo, first, second, h)
            if second_back != second:
                _close(lift, undo, second_back, state)
        elif second_back == second:
            _join(lift, undo, first, second, h)
            _close(lift, undo, first_back, state)
        else:
            across = lift.times[lift.voltage[second], lift.times[h, lift.inverse[lift.voltage[first]]]]
            _join(lift, undo, first, second, h)
            _join(lift, undo, first_back, second_back, across)
    if _valid(lift, undo):
        return True
    take_back(lift, undo)
    return False


@allocating
def random_lift(lift: Lift, state: np.ndarray) -> bool:
    """Pair all darts at random, with random voltages; False when no simple graph was found."""
    classes, degree = lift.degree.size, lift.table.shape[1]
    undo = np.zeros((_MOST_SET + 1, 4), np.int32)
    darts = np.empty(lift.degree.sum(), np.int64)
    for _ in range(_PAIRINGS):
        lift.head[:] = -1
        lift.voltage[:] = 0
        lift.back[:] = -1
        count = 0
        for a in range(classes):
            for slot in range(lift.degree[a]):
                darts[count] = a * degree + slot
                count += 1
            for x in range(lift.inverse.size):
                lift.table[a * lift.inverse.size + x, :] = a * lift.inverse.size + x
        shuffle(state, darts)
        paired = True
        while count > 0 and paired:
            paired = False
            for trial in range(2 * _VOLTAGES):
                undo[0, 0] = 0
                if count > 1 and trial < _VOLTAGES:
                    _join(lift, undo, darts[count - 1], darts[count - 2], next_below(state, lift.inverse.size))
                elif lift.involutions.size > 0:
                    _close(lift, undo, darts[count - 1], state)
                else:
                    break
                if _valid(lift, undo):
                    spread(lift, undo)
                    count -= undo[0, 0]
                    paired = True
                    break
                take_back(lift, undo)
        if paired:
            return True
    return False


@allocating
def anneal_lift(
    lift: Lift,
    target: int,
    totals: np.ndarray,
    best: np.ndarray,
    state: np.ndarray,
    thresholds: np.ndarray,
    temperature: float,
    moves: int,
    reach: np.ndarray,
    ahead: np.ndarray,
) -> int:
    """Try `moves` moves at one temperature; how many were accepted.

    totals: int64[5], the cost of the lift (`orbit_hops`), and of the best so far pairs not connected, diameter, pairs so
    far apart, and hops; the best is that of the lowest (not connected, diameter, hops). best: int32[2, b * K], its head and
    voltage. thresholds: float32[4096]; temperature times a random one is what a move may cost, drawn first, so that hops
    that exceed it need not be counted to the end.
    """
    order = lift.inverse.size
    undo = np.zeros((_MOST_SET + 1, 4), np.int32)
    accepted = 0
    for _ in range(moves):
        if not propose(lift, undo, state):
            continue
        spread(lift, undo)
        limit = totals[0] + np.int64(thresholds[next_word(state) & np.uint64(4095)] * temperature)
        cost, lost, diameter, farthest, hops = orbit_hops(lift.table, order, target, limit, reach, ahead)
        if cost > limit:
            take_back(lift, undo)
            spread(lift, undo)
            continue
        accepted += 1
        totals[0] = cost
        if (lost, diameter, hops) < (totals[1], totals[2], totals[4]):
            totals[1], totals[2], totals[3], totals[4] = lost, diameter, farthest, hops
            best[0, :] = lift.head
            best[1, :] = lift.voltage
    return accepted
