"""The operation `saturation`: the load at which a network saturates, by bisection."""

import math
from collections.abc import Iterable, MutableMapping

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.load_curve import Saturation
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.point_table import name_of_traffic, tables_digest
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.rates import router_at
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.simulate import simulate
from topoloom.throughput.traffic import Traffic

#: Loads per round, simulated in parallel; the same for any number of cores, so that the result does not depend on them.
_AT_ONCE = 3
_NARROWEST, _WIDEST = 0.001, 0.5
#: The standard deviations of created flits that count as chance.
_CHANCE = 3.0


def saturation(
    routing: NetworkSource,
    traffic: str | Traffic = "uniform",
    preset: str | RouterConfig = "slimfly-2014",
    *,
    settings: Iterable[str] = (),
    width: float = 0.01,
    seed: int = 1,
    jobs: int | None = None,
    cables: np.ndarray | None = None,
    fast: bool = False,
    interval: float | None = None,
    known: MutableMapping[float, Point] | None = None,
    sparing: bool = False,
    work: Work | None = None,
) -> Saturation:
    """Return the greatest load that a routed network carries, to a precision of `width`.

    It simulates full load first, then loads around the accepted one.

    Parameters
    ----------
    routing, traffic, preset, settings, seed, jobs, cables, fast, interval, known, work
        As for `simulate`.
    width : float
        The precision of the load, 0.001 to 0.5.
    sparing : bool
        Simulate few loads, for few cores: begin from those of `known`, simulate one after the other, and none above one that
        the network does not carry. The load found is the same where the network carries all loads below one that it carries.

    Returns
    -------
    Saturation
        The saturation. A width of 0.01 takes four simulations where overload does not reduce the accepted load, else up to
        fifteen.

    Raises
    ------
    InputError
        `width` is out of range; or as for `simulate`.
    Stopped
        `work` was stopped before the load was found; `known` and `work` have the finished points.
    """
    if not _NARROWEST <= width <= _WIDEST:
        raise InputError(f"width={width:g} for saturation: it must be from {_NARROWEST:g} to {_WIDEST:g}")
    routing = taken(routing, Routing, "saturation")
    work = Work() if work is None else work
    name, config = router_of(preset, settings)
    config = router_at(routing.topology, config)
    last = math.ceil(round(1 / width, 9))
    point_of_step: dict[int, Point] = {}
    all_known = {} if known is None else known

    def load_of(step: int) -> float:
        return min(1.0, round(step * width, 12))

    def simulate_steps(steps: set[int]) -> None:
        new = {step: load_of(step) for step in sorted(steps - point_of_step.keys())}
        if not new:
            return
        curve = simulate(
            routing,
            traffic,
            config,
            loads=new.values(),
            seed=seed,
            jobs=jobs,
            cables=cables,
            fast=fast,
            interval=interval,
            known=all_known,
            work=work,
        )
        if curve.ended != "done":
            work.check()
        point_of_step.update(zip(new, curve.points, strict=True))

    def carried(step: int) -> bool:
        return not point_of_step[step].saturated and _missing(point_of_step[step], config) <= width / 2

    if sparing:
        point_of_step |= {step: all_known[load_of(step)] for step in range(1, last + 1) if load_of(step) in all_known}
    high = next((step for step in sorted(point_of_step) if not carried(step)), last)
    low = max((step for step in point_of_step if step < high), default=0)
    simulate_steps({high})
    if carried(high):
        low, high = high, high + 1
    guess = math.floor(point_of_step[min(high, last)].accepted / width)
    steps = {step for step in (guess, guess + 1, guess + 2) if low < step < high}
    while high - low > 1:
        if not sparing:
            simulate_steps(steps)
        for step in sorted(steps):
            if low < step < high:
                simulate_steps({step})
                low, high = (step, high) if carried(step) else (low, step)
        steps = {low + (high - low) * part // (_AT_ONCE + 1) for part in range(1, _AT_ONCE + 1)} - {low}
    best = point_of_step[max(1, low)]
    about = {
        "traffic": name_of_traffic(traffic),
        "preset": name,
        "router": config,
        "tables": tables_digest(routing, cables),
    }
    about |= {"fast": True} if fast else {}
    about |= {"interval": interval} if interval is not None else {}
    return Saturation(
        offered=best.offered if low else 0.0,
        accepted=best.accepted,
        width=width,
        points=tuple(point_of_step[step] for step in sorted(point_of_step)),
        provenance=provenance_of(routing.topology, engine=routing.engine, seed=seed, settings=about),
    )


def _missing(point: Point, config: RouterConfig) -> float:
    """Return how much less arrives than was offered, in flits per host and cycle, beyond random deviations of sources."""
    return (
        point.offered
        - point.accepted
        - _CHANCE * point.offered * config.chance_of_sources(point.offered, point.packets)
    )
