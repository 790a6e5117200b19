"""The steps of collectives: the times of an all-to-all and an all-reduce, simulated as flows along the tables."""

import math
from functools import partial
from statistics import fmean, stdev

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.graph.planes import plane_count
from topoloom.simulation.applications.rail_collectives import PIECES, RailCollective, rail_collective, scale_up_domains
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.sweep import Case, run_apps

#: Most ranks of the job: an all-to-all of more ranks has over a million messages and takes minutes.
RANKS = 1024
_BYTES_PER_MIB = 1 << 20


def _operation(subject: Subject, work: Work, draws: int = 1, *, operation: str) -> StepResult:
    """The time of one operation: key `all_to_all_ms` or `all_reduce_ms`."""
    topology, on_rails = subject.topology, False
    if topology.endpoints.size > topology.hosts or subject.scale_up.hosts is not None:
        topology, on_rails = scale_up_domains(topology, subject.scale_up), True
    if topology.hosts < 2:
        raise InputError(f"{topology.name}: collectives need two hosts, or two scale-up domains")
    key, label = _FIGURES[operation]
    if on_rails:
        return StepResult([_on_rails(subject, work, draws, key, label, operation)])
    # A power of two, as halving needs.
    ranks = 1 << (min(RANKS, topology.hosts).bit_length() - 1)
    if operation == "alltoall":
        each = max(1, round(subject.all_to_all_mib * _BYTES_PER_MIB / ranks))
        app, sends = f"alltoall:bytes={each}", f"{subject.all_to_all_mib:g} MiB per host"
    else:
        whole = max(1, round(subject.all_reduce_mib * _BYTES_PER_MIB))
        app = f"collective:operation=allreduce,algorithm=halving,bytes={whole}"
        sends = f"{subject.all_reduce_mib:g} MiB, by halving"
    return StepResult([_collective(subject, work, draws, ranks, key, label, app, sends)])


#: The operations, with the key and the label of their figures.
_FIGURES = {"alltoall": ("all_to_all_ms", "all to all"), "allreduce": ("all_reduce_ms", "all-reduce")}


def _on_rails(subject: Subject, work: Work, draws: int, key: str, label: str, operation: str) -> Figure:
    """The mean time of one operation of all accelerators, which use all ports of their hosts at once.

    Parameters
    ----------
    subject : Subject
    work : Work
    draws : int
        Jobs drawn, where the machine has more hosts than a job.
    key, label, operation : str
    """
    topology = scale_up_domains(subject.topology, subject.scale_up)
    in_plane = topology.endpoints.size // topology.hosts // plane_count(topology)
    hosts = min(topology.hosts, round(RANKS / math.sqrt(max(1, in_plane))) if operation == "alltoall" else RANKS)
    settings = AppSettings(
        rate_gbps=subject.rate_gbps, switch_ns=subject.switch_ns, cable_ns_per_m=subject.cable_ns_per_m
    )
    routing, drawn = subject.routed(work), subject.drawn.setdefault(operation, [])
    of_host = subject.all_to_all_mib * _members(subject) / topology.hosts
    size = (of_host / hosts if operation == "alltoall" else subject.all_reduce_mib) * _BYTES_PER_MIB
    whole = hosts == topology.hosts
    wanted = 1 if whole else draws
    try:
        for draw in range(len(drawn), wanted):
            job = np.sort(Draws(subject.seed + draw).permutation(topology.hosts)[:hosts])
            drawn.append(
                rail_collective(
                    routing,
                    operation,
                    size,
                    job,
                    scale_up=subject.scale_up,
                    settings=settings,
                    layout=subject.layout,
                    jobs=subject.jobs,
                    work=work,
                )
            )
    except InputError as error:
        return Figure(key=key, label=label, unit="ms", value=None, how=str(error), better="less")
    times: list[RailCollective] = drawn[:wanted]
    milliseconds = [1e3 * run.seconds for run in times]
    mean = fmean(milliseconds)
    low, high = _interval(mean, 0.0 if whole else _half_width(milliseconds))
    first = times[0]
    sends = f"{subject.all_to_all_mib:g} MiB per host" if operation == "alltoall" else f"{subject.all_reduce_mib:g} MiB"
    return Figure(
        key=key,
        label=label,
        unit="ms",
        value=mean,
        low=low,
        high=high,
        bound=1e3 * fmean(run.bound_s for run in times),
        how=f"{sends}, {_ranks_in_words(subject, first, topology.hosts)}{_drawn_in_words(subject, whole, len(times))}, on all"
        f" {first.ports} ports of a host at once by {first.algorithm}; network {1e3 * first.network_s:.3g} ms, simulated as"
        f" flows that share every channel by max-min fairness, {routing.description}; {_inside_in_words(subject, first)}; the"
        " bound is of the hosts' data over the network, by any algorithm",
        better="less",
    )


