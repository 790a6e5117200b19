"""Bit-parallel search over rows of bits, one per switch, which hold the origins that reached it; from all or chosen origins.

The rows of the first two hops are updated with the moves, so a full evaluation begins with the third hop.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel, stage
from topoloom.graph.kernels.simd import WORDS, add, either, load, ones_of, same, store, total, zeros
from topoloom.optimizer.kernels.hop_state import FARTHEST, Hops, Rows

#: Values for arguments: Numba would compile a kernel again for a literal.
ZERO, NO = np.int64(0), np.bool_(False)
#: Least share of bits set, and least degree, for which testing rows for fullness is worthwhile.
_DENSE, _DENSE_DEGREE = 0.95, 8


@allocating(inline="always")
def collected(table: np.ndarray, i: int, rows: np.ndarray) -> np.ndarray:
    """The row of i combined with those of its neighbours; two at a time, because K is even."""
    row = load(rows, i * WORDS)
    k, degree = np.uint64(0), np.uint64(table.shape[1])
    while k < degree:
        row = either(row, load(rows, np.int64(table[i, k]) * WORDS))
        row = either(row, load(rows, np.int64(table[i, k + np.uint64(1)]) * WORDS))
        k += np.uint64(2)
    return row


@inner
def pull(table: np.ndarray, start: int, stop: int, reach: np.ndarray, ahead: np.ndarray, dense: bool) -> int:
    """Run one round on the rows start .. stop - 1, from reach to ahead; return the number of bits set after it.

    dense: a row is finished as soon as it is full.
    """
    bits = zeros(reach)
    if dense:
        everything = load(reach, table.shape[0] * WORDS)
        degree = np.uint64(table.shape[1])
        for i in range(np.uint64(start), np.uint64(stop)):
            row = load(reach, np.int64(i) * WORDS)
            k = np.uint64(0)
            while k < degree and not same(row, everything):
                row = either(row, load(reach, np.int64(table[i, k]) * WORDS))
                row = either(row, load(reach, np.int64(table[i, k + np.uint64(1)]) * WORDS))
                k += np.uint64(2)
            store(ahead, np.int64(i) * WORDS, row)
            bits = add(bits, ones_of(row))
    else:
        for i in range(np.uint64(start), np.uint64(stop)):
            row = collected(table, i, reach)
            store(ahead, np.int64(i) * WORDS, row)
            bits = add(bits, ones_of(row))
    count: int = total(bits)
    return count


@stage
def _put(rows: np.ndarray, i: int, place: int) -> None:
    """Set bit `place` of row i."""
    size = rows.itemsize * 8
    rows[i * WORDS + place // size] |= np.uint64(1) << np.uint64(place % size)


@inner
def fill(rows: np.ndarray, n: int, sources: int) -> None:
    """Set the row of all sources, which follows those of the switches."""
    rows[n * WORDS : (n + 1) * WORDS] = 0
    for place in range(sources):
        _put(rows, n, place)


@inner
def _enter_first(table: np.ndarray, number: np.ndarray, first: np.ndarray, i: int) -> int:
    """Compute switch i's rows of the first hop; return the number of bits set in them."""
    size = 8 * first.itemsize
    at = i * WORDS
    count = 0
    for b in range(first.shape[0]):
        for word in range(WORDS):
            first[b, at + word] = 0
    for k in range(-1, table.shape[1]):
        v = np.int64(number[i] if k < 0 else number[table[i, k]])
        if v < 0:
            continue
        word, bit = v // size, np.uint64(1) << np.uint64(v % size)
        b, word = word // WORDS, at + word % WORDS
        if not first[b, word] & bit:
            first[b, word] |= bit
            count += 1
    return count


@kernel
def enter_all(table: np.ndarray, hops: Hops, rows: Rows) -> None:
    """Compute all rows of the first two hops, and their counts."""
    hops.totals[4] = hops.totals[5] = 0
    for i in range(table.shape[0]):
        rows.distinct[i] = _enter_first(table, hops.number, rows.first, i)
        hops.totals[4] += rows.distinct[i]
    for b in range(rows.first.shape[0]):
        hops.totals[5] += pull(table, ZERO, table.shape[0], rows.first[b], rows.second[b], NO)


