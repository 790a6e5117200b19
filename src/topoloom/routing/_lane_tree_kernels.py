"""Trees inside lanes: a switch joins the tree of a destination where its way stays legal in some lane.

along[v] is the busiest channel on v's way: it, not the load of the next channel alone, is what a switch keeps low.
legal[v], a bit a lane, says in which lanes v's way to the destination is legal; it is that of the next switch without the
lanes that forbid the turn there. So the tree decides, one next hop a destination, and a pair takes any lane of its bits.
"""

import numpy as np
from numba import njit

from topoloom.routing._tree_kernels import search, take_out

#: A choice that leaves no lane costs more than any load, each lane less that it leaves less so.
_LANE = np.int64(1) << np.int64(40)
#: Where `lanes` says that no order serves a pair.
ORPHAN = np.uint8(255)
#: Hops that a way may be longer than the farthest switch is, before a tree is given up.
_PATIENCE = 60


@njit(cache=True, nogil=True)
def _bit_counts(lanes: int) -> np.ndarray:
    """How many lanes each word of lanes holds, int64[2^lanes]."""
    counts = np.zeros(1 << lanes, np.int64)
    for word in range(1, 1 << lanes):
        counts[word] = counts[word >> 1] + (word & 1)
    return counts


@njit(cache=True, nogil=True, inline="always")
def _lowest(word: int) -> int:
    lane = 0
    while not (word >> lane) & 1:
        lane += 1
    return lane


@njit(cache=True, nogil=True)
def shortest_trees(
    first: np.ndarray, to: np.ndarray, rises: np.ndarray, lanes: int, destinations: np.ndarray, ports: np.ndarray,
    lane: np.ndarray, load: np.ndarray, again: bool, pairs: np.ndarray,
) -> int:  # fmt: skip
    """Shortest trees that leave pairs as many lanes as they can; lane[d, v] is the lowest, or ORPHAN where none is left.

    Returns the orphans. again: trees are taken out of `load` first. pairs: int64[n], 1 for the switches between which data
    goes, else 0; other pairs need no lane, and get lane 0 where none is left.
    """
    n = first.size - 1
    every = (np.int64(1) << lanes) - 1
    distance, queue = np.empty(n, np.uint16), np.empty(n, np.int32)
    legal, below, channel = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    counted = _bit_counts(lanes)
    along = np.empty(n, np.int64)
    orphans = 0
    for d in destinations:
        count = search(first, to, d, distance, queue)
        if again:
            take_out(first, to, d, queue, count, ports, load, below, pairs)
        farthest = distance[queue[count - 1]]
        along[d] = 0
        for i in range(1, count):
            v = queue[i]
            nearer = distance[v] - 1
            least, chosen, kept = np.int64(1) << 62, np.int64(-1), np.int64(0)
            begin, degree = first[v], first[v + 1] - first[v]
            at = (d + v) % degree
            for _ in range(degree):
                c = begin + at
                at = at + 1 if at + 1 < degree else 0
                w = to[c]
                if distance[w] != nearer:
                    continue
                left = every if w == d else legal[w] & ~(np.int64(rises[c]) & ~np.int64(rises[channel[w]]))
                cost = max(load[c], along[w])
                if left == 0:
                    cost += (lanes + 1) * _LANE
                elif distance[v] < farthest:  # nobody farther needs what the last ones leave
                    cost += (lanes - counted[left]) * _LANE
                if cost < least:
                    least, chosen, kept = cost, c, left
            channel[v], legal[v] = chosen, kept
            along[v] = max(load[chosen], along[to[chosen]])
            ports[d, v] = chosen - begin
        below[:] = pairs * pairs[d]
        for i in range(count - 1, 0, -1):
            v = queue[i]
            load[channel[v]] += below[v]
            below[to[channel[v]]] += below[v]
            if legal[v]:
                lane[d, v] = _lowest(legal[v])
            elif pairs[v] * pairs[d]:
                lane[d, v] = ORPHAN
                orphans += 1
            else:
                lane[d, v] = 0
    return orphans


