"""Programs on several networks, under several placements and tables: every run, and how they compare with a baseline."""

import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from topoloom.applications.program import Program
from topoloom.applications.run import AppRun, run_app
from topoloom.applications.settings import Settings
from topoloom.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.threads import over_cores


@dataclass(frozen=True, eq=False)
class Case:
    """What is run: a network with its tables (one routing a seed), and its layout."""

    name: str
    routing: Routing
    layout: Layout | None
    routing_seed: int


@dataclass(frozen=True)
class Compared:
    """A program on a network beside the same on the baseline.

    Attributes
    ----------
    program, topology : str
    seconds, least, most : float
        Mean, least and most over placements and tables.
    faster, slowest, fastest : float
        The baseline's seconds over these, placement by placement: the mean of the ratios, the least and the most. Above 1:
        faster than the baseline.
    runs : int
    """

    program: str
    topology: str
    seconds: float
    least: float
    most: float
    faster: float
    slowest: float
    fastest: float
    runs: int


def run_all(
    cases: Sequence[Case], apps: Sequence[str | Program], ranks: int | None, placements: Sequence[tuple[str, int]],
    settings: Settings, jobs: int | None = None, on_run: Callable[[AppRun], None] | None = None,
) -> list[tuple[Case, AppRun]]:  # fmt: skip
    """Every program on every case under every placement (its name and seed), as many side by side as there are cores.

    Raises
    ------
    InputError
        Whatever the first run that fails says.
    """
    tasks = [(case, app, placement) for app in apps for case in cases for placement in placements]
    found: dict[int, AppRun] = {}

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            case, app, (placement, seed) = tasks[number]
            found[number] = run_app(
                case.routing, app, ranks, placement=placement, settings=settings, layout=case.layout, seed=seed, jobs=1
            )
            if on_run is not None:
                on_run(found[number])

    over_cores(work, len(tasks), jobs)
    return [(tasks[number][0], found[number]) for number in range(len(tasks))]


def compared(runs: Sequence[tuple[Case, AppRun]], baseline: str) -> list[Compared]:
    """Each program on each network beside the network named `baseline`, placement by placement and table by table."""
    rows = []
    programs = list(dict.fromkeys(run.program for _, run in runs))
    names = list(dict.fromkeys(case.name for case, _ in runs))
    for program in programs:
        of = {
            name: {
                (run.placement, run.seed, case.routing_seed): run.seconds
                for case, run in runs
                if run.program == program and case.name == name
            }
            for name in names
        }
        for name in names:
            seconds = list(of[name].values())
            ratios = [of[baseline][key] / value for key, value in of[name].items() if value and key in of[baseline]]
            rows.append(
                Compared(
                    program, name, sum(seconds) / len(seconds), min(seconds), max(seconds),
                    sum(ratios) / len(ratios) if ratios else math.nan, min(ratios, default=math.nan),
                    max(ratios, default=math.nan), len(seconds),
                )
            )  # fmt: skip
    return rows


def runs_csv(runs: Sequence[tuple[Case, AppRun]]) -> str:
    """A row a run, with all that decides it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    settings = list(runs[0][1].settings.words) if runs else []
    writer.writerow(
        [
            "program", "topology", "engine", "routing_seed", "placement", "seed", "ranks", "seconds", "mops",
            "communication_mean", "communication_most", "link_bytes_total", "link_bytes_most", "cpu_s", "simgrid", *settings,
        ]
    )  # fmt: skip
    for case, run in runs:
        writer.writerow(
            [
                run.program, case.name, run.engine, case.routing_seed, run.placement, run.seed, run.ranks,
                f"{run.seconds:.9g}", "" if math.isnan(run.mops) else f"{run.mops:.6g}",
                f"{run.communication.mean():.6f}", f"{run.communication.max():.6f}", f"{run.link_bytes.sum():.0f}",
                f"{run.link_bytes.max(initial=0.0):.0f}", f"{run.cpu_s:.2f}", run.simgrid, *run.settings.words.values(),
            ]
        )  # fmt: skip
    return text.getvalue()
