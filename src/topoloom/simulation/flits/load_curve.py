"""Load curves: latency and accepted load of a routed network, by offered load."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from topoloom.core.work import Ended
from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result
from topoloom.simulation.flits.point import POINT_COLUMNS, Point
from topoloom.simulation.flits.presets import shown_router
from topoloom.simulation.flits.router_config import RouterConfig


@dataclass(frozen=True)
class Saturation(Result):
    """Where a network saturates.

    Attributes
    ----------
    offered : float
        The greatest load, a multiple of `width`, that hosts still get: what arrives is less than it by no more than half
        of `width`. 0 where not even a load of `width` arrives.
    accepted : float
        What arrives at that load, in flits a host and cycle (at a load of `width` where `offered` is 0).
    width : float
        How exact: at `offered` + `width` hosts no longer get what is sent.
    points : tuple of Point
        All that were needed, by load.
    provenance : Provenance
        The network, the engine and the seed; `traffic`, `preset`, `router` and `tables` under its settings.
    """

    record_name = "saturation"

    offered: float
    accepted: float
    width: float
    points: tuple[Point, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False, repr=False)

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw what arrives against what is sent, at every load that was tried."""
        from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries, draw_interval_curves

        points = tuple(IntervalPoint(point.offered, point.accepted) for point in self.points)
        name = f"{self.provenance.name}, {self.provenance.engine}"
        title = f"Saturates at {self.offered:g}"
        curves = IntervalCurves(
            title, "load [share of the hosts' rate]", "what arrives", (IntervalSeries(name, points),)
        )
        draw_interval_curves(axes, curves)

    def rows(self) -> list[dict[str, Any]]:
        """One row per point."""
        return point_rows(self.points)


@dataclass(frozen=True)
class LoadCurve(Result):
    """Points by offered load, and what was simulated.

    Attributes
    ----------
    traffic, preset : str
        Names; the preset is "custom" where a `RouterConfig` was given.
    points : tuple of Point
        In the order in which their loads were asked for.
    router : RouterConfig
        What the preset says, with all that was changed of it.
    ended : "done", "deadline" or "interrupted"
        Unless it is "done", `points` are those that were finished.
    zero_load : float, optional
        Cycles that a packet takes in the empty network, where that was measured.
    saturation : Saturation, optional
        Where that was looked for.
    provenance : Provenance
        The network's name, spec and digest, the engine, the seed; ``tables`` under its settings is a digest of the tables of
        next hops and of the cables' cycles; ``seconds`` of processor time and ``flit_hops_per_s`` (flits that left a router,
        a second) under its timings are of the points that were simulated again.
    """

    record_name = "load-curve"

    traffic: str
    preset: str
    points: tuple[Point, ...]
    router: RouterConfig = field(default_factory=RouterConfig)
    ended: Ended = "done"
    zero_load: float | None = None
    saturation: Saturation | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False, repr=False)

    @property
    def routers(self) -> str:
        """The preset, and what was changed of it: ``slimfly-2014 with vcs=4``."""
        return shown_router(self.preset, self.router)

    def identity(self) -> dict[str, Any]:
        """What tells the curve from others: network, engine, traffic, preset, seed."""
        origin = self.provenance
        return {
            "topology": origin.name,
            "engine": origin.engine,
            "traffic": self.traffic,
            "preset": self.preset,
            "seed": origin.seed,
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row per point, its numbers by name."""
        return point_rows(self.points)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Mean latency against accepted load, on `ax` or on axes of its own; returns the axes."""
        return LoadCurves((self,)).plot(ax)


@dataclass(frozen=True)
class LoadCurves(Result):
    """Load curves of several networks, engines or kinds of traffic.

    Attributes
    ----------
    curves : tuple of LoadCurve
        Network by network, for each engine by engine, for each traffic by traffic. Each has a provenance of its own.
    ended : "done", "deadline" or "interrupted"
        Unless it is "done", the last of `curves` may lack points, and others may be missing.
    """

    record_name = "load-curves"

    curves: tuple[LoadCurve, ...]
    ended: Ended = "done"
    provenance: Provenance = field(default_factory=Provenance, compare=False, repr=False)

    def record(self) -> dict[str, Any]:
        """As every result's, with the provenance of each curve."""
        curves = [{name: value for name, value in curve.record().items() if name != "schema"} for curve in self.curves]
        return super().record() | {"curves": curves}

    def rows(self) -> list[dict[str, Any]]:
        """One row per point: what tells its curve from others, then its numbers."""
        return [curve.identity() | row for curve in self.curves for row in curve.rows()]

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Mean latency against accepted load, all curves on `ax` or on axes of their own; returns the axes."""
        from topoloom.figures.load_curves import draw_load_curves, load_curves

        if ax is None:
            return load_curves(self.curves).axes[0]
        draw_load_curves(ax, self.curves)
        return ax


def point_rows(points: Sequence[Point]) -> list[dict[str, Any]]:
    """One row per point, its numbers by name."""
    return [{name: getattr(point, name) for name in POINT_COLUMNS} for point in points]
