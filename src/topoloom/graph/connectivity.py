"""Connectivity of a topology: components, the fewest links whose loss splits it, and link-disjoint paths."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology


def components(topology: Topology) -> np.ndarray:
    """The component of every switch, int32[n], numbered in order of their smallest switch.

    Examples
    --------
    >>> components(Topology(links=[(0, 2), (1, 3)], switches=5)).tolist()
    [0, 1, 0, 1, 2]
    """
    from topoloom.graph.kernels.breadth_first import component_of

    offsets, neighbours, _ = topology.csr
    component: np.ndarray = component_of(offsets, neighbours)
    return component


def parts_among(topology: Topology, among: np.ndarray) -> np.ndarray:
    """The component of every switch over the links between switches `among` (bool[n]), int32[n], numbered as `components`.

    Examples
    --------
    >>> parts_among(Topology(links=[(0, 1), (1, 2)], switches=3), np.array([True, True, False])).tolist()
    [0, 0, 1]
    """
    return components(Topology(topology.links[among[topology.links].all(axis=1)], topology.switches))


def component_count(topology: Topology) -> int:
    """The number of components; 1 if connected.

    Examples
    --------
    >>> component_count(Topology(links=[(0, 2), (1, 3)], switches=5))
    3
    """
    return int(components(topology).max()) + 1


def without_links(topology: Topology) -> str:
    """That several switches have no links among them, in words; empty if they have some."""
    if topology.switches < 2 or len(topology.links):
        return ""
    return f"{topology.name}: its {topology.switches:,} switches have no links among them"


def in_parts(topology: Topology, planes: str = "") -> str:
    """Why nothing can be routed over a network that is not connected, as a sentence.

    Parameters
    ----------
    topology : Topology
    planes : str
        What is added about its parts.

    Examples
    --------
    >>> in_parts(Topology([], 2, [0, 1], name="oob"))
    'oob: its 2 switches have no links among them, so there is nothing to route; name the network that joins them'
    """
    if reason := without_links(topology):
        return f"{reason}, so there is nothing to route; name the network that joins them"
    parts = component_count(topology)
    return f"{topology.name}: not connected: {parts} parts{planes}; route each part, or add links between them"


def edge_connectivity(topology: Topology) -> int:
    """The fewest links whose loss disconnects the switches; parallel links count separately. 0 if disconnected, or for one
    switch.

    Exact, by counting link-disjoint paths from each switch to the set of earlier ones; see `kernels.flow.smallest_cut`. Tens of
    milliseconds for 10,000 switches of degree 16.

    Examples
    --------
    >>> edge_connectivity(Topology(links=[(0, 1), (1, 2), (2, 0), (2, 0)], switches=3))
    2
    """
    from topoloom.graph.kernels.flow import smallest_cut

    if topology.switches == 1 or component_count(topology) > 1:
        return 0
    return int(smallest_cut(*topology.csr, topology.links, Draws(0).permutation(topology.switches)))


@dataclass(frozen=True, eq=False)
class DisjointPaths(Result):
    """Link-disjoint paths between pairs of switches.

    `pairs`: int64[k, 2]; `counts`: int64[k], the largest number of link-disjoint paths; `sampled`: whether the pairs are a
    random sample of all.
    """

    record_name = "disjoint-paths"
    derived = ("mean", "fewest", "most")

    pairs: np.ndarray
    counts: np.ndarray
    sampled: bool
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per pair: the two switches, and the number of link-disjoint paths between them."""
        return [
            {"source": u, "destination": v, "paths": count}
            for (u, v), count in zip(self.pairs.tolist(), self.counts.tolist(), strict=True)
        ]

    @property
    def mean(self) -> float:
        """Mean over the pairs."""
        return float(self.counts.mean())

    @property
    def fewest(self) -> int:
        """The smallest number over the pairs."""
        return int(self.counts.min())

    @property
    def most(self) -> int:
        """The largest number over the pairs."""
        return int(self.counts.max())


def edge_disjoint_paths(
    topology: NetworkSource,
    pairs: Sequence[tuple[int, int]] | np.ndarray | None = None,
    samples: int = 1000,
    seed: int = 1,
    jobs: int | None = None,
    *,
    work: Work | None = None,
) -> DisjointPaths:
    """Count the link-disjoint paths between two switches (by Menger, the fewest links whose loss separates them).

    Parameters
    ----------
    topology : NetworkSource
    pairs : int[k, 2], optional
        The pairs to measure; when omitted, all pairs, or `samples` random ones if there are more.
    samples, seed : int
        How many random pairs, and their seed.
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional
        Receives the progress in blocks of 16 pairs.

    Raises
    ------
    Stopped
        `work` was stopped.
    InputError
        A pair of a switch with itself, a switch out of range, or a topology of one switch.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 5) for i in range(5)], switches=5)
    >>> edge_disjoint_paths(ring).counts.tolist()
    [2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    """
    from topoloom.graph.kernels.flow import disjoint_path_counts

    topology = taken(topology, Topology, "edge_disjoint_paths")
    n = topology.switches
    sampled = pairs is None and n * (n - 1) // 2 > samples
    chosen = _random_pairs(n, samples, seed) if sampled else _every_pair(n) if pairs is None else np.asarray(pairs)
    chosen = chosen.reshape(-1, 2).astype(np.int64)
    if not len(chosen):
        raise InputError(f"{topology.name}: no pair of switches; paths need two different switches")
    if chosen.min() < 0 or chosen.max() >= n or (chosen[:, 0] == chosen[:, 1]).any():
        raise InputError(f"{topology.name}: a pair must be two different switches among 0 to {n - 1}")
    counts = np.empty(len(chosen), np.int64)
    chunk = 16

    def count(numbers: Iterator[int]) -> None:
        for number in numbers:
            part = slice(number * chunk, (number + 1) * chunk)
            disjoint_path_counts(*topology.csr, topology.links, chosen[part], counts[part])

    work = Work() if work is None else work
    work.begin(-(-len(chosen) // chunk), f"blocks of {chunk} pairs")
    over_cores(count, -(-len(chosen) // chunk), jobs, work)
    work.check()
    provenance = provenance_of(topology, seed=seed, settings={"samples": samples})
    return DisjointPaths(chosen, counts, sampled, provenance)


def _every_pair(n: int) -> np.ndarray:
    return np.stack(np.triu_indices(n, 1), axis=1)


def _random_pairs(n: int, samples: int, seed: int) -> np.ndarray:
    """Pairs of different switches, uniform."""
    draws = Draws(seed)
    u = draws.below(n, samples)
    v = draws.below(n - 1, samples)
    return np.stack([u, v + (v >= u)], axis=1)
