"""The verb: latency and throughput of a routed network under load, flit by flit."""

import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from topoloom.draws import Draws
from topoloom.errors import InputError
from topoloom.routing.routing import Routing
from topoloom.simulator.config import RouterConfig, find_preset
from topoloom.simulator.curve import LoadCurve, Point
from topoloom.simulator.point import point
from topoloom.threads import asked_to_stop, over_cores
from topoloom.traffic import Traffic, traffic_of


def simulate(
    routing: Routing,
    traffic: str = "uniform",
    preset: str | RouterConfig = "slimfly-2014",
    *,
    loads: Iterable[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
    seed: int = 1,
    jobs: int | None = None,
    cables: np.ndarray | None = None,
    known: Mapping[float, Point] | None = None,
    on_point: Callable[[Point], None] | None = None,
) -> LoadCurve:
    """Simulate a routed network at some loads.

    Ctrl-C ends the sweep; the points that are finished then are what it returns.

    Parameters
    ----------
    routing : Routing
        With its lanes, each of which gets as many VCs as any other, and what its packets may choose.
    traffic : str
        A pattern of `topoloom.traffic` that has a load.
    preset : str or RouterConfig
    loads : floats
        Flits that a host makes a cycle, above 0 up to 1.
    seed : int
        The same seed gives the same numbers: those of a load do not depend on the other loads.
    jobs : int, optional
        Loads simulated at a time; every core when left out.
    cables : int64[links], optional
        Cycles of each cable; the preset's for all when left out.
    known : mapping of float to Point, optional
        Points of an earlier sweep with the same settings, by load: they are taken as they are.
    on_point : callable, optional
        Told of each new point as soon as it is finished, one after the other, from the thread that simulated it.

    Raises
    ------
    InputError
        No hosts; fewer VCs than lanes; loads out of range; tables by which packets wait for each other for ever.
    """
    config = find_preset(preset) if isinstance(preset, str) else preset
    topology = routing.topology
    sent = traffic_of(traffic, routing, seed)
    if not isinstance(sent, Traffic):
        raise InputError(f"traffic '{traffic}' has no load that could be swept; simulate it with execute")
    wanted = list(dict.fromkeys(float(load) for load in loads))
    if not wanted:
        raise InputError(f"{topology.name}: no load to simulate; give one or more, as in loads=[0.1, 0.5]")
    for load in wanted:
        if not 0 < load <= 1:
            raise InputError(f"load {load:g}; a host makes more than 0 and at most 1 flit a cycle")
    found: dict[float, Point] = {load: known[load] for load in wanted if load in known} if known else {}
    missing = [load for load in wanted if load not in found]
    one_at_a_time = threading.Lock()

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            if asked_to_stop.is_set():
                return
            load = missing[number]
            new = point(routing, config, sent, load, seed_of(seed, load), cables)
            with one_at_a_time:
                found[load] = new
                if on_point is not None:
                    on_point(new)

    ended = "done"
    try:
        over_cores(work, len(missing), jobs)
        if len(found) < len(wanted):
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        ended = "interrupted"
    name = preset if isinstance(preset, str) else "own"
    points = tuple(found[load] for load in wanted if load in found)
    return LoadCurve(topology.name, routing.engine, traffic, name, seed, points, config, ended)


def seed_of(seed: int, load: float) -> int:
    """The seed of one load of a sweep: of the sweep's seed and of the load itself, whatever other loads there are.

    Examples
    --------
    >>> seed_of(1, 0.5) == seed_of(1, 0.5), seed_of(1, 0.5) == seed_of(1, 0.6)
    (True, False)
    """
    return Draws(seed, int.from_bytes(struct.pack(">d", load))).word() >> 33
