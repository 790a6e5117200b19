"""Traces and closed loops, simulated to their end; and packets written down one by one."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.csv_files import csv_text
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.link_rates import refuse_mixed
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.buffers import DONE, FLITS, INSIDE, LAST_END, LATENCY, LOGGED, MADE, ROUTERS, WAITED
from topoloom.simulation.flits.host_ports import traffic_between_hosts
from topoloom.simulation.flits.one_load import percentile
from topoloom.simulation.flits.point_table import tables_digest
from topoloom.simulation.flits.presets import router_of, shown_router
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.simulation.flits.scheduled import cycles_of
from topoloom.simulation.flits.to_end import LOOK, MOST_CYCLES, ended, go_to_end
from topoloom.throughput.traffic import Traffic

#: Cycles before packets are written down, for traffic with a load.
_WARM = 3000
#: Columns of `Packets.rows`.
PACKET_COLUMNS = ("source", "destination", "flits", "made", "entered", "arrived", "routers")


@dataclass(frozen=True)
class Execution(Result):
    """A trace, a closed loop or a schedule, from its first packet to the arrival of its last.

    Attributes
    ----------
    traffic, preset : str
        Names; the preset is "custom" where a `RouterConfig` was given.
    cycles : int
        Until the last packet, or the last reply, was there, or the last operation of a schedule was over.
    packets, flits : int
        That arrived.
    latency_mean, source_mean, hops_mean : float
        Cycles from a packet's making to its last flit's arrival, and of these before it left its host; routers on its path.
    latency_p50, latency_p99, latency_p999 : int
        Cycles.
    time_ns : float
        `cycles` in nanoseconds; 0 where the preset does not say how long a cycle takes.
    router : RouterConfig
        What the preset says, with all that was changed of it.
    provenance : Provenance
        The network's name, spec and digest, the engine and the seed; ``tables`` under its settings is a digest of the tables
        of next hops and of the cables' cycles.
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
        """The preset, and what was changed of it: ``noc-2016 with vcs=2``."""
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
        Network by network, for each engine by engine, for each traffic by traffic. Each has a provenance of its own.
    """

    record_name = "executions"

    executions: tuple[Execution, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False, repr=False)

    def record(self) -> dict[str, Any]:
        """As every result's, with the provenance of each execution."""
        each = [{name: value for name, value in one.record().items() if name != "schema"} for one in self.executions]
        return super().record() | {"executions": each}

    def rows(self) -> list[dict[str, Any]]:
        """A row an execution."""
        return [row for one in self.executions for row in one.rows()]


@dataclass(frozen=True, eq=False)
class Packets:
    """Packets, one by one, in the order in which they arrived.

    Attributes
    ----------
    rows : int64[k, 7]
        By `PACKET_COLUMNS`: hosts, flits, the cycles in which the packet was made, its first flit left its host, and its last
        arrived, and the routers on its path.
    """

    rows: np.ndarray

    def csv(self) -> str:
        """The table as CSV, under `PACKET_COLUMNS`."""
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
        What the routers are like.
    settings : texts KEY=VALUE
        Values of the preset that are changed: ``["vcs=3"]``.
    seed : int
    cables : int64[links], optional
        Cycles of each cable; the preset's for all when omitted.
    work : Work, optional
        Reports progress in packets of a trace, round trips of a closed loop, or operations.

    Returns
    -------
    Execution

    Raises
    ------
    InputError
        Traffic that has a load; a deadlock; an execution beyond 33 million cycles; a schedule that does not end, or routers
        that do not say what a flit and a cycle are.
    Stopped
        `work` was stopped before the end.
    """
    routing = taken(routing, Routing, "execute")
    refuse_mixed(routing.topology, "execute")
    work = Work() if work is None else work
    name, config = router_of(preset, settings)
    sent = traffic_between_hosts(traffic, routing, seed)
    if isinstance(sent, Traffic):
        raise InputError(f"traffic '{traffic}' has no end; it is simulated at loads (simulate)")
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
    traffic: str,
    preset: str | RouterConfig = "slimfly-2014",
    *,
    settings: Iterable[str] = (),
    load: float = 0.1,
    count: int = 10_000,
    seed: int = 1,
    cables: np.ndarray | None = None,
    work: Work | None = None,
) -> Packets:
    """Write down packets one by one: all of a trace or closed loop up to `count`, or so many at a load, once it is warm.

    Parameters
    ----------
    routing, traffic, preset, settings, seed, cables
        As for `execute`; the traffic may have a load.
    load : float
        Flits a host and cycle; for traffic that has a load.
    count : int
        Packets at most.
    work : Work, optional
        Reports progress in packets.

    Returns
    -------
    Packets
        In the order in which they were made.

    Raises
    ------
    InputError
        A load out of range, a deadlock, `count` below 1.
    Stopped
        `work` was stopped before the end.
    """
    work = Work() if work is None else work
    _, config = router_of(preset, settings)
    sent = traffic_between_hosts(traffic, routing, seed)
    if not 0 < load <= 1 or count < 1:
        raise InputError(
            f"load {load:g} and {count} packets; a load is above 0 and at most 1, and packets are 1 or more"
        )
    run = RouterRun(routing, config, sent, load, seed, cables=cables, log=count, work=work)
    state, log = run.network.state, run.network.buffers.log.reshape(-1, 8)
    begin = _WARM if isinstance(sent, Traffic) else 0
    work.begin(count, "packets")
    if begin:
        run.go(begin, 1 << 60, 1 << 60)
    while state[LOGGED] < count and run.cycle < MOST_CYCLES - LOOK:
        made = int(state[MADE])
        run.go(LOOK, begin, 1 << 60, lambda _: work.reach(int(state[LOGGED])))
        if not isinstance(sent, Traffic) and ended(run, sent):
            break
        if isinstance(sent, Traffic) and made == state[MADE] and not state[INSIDE]:
            break
    kept = log[: int(state[LOGGED])].astype(np.int64)
    destination = run.network.net.host_at[kept[:, 1] * run.network.ports + kept[:, 2]]
    rows = np.column_stack([kept[:, 0], destination, kept[:, 3:]])
    return Packets(rows[np.argsort(rows[:, 5], kind="stable")])
