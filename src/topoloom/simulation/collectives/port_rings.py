"""Rings on all ports: several rings of ranks at once, of which no two use the same share of a channel or of a host's port."""

from dataclasses import replace
from math import gcd
from typing import NamedTuple

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.simulation.collectives.forest import Tree
from topoloom.simulation.collectives.network import RankNetwork
from topoloom.simulation.collectives.schedule import chain_trees

#: The name of the algorithm.
RINGS = "rings"
#: The most messages of all rings.
_MOST_MESSAGES = 1_200_000
#: Visits of switches, a tenth of a second each 30 million: for one ring, for each switch of all rings, and for all searches.
_QUICK, _EACH, _MOST_VISITS = 30_000_000, 100_000, 1_500_000_000
#: The additional cycles that an exchange may cost at first: in searches that begin with rings that were found one at a time,
#: and in those that begin with none.
_NEAR, _ANEW = 0.3, 1.0
#: A ring is not chosen if its messages do not take longer than this many of their delays.
_LEAST_HOPS = 4
#: The most searches.
_MOST_SEARCHES = 12
#: Rings above which each takes a whole link.
_MOST_RINGS = 64


def port_rings(network: RankNetwork, work: Work | None = None) -> tuple[tuple[Tree, ...], int]:
    """Return rings that together use all ports, as chains from each rank.

    Parameters
    ----------
    network : RankNetwork
        A network with one class per host, in the order of ranks, with one rank each.
    work : Work, optional
        Reports progress in searches.

    Returns
    -------
    trees : tuple of Tree
        For each rank one chain of one chunk on each ring.
    rings : int
        The number of rings, and the chunks of each rank's data.

    Raises
    ------
    InputError
        A network in which a ring cannot go from switch to switch, or too many messages.
    Stopped
        `work` was stopped.

    Notes
    -----
    A ring visits each switch once, and there its hosts one after the other. With k ports of a link's rate per host, k disjoint
    rings carry k times what one does, which is the bound wherever the ports are the limit. They are found as in a
    decomposition of a graph into Hamiltonian cycles: a flow selects k channels from and to each switch, matchings divide them
    into k permutations, and exchanges merge the cycles of each (`kernels.merging`). Rings of which this fails are omitted.

    Examples
    --------
    >>> from topoloom.simulation.collectives.network import rank_network
    >>> from topoloom.topologies.spec import build
    >>> trees, rings = port_rings(rank_network(build("torus:dims=4x4,hosts=1"), np.arange(16), 40, 160, alike=False))
    >>> rings, len(trees), len({edge.switches for tree in trees for edge in tree.edges})
    (4, 64, 64)
    """
    if why := why_no_rings(network):
        raise InputError(f"{network.name}: {why}")
    trees, rings = _found_rings(network, *_unit_and_rings(network), work)
    if not rings:
        raise InputError(
            f"{network.name}: no ring was found that visits every switch once; use algorithm ring, which may pass a switch"
            " several times, or forest"
        )
    return trees, rings


