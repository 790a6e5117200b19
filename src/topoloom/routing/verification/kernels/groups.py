"""Follow next-hop groups: loads of an even split over the members, hops, and walks that do not arrive.

A node is a state q and a switch v, q * n + v; a packet from s begins at node s, in state 0.

first int64[n + 1], to int[2 m]: the channels of a topology. The groups are those of `choices.NextHopGroups`: group
int32[states, n, n], member int64[groups + 1] (their first members), port uint16[members], next_state uint8[members].
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel

#: What becomes of packets at a node: not visited, being visited, they arrive, circulate, or end at a switch without a group.
NEW, _OPEN, _ARRIVES, _CIRCULATES, _ENDS = 0, 1, 2, 3, 4


@inner
def _ordered(
    first: np.ndarray,
    to: np.ndarray,
    group: np.ndarray,
    member: np.ndarray,
    port: np.ndarray,
    next_state: np.ndarray,
    d: int,
    wanted: np.ndarray,
    fate: np.ndarray,
    order: np.ndarray,
    stack: np.ndarray,
    place: np.ndarray,
) -> int:
    """Write the nodes that packets to d from the `wanted` switches (bool[n]) reach to `order`, each after all its next ones;
    return how many. fate: uint8[nodes], written; order, stack, place: int64[nodes].
    """
    count = 0
    fate[:] = NEW
    for s in range(first.size - 1):
        if s != d and wanted[s] and fate[s] == NEW:
            count = nodes_from(first, to, group, member, port, next_state, d, s, fate, order, stack, place, count)
    return count


@inner
def nodes_from(
    first: np.ndarray,
    to: np.ndarray,
    group: np.ndarray,
    member: np.ndarray,
    port: np.ndarray,
    next_state: np.ndarray,
    d: int,
    s: int,
    fate: np.ndarray,
    order: np.ndarray,
    stack: np.ndarray,
    place: np.ndarray,
    count: int,
) -> int:
    """Add the new nodes that packets from s to d reach to the `count` ones in `order`, each after all its next ones; return how
    many there are then. Nodes are new where `fate` is `NEW`; see `_ordered`.
    """
    n, depth, other = first.size - 1, 0, np.int64(0)
    stack[0], fate[s] = s, _OPEN
    place[s] = member[group[0, d, s]] if group[0, d, s] >= 0 else 0
    while depth >= 0:
        node = stack[depth]
        v = node % n
        own = np.int64(group[node // n, d, v])
        if own < 0:
            fate[node] = _ENDS
        while own >= 0 and place[node] < member[own + 1]:
            m = place[node]
            w = np.int64(to[first[v] + np.int64(port[m])])
            if w == d:
                place[node] += 1
                continue
            other = np.int64(next_state[m]) * n + w
            if fate[other] == NEW:
                break
            place[node] += 1
            if fate[other] == _OPEN:
                fate[node] = _CIRCULATES
            elif fate[other] > _ARRIVES:
                fate[node] = fate[other] if fate[node] == _OPEN else fate[node]
        if own >= 0 and place[node] < member[own + 1]:
            # The next node is not looked at yet: go there first.
            depth += 1
            stack[depth], fate[other] = other, _OPEN
            following = np.int64(group[other // n, d, other % n])
            place[other] = member[following] if following >= 0 else 0
            continue
        if fate[node] == _OPEN:
            fate[node] = _ARRIVES
        order[count] = node
        count += 1
        depth -= 1
    return count


@allocating
def add_group_loads(
    first: np.ndarray,
    to: np.ndarray,
    group: np.ndarray,
    member: np.ndarray,
    port: np.ndarray,
    next_state: np.ndarray,
    begin: int,
    demand: np.ndarray,
    dead: np.ndarray,
    load: np.ndarray,
    lost: np.ndarray,
) -> int:
    """Send demand[i, s] from s to switch begin + i, every group splitting evenly over its members, and add the load of each
    channel to load (float64[2 m]). Returns the first of these destinations that some of its traffic does not reach, or -1.

    dead: bool[2 m], channels that lose what is sent to them. lost: float64[k], to which the traffic that does not arrive at
    begin + i is added, so that only circulating traffic counts as not reaching it; or empty.
    """
    n, nodes = first.size - 1, group.shape[0] * (first.size - 1)
    fate, amount, wanted = np.empty(nodes, np.uint8), np.zeros(nodes), np.empty(n, np.bool_)
    order, stack, place = np.empty(nodes, np.int64), np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    for i in range(demand.shape[0]):
        d = begin + i
        for s in range(n):
            wanted[s] = demand[i, s] > 0.0
        count = _ordered(first, to, group, member, port, next_state, d, wanted, fate, order, stack, place)
        for s in range(n):
            if s != d and wanted[s]:
                if fate[s] != _ARRIVES and (lost.size == 0 or fate[s] == _CIRCULATES):
                    return d
                amount[s] = demand[i, s]
        for at in range(count - 1, -1, -1):
            node = order[at]
            v = node % n
            own = np.int64(group[node // n, d, v])
            if own < 0:
                lost[i] += amount[node]
                amount[node] = 0.0
                continue
            part = amount[node] / (member[own + 1] - member[own])
            amount[node] = 0.0
            for m in range(member[own], member[own + 1]):
                c = first[v] + np.int64(port[m])
                if dead[c]:
                    lost[i] += part
                    continue
                load[c] += part
                if to[c] != d:
                    amount[np.int64(next_state[m]) * n + to[c]] += part
    return -1


@allocating
def follow_groups(
    first: np.ndarray,
    to: np.ndarray,
    group: np.ndarray,
    member: np.ndarray,
    port: np.ndarray,
    next_state: np.ndarray,
    carries: np.ndarray,
    destinations: np.ndarray,
    distance: np.ndarray,
    turns: np.ndarray,
    load: np.ndarray,
    by_hops: np.ndarray,
    counts: np.ndarray,
    example: np.ndarray,
) -> int:
    """Follow all walks from every switch to `destinations`, int64[k]; return the most hops of a walk.

    Parameters
    ----------
    carries : bool[n]
        Loads and turns count packets between these switches.
    distance : int32[k, at least n]
        Fewest hops to each destination, -1 if there is no path.
    turns : uint64[2 m, words], or uint64[0, 0]
        The ports that walks take after each channel, as bits; updated. Empty: turns do not matter.
    load : float64[2 m]
        Expected pairs over each channel; updated.
    by_hops : float64[at least the most hops + 1]
        Expected pairs by hops; updated. Walks longer than it holds are not counted: call again with more.
    counts : int64[6]
        As those of `follow.follow`: pairs of which some packets circulate, or end elsewhere; pairs of which all walks are
        shortest; pairs without any path; then the most hops of pairs with data, and the sum of the fewest hops of all pairs.
    example : int64[2, 2]
        An example (source, destination) of the first two kinds; written.
    """
    n, nodes, most = first.size - 1, group.shape[0] * (first.size - 1), np.int64(0)
    fate, amount, longest = np.empty(nodes, np.uint8), np.zeros(nodes), np.zeros(nodes, np.int64)
    order, stack, place = np.empty(nodes, np.int64), np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    shares = np.zeros((nodes, by_hops.size))
    wanted, words = np.ones(n, np.bool_), turns.shape[1]
    bits = np.zeros((nodes, words), np.uint64)
    for i in range(destinations.size):
        d = destinations[i]
        count = _ordered(first, to, group, member, port, next_state, d, wanted, fate, order, stack, place)
        for at in range(count):
            node = order[at]
            if fate[node] != _ARRIVES:
                continue
            own, v = np.int64(group[node // n, d, node % n]), node % n
            farthest = np.int64(0)
            for m in range(member[own], member[own + 1]):
                w = np.int64(to[first[v] + np.int64(port[m])])
                if w != d:
                    farthest = max(farthest, longest[np.int64(next_state[m]) * n + w])
            longest[node] = farthest + 1
            most = max(most, farthest + 1)
            for hop in range(by_hops.size):
                shares[node, hop] = 0.0
            bits[node] = 0
            if words:
                for m in range(member[own], member[own + 1]):
                    bits[node, port[m] >> 6] |= np.uint64(1) << np.uint64(port[m] & 63)
            part = 1.0 / (member[own + 1] - member[own])
            for m in range(member[own], member[own + 1]):
                w = np.int64(to[first[v] + np.int64(port[m])])
                if w == d:
                    if by_hops.size > 1:
                        shares[node, 1] += part
                    continue
                other = np.int64(next_state[m]) * n + w
                for hop in range(1, min(longest[other] + 2, by_hops.size)):
                    shares[node, hop] += part * shares[other, hop - 1]
        for s in range(n):
            if s == d:
                continue
            counts[5] += max(0, distance[i, s])
            if fate[s] == _ARRIVES:
                counts[2] += longest[s] == distance[i, s]
                for hop in range(by_hops.size):
                    by_hops[hop] += shares[s, hop]
                if carries[s] and carries[d]:
                    amount[s] = 1.0
                    counts[4] = max(counts[4], longest[s])
            elif distance[i, s] < 0:
                counts[3] += 1
            else:
                kind = 0 if fate[s] == _CIRCULATES else 1
                if counts[kind] == 0:
                    example[kind, 0], example[kind, 1] = s, d
                counts[kind] += 1
        for at in range(count - 1, -1, -1):
            node = order[at]
            if amount[node] == 0.0:
                continue
            v = node % n
            own = np.int64(group[node // n, d, v])
            part = amount[node] / (member[own + 1] - member[own])
            amount[node] = 0.0
            for m in range(member[own], member[own + 1]):
                c = first[v] + np.int64(port[m])
                w = np.int64(to[c])
                load[c] += part
                if w == d:
                    continue
                other = np.int64(next_state[m]) * n + w
                amount[other] += part
                for word in range(words):
                    turns[c, word] |= bits[other, word]
    return most


@kernel
def spread_turns(
    first: np.ndarray, to: np.ndarray, back: np.ndarray, turn_first: np.ndarray, bits: np.ndarray, turns: np.ndarray
) -> None:
    """Write the ports after each channel, uint64[2 m, words], as turns: uint8[turn_first[n]], for `follow.find_cycle`."""
    for c in range(to.size):
        w = np.int64(to[c])
        degree = first[w + 1] - first[w]
        row = turn_first[w] + (np.int64(back[c]) - first[w]) * degree
        for p in range(degree):
            turns[row + p] = (bits[c, p >> 6] >> np.uint64(p & 63)) & np.uint64(1)
