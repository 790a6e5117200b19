"""Path lengths in the surviving network: the survivors are numbered compactly and searched with `graph`'s bit-parallel search.

Arrays: offsets int64[n + 1], neighbours and link int32[2 m] (CSR). switch_dies int64[n], link_dies int64[m]: the number of
failures after which each switch and each link is lost; it survives k failures when its number is k or more.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.failures.kernels.disconnection import drawn
from topoloom.graph.kernels.hops import BLOCK, block_counts
from topoloom.graph.kernels.simd import WORDS


@allocating
def _length(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    link: np.ndarray,
    ranked: np.ndarray,
    counted: int,
    switch_dies: np.ndarray,
    link_dies: np.ndarray,
    k: int,
    limit: int,
    mean: bool,
    reach: np.ndarray,
    ahead: np.ndarray,
    full: np.ndarray,
    near: np.ndarray,
    number: np.ndarray,
    pairs: np.ndarray,
) -> float:
    """Return the diameter, or with `mean` the mean hops, between the counted switches after k failures.

    It returns inf when a length is over `limit`, or when the counted switches are disconnected or all lost. ranked: int32[n],
    with the `counted` switches first. Scratch: reach, ahead: uint64[8 n], full: uint64[8], near: int64[n + 1], number:
    int32[n + 2 m], pairs: int64[n + 2].
    """
    n = ranked.size
    ends, name, places = near, number[:n], number[n:]
    # Number the survivors compactly, with counted switches first.
    some = left = 0
    for place in range(n):
        u = ranked[place]
        name[u] = -1
        if switch_dies[u] >= k:
            name[u] = left
            left += 1
            if place < counted:
                some += 1
    if some == 0:
        return np.inf
    # List the surviving neighbours of each survivor (CSR: ends, places).
    slots = left = 0
    ends[0] = 0
    for place in range(n):
        u = ranked[place]
        if name[u] < 0:
            continue
        for slot in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
            v = neighbours[slot]
            if link_dies[link[slot]] >= k and name[v] >= 0:
                places[slots] = name[v]
                slots += 1
        left += 1
        ends[left] = slots
    # Count the pairs of counted switches by hops, in blocks of sources; stop if some pair is out of reach.
    weight, groups = np.zeros(left, np.int64), np.array([some])
    weight[:some] = 1
    counts = pairs[: limit + 1]
    counts[:] = 0
    reached = expected = np.int64(0)
    for start in range(0, some, BLOCK):
        stop = min(start + BLOCK, some)
        rounds = block_counts(
            ends[: left + 1],
            places[:slots],
            0,
            weight,
            groups,
            start,
            stop,
            reach[: WORDS * left],
            ahead[: WORDS * left],
            full,
            counts,
        )
        if rounds < 0:
            return np.inf
        expected += (stop - start) * (stop - start) + 2 * (stop - start) * (some - stop)
        reached = counts.sum()
        if reached < expected:
            return np.inf
    # Evaluate the counts.
    total = longest = 0
    for hops in range(1, limit + 1):
        if counts[hops] > 0:
            total += hops * counts[hops]
            longest = hops
    if not mean:
        return float(longest)
    return total / (some * (some - 1)) if some > 1 else 0.0


@allocating
def surviving_lengths(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    link: np.ndarray,
    links: np.ndarray,
    ranked: np.ndarray,
    counted: int,
    unit: np.ndarray,
    order: np.ndarray,
    first: np.ndarray,
    states: np.ndarray,
    failures: np.ndarray,
    most: float,
    rounds: int,
    mean: bool,
    halving: bool,
    reach: np.ndarray,
    ahead: np.ndarray,
    full: np.ndarray,
    values: np.ndarray,
    last: np.ndarray,
) -> None:
    """Measure samples after failures[0] <= failures[1] <= ...: the diameter or the mean hops, of which `most` are allowed.

    unit: int64[n], the unit of each switch, which is an element of `order` (for `first` see `kernels.disconnection`); empty
    when links fail. With `halving`, a bisection finds the last level within `most`, which requires that lengths only grow with
    failures: last[s] is its index, or -1. Otherwise values[s] gets the length at every level, inf where it is over `rounds` or
    the network is disconnected.
    """
    n, m, levels = ranked.size, links.shape[0], failures.size
    switch_dies, link_dies = np.full(n, order.size, np.int64), np.full(m, order.size, np.int64)
    position, mixed = np.empty(order.size, np.int64), np.empty(order.size, np.int64)
    near, number = np.empty(n + 1, np.int64), np.empty(n + neighbours.size, np.int32)
    pairs, state = np.empty(max(n, rounds) + 2, np.int64), np.empty(1, np.uint64)
    for s in range(states.size):
        state[0] = states[s]
        for each in range(order.size):
            mixed[each] = order[each]
        # Draw the order of failures; position[u] is the number of failures before unit u fails.
        for i in range(order.size - 1, -1, -1):
            position[drawn(mixed, first, i, state)] = i
        if unit.size > 0:
            for u in range(n):
                switch_dies[u] = position[unit[u]]
        else:
            for each in range(position.size):
                link_dies[each] = position[each]
        # Measure every level, or bisect for the last one within `most`.
        low, high = -1, levels
        while low < high - 1:
            level = (low + high) // 2 if halving else low + 1
            length = _length(
                offsets,
                neighbours,
                link,
                ranked,
                counted,
                switch_dies,
                link_dies,
                failures[level],
                rounds,
                mean,
                reach,
                ahead,
                full,
                near,
                number,
                pairs,
            )
            values[s, level] = length
            if not halving or length <= most:
                low = level
            else:
                high = level
        last[s] = low
