"""Annealing of voltage lifts: the hops of all pairs from one source per class, and 2-opt moves on whole orbits.

A lift has b classes of g switches, one for each element of a group; switch x of class a is number a * g + x. A dart is a slot
of a class: with `head` c and `voltage` s, every switch x of class a is linked to switch x s of class c. `back` is the dart of
the same link at c (voltage s^-1), as class * K + slot. A dart that is its own back (c = a, s s = 1) is one link per switch.
Multiplication from the left maps the graph onto itself and acts transitively on each class, so the hops from one switch of each
class determine all others.
"""

from typing import NamedTuple

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel, stage
from topoloom.core.random_streams.kernels import next_below, next_word, shuffle
from topoloom.graph.kernels.simd import WORDS, add, either, load, ones_of, same, store, total, zeros

#: Additional cost of a hop beyond the target diameter.
WEIGHT = 4
#: Of 16 moves, this many change the voltage of one link; one in 8 of these splits it into two links, if possible.
_TURNS = 4
#: Most darts that one move sets.
_MOST_SET = 4
#: Most draws for the voltage of a link of a random lift, and most rounds of pairing.
_VOLTAGES, _PAIRINGS = 32, 200
#: Least share of bits set for which testing rows for fullness is worthwhile.
_DENSE = 0.5


class Lift(NamedTuple):
    """The current lift; all arrays except the group's change in place.

    times : int32[g, g]
        times[s, x] = x s; element 0 is the neutral one.
    inverse : int32[g]
    involutions : int32[i]
        The elements that are their own inverse, except the neutral one.
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
    """Hops from switches 0, order, 2 order, ... to all: return (cost, pairs without path, diameter, pairs at the diameter,
    hops).

    The cost of a pair at distance d is d, plus `WEIGHT` for each hop beyond `target`; a pair without a path costs as n hops.
    `hops` is the sum over connected pairs. Stops with the cost so far once it exceeds `limit`. reach, ahead: unsigned[8 n],
    scratch; their type determines the number of sources per search.
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
            # Every pair that is not reached yet has at least one hop more.
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
    """Run one round: every row gets its neighbours' bits; return the number of bits set after it."""
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
    """Give a dart new values; `undo`, int32[5, 4], records the old ones; undo[0, 0] is their number."""
    undo[0, 0] += 1
    row = undo[undo[0, 0]]
    row[0], row[1], row[2], row[3] = dart, lift.head[dart], lift.voltage[dart], lift.back[dart]
    lift.head[dart], lift.voltage[dart], lift.back[dart] = head, voltage, back


@stage
def _join(lift: Lift, undo: np.ndarray, dart: int, back: int, voltage: int) -> None:
    """Make a link of darts `here` and `there`."""
    degree = lift.table.shape[1]
    _set(lift, undo, dart, back // degree, voltage, back)
    _set(lift, undo, back, dart // degree, lift.inverse[voltage], dart)


@stage
def _close(lift: Lift, undo: np.ndarray, dart: int, state: np.ndarray) -> None:
    """Make a link of a single dart, over a random involution."""
    voltage = lift.involutions[next_below(state, lift.involutions.size)]
    _set(lift, undo, dart, dart // lift.table.shape[1], voltage, dart)


@inner
def _valid(lift: Lift, undo: np.ndarray) -> bool:
    """Whether the changed darts make no loop and no parallel link."""
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
    """Restore the darts, in reverse order of the changes."""
    for k in range(undo[0, 0], 0, -1):
        dart = undo[k, 0]
        lift.head[dart], lift.voltage[dart], lift.back[dart] = undo[k, 1], undo[k, 2], undo[k, 3]


@kernel
def spread(lift: Lift, undo: np.ndarray) -> None:
    """Update the table for the changed darts."""
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
    """Make a random move of the darts (not yet of the table); return False, without a change, if the draw is not valid.

    Most are 2-opt moves on orbits: links a - b over s and c - d over t become a - c over a random h and b - d over
    s^-1 h t, or, if the first is a single-dart link at a, a - c and a single-dart link at d. The others give one link another
    voltage, or split it into two single-dart links.
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
    """Pair all darts at random, with random voltages; return False if no simple graph was found."""
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
    """Try `moves` moves at one temperature; return how many were accepted.

    totals: int64[5], the cost of the lift (`orbit_hops`), and of the best so far: pairs without path, diameter, pairs at the
    diameter, and hops; the best has the lowest (pairs without path, diameter, hops). best: int32[2, b * K], head and voltage of
    the best. thresholds: float32[4096]; a move may add temperature times a random threshold to the cost, drawn first, so that
    counting stops as soon as the cost exceeds it.
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
