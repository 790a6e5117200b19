"""The steps of load: latency and accepted load under uniform traffic, simulated flit by flit, and the saturation load."""

import math
from functools import partial

import numpy as np

from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.graph.planes import plane_count
from topoloom.routing.planes import one_of_equal_planes
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.cables import cable_cycles
from topoloom.simulation.flits.pace import INTERVAL
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.saturation import saturation
from topoloom.simulation.flits.simulate import simulate

#: The router of the simulations, and the loads.
PRESET = "slimfly-2014"
LOADS = (0.3, 0.6, 0.9)
#: Width of the search for the saturation load, as a share of a host's rate.
WIDTH = 0.05


def _settings(subject: Subject, work: Work) -> list[str]:
    """The settings that change the preset: the virtual channels of the tables, where the preset has fewer."""
    verification = subject.routed(work).verification
    virtual_channels = 1 if verification is None else verification.virtual_channels_used
    _, router = router_of(PRESET)
    return [f"vcs={virtual_channels}"] if virtual_channels > router.vcs else []


def _simulated(subject: Subject, settings: list[str], work: Work) -> tuple[Routing, np.ndarray | None, str]:
    """The tables to simulate, the cycles of their cables, and the part of the network in words: planes that are alike once."""
    routing = subject.routed(work)
    cables = cable_cycles(
        subject.topology,
        router_of(PRESET, settings)[1],
        None,
        None if subject.layout is None else subject.layout.length_m,
    )
    single = one_of_equal_planes(routing)
    if single is None:
        return routing, cables, ""
    own, plane = single
    return (
        own,
        None if cables is None else cables[plane.links],
        f"one of {plane_count(subject.topology)} equal planes, ",
    )


def _by_hand(subject: Subject, settings: list[str], rest: str) -> str:
    changed = "".join(f" --set {setting}" for setting in settings)
    return f"topoloom simulate FOLDER --preset {PRESET}{changed} {rest} --fast --seed {subject.seed}"


def _interval(effort: int) -> float | None:
    """The relative interval of the mean latency; it narrows with the square root of the number of cycles."""
    return None if effort == 1 else INTERVAL / math.sqrt(effort)


def _load(subject: Subject, work: Work, effort: int = 1, *, load: float) -> StepResult:
    settings = _settings(subject, work)
    routing, cables, part = _simulated(subject, settings, work)
    curve = simulate(
        routing,
        "uniform",
        PRESET,
        settings=settings,
        loads=[load],
        seed=subject.seed,
        jobs=subject.jobs,
        cables=cables,
        fast=True,
        interval=_interval(effort),
        known=subject.simulated if effort == 1 else None,
        work=work,
    )
    if not curve.points:
        work.check()
    point, share = curve.points[0], f"{load:.0%}"
    rest = f"--loads {load:g}" + (f" --interval {_interval(effort):g}" if effort > 1 else "")
    by_hand = "" if part else _by_hand(subject, settings, rest)
    how = f"flit by flit, {part}{routing.description}, uniform traffic, router {curve.routers}, seed {subject.seed}"
    key = f"{load * 100:.0f}"
    steady = "" if not point.saturated else "; saturated: the longer the simulation, the higher the latency"
    return StepResult(
        [
            Figure(
                key=f"latency_{key}_cycles",
                label=f"latency at {share} load",
                unit="cycles",
                value=point.latency_mean or None,  # 0: no measured packet has arrived
                low=None if point.saturated else point.latency_mean - point.latency_ci95,
                high=None if point.saturated else point.latency_mean + point.latency_ci95,
                how=f"{how}; interval: 95 % confidence{steady}",
                by_hand=by_hand,
                better="less",
            ),
            Figure(
                key=f"accepted_{key}",
                label=f"accepted load at {share} load",
                unit="of a host's rate",
                value=point.accepted,
                bound=load,
                how="the same simulation; the bound is the offered load",
                by_hand=by_hand,
                better="more",
            ),
        ],
        {f"load_{key}": curve},
    )


def _saturation(subject: Subject, work: Work, effort: int = 1) -> StepResult:
    width = WIDTH / math.isqrt(effort)
    settings = _settings(subject, work)
    routing, cables, part = _simulated(subject, settings, work)
    point = saturation(
        routing,
        "uniform",
        PRESET,
        settings=settings,
        width=width,
        seed=subject.seed,
        jobs=subject.jobs,
        cables=cables,
        fast=True,
        known=subject.simulated,
        sparing=True,
        work=work,
    )
    return StepResult(
        [
            Figure(
                key="saturation",
                label="saturation load",
                unit="of a host's rate",
                value=point.offered,
                low=point.offered,
                high=min(1.0, point.offered + width),
                how=f"flit by flit, {part}{routing.description}, uniform traffic; the interval is the width of the search, seed"
                f" {subject.seed}",
                by_hand=""
                if part
                else _by_hand(subject, settings, f"--loads {LOADS[0]:g} --saturation --saturation-width {width:g}"),
                better="more",
            )
        ]
    )


#: The cheapest first: all networks are simulated at a low load before any at a high one.
LOADED = tuple(
    AssessmentStep(
        f"load-{load * 100:.0f}",
        f"simulation at {load:.0%} load",
        "Load, flit by flit",
        partial(_load, load=load),
        finer=partial(_load, load=load),
        by_tables=True,
    )
    for load in LOADS
)
SATURATED = AssessmentStep(
    "saturation", "the saturation load", "Load, flit by flit", _saturation, finer=_saturation, by_tables=True
)
