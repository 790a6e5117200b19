"""Kernels for matching two networks: exchanging switches by annealing, and growing a matching outwards."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner
from topoloom.core.random_streams.kernels import next_below, next_word


@inner
def _mark(old_offsets: np.ndarray, old_neighbours: np.ndarray, stands: int, mark: np.ndarray, stamp: int) -> None:
    """Mark the neighbours of `stands` in the existing network, int64[n], by a stamp that no other marks have."""
    for i in range(old_offsets[stands], old_offsets[stands + 1]):
        mark[old_neighbours[i]] = stamp


@inner
def _stays(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    place: np.ndarray,
    switch: int,
    other: int,
    other_stands: int,
    mark: np.ndarray,
    stamp: int,
) -> int:
    """Links of `switch` of the goal that stay if it becomes the switch whose neighbours are marked, and `other` becomes
    `other_stands`."""
    count = 0
    for i in range(offsets[switch], offsets[switch + 1]):
        neighbour = neighbours[i]
        at = other_stands if neighbour == other else place[neighbour]
        count += mark[at] == stamp
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
    acceptance: np.ndarray,
    draw: np.ndarray,
    begin: int,
    end: int,
    tries: int,
    best: np.ndarray,
    gains: np.ndarray,
) -> None:
    """Improve a matching by annealing: exchange switches of the goal so that more links stay.

    Runs tries begin .. end - 1 of `tries`; half of them move a switch next to one of its neighbours' neighbours. Arrays, for n
    switches in both networks:

    * offsets int64[n + 1], neighbours int[2 links]: the goal in compressed rows; old_offsets, old_neighbours: the existing
      network, padded to n switches;
    * place int64[n]: the existing number of every switch of the goal; changed in place;
    * hosts, had int64[n]: hosts of the goal's switches, and of the existing ones, which may not lose any;
    * acceptance float32[4096]: the table of losses that the Metropolis rule accepts;
    * draw: the state of the random draws;
    * best int64[n], gains int64[2]: the best matching so far, and the links gained since the beginning, now and by the best;
      both are kept from call to call.
    """
    n = place.size
    holder, mark = np.empty(n, np.int64), np.zeros(n, np.int64)
    for switch in range(n):
        holder[place[switch]] = switch
    for step in range(begin, end):
        hot = 0.6 * (1.0 - step / tries)
        a = np.int64(next_below(draw, n))
        if next_word(draw) & np.uint64(1) and offsets[a + 1] > offsets[a]:
            # Take a switch that is linked, in the existing network, to the place of a neighbour.
            neighbour = neighbours[offsets[a] + np.int64(next_below(draw, offsets[a + 1] - offsets[a]))]
            stands = place[neighbour]
            if old_offsets[stands + 1] == old_offsets[stands]:
                continue
            pick = old_offsets[stands] + np.int64(next_below(draw, old_offsets[stands + 1] - old_offsets[stands]))
            b = holder[old_neighbours[pick]]
        else:
            b = np.int64(next_below(draw, n))
        if a == b or hosts[a] < had[place[b]] or hosts[b] < had[place[a]]:
            continue
        at_a, at_b = place[a], place[b]
        # Marks take time per link, not per pair of links. A link between the two counts at both, before and after: it cancels.
        stamp = 2 * (step - begin) + 1
        _mark(old_offsets, old_neighbours, at_a, mark, stamp)
        old = _stays(offsets, neighbours, place, a, b, at_b, mark, stamp)
        new = _stays(offsets, neighbours, place, b, a, at_b, mark, stamp)
        _mark(old_offsets, old_neighbours, at_b, mark, stamp + 1)
        old += _stays(offsets, neighbours, place, b, a, at_a, mark, stamp + 1)
        new += _stays(offsets, neighbours, place, a, b, at_a, mark, stamp + 1)
        more = new - old
        if more >= 0 or -more <= hot * acceptance[np.int64(next_word(draw) >> np.uint64(52))]:
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
    """Grow a matching outwards: `first` of the goal becomes `source`; then always the pair with the most matched neighbours.

    Arrays, for n switches of the goal and n' existing ones:

    * offsets int64[n + 1], neighbours int[2 links]: the goal in compressed rows; old_offsets int64[n' + 1], old_neighbours: the
      existing network;
    * place int64[n]: -1 everywhere at the start; filled with the numbers of all existing switches, -1 for the others;
    * hosts int64[n], had int64[n']: hosts of the goal's switches and of the existing ones, which may not lose any.

    Pairs are extended in the order in which they were found. Returns whether all switches found a place that keeps their hosts.
    """
    n, old = place.size, old_offsets.size - 1
    stands = np.full(old, -1, np.int64)
    score = np.zeros(n, np.int64)
    queue = np.empty(old, np.int64)
    mark = np.full(old, -1, np.int64)
    place[first], stands[source] = source, first
    queue[0] = source
    head, tail, done = 0, 1, 1
    while done < old:
        if head == tail:
            # Another connected part, or no neighbour has space: the next switch takes the fitting place with the fewest hosts.
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
            # Of the places next to the centre's, that with the most links to the places of near's neighbours.
            best, most = -1, -1
            goal = stands[centre]
            _mark(old_offsets, old_neighbours, near, mark, near)
            for j in range(offsets[goal], offsets[goal + 1]):
                spot = neighbours[j]
                if place[spot] >= 0 or hosts[spot] < had[near]:
                    continue
                score[spot] = 0
                for k in range(offsets[spot], offsets[spot + 1]):
                    at = place[neighbours[k]]
                    if at >= 0:
                        score[spot] += mark[at] == near
                if score[spot] > most:
                    best, most = spot, score[spot]
            if best >= 0:
                place[best], stands[near] = near, best
                queue[tail] = near
                tail += 1
                done += 1
    return True
