"""Simulated curves that several claims are about, each simulated once; and verdicts on what a paper says of them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from topoloom.figures.curves import Curves, Series
from topoloom.reproduction.registry import Outcome, judge
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulator.load_curve import LoadCurve
from topoloom.simulator.router_config import RouterConfig
from topoloom.simulator.saturation import saturation
from topoloom.simulator.simulate import simulate
from topoloom.spec import build

#: Accepted loads no further apart count as equal.
_EQUAL = 0.01


@dataclass(frozen=True)
class Contender:
    """A curve of a figure: its name there, the network's spec, the engine."""

    name: str
    spec: str
    engine: str

    def command(self, traffic: str, more: str = "") -> str:
        """How a user simulates it."""
        return f"topoloom simulate {self.spec} --engine {self.engine} --traffic {traffic}{more}"


@lru_cache(maxsize=16)
def routed(spec: str, engine: str) -> Routing:
    """A network and its tables."""
    return route(build(spec), engine)


@lru_cache(maxsize=512)
def swept(
    contender: Contender, traffic: str, loads: tuple[float, ...], preset: str | RouterConfig = "slimfly-2014"
) -> LoadCurve:
    """The load curve of a contender.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C.
    """
    curve = simulate(routed(contender.spec, contender.engine), traffic, preset, loads=loads)
    if curve.ended != "done":
        raise KeyboardInterrupt
    return curve


@lru_cache(maxsize=64)
def saturates(contender: Contender, traffic: str, loads: tuple[float, ...], width: float) -> float:
    """The greatest load, a multiple of `width`, that a contender carries; the points of its curve are not simulated again."""
    known = {point.offered: point for point in swept(contender, traffic, loads).points}
    return saturation(routed(contender.spec, contender.engine), traffic, width=width, known=known).offered


def accepted(curve: LoadCurve) -> float:
    """What arrives at the highest load."""
    return curve.points[-1].accepted


def latency_figure(name: str, title: str, curves: Mapping[str, LoadCurve]) -> Curves:
    """Latency against offered load, up to where each network saturates."""
    series = tuple(
        Series(label, tuple((p.offered, p.latency_mean) for p in curve.points if not p.saturated))
        for label, curve in curves.items()
    )
    return Curves(
        name, title, "offered load [flits a host and cycle]", "latency [cycles]", tuple(s for s in series if s.points)
    )


def above(ours: float, other: float) -> bool:
    """More, by more than counts as equal."""
    return ours > other + _EQUAL


def not_below(ours: float, other: float) -> bool:
    """More or equal, as far as the simulation tells."""
    return ours >= other - _EQUAL


def stated(statements: Mapping[str, bool], numbers: str, assumption: str, figure: Curves | None = None) -> Outcome:
    """The verdict on what a paper says without numbers: each statement and whether it holds for ours, told in `numbers`."""
    wrong = [text for text, holds in statements.items() if not holds]
    outcome = judge(
        dict.fromkeys(statements, 1.0),
        {text: float(holds) for text, holds in statements.items()},
        assumption=assumption,
        reason=f"does not hold: {'; '.join(wrong)} ({assumption})",
        figure=figure,
    )
    return replace(outcome, ours=numbers)


def listed(values: Iterable[tuple[str, float]], form: Callable[[float], str] = "{:.3f}".format) -> str:
    """Names with numbers, in one line."""
    return ", ".join(f"{name} {form(value)}" for name, value in values)
