"""Nue: trees that grow only over turns which keep their virtual channel free of cycles."""

import heapq

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner
from topoloom.routing.virtual_channels.kernels.acyclic import add_turn


@allocating
def grow_all(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    escape: np.ndarray,
    destinations: np.ndarray,
    bit: int,
    turns: np.ndarray,
    refused: np.ndarray,
    place: np.ndarray,
    ports: np.ndarray,
    load: np.ndarray,
    pairs: np.ndarray,
    flag: np.ndarray,
) -> int:
    """Make the trees of one virtual channel's destinations, one after the other; return how many had to use the escape tree.

    escape : int64[n]
        The channel of each switch to its parent in a spanning tree, -1 at the root.
    turns, refused : uint16[turns]
        Turns in use, and turns that would close a cycle, one bit per virtual channel; `bit` is that of this one.
    place : int32[2 m]
        The virtual channel's order of channels.
    flag : uint8[1]
        Not 0: the work was stopped; the trees are incomplete.
    """
    n = first.size - 1
    mark, stamp = np.zeros(to.size, np.int64), np.zeros(2, np.int64)
    ahead, behind = np.empty(to.size + 1, np.int64), np.empty(to.size + 1, np.int64)
    channel, below, order = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    cost = np.empty(n)
    for v in range(n):  # add all turns between channels of the spanning tree: they form no cycle
        for c in range(first[v], first[v + 1]):
            if escape[v] != c and escape[to[c]] != back[c]:
                continue
            w = np.int64(to[c])
            for e in range(first[w], first[w + 1]):
                if e != back[c] and (escape[w] == e or escape[to[e]] == back[e]):
                    add_turn(first, to, back, turn_first, turns, bit, place, mark, stamp, ahead, behind, c, e)
    escaped = 0
    for d in destinations:
        channel[:] = -1
        cost[d] = 0.0
        order[0], joined = d, 1
        heap = [(0.0, np.int64(0)) for _ in range(0)]
        for e in range(first[d], first[d + 1]):
            heapq.heappush(heap, (1.0 + 1e-9 * load[back[e]], np.int64(back[e])))
        while heap:
            if flag[0]:
                return escaped
            value, c = heapq.heappop(heap)
            v = np.int64(to[back[c]])
            if v == d or channel[v] >= 0:
                continue
            w = np.int64(to[c])
            if w != d:
                turn = turn_first[w] + (back[c] - first[w]) * (first[w + 1] - first[w]) + channel[w] - first[w]
                if refused[turn] & bit:
                    continue
                if not turns[turn] & bit and not add_turn(
                    first, to, back, turn_first, turns, bit, place, mark, stamp, ahead, behind, c, channel[w]
                ):
                    refused[turn] |= bit
                    continue
            channel[v], cost[v] = c, value
            order[joined] = v
            joined += 1
            for e in range(first[v], first[v + 1]):
                x = np.int64(to[e])
                if x != d and channel[x] < 0:
                    heapq.heappush(heap, (value + 1.0 + 1e-9 * load[back[e]], np.int64(back[e])))
        if joined < n:
            escaped += 1
            joined = _along_tree(first, to, back, escape, d, channel, order)
        for each in range(pairs.size):
            below[each] = pairs[each] * pairs[d]
        for i in range(joined - 1, 0, -1):
            v = order[i]
            load[channel[v]] += below[v]
            below[to[channel[v]]] += below[v]
            ports[d, v] = channel[v] - first[v]
    return escaped


@inner
def _along_tree(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    escape: np.ndarray,
    d: int,
    channel: np.ndarray,
    order: np.ndarray,
) -> int:
    """Write to `channel` and `order` the tree of d inside the spanning tree; return its number of switches."""
    channel[:] = -1
    order[0], count, at = d, 1, 0
    while at < count:
        w = order[at]
        at += 1
        for e in range(first[w], first[w + 1]):
            x = np.int64(to[e])
            if x != d and channel[x] < 0 and (escape[w] == e or escape[x] == back[e]):
                channel[x] = back[e]
                order[count] = x
                count += 1
    return count
