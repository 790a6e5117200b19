"""What may fail: links and switches at random, single losses in the worst case, and the bandwidth that is left."""

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.failures.blast_radius import blast_radius
from topoloom.failures.degradation import degradation
from topoloom.failures.resilience import SAMPLES, resilience
from topoloom.graph.planes import plane_count

#: Shares of links lost, for the bandwidth that is left, and random orders at each.
SHARES, ORDERS = (0.01, 0.05, 0.1), 5


def _failures(subject: Subject, work: Work) -> StepResult:
    topology, seed = subject.topology, subject.seed
    if topology.switches < 2 or not len(topology.links):
        raise InputError(f"{topology.name}: one switch has no links that could fail")
    figures, of = [], "hosts" if topology.hosts else "switches"
    for fail in ("links", "switches"):
        survival = resilience(topology, fail, of=of, seed=seed, jobs=subject.jobs, work=work)
        if survival.ended != "done":
            work.check()
        figures.append(
            Figure(
                key=f"{fail}_may_fail",
                label=f"{fail} that may fail",
                unit=f"of all {fail}",
                value=survival.threshold,
                how=f"at random, in steps of 5 %: the last up to which {survival.criterion:.0%} of {SAMPLES:,} orders leave all"
                f" {of} that stand joined, seed {seed}",
                by_hand=f"topoloom resilience FOLDER --fail {fail} --of {of} --seed {seed}",
                better="more",
            )
        )
    return StepResult(figures + _single(subject, work))


def _single(subject: Subject, work: Work) -> list[Figure]:
    """The worst loss of each kind: hosts that it cuts off."""
    if not subject.topology.hosts:
        return []
    found = blast_radius(subject.topology, work=work)
    return [
        Figure(
            key=f"cut_off_by_{loss.lose}",
            label=f"hosts that a lost {loss.lose} cuts off",
            unit="hosts",
            value=loss.cut_off,
            how=f"the worst of all {loss.units:,}; hosts keep {loss.uplinks_mean:.1%} of their bandwidth on average",
            by_hand="topoloom losses FOLDER",
            better="less",
        )
        for loss in found.losses
        if loss.lose != "plane" or found.planes > 1
    ]


def _degradation(subject: Subject, work: Work, effort: int = 1) -> StepResult:
    topology, seed = subject.topology, subject.seed
    if topology.switches < 2 or not len(topology.links):
        raise InputError(f"{topology.name}: one switch has no links that could fail")
    planes = plane_count(topology)
    where = "" if planes == 1 else ", of one plane of them"
    left = degradation(topology, levels=SHARES, samples=ORDERS * effort, seed=seed, jobs=subject.jobs, work=work)
    shares = ",".join(f"{share:.0%}" for share in SHARES)
    return StepResult(
        [
            Figure(
                key=f"left_after_{level.share * 100:.0f}",
                label=f"bandwidth left after {level.share:.0%} of links",
                unit="of the whole network's",
                value=level.uniform,
                low=level.uniform_least,
                how=f"the bound on uniform throughput{where}, mean of {level.connected} of {level.samples} random orders, which"
                f" leave hosts joined; low is the worst of them, seed {seed}",
                by_hand=f"topoloom degradation FOLDER --shares {shares} --draws {ORDERS * effort} --seed {seed}",
                better="more",
            )
            for level in left
        ]
    )


FAILURES = AssessmentStep("failures", "what may fail", "Failures", _failures)
DEGRADATION = AssessmentStep("degradation", "bandwidth after failures", "Failures", _degradation, finer=_degradation)
