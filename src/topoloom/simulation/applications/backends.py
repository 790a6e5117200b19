"""The three simulators of schedules, by one call: flows, SimGrid, and routers flit by flit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from topoloom.core.errors import InputError, hint
from topoloom.core.settings import Settings, changed, setting, shown, written
from topoloom.core.work import Work
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.machine import network_as_flows
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


class FlowSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How exact flows are.

    Raises
    ------
    InputError
        A value of the wrong type or out of its range.
    """

    group: ClassVar[str] = "flows"

    window: Annotated[
        float, setting("share of a message's time for which rates may be out of date; 0: exact", least=0, most=1)
    ] = 0.0


class FlitSettings(Settings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `AppSettings` do not say of flits; cycles, delays and buffers follow from these and from them.

    Raises
    ------
    InputError
        A value of the wrong type or out of its range.
    """

    group: ClassVar[str] = "flits"

    flit_bits: Annotated[
        int, setting("size of a flit, which a link carries in a cycle", unit="bits", least=8, most=1 << 20)
    ] = 256
    packet_flits: Annotated[int, setting("what messages are cut into", unit="flits", least=1, most=1 << 12)] = 64
    lane_vcs: Annotated[
        int, setting("virtual channels of a lane of the tables; 32 of a port at most", least=1, most=32)
    ] = 4


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
        ``simgrid``, ``flows``, ``flows:window=0.2``, ``flits`` or ``flits:flit_bits=256,packet_flits=64,lane_vcs=4``.

    Raises
    ------
    InputError
        No such simulator, or a value out of range.

    Examples
    --------
    >>> backend_of("flows:window=0.2").text, backend_of("flits:flit_bits=512").text
    ('flows:window=0.2', 'flits:flit_bits=512,packet_flits=64,lane_vcs=4')
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


@dataclass(frozen=True, eq=False)
class ScheduleCase:
    """A schedule on a network, as the simulators take it; the fields are what `run_schedule` is given."""

    schedule: Schedule
    routings: Sequence[Routing]
    homes: np.ndarray
    settings: AppSettings
    layout: Layout | None
    detached_bytes: float
    network: FlowNetwork | None
    work: Work


@dataclass(frozen=True, eq=False)
class ScheduleRun:
    """What came of a schedule, whoever simulated it.

    Attributes
    ----------
    seconds : float
        Until the last operation is over.
    finished : float64[ranks]
        When the last operation of each rank is over; NaN where SimGrid does not say.
    worked : float64[ranks]
        Seconds that at least one cpu of each rank computed.
    spent : float64[ranks, labels]
        Seconds in the operations of each label, where flows ran programs; else no column.
    link_bytes : float64[links, 2]
        What each link carried, from its lower switch to its higher and back.
    messages : int
    cpu_s : float
        That the simulation took.
    """

    seconds: float
    finished: np.ndarray
    worked: np.ndarray
    spent: np.ndarray
    link_bytes: np.ndarray
    messages: int
    cpu_s: float


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
        Told of operations by flows and flits; its stop ends the simulation.

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


def by_link(routing: Routing, carried: np.ndarray) -> np.ndarray:
    """What channels carried, float64[channels], by link and direction, float64[links, 2]."""
    topology = routing.topology
    link = topology.csr[2].astype(np.int64)
    against = (topology.links[link, 0] != routing.channels.origin).astype(np.int64)
    found = np.zeros((len(topology.links), 2))
    found[link, against] = carried
    return found
