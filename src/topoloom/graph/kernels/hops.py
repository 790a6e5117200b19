"""All-pairs breadth-first search, 512 sources at a time: a row of 512 bits per switch holds the sources that reached it.

A round computes ``ahead[i] = reach[i] | OR of reach[neighbours of i]`` and counts the bits. A row is one vector register
(`simd.py`); both buffers of rows stay in the L2 cache up to about 16,000 switches. Four things save time:

* the first round is scattered: each source sets its bit at its neighbours;
* distances are symmetric, so a block counts only the rows of its own and of later switches, the later ones twice; its last
  round, which only the count needs, skips the other rows;
* when most bits are set, a row is finished as soon as it is full, usually after a few neighbours;
* subscripts are unsigned, because Numba tests signed ones for negative values.

The cost of a round is about n + 2 m row operations; memory is 128 bytes per switch and thread.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel, stage
from topoloom.graph.kernels.simd import WORDS, add, either, load, lowest_bit, ones_of, same, store, total, zeros

#: Sources in a block: the bits of a row.
BLOCK = 512
#: Least share of bits set, and least mean degree, for which testing rows for fullness is worthwhile. Measured: saves 5% at
#: degree 12 and 16, nothing on tori and hypercubes, and costs 17% at degree 4.
_DENSE = 0.95
_DENSE_DEGREE = 8


@allocating
def block_counts(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    degree: int,
    weight: np.ndarray,
    group_ends: np.ndarray,
    first: int,
    end: int,
    reach: np.ndarray,
    ahead: np.ndarray,
    full: np.ndarray,
    counts: np.ndarray,
) -> int:
    """Add the weighted pairs at each distance from sources first .. end - 1 to `counts`; return the number of rounds, or -1.

    offsets: int64[n + 1], neighbours: int32[2 m] (CSR); degree: the degree of every switch, or 0 if degrees differ.
    weight: int64[n], constant on the groups of switches that end before group_ends: int64[g]; switches after the last group are
    not counted; all sources are in one group. reach, ahead: uint64[8 n], full: uint64[8], scratch. counts: int64[limit + 1].

    Pairs are ordered; their weight is the product of their switches' weights. A pair of a source and a later switch is counted
    here in both orders, a pair with an earlier switch not at all. Returns -1 if `limit` rounds were not enough; counts are then
    unchanged.
    """
    n, limit, counted = offsets.size - 1, counts.size - 1, group_ends[-1]
    sources, own = end - first, weight[first]
    wanted = sources * (counted - first)
    within = np.zeros(limit + 1, np.int64)  # within[k]: the weight of the pairs at distance k or less
    _seed(offsets, neighbours, first, end, reach, full)
    within[0] = own * sources
    done, within[1] = _weighed(reach, weight, group_ends, first, end)
    seen = done + _ones(reach, 0, first) + _ones(reach, counted, n)
    rounds = 1
    while done < wanted:
        if rounds == limit:
            return -1
        dense = seen > _DENSE * sources * n and neighbours.size >= _DENSE_DEGREE * n
        done = _pull(offsets, neighbours, degree, first, end, reach, ahead, full, dense)
        rounds += 1
        within[rounds] = own * done
        start = end
        for stop in group_ends:
            if stop > start:
                bits = _pull(offsets, neighbours, degree, start, stop, reach, ahead, full, dense)
                within[rounds] += 2 * weight[start] * bits
                done += bits
                start = stop
        if done == wanted:
            break
        bits = done + _pull(offsets, neighbours, degree, 0, first, reach, ahead, full, dense)
        bits += _pull(offsets, neighbours, degree, counted, n, reach, ahead, full, dense)
        if bits == seen:  # nothing new: the remaining switches are in other components
            break
        seen = bits
        reach, ahead = ahead, reach
    counts[0] += own * within[0]
    for level in range(1, rounds + 1):
        counts[level] += own * (within[level] - within[level - 1])
    return rounds


@allocating
def block_farthest(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    first: int,
    end: int,
    reach: np.ndarray,
    ahead: np.ndarray,
    full: np.ndarray,
    farthest: np.ndarray,
    limit: int,
) -> int:
    """Raise farthest[i] to the distance of the farthest source first .. end - 1 that reaches i; return the rounds, or -1.

    Arrays as in `block_counts`; farthest: int32[n]; -1 means that `limit` rounds were not enough, and farthest is incomplete.
    """
    _seed(offsets, neighbours, first, end, reach, full)
    n = offsets.size - 1
    everything = load(full, 0)
    for i in range(n):
        itself = 1 if first <= i < end else 0
        if total(ones_of(load(reach, i * WORDS))) > itself:
            farthest[i] = max(farthest[i], 1)
    rounds, changed = 1, True
    while changed:
        changed = False
        if rounds == limit:
            return -1
        rounds += 1
        for i in range(n):
            old = load(reach, i * WORDS)
            row = old
            if not same(old, everything):
                row = _collected(offsets, neighbours, i, reach, old)
                if not same(row, old):
                    changed = True
                    farthest[i] = max(farthest[i], rounds)
            store(ahead, i * WORDS, row)
        reach, ahead = ahead, reach
    return rounds


@allocating
def block_distances(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    first: int,
    end: int,
    reach: np.ndarray,
    ahead: np.ndarray,
    full: np.ndarray,
    distances: np.ndarray,
) -> None:
    """Write the hops between every switch and the sources first .. end - 1 into distances[:, first:end].

    Arrays as in `block_counts`; distances: integers[n, n]; pairs without a path are not written.
    """
    _seed(offsets, neighbours, first, end, reach, full)
    n = offsets.size - 1
    everything = load(full, 0)
    for i in range(n):
        for word in range(WORDS):
            _write(reach[i * WORDS + word], distances[i], first + 64 * word, 1)
    for source in range(first, end):
        distances[source, source] = 0
    rounds, changed = 1, True
    while changed:
        changed = False
        rounds += 1
        for i in range(n):
            old = load(reach, i * WORDS)
            row = old
            if not same(old, everything):
                row = _collected(offsets, neighbours, i, reach, old)
            store(ahead, i * WORDS, row)
            if not same(row, old):
                changed = True
                for word in range(WORDS):
                    new = ahead[i * WORDS + word] & ~reach[i * WORDS + word]
                    _write(new, distances[i], first + 64 * word, rounds)
        reach, ahead = ahead, reach


@stage
def _write(bits: np.uint64, row: np.ndarray, start: int, value: int) -> None:
    """row[start + b] = value for every bit b of `bits`."""
    while bits != np.uint64(0):
        row[start + lowest_bit(bits)] = value
        bits &= bits - np.uint64(1)


@kernel
def _seed(
    offsets: np.ndarray, neighbours: np.ndarray, first: int, end: int, reach: np.ndarray, full: np.ndarray
) -> None:
    """Set reach to the sources within one hop of each switch, and `full` to the row of all sources."""
    reach[:] = 0
    full[:] = 0
    for source in range(first, end):
        place = np.uint64(source - first)
        word, bit = place >> np.uint64(6), np.uint64(1) << (place & np.uint64(63))
        full[word] |= bit
        reach[np.uint64(source) * np.uint64(WORDS) + word] |= bit
        for slot in range(np.uint64(offsets[source]), np.uint64(offsets[source + 1])):
            reach[np.uint64(neighbours[slot]) * np.uint64(WORDS) + word] |= bit


@inner
def _ones(reach: np.ndarray, start: int, stop: int) -> int:
    """The number of bits set in the rows start .. stop - 1."""
    bits = zeros(reach)
    for i in range(start, stop):
        bits = add(bits, ones_of(load(reach, i * WORDS)))
    count: int = total(bits)
    return count


@inner
def _weighed(reach: np.ndarray, weight: np.ndarray, group_ends: np.ndarray, first: int, end: int) -> tuple[int, int]:
    """The number of bits in counted rows, and their sum weighted by row; rows of later switches count twice."""
    bits = _ones(reach, first, end)
    weighed = weight[first] * bits
    start = end
    for stop in group_ends:
        if stop > start:
            more = _ones(reach, start, stop)
            bits += more
            weighed += 2 * weight[start] * more
            start = stop
    return bits, weighed


@allocating(inline="always")
def _collected(offsets: np.ndarray, neighbours: np.ndarray, i: int, reach: np.ndarray, row: np.ndarray) -> np.ndarray:
    """`row` (a Row512) with the bits of the rows of i's neighbours."""
    for slot in range(np.uint64(offsets[i]), np.uint64(offsets[i + 1])):
        row = either(row, load(reach, np.int64(neighbours[slot]) * WORDS))
    return row


