"""Schedules on SimGrid: the file that replay.cpp reads, and what it writes."""

import os
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.host_ports import ports_by_host
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.launch import workplace
from topoloom.simulation.applications.platform import layers_bytes, write_fabric
from topoloom.simulation.applications.processes import MOST_OUTPUT, ProcessLimits, run_process
from topoloom.simulation.applications.schedule_run import ScheduleRun
from topoloom.simulation.applications.settings import DETACHED, AppSettings
from topoloom.simulation.applications.tools import platform_library, schedule_player
from topoloom.simulation.collectives.path_layers import PathLayers, path_layers
from topoloom.simulation.flows.operations import CALC
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.state import FlowNetwork

_STUCK = "stuck "


def schedule_bytes(
    schedule: Schedule,
    homes: np.ndarray,
    eager_bytes: float,
    detached_bytes: float = DETACHED,
    addresses: tuple[np.ndarray, np.ndarray] | None = None,
) -> bytes:
    """A schedule as replay.cpp reads it.

    ``TLORDERS``; int64[3]: ranks, operations, cpus of a rank; float64[2]: a send of fewer bytes is done at once, a message of
    fewer sets out before it is awaited; int64[ranks + 1]: where each rank's operations begin; int32[ranks]: its host; then of
    each operation uint8 kind, int32 peer, float64 bytes or seconds, int64 tag, uint8 cpu; and its successors. Where
    messages have paths of their own it begins with ``TLADDRES`` instead, and ends with int32[operations] twice: the addresses
    that each leaves and arrives by, as `topoloom.simulation.applications.platform.layers_bytes` numbers them.

    Parameters
    ----------
    schedule : Schedule
    homes : int64[ranks]
    eager_bytes, detached_bytes : float
        Messages of fewer bytes set out before they are awaited; sends of fewer are done at once.
    addresses : (int32[operations], int32[operations]), optional
        Those that each send leaves and arrives by.

    Returns
    -------
    bytes
    """
    s = schedule.operations
    limits = float(detached_bytes), np.inf if schedule.eager else float(eager_bytes)
    amount = np.where(s.kind == CALC, s.amount / 1e9, s.amount)
    head = (b"TLORDERS" if addresses is None else b"TLADDRES") + struct.pack("<3q2d", s.ranks, s.count, s.cpus, *limits)
    columns = (
        (s.first, "<i8"),
        (homes, "<i4"),
        (s.kind, "u1"),
        (s.peer, "<i4"),
        (amount, "<f8"),
        (s.tag, "<i8"),
        (s.cpu, "u1"),
        (s.done_first, "<i8"),
        (s.done_next, "<i4"),
        (s.start_first, "<i8"),
        (s.start_next, "<i4"),
        *((column, "<i4") for column in addresses or ()),
    )
    return head + b"".join(np.asarray(column).astype(kind).tobytes() for column, kind in columns)


