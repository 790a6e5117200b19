"""RouterRun: a running simulation of routers and hosts, which advances by cycles."""

import math
import time
from collections.abc import Callable

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.choices import Adaptive
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.buffers import HOPS, SPREADS, UNMATCHED, WRONG, Demand
from topoloom.simulation.flits.host_ports import ports_of_hosts
from topoloom.simulation.flits.kernels.fields import PORT_SENT, PORT_SIZE, VC_FLITS, VC_SIZE
from topoloom.simulation.flits.network_state import empty_network
from topoloom.simulation.flits.partition import Partition, divisible
from topoloom.simulation.flits.rates import FlitRates, flit_rates, uniform_shares
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.scheduled import Placed, play_of
from topoloom.simulation.flits.watchdog import check_moving
from topoloom.throughput.traffic import UNIFORM, Loop, Trace, Traffic
from topoloom.throughput.traffic.given import shares_up_to

#: The approximate seconds per call of the kernel: how soon a run reacts to a stop, and how often it reports progress.
_CALL_SECONDS = 0.2
#: The most replies that may wait for the service of their requests.
_MOST_WAITING = 1 << 22
#: Cycles of the first call, and the most per call; both even, see `RouterRun.go`.
_FIRST_CALL, _LONGEST_CALL = 4, 1 << 20


class RouterRun:
    """A simulation at one load, or of a trace or closed loop, batch by batch.

    Parameters
    ----------
    routing : Routing
    config : RouterConfig
    traffic : Traffic, Trace, Loop or Placed
    load : float
        Flits per host and cycle; ignored for a trace, a loop or a schedule.
    seed : int
    cables : int64[links], optional
        The cycles of each cable; those of the config when omitted.
    log : int
        The most packets of the window that are logged.
    work : Work, optional
        Checked for a stop several times per second.
    cores : int
        The most threads; the result does not depend on them. A network that cannot be divided (`divisible`) has one.

    Raises
    ------
    InputError
        A network that exceeds the limits of the kernels.
    """

    def __init__(
        self,
        routing: Routing,
        config: RouterConfig,
        traffic: Traffic | Trace | Loop | Placed,
        load: float,
        seed: int,
        *,
        cables: np.ndarray | None = None,
        log: int = 0,
        work: Work | None = None,
        cores: int = 1,
    ) -> None:
        if cables is None:
            cables = np.full(len(routing.topology.links), config.link_cycles, np.int64)
        self._config = config
        self.routing, self.rates = routing, flit_rates(routing.topology)
        self.demand = _demand(config, traffic, load, routing.topology, self.rates)
        self.play, messages = None, 0
        if isinstance(traffic, Placed):
            self.play, messages = play_of(traffic, config, routing.topology)
        self.network = empty_network(
            routing, config, cables, self.demand, rates=self.rates, seed=seed, log=log, messages=messages
        )
        parts = min(cores, routing.topology.switches)
        self._partition = None
        if parts > 1 and divisible(routing, config, traffic):
            self._partition = Partition(self.network, self.demand, parts)
        self.histogram = self.network.buffers.histogram
        self.cycle = 0
        self._work = Work() if work is None else work
        self._call_cycles = _FIRST_CALL
        if isinstance(traffic, Loop):
            from topoloom.simulation.flits.kernels.round_trips import begin_round_trips

            begin_round_trips(self.network.net, self.network.buffers, self.demand, traffic.window)

    def go(self, cycles: int, begin: int, end: int, report: Callable[[float], None] | None = None) -> None:
        """Run for some cycles.

        Parameters
        ----------
        cycles : int
        begin, end : int
            Packets created from cycle `begin` to before `end` are measured.
        report : callable (float), optional
            Called several times per second with the finished share of the cycles.

        Raises
        ------
        InputError
            A deadlock: flits wait for each other in a cycle.
        Stopped
            The work was stopped; the run cannot continue then.

        Notes
        -----
        One call of the kernel would be enough, but could not be stopped. The kernel visits each router for two cycles at a
        time; so all calls but the last run an even number of cycles, and the result equals that of one call.
        """
        before, goal = int(self.network.state[HOPS]), self.cycle + cycles
        while self.cycle < goal:
            self._work.check()
            self._call(min(self._call_cycles, goal - self.cycle), begin, end)
            if report is not None:
                report(1 - (goal - self.cycle) / cycles)
        moved = int(self.network.state[HOPS]) - before
        if not moved:
            whole = self.network if self._partition is None else self._partition.whole()
            check_moving(self.routing, whole)

    def _call(self, cycles: int, begin: int, end: int) -> None:
        """Call the kernel once, and determine how many cycles the next call may run."""
        at, began = self.network, time.perf_counter()
        self.cycle += cycles
        if self._partition is not None:
            self._partition.run(self.cycle, begin, end)
        else:
            at.run(self.demand, self.play, self.cycle, begin, end)
        if isinstance(self.routing.choice, Adaptive) and at.state[WRONG]:
            raise _undeclared(self.routing, self.routing.choice, at.state[WRONG : WRONG + 5].tolist())
        if at.state[UNMATCHED]:
            switch, of_switch = divmod(int(at.state[UNMATCHED]) - 1, 2)
            name = self._config.switch_allocator if of_switch else self._config.vc_allocator
            raise InputError(
                f"{self.routing.topology.name}: the allocator '{name}' granted two requests of one input or output, at switch"
                f" {switch}; grants must be a matching"
            )
        fits = int(cycles * _CALL_SECONDS / max(time.perf_counter() - began, 1e-9))
        self._call_cycles = max(2, min(fits, 2 * self._call_cycles, _LONGEST_CALL) & ~1)

    @property
    def other_seconds(self) -> float:
        """Processor time of other threads than the caller's."""
        return 0.0 if self._partition is None else self._partition.other_seconds

    def host_flits(self) -> np.ndarray:
        """Return the flits that each host has received, int64[hosts]."""
        hosts = np.flatnonzero(self.network.net.host_at >= 0)
        return self.network.buffers.port[PORT_SIZE * hosts + PORT_SENT].astype(np.int64)

    def channel_flits(self) -> np.ndarray:
        """Return the flits that each channel has carried, int64[channels]."""
        return np.asarray(self.network.buffers.port[PORT_SIZE * self.network.channel_port + PORT_SENT].astype(np.int64))

    def inside(self) -> int:
        """Return the flits in all buffers."""
        vcs = self.network.buffers.active.size * 64  # behind them are copies
        return int(self.network.buffers.rec[VC_FLITS : vcs * VC_SIZE : VC_SIZE].sum())


