"""Repair of tables with few changed entries, along shortest paths; in trees along shortest paths that rise and then fall."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.rows import leads, path_lengths_of


@allocating
def shorten(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    ports: np.ndarray,
    none: int,
    home: np.ndarray,
    weight: np.ndarray,
    hosts: np.ndarray,
    stays: np.ndarray,
    index: np.ndarray,
    near: np.ndarray,
    region: np.ndarray,
    queue: np.ndarray,
    reached: np.ndarray,
    before: np.ndarray,
    load: np.ndarray,
    moved: np.ndarray,
    flag: np.ndarray,
) -> int:
    """Give every switch whose path is broken a shortest path, with as few changed entries as possible; return their number.

    A path that arrives stays, unless it was shortest before and a shorter one exists now. Of paths with equally many changes,
    the one with the least loaded channel is taken.

    Parameters
    ----------
    rises : bool[2 m]
        As for `distances`.
    ports : [R, n]
        `none` where there is no working entry; updated.
    home, weight : int64[R], int64[R]
        The switch of each row, and its number of hosts.
    hosts : int64[n]
        The hosts of each switch.
    stays : bool[R, n]
        Entries that are missing on purpose.
    index : int64[R]
        The index of each row's home in the four arrays that `distances` writes: near, region, queue, reached.
    before : int32[h, n]
        The shortest paths in the fabric before, by home; -1 where there was none.
    load : int64[2 m]
        Pairs of hosts over each channel; updated.
    moved : bool[R, n]
        Set where the path from a switch changed.
    """
    n = first.size - 1
    length, path = np.empty(n, np.int32), np.empty(n + 1, np.int64)
    cost, along, choice = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    done, needs, old = np.empty(n, np.bool_), np.empty(n, np.bool_), np.empty(n, ports.dtype)
    joins = np.empty(n, np.int64)
    changed = 0
    for r in range(len(ports)):
        if flag[0]:
            return changed
        row, i, h = ports[r], index[r], home[r]
        path_lengths_of(first, to, row, none, h, length, path)
        some = False
        for s in range(n):
            needs[s] = (
                s != h
                and near[i, s] >= 0
                and not (stays[r, s] and row[s] == none)
                and (length[s] < 0 or (length[s] > near[i, s] and length[s] == before[i, s]))
            )
            some = some or needs[s]
        if not some:
            continue
        old[:] = row
        along[:] = 0
        joins[:] = -1
        for q in range(reached[i]):
            s = np.int64(queue[i, q])
            cost[s], choice[s] = 0, -1
            done[s] = s == h or (0 <= length[s] <= near[i, s])
            if s == h:
                continue
            if done[s]:
                c = first[s] + np.int64(row[s])
                along[s] = max(load[c], along[to[c]])
                continue
            best, least, lightest = np.int64(1) << 62, np.int64(0), np.int64(0)
            for c in range(first[s], first[s + 1]):
                w = np.int64(to[c])
                if not leads(first, to, rises, near[i], region[i], s, c):
                    continue
                changes = cost[w] + (np.int64(row[s]) != c - first[s])
                heaviest = load[c]
                if needs[s]:  # with what this row has added meanwhile
                    while w != h:
                        e = first[w] + np.int64(row[w]) if done[w] else choice[w]
                        heaviest = max(heaviest, load[e])
                        w = np.int64(to[e])
                else:
                    heaviest = max(heaviest, along[w])
                if changes < best or (
                    changes == best and (heaviest < least or (heaviest == least and load[c] < lightest))
                ):
                    best, least, lightest, choice[s] = changes, heaviest, load[c], c
            cost[s], along[s] = best, least
            if not needs[s]:
                continue
            v = s
            while not done[v]:
                c = choice[v]
                if np.int64(row[v]) != c - first[v]:
                    row[v] = c - first[v]
                    changed += 1
                done[v] = True
                cost[v] = 0
                v = np.int64(to[c])
            # The hosts at this switch, and those behind it whose broken path leads here: they count from here on, and on their
            # whole path once it is decided.
            if hosts[s]:
                v = s if joins[s] < 0 else joins[s]
                while joins[s] >= 0 and v != h:
                    c = first[v] + np.int64(row[v])
                    load[c] -= weight[r] * hosts[s]
                    v = np.int64(to[c])
                joins[s] = s
            flow = hosts[s]
            if not hosts[s]:
                for t in range(n):
                    if not hosts[t] or not needs[t] or joins[t] >= 0:
                        continue
                    v = np.int64(t)
                    for _ in range(n):
                        if v == s or v == h or old[v] == none:
                            break
                        v = np.int64(to[first[v] + np.int64(old[v])])
                    if v == s:
                        joins[t] = s
                        flow += hosts[t]
            v = s
            while flow and v != h:
                c = first[v] + np.int64(row[v])
                load[c] += weight[r] * flow
                v = np.int64(to[c])
        # Paths that arrived, but pass a changed entry.
        for s in range(n):
            if needs[s]:
                moved[r, s] = True
                if length[s] >= 0:  # it is counted on its new path already
                    v = np.int64(s)
                    while v != h:
                        c = first[v] + np.int64(old[v])
                        load[c] -= weight[r] * hosts[s]
                        v = np.int64(to[c])
                continue
            if length[s] <= 0:
                continue
            v, differs = np.int64(s), False
            while v != h:
                differs = differs or old[v] != row[v]
                v = np.int64(to[first[v] + np.int64(old[v])])
            if not differs:
                continue
            moved[r, s] = True
            for which in range(2):
                v = np.int64(s)
                while v != h:
                    c = first[v] + np.int64(row[v] if which else old[v])
                    load[c] += (1 if which else -1) * weight[r] * hosts[s]
                    v = np.int64(to[c])
    return changed


@allocating
def cut_loops(first: np.ndarray, to: np.ndarray, ports: np.ndarray, none: int, home: np.ndarray) -> int:
    """Remove an entry of every loop of every row; ports: [R, n], updated. Returns the number of removed entries."""
    n = first.size - 1
    mark, cut = np.empty(n, np.int64), 0
    for r in range(len(ports)):
        mark[:] = -1
        mark[home[r]] = n
        for s in range(n):
            v = np.int64(s)
            while mark[v] < 0 and ports[r, v] != none:
                mark[v] = s
                w = np.int64(to[first[v] + np.int64(ports[r, v])])
                if mark[w] == s:
                    ports[r, v] = none
                    cut += 1
                    break
                v = w
    return cut
