"""The operation `run_apps`: programs on several networks, under several placements and tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from topoloom.core.errors import InputError, Stopped, check_all, check_type
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.model.results import Provenance
from topoloom.model.sources import NetworkSource, network_of
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.host_routings import tables_by_host
from topoloom.routing.routing import Routing, tables_for
from topoloom.simulation.applications.app_run import AppRun
from topoloom.simulation.applications.app_runs import AppRuns
from topoloom.simulation.applications.backends import SIMGRID, backend_of, check_backend
from topoloom.simulation.applications.checks import check_kind, check_whole, limits_of
from topoloom.simulation.applications.given import usual_settings
from topoloom.simulation.applications.placement import place_ranks
from topoloom.simulation.applications.processes import TIME_LIMIT_S
from topoloom.simulation.applications.program import Program, Source
from topoloom.simulation.applications.ranks import check_hosts, ranks_on
from topoloom.simulation.applications.registry import opened, program_of
from topoloom.simulation.applications.run import run_app
from topoloom.simulation.applications.schedules import in_place_of_code
from topoloom.simulation.applications.settings import AppSettings

#: The most random placements, or table seeds, in one sweep.
MOST_SEEDS = 1000


@dataclass(frozen=True, eq=False)
class Case:
    """A network that programs run on: its name in the comparison, its tables, and its layout.

    Attributes
    ----------
    name : str
    routings : tuple of Routing
        One table, or one per host of a switch, in turn.
    layout : Layout or None
        The lengths of cables.
    routing_seed : int
        The seed of the tables.
    """

    name: str
    routings: tuple[Routing, ...]
    layout: Layout | None
    routing_seed: int

    @property
    def topology(self) -> Topology:
        """The network."""
        return self.routings[0].topology


def cases_of(
    name: str,
    network: NetworkSource,
    engine: str | None = None,
    *,
    host_tables: int | None = None,
    seed: int = 1,
    seeds: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> list[Case]:
    """Return a network with tables for several seeds, for `run_apps`.

    Parameters
    ----------
    name : str
        The network's name in the comparison.
    network : NetworkSource
        The network; with a layout, cables have the layout's lengths. Its installed tables are used, unless an engine,
        `host_tables` or several seeds are given.
    engine : str, optional
        The engine of the tables; the one that fits the network when omitted.
    host_tables : int, optional
        The number of tables, for the hosts of a switch in turn; when omitted one, or with engine fat-tree one per host.
    seed, seeds : int
        The first seed of tables, and the number of seeds.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional
        Its stop ends the computation of tables.

    Returns
    -------
    list of Case
        One case per seed.

    Raises
    ------
    InputError
        No hosts; an unknown engine, or one that does not fit the network; tables of another network.
    Stopped
        `work` was stopped.
    """
    check_type(name, str, "cases_of", "the network's name")
    opened = network_of(network, "cases_of")
    check_hosts(opened.topology)
    saved = opened.tables if engine is None and host_tables is None and seeds == 1 else None
    layout = opened.layout
    if saved is not None:
        table_seed = saved.provenance.seed
        return [
            Case(
                name, tables_for(opened.topology, saved).host_tables, layout, seed if table_seed is None else table_seed
            )
        ]
    cases = []
    for number in range(seed, seed + seeds):
        tables = tables_by_host(
            opened.topology, None, engine, host_tables, seed=number, jobs=jobs, layout=layout, work=work
        )
        cases.append(Case(name, tables, layout, number))
    return cases


def placements_of(texts: Sequence[str], seed: int = 1) -> list[tuple[str, int]]:
    """Return placements with their seeds, each once: ``random*5`` is five placements with different seeds.

    Raises
    ------
    InputError
        An invalid number of seeds.

    Examples
    --------
    >>> placements_of(["linear", "random*2", "random"])
    [('linear', 1), ('random', 1), ('random', 2)]
    """
    chosen: list[tuple[str, int]] = []
    for text in texts:
        how, star, times = text.partition("*")
        if not star or how.startswith("file:"):
            chosen.append((text, seed))
            continue
        if how == "linear":
            raise InputError(
                f"placement {text[:40]}: there is only one linear placement; random*5 draws five random ones"
            )
        if not (times.isascii() and times.isdecimal()) or not 1 <= int(times) <= MOST_SEEDS:
            raise InputError(
                f"placement {text[:40]}: the number of seeds must be from 1 to {MOST_SEEDS}; write, for example,"
                " random*5"
            )
        chosen += [(how, seed + number) for number in range(int(times))]
    return list(dict.fromkeys(chosen))


def run_apps(
    cases: Sequence[Case],
    apps: Sequence[str | Program],
    ranks: int | None = None,
    placements: Sequence[str] = ("linear",),
    *,
    settings: AppSettings | None = None,
    baseline: str | None = None,
    seed: int = 1,
    jobs: int | None = None,
    time_limit_s: float = TIME_LIMIT_S,
    simulator: str | None = None,
    work: Work | None = None,
) -> AppRuns:
    """Run every program on every case under every placement, in parallel on all cores.

    Parameters
    ----------
    cases : sequence of Case
        Networks with their tables (`cases_of`).
    apps : sequence of str or Program
        As for `run_app`; duplicates run once.
    ranks : int, optional
        The ranks of all runs; one per host when omitted.
    placements : sequence of str
        As for `run_app`, and ``random*5`` for five seeds.
    settings : AppSettings, optional
    baseline : str, optional
        The name of the case that the others are compared with; the first when omitted.
    seed : int
        The seed of the first of several placements.
    jobs : int, optional
        Parallel simulations; as many as there are cores when omitted.
    time_limit_s : float
        Seconds after which a run of a user's program is stopped.
    simulator : str, optional
        As for `run_app`.
    work : Work, optional
        Reports progress in runs, each delivered as soon as it is finished; when stopped, the finished runs are the result.

    Returns
    -------
    AppRuns
        The finished runs. A run that fails ends the sweep: `AppRuns.failure` has the reason.

    Raises
    ------
    InputError
        Before anything runs: a program that does not fit a network, or networks with different numbers of hosts without a value
        of `ranks`; or the first run that fails, where none is finished.
    Stopped
        `work` was stopped before a run was finished.
    """
    check_all(cases, Case, "run_apps", "use cases_of(name, network)")
    work = Work() if work is None else work
    limits_of(time_limit_s, work)
    check_whole("ranks", ranks, 1, none=True)
    check_whole("seed", seed, 0)
    check_kind("settings", settings, (AppSettings, type(None)), "AppSettings")
    usual = [usual_settings(case.topology, "run_apps") for case in cases]
    if settings is None and len({settings_of_case.rate_gbps for settings_of_case in usual}) > 1:
        raise InputError("run_apps: the networks have different rates; give settings= with one rate_gbps for all")
    settings = (usual[0] if usual else AppSettings()) if settings is None else settings
    backend = backend_of(SIMGRID if simulator is None else simulator)
    if not cases or not apps or not placements:
        raise InputError("run_apps: give at least one case, one program and one placement")
    names = [case.name for case in cases]
    baseline = names[0] if baseline is None else baseline
    if baseline not in names:
        raise InputError(
            f"baseline {baseline}: it is not one of the networks; use one of them ({', '.join(dict.fromkeys(names))})"
        )
    chosen_placements = placements_of(placements, seed)
    fitting = programs_on({case.name: case.topology for case in cases}, apps, ranks, simulator, settings)
    _check_places(cases, fitting, chosen_placements)
    tasks = [
        (case, program, count, place) for program, count in fitting for case in cases for place in chosen_placements
    ]
    finished: dict[int, AppRun] = {}
    failed: dict[int, str] = {}
    work.begin(len(tasks), "runs")

    def task(numbers: Iterator[int]) -> None:
        for number in numbers:
            case, program, count, (placement, placement_seed) = tasks[number]
            if failed:
                return
            try:
                run = run_app(
                    case.routings,
                    program,
                    count,
                    placement=placement,
                    settings=settings,
                    layout=case.layout,
                    seed=placement_seed,
                    jobs=1,
                    time_limit_s=time_limit_s,
                    simulator=simulator,
                    work=work.step() if backend.name != SIMGRID and len(tasks) > 1 else work,
                )
            except InputError as error:
                failed[number] = str(error)
                return
            except Stopped:
                return
            finished[number] = replace(run, network=case.name, routing_seed=case.routing_seed)
            work.deliver(finished[number])

    with work.interruptible():
        over_cores(task, len(tasks), jobs, work)
    failure = failed[min(failed)] if failed else ""
    if not finished:
        work.check()
        raise InputError(failure)
    runs = tuple(finished[number] for number in sorted(finished))
    cpu_s = sum(run.provenance.timings["cpu_s"] for run in runs)
    about = {"networks": list(dict.fromkeys(names)), "placements": list(placements), **settings.values}
    if backend.name != SIMGRID:
        about["simulator"] = backend.text
    return AppRuns(
        runs,
        baseline,
        len(tasks),
        failure,
        work.ended,
        Provenance.of_run(seed=seed, settings=about, timings={"cpu_s": cpu_s}),
    )


def programs_on(
    networks: Mapping[str, Topology],
    apps: Sequence[str | Program],
    ranks: int | None = None,
    simulator: str | None = None,
    settings: AppSettings | None = None,
) -> list[tuple[Program, int]]:
    """Return the programs and their ranks on all networks; programs that do not fit are refused before anything is routed.

    Parameters
    ----------
    networks : mapping of str to Topology
        The networks by name.
    apps, ranks, simulator, settings
        As for `run_apps`.

    Returns
    -------
    list of (Program, int)
        Each program once.

    Raises
    ------
    InputError
        No hosts, a program that does not fit a network or that the simulator does not run, or networks with different numbers
        of hosts without a value of `ranks`.
    """
    fitting = []
    backend = backend_of(SIMGRID if simulator is None else simulator)
    if backend.name != SIMGRID:
        check_backend(backend, AppSettings() if settings is None else settings)
    for app in map(opened, dict.fromkeys(apps)):
        wanted = {name: ranks_on(topology, app, ranks) for name, topology in networks.items()}
        count = min(wanted.values())
        if max(wanted.values()) > count:
            listed = ", ".join(f"{name} {number}" for name, number in wanted.items())
            raise InputError(
                f"networks with different numbers of ranks cannot be compared ({listed}); give one number for all,"
                f" as in ranks={count}"
            )
        program = program_of(app, count) if isinstance(app, str) else app
        if backend.name != SIMGRID and isinstance(program, Source):
            in_place_of_code(program)
        fitting.append((program, count))
    return fitting


def _check_places(
    cases: Sequence[Case], programs: Sequence[tuple[Program, int]], placements: Sequence[tuple[str, int]]
) -> None:
    """Refuse ranks that cannot be placed, before hours of simulation."""
    for _, count in programs:
        for case in cases:
            for how, seed in placements:
                checked = "linear" if how == "optimised" else how
                place_ranks(checked, count, case.routings[0], case.layout, None, seed)
