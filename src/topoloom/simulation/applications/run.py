"""The operation `run_app`: an MPI program on a routed network, simulated by SimGrid, as flows, or flit by flit."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.app_run import AppRun, Measurement
from topoloom.simulation.applications.backends import SIMGRID, Backend, backend_of, check_backend, run_schedule
from topoloom.simulation.applications.checks import check_kind, check_whole, check_words, limits_of
from topoloom.simulation.applications.given import given, network_or_tables
from topoloom.simulation.applications.launch import Ran, run_smpi, workplace
from topoloom.simulation.applications.least_time import least_seconds
from topoloom.simulation.applications.placement import place_ranks
from topoloom.simulation.applications.platform import write_fabric
from topoloom.simulation.applications.processes import TIME_LIMIT_S, ProcessLimits
from topoloom.simulation.applications.program import Program, RankTraces, Source
from topoloom.simulation.applications.ranks import fitted
from topoloom.simulation.applications.registry import opened
from topoloom.simulation.applications.schedule_run import ScheduleRun
from topoloom.simulation.applications.schedules import as_schedule, in_place_of_code
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.tools import built_in, compiled, platform_library, version
from topoloom.simulation.flows.programs import Programs
from topoloom.simulation.flows.schedule import Schedule

_RESULT = re.compile(r"^result (\S+) (\S+)(?: (\S+))?$", re.MULTILINE)
_INDEX = "index.txt"
#: The name of the result from marks in a trace: the time that the program's own clock measures.
_CLOCK = "clock"


def run_app(
    network: NetworkSource | Sequence[Routing],
    app: str | Program,
    ranks: int | None = None,
    *,
    placement: str = "linear",
    settings: AppSettings | None = None,
    layout: Layout | None = None,
    seed: int = 1,
    jobs: int | None = None,
    time_limit_s: float = TIME_LIMIT_S,
    simulator: str | None = None,
    work: Work | None = None,
) -> AppRun:
    """Simulate an MPI program or a schedule on a network: by SimGrid (SMPI), as flows, or flit by flit.

    A user's program runs on this machine with the user's rights, in the current folder.

    Parameters
    ----------
    network : NetworkSource or sequence of Routing
        Messages follow its installed tables, else those of the fitting engine, hop by hop; SimGrid does not model deadlocks of
        virtual channels. Of several tables, the first leads to the first host of each switch, the second to its second, and so
        on in turn (`topoloom.host_routings`).
    app : str or Program
        ``alltoall:bytes=65536``, ``cg:class=A`` (`topoloom.simulation.applications.registry.APPLICATIONS` lists all), a
        program, or a `Schedule`.
    ranks : int, optional
        When omitted, one per host, or the number of traces, or that of the file of a schedule.
    placement : str
        ``linear``, ``random``, ``rack``, ``optimised`` or ``file:PATH`` (`placement.place_ranks`).
    settings : AppSettings, optional
        Rates, delays, model, collectives; the defaults at the network's own rate when omitted.
    layout : Layout, optional
        The length of every cable, and the switches of each rack; the network's own when omitted.
    seed : int
        The seed of the placement.
    jobs : int, optional
        Threads for an optimised placement; all cores when omitted.
    time_limit_s : float
        Seconds after which compiling or simulating a user's program is stopped. Built-in programs have no limit, as they always
        end.
    simulator : str, optional
        ``simgrid`` (the default); ``flows``, which runs traces, schedules, ``alltoall``, ``allreduce``, ``collective`` and
        ``training`` without SimGrid; ``flows:window=0.2``, which updates rates late, by up to a fifth of a message's time; or
        ``flits``, routers flit by flit, for the same programs
        (``flits:flit_bits=256,packet_flits=64,table_router_vcs=4``).
    work : Work, optional
        Its stop ends the simulation at once; no process and no file remains.

    Returns
    -------
    AppRun

    Raises
    ------
    InputError
        No SimGrid where it is needed; a program that does not compile, refuses its ranks, fails, exceeds its time limit, or
        does not run as flows; more ranks than hosts; a value of the wrong type.
    Stopped
        `work` was stopped.

    Notes
    -----
        A message passes the links of both hosts, and every switch and cable on its path. A host with several ports (planes,
        rails) is one host: flows use its ports in turn, message by message, and SimGrid uses port (a + b) modulo ports between
        hosts a and b. A message has the rate of one port.
    """
    source, topology = network_or_tables(network, "run_app")
    limits = limits_of(time_limit_s, work)
    check_kind(
        "app",
        app,
        (str, Source, RankTraces, Schedule),
        "a text such as 'alltoall:bytes=8', a program from program_from or trace_from, or a Schedule, as from load_goal",
    )
    check_whole("ranks", ranks, 1, none=True)
    app, backend = opened(app), backend_of(SIMGRID if simulator is None else simulator)
    program, ranks = fitted(topology, app, ranks)
    inputs = given(source, layout, settings, "run_app")
    routings, layout, settings = inputs.routings, inputs.layout, inputs.settings
    check_words("placement", placement, "a text, such as 'linear'")
    check_kind("settings", settings, AppSettings, "AppSettings")
    check_kind("layout", layout, (Layout, type(None)), "a Layout, such as topoloom.place returns")
    check_whole("seed", seed, 0)
    check_whole("jobs", jobs, 1, none=True)
    routing = routings[0]
    if backend.name != SIMGRID or isinstance(program, Schedule):
        return _scheduled(routings, program, ranks, placement, settings, layout, seed, jobs, backend, limits.work)
    library = platform_library(limits)
    homes = place_ranks(
        placement, ranks, routing, layout, lambda: matrix_of(program, ranks, routing, settings, limits), seed, jobs
    )
    with workplace() as folder:
        ran = _simulated(folder, library, program, homes, routings, settings, layout, limits)
        loads = _written(folder / "loads.txt", program).decode().splitlines()
    links = np.array([line.split()[1:] for line in loads if line.startswith("link")], float).reshape(-1, 2)
    computed = np.zeros(ranks)
    for line in loads:
        if line.startswith("rank"):
            computed[int(line.split()[1])] = float(line.split()[2])
    seconds = next(float(line.split()[1]) for line in loads if line.startswith("time"))
    clocked = [float(line.split()[1]) for line in loads if line.startswith("clock")]
    timed_s = clocked[0] if clocked else seconds if isinstance(program, RankTraces) and program.timed else 0.0
    operations = program.operations if isinstance(program, RankTraces) else 0.0
    is_built_in = isinstance(program, Source) and program.built_in
    results = {_CLOCK: Measurement(timed_s, "s")} if clocked else _results(ran.output)
    measure = _CLOCK if clocked else "" if isinstance(program, RankTraces) else program.measure
    return _app_run(
        routings,
        program,
        homes,
        placement,
        settings,
        layout,
        seed,
        about=settings.values,
        cpu_s=ran.cpu_s,
        seconds=seconds,
        results=results,
        measure=measure,
        mops=operations / timed_s / 1e6 if operations and timed_s else math.nan,
        communication=_waiting(computed, seconds, settings),
        link_bytes=links,
        simgrid=version(),
        exit_code=ran.code,
        output=_RESULT.sub("", ran.output).strip() if is_built_in else ran.output,
    )


def _scheduled(
    routings: Sequence[Routing],
    program: Program,
    ranks: int,
    placement: str,
    settings: AppSettings,
    layout: Layout | None,
    seed: int,
    jobs: int | None,
    backend: Backend,
    work: Work | None,
) -> AppRun:
    """Run a program as a schedule, on any simulator."""
    check_backend(backend, settings)
    schedule = as_schedule(program, settings)
    if schedule.ranks != ranks:
        raise InputError(f"{program.name}: the program is for {schedule.ranks} ranks, not for {ranks}")
    homes = place_ranks(placement, ranks, routings[0], layout, schedule.bytes_between, seed, jobs)
    run = run_schedule(schedule, routings, homes, backend=backend, settings=settings, layout=layout, work=work)
    results, measure, mops = _results_of(program, schedule, run, settings)
    communication = np.clip(1 - run.worked / run.seconds, 0.0, 1.0) if run.seconds else np.zeros(ranks)
    return _app_run(
        routings,
        program,
        homes,
        placement,
        settings,
        layout,
        seed,
        about=settings.values if backend.name == SIMGRID else {**settings.values, "simulator": backend.text},
        cpu_s=run.cpu_s,
        seconds=run.seconds,
        results=results,
        measure=measure,
        mops=mops,
        communication=communication,
        link_bytes=run.link_bytes,
        simgrid=version() if backend.name == SIMGRID else "",
        head_of_line_share=run.head_of_line_share,
    )


def _results_of(
    program: Program, schedule: Schedule, run: ScheduleRun, settings: AppSettings
) -> tuple[dict[str, Measurement], str, float]:
    """Return the results, the name of the result by which networks are compared, and Mop/s."""
    if isinstance(program, Schedule):
        return {}, "seconds", math.nan
    if isinstance(program, Source):
        return in_place_of_code(program).results(run, settings), program.measure, math.nan
    labels = schedule.content.labels if isinstance(schedule.content, Programs) and run.spent.size else ()
    clocked = program.marked is not None and _CLOCK in labels
    seconds = float(run.spent[:, labels.index(_CLOCK)].max()) if clocked else run.seconds
    timed = (clocked or program.timed) and seconds > 0
    mops = program.operations / seconds / 1e6 if program.operations and timed else math.nan
    return ({_CLOCK: Measurement(seconds, "s")} if clocked else {}), _CLOCK, mops


def _app_run(
    routings: Sequence[Routing],
    program: Program,
    homes: np.ndarray,
    placement: str,
    settings: AppSettings,
    layout: Layout | None,
    seed: int,
    *,
    about: dict[str, Any],
    cpu_s: float,
    results: dict[str, Measurement],
    measure: str,
    exit_code: int = 0,
    output: str = "",
    **measured: Any,
) -> AppRun:
    routing, links_gbps = routings[0], routings[0].topology.link_rate_gbps
    return AppRun(
        program=program.name,
        network=routing.topology.name,
        engine=routing.engine,
        routing_seed=None,
        host_tables=len(routings),
        placement=placement,
        seed=int(seed),
        ranks=homes.size,
        results=results,
        measure=measure if measure in results else "seconds",
        homes=homes,
        settings=settings,
        exit_code=exit_code,
        output=output,
        bound_s=least_seconds(program, routing.topology, homes, settings, layout),
        link_gbps=np.empty(0) if links_gbps is None or not routing.topology.mixed else links_gbps,
        provenance=provenance_of(
            routing.topology, engine=routing.engine, seed=int(seed), settings=about, timings={"cpu_s": cpu_s}
        ),
        **measured,
    )


def _written(path: Path, program: Program) -> bytes:
    """Return the content of a file that the platform wrote at the end of a simulation."""
    try:
        return path.read_bytes()
    except OSError:
        raise InputError(
            f"{program.name}: the simulation's files are gone; the program must not delete files in the folder for"
            " temporary files"
        ) from None


def matrix_of(
    program: Source | RankTraces,
    ranks: int,
    routing: Routing,
    settings: AppSettings,
    limits: ProcessLimits | None = None,
) -> np.ndarray:
    """Return the bytes that each rank sends to each other rank, float64[ranks, ranks], with collectives as messages.

    The program runs once for this, with one rank per host; parameters and errors are those of `run_app`.

    Parameters
    ----------
    program : Program
        The program.
    ranks : int
        At most the number of hosts.
    routing : Routing
        The network of the run; the bytes do not depend on its paths.
    settings : AppSettings
        Rates and delays; the network model is always the plain one.
    limits : ProcessLimits, optional
        The time limit, and what stops the run.

    Returns
    -------
    float64[ranks, ranks]
        Bytes from the rank of the row to that of the column; 0 on the diagonal.
    """
    limits = ProcessLimits() if limits is None else limits
    with workplace() as folder:
        homes = place_ranks("linear", ranks, routing)
        even, matrix = structs.replace(settings, model="plain"), folder / "matrix.bin"
        _simulated(folder, platform_library(limits), program, homes, (routing,), even, None, limits, matrix=matrix)
        hosts = routing.topology.hosts
        sent = np.frombuffer(_written(matrix, program)).reshape(hosts, hosts)[:ranks, :ranks].copy()
    np.fill_diagonal(sent, 0.0)
    return sent


def _simulated(
    folder: Path,
    library: Path,
    program: Source | RankTraces,
    homes: np.ndarray,
    routings: Sequence[Routing],
    settings: AppSettings,
    layout: Layout | None,
    limits: ProcessLimits,
    *,
    matrix: Path | None = None,
) -> Ran:
    """Run a program in SimGrid, in a given folder."""
    cores = int(np.bincount(homes).max())
    write_fabric(folder / "fabric.bin", routings, settings, layout, cores)
    environment = {"TOPOLOOM_FABRIC": str(folder / "fabric.bin"), "TOPOLOOM_LOADS": str(folder / "loads.txt")}
    if matrix is not None:
        environment["TOPOLOOM_MATRIX"] = str(matrix)
    if isinstance(program, RankTraces):
        if settings.collectives != "default":
            raise InputError(
                f"{program.name}: SimGrid replays traces with its default collectives only, not with"
                f" {settings.collectives}; set collectives=default, and algorithms one by one (algorithms=alltoall:pair)"
            )
        command = ["-replay", _traces(program, folder)]
    else:
        make = built_in if program.built_in else compiled
        binary = make(program.files, limits) if program.binary is None else program.binary
        command = [*(["-no-privatize"] if program.built_in else []), str(binary)]
    users_own = isinstance(program, Source) and not program.built_in
    options = settings.options(replay=isinstance(program, RankTraces), polls=users_own)
    arguments = () if isinstance(program, RankTraces) else program.arguments
    cwd = _here() if users_own else None
    # Built-in programs always end, and may take hours.
    limits = limits if users_own else ProcessLimits(work=limits.work)
    return run_smpi(
        folder, library, homes.tolist(), command, options, environment, program.name, limits, arguments, cwd
    )


def _here() -> str:
    """Return the current folder, where users' programs run."""
    try:
        return str(Path.cwd())
    except OSError:
        raise InputError("the current folder no longer exists; change to another folder") from None


def _traces(program: RankTraces, folder: Path) -> str:
    """Write the traces and their index as files; return the index."""
    (folder / "traces").mkdir()
    text, names = program.marked or program.text, []
    for rank in range(program.ranks):
        names.append(f"traces/{rank}.txt")
        (folder / names[-1]).write_text(text(rank))
    (folder / _INDEX).write_text("\n".join(names) + "\n")
    return str(folder / _INDEX)


def _results(output: str) -> dict[str, Measurement]:
    results: dict[str, Measurement] = {}
    for name, value, unit in _RESULT.findall(output):
        try:
            results[name] = Measurement(float(value), unit)
        except ValueError:
            continue
    return results


def _waiting(computed: np.ndarray, seconds: float, settings: AppSettings) -> np.ndarray:
    """Return the share of time in which each rank does not compute, float64[ranks]."""
    if not seconds:
        return np.zeros(computed.size)
    return np.asarray(np.clip(1 - computed / (settings.speed_gflops * 1e9) / seconds, 0.0, 1.0))
