"""The verb: latency and throughput of a routed network under load, flit by flit."""

from collections.abc import Iterable, Iterator

import numpy as np

from topoloom.errors import InputError
from topoloom.routing.routing import Routing
from topoloom.simulator.config import RouterConfig, find_preset
from topoloom.simulator.curve import LoadCurve, Point
from topoloom.simulator.point import point
from topoloom.simulator.traffic import LISTS, UNIFORM, Traffic, traffic_of
from topoloom.threads import over_cores


def simulate(
    routing: Routing, traffic: str = "uniform", preset: str | RouterConfig = "slimfly-2014", *,
    loads: Iterable[float] = (0.1, 0.3, 0.5, 0.7, 0.9), seed: int = 1, jobs: int | None = None,
) -> LoadCurve:  # fmt: skip
    """Simulate a routed network at some loads.

    Parameters
    ----------
    routing : Routing
        With its lanes, each of which gets as many VCs as any other. Choices beside the tables are not simulated yet.
    traffic : str
        `topoloom.simulator.traffic`.
    preset : str or RouterConfig
    loads : floats
        Flits that a host makes a cycle, above 0 up to 1.
    seed : int
        The same seed gives the same numbers.
    jobs : int, optional
        Loads simulated at a time; every core when left out.

    Raises
    ------
    InputError
        No hosts; fewer VCs than lanes; loads out of range; tables by which packets wait for each other for ever.
    """
    config = find_preset(preset) if isinstance(preset, str) else preset
    topology = routing.topology
    if routing.choice is not None:
        raise InputError(f"{topology.name}: engine {routing.engine} lets packets choose, which is not simulated yet")
    partner = _partners(traffic, routing, seed)
    wanted = [float(load) for load in loads]
    if not wanted:
        raise InputError(f"{topology.name}: no load to simulate; give one or more, as in loads=[0.1, 0.5]")
    for load in wanted:
        if not 0 < load <= 1:
            raise InputError(f"load {load:g}; a host makes more than 0 and at most 1 flit a cycle")
    found: dict[int, Point] = {}

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            found[number] = point(routing, config, partner, wanted[number], seed + number)

    over_cores(work, len(wanted), jobs)
    name = preset if isinstance(preset, str) else "own"
    return LoadCurve(topology.name, routing.engine, traffic, name, seed, tuple(found[i] for i in range(len(wanted))))


def _partners(text: str, routing: Routing, seed: int) -> np.ndarray:
    """Where each host sends, int32[hosts], -1: nowhere; empty for uniform traffic."""
    found = traffic_of(text, routing, seed)
    if isinstance(found, Traffic) and found.kind == UNIFORM:
        return np.empty(0, np.int32)
    if isinstance(found, Traffic) and found.kind == LISTS and found.share == 1 and np.diff(found.first).max() == 1:
        partner = np.full(found.hosts, -1, np.int32)
        partner[found.senders] = found.to
        return partner
    raise InputError(
        f"traffic '{text}' is not simulated yet; patterns with one partner a host are, and uniform traffic"
    )
