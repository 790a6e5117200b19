"""The operation `resilience`: what share of a network can fail before it disconnects, or its paths become too long."""

import math
from collections.abc import Iterable, Iterator
from typing import get_args

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.failures.criterion import criterion_of
from topoloom.failures.failure_orders import failing, failures_at, states
from topoloom.failures.hosts_reach import hosts_reach
from topoloom.failures.sample_counts import SampleCounts
from topoloom.failures.survival import Metric, Survival, threshold_of
from topoloom.graph.planes import plane_count
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology

METRICS = get_args(Metric)
OF = ("switches", "hosts")
STEPS = tuple(round(0.05 * step, 2) for step in range(1, 20))
#: Samples without an `interval_width`, and the most samples with one.
SAMPLES, MOST_SAMPLES = 1000, 100_000
#: Samples per task of a thread, and samples between two checks of the intervals; the key is whether one takes long.
_CHUNK, _BATCH = {True: 4, False: 32}, {True: 200, False: 1000}


def resilience(
    topology: NetworkSource,
    fail: str = "links",
    metric: Metric = "disconnection",
    *,
    order: str = "random",
    levels: Iterable[float] | None = None,
    samples: int | None = None,
    interval_width: float | None = None,
    criterion: float = 0.75,
    tolerate: float | None = None,
    of: str = "switches",
    racks: np.ndarray | None = None,
    seed: int = 1,
    jobs: int | None = None,
    values: bool = False,
    work: Work | None = None,
) -> Survival:
    """Return the survival curve of a topology under random or targeted failures.

    Every sample is one order of failures, and all levels use the same orders. Samples of one level are independent of each
    other, so the level's confidence interval is valid. Levels are not independent, so a curve of links never rises by chance.

    Parameters
    ----------
    topology : NetworkSource
        A connected network, or one of several planes, which only its hosts join: then all surviving hosts must reach each other
        through any plane (hosts do not forward), and `of` is ignored.
    fail : str
        "links", "switches" or "racks"; switches fail with all their links and hosts.
    metric : str
        "disconnection", "diameter" or "aspl": the surviving network must be connected and, for the last two, at most `tolerate`
        hops worse than the whole network.
    order : str
        "random", or the quantity whose greatest values fail first: "load", "degree", "cables" (`failure_orders.failing`).
    levels : floats, optional
        Shares of all links, switches or racks; 0.05 to 0.95 in steps of 0.05 when omitted.
    samples : int, optional
        1,000 when omitted; with an `interval_width`, the most samples (100,000 when omitted).
    interval_width : float, optional
        Take samples until the 95 % confidence interval of every level is no wider: 0.02 takes about 9,600.
    criterion : float
        A level counts as survived when the share of samples that survive is at least this.
    tolerate : float, optional
        Hops; 2 for the diameter and 1 for the ASPL when omitted.
    of : str
        "switches": between all surviving switches; "hosts": between those with hosts, so that a spine that is cut off does
        not count.
    racks : int[switches], optional
        The rack of each switch, for ``fail="racks"``.
    seed : int
        The same seed gives the same curve, whatever `jobs`.
    jobs : int, optional
        Threads; all cores when omitted.
    values : bool
        Measure the diameter or the ASPL at every level, for `Level.mean` and `Level.worst`; else it is measured only where the
        search for the last level within the limit needs it.
    work : Work, optional
        Reports progress in samples; when stopped, the result is the curve of the finished samples.

    Returns
    -------
    Survival
        How many samples survive each share of failures, with a 95 % interval; and the greatest share that at least
        `criterion` of the samples survive.

    Raises
    ------
    InputError
        A topology that is not connected even without failures, no hosts for ``of="hosts"``, path lengths of several planes, or
        values out of range.
    Stopped
        `work` was stopped before a sample was finished.

    Notes
    -----
    Connectedness takes one union-find pass per sample for all levels. Diameter and ASPL take a bit-parallel search of all
    pairs: for about log2(levels) levels per sample when links fail, as this only lengthens paths; for every level when switches
    fail.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> ring = build("torus:dims=20")  # without one link it is a path, without two it is disconnected
    >>> result = resilience(ring, levels=[0.05, 0.1], samples=100)
    >>> [level.probability for level in result.levels], result.threshold
    ([1.0, 0.0], 0.05)
    """
    topology = taken(topology, Topology, "resilience")
    work = Work() if work is None else work
    shares = _levels(levels)
    _check(metric, of, criterion, interval_width, samples, tolerate, values)
    what = failing(topology, fail, order, racks, jobs)
    planes = plane_count(topology)
    of = "hosts" if planes > 1 else of
    survival_criterion = (
        hosts_reach(topology, what, metric) if planes > 1 else criterion_of(topology, what, metric, of, tolerate, jobs)
    )
    failures = np.array([failures_at(share, what.units) for share in shares], np.int64)
    # Without a switch, the others may be closer to each other: then no level can be inferred from another.
    counts = SampleCounts(survival_criterion, failures, values or fail != "links")
    wanted = samples if samples is not None else MOST_SAMPLES if interval_width is not None else SAMPLES
    batch = wanted if interval_width is None else _BATCH[survival_criterion.slow]
    exact = None
    work.begin(wanted if interval_width is None else None, "samples")
    with work.interruptible():
        while counts.samples < wanted and not work.stopped:
            end = min(wanted, counts.samples + batch)
            _sample(counts, states(seed, counts.samples, end), jobs, work)
            if work.stopped or interval_width is None:
                continue
            if all(level.high - level.low <= interval_width for level in counts.levels(shares)):
                break
        if not work.stopped:
            exact = counts.exact(criterion, states(seed, 0, counts.samples), jobs, work)
    if not counts.samples:
        work.check()
    curve = tuple(counts.levels(shares))
    return Survival(
        topology.name,
        topology.spec,
        topology.switches,
        len(topology.links),
        topology.hosts,
        fail,
        metric,
        order,
        of,
        what.units,
        curve,
        criterion,
        survival_criterion.whole,
        survival_criterion.most,
        threshold_of(curve, criterion),
        exact,
        seed,
        counts.samples,
        work.ended,
        planes=max(1, planes),
        provenance=provenance_of(topology, seed=seed),
    )