def _found_rings(network: RankNetwork, unit: int, most: int, work: Work | None) -> tuple[tuple[Tree, ...], int]:
    """Return up to `most` rings of a capacity of `unit` as chains, and their number."""
    n, ranks_on = network.switches, _ranks_by_switch(network)
    single = [np.zeros(1, np.int64)] * most
    rings = disjoint_rings(n, network.tail, network.head, network.capacity // unit, most, work) if n > 1 else single
    trees: list[Tree] = []
    for number, successor in enumerate(rings):
        order: list[int] = []
        steps: list[tuple[int, ...]] = []
        at = 0
        for _ in range(n):
            order += ranks_on[at]
            after = int(successor[at])
            steps += [(at,)] * (len(ranks_on[at]) - 1) + [(at, after) if n > 1 else (at,)]
            at = after
        trees += [replace(tree, first=tree.root * len(rings) + number) for tree in chain_trees(order, steps)]
    return tuple(sorted(trees, key=lambda tree: tree.first)), len(rings)


def why_no_rings(network: RankNetwork) -> str:
    """Return why a network has no rings on all ports, or an empty text; the network must have one class per host.

    Parameters
    ----------
    network : RankNetwork

    Returns
    -------
    str
    """
    several = next((rank for rank, ports in enumerate(network.ports) if len(ports) > 1), None)
    if several is not None:
        return (
            f"host {int(network.hosts[several][0])} has ports on several switches; algorithm {RINGS} is for hosts on one switch"
            " each, use rail-ring or forest"
        )
    empty = next((switch for switch, ranks in enumerate(_ranks_by_switch(network)) if not ranks), None)
    if empty is not None:
        return f"switch {empty} has no rank; algorithm {RINGS} is for ranks on every switch, use ring or forest"
    most, ranks = _unit_and_rings(network)[1], network.classes
    if most * ranks * (ranks - 1) > _MOST_MESSAGES:
        return (
            f"{most} rings of {ranks} ranks have {most * ranks * (ranks - 1):,} messages, at most {_MOST_MESSAGES:,} are"
            " possible; use algorithm forest"
        )
    return ""


def chosen_rings(
    network: RankNetwork, size: int, hop_s: float, work: Work | None = None
) -> tuple[tuple[Tree, ...], int]:
    """Return `port_rings` where they are the best choice: several, on all ports, whose bytes take longer than delays.

    Parameters
    ----------
    network : RankNetwork
    size : int
        The bytes of the operation.
    hop_s : float
        The delay from a rank to the next, in seconds.
    work : Work, optional

    Returns
    -------
    trees : tuple of Tree
        Empty where another algorithm is better.
    rings : int

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    if why_no_rings(network):
        return (), 0
    unit, most = _unit_and_rings(network)
    chunk_s = size / (network.classes * most) * 8 / (unit * network.unit_gbps * 1e9)
    if most < 2 or chunk_s < _LEAST_HOPS * hop_s:
        return (), 0
    trees, rings = _found_rings(network, unit, most, work)
    return (trees, rings) if rings == most else ((), 0)


def _ranks_by_switch(network: RankNetwork) -> list[list[int]]:
    """Return the ranks on each switch, of hosts on one switch each."""
    ranks_on: list[list[int]] = [[] for _ in range(network.switches)]
    for rank, ports in enumerate(network.ports):
        ranks_on[next(iter(ports))].append(rank)
    return ranks_on


def _unit_and_rings(network: RankNetwork) -> tuple[int, int]:
    """Return the capacity of one ring, in units of the network, and the number of rings that fit in the least port."""
    hosts = [sum(ports.values()) * network.host_units for ports in network.ports]
    links = network.capacity.tolist()
    unit = gcd(*hosts, *links)
    out = int(np.bincount(network.tail, network.capacity, network.switches).min())
    least = min([*hosts, *([out] if links else [])])
    # Rates that divide badly would need many narrow rings: then a ring takes a whole link, and the rest stays idle.
    if least // unit > _MOST_RINGS:
        unit = min([*hosts, *links])
    return unit, max(1, least // unit)


def disjoint_rings(
    n: int, tail: np.ndarray, head: np.ndarray, room: np.ndarray, most: int, work: Work | None = None
) -> list[np.ndarray]:
    """Return rings through all nodes of a directed graph, of which no two use the same arc more often than it is there.

    Parameters
    ----------
    n : int
        Nodes, at least 2.
    tail, head : int64[a]
        The arcs, sorted by tail and head.
    room : int64[a]
        How many rings may use each arc.
    most : int
        The rings that are wanted.
    work : Work, optional

    Returns
    -------
    list of int64[n]
        The successor of each node on each ring; fewer than `most` where no more were found.

    Raises
    ------
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> tail, head = np.repeat(np.arange(5), 4), np.array([v for u in range(5) for v in range(5) if v != u])
    >>> len(disjoint_rings(5, tail, head, np.ones(20, np.int64), 4))
    4
    """
    work = Work() if work is None else work
    arcs = _Arcs(n, tail, head)
    while (regular := _regular(arcs, room, most)) is None:
        most -= 1
    best: list[np.ndarray] = []
    visits = most * n * _EACH
    for attempt in range(min(_MOST_SEARCHES, -(-_MOST_VISITS // visits)) if most else 0):
        rng = np.random.default_rng(attempt)
        temperature = _ANEW if attempt % 2 else _NEAR
        rings: list[np.ndarray] = []
        left = regular.copy()
        # One at a time is quick while many arcs are left.
        while attempt % 2 == 0 and len(rings) < most:
            merged = _merged(arcs, left, [_matched(arcs, left, rng)], rng, _QUICK, temperature)
            if not merged:
                break
            rings += merged
            left[merged[0]] -= 1
        # The last few need exchanges with those before them.
        rest: list[np.ndarray] = []
        while len(rings) + len(rest) < most:
            rest.append(_matched(arcs, left, rng))
            left[rest[-1]] -= 1
        if rest:
            rings = max(rings, _merged(arcs, room, rings + rest, rng, visits, temperature), key=len)
        best = max(best, rings, key=len)
        work.check()
        if len(best) == most:
            break
    return [head[ring] for ring in _with_reverses(arcs, room, best, most)]


class _Arcs(NamedTuple):
    """The arcs of a directed graph, sorted by tail and head."""

    n: int
    tail: np.ndarray
    head: np.ndarray

    def numbers(self, tail: np.ndarray, head: np.ndarray) -> np.ndarray:
        """The arcs between these nodes."""
        return np.asarray(np.searchsorted(self.tail * self.n + self.head, tail * self.n + head))


def _merged(
    arcs: _Arcs,
    room: np.ndarray,
    permutations: list[np.ndarray],
    rng: np.random.Generator,
    steps: int,
    temperature: float,
) -> list[np.ndarray]:
    """Return those of some permutations, as arcs from each node, that became rings by exchanges."""
    from topoloom.simulation.collectives.kernels.merging import Permutations, merge_cycles

    k, n = len(permutations), arcs.n
    out, into = np.array(permutations), np.empty((k, n), np.int64)
    for row in range(k):
        into[row, arcs.head[out[row]]] = np.arange(n)
    first = np.searchsorted(arcs.tail, np.arange(n + 1))
    free = room - np.bincount(out.reshape(-1), minlength=room.size)
    counts, state = np.zeros(k, np.int64), rng.integers(1 << 63, size=1, dtype=np.uint64)
    tails, before, stamp = np.zeros((3, n), np.int64)
    arrays = Permutations(first, arcs.head, free, out, into, tails, before, stamp, np.zeros(n, bool))
    merge_cycles(arrays, counts, state, steps, temperature)
    return [out[row] for row in range(k) if counts[row] == 1]


def _with_reverses(arcs: _Arcs, room: np.ndarray, rings: list[np.ndarray], most: int) -> list[np.ndarray]:
    """Return the rings, and reverses of them that use nothing twice, up to `most`."""
    left = room - np.bincount(np.concatenate([np.zeros(0, np.int64), *rings]), minlength=room.size)
    joined = list(rings)
    for ring in rings:
        back = arcs.numbers(arcs.head[ring], arcs.tail[ring])
        if len(joined) < most and (left[back] > 0).all():
            left[back] -= 1
            joined.append(back[np.argsort(arcs.tail[back])])
    return joined


def _regular(arcs: _Arcs, room: np.ndarray, k: int) -> np.ndarray | None:
    """Return how often each arc is used, int64[a], with k from and k to each node; None if that is impossible."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    n, nodes = arcs.n, np.arange(arcs.n)
    tails = np.concatenate([np.full(n, 2 * n), arcs.tail, n + nodes])
    heads = np.concatenate([nodes, n + arcs.head, np.full(n, 2 * n + 1)])
    amount = np.concatenate([np.full(n, k), np.minimum(room, k), np.full(n, k)]).astype(np.int32)
    flow = maximum_flow(csr_array((amount, (tails, heads)), shape=(2 * n + 2, 2 * n + 2)), 2 * n, 2 * n + 1)
    if flow.flow_value < n * k:
        return None
    return np.asarray(flow.flow.tocsr()[arcs.tail, n + arcs.head]).reshape(-1).astype(np.int64)


def _matched(arcs: _Arcs, left: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return an arc from each node such that one ends at each node, int64[n], out of those with something left."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    n = arcs.n
    rows, columns, some = rng.permutation(n), rng.permutation(n), np.flatnonzero(left)
    ends = rows[arcs.tail[some]], columns[arcs.head[some]]
    graph = csr_array((np.ones(some.size, np.int8), ends), shape=(n, n))
    partner = np.argsort(columns)[maximum_bipartite_matching(graph, perm_type="column")[rows]]
    return arcs.numbers(np.arange(n), partner)
