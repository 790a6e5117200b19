"""Following tables hop by hop, and finding a cycle among the channels that wait for each other.

A turn is an in-port and an out-port of a switch; turns are numbered by switch, then in-port, then out-port:
turn_first[w] + q * degree(w) + p. Which lanes use a turn is a word of bits: bit l where packets keep their lane l, bit
ACROSS * l + k where they come in lane l and go on in lane k.
"""

import numpy as np

from topoloom.compiling.decorators import allocating, stage

#: Lanes that packets may change between: pairs of them are the bits of a word.
ACROSS = 8


@allocating
def follow(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    ports: np.ndarray,
    lanes: np.ndarray,
    across: bool,
    sources: np.ndarray,
    carries: np.ndarray,
    destinations: np.ndarray,
    distance: np.ndarray,
    turns: np.ndarray,
    channel_load: np.ndarray,
    switch_load: np.ndarray,
    histogram: np.ndarray,
    counts: np.ndarray,
    example: np.ndarray,
) -> None:
    """Follow the paths to `destinations`, int64[k], from every switch, and add up what they use.

    Loads are those of data, between switches that `carries` names, turns those from switches of `sources` to them, bool[n]
    both.

    Parameters
    ----------
    first, to, back : int64[n + 1], int32[2 m], int32[2 m]
        The channels.
    turn_first : int64[n + 1]
    ports, lanes : [n, n], uint8[n, n] or uint8[0, 0]
        The tables; no lanes: lane 0.
    across : bool
        Whether a switch sends on in its own lane for the destination; else packets keep their source's.
    distance : int32[k, n]
        Fewest hops to each of the destinations, -1 where there is no path.
    turns : uint64[turn_first[n]]
        Gets the lanes that use each turn.
    channel_load, switch_load : int64[2 m], int64[n]
        Get the pairs over each channel, and those that pass through each switch (neither from nor to it).
    histogram : int64[n]
        Gets the pairs reached in so many hops.
    counts : int64[5]
        Gets pairs that are lost in cycles, that end at a switch without a port for them, that are reached in as few hops
        as can be, and that there is no path for at all; the last is the most hops of data.
    example : int64[2, 2]
        Gets a source and destination of the first two kinds.
    """
    n = first.size - 1
    depth, hops_seen = np.empty(n, np.int64), np.empty(n, np.int64)
    channel, trail, order = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    used, below = np.empty(n, np.uint64), np.empty(n, np.int64)
    for row in range(distance.shape[0]):
        d = destinations[row]
        # depth: hops to d; -1 unknown, -2 on the trail, -3 in cycles, -4 ends somewhere else.
        depth[:] = -1
        depth[d] = 0
        farthest = 0
        for s in range(n):
            length, v = 0, s
            while depth[v] == -1:
                depth[v] = -2
                trail[length] = v
                length += 1
                port = np.int64(ports[d, v])
                if port >= first[v + 1] - first[v]:
                    depth[v] = -4
                    length -= 1
                    break
                channel[v] = first[v] + port
                v = np.int64(to[channel[v]])
            found = np.int64(-3) if depth[v] == -2 else depth[v]
            for i in range(length - 1, -1, -1):
                if found >= 0:
                    found += 1
                depth[trail[i]] = found
            farthest = max(farthest, found)
        hops_seen[: farthest + 1] = 0
        for s in range(n):
            if depth[s] >= 0:
                hops_seen[depth[s]] += 1
        for h in range(1, farthest + 1):
            histogram[h] += hops_seen[h]
            hops_seen[h] += hops_seen[h - 1]
        reached = hops_seen[farthest]
        for s in range(n):
            if s == d:
                pass
            elif depth[s] >= 0:
                counts[2] += depth[s] == distance[row, s]
            elif distance[row, s] < 0:
                counts[3] += 1
            else:
                kind = 0 if depth[s] == -3 else 1
                if counts[kind] == 0:
                    example[kind, 0], example[kind, 1] = s, d
                counts[kind] += 1
            if depth[s] >= 0:
                hops_seen[depth[s]] -= 1
                order[hops_seen[depth[s]]] = s
                below[s] = 1 if carries[d] and carries[s] else 0
                used[s] = np.uint64(1 if carries[d] and sources[s] else 0)
                if lanes.size:
                    used[s] <<= np.uint64(lanes[d, s])
                if below[s]:
                    counts[4] = max(counts[4], depth[s])
        for i in range(reached - 1, 0, -1):
            v = order[i]
            if used[v] == 0:
                continue
            c = channel[v]
            w = np.int64(to[c])
            channel_load[c] += below[v]
            switch_load[v] += below[v] - (1 if carries[v] else 0)
            below[w] += below[v]
            if w != d:
                degree = first[w + 1] - first[w]
                turn = turn_first[w] + (back[c] - first[w]) * degree + channel[w] - first[w]
                if across:
                    turns[turn] |= np.uint64(1) << np.uint64(ACROSS * lanes[d, v] + lanes[d, w])
                else:
                    turns[turn] |= used[v]
                used[w] |= used[v]


@stage
def _leads(word: np.uint64, before: int, after: int, across: bool) -> bool:
    """Whether a packet that comes in lane `before` goes on in lane `after`."""
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
    lanes: int,
    across: bool,
) -> np.ndarray:
    """Channels that wait for each other in a cycle, int64[length], each as channel * lanes + lane; empty: there is none.

    Channels without a predecessor are taken away until none is left (Kahn, 1962): each turn is looked at twice.
    """
    n = first.size - 1
    size = to.size * lanes
    waits = np.zeros(size, np.int32)  # those that wait for each
    for w in range(n):
        degree = first[w + 1] - first[w]
        for q in range(degree):
            for p in range(degree):
                word = turns[turn_first[w] + q * degree + p]
                if word == 0:
                    continue
                for before in range(lanes):
                    for after in range(lanes) if across else range(before, before + 1):
                        if _leads(word, before, after, across):
                            waits[(first[w] + p) * lanes + after] += 1
    free = np.empty(size, np.int64)
    count = 0
    for c in range(size):
        if waits[c] == 0:
            free[count] = c
            count += 1
    taken = 0
    while taken < count:
        c, before = free[taken] // lanes, free[taken] % lanes
        taken += 1
        w = np.int64(to[c])
        degree = first[w + 1] - first[w]
        row = turn_first[w] + (back[c] - first[w]) * degree
        for p in range(degree):
            if turns[row + p] == 0:
                continue
            for after in range(lanes) if across else range(before, before + 1):
                if _leads(turns[row + p], before, after, across):
                    e = (first[w] + p) * lanes + after
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
        c, after = at // lanes, at % lanes
        w = np.searchsorted(first, c, side="right") - 1
        degree = first[w + 1] - first[w]
        found = False
        for q in range(degree):
            word = turns[turn_first[w] + q * degree + c - first[w]]
            for before in range(lanes):
                e = np.int64(back[first[w] + q]) * lanes + before
                if waits[e] > 0 and _leads(word, before, after, across):
                    at = e
                    found = True
                    break
            if found:
                break
    return trail[seen[at] : length][::-1].copy()
