"""Tables per host in trees whose bundles differ in width."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner

#: What it costs that a channel carries one more host of the same destination switch, as a share of a host's rate: enough to
#: keep hosts of one switch apart where that costs the other pairs little.
_SHARED = 0.05


@inner
def _add(first, to, level, rising, above, hosts, d, served, port, flow, load, sign):  # type: ignore[no-untyped-def]
    """Add the pairs of the hosts that a table serves to the loads, or remove them (`sign` -1)."""
    n = first.size - 1
    for s in range(n):
        flow[s] = hosts[s] * served
    flow[d] = 0
    for k in range(n):  # up, from the lowest level
        s = rising[k]
        if not above[s] and flow[s]:
            c = first[s] + port[s]
            load[c] += sign * flow[s]
            flow[to[c]] += flow[s]
    for k in range(n):  # then down
        s = rising[n - 1 - k]
        if above[s] and s != d and flow[s]:
            c = first[s] + port[s]
            load[c] += sign * flow[s]
            flow[to[c]] += flow[s]


@inner
def _own_way(d, number, to, back, level, upward, first_up, stride, down, meets):  # type: ignore[no-untyped-def]
    """Mark the way up from `d` by the digits of the host's number, and the channels of the way back down it."""
    s = d
    meets[d] = True
    while first_up[s] < first_up[s + 1]:
        ups = first_up[s + 1] - first_up[s]
        c = upward[first_up[s] + (number // stride[level[s]]) % ups]
        down[to[c]] = back[c]
        s = to[c]
        meets[s] = True


@allocating
def host_trees(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    level: np.ndarray,
    rising: np.ndarray,
    upward: np.ndarray,
    first_up: np.ndarray,
    width: np.ndarray,
    stride: np.ndarray,
    hosts: np.ndarray,
    leaf: int,
    d: int,
    ports: np.ndarray,
    load: np.ndarray,
    again: bool,
) -> None:
    """Write ports[i, d] for every host i of a switch d.

    A host has its own way: up from its switch by the digits of its number, as in d-mod-k. Paths to it come down this way, and
    join it as soon as they can. A switch that has no cable left towards it takes the bundle with the smallest channel
    load, up and down, plus a little for every cable that hosts of `d` share.

    Parameters
    ----------
    level, rising : int64[n]
        The level of each switch, and the switches sorted by it, lowest first.
    upward, first_up : int64[up channels], int64[n + 1]
        The channels upwards of each switch, cables of a bundle together, and where they begin.
    width : int64[up channels]
        For each entry of `upward`, how many cables its bundle has.
    stride : int64[levels]
        How many consecutive numbers share the digit of each level.
    hosts : int64[n]
        Hosts of each switch.
    leaf : int
        The place of `d` among the lowest switches.
    load : int64[2 m]
        Hosts times destination hosts over each channel so far; updated.
    again : bool
        Whether the tables of `d` exist already; their loads are removed before they are made again.

    Cost O(hosts of d times m).
    """
    n, count = first.size - 1, ports.shape[0]
    total = max(1, hosts.sum())
    none, unreached = np.int64(-1), np.int64(1) << 40
    climb = np.empty(n, np.int64)  # hops up to a switch above d
    above, meets = np.zeros(n, np.bool_), np.empty(n, np.bool_)
    down, flow = np.empty(n, np.int64), np.empty(n, np.int64)
    used = np.zeros(upward.size, np.int64)  # hosts of d whose packets each channel upwards carries
    top = level.max()
    begins = np.zeros(top + 2, np.int64)
    for s in range(n):
        begins[level[s] + 1] += 1
    begins = np.cumsum(begins)
    # Hosts of d that come from each lowest switch over each channel down to d.
    shared = np.zeros((begins[1], first[d + 1] - first[d]), np.int64)
    above[d] = True
    for k in range(n):
        s = rising[k]
        if above[s]:
            for u in range(first_up[s], first_up[s + 1]):
                above[to[upward[u]]] = True
    for k in range(n):
        s = rising[n - 1 - k]
        climb[s] = 0 if above[s] else unreached
        if not above[s]:
            for u in range(first_up[s], first_up[s + 1]):
                climb[s] = min(climb[s], climb[to[upward[u]]] + 1)
    for i in range(count):
        port = ports[i, d]
        served = max(0, (hosts[d] - i + count - 1) // count)
        if again:
            _add(first, to, level, rising, above, hosts, d, served, port, flow, load, -1)
        number = leaf * count + i
        down[:] = none
        meets[:] = False
        _own_way(d, number, to, back, level, upward, first_up, stride, down, meets)
        for k in range(n):  # other switches above d: the way down with the smallest load
            s = rising[k]
            if above[s] and s != d and down[s] == none:
                for c in range(first[s], first[s + 1]):
                    lower = level[to[c]] < level[s] and above[to[c]]
                    if lower and (down[s] == none or load[c] < load[down[s]]):
                        down[s] = c
        for k in range(n):
            s = rising[n - 1 - k]
            if not above[s]:
                for u in range(first_up[s], first_up[s + 1]):
                    meets[s] |= meets[to[upward[u]]] and climb[to[upward[u]]] + 1 == climb[s]
        for s in range(n):
            flow[s] = hosts[s] * served
        flow[d] = 0
        for low in range(top):
            size = begins[low + 1] - begins[low]
            for k in range(size):
                # Another switch chooses first for each host.
                place = (k + number * 7) % size
                s = rising[begins[low] + place]
                if above[s] or first_up[s] == first_up[s + 1]:
                    continue
                best, best_cost, best_own = none, 0.0, False
                u = first_up[s]
                while u < first_up[s + 1]:
                    w = to[upward[u]]
                    if climb[w] + 1 == climb[s]:
                        v = u
                        for other in range(u + 1, u + width[u]):
                            fewer, same = used[other] < used[v], used[other] == used[v]
                            if fewer or (same and load[upward[other]] < load[upward[v]]):
                                v = other
                        own = meets[w] and not used[v]
                        most, collisions = load[upward[v]] + flow[s], used[v]
                        if above[w]:
                            # What has come to w for this host is in flow[w]; its pairs are added below.
                            most = max(most, load[down[w]] + flow[w] + flow[s])
                            if low == 0 and to[down[w]] == d:
                                collisions = max(collisions, shared[place, back[down[w]] - first[d]])
                        cost = most / total + _SHARED * collisions
                        if best == none or (own and not best_own) or (own == best_own and cost < best_cost):
                            best, best_cost, best_own = v, cost, own
                    u += width[u]
                c = upward[best]
                w = to[c]
                port[s] = c - first[s]
                if not flow[s]:
                    continue
                used[best] += 1
                if low == 0 and above[w] and to[down[w]] == d:
                    shared[place, back[down[w]] - first[d]] += 1
                flow[w] += flow[s]
        for s in range(n):
            if above[s] and s != d:
                port[s] = down[s] - first[s]
        _add(first, to, level, rising, above, hosts, d, served, port, flow, load, 1)
