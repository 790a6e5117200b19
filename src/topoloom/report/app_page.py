"""The report of applications: each program on each network beside a baseline, with the spread, and every run."""

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from topoloom._version import __version__
from topoloom.applications.run import AppRun
from topoloom.applications.run_csv import links_csv, ranks_csv, runs_csv
from topoloom.applications.sweep import CELLS, Case, Compared
from topoloom.files import write_atomically
from topoloom.report import figures
from topoloom.report.page import figure, page, table
from topoloom.report.svg import style, svg_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def write_apps(
    folder: Path, runs: Sequence[tuple[Case, AppRun]], rows: Sequence[Compared], baseline: str
) -> list[Path]:
    """``runs.csv``, ``ranks.csv``, ``links.csv``, ``app.html`` and, with matplotlib, ``bars.svg`` in a folder; their paths."""
    drawn = bars(rows, baseline) if figures.available() else ""
    files = {
        "runs.csv": runs_csv(runs),
        "ranks.csv": ranks_csv(runs),
        "links.csv": links_csv(runs),
        "app.html": app_page(runs, rows, baseline, drawn),
    }
    if drawn:
        files["bars.svg"] = drawn
    for name, text in files.items():
        write_atomically(folder / name, text)
    return [folder / name for name in files]


def app_page(runs: Sequence[tuple[Case, AppRun]], rows: Sequence[Compared], baseline: str, drawn: str) -> str:
    """The report as one self-contained HTML page; `drawn` are the bars, empty without matplotlib."""
    first = runs[0][1]
    title = f"Applications on {', '.join(dict.fromkeys(case.name for case, _ in runs))}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">topoloom {__version__}, SimGrid {first.simgrid}; {first.ranks} ranks</p>',
    ]
    if drawn:
        caption = (
            f"How many times as fast as {baseline} each network is, by the program's own measure; the mean over seeds and"
            " tables, whiskers from the least to the most of the same seed and table."
        )
        body.append(figure(drawn, caption))
    body += ["<h2>Beside the baseline</h2>", _compared(rows), "<h2>Runs</h2>", _runs(runs), "<h2>Settings</h2>"]
    settings = [(name, str(value)) for name, value in first.settings.words.items()]
    body.append(table(["setting", "value"], settings, text=frozenset({0, 1})))
    return page(title, body)


def bars(rows: Sequence[Compared], baseline: str) -> str:
    """A group of bars a program and placement, a bar a network, as SVG text."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    groups = list(dict.fromkeys((row.program, row.placement) for row in rows))
    names = list(dict.fromkeys(row.topology for row in rows))
    with style():
        sheet = Figure(figsize=(max(6.0, 1.1 * len(groups) + 4), 4.4), layout="constrained")
        FigureCanvasSVG(sheet)
        axes = sheet.add_subplot()
        _draw(axes, rows, groups, names)
        axes.axhline(1.0, color="#333333", linewidth=0.8)
        axes.set_ylabel("speed")
        axes.set_title(f"{baseline} = 1", fontsize=9, loc="left")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8, frameon=False)
        return svg_text(sheet)


def _labels(groups: Sequence[tuple[str, str]]) -> list[str]:
    """What stands under each group of bars: the program, with what it is called with only where that tells two apart."""
    programs = list(dict.fromkeys(program for program, _ in groups))
    bare = [program.partition("(")[0] for program in programs]
    told = {
        program: name if bare.count(name) == 1 else program.replace("(", "\n").replace(",", "\n").rstrip(")")
        for program, name in zip(programs, bare, strict=True)
    }
    return [f"{told[program]}\n{placement}" for program, placement in groups]


def _draw(axes: "Axes", rows: Sequence[Compared], groups: list[tuple[str, str]], names: list[str]) -> None:
    width = 0.8 / len(names)
    axes.spines[["top", "right"]].set_visible(False)
    for index, name in enumerate(names):
        mine = [row for row in rows if row.topology == name]
        places = [groups.index((row.program, row.placement)) + (index - (len(names) - 1) / 2) * width for row in mine]
        means = [row.faster for row in mine]
        spread = [[row.faster - row.slowest for row in mine], [row.fastest - row.faster for row in mine]]
        axes.bar(
            places,
            means,
            width * 0.92,
            color=figures.COLOURS[index % len(figures.COLOURS)],
            label=name,
            yerr=spread,
            capsize=2.5,
        )
    axes.set_xticks(range(len(groups)), _labels(groups), fontsize=8)


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
