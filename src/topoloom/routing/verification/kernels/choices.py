"""Dependencies between channels if packets may choose among shortest paths or among layers of tables."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel
from topoloom.routing.verification.kernels.follow import ACROSS


@allocating
def all_turns(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    distance: np.ndarray,
    sources: np.ndarray,
    turns: np.ndarray,
) -> None:
    """Mark every turn, uint64[turns], of every shortest path from `sources`, bool[n]; distance: int32[k, n] to k switches."""
    n = first.size - 1
    on_path = np.empty(n, np.bool_)
    for row in range(distance.shape[0]):
        hops = distance[row]
        order = np.argsort(-hops)
        for each in range(sources.size):
            on_path[each] = sources[each]
        for i in range(n):
            v = order[i]
            if hops[v] <= 0 or not on_path[v]:
                continue
            for c in range(first[v], first[v + 1]):
                w = np.int64(to[c])
                if hops[w] != hops[v] - 1:
                    continue
                on_path[w] = True
                degree = first[w + 1] - first[w]
                for e in range(first[w], first[w + 1]):
                    if hops[to[e]] == hops[w] - 1:
                        turns[turn_first[w] + (back[c] - first[w]) * degree + e - first[w]] |= np.uint64(1)


@allocating
def extended_cycle(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    ports: np.ndarray,
    vcs: np.ndarray,
    count: int,
    distance: np.ndarray,
    carries: np.ndarray,
    flag: np.ndarray,
) -> np.ndarray:
    """Return channels of the tables that wait for each other in a cycle, each as channel * count + virtual channel; empty:
    none.

    A packet that arrived at a switch on a channel of the tables may continue by shortest paths to any later switch and request
    the tables' channel there. So the nodes of the graph are the channels, and one place (d, v) for packets to d that have used
    the tables and are at switch v. Edges lead from channels to places, from places to places one hop nearer, and from each
    place to the tables' channel there. The graph is reduced by topological sort (Kahn, 1962). Cost: O(n * 2m) time, n^2 + 2 m
    count nodes.

    Parameters
    ----------
    vcs : uint8[n, n] or uint8[0, 0]
        The virtual channel by destination and switch.
    distance : uint16[n, n]
    carries : bool[n]
        Destinations.
    flag : uint8[1]
        Not 0: the work was stopped.
    """
    n = first.size - 1
    size = to.size * count
    waits = np.zeros(size + n * n, np.int32)
    for d in range(n):
        if flag[0]:
            return np.empty(0, np.int64)
        if not carries[d]:
            continue
        for v in range(n):
            if v == d:
                continue
            vc = np.int64(vcs[d, v]) if vcs.size else np.int64(0)
            c = first[v] + ports[d, v]
            waits[c * count + vc] += 1
            if to[c] != d:
                waits[size + d * n + to[c]] += 1
            for e in range(first[v], first[v + 1]):
                if to[e] != d and distance[d, to[e]] + 1 == distance[d, v]:
                    waits[size + d * n + to[e]] += 1
    free = np.empty(waits.size, np.int64)
    freed = 0
    for i in range(waits.size):
        if waits[i] == 0:
            free[freed] = i
            freed += 1
    taken = 0
    while taken < freed:
        at = free[taken]
        taken += 1
        if flag[0]:
            return np.empty(0, np.int64)
        if at < size:
            c, vc = at // count, at % count
            v = np.int64(to[back[c]])
            w = np.int64(to[c])
            for d in range(n):
                if not carries[d] or d == v or d == w or first[v] + ports[d, v] != c:
                    continue
                if (np.int64(vcs[d, v]) if vcs.size else np.int64(0)) != vc:
                    continue
                place = size + d * n + w
                waits[place] -= 1
                if waits[place] == 0:
                    free[freed] = place
                    freed += 1
            continue
        d, v = (at - size) // n, (at - size) % n
        if d == v or not carries[d]:
            continue
        for e in range(first[v], first[v + 1]):
            if to[e] != d and distance[d, to[e]] + 1 == distance[d, v]:
                place = size + d * n + to[e]
                waits[place] -= 1
                if waits[place] == 0:
                    free[freed] = place
                    freed += 1
        requested = (first[v] + ports[d, v]) * count + (np.int64(vcs[d, v]) if vcs.size else np.int64(0))
        waits[requested] -= 1
        if waits[requested] == 0:
            free[freed] = requested
            freed += 1
    if taken == waits.size:
        return np.empty(0, np.int64)
    return _ring(first, to, back, ports, vcs, count, distance, carries, waits)


@allocating
def _ring(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    ports: np.ndarray,
    vcs: np.ndarray,
    count: int,
    distance: np.ndarray,
    carries: np.ndarray,
    waits: np.ndarray,
) -> np.ndarray:
    """Follow predecessors among the remaining nodes until one repeats; return the channels on this cycle."""
    n = first.size - 1
    size = to.size * count
    seen = np.full(waits.size, -1, np.int64)
    trail = np.empty(waits.size, np.int64)
    at, length = np.int64(0), 0
    while waits[at] == 0:
        at += 1
    while seen[at] < 0:
        seen[at] = length
        trail[length] = at
        length += 1
        before = np.int64(-1)
        if at < size:  # a channel is requested from the places of its switch
            c, vc = at // count, at % count
            v = np.int64(to[back[c]])
            for d in range(n):
                if not carries[d] or d == v or first[v] + ports[d, v] != c or waits[size + d * n + v] == 0:
                    continue
                if (np.int64(vcs[d, v]) if vcs.size else np.int64(0)) == vc:
                    before = size + d * n + v
                    break
        else:
            d, w = (at - size) // n, (at - size) % n
            for e in range(first[w], first[w + 1]):
                v = np.int64(to[e])
                c = np.int64(back[e])
                if v == d:
                    continue
                if distance[d, w] + 1 == distance[d, v] and waits[size + d * n + v] > 0:
                    before = size + d * n + v
                    break
                if first[v] + ports[d, v] == c:
                    vc = np.int64(vcs[d, v]) if vcs.size else np.int64(0)
                    if waits[c * count + vc] > 0:
                        before = c * count + vc
                        break
        at = before
    ring = trail[seen[at] : length][::-1]
    return ring[ring < size].copy()


@kernel
def layer_turns(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    ports: np.ndarray,
    vcs: np.ndarray,
    takes: np.ndarray,
    carries: np.ndarray,
    turns: np.ndarray,
    flag: np.ndarray,
) -> None:
    """Mark the turns, with virtual channels before and after, of the paths of all pairs that may take a layer.

    vcs : uint8[n, n]
        The virtual channel by destination and switch.
    takes : bool[n, n]
        Whether the pair may take the layer, by destination and source.
    flag : uint8[1]
        Not 0: the work was stopped.
    """
    n = first.size - 1
    for d in range(n):
        if flag[0]:
            return
        if not carries[d]:
            continue
        for s in range(n):
            if s == d or not carries[s] or not takes[d, s]:
                continue
            v, came, vc = s, np.int64(-1), np.int64(0)
            for _ in range(n):
                if v == d:
                    break
                channel = first[v] + np.int64(ports[d, v])
                if came >= 0:
                    degree = first[v + 1] - first[v]
                    turn = turn_first[v] + (np.int64(back[came]) - first[v]) * degree + channel - first[v]
                    turns[turn] |= np.uint64(1) << np.uint64(ACROSS * vc + np.int64(vcs[d, v]))
                came, vc = channel, np.int64(vcs[d, v])
                v = np.int64(to[channel])
