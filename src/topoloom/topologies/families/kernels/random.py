"""Kernels of the random families: shortcuts on a ring, random regular graphs, 2-toggles on a grid.

Adjacency during construction is a table: `table` int32[n, d] with `filled` int32[n] entries used in each row.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel
from topoloom.core.random_streams.kernels import next_below, next_word, shuffle
from topoloom.graph.kernels.tables import join, join_through, linked, part


@inner
def _drop(waiting: np.ndarray, place: np.ndarray, count: int, u: int) -> int:
    """Remove u from waiting[:count] by moving the last entry into its place; return the new count."""
    count -= 1
    last = waiting[count]
    waiting[place[u]] = last
    place[last] = place[u]
    place[u] = -1
    return count


@allocating
def add_matching(
    table: np.ndarray, filled: np.ndarray, state: np.ndarray, reach: int, offsets: np.ndarray, cumulative: np.ndarray
) -> None:
    """Make one pass of Koibuchi 2013 IV.B.1 in place: random shortcuts that match the switches of a ring.

    Draws a waiting switch u, then a waiting partner v that is not linked to u and is at most `reach` hops away along the ring;
    both stop waiting. If offsets (int64[k]) and cumulative (uint64[k]) are given, the distance is drawn from this distribution
    instead (Gau). A switch without a possible partner stops waiting alone. A partner is drawn by rejection; after 64 rejections
    all possible ones are listed and one is drawn, so the choice stays uniform (Nbr, RING). Cost: O(n degree) per pass, as long
    as rejection succeeds.
    """
    n = filled.size
    waiting = np.arange(n)
    place = np.arange(n)
    listed = np.empty(n, np.int64)
    count = n
    while count > 0:
        u = waiting[next_below(state, count)]
        count = _drop(waiting, place, count, u)
        partner = -1
        for _ in range(64):
            if count == 0:
                break
            if offsets.size:
                step = offsets[np.searchsorted(cumulative, next_word(state) >> np.uint64(11), side="right")]
                v = (u + step) % n
                if place[v] < 0:
                    continue
            else:
                v = waiting[next_below(state, count)]
                apart = abs(u - v)
                if min(apart, n - apart) > reach:
                    continue
            if not linked(table, filled, u, v):
                partner = v
                break
        if partner < 0 and count > 0:
            partner = _listed_partner(table, filled, state, u, reach, waiting, place, count, listed, offsets.size > 0)
        if partner >= 0:
            count = _drop(waiting, place, count, partner)
            join(table, filled, u, partner)


@inner
def _listed_partner(table, filled, state, u, reach, waiting, place, count, listed, nearest):  # type: ignore[no-untyped-def]
    """Draw a partner for u from the list of all possible ones; -1 if there is none.

    `nearest`: only partners at the smallest distance are listed (Gau, after rejection failed).
    """
    n = filled.size
    size = 0
    if nearest or 2 * reach < count:
        for step in range(1, min(reach, n // 2) + 1):
            for v in ((u + step) % n, (u - step) % n):
                if place[v] >= 0 and not linked(table, filled, u, v) and (size == 0 or listed[size - 1] != v):
                    listed[size] = v
                    size += 1
            if nearest and size:
                break
    else:
        for i in range(count):
            v = waiting[i]
            apart = abs(u - v)
            if min(apart, n - apart) <= reach and not linked(table, filled, u, v):
                listed[size] = v
                size += 1
    return listed[next_below(state, size)] if size else -1


@allocating
def random_regular(table: np.ndarray, filled: np.ndarray, state: np.ndarray, degree: int) -> int:
    """Make a random graph with `degree` links per switch in place; return the number of ends without a partner (0 or 1).

    The pairing model: a random perfect matching of all ends; a pair that would be a loop or a parallel link waits, and then
    replaces a random link x - y with u - x and v - y, which keeps all other degrees.
    """
    n = filled.size
    ends = np.repeat(np.arange(n), degree)
    shuffle(state, ends)
    waiting = np.empty((ends.size // 2, 2), np.int64)
    size = 0
    for i in range(0, ends.size - 1, 2):
        u, v = int(ends[i]), int(ends[i + 1])
        if u == v or linked(table, filled, u, v):
            waiting[size, 0] = u
            waiting[size, 1] = v
            size += 1
        else:
            join(table, filled, u, v)
    left = ends.size % 2
    for i in range(size):
        if not join_through(table, filled, waiting[i, 0], waiting[i, 1], 1000 + 100 * degree, state):
            left += 2
    return left


@kernel
def swap_pass(links: np.ndarray, order: np.ndarray, state: np.ndarray, turn: np.ndarray) -> None:
    """Koibuchi 2013's pairwise swap, in place: a-b, c-d become a-d, c-b for the pairs of links (order[0], order[1]), ...

    links: int64[m, 2]; order: link numbers in random order, used once each; turn: bool[m], links whose ends may be
    exchanged at random before the swap (those inside a rack). Pairs that share a switch stay.
    """
    for i in range(0, order.size - 1, 2):
        first, second = order[i], order[i + 1]
        if turn[first] and next_below(state, 2):
            end = links[first, 0]
            links[first, 0] = links[first, 1]
            links[first, 1] = end
        if turn[second] and next_below(state, 2):
            end = links[second, 0]
            links[second, 0] = links[second, 1]
            links[second, 1] = end
        a, b, c, d = links[first, 0], links[first, 1], links[second, 0], links[second, 1]
        if a != c and a != d and b != c and b != d:
            links[first, 1] = d
            links[second, 1] = b


@kernel
def _near(x: np.ndarray, y: np.ndarray, u: int, v: int, length: int, diagonal: bool) -> bool:
    """Whether u and v are at most `length` apart: Manhattan, or Chebyshev on a diagrid's (X, Y)."""
    dx, dy = abs(x[u] - x[v]), abs(y[u] - y[v])
    return bool((max(dx, dy) if diagonal else dx + dy) <= length)


