"""The operation: how much of a network can fail before it falls apart, or its paths get too long."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.failures.criterion import criterion_of
from topoloom.failures.failure_orders import failing, failures_at, states
from topoloom.failures.hosts_reach import hosts_reach
from topoloom.failures.sample_counts import SampleCounts
from topoloom.failures.survival import Survival, threshold_of
from topoloom.graph.planes import plane_count
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology

METRICS = ("disconnection", "diameter", "aspl")
OF = ("switches", "hosts")
STEPS = tuple(round(0.05 * step, 2) for step in range(1, 20))
#: Samples without a width, and at most with one.
SAMPLES, MOST_SAMPLES = 1000, 100_000
#: Samples that a thread takes at a time, and those between two looks at the width, by what they cost.
_CHUNK, _BATCH = {True: 4, False: 32}, {True: 200, False: 1000}


def resilience(
    topology: NetworkSource,
    fail: str = "links",
    metric: str = "disconnection",
    *,
    order: str = "random",
    levels: Iterable[float] | None = None,
    samples: int | None = None,
    width: float | None = None,
    criterion: float = 0.75,
    tolerate: float | None = None,
    of: str = "switches",
    racks: np.ndarray | None = None,
    seed: int = 1,
    jobs: int | None = None,
    values: bool = False,
    work: Work | None = None,
) -> Survival:
    """The survival curve of a topology under random or targeted failures.

    Every sample is one order of failures, and all levels look at the same orders: the samples of one level are independent of
    each other, so its interval holds; those of two levels are not, so the curve of links cannot rise by chance.

    Parameters
    ----------
    topology : NetworkSource
        Connected, or of several planes, which its hosts join and no link does: there all hosts that are left must reach each
        other through any plane (hosts do not forward), whatever `of` says.
    fail : str
        "links", "switches" or "racks"; switches fail with all their links and hosts.
    metric : str
        "disconnection", "diameter" or "aspl": what is left must be connected and, for the last two, at most `tolerate` hops
        worse than the whole network.
    order : str
        "random", or what fails first: "load", "degree", "cables" (`orders.failing`); ties in random order.
    levels : floats, optional
        Shares of all links, switches or racks; 0.05 to 0.95 in steps of 0.05 when omitted.
    samples : int, optional
        1,000 when omitted; with a `width`, at most so many (100,000 when omitted).
    width : float, optional
        Take samples until the 95 % confidence interval of every level is no wider: 0.02 takes about 9,600.
    criterion : float
        A level counts as survived when the share of samples that survive is at least this.
    tolerate : float, optional
        Hops; 2 for the diameter and 1 for the ASPL when omitted.
    of : str
        "switches": between all that survive; "hosts": between those that carry hosts, so that a spine that is cut off does
        not count.
    racks : int[switches], optional
        The rack of each switch, for ``fail="racks"``.
    seed : int
        The same seed gives the same curve, whatever `jobs`.
    jobs : int, optional
        Threads; every core when omitted.
    values : bool
        Measure the diameter or the ASPL at every level, for `Level.mean` and `Level.worst`; else only as often as it takes to
        find the level at which it is too much.
    work : Work, optional
        Told of samples; when stopped, the curve of those that are finished is the result.

    Returns
    -------
    Survival
        For each share of failures, how many samples survive, with a 95 % interval; and the share up to which
        `criterion` of them do.

    Raises
    ------
    InputError
        A topology that is not connected to begin with, no hosts for ``of="hosts"``, lengths of several planes, or values out
        of range.
    Stopped
        `work` was stopped before a sample was finished.

    Notes
    -----
    Connectedness: one union-find pass a sample for all levels. Diameter and ASPL: a bit-parallel search of all pairs, for some
    log2(levels) levels a sample when links fail, which only makes paths longer, for each level when switches do.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> ring = build("torus:dims=20")  # one link less is a path, two are two pieces
    >>> found = resilience(ring, levels=[0.05, 0.1], samples=100)
    >>> [level.probability for level in found.levels], found.threshold
    ([1.0, 0.0], 0.05)
    """
    topology = taken(topology, Topology, "resilience")
    work = Work() if work is None else work
    shares = _levels(levels)
    _check(metric, of, criterion, width, samples, tolerate, values)
    what = failing(topology, fail, order, racks, jobs)
    planes = plane_count(topology)
    of = "hosts" if planes > 1 else of
    asked = (
        hosts_reach(topology, what, metric) if planes > 1 else criterion_of(topology, what, metric, of, tolerate, jobs)
    )
    failures = np.array([failures_at(share, what.units) for share in shares], np.int64)
    # Without a switch the others may be closer together: then no level says anything of another.
    counts = SampleCounts(asked, failures, values or fail != "links")
    wanted = samples if samples is not None else MOST_SAMPLES if width is not None else SAMPLES
    batch = wanted if width is None else _BATCH[asked.hops]
    exact = None
    work.begin(wanted if width is None else None, "samples")
    with work.interruptible():
        while counts.samples < wanted and not work.stopped:
            end = min(wanted, counts.samples + batch)
            _sample(counts, states(seed, counts.samples, end), jobs, work)
            if work.stopped or width is None:
                continue
            if all(level.high - level.low <= width for level in counts.levels(shares)):
                break
        if not work.stopped:
            exact = counts.exact(criterion, states(seed, 0, counts.samples), jobs, work)
    if not counts.samples:
        work.check()
    found = tuple(counts.levels(shares))
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
        found,
        criterion,
        asked.whole,
        asked.most,
        threshold_of(found, criterion),
        exact,
        seed,
        counts.samples,
        work.ended,
        planes=max(1, planes),
        provenance=provenance_of(topology, seed=seed),
    )


def _sample(counts: SampleCounts, begins: np.ndarray, jobs: int | None, work: Work) -> None:
    """Ask samples, given where their streams begin, on all cores; when stopped only the first that are finished count."""
    chunk = _CHUNK[counts.criterion.hops]
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
        # Those in order only: what ends first is what fell apart first, and would count too much.
        for number, part in enumerate(parts):
            if number not in answers:
                break
            counts.add(answers[number], part.size)


def _levels(levels: Iterable[float] | None) -> list[float]:
    """Shares in rising order, each once."""
    shares = sorted({float(share) for share in (STEPS if levels is None else levels)})
    if not shares:
        raise InputError("no level to look at; give shares of what fails, as in levels=[0.05, 0.1]")
    for share in shares:
        if not 0 <= share <= 1:
            raise InputError(f"level {share:g}: a share of what fails is between 0 and 1")
    return shares


def _check(
    metric: str,
    of: str,
    criterion: float,
    width: float | None,
    samples: int | None,
    tolerate: float | None,
    values: bool,
) -> None:
    """Refuse what makes no sense."""
    if metric not in METRICS:
        raise InputError(f"metric='{metric}': {', '.join(METRICS)} can be asked for")
    if of not in OF:
        raise InputError(f"of='{of}': between {' or '.join(OF)}")
    if not 0 < criterion <= 1:
        raise InputError(f"criterion={criterion:g}: a probability above 0, at most 1, as in 0.75")
    if width is not None and not 0 < width < 1:
        raise InputError(f"width={width:g}: how wide an interval of a probability may be, as in 0.02")
    if samples is not None and samples < 1:
        raise InputError(f"samples={samples}: at least one is needed")
    Allowance("resilience").take(8.0 * (samples or 0), f"{samples or 0:,} samples")
    if tolerate is not None and not 0 <= tolerate < math.inf:
        raise InputError(f"tolerate={tolerate:g}: hops more, at least 0")
    if metric == "disconnection" and (tolerate is not None or values):
        what = "tolerate" if tolerate is not None else "values"
        raise InputError(f"{what}=: disconnection has no hops; ask for metric='diameter' or 'aspl', or leave it out")
