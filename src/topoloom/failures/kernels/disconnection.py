"""How many failures a network takes before it is in several pieces: one pass back over a random order of failures.

What fails last is put back first, and a union-find counts the pieces: one pass tells of every number of failures at once.
Arrays: links int32[m, 2]; offsets int64[n + 1], neighbours and link int32[2 m] (CSR); counts bool[n]: the switches that must
be connected; states uint64[samples]: a stream of draws each.

An order of failures is `order`, mixed within ties: place i may hold what stands at first[i] .. i or comes from it, first[i]
being where the tie of i begins. All of one tie is a random order; each a tie of its own, the order as it is.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, stage
from topoloom.core.random_streams.kernels import next_below, next_word


@stage
def drawn(mixed: np.ndarray, first: np.ndarray, i: int, state: np.ndarray) -> int:
    """What stands at place i of the order; the places above it were drawn before (Fisher and Yates, from the end)."""
    start = first[i]
    j = start + next_below(state, i - start + 1)
    taken = mixed[j]
    mixed[j] = mixed[i]
    mixed[i] = taken
    return int(taken)


@allocating
def whole_order(order: np.ndarray, first: np.ndarray, state: np.ndarray) -> np.ndarray:
    """The order of the sample whose stream is `state` (uint64[1], advanced), int64[units]."""
    mixed = order.copy()
    for i in range(order.size - 1, -1, -1):
        drawn(mixed, first, i, state)
    return mixed


@stage
def _root(parent: np.ndarray, u: int) -> int:
    while parent[u] != u:
        parent[u] = parent[parent[u]]
        u = parent[u]
    return u


@stage
def _joined(parent: np.ndarray, some: np.ndarray, u: int, v: int) -> int:
    """Join the pieces of u and v; by how many the pieces with switches that count become fewer (0 or 1)."""
    if parent[u] == parent[v]:  # most links of a piece that holds nearly all
        return 0
    a, b = _root(parent, u), _root(parent, v)
    if a == b:
        return 0
    parent[b] = a
    both = some[a] and some[b]
    some[a] = some[a] or some[b]
    return 1 if both else 0


@allocating
def links_held(
    links: np.ndarray, counts: np.ndarray, order: np.ndarray, first: np.ndarray, states: np.ndarray, held: np.ndarray
) -> None:
    """held[s] = the most links of order s that can fail before the switches that count are in several pieces.

    order, first: int64[m]; held: int64[samples], -1 where they never are in one. The pass ends as soon as all are together,
    so it takes as many steps as links are needed.
    """
    n, m = counts.size, order.size
    parent, some = np.empty(n, np.int64), np.empty(n, np.bool_)
    mixed, state = np.empty(m, np.int64), np.empty(1, np.uint64)
    whole = np.int64(counts.sum())
    for s in range(states.size):
        state[0] = states[s]
        for each in range(order.size):
            mixed[each] = order[each]
        for each in range(counts.size):
            some[each] = counts[each]
        for u in range(n):
            parent[u] = u
        pieces, i = whole, m
        while pieces > 1 and i > 0:
            i -= 1
            one = drawn(mixed, first, i, state)
            pieces -= _joined(parent, some, links[one, 0], links[one, 1])
        held[s] = i if pieces <= 1 else -1


@allocating
def units_held(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    counts: np.ndarray,
    start: np.ndarray,
    members: np.ndarray,
    order: np.ndarray,
    first: np.ndarray,
    states: np.ndarray,
    together: np.ndarray,
) -> None:
    """together[k] += the samples whose surviving switches that count are connected after k units failed.

    Unit c is the switches members[start[c] : start[c + 1]]; order, first: int64[units]; together: int64[units + 1]. One piece
    means exactly one: none is left when all have failed.
    """
    n, units = counts.size, order.size
    parent, some = np.empty(n, np.int64), np.empty(n, np.bool_)
    mixed, state = np.empty(units, np.int64), np.empty(1, np.uint64)
    for s in range(states.size):
        state[0] = states[s]
        for each in range(order.size):
            mixed[each] = order[each]
        parent[:] = -1
        pieces = 0
        for i in range(units - 1, -1, -1):
            unit = drawn(mixed, first, i, state)
            for u in members[start[unit] : start[unit + 1]]:
                parent[u] = u
                some[u] = counts[u]
                pieces += np.int64(counts[u])
                for v in neighbours[offsets[u] : offsets[u + 1]]:
                    if parent[v] >= 0:
                        pieces -= _joined(parent, some, u, v)
            if pieces == 1:
                together[i] += 1


@allocating
def times_to_disconnection(
    links: np.ndarray,
    offsets: np.ndarray,
    neighbours: np.ndarray,
    link: np.ndarray,
    counts: np.ndarray,
    link_rate: float,
    switch_rate: float,
    states: np.ndarray,
    hours: np.ndarray,
    failures: np.ndarray,
) -> None:
    """hours[s] = the mean time until the switches that count are in several pieces, or none, given order s of failures.

    Links and switches live as long as exponential draws with their rates say, a rate of 0 for ever. The order of failures
    does not depend on how long each takes: with R the sum of the rates of what is left, the next comes after 1 / R on average.
    failures[s]: which one it is that parts them; hours inf and failures -1 where none does.
    """
    n, m = counts.size, links.shape[0]
    left_links = m if link_rate > 0 else 0
    left_switches = n if switch_rate > 0 else 0
    events = left_links + left_switches
    order, after = np.empty(events, np.int64), np.empty(events + 1)  # links first, switches are m + their number
    lost_links, lost_switches = np.arange(m), np.arange(n)
    parent, some, up = np.empty(n, np.int64), np.empty(n, np.bool_), np.empty(m, np.bool_)
    state = np.empty(1, np.uint64)
    for s in range(states.size):
        state[0] = states[s]
        for i in range(m):
            lost_links[i] = i
        for i in range(n):
            lost_switches[i] = i
        a, b = left_links, left_switches
        after[0] = 0.0
        for i in range(events):
            total = a * link_rate + b * switch_rate
            after[i + 1] = after[i] + 1.0 / total
            share = np.float64(next_word(state) >> np.uint64(11)) * 2.0**-53 * total
            if b == 0 or (a > 0 and share < a * link_rate):
                j = next_below(state, a)
                a -= 1
                order[i] = lost_links[j]
                lost_links[j] = lost_links[a]
            else:
                j = next_below(state, b)
                b -= 1
                order[i] = m + lost_switches[j]
                lost_switches[j] = lost_switches[b]
        for each in range(up.size):
            up[each] = left_links == 0
        pieces = 0
        for u in range(n):
            parent[u] = -1 if left_switches > 0 else u
            some[u] = counts[u]
            pieces += 0 if left_switches > 0 else np.int64(counts[u])
        parted = events if pieces != 1 else -1
        for i in range(events - 1, -1, -1):
            one = order[i]
            if one < m:
                up[one] = True
                u, v = links[one, 0], links[one, 1]
                if parent[u] >= 0 and parent[v] >= 0:
                    pieces -= _joined(parent, some, u, v)
            else:
                u = one - m
                parent[u] = u
                some[u] = counts[u]
                pieces += np.int64(counts[u])
                for slot in range(offsets[u], offsets[u + 1]):
                    if up[link[slot]] and parent[neighbours[slot]] >= 0:
                        pieces -= _joined(parent, some, u, neighbours[slot])
            if pieces != 1:
                parted = i
        failures[s] = parted
        hours[s] = after[parted] if parted >= 0 else np.inf
