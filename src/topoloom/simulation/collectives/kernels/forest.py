"""Packing trees: switches taken out of a network without loss.

Capacities stand in a square matrix, row to column. What is asked of each cut is asked by a largest flow on it.
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
    """The largest flow from some nodes to others, bool[n] each, or `enough`: Dinic's, by lists of what each may lead to."""
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
    """Take the next switch out: what comes in from u and goes out to t goes from u to t, while no cut loses what it needs.

    Parameters
    ----------
    capacity : int64[n, n]
        In place: the row and the column of the switch become 0.
    supply : int64[n]
        What each node sends to all ranks; 0 for switches, which are the first nodes.
    switches : int
    requirement : int
        All of it.
    log : int64[k, 4]
        Rows (u, switch, t, units), of which `done` are there; in place.
    done : int
        Before the switch; the switch is the one with channels to the fewest others.

    Returns
    -------
    int
        Rows of the log afterwards; -1 where all switches are out; -2 where the log is full.
    """
    n = capacity.shape[0]
    level, queue, at = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    path = np.empty(n + 2, np.int64)
    left = np.zeros((n + 1, n + 1), np.int64)
    begins, ends = np.zeros(n + 1, np.bool_), np.zeros(n + 1, np.bool_)
    near, nears = np.zeros((n + 1, n), np.int64), np.zeros(n + 1, np.int64)
    w, fewest = -1, 0
    for one in range(switches):
        degree = 0
        for v in range(n):
            degree += capacity[one, v] > 0
        if degree > 0 and (w < 0 or degree < fewest):
            w, fewest = one, degree
    if w < 0:
        return -1
    # Node n sends to each rank what it supplies; nothing comes back to where all begins.
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
        # Evenly from all first, for trees that are not deep; then what is left; back to where it came from at the last.
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
                        # Sides with u and t, without the switch and v.
                        begins[u] = begins[t] = ends[w] = True
                    else:
                        # Sides with the switch, without u, t and v.
                        begins[w] = ends[u] = ends[t] = True
                    # Sides without those asked before are known: what is left has them, and flows start near their end.
                    for before in range(i):
                        if not ends[hard[before]]:
                            begins[hard[before]] = True
                    room = (
                        _crossing(left, near, nears, begins, ends, requirement + most, level, queue, at, path)
                        - requirement
                    )
                    if room < most:
                        most = room
                        # Who is against it now will be against it again: asked first.
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
                    known = False
                    for j in range(nears[u]):
                        known = known or near[u, j] == t
                    if not known:
                        near[u, nears[u]], near[t, nears[t]] = t, u
                        nears[u] += 1
                        nears[t] += 1
                capacity[u, t] += most
    return done
