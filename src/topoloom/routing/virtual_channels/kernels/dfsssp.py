"""DFSSSP's virtual channels: each cycle is broken at its turn with the fewest pairs, which move to the next virtual channel."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel


@kernel
def count_turns(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
    number: int,
    carries: np.ndarray,
    count: np.ndarray,
    flag: np.ndarray,
) -> None:
    """Count the pairs of a virtual channel that make each turn, int64[turns]; flag: uint8[1], not 0: the work was stopped."""
    n = first.size - 1
    count[:] = 0
    for d in range(n):
        if flag[0]:
            return
        if not carries[d]:
            continue
        for s in range(n):
            if carries[s] and s != d and vc[d, s] == number:
                _walk(first, to, back, turn_first, ports, s, d, count, 1)


@inner
def _walk(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    ports: np.ndarray,
    s: int,
    d: int,
    count: np.ndarray,
    change: int,
) -> None:
    """Add `change` to every turn of the path from s to d."""
    c = first[s] + ports[d, s]
    w = np.int64(to[c])
    while w != d:
        e = first[w] + ports[d, w]
        count[turn_first[w] + (back[c] - first[w]) * (first[w + 1] - first[w]) + e - first[w]] += change
        c, w = e, np.int64(to[e])


@allocating
def break_cycles(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
    number: int,
    carries: np.ndarray,
    count: np.ndarray,
    flag: np.ndarray,
) -> int:
    """Break every cycle of a virtual channel at its turn with the fewest pairs, which move to the next virtual channel; return
    the
    number of broken cycles.

    Depth-first search: a finished channel stays on no cycle, because turns are only removed from the virtual channel.
    """
    state = np.zeros(to.size, np.uint8)  # 1: on the current path, 2: finished
    at = np.zeros(to.size, np.int32)  # the next turn to visit
    path, spot = np.empty(to.size + 1, np.int64), np.empty(to.size, np.int64)
    broken = 0
    for start in range(to.size):
        if state[start]:
            continue
        path[0], length = start, 1
        state[start], spot[start] = 1, 0
        while length:
            if flag[0]:  # the work was stopped
                return broken
            c = path[length - 1]
            w = np.int64(to[c])
            degree = first[w + 1] - first[w]
            if at[c] == degree:
                state[c] = 2
                length -= 1
                continue
            turn = turn_first[w] + (back[c] - first[w]) * degree + at[c]
            e = first[w] + at[c]
            if count[turn] == 0 or state[e] == 2:
                at[c] += 1
            elif state[e] == 0:
                at[c] += 1
                path[length] = e
                state[e], spot[e] = 1, length
                length += 1
            else:
                # path[spot[e]:length] is a cycle: find its weakest turn.
                least, cut = np.int64(1) << 62, np.int64(0)
                for i in range(spot[e], length):
                    x = np.int64(to[path[i]])
                    after = path[i + 1] if i + 1 < length else e
                    here = turn_first[x] + (back[path[i]] - first[x]) * (first[x + 1] - first[x]) + after - first[x]
                    if count[here] < least:
                        least, cut = count[here], np.int64(i)
                broken += 1
                x = np.int64(to[path[cut]])
                after = path[cut + 1] if cut + 1 < length else e
                _move_pairs(first, to, back, turn_first, ports, vc, number, carries, count, path[cut], after)
                # Visit everything after the removed turn again.
                for i in range(cut + 1, length):
                    state[path[i]], at[path[i]] = 0, 0
                length = cut + 1
                at[path[cut]] = 0
    return broken


@allocating
def _move_pairs(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
    number: int,
    carries: np.ndarray,
    count: np.ndarray,
    before: int,
    after: int,
) -> None:
    """Move to the next virtual channel every pair of a virtual channel whose path uses channel `before` and then `after`."""
    n = first.size - 1
    u, w = np.int64(to[back[before]]), np.int64(to[before])
    stack = np.empty(n, np.int64)
    for d in range(n):
        if not carries[d] or d == u or d == w:
            continue
        if first[u] + ports[d, u] != before or first[w] + ports[d, w] != after:
            continue
        stack[0], depth = u, 1
        while depth:
            depth -= 1
            v = stack[depth]
            if carries[v] and vc[d, v] == number:
                vc[d, v] = number + 1
                _walk(first, to, back, turn_first, ports, v, d, count, -1)
            for c in range(first[v], first[v + 1]):
                x = np.int64(to[c])
                if x != d and first[x] + ports[d, x] == back[c]:
                    stack[depth] = x
                    depth += 1
