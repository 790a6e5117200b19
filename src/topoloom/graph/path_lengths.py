"""Distances between the switches, and between the hosts, of a topology."""

import math
from dataclasses import dataclass

import numpy as np

from topoloom.core.work import Work
from topoloom.graph.connectivity import component_count
from topoloom.graph.gpu import Device
from topoloom.graph.pair_counts import attachment_counts, count_pairs
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class PathLengths:
    """Hops between the switches, over ordered pairs.

    Attributes
    ----------
    switches : int
    components : int
        Number of components; 1 if connected.
    histogram : int64[largest_finite + 1]
        Pairs of switches at each distance; at 0 the pairs of a switch with itself.
    """

    switches: int
    components: int
    histogram: np.ndarray

    @property
    def connected(self) -> bool:
        """Whether every switch reaches every other."""
        return self.components == 1

    @property
    def largest_finite(self) -> int:
        """The largest distance between two switches with a path."""
        return int(self.histogram.size) - 1

    @property
    def diameter(self) -> float:
        """The largest distance, an int; inf if disconnected; for a sample, a lower bound."""
        return self.largest_finite if self.connected else math.inf

    @property
    def aspl(self) -> float:
        """Mean hops over ordered pairs of distinct switches; inf if disconnected, 0 for one switch."""
        return mean_hops(self.histogram, int(self.histogram[1:].sum()), self.connected)


def path_lengths(topology: NetworkSource, jobs: int | None = None, *, work: Work | None = None) -> PathLengths:
    """Count the hops between all switches; the operation `hops` measures more.

    Parameters
    ----------
    topology : NetworkSource
        Any, also disconnected.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        Receives the progress in blocks of switches.

    Returns
    -------
    PathLengths
        Exact, over all ordered pairs.

    Examples
    --------
    >>> found = path_lengths(Topology(links=[(0, 1), (1, 2), (2, 3), (3, 0)], switches=4))
    >>> found.diameter, round(found.aspl, 4), found.histogram.tolist()
    (2, 1.3333, [4, 8, 4])
    """
    topology = taken(topology, Topology, "path_lengths")
    pairs = count_pairs(topology, np.ones(topology.switches, np.int64), jobs, work).pairs
    return PathLengths(topology.switches, component_count(topology), pairs)


def part_path_lengths(links: np.ndarray, part: np.ndarray, jobs: int | None = None) -> PathLengths:
    """Count the hops between switches of the same part, as in planes; equal parts are counted once.

    Parameters
    ----------
    links : int[m, 2]
        Each link is between switches of one part.
    part : int64[switches]
        The part of each switch, from 0.
    jobs : int, optional
        Threads; all cores by default.

    Returns
    -------
    PathLengths
        `components` is 1 if every part is connected.

    Examples
    --------
    >>> found = part_path_lengths(np.array([[0, 1], [2, 3], [3, 4]]), np.array([0, 0, 1, 1, 1]))
    >>> found.diameter, found.aspl, found.connected
    (2, 1.25, True)
    """
    number = np.empty(part.size, np.int64)
    lengths_by_key: dict[bytes, PathLengths] = {}
    by_part = []
    part_of_link = part[links[:, 0]]
    for number_of_part in range(int(part.max()) + 1):
        inside = np.flatnonzero(part == number_of_part)
        number[inside] = np.arange(inside.size)
        own = number[links[part_of_link == number_of_part]].reshape(-1, 2)
        key = np.append(own.ravel(), inside.size).tobytes()
        if inside.size and key not in lengths_by_key:
            lengths_by_key[key] = path_lengths(Topology(links=own, switches=inside.size), jobs)
        if inside.size:
            by_part.append(lengths_by_key[key])
    histogram = np.zeros(max(part_lengths.histogram.size for part_lengths in by_part), np.int64)
    for part_lengths in by_part:
        histogram[: part_lengths.histogram.size] += part_lengths.histogram
    pieces = 1 + sum(part_lengths.components - 1 for part_lengths in by_part)
    return PathLengths(part.size, pieces, histogram)


def host_path_lengths(
    topology: Topology,
    histogram: np.ndarray,
    jobs: int | None = None,
    *,
    device: Device = "auto",
    work: Work | None = None,
) -> tuple[float | None, float | None]:
    """The mean and the largest distance over pairs of distinct hosts, in hops; None if there are fewer than two hosts.

    Hosts on one switch are 0 hops apart; a host with several ports uses the best pair of ports; inf if some hosts do not reach
    each other.

    Parameters
    ----------
    topology : Topology
    histogram : int64[largest + 1]
        The pairs of switches at each distance, which is sufficient if all switches have the same number of hosts.
    jobs, device, work
        As for `count_pairs`.

    Returns
    -------
    mean, largest : float or None
        In hops; inf if some hosts do not reach each other.
    """
    hosts = topology.hosts
    if hosts < 2:
        return None, None
    on_switch = topology.endpoints_at
    if topology.endpoints.size > hosts:
        counts = attachment_counts(topology, jobs, work)
    elif (on_switch == on_switch[0]).all():
        counts = histogram * int(on_switch[0]) ** 2
    else:
        counts = count_pairs(topology, on_switch, jobs, work, device).pairs
    complete = int(counts.sum()) == hosts**2
    return mean_hops(counts, hosts * (hosts - 1), complete), counts.size - 1 if complete else math.inf


def carrier_distance_sum(topology: Topology, jobs: int | None = None) -> tuple[int, float]:
    """The number of switches with hosts (all, if none has), and the sum of hops over their ordered pairs.

    The sum is inf if some do not reach each other.
    """
    carries = topology.endpoints_at > 0
    if not carries.any():
        carries = np.ones(topology.switches, bool)
    counts = count_pairs(topology, carries.astype(np.int64), jobs).pairs
    carriers = int(carries.sum())
    return carriers, mean_hops(counts, 1, int(counts.sum()) == carriers**2)


def mean_hops(counts: np.ndarray, pairs: int, complete: bool) -> float:
    """The mean hops of `counts`, int64[largest + 1], over `pairs` pairs; inf unless all pairs have a path, 0 without pairs.

    Parameters
    ----------
    counts : int64[largest + 1]
        Pairs by their distance in hops.
    pairs : int
        The number of pairs of the mean.
    complete : bool
        Whether all pairs have a path.

    Returns
    -------
    float
        Hops.
    """
    if not complete:
        return math.inf
    return float(int(np.dot(counts, np.arange(counts.size))) / pairs) if pairs else 0.0
