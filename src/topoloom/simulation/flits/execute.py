"""The operations `execute` and `packets_of`: traces and closed loops simulated to their end, and logs of single packets."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.csv_files import csv_text
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.buffers import DONE, FLITS, INSIDE, LAST_END, LATENCY, LOGGED, MADE, ROUTERS, WAITED
from topoloom.simulation.flits.host_ports import traffic_between_hosts
from topoloom.simulation.flits.one_load import percentile
from topoloom.simulation.flits.point_table import tables_digest
from topoloom.simulation.flits.presets import router_of, shown_router
from topoloom.simulation.flits.rates import router_at
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.simulation.flits.scheduled import cycles_of
from topoloom.simulation.flits.to_end import LOOK, MOST_CYCLES, ended, go_to_end
from topoloom.throughput.traffic import Traffic

#: Cycles before packets are logged, for traffic with a load.
_WARM = 3000
#: The columns of `Packets.rows`.
PACKET_COLUMNS = ("source", "destination", "flits", "made", "entered", "arrived", "routers")


@dataclass(frozen=True)
class Execution(Result):
    """The simulation of a trace, a closed loop or a schedule, from its first packet to the arrival of its last.

    Attributes
    ----------
    traffic, preset : str
        Names; the preset is "custom" for a given `RouterConfig`.
    cycles : int
        Cycles until the last packet or reply arrived, or the last operation of a schedule ended.
    packets, flits : int
        Packets and flits that arrived.
    latency_mean, source_mean, hops_mean : float
        Cycles from a packet's creation to the arrival of its last flit; of these, before it left its host; routers on its path.
    latency_p50, latency_p99, latency_p999 : int
        Percentiles of the latency, in cycles.
    time_ns : float
        `cycles` in nanoseconds; 0 where the preset does not define the duration of a cycle.
    router : RouterConfig
        The preset with all changes.
    provenance : Provenance
        The network's name, spec and digest, the engine and the seed; its setting ``tables`` is a digest of the tables of next
        hops and of the cables' cycles.
    """

    record_name = "execution"

    traffic: str
    preset: str
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
    router: RouterConfig = field(default_factory=RouterConfig)
    provenance: Provenance = field(default_factory=Provenance, compare=False, repr=False)

    @property
    def routers(self) -> str:
        """The preset with its changes: ``noc-2016 with vcs=2``."""
        return shown_router(self.preset, self.router)

    def rows(self) -> list[dict[str, Any]]:
        """One row: what was simulated, and its numbers."""
        origin = self.provenance
        about = {"topology": origin.name, "engine": origin.engine, "seed": origin.seed}
        numbers = {name: value for name, value in super().rows()[0].items() if name != "schema"}
        return [about | numbers]


@dataclass(frozen=True)
class Executions(Result):
    """Executions of one or several kinds of traffic on several networks.

    Attributes
    ----------
    executions : tuple of Execution
        The executions in the order network, engine, traffic. Each has its own provenance.
    """

    record_name = "executions"

    executions: tuple[Execution, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False, repr=False)

    def record(self) -> dict[str, Any]:
        """Return the record, with the provenance of each execution."""
        each = [
            {name: value for name, value in execution.record().items() if name != "schema"}
            for execution in self.executions
        ]
        return super().record() | {"executions": each}

    def rows(self) -> list[dict[str, Any]]:
        """One row per execution."""
        return [row for execution in self.executions for row in execution.rows()]


@dataclass(frozen=True, eq=False)
class Packets:
    """Single packets, in the order of their arrival.

    Attributes
    ----------
    rows : int64[k, 7]
        By `PACKET_COLUMNS`: hosts, flits, the cycles in which the packet was created, its first flit left its host and its last
        flit arrived, and the routers on its path.
    """

    rows: np.ndarray

    def csv(self) -> str:
        """Return the table as CSV, with `PACKET_COLUMNS`."""
        return csv_text(PACKET_COLUMNS, self.rows.tolist())


def execute(
    routing: NetworkSource,
    traffic: str,
    preset: str | RouterConfig = "slimfly-2014",
    *,
    settings: Iterable[str] = (),
    seed: int = 1,
    cables: np.ndarray | None = None,
    work: Work | None = None,
) -> Execution:
    """Simulate a trace, a closed loop or a schedule to its end: the execution time.

    Parameters
    ----------
    routing : NetworkSource
        Its installed tables, else those of the fitting engine.
    traffic : str
        ``trace:FILE`` or ``chip:...``, a pattern of traffic without a load; or ``goal:file=FILE`` or ``chakra:file=NAME``, a
        workload whose rank r is on host r.
    preset : str or RouterConfig
        The preset of the routers.
    settings : texts KEY=VALUE
        Changes of the preset: ``["vcs=3"]``.
    seed : int
    cables : int64[links], optional
        The cycles of each cable; those of the preset when omitted.
    work : Work, optional
        Reports progress in packets of a trace, round trips of a closed loop, or operations.

    Returns
    -------
    Execution

    Raises
    ------
    InputError
        Traffic with a load; a deadlock; an execution longer than 33 million cycles; a schedule that does not end; routers
        without the sizes of a flit and a cycle.
    Stopped
        `work` was stopped before the end.
    """
    routing = taken(routing, Routing, "execute")
    work = Work() if work is None else work
    name, config = router_of(preset, settings)
    config = router_at(routing.topology, config)
    sent = traffic_between_hosts(traffic, routing, seed)
    if isinstance(sent, Traffic):
        raise InputError(f"traffic '{traffic}' has no end; simulate it at loads with `simulate`")
    run = RouterRun(routing, config, sent, 0.0, seed, cables=cables, work=work)
    state = run.network.state
    go_to_end(run, sent, traffic, work)
    done = max(1, int(state[DONE]))
    cycles = int(state[LAST_END]) if run.play is None else cycles_of(run.play)
    about = {"traffic": traffic, "preset": name, "router": config, "tables": tables_digest(routing, cables)}
    return Execution(
        traffic=traffic,
        preset=name,
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
        router=config,
        provenance=provenance_of(routing.topology, engine=routing.engine, seed=seed, settings=about),
    )


def packets_of(
    routing: Routing,
    traffic: str | Traffic,
    preset: str | RouterConfig = "slimfly-2014",
    *,
    settings: Iterable[str] = (),
    load: float = 0.1,
    count: int = 10_000,
    seed: int = 1,
    cables: np.ndarray | None = None,
    work: Work | None = None,
) -> Packets:
    """Log single packets: all of a trace or closed loop up to `count`, or that many of a load after a warm-up.

    Parameters
    ----------
    routing, traffic, preset, settings, seed, cables
        As for `execute`; the traffic may have a load.
    load : float
        Flits per host and cycle; for traffic with a load.
    count : int
        The most packets.
    work : Work, optional
        Reports progress in packets.

    Returns
    -------
    Packets
        The packets, in the order of their arrival.

    Raises
    ------
    InputError
        A load out of range, a deadlock, `count` below 1.
    Stopped
        `work` was stopped before the end.
    """
    work = Work() if work is None else work
    config = router_at(routing.topology, router_of(preset, settings)[1])
    sent = traffic_between_hosts(traffic, routing, seed)
    if not 0 < load <= 1 or count < 1:
        raise InputError(
            f"load {load:g} and {count} packets; a load must be above 0 and at most 1, and at least 1 packet is needed"
        )
    run = RouterRun(routing, config, sent, load, seed, cables=cables, log=count, work=work)
    state, log = run.network.state, run.network.buffers.log.reshape(-1, 8)
    begin = _WARM if isinstance(sent, Traffic) else 0
    work.begin(count, "packets")
    if begin:
        run.go(begin, 1 << 60, 1 << 60)
    while state[LOGGED] < count and run.cycle < MOST_CYCLES - LOOK:
        packets_before = int(state[MADE])
        run.go(LOOK, begin, 1 << 60, lambda _: work.reach(int(state[LOGGED])))
        if not isinstance(sent, Traffic) and ended(run, sent):
            break
        if isinstance(sent, Traffic) and packets_before == state[MADE] and not state[INSIDE]:
            break
    logged = log[: int(state[LOGGED])].astype(np.int64)
    destination = run.network.net.host_at[logged[:, 1] * run.network.ports + logged[:, 2]]
    rows = np.column_stack([logged[:, 0], destination, logged[:, 3:]])
    return Packets(rows[np.argsort(rows[:, 5], kind="stable")])
