"""Packing trees: remove switches from a network without losing capacity between ranks (splitting off).

Capacities are a square matrix, row to column. A condition on all cuts is checked by a maximum flow.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@inner
def _crossing(
    left: np.ndarray,
    near: np.ndarray,
    nears: np.ndarray,
    begins: np.ndarray,
    ends: np.ndarray,
    enough: int,
    level: np.ndarray,
    queue: np.ndarray,
    at: np.ndarray,
    path: np.ndarray,
) -> int:
    """Return the maximum flow from some nodes to others, or `enough` if that is reached (Dinic's algorithm).

    left int64[n, n]: residual capacities, changed in place; near int64[n, k] and nears int64[n]: the neighbours of each node
    and their number; begins, ends: bool[n], the sources and sinks. Scratch, int64[n]: level, queue, at, path.
    """
    n = nears.size
    flow = 0
    while flow < enough:
        tail = 0
        for v in range(n):
            level[v] = -1
            at[v] = 0
            if begins[v]:
                level[v] = 0
                queue[tail] = v
                tail += 1
        # Levels by a breadth-first search from the sources, until a sink is met.
        starts, head, met = tail, 0, False
        while head < tail and not met:
            v = queue[head]
            head += 1
            for i in range(nears[v]):
                w = near[v, i]
                if level[w] < 0 and left[v, w] > 0:
                    level[w] = level[v] + 1
                    queue[tail] = w
                    tail += 1
                    met = met or ends[w]
        if not met:
            return flow
        # Augment along the levels, depth first from each source.
        for number in range(starts):
            path[0] = queue[number]
            depth = 0
            while depth >= 0 and flow < enough:
                v = path[depth]
                if ends[v]:
                    least = enough - flow
                    for i in range(depth):
                        least = min(least, left[path[i], path[i + 1]])
                    stop = depth
                    for i in range(depth - 1, -1, -1):
                        left[path[i], path[i + 1]] -= least
                        left[path[i + 1], path[i]] += least
                        if left[path[i], path[i + 1]] == 0:
                            stop = i
                    flow += least
                    depth = stop
                    continue
                while at[v] < nears[v]:
                    w = near[v, at[v]]
                    if level[w] == level[v] + 1 and left[v, w] > 0:
                        break
                    at[v] += 1
                if at[v] < nears[v]:
                    path[depth + 1] = near[v, at[v]]
                    depth += 1
                else:
                    level[v] = -1
                    depth -= 1
                    if depth >= 0:
                        at[path[depth]] += 1
    return flow


@allocating
def split_off(
    capacity: np.ndarray, supply: np.ndarray, switches: int, requirement: int, log: np.ndarray, done: int
) -> int:
    """Remove the next switch: replace flow u to switch to t by an edge u to t, as far as every cut keeps what it needs.

    Parameters
    ----------
    capacity : int64[n, n]
        Changed in place: the row and the column of the switch become 0.
    supply : int64[n]
        The trees that each node sends to all ranks; 0 for switches, which are the first nodes.
    switches : int
    requirement : int
        The sum of `supply`.
    log : int64[k, 4]
        Rows (u, switch, t, units), of which the first `done` are filled; extended in place.
    done : int
        The filled rows before this call. The removed switch is the one with channels to the fewest other nodes.

    Returns
    -------
    int
        The filled rows after this call; -1 when all switches are removed; -2 when the log is full.
    """
    n = capacity.shape[0]
    level, queue, at = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    path = np.empty(n + 2, np.int64)
    left = np.zeros((n + 1, n + 1), np.int64)
    begins, ends = np.zeros(n + 1, np.bool_), np.zeros(n + 1, np.bool_)
    near, nears = np.zeros((n + 1, n), np.int64), np.zeros(n + 1, np.int64)
    w, fewest = -1, 0
    # Select the switch with channels to the fewest others.
    for switch in range(switches):
        degree = 0
        for v in range(n):
            degree += capacity[switch, v] > 0
        if degree > 0 and (w < 0 or degree < fewest):
            w, fewest = switch, degree
    if w < 0:
        return -1
    # Node n is a super-source, which sends each rank its supply; no channel leads back to it.
    for v in range(n):
        for other in range(n):
            if capacity[v, other] > 0 or capacity[other, v] > 0:
                near[v, nears[v]] = other
                nears[v] += 1
        if supply[v] > 0:
            near[n, nears[n]] = v
            nears[n] += 1
    hard = np.arange(switches, n)
    for t in range(n):
        sources = 0
        for u in range(n):
            sources += capacity[u, w] > 0 and u != t
        # First evenly from all sources, for shallow trees; then the rest; finally from t itself, whose flow would return to t.
        even = (capacity[w, t] + sources - 1) // max(1, sources)
        for turn in range(2 * n + 1):
            if capacity[w, t] == 0:
                break
            u = t if turn == 2 * n else (turn + t) % n
            if turn < 2 * n and u == t:
                continue
            most = min(capacity[u, w], capacity[w, t])
            if turn < n:
                most = min(most, even)
            if most == 0:
                continue
            # Reduce `most` to what all cuts that the split would reduce can spare.
            for side in range(2):
                for i in range(hard.size):
                    v = hard[i]
                    if side == 0 and (v == u or v == t):
                        continue
                    for a in range(n):
                        for j in range(nears[a]):
                            left[a, near[a, j]] = capacity[a, near[a, j]]
                        left[n, a] = supply[a]
                        left[a, n] = 0
                        begins[a] = ends[a] = False
                    begins[n] = True
                    ends[v] = True
                    if side == 0:
                        # Cuts with u and t on one side, the switch and v on the other.
                        begins[u] = begins[t] = ends[w] = True
                    else:
                        # Cuts with the switch on one side, u, t and v on the other.
                        begins[w] = ends[u] = ends[t] = True
                    # Cuts without earlier nodes are already checked, so these nodes start as sources, close to the sinks.
                    for before in range(i):
                        if not ends[hard[before]]:
                            begins[hard[before]] = True
                    room = (
                        _crossing(left, near, nears, begins, ends, requirement + most, level, queue, at, path)
                        - requirement
                    )
                    if room < most:
                        most = room
                        # A node that limits now will probably limit again: check it first.
                        for back in range(i, 0, -1):
                            hard[back] = hard[back - 1]
                        hard[0] = v
                    if most <= 0:
                        break
                if most <= 0:
                    break
            if most <= 0:
                continue
            if done == log.shape[0]:
                return -2
            log[done, 0], log[done, 1], log[done, 2], log[done, 3] = u, w, t, most
            done += 1
            capacity[u, w] -= most
            capacity[w, t] -= most
            if u != t:
                if capacity[u, t] == 0 and capacity[t, u] == 0:
                    adjacent = False
                    for j in range(nears[u]):
                        adjacent = adjacent or near[u, j] == t
                    if not adjacent:
                        near[u, nears[u]], near[t, nears[t]] = t, u
                        nears[u] += 1
                        nears[t] += 1
                capacity[u, t] += most
    return done
