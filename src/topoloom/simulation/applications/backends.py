"""The three simulators of schedules, by one call: flows, SimGrid, and routers flit by flit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import InputError, hint
from topoloom.core.settings import changed, shown, written
from topoloom.core.work import Work
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.machine import network_as_flows
from topoloom.simulation.applications.schedule_run import FlitSettings, FlowSettings, ScheduleCase, ScheduleRun, by_link
from topoloom.simulation.applications.settings import DETACHED, AppSettings
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.state import FlowNetwork

SIMGRID, FLOWS, FLITS = "simgrid", "flows", "flits"
#: What simulates schedules, and what it is.
SIMULATORS = {
    FLOWS: "messages share channels evenly; flows:window=0.2 lets rates be out of date for a fifth of a message's time",
    SIMGRID: "SimGrid replays the same messages",
    FLITS: "routers with virtual channels and credits, cycle by cycle",
}


@dataclass(frozen=True)
class Backend:
    """Which simulator runs a schedule, and its own settings."""

    name: str = SIMGRID
    flows: FlowSettings = field(default_factory=FlowSettings)
    flits: FlitSettings = field(default_factory=FlitSettings)

    @property
    def text(self) -> str:
        """``simgrid``, ``flows``, ``flows:window=0.2`` or ``flits:flit_bits=256,...``, with all that is set of it."""
        if self.name == FLITS:
            values: dict[str, Any] = msgspec.structs.asdict(self.flits)
            return f"{FLITS}:" + ",".join(f"{key}={written(one)}" for key, one in values.items())
        return f"{self.name}:window={self.flows.window:g}" if self.flows.window else self.name


def backend_of(text: str) -> Backend:
    """The simulator that a text names.

    Parameters
    ----------
    text : str
        ``simgrid``, ``flows``, ``flows:window=0.2``, ``flits`` or ``flits:flit_bits=256,packet_flits=64,table_router_vcs=4``.

    Raises
    ------
    InputError
        No such simulator, or a value out of range.

    Examples
    --------
    >>> backend_of("flows:window=0.2").text, backend_of("flits:flit_bits=512").text
    ('flows:window=0.2', 'flits:flit_bits=512,packet_flits=64,table_router_vcs=4')
    """
    if not isinstance(text, str):
        raise InputError(f"simulator={shown(text)}: give 'simgrid', 'flows', 'flows:window=0.2' or 'flits'")
    name, _, rest = text.strip().partition(":")
    if name not in SIMULATORS:
        raise InputError(f"no simulator '{name[:40]}'; {hint(name, SIMULATORS)}")
    given = [part for part in rest.split(",") if part.strip()]
    if name == FLITS:
        return Backend(FLITS, flits=changed(FlitSettings(), given))
    if name == FLOWS:
        return Backend(FLOWS, flows=changed(FlowSettings(), given))
    if given:
        raise InputError(f"simulator {text[:60]}: simgrid has no settings of its own; `set` changes the machine's")
    return Backend()


def check_backend(backend: Backend, settings: AppSettings) -> None:
    """Refuse settings that a simulator of schedules has no word for.

    Raises
    ------
    InputError
        The model smpi; for flits hosts' links of another rate than links', or half duplex.
    """
    if settings.model != "plain":
        raise InputError(f"simulation: model={settings.model} is MPI's; {backend.name} takes model=plain for schedules")
    if backend.name != FLITS:
        return
    if settings.host_rate_gbps not in (0.0, settings.rate_gbps):
        raise InputError(
            f"simulation: host_rate_gbps={settings.host_rate_gbps:g} and rate_gbps={settings.rate_gbps:g}: among routers a"
            " host's link carries a flit a cycle, as any; leave host_rate_gbps out, or take `simulator` flows"
        )
    if settings.duplex == "half":
        raise InputError("simulation: duplex=half: links of routers are full duplex; take `simulator` flows")


def run_schedule(
    schedule: Schedule,
    routings: Sequence[Routing],
    homes: np.ndarray,
    *,
    backend: Backend,
    settings: AppSettings,
    layout: Layout | None = None,
    detached_bytes: float = DETACHED,
    network: FlowNetwork | None = None,
    work: Work | None = None,
) -> ScheduleRun:
    """Run a schedule on a network.

    Parameters
    ----------
    schedule : Schedule
        Its programs' collectives are those of its settings already; its paths, where it has some, are of this network.
    routings : sequence of Routing
        Tables for the first, the second, ... host of each switch, in turn; one for all alike.
    homes : int64[ranks]
        The host of each rank.
    backend : Backend
        Which simulator (`backend_of`).
    settings : AppSettings
        Rates and delays; messages below `eager_bytes` set out before they are awaited.
    layout : Layout, optional
        How long every cable is.
    detached_bytes : float
        A send of fewer is done at once.
    network : FlowNetwork, optional
        As `network_as_flows` makes it of the same tables, where the caller has it.
    work : Work, optional
        Reports progress in operations by flows and flits; its stop ends the simulation.

    Raises
    ------
    InputError
        A schedule that does not come to its end or does not fit the network; settings that the simulator has no word for; no
        SimGrid.
    Stopped
        `work` was stopped.
    """
    check_backend(backend, settings)
    work = Work() if work is None else work
    if network is None and (backend.name == FLOWS or schedule.paths is not None):
        network = network_as_flows(routings, settings, layout)
    case = ScheduleCase(schedule, routings, homes, settings, layout, detached_bytes, network, work)
    if backend.name == FLITS:
        from topoloom.simulation.applications.flits_backend import run_flits

        return run_flits(case, backend.flits)
    if backend.name == SIMGRID or network is None:
        from topoloom.simulation.applications.simgrid_backend import replay

        return replay(case)
    from topoloom.simulation.flows.simulate import simulate_flows

    found = simulate_flows(
        network,
        schedule,
        homes,
        window=backend.flows.window,
        detached_bytes=detached_bytes,
        eager_bytes=settings.eager_bytes,
        work=work,
    )
    return ScheduleRun(
        seconds=found.seconds,
        finished=found.finished,
        worked=found.worked,
        spent=found.spent,
        link_bytes=by_link(routings[0], found.carried),
        messages=found.messages,
        cpu_s=found.cpu_s,
    )
