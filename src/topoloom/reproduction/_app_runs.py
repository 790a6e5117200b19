"""Simulated applications that several claims are about, each simulated once, as many at a time as there are cores."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from statistics import fmean

from msgspec import structs

from topoloom.applications.app_run import AppRun
from topoloom.applications.app_runs import speed_beside
from topoloom.applications.run import run_app
from topoloom.applications.settings import AppSettings
from topoloom.applications.tools import NEEDED, tool
from topoloom.errors import InputError
from topoloom.reproduction._simgrid_paths import simgrid_routing
from topoloom.reproduction.registry import Outcome, Verdict
from topoloom.routing.routing import Routing
from topoloom.threads import over_cores

_done: dict["Job", AppRun] = {}


@dataclass(frozen=True)
class Job:
    """A simulation: a network by a name that is unique among all claims, and what `run_app` is asked for."""

    network: str
    app: str
    ranks: int
    placement: str
    seed: int
    settings: AppSettings


def ran(jobs: Iterable[Job], routed: Callable[[str], Routing]) -> dict[Job, AppRun]:
    """What came of some simulations; those that were done before are not done again."""
    wanted = list(dict.fromkeys(jobs))
    missing = [job for job in wanted if job not in _done]
    networks = {name: routed(name) for name in dict.fromkeys(job.network for job in missing)}

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            job = missing[number]
            _done[job] = run_app(
                networks[job.network],
                job.app,
                job.ranks,
                placement=job.placement,
                settings=job.settings,
                seed=job.seed,
                jobs=1,
            )

    over_cores(work, len(missing), None)
    return {job: _done[job] for job in wanted}


def needs_simgrid(compute: Callable[[], Outcome]) -> Callable[[], Outcome]:
    """A claim that without SimGrid says so, instead of a verdict on the paper."""

    @wraps(compute)
    def checked() -> Outcome:
        try:
            for name in NEEDED:
                tool(name)
        except InputError as error:
            return Outcome("not run", Verdict.NOT_RUN, str(error))
        return compute()

    return checked


#: Between a network's name and that of SimGrid's routing, whose paths it has.
_BY = " by "


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

    The papers say neither; `seeds` has them by name, those that are not there are left out.
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
    """

    baseline: tuple[str, str]
    others: dict[str, str]
    programs: dict[str, str]
    ranks: int
    routed: Callable[[str], Routing]

    def gains(self, setup: Setup, others: Iterable[str] = (), programs: Iterable[str] = ()) -> dict[str, Gain]:
        """By network: its speed over the baseline's less 1, of the programs' own measure; the same placements for all."""
        names, apps = tuple(others) or tuple(self.others), tuple(programs) or tuple(self.programs)
        suffix = _BY + setup.paths_by if setup.paths_by else ""
        base, keys = self.baseline[1] + suffix, {name: self.others[name] + suffix for name in names}

        def job(network: str, app: str, seed: int) -> Job:
            return Job(network, self.programs[app], self.ranks, setup.placement, seed, setup.settings)

        all_keys = (base, *keys.values())
        runs = ran(
            (job(key, app, seed) for app in apps for seed in setup.seeds for key in all_keys),
            lambda name: tabled(name, self.routed),
        )
        found = {}
        for name, key in keys.items():
            each = {
                app: [
                    100 * (speed_beside(runs[job(key, app, seed)], runs[job(base, app, seed)]) - 1)
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