@allocating
def fill_restricted(
    table: np.ndarray,
    filled: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    degree: int,
    length: int,
    diagonal: bool,
    near: np.ndarray,
    offsets: np.ndarray,
    state: np.ndarray,
    budget: int,
) -> int:
    """Give every switch `degree` links of at most `length` in place; return the number of missing ends.

    near, offsets: CSR of the switches within `length` of each. Links are added at random first. Then an end without a partner
    takes an end of a nearby link (u takes x from x - y), which moves the gap to y: gaps move until two meet, as in an
    alternating path. `budget` bounds the steps.
    """
    n = filled.size
    order = np.arange(n)
    for _ in range(degree):
        shuffle(state, order)
        for i in range(n):
            u = int(order[i])
            if filled[u] >= degree or offsets[u + 1] == offsets[u]:
                continue
            for _ in range(8):
                v = int(near[offsets[u] + next_below(state, offsets[u + 1] - offsets[u])])
                if filled[v] < degree and not linked(table, filled, u, v):
                    join(table, filled, u, v)
                    break
    gaps = np.repeat(np.arange(n), degree - filled)
    size = gaps.size
    while size > 1 and budget > 0:
        budget -= 1
        index = next_below(state, size)
        u = gaps[index]
        met = False
        for i in range(size):
            v = gaps[i]
            if v != u and _near(x, y, u, v, length, diagonal) and not linked(table, filled, u, v):
                join(table, filled, u, v)
                met = True
                break
        if met:
            gaps = np.repeat(np.arange(n), degree - filled)
            size = gaps.size
            continue
        v = near[offsets[u] + next_below(state, offsets[u + 1] - offsets[u])]
        if filled[v] == 0 or linked(table, filled, u, v):
            continue
        w = table[v, next_below(state, filled[v])]
        if w == u:
            continue
        part(table, filled, v, w)
        join(table, filled, u, v)
        gaps[index] = w
    return size


@kernel
def toggle_sweeps(
    links: np.ndarray,
    table: np.ndarray,
    filled: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    length: int,
    diagonal: bool,
    state: np.ndarray,
    sweeps: int,
) -> int:
    """Nakano 2016's random 2-toggles, in place: links u1-u2, v1-v2 become u1-v1, u2-v2 if both are at most `length` long.

    One sweep tries as many random pairs as there are links. Returns the number of toggles made.
    """
    done = 0
    for _ in range(sweeps * len(links)):
        i, j = next_below(state, len(links)), next_below(state, len(links))
        a, b, c, d = links[i, 0], links[i, 1], links[j, 0], links[j, 1]
        if next_below(state, 2):
            c, d = d, c
        if a == c or a == d or b == c or b == d:
            continue
        if not _near(x, y, a, c, length, diagonal) or not _near(x, y, b, d, length, diagonal):
            continue
        if linked(table, filled, a, c) or linked(table, filled, b, d):
            continue
        part(table, filled, a, b)
        part(table, filled, c, d)
        join(table, filled, a, c)
        join(table, filled, b, d)
        links[i, 0], links[i, 1], links[j, 0], links[j, 1] = a, c, b, d
        done += 1
    return done


@allocating
def links_of(table: np.ndarray, filled: np.ndarray) -> np.ndarray:
    """The links of a table, int64[m, 2], u < v."""
    out = np.empty((filled.sum() // 2, 2), np.int64)
    size = 0
    for u in range(filled.size):
        for i in range(filled[u]):
            if table[u, i] > u:
                out[size, 0] = u
                out[size, 1] = table[u, i]
                size += 1
    return out


@kernel
def bipartite_swaps(table: np.ndarray, state: np.ndarray, tries: int) -> None:
    """Exchange in place the upper ends of two random links, `tries` times, unless that makes a parallel link.

    `table` int32[n, d]: the upper ends of each lower switch's links, all different. Degrees on both sides do not change. Cost
    O(tries d).
    """
    n, d = table.shape
    for _ in range(tries):
        u, v = next_below(state, n), next_below(state, n)
        i, j = next_below(state, d), next_below(state, d)
        if u == v:
            continue
        a, b = table[u, i], table[v, j]
        free = a != b
        for k in range(d):
            free = free and table[u, k] != b and table[v, k] != a
        if free:
            table[u, i], table[v, j] = b, a
