"""Trees inside virtual channels for up to 64 destinations at a time: each destination is one bit of a word, with one word per
virtual channel for the legal paths.

A switch joins a destination's tree over a channel to a switch that joined one hop before, if its path stays legal in some
virtual channel: one where ranks do not rise along the channel and fall after it (`virtual_channels.kernels.orders`). So two
sets are kept per switch: the virtual channels in which its path is legal, and those in which the path also begins with a rise;
the latter are offered to channels that rise.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner
from topoloom.graph.kernels.simd import bits_of, lowest_bit
from topoloom.routing.trees.kernels.rejoin import rejoin
from topoloom.routing.trees.kernels.settle import settle
from topoloom.routing.trees.kernels.wide_growth import farthest, grow
from topoloom.routing.trees.kernels.wide_loads import add_loads, padded, write_trees

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@allocating
def trees_within(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    vcs: int,
    destinations: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
    load: np.ndarray,
    again: bool,
    pairs: np.ndarray,
    flag: np.ndarray,
    tries: int,
    back: np.ndarray,
) -> int:
    """Make trees that serve every pair in one of the virtual channels, mostly by shortest paths; return how many were repaired.

    Stuck switches, and all switches on their paths in virtual channel 0, are fixed to these paths, and the tree grows again
    around them. After `tries` attempts the whole tree uses virtual channel 0, in whose order ranks must fall from every switch
    to one root. If growing again takes too long, stuck switches are served in place (`rejoin`, `settle`), which gives other
    trees.

    Parameters
    ----------
    destinations : int64[k]
        At most 64. ports[d] is written, and vc[d] unless `vc` is uint8[0, 0].
    load : int64[2 m]
        Pairs over each channel; updated. again: the trees exist already, and are removed first.
    pairs : int64[n]
        The hosts of each switch.
    back : int32[2 m] or int32[0]
        The channels in the other direction: stuck switches are served in place. Empty: trees grow again.
    flag : uint8[1]
        Not 0: the work was stopped; the trees are incomplete.
    """
    n, count = first.size - 1, destinations.size
    every = ~_ZERO if count == 64 else (_ONE << np.uint64(count)) - _ONE
    if again:
        add_loads(first, to, destinations, destinations, ports, pairs, load, -1)
    ranked, aims = _by_load(first, to, load)
    last = farthest(first, to, destinations, every)
    joined, open_in = np.empty(n, np.uint64), np.empty(n * 2 * vcs, np.uint64)
    held, fixed = np.zeros(n, np.uint64), np.zeros(to.size, np.uint64)
    table, fronts, state = padded(count, n, ports), np.empty((2, n), np.uint64), np.empty(1, np.uint64)
    most_links, near = _most_links(first), np.empty(n, np.bool_)
    offered, channel = np.empty((2, most_links + 1), np.uint64), np.empty(most_links + 1, np.int64)
    grow(
        first,
        to,
        rises,
        vcs,
        destinations,
        every,
        ranked,
        aims,
        last,
        held,
        fixed,
        joined,
        open_in,
        table,
        fronts,
        near,
        offered,
        channel,
        state,
        flag,
    )
    if flag[0]:
        return 0
    stuck = _stuck(joined, every)
    if stuck and back.size:
        rejoin(first, to, rises, vcs, destinations, stuck, joined, open_in, table)
        left = _stuck(joined, every)
        while left:
            settle(first, to, back, rises, vcs, destinations, lowest_bit(left), tries, joined, open_in, table)
            left &= left - _ONE
        _keep(first, to, vcs, destinations, every, open_in, table, ports, vc, load, pairs)
        return np.int64(bits_of(stuck))
    _keep(first, to, vcs, destinations, every & ~stuck, open_in, table, ports, vc, load, pairs)
    if stuck == 0:
        return 0
    repaired = np.int64(bits_of(stuck))
    # Trees in virtual channel 0, with the paths of all stuck switches.
    vc_0, gone, inside = padded(count, n, ports), joined.copy(), np.empty(n, np.uint64)
    grow(
        first,
        to,
        rises,
        1,
        destinations,
        stuck,
        ranked,
        aims,
        last,
        held,
        fixed,
        inside,
        open_in[: 2 * n],
        vc_0,
        fronts,
        near,
        offered,
        channel,
        state,
        flag,
    )
    for attempt in range(tries):
        for v in range(n):
            rest = stuck & ~gone[v]
            while rest:
                b = np.int64(lowest_bit(rest))
                rest &= rest - _ONE
                d, u = destinations[b], v
                while u != d and not (held[u] >> np.uint64(b)) & _ONE:
                    held[u] |= _ONE << np.uint64(b)
                    c = first[u] + vc_0[b, u]
                    fixed[c] |= _ONE << np.uint64(b)
                    u = np.int64(to[c])
        most = 1 if attempt + 1 == tries else vcs
        if most == 1:  # whole trees of virtual channel 0
            for v in range(n):
                for c in range(first[v], first[v + 1]):
                    fixed[c] &= ~stuck
                held[v] &= ~stuck
        grow(
            first,
            to,
            rises,
            most,
            destinations,
            stuck,
            ranked,
            aims,
            last,
            held,
            fixed,
            gone,
            open_in[: 2 * most * n],
            table,
            fronts,
            near,
            offered,
            channel,
            state,
            flag,
        )
        if flag[0]:
            return 0
        left = _stuck(gone, stuck)
        _keep(first, to, most, destinations, stuck & ~left, open_in, table, ports, vc, load, pairs)
        stuck = left
        if stuck == 0:
            break
    return repaired


@allocating
def _by_load(first: np.ndarray, to: np.ndarray, load: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The channels of each switch by load, int32[2 m], least load first; and the switches they lead to, uint32[2 m]."""
    ranked = np.arange(load.size).astype(np.int32)
    for v in range(first.size - 1):
        for i in range(first[v] + 1, first[v + 1]):
            c, j = ranked[i], i
            while j > first[v] and load[ranked[j - 1]] > load[c]:
                ranked[j] = ranked[j - 1]
                j -= 1
            ranked[j] = c
    return ranked, to[ranked].astype(np.uint32)


@inner
def _most_links(first: np.ndarray) -> int:
    """The largest number of links of a switch, at least 1."""
    most = 1
    for v in range(first.size - 1):
        most = max(most, first[v + 1] - first[v])
    return most


@inner
def _stuck(joined: np.ndarray, every: np.uint64) -> np.uint64:
    """The destinations (bits) whose trees some switch has not joined."""
    all_in = every
    for v in range(joined.size):
        all_in &= joined[v]
    return every & ~all_in


@allocating
def _keep(
    first: np.ndarray,
    to: np.ndarray,
    vcs: int,
    destinations: np.ndarray,
    done: np.uint64,
    open_in: np.ndarray,
    table: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
    load: np.ndarray,
    pairs: np.ndarray,
) -> None:
    """Write the trees of the destinations `done`, each pair in the lowest of its virtual channels, and add their pairs to the
    loads.
    """
    if done == 0:
        return
    rows, count = np.empty(destinations.size, np.int64), 0
    for b in range(destinations.size):
        if done >> np.uint64(b) & _ONE:
            rows[count] = b
            count += 1
    rows = rows[:count]
    write_trees(destinations, done, vcs, open_in, table, ports, vc)
    add_loads(first, to, destinations[rows], rows, table, pairs, load, 1)
