"""The operation `simulate`: latency and throughput of a routed network under load, flit by flit."""

import threading
from collections.abc import Iterable, Iterator, MutableMapping

import numpy as np

from topoloom.core.errors import InputError, Stopped, wrong_type
from topoloom.core.threads import cores, over_cores
from topoloom.core.work import Work
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.host_ports import traffic_between_hosts
from topoloom.simulation.flits.load_curve import LoadCurve
from topoloom.simulation.flits.loads_anywhere import LoadSubject, points_anywhere
from topoloom.simulation.flits.one_load import expected_flits, seed_of, simulate_load
from topoloom.simulation.flits.pace import LEAST_INTERVAL, MOST_INTERVAL
from topoloom.simulation.flits.partition import cores_per_load, divisible
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.point_table import tables_digest
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.rates import router_at
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.throughput.traffic import Traffic


def simulate(
    routing: NetworkSource,
    traffic: str | Traffic = "uniform",
    preset: str | RouterConfig = "slimfly-2014",
    *,
    settings: Iterable[str] = (),
    loads: Iterable[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
    seed: int = 1,
    jobs: int | None = None,
    cables: np.ndarray | None = None,
    fast: bool = False,
    interval: float | None = None,
    known: MutableMapping[float, Point] | None = None,
    work: Work | None = None,
) -> LoadCurve:
    """Simulate a routed network at several loads.

    Parameters
    ----------
    routing : NetworkSource
        Its installed tables, else those of the fitting engine, with virtual channels, which get equal numbers of VCs, and with
        the choices of its packets.
    traffic : str or Traffic
        A pattern with a load, or traffic of the functions of `topoloom.throughput.traffic`: matrices between hosts
        (`hosts_matrix`) or switches, rates of hosts (`with_host_rates`). A load is a share of what it has at load 1.
    preset : str or RouterConfig
        The preset of the routers.
    settings : texts KEY=VALUE
        Changes of the preset: ``["vcs=3"]``.
    loads : floats
        Flits that a host creates per cycle, above 0 and at most 1.
    seed : int
        The same seed gives the same results; those of a load do not depend on other loads.
    jobs : int, optional
        Threads; all cores when omitted. Each simulates a load, or some switches of a load that can be divided
        (`partition.divisible`): the result does not depend on them.
    cables : int64[links], optional
        The cycles of each cable; those of the preset when omitted.
    fast : bool
        Measure large networks in shorter batches, and near saturation without reaching 1 % precision of the mean latency
        (`pace.fast_pace`); small networks are measured as usual.
    interval : float, optional
        Measure until the half width of the 95 % confidence interval of the mean latency is at most this share of it, 0.0005 to
        0.1; the limit of the measured time is (0.01 / interval)**2 times the usual one. When omitted, until it would be within
        1 % if batches were independent; near saturation they are not, and the interval of the point is wider.
    known : mutable mapping of float to Point, optional
        Points of an earlier sweep with the same settings, by load: they are used unchanged. Each new point is added as soon as
        it is finished.
    work : Work, optional
        Reports progress in flits that hosts create, as estimated before; delivers each new point (`Work.deliver`).

    Returns
    -------
    LoadCurve
        The curve; when `work` is stopped, or Ctrl-C pressed, with the finished points.

    Raises
    ------
    InputError
        No hosts; fewer VCs than virtual channels; loads or an interval out of range; tables by which packets wait for each
        other forever.
    """
    routing = taken(routing, Routing, "simulate")
    work = Work() if work is None else work
    check_interval(interval)
    name, config = router_of(preset, settings)
    topology = routing.topology
    config = router_at(topology, config)
    sent = traffic_between_hosts(traffic, routing, seed)
    if not isinstance(sent, Traffic):
        raise InputError(f"traffic '{traffic}' ends, and so has no load; simulate it with `execute`")
    wanted = checked_loads(loads, topology.name)
    point_of_load: dict[float, Point] = {load: known[load] for load in wanted if load in known} if known else {}
    missing = [load for load in wanted if load not in point_of_load]
    new: list[Point] = []
    lock = threading.Lock()
    work.begin(sum(expected_flits(sent, load) for load in missing), "flits")

    threads, each = cores(jobs), 1
    if missing and divisible(routing, config, sent):
        each = cores_per_load(len(missing), threads, min(missing) * int(sent.senders.sum()))

    def take(load: float, point: Point) -> None:
        with lock:
            point_of_load[load] = point
            new.append(point)
            if known is not None:
                known[load] = point
            work.advance(0, f"{len(new)} of {len(missing)} loads")
            work.deliver(point)

    def simulate_some(numbers: Iterator[int]) -> None:
        for number in numbers:
            load = missing[number]
            try:
                point = simulate_load(
                    routing, config, sent, load, seed_of(seed, load), cables, fast, interval, work, each
                )
            except Stopped:
                return
            take(load, point)

    with work.interruptible():
        if work.executor is None:
            over_cores(simulate_some, len(missing), threads // each, work, counted=False)
        else:
            subject = LoadSubject(routing, config, sent, cables)
            for load, point in points_anywhere(work.executor, subject, missing, seed, fast, interval, work):
                work.advance(expected_flits(sent, load))
                take(load, point)
    about = {"traffic": sent.name, "preset": name, "router": config, "tables": tables_digest(routing, cables)}
    about |= {"traffic_digest": sent.digest} if sent.weights is not None or sent.pace is not None else {}
    about |= {"fast": True} if fast else {}
    about |= {"interval": interval} if interval is not None else {}
    return LoadCurve(
        traffic=sent.name,
        preset=name,
        points=tuple(point_of_load[load] for load in wanted if load in point_of_load),
        router=config,
        ended="done" if len(point_of_load) == len(wanted) else work.ended,
        provenance=provenance_of(topology, engine=routing.engine, seed=seed, settings=about, timings=_timings(new)),
    )


def checked_loads(loads: object, network: str) -> list[float]:
    """Return the loads without duplicates, in the given order; refuse a load that a host cannot create."""
    if isinstance(loads, str) or not isinstance(loads, Iterable):
        raise wrong_type(loads, list, "loads", "give one or more, as in loads=[0.1, 0.5]")
    wanted = list(dict.fromkeys(float(load) for load in loads))
    if not wanted:
        raise InputError(f"{network}: loads= is empty; give at least one load, as in loads=[0.1, 0.5]")
    for load in wanted:
        if not 0 < load <= 1:
            raise InputError(f"load {load:g}; it must be above 0 and at most 1 flit per host and cycle")
    return wanted


def check_interval(interval: float | None) -> None:
    """Refuse an interval out of range."""
    if interval is not None and not LEAST_INTERVAL <= interval <= MOST_INTERVAL:
        raise InputError(
            f"interval={interval:g} of the mean latency must be from {LEAST_INTERVAL:g} to {MOST_INTERVAL:g}"
        )


def _timings(points: list[Point]) -> dict[str, float]:
    """Return seconds of processor time, and flits that leave a router per second."""
    each = [point.provenance.timings for point in points]
    seconds = sum(timing.get("seconds", 0.0) for timing in each)
    hops = sum(timing.get("seconds", 0.0) * timing.get("flit_hops_per_s", 0.0) for timing in each)
    return {"seconds": seconds, "flit_hops_per_s": hops / seconds} if seconds else {}