def _undeclared(routing: Routing, choice: Adaptive, wrong: list[int]) -> InputError:
    """The error of a move that an adaptive function did not declare, or that does not exist."""
    switch, goal, came, port, vc_class = wrong[0] - 1, *wrong[1:]
    links = int(routing.topology.degrees[switch])
    packet = f"a packet to switch {goal}" + (f" that has come in class {came}" if came >= 0 else "")
    why = "it did not declare this move"
    if not (port < links and 0 <= vc_class < choice.classes):
        why = f"the switch has ports 0 to {links - 1} and classes 0 to {choice.classes - 1}"
    return InputError(
        f"{routing.topology.name}: the adaptive function '{choice.name}' sends {packet} at switch {switch} to port {port} in"
        f" class {vc_class}; {why}"
    )


def _demand(
    config: RouterConfig,
    traffic: Traffic | Trace | Loop | Placed,
    load: float,
    topology: Topology,
    rates: FlitRates | None,
) -> Demand:
    lengths = sorted(config.packet_lengths)
    none, none32 = np.zeros(0, np.int64), np.zeros(0, np.int32)
    empty = Demand(
        kind=UNIFORM,
        first=none,
        to=none32,
        weights=np.zeros(0),
        pace=np.zeros(0),
        share=1.0,
        load=0.0,
        burst=float(config.burst_packets),
        lengths=np.array([length for length, _ in lengths], np.int32),
        shares=np.cumsum([share for _, share in lengths]),
        events=none32,
        owner=none32,
        ports=none32,
        turn=none32,
        spread=SPREADS.index(config.host_ports),
        port_rate=np.zeros(0),
        host_rate=np.zeros(0),
        to_any=np.zeros(0),
        due=np.zeros(0),
        slot_cycles=1,
        slot_flits=1,
        stride=1,
        loop=none,
        replies=none,
        back_first=none,
        back_to=none32,
    )
    ports = ports_of_hosts(topology)
    if ports is not None:
        if isinstance(traffic, Loop):
            raise InputError(f"{topology.name}: traffic {traffic.name} is for hosts with one port")
        owner = np.empty(ports.size, np.int32)
        owner[ports.ravel()] = np.repeat(np.arange(len(ports)), ports.shape[1])
        empty = empty._replace(owner=owner, ports=ports.ravel(), turn=np.zeros(len(ports), np.int32))
    if rates is not None and topology.endpoints.size:
        own = rates.flits
        cycles, flits = rates.endpoint[own.argmax()].tolist()
        empty = empty._replace(slot_cycles=cycles, slot_flits=flits, stride=_stride(own.size))
        if np.unique(own).size > 1:
            host = rates.by_host(ports)
            empty = empty._replace(
                port_rate=own / own.max(),
                host_rate=host / host.max(),
                to_any=uniform_shares(host, config.to_itself),
                due=np.zeros(own.size),
            )
    if config.reply_flits and not isinstance(traffic, Traffic):
        raise InputError(
            f"{topology.name}: reply_flits is for traffic with a load; this traffic ends, and has replies of its own"
        )
    if isinstance(traffic, Placed):
        return empty
    if isinstance(traffic, Trace):
        events = np.stack([traffic.cycle, traffic.source, traffic.destination, traffic.flits], 1)
        return empty._replace(events=events.astype(np.int32).reshape(-1))
    if isinstance(traffic, Loop):
        miss = round(traffic.miss * (1 << 32)) if traffic.back_to.size else 0
        loop = [
            traffic.request_flits,
            traffic.reply_flits,
            traffic.service_cycles,
            traffic.miss_cycles,
            miss,
            traffic.requests,
            traffic.think_cycles,
            0,
        ]
        return empty._replace(
            first=traffic.first.copy(),
            to=traffic.to.copy(),
            loop=np.array(loop, np.int64),
            back_first=traffic.back_first.copy(),
            back_to=traffic.back_to.copy(),
        )
    if not traffic.by_host:
        raise InputError(
            f"traffic {traffic.name}: has amounts between switches, but the kernel sends from host to host; use `between_hosts`"
        )
    pace = np.ones(1) if traffic.pace is None else traffic.pace
    most = float(pace.max())
    if load * most > 1 + 1e-9:
        raise InputError(
            f"traffic {traffic.name}: at load {load:g} host {int(pace.argmax())} creates {load * most:.3g} of its"
            f" rate; give loads of at most {1 / most:.3g}, or scale the traffic"
        )
    packets = min(load * most / config.flits_per_created / config.burst_packets, 1 - 1e-9)
    if config.reply_flits:
        waiting = traffic.hosts * (config.service_cycles + 8)
        if rates is not None or waiting > _MOST_WAITING:
            why = (
                "hosts and links of different rates" if rates is not None else f"{waiting:,} replies may wait at a time"
            )
            raise InputError(f"{topology.name}: replies cannot be simulated with {why}; set reply_flits=0")
        loop = [0, config.reply_flits, config.service_cycles, 0, 0, 0, 0, 1]
        empty = empty._replace(loop=np.array(loop, np.int64), replies=np.zeros(4 * waiting, np.int64))
    # Copy: read-only arrays have another type for the compiler, which would compile everything again.
    return empty._replace(
        kind=traffic.kind,
        first=traffic.first.copy(),
        to=traffic.to.copy(),
        weights=shares_up_to(traffic),
        pace=np.zeros(0) if traffic.pace is None else pace / most,
        share=float(traffic.share),
        load=packets,
    )


def _stride(hosts: int) -> int:
    """Return a number coprime with the hosts, near the golden section: multiples of it spread neighbours."""
    return next(step for step in range(max(1, round(0.618 * hosts)), hosts + 2) if math.gcd(step, hosts) == 1)
