"""Forests: trees from every rank to all others, packed so that each takes its share and no channel more than it carries."""

from collections import deque
from dataclasses import dataclass
from math import gcd

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.simulation.collectives.cuts import Cut
from topoloom.simulation.collectives.network import RankNetwork

#: Steps of largest flows up to which trees are packed unasked; and those that take about a minute, where they are asked for.
_MOST_STEPS, _MOST_ASKED = 1.5e10, 2.9e9
#: How much longer a network takes whose hosts carry less than the links of their switches, which falls into more paths.
_NARROW = 10
#: Splits that are kept.
_MOST_SPLITS = 1 << 20
#: Edges of trees that are spread over parallel channels one by one.
_MOST_ALONE = 100_000
#: Ranks whose trees are packed unasked, and where they are asked for.
MOST_RANKS, MOST_RANKS_ASKED = 128, 256


@dataclass(frozen=True)
class TreeEdge:
    """An edge of a tree: a message from one rank to another.

    Attributes
    ----------
    sender, receiver : int
        Ranks.
    switches : tuple of int
        The path between their hosts.
    """

    sender: int
    receiver: int
    switches: tuple[int, ...]


@dataclass(frozen=True)
class Tree:
    """Some chunks from a root to all ranks (or to those that they are for).

    Attributes
    ----------
    root : int
        A rank.
    first, chunks : int
        The first chunk, and how many: each takes the same way.
    edges : tuple of TreeEdge
        Each after the one that brings its sender what it sends.
    """

    root: int
    first: int
    chunks: int
    edges: tuple[TreeEdge, ...]

    @property
    def depth(self) -> int:
        """The most edges on a path from the root."""
        at = {self.root: 0}
        for edge in self.edges:
            at[edge.receiver] = at[edge.sender] + 1
        return max(at.values())


def why_no_forest(network: RankNetwork, *, asked: bool = False) -> str:
    """Why packing trees would take too long; empty where it would not. The network has a class a host.

    Parameters
    ----------
    network : RankNetwork
    asked : bool
        Whether somebody asked for trees, and may wait a minute or two.
    """
    n, c = network.switches, network.classes
    degree = np.bincount(network.tail, minlength=n).astype(float)
    links = np.bincount(network.tail, network.capacity, n)
    hosts = np.zeros(n)
    for ports in network.ports:
        for switch, count in ports.items():
            degree[switch] += 1
            hosts[switch] += count * network.host_units
    turns = float((degree**2).sum()) * c * (n + c)
    if c <= MOST_RANKS and turns * 2 * (n + c) <= _MOST_STEPS:
        return ""
    # Measured; what a network whose hosts can send all that its links carry takes is a tenth.
    narrow = bool(((hosts > 0) & (hosts < links)).any())
    if asked and c <= MOST_RANKS_ASKED and turns * (_NARROW if narrow else 1) <= _MOST_ASKED:
        return ""
    most = MOST_RANKS_ASKED if asked else MOST_RANKS
    if c > most:
        return f"{c} ranks; trees are packed for {most} at most"
    return f"{n} switches between {c} ranks are too many to be taken out one by one"


def packed_forest(
    network: RankNetwork, cut: Cut, roots: np.ndarray, work: Work | None = None
) -> tuple[tuple[Tree, ...], int]:
    """Trees from each root to all ranks that reach the rate of a cut, exactly.

    Parameters
    ----------
    network : RankNetwork
        A class for each host, in the order of ranks, each of one rank.
    cut : Cut
        Of `gather_cut`, or of `broadcast_cut`: its rate is that of every root.
    roots : int64[k]
        Ranks: all of them, or the one that broadcasts.
    work : Work, optional
        Reports progress in removed switches and in trees.

    Returns
    -------
    trees : tuple of Tree
    chunks : int
        Into how many each root's data is cut.

    Raises
    ------
    InputError
        A network that is too large for it (`why_no_forest`).
    Stopped
        `work` was stopped.

    Notes
    -----
    Zhao et al., ForestColl, arXiv 2402.06787: capacities in trees, the least number of them that makes all whole (section 4.1);
    switches taken out by splitting off (4.2; Bang-Jensen, Frank and Jackson 1995); spanning trees packed edge by edge (4.3;
    Berczi and Frank 2010; Tarjan 1974). Each edge between ranks is then a path through the switches that were taken out.
    """
    from topoloom.simulation.collectives.kernels.forest import split_off

    why = why_no_forest(network, asked=True)
    if why:
        raise InputError(f"{network.name}: {why}; take algorithm ring")
    work = Work() if work is None else work
    n, c = network.switches, network.classes
    tail, head, units = network.arcs()
    # Of parallel channels and ports, each one alone must carry whole trees.
    step = gcd(network.host_units, network.link_units)
    p, q = cut.rate.numerator, cut.rate.denominator
    trees = p // gcd(p, step)
    scale = trees * q
    capacity = np.zeros((n + c, n + c), np.int64)
    for a, b, one in zip(tail.tolist(), head.tolist(), units.tolist(), strict=True):
        capacity[a, b] = one * scale // p
    supply = np.zeros(n + c, np.int64)
    supply[n + roots] = trees
    paths = _Paths(capacity)
    log = np.zeros((1 << 12, 4), np.int64)
    done = 0
    work.begin(n + roots.size, "switches and trees")
    for switch in range(n + 1):
        while (found := split_off(capacity, supply, n, int(supply.sum()), log, done)) == -2:
            if len(log) >= _MOST_SPLITS:
                raise InputError(f"{network.name}: its switches fall into too many paths; take algorithm ring")
            # What was split before it was full stands; the rest is tried again with room.
            done = len(log)
            log = np.concatenate([log, np.zeros_like(log)])
        if found < 0:
            break
        done = found
        work.reach(switch)
        work.check()
    for u, w, t, amount in log[:done].tolist():
        paths.join(u, w, t, amount)
    batches = _spanning(capacity[n:, n:].copy(), roots, trees, work, n)
    # Over parallel channels, or ports, trees are spread one by one: each alone fits where all fit together.
    parallel = bool((network.capacity > network.link_units).any()) or any(
        count > 1 for ports in network.ports for count in ports.values()
    )
    alone = parallel and trees * roots.size * c <= _MOST_ALONE
    return _trees(batches, paths, n, roots, trees, alone=alone), trees


