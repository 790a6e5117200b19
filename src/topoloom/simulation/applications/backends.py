"""The three simulators of schedules behind one function: flows, SimGrid, and routers flit by flit."""

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
from topoloom.simulation.flows.network import over_groups
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.state import FlowNetwork

SIMGRID, FLOWS, FLITS = "simgrid", "flows", "flits"
#: The simulators of schedules, with a description of each.
SIMULATORS = {
    FLOWS: "messages share channels fairly, as if no buffer filled; flows:window=0.2 updates rates late, by up to a fifth of a"
    " message's time;"
    " flows:split=even splits every message over all members of next-hop groups, flows:hash_seed=2 hashes them otherwise",
    SIMGRID: "SimGrid replays the same messages",
    FLITS: "routers with virtual channels and credits, cycle by cycle",
}


@dataclass(frozen=True)
class Backend:
    """A simulator of schedules, with its settings."""

    name: str = SIMGRID
    flows: FlowSettings = field(default_factory=FlowSettings)
    flits: FlitSettings = field(default_factory=FlitSettings)

    @property
    def text(self) -> str:
        """``simgrid``, ``flows``, ``flows:window=0.2`` (what differs), or ``flits:flit_bits=256,...`` (all settings)."""
        own: FlowSettings | FlitSettings = self.flits if self.name == FLITS else self.flows
        usual: dict[str, Any] = {} if self.name == FLITS else msgspec.structs.asdict(FlowSettings())
        values = [(key, value) for key, value in msgspec.structs.asdict(own).items() if value != usual.get(key)]
        return self.name + ":" * bool(values) + ",".join(f"{key}={written(value)}" for key, value in values)


def backend_of(text: str) -> Backend:
    """Return the simulator that a text names.

    Parameters
    ----------
    text : str
        ``simgrid``, ``flows``, ``flows:window=0.2``, ``flows:split=even``, ``flits`` or
        ``flits:flit_bits=256,packet_flits=64,table_router_vcs=4``.

    Raises
    ------
    InputError
        An unknown simulator, or a value out of range.

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
        raise InputError(f"simulator {text[:60]}: simgrid takes no settings here; use `set` for those of the machine")
    return Backend()


def check_backend(backend: Backend, settings: AppSettings) -> None:
    """Refuse settings that a simulator of schedules does not support.

    Raises
    ------
    InputError
        The model smpi; for flits, hosts' links with another rate than the other links, or half duplex.
    """
    if settings.model != "plain":
        raise InputError(
            f"simulation: model={settings.model} is for MPI programs; set model=plain for schedules on {backend.name}"
        )
    if backend.name != FLITS:
        return
    if settings.host_rate_gbps not in (0.0, settings.rate_gbps):
        raise InputError(
            f"simulation: host_rate_gbps={settings.host_rate_gbps:g} and rate_gbps={settings.rate_gbps:g}: flits gives all"
            " links the same rate; omit host_rate_gbps, or use `simulator` flows"
        )
    if settings.duplex == "half":
        raise InputError("simulation: duplex=half: flits has full-duplex links only; use `simulator` flows")


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
    """Run a schedule on a network with one of the simulators.

    Parameters
    ----------
    schedule : Schedule
        The schedule, with the collectives that the settings choose; its paths, if any, are paths of this network.
    routings : sequence of Routing
        Tables for the first, the second, ... host of each switch, in turn; one table serves all.
    homes : int64[ranks]
        The host of each rank.
    backend : Backend
        Which simulator (`backend_of`).
    settings : AppSettings
        Rates and delays; messages below `eager_bytes` start before their receive is posted.
    layout : Layout, optional
        The length of every cable.
    detached_bytes : float
        A send of fewer bytes completes at once.
    network : FlowNetwork, optional
        The result of `network_as_flows` for the same tables, if the caller has it.
    work : Work, optional
        Reports progress in operations (flows and flits); its stop ends the simulation.

    Raises
    ------
    InputError
        A schedule that does not end or does not fit the network; settings that the simulator does not support; no SimGrid.
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

    result = simulate_flows(
        over_groups(network, split=backend.flows.split == "even", hash_seed=backend.flows.hash_seed),
        schedule,
        homes,
        window=backend.flows.window,
        detached_bytes=detached_bytes,
        eager_bytes=settings.eager_bytes,
        work=work,
    )
    return ScheduleRun(
        seconds=result.seconds,
        finished=result.finished,
        worked=result.worked,
        spent=result.spent,
        link_bytes=by_link(routings[0], result.carried),
        messages=result.messages,
        cpu_s=result.cpu_s,
        head_of_line_share=result.head_of_line_share,
    )
