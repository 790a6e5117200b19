"""Dependencies between channels while tables change: every switch may have its old or its new entry, in any mixture."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.vc_trees import ORPHAN
from topoloom.routing.virtual_channels.kernels.acyclic import add_turn


@allocating
def mixed_turns(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    none: int,
    vc_before: np.ndarray,
    vc_after: np.ndarray,
    carries: np.ndarray,
    destinations: np.ndarray,
    turns: np.ndarray,
    flag: np.ndarray,
) -> None:
    """Write to `turns`, uint16[turns], the virtual channels (one bit each) in which packets to the destinations can make each
    turn.

    At every switch a packet finds the entry before or the entry after, independently of earlier switches; it keeps its virtual
    channel before or its virtual channel after on the whole path. An entry `none` drops the packet.
    """
    n = first.size - 1
    mask, waiting = np.zeros(n, np.uint16), np.empty(n, np.int64)
    queued = np.zeros(n, np.bool_)
    for d in destinations:
        if flag[0]:  # the work was stopped
            return
        count = 0
        for s in range(n):
            mask[s] = 0
            if s == d or not carries[s] or not carries[d]:
                continue
            if vc_before[d, s] != ORPHAN:
                mask[s] |= np.uint16(1 << np.int64(vc_before[d, s]))
            if vc_after[d, s] != ORPHAN:
                mask[s] |= np.uint16(1 << np.int64(vc_after[d, s]))
            if mask[s]:
                waiting[count] = s
                queued[s] = True
                count += 1
        # Pass virtual channels along both entries until no switch gets a new one.
        while count:
            count -= 1
            u = waiting[count]
            queued[u] = False
            for which in range(2):
                port = np.int64(after[d, u]) if which else np.int64(before[d, u])
                if port == none:
                    continue
                w = np.int64(to[first[u] + port])
                if w != d and mask[w] | mask[u] != mask[w]:
                    mask[w] |= mask[u]
                    if not queued[w]:
                        waiting[count] = w
                        queued[w] = True
                        count += 1
        for u in range(n):
            if u == d or not mask[u]:
                continue
            for which in range(2):
                port = np.int64(after[d, u]) if which else np.int64(before[d, u])
                if port == none or (which and port == np.int64(before[d, u])):
                    continue
                c = first[u] + port
                w = np.int64(to[c])
                if w == d:
                    continue
                row = turn_first[w] + (back[c] - first[w]) * (first[w + 1] - first[w])
                if np.int64(before[d, w]) != none:
                    turns[row + np.int64(before[d, w])] |= mask[u]
                if np.int64(after[d, w]) != none:
                    turns[row + np.int64(after[d, w])] |= mask[u]


@allocating
def vc_with_cycle(
    first: np.ndarray, to: np.ndarray, back: np.ndarray, turn_first: np.ndarray, turns: np.ndarray, vcs: int
) -> int:
    """The first virtual channel whose turns close a cycle (topological sort, Kahn, 1962); -1 if there is none."""
    n = first.size - 1
    waits, free = np.empty(to.size, np.int64), np.empty(to.size, np.int64)
    for number in range(vcs):
        bit = np.uint16(1 << number)
        waits[:] = 0
        for w in range(n):
            degree = first[w + 1] - first[w]
            for q in range(degree):
                for p in range(degree):
                    if turns[turn_first[w] + q * degree + p] & bit:
                        waits[first[w] + p] += 1
        count, taken = 0, 0
        for c in range(to.size):
            if waits[c] == 0:
                free[count] = c
                count += 1
        while taken < count:
            c = free[taken]
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
        if count < to.size:
            return number
    return -1


@allocating
def keep_vcs(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    ports: np.ndarray,
    moved: np.ndarray,
    carries: np.ndarray,
    vc: np.ndarray,
    turns: np.ndarray,
    place: np.ndarray,
    flag: np.ndarray,
) -> int:
    """Keep the virtual channel of each pair with a changed path if that closes no cycle, otherwise write ORPHAN; return the
    number
    of orphans.

    Parameters
    ----------
    moved : bool[n, n]
    vc : uint8[n, n]
        Written.
    turns : uint16[turns]
        The turns already in the virtual channels; the turns of pairs that keep theirs are added.
    place : int32[virtual channels, 2 m]
        For each virtual channel, an order of the channels in which all its turns lead upwards.
    """
    n = first.size - 1
    mark, stamp = np.zeros(to.size, np.int64), np.zeros(2, np.int64)
    ahead, behind = np.empty(to.size, np.int64), np.empty(to.size, np.int64)
    orphans = 0
    for d in range(n):
        if flag[0]:
            return orphans
        if not carries[d]:
            continue
        for s in range(n):
            if s == d or not carries[s] or not moved[d, s]:
                continue
            number = np.int64(vc[d, s])
            fits = number < len(place)
            if fits:
                bit = np.uint16(1 << number)
                c = first[s] + ports[d, s]
                w = np.int64(to[c])
                while w != d:
                    e = first[w] + ports[d, w]
                    turn = turn_first[w] + (back[c] - first[w]) * (first[w + 1] - first[w]) + e - first[w]
                    if not turns[turn] & bit and not add_turn(
                        first, to, back, turn_first, turns, bit, place[number], mark, stamp, ahead, behind, c, e
                    ):
                        fits = False
                        break
                    c, w = e, np.int64(to[e])
            if not fits:
                vc[d, s] = ORPHAN
                orphans += 1
    return orphans


@allocating
def loads_of(first: np.ndarray, to: np.ndarray, ports: np.ndarray, none: int, carries: np.ndarray) -> np.ndarray:
    """The pairs with data over each channel, int64[2 m]; an incomplete path counts as far as it leads."""
    n = first.size - 1
    load = np.zeros(to.size, np.int64)
    for d in range(n):
        if not carries[d]:
            continue
        for s in range(n):
            if not carries[s]:
                continue
            v = np.int64(s)
            while v != d and ports[d, v] != none:
                c = first[v] + ports[d, v]
                load[c] += 1
                v = np.int64(to[c])
    return load