class _Paths:
    """How many trees go by which path, by the ends of the path."""

    def __init__(self, capacity: np.ndarray) -> None:
        self.by_ends: dict[tuple[int, int], deque[tuple[tuple[int, ...], int]]] = {}
        for u, v in np.argwhere(capacity > 0).tolist():
            self.by_ends[u, v] = deque([((u, v), int(capacity[u, v]))])

    def take(self, u: int, v: int, amount: int) -> list[tuple[tuple[int, ...], int]]:
        """So many units of the paths from u to v."""
        found, queue = [], self.by_ends[u, v]
        while amount:
            path, units = queue.popleft()
            some = min(units, amount)
            if some < units:
                queue.appendleft((path, units - some))
            found.append((path, some))
            amount -= some
        return found

    def join(self, u: int, w: int, t: int, amount: int) -> None:
        """Paths from u to w and from w to t become paths from u to t; those that would end where they began are given up."""
        first, second = deque(self.take(u, w, amount)), deque(self.take(w, t, amount))
        while first:
            (one, here), (other, there) = first.popleft(), second.popleft()
            some = min(here, there)
            if here > some:
                first.appendleft((one, here - some))
            if there > some:
                second.appendleft((other, there - some))
            if u != t:
                self.by_ends.setdefault((u, t), deque()).append((_simple(one + other[1:]), some))


def _simple(path: tuple[int, ...]) -> tuple[int, ...]:
    """A path without its loops."""
    found: list[int] = []
    for node in path:
        if node in found:
            del found[found.index(node) :]
        found.append(node)
    return tuple(found)


@dataclass
class _Batch:
    """Trees that are alike so far."""

    root: int
    trees: int
    edges: list[tuple[int, int]]


def _spanning(capacity: np.ndarray, roots: np.ndarray, trees: int, work: Work, before: int) -> list[_Batch]:
    """Spanning trees, edge by edge: each as near to its root as may be."""
    from topoloom.simulation.collectives.kernels.spanning import next_edge

    c = len(capacity)
    batches = []
    member = np.zeros((roots.size, c), np.bool_)
    for place, root in enumerate(roots.tolist()):
        member[place, root] = True
        batches.append(_Batch(root, trees, []))
    done: list[_Batch] = []
    while batches:
        # All grow together, so that none is left with what others did not want, as a long chain.
        place = min(range(len(batches)), key=lambda i: len(batches[i].edges))
        batch = batches[place]
        counts = np.array([one.trees for one in batches], np.int64)
        order = np.array([batch.root, *(y for _, y in batch.edges)], np.int64)
        x, y, some = (int(one) for one in next_edge(capacity, order, member, counts, place))
        if not some:
            raise RuntimeError("no edge for a tree that must have one")  # against the theorem: our mistake
        if some < batch.trees:
            batches.append(_Batch(batch.root, batch.trees - some, list(batch.edges)))
            member = np.concatenate([member, member[place : place + 1]])
            batch.trees = some
        batch.edges.append((x, y))
        member[place, y] = True
        capacity[x, y] -= some
        if member[place].all():
            done.append(batches.pop(place))
            member = np.delete(member, place, axis=0)
            work.reach(before + len({one.root for one in done}) - 1)
            work.check()
    return done


def _trees(
    batches: list[_Batch], paths: _Paths, n: int, roots: np.ndarray, trees: int, *, alone: bool
) -> tuple[Tree, ...]:
    """Trees with paths: a batch whose edges take several paths falls apart, and where each is to be alone every one."""
    found, next_chunk = [], {int(root): place * trees for place, root in enumerate(roots.tolist())}
    for batch in sorted(batches, key=lambda one: one.root):
        taken = [deque(paths.take(n + x, n + y, batch.trees)) for x, y in batch.edges]
        left = batch.trees
        while left:
            some = 1 if alone else min([left, *(queue[0][1] for queue in taken)])
            edges = []
            for (x, y), queue in zip(batch.edges, taken, strict=True):
                path, units = queue.popleft()
                if units > some:
                    queue.appendleft((path, units - some))
                edges.append(TreeEdge(x, y, path[1:-1]))
            found.append(Tree(batch.root, next_chunk[batch.root], some, tuple(edges)))
            next_chunk[batch.root] += some
            left -= some
    return tuple(found)
