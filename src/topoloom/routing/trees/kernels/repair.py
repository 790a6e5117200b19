"""Repair of trees that lost channels, with as few new entries as possible."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel


@allocating
def repair_trees(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    ports: np.ndarray,
    none: int,
    home: np.ndarray,
    alive: np.ndarray,
    load: np.ndarray,
    moved: np.ndarray,
    flag: np.ndarray,
) -> int:
    """Repair the tree of every row; return the number of changed entries. Switches without any path keep their entries.

    A switch that lost its channel takes a neighbour with an intact path, the shortest one, and all switches behind it follow
    without a change. If all its neighbours are behind it, the path from one of them is reversed.

    Parameters
    ----------
    ports : [R, n]
        `none` where the channel is lost; no path may run in a loop; updated.
    home : int64[R]
        The switch to which each row leads.
    alive : bool[n]
        Switches that still exist.
    load : int64[2 m]
        Pairs over each channel; decides between equal paths; repaired entries are added.
    moved : bool[R, n]
        Set for [r, s] if the path from s changed.
    flag : uint8[1]
        Not 0: the work was stopped; the trees are incomplete.
    """
    n = first.size - 1
    depth, waiting, path = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    changed = 0
    for d in range(home.size):
        if flag[0]:
            return changed
        if not alive[home[d]]:
            continue
        # depth: hops to the row's home; -1: not known yet, -2: cut off.
        depth[:] = -1
        depth[home[d]] = 0
        cut = 0
        for s in range(n):
            if not alive[s]:
                continue
            v, length = s, 0
            while depth[v] == -1 and ports[d, v] != none:
                path[length] = v
                length += 1
                v = np.int64(to[first[v] + ports[d, v]])
            hops = depth[v]
            if hops == -1:
                depth[v] = hops = np.int64(-2)
                cut += 1
            for i in range(length - 1, -1, -1):
                hops = hops + 1 if hops >= 0 else hops
                depth[path[i]] = hops
                cut += hops == -2
        if cut == 0:
            continue
        for s in range(n):
            moved[d, s] = depth[s] == -2
        while cut:
            # Find the switch without a channel that has the shortest path over a neighbour; else any switch that is cut off.
            best, lightest, chosen = np.int64(1) << 62, np.int64(1) << 62, np.int64(-1)
            for whole in range(2):
                for v in range(n):
                    if depth[v] != -2 or (whole == 0 and ports[d, v] != none):
                        continue
                    behind = np.int64(0)
                    if whole:  # entries to reverse on the path to the switch without a channel
                        u = v
                        while ports[d, u] != none:
                            u = np.int64(to[first[u] + ports[d, u]])
                            behind += n
                    for c in range(first[v], first[v + 1]):
                        w = np.int64(to[c])
                        if depth[w] >= 0 and (
                            behind + depth[w] < best or (behind + depth[w] == best and load[c] < lightest)
                        ):
                            best, lightest, chosen = behind + depth[w], load[c], c
                if chosen >= 0:
                    break
            if chosen < 0:
                break
            # Reverse every entry from the chosen channel's switch back to the switch without a channel.
            c = chosen
            while True:
                v = np.int64(to[back[c]])
                old = np.int64(ports[d, v])
                ports[d, v] = c - first[v]
                load[c] += 1
                changed += 1
                if old == none:
                    break
                c = np.int64(back[first[v] + old])
            # Update the depth of all switches whose paths are repaired.
            for s in range(n):
                if depth[s] != -2:
                    continue
                v, length = s, 0
                while depth[v] == -2 and ports[d, v] != none:
                    waiting[length] = v
                    length += 1
                    v = np.int64(to[first[v] + ports[d, v]])
                if depth[v] >= 0:
                    hops = depth[v]
                    for i in range(length - 1, -1, -1):
                        hops += 1
                        depth[waiting[i]] = hops
                        cut -= 1
    return changed


@kernel
def turns_of(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
    orphan: int,
    carries: np.ndarray,
    turns: np.ndarray,
    flag: np.ndarray,
) -> None:
    """Write for each turn the virtual channels in which some pair with data makes it, one bit each.

    A turn leads from one channel of a switch to the next; that of switch w has the index `turn_first[w]` + incoming port *
    degree + outgoing port in `turns` (uint16). vc: [n, n], by destination and source; pairs without a virtual channel
    (`orphan`) and switches without hosts (`carries`, bool[n]) are skipped.
    """
    n = first.size - 1
    for d in range(n):
        if flag[0]:  # the work was stopped
            return
        if not carries[d]:
            continue
        for s in range(n):
            if s == d or not carries[s] or vc[d, s] == orphan:
                continue
            bit = np.uint16(1 << np.int64(vc[d, s]))
            c = first[s] + ports[d, s]
            w = np.int64(to[c])
            while w != d:
                e = first[w] + ports[d, w]
                turns[turn_first[w] + (back[c] - first[w]) * (first[w + 1] - first[w]) + e - first[w]] |= bit
                c, w = e, np.int64(to[e])


@allocating
def ordered(
    first: np.ndarray, to: np.ndarray, back: np.ndarray, turn_first: np.ndarray, turns: np.ndarray, bit: int
) -> np.ndarray:
    """A topological order of the channels, int32[2 m], in which every turn of a virtual channel without cycles leads upwards
    (Kahn, 1962).
    """
    n = first.size - 1
    waits = np.zeros(to.size, np.int32)
    for w in range(n):
        degree = first[w + 1] - first[w]
        for q in range(degree):
            for p in range(degree):
                if turns[turn_first[w] + q * degree + p] & bit:
                    waits[first[w] + p] += 1
    free, place = np.empty(to.size, np.int64), np.empty(to.size, np.int32)
    count, taken = 0, 0
    for c in range(to.size):
        if waits[c] == 0:
            free[count] = c
            count += 1
    while taken < count:
        c = free[taken]
        place[c] = taken
        taken += 1
        w = np.int64(to[c])
        degree = first[w + 1] - first[w]
        row = turn_first[w] + (back[c] - first[w]) * degree
        for p in range(degree):
            if turns[row + p] & bit:
                waits[first[w] + p] -= 1
                if waits[first[w] + p] == 0:
                    free[count] = first[w] + p
                    count += 1
    return place
