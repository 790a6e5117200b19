"""Spraypoint's pointing phase: waypoint rings around a destination, and the next hops between them.

first int64[n + 1], to int32[2 m]: the channels of a topology. Ranks of switches: 0 the destination; 1 its neighbours (WP0);
1 + i ring WPi; then the inner ring, and the outer ring by its distance from the inner one.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel

#: The rank of a switch that has none yet.
_NONE = np.int64(1) << 40


@inner
def mixed(seed: int, d: int, v: int, c: int) -> np.uint64:
    """Return a number that looks random but depends only on its arguments: all routers compute the same (splitmix64)."""
    z = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(d) * np.uint64(0xBF58476D1CE4E5B9)
    z += np.uint64(v) * np.uint64(0x94D049BB133111EB) + np.uint64(c) * np.uint64(0xD6E8FEB86659FD93)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inner
def _lowest(
    first: np.ndarray,
    to: np.ndarray,
    rank: np.ndarray,
    wanted: int,
    salt: int,
    d: int,
    v: int,
    most: int,
    channels: np.ndarray,
    keys: np.ndarray,
) -> int:
    """Write to `channels` at most `most` channels of v to switches of the rank `wanted`, those of the lowest hashes; return how
    many. keys: uint64[at least most], scratch.
    """
    count = 0
    for c in range(first[v], first[v + 1]):
        if rank[to[c]] != wanted:
            continue
        key = mixed(salt, d, v, c)
        if count == most and key >= keys[count - 1]:
            continue
        place = count if count < most else most - 1
        while place > 0 and keys[place - 1] > key:
            keys[place], channels[place] = keys[place - 1], channels[place - 1]
            place -= 1
        keys[place], channels[place] = key, c
        count = min(count + 1, most)
    return count


@kernel
def point(
    first: np.ndarray,
    to: np.ndarray,
    begin: int,
    p: int,
    h: int,
    rings: int,
    seed: int,
    rank: np.ndarray,
    queue: np.ndarray,
    chosen: np.ndarray,
    channels: np.ndarray,
    keys: np.ndarray,
    width: np.ndarray,
    port: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Write the next hops of all switches to the destinations begin .. begin + k - 1.

    p, h, rings: switches that a waypoint adds to the next ring, next hops at most, rings after the first. rank, queue, chosen:
    int64[n] (chosen: the last destination for which a switch was chosen, -1 at first); channels: int64[p + h], keys: uint64[p +
    h]; scratch. width: int64[k, n], the members of each switch's group; port: uint16[k, n, h], their ports, ascending. sizes:
    int64[k, 4], the switches of WP0, of the later WP rings, of the inner and of the outer ring.
    """
    n = first.size - 1
    for i in range(width.shape[0]):
        d = begin + i
        rank[:] = _NONE
        rank[d] = 0
        last, count, where = np.int64(1), 0, 0
        for c in range(first[d], first[d + 1]):
            if rank[to[c]] == _NONE:
                rank[to[c]] = 1
                queue[count] = to[c]
                count += 1
        sizes[i, 0] = count
        for _ in range(rings):
            # All switches of a ring choose at the same time, so that two may choose the same one.
            end = count
            for place in range(where, end):
                v = queue[place]
                for j in range(_lowest(first, to, rank, _NONE, 2 * seed, d, v, p, channels, keys)):
                    w = np.int64(to[channels[j]])
                    if chosen[w] != d:
                        chosen[w] = d
                        queue[count] = w
                        count += 1
            if end == count:
                break
            last += 1
            for place in range(end, count):
                rank[queue[place]] = last
            where = end
        sizes[i, 1] = count - sizes[i, 0]
        # The inner ring, and the outer ring by its hops from it.
        beyond, end = count, count
        for place in range(where, end):
            v = queue[place]
            for c in range(first[v], first[v + 1]):
                w = to[c]
                if rank[w] == _NONE:
                    rank[w] = last + 1
                    queue[count] = w
                    count += 1
        sizes[i, 2] = count - beyond
        while beyond < count:
            v = queue[beyond]
            beyond += 1
            for c in range(first[v], first[v + 1]):
                w = to[c]
                if rank[w] == _NONE:
                    rank[w] = rank[v] + 1
                    queue[count] = w
                    count += 1
        if count < n - 1:
            # Switches that reach the rings only through the first ones take shortest paths: their ranks follow all others.
            _by_distance(first, to, d, rank, queue, count)
        sizes[i, 3] = n - 1 - sizes[i, 0] - sizes[i, 1] - sizes[i, 2]
        for v in range(n):
            width[i, v] = 0
            if v == d or rank[v] == _NONE:
                continue
            wanted = rank[v] - 1
            if rank[v] > n:  # by distance: any neighbour that is nearer, wherever it belongs
                wanted = _nearer(first, to, rank, v)
            chosen_count = _lowest(first, to, rank, wanted, 2 * seed + 1, d, v, h, channels, keys)
            width[i, v] = chosen_count
            for j in range(chosen_count):  # ascending by port
                number = np.uint16(channels[j] - first[v])
                place = j
                while place > 0 and port[i, v, place - 1] > number:
                    port[i, v, place] = port[i, v, place - 1]
                    place -= 1
                port[i, v, place] = number


@inner
def _by_distance(first: np.ndarray, to: np.ndarray, d: int, rank: np.ndarray, queue: np.ndarray, count: int) -> None:
    """Rank the switches without a rank by hops from the ranked ones, from 2 n on; count: the entries of `queue` in use."""
    n = first.size - 1
    begin = count
    for place in range(begin):
        v = queue[place]
        for c in range(first[v], first[v + 1]):
            w = to[c]
            if rank[w] == _NONE:
                rank[w] = 2 * n
                queue[count] = w
                count += 1
    while begin < count:
        v = queue[begin]
        begin += 1
        for c in range(first[v], first[v + 1]):
            w = to[c]
            if rank[w] == _NONE:
                rank[w] = rank[v] + 1
                queue[count] = w
                count += 1


@inner
def _nearer(first: np.ndarray, to: np.ndarray, rank: np.ndarray, v: int) -> int:
    """Return the lowest rank among the neighbours of v."""
    least = _NONE
    for c in range(first[v], first[v + 1]):
        least = min(least, rank[to[c]])
    return least
