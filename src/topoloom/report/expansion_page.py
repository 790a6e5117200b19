"""The report of an expansion: what it takes, the network after every step, and the work of each step with its floor."""

import math
import os
from pathlib import Path
from typing import Any

from markupsafe import Markup

from topoloom._version import __version__
from topoloom.cabling.expansion.expansion import Expansion, ExpansionStep
from topoloom.cabling.expansion.plan_files import plan_rows, save_expansion, step_facts
from topoloom.core.amounts import with_currency
from topoloom.core.pages.templating import rendered
from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries, interval_curves_svg
from topoloom.report.curve_data import curve_data
from topoloom.report.expansion_floor import BOX_COLOURS, LINE_COLOURS, step_floorplan
from topoloom.report.page import cards, curves_part, figure, page, table
from topoloom.report.scripting import CURVES

PAGE, FOLDER = "plan.html", "steps"
#: The columns of plan.csv that the page shows, with their titles.
_COLUMNS = {
    "task": "task",
    "work": "work",
    "cable": "cable",
    "source": "from",
    "a_label": "end a",
    "b_label": "end b",
    "from_label": "unplugged from",
    "length_m": "length m",
    "stock_m": "stock m",
    "product": "product",
}
_TEXTS = frozenset({1, 2, 3, 4, 5, 6, 9})


def write_expansion(expansion: Expansion, folder: str | os.PathLike[str]) -> list[Path]:
    """Write a plan's folder: its lists, the report, and a floor plan for every step; return the paths.

    Raises
    ------
    InputError
        The folder cannot be made, or a file in it cannot be written.
    """
    pictures = {
        f"{FOLDER}/step-{number:03d}.svg": step_floorplan(expansion, number - 1) for number in _numbers(expansion)
    }
    return save_expansion(expansion, folder, {**pictures, PAGE: expansion_page(expansion)}, [f"{FOLDER}/step-*.svg"])


def expansion_page(expansion: Expansion) -> str:
    """The report as one HTML page, which shows the pictures in the folder ``steps`` next to it."""
    before, after = expansion.before.layout, expansion.layout
    into = f" into {expansion.goal.name}" if expansion.goal is not None else ""
    title = f"{before.topology.name} grows{into}: {before.topology.switches:,} to {after.topology.switches:,} switches"
    tasks = expansion.tasks
    summary = (
        f"{tasks['unplug']:,} cables are unplugged, {tasks['move']:,} are moved at one end and {tasks['add']:,} are plugged in;"
        f" each switch has {expansion.radix} ports. A moved cable counts as removed and as added."
        f" Connected: {expansion.connectedness}."
    )
    curves = _curves(expansion)
    body = rendered(
        "expansion.html",
        title=title,
        about=f"topoloom {__version__}: {_made(expansion)}",
        totals=_totals(expansion),
        summary=summary,
        curves="" if curves is None else curves_part(figure(interval_curves_svg(curves), "")),
        steps=_steps(expansion),
        lines=LINE_COLOURS,
        boxes=BOX_COLOURS,
        work=_work(expansion),
    )
    return page(title, [body], curve_data([] if curves is None else [curves]), CURVES, pictures=True)


def _numbers(expansion: Expansion) -> range:
    return range(1, len(expansion.steps) + 1)


def _made(expansion: Expansion) -> str:
    layout = expansion.before.layout
    goal = f" into {expansion.goal.spec or expansion.goal.name}" if expansion.goal is not None else ""
    spec = layout.topology.spec or layout.topology.name
    return f"a plan from {spec}{goal} by {expansion.method}, seed {expansion.seed}; floor {layout.floor.name}, {layout.made}"


def _totals(expansion: Expansion) -> Markup:
    return cards(
        [
            (f"{expansion.removed:,}", "cables removed"),
            (f"{expansion.added:,}", "cables added"),
            (f"{expansion.kept:,}", "cables untouched"),
            (f"{expansion.bought:,}", "cables to buy"),
            (f"{expansion.longest_new_m:.1f} m", "longest new cable"),
            (f"{len(expansion.racks_touched)} of {expansion.racks_before}", "racks touched"),
            (f"{expansion.racks_new}", "racks set up"),
            (_cost(expansion), "switches, cables, installation"),
        ]
    )


def _curves(expansion: Expansion) -> IntervalCurves | None:
    """Diameter and ASPL after each step; None for a single step, or where no step is connected."""
    every = [
        (number, step) for number, step in enumerate((expansion.start, *expansion.steps)) if math.isfinite(step.aspl)
    ]
    if len(expansion.steps) < 2 or not every:
        return None
    series = tuple(
        IntervalSeries(name, tuple(IntervalPoint(float(number), float(getattr(step, key))) for number, step in every))
        for name, key in (("diameter", "diameter"), ("mean distance (ASPL)", "aspl"))
    )
    title = "All switches, before the expansion (0) and after each step"
    return IntervalCurves(title, "step", "hops", series, integer=True, whole_y=True)


def _steps(expansion: Expansion) -> Markup:
    head = (
        "step",
        "",
        "racks",
        "unplug",
        "move",
        "add",
        "switches",
        "links",
        "diameter",
        "ASPL",
        "cut off during the step",
    )
    rows = []
    for number, step in enumerate((expansion.start, *expansion.steps)):
        facts = step_facts(step)
        rows.append(
            (
                str(number),
                step.title,
                ", ".join(step.new_racks),
                str(facts["unplug"]),
                str(facts["move"]),
                str(facts["add"]),
                f"{facts['switches']:,}",
                f"{facts['links']:,}",
                _hops(step.diameter, 0),
                _hops(step.aspl, 4),
                _cut_off(step),
            )
        )
    return table(head, rows, text=frozenset({1, 2, 10}))


def _work(expansion: Expansion) -> list[dict[str, Any]]:
    """The work of each step, for the page."""
    out: list[dict[str, Any]] = []
    rows = plan_rows(expansion)
    columns = [_ends(rows, name) if name.endswith("_label") else rows[name] for name in _COLUMNS]
    start = 0
    for number, step in enumerate(expansion.steps, 1):
        stop = start + len(step.tasks)
        cells = zip(*(column[start:stop] for column in columns), strict=True)
        start = stop
        new = f"switch{'es' * (len(step.new_switches) != 1)} {step_facts(step)['new_switches']}"
        out.append(
            {
                "title": step.title,
                "tasks": len(step.tasks),
                "new": new if step.new_switches else "",
                "picture": f"{FOLDER}/step-{number:03d}.svg",
                "table": table(list(_COLUMNS.values()), cells, text=_TEXTS),
            }
        )
    return out


def _ends(rows: dict[str, list[str]], column: str) -> list[str]:
    """The labels of one side, each with the real names of device and port, where the network is cabled."""
    side = column.removesuffix("_label")
    if f"{side}_name" not in rows:
        return rows[column]
    cells = zip(rows[f"{side}_name"], rows[f"{side}_port_name"], rows[column], strict=True)
    return [f"{name} {port} ({label})" if name else "" for name, port, label in cells]


def _cut_off(step: ExpansionStep) -> str:
    parts = [f"{step.cut_off} switches"] if step.cut_off else []
    parts += [f"{step.interrupted} hosts' links, while they are moved"] if step.interrupted else []
    return "; ".join(parts)


def _cost(expansion: Expansion) -> str:
    total = expansion.cost.total_usd
    return with_currency(total, expansion.after.bought.parts.currency) if total else "no prices"


def _hops(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else "not connected"
