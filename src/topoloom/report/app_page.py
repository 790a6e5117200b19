"""The report of applications: each program on each network compared with a baseline, the spread, and every run."""

import math
import os
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from topoloom._version import __version__
from topoloom.core.amounts import amount
from topoloom.core.folders import write_folder
from topoloom.core.pages.templating import rendered
from topoloom.core.settings import written
from topoloom.figures.absent import svg_or_sentence
from topoloom.figures.app_bars import app_bars
from topoloom.figures.style import svg_text
from topoloom.report.curve_data import curve_data
from topoloom.report.page import figure, page, table
from topoloom.report.scripting import CURVES
from topoloom.simulation.applications.app_runs import CELLS, AppRuns
from topoloom.simulation.applications.run_csv import links_csv, ranks_csv, runs_csv
from topoloom.simulation.applications.sweep import Case


def write_apps(folder: str | os.PathLike[str], runs: AppRuns, cases: Sequence[Case]) -> list[Path]:
    """Write the results of application runs into a folder, all files or none, and return their paths.

    ``runs.csv``, ``ranks.csv``, ``links.csv``, ``app.html`` and ``bars.svg``.

    Parameters
    ----------
    folder : path
        Created if it does not exist; its parent folder must exist.
    runs : AppRuns
    cases : sequence of Case
        The cases that were given to `run_apps`.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    drawn = svg_or_sentence(lambda: svg_text(app_bars(runs.compared, runs.baseline)))
    files = {
        "runs.csv": runs_csv(runs),
        "ranks.csv": ranks_csv(runs, cases),
        "links.csv": links_csv(runs, cases),
        "app.html": app_page(runs, drawn),
        "bars.svg": drawn,
    }
    return write_folder(folder, files)


def app_page(runs: AppRuns, drawn: str) -> str:
    """The report as one self-contained HTML page; `drawn` is the bar chart as SVG text."""
    first = runs.runs[0]
    title = f"Applications on {', '.join(dict.fromkeys(run.network for run in runs.runs))}"
    about = f"topoloom {__version__}, {first.simulated_by}; {first.ranks} ranks"
    if len(runs.runs) < runs.wanted:
        about += f"; {len(runs.runs)} of {runs.wanted} runs are finished"
    caption = (
        f"Speed of each network relative to {runs.baseline}, by the program's own measure: the mean over seeds and tables;"
        " whiskers reach from the lowest to the highest ratio for one seed and table."
    )
    settings = [(name, written(value)) for name, value in first.settings.values.items()]
    body = rendered(
        "applications.html",
        title=title,
        about=about,
        bars=figure(drawn, caption),
        compared=_compared(runs),
        runs=_runs(runs),
        settings=table(["setting", "value"], settings, text=frozenset({0, 1})),
    )
    return page(title, [body], curve_data([]), CURVES)


def _compared(runs: AppRuns) -> Markup:
    cells = [
        (_breakable(row.cells[0]), row.cells[1], *(cell.replace(" ", "\u00a0") for cell in row.cells[2:]))
        for row in runs.compared
    ]
    return table(CELLS, cells, text=frozenset({0, 1, 2, 4}))


def _breakable(program: str) -> str:
    """A program's name in which lines may break after each comma, at a space without width."""
    return program.replace(",", ",\u200b")


def _runs(runs: AppRuns) -> Markup:
    head = (
        "program",
        "network",
        "tables",
        "placement",
        "seconds",
        "bound [s]",
        "Mop/s",
        "communication",
        "most loaded link [MB]",
        "results",
    )
    return table(
        head,
        [
            (
                _breakable(run.program),
                run.network,
                f"{run.engine}, seed {run.routing_seed}",
                f"{run.placement}, seed {run.seed}",
                amount(run.seconds, 6),
                "" if run.bound_s is None else amount(run.bound_s, 6),
                "" if math.isnan(run.mops) else f"{run.mops:,.0f}",
                f"{100 * run.communication.mean():.1f} %",
                f"{run.link_bytes.max(initial=0.0) / 1e6:.2f}",
                ", ".join(f"{name} {amount(result.value)} {result.unit}" for name, result in run.results.items()),
            )
            for run in runs.runs
        ],
        text=frozenset({0, 1, 2, 3, 9}),
    )
