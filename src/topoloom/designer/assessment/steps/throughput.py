"""The steps of throughput: the load that the tables carry, by exact channel loads, with a bound for any routing."""

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.routing.routing import Routing
from topoloom.throughput.one_pattern import pattern_throughput, uniform_throughput
from topoloom.throughput.quality import quality

#: Patterns in addition to uniform traffic and the worst permutation, and their labels.
PATTERNS = (("tornado", "tornado"), ("bit-reversal", "bit reversal"))
_UNIT = "of a host's rate"


def _throughput(subject: Subject, work: Work) -> StepResult:
    routing = subject.routed(work)
    carried, bound = uniform_throughput(routing, jobs=subject.jobs, work=work)
    expected = routing.packets_choose is not None
    split = "every switch splits evenly over shortest paths" if expected else "exact loads of every channel"
    return StepResult(
        [
            Figure(
                key="uniform_throughput",
                label="throughput, uniform",
                unit=_UNIT,
                value=carried,
                bound=bound,
                how=f"{split}, {routing.description}; the bound holds for any routing, by the number of hops",
                by_hand=_by_hand(subject),
                better="more",
            )
        ]
    )


def _worst(subject: Subject, work: Work) -> StepResult:
    routing = subject.routed(work)
    measured = quality(routing, seed=subject.seed, jobs=subject.jobs, work=work)
    figures = [
        Figure(
            key="worst_throughput",
            label="throughput, worst permutation",
            unit=_UNIT,
            value=measured.worst_throughput,
            bound=measured.tub,
            how=f"the worst permutation for these tables, exact, {routing.description}; the bound (TUB) is for the permutation"
            " of the longest distances, for any routing"
            if measured.worst_throughput is not None
            else "not given for expected loads, for more than 8,192 switches, or for more than about 2,000 hosts on rails",
            by_hand=_by_hand(subject),
            better="more",
        )
    ]
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
                how=f"{measured.bisections:,} random halves, {routing.description}, seed {subject.seed}; interval: 95 %"
                " confidence",
                by_hand=_by_hand(subject),
                better="more",
            )
        )
    return StepResult(figures, {"quality": measured})


def _by_hand(subject: Subject) -> str:
    return f"topoloom quality FOLDER --seed {subject.seed}"


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
    try:
        carried, bound = pattern_throughput(routing, name, seed=subject.seed, jobs=subject.jobs, work=work)
    except InputError as error:
        return Figure(key=key, label=f"throughput, {label}", unit=_UNIT, value=None, how=str(error), better="more")
    return Figure(
        key=key,
        label=f"throughput, {label}",
        unit=_UNIT,
        value=carried,
        bound=bound,
        how=f"exact loads of every channel, {routing.description}; the bound holds for any routing, by the number of hops",
        by_hand=f"topoloom quality FOLDER --traffic {name} --seed {subject.seed}",
        better="more",
    )


THROUGHPUT = AssessmentStep(
    "throughput", "uniform throughput of the tables", "Throughput", _throughput, cheap=True, by_tables=True
)
PATTERNED = AssessmentStep("patterns", "tornado and bit reversal", "Throughput", _patterns, cheap=True, by_tables=True)
WORST = AssessmentStep(
    "worst", "the worst permutation and random halves", "Throughput", _worst, cheap=True, by_tables=True
)
