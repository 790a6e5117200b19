"""The load at which a network saturates, by bisection."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from topoloom.errors import InputError
from topoloom.routing.routing import Routing
from topoloom.simulator.config import RouterConfig, find_preset
from topoloom.simulator.curve import Point
from topoloom.simulator.simulate import simulate

#: Loads that are simulated side by side between two looks: the same for any number of cores, so that the answer is, too.
_AT_ONCE = 3
_NARROWEST, _WIDEST = 0.001, 0.5
#: Standard deviations of what sources make that are put down to chance.
_CHANCE = 3.0


@dataclass(frozen=True)
class Saturation:
    """Where a network saturates.

    Attributes
    ----------
    load : float
        The greatest load, a multiple of `width`, that hosts still get: what arrives is less than it by no more than half
        of `width`. 0 where not even a load of `width` arrives.
    accepted : float
        What arrives at that load, in flits a host and cycle (at a load of `width` where `load` is 0).
    width : float
        How exact: at `load` + `width` hosts no longer get what is sent.
    points : tuple of Point
        All that were needed, by load.
    """

    load: float
    accepted: float
    width: float
    points: tuple[Point, ...]


def saturation(
    routing: Routing,
    traffic: str = "uniform",
    preset: str | RouterConfig = "slimfly-2014",
    *,
    width: float = 0.01,
    seed: int = 1,
    jobs: int | None = None,
    cables: np.ndarray | None = None,
    known: Mapping[float, Point] | None = None,
    on_point: Callable[[Point], None] | None = None,
) -> Saturation:
    """The greatest load that a routed network carries, to a `width`: first full load, then loads around what it accepts.

    Parameters
    ----------
    routing, traffic, preset, seed, jobs, cables, known, on_point
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
    KeyboardInterrupt
        Ctrl-C; `on_point` was told of what is finished.
    """
    if not _NARROWEST <= width <= _WIDEST:
        raise InputError(f"a width of {width:g} for saturation; it is {_NARROWEST:g} to {_WIDEST:g}")
    config = find_preset(preset) if isinstance(preset, str) else preset
    last = math.ceil(round(1 / width, 9))
    found: dict[int, Point] = {}
    all_known = dict(known or {})

    def look(steps: set[int]) -> None:
        new = {step: min(1.0, round(step * width, 12)) for step in sorted(steps - found.keys())}
        if not new:
            return
        curve = simulate(
            routing,
            traffic,
            preset,
            loads=new.values(),
            seed=seed,
            jobs=jobs,
            cables=cables,
            known=all_known,
            on_point=on_point,
        )
        if curve.ended != "done":
            raise KeyboardInterrupt
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
    return Saturation(at.offered if low else 0.0, at.accepted, width, tuple(found[step] for step in sorted(found)))


def _missing(point: Point, config: RouterConfig) -> float:
    """How much less arrives than was offered, in flits a host and cycle, beyond what chance does to sources."""
    return point.offered - point.accepted - _CHANCE * point.offered * config.spread(point.offered, point.packets)
