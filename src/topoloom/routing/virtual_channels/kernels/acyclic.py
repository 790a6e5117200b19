"""Virtual channels kept free of cycles turn by turn: each has an order of the channels, which is repaired where a new turn
breaks it.

Source: Pearce and Kelly, A dynamic topological sort algorithm for directed acyclic graphs, ACM JEA 11, 2007.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.vc_trees import ORPHAN


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
    """Let channel `after` follow `before` in a virtual channel, unless that closes a cycle; whether it does not.

    turns : uint16[turns]
        The turns in each virtual channel, a bit a virtual channel.
    place : int32[2 m]
        An order of the virtual channel's channels in which every turn leads upwards; kept so.
    mark, stamp, ahead, behind : int64[2 m], int64[2], int64[2 m], int64[2 m]
        Room; stamp[1] counts the channels looked at.
    """
    w = np.int64(to[before])
    degree = first[w + 1] - first[w]
    turn = turn_first[w] + (back[before] - first[w]) * degree + after - first[w]
    low, high = place[after], place[before]
    if high < low:
        turns[turn] |= bit
        return True
    # What `after` leads to, up to the place of `before`; if it leads there, that is a cycle.
    stamp[0] += 1
    ahead[0], found = after, 1
    mark[after] = stamp[0]
    at = 0
    while at < found:
        c = ahead[at]
        at += 1
        x = np.int64(to[c])
        wide = first[x + 1] - first[x]
        row = turn_first[x] + (back[c] - first[x]) * wide
        for p in range(wide):
            if turns[row + p] & bit:
                e = first[x] + p
                if e == before:
                    stamp[1] += found
                    return False
                if place[e] < high and mark[e] != stamp[0]:
                    mark[e] = stamp[0]
                    ahead[found] = e
                    found += 1
    # What leads to `before`, down to the place of `after`.
    stamp[0] += 1
    behind[0], others = before, 1
    mark[before] = stamp[0]
    at = 0
    while at < others:
        c = behind[at]
        at += 1
        x = np.int64(to[back[c]])
        wide = first[x + 1] - first[x]
        for q in range(wide):
            if turns[turn_first[x] + q * wide + c - first[x]] & bit:
                e = np.int64(back[first[x] + q])
                if place[e] > low and mark[e] != stamp[0]:
                    mark[e] = stamp[0]
                    behind[others] = e
                    others += 1
    stamp[1] += found + others
    # All that lead to `before` come first, in the order they had; then all that `after` leads to; on the same places.
    # One sort for all three, and loops in place of copies of slices: each other form takes the compiler a second.
    moved, places = np.empty(found + others, np.int64), np.empty(found + others, np.int32)
    for i in range(others):
        places[i] = place[behind[i]]
    for i, j in enumerate(np.argsort(places[:others])):
        moved[i] = behind[j]
    for i in range(found):
        places[others + i] = place[ahead[i]]
    for i, j in enumerate(np.argsort(places[others:])):
        moved[others + i] = ahead[j]
    for i, j in enumerate(np.argsort(places)):
        place[moved[i]] = places[j]
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
    """Give pairs that no order serves the first of the virtual channels lowest .. lowest + virtual channels - 1 that stays
    acyclic.

    False as soon as one has none, or when more than `effort` channels were looked at.

    Parameters
    ----------
    turns, refused : uint16[turns]
        Turns that each of these virtual channels has, and that would close a cycle in it, a bit a virtual channel: once so,
        always so.
    place : int32[virtual channels, 2 m]
    stamp : int64[2]
        Zeros at first; the second counts the channels looked at, from call to call.
    flag : uint8[1]
        Not 0: whoever asked wants no virtual channels any more; False then, too.
    """
    n = first.size - 1
    mark = np.zeros(to.size, np.int64)
    ahead, behind = np.empty(to.size, np.int64), np.empty(to.size, np.int64)
    path = np.empty(n, np.int64)
    for d in destinations:
        for s in range(n):
            if vc[d, s] != ORPHAN or s == d:
                continue
            if flag[0]:
                return False
            length, v = 0, np.int64(s)
            closed, there = np.int64(0), (np.int64(1) << vcs) - 1
            while v != d:
                path[length] = first[v] + ports[d, v]
                v = np.int64(to[path[length]])
                length += 1
            for i in range(length - 1):
                w = np.int64(to[path[i]])
                degree = first[w + 1] - first[w]
                turn = turn_first[w] + (back[path[i]] - first[w]) * degree + path[i + 1] - first[w]
                closed |= np.int64(refused[turn])
                there &= np.int64(turns[turn])
            got = -1
            for number in range(vcs):
                if (there >> number) & 1:
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
