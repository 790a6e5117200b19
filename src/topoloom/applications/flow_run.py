"""An application on a network by the simulator of flows: the same nouns as SimGrid's."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoloom.applications.app_run import AppRun, Measurement
from topoloom.applications.platform import cable_m
from topoloom.applications.program import AsFlows, Program, Scheduled, Source, Trace
from topoloom.applications.schedule_run import schedule_result
from topoloom.applications.settings import DETACHED, AppSettings
from topoloom.collectives.delays import Machine
from topoloom.errors import InputError, hint
from topoloom.flows.fabric import fabric_of
from topoloom.flows.plan import Plan
from topoloom.flows.simulate import FlowTimes, simulate_plan
from topoloom.flows.simulate_schedule import simulate_schedule
from topoloom.flows.state import Fabric
from topoloom.layout.layout import Layout
from topoloom.results import provenance_of
from topoloom.routing.routing import Routing
from topoloom.settings import shown
from topoloom.topology import Topology
from topoloom.work import Work

SIMGRID, FLOWS = "simgrid", "flows"
_BYTES_A_GBIT = 1e9 / 8


@dataclass(frozen=True)
class Simulator:
    """Which simulator runs an application: SimGrid, or flows with their window."""

    name: str = SIMGRID
    window: float = 0.0

    @property
    def text(self) -> str:
        """``simgrid``, ``flows`` or ``flows:window=0.2``."""
        return f"{self.name}:window={self.window:g}" if self.window else self.name


def simulator_of(text: str) -> Simulator:
    """The simulator that a text names.

    Raises
    ------
    InputError
        No such simulator, or a window out of range.

    Examples
    --------
    >>> simulator_of("flows:window=0.2")
    Simulator(name='flows', window=0.2)
    """
    if not isinstance(text, str):
        raise InputError(f"simulator={shown(text)}: give 'simgrid', 'flows' or 'flows:window=0.2'")
    name, colon, rest = text.strip().partition(":")
    if name not in (SIMGRID, FLOWS):
        raise InputError(f"no simulator '{name[:40]}'; {hint(name, (SIMGRID, FLOWS))}")
    if not colon:
        return Simulator(name)
    key, _, value = rest.partition("=")
    try:
        window = float(value)
    except ValueError:
        window = math.nan
    if name != FLOWS or key.strip() != "window" or not 0 <= window <= 1:
        raise InputError(f"simulator {text[:60]}: write flows:window=0.2, from 0, which is exact, to 1")
    return Simulator(name, window)


def check_program(program: Program) -> None:
    """Refuse what is code alone.

    Raises
    ------
    InputError
        It is compiled, and no plan of it is known.
    """
    if isinstance(program, Source):
        as_flows(program)


def as_flows(program: Source) -> AsFlows:
    """What flows run in the place of a compiled program.

    Raises
    ------
    InputError
        Nothing that is known.
    """
    if program.flows is None:
        raise InputError(
            f"{program.name}: flows run no compiled programs but alltoall, allreduce and training, and traces (collective,"
            " NAS skeletons, --trace); take --simulator simgrid"
        )
    return program.flows


def plan_of(program: Source | Trace, settings: AppSettings) -> Plan:
    """What the ranks of a program do, as flows run it.

    Raises
    ------
    InputError
        A program that is code alone.
    """
    from topoloom.applications.trace_plan import trace_plan

    check_program(program)
    if isinstance(program, Trace):
        return program.plan or trace_plan(program, settings)
    return as_flows(program).plan(settings)


def check_flows(settings: AppSettings) -> None:
    """Refuse settings that only SimGrid knows.

    Raises
    ------
    InputError
        The model smpi.
    """
    if settings.model != "plain":
        raise InputError(f"simulation: model={settings.model} is SimGrid's own; flows take model=plain")


def fabric(routings: Sequence[Routing], settings: AppSettings, layout: Layout | None) -> Fabric:
    """The network as flows have it, by the same settings as SimGrid's platform.

    Parameters
    ----------
    routings : sequence of Routing
    settings : AppSettings
    layout : Layout or None

    Returns
    -------
    Fabric

    Raises
    ------
    InputError
        As `topoloom.flows.fabric.fabric_of`; a layout of another network.
    """
    found = machine(routings[0].topology, settings, layout)
    return fabric_of(
        routings,
        link_rate=found.rate_gbps * _BYTES_A_GBIT,
        host_rate=found.host_rate_gbps * _BYTES_A_GBIT,
        cable_s=found.cable_s,
        switch_s=found.switch_s,
        host_s=found.host_s,
        inside_rate=settings.loopback_gbps * _BYTES_A_GBIT,
        inside_s=found.inside_s,
        half_duplex=settings.duplex == "half",
    )


def machine(topology: Topology, settings: AppSettings, layout: Layout | None) -> Machine:
    """The rates and delays of a network by the settings.

    Parameters
    ----------
    topology : Topology
    settings : AppSettings
    layout : Layout or None

    Returns
    -------
    Machine

    Raises
    ------
    InputError
        A layout of another network.
    """
    if layout is not None and not np.array_equal(layout.topology.links, topology.links):
        raise InputError(f"{topology.name}: the layout is of another network")
    lengths = cable_m(len(topology.links), settings, layout)
    inside_m = layout.floor.inside_m if layout is not None else 0.0
    host_m = inside_m if settings.cable_m is None else settings.cable_m
    return Machine(
        rate_gbps=settings.rate_gbps,
        host_rate_gbps=settings.host_rate_gbps or settings.rate_gbps,
        cable_s=(lengths * settings.cable_ns_per_m + settings.link_ns) * 1e-9,
        switch_s=settings.switch_ns * 1e-9,
        host_s=(host_m * settings.cable_ns_per_m + settings.host_link_ns) * 1e-9,
        inside_s=settings.loopback_ns * 1e-9,
    )


def run_flows(
    routings: Sequence[Routing],
    program: Program,
    homes: np.ndarray,
    placement: str,
    settings: AppSettings,
    layout: Layout | None,
    seed: int,
    simulator: Simulator,
    work: Work | None,
) -> AppRun:
    """Run a program as flows; parameters and errors are those of `run_app`.

    Parameters
    ----------
    routings : sequence of Routing
    program : Program
    homes : int64[ranks]
        The host of each rank.
    placement : str
        How it came about.
    settings : AppSettings
    layout : Layout or None
    seed : int
    simulator : Simulator
        Its window.
    work : Work or None
        Told of the program's operations.

    Returns
    -------
    AppRun
        With an empty `AppRun.simgrid`; ``simulator`` stands in its provenance's settings.
    """
    check_flows(settings)
    about = {**settings.values, "simulator": simulator.text}
    if isinstance(program, Scheduled):
        times = simulate_schedule(
            fabric(routings, settings, layout),
            program.schedule,
            homes,
            window=simulator.window,
            detached_bytes=DETACHED,
            eager_bytes=settings.eager_bytes,
            work=work,
        )
        return schedule_result(
            routings,
            program,
            homes,
            placement,
            settings,
            seed,
            seconds=times.seconds,
            worked=times.computed,
            link_bytes=_by_link(routings[0], times.carried),
            cpu_s=times.cpu_s,
            simgrid="",
            about=about,
        )
    plan = plan_of(program, settings)
    times = simulate_plan(
        fabric(routings, settings, layout),
        plan,
        homes,
        flops=settings.speed_gflops * 1e9,
        window=simulator.window,
        detached_bytes=DETACHED,
        eager_bytes=settings.eager_bytes,
        work=work,
    )
    results, measure, mops = _said(program, plan, times, settings)
    routing = routings[0]
    computing = times.computed / (settings.speed_gflops * 1e9)
    return AppRun(
        program=program.name,
        network=routing.topology.name,
        engine=routing.engine,
        routing_seed=None,
        host_tables=len(routings),
        placement=placement,
        seed=int(seed),
        ranks=plan.ranks,
        seconds=times.seconds,
        results=results,
        measure=measure,
        mops=mops,
        communication=np.clip(1 - computing / times.seconds, 0.0, 1.0) if times.seconds else np.zeros(plan.ranks),
        link_bytes=_by_link(routing, times.carried),
        homes=homes,
        settings=settings,
        simgrid="",
        exit_code=0,
        output="",
        provenance=provenance_of(
            routing.topology, engine=routing.engine, seed=int(seed), settings=about, timings={"cpu_s": times.cpu_s}
        ),
    )


def _said(
    program: Source | Trace, plan: Plan, times: FlowTimes, settings: AppSettings
) -> tuple[dict[str, Measurement], str, float]:
    """Results, by which of them networks are compared, and Mop/s."""
    if isinstance(program, Source):
        found = as_flows(program).results(times, settings)
        return found, program.measure if program.measure in found else "seconds", math.nan
    clocked = program.marked is not None and "clock" in plan.labels
    seconds = float(times.spent[:, plan.labels.index("clock")].max()) if clocked else times.seconds
    results = {"clock": Measurement(seconds, "s")} if clocked else {}
    timed = (clocked or program.timed) and seconds > 0
    mops = program.operations / seconds / 1e6 if program.operations and timed else math.nan
    return results, "clock" if clocked else "seconds", mops


def _by_link(routing: Routing, carried: np.ndarray) -> np.ndarray:
    """What channels carried, as `AppRun.link_bytes`: float64[links, 2]."""
    topology = routing.topology
    link = topology.csr[2].astype(np.int64)
    against = (topology.links[link, 0] != routing.channels.origin).astype(np.int64)
    found = np.zeros((len(topology.links), 2))
    found[link, against] = carried
    return found


def matrix_by_flows(program: Program, ranks: int, settings: AppSettings) -> np.ndarray:
    """The bytes that each rank sends to each other one, float64[ranks, ranks], counted from the plan without simulating it.

    Parameters
    ----------
    program : Program
    ranks : int
    settings : AppSettings

    Returns
    -------
    float64[ranks, ranks]

    Raises
    ------
    InputError
        A program that flows do not run, or one of another number of ranks.
    """
    from topoloom.flows.matrix import bytes_between

    if isinstance(program, Scheduled):
        return program.schedule.bytes_between()
    found = bytes_between(plan_of(program, settings))
    if found.shape[0] != ranks:
        raise InputError(f"{program.name}: the program is of {found.shape[0]} ranks, not of {ranks}")
    return found
