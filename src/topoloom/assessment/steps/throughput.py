"""What the tables carry, by exact loads, beside what no routing can pass."""

from topoloom.assessment.figure import Figure
from topoloom.assessment.step import Found, Step
from topoloom.assessment.subject import Subject
from topoloom.errors import InputError
from topoloom.graph.planes import plane_count
from topoloom.routing.planes import distinct_tables
from topoloom.routing.routing import Routing
from topoloom.throughput.quality import quality
from topoloom.throughput.tub import volume_bound
from topoloom.traffic import Traffic, traffic_of
from topoloom.traffic.loads import expected_loads
from topoloom.work import Work

#: Patterns besides uniform traffic and the worst permutation, and what they are called.
PATTERNS = (("tornado", "tornado"), ("bit-reversal", "bit reversal"))
_UNIT = "of a host's rate"


def _throughput(subject: Subject, work: Work) -> Found:
    routing = subject.routed(work)
    found = quality(routing, seed=subject.seed, jobs=subject.jobs, work=work)
    by = f"topoloom quality FOLDER --seed {subject.seed}"
    split = "every switch splits evenly over shortest paths" if found.expected else "exact loads of every channel"
    figures = [
        Figure(
            key="uniform_throughput",
            label="throughput, uniform",
            unit=_UNIT,
            value=found.uniform_throughput,
            bound=found.uniform_bound,
            how=f"{split}; the bound holds for any routing, from hops",
            by_hand=by,
            better="more",
        ),
        Figure(
            key="worst_throughput",
            label="throughput, worst permutation",
            unit=_UNIT,
            value=found.worst_throughput,
            bound=found.tub,
            how="the permutation that these tables serve worst, exact; the bound (TUB) is of the permutation that is farthest,"
            " for any routing"
            if found.worst_throughput is not None
            else "not said by expected loads, or over 8,192 switches",
            by_hand=by,
            better="more",
        ),
    ]
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
                how=f"{found.bisections:,} random halves, seed {subject.seed}; the interval is of 95 %",
                by_hand=by,
                better="more",
            )
        )
    return Found(figures, {"quality": found})


def _patterns(subject: Subject, work: Work) -> Found:
    routing, figures = subject.routed(work), []
    for name, label in PATTERNS:
        work.check()
        figures.append(_pattern(subject, name, label, routing, work))
    return Found(figures)


def _pattern(subject: Subject, name: str, label: str, routing: Routing, work: Work) -> Figure:
    """What one pattern gets, of the slowest plane.

    Parameters
    ----------
    subject : Subject
    name, label : str
        Of the pattern, and for people.
    routing : Routing
    work : Work

    Returns
    -------
    Figure
    """
    key = f"{name.replace('-', '_')}_throughput"
    planes = [routing] if plane_count(routing.topology) == 1 else [one for one, _ in distinct_tables(routing)]
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


THROUGHPUT = Step("throughput", "throughput of the tables", "Throughput", _throughput)
PATTERNED = Step("patterns", "tornado and bit reversal", "Throughput", _patterns)
