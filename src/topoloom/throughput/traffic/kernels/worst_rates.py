"""How much a permutation can send over one channel where hosts or channels differ in rate.

A pair of hosts sends the lower of its two rates, so that the most is a matching of the greatest weight. Its nodes are the hosts
of one switch, or of one row of the tables, with one rate: `hosts` is int64[n, levels], `wanted` int64[rows, levels], and `rate`
the rate of each level, int64[levels], ascending whole numbers. The other arrays are those of `worst`.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.throughput.traffic.kernels.worst import _column, _sides


@allocating
def greatest_share(
    first: np.ndarray,
    ports: np.ndarray,
    order: np.ndarray,
    place: np.ndarray,
    size: np.ndarray,
    hosts: np.ndarray,
    wanted: np.ndarray,
    goal: np.ndarray,
    rate: np.ndarray,
    capacity: np.ndarray,
    begin: int,
    end: int,
    known: float,
) -> tuple[int, float]:
    """Return the channel of the switches begin .. end - 1 that some permutation fills most, the lowest of equals, and its load.

    Loads are shares of `capacity`, float64[2 m] in the unit of `rate`. A channel is skipped when the hosts on its two sides
    cannot exceed the best so far or reach `known`; -1, 0 when all are.
    """
    best, best_channel = 0.0, -1
    offered, taken = _offered(hosts, rate), _offered(wanted, rate)
    for u in range(begin, end):
        begins, row, start, count = _column(ports, place, size, taken, goal, u)
        for p in range(begins.size - 1):
            a, b, channel = begins[p], begins[p + 1], first[u] + p
            senders, getters, pairs = _sides(order, offered, taken, row[a:b], start[a:b], count[a:b])
            most = min(senders, getters) / capacity[channel]
            if most > best and most >= known:
                amount = _heaviest(order, hosts, wanted, rate, row[a:b], start[a:b], count[a:b], pairs)[0]
                if amount / capacity[channel] > best:
                    best, best_channel = amount / capacity[channel], channel
    return best_channel, best


@allocating
def heaviest_matching(
    ports: np.ndarray,
    order: np.ndarray,
    place: np.ndarray,
    size: np.ndarray,
    hosts: np.ndarray,
    wanted: np.ndarray,
    goal: np.ndarray,
    rate: np.ndarray,
    u: int,
    p: int,
) -> np.ndarray:
    """Return a matching of the greatest weight over port p of switch u, int64[k, 5].

    Columns: source switch, level of its hosts, row of the destination, level of its hosts, hosts.
    """
    offered, taken = _offered(hosts, rate), _offered(wanted, rate)
    begins, row, start, count = _column(ports, place, size, taken, goal, u)
    a, b = begins[p], begins[p + 1]
    row, start, count = row[a:b], start[a:b], count[a:b]
    pairs = _sides(order, offered, taken, row, start, count)[2]
    _, source, destination, flow = _heaviest(order, hosts, wanted, rate, row, start, count, pairs)
    used = 0
    for e in range(pairs):
        used += np.count_nonzero(flow[e])
    matched = np.empty((used, 5), np.int64)
    number = 0
    for e in range(pairs):
        for i in range(rate.size):
            for j in range(rate.size):
                if flow[e, i, j] > 0:
                    matched[number, 0], matched[number, 1], matched[number, 2] = source[e], i, destination[e]
                    matched[number, 3], matched[number, 4] = j, flow[e, i, j]
                    number += 1
    return matched


@allocating
def _offered(hosts: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return the rate of all hosts of each switch or row, int64."""
    offered = np.zeros(hosts.shape[0], np.int64)
    for s in range(hosts.shape[0]):
        for i in range(rate.size):
            offered[s] += hosts[s, i] * rate[i]
    return offered


@allocating
def _heaviest(
    order: np.ndarray,
    hosts: np.ndarray,
    wanted: np.ndarray,
    rate: np.ndarray,
    row: np.ndarray,
    start: np.ndarray,
    count: np.ndarray,
    pairs: int,
) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return the greatest weight of a matching over a port, its pairs of switches, and the hosts of each pair and two levels.

    Pairs: source and destination int64[pairs]; hosts int64[pairs, levels, levels]. The matching grows along augmenting paths,
    the heaviest first (successive longest paths, by Bellman and Ford), until none adds weight. So each state is the heaviest of
    its number of hosts, and the weights of paths never grow.
    """
    n, rows, levels, filled = hosts.shape[0], row.size, rate.size, 0
    source, destination = np.empty(pairs, np.int64), np.empty(pairs, np.int64)
    flow = np.zeros((pairs, levels, levels), np.int64)
    for d in range(rows):
        for place in range(start[d], start[d] + count[d]):
            s = np.int64(order[row[d], place])
            if hosts[s].any():
                source[filled], destination[filled] = s, d
                filled += 1
    left, room = hosts.copy(), wanted[row]
    never = -(np.int64(1) << 62)
    # The weight of the heaviest path to the hosts of each switch and level, and the pair and level by which it arrives.
    sent, got = np.empty((n, levels), np.int64), np.empty((rows, levels), np.int64)
    sent_by, got_by = np.empty((n, levels), np.int64), np.empty((rows, levels), np.int64)
    sent_level, got_level = np.empty((n, levels), np.int64), np.empty((rows, levels), np.int64)
    total = 0
    while True:
        got[:] = never
        for s in range(n):
            for i in range(levels):
                sent[s, i] = 0 if left[s, i] > 0 else never
                sent_by[s, i] = -1
        changed = True
        while changed:
            changed = False
            for e in range(pairs):
                s, d = source[e], destination[e]
                for i in range(levels):
                    for j in range(levels):
                        weight = min(rate[i], rate[j])
                        if sent[s, i] > never and sent[s, i] + weight > got[d, j]:
                            got[d, j], got_by[d, j], got_level[d, j] = sent[s, i] + weight, e, i
                            changed = True
                        if flow[e, i, j] > 0 and got[d, j] > never and got[d, j] - weight > sent[s, i]:
                            sent[s, i], sent_by[s, i], sent_level[s, i] = got[d, j] - weight, e, j
                            changed = True
        best, d, j = np.int64(0), np.int64(-1), np.int64(-1)
        for e in range(pairs):
            for level in range(levels):
                if room[destination[e], level] > 0 and got[destination[e], level] > best:
                    best, d, j = got[destination[e], level], destination[e], level
        if d < 0:
            return total, source, row[destination], flow
        # The hosts that the path can move: at its ends, and against the flow.
        amount, at, level = room[d, j], d, j
        while True:
            e, i = got_by[at, level], got_level[at, level]
            s = source[e]
            if sent_by[s, i] < 0:
                amount = min(amount, left[s, i])
                break
            back, level = sent_by[s, i], sent_level[s, i]
            amount = min(amount, flow[back, i, level])
            at = destination[back]
        room[d, j] -= amount
        total += amount * best
        at, level = d, j
        while True:
            e, i = got_by[at, level], got_level[at, level]
            s = source[e]
            flow[e, i, level] += amount
            if sent_by[s, i] < 0:
                left[s, i] -= amount
                break
            back, level = sent_by[s, i], sent_level[s, i]
            flow[back, i, level] -= amount
            at = destination[back]
