"""Cuts that limit collectives: the exact rates that no all-gather, all-reduce or broadcast exceeds.

All quantities are ratios of whole numbers. Algorithm (Dinkelbach, Management Science 13(7), 1967): guess a rate; maximum flows
find a cut that cannot carry it; the rate becomes what that cut can carry; repeat until no cut is violated.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from topoloom.core.work import Work
from topoloom.simulation.collectives.network import RankNetwork, arc_graph

#: More than any flow, and small enough to be summed.
_ENDLESS = 1 << 60
#: Flows between two checks for a stop.
_OFTEN = 16
#: Classes of hosts up to which partitions are searched in seconds.
_MOST_CLASSES = 1024


@dataclass(frozen=True, eq=False)
class Cut:
    """A cut that limits a collective: its sides' channels are full.

    Attributes
    ----------
    rate : Fraction
        In units of capacity: what each rank can send to all others at once (all-gather, broadcast), or 2 over the time for a
        vector of size 1 (all-reduce).
    ranks : int
        The ranks on one side, or the number of parts.
    switches : tuple of int
        The switches on that side.
    units : int
        The capacity of the channels that leave the side, or all parts.
    """

    rate: Fraction
    ranks: int
    switches: tuple[int, ...]
    units: int


def gather_cut(network: RankNetwork, work: Work | None = None) -> Cut:
    """Return the rate at which all ranks can send their own parts to all others at once, and the cut that limits it.

    Parameters
    ----------
    network : RankNetwork
        A network with at least two ranks.
    work : Work, optional
        Reports progress in finished hosts.

    Returns
    -------
    Cut
        `rate` = min of capacity out of S / ranks in S, over sides S with some but not all ranks. On one host: 0 units.

    Raises
    ------
    Stopped
        `work` was stopped.

    Notes
    -----
    All data in S must leave it, so no algorithm is faster, whether switches copy messages or not. Packed trees achieve the rate
    (Zhao et al., ForestColl, arXiv 2402.06787, section 4.1; Edmonds 1973; Tarjan 1974). It takes one maximum flow per class of
    hosts.
    """
    return _least_ratio(network, None, Work() if work is None else work)


def broadcast_cut(network: RankNetwork, work: Work | None = None) -> Cut:
    """Return the rate from the host of the first class to all other ranks: the smallest cut that separates it from one of them.

    Parameters
    ----------
    network : RankNetwork
        A network whose root was given as `apart`.
    work : Work, optional
    """
    return _least_ratio(network, 0, Work() if work is None else work)


def _least_ratio(network: RankNetwork, root: int | None, work: Work) -> Cut:
    from topoloom.simulation.collectives.kernels.maxflow import largest_flow, reached

    n, c, total = network.switches, network.classes, network.ranks
    counts, weight = network.counts, network.weight
    # The data of each class; in a broadcast, only the root has data, and has all.
    data = counts * weight
    if root is not None:
        data = np.zeros(c, np.int64)
        data[root] = total = 1
    if int(counts.sum()) < 2:
        return Cut(Fraction(0), 0, (), 0)
    source, sink = n + c, n + c + 1
    tail, head, capacity = network.arcs()
    carriers = np.unique([switch for ports in network.ports for switch in ports])
    graph = arc_graph(
        sink + 1,
        np.concatenate([tail, np.full(c, source), carriers]),
        np.concatenate([head, n + np.arange(c), np.full(carriers.size, sink)]),
        np.concatenate([capacity, np.ones(c, np.int64), np.zeros(carriers.size, np.int64)]),
    )
    feeds = np.array([graph.arc(source, n + j) for j in range(c)])
    # The first guess: one host, limited by its own ports.
    best: Cut | None = None
    work.begin(c, "hosts that are alike")
    for j in range(c):
        if j == root:
            continue
        base = graph.capacity.copy()
        feeding = data.copy()
        if root is None:
            feeding[j] -= weight[j]
        for switch, count in network.ports[j].items():
            units = count * network.host_units
            base[graph.arc(n + j, switch)] -= units
            base[graph.arc(switch, n + j)] -= units
            base[graph.arc(switch, sink)] = units
        needed = total - (weight[j] if root is None else 0)
        if best is None:
            units = int(network.port_counts[j]) * network.host_units
            best = Cut(Fraction(units, int(needed)), int(needed), tuple(range(n)), units)
        while True:
            p, q = best.rate.numerator, best.rate.denominator
            left = base * q
            left[feeds] = feeding * p
            requirement = int(needed) * p
            if largest_flow(graph.first, graph.to, graph.back, left, source, sink, requirement) >= requirement:
                break
            inside = reached(graph.first, graph.to, left, source)
            out = base[inside[graph.origin] & ~inside[graph.to] & (graph.origin != source)]
            ranks = int(feeding[inside[n : n + c]].sum())
            units = int(out.sum())
            best = Cut(Fraction(units, ranks), ranks, tuple(np.flatnonzero(inside[:n]).tolist()), units)
        if j % _OFTEN == 0:
            work.reach(j)
            work.check()
    if best is None:  # only the root
        return Cut(Fraction(0), 0, (), 0)
    return best


def parts_cut(network: RankNetwork, gather: Cut | None = None, work: Work | None = None) -> Cut:
    """Return the limit of an all-reduce that adds in ranks only: between parts, twice the vector crosses, except one.

    Parameters
    ----------
    network : RankNetwork
        A network with at least two hosts.
    gather : Cut, optional
        The result of `gather_cut`. A reduce-scatter plus all-gather achieve ranks times its rate, so no lower rate is searched.
    work : Work, optional
        Reports progress in finished hosts.

    Returns
    -------
    Cut
        `rate` = min of capacity out of all parts / (k - 1), over disjoint parts S_1 .. S_k, k > 1, with at least one rank each;
        parts consist of whole classes, or of every single host. Where each class is one host, this covers all partitions. A
        vector of b bytes takes at least 2 b / rate.

    Raises
    ------
    Stopped
        `work` was stopped.

    Notes
    -----
    Consider one element, and the first rank r that has its sum. Before that, messages connect the other k - 1 parts to r's; and
    each of these k - 1 parts gets the sum only by a message that arrives later, as before no rank has it. So at least 2 (k - 1)
    messages leave parts, for each element. With k = 2 this is the smallest cut, with single hosts 2 (n - 1) / n over a host's
    rate (Patarasuk and Yuan, JPDC 69(2), 2009, section 3). The minimum over all partitions is a Dilworth truncation of the
    smallest cuts between sets of ranks, found greedily (Frank and Tardos, Math. Programming 42, 1988) with one maximum flow per
    class.
    """
    from topoloom.simulation.collectives.kernels.maxflow import largest_flow, reached

    work = Work() if work is None else work
    n, c, hosts = network.switches, network.classes, int(network.counts.sum())
    if hosts < 2:
        return Cut(Fraction(0), 0, (), 0)
    units = int((network.counts * network.port_counts).sum()) * network.host_units
    best = Cut(Fraction(units, hosts - 1), hosts, (), units)
    achieved = Fraction(0)
    if gather is not None:
        achieved = network.ranks * gather.rate
        if 2 * gather.units < best.rate:
            best = Cut(Fraction(2 * gather.units), 2, gather.switches, 2 * gather.units)
    if c < 2 or c > _MOST_CLASSES or best.rate <= achieved:
        return best
    source, sink = n + c, n + c + 1
    tail, head, capacity = network.arcs()
    nodes = n + np.arange(c)
    graph = arc_graph(
        sink + 1,
        np.concatenate([tail, np.full(c, source), nodes]),
        np.concatenate([head, nodes, np.full(c, sink)]),
        np.concatenate([capacity, np.zeros(2 * c, np.int64)]),
    )
    feeds = np.array([graph.arc(source, node) for node in nodes.tolist()])
    drains = np.array([graph.arc(node, sink) for node in nodes.tolist()])
    work.begin(None, "parts")
    while True:
        p, q = best.rate.numerator, best.rate.denominator
        base = graph.capacity * q
        worth = np.zeros(c, np.int64)
        part = np.arange(c)
        for i in range(c):
            left = base.copy()
            left[feeds[:i]] = np.maximum(worth[:i], 0)
            left[drains[:i]] = np.maximum(-worth[:i], 0)
            left[feeds[i]] = left[drains[i + 1 :]] = _ENDLESS
            bound = int(left[drains[:i]].sum() + capacity.sum() * q + 1)
            cut = largest_flow(graph.first, graph.to, graph.back, left, source, sink, bound) if i + 1 < c or i else 0
            worth[i] = cut - int(np.maximum(worth[:i], 0).sum()) - p
            inside = reached(graph.first, graph.to, left, source)[n : n + c]
            inside[i] = True
            part[np.isin(part, part[: i + 1][inside[: i + 1]])] = i
            if i % _OFTEN == 0:
                work.check()
        names = np.unique(part)
        if names.size < 2 or int(worth.sum()) >= -p:
            return best
        # The parts are tight: the capacity out of each is its worth plus the rate.
        out = sum(int(worth[part == name].sum()) + p for name in names.tolist())
        best = Cut(Fraction(out // q, names.size - 1), int(names.size), (), out // q)
        if best.rate <= achieved:
            return best
