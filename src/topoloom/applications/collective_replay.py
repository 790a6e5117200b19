"""A schedule of a collective by the simulator that is asked for: flows, SimGrid, or routers flit by flit."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from topoloom.applications.flit_replay import FlitSettings, check_flits, play
from topoloom.applications.flow_run import FLOWS, SIMGRID, check_flows, simulator_of
from topoloom.applications.processes import Limits
from topoloom.applications.settings import AppSettings
from topoloom.collectives.flows import run_schedule, ways_of
from topoloom.collectives.messages import messages_of
from topoloom.collectives.path_layers import path_layers
from topoloom.collectives.schedule import CollectiveSchedule
from topoloom.errors import InputError, hint
from topoloom.flows.state import Fabric
from topoloom.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.settings import changed, shown, written
from topoloom.work import Work

FLITS = "flits"
#: What simulates schedules, and what it is.
SIMULATORS = {
    FLOWS: "messages share channels evenly; flows:window=0.2 as topoloom app has it",
    SIMGRID: "SimGrid replays the same messages",
    FLITS: "routers with virtual channels and credits, cycle by cycle",
}


@dataclass(frozen=True)
class ScheduleSimulator:
    """Which simulator carries a schedule out: its name, the window of flows, and what flits are."""

    name: str = FLOWS
    window: float = 0.0
    flits: FlitSettings = field(default_factory=FlitSettings)

    @property
    def text(self) -> str:
        """``flows``, ``flows:window=0.2``, ``simgrid`` or ``flits:flit_bits=256,...``, with all that is set of it."""
        if self.name == FLITS:
            return f"{FLITS}:" + ",".join(
                f"{key}={written(one)}" for key, one in msgspec.structs.asdict(self.flits).items()
            )
        return f"{self.name}:window={self.window:g}" if self.window else self.name


@dataclass(frozen=True)
class Timed:
    """A schedule's simulated seconds, how many messages it had, and the seconds of processor time that it took."""

    seconds: float
    messages: int
    cpu_s: float


def schedule_simulator(text: str, settings: AppSettings) -> ScheduleSimulator:
    """The simulator that a text names.

    Parameters
    ----------
    text : str
        ``flows``, ``flows:window=0.2``, ``simgrid``, ``flits`` or ``flits:flit_bits=256,packet_flits=64,lane_vcs=4``.
    settings : AppSettings

    Returns
    -------
    ScheduleSimulator

    Raises
    ------
    InputError
        No such simulator, a value out of range, or a model that is MPI's.

    Examples
    --------
    >>> schedule_simulator("flits:flit_bits=512", AppSettings()).text
    'flits:flit_bits=512,packet_flits=64,lane_vcs=4'
    """
    check_flows(settings)
    if not isinstance(text, str):
        raise InputError(f"simulator={shown(text)}: give 'flows', 'flows:window=0.2', 'simgrid' or 'flits'")
    name, _, rest = text.strip().partition(":")
    if name not in SIMULATORS:
        raise InputError(f"no simulator '{name[:40]}'; {hint(name, SIMULATORS)}")
    if name == FLITS:
        check_flits(settings)
        return ScheduleSimulator(
            FLITS, flits=changed(FlitSettings(), [part for part in rest.split(",") if part.strip()])
        )
    found = simulator_of(text)
    return ScheduleSimulator(found.name, found.window)


def carried_out(
    schedule: CollectiveSchedule,
    routings: Sequence[Routing],
    net: Fabric,
    back: np.ndarray,
    settings: AppSettings,
    layout: Layout | None,
    by: ScheduleSimulator,
    work: Work,
) -> Timed:
    """Simulate a schedule.

    Parameters
    ----------
    schedule : CollectiveSchedule
    routings : sequence of Routing
    net : Fabric
        The same network as flows have it.
    back : int64[c]
        The channel that leads the other way.
    settings : AppSettings
    layout : Layout or None
    by : ScheduleSimulator
    work : Work

    Returns
    -------
    Timed

    Raises
    ------
    InputError
        A schedule that is too large, or that does not fit the network; no SimGrid; what routers have no room for; a deadlock.
    Stopped
        `work` was stopped.
    """
    if by.name == FLOWS or schedule.ranks < 2:
        times = run_schedule(schedule, net, back, window=by.window, work=work)
        return Timed(times.seconds, times.messages, times.cpu_s)
    from topoloom.applications.schedule_replay import replay

    messages, way = messages_of(schedule)
    # Among flows every message of a schedule waits for its receive.
    settings = msgspec.structs.replace(settings, eager_bytes=0.0)
    homes = np.asarray(schedule.hosts, np.int64)
    own = None
    if schedule.operation != "alltoall":
        ways = [
            one for _, down, up in ways_of(schedule, net, back) for pair in zip(down, up, strict=True) for one in pair
        ]
        own = path_layers(ways, net).of(way)
    if by.name == FLITS:
        if own is not None and schedule.paths == "tables":
            own = replace(own, ports=(), lanes=())
        played = play(messages, homes, routings, settings, by.flits, layout, own=own, work=work)
        return Timed(played.seconds, messages.messages, played.cpu_s)
    if schedule.paths == "tables":
        own = None
    found = replay(messages, homes, routings, settings, layout, Limits(work=work), detached_bytes=0.0, own=own)
    return Timed(found.seconds, messages.messages, found.cpu_s)
