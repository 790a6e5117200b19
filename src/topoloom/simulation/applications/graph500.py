"""Graph500: the messages between ranks that search a Kronecker graph, level by level or bucket by bucket.

Source: the Graph500 specification and its reference code 3.0.0 (bfs_reference.c, sssp_reference.c).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from topoloom.simulation.applications.nas.actions import INTEGER, TraceLines
from topoloom.simulation.applications.program import RankTraces

EDGE_FACTOR = 16
"""Edges over vertices."""

_A, _B, _C = 0.57, 0.19, 0.19
_DELTA = 0.1
#: Numbers of 4 bytes per message: both vertices and, for SSSP, the distance.
_WORDS = {"bfs": 2, "sssp": 3}


@dataclass(frozen=True, eq=False)
class GraphSearch:
    """The messages of one search.

    Attributes
    ----------
    messages : list of int64[ranks, ranks]
        Messages per step, from each rank (row) to each rank (column), including messages to the rank itself.
    edges : int
        The edges that count as traversed: edges of the drawn graph between vertices that were reached.
    """

    messages: list[NDArray[np.int64]]
    edges: int


def graph500(ranks: int, kernel: str, scale: int, grow: int, roots: int, seed: int) -> RankTraces:
    """Return searches from several vertices, one after the other, as traces of ranks.

    Vertices are assigned to ranks cyclically. In each step of a search, every edge of the vertices reached last is a message to
    the owner of its other end, as in the reference code; for ``sssp`` these are the light edges of a bucket, until it no longer
    changes, then the heavy ones. After each step all ranks sum how many vertices are left. The messages of a step are sent as
    one all-to-all, whereas the reference code sends them in blocks as they arise. Computation takes no time.

    Parameters
    ----------
    ranks : int
    kernel : "bfs" or "sssp"
    scale : int
        The base-2 logarithm of the number of vertices of the searched graph.
    grow : int
        Each message counts 2^grow times, as in a graph of scale + grow with the same shares of edges per level.
    roots, seed : int
        The number of searches, and the seed of the graph and of the starting vertices.

    Returns
    -------
    RankTraces
        The traces; their operations are the edges traversed, so that operations per second are TEPS.
    """
    graph_searches = searches(ranks, kernel, scale, roots, seed)
    words = _WORDS[kernel] << grow

    def text(rank: int) -> str:
        me, lines = TraceLines(rank), [f"{rank} init\n"]
        for search in graph_searches:
            for moved in search.messages:
                sent, received = words * moved[rank], words * moved[:, rank]
                sent[rank] = received[rank] = 0
                lines.append(me.alltoallv(sent.tolist(), received.tolist(), INTEGER))
                lines.append(me.allreduce(2, INTEGER))
        return "".join([*lines, f"{rank} finalize\n"])

    label = f"graph500({kernel},scale={scale}{f'+{grow}' if grow else ''},roots={roots},seed={seed})"
    return RankTraces(label, ranks, text, float(sum(search.edges for search in graph_searches) << grow))


@lru_cache(maxsize=8)
def searches(ranks: int, kernel: str, scale: int, roots: int, seed: int) -> tuple[GraphSearch, ...]:
    """Return the messages of all searches between the ranks; results are cached.

    Parameters
    ----------
    ranks : int
    kernel : "bfs" or "sssp"
    scale, roots, seed : int
        As for `graph500`.

    Returns
    -------
    tuple of GraphSearch
    """
    draws = np.random.default_rng(seed)
    ends, weights = kronecker(scale, draws)
    linked = np.unique(ends)
    starts = draws.choice(linked, size=roots, replace=linked.size < roots)
    tail, head = np.concatenate([ends, ends[::-1]], axis=1)
    steps: Callable[[int, NDArray[np.float64]], Iterator[NDArray[np.bool_]]]
    if kernel == "bfs":
        steps = lambda root, distance: _levels(tail, head, root, distance)  # noqa: E731
    else:
        both = np.concatenate([weights, weights])
        steps = lambda root, distance: _buckets(tail, head, both, root, distance)  # noqa: E731
    pairs = tail % ranks * ranks + head % ranks
    results = []
    for root in starts.tolist():
        distance = np.full(1 << scale, np.inf)
        messages = [
            np.bincount(pairs[sends], minlength=ranks * ranks).reshape(ranks, ranks) for sends in steps(root, distance)
        ]
        results.append(GraphSearch(messages, int(np.isfinite(distance[ends[0]]).sum())))
    return tuple(results)


def kronecker(scale: int, draws: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the edges of a Kronecker graph, int64[2, edges], and their weights; without loops, multiple edges stay.

    Parameters
    ----------
    scale : int
    draws : numpy.random.Generator

    Returns
    -------
    int64[2, edges], float64[edges]

    Examples
    --------
    >>> ends, weights = kronecker(5, np.random.default_rng(1))
    >>> bool((ends < 32).all() and (ends[0] != ends[1]).all()), ends.shape[1] <= 512
    (True, True)
    """
    edges = EDGE_FACTOR << scale
    ends = np.zeros((2, edges), np.int64)
    for bit in range(scale):
        lower = draws.random(edges) > _A + _B
        right = draws.random(edges) > np.where(lower, _C / (1 - _A - _B), _A / (_A + _B))
        ends[0] += lower.astype(np.int64) << bit
        ends[1] += right.astype(np.int64) << bit
    ends = draws.permutation(1 << scale)[ends]
    weights = draws.random(edges)
    no_loop = ends[0] != ends[1]
    return ends[:, no_loop], weights[no_loop]


def _levels(
    tail: NDArray[np.int64], head: NDArray[np.int64], root: int, distance: NDArray[np.float64]
) -> Iterator[NDArray[np.bool_]]:
    """Yield the edges that send in each level, bool[edges]; `distance` is filled with the vertices' levels."""
    distance[root] = level = 0.0
    while True:
        sends = distance[tail] == level
        if not sends.any():
            return
        yield sends
        reached = head[sends]
        level += 1
        distance[reached[np.isinf(distance[reached])]] = level


def _buckets(
    tail: NDArray[np.int64],
    head: NDArray[np.int64],
    weights: NDArray[np.float64],
    root: int,
    distance: NDArray[np.float64],
) -> Iterator[NDArray[np.bool_]]:
    """Yield the edges that send in each phase of delta-stepping; `distance` is filled with the vertices' distances."""
    distance[root] = below = 0.0
    light = weights < _DELTA
    while np.isfinite(distance[distance >= below]).any():
        top = below + _DELTA
        active = (distance >= below) & (distance < top)
        while active.any():
            sends = light & active[tail]
            yield sends
            before = distance.copy()
            np.minimum.at(distance, head[sends], before[tail[sends]] + weights[sends])
            active = (distance < before) & (distance < top)
        sends = ~light & ((distance >= below) & (distance < top))[tail]
        yield sends
        np.minimum.at(distance, head[sends], distance[tail[sends]] + weights[sends])
        below = top
