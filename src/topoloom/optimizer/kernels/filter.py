"""The filter of affected origins: which origins a move changes, and how, from the stored distances."""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.graph.kernels.simd import WORDS, add, load, lowest_bit, ones_of, total, zeros
from topoloom.graph.kernels.simd_bytes import above, least, load64, one_more
from topoloom.optimizer.kernels.hop_state import Hops, Rows
from topoloom.optimizer.kernels.rows import NO, ZERO, collected, pull, searched, seed


@kernel
def list_affected(table: np.ndarray, hops: Hops, ends: int) -> tuple[int, int, int]:
    """List the origins that a move changes, after it was made, in `hops.sources` and `hops.starts`, nearer ones first.

    Returns (nearer, affected, farther): the number of origins to which some switch may get nearer, the number of affected
    origins, and a lower bound on the added hops of origins from which switches only get farther.
    """
    distances, up, down = hops.distances, hops.up, hops.down
    degree = table.shape[1]
    words = down.size
    stride = words * 64
    for word in range(words):
        at = word * 64
        nearer = np.uint64(0)
        for e in range(ends):
            v = hops.ends[e]
            best = load64(distances, table[v, 0] * stride + at)
            for k in range(1, degree):
                best = least(best, load64(distances, table[v, k] * stride + at))
            best = one_more(best)
            old = load64(distances, v * stride + at)
            more = above(best, old)
            place = np.int64(hops.number[v])
            if place >> 6 == word:  # the distance of an origin to itself stays 0
                more &= ~(np.uint64(1) << np.uint64(place & 63))
            up[e, word] = more
            nearer |= above(old, best)
        down[word] = nearer
    rest = hops.origins.size & 63
    if rest:
        valid = (np.uint64(1) << np.uint64(rest)) - np.uint64(1)
        down[words - 1] &= valid
        for e in range(ends):
            up[e, words - 1] &= valid
    count = _listed(hops.origins, hops.sources, hops.starts, down, ZERO)
    nearer_count = count
    farther = 0
    for word in range(words):
        any_up = np.uint64(0)
        for e in range(ends):
            bits = up[e, word] & ~down[word]
            any_up |= bits
            farther += ones(bits)
        down[word] = any_up
    return nearer_count, _listed(hops.origins, hops.sources, hops.starts, down, count), farther


@inner
def _listed(origins: np.ndarray, sources: np.ndarray, starts: np.ndarray, mask: np.ndarray, count: int) -> int:
    """Append the origins of a mask to the lists after the first `count`; return the new length."""
    for word in range(mask.size):
        bits = mask[word]
        while bits != np.uint64(0):
            place = word * 64 + lowest_bit(bits)
            sources[count] = place
            starts[count] = origins[place]
            count += 1
            bits &= bits - np.uint64(1)
    return count


