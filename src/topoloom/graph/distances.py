"""Hop distances of all pairs: diameter, ASPL and histogram, without the n x n matrix unless it is asked for."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from topoloom.errors import InputError
from topoloom.graph._pairs import MOST_ROUNDS, attachment_counts, pair_counts, rows
from topoloom.graph.hop_parts import Eccentricities, Paths, paths_between
from topoloom.graph.latency import Delays, Latency, latencies
from topoloom.graph.paths import sample_switches
from topoloom.results import Provenance, Result, provenance_of
from topoloom.threads import over_cores
from topoloom.topology import Topology, checked
from topoloom.work import Work

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    sources : int
        From how many switches the pairs start: all, or a random sample. Of a sample the histogram counts the pairs that
        start there, means are estimates, greatest distances are lower bounds, and the values of hosts are None where
        switches carry different numbers of hosts.
    aspl_ci95 : float or None
        Half the 95 % confidence interval of `aspl`: 0 when all pairs were counted; None when it is not known.
    eccentricities : Eccentricities or None
        How far each switch sees.
    paths : Paths or None
        How many paths join two switches.
    latency : Latency or None
        Zero-load latency.
    """

    noun = "hops"
    derived = ("connected", "sampled", "diameter", "largest_finite", "aspl", "aspl_including_self")

    switches: int
    components: int
    histogram: np.ndarray
    host_aspl: float | None
    host_diameter: float | None
    sources: int
    aspl_ci95: float | None = 0.0
    eccentricities: Eccentricities | None = None
    paths: Paths | None = None
    latency: Latency | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """A row a distance: ``hops`` and ``pairs``, ordered pairs of switches."""
        return [{"hops": hops, "pairs": pairs} for hops, pairs in enumerate(self.histogram.tolist())]

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """The share of pairs of distinct switches at each distance, as bars on matplotlib axes."""
        import matplotlib.pyplot as plt

        axes: Any = plt.figure().add_subplot() if ax is None else ax
        pairs = self.histogram[1:]
        axes.bar(np.arange(1, pairs.size + 1), pairs / max(1, int(pairs.sum())))
        axes.set_xlabel("hops")
        axes.set_ylabel("share of pairs of switches")
        axes.set_title(self.provenance.name)
        axes.set_ylim(bottom=0)
        return axes  # type: ignore[no-any-return]

    @property
    def sampled(self) -> bool:
        """Whether the pairs start from a sample of the switches only."""
        return self.sources < self.switches

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
        """The hops of the farthest pair, an int; inf when disconnected; of a sample a lower bound."""
        return self.largest_finite if self.connected else math.inf

    @property
    def aspl(self) -> float:
        """Mean hops over ordered pairs of distinct switches; inf when disconnected, 0 for one switch."""
        return _mean(self.histogram, self.sources * (self.switches - 1), self.connected)

    @property
    def aspl_including_self(self) -> float:
        """Mean hops with the denominator n^2, as Table 1 of Koibuchi 2013 has it (errata of Koibuchi 2013, 1)."""
        return _mean(self.histogram, self.sources * self.switches, self.connected)


