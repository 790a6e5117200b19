"""Cuts of a topology: the links and Gb/s between halves, or between any number of parts, of equal size."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any, Literal

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Ended, Work
from topoloom.graph.metis import WeightedGraph, partition, weighted
from topoloom.graph.planes import plane_count, planes_of
from topoloom.model.capacities import whole_capacities
from topoloom.model.link_rates import only_rate
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology

#: Refinement between pairs of parts: the most rounds, and the most pairs per round (all pairs of 16 parts).
_ROUNDS = 4
_MOST_PAIRS = 120
#: The most switches for `exact_bisection`; each additional switch about doubles the work.
EXACT_SWITCHES = 40
#: The highest weight of a link in METIS and in the refinement, whose lists have a place for each weight.
_MOST_WEIGHT = 1024


@dataclass(frozen=True, eq=False)
class Cuts(Result):
    """A cut into parts of (nearly) equal size.

    A network of several planes (which share hosts but no links) is cut plane by plane: each part has its share of every plane,
    and links are summed over the planes.

    Attributes
    ----------
    part : int32[n]
        The part of every switch, 0 .. parts - 1.
    links : int
        The links between different parts, all together (Truong 2016, 4.4: the total; errata of Truong 2016, 14). Parallel links
        count separately. For two parts, the bisection. Where links differ in rate, those of the cut with the least Gb/s.
    between : int64[parts, parts]
        The links between each two parts, 0 on the diagonal.
    sizes : int64[parts]
        The size of each part, in switches or hosts, whichever was balanced.
    by : "switches" or "hosts"
        The quantity that was balanced.
    exact : bool
        Whether no cut with these sizes has fewer links (branch and bound); otherwise it is the best one found (METIS).
    runs : int
        Finished runs of METIS, of which this is the best; 0 for an exact cut.
    ended : "done", "deadline" or "interrupted"
        Not "done": fewer runs were made than requested, or branch and bound did not finish.
    planes : int
        The number of planes that were cut separately; 1 if the whole network was cut at once.
    gbps : float or None
        The rate of these links per direction, Gb/s; None without rates.
    between_gbps : float64[parts, parts] or None
        The rate of the links between each two parts, likewise.
    """

    record_name = "cuts"
    record_version = 3
    derived = ("parts", "narrowest", "narrowest_gbps")

    part: np.ndarray
    links: int
    between: np.ndarray
    sizes: np.ndarray
    by: str
    exact: bool
    runs: int = 0
    ended: Ended = "done"
    planes: int = 1
    gbps: float | None = None
    between_gbps: np.ndarray | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def parts(self) -> int:
        """The number of parts."""
        return int(self.sizes.size)

    @property
    def narrowest(self) -> int:
        """The fewest links between any two parts."""
        return int(self.between[np.triu_indices(self.parts, 1)].min())

    @property
    def narrowest_gbps(self) -> float | None:
        """The least Gb/s per direction between any two parts; None without rates."""
        if self.between_gbps is None:
            return None
        return float(self.between_gbps[np.triu_indices(self.parts, 1)].min())

    @property
    def size(self) -> float:
        """What a cut should have least of: Gb/s, or links without rates."""
        return self.links if self.gbps is None else self.gbps

    def rows(self) -> list[dict[str, Any]]:
        """One row per switch: ``switch`` and its ``part``."""
        return [{"switch": switch, "part": part} for switch, part in enumerate(self.part.tolist())]


def cuts(
    topology: NetworkSource,
    ways: int = 2,
    seeds: int = 8,
    by: Literal["switches", "hosts"] = "switches",
    seed: int = 1,
    *,
    work: Work | None = None,
) -> Cuts:
    """Return the best cut into `ways` equal parts that METIS with Fiduccia-Mattheyses refinement finds.

    The best cut has the fewest links or, where links differ in rate, the least Gb/s.

    Parameters
    ----------
    topology : NetworkSource
    ways : int
        The number of parts; 2 for the bisection.
    seeds : int
        METIS runs this many times, each with a different seed, and the best cut is returned.
    by : "switches" or "hosts"
        The quantity that parts share equally: halves differ by at most one switch (for hosts, if all switches have the same
        number of hosts), more parts by 3% or one switch.
    seed : int
        Selects another series of METIS seeds.
    work : Work, optional
        Receives the progress of runs. If it is stopped, the best cut so far is returned.

    Returns
    -------
    Cuts
        An upper bound on the least cut; METIS is a heuristic.

    Raises
    ------
    InputError
        pymetis is not installed; more parts than switches; by hosts, but the topology has none.
    Stopped
        `work` was stopped before the first run finished.
    """
    topology = taken(topology, Topology, "cuts")
    if plane_count(topology) > 1:
        whole = _of_planes(topology, lambda plane: cuts(plane, ways, seeds, by, seed, work=work))
        settings = {"parts": ways, "seeds": seeds, "by": by}
        return replace(whole, provenance=provenance_of(topology, seed=seed, settings=settings))
    _check_parts(topology, ways, seeds, by)
    work = Work() if work is None else work
    graph = weighted(topology, _link_weights(topology, _MOST_WEIGHT))
    weight = np.ones(topology.switches, np.int64) if by == "switches" else topology.endpoints_at
    limit = _fair_share(weight, ways)
    best = _cut_of(topology, _round_robin(weight, ways), ways, by)
    # Recursive bisection and the direct method: for more than two parts either may be better.
    runs = list(product(range(seeds), (True, False) if ways > 2 else (True,)))
    work.begin(len(runs), "runs of METIS")
    done = 0
    with work.interruptible():
        for number, recursive in runs:
            if work.stopped:
                break
            part = _round_robin(weight, ways)
            if graph.links.size:
                part = partition(graph, ways, weight, recursive=recursive, seed=_metis_seed(seed, number))
            if not _refine_pairs(graph, weight, part, ways, limit, work):
                break
            cut = _cut_of(topology, part, ways, by)
            if (_surplus(cut, limit), cut.size) < (_surplus(best, limit), best.size):
                best = cut
            done += 1
            work.advance(note=f"{best.links:,} links")
    if not done:
        work.check()
    settings = {"parts": ways, "seeds": seeds, "by": by}
    provenance = provenance_of(topology, seed=seed, settings=settings)
    return replace(best, runs=done, ended=work.ended if done < len(runs) else "done", provenance=provenance)


def exact_bisection(topology: NetworkSource, *, work: Work | None = None) -> Cuts:
    """The exact bisection, by branch and bound: halves of floor(n / 2) and ceil(n / 2) switches, with the fewest links.

    Where links differ in rate, it has the least Gb/s.

    Parameters
    ----------
    topology : NetworkSource
        With 2 to 40 switches, per plane if there are several.
    work : Work, optional
        If it is stopped, the best bisection so far is returned, and is not marked as exact.

    Raises
    ------
    InputError
        Fewer than 2 or more than 40 switches.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 8) for i in range(8)], switches=8)
    >>> exact_bisection(ring).links
    2
    """
    from topoloom.graph.kernels.cuts import least_bisection

    topology = taken(topology, Topology, "exact_bisection")
    if plane_count(topology) > 1:
        whole = _of_planes(topology, lambda plane: exact_bisection(plane, work=work))
        return replace(whole, provenance=provenance_of(topology, settings={"parts": 2, "by": "switches"}))
    n = topology.switches
    if not 2 <= n <= EXACT_SWITCHES:
        raise InputError(f"{topology.name}: {n} switches; the exact bisection takes 2 to {EXACT_SWITCHES}")
    work = Work() if work is None else work
    graph = weighted(topology, _link_weights(topology))
    matrix = np.zeros((n, n), np.int64)
    matrix[np.repeat(np.arange(n), np.diff(graph.offsets)), graph.others] = graph.links
    work.begin(None, "")
    part = least_bisection(matrix, work.flag)
    ended = work.ended
    provenance = provenance_of(topology, settings={"parts": 2, "by": "switches"})
    return replace(_cut_of(topology, part, 2, "switches"), exact=ended == "done", ended=ended, provenance=provenance)


def _of_planes(topology: Topology, cut: Callable[[Topology], Cuts]) -> Cuts:
    """Combine the cuts of all planes; equal planes are cut once and in the same way, so that a host is on one side in all."""
    cuts_by_key: dict[str, Cuts] = {}
    part = np.empty(topology.switches, np.int32)
    by_plane = []
    planes = planes_of(topology)
    for plane in planes:
        key = plane.topology.replace(labels={}, endpoints=plane.topology.endpoints).digest
        if key not in cuts_by_key:
            cuts_by_key[key] = cut(plane.topology)
        part[plane.switches] = cuts_by_key[key].part
        by_plane.append(cuts_by_key[key])
    first = by_plane[0]
    whole = _cut_of(topology, part, first.parts, first.by)
    return replace(
        whole,
        exact=all(plane_cuts.exact for plane_cuts in by_plane),
        runs=min(plane_cuts.runs for plane_cuts in by_plane),
        ended=next((plane_cuts.ended for plane_cuts in by_plane if plane_cuts.ended != "done"), "done"),
        planes=len(planes),
    )


def _link_weights(topology: Topology, most: int | None = None) -> np.ndarray | None:
    """A whole number for each link in the ratio of rates, at most `most` if given, int64[m]; None where links do not differ."""
    rates = topology.link_rate_gbps
    return None if rates is None or only_rate(rates) is not None else whole_capacities(rates, most)


def _metis_seed(seed: int, number: int) -> int:
    """The METIS seed of one run of a series, 31 bits."""
    return ((seed - 1) * 1000 + number + 1) % ((1 << 31) - 1)


def _check_parts(topology: Topology, parts: int, seeds: int, by: str) -> None:
    if by not in {"switches", "hosts"}:
        raise InputError(f"cuts balance 'switches' or 'hosts', not '{by}'")
    if seeds < 1:
        raise InputError(f"seeds={seeds}: METIS must run at least once")
    most = topology.switches if by == "switches" else int((topology.endpoints_at > 0).sum())
    what = "switches" if by == "switches" else "switches with hosts"
    if most < 2:
        counted = what if most != 1 else what.replace("switches", "switch")
        raise InputError(f"{topology.name}: {most} {counted}; a cut needs at least two")
    if not 2 <= parts <= most:
        raise InputError(f"{topology.name}: {parts} parts of {most} {what}; choose 2 to {most} parts")


def _fair_share(weight: np.ndarray, parts: int) -> int:
    """The most weight of a part: for halves of equal weights an equal share, otherwise 3% more, as METIS allows."""
    some = weight[weight > 0]
    share = -(-int(weight.sum()) // parts)
    if (some == some[0]).all():
        share = int(some[0]) * -(-some.size // parts)
    else:
        share += int(some.max()) // 2
    return share if parts == 2 else max(share, int(1.03 * weight.sum() / parts))


def _surplus(cut: Cuts, limit: int) -> int:
    """By how much the largest part exceeds its share."""
    return max(0, int(cut.sizes.max()) - limit)


def _refine_pairs(
    graph: WeightedGraph, weight: np.ndarray, part: np.ndarray, parts: int, limit: int, work: Work
) -> bool:
    """Move switches between each pair of parts while that saves links or balances sizes; `part` (int32[n]) is updated.

    Returns False if the work was stopped before the end.
    """
    from topoloom.graph.kernels.refine import refine

    pairs = list(combinations(range(parts), 2))[:_MOST_PAIRS]
    for _ in range(_ROUNDS):
        before = part.copy()
        for a, b in pairs:
            if work.stopped:
                return False
            chosen = (part == a) | (part == b)
            if not chosen.any():
                continue
            inner = graph if parts == 2 else graph.within(chosen)
            side = (part[chosen] == b).astype(np.int32)
            refine(inner.offsets, inner.others, inner.links, weight[chosen], side, limit)
            part[chosen] = np.where(side == 1, b, a)
        if parts == 2 or np.array_equal(before, part):
            break
    return True


def _round_robin(weight: np.ndarray, parts: int) -> np.ndarray:
    """Assign switches to parts in turns, heaviest first, without regard to links; int32[n]."""
    part = np.empty(weight.size, np.int32)
    part[np.argsort(-weight, kind="stable")] = np.arange(weight.size) % parts
    return part


def _cut_of(topology: Topology, part: np.ndarray, parts: int, by: str) -> Cuts:
    """The `Cuts` record of an assignment int[n]."""
    sides = np.sort(part[topology.links], axis=1)
    between = np.zeros((parts, parts), np.int64)
    np.add.at(between, (sides[:, 0], sides[:, 1]), 1)
    np.fill_diagonal(between, 0)
    between_gbps = None
    if topology.link_rate_gbps is not None:
        between_gbps = np.zeros((parts, parts))
        np.add.at(between_gbps, (sides[:, 0], sides[:, 1]), topology.link_rate_gbps)
        np.fill_diagonal(between_gbps, 0)
    weight = np.ones(topology.switches, np.int64) if by == "switches" else topology.endpoints_at
    sizes = np.bincount(part, weights=weight, minlength=parts).astype(np.int64)
    return Cuts(
        part.astype(np.int32),
        int(between.sum()),
        between + between.T,
        sizes,
        by,
        exact=False,
        gbps=None if between_gbps is None else float(between_gbps.sum()),
        between_gbps=None if between_gbps is None else between_gbps + between_gbps.T,
    )
