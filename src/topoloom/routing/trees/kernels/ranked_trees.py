"""Tables per host that rise and then fall in one order of the switches, with even loads."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@inner
def grown_cost(load, flow, scale):  # type: ignore[no-untyped-def]
    """What more flow costs on a channel: the growth of the eighth power of its load, which stands for the maximum."""
    before, after = load * scale, (load + flow) * scale
    before, after = before * before, after * after
    before, after = before * before, after * after
    return after * after - before * before


@inner
def _take_back(first, to, rising, falls, hosts, d, served, port, flow, load):  # type: ignore[no-untyped-def]
    """Remove the pairs of the hosts that a table serves from the loads."""
    n = first.size - 1
    for s in range(n):
        flow[s] = hosts[s] * served
    flow[d] = 0
    for k in range(2 * n):  # up, from the lowest switch; then down
        s = rising[k] if k < n else rising[2 * n - 1 - k]
        if falls[s] == (k >= n) and s != d and flow[s]:
            c = first[s] + port[s]
            load[c] -= flow[s]
            flow[to[c]] += flow[s]


@inner
def _own_way(d, number, to, back, height, upward, first_up, stride, down, meets):  # type: ignore[no-untyped-def]
    """Mark the way up from `d` by the digits of the host's number, and the channels of the way back down it."""
    s = d
    meets[d] = True
    while first_up[s] < first_up[s + 1]:
        ups = first_up[s + 1] - first_up[s]
        c = upward[first_up[s] + (number // stride[height[s]]) % ups]
        down[to[c]] = back[c]
        s = np.int64(to[c])
        meets[s] = True


@inner
def _distances(first, to, rises, rising, d, falls, hops):  # type: ignore[no-untyped-def]
    """Write which switches lead down to d, and the hops of each to d: down, or up to the nearest such switch and down."""
    n = first.size - 1
    unreached = np.int64(1) << 40
    hops[:] = unreached
    hops[d] = 0
    for k in range(n):
        s = rising[k]
        for c in range(first[s], first[s + 1]):
            if not rises[c]:
                hops[s] = min(hops[s], hops[to[c]] + 1)
        falls[s] = hops[s] < unreached
    for k in range(n):
        s = rising[n - 1 - k]
        if not falls[s]:
            for c in range(first[s], first[s + 1]):
                if rises[c]:
                    hops[s] = min(hops[s], hops[to[c]] + 1)


@inner
def _remaining(first, to, hops, away):  # type: ignore[no-untyped-def]
    """Send switches from which no path rises and then falls towards the nearest switch that has one; no data passes there."""
    n = first.size - 1
    unreached = np.int64(1) << 40
    left = True
    while left:
        left = False
        for s in range(n):
            if hops[s] < unreached:
                continue
            for c in range(first[s], first[s + 1]):
                if hops[to[c]] + 1 < hops[s]:
                    hops[s] = hops[to[c]] + 1
                    away[s] = c - first[s]
                    left = True


@allocating
def ordered_hops(
    first: np.ndarray, to: np.ndarray, rises: np.ndarray, rising: np.ndarray, destinations: np.ndarray, hops: np.ndarray
) -> None:
    """Write the hops from every switch to each destination by paths that rise and then fall, int64[k, n].

    Parameters
    ----------
    first, to : int64[n + 1], int[2 m]
        The channels.
    rises : bool[2 m]
        Whether a channel leads to a switch that is higher in the order.
    rising : int64[n]
        The switches, lowest first.
    destinations : int64[k]
    hops : int64[k, n]
        Written; at least 2^40 where no path rises and then falls.
    """
    falls = np.empty(first.size - 1, np.bool_)
    for row in range(destinations.size):
        _distances(first, to, rises, rising, destinations[row], falls, hops[row])


@allocating
def ranked_trees(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    rises: np.ndarray,
    rising: np.ndarray,
    begins: np.ndarray,
    height: np.ndarray,
    upward: np.ndarray,
    first_up: np.ndarray,
    stride: np.ndarray,
    hosts: np.ndarray,
    scale: np.ndarray,
    leaf: int,
    d: int,
    ports: np.ndarray,
    load: np.ndarray,
    again: bool,
    digits: bool,
    collision_cost: float,
) -> None:
    """Write ports[i, d] for every host i of a switch d.

    A switch that leads down to d sends down, over the cables with the smallest loads. Any other one sends up, by the way whose
    channels, up and then down, grow least in the eighth power of their loads.

    Parameters
    ----------
    first, to, rises, rising
        As for `ordered_hops`.
    back : int[2 m]
        The opposite channel of each.
    begins : int64[groups + 1]
        Where groups of switches begin in `rising`; no two of a group are joined, so they may choose in any order.
    height : int64[n]
        The group of each switch.
    upward, first_up : int64[up channels], int64[n + 1]
        The channels upwards of each switch, and where they begin.
    stride : int64[groups]
        How many consecutive numbers of hosts share the digit of each group.
    hosts : int64[n]
        Hosts of each switch.
    scale : float64[2 m]
        1 / the capacity of each channel.
    leaf : int
        The place of `d` among the switches with hosts.
    d : int
    ports : uint[count, n, n]
        Hosts i, i + count, ... of a switch use table i.
    load : float64[2 m]
        Pairs of hosts over each channel; updated.
    again : bool
        Whether the tables of `d` exist already; their loads are removed before they are made again.
    digits : bool
        Whether each host keeps the way that the digits of its number give, as in d-mod-k, as far as its cables are free. Where
        this loads all channels alike, it stays when the tables are made again without.
    collision_cost : float
        What it costs that hosts of `d` share a channel from the same source, as a share of the cost of its load.

    Cost O(hosts of d times (m + channels up times levels)).
    """
    n, count = first.size - 1, ports.shape[0]
    none = np.int64(-1)
    falls, hops = np.empty(n, np.bool_), np.empty(n, np.int64)
    meets = np.empty(n, np.bool_)
    down, tail, flow = np.empty(n, np.int64), np.empty(n), np.empty(n)
    used = np.zeros(to.size, np.int64)  # hosts of d whose packets each channel upwards carries
    shared = np.zeros((n, first[d + 1] - first[d]), np.int64)  # and by the switch at the other end of the last channel
    _distances(first, to, rises, rising, d, falls, hops)
    away = np.full(n, -1, np.int64)
    _remaining(first, to, hops.copy(), away)
    # Last channels towards d are numbered by the order in which they are met.
    last_number = np.full(to.size, -1, np.int64)
    numbered = 0
    own = min(count, hosts[d])
    for i in range(own):
        port = ports[i, d]
        served = (hosts[d] - i + count - 1) // count
        if again:
            _take_back(first, to, rising, falls, hosts, d, served, port, flow, load)
        total = 0.0
        for s in range(n):
            flow[s] = hosts[s] * served
            total += flow[s]
        flow[d] = 0.0
        usual = max(1.0, total / n)
        tail[d] = 0.0
        down[:] = none
        meets[:] = False
        if digits:
            _own_way(d, leaf * count + i, to, back, height, upward, first_up, stride, down, meets)
        for k in range(n):  # the best way down
            s = rising[k]
            if not falls[s] or s == d:
                continue
            if down[s] != none:
                tail[s] = grown_cost(load[down[s]], usual, scale[down[s]]) + tail[to[down[s]]]
                port[s] = down[s] - first[s]
                continue
            for c in range(first[s], first[s + 1]):
                if not rises[c] and hops[to[c]] + 1 == hops[s]:
                    cost = grown_cost(load[c], usual, scale[c]) + tail[to[c]]
                    if down[s] == none or cost < tail[s]:
                        down[s], tail[s] = c, cost
            port[s] = down[s] - first[s]
        for k in range(n):  # what lies behind a way up, before anything is sent
            s = rising[n - 1 - k]
            if falls[s]:
                continue
            tail[s] = np.inf
            for c in range(first[s], first[s + 1]):
                if rises[c] and hops[to[c]] + 1 == hops[s]:
                    tail[s] = min(tail[s], grown_cost(load[c], usual, scale[c]) + tail[to[c]])
                    meets[s] |= meets[to[c]]
        for s in range(n):  # hosts of switches that lead down
            if falls[s] and flow[s]:
                w = s
                while w != d:
                    load[down[w]] += flow[s]
                    w = np.int64(to[down[w]])
        for group in range(begins.size - 1):
            size = begins[group + 1] - begins[group]
            for k in range(size):
                s = rising[begins[group] + (k + i * 7) % size]  # another switch chooses first for each host
                if falls[s]:
                    continue
                best, best_cost, best_last, best_own = none, 0.0, none, False
                for c in range(first[s], first[s + 1]):
                    w = np.int64(to[c])
                    if not rises[c] or hops[w] + 1 != hops[s]:
                        continue
                    own_way = meets[w] and not used[c]
                    cost, last = grown_cost(load[c], max(flow[s], 1.0), scale[c]), none
                    if falls[w]:
                        while w != d:
                            last = down[w]
                            cost += grown_cost(load[last], max(flow[s], 1.0), scale[last])
                            w = np.int64(to[last])
                    else:
                        cost += tail[w]
                    collisions = used[c]
                    if last != none and hosts[s] and last_number[last] >= 0:
                        collisions = max(collisions, shared[s, last_number[last]])
                    cost *= 1.0 + collision_cost * collisions
                    if best == none or (own_way and not best_own) or (own_way == best_own and cost < best_cost):
                        best, best_cost, best_last, best_own = c, cost, last, own_way
                if best == none:
                    port[s] = away[s]  # no path rises and then falls
                    continue
                port[s] = best - first[s]
                if not flow[s]:
                    continue
                load[best] += flow[s]
                used[best] += 1
                w = np.int64(to[best])
                if not falls[w]:
                    flow[w] += flow[s]
                    continue
                if best_last != none and hosts[s]:
                    if last_number[best_last] < 0:
                        last_number[best_last] = numbered
                        numbered += 1
                    shared[s, last_number[best_last]] += 1
                while w != d:
                    load[down[w]] += flow[s]
                    w = np.int64(to[down[w]])
    for i in range(own, count):
        ports[i, d] = ports[i % max(1, own), d]
