"""Edge-disjoint paths of a pair over the channels that its packets may take: a maximum flow with one unit per channel.

first int64[n + 1], to, back int[2 m]: the channels of a topology. The groups are those of `choices.NextHopGroups`.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@allocating
def disjoint_group_paths(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    group: np.ndarray,
    member: np.ndarray,
    port: np.ndarray,
    next_state: np.ndarray,
    pairs: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Write to counts (int64[k]) the most paths without a common channel from pairs[i, 0] to pairs[i, 1] (int64[k, 2])."""
    n = first.size - 1
    nodes = group.shape[0] * n
    stamp, stack = np.full(nodes, -1, np.int64), np.empty(nodes, np.int64)
    open_to, used = np.zeros(to.size, np.bool_), np.zeros(to.size, np.bool_)
    via, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(pairs.shape[0]):
        s, d = pairs[i, 0], pairs[i, 1]
        open_to[:], used[:] = False, False
        stack[0], stamp[s], depth = s, i, 1
        while depth:
            depth -= 1
            node = stack[depth]
            v = node % n
            own = np.int64(group[node // n, d, v])
            if own < 0:
                continue
            for m in range(member[own], member[own + 1]):
                c = first[v] + np.int64(port[m])
                open_to[c] = True
                other = np.int64(next_state[m]) * n + to[c]
                if to[c] != d and stamp[other] != i:
                    stamp[other], stack[depth] = i, other
                    depth += 1
        counts[i] = 0
        while _augmented(first, to, back, open_to, used, via, queue, s, d):
            counts[i] += 1


@inner
def _augmented(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    open_to: np.ndarray,
    used: np.ndarray,
    via: np.ndarray,
    queue: np.ndarray,
    s: int,
    d: int,
) -> bool:
    """Add a path over the free channels, or against used ones; return whether there is one. via, queue: int64[n], scratch."""
    via[:] = -1
    via[s], queue[0], head, tail = -2, s, 0, 1
    while head < tail and via[d] == -1:
        v = queue[head]
        head += 1
        for c in range(first[v], first[v + 1]):
            w = to[c]
            if via[w] == -1 and ((open_to[c] and not used[c]) or used[back[c]]):
                via[w] = c
                queue[tail] = w
                tail += 1
    if via[d] == -1:
        return False
    v = np.int64(d)
    while v != s:
        c = via[v]
        v = np.int64(to[back[c]])
        # A free channel is taken; otherwise the path gives back the one in the other direction.
        if open_to[c] and not used[c]:
            used[c] = True
        else:
            used[back[c]] = False
    return True
