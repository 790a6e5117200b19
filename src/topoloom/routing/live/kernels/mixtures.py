"""Dependencies between channels while tables change: every switch may have its old or its new entry, in any mixture.

Tables are by row: a row is a destination (a host port, several that share everything, or a switch), and `home` is its switch.
Senders are groups of hosts at one switch (`source`) that share their virtual channels.
"""

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
    source: np.ndarray,
    rows: np.ndarray,
    turns: np.ndarray,
    flag: np.ndarray,
) -> None:
    """Write to `turns`, uint16[turns], the virtual channels (one bit each) in which packets to the rows can make each turn.

    At every switch a packet finds the entry before or the entry after, independently of earlier switches; it keeps its virtual
    channel before or its virtual channel after on the whole path. An entry `none` ends the path: at the destination's switch
    the packet leaves the network, elsewhere it is dropped.

    before, after : [R, n]
    vc_before, vc_after : uint8[R, senders]; ORPHAN: none.
    source : int64[senders], the switch of each group of senders.
    """
    n = first.size - 1
    mask, waiting = np.zeros(n, np.uint16), np.empty(n, np.int64)
    queued = np.zeros(n, np.bool_)
    for d in rows:
        if flag[0]:  # the work was stopped
            return
        mask[:] = 0
        for g in range(source.size):
            s = source[g]
            if vc_before[d, g] != ORPHAN:
                mask[s] |= np.uint16(1 << np.int64(vc_before[d, g]))
            if vc_after[d, g] != ORPHAN:
                mask[s] |= np.uint16(1 << np.int64(vc_after[d, g]))
        count = 0
        for s in range(n):
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
                if mask[w] | mask[u] != mask[w]:
                    mask[w] |= mask[u]
                    if not queued[w]:
                        waiting[count] = w
                        queued[w] = True
                        count += 1
        for u in range(n):
            if not mask[u]:
                continue
            for which in range(2):
                port = np.int64(after[d, u]) if which else np.int64(before[d, u])
                if port == none or (which and port == np.int64(before[d, u])):
                    continue
                c = first[u] + port
                w = np.int64(to[c])
                row = turn_first[w] + (back[c] - first[w]) * (first[w + 1] - first[w])
                if np.int64(before[d, w]) != none:
                    turns[row + np.int64(before[d, w])] |= mask[u]
                if np.int64(after[d, w]) != none:
                    turns[row + np.int64(after[d, w])] |= mask[u]


@allocating
def rows_that_lose(
    first: np.ndarray,
    to: np.ndarray,
    now: np.ndarray,
    goal: np.ndarray,
    last: np.ndarray,
    none: int,
    home: np.ndarray,
    delivered: np.ndarray,
    sends: np.ndarray,
    rows: np.ndarray,
    loses: np.ndarray,
) -> None:
    """Set loses[i] if, in a mixture of `now` and `goal`, a packet to rows[i] can be dropped that arrives with `now` and `last`.

    now, goal, last : [R, n]
    delivered : bool[R, 3]
        Whether the home switch has the right entry for the destination now, after the step, and in the end.
    sends : bool[n]
        Switches with hosts.
    """
    n = first.size - 1
    arrives = np.empty((2, n), np.int8)
    path, waiting, seen = np.empty(n + 1, np.int64), np.empty(n, np.int64), np.empty(n, np.bool_)
    for number in range(rows.size):
        d = rows[number]
        h = home[d]
        for which in range(2):
            # -1: not known yet; 0: does not arrive; 1: arrives; 2: on the path that is followed.
            state = arrives[which]
            state[:] = -1
            state[h] = 1 if delivered[d, 2 if which else 0] else 0
            for s in range(n):
                v, count = np.int64(s), 0
                while state[v] == -1:
                    state[v] = 2
                    path[count] = v
                    count += 1
                    port = np.int64(last[d, v]) if which else np.int64(now[d, v])
                    if port == none:
                        break
                    v = np.int64(to[first[v] + port])
                end = 1 if state[v] == 1 else 0
                for i in range(count):
                    state[path[i]] = end
        seen[:] = False
        count = 0
        for s in range(n):
            if sends[s] and arrives[0, s] == 1 and arrives[1, s] == 1:
                seen[s] = True
                waiting[count] = s
                count += 1
        loses[number] = False
        while count and not loses[number]:
            count -= 1
            u = waiting[count]
            if u == h:
                loses[number] = not (delivered[d, 0] and delivered[d, 1])
                continue
            for which in range(2):
                port = np.int64(goal[d, u]) if which else np.int64(now[d, u])
                if port == none:
                    loses[number] = True
                    break
                w = np.int64(to[first[u] + port])
                if not seen[w]:
                    seen[w] = True
                    waiting[count] = w
                    count += 1


@allocating
def visited_by_data(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, none: int, starts: np.ndarray, visited: np.ndarray
) -> None:
    """Set visited[d, s] if a packet to row d from a switch of `starts`, bool[R, n], passes switch s; ports: [R, n]."""
    n = first.size - 1
    for d in range(len(ports)):
        for s in range(n):
            if not starts[d, s]:
                continue
            v = np.int64(s)
            while not visited[d, v]:
                visited[d, v] = True
                if np.int64(ports[d, v]) == none:
                    break
                v = np.int64(to[first[v] + np.int64(ports[d, v])])


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
    none: int,
    moved: np.ndarray,
    home: np.ndarray,
    source: np.ndarray,
    rows: np.ndarray,
    vc: np.ndarray,
    turns: np.ndarray,
    place: np.ndarray,
    again: bool,
    flag: np.ndarray,
) -> int:
    """Give pairs whose path changed a virtual channel that closes no cycle; return the number of pairs without one.

    Parameters
    ----------
    moved : bool[R, n]
        Rows and switches whose path changed.
    vc : uint8[R, senders]
        Written: a pair keeps its virtual channel if that closes no cycle, otherwise it gets ORPHAN. If `again`, orphans get the
        first virtual channel that closes none.
    turns : uint16[turns]
        The turns already in the virtual channels; those of the pairs are added.
    place : int32[virtual channels, 2 m]
        For each virtual channel, an order of the channels in which all its turns lead upwards.
    """
    mark, stamp = np.zeros(to.size, np.int64), np.zeros(2, np.int64)
    ahead, behind = np.empty(to.size + 1, np.int64), np.empty(to.size + 1, np.int64)
    orphans = 0
    for d in rows:
        if flag[0]:
            return orphans
        for g in range(source.size):
            s = source[g]
            if s == home[d] or ports[d, s] == none or not moved[d, s] or (again and vc[d, g] != ORPHAN):
                continue
            if again:
                low, high = np.int64(0), np.int64(len(place))
            else:
                low, high = np.int64(vc[d, g]), np.int64(vc[d, g]) + 1
                high = min(high, np.int64(len(place)))
            got = ORPHAN
            for number in range(low, high):
                bit = np.uint16(1 << number)
                fits = True
                c = first[s] + ports[d, s]
                w = np.int64(to[c])
                while ports[d, w] != none:
                    e = first[w] + ports[d, w]
                    turn = turn_first[w] + (back[c] - first[w]) * (first[w + 1] - first[w]) + e - first[w]
                    if not turns[turn] & bit and not add_turn(
                        first, to, back, turn_first, turns, bit, place[number], mark, stamp, ahead, behind, c, e
                    ):
                        fits = False
                        break
                    c, w = e, np.int64(to[e])
                if fits:
                    got = np.uint8(number)
                    break
            vc[d, g] = got
            orphans += got == ORPHAN
    return orphans
