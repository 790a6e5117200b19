"""Growing trees edge by edge: the next edge of a batch, and how many of its trees may take it.

What others still need is asked by a largest flow towards the edge's end, backwards: only few channels come in there.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@inner
def _levels(
    left: np.ndarray,
    near: np.ndarray,
    nears: np.ndarray,
    gives: np.ndarray,
    sent: np.ndarray,
    spans: np.ndarray,
    x: int,
    y: int,
    level: np.ndarray,
    queue: np.ndarray,
    away: np.ndarray,
) -> bool:
    """How far each node is from y, backwards along what is left; whether x, or a batch that still has trees, leads there."""
    n, kept = nears.size, gives.size
    level[:] = -1
    level[y] = 0
    queue[0] = y
    head, tail = 0, 1
    # Batches that nobody has come to yet.
    apart = kept
    for k in range(kept):
        away[k] = k
    found = -1
    while head < tail:
        v = queue[head]
        head += 1
        if found >= 0 and level[v] >= found:
            return True
        step = level[v] + 1
        if v < n:
            for i in range(nears[v]):
                u = near[v, i]
                if level[u] < 0 and left[u, v] > 0:
                    level[u] = step
                    queue[tail] = u
                    tail += 1
                    if u == x and found < 0:
                        found = step
            i = 0
            while i < apart:
                k = away[i]
                if spans[k, v]:
                    level[n + k] = step
                    queue[tail] = n + k
                    tail += 1
                    if gives[k] > 0 and found < 0:
                        found = step
                    apart -= 1
                    away[i] = away[apart]
                else:
                    i += 1
        else:
            for w in range(n):
                if level[w] < 0 and sent[v - n, w] > 0:
                    level[w] = step
                    queue[tail] = w
                    tail += 1
                    if w == x and found < 0:
                        found = step
    return found >= 0


@inner
def _pushed(
    left: np.ndarray,
    near: np.ndarray,
    nears: np.ndarray,
    gives: np.ndarray,
    sent: np.ndarray,
    spans: np.ndarray,
    x: int,
    y: int,
    level: np.ndarray,
    at: np.ndarray,
    path: np.ndarray,
    wanted: int,
) -> int:
    """What more comes to y along the levels, up to `wanted`."""
    n, kept = nears.size, gives.size
    flow, depth = 0, 0
    at[:] = 0
    path[0] = y
    while depth >= 0 and flow < wanted:
        v = path[depth]
        if v == x or (v >= n and gives[v - n] > 0):
            least = wanted - flow
            if v != x:
                least = min(least, gives[v - n])
            for i in range(depth):
                to, of = path[i], path[i + 1]
                if to >= n:
                    least = min(least, sent[to - n, of])
                elif of < n:
                    least = min(least, left[of, to])
            if v != x:
                gives[v - n] -= least
            stop = depth
            for i in range(depth - 1, -1, -1):
                to, of = path[i], path[i + 1]
                if to >= n:
                    sent[to - n, of] -= least
                    if sent[to - n, of] == 0:
                        stop = i
                elif of < n:
                    left[of, to] -= least
                    left[to, of] += least
                    if left[of, to] == 0:
                        stop = i
                else:
                    sent[of - n, to] += least
            flow += least
            if v != x and stop == depth and gives[v - n] > 0:
                stop = 0
            depth = stop
            continue
        found, step = False, level[v] + 1
        if v < n:
            while at[v] < nears[v]:
                u = near[v, at[v]]
                if level[u] == step and left[u, v] > 0:
                    path[depth + 1] = u
                    found = True
                    break
                at[v] += 1
            while not found and at[v] < nears[v] + kept:
                k = at[v] - nears[v]
                if level[n + k] == step and spans[k, v]:
                    path[depth + 1] = n + k
                    found = True
                    break
                at[v] += 1
        else:
            while at[v] < n:
                w = at[v]
                if level[w] == step and sent[v - n, w] > 0:
                    path[depth + 1] = w
                    found = True
                    break
                at[v] += 1
        if found:
            depth += 1
        else:
            level[v] = -1
            depth -= 1
            if depth >= 0:
                at[path[depth]] += 1
    return flow


@inner
def room_of(
    capacity: np.ndarray,
    near: np.ndarray,
    nears: np.ndarray,
    x: int,
    y: int,
    member: np.ndarray,
    trees: np.ndarray,
    this: int,
    enough: int,
    room: tuple[np.ndarray, ...],
) -> int:
    """How many trees of batch `this` may take the edge from x to y, so that all others still find their edges.

    At most `enough`: the smallest cut between x and y, batches with what they span behind x, less all other batches (Berczi and
    Frank 2010; Zhao et al., arXiv 2402.06787, theorem 8). A batch that spans y brings its trees there, whatever the cut.
    """
    n, batches = capacity.shape[0], trees.size
    left, spans, sent, gives, level, queue, at, path, away = room
    kept, others = 0, 0
    for b in range(batches):
        if b != this and not member[b, y]:
            for v in range(n):
                spans[kept, v] = member[b, v]
                sent[kept, v] = 0
            gives[kept] = trees[b]
            others += trees[b]
            kept += 1
    for v in range(n):
        for u in range(n):
            left[v, u] = capacity[v, u]
    flow, wanted = 0, others + enough
    some = gives[:kept]
    while flow < wanted and _levels(left, near, nears, some, sent, spans, x, y, level[: n + kept], queue, away):
        flow += _pushed(
            left, near, nears, some, sent, spans, x, y, level[: n + kept], at[: n + kept], path, wanted - flow
        )
    return max(0, flow - others)


@allocating
def next_edge(
    capacity: np.ndarray, order: np.ndarray, member: np.ndarray, trees: np.ndarray, this: int
) -> tuple[int, int, int]:
    """An edge out of a batch's tree, and how many of its trees take it: from ranks near the root first, the widest first.

    Parameters
    ----------
    capacity : int64[n, n]
    order : int64[k]
        What the batch spans, from its root on.
    member : bool[batches, n]
        What each batch spans.
    trees : int64[batches]
        In each batch.
    this : int
        The batch.

    Returns
    -------
    x, y, trees : int
        Zeros where there is no such edge.
    """
    n, batches = capacity.shape[0], trees.size
    near, nears = np.empty((n, n), np.int64), np.zeros(n, np.int64)
    for v in range(n):
        for u in range(n):
            if capacity[u, v] > 0 or capacity[v, u] > 0:
                near[v, nears[v]] = u
                nears[v] += 1
    size = n + batches
    room = (
        np.empty((n, n), np.int64),
        np.empty((batches, n), np.bool_),
        np.empty((batches, n), np.int64),
        np.empty(batches, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size + 1, np.int64),
        np.empty(batches, np.int64),
    )
    for x in order:
        to = np.empty(nears[x], np.int64)
        count = 0
        for i in range(nears[x]):
            y = near[x, i]
            if capacity[x, y] > 0 and not member[this, y]:
                # The widest first, and of those that are alike the first.
                place = count
                while place > 0 and capacity[x, to[place - 1]] < capacity[x, y]:
                    to[place] = to[place - 1]
                    place -= 1
                to[place] = y
                count += 1
        for i in range(count):
            y = to[i]
            most = min(capacity[x, y], trees[this])
            some = room_of(capacity, near, nears, x, y, member, trees, this, most, room)
            if some > 0:
                return x, y, some
    return 0, 0, 0
