"""Follow tables hop by hop, and find a cycle among the channels that wait for each other.

A turn is an in-port and an out-port of a switch; turns are numbered by switch, then in-port, then out-port:
turn_first[w] + q * degree(w) + p. The virtual channels that use a turn are the bits of a word: bit l if packets keep their
virtual channel l, bit ACROSS * l + k if they arrive in virtual channel l and continue in virtual channel k.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel, stage

#: Most virtual channels that packets may change between: a 64-bit word has one bit per pair of them.
ACROSS = 8
#: Trees per group: their loads and turns are added together.
_TOGETHER = 8


@allocating
def follow(
    first: np.ndarray,
    to: np.ndarray,
    turn_row: np.ndarray,
    ports: np.ndarray,
    vcs: np.ndarray,
    across: bool,
    sources: np.ndarray,
    carries: np.ndarray,
    destinations: np.ndarray,
    distance: np.ndarray,
    turns: np.ndarray,
    channel_load: np.ndarray,
    switch_load: np.ndarray,
    histogram: np.ndarray,
    virtual_channel_pairs: np.ndarray,
    counts: np.ndarray,
    example: np.ndarray,
) -> None:
    """Follow the paths from every switch to `destinations`, int64[k], and add up loads, turns and hops.

    Loads count pairs of switches in `carries`; turns count paths from switches in `sources` to them; both bool[n]. Values of
    one tree are computed tree by tree, in the nearest cache. Loads and turns are larger arrays, so they are updated switch by
    switch for a few trees together.

    Parameters
    ----------
    first, to : int64[n + 1], int32[2 m]
        The channels.
    turn_row : int64[2 m]
        For each channel, the turn from it to the first port of the switch that it leads to.
    ports, vcs : [n, n], uint8[n, n] or uint8[0, 0]
        The tables; an empty `vcs` means virtual channel 0.
    across : bool
        Whether a switch forwards in its own virtual channel for the destination; otherwise packets keep their source's.
    distance : int32[k, at least n]
        Fewest hops to each destination, -1 if there is no path.
    turns : uint8 or uint64[turn_first[n]]
        The virtual channels that use each turn (bits); updated.
    channel_load, switch_load : int64[2 m], int64[n]
        Pairs over each channel, and pairs that pass through each switch (not its own); updated.
    histogram : int64[n]
        Pairs by number of hops; updated.
    virtual_channel_pairs : int64[256]
        Pairs by virtual channel; updated.
    counts : int64[6]
        Updated: pairs lost in cycles; pairs that end at a switch without a port; pairs reached in the fewest hops; pairs
        without any path; then the most hops of pairs with data, and the sum of the fewest hops of all pairs.
    example : int64[2, 2]
        An example (source, destination) of the first two kinds; written.
    """
    n = first.size - 1
    # Rows have an odd number of cache lines, so that the same column of all rows does not map to one line.
    width = 64 * ((n + 63) // 64 | 1)
    port, used = np.empty((_TOGETHER, width), ports.dtype), np.empty((_TOGETHER, width), turns.dtype)
    onward, below = np.empty((_TOGETHER, width), np.uint32), np.empty((_TOGETHER, width), np.int32)
    depth, waiting, order = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n + 1, np.uint32)
    for start in range(0, destinations.size, _TOGETHER):
        count = min(_TOGETHER, destinations.size - start)
        for j in range(count):
            d = destinations[start + j]
            for v in range(n):
                port[j, v] = ports[d, v]
                below[j, v] = 1 if carries[d] and carries[v] else 0
                used[j, v] = 1 if carries[d] and sources[v] else 0
            if vcs.size:
                for v in range(n):
                    used[j, v] <<= turns.dtype.type(vcs[d, v])
                    virtual_channel_pairs[vcs[d, v]] += 1 if distance[start + j, v] > 0 else 0
            else:
                for v in range(n):
                    virtual_channel_pairs[0] += 1 if distance[start + j, v] > 0 else 0
        for v in range(n):
            begin, degree = first[v], first[v + 1] - first[v]
            for j in range(count):
                leads = np.int64(port[j, v]) < degree and v != destinations[start + j]
                onward[j, v] = to[begin + np.int64(port[j, v])] if leads else v
        for j in range(count):
            row, d = start + j, destinations[start + j]
            stripped = _sum_up(onward[j], below[j], used[j], waiting, order)
            _measure(onward[j], order[:stripped], d, depth)
            _compare(depth, distance[row], d, carries, below[j], used[j], histogram, counts, example)
        for v in range(n):
            for j in range(count):
                if used[j, v] == 0:
                    continue
                d, c, w = destinations[start + j], first[v] + np.int64(port[j, v]), np.int64(onward[j, v])
                channel_load[c] += below[j, v]
                switch_load[v] += below[j, v] - (1 if carries[v] else 0)
                if w == d:
                    continue
                turn = turn_row[c] + np.int64(port[j, w])
                bits = used[j, v]
                if across:
                    bits = turns.dtype.type(np.uint64(1) << np.uint64(ACROSS * vcs[d, v] + vcs[d, w]))
                if turns[turn] & bits != bits:
                    turns[turn] |= bits


@kernel
def _sum_up(onward: np.ndarray, below: np.ndarray, used: np.ndarray, waiting: np.ndarray, order: np.ndarray) -> int:
    """Add up pairs and virtual channels from senders to receivers; return how many switches forward and are on no cycle.

    A switch follows after all switches that forward to it. The loop has no branch, because it would be unpredictable. `onward`,
    uint32[at least n]: the next switch, or the switch itself if there is none. waiting: int32[n], scratch; order: uint32[n +
    1], the switches, senders first; written.
    """
    n, count = waiting.size, np.uint64(0)
    waiting[:] = 0
    for v in range(n):
        waiting[onward[v]] += 1
    for v in range(n):
        order[count] = v
        count += np.uint64(waiting[v] == 0)
    at = np.uint64(0)
    while at < count:
        v = order[at]
        w = onward[v]
        below[w] += below[v]
        used[w] |= used[v]
        waiting[w] -= 1
        order[count] = w
        count += np.uint64(waiting[w] == 0)
        at += np.uint64(1)
    return np.int64(count)


@kernel
def _measure(onward: np.ndarray, order: np.ndarray, d: int, depth: np.ndarray) -> None:
    """Write to `depth` the hops to d, int32[n]; -3 if a path runs in a cycle, -4 if it ends at another switch."""
    for v in range(depth.size):
        depth[v] = -4 if onward[v] == v else -3
    depth[d] = 0
    for i in range(order.size - 1, -1, -1):
        farther = depth[onward[order[i]]]
        depth[order[i]] = farther + 1 if farther >= 0 else farther


@kernel
def _compare(
    depth: np.ndarray,
    distance: np.ndarray,
    d: int,
    carries: np.ndarray,
    below: np.ndarray,
    used: np.ndarray,
    histogram: np.ndarray,
    counts: np.ndarray,
    example: np.ndarray,
) -> None:
    """Count the pairs to d by hops and by result; pairs that do not arrive add no load."""
    most, fewest, shortest = counts[4], np.int64(0), np.int64(0)
    below[d] = used[d] = 0
    for s in range(depth.size):
        if s == d:
            continue
        fewest += max(0, distance[s])
        if depth[s] >= 0:
            histogram[depth[s]] += 1
            shortest += depth[s] == distance[s]
            if depth[s] > most and carries[d] and carries[s]:
                most = np.int64(depth[s])
            continue
        below[s] = used[s] = 0
        if distance[s] < 0:
            counts[3] += 1
        else:
            kind = 0 if depth[s] == -3 else 1
            if counts[kind] == 0:
                example[kind, 0], example[kind, 1] = s, d
            counts[kind] += 1
    counts[2] += shortest
    counts[4] = most
    counts[5] += fewest


@stage
def _leads(word: np.uint64, before: int, after: int, across: bool) -> bool:
    """Whether a packet that arrives in virtual channel `before` continues in virtual channel `after`."""
    if across:
        return (word >> np.uint64(ACROSS * before + after)) & np.uint64(1) != 0
    return before == after and (word >> np.uint64(before)) & np.uint64(1) != 0


@allocating
def find_cycle(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    turns: np.ndarray,
    vcs: int,
    across: bool,
) -> np.ndarray:
    """Return channels that wait for each other in a cycle, int64[length], each as channel * vcs + virtual channel; empty: none.

    Topological sort: channels without a predecessor are removed until none is left (Kahn, 1962). Each turn is visited twice.
    """
    n = first.size - 1
    size = to.size * vcs
    waits = np.zeros(size, np.int32)  # number of channels that wait for each channel
    for w in range(n):
        degree = first[w + 1] - first[w]
        for q in range(degree):
            for p in range(degree):
                word = np.uint64(turns[turn_first[w] + q * degree + p])
                if word == 0:
                    continue
                for before in range(vcs):
                    for after in range(vcs) if across else range(before, before + 1):
                        if _leads(word, before, after, across):
                            waits[(first[w] + p) * vcs + after] += 1
    free = np.empty(size, np.int64)
    count = 0
    for c in range(size):
        if waits[c] == 0:
            free[count] = c
            count += 1
    taken = 0
    while taken < count:
        c, before = free[taken] // vcs, free[taken] % vcs
        taken += 1
        w = np.int64(to[c])
        degree = first[w + 1] - first[w]
        row = turn_first[w] + (back[c] - first[w]) * degree
        for p in range(degree):
            word = np.uint64(turns[row + p])
            if word == 0:
                continue
            for after in range(vcs) if across else range(before, before + 1):
                if _leads(word, before, after, across):
                    e = (first[w] + p) * vcs + after
                    waits[e] -= 1
                    if waits[e] == 0:
                        free[count] = e
                        count += 1
    if taken == size:
        return np.empty(0, np.int64)
    # Every remaining channel has a remaining predecessor: following predecessors ends in a cycle.
    seen = np.full(size, -1, np.int64)
    trail = np.empty(size + 1, np.int64)
    at, length = np.int64(0), 0
    while waits[at] == 0:
        at += 1
    while seen[at] < 0:
        seen[at] = length
        trail[length] = at
        length += 1
        c, after = at // vcs, at % vcs
        w = np.searchsorted(first, c, side="right") - 1
        degree = first[w + 1] - first[w]
        predecessor_found = False
        for q in range(degree):
            word = np.uint64(turns[turn_first[w] + q * degree + c - first[w]])
            for before in range(vcs):
                e = np.int64(back[first[w] + q]) * vcs + before
                if waits[e] > 0 and _leads(word, before, after, across):
                    at = e
                    predecessor_found = True
                    break
            if predecessor_found:
                break
    return trail[seen[at] : length][::-1].copy()
