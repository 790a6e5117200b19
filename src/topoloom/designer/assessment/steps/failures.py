"""The steps of failures: random losses of links and switches, the worst single losses, and the bandwidth that remains."""

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.failures.blast_radius import blast_radius
from topoloom.failures.degradation import degradation
from topoloom.failures.resilience import SAMPLES, resilience
from topoloom.graph.planes import plane_count

#: Random orders of failures of a network of several planes.
PLANE_SAMPLES = 200
#: Shares of links lost, for the remaining bandwidth, and the number of random orders at each.
SHARES, ORDERS = (0.01, 0.05, 0.1), 5


def _failures(subject: Subject, work: Work) -> StepResult:
    topology, seed = subject.topology, subject.seed
    if topology.switches < 2 or not len(topology.links):
        raise InputError(f"{topology.name}: it has no links that could fail")
    figures, of = [], "hosts" if topology.hosts else "switches"
    # Samples of planes are evaluated level by level, which takes longer.
    samples = SAMPLES if plane_count(topology) == 1 else PLANE_SAMPLES
    drawn = "" if samples == SAMPLES else f" --samples {samples}"
    for fail in ("links", "switches"):
        survival = resilience(topology, fail, of=of, samples=samples, seed=seed, jobs=subject.jobs, work=work)
        if survival.ended != "done":
            work.check()
        figures.append(
            Figure(
                key=f"{fail}_may_fail",
                label=f"{fail} that may fail",
                unit=f"of all {fail}",
                value=survival.threshold,
                how=f"random failures in steps of 5 %: the last step at which {survival.criterion:.0%} of {samples:,} orders"
                f" leave all remaining {of} connected, seed {seed}",
                by_hand=f"topoloom resilience FOLDER --fail {fail} --of {of}{drawn} --seed {seed}",
                better="more",
            )
        )
    return StepResult(figures + _single(subject, work))


def _single(subject: Subject, work: Work) -> list[Figure]:
    """The worst single loss of each kind of part: the hosts that it cuts off."""
    if not subject.topology.hosts:
        return []
    radius = blast_radius(subject.topology, work=work)
    return [
        Figure(
            key=f"cut_off_by_{loss.lose}",
            label=f"hosts cut off by a lost {loss.lose}",
            unit="hosts",
            value=loss.cut_off,
            how=f"the worst of all {loss.units:,}; on average, hosts keep {loss.uplinks_mean:.1%} of their bandwidth",
            by_hand="topoloom losses FOLDER",
            better="less",
        )
        for loss in radius.losses
        if loss.lose != "plane" or radius.planes > 1
    ]


def _degradation(subject: Subject, work: Work, effort: int = 1) -> StepResult:
    topology, seed = subject.topology, subject.seed
    if topology.switches < 2 or not len(topology.links):
        raise InputError(f"{topology.name}: it has no links that could fail")
    planes = plane_count(topology)
    links = len(topology.links)
    where = "" if planes == 1 else f", mean of {planes} planes, whose links fail together"
    left = degradation(topology, levels=SHARES, samples=ORDERS * effort, seed=seed, jobs=subject.jobs, work=work)
    shares = ",".join(f"{share:.0%}" for share in SHARES)
    return StepResult(
        [
            Figure(
                key=f"left_after_{level.share * 100:.0f}",
                label=f"bandwidth left after {level.share:.0%} of links",
                unit="of the undamaged network's",
                value=level.uniform,
                low=level.uniform_least,
                how=f"{level.failures:,} of {links:,} links lost: the bound on uniform throughput{where}, mean of"
                f" {level.connected} of {level.samples} random orders that leave the hosts connected; low is the worst of them,"
                f" seed {seed}",
                by_hand=f"topoloom degradation FOLDER --shares {shares} --draws {ORDERS * effort} --seed {seed}",
                better="more",
            )
            for level in left
        ]
    )


FAILURES = AssessmentStep("failures", "random and single failures", "Failures", _failures)
DEGRADATION = AssessmentStep("degradation", "bandwidth after failures", "Failures", _degradation, finer=_degradation)