@inner
def enter_move(table: np.ndarray, hops: Hops, rows: Rows, ends: int) -> int:
    """Update the rows of the first two hops for a move that was made; return how many rows were saved for `restore`."""
    first, totals, changed, marked = rows.first, hops.totals, rows.changed, hops.marked
    totals[6], totals[7] = totals[4], totals[5]
    for e in range(ends):
        v = hops.ends[e]
        # The degree does not change, so the count changes only with parallel links or with origins.
        totals[4] -= rows.distinct[v]
        rows.distinct[v] = _enter_first(table, hops.number, first, v)
        totals[4] += rows.distinct[v]
    count = 0
    for e in range(ends):
        for k in range(-1, table.shape[1]):
            i = hops.ends[e] if k < 0 else np.int64(table[hops.ends[e], k])
            if not marked[i]:
                marked[i] = True
                changed[count] = i
                count += 1
    more, fewer = zeros(first), zeros(first)
    for b in range(first.shape[0]):
        one_hop, second, saved = first[b], rows.second[b], rows.saved[b]
        for c in range(count):
            i = np.int64(changed[c])
            old = load(second, i * WORDS)
            store(saved, c * WORDS, old)
            row = collected(table, i, one_hop)
            store(second, i * WORDS, row)
            fewer = add(fewer, ones_of(old))
            more = add(more, ones_of(row))
    for c in range(count):
        marked[changed[c]] = False
    totals[5] += total(more) - total(fewer)
    return count


@inner
def restore(table: np.ndarray, hops: Hops, rows: Rows, ends: int, changed: int) -> None:
    """Undo `enter_move`, after the move itself was undone."""
    for e in range(ends):
        rows.distinct[hops.ends[e]] = _enter_first(table, hops.number, rows.first, hops.ends[e])
    for b in range(rows.first.shape[0]):
        second, saved = rows.second[b], rows.saved[b]
        for c in range(changed):
            store(second, np.int64(rows.changed[c]) * WORDS, load(saved, c * WORDS))
    hops.totals[4], hops.totals[5] = hops.totals[6], hops.totals[7]


@kernel
def evaluate(table: np.ndarray, hops: Hops, rows: Rows, target: int, weight: int, most: int):  # type: ignore[no-untyped-def]
    """Return hops, hops beyond the target and diameter of a graph, int64 each; diameter -1 once the cost exceeds `most`.

    Pairs without a path count n hops; then the diameter is n. Cost: about (diameter - 2) rounds of n (K + 1) row operations per
    block.
    """
    n = table.shape[0]
    count = hops.origins.size
    pairs = np.int64(count) * np.int64(n)
    walked, beyond, farthest = pairs - count, np.int64(0), np.int64(0)
    if target < 1:
        beyond += pairs - count
    for k in range(1, 3):
        left = pairs - hops.totals[3 + k]
        farthest += 1
        if left == 0:
            return walked, beyond, farthest
        walked += left
        if target <= k:
            beyond += left
    if walked + weight * beyond > most:
        return walked, beyond, np.int64(-1)
    size = 64 * rows.first.itemsize
    dense = table.shape[1] >= _DENSE_DEGREE
    for b in range(rows.first.shape[0]):
        # If every switch is an origin, a block skips pairs with earlier blocks and counts pairs with later ones twice.
        begin, end = b * size, min((b + 1) * size, count)
        m = np.int64(end - begin)
        if count < n:
            begin, end = 0, n
        own_pairs = m * np.int64(end - begin)
        wanted = own_pairs + 2 * m * (n - end)
        source, spare = rows.second[b], rows.ahead
        fill(rows.reach, n, m)
        fill(rows.ahead, n, m)
        k = 2
        seen = np.int64(-1)
        while True:
            # The first round reads the stored rows; later rounds alternate between the two scratch rows.
            crowded = dense and seen > _DENSE * m * n
            own = pull(table, begin, end, source, spare, crowded)
            later = pull(table, end, n, source, spare, crowded)
            k += 1
            left = wanted - own - 2 * later
            if left == 0:
                break
            walked += left
            if k >= target:
                beyond += left
            if walked + weight * beyond > most:
                return walked, beyond, np.int64(-1)
            bits = own + later + pull(table, ZERO, begin, source, spare, crowded)
            if bits == seen:
                walked += left * (n - 1 - k)
                beyond += left * max(0, n - 1 - max(k, target - 1))
                k = n
                break
            seen = bits
            source = spare
            spare = rows.reach if k % 2 else rows.ahead
        farthest = max(farthest, np.int64(k))
    return walked, beyond, farthest


