"""The number of shortest paths between two switches."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology


@dataclass(frozen=True)
class PathCounts(Result):
    """Shortest paths between ordered pairs of distinct switches that reach each other; parallel links make more paths.

    Attributes
    ----------
    mean, fewest, most : float
        Over the pairs; exact up to 2^53. 0 if there are no pairs.
    single : float
        The share of pairs with a single shortest path.
    sources : int
        Number of switches from which pairs start.
    sampled : bool
        Whether those are a sample.
    """

    record_name = "path-counts"

    mean: float
    fewest: float
    most: float
    single: float
    sources: int
    sampled: bool
    provenance: Provenance = field(default_factory=Provenance, compare=False)


def shortest_path_counts(
    topology: NetworkSource,
    sources: int | None = 1000,
    seed: int = 1,
    jobs: int | None = None,
    *,
    work: Work | None = None,
) -> PathCounts:
    """Count the shortest paths from every switch, or from `sources` random ones, to every other.

    Parameters
    ----------
    topology : NetworkSource
    sources : int, optional
        Most switches to start from; None for all.
    seed : int
        Of the sample.
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional
        Receives the progress in switches.

    Raises
    ------
    InputError
        `sources` is below 1.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> square = Topology(links=[(0, 1), (1, 2), (2, 3), (3, 0)], switches=4)
    >>> found = shortest_path_counts(square)
    >>> found.fewest, found.most, round(found.mean, 4)
    (1.0, 2.0, 1.3333)
    """
    from topoloom.graph.kernels.paths import path_counts

    topology = taken(topology, Topology, "shortest_path_counts")
    n = topology.switches
    chosen = sample_switches(np.arange(n), sources, seed)
    offsets, neighbours, _ = topology.csr

    # One row per source, summed in order, so that threads do not change the result: sum, least, greatest, single, number of
    # pairs.
    rows = np.zeros((chosen.size, 5))

    def count(numbers: Iterator[int]) -> None:
        distance, queue, paths = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n)
        for number in numbers:
            reached = path_counts(offsets, neighbours, chosen[number], distance, queue, paths)
            counts = paths[queue[1:reached]]
            if counts.size:
                rows[number] = counts.sum(), counts.min(), counts.max(), (counts == 1.0).sum(), counts.size

    work = Work() if work is None else work
    work.begin(chosen.size, "switches")
    over_cores(count, chosen.size, jobs, work)
    work.check()
    provenance = provenance_of(topology, seed=seed, settings={"sources": sources})
    total, least, greatest, single, many = rows[rows[:, 4] > 0].T
    pairs = many.sum()
    if not pairs:
        return PathCounts(0.0, 0.0, 0.0, 0.0, int(chosen.size), chosen.size < n, provenance)
    return PathCounts(
        float(total.sum() / pairs),
        float(least.min()),
        float(greatest.max()),
        float(single.sum() / pairs),
        int(chosen.size),
        chosen.size < n,
        provenance,
    )


def sample_switches(among: np.ndarray, count: int | None, seed: int) -> np.ndarray:
    """`count` random entries of `among`, ascending; all if count is None or not smaller.

    Parameters
    ----------
    among : int[k]
        The switches to draw from, ascending.
    count : int or None
        How many; all if None or larger than their number.
    seed : int
        Of the draw.

    Returns
    -------
    int[count]
        Ascending, none twice.

    Raises
    ------
    InputError
        `count` is below 1.
    """
    if count is None or count >= among.size:
        return among
    if count < 1:
        raise InputError(f"sources={count}: at least one is needed")
    return np.sort(among[Draws(seed).permutation(among.size)[:count]])
