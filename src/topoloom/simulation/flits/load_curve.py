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
    """The load at which a network saturates.

    Attributes
    ----------
    offered : float
        The greatest load, a multiple of `width`, that hosts still receive: at most half of `width` less arrives than is sent. 0
        where not even a load of `width` arrives.
    accepted : float
        The load that arrives then, in flits per host and cycle (at a load of `width` where `offered` is 0).
    width : float
        The precision: at `offered` + `width`, hosts no longer receive what is sent.
    points : tuple of Point
        All simulated points, by load.
    provenance : Provenance
        The network, the engine and the seed; `traffic`, `preset`, `router` and `tables` are among its settings.
    """

    record_name = "saturation"

    offered: float
    accepted: float
    width: float
    points: tuple[Point, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False, repr=False)

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw accepted against offered load, at every load that was tried."""
        from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries, draw_interval_curves

        points = tuple(IntervalPoint(point.offered, point.accepted) for point in self.points)
        name = f"{self.provenance.name}, {self.provenance.engine}"
        title = f"Saturates at {self.offered:g}"
        share = "[share of the hosts' rate]"
        series = (IntervalSeries(name, points),)
        curves = IntervalCurves(title, f"offered load {share}", f"accepted load {share}", series)
        draw_interval_curves(axes, curves)

    def rows(self) -> list[dict[str, Any]]:
        """One row per point."""
        return point_rows(self.points)


@dataclass(frozen=True)
class LoadCurve(Result):
    """Points by offered load, and the inputs of the simulation.

    Attributes
    ----------
    traffic, preset : str
        Names; the preset is "custom" for a given `RouterConfig`.
    points : tuple of Point
        The points, in the order of the requested loads.
    router : RouterConfig
        The preset with all changes.
    ended : "done", "deadline" or "interrupted"
        Unless "done", `points` has only finished points.
    zero_load : float, optional
        The latency of a packet in the empty network, in cycles, if measured.
    saturation : Saturation, optional
        The saturation, if it was searched.
    provenance : Provenance
        The network's name, spec and digest, the engine, the seed; its setting ``tables`` is a digest of the tables of next hops
        and of the cables' cycles; its timings ``seconds`` (processor time) and ``flit_hops_per_s`` (flits that leave a router
        per second) cover only the newly simulated points.
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
        """The preset with its changes: ``slimfly-2014 with vcs=4``."""
        return shown_router(self.preset, self.router)

    def identity(self) -> dict[str, Any]:
        """Return what identifies the curve among others: network, engine, traffic, preset, seed."""
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

    @drawn(height_in=4.8)
    def plot(self, axes: "Axes") -> None:
        """Draw mean latency against accepted load."""
        from topoloom.figures.load_curves import draw_load_curves

        draw_load_curves(axes, (self,))


@dataclass(frozen=True)
class LoadCurves(Result):
    """Load curves of several networks, engines or kinds of traffic.

    Attributes
    ----------
    curves : tuple of LoadCurve
        The curves in the order network, engine, traffic. Each has its own provenance.
    ended : "done", "deadline" or "interrupted"
        Unless "done", the last of `curves` may lack points, and others may be missing.
    """

    record_name = "load-curves"

    curves: tuple[LoadCurve, ...]
    ended: Ended = "done"
    provenance: Provenance = field(default_factory=Provenance, compare=False, repr=False)

    def record(self) -> dict[str, Any]:
        """Return the record, with the provenance of each curve."""
        curves = [{name: value for name, value in curve.record().items() if name != "schema"} for curve in self.curves]
        return super().record() | {"curves": curves}

    def rows(self) -> list[dict[str, Any]]:
        """One row per point: what identifies its curve, then its numbers."""
        return [curve.identity() | row for curve in self.curves for row in curve.rows()]

    @drawn(height_in=4.8)
    def plot(self, axes: "Axes") -> None:
        """Draw mean latency against accepted load for all curves."""
        from topoloom.figures.load_curves import draw_load_curves

        draw_load_curves(axes, self.curves)


def point_rows(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Return one row per point, its numbers by name."""
    return [{name: getattr(point, name) for name in POINT_COLUMNS} for point in points]
