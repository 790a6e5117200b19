"""Schedules on SimGrid: the input file of replay.cpp, and its output."""

import os
import struct
from pathlib import Path

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.host_ports import ports_by_host
from topoloom.model.topology import Topology
from topoloom.simulation.applications.launch import workplace
from topoloom.simulation.applications.platform import layers_bytes, write_fabric
from topoloom.simulation.applications.processes import MOST_OUTPUT, ProcessLimits, run_process
from topoloom.simulation.applications.schedule_run import ScheduleCase, ScheduleRun
from topoloom.simulation.applications.settings import DETACHED
from topoloom.simulation.applications.tools import platform_library, schedule_player
from topoloom.simulation.collectives.path_layers import PathLayers, path_layers
from topoloom.simulation.flows.operations import CALC
from topoloom.simulation.flows.schedule import Schedule

_STUCK = "stuck "


def schedule_bytes(
    schedule: Schedule,
    homes: np.ndarray,
    eager_bytes: float,
    detached_bytes: float = DETACHED,
    addresses: tuple[np.ndarray, np.ndarray] | None = None,
) -> bytes:
    """Return a schedule in the format of replay.cpp.

    ``TLORDERS``; int64[3]: ranks, operations, CPUs per rank; float64[2]: a send of fewer bytes completes at once, a message of
    fewer bytes starts before its receive is posted; int64[ranks + 1]: where each rank's operations begin; int32[ranks]: its
    host; then per operation uint8 kind, int32 peer, float64 bytes or seconds, int64 tag, uint8 cpu; and its successors. Where
    messages have their own paths, the file begins with ``TLADDRES`` instead, and ends with int32[operations] twice: the
    addresses by which each message leaves and arrives, as numbered in
    `topoloom.simulation.applications.platform.layers_bytes`.

    Parameters
    ----------
    schedule : Schedule
    homes : int64[ranks]
    eager_bytes, detached_bytes : float
        Messages of fewer bytes start before their receive is posted; sends of fewer bytes complete at once.
    addresses : (int32[operations], int32[operations]), optional
        The addresses by which each send leaves and arrives.

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


def replay(case: ScheduleCase) -> ScheduleRun:
    """Run a schedule on SimGrid.

    Raises
    ------
    InputError
        No SimGrid; a schedule that does not end, or whose messages name network interfaces where hosts have several.
    Stopped
        `case.work` was stopped.
    """
    schedule, routings, settings = case.schedule, case.routings, case.settings
    topology = routings[0].topology
    limits, own = ProcessLimits(work=case.work), None
    if schedule.paths is not None and case.network is not None and not schedule.paths.tables:
        own = path_layers(schedule.paths.ways, case.network).of(schedule.paths.of)
    if schedule.operations.nics > 1 and topology.hosts < topology.endpoints.size:
        raise InputError(
            f"{schedule.name}: its messages name network interfaces, but in SimGrid the two hosts determine the route; use"
            " `simulator` flows"
        )
    library, program = platform_library(limits), schedule_player(limits)
    with workplace() as folder:
        write_fabric(folder / "fabric.bin", routings, settings, case.layout, 1)
        addresses = None if own is None else _addresses(topology, own)
        content = schedule_bytes(schedule, case.homes, settings.eager_bytes, case.detached_bytes, addresses)
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
        # A program without MPI does not accept the options of the MPI simulation.
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
    """Return the addresses of each operation's message; 0 for operations that send nothing."""
    # SimGrid numbers ports host by host; where each host has one port, the port has the number of its host.
    place = np.arange(topology.endpoints.size)
    if topology.hosts < topology.endpoints.size:
        place = np.argsort(ports_by_host(topology), axis=None)
    layer = own.layer * topology.endpoints.size
    return (np.where(own.out >= 0, layer + place[own.out], 0), np.where(own.into >= 0, layer + place[own.into], 0))


def _run(
    command: list[str], folder: Path, environment: dict[str, str], limits: ProcessLimits, schedule: Schedule
) -> float:
    """Run the program; return its CPU time in seconds."""
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
            f"{schedule.name}: it does not end: {done} of {schedule.operations.count} operations are done, the others wait"
            " for messages or for their receives; `simulator` flows names one of them"
        )
    if code:
        lines = errors.strip().splitlines() or output.strip().splitlines() or [f"code {code}"]
        raise InputError(f"{schedule.name}: the simulation failed: {lines[-1][:300]}")
    return cpu_s
