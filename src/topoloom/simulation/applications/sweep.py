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

#: Placements drawn, or tables of seeds, in one sweep.
MOST_SEEDS = 1000


@dataclass(frozen=True, eq=False)
class Case:
    """What programs run on: a network by its name in the comparison, with its tables, and its layout.

    Attributes
    ----------
    name : str
    routings : tuple of Routing
        One, or one for each of the hosts of a switch, in turn.
    layout : Layout or None
        How long the cables are.
    routing_seed : int
        Of the tables.
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
    """A network with tables of some seeds, for `run_apps`.

    Parameters
    ----------
    name : str
        What the network is called in the comparison.
    network : NetworkSource
        With a layout each cable is as long as it lies. Its installed tables are taken as they are, unless an engine,
        `host_tables` or several seeds are given.
    engine : str, optional
        Makes the tables; the one that fits the network when omitted.
    host_tables : int, optional
        Tables for the hosts of a switch, in turn; when omitted one, or with engine fat-tree one for each.
    seed, seeds : int
        The first seed of tables, and how many.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional
        Its stop ends the making of tables.

    Returns
    -------
    list of Case
        One case per seed.

    Raises
    ------
    InputError
        No hosts; no such engine, or one that does not fit the network; tables of another network.
    Stopped
        `work` was stopped.
    """
    check_type(name, str, "cases_of", "what the network is called")
    opened = network_of(network, "cases_of")
    check_hosts(opened.topology)
    saved = opened.tables if engine is None and host_tables is None and seeds == 1 else None
    layout = opened.layout
    if saved is not None:
        its_seed = saved.provenance.seed
        return [Case(name, (tables_for(opened.topology, saved),), layout, seed if its_seed is None else its_seed)]
    return [
        Case(
            name,
            tables_by_host(
                opened.topology, None, engine, host_tables, seed=number, jobs=jobs, layout=layout, work=work
            ),
            layout,
            number,
        )
        for number in range(seed, seed + seeds)
    ]


def placements_of(texts: Sequence[str], seed: int = 1) -> list[tuple[str, int]]:
    """Placements and their seeds, each once: ``random*5`` is five, with a seed of its own each.

    Raises
    ------
    InputError
        A number of seeds that is none.

    Examples
    --------
    >>> placements_of(["linear", "random*2", "random"])
    [('linear', 1), ('random', 1), ('random', 2)]
    """
    found: list[tuple[str, int]] = []
    for text in texts:
        how, star, times = text.partition("*")
        if not star or how.startswith("file:"):
            found.append((text, seed))
            continue
        if how == "linear":
            raise InputError(f"placement {text[:40]}: there is one linear placement; random*5 draws five")
        if not (times.isascii() and times.isdecimal()) or not 1 <= int(times) <= MOST_SEEDS:
            raise InputError(f"placement {text[:40]}: how many seeds, 1 to {MOST_SEEDS}? write random*5")
        found += [(how, seed + number) for number in range(int(times))]
    return list(dict.fromkeys(found))


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
    """Run every program on every case under every placement, as many side by side as there are cores.

    Parameters
    ----------
    cases : sequence of Case
        Networks with their tables (`cases_of`).
    apps : sequence of str or Program
        As `run_app` takes them; what is given twice runs once.
    ranks : int, optional
        On how many ranks all run; one for each host when omitted.
    placements : sequence of str
        As `run_app` takes them, and ``random*5`` for five seeds.
    settings : AppSettings, optional
    baseline : str, optional
        The name of the case that the others are set beside; the first when omitted.
    seed : int
        Of the first of several placements.
    jobs : int, optional
        Simulations side by side; as many as there are cores when omitted.
    time_limit_s : float
        Seconds after which a run of a program of the user's is ended.
    simulator : str, optional
        As `run_app` takes it.
    work : Work, optional
        Reports progress in runs, each delivered as soon as it is finished; when stopped, those that are finished are the result.

    Returns
    -------
    AppRuns
        With what is finished. A run that fails ends the sweep: `AppRuns.failure` says why.

    Raises
    ------
    InputError
        A program that does not fit a network, or networks with different numbers of hosts where `ranks` is not given, before
        anything runs; or the first run that fails, where none is finished.
    Stopped
        `work` was stopped before a run was finished.
    """
    check_all(cases, Case, "run_apps", "cases_of(name, network) makes them")
    work = Work() if work is None else work
    limits_of(time_limit_s, work)
    check_whole("ranks", ranks, 1, none=True)
    check_whole("seed", seed, 0)
    check_kind("settings", settings, (AppSettings, type(None)), "AppSettings")
    usual = [usual_settings(case.topology, "run_apps") for case in cases]
    if settings is None and len({one.rate_gbps for one in usual}) > 1:
        raise InputError("run_apps: the networks differ in their rates; settings= with a rate_gbps runs all at that")
    settings = (usual[0] if usual else AppSettings()) if settings is None else settings
    by = backend_of(SIMGRID if simulator is None else simulator)
    if not cases or not apps or not placements:
        raise InputError("run_apps: give at least one case, one program and one placement")
    names = [case.name for case in cases]
    baseline = names[0] if baseline is None else baseline
    if baseline not in names:
        raise InputError(
            f"baseline {baseline}: it is none of the networks; name one of them ({', '.join(dict.fromkeys(names))})"
        )
    where = placements_of(placements, seed)
    fitting = programs_on({case.name: case.topology for case in cases}, apps, ranks, simulator, settings)
    _check_places(cases, fitting, where)
    tasks = [(case, program, count, place) for program, count in fitting for case in cases for place in where]
    found: dict[int, AppRun] = {}
    failed: dict[int, str] = {}
    work.begin(len(tasks), "runs")

    def task(numbers: Iterator[int]) -> None:
        for number in numbers:
            case, program, count, (placement, its_seed) = tasks[number]
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
                    seed=its_seed,
                    jobs=1,
                    time_limit_s=time_limit_s,
                    simulator=simulator,
                    work=work.step() if by.name != SIMGRID and len(tasks) > 1 else work,
                )
            except InputError as error:
                failed[number] = str(error)
                return
            except Stopped:
                return
            found[number] = replace(run, network=case.name, routing_seed=case.routing_seed)
            work.deliver(found[number])

    with work.interruptible():
        over_cores(task, len(tasks), jobs, work)
    failure = failed[min(failed)] if failed else ""
    if not found:
        work.check()
        raise InputError(failure)
    runs = tuple(found[number] for number in sorted(found))
    cpu_s = sum(run.provenance.timings["cpu_s"] for run in runs)
    about = {"networks": list(dict.fromkeys(names)), "placements": list(placements), **settings.values}
    if by.name != SIMGRID:
        about["simulator"] = by.text
    return AppRuns(
        runs, baseline, len(tasks), failure, work.ended, Provenance(seed=seed, settings=about, timings={"cpu_s": cpu_s})
    )


def programs_on(
    networks: Mapping[str, Topology],
    apps: Sequence[str | Program],
    ranks: int | None = None,
    simulator: str | None = None,
    settings: AppSettings | None = None,
) -> list[tuple[Program, int]]:
    """The programs and their ranks on all of some networks; what does not fit is refused before anything is routed.

    Parameters
    ----------
    networks : mapping of str to Topology
        By what they are called.
    apps, ranks, simulator, settings
        As `run_apps` takes them.

    Returns
    -------
    list of (Program, int)
        Each program once.

    Raises
    ------
    InputError
        No hosts, a program that does not fit a network or that the simulator does not run, or networks with different
        numbers of hosts where `ranks` is not given.
    """
    found = []
    by = backend_of(SIMGRID if simulator is None else simulator)
    if by.name != SIMGRID:
        check_backend(by, AppSettings() if settings is None else settings)
    for app in map(opened, dict.fromkeys(apps)):
        wanted = {name: ranks_on(topology, app, ranks) for name, topology in networks.items()}
        count = min(wanted.values())
        if max(wanted.values()) > count:
            told = ", ".join(f"{name} {number}" for name, number in wanted.items())
            raise InputError(
                f"different numbers of ranks do not compare ({told}); say how many run on each: ranks={count}"
            )
        program = program_of(app, count) if isinstance(app, str) else app
        if by.name != SIMGRID and isinstance(program, Source):
            in_place_of_code(program)
        found.append((program, count))
    return found


def _check_places(
    cases: Sequence[Case], programs: Sequence[tuple[Program, int]], placements: Sequence[tuple[str, int]]
) -> None:
    """Refuse ranks that cannot be placed before hours of what can."""
    for _, count in programs:
        for case in cases:
            for how, seed in placements:
                known = "linear" if how == "optimised" else how
                place_ranks(known, count, case.routings[0], case.layout, None, seed)
