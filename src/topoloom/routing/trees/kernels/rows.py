"""Rows of tables, one per destination: the lengths of paths, the loads, and the ways that a tree allows."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner

#: The regions of a tree for a destination: switches above it, from which paths fall; others, from which paths rise; and
#: switches without such a path, which take the nearest neighbour.
FALLS, RISES, ANY = 2, 1, 0


@allocating
def distances(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    homes: np.ndarray,
    near: np.ndarray,
    region: np.ndarray,
    queue: np.ndarray,
    reached: np.ndarray,
) -> None:
    """Write the hops from every switch to each home switch (-1: no path), and the region of each switch.

    Parameters
    ----------
    rises : bool[2 m]
        Whether a channel leads upwards in a tree; of size 0: no tree, all shortest paths are allowed.
    homes : int64[h]
    near, region, queue : int32[h, n], uint8[h, n], int32[h, n]
        Written; `queue` has the switches by hops, nearest first.
    reached : int64[h]
        The number of switches in each queue.
    """
    n = first.size - 1
    for i in range(homes.size):
        hops, where = near[i], region[i]
        hops[:] = -1
        where[:] = ANY
        hops[homes[i]] = 0
        if rises.size:
            where[homes[i]] = FALLS
            for phase in range(2):  # first the switches above the home, then those below these
                length, grown = 0, True
                while grown or length <= hops.max():
                    grown = False
                    for v in range(n):
                        if hops[v] != length or (phase == 0 and where[v] != FALLS):
                            continue
                        for c in range(first[v], first[v + 1]):
                            w = to[c]
                            if hops[w] < 0 and rises[c] == (phase == 0):
                                hops[w] = length + 1
                                where[w] = FALLS if phase == 0 else RISES
                                grown = True
                    length += 1
        length, grown = 0, True
        while grown or length <= hops.max():
            grown = False
            for v in range(n):
                if hops[v] != length:
                    continue
                for c in range(first[v], first[v + 1]):
                    if hops[to[c]] < 0:
                        hops[to[c]] = length + 1
                        grown = True
            length += 1
        count = 0
        for length in range(hops.max() + 1):
            for v in range(n):
                if hops[v] == length:
                    queue[i, count] = v
                    count += 1
        reached[i] = count


@allocating
def path_lengths_of(
    first: np.ndarray, to: np.ndarray, row: np.ndarray, none: int, home: int, length: np.ndarray, path: np.ndarray
) -> None:
    """Write the hops from every switch to `home` with the entries `row` into length, int32[n]; -2: it does not arrive.

    path: int64[n + 1], scratch.
    """
    length[:] = -1
    length[home] = 0
    for s in range(row.size):
        v, count = np.int64(s), 0
        while length[v] == -1 and row[v] != none:
            length[v] = -3  # on the path that is followed
            path[count] = v
            count += 1
            v = np.int64(to[first[v] + np.int64(row[v])])
        if length[v] == -1:
            length[v] = -2
        hops = length[v] if length[v] >= 0 else np.int32(-2)
        for i in range(count - 1, -1, -1):
            hops = np.int32(hops + 1) if hops >= 0 else np.int32(-2)
            length[path[i]] = hops


@allocating
def lengths_of_rows(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, none: int, home: np.ndarray, lengths: np.ndarray
) -> None:
    """Write the hops from every switch to the home of each row, int32[R, n]; -2: it does not arrive."""
    path = np.empty(first.size, np.int64)
    for r in range(len(ports)):
        path_lengths_of(first, to, ports[r], none, home[r], lengths[r], path)


@allocating
def loads_of(
    first: np.ndarray,
    to: np.ndarray,
    ports: np.ndarray,
    none: int,
    home: np.ndarray,
    weight: np.ndarray,
    hosts: np.ndarray,
) -> np.ndarray:
    """The pairs of hosts over each channel, int64[2 m]; only paths that arrive count.

    ports: [R, n]; weight: int64[R], the hosts of each row; hosts: int64[n], the hosts of each switch.
    """
    n = first.size - 1
    load, path = np.zeros(to.size, np.int64), np.empty(n + 1, np.int64)
    length = np.empty(n, np.int32)
    for r in range(len(ports)):
        if not weight[r]:
            continue
        path_lengths_of(first, to, ports[r], none, home[r], length, path)
        for s in range(n):
            if hosts[s] and length[s] > 0:
                v = np.int64(s)
                for _ in range(length[s]):
                    c = first[v] + np.int64(ports[r, v])
                    load[c] += weight[r] * hosts[s]
                    v = np.int64(to[c])
    return load


@inner
def leads(first, to, rises, near, region, s, c):  # type: ignore[no-untyped-def]
    """Whether channel c of switch s is on a shortest path to the destination of `near` and `region` that the tree allows."""
    w = to[c]
    if near[w] < 0 or near[w] + 1 != near[s]:
        return False
    if region[s] == FALLS:
        return not rises[c] and region[w] == FALLS
    return region[s] != RISES or rises[c]
