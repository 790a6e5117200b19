"""What may be measured beside hop distances: how far each switch sees, and how many paths join two switches."""

from dataclasses import dataclass

import numpy as np

from topoloom.graph.connectivity import edge_disjoint_paths
from topoloom.graph.paths import PathCounts, shortest_path_counts
from topoloom.topology import Topology
from topoloom.work import Work


@dataclass(frozen=True, eq=False)
class Eccentricities:
    """How far the switches see: the least eccentricity (`radius`), and how many switches have each, int64[largest + 1]."""

    radius: int
    histogram: np.ndarray


@dataclass(frozen=True)
class Disjoint:
    """Link-disjoint paths between pairs of switches: mean, least and most over so many pairs, all of them or a sample."""

    mean: float
    fewest: int
    most: int
    pairs: int
    sampled: bool


@dataclass(frozen=True)
class Paths:
    """How many shortest, and how many link-disjoint, paths join two switches; the latter None for one switch."""

    shortest: PathCounts
    disjoint: Disjoint | None


def paths_between(topology: Topology, samples: int, seed: int, jobs: int | None, work: Work | None) -> Paths:
    """How many paths join two switches.

    Parameters
    ----------
    topology : Topology
    samples, seed : int
        Switches that shortest paths start from, and pairs that are joined by link-disjoint ones, at most; their seed.
    jobs, work
        As every verb has them.

    Returns
    -------
    Paths
    """
    shortest = shortest_path_counts(topology, samples, seed, jobs, work=work)
    if topology.switches == 1:
        return Paths(shortest, None)
    found = edge_disjoint_paths(topology, samples=samples, seed=seed, jobs=jobs, work=work)
    return Paths(shortest, Disjoint(found.mean, found.fewest, found.most, len(found.pairs), found.sampled))
