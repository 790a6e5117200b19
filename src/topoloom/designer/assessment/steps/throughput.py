"""The steps of throughput: the load that the tables carry, by exact channel loads, with a bound for any routing."""

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

#: Patterns in addition to uniform traffic and the worst permutation, and their labels.
PATTERNS = (("tornado", "tornado"), ("bit-reversal", "bit reversal"))
_UNIT = "of a host's rate"
#: Most pairs of switches times hosts per switch for which a matrix of demands is computed.
_MOST_DEMANDS = 2e8


def _throughput(subject: Subject, work: Work) -> StepResult:
    routing = subject.routed(work)
    measured = quality(routing, seed=subject.seed, jobs=subject.jobs, work=work)
    by = f"topoloom quality FOLDER --seed {subject.seed}"
    split = "every switch splits evenly over shortest paths" if measured.expected else "exact loads of every channel"
    by_host = _by_host(subject, work)
    per_switch = " with one table for all hosts of a switch" if by_host is not None else ""
    figures = [
        Figure(
            key="uniform_throughput",
            label="throughput, uniform",
            unit=_UNIT,
            value=measured.uniform_throughput if by_host is None else by_host[0],
            bound=measured.uniform_bound,
            how=f"{split if by_host is None else by_host[1]}; the bound holds for any routing, by the number of hops",
            by_hand=by if by_host is None else "",
            better="more",
        ),
        Figure(
            key="worst_throughput",
            label="throughput, worst permutation",
            unit=_UNIT,
            value=measured.worst_throughput,
            bound=measured.tub,
            how=f"the worst permutation for these tables{per_switch}, exact; the bound (TUB) is for the permutation of the"
            " longest distances, for any routing"
            if measured.worst_throughput is not None
            else "not given for expected loads, or for more than 8,192 switches",
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
                value=measured.uniform_throughput,
                how=f"{split},{per_switch}",
                by_hand=by,
                better="more",
            )
        )
    if measured.effective_bisection == measured.effective_bisection:
        error = 1.96 * measured.effective_bisection_error
        figures.append(
            Figure(
                key="effective_bisection",
                label="bandwidth between random halves",
                unit=_UNIT,
                value=measured.effective_bisection,
                low=measured.effective_bisection - error,
                high=measured.effective_bisection + error,
                how=f"{measured.bisections:,} random halves{per_switch}, seed {subject.seed}; interval: 95 % confidence",
                by_hand=by,
                better="more",
            )
        )
    return StepResult(figures, {"quality": measured})


def _by_host(subject: Subject, work: Work) -> tuple[float, str] | None:
    """Uniform throughput with one table per host of a switch, and the method; None for engines without such tables."""
    topology = subject.topology
    planes = distinct_planes(topology)
    if len(planes) > 1:
        return None
    plane = planes[0][0].topology
    hosts = plane.endpoints_at.astype(float)
    if hosts.max(initial=0.0) * plane.switches**2 > _MOST_DEMANDS:
        return None
    tables = subject.routed_by_host(work, plane)
    if len(tables) == 1:
        return None
    method = f"exact loads with {len(tables)} tables, one per host of a switch, as in InfiniBand"
    if rails_of(plane, len(tables)) is not None:
        by_rails = quality(tables, bisections=1, seed=subject.seed, jobs=subject.jobs, work=work)
        return by_rails.uniform_throughput, f"{method}, every port sends to its own rail"
    every = np.outer(hosts, hosts > 0) / np.maximum(hosts.sum() - hosts, 1.0)[:, None]
    np.fill_diagonal(every, 0.0)
    load = np.zeros(tables[0].channels.to.size)
    for number, table in enumerate(tables):
        work.check()
        # Table i leads to host i of each switch that has more than i hosts.
        sent = matrix(plane, every * (hosts > number))
        load += table_loads(table, sent, subject.jobs, work=work).channels
    return min(1.0, 1.0 / float(load.max(initial=1.0))), method


def _patterns(subject: Subject, work: Work) -> StepResult:
    routing, figures = subject.routed(work), []
    for name, label in PATTERNS:
        work.check()
        figures.append(_pattern(subject, name, label, routing, work))
    return StepResult(figures)


def _pattern(subject: Subject, name: str, label: str, routing: Routing, work: Work) -> Figure:
    """The throughput of one pattern, on the slowest plane.

    Parameters
    ----------
    subject : Subject
    name, label : str
        Name of the pattern, and its label for readers.
    routing : Routing
    work : Work
    """
    key = f"{name.replace('-', '_')}_throughput"
    planes = [routing] if plane_count(routing.topology) == 1 else [table for (table,), _ in distinct_tables(routing)]
    carried, bound = float("inf"), float("inf")
    try:
        for plane in planes:
            sent = traffic_of(name, plane, subject.seed)
            if not isinstance(sent, Traffic):
                raise InputError(f"traffic '{name}' does not define a load")
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
        how="exact loads of every channel; the bound holds for any routing, by the number of hops",
        by_hand=f"topoloom quality FOLDER --traffic {name} --seed {subject.seed}",
        better="more",
    )


THROUGHPUT = AssessmentStep("throughput", "throughput of the tables", "Throughput", _throughput, cheap=True)
PATTERNED = AssessmentStep("patterns", "tornado and bit reversal", "Throughput", _patterns, cheap=True)
