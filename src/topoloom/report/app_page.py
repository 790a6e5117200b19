"""The report of applications: each program on each network beside a baseline, with the spread, and every run."""

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path

from topoloom._version import __version__
from topoloom.applications.run import AppRun
from topoloom.applications.run_csv import links_csv, ranks_csv, runs_csv
from topoloom.applications.sweep import CELLS, Case, Compared
from topoloom.figures.app_bars import bars_svg
from topoloom.files import write_atomically
from topoloom.report.page import figure, page, table


def write_apps(
    folder: Path, runs: Sequence[tuple[Case, AppRun]], rows: Sequence[Compared], baseline: str
) -> list[Path]:
    """``runs.csv``, ``ranks.csv``, ``links.csv``, ``app.html`` and ``bars.svg`` in a folder; their paths."""
    drawn = bars_svg(rows, baseline)
    files = {
        "runs.csv": runs_csv(runs),
        "ranks.csv": ranks_csv(runs),
        "links.csv": links_csv(runs),
        "app.html": app_page(runs, rows, baseline, drawn),
        "bars.svg": drawn,
    }
    for name, text in files.items():
        write_atomically(folder / name, text)
    return [folder / name for name in files]


def app_page(runs: Sequence[tuple[Case, AppRun]], rows: Sequence[Compared], baseline: str, drawn: str) -> str:
    """The report as one self-contained HTML page; `drawn` are the bars, as SVG text."""
    first = runs[0][1]
    title = f"Applications on {', '.join(dict.fromkeys(case.name for case, _ in runs))}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">topoloom {__version__}, SimGrid {first.simgrid}; {first.ranks} ranks</p>',
    ]
    caption = (
        f"How many times as fast as {baseline} each network is, by the program's own measure; the mean over seeds and"
        " tables, whiskers from the least to the most of the same seed and table."
    )
    body.append(figure(drawn, caption))
    body += ["<h2>Beside the baseline</h2>", _compared(rows), "<h2>Runs</h2>", _runs(runs), "<h2>Settings</h2>"]
    settings = [(name, str(value)) for name, value in first.settings.words.items()]
    body.append(table(["setting", "value"], settings, text=frozenset({0, 1})))
    return page(title, body)


def _compared(rows: Sequence[Compared]) -> str:
    cells = [
        (_breakable(row.cells[0]), row.cells[1], *(cell.replace(" ", "\u00a0") for cell in row.cells[2:]))
        for row in rows
    ]
    return table(CELLS, cells, text=frozenset({0, 1, 2, 4}))


def _breakable(program: str) -> str:
    """A program's name that lines may end in: after each comma, by a space without width."""
    return program.replace(",", ",\u200b")


def _runs(runs: Sequence[tuple[Case, AppRun]]) -> str:
    head = (
        "program",
        "network",
        "tables",
        "placement",
        "seconds",
        "Mop/s",
        "communication",
        "most on a link [MB]",
        "results",
    )
    return table(
        head,
        [
            (
                _breakable(run.program),
                case.name,
                f"{run.engine}, seed {case.routing_seed}",
                f"{run.placement}, seed {run.seed}",
                f"{run.seconds:.6g}",
                "" if math.isnan(run.mops) else f"{run.mops:,.0f}",
                f"{100 * run.communication.mean():.1f} %",
                f"{run.link_bytes.max(initial=0.0) / 1e6:.2f}",
                ", ".join(f"{name} {value:.4g} {unit}" for name, (value, unit) in run.results.items()),
            )
            for case, run in runs
        ],
        text=frozenset({0, 1, 2, 3, 8}),
    )
