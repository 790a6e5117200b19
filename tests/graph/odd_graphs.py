"""Graphs that nobody builds, and what other programs say of them: NetworkX, SciPy's linear programs, trying everything."""

import itertools
from functools import cache

import networkx as nx
import numpy as np
from scipy.optimize import linprog
from scipy.sparse.csgraph import shortest_path

from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology


def _of(graph, name, hosts=(), times=1):
    number = {node: i for i, node in enumerate(graph)}
    links = [(number[u], number[v]) for u, v in graph.edges() for _ in range(times)]
    return Topology(links=links, switches=len(number), endpoints=list(hosts), name=name)


def named():
    """One switch, two, isolated ones, parts, parallel links, stars, paths, trees, complete and bipartite ones."""
    apart = nx.disjoint_union(nx.cycle_graph(4), nx.path_graph(3))
    found = [
        _of(nx.empty_graph(1), "one"),
        _of(nx.empty_graph(1), "one with hosts", [0, 0, 0]),
        _of(nx.empty_graph(2), "two apart", [0, 1]),
        _of(nx.empty_graph(5), "five apart"),
        _of(nx.path_graph(2), "two", [0]),
        _of(nx.path_graph(2), "two, five links", [0, 0, 1], 5),
        _of(nx.path_graph(3), "path of three, the middle without hosts", [0, 2]),
        _of(nx.path_graph(8), "path", range(8)),
        # NetworkX lists each of the 120 automorphisms of these.
        _of(nx.star_graph(5), "star with hosts at its points", range(1, 6)),
        _of(nx.star_graph(5), "star with hosts in its middle", [0, 0, 0]),
        _of(nx.complete_graph(5), "complete", range(5)),
        _of(nx.complete_bipartite_graph(1, 1), "bipartite 1 1", [0, 1]),
        _of(nx.complete_bipartite_graph(3, 4), "bipartite 3 4", [0, 0, 1, 3, 6]),
        _of(nx.balanced_tree(2, 2), "tree", [3, 4, 5, 6]),
        _of(nx.cycle_graph(3), "triangle of double links", [0, 1, 2], 2),
        _of(nx.cycle_graph(8), "even ring", [0, 4]),
        _of(nx.cycle_graph(7), "odd ring", range(7)),
        _of(nx.barbell_graph(4, 1), "barbell", range(9)),
        _of(nx.lollipop_graph(4, 3), "lollipop", [0, 6]),
        _of(nx.wheel_graph(7), "wheel"),
        _of(nx.petersen_graph(), "petersen", range(10)),
        _of(apart, "ring and path apart", range(7)),
        _of(nx.disjoint_union(nx.complete_graph(4), nx.empty_graph(3)), "complete and three alone", range(4)),
    ]
    found.append(
        Topology(
            links=[(0, 1)] * 3 + [(1, 2)] + [(2, 3)] * 2 + [(0, 3)],
            switches=5,
            endpoints=[0, 0, 2, 3],
            name="uneven ring",
        )
    )
    return found


def drawn(seed):
    """A random multigraph: sparse or dense, in parts or not, hosts on some of its switches."""
    draws = Draws(seed)

    def below(bound):
        return int(draws.below(bound, 1)[0])

    n = 2 + below(8)
    dense = 1 + below(9)
    links = [pair for pair in itertools.combinations(range(n), 2) if below(10) < dense]
    links += [links[below(len(links))] for _ in range(below(4)) if links]
    hosts = [below(n) for _ in range(below(2 * n + 1))]
    return Topology(links=links, switches=n, endpoints=hosts, name=f"drawn {seed}")


def atlas():
    """All graphs of up to seven switches, connected or not."""
    return [_of(graph, f"atlas {i}") for i, graph in enumerate(nx.graph_atlas_g()) if len(graph)]


@cache
def weights(topology):
    """Links between switches, float64[n, n]."""
    found = np.zeros((topology.switches, topology.switches))
    np.add.at(found, (topology.links[:, 0], topology.links[:, 1]), 1)
    return found + found.T


def distances(topology):
    """Hops by SciPy, inf where there is no way."""
    return shortest_path(weights(topology) > 0, unweighted=True)


def least_cut(topology):
    """Links that part the switches at least, by trying every side."""
    n, between = topology.switches, weights(topology)
    sides = (np.array(side, bool) for side in itertools.product((False, True), repeat=n - 1))
    cuts = [between[np.ix_(side, ~side)].sum() for one in sides for side in [np.append(one, False)] if one.any()]
    return int(min(cuts, default=0))


def least_half(topology):
    """Links between halves at least, by trying every half."""
    n, between = topology.switches, weights(topology)
    found = []
    for half in itertools.combinations(range(n), n // 2):
        side = np.isin(np.arange(n), half)
        found.append(between[np.ix_(side, ~side)].sum())
    return int(min(found))


def path_counts(topology):
    """Shortest paths of every ordered pair, parallel links told apart: along the links of the distances, hop by hop."""
    between, hops = weights(topology), distances(topology)
    n = topology.switches
    counts = np.eye(n)
    for far in range(1, n):
        for s in range(n):
            for d in np.flatnonzero(hops[s] == far):
                counts[s, d] = counts[s, hops[s] == far - 1] @ between[hops[s] == far - 1, d]
    return counts


def maximum_flows(topology):
    """Link-disjoint paths of every pair, by NetworkX's maximum flow."""
    graph = nx.Graph()
    graph.add_nodes_from(range(topology.switches))
    between = weights(topology)
    graph.add_edges_from(
        (int(u), int(v), {"capacity": between[u, v]}) for u, v in zip(*np.nonzero(between), strict=True)
    )
    pairs = itertools.combinations(range(topology.switches), 2)
    return [nx.maximum_flow_value(graph, u, v) for u, v in pairs]


def concurrent_flow(topology, demand):
    """The largest share of a demand that links carry, as a linear program of flows by source on every arc.

    `demand` is by source and destination; inf where nothing is asked for, 0 where something has no way.
    """
    n, between = topology.switches, weights(topology)
    arcs = [(int(u), int(v)) for u, v in zip(*np.nonzero(between), strict=True)]
    sources = np.flatnonzero(demand.sum(axis=1))
    if not sources.size:
        return float("inf")
    size = len(arcs) * sources.size + 1  # the last: the share
    rows, right = [], []
    for k, s in enumerate(sources):
        for v in range(n):
            if v == s:
                continue
            line = np.zeros(size)
            for a, (i, j) in enumerate(arcs):
                line[k * len(arcs) + a] = (j == v) - (i == v)
            line[-1] = -demand[s, v]
            rows.append(line)
            right.append(0.0)
    full = np.zeros((len(arcs), size))
    for a in range(len(arcs)):
        full[a, a : size - 1 : len(arcs)] = 1
    found = linprog(
        np.append(np.zeros(size - 1), -1),
        A_ub=full if arcs else None,
        b_ub=[between[arc] for arc in arcs] if arcs else None,
        A_eq=np.array(rows),
        b_eq=right,
        method="highs",
    )
    return float(-found.fun)