def _sample(counts: SampleCounts, begins: np.ndarray, jobs: int | None, work: Work) -> None:
    """Evaluate samples on all cores, given their random streams; when stopped, only an unbroken first part of them counts."""
    chunk = _CHUNK[counts.criterion.slow]
    parts = np.split(begins, range(chunk, begins.size, chunk))
    answers: dict[int, np.ndarray] = {}

    def task(numbers: Iterator[int]) -> None:
        for number in numbers:
            if work.stopped:
                return
            answers[number] = counts.ask(parts[number])
            work.advance(parts[number].size)

    try:
        over_cores(task, len(parts), jobs)
    finally:
        # Only samples in order count: those that finish first disconnect first, and would count too much.
        for number, part in enumerate(parts):
            if number not in answers:
                break
            counts.add(answers[number], part.size)


def _levels(levels: Iterable[float] | None) -> list[float]:
    """Return the shares in rising order, without duplicates."""
    shares = sorted({float(share) for share in (STEPS if levels is None else levels)})
    if not shares:
        raise InputError("levels= is empty; give shares that fail, as in levels=[0.05, 0.1]")
    for share in shares:
        if not 0 <= share <= 1:
            raise InputError(f"level {share:g}: the share that fails must be between 0 and 1")
    return shares


def _check(
    metric: str,
    of: str,
    criterion: float,
    interval_width: float | None,
    samples: int | None,
    tolerate: float | None,
    values: bool,
) -> None:
    """Refuse values out of range, and combinations without meaning."""
    if metric not in METRICS:
        raise InputError(f"metric='{metric}': use {', '.join(METRICS)}")
    if of not in OF:
        raise InputError(f"of='{of}': use {' or '.join(OF)}")
    if not 0 < criterion <= 1:
        raise InputError(f"criterion={criterion:g}: it is a probability above 0 and at most 1, as in 0.75")
    if interval_width is not None and not 0 < interval_width < 1:
        raise InputError(
            f"interval_width={interval_width:g}: it is the width of a confidence interval, between 0 and 1, as in 0.02"
        )
    if samples is not None and samples < 1:
        raise InputError(f"samples={samples}: at least one is needed")
    Allowance("resilience").take(8.0 * (samples or 0), f"{samples or 0:,} samples")
    if tolerate is not None and not 0 <= tolerate < math.inf:
        raise InputError(f"tolerate={tolerate:g}: it is a number of extra hops, at least 0")
    if metric == "disconnection" and (tolerate is not None or values):
        what = "tolerate" if tolerate is not None else "values"
        raise InputError(
            f"{what}=: metric='disconnection' has no hops; use metric='diameter' or 'aspl', or omit {what}="
        )
