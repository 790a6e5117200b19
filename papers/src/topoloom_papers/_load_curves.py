"""Simulated load curves that several claims share; each is one long run."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from topoloom.core.errors import InputError
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.saturation import saturation
from topoloom.simulation.flits.simulate import simulate
from topoloom.topologies.spec import build
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run

#: Accepted loads that differ by at most `EQUAL` count as equal; "slightly more" is a difference above it, up to `SLIGHTLY`.
EQUAL, SLIGHTLY = 0.01, 0.10
_PRESET = "slimfly-2014"


@dataclass(frozen=True)
class Contender:
    """One curve of a figure: its name in the figure, the network's spec, the routing engine, and changed router settings."""

    name: str
    spec: str
    engine: str
    settings: tuple[str, ...] = ()

    def command(self, traffic: str, more: str = "") -> str:
        """The command line that simulates it."""
        changed = "".join(f" --set {setting}" for setting in self.settings)
        return f"topoloom simulate {self.spec} --engine {self.engine} --traffic {traffic} --fast{changed}{more}"

    @property
    def routed(self) -> Routing:
        """The network with its routing tables."""
        return _routed(self.spec, self.engine)


@dataclass(frozen=True)
class LoadPoint:
    """The part of a `Point` that is kept: loads in flits per host and cycle, latencies in cycles (None if nothing arrived)."""

    offered: float
    accepted: float
    accepted_min: float
    latency_mean: float | None
    network_mean: float | None
    saturated: bool

    @classmethod
    def of(cls, point: Point) -> "LoadPoint":
        """Round a point to the digits that a simulation resolves."""
        return cls(
            point.offered,
            round(point.accepted, 5),
            round(point.accepted_min, 5),
            _rounded(point.latency_mean),
            _rounded(point.network_mean),
            point.saturated,
        )


def _rounded(cycles: float) -> float | None:
    return round(cycles, 3) if math.isfinite(cycles) else None


@lru_cache(maxsize=16)
def _routed(spec: str, engine: str) -> Routing:
    return route(build(spec), engine)


#: Points simulated in this process; the search for saturation reuses them.
_simulated: dict[tuple[Contender, str, int], dict[float, Point]] = {}


def swept(contender: Contender, traffic: str, loads: Sequence[float], seed: int = 1) -> list[LoadPoint]:
    """The load curve of a contender, one point per load.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C was pressed.
    """

    def compute() -> list[LoadPoint]:
        curve = simulate(
            contender.routed,
            traffic,
            _PRESET,
            settings=contender.settings,
            loads=loads,
            seed=seed,
            fast=True,
            known=_simulated.setdefault((contender, traffic, seed), {}),
        )
        if curve.ended != "done":
            raise KeyboardInterrupt
        return [LoadPoint.of(point) for point in curve.points]

    loads_text = ",".join(f"{load:g}" for load in loads)
    return long_run(contender.command(traffic, f" --loads {loads_text} --seed {seed}"), list[LoadPoint], compute)


def saturates(contender: Contender, traffic: str, width: float, seeds: Sequence[int] = (1, 2, 3)) -> list[float]:
    """The greatest load that a contender carries, a multiple of `width`, for each seed.

    Raises
    ------
    InputError
        Packets deadlock.
    """
    return [
        long_run(command, float, lambda seed=seed: _saturation(contender, traffic, width, seed))  # type: ignore[misc]
        for seed, command in _commands(contender, traffic, width, seeds)
    ]


def saturates_or_deadlocks(
    contender: Contender, traffic: str, width: float, seeds: Sequence[int] = (1, 2, 3)
) -> list[float | None]:
    """Like `saturates`, for tables that may deadlock: None for a seed whose packets deadlock before that load.

    Parameters
    ----------
    contender : Contender
    traffic : str
    width : float
        Loads are multiples of this value.
    seeds : sequence of int

    Returns
    -------
    list of (float or None)
    """

    def compute(seed: int) -> float | None:
        try:
            return _saturation(contender, traffic, width, seed)
        except InputError as error:
            if "deadlock" not in str(error):
                raise
            return None

    return [
        long_run(command, float | None, lambda seed=seed: compute(seed))  # type: ignore[misc, arg-type]
        for seed, command in _commands(contender, traffic, width, seeds)
    ]


def _commands(contender: Contender, traffic: str, width: float, seeds: Sequence[int]) -> list[tuple[int, str]]:
    """Pairs of a seed and the command line that gives the same number."""
    more = f" --loads 1 --saturation --saturation-width {width:g}"
    return [(seed, contender.command(traffic, f"{more} --seed {seed}")) for seed in seeds]


def _saturation(contender: Contender, traffic: str, width: float, seed: int) -> float:
    return saturation(
        contender.routed,
        traffic,
        _PRESET,
        settings=contender.settings,
        width=width,
        seed=seed,
        fast=True,
        known=_simulated.setdefault((contender, traffic, seed), {}),
    ).offered


def mean_and_all(values: Sequence[float]) -> tuple[float, str]:
    """The mean of values, and a text that lists all of them."""
    return fmean(values), ", ".join(f"{value:g}" for value in values)


def latency_figure(name: str, title: str, curves: Mapping[str, Sequence[LoadPoint]], network: bool = False) -> Curves:
    """Latency against offered load, up to saturation; with `network`, the latency from injection at every load."""
    series = tuple(
        Series(
            label,
            tuple(
                (point.offered, cycles)
                for point in points
                if (network or not point.saturated)
                and (cycles := point.network_mean if network else point.latency_mean) is not None
            ),
        )
        for label, points in curves.items()
    )
    latency = "latency from injection [cycles]" if network else "latency [cycles]"
    return Curves(name, title, "offered load [flits per host and cycle]", latency, tuple(s for s in series if s.points))


def above(ours: float, other: float) -> bool:
    """Whether `ours` is greater by more than `EQUAL`."""
    return ours > other + EQUAL


def slightly_above(ours: float, other: float) -> bool:
    """Whether `ours` is greater by more than `EQUAL` and at most `SLIGHTLY`."""
    return other + EQUAL < ours <= other + SLIGHTLY


def not_below(ours: float, other: float) -> bool:
    """Whether `ours` is greater or equal, within `EQUAL`."""
    return ours >= other - EQUAL
