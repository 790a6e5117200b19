"""Following tables hop by hop, and finding a cycle among the channels that wait for each other.

A turn is an in-port and an out-port of a switch; turns are numbered by switch, then in-port, then out-port:
turn_first[w] + q * degree(w) + p. Which virtual channels use a turn is a word of bits: bit l where packets keep their virtual
channel l, bit ACROSS * l + k where they come in virtual channel l and go on in virtual channel k.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel, stage

#: Virtual channels that packets may change between: pairs of them are the bits of a word.
ACROSS = 8
#: Trees whose loads and turns are added together.
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
    """Follow the paths to `destinations`, int64[k], from every switch, and add up what they use.

    Loads are those of data, between switches that `carries` names, turns those from switches of `sources` to them, bool[n]
    both. What belongs to a tree alone is worked out tree by tree, in the nearest cache; what is added to loads and turns
    switch by switch for a few trees, for these arrays are larger.

    Parameters
    ----------
    first, to : int64[n + 1], int32[2 m]
        The channels.
    turn_row : int64[2 m]
        Of each channel the turn from it to the first port of the switch that it leads to.
    ports, vcs : [n, n], uint8[n, n] or uint8[0, 0]
        The tables; no virtual channels: virtual channel 0.
    across : bool
        Whether a switch sends on in its own virtual channel for the destination; else packets keep their source's.
    distance : int32[k, at least n]
        Fewest hops to each of the destinations, -1 where there is no path.
    turns : uint8 or uint64[turn_first[n]]
        Gets the virtual channels that use each turn; there are bits for all.
    channel_load, switch_load : int64[2 m], int64[n]
        Get the pairs over each channel, and those that pass through each switch (neither from nor to it).
    histogram : int64[n]
        Gets the pairs reached in so many hops.
    virtual_channel_pairs : int64[256]
        Gets the pairs whose virtual channel is so many.
    counts : int64[6]
        Gets pairs that are lost in cycles, that end at a switch without a port for them, that are reached in as few hops
        as can be, and that there is no path for at all; then the most hops of data, and the fewest hops of all pairs, summed.
    example : int64[2, 2]
        Gets a source and destination of the first two kinds.
    """
    n = first.size - 1
    # Rows are an odd number of lines of the cache, so that the same place of all of them does not fall on one line.
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
    """Add to each switch what is below those that send to it, and their virtual channels; how many send on and are on no cycle.

    A switch is done once nobody who sends to it is left; without a branch, for nobody can foresee which is the last. Where
    there is no next switch, `onward`, uint32[at least n], is the switch itself. waiting: int32[n], room; order: uint32[n + 1],
    gets the switches, senders first.
    """
    n, found = waiting.size, np.uint64(0)
    waiting[:] = 0
    for v in range(n):
        waiting[onward[v]] += 1
    for v in range(n):
        order[found] = v
        found += np.uint64(waiting[v] == 0)
    at = np.uint64(0)
    while at < found:
        v = order[at]
        w = onward[v]
        below[w] += below[v]
        used[w] |= used[v]
        waiting[w] -= 1
        order[found] = w
        found += np.uint64(waiting[w] == 0)
        at += np.uint64(1)
    return np.int64(found)


@kernel
def _measure(onward: np.ndarray, order: np.ndarray, d: int, depth: np.ndarray) -> None:
    """Hops to d, int32[n]: -3 where a path goes round in cycles, -4 where it ends at another switch."""
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
    """Count d's pairs by their hops, and by what becomes of them; what does not arrive uses nothing."""
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
    """Whether a packet that comes in virtual channel `before` goes on in virtual channel `after`."""
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
    """Channels that wait for each other in a cycle, int64[length], each as channel * virtual channels + virtual channel; empty:
    there is none.

    Channels without a predecessor are taken away until none is left (Kahn, 1962): each turn is looked at twice.
    """
    n = first.size - 1
    size = to.size * vcs
    waits = np.zeros(size, np.int32)  # those that wait for each
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
    # Each that is left is waited for by another that is left: going from one to the other ends in a cycle.
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
        found = False
        for q in range(degree):
            word = np.uint64(turns[turn_first[w] + q * degree + c - first[w]])
            for before in range(vcs):
                e = np.int64(back[first[w] + q]) * vcs + before
                if waits[e] > 0 and _leads(word, before, after, across):
                    at = e
                    found = True
                    break
            if found:
                break
    return trail[seen[at] : length][::-1].copy()
