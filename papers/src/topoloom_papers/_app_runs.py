"""Simulations of applications that several claims share: each group is one long run, with one simulation per core."""

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
from topoloom_papers.curves import Curves
from topoloom_papers.long_runs import LONG_RUNS, long_run
from topoloom_papers.verdicts import Outcome, Step, Verdict, compare

#: Separates a network's name from the name of the SimGrid routing whose paths it uses.
_BY = " by "


@dataclass(frozen=True)
class Job:
    """One simulation: the arguments of `run_app`. `network` is a name that is unique among all claims."""

    network: str
    app: str
    ranks: int
    placement: str
    seed: int
    settings: AppSettings
    simulator: str = SIMGRID


@dataclass(frozen=True)
class AppResult:
    """The part of an `AppRun` that is kept: a time in s (less is better) or a bandwidth in B/s (more is better)."""

    network: str
    seed: int
    value: float
    unit: str

    def speedup_over(self, base: "AppResult") -> float:
        """The ratio of this run's speed to the speed of `base`."""
        return self.value / base.value if self.unit == "B/s" else base.value / self.value


def run_jobs(jobs: Iterable[Job], routed: Callable[[str], Routing]) -> dict[Job, AppResult]:
    """The results of simulations; those that differ only in network and seed form one long run.

    Parameters
    ----------
    jobs : iterable of Job
    routed : callable
        Gives the routing of a network by its name.

    Returns
    -------
    dict of Job to AppResult

    Raises
    ------
    MissingRunError
        A long run is not kept, and making it was not requested.
    """
    groups: dict[Job, list[Job]] = {}
    for job in dict.fromkeys(jobs):
        groups.setdefault(replace(job, network="", seed=0), []).append(job)
    results: dict[Job, AppResult] = {}
    for group in groups.values():
        measured = long_run(_command(group), list[AppResult], lambda group=group: _simulated(group, routed))  # type: ignore[misc]
        by_key = {(result.network, result.seed): result for result in measured}
        results |= {job: by_key[job.network, job.seed] for job in group}
    return results


def _simulated(jobs: list[Job], routed: Callable[[str], Routing]) -> list[AppResult]:
    networks = {name: routed(name) for name in dict.fromkeys(job.network for job in jobs)}
    done: dict[Job, AppResult] = {}

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
            done[job] = AppResult(job.network, job.seed, measured.value, measured.unit)

    over_cores(work, len(jobs), None)
    return [done[job] for job in jobs]


def _command(jobs: list[Job]) -> str:
    """The command line of the same simulations; networks and tables without a spec are described in words."""
    first = jobs[0]
    names = list(dict.fromkeys(job.network for job in jobs))
    tables = {name.partition(_BY)[2] for name in names}
    seeds = list(dict.fromkeys(job.seed for job in jobs))
    if seeds != list(range(seeds[0], seeds[0] + len(seeds))) or len(jobs) != len(names) * len(seeds):
        raise ValueError("each network is simulated with the same seeds, one after the other")
    several = f"*{len(seeds)}" if len(seeds) > 1 else ""
    by = "" if first.simulator == SIMGRID else f" --simulator {first.simulator}"
    shared = f" (tables by SimGrid's {tables.pop()})" if len(tables) == 1 and all(tables) else ""
    networks = [name.partition(_BY)[0] if shared else name for name in names]
    # Names with blanks describe networks and tables that no command line can build.
    engine = "" if shared or any(" " in name for name in names) else " --engine minimal"
    return (
        f"topoloom app {' '.join(map(quote, networks))}{engine} --app {first.app} --ranks {first.ranks}"
        f" --placement {first.placement}{several} --seed {seeds[0]}{by}{_changes(first.settings)}{shared}"
    )


def _changes(settings: AppSettings) -> str:
    """The settings that differ from the defaults, as options; default algorithms are removed before others are set."""
    defaults, changes = AppSettings().values, []
    for name, value in settings.values.items():
        if value == defaults[name]:
            continue
        if name == "algorithms":
            changes.append("algorithms=")
            if not value:
                continue
        changes.append(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}")
    return "".join(f" --set {quote(change)}" for change in changes)


def needs_simgrid(compute: Callable[[], Outcome]) -> Callable[[], Outcome]:
    """Wrap a claim that simulates: without SimGrid its outcome is "not run" instead of a verdict on the paper."""

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
    """The routing of a network; a name with `_BY` requests the paths of a SimGrid routing."""
    name, _, algorithm = network.partition(_BY)
    return simgrid_routing(routed(name).topology, algorithm) if algorithm else routed(name)


@dataclass(frozen=True)
class Setup:
    """How programs run: a display name, the placement of ranks, the machine's settings, and one seed per placement.

    With `paths_by`, ``Floyd`` or ``Dijkstra``, packets take the paths of SimGrid's routing of that name.
    """

    name: str
    placement: str
    settings: AppSettings
    seeds: tuple[int, ...] = (1,)
    paths_by: str = ""


