"""What growing costs: hosts in ports that are idle, and a plan for 10 and 25 % more."""

import math

from topoloom.assessment.figure import Figure
from topoloom.assessment.step import Found, Step
from topoloom.assessment.subject import Subject
from topoloom.errors import InputError
from topoloom.expansion.expand import expand
from topoloom.expansion.expansion import Expansion
from topoloom.expansion.recognise import recognised
from topoloom.expansion.registry import find_method
from topoloom.graph.planes import plane_count
from topoloom.work import Work

#: By so much networks grow.
SHARES = (0.10, 0.25)
#: A family's own method grows in whole groups: so many sizes further on are tried.
_FURTHER = 64


def _growth(subject: Subject, work: Work) -> Found:
    figures: list[Figure] = []
    for share in SHARES:
        work.check()
        figures += _grown(subject, share, work)
    return Found(figures)


def _grown(subject: Subject, share: float, work: Work) -> list[Figure]:
    key, told = f"{share * 100:.0f}", f"{share:.0%}"
    try:
        plan, size = _plan(subject, share, work)
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
    by_hand = f"topoloom expand FOLDER --to {size}{ports}{subject.parts_told} --seed {subject.seed}"
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


def _plan(subject: Subject, share: float, work: Work) -> tuple[Expansion, int]:
    """A plan by the family's own method, to the first size that it can reach from there on.

    Raises
    ------
    InputError
        There is none.
    """
    topology = subject.topology
    if plane_count(topology) > 1:
        raise InputError("plans are made for one plane; grow every plane of them alike")
    known = recognised(topology)
    method = find_method("auto", known[0].name if known else None)
    size = {"switches": topology.switches, "hosts": topology.hosts, "links": len(topology.links)}[method.counts]
    wanted = math.ceil(size * (1 + share) - 1e-9)
    refused: InputError | None = None
    for more in range(_FURTHER):
        work.check()
        try:
            plan = expand(
                subject.layout,
                wanted + more,
                parts=subject.parts,
                rate_gbps=subject.rate_gbps,
                radix=subject.radix,
                seed=subject.seed,
                jobs=subject.jobs,
                work=work,
            )
            return plan, wanted + more
        except InputError as error:
            # What stands in the way of a size that the method counts tells more than that it counts another way.
            refused = error if refused is None or "nearest" in str(refused) else refused
    raise refused if refused is not None else InputError("no size was tried")


GROWTH = Step("growth", "10 and 25 % more", "Growth", _growth)
