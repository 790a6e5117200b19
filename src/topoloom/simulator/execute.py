"""Traces and closed loops, simulated to their end; and packets written down one by one."""

from dataclasses import dataclass

import numpy as np

from topoloom.errors import InputError
from topoloom.routing.routing import Routing
from topoloom.simulator.buffers import DONE, ENDED, FLITS, INSIDE, LAST_END, LATENCY, LOGGED, MADE, ROUTERS, WAITED
from topoloom.simulator.config import RouterConfig, find_preset
from topoloom.simulator.point import Run, percentile
from topoloom.traffic import Loop, Trace, Traffic, traffic_of

#: Cycles between two looks at what has arrived; and cycles of an execution at most, which a birth has room for.
_LOOK, _MOST_CYCLES = 500, 1 << 25
#: Cycles before packets are written down, for traffic with a load.
_WARM = 3000
#: Columns of `Packets.rows`.
PACKET_COLUMNS = ("source", "destination", "flits", "made", "entered", "arrived", "routers")


@dataclass(frozen=True)
class Execution:
    """A trace or a closed loop, from its first packet to the arrival of its last.

    Attributes
    ----------
    topology, engine, traffic, preset : str
    seed : int
    cycles : int
        Until the last packet, or the last reply, was there.
    packets, flits : int
        That arrived.
    latency_mean, source_mean, hops_mean : float
        Cycles from a packet's making to its last flit's arrival, and of these before it left its host; routers on the way.
    latency_p50, latency_p99, latency_p999 : int
        Cycles.
    time_ns : float
        `cycles` in nanoseconds; 0 where the preset does not say how long a cycle takes.
    """

    topology: str
    engine: str
    traffic: str
    preset: str
    seed: int
    cycles: int
    packets: int
    flits: int
    latency_mean: float
    source_mean: float
    hops_mean: float
    latency_p50: int
    latency_p99: int
    latency_p999: int
    time_ns: float


@dataclass(frozen=True, eq=False)
class Packets:
    """Packets, one by one, in the order in which they arrived.

    Attributes
    ----------
    rows : int64[k, 7]
        By `PACKET_COLUMNS`: hosts, flits, the cycles in which the packet was made, its first flit left its host, and its last
        arrived, and the routers on its way.
    """

    rows: np.ndarray


def execute(
    routing: Routing,
    traffic: str,
    preset: str | RouterConfig = "slimfly-2014",
    *,
    seed: int = 1,
    cables: np.ndarray | None = None,
) -> Execution:
    """Simulate a trace or a closed loop to its end: the execution time.

    Parameters
    ----------
    traffic : str
        ``trace:FILE`` or ``chip:...``: a pattern of `topoloom.traffic` without a load.
    cables : int64[links], optional
        Cycles of each cable; the preset's for all when left out.

    Raises
    ------
    InputError
        Traffic that has a load; a deadlock; an execution beyond 33 million cycles.
    """
    config = find_preset(preset) if isinstance(preset, str) else preset
    sent = traffic_of(traffic, routing, seed)
    if isinstance(sent, Traffic):
        raise InputError(f"traffic '{traffic}' has no end; it is simulated at loads (simulate)")
    run = Run(routing, config, sent, 0.0, seed, cables=cables)
    state = run.machine.state
    while not _ended(run, sent):
        if run.cycle > _MOST_CYCLES - _LOOK:
            raise InputError(
                f"{routing.topology.name}: {traffic} is not over after {run.cycle:,} cycles, the most there can be"
            )
        run.go(_LOOK, 0, 1 << 60)
    done = max(1, int(state[DONE]))
    cycles = int(state[LAST_END])
    return Execution(
        topology=routing.topology.name,
        engine=routing.engine,
        traffic=traffic,
        preset=preset if isinstance(preset, str) else "own",
        seed=seed,
        cycles=cycles,
        packets=int(state[DONE]),
        flits=int(state[FLITS]),
        latency_mean=int(state[LATENCY]) / done,
        source_mean=int(state[WAITED]) / done,
        hops_mean=int(state[ROUTERS]) / done,
        latency_p50=percentile(run.histogram, 0.5),
        latency_p99=percentile(run.histogram, 0.99),
        latency_p999=percentile(run.histogram, 0.999),
        time_ns=cycles * config.cycle_ns,
    )


def _ended(run: Run, sent: Trace | Loop) -> bool:
    state = run.machine.state
    if isinstance(sent, Trace):
        return int(state[DONE]) >= sent.cycle.size
    return int(state[ENDED]) >= int((np.diff(sent.first) > 0).sum()) * sent.requests


def packets_of(
    routing: Routing,
    traffic: str,
    preset: str | RouterConfig = "slimfly-2014",
    *,
    load: float = 0.1,
    count: int = 10_000,
    seed: int = 1,
    cables: np.ndarray | None = None,
) -> Packets:
    """Write down packets one by one: all of a trace or closed loop up to `count`, or so many at a load, once it is warm.

    Raises
    ------
    InputError
        A load out of range, a deadlock, `count` below 1.
    """
    config = find_preset(preset) if isinstance(preset, str) else preset
    sent = traffic_of(traffic, routing, seed)
    if not 0 < load <= 1 or count < 1:
        raise InputError(
            f"load {load:g} and {count} packets; a load is above 0 and at most 1, and packets are 1 or more"
        )
    run = Run(routing, config, sent, load, seed, cables=cables, log=count)
    state, log = run.machine.state, run.machine.buffers.log.reshape(-1, 8)
    begin = _WARM if isinstance(sent, Traffic) else 0
    if begin:
        run.go(begin, 1 << 60, 1 << 60)
    while state[LOGGED] < count and run.cycle < _MOST_CYCLES - _LOOK:
        made = int(state[MADE])
        run.go(_LOOK, begin, 1 << 60)
        if not isinstance(sent, Traffic) and _ended(run, sent):
            break
        if isinstance(sent, Traffic) and made == state[MADE] and not state[INSIDE]:
            break
    kept = log[: int(state[LOGGED])].astype(np.int64)
    destination = run.machine.net.host_at[kept[:, 1] * run.machine.ports + kept[:, 2]]
    rows = np.column_stack([kept[:, 0], destination, kept[:, 3:]])
    return Packets(rows[np.argsort(rows[:, 5], kind="stable")])
