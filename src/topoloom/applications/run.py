"""The verb `run_app`: an MPI program on a routed network, simulated by SimGrid, or as flows."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from msgspec import structs

from topoloom.applications.app_run import AppRun, Measurement
from topoloom.applications.checks import check_kind, check_text, check_whole, limits_of
from topoloom.applications.flow_run import FLOWS, SIMGRID, matrix_by_flows, run_flows, simulator_of
from topoloom.applications.launch import Ran, simulate, workplace
from topoloom.applications.least_time import least_seconds
from topoloom.applications.placement import place_ranks
from topoloom.applications.platform import write_fabric
from topoloom.applications.processes import TIME_LIMIT_S, Limits
from topoloom.applications.program import Program, Scheduled, Source, Trace
from topoloom.applications.registry import opened, program_of
from topoloom.applications.schedule_run import run_schedule
from topoloom.applications.settings import AppSettings
from topoloom.applications.tools import built_in, compiled, platform_library, version
from topoloom.errors import InputError, check_all, wrong_type
from topoloom.layout.layout import Layout
from topoloom.results import provenance_of
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.topology import Topology
from topoloom.work import Work

_RESULT = re.compile(r"^result (\S+) (\S+)(?: (\S+))?$", re.MULTILINE)
_INDEX = "index.txt"
#: The result that marks in a trace give: what the program's own clock measures.
_CLOCK = "clock"


def run_app(
    network: Routing | Topology | Sequence[Routing],
    app: str | Program,
    ranks: int | None = None,
    *,
    placement: str = "linear",
    settings: AppSettings | None = None,
    layout: Layout | None = None,
    seed: int = 1,
    jobs: int | None = None,
    time_limit_s: float = TIME_LIMIT_S,
    simulator: str = SIMGRID,
    work: Work | None = None,
) -> AppRun:
    """Run an MPI program on a network, simulated by SimGrid (SMPI) or by flows of our own.

    A program of the user's runs on this machine with the user's rights, in the current folder.

    Parameters
    ----------
    network : Routing, Topology or sequence of Routing
        Tables, which are obeyed hop by hop, or a topology, which engine minimal routes; SimGrid knows no deadlock of lanes.
        Of several tables the first leads to the first host of each switch, the second to its second, and so on in turn
        (`topoloom.host_routings`).
    app : str or Program
        ``alltoall:bytes=65536``, ``cg:class=A`` (`topoloom.applications.registry.APPLICATIONS` has all), or a program.
    ranks : int, optional
        One for every host when left out, or as many as there are traces, or as the file of a schedule has.
    placement : str
        ``linear``, ``random``, ``cabinet``, ``optimised`` or ``file:PATH`` (`placement.place_ranks`).
    settings : AppSettings, optional
        Rates, delays, model, collectives.
    layout : Layout, optional
        How long every cable is, and which switches share a cabinet.
    seed : int
        Of the placement.
    jobs : int, optional
        Threads that look for an optimised placement; every core when left out.
    time_limit_s : float
        Seconds after which compiling, or simulating, a program of the user's is ended. Programs of topoloom's own end by
        themselves.
    simulator : str
        ``simgrid``; ``flows``, which runs traces, schedules, ``alltoall``, ``allreduce``, ``collective`` and ``training``
        without SimGrid; or ``flows:window=0.2``, where rates may be out of date for a fifth of a message's time
        (`simulate_plan`).
    work : Work, optional
        Its stop ends the simulation at once; no process and no file is left.

    Returns
    -------
    AppRun

    Raises
    ------
    InputError
        No SimGrid where it is asked for; a program that does not compile, refuses its ranks, fails, or takes longer than it
        may, or that flows do not run; more ranks than hosts; a value of the wrong type.
    Stopped
        `work` was stopped.

    Notes
    -----
    Delays: a message passes both its hosts' links, every switch and every cable on its path. A host with several ports (planes,
    rails) is one host: flows take its ports message by message, in turn, and SimGrid port (a + b) modulo ports between hosts a
    and b. A message has the rate of one port.
    """
    limits = limits_of(time_limit_s, work)
    topology = topology_of(network, "run_app")
    check_kind(
        "app",
        app,
        (str, Source, Trace, Scheduled),
        "a text as 'alltoall:bytes=8', or a program of program_from or trace_from",
    )
    check_whole("ranks", ranks, 1, none=True)
    check_text("placement", placement, "a text, as 'linear'")
    check_kind("settings", settings, (AppSettings, type(None)), "AppSettings")
    check_kind("layout", layout, (Layout, type(None)), "a Layout, as topoloom.place makes one")
    check_whole("seed", seed, 0)
    check_whole("jobs", jobs, 1, none=True)
    settings = AppSettings() if settings is None else settings
    app = opened(app)
    ranks = ranks_on(topology, app, ranks)
    program = program_of(app, ranks) if isinstance(app, str) else app
    by = simulator_of(simulator)
    routings = routings_of(network, "run_app")
    routing = routings[0]
    if by.name == FLOWS:
        homes = place_ranks(
            placement, ranks, routing, layout, lambda: matrix_by_flows(program, ranks, settings), seed, jobs
        )
        run = run_flows(routings, program, homes, placement, settings, layout, seed, by, work)
        return replace(run, bound_s=least_seconds(program, topology, homes, settings, layout))
    if isinstance(program, Scheduled):
        homes = place_ranks(placement, ranks, routing, layout, program.schedule.bytes_between, seed, jobs)
        return run_schedule(routings, program, homes, placement, settings, layout, seed, limits)
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
    timed_s = clocked[0] if clocked else seconds if isinstance(program, Trace) and program.timed else 0.0
    operations = program.operations if isinstance(program, Trace) else 0.0
    ours = isinstance(program, Source) and program.built_in
    results = {_CLOCK: Measurement(timed_s, "s")} if clocked else _results(ran.output)
    measure = _CLOCK if clocked else "" if isinstance(program, Trace) else program.measure
    return AppRun(
        program=program.name,
        network=topology.name,
        engine=routing.engine,
        routing_seed=None,
        host_tables=len(routings),
        placement=placement,
        seed=int(seed),
        ranks=ranks,
        seconds=seconds,
        results=results,
        measure=measure if measure in results else "seconds",
        mops=operations / timed_s / 1e6 if operations and timed_s else math.nan,
        communication=_waiting(computed, seconds, settings),
        link_bytes=links,
        homes=homes,
        settings=settings,
        simgrid=version(),
        exit_code=ran.code,
        bound_s=least_seconds(program, topology, homes, settings, layout),
        output=_RESULT.sub("", ran.output).strip() if ours else ran.output,
        provenance=provenance_of(
            topology, engine=routing.engine, seed=int(seed), settings=settings.values, timings={"cpu_s": ran.cpu_s}
        ),
    )


def routings_of(network: Routing | Topology | Sequence[Routing], taker: str) -> tuple[Routing, ...]:
    """The tables of what `taker`, `run_app` for one, is given.

    Raises
    ------
    InputError
        It is neither a topology nor tables.
    """
    if isinstance(network, Topology):
        return (route(network, "minimal"),)
    if isinstance(network, Routing):
        return (network,)
    remedy = "build(spec) makes a Topology, and route(topology) its tables"
    given: object = network
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise wrong_type(network, (Topology, Routing, Sequence), taker, remedy)
    if not network:
        raise InputError(f"{taker} takes one Routing or more, not an empty sequence; {remedy}")
    check_all(network, Routing, taker, remedy)
    return tuple(network)


def topology_of(network: Routing | Topology | Sequence[Routing], taker: str) -> Topology:
    """The network that `routings_of` is about, without routing it.

    Raises
    ------
    InputError
        As `routings_of`.
    """
    return network if isinstance(network, Topology) else routings_of(network, taker)[0].topology


def _written(path: Path, program: Program) -> bytes:
    """What the platform wrote at the end of a simulation."""
    try:
        return path.read_bytes()
    except OSError:
        raise InputError(
            f"{program.name}: the simulation's own files are gone; the program must leave the folder for temporary files alone"
        ) from None


def check_hosts(topology: Topology) -> None:
    """Refuse a network without hosts, on which nothing runs."""
    if not topology.hosts:
        raise InputError(f"{topology.name}: it has no hosts for the ranks; give it some, as in hosts=4")


def ranks_on(topology: Topology, app: str | Program, ranks: int | None) -> int:
    """On how many ranks a program runs: one for each host, or as many as there are traces, unless given.

    Parameters
    ----------
    topology : Topology
        The network.
    app : str or Program
        What runs, or a built-in application's spec.
    ranks : int or None
        As many as the user asks for; None: see above.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    InputError
        No hosts, or traces of other ranks.
    """
    check_hosts(topology)
    if ranks is None:
        ranks = app.ranks if isinstance(app, (Trace, Scheduled)) else topology.hosts
    if ranks < 1:
        raise InputError(f"ranks={ranks}: at least one is needed")
    if isinstance(app, (Trace, Scheduled)) and app.ranks != ranks:
        what = "traces are" if isinstance(app, Trace) else "schedule is"
        raise InputError(f"{app.name}: the {what} of {app.ranks} ranks, not of {ranks}")
    return ranks


def matrix_of(
    program: Source | Trace, ranks: int, routing: Routing, settings: AppSettings, limits: Limits | None = None
) -> np.ndarray:
    """The bytes that each rank sends to each other one, float64[ranks, ranks], collectives by their messages.

    The program runs for it once, with a rank a host; parameters and errors are those of `run_app`.

    Parameters
    ----------
    program : Program
        What runs.
    ranks : int
        At most as many as hosts.
    routing : Routing
        The network that it runs on; the bytes do not depend on its paths.
    settings : AppSettings
        Rates and delays; the network model is the plain one, whatever they say.
    limits : Limits, optional
        How long it may take, and what stops it.

    Returns
    -------
    float64[ranks, ranks]
        Bytes from the rank of the row to that of the column; 0 on the diagonal.
    """
    limits = Limits() if limits is None else limits
    with workplace() as folder:
        homes = place_ranks("linear", ranks, routing)
        even, matrix = structs.replace(settings, model="plain"), folder / "matrix.bin"
        _simulated(folder, platform_library(limits), program, homes, (routing,), even, None, limits, matrix=matrix)
        hosts = routing.topology.hosts
        found = np.frombuffer(_written(matrix, program)).reshape(hosts, hosts)[:ranks, :ranks].copy()
    np.fill_diagonal(found, 0.0)
    return found


def _simulated(
    folder: Path,
    library: Path,
    program: Source | Trace,
    homes: np.ndarray,
    routings: Sequence[Routing],
    settings: AppSettings,
    layout: Layout | None,
    limits: Limits,
    *,
    matrix: Path | None = None,
) -> Ran:
    """Run a program in a folder."""
    cores = int(np.bincount(homes).max())
    write_fabric(folder / "fabric.bin", routings, settings, layout, cores)
    environment = {"TOPOLOOM_FABRIC": str(folder / "fabric.bin"), "TOPOLOOM_LOADS": str(folder / "loads.txt")}
    if matrix is not None:
        environment["TOPOLOOM_MATRIX"] = str(matrix)
    if isinstance(program, Trace):
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
    theirs = isinstance(program, Source) and not program.built_in
    options = settings.options(replay=isinstance(program, Trace), polls=theirs)
    arguments = () if isinstance(program, Trace) else program.arguments
    cwd = _here() if theirs else None
    # What is ours comes to its end, and may take hours.
    limits = limits if theirs else Limits(work=limits.work)
    return simulate(
        folder, library, homes.tolist(), command, options, environment, program.name, limits, arguments, cwd
    )


def _here() -> str:
    """The current folder, where the user's programs run."""
    try:
        return str(Path.cwd())
    except OSError:
        raise InputError("the current folder is not there any more; change to another one") from None


def _traces(program: Trace, folder: Path) -> str:
    """The traces as files, and their index."""
    (folder / "traces").mkdir()
    text, names = program.marked or program.text, []
    for rank in range(program.ranks):
        names.append(f"traces/{rank}.txt")
        (folder / names[-1]).write_text(text(rank))
    (folder / _INDEX).write_text("\n".join(names) + "\n")
    return str(folder / _INDEX)


def _results(output: str) -> dict[str, Measurement]:
    found: dict[str, Measurement] = {}
    for name, value, unit in _RESULT.findall(output):
        try:
            found[name] = Measurement(float(value), unit)
        except ValueError:
            continue
    return found


def _waiting(computed: np.ndarray, seconds: float, settings: AppSettings) -> np.ndarray:
    """The share of the time that each rank does not compute, float64[ranks]."""
    if not seconds:
        return np.zeros(computed.size)
    return np.asarray(np.clip(1 - computed / (settings.speed_gflops * 1e9) / seconds, 0.0, 1.0))
