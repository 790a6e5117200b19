"""The step of growth: a plan, and its cost, for 10 % and 25 % more hosts."""

import math

from topoloom.cabling.expansion.cable_order.order_search import ADD, MOVE
from topoloom.cabling.expansion.expand import expand
from topoloom.cabling.expansion.expansion import Expansion
from topoloom.cabling.expansion.larger_networks import grows_by_hosts
from topoloom.cabling.expansion.panels.expand_panels import expand_panels
from topoloom.cabling.expansion.recognise import recognised
from topoloom.cabling.expansion.registry import find_method
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.graph.planes import planes_of
from topoloom.placement.fibre.shuffled import boxes_in
from topoloom.topologies.families._shuffle_boxes import cords_of_unit

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
    plant = subject.layout.plant
    if plant is not None and plant.method == "shuffle":
        return _grown_by_panels(subject, share, work)
    try:
        plan, goal = growth_plan(subject, share, work)
    except InputError as error:
        reason = f"no plan: {error}; a design for more hosts ([least] grow_to_hosts) keeps ports free for them"
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
            how="switches, cables, installation and moving of that plan;"
            f" {plan.topology.hosts - subject.topology.hosts:,} more hosts"
            + (f"; without {', '.join(unknown)}, whose price is not known" if unknown else ""),
            by_hand=by_hand,
            better="less",
        ),
        *_moving(plan, key, percent, subject.parts.currency),
    ]


def _grown_by_panels(subject: Subject, share: float, work: Work) -> list[Figure]:
    """The trunks that are cut and the cost, where new panels are spliced into trunks: to the next number that fills panels."""
    key, percent = f"{share * 100:.0f}", f"{share:.0%}"
    _, unit = cords_of_unit(boxes_in(subject.layout.plant)[0])  # type: ignore[arg-type]  # its caller has looked
    more = -(-math.ceil(subject.topology.switches * share - 1e-9) // unit) * unit
    to = subject.topology.switches + more
    try:
        plan = expand_panels(subject.network, to, seed=subject.seed, jobs=subject.jobs, work=work)
    except InputError as error:
        plan, reason = None, f"no plan: {error}"
    by_hand = f"topoloom expand FOLDER --to {to} --seed {subject.seed}"
    cut = f"cables moved to grow by {percent}", "cables"
    if plan is None:
        return [Figure(key=f"moved_{key}", label=cut[0], unit=cut[1], value=None, how=reason, better="less")]
    trunks = sum(step.trunk_work.trunks_cut for step in plan.steps)
    how = (
        f"a plan by method {plan.method} to {plan.hosts:,} hosts on {plan.switches:,} switches: {trunks:,} trunks are cut;"
        f" {plan.new_panels:,} panels, {plan.new_trunks:,} trunks and {plan.new_cords:,} cords come; at most"
        f" {plan.most_drained:,} links are drained at a time"
    )
    lost = f"; without {', '.join(plan.unpriced)}, whose price is not known" if plan.unpriced else ""
    return [
        Figure(key=f"moved_{key}", label=cut[0], unit=cut[1], value=trunks, how=how, by_hand=by_hand, better="less"),
        Figure(
            key=f"growth_{key}_usd",
            label=f"cost to grow by {percent}",
            unit=subject.parts.currency,
            value=plan.cost_usd,
            how=f"what is bought for that plan; {plan.hosts - subject.topology.hosts:,} more hosts{lost}",
            by_hand=by_hand,
            better="less",
        ),
    ]


def _moving(plan: Expansion, key: str, percent: str, currency: str) -> list[Figure]:
    """The cost of the cables that move; no figure where the catalogue has no price for moving one."""
    moved = plan.count(MOVE) + sum(task.work == ADD and not task.new for step in plan.steps for task in step.tasks)
    if moved and not plan.cost.moving_usd:
        return []
    return [
        Figure(
            key=f"moving_{key}_usd",
            label=f"of it for moving cables, to grow by {percent}",
            unit=currency,
            value=plan.cost.moving_usd,
            how=f"{moved:,} cables of that plan are plugged in elsewhere, at the catalogue's price for moving one",
            better="less",
        )
    ]


def growth_plan(subject: Subject, share: float, work: Work) -> tuple[Expansion, str]:
    """A plan to the smallest size, of at least `share` more, for which the network has a plan; and the options of `expand`.

    Parameters
    ----------
    subject : Subject
        The network with its layout, and the ports of the switches to buy.
    share : float
        How much it grows.
    work : Work

    Returns
    -------
    (Expansion, str)

    Raises
    ------
    InputError
        There is no plan.
    """
    topology, named = subject.topology, "auto"
    if grows_by_hosts(topology):
        hosts = math.ceil(topology.hosts * (1 + share) - 1e-9)  # less 1e-9, so that rounding adds no host
        try:
            return _expanded(subject, hosts, "auto", work), f"--to {hosts}"
        except InputError:
            if "level" in topology.labels:
                raise
            named = "splice"  # the places of hosts are full, and no larger network of the family keeps its cables
    # All planes grow alike, and the size is that of one plane.
    plane = planes_of(topology)[0].topology
    families = recognised(plane)
    method = find_method(named, families[0].name if families else None)
    option = "" if named == "auto" else f" --method {named}"
    size = {"switches": plane.switches, "hosts": plane.hosts, "links": len(plane.links)}[method.counts]
    wanted = math.ceil(size * (1 + share) - 1e-9)
    refused: InputError | None = None
    for more in range(_FURTHER):
        work.check()
        try:
            return _expanded(subject, wanted + more, named, work), f"--to {wanted + more}{option}"
        except InputError as error:
            # Keep the first error, except where it only names the nearest size that the method counts.
            refused = error if refused is None or "nearest" in str(refused) else refused
    raise refused if refused is not None else InputError("no size was tried")


def _expanded(subject: Subject, to: int, method: str, work: Work) -> Expansion:
    """The plan to a size by a method."""
    return expand(subject.network, to, method, radix=subject.radix, seed=subject.seed, jobs=subject.jobs, work=work)


GROWTH = AssessmentStep("growth", "growth by 10% and 25%", "Growth", _growth)
