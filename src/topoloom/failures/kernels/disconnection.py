"""How many failures disconnect a network: one pass backwards over a random order of failures.

The pass restores the last failure first, and a union-find structure counts the connected parts: one pass gives the answer for
every number of failures. Arrays: links int32[m, 2]; offsets int64[n + 1], neighbours and link int32[2 m] (CSR); counts bool[n]:
the switches that must stay connected; states uint64[samples]: the initial state of each sample's random stream.

An order of failures is `order`, shuffled within ties: position i gets an element of positions first[i] .. i, where first[i] is
the position at which the tie of i begins. A single tie gives a uniformly random order; when every tie has one element, the
order is fixed.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, stage
from topoloom.core.random_streams.kernels import next_below, next_word


@stage
def drawn(mixed: np.ndarray, first: np.ndarray, i: int, state: np.ndarray) -> int:
    """Return the element at position i of the order; positions above i were drawn before (Fisher-Yates, from the end)."""
    start = first[i]
    j = start + next_below(state, i - start + 1)
    taken = mixed[j]
    mixed[j] = mixed[i]
    mixed[i] = taken
    return int(taken)


@allocating
def whole_order(order: np.ndarray, first: np.ndarray, state: np.ndarray) -> np.ndarray:
    """Return the order of the sample whose random stream is `state` (uint64[1], advanced): int64[units]."""
    mixed = order.copy()
    for i in range(order.size - 1, -1, -1):
        drawn(mixed, first, i, state)
    return mixed


@stage
def root_of(parent: np.ndarray, u: int) -> int:
    """Return the switch that stands for the part of u; the path to it is halved."""
    while parent[u] != u:
        parent[u] = parent[parent[u]]
        u = parent[u]
    return u


@stage
def _joined(parent: np.ndarray, some: np.ndarray, u: int, v: int) -> int:
    """Join the parts of u and v; return by how much the number of parts with counted switches falls (0 or 1)."""
    if parent[u] == parent[v]:  # the common case once one part contains nearly all switches
        return 0
    a, b = root_of(parent, u), root_of(parent, v)
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
    """Set held[s] to the most links of order s that can fail before the counted switches become disconnected.

    order, first: int64[m]; held: int64[samples], -1 where they are disconnected even without failures. The pass ends as soon
    as all are connected, so its length is the number of links that this takes.
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
            restored = drawn(mixed, first, i, state)
            pieces -= _joined(parent, some, links[restored, 0], links[restored, 1])
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
    """Add to together[k] the samples whose counted surviving switches are connected after k units failed.

    Unit c consists of the switches members[start[c] : start[c + 1]]; order, first: int64[units]; together: int64[units + 1].
    Connected means exactly one part: no part is left when all units have failed.
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
    """Set hours[s] to the mean time, given order s of failures, until the counted switches are disconnected or all lost.

    The lifetimes of links and switches are exponential with the given rates; a rate of 0 means that they never fail. The order
    of failures is independent of the times between them: with R the sum of the rates of all survivors, the next failure comes
    after 1 / R hours on average. failures[s] is the number of the failure that disconnects; where none does, hours is inf and
    failures is -1.
    """
    n, m = counts.size, links.shape[0]
    left_links = m if link_rate > 0 else 0
    left_switches = n if switch_rate > 0 else 0
    events = left_links + left_switches
    order, mean_hours = np.empty(events, np.int64), np.empty(events + 1)  # link i is i, switch i is m + i
    lost_links, lost_switches = np.arange(m), np.arange(n)
    parent, some, up = np.empty(n, np.int64), np.empty(n, np.bool_), np.empty(m, np.bool_)
    state = np.empty(1, np.uint64)
    for s in range(states.size):
        state[0] = states[s]
        for i in range(m):
            lost_links[i] = i
        for i in range(n):
            lost_switches[i] = i
        # Draw the order of failures (links and switches by their rates), and the mean time of each failure.
        a, b = left_links, left_switches
        mean_hours[0] = 0.0
        for i in range(events):
            total = a * link_rate + b * switch_rate
            mean_hours[i + 1] = mean_hours[i] + 1.0 / total
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
        # Restore from the last failure to the first, counting the parts with counted switches.
        for each in range(up.size):
            up[each] = left_links == 0
        pieces = 0
        for u in range(n):
            parent[u] = -1 if left_switches > 0 else u
            some[u] = counts[u]
            pieces += 0 if left_switches > 0 else np.int64(counts[u])
        parted = events if pieces != 1 else -1
        for i in range(events - 1, -1, -1):
            restored = order[i]
            if restored < m:
                up[restored] = True
                u, v = links[restored, 0], links[restored, 1]
                if parent[u] >= 0 and parent[v] >= 0:
                    pieces -= _joined(parent, some, u, v)
            else:
                u = restored - m
                parent[u] = u
                some[u] = counts[u]
                pieces += np.int64(counts[u])
                for slot in range(offsets[u], offsets[u + 1]):
                    if up[link[slot]] and parent[neighbours[slot]] >= 0:
                        pieces -= _joined(parent, some, u, neighbours[slot])
            if pieces != 1:
                parted = i
        failures[s] = parted
        hours[s] = mean_hours[parted] if parted >= 0 else np.inf
