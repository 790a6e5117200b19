"""What the tables carry, by exact loads, beside what no routing can pass."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.graph.planes import distinct_planes, plane_count
from topoloom.routing.planes import distinct_tables
from topoloom.routing.routing import Routing
from topoloom.throughput.quality import quality
from topoloom.throughput.rails import rails_of
from topoloom.throughput.traffic import Traffic, matrix, traffic_of
from topoloom.throughput.traffic.loads import expected_loads, table_loads
from topoloom.throughput.tub import volume_bound

#: Patterns besides uniform traffic and the worst permutation, and what they are called.
PATTERNS = (("tornado", "tornado"), ("bit-reversal", "bit reversal"))
_UNIT = "of a host's rate"
#: Pairs of switches times hosts of a switch, for which demands are laid out.
_MOST_DEMANDS = 2e8


def _throughput(subject: Subject, work: Work) -> StepResult:
    routing = subject.routed(work)
    found = quality(routing, seed=subject.seed, jobs=subject.jobs, work=work)
    by = f"topoloom quality FOLDER --seed {subject.seed}"
    split = "every switch splits evenly over shortest paths" if found.expected else "exact loads of every channel"
    by_host = _by_host(subject, work)
    one = " with one table for all hosts of a switch" if by_host is not None else ""
    figures = [
        Figure(
            key="uniform_throughput",
            label="throughput, uniform",
            unit=_UNIT,
            value=found.uniform_throughput if by_host is None else by_host[0],
            bound=found.uniform_bound,
            how=f"{split if by_host is None else by_host[1]}; the bound holds for any routing, from hops",
            by_hand=by if by_host is None else "",
            better="more",
        ),
        Figure(
            key="worst_throughput",
            label="throughput, worst permutation",
            unit=_UNIT,
            value=found.worst_throughput,
            bound=found.tub,
            how=f"the permutation that these tables serve worst{one}, exact; the bound (TUB) is of the permutation that is"
            " farthest, for any routing"
            if found.worst_throughput is not None
            else "not said by expected loads, or over 8,192 switches",
            by_hand=by,
            better="more",
        ),
    ]
    if by_host is not None:
        figures.append(
            Figure(
                key="uniform_one_table",
                label="throughput, uniform, one table per switch",
                unit=_UNIT,
                value=found.uniform_throughput,
                how=f"{split},{one}",
                by_hand=by,
                better="more",
            )
        )
    if found.effective_bisection == found.effective_bisection:
        error = 1.96 * found.effective_bisection_error
        figures.append(
            Figure(
                key="effective_bisection",
                label="bandwidth between random halves",
                unit=_UNIT,
                value=found.effective_bisection,
                low=found.effective_bisection - error,
                high=found.effective_bisection + error,
                how=f"{found.bisections:,} random halves{one}, seed {subject.seed}; the interval is of 95 %",
                by_hand=by,
                better="more",
            )
        )
    return StepResult(figures, {"quality": found})


def _by_host(subject: Subject, work: Work) -> tuple[float, str] | None:
    """Uniform traffic where every host of a switch has a table of its own, and how; None for engines that know of no hosts."""
    topology = subject.topology
    planes = distinct_planes(topology)
    if len(planes) > 1:
        return None
    one = planes[0][0].topology
    hosts = one.endpoints_at.astype(float)
    if hosts.max(initial=0.0) * one.switches**2 > _MOST_DEMANDS:
        return None
    tables = subject.routed_by_host(work, one)
    if len(tables) == 1:
        return None
    told = f"exact loads with {len(tables)} tables, one for each host of a switch, as InfiniBand can have them"
    if rails_of(one, len(tables)) is not None:
        by_rails = quality(tables, bisections=1, seed=subject.seed, jobs=subject.jobs, work=work)
        return by_rails.uniform_throughput, f"{told}, every port to its likes"
    every = np.outer(hosts, hosts > 0) / np.maximum(hosts.sum() - hosts, 1.0)[:, None]
    np.fill_diagonal(every, 0.0)
    load = np.zeros(tables[0].channels.to.size)
    for number, table in enumerate(tables):
        work.check()
        # Table i leads to host i of a switch, where it has so many.
        sent = matrix(one, every * (hosts > number))
        load += table_loads(table, sent, subject.jobs, work=work).channels
    return min(1.0, 1.0 / float(load.max(initial=1.0))), told


def _patterns(subject: Subject, work: Work) -> StepResult:
    routing, figures = subject.routed(work), []
    for name, label in PATTERNS:
        work.check()
        figures.append(_pattern(subject, name, label, routing, work))
    return StepResult(figures)


def _pattern(subject: Subject, name: str, label: str, routing: Routing, work: Work) -> Figure:
    """What one pattern gets, of the slowest plane.

    Parameters
    ----------
    subject : Subject
    name, label : str
        Of the pattern, and for people.
    routing : Routing
    work : Work
    """
    key = f"{name.replace('-', '_')}_throughput"
    planes = [routing] if plane_count(routing.topology) == 1 else [one for (one,), _ in distinct_tables(routing)]
    carried, bound = float("inf"), float("inf")
    try:
        for plane in planes:
            sent = traffic_of(name, plane, subject.seed)
            if not isinstance(sent, Traffic):
                raise InputError(f"traffic '{name}' has no load")
            carried = min(carried, expected_loads(plane, sent, subject.jobs, work=work).throughput)
            bound = min(bound, volume_bound(plane.topology, sent, subject.jobs))
    except InputError as error:
        return Figure(key=key, label=f"throughput, {label}", unit=_UNIT, value=None, how=str(error), better="more")
    return Figure(
        key=key,
        label=f"throughput, {label}",
        unit=_UNIT,
        value=carried,
        bound=bound,
        how="exact loads of every channel; the bound holds for any routing, from hops",
        by_hand=f"topoloom quality FOLDER --traffic {name} --seed {subject.seed}",
        better="more",
    )


THROUGHPUT = AssessmentStep("throughput", "throughput of the tables", "Throughput", _throughput, cheap=True)
PATTERNED = AssessmentStep("patterns", "tornado and bit reversal", "Throughput", _patterns, cheap=True)
