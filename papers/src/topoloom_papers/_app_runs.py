"""Simulated applications that several claims are about: each is a long run, as many at a time as there are cores."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from shlex import quote
from statistics import fmean

from msgspec import structs

from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.backends import SIMGRID
from topoloom.simulation.applications.run import run_app
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.tools import NEEDED, tool
from topoloom_papers._simgrid_paths import simgrid_routing
from topoloom_papers.long_runs import LONG_RUNS, long_run
from topoloom_papers.verdicts import Outcome, Verdict

#: Between a network's name and that of SimGrid's routing, whose paths it has.
_BY = " by "


@dataclass(frozen=True)
class Job:
    """A simulation: a network by a name that is unique among all claims, and what `run_app` is asked for."""

    network: str
    app: str
    ranks: int
    placement: str
    seed: int
    settings: AppSettings
    simulator: str = SIMGRID


@dataclass(frozen=True)
class Took:
    """What is kept of an `AppRun`: by what programs are compared, a time or a bandwidth, and its unit.

    A time is in s, and less is better; a bandwidth is in B/s.
    """

    network: str
    seed: int
    value: float
    unit: str

    def speed_beside(self, base: "Took") -> float:
        """How many times as fast as another it is."""
        return self.value / base.value if self.unit == "B/s" else base.value / self.value


def ran(jobs: Iterable[Job], routed: Callable[[str], Routing]) -> dict[Job, Took]:
    """What came of some simulations; those that differ in no more than the network and the seed are a long run together.

    Parameters
    ----------
    jobs : iterable of Job
    routed : callable
        The tables of a network by its name.

    Returns
    -------
    dict of Job to Took

    Raises
    ------
    MissingRunError
        A long run is neither kept nor asked for.
    """
    together: dict[Job, list[Job]] = {}
    for job in dict.fromkeys(jobs):
        together.setdefault(replace(job, network="", seed=0), []).append(job)
    found: dict[Job, Took] = {}
    for group in together.values():
        kept = long_run(_command(group), list[Took], lambda group=group: _simulated(group, routed))  # type: ignore[misc]
        by_key = {(one.network, one.seed): one for one in kept}
        found |= {job: by_key[job.network, job.seed] for job in group}
    return found


def _simulated(jobs: list[Job], routed: Callable[[str], Routing]) -> list[Took]:
    networks = {name: routed(name) for name in dict.fromkeys(job.network for job in jobs)}
    done: dict[Job, Took] = {}

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            job = jobs[number]
            measured = run_app(
                networks[job.network],
                job.app,
                job.ranks,
                placement=job.placement,
                settings=job.settings,
                seed=job.seed,
                jobs=1,
                simulator=job.simulator,
            ).measured
            done[job] = Took(job.network, job.seed, measured.value, measured.unit)

    over_cores(work, len(jobs), None)
    return [done[job] for job in jobs]


def _command(jobs: list[Job]) -> str:
    """What a user types for the same simulations; tables and networks that have no spec are said in words."""
    one = jobs[0]
    names = list(dict.fromkeys(job.network for job in jobs))
    tables = {name.partition(_BY)[2] for name in names}
    seeds = list(dict.fromkeys(job.seed for job in jobs))
    if seeds != list(range(seeds[0], seeds[0] + len(seeds))) or len(jobs) != len(names) * len(seeds):
        raise ValueError("each network is simulated with the same seeds, one after the other")
    several = f"*{len(seeds)}" if len(seeds) > 1 else ""
    by = "" if one.simulator == SIMGRID else f" --simulator {one.simulator}"
    shared = f" (tables by SimGrid's {tables.pop()})" if len(tables) == 1 and all(tables) else ""
    networks = [name.partition(_BY)[0] if shared else name for name in names]
    # Names with blanks are words for networks and tables that no command has.
    engine = "" if shared or any(" " in name for name in names) else " --engine minimal"
    return (
        f"topoloom app {' '.join(map(quote, networks))}{engine} --app {one.app} --ranks {one.ranks}"
        f" --placement {one.placement}{several} --seed {seeds[0]}{by}{_changes(one.settings)}{shared}"
    )


def _changes(settings: AppSettings) -> str:
    """The settings that are not the program's own, as options; algorithms are taken away before others are chosen."""
    usual, changes = AppSettings().values, []
    for name, value in settings.values.items():
        if value == usual[name]:
            continue
        if name == "algorithms":
            changes.append("algorithms=")
            if not value:
                continue
        changes.append(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}")
    return "".join(f" --set {quote(change)}" for change in changes)


def needs_simgrid(compute: Callable[[], Outcome]) -> Callable[[], Outcome]:
    """A claim that says so where it would have to simulate and SimGrid is not installed, instead of a verdict on the paper."""

    @wraps(compute)
    def checked() -> Outcome:
        if not LONG_RUNS.again:
            return compute()
        try:
            for name in NEEDED:
                tool(name)
        except InputError as error:
            return Outcome("not run", Verdict.NOT_RUN, str(error))
        return compute()

    return checked