def hops(
    topology: Topology,
    jobs: int | None = None,
    *,
    samples: int | None = None,
    seed: int = 1,
    eccentricities: bool = False,
    paths: bool = False,
    latency: Delays | None = None,
    length_m: np.ndarray | float = 5.0,
    work: Work | None = None,
) -> Hops:
    """Diameter, ASPL and histogram of a topology, exactly, over every pair of switches and of hosts; or from a sample.

    Parameters
    ----------
    topology : Topology
        Any: irregular, disconnected, with parallel links.
    jobs : int, optional
        Threads; every core when left out.
    samples : int, optional
        Start from so many random switches only: the ASPL is an estimate with a confidence interval, the diameter a lower
        bound. Paths and latency start from as many, 1,000 when left out.
    seed : int
        Of the samples.
    eccentricities, paths : bool
        Measure these, too.
    latency : Delays, optional
        Measure the zero-load latency with these delays, too: between hosts, or switches where there are no hosts.
    length_m : float64[m] or float
        The length of every link in metres, for the latency.
    work : Work, optional
        Told of blocks of 512 switches, or of switches of a sample.

    Returns
    -------
    Hops

    Raises
    ------
    Stopped
        `work` was stopped before all pairs were counted.
    InputError
        `samples` is below 1.

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
    settings: dict[str, Any] = {"samples": samples}
    wanted = 1000 if samples is None else samples
    extra: dict[str, Any] = {}
    if eccentricities:
        extra["eccentricities"] = _eccentricities(topology, jobs, work)
    if paths:
        extra["paths"] = paths_between(topology, wanted, seed, jobs, work)
    if latency is not None:
        between: Literal["hosts", "switches"] = "hosts" if topology.hosts else "switches"
        delays = latency.switch_ns, latency.cable_ns_per_m
        extra["latency"] = latencies(topology, length_m, *delays, between, wanted, seed, jobs, work=work)
        settings |= {
            "switch_ns": delays[0],
            "cable_ns_per_m": delays[1],
            "length_m": float(length_m) if np.ndim(length_m) == 0 else None,
        }
    extra["provenance"] = provenance_of(
        topology, seed=seed if paths or latency or samples is not None else None, settings=settings
    )
    if samples is not None and sample_switches(np.arange(n), samples, seed).size < n:
        return _sampled(topology, samples, seed, jobs, work, extra)
    histogram = pair_counts(topology, np.ones(n, np.int64), jobs, work)
    connected = int(histogram.sum()) == n * n
    parts = 1 if connected else int(components(topology).max()) + 1
    host_aspl, host_diameter = _host_hops(topology, histogram, jobs, work)
    histogram.setflags(write=False)
    return Hops(n, parts, histogram, host_aspl, host_diameter, n, **extra)


def estimated_seconds(topology: Topology) -> float:
    """About how long `hops` takes for all pairs, from the hops that switch 0 sees."""
    n, rows_a_round = topology.switches, topology.switches + 2 * len(topology.links)
    rounds = int(distances_from(topology, [0]).max()) + 1
    return 1e-9 * rows_a_round * n * min(rounds / 512, 1.2)


def _sampled(
    topology: Topology, samples: int, seed: int, jobs: int | None, work: Work | None, extra: dict[str, Any]
) -> Hops:
    """Hops from a random sample of the switches."""
    from scipy.stats import t

    from topoloom.graph.connectivity import components
    from topoloom.graph.kernels.breadth_first import distances_from_set

    n = topology.switches
    sources = sample_switches(np.arange(n), samples, seed)
    offsets, neighbours, _ = topology.csr
    counts: list[np.ndarray] = [np.empty(0, np.int64)] * sources.size

    def search(numbers: Iterator[int]) -> None:
        distance, queue = np.empty(n, np.int32), np.empty(n, np.int32)
        for number in numbers:
            reached = distances_from_set(offsets, neighbours, sources[number : number + 1], distance, queue)
            counts[number] = np.bincount(distance[queue[:reached]])

    work = Work() if work is None else work
    work.begin(sources.size, "switches of the sample")
    over_cores(search, sources.size, jobs, work)
    work.check()
    histogram = np.zeros(max(one.size for one in counts), np.int64)
    for one in counts:
        histogram[: one.size] += one
    histogram.setflags(write=False)
    parts = int(components(topology).max()) + 1
    interval = None
    if parts == 1 and sources.size > 1:
        means = np.array([float(one @ np.arange(one.size)) / (n - 1) for one in counts])
        error = float(means.std(ddof=1)) / math.sqrt(sources.size) * math.sqrt(1 - sources.size / n)
        interval = float(t.ppf(0.975, sources.size - 1)) * error
    each, host_aspl, host_diameter = topology.endpoints_at, None, None
    if topology.hosts > 1 and topology.endpoints.size == topology.hosts and (each == each[0]).all():
        pairs = sources.size * int(each[0]) * (topology.hosts - 1)
        host_aspl = _mean(histogram * int(each[0]) ** 2, pairs, parts == 1)
        host_diameter = histogram.size - 1 if parts == 1 else math.inf
    return Hops(n, parts, histogram, host_aspl, host_diameter, int(sources.size), interval, **extra)


def _eccentricities(topology: Topology, jobs: int | None, work: Work | None) -> Eccentricities:
    found = eccentricities(topology, jobs, work=work)
    return Eccentricities(int(found.min()), np.bincount(found))


def eccentricities(topology: Topology, jobs: int | None = None, *, work: Work | None = None) -> np.ndarray:
    """Hops from every switch to the farthest one that it reaches, int32[n].

    Parameters
    ----------
    topology : Topology
        Any; in a disconnected one each switch counts those of its own part.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        Told of blocks of switches.

    Returns
    -------
    int32[n]
        0 for a switch without links.

    Raises
    ------
    Stopped
        `work` was stopped.

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

    work = Work() if work is None else work
    work.begin(-(-n // BLOCK), f"blocks of {BLOCK} switches")
    found: np.ndarray = np.max(over_cores(measure, -(-n // BLOCK), jobs, work), axis=0)
    work.check()
    return found


def distances_from(topology: Topology, sources: np.ndarray | list[int], jobs: int | None = None) -> np.ndarray:
    """Hops from each of `sources` to every switch, int32[len(sources), n]; -1 where there is no path.

    Parameters
    ----------
    topology : Topology
        Any, also disconnected.
    sources : int[k]
        Switches.
    jobs : int, optional
        Threads; all cores by default.

    Returns
    -------
    int32[k, n]
        Hops, 0 from a source to itself; -1 where there is no path.

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