#: Describes the paths, for the explanations of verdicts.
SETUPS_NOTE = (
    "paths are the shortest, spread evenly, or those that Dijkstra's or Floyd's algorithm finds first, as SimGrid's routings of"
    " these names; half duplex is the default of a link in SimGrid's platform files"
)


def setups(machine: AppSettings, seeds: Mapping[str, int]) -> list[Setup]:
    """Setups with ranks in order or at random, with balanced tables or SimGrid's, and with half duplex.

    The papers state none of these choices. `seeds` gives the number of seeds by the setup's name; other setups are omitted.
    """
    all_setups = (
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
    by_name = {setup.name: setup for setup in all_setups}
    return [replace(by_name[name], seeds=tuple(range(1, count + 1))) for name, count in seeds.items()]


@dataclass(frozen=True)
class Gain:
    """How much faster than the baseline a network is, in %: per program, and on average, both with one value per placement."""

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
    """Networks compared with a baseline.

    Attributes
    ----------
    baseline : (str, str)
        The display name, and the name that `routed` takes.
    others : dict of str to str
        The same for the other networks.
    programs : dict of str to str
        The display name, and the application that `run_app` takes.
    ranks : int
    routed : callable
    simulator : str
        As in `run_app`.
    """

    baseline: tuple[str, str]
    others: dict[str, str]
    programs: dict[str, str]
    ranks: int
    routed: Callable[[str], Routing]
    simulator: str = SIMGRID

    def gains(self, setup: Setup, others: Iterable[str] = (), programs: Iterable[str] = ()) -> dict[str, Gain]:
        """Gain by network: its speed divided by the baseline's, minus 1, in %; all networks have the same placements."""
        names, apps = tuple(others) or tuple(self.others), tuple(programs) or tuple(self.programs)
        suffix = _BY + setup.paths_by if setup.paths_by else ""
        base, keys = self.baseline[1] + suffix, {name: self.others[name] + suffix for name in names}

        def job(network: str, app: str, seed: int) -> Job:
            return Job(network, self.programs[app], self.ranks, setup.placement, seed, setup.settings, self.simulator)

        all_keys = (base, *keys.values())
        runs = run_jobs(
            (job(key, app, seed) for app in apps for seed in setup.seeds for key in all_keys),
            lambda name: tabled(name, self.routed),
        )
        gains = {}
        for name, key in keys.items():
            by_program = {
                app: [
                    100 * (runs[job(key, app, seed)].speedup_over(runs[job(base, app, seed)]) - 1)
                    for seed in setup.seeds
                ]
                for app in apps
            }
            means = [fmean(values[at] for values in by_program.values()) for at in range(len(setup.seeds))]
            gains[name] = Gain(by_program, means)
        return gains


#: A mean that differs by at most this from a published one agrees, in percentage points of the baseline's speed.
NEAR = Step(5.0, "points: the effect of another random placement")


def nearest_setup(
    network: str,
    percent: float,
    by_setup: Mapping[str, dict[str, Gain]],
    assumption: str,
    *,
    details: str,
    figure: Curves | None = None,
) -> Outcome:
    """The outcome for a published mean gain, where the paper leaves the setup open: each setup counts as one reading.

    Parameters
    ----------
    network : str
        A network of the contest.
    percent : float
        Its published gain over the baseline, in %.
    by_setup : mapping of str to (dict of str to Gain)
        The gains of every setup that was tried.
    assumption, details : str
        As in `compare`.
    figure : Curves, optional

    Returns
    -------
    Outcome
        The best of as many readings as there are setups, if the nearest is within `NEAR`.
    """
    means = {name: gains[network].mean for name, gains in by_setup.items()}
    nearest = min(means, key=lambda name: abs(means[name] - percent))
    note = f"the nearest of {len(means)} setups has ranks {nearest}; all: {span(by_setup, network)}; {assumption}"
    return compare(
        {"%": f"{percent:.0f}"},
        {"%": means[nearest]},
        step=NEAR,
        readings=len(means),
        digits=3,
        assumption=note,
        reason=note,
        details=details,
        figure=figure,
    )


def span(by_setup: Mapping[str, dict[str, Gain]], network: str) -> str:
    """The range of a network's gains over all setups."""
    means = [gains[network].mean for gains in by_setup.values()]
    return f"{network} {min(means):+.0f} to {max(means):+.0f} %"


def gains_text(gains: dict[str, Gain], *, each: bool = False) -> str:
    """Gains in one line; with `each`, also per program."""
    return "; ".join(
        f"{name} {gain}"
        + (f" [{', '.join(f'{app} {fmean(v):+.0f}' for app, v in gain.programs.items())}]" if each else "")
        for name, gain in gains.items()
    )
