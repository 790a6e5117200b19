"""The times of an all-to-all and an all-reduce, simulated as flows along the tables."""

import math
from statistics import fmean, stdev

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.sweep import Case, run_apps

#: Most ranks of the job: an all-to-all of more ranks has over a million messages and takes minutes.
RANKS = 1024
_BYTES_PER_MIB = 1 << 20


def _collectives(subject: Subject, work: Work, effort: int = 1) -> StepResult:
    if subject.topology.hosts < 2:
        raise InputError(f"{subject.topology.name}: collectives need two hosts")
    # A power of two, as halving needs.
    ranks = 1 << (min(RANKS, subject.topology.hosts).bit_length() - 1)
    each = max(1, round(subject.all_to_all_mib * _BYTES_PER_MIB / ranks))
    whole = max(1, round(subject.all_reduce_mib * _BYTES_PER_MIB))
    wanted = (
        ("all_to_all_ms", "all to all", f"alltoall:bytes={each}", f"{subject.all_to_all_mib:g} MiB per host"),
        (
            "all_reduce_ms",
            "all-reduce",
            f"collective:operation=allreduce,algorithm=halving,bytes={whole}",
            f"{subject.all_reduce_mib:g} MiB, by halving",
        ),
    )
    figures = [_collective(subject, work, effort, ranks, *operation) for operation in wanted]
    return StepResult(figures)


def _collective(
    subject: Subject, work: Work, draws: int, ranks: int, key: str, label: str, app: str, sends: str
) -> Figure:
    """The mean time of one operation over random placements.

    Parameters
    ----------
    subject : Subject
    work : Work
    draws, ranks : int
    key, label, app, sends : str
        The figure's key and label, the program, and a description of what it sends.
    """
    placement = "random" if draws == 1 else f"random*{draws}"
    settings = AppSettings(
        rate_gbps=subject.rate_gbps, switch_ns=subject.switch_ns, cable_ns_per_m=subject.cable_ns_per_m
    )
    try:
        routing = subject.routed(work)
        runs = run_apps(
            [Case(subject.topology.name, routing.host_tables, subject.layout, subject.seed)],
            [app],
            ranks,
            [placement],
            settings=settings,
            seed=subject.seed,
            jobs=subject.jobs,
            simulator="flows",
            work=work,
        )
    except InputError as error:
        return Figure(key=key, label=label, unit="ms", value=None, how=str(error), better="less")
    if runs.ended != "done":
        work.check()
    milliseconds = [run.seconds * 1e3 for run in runs.runs]
    mean, half = fmean(milliseconds), _half_width(milliseconds)
    least = [run.bound_s * 1e3 for run in runs.runs if run.bound_s is not None]
    changes = " ".join(
        f"--set {name}={value:g}"
        for name, value in (
            ("rate_gbps", subject.rate_gbps),
            ("switch_ns", subject.switch_ns),
            ("cable_ns_per_m", subject.cable_ns_per_m),
        )
    )
    drawn = (
        f"one draw, seed {subject.seed}"
        if half is None
        else f"the mean of {draws} draws, seeds {subject.seed} to {subject.seed + draws - 1}; interval: 95 % confidence"
    )
    return Figure(
        key=key,
        label=label,
        unit="ms",
        value=mean,
        low=None if half is None else mean - half,
        high=None if half is None else mean + half,
        bound=fmean(least) if least else None,
        how=f"{sends}, {ranks:,} ranks on hosts drawn at random ({drawn}); simulated as flows that share every"
        f" channel by max-min fairness, {routing.description}",
        by_hand=f"topoloom app FOLDER --app {app} --ranks {ranks} --placement {placement} --simulator flows"
        f" --seed {subject.seed} {changes}",
        better="less",
    )


def _half_width(values: list[float]) -> float | None:
    """Half the 95 % confidence interval of a mean (Student's t); None for a single value."""
    if len(values) < 2:
        return None
    from scipy.special import stdtrit

    return float(stdtrit(len(values) - 1, 0.975) * stdev(values) / math.sqrt(len(values)))


COLLECTIVES = AssessmentStep(
    "collectives", "collectives as flows", "Collectives", _collectives, finer=_collectives, one_draw=True
)
