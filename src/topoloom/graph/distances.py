"""Hop distances of all pairs: diameter, ASPL and histogram, without the n x n matrix unless it is asked for."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.errors import InputError
from topoloom.graph._threads import over_cores
from topoloom.topology import Topology

#: After so many rounds of 512 sources in parallel, a queue is faster (measured on rings and long tori).
_MOST_ROUNDS = 1024
#: Row operations a round below which starting threads costs more than it saves.
_WORTH_THREADS = 300_000


@dataclass(frozen=True, eq=False)
class Hops:
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
        The average shortest path length: mean hops over pairs of distinct switches; inf when disconnected, 0 for one switch.
    histogram : int64[largest_finite + 1]
        Pairs of switches at each distance; at 0 the `switches` pairs of a switch with itself.
    host_aspl : float or None
        Mean hops over pairs of distinct hosts, 0 for hosts on one switch; inf when some do not reach each other, None
        when there are fewer than two hosts. A host with several ports uses the best pair of ports.
    host_diameter : int or float or None
        The hops of the farthest pair of hosts, likewise.
    """

    switches: int
    components: int
    histogram: np.ndarray
    host_aspl: float | None
    host_diameter: float | None

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
        """Mean hops with the denominator n^2, as Table 1 of 000 has it (errata 000.1)."""
        return _mean(self.histogram, self.switches**2, self.connected)


def hops(topology: Topology, jobs: int | None = None) -> Hops:
    """Diameter, ASPL and histogram of a topology, exactly, over every pair of switches and of hosts.

    Parameters
    ----------
    topology : Topology
        Any: irregular, disconnected, with parallel links.
    jobs : int, optional
        Threads; every core when left out.

    Returns
    -------
    Hops

    Notes
    -----
    Breadth-first search of 512 sources at a time, bit-parallel; by queue where the diameter passes some 1,000 hops. Time
    is about diameter * (n + 2 m) * n / 512 row operations of half a nanosecond, memory 128 bytes a switch and thread.

    Examples
    --------
    >>> square = Topology(links=[(0, 1), (1, 2), (2, 3), (3, 0)], switches=4)
    >>> found = hops(square)
    >>> found.diameter, round(found.aspl, 4), found.histogram.tolist()
    (2, 1.3333, [4, 8, 4])
    """
    from topoloom.graph.connectivity import components

    n = topology.switches
    histogram = _pair_counts(topology, np.ones(n, np.int64), jobs)
    connected = int(histogram.sum()) == n * n
    parts = 1 if connected else int(components(topology).max()) + 1
    host_aspl, host_diameter = _host_hops(topology, histogram, jobs)
    histogram.setflags(write=False)
    return Hops(n, parts, histogram, host_aspl, host_diameter)


def carrier_distance_sum(topology: Topology, jobs: int | None = None) -> tuple[int, float]:
    """The switches that carry hosts (all, if none does): how many, and the sum of hops over their ordered pairs.

    The sum is inf when some do not reach each other.
    """
    carries = topology.endpoints_at > 0
    if not carries.any():
        carries = np.ones(topology.switches, bool)
    counts = _pair_counts(topology, carries.astype(np.int64), jobs)
    carriers = int(carries.sum())
    return carriers, _mean(counts, 1, int(counts.sum()) == carriers**2)


def _mean(counts: np.ndarray, pairs: int, complete: bool) -> float:
    if not complete:
        return math.inf
    return float(int(np.dot(counts, np.arange(counts.size))) / pairs) if pairs else 0.0


def _host_hops(topology: Topology, histogram: np.ndarray, jobs: int | None) -> tuple[float | None, float | None]:
    """The mean and the largest distance of hosts; `histogram` is that of the switches."""
    hosts = topology.hosts
    if hosts < 2:
        return None, None
    on_switch = topology.endpoints_at
    if topology.endpoints.size > hosts:
        counts = _attachment_counts(topology, jobs)
    elif (on_switch == on_switch[0]).all():
        counts = histogram * int(on_switch[0]) ** 2
    else:
        counts = _pair_counts(topology, on_switch, jobs)
    complete = int(counts.sum()) == hosts**2
    return _mean(counts, hosts * (hosts - 1), complete), counts.size - 1 if complete else math.inf


