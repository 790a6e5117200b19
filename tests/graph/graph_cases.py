"""What the tests of the graph room share: small random topologies of every kind, and how another tool sees them."""

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from topoloom.model.topology import Topology


@st.composite
def topologies(draw, most=24, hosts=False, several_ports=False, connected=False, simple=False):
    """Random multigraphs: disconnected, irregular, with parallel links, one switch alone, no links, unless ruled out."""
    n = draw(st.integers(1, most))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda ends: ends[0] != ends[1])
    links = draw(st.lists(pair, max_size=3 * n)) if n > 1 else []
    if connected:
        links += [(draw(st.integers(0, v - 1)), v) for v in range(1, n)]
    if simple:
        links = sorted({(min(ends), max(ends)) for ends in links})
    endpoints = draw(st.lists(st.integers(0, n - 1), max_size=2 * n)) if hosts else []
    host = None
    if several_ports and endpoints:
        named = draw(st.lists(st.integers(0, len(endpoints)), min_size=len(endpoints), max_size=len(endpoints)))
        host = np.unique(named, return_inverse=True)[1]
    return Topology(links=links, switches=n, endpoints=endpoints, host=host)


def regular(n, degree, seed=1):
    """A random regular topology."""
    graph = nx.random_regular_graph(degree, n, seed=seed)
    return Topology(links=list(graph.edges()), switches=n, name=f"regular(n={n},degree={degree})")


def ring(n):
    """A cycle."""
    return Topology(links=[(i, (i + 1) % n) for i in range(n)], switches=n, name=f"ring({n})")


def path(n):
    """A line of switches."""
    return Topology(links=[(i, i + 1) for i in range(n - 1)], switches=n, name=f"path({n})")


def complete(n):
    """Every pair linked."""
    return Topology(links=[(u, v) for v in range(n) for u in range(v)], switches=n, name=f"complete({n})")


def cube(dimension):
    """A hypercube."""
    links = [(u, u ^ 1 << bit) for u in range(2**dimension) for bit in range(dimension) if not u >> bit & 1]
    return Topology(links=links, switches=2**dimension, name=f"cube({dimension})")


def torus(rows, columns):
    """A two-dimensional torus."""
    at = np.arange(rows * columns).reshape(rows, columns)
    links = [np.stack([at, np.roll(at, 1, axis)], axis=-1).reshape(-1, 2) for axis in (0, 1)]
    return Topology(links=np.concatenate(links), switches=rows * columns, name=f"torus({rows}x{columns})")


def scipy_distances(topology):
    """Hops of all pairs by SciPy, float64[n, n], inf where there is no way."""
    from scipy.sparse.csgraph import shortest_path

    matrix = np.zeros((topology.switches, topology.switches))
    matrix[topology.links[:, 0], topology.links[:, 1]] = 1
    return shortest_path(matrix, directed=False, unweighted=True)


def weighted_networkx(topology):
    """A simple graph in which `weight` and `capacity` say how many parallel links there are."""
    graph = nx.Graph()
    graph.add_nodes_from(range(topology.switches))
    for u, v in topology.links.tolist():
        count = graph[u][v]["weight"] + 1 if graph.has_edge(u, v) else 1
        graph.add_edge(u, v, weight=count, capacity=count)
    return graph