def tabled(network: str, routed: Callable[[str], Routing]) -> Routing:
    """A network by the tables that its name asks for."""
    name, _, algorithm = network.partition(_BY)
    return simgrid_routing(routed(name).topology, algorithm) if algorithm else routed(name)


@dataclass(frozen=True)
class Setup:
    """How programs run: its name for people, where ranks are, and the machine; a seed a placement; and by which tables.

    With `paths_by` they are those that SimGrid's routing of that name finds, ``Floyd`` or ``Dijkstra``.
    """

    name: str
    placement: str
    settings: AppSettings
    seeds: tuple[int, ...] = (1,)
    paths_by: str = ""


#: What the paths are, for the reasons of verdicts.
SAID_OF_SETUPS = (
    "paths are the shortest, spread evenly, or those that Dijkstra's or Floyd's algorithm finds first, as SimGrid's routings of"
    " these names; half duplex is a link of SimGrid's platform files that does not say otherwise"
)


def setups(machine: AppSettings, seeds: Mapping[str, int]) -> list[Setup]:
    """Placements in order and at random, by balanced tables and by SimGrid's, also over half duplex, so many seeds each.

    The papers say neither; `seeds` has them by name, those that are not there are omitted.
    """
    known = (
        Setup("in order", "linear", machine),
        Setup("at random", "random", machine),
        Setup("in order by Dijkstra's paths", "linear", machine, paths_by="Dijkstra"),
        Setup("at random by Dijkstra's paths", "random", machine, paths_by="Dijkstra"),
        Setup("in order by Floyd's paths", "linear", machine, paths_by="Floyd"),
        Setup("at random by Floyd's paths", "random", machine, paths_by="Floyd"),
        Setup(
            "at random by Floyd's paths, half duplex",
            "random",
            structs.replace(machine, duplex="half"),
            paths_by="Floyd",
        ),
    )
    found = {setup.name: setup for setup in known}
    return [replace(found[name], seeds=tuple(range(1, count + 1))) for name, count in seeds.items()]


@dataclass(frozen=True)
class Gain:
    """How much faster than the baseline a network is, in %: of each program, and on average, both by placement."""

    programs: dict[str, list[float]]
    means: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return fmean(self.means)

    def __str__(self) -> str:
        spread = f" ({min(self.means):+.1f} to {max(self.means):+.1f})" if len(self.means) > 1 else ""
        return f"{self.mean:+.1f} %{spread}"


@dataclass(frozen=True)
class Contest:
    """Networks against a baseline.

    Attributes
    ----------
    baseline : (str, str)
        The name for people, and the network's own name for `routed`.
    others : dict of str to str
    programs : dict of str to str
        The name for people, and what `run_app` is asked for.
    ranks : int
    routed : callable
    simulator : str
        As of `run_app`.
    """

    baseline: tuple[str, str]
    others: dict[str, str]
    programs: dict[str, str]
    ranks: int
    routed: Callable[[str], Routing]
    simulator: str = SIMGRID

    def gains(self, setup: Setup, others: Iterable[str] = (), programs: Iterable[str] = ()) -> dict[str, Gain]:
        """By network: its speed over the baseline's less 1, of the programs' own measure; the same placements for all."""
        names, apps = tuple(others) or tuple(self.others), tuple(programs) or tuple(self.programs)
        suffix = _BY + setup.paths_by if setup.paths_by else ""
        base, keys = self.baseline[1] + suffix, {name: self.others[name] + suffix for name in names}

        def job(network: str, app: str, seed: int) -> Job:
            return Job(network, self.programs[app], self.ranks, setup.placement, seed, setup.settings, self.simulator)

        all_keys = (base, *keys.values())
        runs = ran(
            (job(key, app, seed) for app in apps for seed in setup.seeds for key in all_keys),
            lambda name: tabled(name, self.routed),
        )
        found = {}
        for name, key in keys.items():
            each = {
                app: [
                    100 * (runs[job(key, app, seed)].speed_beside(runs[job(base, app, seed)]) - 1)
                    for seed in setup.seeds
                ]
                for app in apps
            }
            found[name] = Gain(each, [fmean(values[at] for values in each.values()) for at in range(len(setup.seeds))])
        return found


def span(by_setup: Mapping[str, dict[str, Gain]], network: str) -> str:
    """The least and the most that a network gains in any setup."""
    means = [found[network].mean for found in by_setup.values()]
    return f"{network} {min(means):+.0f} to {max(means):+.0f} %"


def told(gains: dict[str, Gain], *, each: bool = False) -> str:
    """Gains in one line, if wanted with every program's."""
    return "; ".join(
        f"{name} {gain}"
        + (f" [{', '.join(f'{app} {fmean(v):+.0f}' for app, v in gain.programs.items())}]" if each else "")
        for name, gain in gains.items()
    )
