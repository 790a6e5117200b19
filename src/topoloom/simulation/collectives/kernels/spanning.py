"""Packing spanning trees edge by edge: the next edge of a batch of equal trees, and how many trees of the batch may take it.

Algorithm: Berczi and Frank 2010, as in Zhao et al., arXiv 2402.06787, theorem 8. An edge may be used if all other batches can
still be completed, which a maximum flow checks. The flow is searched backwards, from the end y of the edge, because few
channels enter y.

Arrays, for n ranks and k batches other than the current one: left int64[n, n], residual capacities; near int64[n, d] and nears
int64[n], the neighbours of each rank and their number; gives int64[k], the trees of each batch that the flow may still use;
sent int64[k, n], the flow from each batch to each rank; spans bool[k, n], the ranks that each batch already covers.
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
    """Compute levels by a breadth-first search from y, backwards along residual arcs: the first phase of Dinic's algorithm.

    level int64[n + k] is set to the distance of each rank, and of batch b at n + b; -1: not reached. queue int64[n + k] and
    away int64[k] are scratch. Returns whether the search reaches x, or a batch that still has trees; it stops at that distance.
    """
    n, batches = nears.size, gives.size
    level[:] = -1
    level[y] = 0
    queue[0] = y
    head, tail = 0, 1
    # away[:unreached] lists the batches that are not reached yet.
    unreached = batches
    for k in range(batches):
        away[k] = k
    goal_level = -1
    while head < tail:
        v = queue[head]
        head += 1
        if goal_level >= 0 and level[v] >= goal_level:
            return True
        step = level[v] + 1
        if v < n:
            for i in range(nears[v]):
                u = near[v, i]
                if level[u] < 0 and left[u, v] > 0:
                    level[u] = step
                    queue[tail] = u
                    tail += 1
                    if u == x and goal_level < 0:
                        goal_level = step
            i = 0
            while i < unreached:
                k = away[i]
                if spans[k, v]:
                    level[n + k] = step
                    queue[tail] = n + k
                    tail += 1
                    if gives[k] > 0 and goal_level < 0:
                        goal_level = step
                    unreached -= 1
                    away[i] = away[unreached]
                else:
                    i += 1
        else:
            for w in range(n):
                if level[w] < 0 and sent[v - n, w] > 0:
                    level[w] = step
                    queue[tail] = w
                    tail += 1
                    if w == x and goal_level < 0:
                        goal_level = step
    return goal_level >= 0


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
    """Push flow to y along the levels, up to `wanted`; return how much (the second phase of Dinic's algorithm)."""
    n, batches = nears.size, gives.size
    flow, depth = 0, 0
    at[:] = 0
    path[0] = y
    while depth >= 0 and flow < wanted:
        v = path[depth]
        # A source is reached: augment along the path, and go back to its first full step.
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
        advanced, step = False, level[v] + 1
        if v < n:
            while at[v] < nears[v]:
                u = near[v, at[v]]
                if level[u] == step and left[u, v] > 0:
                    path[depth + 1] = u
                    advanced = True
                    break
                at[v] += 1
            while not advanced and at[v] < nears[v] + batches:
                k = at[v] - nears[v]
                if level[n + k] == step and spans[k, v]:
                    path[depth + 1] = n + k
                    advanced = True
                    break
                at[v] += 1
        else:
            while at[v] < n:
                w = at[v]
                if level[w] == step and sent[v - n, w] > 0:
                    path[depth + 1] = w
                    advanced = True
                    break
                at[v] += 1
        if advanced:
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
    """Return how many trees of batch `this` may take the edge from x to y, such that all other batches can be completed.

    The result is at most `enough`. It is the smallest cut between x and y, with each other batch as a node that can enter at
    the ranks it covers, minus the trees of all other batches (Berczi and Frank 2010; Zhao et al., arXiv 2402.06787, theorem 8).
    A batch that covers y always reaches it, and is not counted.
    """
    n, batches = capacity.shape[0], trees.size
    left, spans, sent, gives, level, queue, at, path, away = room
    count, others = 0, 0
    for b in range(batches):
        if b != this and not member[b, y]:
            for v in range(n):
                spans[count, v] = member[b, v]
                sent[count, v] = 0
            gives[count] = trees[b]
            others += trees[b]
            count += 1
    for v in range(n):
        for u in range(n):
            left[v, u] = capacity[v, u]
    flow, wanted = 0, others + enough
    other_trees = gives[:count]
    while flow < wanted and _levels(left, near, nears, other_trees, sent, spans, x, y, level[: n + count], queue, away):
        flow += _pushed(
            left, near, nears, other_trees, sent, spans, x, y, level[: n + count], at[: n + count], path, wanted - flow
        )
    return max(0, flow - others)


@allocating
def next_edge(
    capacity: np.ndarray, order: np.ndarray, member: np.ndarray, trees: np.ndarray, this: int
) -> tuple[int, int, int]:
    """Return an edge out of a batch's tree, and how many of its trees take it: near the root first, then by capacity.

    Parameters
    ----------
    capacity : int64[n, n]
        Residual capacities in trees, row to column.
    order : int64[k]
        The ranks that the batch covers, from its root on.
    member : bool[batches, n]
        The ranks that each batch covers.
    trees : int64[batches]
        The trees of each batch.
    this : int
        The number of the batch that grows.

    Returns
    -------
    x, y, trees : int
        The edge and the number of trees; zeros if there is no such edge.
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
                # Sort by capacity, greatest first; equal ones keep their order.
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