def replay(
    schedule: Schedule,
    routings: Sequence[Routing],
    homes: np.ndarray,
    settings: AppSettings,
    layout: Layout | None,
    detached_bytes: float,
    network: FlowNetwork | None,
    work: Work,
) -> ScheduleRun:
    """Run a schedule on SimGrid.

    Parameters
    ----------
    schedule : Schedule
    routings : sequence of Routing
        One, or one for each of the hosts of a switch, in turn.
    homes : int64[ranks]
        The host of each rank.
    settings : AppSettings
        Rates, delays, the model.
    layout : Layout or None
        How long every cable is.
    detached_bytes : float
        A send of fewer is done at once.
    network : FlowNetwork or None
        The same network as flows, for schedules with paths of their own.
    work : Work
        Progress and stop.

    Returns
    -------
    ScheduleRun

    Raises
    ------
    InputError
        No SimGrid; a schedule that does not come to its end, or whose messages name network interfaces where hosts have
        several.
    Stopped
        `work` was stopped.
    """
    topology = routings[0].topology
    limits, own = ProcessLimits(work=work), None
    if schedule.paths is not None and network is not None and not schedule.paths.tables:
        own = path_layers(schedule.paths.ways, network).of(schedule.paths.of)
    if schedule.operations.nics > 1 and topology.hosts < topology.endpoints.size:
        raise InputError(
            f"{schedule.name}: its messages name network interfaces, and SimGrid's routes are fixed by the two hosts; take"
            " `simulator` flows"
        )
    library, program = platform_library(limits), schedule_player(limits)
    with workplace() as folder:
        write_fabric(folder / "fabric.bin", routings, settings, layout, 1)
        addresses = None if own is None else _addresses(topology, own)
        content = schedule_bytes(schedule, homes, settings.eager_bytes, detached_bytes, addresses)
        (folder / "schedule.bin").write_bytes(content)
        places = {
            "TOPOLOOM_FABRIC": "fabric.bin",
            "TOPOLOOM_LOADS": "loads.txt",
            "TOPOLOOM_SCHEDULE": "schedule.bin",
            "TOPOLOOM_RANKS": "ranks.txt",
        }
        if own is not None:
            (folder / "layers.bin").write_bytes(layers_bytes(topology, own.ports))
            places["TOPOLOOM_LAYERS"] = "layers.bin"
        environment = {
            **os.environ,
            **{name: str(folder / file) for name, file in places.items()},
            "TMPDIR": str(folder),
        }
        # The options of MPI's simulation are unknown to a program that has no MPI.
        options = [option for option in settings.options(replay=True) if not option.startswith("--cfg=smpi/")]
        command = [str(program), str(library), *options]
        cpu_s = _run(command, folder, environment, limits, schedule)
        loads = (folder / "loads.txt").read_text().splitlines()
        worked = np.array((folder / "ranks.txt").read_text().split(), float)
    links = np.array([line.split()[1:] for line in loads if line.startswith("link")], float).reshape(-1, 2)
    seconds = next(float(line.split()[1]) for line in loads if line.startswith("time"))
    return ScheduleRun(
        seconds, np.full(schedule.ranks, np.nan), worked, np.zeros((schedule.ranks, 0)), links, schedule.messages, cpu_s
    )


def _addresses(topology: Topology, own: PathLayers) -> tuple[np.ndarray, np.ndarray]:
    """The addresses of each operation's message; 0 of those that send nothing."""
    # SimGrid's ports are those of the first host, of the second, ...; the fabric's are a host's number where each has one.
    place = np.arange(topology.endpoints.size)
    if topology.hosts < topology.endpoints.size:
        place = np.argsort(ports_by_host(topology), axis=None)
    layer = own.layer * topology.endpoints.size
    return (np.where(own.out >= 0, layer + place[own.out], 0), np.where(own.into >= 0, layer + place[own.into], 0))


def _run(
    command: list[str], folder: Path, environment: dict[str, str], limits: ProcessLimits, schedule: Schedule
) -> float:
    """Run the program; how much CPU it took."""
    with (
        open(folder / "out.txt", "w+", errors="replace") as out,
        open(folder / "err.txt", "w+", errors="replace") as err,
    ):
        code, cpu_s = run_process(command, folder, out, err, environment, limits, f"{schedule.name}: simulating")
        for stream in (out, err):
            stream.seek(0)
        output, errors = out.read(MOST_OUTPUT), err.read(MOST_OUTPUT)
    if output.startswith(_STUCK):
        done = int(output.removeprefix(_STUCK).split()[0])
        raise InputError(
            f"{schedule.name}: it does not come to an end: {done} of {schedule.operations.count} operations are done, and"
            " others wait for messages, or messages for them; `simulator` flows names one"
        )
    if code:
        lines = errors.strip().splitlines() or output.strip().splitlines() or [f"code {code}"]
        raise InputError(f"{schedule.name}: the simulation failed: {lines[-1][:300]}")
    return cpu_s