@stage
def ones(bits: np.uint64) -> int:
    """The number of bits set in a word."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def _cost_before(hops: Hops, begin: int, end: int) -> tuple[int, int]:
    """The hops, and hops beyond the target, of the affected origins begin .. end - 1 before the move."""
    walked, beyond = np.int64(0), np.int64(0)
    for i in range(begin, end):
        walked += hops.row_hops[hops.sources[i]]
        beyond += hops.row_beyond[hops.sources[i]]
    return walked, beyond


@inner
def surely_worse(
    table: np.ndarray, hops: Hops, rows: Rows, count: int, farther: int, target: int, weight: int, room: int
) -> bool:
    """Whether the first `count` of hops.starts certainly increase the cost by more than `room - farther`.

    Pairs not within three hops have at least four. Computed from the stored rows of two hops, with 2 (K + 1) row operations per
    source and block; exact if the diameter is at most 4.
    """
    n = np.int64(table.shape[0])
    images = hops.images
    beyond_one = count * n
    within_two, within_three = zeros(rows.first), zeros(rows.first)
    for b in range(rows.second.shape[0]):
        near = rows.second[b]
        for g in range(images.shape[0]):
            # The switches of an origin are distributed over the rows of its images.
            for c in range(count):
                s = np.int64(images[g, hops.starts[c]])
                within_two = add(within_two, ones_of(load(near, s * WORDS)))
                within_three = add(within_three, ones_of(collected(table, s, near)))
                if b == 0:
                    beyond_one -= rows.distinct[s]
    beyond = (count * (n - 1), beyond_one, count * n - total(within_two), count * n - total(within_three))
    least = np.int64(0)
    for k in range(4):
        least += beyond[k] * (1 + weight if k >= target else 1)
    walked, further = _cost_before(hops, ZERO, count)
    return bool(least > walked + weight * further + room - farther)


@inner
def filtered_change(  # type: ignore[no-untyped-def]
    table: np.ndarray, hops: Hops, nearer: int, affected: int, farther: int, target: int, weight: int, room: int
):
    """Return hops and hops beyond the target of the graph after a move; hops -1 if the cost grows by more than `room`."""
    hops_before, beyond_before = _cost_before(hops, ZERO, nearer)
    most = hops_before + weight * beyond_before + room
    searched_hops, beyond = searched(table, hops, ZERO, nearer, target, weight, most - farther)
    if searched_hops < 0:
        return np.int64(-1), beyond
    walked_before, further_before = _cost_before(hops, nearer, affected)
    most += walked_before + weight * further_before - searched_hops - weight * beyond
    more, further = searched(table, hops, nearer, affected, target, weight, most)
    if more < 0:
        return np.int64(-1), beyond
    return (
        hops.totals[0] - hops_before - walked_before + searched_hops + more,
        hops.totals[1] - beyond_before - further_before + beyond + further,
    )


@inner
def _write(table: np.ndarray, hops: Hops, begin: int, end: int, affected: int, rows: np.ndarray) -> None:
    """Update the distances of the affected origins begin .. end - 1.

    The distance of a pair changes only if both its switches are affected, or images of affected ones.
    """
    n, degree = table.shape
    sources, starts = hops.sources, hops.starts
    reach, ahead = rows[0], rows[1]
    wanted = np.int64(end - begin) * n
    seen = seed(table, starts[begin:end], reach, ahead)
    for i in range(begin, end):
        s = starts[i]
        for k in range(degree):
            if table[s, k] != s:
                hops.distances[table[s, k], sources[i]] = 1
    step, k = reach.itemsize * 8, 1
    while seen < wanted:
        seen = pull(table, ZERO, n, reach, ahead, NO)
        k += 1
        for g in range(hops.images.shape[0]):
            for i in range(affected):
                t = np.int64(hops.images[g, starts[i]])
                row = hops.distances[t]
                for word in range(WORDS):
                    new = np.uint64(ahead[t * WORDS + word] & ~reach[t * WORDS + word])
                    at = begin + word * step
                    while new != np.uint64(0):
                        row[sources[at + lowest_bit(new)]] = k
                        new &= new - np.uint64(1)
        reach, ahead = ahead, reach


@inner
def _measure_row(hops: Hops, place: int, target: int) -> None:
    """Update hops, hops beyond the target and largest distance of an origin, from the rows of distances of its images."""
    walked, beyond, farthest = np.int32(0), np.int32(0), np.uint8(0)
    for g in range(hops.images.shape[0]):
        row = hops.distances[hops.images[g, hops.origins[place]]]
        for t in range(hops.origins.size):
            walked += np.int32(row[t])
            beyond += np.int32(max(np.int32(row[t]) - np.int32(target), np.int32(0)))
            farthest = max(farthest, row[t])
    hops.row_hops[place] = walked
    hops.row_beyond[place] = beyond
    hops.row_far[place] = farthest


@kernel
def accept(table: np.ndarray, hops: Hops, affected: int, target: int) -> int:
    """Update distances and rows after an accepted move; return the diameter."""
    # Always in rows of 512 bits: few moves are accepted if distances are stored, and another width would take seconds to
    # compile.
    for begin in range(0, affected, 512):
        _write(table, hops, begin, min(affected, begin + 512), affected, hops.wide)
    for i in range(affected):
        _measure_row(hops, hops.sources[i], target)
    diameter = np.int64(0)
    for place in range(hops.row_far.size):
        diameter = max(diameter, hops.row_far[place])
    return diameter


def keep_distances(table: np.ndarray, hops: Hops, target: int) -> None:
    """Compute the distances of all pairs of a connected graph, and the sums of rows."""
    places = np.arange(hops.origins.size)
    hops.starts[:] = hops.origins
    hops.sources[:] = places
    hops.distances[hops.origins, places] = 0
    accept(table, hops, places.size, target)
