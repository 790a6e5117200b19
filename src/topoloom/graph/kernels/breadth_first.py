"""Breadth-first search with a queue: components, single sources, and graphs too long for bit-parallel rounds.

Arrays throughout: offsets int64[n + 1] and neighbours int32[2 m] (CSR). One search costs O(n + m).
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel


@allocating
def component_of(offsets: np.ndarray, neighbours: np.ndarray) -> np.ndarray:
    """The component of every switch, int32[n], numbered in order of the smallest switch."""
    n = offsets.size - 1
    component = np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    count = 0
    for start in range(n):
        if component[start] >= 0:
            continue
        component[start] = count
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            for v in neighbours[offsets[u] : offsets[u + 1]]:
                if component[v] < 0:
                    component[v] = count
                    queue[tail] = v
                    tail += 1
        count += 1
    return component


@kernel
def distances_from_set(
    offsets: np.ndarray, neighbours: np.ndarray, sources: np.ndarray, distance: np.ndarray, queue: np.ndarray
) -> int:
    """Hops from the nearest of `sources` (int[s]) to every switch, into distance: int32[n], -1 if there is no path.

    queue: int32[n], afterwards the switches reached, nearest first. Returns how many were reached.
    """
    distance[:] = -1
    head = tail = 0
    for source in sources:
        if distance[source] < 0:
            distance[source] = 0
            queue[tail] = source
            tail += 1
    while head < tail:
        u = queue[head]
        head += 1
        step = distance[u] + 1
        for slot in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
            v = neighbours[slot]
            if distance[v] < 0:
                distance[v] = step
                queue[tail] = v
                tail += 1
    return tail


@allocating
def source_counts(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    weight: np.ndarray,
    first: int,
    end: int,
    stamp: np.ndarray,
    queue: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Count pairs as `hops.block_counts`, with one search per source: for diameters of thousands of hops.

    weight: int64[n]; stamp, queue: int32[n], scratch; counts: int64[at least n]. Pairs with switches of the block and later
    ones count, later ones in both orders; the weight of a pair is the product of the weights of its switches.
    """
    worth = weight.copy()
    worth[:first] = 0
    worth[end:] *= 2
    stamp[:] = -1
    for source in range(first, end):
        stamp[source] = source
        queue[0] = source
        start, stop, level = np.uint64(0), np.uint64(1), 0
        level_weight = worth[source]
        while start < stop:
            counts[level] += weight[source] * level_weight
            tail, level, level_weight = stop, level + 1, 0
            for place in range(start, stop):
                u = np.uint64(queue[place])
                for slot in range(np.uint64(offsets[u]), np.uint64(offsets[u + np.uint64(1)])):
                    v = np.uint64(neighbours[slot])
                    if stamp[v] != source:
                        stamp[v] = source
                        queue[tail] = v
                        tail += np.uint64(1)
                        level_weight += worth[v]
            start, stop = stop, tail


@kernel
def attachment_counts(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    ports: np.ndarray,
    port_ends: np.ndarray,
    weight: np.ndarray,
    first: int,
    end: int,
    distance: np.ndarray,
    queue: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Add the pairs of hosts at each distance if hosts have several ports: the distance of two hosts is that of their nearest
    ports.

    Attachment a, shared by weight[a] hosts, is the set of switches ports[port_ends[a - 1] : port_ends[a]] (from 0 for a = 0);
    ports: int32[p], port_ends, weight: int64[a]; first, end: attachments.
    """
    for attachment in range(first, end):
        start = port_ends[attachment - 1] if attachment else 0
        distances_from_set(offsets, neighbours, ports[start : port_ends[attachment]], distance, queue)
        start = 0
        for other in range(port_ends.size):
            nearest = np.int32(-1)
            for port in ports[start : port_ends[other]]:
                if distance[port] >= 0 and (nearest < 0 or distance[port] < nearest):
                    nearest = distance[port]
            if nearest >= 0:
                counts[nearest] += weight[attachment] * weight[other]
            start = port_ends[other]
