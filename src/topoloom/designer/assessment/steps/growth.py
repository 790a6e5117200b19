"""What growing costs: hosts in ports that are idle, and a plan for 10 and 25 % more."""

import math
import re

from topoloom.cabling.expansion.expand import expand
from topoloom.cabling.expansion.expansion import Expansion
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

#: By so much networks grow.
SHARES = (0.10, 0.25)
#: A family's own method grows in whole groups: so many sizes further on are tried.
_FURTHER = 64


def _growth(subject: Subject, work: Work) -> StepResult:
    figures: list[Figure] = []
    for share in SHARES:
        work.check()
        figures += _grown(subject, share, work)
    return StepResult(figures)


def _grown(subject: Subject, share: float, work: Work) -> list[Figure]:
    key, told = f"{share * 100:.0f}", f"{share:.0%}"
    try:
        plan, goal = _plan(subject, share, work)
    except InputError as error:
        none = f"no plan: {error}"
        return [
            Figure(
                key=f"moved_{key}",
                label=f"cables moved, {told} more",
                unit="cables",
                value=None,
                how=none,
                better="less",
            )
        ]
    cables, cost = len(subject.topology.links), plan.cost.total_usd
    how = (
        f"a plan by method {plan.method} to {plan.topology.hosts:,} hosts on {plan.topology.switches:,} switches:"
        f" {plan.removed:,} of {cables:,} cables go, {plan.added:,} come"
    )
    ports = "" if subject.radix is None else f" --radix {subject.radix}"
    by_hand = f"topoloom expand FOLDER {goal}{ports} --seed {subject.seed}"
    return [
        Figure(
            key=f"moved_{key}",
            label=f"cables moved, {told} more",
            unit="cables",
            value=plan.removed,
            how=how,
            by_hand=by_hand,
            better="less",
        ),
        Figure(
            key=f"growth_{key}_usd",
            label=f"cost of {told} more",
            unit="USD",
            value=None if math.isnan(cost) else cost,
            how=f"switches, cables and installation of that plan; {plan.topology.hosts - subject.topology.hosts:,} hosts more",
            by_hand=by_hand,
            better="less",
        ),
    ]


def _plan(subject: Subject, share: float, work: Work) -> tuple[Expansion, str]:
    """A plan, and the options that say where to: by the family's own method, to the first size that it can reach from there on.

    A fat tree for so many hosts becomes that for more of them.

    Raises
    ------
    InputError
        There is none.
    """
    # Of several planes each grows alike, and the size is that of one.
    topology = planes_of(subject.topology)[0].topology
    known = recognised(topology)
    method = find_method("auto", known[0].name if known else None)
    size = {"switches": topology.switches, "hosts": topology.hosts, "links": len(topology.links)}[method.counts]
    wanted = math.ceil(size * (1 + share) - 1e-9)
    larger = _larger_tree(subject.topology.spec, share)
    if larger is not None:
        return _expanded(subject, work, into=build(larger)), f"--into '{larger}'"
    refused: InputError | None = None
    for more in range(_FURTHER):
        work.check()
        try:
            return _expanded(subject, work, to=wanted + more), f"--to {wanted + more}"
        except InputError as error:
            # What stands in the way of a size that the method counts tells more than that it counts another way.
            refused = error if refused is None or "nearest" in str(refused) else refused
    raise refused if refused is not None else InputError("no size was tried")


def _expanded(subject: Subject, work: Work, to: int | None = None, into: Topology | None = None) -> Expansion:
    """The plan to a size, or into a network."""
    return expand(subject.network, to, into=into, radix=subject.radix, seed=subject.seed, jobs=subject.jobs, work=work)


#: The hosts that a fat tree is for, in its spec.
_HOSTS = re.compile(r"(?<=[:,]hosts=)[0-9]+")


def _larger_tree(spec: str | None, share: float) -> str | None:
    """The spec of a fat tree for so much more hosts; None where that is no fat tree for a number of hosts."""
    if spec is None or not spec.startswith("fat-tree:"):
        return None
    found = _HOSTS.search(spec)
    if found is None:
        return None
    return _HOSTS.sub(str(math.ceil(int(found[0]) * (1 + share) - 1e-9)), spec, count=1)


GROWTH = AssessmentStep("growth", "growth by 10 and 25 %", "Growth", _growth)