@njit(cache=True, nogil=True)
def _grow(
    first: np.ndarray, to: np.ndarray, rises: np.ndarray, every: int, d: int, distance: np.ndarray, queue: np.ndarray,
    count: int, load: np.ndarray, counted: np.ndarray, held: np.ndarray, own: np.ndarray, patience: int,
    hops: np.ndarray, legal: np.ndarray, channel: np.ndarray, joined: np.ndarray,
) -> int:  # fmt: skip
    """Let switches join the tree of d hop by hop, in the lanes `every`; how many joined (`joined`, in their order).

    A switch that is `held` sends on over the channel `own` only, as soon as that one's switch has joined.
    """
    lanes = counted[every]
    farthest = np.int64(distance[queue[count - 1]])
    hops[:] = 65535
    hops[d], legal[d] = 0, every
    along = np.zeros(hops.size, np.int64)
    joined[0] = d
    inside, now, idle = 1, 0, 0
    left = np.empty(count, np.int32)
    waiting = count - 1
    for i in range(1, count):
        left[i - 1] = queue[i]
    while waiting > 0 and idle <= patience:
        now += 1
        before, still = inside, 0
        for i in range(waiting):
            v = np.int64(left[i])
            if distance[v] > now:
                left[still] = v
                still += 1
                continue
            least, chosen, kept = np.int64(1) << 62, np.int64(-1), np.int64(0)
            begin, degree = first[v], first[v + 1] - first[v]
            at = (d + v) % degree
            for _ in range(degree):
                c = begin + at
                at = at + 1 if at + 1 < degree else 0
                w = np.int64(to[c])
                if hops[w] != now - 1 or (held[v] and c != own[v]):
                    continue
                found = every if w == d else legal[w] & ~(np.int64(rises[c]) & ~np.int64(rises[channel[w]]))
                if found == 0:
                    continue
                cost = max(load[c], along[w])
                if now < farthest:
                    cost += (lanes - counted[found]) * _LANE
                if cost < least:
                    least, chosen, kept = cost, c, found
            if chosen < 0:
                left[still] = v
                still += 1
            else:
                hops[v], legal[v], channel[v] = now, kept, chosen
                along[v] = max(load[chosen], along[to[chosen]])
                joined[inside] = v
                inside += 1
        waiting = still
        idle = idle + 1 if inside == before and now > farthest else 0
    return inside


@njit(cache=True, nogil=True)
def trees_within(
    first: np.ndarray, to: np.ndarray, rises: np.ndarray, lanes: int, destinations: np.ndarray, ports: np.ndarray,
    lane: np.ndarray, load: np.ndarray, again: bool, pairs: np.ndarray, tries: int,
) -> int:  # fmt: skip
    """Trees that serve every pair in one of the lanes, most by shortest ways; how many were repaired.

    Where switches are stuck, they and all on their ways in lane 0 keep to these ways, and the tree is grown again around
    them; after so many tries it is lane 0's alone. Lane 0's order must let every switch fall to the same one.
    """
    n = first.size - 1
    every = (np.int64(1) << lanes) - 1
    distance, queue = np.empty(n, np.uint16), np.empty(n, np.int32)
    legal, below, channel = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    hops, joined = np.empty(n, np.uint16), np.empty(n, np.int32)
    held, own = np.zeros(n, np.bool_), np.empty(n, np.int64)
    ground, order = np.empty(n, np.uint16), np.empty(n, np.int32)
    counted = _bit_counts(lanes)
    repaired = 0
    for d in destinations:
        count = search(first, to, d, distance, queue)
        if again:
            _take_out_any(first, to, d, ports, load, below, order, pairs)
        held[:] = False
        inside = _grow(
            first, to, rises, every, d, distance, queue, count, load, counted, held, own, 0, hops, legal, channel, joined
        )  # fmt: skip
        if inside < count:
            repaired += 1
            # Lane 0's own tree, and the ways in it of those that are stuck.
            _grow(
                first, to, rises, 1, d, distance, queue, count, load, counted, held, own, _PATIENCE * n, ground, legal,
                channel, order,
            )  # fmt: skip
            own[:] = channel
            for attempt in range(tries):
                for i in range(1, count):
                    v = np.int64(queue[i])
                    if hops[v] == 65535:
                        while v != d and not held[v]:
                            held[v] = True
                            v = np.int64(to[own[v]])
                last = attempt + 1 == tries
                inside = _grow(
                    first, to, rises, 1 if last else every, d, distance, queue, count, load, counted, held, own,
                    _PATIENCE * (n if last else 1), hops, legal, channel, joined,
                )  # fmt: skip
                if inside == count:
                    break
        below[:] = pairs * pairs[d]
        for i in range(inside - 1, 0, -1):
            v = joined[i]
            load[channel[v]] += below[v]
            below[to[channel[v]]] += below[v]
            ports[d, v] = channel[v] - first[v]
            lane[d, v] = _lowest(legal[v])
    return repaired


@njit(cache=True, nogil=True)
def _take_out_any(
    first: np.ndarray, to: np.ndarray, d: int, ports: np.ndarray, load: np.ndarray, below: np.ndarray,
    order: np.ndarray, pairs: np.ndarray,
) -> None:  # fmt: skip
    """Take the pairs of d's tree, of any shape, out of the loads."""
    n = first.size - 1
    waiting = np.zeros(n, np.int32)
    none = 0
    for v in range(n):
        if v != d and ports[d, v] < first[v + 1] - first[v]:
            waiting[to[first[v] + ports[d, v]]] += 1
    for v in range(n):
        below[v] = pairs[v] * pairs[d]
        if waiting[v] == 0:
            order[none] = v
            none += 1
    at = 0
    while at < none:
        v = order[at]
        at += 1
        if v == d or ports[d, v] >= first[v + 1] - first[v]:
            continue
        c = first[v] + ports[d, v]
        load[c] -= below[v]
        w = to[c]
        below[w] += below[v]
        waiting[w] -= 1
        if waiting[w] == 0:
            order[none] = w
            none += 1
