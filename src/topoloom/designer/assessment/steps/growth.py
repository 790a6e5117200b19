"""The step of growth: a plan, and its cost, for 10 % and 25 % more hosts."""

import math

from topoloom.cabling.expansion.expand import expand
from topoloom.cabling.expansion.expansion import Expansion
from topoloom.cabling.expansion.larger_trees import larger_trees
from topoloom.cabling.expansion.recognise import recognised
from topoloom.cabling.expansion.registry import find_method
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.graph.planes import planes_of
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

#: Shares by which the network grows.
SHARES = (0.10, 0.25)
#: Most sizes tried beyond the wanted one, because a family's own method grows by whole groups.
_FURTHER = 64


def _growth(subject: Subject, work: Work) -> StepResult:
    figures: list[Figure] = []
    for share in SHARES:
        work.check()
        figures += _grown(subject, share, work)
    return StepResult(figures)


def _grown(subject: Subject, share: float, work: Work) -> list[Figure]:
    key, percent = f"{share * 100:.0f}", f"{share:.0%}"
    try:
        plan, goal = _plan(subject, share, work)
    except InputError as error:
        reason = f"no plan: {error}"
        return [
            Figure(
                key=f"moved_{key}",
                label=f"cables moved to grow by {percent}",
                unit="cables",
                value=None,
                how=reason,
                better="less",
            )
        ]
    # The cables before the work, those of hosts too where the plan counts them.
    cables, cost = plan.removed + plan.kept, plan.cost.total_usd
    unknown = [kind for kind, usd in plan.cost.by_kind.items() if math.isnan(usd)]
    how = (
        f"a plan by method {plan.method} to {plan.topology.hosts:,} hosts on {plan.topology.switches:,} switches:"
        f" {plan.removed:,} of {cables:,} cables are removed, {plan.added:,} are added"
    )
    ports = "" if subject.radix is None else f" --radix {subject.radix}"
    by_hand = f"topoloom expand FOLDER {goal}{ports} --seed {subject.seed}"
    return [
        Figure(
            key=f"moved_{key}",
            label=f"cables moved to grow by {percent}",
            unit="cables",
            value=plan.removed,
            how=how,
            by_hand=by_hand,
            better="less",
        ),
        Figure(
            key=f"growth_{key}_usd",
            label=f"cost to grow by {percent}",
            unit=subject.parts.currency,
            value=None if unknown and not cost else cost,
            how=f"switches, cables and installation of that plan; {plan.topology.hosts - subject.topology.hosts:,} more hosts"
            + (f"; without {', '.join(unknown)}, whose price is not known" if unknown else ""),
            by_hand=by_hand,
            better="less",
        ),
    ]


def _plan(subject: Subject, share: float, work: Work) -> tuple[Expansion, str]:
    """A plan to the smallest size, of at least `share` more, for which the family's method has a plan; and the options of
    `expand`.

    A fat tree for a number of hosts becomes the fat tree for more of them.

    Raises
    ------
    InputError
        There is no plan.
    """
    # All planes grow alike, and the size is that of one plane.
    topology = planes_of(subject.topology)[0].topology
    families = recognised(topology)
    method = find_method("auto", families[0].name if families else None)
    size = {"switches": topology.switches, "hosts": topology.hosts, "links": len(topology.links)}[method.counts]
    wanted = math.ceil(size * (1 + share) - 1e-9)  # less 1e-9, so that rounding adds no switch or host
    unplanned: InputError | None = None
    for larger in larger_trees(subject.topology, math.ceil(subject.topology.hosts * (1 + share) - 1e-9)):
        work.check()
        try:
            return _expanded(subject, work, into=build(larger)), f"--into '{larger}'"
        except InputError as error:
            unplanned = error
    if unplanned is not None:
        raise unplanned
    refused: InputError | None = None
    for more in range(_FURTHER):
        work.check()
        try:
            return _expanded(subject, work, to=wanted + more), f"--to {wanted + more}"
        except InputError as error:
            # Keep the first error, except where it only names the nearest size that the method counts.
            refused = error if refused is None or "nearest" in str(refused) else refused
    raise refused if refused is not None else InputError("no size was tried")


def _expanded(subject: Subject, work: Work, to: int | None = None, into: Topology | None = None) -> Expansion:
    """The plan to a size, or into another network."""
    return expand(subject.network, to, into=into, radix=subject.radix, seed=subject.seed, jobs=subject.jobs, work=work)


GROWTH = AssessmentStep("growth", "growth by 10% and 25%", "Growth", _growth)
