"""Fiduccia-Mattheyses refinement of a bisection: move switches one by one, and keep the best state of the pass."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@allocating
def refine(
    offsets: np.ndarray, others: np.ndarray, links: np.ndarray, weight: np.ndarray, side: np.ndarray, limit: int
) -> None:
    """Improve `side` (int32[n], 0 or 1) in place: fewer links between the sides, with at most `limit` weight on each.

    offsets: int64[n + 1], others: int64[k], links: int64[k] (CSR without parallel rows; links: the number of links between the
    two); weight: int64[n]. A cut that is too heavy on one side is first balanced, at the least cost found; if that fails, it
    stays unchanged. A pass takes O(n + k), stops after many moves without gain, and is repeated while it improves the cut.

    Source: Fiduccia and Mattheyses, DAC 1982.
    """
    n = side.size
    gain = np.zeros(n, np.int64)
    most = 0
    for u in range(n):
        most = max(most, links[offsets[u] : offsets[u + 1]].sum())
    heads = np.empty((2, 2 * most + 1), np.int32)  # first switch in the list of each side and gain; last in, first out
    after, before = np.empty(n, np.int32), np.empty(n, np.int32)
    free, moves = np.empty(n, np.bool_), np.empty(n, np.int32)
    heaviest = weight.max()
    patience = max(500, n // 8)
    while True:
        heads[:] = -1
        free[:] = True
        held = np.zeros(2, np.int64)
        for u in range(n):
            held[side[u]] += weight[u]
            gain[u] = 0
            for slot in range(offsets[u], offsets[u + 1]):
                gain[u] += links[slot] if side[others[slot]] != side[u] else -links[slot]
            _insert(u, side[u], gain[u] + most, heads, after, before)
        top = np.array([2 * most, 2 * most])
        balanced = held.max() <= limit
        best_moves, best, saved, moved = (0, 0, 0, 0) if balanced else (-1, 0, 0, 0)
        while moved < n and moved - max(best_moves, 0) <= patience:
            chosen = -1
            for s in range(2):
                while top[s] >= 0 and heads[s, top[s]] < 0:
                    top[s] -= 1
                if top[s] < 0 or held[1 - s] > limit:
                    continue  # nothing to move, or the move must come from the other side
                u = heads[s, top[s]]
                if held[1 - s] + weight[u] > limit + heaviest:
                    continue
                if chosen < 0 or gain[u] > gain[chosen] or (gain[u] == gain[chosen] and held[s] > held[1 - s]):
                    chosen = u
            if chosen < 0:
                break
            s = side[chosen]
            _remove(chosen, s, gain[chosen] + most, heads, after, before)
            free[chosen] = False
            held[s] -= weight[chosen]
            held[1 - s] += weight[chosen]
            side[chosen] = 1 - s
            saved += gain[chosen]
            for slot in range(offsets[chosen], offsets[chosen + 1]):
                v = others[slot]
                if free[v]:
                    _remove(v, side[v], gain[v] + most, heads, after, before)
                    gain[v] += 2 * links[slot] if side[v] == s else -2 * links[slot]
                    _insert(v, side[v], gain[v] + most, heads, after, before)
                    top[side[v]] = max(top[side[v]], gain[v] + most)
            moves[moved] = chosen
            moved += 1
            if held.max() <= limit and (best_moves < 0 or saved > best):
                best_moves, best = moved, saved
        for place in range(max(best_moves, 0), moved):
            side[moves[place]] = 1 - side[moves[place]]
        if best_moves < 0 or (balanced and best <= 0):
            return


@inner
def _insert(u: int, s: int, level: int, heads: np.ndarray, after: np.ndarray, before: np.ndarray) -> None:
    """Put switch u first in the list of side s and gain `level`."""
    first = heads[s, level]
    after[u], before[u] = first, -1
    if first >= 0:
        before[first] = u
    heads[s, level] = u


@inner
def _remove(u: int, s: int, level: int, heads: np.ndarray, after: np.ndarray, before: np.ndarray) -> None:
    """Remove switch u from the list of side s and gain `level`."""
    if before[u] >= 0:
        after[before[u]] = after[u]
    else:
        heads[s, level] = after[u]
    if after[u] >= 0:
        before[after[u]] = before[u]