@allocating
def _pull(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    degree: int,
    start: int,
    stop: int,
    reach: np.ndarray,
    ahead: np.ndarray,
    full: np.ndarray,
    dense: bool,
) -> int:
    """Run one round on the rows start .. stop - 1, from reach to ahead; return the number of bits set after it.

    The three loops compute the same: for rows that fill early, for equal degrees (7% faster than CSR) and for any degrees.
    """
    bits = zeros(reach)
    if dense:
        everything = load(full, 0)
        for i in range(start, stop):
            row = load(reach, i * WORDS)
            slot, last = np.uint64(offsets[i]), np.uint64(offsets[i + 1])
            while slot < last and not same(row, everything):
                row = either(row, load(reach, np.int64(neighbours[slot]) * WORDS))
                if slot + np.uint64(1) < last:
                    row = either(row, load(reach, np.int64(neighbours[slot + np.uint64(1)]) * WORDS))
                slot += np.uint64(2)
            store(ahead, i * WORDS, row)
            bits = add(bits, ones_of(row))
    elif degree > 0:
        slot, links = np.uint64(start) * np.uint64(degree), np.uint64(degree)
        for i in range(start, stop):
            row = load(reach, i * WORDS)
            for k in range(links):
                row = either(row, load(reach, np.int64(neighbours[slot + k]) * WORDS))
            slot += links
            store(ahead, i * WORDS, row)
            bits = add(bits, ones_of(row))
    else:
        for i in range(start, stop):
            row = _collected(offsets, neighbours, i, reach, load(reach, i * WORDS))
            store(ahead, i * WORDS, row)
            bits = add(bits, ones_of(row))
    count: int = total(bits)
    return count
