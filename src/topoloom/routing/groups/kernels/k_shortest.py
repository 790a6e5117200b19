"""The k shortest loop-free paths from all switches to one, and their rests as states of next-hop groups.

first int64[n + 1], to int32[2 m]: the channels of a topology. A path has no switch twice; paths over parallel links differ.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@inner
def _found(
    first: np.ndarray,
    to: np.ndarray,
    d: int,
    distance: np.ndarray,
    begins: np.ndarray,
    hops: int,
    skip: int,
    on_path: np.ndarray,
    tried: np.ndarray,
    path: np.ndarray,
) -> bool:
    """Write to `path` the next path of `hops` hops to d over the channel path[0], after `skip` others; return
    whether there is one. on_path: bool[n], whose first switch is set; tried, path: int64[hops].
    """
    w = np.int64(to[path[0]])
    if hops == 1:
        return bool(w == d and skip == 0)
    if w == d or distance[w] < 0 or distance[w] >= hops:
        return False
    depth, left, met = 1, skip, False
    on_path[w], tried[1] = True, 0
    while depth > 0:
        v = np.int64(to[path[depth - 1]])
        degree = first[v + 1] - first[v]
        if met or tried[depth] == degree:
            on_path[v] = False
            depth -= 1
            continue
        c = first[v] + (begins[v] + tried[depth]) % degree
        tried[depth] += 1
        w = np.int64(to[c])
        if depth == hops - 1:
            if w == d:
                path[depth] = c
                met = left == 0
                left -= 1
        elif w != d and not on_path[w] and 0 <= distance[w] < hops - depth:
            path[depth] = c
            depth += 1
            on_path[w], tried[depth] = True, 0
    return met


@allocating
def paths_to(
    first: np.ndarray,
    to: np.ndarray,
    d: int,
    distance: np.ndarray,
    begins: np.ndarray,
    longer: int,
    states: int,
    width: np.ndarray,
    port: np.ndarray,
    next_state: np.ndarray,
    rests: np.ndarray,
) -> int:
    """Find paths from every switch to d, the shorter ones first; return how many different rests they have, or -1.

    Of paths with equal hops, one goes over each link of the source before a second one goes over any of them. The rest of a
    path is the path from a later switch on; state q of packets at a switch means its q-th rest.

    Parameters
    ----------
    distance : int32[n]
        Fewest hops to d, -1 if there is no path.
    begins : int64[n]
        The port that a path tries first at each switch.
    longer : int
        Most hops more than the shortest path.
    states : int
        Most states, with that of the source; -1 is returned where they are too few.
    width : int64[n]
        The paths of each source; written.
    port : uint16[n, k], next_state : uint8[n, k]
        The first port of each path, and its state afterwards; written.
    rests : int64[room, 4]
        Switch, state, port and next state of every rest; written. Room for the hops of all paths.
    """
    n, k, count = first.size - 1, port.shape[1], 0
    on_path, spent = np.zeros(n, np.bool_), np.zeros(to.size, np.bool_)
    tried, path = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    number, last = (
        np.zeros(n, np.int64),
        np.full(n, -1, np.int64),
    )  # the rests of a switch are a list from its last one back
    before = np.empty(len(rests), np.int64)
    for s in range(n):
        width[s] = 0
        if s == d or distance[s] < 0:
            continue
        degree = first[s + 1] - first[s]
        on_path[s] = True
        for extra in range(longer + 1):
            hops = np.int64(distance[s]) + extra
            if hops >= n or width[s] == k:
                break
            spent[:degree] = False
            skip, more = 0, True
            while more and width[s] < k:
                more = False
                for place in range(degree):
                    at = (begins[s] + place) % degree
                    if spent[at] or width[s] == k:
                        continue
                    path[0] = first[s] + at
                    if not _found(first, to, d, distance, begins, hops, skip, on_path, tried, path):
                        spent[at] = True
                        continue
                    more = True
                    state = np.int64(0)
                    for hop in range(hops - 1, 0, -1):
                        v = np.int64(to[path[hop - 1]])
                        out = path[hop] - first[v]
                        same = last[v]
                        while same >= 0 and (rests[same, 2] != out or rests[same, 3] != state):
                            same = before[same]
                        if same < 0:
                            number[v] += 1
                            if number[v] >= states:
                                return -1
                            rests[count, 0], rests[count, 1], rests[count, 2], rests[count, 3] = (
                                v,
                                number[v],
                                out,
                                state,
                            )
                            before[count], last[v], same = last[v], count, count
                            count += 1
                        state = rests[same, 1]
                    port[s, width[s]], next_state[s, width[s]] = at, state
                    width[s] += 1
                skip += 1
        on_path[s] = False
    return count
