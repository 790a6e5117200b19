"""Forests: trees from every rank to all others, packed so that each gets its share and no channel exceeds its capacity."""

from collections import deque
from dataclasses import dataclass
from math import gcd

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.simulation.collectives.cuts import Cut
from topoloom.simulation.collectives.network import RankNetwork

#: Estimated steps of maximum flows up to which trees are packed by default; the same, about a minute, when requested.
_MOST_STEPS, _MOST_ASKED = 1.5e10, 2.9e9
#: The factor of work where hosts are slower than the links of their switches, as the network then splits into more paths.
_NARROW = 10
#: The most splits that are stored.
_MOST_SPLITS = 1 << 20
#: Edges of trees up to which trees are spread over parallel channels one by one.
_MOST_ALONE = 100_000
#: Ranks up to which trees are packed by default, and when requested.
MOST_RANKS, MOST_RANKS_ASKED = 128, 256


@dataclass(frozen=True)
class TreeEdge:
    """An edge of a tree: a message from one rank to another.

    Attributes
    ----------
    sender, receiver : int
        The ranks.
    switches : tuple of int
        The switches of the path between their hosts.
    """

    sender: int
    receiver: int
    switches: tuple[int, ...]


@dataclass(frozen=True)
class Tree:
    """A tree that carries some chunks from a root to all ranks (or to those that need them).

    Attributes
    ----------
    root : int
        The rank at the root.
    first, chunks : int
        The first chunk and the number of chunks; all take the same paths.
    edges : tuple of TreeEdge
        The edges, each after the edge that reaches its sender.
    steps : tuple of int
        The step of each edge, for trees that take turns: a rank sends in the order of steps, and reduces in reverse order.
        Unset: messages leave as soon as their data are there.
    """

    root: int
    first: int
    chunks: int
    edges: tuple[TreeEdge, ...]
    steps: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def turns(self) -> tuple[int, ...]:
        """The steps, or nothing where they are unset."""
        return self.steps if isinstance(self.steps, tuple) else ()

    @property
    def depth(self) -> int:
        """The most edges on a path from the root."""
        at = {self.root: 0}
        for edge in self.edges:
            at[edge.receiver] = at[edge.sender] + 1
        return max(at.values())


class TooManySplitsError(Exception):
    """The rates of a network divide so badly that its switches split into too many paths."""