def _pair_counts(topology: Topology, weight: np.ndarray, jobs: int | None) -> np.ndarray:
    """Ordered pairs at each distance, each weighing weight[u] * weight[v]: int64[largest + 1]."""
    from topoloom.graph._bfs_kernels import source_counts
    from topoloom.graph._hops_kernels import BLOCK, block_counts

    n = topology.switches
    offsets, neighbours, weight = _heaviest_first(topology, weight)
    ends = np.append(np.flatnonzero(np.diff(weight)) + 1, n)
    ends = ends[weight[ends - 1] > 0]
    starts = [0, *ends[:-1].tolist()]
    blocks = [(at, min(at + BLOCK, end)) for a, end in zip(starts, ends.tolist(), strict=False) for at in range(a, end, BLOCK)]
    degree = int(offsets[1]) if np.array_equal(offsets, np.arange(n + 1) * offsets[1]) else 0
    limit = min(_MOST_ROUNDS, n) + 2

    def count(numbers: Iterator[int]) -> np.ndarray:
        counts = np.zeros(max(n, limit), np.int64)
        reach, ahead, full = _rows(n), _rows(n), _rows(1)
        parallel = True
        for number in numbers:
            first, end = blocks[number]
            if parallel:
                parallel = 0 <= block_counts(
                    offsets, neighbours, degree, weight, ends, first, end, reach, ahead, full, counts[:limit]
                )
            if not parallel:  # this block, and the rest: a component is long
                distance, queue = np.empty(n, np.int32), np.empty(n, np.int32)
                source_counts(offsets, neighbours, weight, first, end, distance, queue, counts)
        return counts

    if jobs is None and len(blocks) * (n + neighbours.size) < _WORTH_THREADS:
        jobs = 1
    return _trimmed(np.sum(over_cores(count, len(blocks), jobs), axis=0))


def _attachment_counts(topology: Topology, jobs: int | None) -> np.ndarray:
    """Ordered pairs of hosts at each distance when hosts have several ports: int64[largest + 1]."""
    from topoloom.graph._bfs_kernels import attachment_counts

    offsets, neighbours, _ = topology.csr
    order = np.lexsort([topology.endpoints, topology.host])
    split = np.flatnonzero(np.diff(topology.host[order])) + 1
    hosts_of: dict[tuple[int, ...], int] = {}
    for ports in np.split(topology.endpoints[order], split):
        key = tuple(ports.tolist())
        hosts_of[key] = hosts_of.get(key, 0) + 1
    ports = np.array([port for key in hosts_of for port in key], np.int32)
    ends = np.cumsum([len(key) for key in hosts_of])
    weight = np.array(list(hosts_of.values()), np.int64)
    n, chunk = topology.switches, 16

    def count(numbers: Iterator[int]) -> np.ndarray:
        counts = np.zeros(n, np.int64)
        distance, queue = np.empty(n, np.int32), np.empty(n, np.int32)
        for number in numbers:
            first, end = number * chunk, min((number + 1) * chunk, weight.size)
            attachment_counts(offsets, neighbours, ports, ends, weight, first, end, distance, queue, counts)
        return counts

    return _trimmed(np.sum(over_cores(count, -(-weight.size // chunk), jobs), axis=0))


def _heaviest_first(topology: Topology, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """CSR offsets and neighbours, and the weights, with the switches renumbered so that weights fall."""
    offsets, neighbours, _ = topology.csr
    if (np.diff(weight) <= 0).all():
        return offsets, neighbours, weight
    order = np.argsort(-weight, kind="stable")
    number = np.empty(order.size, np.int32)
    number[order] = np.arange(order.size)
    degrees = np.diff(offsets)[order]
    ends = np.cumsum(degrees)
    slots = np.arange(neighbours.size) + np.repeat(offsets[:-1][order] - (ends - degrees), degrees)
    return np.append(0, ends), number[neighbours[slots]], weight[order]


def _rows(switches: int) -> np.ndarray:
    """Room for a row of 512 bits a switch, uint64[8 * switches], on a cache line's boundary."""
    words = np.empty(8 * switches + 8, np.uint64)
    start = -words.ctypes.data // 8 % 8
    return words[start : start + 8 * switches]


def _trimmed(counts: np.ndarray) -> np.ndarray:
    """`counts` without the zeros at its end."""
    some = np.flatnonzero(counts)
    return counts[: some[-1] + 1 if some.size else 1].copy()
