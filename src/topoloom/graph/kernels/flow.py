"""Link-disjoint paths by augmentation: edge connectivity and edge-disjoint paths.

The flow of a link is +1 if a path uses it from its lower end to its higher, -1 in the other direction, 0 if it is free. A later
path may run against the flow, which cancels it.

Arrays: offsets int64[n + 1], neighbours and link int32[2 m] (CSR of a `Topology`), links int32[m, 2].
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@allocating
def smallest_cut(
    offsets: np.ndarray, neighbours: np.ndarray, link: np.ndarray, links: np.ndarray, order: np.ndarray
) -> int:
    """The fewest links whose removal splits a connected graph of two switches or more.

    Switches join a set one by one, in `order` (int64[n], a permutation); each time, the disjoint paths from the new switch to
    the set are counted. For any smallest cut, the first new switch on the other side than order[0] has exactly as many paths as
    the cut has links, and no new switch has fewer. So the least count is the answer, in any order.

    Counting stops at the best count so far (initially the lowest degree). If the order is spread evenly over the graph, the set
    is soon near every new switch, and most searches are short.
    """
    n = offsets.size - 1
    best = int((offsets[1:] - offsets[:-1]).min())
    inside = np.zeros(n, np.bool_)
    scratch = _scratch(n, links.shape[0])
    inside[order[0]] = True
    search = 1
    for newcomer in order[1:]:
        paths, search = _disjoint_paths(offsets, neighbours, link, links, newcomer, inside, best, search, scratch)
        best = min(best, paths)
        inside[newcomer] = True
    return best


@allocating
def disjoint_path_counts(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    link: np.ndarray,
    links: np.ndarray,
    pairs: np.ndarray,
    counts: np.ndarray,
) -> None:
    """counts[i] = the most paths without a common link between the two switches pairs[i]; pairs: int64[k, 2]."""
    n = offsets.size - 1
    scratch = _scratch(n, links.shape[0])
    target = np.zeros(n, np.bool_)
    search = 1
    for i in range(pairs.shape[0]):
        u, v = pairs[i, 0], pairs[i, 1]
        most = min(offsets[u + 1] - offsets[u], offsets[v + 1] - offsets[v])
        target[v] = True
        counts[i], search = _disjoint_paths(offsets, neighbours, link, links, u, target, most, search, scratch)
        target[v] = False


@allocating
def _scratch(n: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Flow (int8[m], zero), owner (int64[m]: the call that last used a link), used (int32[m]: the links of this call),
    stamp (int64[n]: the search that last saw a switch), via (int32[n]: the link it was reached by), queue (int32[n]).
    """
    return (
        np.zeros(m, np.int8),
        np.zeros(m, np.int64),
        np.empty(m, np.int32),
        np.zeros(n, np.int64),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
    )


@inner
def _disjoint_paths(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    link: np.ndarray,
    links: np.ndarray,
    source: int,
    target: np.ndarray,
    most: int,
    search: int,
    scratch: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> tuple[int, int]:
    """Count link-disjoint paths from `source` to switches v with target[v], at most `most`; return the count and the next
    `search`.

    target: bool[n], false at the source. `search`: a number above any in `scratch`. Flow is zero before and after.
    """
    flow, owner, used, stamp, via, queue = scratch
    call = search
    paths = touched = 0
    while paths < most:
        stamp[source] = search
        queue[0] = source
        head, tail, reached = 0, 1, -1
        while head < tail and reached < 0:
            u = queue[head]
            head += 1
            for slot in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
                v, e = neighbours[slot], link[slot]
                if stamp[v] != search and flow[e] != (1 if u < v else -1):
                    stamp[v] = search
                    via[v] = e
                    if target[v]:
                        reached = v
                        break
                    queue[tail] = v
                    tail += 1
        search += 1
        if reached < 0:
            break
        while reached != source:
            e = via[reached]
            before = links[e, 0] + links[e, 1] - reached
            flow[e] += np.int8(1 if before < reached else -1)
            if owner[e] != call:
                owner[e] = call
                used[touched] = e
                touched += 1
            reached = before
        paths += 1
    for place in range(touched):
        flow[used[place]] = 0
    return paths, search