def _members(subject: Subject) -> int:
    """The hosts with accelerators."""
    members = subject.scale_up.members
    return subject.topology.hosts if members is None else len(members)


def _interval(mean: float, half: float | None) -> tuple[float | None, float | None]:
    """The ends of an interval around a mean; None without one."""
    return (None, None) if half is None else (mean - half, mean + half)


def _ranks_in_words(subject: Subject, times: RailCollective, domains: int) -> str:
    count = subject.scale_up.accelerators
    if count == 1:
        return f"{times.hosts:,} hosts"
    of = "scale-up domains" if domains < _members(subject) else "hosts"
    return f"{times.hosts * count:,} accelerators of {times.hosts:,} {of}"


def _drawn_in_words(subject: Subject, whole: bool, draws: int) -> str:
    if whole:
        return " (the whole machine)"
    seeds = f"seed {subject.seed}" if draws == 1 else f"the mean of {draws} draws, interval: 95 % confidence"
    return f" drawn at random, in the order of the machine ({seeds})"


def _inside_in_words(subject: Subject, times: RailCollective) -> str:
    scale_up = subject.scale_up
    if scale_up.accelerators == 1:
        return "one rank per host, nothing inside it"
    if scale_up.gb_per_s is None:
        return "the exchange inside a host is not counted: [host] scale_up_gb_per_s is not given"
    return (
        f"inside a host {1e3 * times.inside_s:.3g} ms over scale_up at {scale_up.gb_per_s:g} GB/s, overlapped with the network"
        f" in {PIECES} pieces"
    )


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
    placement, drawn = _placement(draws), subject.drawn.setdefault(app, [])
    settings = AppSettings(
        rate_gbps=subject.rate_gbps, switch_ns=subject.switch_ns, cable_ns_per_m=subject.cable_ns_per_m
    )
    try:
        routing = subject.routed(work)
        if draws > len(drawn):
            runs = run_apps(
                [Case(subject.topology.name, routing.host_tables, subject.layout, subject.seed)],
                [app],
                ranks,
                [_placement(draws - len(drawn))],
                settings=settings,
                seed=subject.seed + len(drawn),
                jobs=subject.jobs,
                simulator="flows",
                work=work,
            )
            if runs.ended != "done":
                work.check()
            if runs.failure:
                raise InputError(runs.failure)
            drawn += [(run.seconds, run.bound_s) for run in runs.runs]
    except InputError as error:
        return Figure(key=key, label=label, unit="ms", value=None, how=str(error), better="less")
    milliseconds = [seconds * 1e3 for seconds, _ in drawn[:draws]]
    mean, half = fmean(milliseconds), _half_width(milliseconds)
    low, high = _interval(mean, half)
    least = [bound_s * 1e3 for _, bound_s in drawn[:draws] if bound_s is not None]
    changes = " ".join(
        f"--set {name}={value:g}"
        for name, value in (
            ("rate_gbps", subject.rate_gbps),
            ("switch_ns", subject.switch_ns),
            ("cable_ns_per_m", subject.cable_ns_per_m),
        )
    )
    draws_in_words = (
        f"one draw, seed {subject.seed}"
        if half is None
        else f"the mean of {draws} draws, seeds {subject.seed} to {subject.seed + draws - 1}; interval: 95 % confidence"
    )
    return Figure(
        key=key,
        label=label,
        unit="ms",
        value=mean,
        low=low,
        high=high,
        bound=fmean(least) if least else None,
        how=f"{sends}, {ranks:,} ranks on hosts drawn at random ({draws_in_words}); simulated as flows that share every"
        f" channel by max-min fairness, {routing.description}",
        by_hand=f"topoloom app FOLDER --app {app} --ranks {ranks} --placement {placement} --simulator flows"
        f" --seed {subject.seed} {changes}",
        better="less",
    )


def _placement(draws: int) -> str:
    """Random placements of `draws` seeds, as `run_apps` reads them."""
    return "random" if draws == 1 else f"random*{draws}"


def _half_width(values: list[float]) -> float | None:
    """Half the 95 % confidence interval of a mean (Student's t); None for a single value."""
    if len(values) < 2:
        return None
    from scipy.special import stdtrit

    return float(stdtrit(len(values) - 1, 0.975) * stdev(values) / math.sqrt(len(values)))


#: A step for each, because the all-to-all takes longer, and fewer draws.
COLLECTIVES = tuple(
    AssessmentStep(
        label.replace(" ", "-"), f"{label} as flows", "Collectives", run, finer=run, one_draw=True, by_tables=True
    )
    for label, run in ((label, partial(_operation, operation=operation)) for operation, (_, label) in _FIGURES.items())
)
