"""Trees of paths that rise to a nearest common ancestor and then fall."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@inner
def _add(first, to, rising, under, cost, unreached, weight, ports, d, flow, load, sign):  # type: ignore[no-untyped-def]
    """Add the host pairs of a destination's tree to the loads, or remove them (`sign` -1)."""
    n = first.size - 1
    for s in range(n):
        flow[s] = weight[s] * weight[d]
    for falls in (False, True):  # sum rising paths from the lowest level up, then falling paths down
        for k in range(n):
            s = rising[n - 1 - k] if falls else rising[k]
            if under[s] == falls and s != d and cost[s] < unreached:
                c = first[s] + ports[d, s]
                load[c] += sign * flow[s]
                flow[to[c]] += flow[s]


@allocating
def ancestor_trees(
    first: np.ndarray,
    to: np.ndarray,
    level: np.ndarray,
    rising: np.ndarray,
    destinations: np.ndarray,
    weight: np.ndarray,
    ports: np.ndarray,
    none: int,
    load: np.ndarray,
    again: bool,
) -> int:
    """Write ports[d] for the destinations in their order; return a destination that a switch with hosts cannot reach, or -1.

    Parameters
    ----------
    level, rising : int64[n]
        The level of each switch, and the switches sorted by it, lowest first.
    weight : int64[n]
        Hosts of each switch.
    load : int64[2 m]
        Pairs of hosts over each channel so far; updated. Of equally short paths, the one with the smallest maximum channel load
        is taken; ties go to the first port from an offset by destination and switch.
    again : bool
        Whether the trees exist already; they are removed before they are rebuilt.

    Cost O(destinations m).
    """
    n = first.size - 1
    unreached = np.int64(1) << 40
    cost, flow, total = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    under = np.empty(n, np.bool_)
    for d in destinations:
        cost[:] = unreached
        under[:] = False
        under[d] = True
        cost[d] = 0
        for s in rising:
            if under[s]:
                for c in range(first[s], first[s + 1]):
                    if level[to[c]] > level[s]:
                        under[to[c]] = True
                        cost[to[c]] = cost[s] + 1
        for k in range(n):
            s = rising[n - 1 - k]
            if not under[s]:
                for c in range(first[s], first[s + 1]):
                    if level[to[c]] > level[s]:
                        cost[s] = min(cost[s], cost[to[c]] + 1)
                if cost[s] >= unreached and weight[s] > 0 and weight[d] > 0:
                    return int(d)
        if again:
            _add(first, to, rising, under, cost, unreached, weight, ports, d, flow, load, -1)
        # Choose first the paths down, then the paths up, with the smallest maximum channel load.
        total[d] = 0
        for falls in (True, False):
            for k in range(n):
                s = rising[k] if falls else rising[n - 1 - k]
                if under[s] != falls or s == d or cost[s] >= unreached:
                    continue
                degree = first[s + 1] - first[s]
                chosen = np.int64(-1)
                for i in range(degree):
                    c = first[s] + (s + d + i) % degree
                    up = level[to[c]] > level[s]
                    if up == falls or (falls and not under[to[c]]) or cost[to[c]] + 1 != cost[s]:
                        continue
                    if chosen < 0 or max(load[c], total[to[c]]) < total[s]:
                        chosen, total[s] = np.int64(c), max(load[c], total[to[c]])
                ports[d, s] = chosen - first[s]
        _add(first, to, rising, under, cost, unreached, weight, ports, d, flow, load, 1)
        ports[d, d] = none
        # A switch without d below it forwards to a neighbour with a path; no path between hosts passes such a switch.
        changed = True
        while changed:
            changed = False
            for k in range(n):
                s = rising[n - 1 - k]
                if cost[s] < unreached:
                    continue
                for c in range(first[s], first[s + 1]):
                    if cost[to[c]] + 1 < cost[s] and cost[to[c]] < unreached:
                        cost[s] = cost[to[c]] + 1
                        ports[d, s] = c - first[s]
                        changed = True
    return -1
