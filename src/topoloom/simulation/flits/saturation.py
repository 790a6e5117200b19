"""The load at which a network saturates, by bisection."""

import math
from collections.abc import Iterable, MutableMapping

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.link_rates import refuse_mixed
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.load_curve import Saturation
from topoloom.simulation.flits.pace import INTERVAL
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.point_table import tables_digest
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.simulate import simulate

#: Loads that are simulated side by side between two looks: the same for any number of cores, so that the answer is, too.
_AT_ONCE = 3
_NARROWEST, _WIDEST = 0.001, 0.5
#: Standard deviations of what sources make that are put down to chance.
_CHANCE = 3.0


def saturation(
    routing: NetworkSource,
    traffic: str = "uniform",
    preset: str | RouterConfig = "slimfly-2014",
    *,
    settings: Iterable[str] = (),
    width: float = 0.01,
    seed: int = 1,
    jobs: int | None = None,
    cables: np.ndarray | None = None,
    fast: bool = False,
    interval: float = INTERVAL,
    known: MutableMapping[float, Point] | None = None,
    work: Work | None = None,
) -> Saturation:
    """The greatest load that a routed network carries, to a `width`: first full load, then loads around what it accepts.

    Parameters
    ----------
    routing, traffic, preset, settings, seed, jobs, cables, fast, interval, known, work
        As for `simulate`.
    width : float
        0.001 to 0.5.

    Returns
    -------
    Saturation
        For 0.01 after four simulations where nothing is lost by overload, after up to fifteen where much is.

    Raises
    ------
    InputError
        `width` is out of range, or what `simulate` refuses.
    Stopped
        `work` was stopped before the load was found; `known` and `work` have what is finished.
    """
    if not _NARROWEST <= width <= _WIDEST:
        raise InputError(f"a width of {width:g} for saturation; it is {_NARROWEST:g} to {_WIDEST:g}")
    routing = taken(routing, Routing, "saturation")
    refuse_mixed(routing.topology, "saturation")
    work = Work() if work is None else work
    name, config = router_of(preset, settings)
    last = math.ceil(round(1 / width, 9))
    found: dict[int, Point] = {}
    all_known = {} if known is None else known

    def look(steps: set[int]) -> None:
        new = {step: min(1.0, round(step * width, 12)) for step in sorted(steps - found.keys())}
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
        found.update(zip(new, curve.points, strict=True))

    def carried(step: int) -> bool:
        return not found[step].saturated and _missing(found[step], config) <= width / 2

    look({last})
    low, high = (last, last + 1) if carried(last) else (0, last)
    if high == last:
        guess = math.floor(found[last].accepted / width)
        look({step for step in (guess, guess + 1, guess + 2) if 0 < step < last})
    while True:
        for step in sorted(found):
            if low < step < high:
                low, high = (step, high) if carried(step) else (low, step)
        if high - low <= 1:
            break
        look({low + (high - low) * part // (_AT_ONCE + 1) for part in range(1, _AT_ONCE + 1)} - {low})
    at = found[max(1, low)]
    about = {"traffic": traffic, "preset": name, "router": config, "tables": tables_digest(routing, cables)}
    about |= {"fast": True} if fast else {}
    about |= {"interval": interval} if interval != INTERVAL else {}
    return Saturation(
        offered=at.offered if low else 0.0,
        accepted=at.accepted,
        width=width,
        points=tuple(found[step] for step in sorted(found)),
        provenance=provenance_of(routing.topology, engine=routing.engine, seed=seed, settings=about),
    )


def _missing(point: Point, config: RouterConfig) -> float:
    """How much less arrives than was offered, in flits a host and cycle, beyond what chance does to sources."""
    return (
        point.offered
        - point.accepted
        - _CHANCE * point.offered * config.chance_of_sources(point.offered, point.packets)
    )
