"""The operation `directed_hops`: diameter, ASPL and histogram of a directed network, over ordered pairs."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.graph.hops import Eccentricities, Hops, half_interval
from topoloom.graph.path_lengths import mean_hops
from topoloom.graph.paths import sample_switches
from topoloom.graph.strong_components import strong_component_count
from topoloom.model.directed import DirectedTopology
from topoloom.model.results import provenance_of
from topoloom.model.sources import DirectedSource, directed_of

#: Nanoseconds per switch and arc of one search (measured).
_SEARCH_NS = 3.0


def directed_hops(
    topology: DirectedSource,
    jobs: int | None = None,
    *,
    samples: int | None = None,
    seed: int = 1,
    eccentricities: bool = False,
    work: Work | None = None,
) -> Hops:
    """Measure diameter, ASPL and histogram of a directed network, over ordered pairs of switches and of hosts.

    Parameters
    ----------
    topology : DirectedSource
        A directed network, strongly connected or not, with parallel arcs or not.
    jobs : int, optional
        Threads; every core when omitted.
    samples : int, optional
        Start only from this many random switches, as for `hops`.
    seed : int
        Of the samples.
    eccentricities : bool
        Also how far the farthest switch is from each one.
    work : Work, optional
        Receives the progress in switches.

    Returns
    -------
    Hops
        `components` are the strong ones, and `connected` says whether there is only one.

    Raises
    ------
    Stopped
        `work` was stopped before all pairs were counted.
    InputError
        The network is undirected or cannot be opened, or `samples` is below 1.

    Notes
    -----
    One breadth-first search along the arcs from each switch: time is about (n + m) * n * 3 ns on one core.

    Examples
    --------
    >>> ring = directed_hops("unidirectional-ring:n=6")
    >>> ring.diameter, ring.aspl, ring.histogram.tolist()
    (5, 3.0, [6, 6, 6, 6, 6, 6])
    """
    topology = directed_of(topology, "directed_hops")
    n = topology.switches
    sources = np.arange(n) if samples is None else sample_switches(np.arange(n), samples, seed)
    sampled = sources.size < n
    work = Work() if work is None else work
    searched = _searched(topology, sources, jobs, work)
    pairs = _trimmed(np.sum([part.switches for part in searched], axis=0))
    hosts = _trimmed(np.sum([part.hosts for part in searched], axis=0))
    pairs.setflags(write=False)
    components = strong_component_count(topology)
    connected = components == 1
    host_aspl, host_diameter = None, None
    if topology.hosts > 1 and not sampled:
        complete = int(hosts.sum()) == topology.hosts**2
        host_aspl = mean_hops(hosts, topology.hosts * (topology.hosts - 1), complete)
        host_diameter = hosts.size - 1 if complete else math.inf
    interval = 0.0 if not sampled else None
    if sampled and connected and sources.size > 1:
        interval = half_interval(np.sum([part.mean for part in searched], axis=0)[sources], n)
    farthest = np.max([part.farthest for part in searched], axis=0)[sources]
    return Hops(
        n,
        components,
        pairs,
        host_aspl,
        host_diameter,
        int(sources.size),
        interval,
        eccentricities=Eccentricities(int(farthest.min()), np.bincount(farthest)) if eccentricities else None,
        provenance=provenance_of(
            topology, seed=None if samples is None else seed, settings={"samples": samples, "directed": True}
        ),
    )


def estimated_directed_seconds(topology: DirectedTopology) -> float:
    """An estimate of the seconds of `directed_hops` for all pairs on one core."""
    return 1e-9 * _SEARCH_NS * topology.switches * (topology.switches + len(topology.arcs))


class _Searched(NamedTuple):
    """The sums of one thread: pairs at each distance, int64[n]; per source mean hops, float64[n], and the largest, int64[n]."""

    switches: np.ndarray
    hosts: np.ndarray
    mean: np.ndarray
    farthest: np.ndarray


def _searched(topology: DirectedTopology, sources: np.ndarray, jobs: int | None, work: Work) -> list[_Searched]:
    from topoloom.graph.kernels.breadth_first import distances_from_set

    n, hosts = topology.switches, topology.endpoints_at
    offsets, heads = topology.out_csr

    def search(numbers: Iterator[int]) -> _Searched:
        sums = _Searched(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n), np.zeros(n, np.int64))
        distance, queue = np.empty(n, np.int32), np.empty(n, np.int32)
        for number in numbers:
            source = int(sources[number])
            reached = distances_from_set(offsets, heads, sources[number : number + 1], distance, queue)
            away = distance[queue[:reached]]
            counts = np.bincount(away)
            sums.switches[: counts.size] += counts
            if hosts[source]:
                # Hosts are few enough that float64 counts them exactly.
                of_hosts = np.bincount(away, weights=hosts[queue[:reached]]).astype(np.int64)
                sums.hosts[: of_hosts.size] += hosts[source] * of_hosts
            sums.mean[source] = away.sum(dtype=np.int64) / max(1, reached - 1)
            sums.farthest[source] = away[-1]
        return sums

    work.begin(sources.size, "switches")
    searched = over_cores(search, sources.size, jobs, work)
    work.check()
    return searched


def _trimmed(counts: np.ndarray) -> np.ndarray:
    """`counts` up to its last pair."""
    some = np.flatnonzero(counts)
    return np.asarray(counts[: some[-1] + 1 if some.size else 1], np.int64).copy()
