"""The operation `hops`: diameter, ASPL and histogram of a topology, and optional measures."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.figures.style import COLOURS, Axes, drawn
from topoloom.graph.connectivity import component_count, components, edge_disjoint_paths
from topoloom.graph.distances import distances_from, eccentricities
from topoloom.graph.gpu import Device, check_device
from topoloom.graph.latency import Delays, Latency, latencies
from topoloom.graph.pair_counts import PairCounts, count_pairs
from topoloom.graph.path_lengths import PathLengths, host_path_lengths, mean_hops
from topoloom.graph.paths import PathCounts, sample_switches, shortest_path_counts
from topoloom.graph.planes import distinct_planes, plane_count, planes_of
from topoloom.graph.serialization import Serialization
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class Eccentricities:
    """Eccentricities: the least one (`radius`), and the number of switches with each value, int64[largest + 1]."""

    radius: int
    histogram: np.ndarray


@dataclass(frozen=True)
class Disjoint:
    """Link-disjoint paths between pairs of switches: mean, fewest and most over `pairs` pairs, all of them or a sample."""

    mean: float
    fewest: int
    most: int
    pairs: int
    sampled: bool


@dataclass(frozen=True)
class Paths:
    """The numbers of shortest and of link-disjoint paths between two switches; the latter is None for one switch."""

    shortest: PathCounts
    disjoint: Disjoint | None


@dataclass(frozen=True, eq=False)
class Hops(PathLengths, Result):
    """Hop distances over ordered pairs; a hop is one link, or one arc of a directed network (`directed_hops`).

    In a network of several planes (which share hosts but no links), only pairs of switches of one plane count: packets do not
    change planes.

    Attributes
    ----------
    switches : int
    components : int
        Number of components; 1 if connected, and the number of planes if there are several.
    planes : int
        Number of planes; 1 for a connected network, 0 if the components do not share hosts.
    connected : bool
        Whether every switch reaches every other of its plane.
    diameter : int or float
        The largest distance between two switches, in the worst plane; inf if disconnected.
    largest_finite : int
        The same over the pairs with a path.
    aspl : float
        The average shortest path length: mean hops over pairs of distinct switches; inf if disconnected, 0 for one switch.
    histogram : int64[largest_finite + 1]
        Pairs of switches at each distance; at 0 the `switches` pairs of a switch with itself.
    host_aspl : float or None
        Mean hops over pairs of distinct hosts, 0 for hosts on one switch; inf if some pairs have no path, None if there are
        fewer than two hosts. A host with several ports uses the best pair of ports.
    h_aspl : float or None
        The h-ASPL of the order/radix problem (Yasudo et al., ICPP 2017): `host_aspl` and the links of both hosts, two
        hops more. Not in records.
    host_diameter : int or float or None
        The largest distance between two hosts, with the same conventions.
    sources : int
        Number of switches from which pairs start: all, or a random sample. For a sample, the histogram counts the pairs that
        start there, means are estimates, largest distances are lower bounds, and the values of hosts are None if switches have
        different numbers of hosts.
    aspl_ci95 : float or None
        Half the 95 % confidence interval of `aspl`: 0 if all pairs were counted; None if unknown.
    eccentricities : Eccentricities or None
        Distances to the farthest switch.
    paths : Paths or None
        Numbers of paths between two switches.
    latency : Latency or None
        Zero-load latency.
    """

    record_name = "hops"
    record_version = 2
    derived = ("connected", "sampled", "diameter", "largest_finite", "aspl", "aspl_including_self")

    host_aspl: float | None
    host_diameter: float | None
    sources: int
    aspl_ci95: float | None = 0.0
    eccentricities: Eccentricities | None = None
    paths: Paths | None = None
    latency: Latency | None = None
    planes: int = 1
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per distance: ``hops`` and ``pairs``, ordered pairs of switches."""
        return [{"hops": hops, "pairs": pairs} for hops, pairs in enumerate(self.histogram.tolist())]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the share of pairs of distinct switches at each distance, as bars."""
        pairs = self.histogram[1:]
        axes.bar(np.arange(1, pairs.size + 1), 100 * pairs / max(1, int(pairs.sum())), color=COLOURS[0])
        axes.set_xticks(np.arange(1, pairs.size + 1))
        axes.set_xlabel("distance [switch hops]")
        axes.set_ylabel("pairs of switches [%]")
        axes.set_title(self.provenance.name, loc="left")
        axes.set_ylim(bottom=0)

    @property
    def connected(self) -> bool:
        """Whether every switch reaches every other of its plane."""
        return self.components == max(1, self.planes)

    @property
    def h_aspl(self) -> float | None:
        """The average shortest path length between distinct hosts, which counts the links of both hosts."""
        return None if self.host_aspl is None else self.host_aspl + 2

    @property
    def sampled(self) -> bool:
        """Whether the pairs start only from a sample of the switches."""
        return self.sources < self.switches

    @property
    def aspl_including_self(self) -> float:
        """Mean hops with the denominator n^2, as in Table 1 of Koibuchi 2013 (errata of Koibuchi 2013, 1)."""
        return mean_hops(self.histogram, int(self.histogram.sum()), self.connected)


def hops(
    topology: NetworkSource,
    jobs: int | None = None,
    *,
    samples: int | None = None,
    seed: int = 1,
    eccentricities: bool = False,
    paths: bool = False,
    latency: Delays | None = None,
    length_m: np.ndarray | float = 5.0,
    packet: Serialization | None = None,
    device: Device = "auto",
    work: Work | None = None,
) -> Hops:
    """Measure diameter, ASPL and histogram of a topology, over all pairs of switches and of hosts or from a sample.

    Parameters
    ----------
    topology : NetworkSource
        Any: irregular, disconnected, with parallel links. Equal planes are measured once.
    jobs : int, optional
        Threads; every core when omitted.
    samples : int, optional
        Start only from this many random switches: the ASPL is then an estimate with a confidence interval, the diameter a lower
        bound. Paths and latency use the same number, 1,000 when omitted.
    seed : int
        Of the samples.
    eccentricities, paths : bool
        Also measure these.
    latency : Delays, optional
        Also measure the zero-load latency with these delays, between hosts, or between switches if there are no hosts.
    length_m : float64[m] or float
        The length of every link in metres, for the latency.
    packet : Serialization, optional
        A packet whose time on the links, each at its own rate, adds to the latency.
    device : "auto", "cpu" or "cuda"
        Where to count all pairs: on the CPU or a CUDA device, with the same result. "auto" uses a device for at least 100,000
        switches if Numba finds one. `provenance.settings` records the choice.
    work : Work, optional
        Receives the progress in blocks of 512 switches, or in switches of the sample.

    Returns
    -------
    Hops

    Raises
    ------
    Stopped
        `work` was stopped before all pairs were counted.
    InputError
        `samples` is below 1; `device` is "cuda", but there is no device, it fails, or `samples` is given.

    Notes
    -----
    Bit-parallel breadth-first search from 512 sources at a time; with a queue if the diameter exceeds about 1,000 hops. Time is
    about diameter * (n + 2 m) * n / 512 row operations of half a nanosecond; memory is 128 bytes per switch and thread.

    Examples
    --------
    >>> square = Topology(links=[(0, 1), (1, 2), (2, 3), (3, 0)], switches=4)
    >>> found = hops(square)
    >>> found.diameter, round(found.aspl, 4), found.histogram.tolist()
    (2, 1.3333, [4, 8, 4])
    """
    topology = taken(topology, Topology, "hops")
    n = topology.switches
    check_device(device)
    sample = None if samples is None else sample_switches(np.arange(n), samples, seed)
    if sample is not None and sample.size == n:
        sample = None
    if sample is not None and device == "cuda":
        raise InputError("device='cuda' counts all pairs; omit samples, or use device='cpu'")
    settings: dict[str, Any] = {"samples": samples}
    wanted = 1000 if samples is None else samples
    planes = plane_count(topology)
    extra: dict[str, Any] = {}
    if eccentricities:
        extra["eccentricities"] = _eccentricities(topology, jobs, work)
    if paths:
        extra["paths"] = _paths_between(topology, planes, wanted, seed, jobs, work)
    if latency is not None:
        delays = latency.switch_ns, latency.cable_ns_per_m
        extra["latency"] = _latency(topology, planes, length_m, delays, packet, wanted, seed, jobs, work)
        settings |= {
            "switch_ns": delays[0],
            "cable_ns_per_m": delays[1],
            "length_m": float(length_m) if np.ndim(length_m) == 0 else None,
            **({} if packet is None else packet.settings()),
        }
    if sample is None:
        pairs, settings["device"] = _all_pairs(topology, planes, jobs, work, device)
        pairs.setflags(write=False)
        hosts = host_path_lengths(topology, pairs, jobs, device=device, work=work)
        result = Hops(n, component_count(topology), pairs, *hosts, n, planes=planes)
    else:
        settings["device"] = "cpu"
        result = _sampled(topology, planes, sample, jobs, work)
    drawn = paths or latency is not None or samples is not None
    return replace(result, **extra, provenance=provenance_of(topology, seed=seed if drawn else None, settings=settings))


def estimated_seconds(topology: Topology) -> float:
    """An estimate of the seconds of `hops` for all pairs, from the distances of switch 0."""
    n, rows_a_round = topology.switches, topology.switches + 2 * len(topology.links)
    rounds = int(distances_from(topology, [0]).max()) + 1
    return 1e-9 * rows_a_round * n * min(rounds / 512, 1.2)


def _all_pairs(topology: Topology, planes: int, jobs: int | None, work: Work | None, device: Device) -> PairCounts:
    """Ordered pairs of switches at each distance; equal planes are counted once.

    Parameters
    ----------
    topology : Topology
    planes : int
        Number of planes.
    jobs, work, device
        As for `count_pairs`.
    """
    if planes <= 1:
        return count_pairs(topology, np.ones(topology.switches, np.int64), jobs, work, device)
    counted = [
        (count_pairs(plane.topology, np.ones(plane.topology.switches, np.int64), jobs, work, device), alike)
        for plane, alike in distinct_planes(topology)
    ]
    total = np.zeros(max(counts.pairs.size for counts, _ in counted), np.int64)
    for counts, alike in counted:
        total[: counts.pairs.size] += alike * counts.pairs
    return PairCounts(total, counted[0][0].device)


def _latency(
    topology: Topology,
    planes: int,
    length_m: np.ndarray | float,
    delays: tuple[float, float],
    packet: Serialization | None,
    samples: int,
    seed: int,
    jobs: int | None,
    work: Work | None,
) -> Latency:
    """Zero-load latency between hosts, or between switches if there are no hosts; over the pairs of all planes.

    Parameters
    ----------
    topology : Topology
    planes : int
        Number of planes.
    length_m : float64[m] or float
        The length of every link, in metres.
    delays : (float, float)
        Nanoseconds per switch, and per metre of cable.
    packet : Serialization or None
    samples, seed : int
        Most switches per plane to start from, and their seed.
    jobs, work
        As every operation has them.
    """
    between: Literal["hosts", "switches"] = "hosts" if topology.hosts else "switches"
    if planes <= 1:
        return latencies(topology, length_m, *delays, between, samples, seed, jobs, packet=packet, work=work)
    lengths = np.broadcast_to(np.asarray(length_m, float), (len(topology.links),))
    # Equal planes may have different cable lengths, so each is measured separately.
    by_plane, pairs = [], []
    for plane in planes_of(topology):
        plane_latency = latencies(
            plane.topology, lengths[plane.links], *delays, between, samples, seed, jobs, packet=packet, work=work
        )
        by_plane.append(plane_latency)
        pairs.append(plane.topology.hosts * (plane.topology.hosts - 1))
    total = max(1, sum(pairs))
    return replace(
        by_plane[0],
        mean_ns=sum(plane_latency.mean_ns * count for plane_latency, count in zip(by_plane, pairs, strict=True))
        / total,
        max_ns=max(plane_latency.max_ns for plane_latency in by_plane),
        sources=sum(plane_latency.sources for plane_latency in by_plane),
        sampled=any(plane_latency.sampled for plane_latency in by_plane),
        provenance=provenance_of(topology, seed=seed, settings=by_plane[0].provenance.settings),
    )


def _sampled(topology: Topology, planes: int, sample: np.ndarray, jobs: int | None, work: Work | None) -> Hops:
    """Hops from a sample of the switches.

    Parameters
    ----------
    topology : Topology
    planes : int
        Number of planes.
    sample : int64[k]
        Switches.
    jobs, work
        As every operation has them.
    """
    from topoloom.graph.kernels.breadth_first import distances_from_set

    n = topology.switches
    offsets, neighbours, _ = topology.csr
    counts: list[np.ndarray] = [np.empty(0, np.int64)] * sample.size

    def search(numbers: Iterator[int]) -> None:
        distance, queue = np.empty(n, np.int32), np.empty(n, np.int32)
        for number in numbers:
            reached = distances_from_set(offsets, neighbours, sample[number : number + 1], distance, queue)
            counts[number] = np.bincount(distance[queue[:reached]])

    work = Work() if work is None else work
    work.begin(sample.size, "switches of the sample")
    over_cores(search, sample.size, jobs, work)
    work.check()
    histogram = np.zeros(max(source_counts.size for source_counts in counts), np.int64)
    for source_counts in counts:
        histogram[: source_counts.size] += source_counts
    histogram.setflags(write=False)
    part = components(topology)
    parts = int(part.max()) + 1
    whole = parts == max(1, planes)
    interval = None
    if whole and sample.size > 1:
        others = np.maximum(1, np.bincount(part)[part[sample]] - 1)
        means = np.array([float(source_counts @ np.arange(source_counts.size)) for source_counts in counts]) / others
        interval = half_interval(means, n)
    each, host_aspl, host_diameter = topology.endpoints_at, None, None
    if topology.hosts > 1 and topology.endpoints.size == topology.hosts and (each == each[0]).all():
        pairs = sample.size * int(each[0]) * (topology.hosts - 1)
        host_aspl = mean_hops(histogram * int(each[0]) ** 2, pairs, whole)
        host_diameter = histogram.size - 1 if whole else math.inf
    return Hops(n, parts, histogram, host_aspl, host_diameter, int(sample.size), interval, planes=planes)


def half_interval(means: np.ndarray, switches: int) -> float:
    """Half the 95 % confidence interval of the mean hops, from the mean of each sampled source, float64[at least 2]."""
    from scipy.special import stdtrit

    error = float(means.std(ddof=1)) / math.sqrt(means.size) * math.sqrt(1 - means.size / switches)
    return float(stdtrit(means.size - 1, 0.975)) * error


def _eccentricities(topology: Topology, jobs: int | None, work: Work | None) -> Eccentricities:
    values = eccentricities(topology, jobs, work=work)
    return Eccentricities(int(values.min()), np.bincount(values))


def _paths_between(
    topology: Topology, planes: int, samples: int, seed: int, jobs: int | None, work: Work | None
) -> Paths:
    """Count the paths between two switches of the same plane.

    Parameters
    ----------
    topology : Topology
    planes : int
        Number of planes.
    samples, seed : int
        Most switches from which shortest paths start, most pairs for link-disjoint paths, and the seed.
    jobs, work
        As every operation has them.
    """
    shortest = shortest_path_counts(topology, samples, seed, jobs, work=work)
    if topology.switches == 1:
        return Paths(shortest, None)
    parts = [plane.topology for plane, _ in distinct_planes(topology)] if planes > 1 else [topology]
    by_part = [
        edge_disjoint_paths(part, samples=samples, seed=seed, jobs=jobs, work=work)
        for part in parts
        if part.switches > 1
    ]
    if not by_part:
        return Paths(shortest, None)
    pairs = sum(len(part_paths.pairs) for part_paths in by_part)
    return Paths(
        shortest,
        Disjoint(
            by_part[0].mean
            if len(by_part) == 1
            else float(sum(part_paths.counts.sum() for part_paths in by_part) / pairs),
            min(part_paths.fewest for part_paths in by_part),
            max(part_paths.most for part_paths in by_part),
            pairs,
            any(part_paths.sampled for part_paths in by_part),
        ),
    )
