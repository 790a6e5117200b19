"""Switches that cannot join a tree join it over a neighbour that first changes its own next switch.

A switch is stuck if the paths of all its neighbours leave it no legal virtual channel. A neighbour that is a leaf of the tree
(no switch forwards to it) may take another, longer path, because no other path changes. So a few stuck switches are served in
place; growing the tree again around them would take as long as the first growth of all trees.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner
from topoloom.graph.kernels.simd import bits_of, lowest_bit

_ONE, _ZERO = np.uint64(1), np.uint64(0)
#: Stuck (switch, tree) pairs are served one by one only up to this number per switch of the network.
_FEW = 1
#: Most steps of a new path until it meets the tree: the stuck switch and leaves that change their next switch.
_MOST_STEPS = 4
#: Most channels visited for one stuck switch: a bound for switches with many ports.
_MOST_LOOKS = 1 << 17


@allocating
def rejoin(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    vcs: int,
    destinations: np.ndarray,
    every: np.uint64,
    joined: np.ndarray,
    open_in: np.ndarray,
    table: np.ndarray,
) -> None:
    """Let switches that are not in a tree of `every` join it, directly or after neighbours changed their next switch.

    The path with the fewest hops is taken. Arrays are those of `wide_growth.grow`; `joined`, `open_in` and `table` are updated.
    Switches without such a path stay outside the tree.
    """
    n, count = first.size - 1, np.int64(0)
    for v in range(n):
        count += bits_of(every & ~joined[v])
    if count > _FEW * n:
        return
    stuck, tree = np.empty(count, np.int64), np.empty(count, np.int64)
    count = 0
    for v in range(n):
        rest = every & ~joined[v]
        while rest:
            stuck[count], tree[count] = v, lowest_bit(rest)
            count += 1
            rest &= rest - _ONE
    walk, longest = np.empty((5, _MOST_STEPS), np.int64), 2
    while count and longest <= _MOST_STEPS:
        left = 0
        for i in range(count):
            v, b = stuck[i], tree[i]
            if not _join(first, to, rises, vcs, destinations[b], v, b, longest, joined, open_in, table, walk):
                stuck[left], tree[left] = v, b
                left += 1
        longest = 2 if left < count else longest + 1
        count = left


@inner
def _join(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    vcs: int,
    d: int,
    v: int,
    b: int,
    longest: int,
    joined: np.ndarray,
    open_in: np.ndarray,
    table: np.ndarray,
    walk: np.ndarray,
) -> bool:
    """Let switch v join tree b of destination d over a new path of at most `longest` steps; return whether it can.

    Depth-first search over all walks through leaves of the tree. A walk ends at a switch whose path offers a virtual channel
    that is legal on the whole walk; the walk with the fewest hops to d wins. walk: int64[5, longest], scratch: per step the
    switch, its next channel to visit, the channel taken, and the virtual channels (bits) that are still legal; then the
    channels of the best walk.
    """
    switch, following, taken, left, best = walk[0], walk[1], walk[2], walk[3], walk[4]
    least, steps, level, looks = np.int64(1) << 62, 0, 0, 0
    switch[0], following[0], left[0] = v, first[v], -1
    while level >= 0 and looks < _MOST_LOOKS:
        looks += 1
        u = switch[level]
        if following[level] == first[u + 1]:
            level -= 1
            continue
        c = following[level]
        following[level] += 1
        w = np.int64(to[c])
        legal = left[level]
        if level:
            legal &= ~(np.int64(rises[taken[level - 1]]) & ~np.int64(rises[c]))
        if legal == 0 or not (joined[w] >> np.uint64(b)) & _ONE:
            continue
        again = False
        for i in range(level):
            again |= switch[i] == w
        if again:
            continue
        taken[level] = c
        if offered(open_in, w, b, np.int64(rises[c]), vcs) & legal:
            hops = level + 1 + _hops(first, to, d, w, b, table)
            if hops < least:
                least, steps = hops, level + 1
                for i in range(steps):
                    best[i] = taken[i]
        elif level + 1 < longest and w != d and not _sent_to(first, to, d, w, b, joined, table):
            level += 1
            switch[level], following[level], left[level] = w, first[w], legal
    for i in range(steps - 1, 0, -1):
        lead(first, to, rises, vcs, np.int64(to[best[i - 1]]), best[i], b, open_in, table)
    if steps == 0:
        return False
    lead(first, to, rises, vcs, v, best[0], b, open_in, table)
    joined[v] |= _ONE << np.uint64(b)
    return True


@inner
def offered(open_in: np.ndarray, w: int, b: int, climbs: int, vcs: int) -> int:
    """The virtual channels (one bit each) in which a path to destination b over a channel to w is legal; climbs: the virtual
    channels in which the rank rises along that channel.
    """
    legal = np.int64(0)
    for k in range(vcs):
        word = open_in[2 * vcs * w + k + vcs * ((climbs >> k) & 1)]
        legal |= np.int64((word >> np.uint64(b)) & _ONE) << k
    return legal


@inner
def _hops(first: np.ndarray, to: np.ndarray, d: int, w: int, b: int, table: np.ndarray) -> int:
    hops = 0
    while w != d:
        w = np.int64(to[first[w] + table[b, w]])
        hops += 1
    return hops


@inner
def _sent_to(first: np.ndarray, to: np.ndarray, d: int, w: int, b: int, joined: np.ndarray, table: np.ndarray) -> bool:
    """Whether a switch in tree b forwards to w."""
    for c in range(first[w], first[w + 1]):
        u = np.int64(to[c])
        if u != d and (joined[u] >> np.uint64(b)) & _ONE and to[first[u] + table[b, u]] == w:
            return True
    return False


@inner
def lead(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    vcs: int,
    v: int,
    c: int,
    b: int,
    open_in: np.ndarray,
    table: np.ndarray,
) -> None:
    """Make c the channel of v to its next switch in tree b, and update `open_in` and `table`."""
    climbs = np.int64(rises[c])
    offers = offered(open_in, np.int64(to[c]), b, climbs, vcs)
    bit = _ONE << np.uint64(b)
    own = 2 * vcs * v
    for k in range(vcs):
        legal = bit if (offers >> k) & 1 else _ZERO
        open_in[own + k] = (open_in[own + k] & ~bit) | legal
        open_in[own + vcs + k] = (open_in[own + vcs + k] & ~bit) | (legal if (climbs >> k) & 1 else _ZERO)
    table[b, v] = c - first[v]