def why_no_forest(network: RankNetwork, *, asked: bool = False) -> str:
    """Return why packing trees would take too long, or an empty text; the network must have one class per host.

    Parameters
    ----------
    network : RankNetwork
    asked : bool
        Whether the user requested trees, and accepts a minute or two.
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
    # Measured: networks whose hosts are as fast as their switches' links take a tenth of the time.
    narrow = bool(((hosts > 0) & (hosts < links)).any())
    if asked and c <= MOST_RANKS_ASKED and turns * (_NARROW if narrow else 1) <= _MOST_ASKED:
        return ""
    most = MOST_RANKS_ASKED if asked else MOST_RANKS
    if c > most:
        return f"{c} ranks; trees are packed for at most {most}"
    return f"{n} switches between {c} ranks are too many for packing trees"


def packed_forest(
    network: RankNetwork, cut: Cut, roots: np.ndarray, work: Work | None = None
) -> tuple[tuple[Tree, ...], int]:
    """Return trees from each root to all ranks that achieve the rate of a cut exactly.

    Parameters
    ----------
    network : RankNetwork
        A network with one class per host, in the order of ranks, with one rank each.
    cut : Cut
        The result of `gather_cut` or `broadcast_cut`; its rate is that of every root.
    roots : int64[k]
        All ranks, or the rank that broadcasts.
    work : Work, optional
        Reports progress in removed switches and in trees.

    Returns
    -------
    trees : tuple of Tree
    chunks : int
        The number of chunks of each root's data.

    Raises
    ------
    InputError
        A network that is too large (`why_no_forest`).
    TooManySplitsError
        More than a million paths.
    Stopped
        `work` was stopped.

    Notes
    -----
    Algorithm: Zhao et al., ForestColl, arXiv 2402.06787. Capacities are scaled to whole numbers of trees (section 4.1);
    switches are removed by splitting off (4.2; Bang-Jensen, Frank and Jackson 1995); spanning trees are packed edge by edge
    (4.3; Berczi and Frank 2010; Tarjan 1974). Each edge between ranks then stands for a path through the removed switches.
    """
    from topoloom.simulation.collectives.kernels.forest import split_off

    why = why_no_forest(network, asked=True)
    if why:
        raise InputError(f"{network.name}: {why}; use algorithm ring")
    work = Work() if work is None else work
    n, c = network.switches, network.classes
    tail, head, units = network.arcs()
    # Each of parallel channels and ports must carry whole trees.
    step = gcd(network.host_units, network.link_units)
    p, q = cut.rate.numerator, cut.rate.denominator
    trees = p // gcd(p, step)
    scale = trees * q
    capacity = np.zeros((n + c, n + c), np.int64)
    for a, b, capacity_units in zip(tail.tolist(), head.tolist(), units.tolist(), strict=True):
        capacity[a, b] = capacity_units * scale // p
    supply = np.zeros(n + c, np.int64)
    supply[n + roots] = trees
    paths = _Paths(capacity)
    log = np.zeros((1 << 12, 4), np.int64)
    done = 0
    work.begin(n + roots.size, "switches and trees")
    for switch in range(n + 1):
        while (log_rows := split_off(capacity, supply, n, int(supply.sum()), log, done)) == -2:
            if len(log) >= _MOST_SPLITS:
                raise TooManySplitsError
            # Splits logged before the log was full are kept; the rest is tried again with a larger log.
            done = len(log)
            log = np.concatenate([log, np.zeros_like(log)])
        if log_rows < 0:
            break
        done = log_rows
        work.reach(switch)
        work.check()
    for u, w, t, amount in log[:done].tolist():
        paths.join(u, w, t, amount)
    batches = _spanning(capacity[n:, n:].copy(), roots, trees, work, n)
    # Over parallel channels or ports, trees are spread one by one, as this fits whenever all trees fit.
    parallel = bool((network.capacity > network.link_units).any()) or any(
        count > 1 for ports in network.ports for count in ports.values()
    )
    alone = parallel and trees * roots.size * c <= _MOST_ALONE
    return _trees(batches, paths, n, roots, trees, alone=alone), trees


class _Paths:
    """The number of trees on each path, by the ends of the path."""

    def __init__(self, capacity: np.ndarray) -> None:
        self.by_ends: dict[tuple[int, int], deque[tuple[tuple[int, ...], int]]] = {}
        for u, v in np.argwhere(capacity > 0).tolist():
            self.by_ends[u, v] = deque([((u, v), int(capacity[u, v]))])

    def take(self, u: int, v: int, amount: int) -> list[tuple[tuple[int, ...], int]]:
        """Remove and return paths from u to v for `amount` trees, with the trees on each path."""
        taken, queue = [], self.by_ends[u, v]
        while amount:
            path, units = queue.popleft()
            used = min(units, amount)
            if used < units:
                queue.appendleft((path, units - used))
            taken.append((path, used))
            amount -= used
        return taken

    def join(self, u: int, w: int, t: int, amount: int) -> None:
        """Join paths from u to w with paths from w to t to paths from u to t; paths that would end at their start are
        dropped."""
        first, second = deque(self.take(u, w, amount)), deque(self.take(w, t, amount))
        while first:
            (first_path, first_units), (second_path, second_units) = first.popleft(), second.popleft()
            joined = min(first_units, second_units)
            if first_units > joined:
                first.appendleft((first_path, first_units - joined))
            if second_units > joined:
                second.appendleft((second_path, second_units - joined))
            if u != t:
                self.by_ends.setdefault((u, t), deque()).append((_simple(first_path + second_path[1:]), joined))


def _simple(path: tuple[int, ...]) -> tuple[int, ...]:
    """Return a path without its loops."""
    simple: list[int] = []
    for node in path:
        if node in simple:
            del simple[simple.index(node) :]
        simple.append(node)
    return tuple(simple)


@dataclass
class _Batch:
    """Trees with the same edges so far."""

    root: int
    trees: int
    edges: list[tuple[int, int]]


def _spanning(capacity: np.ndarray, roots: np.ndarray, trees: int, work: Work, before: int) -> list[_Batch]:
    """Return spanning trees, packed edge by edge, with each edge as close to its root as possible."""
    from topoloom.simulation.collectives.kernels.spanning import next_edge

    c = len(capacity)
    batches = []
    member = np.zeros((roots.size, c), np.bool_)
    for place, root in enumerate(roots.tolist()):
        member[place, root] = True
        batches.append(_Batch(root, trees, []))
    done: list[_Batch] = []
    while batches:
        # All trees grow together, so that none gets only leftovers and becomes a long chain.
        place = min(range(len(batches)), key=lambda i: len(batches[i].edges))
        batch = batches[place]
        counts = np.array([other_batch.trees for other_batch in batches], np.int64)
        order = np.array([batch.root, *(y for _, y in batch.edges)], np.int64)
        x, y, tree_count = (int(value) for value in next_edge(capacity, order, member, counts, place))
        if not tree_count:
            raise RuntimeError(
                "no edge for a tree that must have one"
            )  # the theorem guarantees an edge, so this is a bug
        if tree_count < batch.trees:
            batches.append(_Batch(batch.root, batch.trees - tree_count, list(batch.edges)))
            member = np.concatenate([member, member[place : place + 1]])
            batch.trees = tree_count
        batch.edges.append((x, y))
        member[place, y] = True
        capacity[x, y] -= tree_count
        if member[place].all():
            done.append(batches.pop(place))
            member = np.delete(member, place, axis=0)
            work.reach(before + len({finished.root for finished in done}) - 1)
            work.check()
    return done


def _trees(
    batches: list[_Batch], paths: _Paths, n: int, roots: np.ndarray, trees: int, *, alone: bool
) -> tuple[Tree, ...]:
    """Return trees with paths: a batch whose edges take several paths is divided, with `alone` into single trees."""
    trees_with_paths, next_chunk = [], {int(root): place * trees for place, root in enumerate(roots.tolist())}
    for batch in sorted(batches, key=lambda batch_: batch_.root):
        taken = [deque(paths.take(n + x, n + y, batch.trees)) for x, y in batch.edges]
        remaining = batch.trees
        while remaining:
            tree_count = 1 if alone else min([remaining, *(queue[0][1] for queue in taken)])
            edges = []
            for (x, y), queue in zip(batch.edges, taken, strict=True):
                path, units = queue.popleft()
                if units > tree_count:
                    queue.appendleft((path, units - tree_count))
                edges.append(TreeEdge(x, y, path[1:-1]))
            trees_with_paths.append(Tree(batch.root, next_chunk[batch.root], tree_count, tuple(edges)))
            next_chunk[batch.root] += tree_count
            remaining -= tree_count
    return tuple(trees_with_paths)