@inner
def seed(table: np.ndarray, starts: np.ndarray, reach: np.ndarray, ahead: np.ndarray) -> int:
    """Compute bit rows of the first hop from as many switches as a row has bits; return the number of bits set."""
    n, degree = table.shape
    reach[:] = 0
    fill(reach, n, starts.size)
    fill(ahead, n, starts.size)
    size = reach.itemsize * 8
    seen = np.int64(0)
    for place in range(starts.size):
        s = np.int64(starts[place])
        word, bit = place // size, np.uint64(1) << np.uint64(place % size)
        for k in range(-1, degree):
            at = (s if k < 0 else np.int64(table[s, k])) * WORDS + word
            if not reach[at] & bit:
                reach[at] |= bit
                seen += 1
    return seen


@inner
def _search(table: np.ndarray, starts: np.ndarray, rows: np.ndarray, target: int, weight: int, most: int):  # type: ignore[no-untyped-def]
    """Return hops, and hops beyond the target, from as many switches as a row has bits; hops -1 once the cost exceeds
    `most`.
    """
    n = table.shape[0]
    reach, ahead = rows[0], rows[1]
    wanted = np.int64(starts.size) * n
    seen = seed(table, starts, reach, ahead)
    hops = wanted - np.int64(starts.size)
    beyond = hops if target < 1 else np.int64(0)
    dense = table.shape[1] >= _DENSE_DEGREE
    k = 1
    while seen < wanted:
        hops += wanted - seen
        if k >= target:
            beyond += wanted - seen
        if hops + weight * beyond > most:
            return np.int64(-1), beyond
        bits = pull(table, ZERO, n, reach, ahead, dense and seen > _DENSE * wanted)
        k += 1
        if bits == seen or k > FARTHEST:
            return np.int64(-1), beyond
        seen = bits
        reach, ahead = ahead, reach
    return hops, beyond


@inner
def searched(table: np.ndarray, hops: Hops, begin: int, end: int, target: int, weight: int, most: int):  # type: ignore[no-untyped-def]
    """Return hops, and hops beyond the target, from hops.starts[begin:end], in rows as narrow as possible; -1 if above
    `most`.
    """
    total_hops, beyond = np.int64(0), np.int64(0)
    while begin < end:
        left = end - begin
        room = most - total_hops - weight * beyond
        if left <= 128:
            more, farther = _search(table, hops.starts[begin:end], hops.narrow, target, weight, room)
            begin = end
        else:
            stop = min(end, begin + 512)
            more, farther = _search(table, hops.starts[begin:stop], hops.wide, target, weight, room)
            begin = stop
        if more < 0:
            return np.int64(-1), beyond
        total_hops += more
        beyond += farther
    return total_hops, beyond


@kernel
def count_within(table: np.ndarray, origins: np.ndarray, rows: np.ndarray, within: np.ndarray) -> None:
    """Add to within[1:] the pairs of an origin and a switch within 1, 2 ... hops, including itself (connected graphs)."""
    n = table.shape[0]
    for begin in range(0, origins.size, 512):
        end = min(origins.size, begin + 512)
        reach, ahead = rows[0], rows[1]
        if within.size > 1:
            within[1] += seed(table, origins[begin:end], reach, ahead)
        for k in range(2, within.size):
            within[k] += pull(table, ZERO, n, reach, ahead, NO)
            reach, ahead = ahead, reach
