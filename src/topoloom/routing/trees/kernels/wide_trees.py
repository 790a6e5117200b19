"""Trees inside lanes for up to 64 destinations at a time: a destination is a bit of a word, and what is legal a word a lane.

A switch joins a destination's tree over a channel to one that joined at the hop before, where its path stays legal in some
lane: in the lanes where the ranks do not rise along the channel and fall after it (`_order_kernels`). So beside the lanes
in which a switch's path is legal, those are kept in which it also begins with a rise: these serve channels that rise.
"""

import numpy as np

from topoloom.compiling.decorators import allocating, inner, kernel
from topoloom.graph.kernels.simd import lowest_bit
from topoloom.random_streams.kernels import next_word

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@allocating
def trees_within(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    lanes: int,
    destinations: np.ndarray,
    ports: np.ndarray,
    lane: np.ndarray,
    load: np.ndarray,
    again: bool,
    pairs: np.ndarray,
    flag: np.ndarray,
    tries: int,
) -> int:
    """Trees that serve every pair in one of the lanes, most by shortest paths; how many were repaired.

    Where switches are stuck, they and all on their paths in lane 0 keep to these paths, and the tree is grown again around
    them; after so many tries it is lane 0's alone. Lane 0's order must let every switch fall to the same one.

    Parameters
    ----------
    destinations : int64[k]
        At most 64. ports[d] is written, and lane[d] unless it is uint8[0, 0].
    load : int64[2 m]
        Pairs over each channel; kept. again: the trees are there already, and are taken out first.
    pairs : int64[n]
        The hosts of each switch.
    flag : uint8[1]
        Not 0: whoever asked wants no trees any more; they are left unfinished.
    """
    n, count = first.size - 1, destinations.size
    every = ~_ZERO if count == 64 else (_ONE << np.uint64(count)) - _ONE
    below, order = np.empty(n, np.int64), np.empty(n, np.int32)
    if again:
        for d in destinations:
            take_out_any(first, to, d, ports, load, below, order, pairs)
    ranked = _by_load(first, load)
    last = _farthest(first, to, destinations, every)
    joined, legal, climbs = np.empty(n, np.uint64), np.empty(n * lanes, np.uint64), np.empty(n * lanes, np.uint64)
    held, fixed = np.zeros(n, np.uint64), np.zeros(to.size, np.uint64)
    table = np.zeros((count, n), ports.dtype)
    queue = np.empty((count, n), np.int32)
    _grow(
        first,
        to,
        rises,
        lanes,
        destinations,
        every,
        ranked,
        last,
        held,
        fixed,
        joined,
        legal,
        climbs,
        table,
        queue,
        flag,
    )
    if flag[0]:
        return 0
    stuck = _stuck(joined, every)
    _keep(first, to, lanes, destinations, every & ~stuck, legal, table, queue, ports, lane, load, pairs, below)
    if stuck == 0:
        return 0
    repaired = 0
    for b in range(count):
        repaired += np.int64((stuck >> np.uint64(b)) & _ONE)
    # Lane 0's own trees, and on them the paths of all that are stuck.
    lane_0, gone = np.zeros((count, n), ports.dtype), joined.copy()
    lowest, rise = np.empty(n, np.uint64), np.empty(n, np.uint64)
    inside = np.empty(n, np.uint64)
    _grow(
        first, to, rises, 1, destinations, stuck, ranked, last, held, fixed, inside, lowest, rise, lane_0, queue, flag
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
                    c = first[u] + lane_0[b, u]
                    fixed[c] |= _ONE << np.uint64(b)
                    u = np.int64(to[c])
        most = 1 if attempt + 1 == tries else lanes
        if most == 1:  # lane 0's trees, whole
            for v in range(n):
                for c in range(first[v], first[v + 1]):
                    fixed[c] &= ~stuck
                held[v] &= ~stuck
        _grow(
            first,
            to,
            rises,
            most,
            destinations,
            stuck,
            ranked,
            last,
            held,
            fixed,
            gone,
            legal,
            climbs,
            table,
            queue,
            flag,
        )
        if flag[0]:
            return 0
        left = _stuck(gone, stuck)
        _keep(first, to, most, destinations, stuck & ~left, legal, table, queue, ports, lane, load, pairs, below)
        stuck = left
        if stuck == 0:
            break
    return repaired


@allocating
def _by_load(first: np.ndarray, load: np.ndarray) -> np.ndarray:
    """The channels of each switch, int32[2 m], those with the least load first."""
    ranked = np.arange(load.size).astype(np.int32)
    for v in range(first.size - 1):
        for i in range(first[v] + 1, first[v + 1]):
            c, j = ranked[i], i
            while j > first[v] and load[ranked[j - 1]] > load[c]:
                ranked[j] = ranked[j - 1]
                j -= 1
            ranked[j] = c
    return ranked


@allocating
def _farthest(first: np.ndarray, to: np.ndarray, destinations: np.ndarray, every: np.uint64) -> np.ndarray:
    """For each number of hops the destinations that no switch is farther from: uint64[hops + 1]."""
    n = first.size - 1
    known, front, fresh = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    for b in range(destinations.size):
        known[destinations[b]] |= _ONE << np.uint64(b)
    for each in range(known.size):
        front[each] = known[each]
    last = np.zeros(n + 1, np.uint64)
    hops = 0
    before = every
    while True:
        moving = _ZERO
        for v in range(n):
            found = _ZERO
            wanted = every & ~known[v]
            if wanted:
                for c in range(first[v], first[v + 1]):
                    found |= front[to[c]]
                found &= wanted
            fresh[v] = found
            moving |= found
        last[hops] = before & ~moving
        before = moving
        if moving == 0:
            return last[: hops + 1].copy()
        hops += 1
        for v in range(n):
            known[v] |= fresh[v]
            front[v] = fresh[v]


@allocating
def _grow(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    lanes: int,
    destinations: np.ndarray,
    every: np.uint64,
    ranked: np.ndarray,
    last: np.ndarray,
    held: np.ndarray,
    fixed: np.ndarray,
    joined: np.ndarray,
    legal: np.ndarray,
    climbs: np.ndarray,
    table: np.ndarray,
    queue: np.ndarray,
    flag: np.ndarray,
) -> None:
    """Let switches join the trees of the destinations `every`, hop by hop; queue: int32[k, n], each tree's in that order.

    A switch prefers a channel that leaves it more than one lane, where anybody is farther away still; of those alike mostly
    the one with the least load. Where it is `held`, it joins over the channel that is `fixed` for that destination only.
    """
    n = first.size - 1
    front, fresh = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    degree = 0
    for v in range(n):
        degree = max(degree, first[v + 1] - first[v])
    taken = np.zeros(degree, np.uint64)
    new_legal, new_climbs = np.zeros(n * lanes, np.uint64), np.zeros(n * lanes, np.uint64)
    state = np.empty(1, np.uint64)
    state[0] = np.uint64(destinations[0]) * np.uint64(0x9E3779B97F4A7C15)
    joined[:] = _ZERO
    for i in range(n * lanes):
        legal[i] = climbs[i] = _ZERO
    for b in range(destinations.size):
        bit = (_ONE << np.uint64(b)) & every
        d = destinations[b]
        joined[d] |= bit
        front[d] |= bit
        for k in range(lanes):
            legal[d * lanes + k] |= bit
            climbs[d * lanes + k] |= bit
    inside, hops = np.zeros(64, np.int64), 0
    while True:
        hops += 1
        if flag[0]:
            return
        # Whose path nobody farther needs any more: there lanes left do not matter.
        ends = last[hops] if hops < last.size else ~_ZERO
        moving = _ZERO
        for v in range(n):
            wanted = every & ~joined[v]
            fresh[v] = _ZERO
            if wanted == 0:
                continue
            got = roomy = _ZERO
            begin = first[v]
            for i in range(begin, first[v + 1]):
                c = np.int64(ranked[i])
                w = np.int64(to[c])
                can = wanted & front[w] & (~held[v] | fixed[c])
                taken[i - begin] = _ZERO
                if can == 0:
                    continue
                found = several = _ZERO
                for k in range(lanes):
                    ok = can & (climbs[w * lanes + k] if (rises[c] >> k) & 1 else legal[w * lanes + k])
                    several |= found & ok
                    found |= ok
                several &= ~ends
                # One in sixteen changes to a channel that is no better, only busier: else all took the same path.
                alike = ~(several ^ roomy) & next_word(state) & next_word(state) & next_word(state) & next_word(state)
                better = found & (~got | (several & ~roomy) | alike)
                if better == 0:
                    continue
                got |= better
                roomy = (roomy & ~better) | (several & better)
                for j in range(i - begin):
                    taken[j] &= ~better
                taken[i - begin] = better
            if got == 0:
                continue
            fresh[v] = got
            moving |= got
            for i in range(begin, first[v + 1]):
                rest = taken[i - begin]
                if rest == 0:
                    continue
                c = np.int64(ranked[i])
                w = np.int64(to[c])
                for k in range(lanes):
                    if (rises[c] >> k) & 1:
                        ok = rest & climbs[w * lanes + k]
                        new_climbs[v * lanes + k] |= ok
                    else:
                        ok = rest & legal[w * lanes + k]
                    new_legal[v * lanes + k] |= ok
                port = c - begin
                while rest:
                    b = np.int64(lowest_bit(rest))
                    rest &= rest - _ONE
                    table[b, v] = port
                    queue[b, inside[b]] = v
                    inside[b] += 1
        for v in range(n):
            front[v] = fresh[v]
            if fresh[v]:
                joined[v] |= fresh[v]
                for k in range(v * lanes, v * lanes + lanes):
                    legal[k] |= new_legal[k]
                    climbs[k] |= new_climbs[k]
                    new_legal[k] = new_climbs[k] = _ZERO
        if moving == 0:
            return


@inner
def _stuck(joined: np.ndarray, every: np.uint64) -> np.uint64:
    """The destinations whose trees some switch has not joined."""
    all_in = every
    for v in range(joined.size):
        all_in &= joined[v]
    return every & ~all_in


@kernel
def _keep(
    first: np.ndarray,
    to: np.ndarray,
    lanes: int,
    destinations: np.ndarray,
    done: np.uint64,
    legal: np.ndarray,
    table: np.ndarray,
    queue: np.ndarray,
    ports: np.ndarray,
    lane: np.ndarray,
    load: np.ndarray,
    pairs: np.ndarray,
    below: np.ndarray,
) -> None:
    """Write the trees of the destinations `done`, each pair in the lowest of its lanes, and add their pairs to the loads."""
    if done == 0:
        return
    for b in range(destinations.size):
        bit = _ONE << np.uint64(b)
        if not done & bit:
            continue
        d = destinations[b]
        for each in range(pairs.size):
            below[each] = pairs[each] * pairs[d]
        for i in range(first.size - 3, -1, -1):  # every switch but d itself
            v = np.int64(queue[b, i])
            ports[d, v] = table[b, v]
            c = first[v] + table[b, v]
            load[c] += below[v]
            below[to[c]] += below[v]
            if lane.size == 0:
                continue
            k = v * lanes
            while not legal[k] & bit:
                k += 1
            lane[d, v] = k - v * lanes


@allocating
def take_out_any(
    first: np.ndarray,
    to: np.ndarray,
    d: int,
    ports: np.ndarray,
    load: np.ndarray,
    below: np.ndarray,
    order: np.ndarray,
    pairs: np.ndarray,
) -> None:
    """Take the pairs of d's tree, of any shape, out of the loads."""
    n = first.size - 1
    waiting = np.zeros(n, np.int32)
    none = 0
    for v in range(n):
        if v != d and ports[d, v] < first[v + 1] - first[v]:
            waiting[to[first[v] + ports[d, v]]] += 1
    for v in range(n):
        below[v] = pairs[v] * pairs[d]
        if waiting[v] == 0:
            order[none] = v
            none += 1
    at = 0
    while at < none:
        v = order[at]
        at += 1
        if v == d or ports[d, v] >= first[v + 1] - first[v]:
            continue
        c = first[v] + ports[d, v]
        load[c] -= below[v]
        w = to[c]
        below[w] += below[v]
        waiting[w] -= 1
        if waiting[w] == 0:
            order[none] = w
            none += 1
