"""Disjoint rings through all switches: the cycles of several permutations are merged by exchanges, with annealing.

A permutation gives each switch the channel to its successor, and no channel belongs to two permutations. Whatever is exchanged,
both stay true; only the number of cycles changes, and a permutation with one cycle is a ring through all switches.
"""

from typing import NamedTuple

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel
from topoloom.core.random_streams.kernels import next_below, next_word

#: The most channels that one exchange with free channels replaces.
_LONGEST = 30


class Permutations(NamedTuple):
    """k permutations of n switches.

    Attributes
    ----------
    first, to : int64[n + 1], int64[a]
        The channels that leave each switch, and their ends.
    free : int64[a]
        How often each channel can still be used.
    out, into : int64[k, n]
        The channel from each switch to its successor, and its predecessor.
    tails, before : int64[n]
        The switches of an exchange, and their channels before it.
    stamp, seen : int64[n], bool[n]
        Marks.
    """

    first: np.ndarray
    to: np.ndarray
    free: np.ndarray
    out: np.ndarray
    into: np.ndarray
    tails: np.ndarray
    before: np.ndarray
    stamp: np.ndarray
    seen: np.ndarray


@inner
def cycles(p: Permutations, chosen: int) -> int:
    """Return the number of cycles of a permutation."""
    p.seen[:] = False
    count = 0
    for start in range(p.seen.size):
        if not p.seen[start]:
            count += 1
            at = start
            while not p.seen[at]:
                p.seen[at] = True
                at = p.to[p.out[chosen, at]]
    return count


@inner
def _swap(p: Permutations, chosen: int, other: int, start: int) -> int:
    """Swap the channels of two permutations at a switch and wherever else this requires it; return the number of switches."""
    count, at = 0, start
    while count == 0 or at != start:
        p.tails[count] = at
        count += 1
        at = p.into[other, p.to[p.out[chosen, at]]]
    _swap_listed(p, chosen, other, count)
    return count


@inner
def _swap_listed(p: Permutations, chosen: int, other: int, count: int) -> None:
    """Swap the channels of two permutations at the listed switches."""
    for place in range(count):
        at = p.tails[place]
        channel = p.out[chosen, at]
        p.out[chosen, at] = p.out[other, at]
        p.out[other, at] = channel


@inner
def _reroute(p: Permutations, chosen: int, start: int, mark: int, state: np.ndarray) -> int:
    """Replace channels of a permutation by free ones, from a switch on until all have a predecessor; 0 if this failed."""
    goal = p.to[p.out[chosen, start]]
    count, at = 0, start
    while count < min(p.seen.size, _LONGEST):
        channel = p.first[at] + np.int64(next_below(state, p.first[at + 1] - p.first[at]))
        if count:
            for closing in range(p.first[at], p.first[at + 1]):
                if p.to[closing] == goal and p.free[closing] > 0:
                    channel = closing
        head = p.to[channel]
        if p.free[channel] == 0 or p.stamp[head] == mark:
            break
        p.stamp[head] = mark
        p.tails[count], p.before[count] = at, p.out[chosen, at]
        count += 1
        p.free[p.out[chosen, at]] += 1
        p.free[channel] -= 1
        p.out[chosen, at] = channel
        if head == goal:
            return count
        at = p.into[chosen, head]
    _restore(p, chosen, count)
    return 0


@inner
def _restore(p: Permutations, chosen: int, count: int) -> None:
    """Take back what `_reroute` did."""
    for place in range(count - 1, -1, -1):
        at = p.tails[place]
        p.free[p.out[chosen, at]] += 1
        p.free[p.before[place]] -= 1
        p.out[chosen, at] = p.before[place]


@inner
def _connect(p: Permutations, chosen: int, count: int) -> None:
    """Update the predecessors after an exchange."""
    for place in range(count):
        at = p.tails[place]
        p.into[chosen, p.to[p.out[chosen, at]]] = at


@kernel
def merge_cycles(p: Permutations, counts: np.ndarray, state: np.ndarray, steps: int, temperature: float) -> int:
    """Exchange channels until every permutation is one cycle, or for `steps` visits of switches; return the visits.

    counts: int64[k], filled with the cycles of each permutation. state: uint64[1], of SplitMix64. temperature: the additional
    cycles that an exchange may cost at first; it falls to 0.
    """
    k, n = p.out.shape
    total = 0
    for chosen in range(k):
        counts[chosen] = cycles(p, chosen)
        total += counts[chosen]
    spare = p.free.sum() > 0
    spent, mark = 0, 0
    while total > k and spent < steps:
        mark += 1
        chosen, start = np.int64(next_below(state, k)), np.int64(next_below(state, n))
        other = -1
        if k == 1 or (spare and next_word(state) & np.uint64(1)):
            count = _reroute(p, chosen, start, mark, state) if spare else 0
            spent += 4
            if count == 0:
                if not spare:
                    return spent
                continue
        else:
            other = np.int64(next_below(state, k - 1))
            other += other >= chosen
            count = _swap(p, chosen, other, start)
            spent += count
        after = cycles(p, chosen)
        change = after - counts[chosen]
        after_other = 0
        if other >= 0:
            after_other = cycles(p, other)
            change += after_other - counts[other]
        spent += n if other < 0 else 2 * n
        draw = float(next_word(state) >> np.uint64(11)) * 2.0**-53
        heat = temperature * (1.0 - spent / steps)
        if change <= 0 or (heat > 0.0 and draw < np.exp(-change / heat)):
            total += change
            counts[chosen] = after
            _connect(p, chosen, count)
            if other >= 0:
                counts[other] = after_other
                _connect(p, other, count)
        elif other < 0:
            _restore(p, chosen, count)
        else:
            _swap_listed(p, chosen, other, count)
    return spent
