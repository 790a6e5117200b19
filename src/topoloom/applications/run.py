"""The verb `run_app`: an MPI program on a routed network, simulated by SimGrid."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from topoloom.applications.launch import Told, simulate, workplace
from topoloom.applications.placement import place_ranks
from topoloom.applications.platform import write_fabric
from topoloom.applications.program import Program, Source, Trace
from topoloom.applications.registry import program_of
from topoloom.applications.settings import Settings
from topoloom.applications.tools import built_in, compiled, platform_library, version
from topoloom.errors import InputError
from topoloom.layout.layout import Layout
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.topology import Topology

_RESULT = re.compile(r"^result (\S+) (\S+)(?: (\S+))?$", re.MULTILINE)
_INDEX = "index.txt"
#: The result that marks in a trace give: what the program's own clock measures.
_CLOCK = "clock"


@dataclass(frozen=True, eq=False)
class AppRun:
    """What an MPI program did on a network.

    Attributes
    ----------
    program, topology, engine : str
    host_tables : int
        How many tables there are for the hosts of a switch, in turn.
    placement : str
    ranks : int
    seconds : float
        Simulated, from MPI_Init to MPI_Finalize.
    results : dict of str to (float, str)
        What a program says by lines ``result NAME VALUE UNIT``, as topoloom's own do, or a trace by its marks (``clock``): the
        value and its unit.
    measure : str
        By what networks are compared: one of `results`, or ``seconds``.
    mops : float
        Million operations a second, as the program counts and times them; NaN where it counts none, or where nobody knows
        what it times.
    communication : float64[ranks]
        The share of the time that each rank does not compute.
    link_bytes : float64[links, 2]
        What each link carried, from its lower switch to its higher and back; SimGrid adds 16 bytes to a message.
    homes : int64[ranks]
        The host of each rank.
    settings : Settings
    seed : int
        Of the placement.
    cpu_s : float
        CPU time that the simulation took.
    simgrid : str
        SimGrid's version.
    output : str
        What the program printed, without the results of one of topoloom's own.
    code : int
        What it returned, as a program says that it failed; it had reached MPI_Finalize nonetheless.
    """

    program: str
    topology: str
    engine: str
    host_tables: int
    placement: str
    ranks: int
    seconds: float
    results: dict[str, tuple[float, str]]
    measure: str
    mops: float
    communication: np.ndarray
    link_bytes: np.ndarray
    homes: np.ndarray
    settings: Settings
    seed: int
    cpu_s: float
    simgrid: str
    output: str
    code: int

    @property
    def link_use(self) -> np.ndarray:
        """What each link carried over what it could have in the simulated seconds, each way, float64[links, 2]."""
        could = self.settings.rate_gbps * 1e9 / 8 * self.seconds
        return self.link_bytes / could if could else np.zeros_like(self.link_bytes)

    @property
    def measured(self) -> tuple[float, str]:
        """What networks are compared by, and its unit: s, or B/s where more is better."""
        return self.results.get(self.measure, (self.seconds, "s"))


def run_app(
    network: Routing | Topology | Sequence[Routing],
    app: str | Program,
    ranks: int | None = None,
    *,
    placement: str = "linear",
    settings: Settings | None = None,
    layout: Layout | None = None,
    seed: int = 1,
    jobs: int | None = None,
) -> AppRun:
    """Run an MPI program on a network, simulated by SimGrid (SMPI).

    Parameters
    ----------
    network : Routing, Topology or sequence of Routing
        Tables, which are obeyed hop by hop, or a topology, which engine minimal routes; SimGrid knows no deadlock of lanes.
        Of several tables the first leads to the first host of each switch, the second to its second, and so on in turn
        (`topoloom.host_routings`).
    app : str or Program
        ``alltoall:bytes=65536``, ``cg:class=A`` (`topoloom.applications.registry.applications` has all), or a program.
    ranks : int, optional
        One for every host when left out, or as many as there are traces.
    placement : str
        ``linear``, ``random``, ``cabinet``, ``optimised`` or ``file:PATH`` (`placement.place_ranks`).
    settings : Settings, optional
        Rates, delays, model, collectives.
    layout : Layout, optional
        How long every cable is, and which switches share a cabinet.
    seed : int
        Of the placement.

    Raises
    ------
    InputError
        No SimGrid; a program that does not compile, refuses its ranks or fails; more ranks than hosts.

    Notes
    -----
    Delays: a message passes both its hosts' links, every switch and every cable on its way.
    """
    if isinstance(network, Topology):
        network = route(network, "minimal")
    routings = (network,) if isinstance(network, Routing) else tuple(network)
    routing = routings[0]
    settings = Settings() if settings is None else settings
    topology = routing.topology
    ranks = ranks_on(topology, app, ranks)
    program = program_of(app, ranks) if isinstance(app, str) else app
    library = platform_library()
    homes = place_ranks(
        placement, ranks, routing, layout, lambda: matrix_of(program, ranks, routing, settings), seed, jobs
    )
    with workplace() as folder:
        told = _simulated(folder, library, program, homes, routings, settings, layout)
        loads = (folder / "loads.txt").read_text().splitlines()
    links = np.array([line.split()[1:] for line in loads if line.startswith("link")], float).reshape(-1, 2)
    computed = np.zeros(ranks)
    for line in loads:
        if line.startswith("rank"):
            computed[int(line.split()[1])] = float(line.split()[2])
    seconds = next(float(line.split()[1]) for line in loads if line.startswith("time"))
    clocked = [float(line.split()[1]) for line in loads if line.startswith("clock")]
    timed_s = clocked[0] if clocked else seconds if isinstance(program, Trace) and program.timed else 0.0
    operations = program.operations if isinstance(program, Trace) else 0.0
    own = isinstance(program, Source) and program.own
    results = {_CLOCK: (timed_s, "s")} if clocked else _results(told.output)
    measure = _CLOCK if clocked else "" if isinstance(program, Trace) else program.measure
    return AppRun(
        program.name,
        routing.topology.name,
        routing.engine,
        len(routings),
        placement,
        ranks,
        seconds,
        results,
        measure if measure in results else "seconds",
        operations / timed_s / 1e6 if operations and timed_s else math.nan,
        _waiting(computed, seconds, settings),
        links,
        homes,
        settings,
        seed,
        told.cpu_s,
        version(),
        _RESULT.sub("", told.output).strip() if own else told.output,
        told.code,
    )


def ranks_on(topology: Topology, app: str | Program, ranks: int | None) -> int:
    """On how many ranks a program runs: one for each host, or as many as there are traces, unless given.

    Raises
    ------
    InputError
        No hosts, or traces of other ranks.
    """
    if not topology.hosts:
        raise InputError(f"{topology.name}: it has no hosts for the ranks; give it some, as in hosts=4")
    if ranks is None:
        ranks = app.ranks if isinstance(app, Trace) else topology.endpoints.size
    if ranks < 1:
        raise InputError(f"ranks={ranks}: at least one is needed")
    if isinstance(app, Trace) and app.ranks != ranks:
        raise InputError(f"{app.name}: the traces are of {app.ranks} ranks, not of {ranks}")
    return ranks


def matrix_of(program: Program, ranks: int, routing: Routing, settings: Settings) -> np.ndarray:
    """The bytes that each rank sends to each other one, float64[ranks, ranks], collectives by their messages.

    The program runs for it once, with a rank a host.
    """
    with workplace() as folder:
        homes = place_ranks("linear", ranks, routing)
        even = replace(settings, model="plain")
        _simulated(folder, platform_library(), program, homes, (routing,), even, None, matrix=folder / "matrix.bin")
        found = np.fromfile(folder / "matrix.bin").reshape((routing.topology.endpoints.size,) * 2)[:ranks, :ranks]
    np.fill_diagonal(found, 0.0)
    return found


def _simulated(
    folder: Path,
    library: Path,
    program: Program,
    homes: np.ndarray,
    routings: Sequence[Routing],
    settings: Settings,
    layout: Layout | None,
    *,
    matrix: Path | None = None,
) -> Told:
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
        make = built_in if program.own else compiled
        binary = make(program.files) if program.binary is None else program.binary
        command = [*(["-no-privatize"] if program.own else []), str(binary)]
    theirs = isinstance(program, Source) and not program.own
    options = settings.options(replay=isinstance(program, Trace), polls=theirs)
    arguments = () if isinstance(program, Trace) else program.arguments
    cwd = str(Path.cwd()) if theirs else None
    return simulate(folder, library, homes.tolist(), command, options, environment, program.name, arguments, cwd)


def _traces(program: Trace, folder: Path) -> str:
    """The traces as files, and their index."""
    (folder / "traces").mkdir()
    text, names = program.marked or program.text, []
    for rank in range(program.ranks):
        names.append(f"traces/{rank}.txt")
        (folder / names[-1]).write_text(text(rank))
    (folder / _INDEX).write_text("\n".join(names) + "\n")
    return str(folder / _INDEX)


def _results(output: str) -> dict[str, tuple[float, str]]:
    found: dict[str, tuple[float, str]] = {}
    for name, value, unit in _RESULT.findall(output):
        try:
            found[name] = float(value), unit
        except ValueError:
            continue
    return found


def _waiting(computed: np.ndarray, seconds: float, settings: Settings) -> np.ndarray:
    """The share of the time that each rank does not compute, float64[ranks]."""
    if not seconds:
        return np.zeros(computed.size)
    return np.asarray(np.clip(1 - computed / (settings.speed_gflops * 1e9) / seconds, 0.0, 1.0))


def plain(run: AppRun) -> dict[str, Any]:
    """A run as plain values."""
    return {
        "program": run.program,
        "topology": run.topology,
        "engine": run.engine,
        "host_tables": run.host_tables,
        "placement": run.placement,
        "seed": run.seed,
        "ranks": run.ranks,
        "seconds": run.seconds,
        "measure": run.measure,
        "mops": run.mops,
        "results": {name: {"value": value, "unit": unit} for name, (value, unit) in run.results.items()},
        "communication_share": {
            "mean": float(run.communication.mean()),
            "least": float(run.communication.min()),
            "most": float(run.communication.max()),
            "ranks": [round(share, 6) for share in run.communication.tolist()],
        },
        "link_bytes": {
            "total": float(run.link_bytes.sum()),
            "most": float(run.link_bytes.max(initial=0.0)),
            "mean": float(run.link_bytes.mean()) if run.link_bytes.size else 0.0,
        },
        "link_use": {
            "most": float(run.link_use.max(initial=0.0)),
            "mean": float(run.link_use.mean()) if run.link_use.size else 0.0,
        },
        "settings": run.settings.words,
        "simgrid": run.simgrid,
        "cpu_s": run.cpu_s,
        "exit_code": run.code,
        "output": run.output,
    }
