"""Switches into racks that have room, one by one, by links; and out of racks that are too full."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel


@kernel
def fits(load: np.ndarray, room: np.ndarray) -> bool:
    """Whether load float64[k] fits into room float64[k]."""
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
    """Put each cluster whole into the rack with the most links to it that has room for it, if any has.

    members: int32[n], the clusters' switches one after another; cluster c ends before ends[c]. CSR: offsets
    int64[n + 1], neighbours int32[2 m]. loads: float64[n, k]; room: float64[racks, k] and rack: int32[n], -1 where
    there is none, are changed. Of racks with as many links that with the fewest places left is taken, and of these the
    first.
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
    """Put every switch without a rack (-1) into one; whether all could be.

    Arrays as in `pack_whole`; size: int64[n]. Largest first; of as large ones that which has the most links to one
    rack with room. Where no rack has room, a switch makes room by moving to another rack.
    """
    waiting: np.ndarray = np.flatnonzero(rack < 0)
    best, links = np.full(rack.size, -1, np.int32), np.zeros(rack.size, np.int64)
    tally = np.zeros(len(room), np.int64)
    for u in waiting:
        best[u], links[u] = _best(u, offsets, neighbours, loads, room, rack, tally)
    left = waiting.size
    while left > 0:
        at = 0
        for i in range(1, left):
            u, v = waiting[i], waiting[at]
            if size[u] > size[v] or (size[u] == size[v] and links[u] > links[v]):
                at = i
        u = waiting[at]
        if best[u] < 0 or not fits(loads[u], room[best[u]]):
            now, count = _best(u, offsets, neighbours, loads, room, rack, tally)
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
                best[v], links[v] = _best(v, offsets, neighbours, loads, room, rack, tally)
    return True


@kernel
def _best(
    u: int,
    offsets: np.ndarray,
    neighbours: np.ndarray,
    loads: np.ndarray,
    room: np.ndarray,
    rack: np.ndarray,
    tally: np.ndarray,
) -> tuple[int, int]:
    """The rack with the most links to switch u that has room for it, and how many; without links, the emptiest."""
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
    """The links of switch u to rack c."""
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
    """Move a switch to another rack, at the least loss of links, so that u gets its place; where u fits now, or -1."""
    moved, to, least = -1, -1, 1 << 60
    for v in range(rack.size):
        c = rack[v]
        if c < 0 or not fits(loads[u], room[c] + loads[v]):
            continue
        d, links = _best(v, offsets, neighbours, loads, room, rack, tally)
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
    """Take switches out of racks that hold too much (room below 0) until none does; arrays as in `pack_whole`.

    The first to leave has the most links to some other rack, less those to its own; switches that take nothing of what
    is short stay.
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
                    found = _most_elsewhere(u, offsets, neighbours, rack, tally)
                    found -= _links_to(u, c, offsets, neighbours, rack)
                    if found > gain:
                        leaves, gain = u, found
            rack[leaves] = -1
            room[c] += loads[leaves]


@inner
def _most_elsewhere(u: int, offsets: np.ndarray, neighbours: np.ndarray, rack: np.ndarray, tally: np.ndarray) -> int:
    """The links of switch u to the other rack that has the most."""
    most = 0
    for v in neighbours[offsets[u] : offsets[u + 1]]:
        if rack[v] >= 0 and rack[v] != rack[u]:
            tally[rack[v]] += 1
            most = max(most, tally[rack[v]])
    for v in neighbours[offsets[u] : offsets[u + 1]]:
        if rack[v] >= 0:
            tally[rack[v]] = 0
    return most
