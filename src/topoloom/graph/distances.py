"""Hop distances of all pairs: diameter, ASPL and histogram, without the n x n matrix unless it is asked for."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.errors import InputError
from topoloom.graph._pairs import MOST_ROUNDS, attachment_counts, pair_counts, rows
from topoloom.results import Provenance, Result, provenance_of
from topoloom.threads import over_cores
from topoloom.topology import Topology, checked
from topoloom.work import Work


@dataclass(frozen=True, eq=False)
class Hops(Result):
    """Hop distances: a hop is a link passed, and a pair is ordered.

    Attributes
    ----------
    switches : int
        How many.
    components : int
        Parts that do not reach each other; 1 when connected.
    diameter : int or float
        The hops of the farthest pair of switches; inf when disconnected.
    largest_finite : int
        The same over the pairs that reach each other.
    aspl : float
        The average shortest path length: mean hops over pairs of distinct switches; inf when disconnected, 0 for one.
    histogram : int64[largest_finite + 1]
        Pairs of switches at each distance; at 0 the `switches` pairs of a switch with itself.
    host_aspl : float or None
        Mean hops over pairs of distinct hosts, 0 for hosts on one switch; inf when some do not reach each other, None
        when there are fewer than two hosts. A host with several ports uses the best pair of ports.
    host_diameter : int or float or None
        The hops of the farthest pair of hosts, likewise.
    """

    noun = "hops"
    derived = ("connected", "diameter", "largest_finite", "aspl", "aspl_including_self")

    switches: int
    components: int
    histogram: np.ndarray
    host_aspl: float | None
    host_diameter: float | None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """A row a distance: ``hops`` and ``pairs``, ordered pairs of switches."""
        return [{"hops": hops, "pairs": pairs} for hops, pairs in enumerate(self.histogram.tolist())]

    @property
    def connected(self) -> bool:
        """Whether every switch reaches every other."""
        return self.components == 1

    @property
    def largest_finite(self) -> int:
        """The hops of the farthest pair that reach each other."""
        return int(self.histogram.size) - 1

    @property
    def diameter(self) -> float:
        """The hops of the farthest pair, an int; inf when disconnected."""
        return self.largest_finite if self.connected else math.inf

    @property
    def aspl(self) -> float:
        """Mean hops over ordered pairs of distinct switches; inf when disconnected, 0 for one switch."""
        return _mean(self.histogram, self.switches * (self.switches - 1), self.connected)

    @property
    def aspl_including_self(self) -> float:
        """Mean hops with the denominator n^2, as Table 1 of Koibuchi 2013 has it (errata of Koibuchi 2013, 1)."""
        return _mean(self.histogram, self.switches**2, self.connected)


def hops(topology: Topology, jobs: int | None = None, *, work: Work | None = None) -> Hops:
    """Diameter, ASPL and histogram of a topology, exactly, over every pair of switches and of hosts.

    Parameters
    ----------
    topology : Topology
        Any: irregular, disconnected, with parallel links.
    jobs : int, optional
        Threads; every core when left out.
    work : Work, optional
        Told of blocks of 512 switches.

    Returns
    -------
    Hops

    Raises
    ------
    Stopped
        `work` was stopped before all pairs were counted.

    Notes
    -----
    Breadth-first search of 512 sources at a time, bit-parallel; by queue where the diameter passes some 1,000 hops.
    Time is about diameter * (n + 2 m) * n / 512 row operations of half a nanosecond, memory 128 bytes a switch and
    thread.

    Examples
    --------
    >>> square = Topology(links=[(0, 1), (1, 2), (2, 3), (3, 0)], switches=4)
    >>> found = hops(square)
    >>> found.diameter, round(found.aspl, 4), found.histogram.tolist()
    (2, 1.3333, [4, 8, 4])
    """
    from topoloom.graph.connectivity import components

    n = checked(topology, "hops").switches
    histogram = pair_counts(topology, np.ones(n, np.int64), jobs, work)
    connected = int(histogram.sum()) == n * n
    parts = 1 if connected else int(components(topology).max()) + 1
    host_aspl, host_diameter = _host_hops(topology, histogram, jobs, work)
    histogram.setflags(write=False)
    return Hops(n, parts, histogram, host_aspl, host_diameter, provenance_of(topology))


def eccentricities(topology: Topology, jobs: int | None = None) -> np.ndarray:
    """Hops from every switch to the farthest one that it reaches, int32[n].

    Examples
    --------
    >>> eccentricities(Topology(links=[(0, 1), (1, 2)], switches=4)).tolist()
    [2, 1, 2, 0]
    """
    from topoloom.graph.kernels.breadth_first import distances_from_set
    from topoloom.graph.kernels.hops import BLOCK, block_farthest

    n = topology.switches
    offsets, neighbours, _ = topology.csr

    def measure(numbers: Iterator[int]) -> np.ndarray:
        farthest = np.zeros(n, np.int32)
        reach, ahead, full = rows(n), rows(n), rows(1)
        parallel = True
        for number in numbers:
            first, end = number * BLOCK, min((number + 1) * BLOCK, n)
            if parallel:
                rounds = block_farthest(offsets, neighbours, first, end, reach, ahead, full, farthest, MOST_ROUNDS)
                parallel = rounds >= 0
            if not parallel:
                distance, queue = np.empty(n, np.int32), np.empty(n, np.int32)
                for source in range(first, end):
                    reached = distances_from_set(offsets, neighbours, np.array([source]), distance, queue)
                    farthest[source] = max(farthest[source], distance[queue[reached - 1]])
        return farthest

    found: np.ndarray = np.max(over_cores(measure, -(-n // BLOCK), jobs), axis=0)
    return found


def distances_from(topology: Topology, sources: np.ndarray | list[int], jobs: int | None = None) -> np.ndarray:
    """Hops from each of `sources` to every switch, int32[len(sources), n]; -1 where there is no way.

    Raises
    ------
    InputError
        A source is not a switch.

    Examples
    --------
    >>> distances_from(Topology(links=[(0, 1), (1, 2)], switches=4), [0, 1]).tolist()
    [[0, 1, 2, -1], [1, 0, 1, -1]]
    """
    from topoloom.graph.kernels.breadth_first import distances_from_set

    n = topology.switches
    chosen = np.asarray(sources, dtype=np.int64).reshape(-1)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= n):
        raise InputError(f"{topology.name}: a source is not among switches 0 to {n - 1}")
    offsets, neighbours, _ = topology.csr
    distances = np.empty((chosen.size, n), np.int32)

    def search(numbers: Iterator[int]) -> None:
        queue = np.empty(n, np.int32)
        for number in numbers:
            distances_from_set(offsets, neighbours, chosen[number : number + 1], distances[number], queue)

    over_cores(search, chosen.size, jobs)
    return distances


def distance_matrix(topology: Topology, jobs: int | None = None) -> np.ndarray:
    """Hops between all pairs: n x n, and so only for those who need it all.

    Returns
    -------
    uint8, uint16 or int32 [n, n]
        The smallest type that holds the largest distance and a mark. Pairs that do not reach each other have the mark
        -1, which is the largest value of an unsigned type (255, 65535).

    Examples
    --------
    >>> distance_matrix(Topology(links=[(0, 1), (1, 2)], switches=4))[0]
    array([  0,   1,   2, 255], dtype=uint8)
    """
    from topoloom.graph.kernels.hops import BLOCK, block_distances

    n = topology.switches
    largest = pair_counts(topology, np.ones(n, np.int64), jobs).size - 1
    kind = np.uint8 if largest < 255 else np.uint16 if largest < 65535 else np.int32
    if largest > MOST_ROUNDS:
        return distances_from(topology, np.arange(n), jobs).astype(kind)
    offsets, neighbours, _ = topology.csr
    matrix = np.full((n, n), -1, np.int32) if kind is np.int32 else np.full((n, n), np.iinfo(kind).max, kind)

    def fill(numbers: Iterator[int]) -> None:
        reach, ahead, full = rows(n), rows(n), rows(1)
        for number in numbers:
            first, end = number * BLOCK, min((number + 1) * BLOCK, n)
            block_distances(offsets, neighbours, first, end, reach, ahead, full, matrix)

    over_cores(fill, -(-n // BLOCK), jobs)
    return matrix


def carrier_distance_sum(topology: Topology, jobs: int | None = None) -> tuple[int, float]:
    """The switches that carry hosts (all, if none does): how many, and the sum of hops over their ordered pairs.

    The sum is inf when some do not reach each other.
    """
    carries = topology.endpoints_at > 0
    if not carries.any():
        carries = np.ones(topology.switches, bool)
    counts = pair_counts(topology, carries.astype(np.int64), jobs)
    carriers = int(carries.sum())
    return carriers, _mean(counts, 1, int(counts.sum()) == carriers**2)


def _mean(counts: np.ndarray, pairs: int, complete: bool) -> float:
    if not complete:
        return math.inf
    return float(int(np.dot(counts, np.arange(counts.size))) / pairs) if pairs else 0.0


def _host_hops(
    topology: Topology, histogram: np.ndarray, jobs: int | None, work: Work | None
) -> tuple[float | None, float | None]:
    """The mean and the largest distance of hosts; `histogram` is that of the switches."""
    hosts = topology.hosts
    if hosts < 2:
        return None, None
    on_switch = topology.endpoints_at
    if topology.endpoints.size > hosts:
        counts = attachment_counts(topology, jobs, work)
    elif (on_switch == on_switch[0]).all():
        counts = histogram * int(on_switch[0]) ** 2
    else:
        counts = pair_counts(topology, on_switch, jobs, work)
    complete = int(counts.sum()) == hosts**2
    return _mean(counts, hosts * (hosts - 1), complete), counts.size - 1 if complete else math.inf
