"""Virtual channels kept free of cycles turn by turn: each has a topological order of the channels, which is repaired when a new
turn violates it.

Source: Pearce and Kelly, A dynamic topological sort algorithm for directed acyclic graphs, ACM JEA 11, 2007.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.vc_trees import ORPHAN

#: Visited channels are ordered by one pass over the places between them if there are at most this many places per channel.
_DENSE = 16


@allocating
def add_turn(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    turns: np.ndarray,
    bit: int,
    place: np.ndarray,
    mark: np.ndarray,
    stamp: np.ndarray,
    ahead: np.ndarray,
    behind: np.ndarray,
    before: int,
    after: int,
) -> bool:
    """Add the turn from channel `before` to channel `after` in a virtual channel unless it closes a cycle; return whether it
    was added.

    turns : uint16[turns]
        The turns in use, one bit per virtual channel.
    place : int32[2 m]
        An order of the virtual channel's channels in which every turn leads upwards; updated.
    mark, stamp, ahead, behind : int64[2 m], int64[2], int64[2 m + 1], int64[2 m + 1]
        Scratch; stamp[1] counts the channels visited.
    """
    w = np.int64(to[before])
    degree = first[w + 1] - first[w]
    turn = turn_first[w] + (back[before] - first[w]) * degree + after - first[w]
    low, high = place[after], place[before]
    if high < low:
        turns[turn] |= bit
        return True
    # Forward search from `after`, up to the place of `before`; reaching `before` means a cycle. The loops over the ports of a
    # switch have no branch, because it would be unpredictable: each channel is written, and kept if the count moves on.
    stamp[0] += 1
    ahead[0], after_count = after, np.uint64(1)
    mark[after] = stamp[0]
    at, reaches = np.uint64(0), np.int64(-1)
    while at < after_count:
        c = ahead[at]
        at += np.uint64(1)
        x = np.int64(to[c])
        begin, wide = np.uint64(first[x]), np.uint64(first[x + 1] - first[x])
        row = np.uint64(turn_first[x]) + np.uint64(back[c] - first[x]) * wide
        for p in range(wide):
            e = begin + p
            leads = (turns[row + p] & bit) != 0
            reaches = np.int64(after_count) if leads & (e == np.uint64(before)) else reaches
            fresh = leads & (place[e] < high) & (mark[e] != stamp[0])
            mark[e] = stamp[0] if fresh else mark[e]
            ahead[after_count] = np.int64(e)
            after_count += np.uint64(fresh)
        if reaches >= 0:
            stamp[1] += reaches
            return False
    # Backward search from `before`, down to the place of `after`.
    stamp[0] += 1
    behind[0], before_count = before, np.uint64(1)
    mark[before] = stamp[0]
    at = np.uint64(0)
    while at < before_count:
        c = behind[at]
        at += np.uint64(1)
        x = np.int64(to[back[c]])
        begin, wide = np.uint64(first[x]), np.uint64(first[x + 1] - first[x])
        column = np.uint64(turn_first[x]) + np.uint64(c) - begin
        for q in range(wide):
            e = np.uint64(back[begin + q])
            fresh = ((turns[column + q * wide] & bit) != 0) & (place[e] > low) & (mark[e] != stamp[0])
            mark[e] = stamp[0] if fresh else mark[e]
            behind[before_count] = np.int64(e)
            before_count += np.uint64(fresh)
    forward, backward = np.int64(after_count), np.int64(before_count)
    stamp[1] += forward + backward
    # Reorder: first the channels that lead to `before`, then those that `after` leads to, each in their old order, in the same
    # places. If the visited places are many of those between `low` and `high`, one pass over all of these replaces a sort. An
    # entry is the place, the channel, and whether it lies ahead.
    count, span = forward + backward, np.int64(high) - low + 1
    visited = np.empty(span if span < _DENSE * count else count, np.int64)
    if visited.size == span:
        visited[:] = -1
        for i in range(backward):
            visited[place[behind[i]] - low] = np.int64(place[behind[i]]) << 32 | behind[i] << 1
        for i in range(forward):
            visited[place[ahead[i]] - low] = np.int64(place[ahead[i]]) << 32 | ahead[i] << 1 | 1
    else:
        for i in range(backward):
            visited[i] = np.int64(place[behind[i]]) << 32 | behind[i] << 1
        for i in range(forward):
            visited[backward + i] = np.int64(place[ahead[i]]) << 32 | ahead[i] << 1 | 1
        visited.sort()
    moved, places = np.empty(count + 1, np.int32), np.empty(count + 1, np.int32)
    at, at_behind, at_ahead = 0, 0, backward
    for entry in visited:
        if entry >= 0:
            places[at] = entry >> 32
            leads = entry & 1
            moved[at_ahead if leads else at_behind] = (entry & 0xFFFFFFFF) >> 1
            at += 1
            at_ahead += leads
            at_behind += 1 - leads
    for i in range(count):
        place[moved[i]] = places[i]
    turns[turn] |= bit
    return True


@allocating
def place_orphans(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
    lowest: int,
    vcs: int,
    destinations: np.ndarray,
    turns: np.ndarray,
    refused: np.ndarray,
    place: np.ndarray,
    effort: int,
    stamp: np.ndarray,
    flag: np.ndarray,
) -> bool:
    """Give each orphan pair the first of the virtual channels lowest .. lowest + vcs - 1 that stays acyclic.

    Returns False as soon as a pair gets none, or after more than `effort` visited channels.

    Parameters
    ----------
    turns, refused : uint16[turns]
        Turns in use, and turns that would close a cycle, one bit per virtual channel. A refused turn stays refused, because
        turns are only added.
    place : int32[virtual channels, 2 m]
    stamp : int64[2]
        Zeros at first; the second counts the visited channels over all calls.
    flag : uint8[1]
        Not 0: the work was stopped; the result is then False.
    """
    n = first.size - 1
    mark = np.zeros(to.size, np.int64)
    ahead, behind = np.empty(to.size + 1, np.int64), np.empty(to.size + 1, np.int64)
    path = np.empty(n, np.int64)
    for d in destinations:
        for s in range(n):
            if vc[d, s] != ORPHAN or s == d:
                continue
            if flag[0]:
                return False
            length, v = 0, np.int64(s)
            closed, shared = np.int64(0), (np.int64(1) << vcs) - 1
            while v != d:
                path[length] = first[v] + ports[d, v]
                v = np.int64(to[path[length]])
                length += 1
            for i in range(length - 1):
                w = np.int64(to[path[i]])
                degree = first[w + 1] - first[w]
                turn = turn_first[w] + (back[path[i]] - first[w]) * degree + path[i + 1] - first[w]
                closed |= np.int64(refused[turn])
                shared &= np.int64(turns[turn])
            got = -1
            for number in range(vcs):
                if (shared >> number) & 1:
                    got = number
                    break
            number = 0
            while got < 0 and number < vcs:
                bit = np.uint16(1 << number)
                if not (closed >> number) & 1:
                    fits = True
                    for i in range(length - 1):
                        w = np.int64(to[path[i]])
                        degree = first[w + 1] - first[w]
                        turn = turn_first[w] + (back[path[i]] - first[w]) * degree + path[i + 1] - first[w]
                        if turns[turn] & bit:
                            continue
                        if not add_turn(
                            first,
                            to,
                            back,
                            turn_first,
                            turns,
                            bit,
                            place[number],
                            mark,
                            stamp,
                            ahead,
                            behind,
                            path[i],
                            path[i + 1],
                        ):
                            refused[turn] |= bit
                            fits = False
                            break
                    if fits:
                        got = number
                number += 1
            if got < 0 or stamp[1] > effort:
                return False
            vc[d, s] = lowest + got
    return True
