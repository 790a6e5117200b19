"""METIS (the extra `partition`): a graph cut into parts of nearly equal weight with few links between them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from topoloom.errors import InputError, Stopped
from topoloom.topology import Topology


@dataclass(frozen=True, eq=False)
class Weighted:
    """CSR without parallel rows: offsets int64[n + 1], others int64[k], and how many links join the two: int64[k]."""

    offsets: np.ndarray
    others: np.ndarray
    links: np.ndarray

    def within(self, chosen: np.ndarray) -> "Weighted":
        """The graph that the switches with chosen[switch] (bool[n]) induce."""
        ends = np.repeat(np.arange(chosen.size), np.diff(self.offsets))
        kept = chosen[ends] & chosen[self.others]
        number = np.cumsum(chosen) - 1
        degrees = np.bincount(number[ends[kept]], minlength=int(chosen.sum()))
        return Weighted(np.append(0, np.cumsum(degrees)), number[self.others[kept]], self.links[kept])


def weighted(topology: Topology) -> Weighted:
    """The topology as a simple graph, parallel links as one that weighs as many as they are."""
    n = topology.switches
    offsets, neighbours, _ = topology.csr
    key, links = np.unique(np.repeat(np.arange(n), np.diff(offsets)) * n + neighbours, return_counts=True)
    return Weighted(np.append(0, np.cumsum(np.bincount(key // n, minlength=n))), key % n, links)


def partition(
    graph: Weighted, parts: int, weight: np.ndarray, *, recursive: bool, seed: int, overfill: int | None = None
) -> np.ndarray:
    """The part of every switch, int32[n], 0 .. parts - 1.

    Parameters
    ----------
    graph : Weighted
        With links.
    parts : int
    weight : int64[n]
        What the parts share out.
    recursive : bool
        By halving, or directly into all parts; METIS's seed changes nothing when it divides directly.
    seed : int
    overfill : int, optional
        By how many thousandths a part may be above its share.

    Returns
    -------
    int32[n]
        0 to parts - 1.

    Raises
    ------
    InputError
        pymetis is not installed.
    Stopped
        The process was asked to end while METIS was at work.
    """
    metis = _pymetis()
    options = metis.Options(seed=seed) if overfill is None else metis.Options(seed=seed, ufactor=overfill)
    try:
        _, found = metis.part_graph(
            parts,
            **_adjacency(metis, graph),
            eweights=graph.links,
            vweights=weight,
            recursive=recursive,
            options=options,
        )
    except RuntimeError as error:
        # METIS catches SIGTERM itself, and says no more than this.
        if str(error) != "Caught an unknown exception!":
            raise
        raise Stopped("interrupted before there was a partition") from None
    return np.asarray(found, np.int32)


def _pymetis() -> Any:
    try:
        import pymetis
    except ImportError:
        raise InputError("this needs METIS, which is not installed: pip install topoloom[partition]") from None
    return pymetis


def _adjacency(metis: Any, graph: Weighted) -> dict[str, Any]:
    """The graph as pymetis takes it: a record since 2025, two arrays before."""
    if hasattr(metis, "CSRAdjacency"):
        return {"adjacency": metis.CSRAdjacency(graph.offsets, graph.others)}
    return {"xadj": graph.offsets, "adjncy": graph.others}
