"""Further measures of a candidate: tapers, bisection, tolerance of failures, room to grow, times of collectives."""

import math

import numpy as np

from topoloom.designer.requirement import Requirement
from topoloom.graph.connectivity import components
from topoloom.graph.cuts import Cuts, cuts
from topoloom.graph.planes import Plane
from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology

#: Number of METIS runs for a candidate's bisection.
CUT_SEEDS = 4
_BITS_PER_MIB = 8 * 2.0**20


def worst_taper(topology: Topology) -> float | None:
    """The most ports down per port up, by their rates, at any level of a tree; None without levels (labels) above the hosts."""
    level = topology.labels.get("level")
    if level is None or level.dtype.kind != "i" or level.max() == level.min():
        return None
    low, high = np.sort(level[topology.links], axis=1).T
    levels, relative = int(level.max()) + 1, capacities(topology)
    up, down = np.bincount(low, relative.links, levels)[:-1], np.bincount(high, relative.links, levels)
    down = down + np.bincount(level[topology.endpoints], relative.ports, levels)
    return None if not up.all() else float((down[:-1] / up).max())


def tree_blocking(topology: Topology) -> float | None:
    """Host ports per link up, by their rates, at the narrowest level of a tree; None for other networks.

    In a tree, by the label ``level``, all hosts are at the lowest level, and every link joins two neighbouring levels. A tree
    of 2:1 leaves under 2:1 aggregation switches has 4 host ports per link to the top.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> tree_blocking(build("fat-tree:k=64,hosts=4096,core_taper=2:1"))
    2.0
    """
    level = topology.labels.get("level")
    if level is None or level.dtype.kind != "i" or level.max() == level.min() or level[topology.endpoints].any():
        return None
    low, high = np.sort(level[topology.links], axis=1).T
    if (high != low + 1).any():
        return None
    relative = capacities(topology)
    up = np.bincount(low, relative.links, int(level.max()))
    return None if not up.all() else float(relative.ports.sum() / up.min())


def bisection(planes: tuple[Plane, ...], rate_gbps: float) -> tuple[int, float] | None:
    """Links and Gb/s between two halves, the best METIS cut of several seeds, of all planes; None without pymetis or for one
    switch.

    Parameters
    ----------
    planes : tuple of Plane
    rate_gbps : float
        The rate of links that have none of their own.

    Returns
    -------
    (int, float) or None
    """
    from importlib.util import find_spec

    if find_spec("pymetis") is None or planes[0].topology.switches < 2:
        return None
    by_digest: dict[str, Cuts] = {}
    for plane in planes:
        if plane.topology.digest not in by_digest:
            by_digest[plane.topology.digest] = cuts(plane.topology, ways=2, seeds=CUT_SEEDS)
    halves = [by_digest[plane.topology.digest] for plane in planes]
    links = sum(cut.links for cut in halves)
    gbps = [cut.gbps for cut in halves if cut.gbps is not None]
    return links, sum(gbps) if gbps else links * rate_gbps


def survived(topology: Topology, planes: int) -> frozenset[str]:
    """The kinds of "port", "leaf" and "plane" of which any one may fail without cutting a host off."""
    hosts, endpoints, host = topology.hosts, topology.endpoints, topology.host
    if not hosts or np.bincount(host, minlength=hosts).min() < 2:
        return frozenset()
    if planes > 1:
        every = bool((_different(host, components(topology)[endpoints], planes, hosts) == planes).all())
        return frozenset({"port", "leaf", "plane"}) if every else frozenset({"port"})
    if _different(host, endpoints, topology.switches, hosts).min() < 2 or not _no_leaf_splits(topology):
        return frozenset({"port"})
    return frozenset({"port", "leaf"})


def _different(host: np.ndarray, place: np.ndarray, places: int, hosts: int) -> np.ndarray:
    """How many different places each host has, int64[hosts]; `host` and `place` are those of every endpoint."""
    # Sorted, as np.unique hashes integers, which takes ten times as long for a million different ones.
    pairs = np.sort(host.astype(np.int64) * places + place)
    first = np.append(True, pairs[1:] != pairs[:-1])
    return np.bincount(pairs[first] // places, minlength=hosts)


def _no_leaf_splits(topology: Topology) -> bool:
    """Whether the switches with hosts stay connected whichever one of them is lost."""
    carrying = np.flatnonzero(topology.endpoints_at)
    for leaf in carrying.tolist():
        links = topology.links[(topology.links != leaf).all(axis=1)]
        part = components(Topology(links=links, switches=topology.switches))
        if np.unique(part[carrying[carrying != leaf]]).size > 1:
            return False
    return True


def collective_times(requirement: Requirement, hosts: int, measures: dict[str, float]) -> dict[str, float]:
    """The times of collectives by formula, in ms, from the hosts' bandwidth, the maximum channel load and the latency.

    All-to-all: the bytes that a host sends over the rate of its ports, times the maximum channel load where that is above 1,
    plus the mean latency. All-reduce: 2 (H - 1) / H of the vector over that rate (a ring of near neighbours), plus
    2 log2 H worst latencies. A step: both, plus the time that it computes.

    Parameters
    ----------
    requirement : Requirement
    hosts : int
    measures : dict of str to float
        mean_latency_ns and worst_latency_ns; maximum_channel_load, without which no all-to-all time is given.

    Returns
    -------
    dict of str to float
    """
    work, rate = (
        requirement.collective,
        requirement.host_gbps * requirement.ports_per_host * 1e6,
    )  # bits per millisecond
    rounds = 2 * math.ceil(math.log2(max(2, hosts)))
    reduce = 2 * (hosts - 1) / hosts * work.all_reduce_mib * _BITS_PER_MIB / rate
    times = {"all_reduce_ms": reduce + rounds * measures["worst_latency_ns"] * 1e-6}
    if "maximum_channel_load" in measures:
        overload = max(1.0, measures["maximum_channel_load"])
        times["all_to_all_ms"] = (
            work.all_to_all_mib * _BITS_PER_MIB / rate * overload + measures["mean_latency_ns"] * 1e-6
        )
        times["step_ms"] = work.compute_ms + times["all_to_all_ms"] + times["all_reduce_ms"]
    return times
