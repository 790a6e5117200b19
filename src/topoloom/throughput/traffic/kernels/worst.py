"""How many hosts a permutation can send over one channel: maximum matchings of its possible sources and destinations.

A destination is a row of the tables: a switch, or the hosts of a switch to which one of several tables leads. A source switch
and a destination are adjacent when the tables' path between them uses the channel; each has a capacity equal to its hosts,
`hosts` (int64[n]) and `wanted` (int64[rows]). The trees are those of `tree_walk.fill_trees`. The data about one switch u is
copied from their columns once for all its channels, sorted by the port of u: port p leads to the destinations
row[begins[p] : begins[p + 1]], ascending, and order[d, start : start + count] are the switches that reach d through u. Source:
Towles and Dally, SPAA 2002.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating


@allocating
def greatest(
    first: np.ndarray,
    ports: np.ndarray,
    order: np.ndarray,
    place: np.ndarray,
    size: np.ndarray,
    hosts: np.ndarray,
    wanted: np.ndarray,
    goal: np.ndarray,
    begin: int,
    end: int,
    known: int,
) -> tuple[int, int]:
    """Return the channel of the switches begin .. end - 1 that some permutation loads most (the lowest of equals), and the
    load.

    A channel is skipped when the hosts on its two sides cannot exceed the best so far or reach `known`; -1, 0 when all are.
    """
    best, best_channel = 0, -1
    for u in range(begin, end):
        begins, row, start, count = _column(ports, place, size, wanted, goal, u)
        for p in range(begins.size - 1):
            a, b = begins[p], begins[p + 1]
            senders, getters, pairs = _sides(order, hosts, wanted, row[a:b], start[a:b], count[a:b])
            most = min(senders, getters)
            if most > best and most >= known:
                load = _match(order, hosts, wanted, row[a:b], start[a:b], count[a:b], pairs, most)[0]
                if load > best:
                    best, best_channel = load, first[u] + p
    return best_channel, best


@allocating
def matching(
    ports: np.ndarray,
    order: np.ndarray,
    place: np.ndarray,
    size: np.ndarray,
    hosts: np.ndarray,
    wanted: np.ndarray,
    goal: np.ndarray,
    u: int,
    p: int,
) -> np.ndarray:
    """Return a maximum matching over port p of switch u, int64[k, 3]: source switch, row of the destination, hosts."""
    begins, row, start, count = _column(ports, place, size, wanted, goal, u)
    a, b = begins[p], begins[p + 1]
    row, start, count = row[a:b], start[a:b], count[a:b]
    senders, getters, pairs = _sides(order, hosts, wanted, row, start, count)
    _, source, destination, flow = _match(order, hosts, wanted, row, start, count, pairs, min(senders, getters))
    used = np.flatnonzero(flow)
    pairs_used = np.empty((used.size, 3), np.int64)
    for i in range(used.size):
        pairs_used[i] = source[used[i]], destination[used[i]], flow[used[i]]
    return pairs_used


@allocating
def _column(
    ports: np.ndarray, place: np.ndarray, size: np.ndarray, wanted: np.ndarray, goal: np.ndarray, u: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return begins, row, start and count of switch u; u itself, rows without hosts and rows that u does not reach are left
    out.
    """
    rows, ports_used = wanted.size, 0
    port = np.full(rows, -1, np.int64)
    for d in range(rows):
        if goal[d] != u and wanted[d] > 0 and size[d, u] > 0:
            port[d] = ports[d, u]
            ports_used = max(ports_used, port[d] + 1)
    begins = np.zeros(ports_used + 1, np.int64)
    for d in range(rows):
        if port[d] >= 0:
            begins[port[d] + 1] += 1
    begins = np.cumsum(begins)
    fill, used = begins.copy(), begins[ports_used]
    row, start, count = np.empty(used, np.int64), np.empty(used, np.int64), np.empty(used, np.int64)
    for d in range(rows):
        if port[d] >= 0:
            i = fill[port[d]]
            row[i], start[i], count[i] = d, place[d, u], size[d, u]
            fill[port[d]] += 1
    return begins, row, start, count


