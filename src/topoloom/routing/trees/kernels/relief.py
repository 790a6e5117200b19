"""Moves pairs away from the fullest channels of tables, entry by entry."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.ranked_trees import grown_cost
from topoloom.routing.trees.kernels.rows import leads, path_lengths_of


@allocating
def relieve(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    ports: np.ndarray,
    none: int,
    home: np.ndarray,
    weight: np.ndarray,
    hosts: np.ndarray,
    index: np.ndarray,
    near: np.ndarray,
    region: np.ndarray,
    scale: np.ndarray,
    limit: float,
    most: int,
    order: np.ndarray,
    may_change: np.ndarray,
    load: np.ndarray,
    moved: np.ndarray,
    flag: np.ndarray,
) -> int:
    """Change entries whose packets pass a channel with a load above `limit`, at most `most`; return how many changed.

    The new path is a shortest one that the tree allows. No channel of it gets a load as large as that of the channel that is
    relieved, and of several the one is taken for which the eighth powers of the loads fall most.

    Parameters
    ----------
    first, to : int64[n + 1], int[2 m]
        The channels.
    rises, near, region
        As for `distances`.
    ports : uint8 or uint16[R, n]
        Updated; `none` where there is no entry. No loops.
    home, weight, index : int64[R]
        The switch of each row, its hosts, and the place of this switch in `near` and `region`.
    hosts : int64[n]
    scale : float64[2 m]
        1 / the capacity of each channel.
    limit : float
        Pairs of hosts over a channel of capacity 1.
    order : int64[k]
        The rows that may change, in this order.
    may_change : bool[R, n] or bool[0, 0]
        The entries that may change; all of them when empty.
    load : float64[2 m]
        Pairs of hosts over each channel; updated.
    moved : bool[R, n] or bool[0, 0]
        Set where the path from a switch may have changed.
    flag : uint8[1]
        Not 0: the work was stopped.

    Cost O(k n), and per switch on a full channel its channels times the hops.
    """
    n, changed, stamp = first.size - 1, 0, 0
    length, path = np.empty(n, np.int32), np.empty(n + 1, np.int64)
    flow, nearest, mark = np.empty(n), np.empty(n, np.int64), np.zeros(n, np.int64)
    for r in order:
        if flag[0] or changed >= most:
            break
        row, i, h = ports[r], index[r], home[r]
        path_lengths_of(first, to, row, none, h, length, path)
        count = 0
        for hops in range(1, length.max() + 1):
            for v in range(n):
                if length[v] == hops:
                    nearest[count] = v
                    count += 1
        for v in range(n):
            flow[v] = hosts[v] * weight[r] if length[v] > 0 else 0.0
        for place in range(count - 1, -1, -1):
            v = nearest[place]
            flow[to[first[v] + np.int64(row[v])]] += flow[v]
        for place in range(count):  # where most packets pass comes first
            s = nearest[place]
            if flow[s] <= 0.0 or length[s] != near[i, s] or changed >= most:
                continue
            if may_change.size and not may_change[r, s]:
                continue
            stamp += 1
            v, full = s, 0.0
            while v != h:
                mark[v] = stamp
                c = first[v] + np.int64(row[v])
                full = max(full, load[c] * scale[c])
                v = np.int64(to[c])
            if full <= limit:
                continue
            mark[h] = stamp
            best, best_gain = np.int64(-1), 0.0
            for c in range(first[s], first[s + 1]):
                w = np.int64(to[c])
                if length[w] != near[i, w] or not leads(first, to, rises, near[i], region[i], s, c):
                    continue
                gain = -grown_cost(load[c], flow[s], scale[c])
                fullest = (load[c] + flow[s]) * scale[c]
                while mark[w] != stamp:  # until it joins the old path
                    e = first[w] + np.int64(row[w])
                    gain -= grown_cost(load[e], flow[s], scale[e])
                    fullest = max(fullest, (load[e] + flow[s]) * scale[e])
                    w = np.int64(to[e])
                v, full = s, 0.0
                while v != w:
                    e = first[v] + np.int64(row[v])
                    gain += grown_cost(load[e] - flow[s], flow[s], scale[e])
                    full = max(full, load[e] * scale[e])
                    v = np.int64(to[e])
                if full > limit and fullest < full and gain > best_gain:
                    best, best_gain = c, gain
            if best < 0:
                continue
            moving = flow[s]
            for after in range(2):
                v = s
                while v != h:
                    c = first[v] + np.int64(row[v])
                    load[c] += moving if after else -moving
                    v = np.int64(to[c])
                    flow[v] += moving if after else -moving
                if not after:
                    row[s] = best - first[s]
            changed += 1
            if moved.size:
                moved[r, s] = True
                for later in range(place + 1, count):  # the switches behind it
                    v = nearest[later]
                    if moved[r, to[first[v] + np.int64(row[v])]] and v != h:
                        moved[r, v] = True
    return changed
