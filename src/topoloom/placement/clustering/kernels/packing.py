"""Kernels that pack switches into racks by their links, and take switches out of racks that are too full."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel


@kernel
def fits(load: np.ndarray, room: np.ndarray) -> bool:
    """Whether load float64[k] fits into the free capacity room float64[k]."""
    for k in range(load.size):
        if load[k] > room[k]:
            return False
    return True


@allocating
def pack_whole(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    members: np.ndarray,
    ends: np.ndarray,
    loads: np.ndarray,
    room: np.ndarray,
    rack: np.ndarray,
) -> None:
    """Put each cluster as a whole into the rack with the most links to it that has room for it, if there is one.

    Arrays: members int32[n], the switches of the clusters one after another; cluster c ends before ends[c] (int64[clusters]).
    offsets int64[n + 1] and neighbours int32[2 m]: the topology in CSR form. loads float64[n, k]: the demand of each switch for
    k resources, of which column 0 is the places in a rack. Changed in place: room float64[racks, k], the free capacity; rack
    int32[n], -1 for switches without a rack. Of racks with equally many links, the one with the fewest free places is taken,
    and of those the first.
    """
    links = np.zeros(len(room), np.int64)
    start = 0
    for stop in ends:
        links[:] = 0
        load = np.zeros(loads.shape[1])
        for u in members[start:stop]:
            load += loads[u]
            for v in neighbours[offsets[u] : offsets[u + 1]]:
                if rack[v] >= 0:
                    links[rack[v]] += 1
        best = -1
        for c in range(len(room)):
            better = best < 0 or links[c] > links[best] or (links[c] == links[best] and room[c, 0] < room[best, 0])
            if better and fits(load, room[c]):
                best = c
        if best >= 0:
            room[best] -= load
            for u in members[start:stop]:
                rack[u] = best
        start = stop


@allocating
def settle_all(
    offsets: np.ndarray, neighbours: np.ndarray, size: np.ndarray, loads: np.ndarray, room: np.ndarray, rack: np.ndarray
) -> bool:
    """Put every switch without a rack (-1) into one; return False as soon as a switch fits nowhere.

    Arrays as in `pack_whole`; size: int64[n], the size class of each switch. The order: largest size first; within a size, the
    switch with the most links to one rack with room. Where no rack has room, another switch moves to make room.
    """
    waiting: np.ndarray = np.flatnonzero(rack < 0)
    best, links = np.full(rack.size, -1, np.int32), np.zeros(rack.size, np.int64)
    tally = np.zeros(len(room), np.int64)
    for u in waiting:
        best[u], links[u] = _best_rack(u, offsets, neighbours, loads, room, rack, tally)
    left = waiting.size
    while left > 0:
        at = 0
        for i in range(1, left):
            u, v = waiting[i], waiting[at]
            if size[u] > size[v] or (size[u] == size[v] and links[u] > links[v]):
                at = i
        u = waiting[at]
        # Its best rack may be full by now: look again. With fewer links to the new rack, it waits, and another switch is
        # chosen.
        if best[u] < 0 or not fits(loads[u], room[best[u]]):
            now, count = _best_rack(u, offsets, neighbours, loads, room, rack, tally)
            best[u] = now
            if now >= 0 and count < links[u]:
                links[u] = count
                continue
            if now < 0:
                best[u] = _made_room(u, offsets, neighbours, loads, room, rack, tally)
                if best[u] < 0:
                    return False
        rack[u] = best[u]
        room[best[u]] -= loads[u]
        left -= 1
        waiting[at] = waiting[left]
        for v in neighbours[offsets[u] : offsets[u + 1]]:
            if rack[v] < 0:
                best[v], links[v] = _best_rack(v, offsets, neighbours, loads, room, rack, tally)
    return True


@kernel
def _best_rack(
    u: int,
    offsets: np.ndarray,
    neighbours: np.ndarray,
    loads: np.ndarray,
    room: np.ndarray,
    rack: np.ndarray,
    tally: np.ndarray,
) -> tuple[int, int]:
    """The rack with room for switch u that has the most links to it, and their number; without links, the emptiest rack.

    tally: int64[racks], all 0 before and after.
    """
    best, most = -1, 0
    for v in neighbours[offsets[u] : offsets[u + 1]]:
        c = rack[v]
        if c >= 0:
            tally[c] += 1
            if fits(loads[u], room[c]) and (tally[c] > most or (tally[c] == most and c < best)):
                best, most = c, tally[c]
    for v in neighbours[offsets[u] : offsets[u + 1]]:
        if rack[v] >= 0:
            tally[rack[v]] = 0
    if best < 0:
        for c in range(len(room)):
            if fits(loads[u], room[c]) and (best < 0 or room[c, 0] > room[best, 0]):
                best = c
    return best, most


@inner
def _links_to(u: int, c: int, offsets: np.ndarray, neighbours: np.ndarray, rack: np.ndarray) -> int:
    """Number of links of switch u to rack c."""
    links = 0
    for v in neighbours[offsets[u] : offsets[u + 1]]:
        if rack[v] == c:
            links += 1
    return links


@allocating
def _made_room(
    u: int,
    offsets: np.ndarray,
    neighbours: np.ndarray,
    loads: np.ndarray,
    room: np.ndarray,
    rack: np.ndarray,
    tally: np.ndarray,
) -> int:
    """Move one switch to another rack, at the least loss of links, so that u fits; returns the rack that u fits, or -1."""
    moved, to, least = -1, -1, 1 << 60
    for v in range(rack.size):
        c = rack[v]
        if c < 0 or not fits(loads[u], room[c] + loads[v]):
            continue
        d, links = _best_rack(v, offsets, neighbours, loads, room, rack, tally)
        if d < 0 or d == c:
            continue
        lost = _links_to(v, c, offsets, neighbours, rack) - links - _links_to(u, c, offsets, neighbours, rack)
        if lost < least:
            moved, to, least = v, d, lost
    if moved < 0:
        return -1
    freed = rack[moved]
    room[freed] += loads[moved]
    room[to] -= loads[moved]
    rack[moved] = to
    return freed


@allocating
def evict(offsets: np.ndarray, neighbours: np.ndarray, loads: np.ndarray, room: np.ndarray, rack: np.ndarray) -> None:
    """Take switches out of overfull racks (room below 0) until none is overfull; arrays as in `pack_whole`.

    The switch that leaves is the one with the most links to some other rack less its links to its own; only switches with a
    demand for the overused resource leave.
    """
    tally = np.zeros(len(room), np.int64)
    for c in range(len(room)):
        inside: np.ndarray = np.flatnonzero(rack == c)
        while True:
            short = -1
            for k in range(room.shape[1]):
                if room[c, k] < 0:
                    short = k
            if short < 0:
                break
            leaves, gain = -1, -(1 << 60)
            for u in inside:
                if rack[u] == c and loads[u, short] > 0:
                    gain_of_u = _most_elsewhere(u, offsets, neighbours, rack, tally)
                    gain_of_u -= _links_to(u, c, offsets, neighbours, rack)
                    if gain_of_u > gain:
                        leaves, gain = u, gain_of_u
            rack[leaves] = -1
            room[c] += loads[leaves]


@inner
def _most_elsewhere(u: int, offsets: np.ndarray, neighbours: np.ndarray, rack: np.ndarray, tally: np.ndarray) -> int:
    """Number of links of switch u to the other rack to which it has the most."""
    most = 0
    for v in neighbours[offsets[u] : offsets[u + 1]]:
        if rack[v] >= 0 and rack[v] != rack[u]:
            tally[rack[v]] += 1
            most = max(most, tally[rack[v]])
    for v in neighbours[offsets[u] : offsets[u + 1]]:
        if rack[v] >= 0:
            tally[rack[v]] = 0
    return most
