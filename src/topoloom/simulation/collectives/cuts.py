"""What must cross the cuts of a network: the rates that no all-gather, all-reduce or broadcast passes, exactly.

Everything is a ratio of whole numbers: a rate is guessed, the largest flows say which cut cannot carry it, and the rate
becomes what that cut can carry, until no cut is against it (Dinkelbach, Management Science 13(7), 1967).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from topoloom.core.work import Work
from topoloom.simulation.collectives.network import RankNetwork, arc_graph

#: More than any flow, and small enough to be added up.
_ENDLESS = 1 << 60
#: Times a flow is asked for between two looks at who wants to stop.
_OFTEN = 16
#: Classes of hosts whose partitions are looked through in seconds.
_MOST_CLASSES = 1024


@dataclass(frozen=True, eq=False)
class Cut:
    """What holds a collective back: the sides whose channels are full.

    Attributes
    ----------
    rate : Fraction
        Units: what each rank can send to all others at once (all-gather, broadcast), or 2 / (time of a vector of 1)
        (all-reduce).
    ranks : int
        Inside the side, or in how many parts the ranks are.
    switches : tuple of int
        On that side.
    units : int
        Capacity of the channels that leave the side, or all parts.
    """

    rate: Fraction
    ranks: int
    switches: tuple[int, ...]
    units: int


def gather_cut(network: RankNetwork, work: Work | None = None) -> Cut:
    """The rate at which each rank can send its own part to all others, all at once, and the cut that allows no more.

    Parameters
    ----------
    network : RankNetwork
        Two ranks or more.
    work : Work, optional
        Reports progress in finished hosts.

    Returns
    -------
    Cut
        `rate` = min over sides S that hold some ranks and not all: capacity out of S / ranks in S. On one host: 0 units.

    Raises
    ------
    Stopped
        `work` was stopped.

    Notes
    -----
    Whatever is in S must leave it, so no algorithm is quicker, with copies made in switches or without. Packed trees reach it
    (Zhao et al., ForestColl, arXiv 2402.06787, section 4.1; Edmonds 1973; Tarjan 1974). One largest flow a class of hosts.
    """
    return _least_ratio(network, None, Work() if work is None else work)


def broadcast_cut(network: RankNetwork, work: Work | None = None) -> Cut:
    """The rate at which the first class's host can send to all other ranks: the smallest cut that parts it from one of them.

    Parameters
    ----------
    network : RankNetwork
        With the root `apart`.
    work : Work, optional
    """
    return _least_ratio(network, 0, Work() if work is None else work)


def _least_ratio(network: RankNetwork, root: int | None, work: Work) -> Cut:
    from topoloom.simulation.collectives.kernels.maxflow import largest_flow, reached

    n, c, total = network.switches, network.classes, network.ranks
    counts, weight = network.counts, network.weight
    # What each class brings in; a root brings in all, once.
    brings = counts * weight
    if root is not None:
        brings = np.zeros(c, np.int64)
        brings[root] = total = 1
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
    # A host alone takes what its ports do; that is the first guess.
    best: Cut | None = None
    work.begin(c, "hosts that are alike")
    for j in range(c):
        if j == root:
            continue
        base = graph.capacity.copy()
        feeding = brings.copy()
        if root is None:
            feeding[j] -= weight[j]
        for switch, count in network.ports[j].items():
            units = count * network.host_units
            base[graph.arc(n + j, switch)] -= units
            base[graph.arc(switch, n + j)] -= units
            base[graph.arc(switch, sink)] = units
        want = total - (weight[j] if root is None else 0)
        if best is None:
            units = int(network.port_counts[j]) * network.host_units
            best = Cut(Fraction(units, int(want)), int(want), tuple(range(n)), units)
        while True:
            p, q = best.rate.numerator, best.rate.denominator
            left = base * q
            left[feeds] = feeding * p
            requirement = int(want) * p
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
    if best is None:  # the root alone
        return Cut(Fraction(0), 0, (), 0)
    return best


def parts_cut(network: RankNetwork, gather: Cut | None = None, work: Work | None = None) -> Cut:
    """What an all-reduce that adds in ranks alone cannot pass: twice the vector crosses between parts, all but once.

    Parameters
    ----------
    network : RankNetwork
        Two hosts or more.
    gather : Cut, optional
        Of `gather_cut`. A reduce-scatter and an all-gather reach ranks times its rate: no partition is looked for below that.
    work : Work, optional
        Reports progress in finished hosts.

    Returns
    -------
    Cut
        `rate` = min over sides S_1 .. S_k, k > 1, that are apart and hold a rank each: capacity out of all / (k - 1), of
        classes as a whole, or of every host by itself; where each class is a host, of all. A vector of b takes 2 b / rate at
        least.

    Raises
    ------
    Stopped
        `work` was stopped.

    Notes
    -----
    Take one element, and the first rank r that has its sum. Before that, messages join all other k - 1 parts to r's; and each
    of the k - 1 has the sum only from a message that comes in no earlier than that, for before it no rank has all. So 2 (k - 1)
    messages leave parts, for each element. With k = 2 it is the smallest cut, with single hosts 2 (n - 1) / n over a host's
    rate (Patarasuk and Yuan, JPDC 69(2), 2009, section 3). The least over all partitions is a Dilworth truncation of the
    smallest cuts between sets of ranks, found greedily (Frank and Tardos, Math. Programming 42, 1988): a largest flow a class.
    """
    from topoloom.simulation.collectives.kernels.maxflow import largest_flow, reached

    work = Work() if work is None else work
    n, c, hosts = network.switches, network.classes, int(network.counts.sum())
    if hosts < 2:
        return Cut(Fraction(0), 0, (), 0)
    units = int((network.counts * network.port_counts).sum()) * network.host_units
    best = Cut(Fraction(units, hosts - 1), hosts, (), units)
    floor = Fraction(0)
    if gather is not None:
        floor = network.ranks * gather.rate
        if 2 * gather.units < best.rate:
            best = Cut(Fraction(2 * gather.units), 2, gather.switches, 2 * gather.units)
    if c < 2 or c > _MOST_CLASSES or best.rate <= floor:
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
        # Tight parts: what leaves them is what they are worth, and the rate.
        out = sum(int(worth[part == name].sum()) + p for name in names.tolist())
        best = Cut(Fraction(out // q, names.size - 1), int(names.size), (), out // q)
        if best.rate <= floor:
            return best
