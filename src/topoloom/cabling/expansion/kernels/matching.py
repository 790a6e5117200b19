"""Kernels of matching two networks: exchanging switches, and growing a matching outwards."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel
from topoloom.core.random_streams.kernels import next_below, next_word


@inner
def _joined(offsets: np.ndarray, neighbours: np.ndarray, u: int, v: int) -> int:
    """How many links join u and v."""
    count = 0
    for i in range(offsets[u], offsets[u + 1]):
        count += neighbours[i] == v
    return count


@kernel
def _stays(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    old_offsets: np.ndarray,
    old_neighbours: np.ndarray,
    place: np.ndarray,
    switch: int,
    stands: int,
    other: int,
    other_stands: int,
) -> int:
    """Links of `switch` of the goal that stay when it is switch `stands`, and `other` is `other_stands`."""
    count = 0
    for i in range(offsets[switch], offsets[switch + 1]):
        far = neighbours[i]
        at = other_stands if far == other else place[far]
        count += _joined(old_offsets, old_neighbours, stands, at) > 0
    return count


@allocating
def exchange(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    old_offsets: np.ndarray,
    old_neighbours: np.ndarray,
    place: np.ndarray,
    hosts: np.ndarray,
    had: np.ndarray,
    dear: np.ndarray,
    draw: np.ndarray,
    begin: int,
    end: int,
    tries: int,
    best: np.ndarray,
    gains: np.ndarray,
) -> None:
    """Exchange what switches of the goal stand as, so that many links stay: tries begin .. end - 1 of an annealing of `tries`.

    offsets, neighbours and old_*: both networks, as many switches each; place int64[n]: the number, where it stands, of every
    switch of the goal; hosts, had int64[n]: hosts of the goal's switches, and of those that stand; dear float32[4096]: the
    table of acceptance; best int64[n] and gains int64[2] (links gained since the begin: now, and by the best) go from call to
    call. Half of the tries bring a switch next to one of its neighbours' neighbours.
    """
    n = place.size
    holder = np.empty(n, np.int64)
    for switch in range(n):
        holder[place[switch]] = switch
    for step in range(begin, end):
        hot = 0.6 * (1.0 - step / tries)
        a = np.int64(next_below(draw, n))
        if next_word(draw) & np.uint64(1) and offsets[a + 1] > offsets[a]:
            # Where a neighbour stands, go to one of the switches that are linked to it there.
            far = neighbours[offsets[a] + np.int64(next_below(draw, offsets[a + 1] - offsets[a]))]
            stands = place[far]
            if old_offsets[stands + 1] == old_offsets[stands]:
                continue
            pick = old_offsets[stands] + np.int64(next_below(draw, old_offsets[stands + 1] - old_offsets[stands]))
            b = holder[old_neighbours[pick]]
        else:
            b = np.int64(next_below(draw, n))
        if a == b or hosts[a] < had[place[b]] or hosts[b] < had[place[a]]:
            continue
        at_a, at_b = place[a], place[b]
        # A link between the two counts at both, before and after: it cancels.
        old = _stays(offsets, neighbours, old_offsets, old_neighbours, place, a, at_a, b, at_b)
        old += _stays(offsets, neighbours, old_offsets, old_neighbours, place, b, at_b, a, at_a)
        new = _stays(offsets, neighbours, old_offsets, old_neighbours, place, a, at_b, b, at_a)
        new += _stays(offsets, neighbours, old_offsets, old_neighbours, place, b, at_a, a, at_b)
        more = new - old
        if more >= 0 or -more <= hot * dear[np.int64(next_word(draw) >> np.uint64(52))]:
            place[a], place[b] = at_b, at_a
            holder[at_a], holder[at_b] = b, a
            gains[0] += more
            if gains[0] > gains[1]:
                gains[1] = gains[0]
                for each in range(place.size):
                    best[each] = place[each]


@allocating
def grown(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    old_offsets: np.ndarray,
    old_neighbours: np.ndarray,
    place: np.ndarray,
    hosts: np.ndarray,
    had: np.ndarray,
    source: int,
    first: int,
) -> bool:
    """A matching grown outwards: `first` of the goal is `source`; then, always, a pair with the most matched neighbours.

    place int64[goal's switches], -1 everywhere, is filled with the numbers of all switches that stand; others stay -1. Pairs
    are grown in the order in which they are met. Returns whether all found a place that keeps their hosts.
    """
    n, old = place.size, old_offsets.size - 1
    stands = np.full(old, -1, np.int64)
    score = np.zeros(n, np.int64)
    queue = np.empty(old, np.int64)
    place[first], stands[source] = source, first
    queue[0] = source
    head, tail, done = 0, 1, 1
    while done < old:
        if head == tail:
            # Another piece, or switches that have no neighbour with room: the next of each.
            rest = -1
            for switch in range(old):
                if stands[switch] < 0:
                    rest = switch
                    break
            spot = -1
            for switch in range(n):
                if place[switch] < 0 and hosts[switch] >= had[rest] and (spot < 0 or hosts[switch] < hosts[spot]):
                    spot = switch
            if spot < 0:
                return False
            place[spot], stands[rest] = rest, spot
            queue[tail] = rest
            tail += 1
            done += 1
            continue
        centre = queue[head]
        head += 1
        for i in range(old_offsets[centre], old_offsets[centre + 1]):
            near = old_neighbours[i]
            if stands[near] >= 0:
                continue
            # Of the places beside the centre's, that with the most links to where near's neighbours are.
            best, most = -1, -1
            goal = stands[centre]
            for j in range(offsets[goal], offsets[goal + 1]):
                spot = neighbours[j]
                if place[spot] >= 0 or hosts[spot] < had[near]:
                    continue
                score[spot] = 0
                for k in range(offsets[spot], offsets[spot + 1]):
                    at = place[neighbours[k]]
                    if at >= 0:
                        score[spot] += _joined(old_offsets, old_neighbours, near, at) > 0
                if score[spot] > most:
                    best, most = spot, score[spot]
            if best >= 0:
                place[best], stands[near] = near, best
                queue[tail] = near
                tail += 1
                done += 1
    return True
