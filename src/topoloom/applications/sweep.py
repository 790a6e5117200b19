"""Programs on several networks, under several placements and tables: every run, and how they compare with a baseline."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from topoloom.applications.placement import place_ranks
from topoloom.applications.program import Program
from topoloom.applications.registry import program_of
from topoloom.applications.run import AppRun, ranks_on, run_app
from topoloom.applications.settings import Settings
from topoloom.errors import InputError
from topoloom.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.threads import over_cores
from topoloom.topology import Topology


@dataclass(frozen=True, eq=False)
class Case:
    """What is run: a network with its tables (one or more for the hosts of a switch), their seed, and its layout."""

    name: str
    routings: tuple[Routing, ...]
    layout: Layout | None
    routing_seed: int

    @property
    def topology(self) -> Topology:
        return self.routings[0].topology


@dataclass(frozen=True)
class Compared:
    """A program on a network beside the same on the baseline.

    Attributes
    ----------
    program, topology, placement : str
    measure, unit : str
        What is compared (`AppRun.measured`): a time, or a bandwidth in B/s.
    mean, least, most : float
        Of the measure, over seeds and tables.
    faster, slowest, fastest : float
        How many times as fast as the baseline, seed by seed: the mean of the ratios, the least and the most.
    runs : int
    """

    program: str
    topology: str
    placement: str
    measure: str
    unit: str
    mean: float
    least: float
    most: float
    faster: float
    slowest: float
    fastest: float
    runs: int

    @property
    def cells(self) -> tuple[str, ...]:
        """For people: a row of a table."""
        return (
            self.program,
            self.topology,
            self.placement,
            str(self.runs),
            self.measure,
            *(short(value, self.unit) for value in (self.mean, self.least, self.most)),
            *(f"{value:.3f}" for value in (self.faster, self.slowest, self.fastest)),
        )


#: What stands above `Compared.cells`.
CELLS = ("program", "network", "placement", "runs", "measure", "mean", "least", "most", "speed", "slowest", "fastest")


def short(value: float, unit: str) -> str:
    """Four digits and a prefix.

    >>> short(0.00033618, "s"), short(2.7e10, "B/s"), short(0.0, "s")
    ('336.2 us', '27 GB/s', '0 s')
    """
    exponent = min(4, max(-3, math.floor(math.log10(abs(value)) / 3))) if value and math.isfinite(value) else 0
    return f"{value / 1000.0**exponent:.4g} {('', 'k', 'M', 'G', 'T', 'n', 'u', 'm')[exponent]}{unit}"


def run_all(
    cases: Sequence[Case],
    apps: Sequence[str | Program],
    ranks: int | None,
    placements: Sequence[tuple[str, int]],
    settings: Settings,
    jobs: int | None = None,
    on_run: Callable[[Case, AppRun], None] | None = None,
) -> list[tuple[Case, AppRun]]:
    """Every program on every case under every placement (its name and seed), as many side by side as there are cores.

    `on_run` is told of each as it is finished, by the thread that it ran in.

    Raises
    ------
    InputError
        A program that does not fit a network, or networks with different numbers of hosts where `ranks` is not given, before
        anything runs; else whatever the first run that fails says.
    """
    fitting = _fitting(cases, apps, ranks, placements)
    tasks = [(case, program, count, place) for program, count in fitting for case in cases for place in placements]
    found: dict[int, AppRun] = {}

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            case, program, count, (placement, seed) = tasks[number]
            found[number] = run_app(
                case.routings,
                program,
                count,
                placement=placement,
                settings=settings,
                layout=case.layout,
                seed=seed,
                jobs=1,
            )
            if on_run is not None:
                on_run(case, found[number])

    over_cores(work, len(tasks), jobs)
    return [(tasks[number][0], found[number]) for number in range(len(tasks))]


def _fitting(
    cases: Sequence[Case], apps: Sequence[str | Program], ranks: int | None, placements: Sequence[tuple[str, int]]
) -> list[tuple[Program, int]]:
    """The programs and their ranks; what cannot run on every case is refused before hours of what can."""
    found = []
    for app in apps:
        wanted = {case.name: ranks_on(case.topology, app, ranks) for case in cases}
        count = min(wanted.values())
        if max(wanted.values()) > count:
            told = ", ".join(f"{name} {number}" for name, number in wanted.items())
            raise InputError(
                f"different numbers of ranks do not compare ({told}); say how many run on each: ranks={count}"
            )
        for case in cases:
            for how, seed in placements:
                known = "linear" if how == "optimised" else how
                place_ranks(known, count, case.routings[0], case.layout, None, seed)
        found.append((program_of(app, count) if isinstance(app, str) else app, count))
    return found


def compared(runs: Sequence[tuple[Case, AppRun]], baseline: str) -> list[Compared]:
    """Each program under each kind of placement on each network, beside the network named `baseline`.

    Where the baseline has no run of the same seeds, as a sweep that was ended may have, the speed is NaN.
    """
    found: dict[tuple[str, str], dict[str, dict[tuple[int, int], AppRun]]] = {}
    for case, run in runs:
        of = found.setdefault((run.program, run.placement), {})
        of.setdefault(case.name, {})[run.seed, case.routing_seed] = run
    rows = []
    for (program, placement), of in found.items():
        base = of.get(baseline, {})
        for name, mine in of.items():
            values = [run.measured[0] for run in mine.values()]
            ratios = [
                ratio
                for key, run in mine.items()
                if key in base and not math.isnan(ratio := speed_beside(run, base[key]))
            ]
            some = next(iter(mine.values()))
            rows.append(
                Compared(
                    program,
                    name,
                    placement,
                    some.measure,
                    some.measured[1],
                    fmean(values),
                    min(values),
                    max(values),
                    fmean(ratios) if ratios else math.nan,
                    min(ratios, default=math.nan),
                    max(ratios, default=math.nan),
                    len(values),
                )
            )
    return rows


def speed_beside(run: AppRun, base: AppRun) -> float:
    """How many times as fast as another a run is, by its measure."""
    (value, unit), (other, _) = run.measured, base.measured
    if not value or not other:
        return math.nan
    return value / other if unit == "B/s" else other / value