@allocating
def _sides(
    order: np.ndarray, hosts: np.ndarray, wanted: np.ndarray, row: np.ndarray, start: np.ndarray, count: np.ndarray
) -> tuple[int, int, int]:
    """Return how many hosts may send over a port and how many may receive over it, and how many pairs of switches use it."""
    seen = np.zeros(hosts.size, np.bool_)
    senders = getters = pairs = 0
    for d in range(row.size):
        getters += wanted[row[d]]
        for i in range(start[d], start[d] + count[d]):
            s = np.int64(order[row[d], i])
            if hosts[s] > 0:
                pairs += 1
                if not seen[s]:
                    seen[s] = True
                    senders += hosts[s]
    return senders, getters, pairs


@allocating
def _match(
    order: np.ndarray,
    hosts: np.ndarray,
    wanted: np.ndarray,
    row: np.ndarray,
    start: np.ndarray,
    count: np.ndarray,
    pairs: int,
    most: int,
) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return the most hosts of a matching over a port, at most `most`, and its pairs: source, destination, hosts int64[pairs].

    The matching is first greedy, sources with the fewest destinations first; then augmenting paths are searched breadth first.
    Switches that an unsuccessful search has visited can never be on an augmenting path (the Hungarian tree) and are skipped
    from then on.
    """
    n, rows, filled = hosts.size, row.size, 0
    source, destination = np.empty(pairs, np.int64), np.empty(pairs, np.int64)
    flow = np.zeros(pairs, np.int64)
    begins = np.zeros(rows + 1, np.int64)  # where the pairs of each destination begin
    degree = np.zeros(n + 1, np.int64)
    for d in range(rows):
        begins[d] = filled
        for i in range(start[d], start[d] + count[d]):
            s = np.int64(order[row[d], i])
            if hosts[s] > 0:
                source[filled], destination[filled] = s, d
                degree[s + 1] += 1
                filled += 1
    begins[rows] = filled
    by = np.argsort(degree[1:], kind="mergesort")
    ends = np.cumsum(degree)
    listed, fill = np.empty(pairs, np.int64), ends[:n].copy()  # the pairs of each source
    for e in range(pairs):
        listed[fill[source[e]]] = e
        fill[source[e]] += 1
    # Greedy matching.
    left, room = hosts.copy(), wanted[row]
    total = 0
    for s in by:
        for i in range(ends[s], ends[s + 1]):
            if left[s] == 0:
                break
            e = listed[i]
            amount = min(left[s], room[destination[e]])
            if amount > 0:
                flow[e] += amount
                left[s] -= amount
                room[destination[e]] -= amount
                total += amount
    # Augmenting paths. Marks per source and destination: 0 not visited, the number of the search, or -1 excluded. sent_by,
    # got_by: the pair by which each source and each destination was reached.
    sent, got = np.zeros(n, np.int64), np.zeros(rows, np.int64)
    sent_by, got_by, queue = np.full(n, -1, np.int64), np.full(rows, -1, np.int64), np.empty(n, np.int64)
    search = 0
    for root in by:
        while total < most and left[root] > 0 and ends[root] < ends[root + 1] and sent[root] >= 0:
            search += 1
            queue[0], sent[root], sent_by[root] = root, search, -1
            head, tail, last = 0, 1, -1
            while head < tail and last < 0:
                s = queue[head]
                head += 1
                for i in range(ends[s], ends[s + 1]):
                    d = destination[listed[i]]
                    if got[d] < 0 or got[d] == search:
                        continue
                    got[d], got_by[d] = search, listed[i]
                    if room[d] > 0:
                        last = d
                        break
                    for e in range(begins[d], begins[d + 1]):
                        other = source[e]
                        if flow[e] > 0 and sent[other] >= 0 and sent[other] != search:
                            sent[other], sent_by[other] = search, e
                            queue[tail] = other
                            tail += 1
            if last < 0:
                for v in range(n):
                    sent[v] = -1 if sent[v] == search else sent[v]
                for v in range(rows):
                    got[v] = -1 if got[v] == search else got[v]
                break
            # Augment: find the least flow along the path, then shift it.
            amount, d = min(left[root], room[last]), last
            while sent_by[source[got_by[d]]] >= 0:
                e = sent_by[source[got_by[d]]]
                amount = min(amount, flow[e])
                d = destination[e]
            room[last] -= amount
            left[root] -= amount
            total += amount
            d = last
            while True:
                flow[got_by[d]] += amount
                e = sent_by[source[got_by[d]]]
                if e < 0:
                    break
                flow[e] -= amount
                d = destination[e]
    return total, source, row[destination], flow
