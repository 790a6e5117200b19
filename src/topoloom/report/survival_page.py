"""The report of a resilience run: the page with its tables, and the levels as CSV."""

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from markupsafe import Markup

from topoloom.core.amounts import amount
from topoloom.core.csv_files import csv_text
from topoloom.core.folders import write_folder
from topoloom.core.pages.templating import rendered
from topoloom.failures.survival import Level, Survival
from topoloom.figures.absent import file_if_drawn, svg_or_sentence
from topoloom.figures.style import png_bytes, svg_text
from topoloom.figures.survival import curve_names, survival_curves, title_of
from topoloom.report.curve_data import curve_data, survival_intervals
from topoloom.report.page import cards, curves_part, page, table
from topoloom.report.page import figure as figure_of
from topoloom.report.scripting import CURVES

#: Names of the files of a resilience run.
PAGE, TABLE, PICTURE = "resilience.html", "survival.csv", "survival"
_COLUMNS = (
    "topology",
    "fail",
    "metric",
    "order",
    "of",
    "seed",
    "share",
    "failures",
    "samples",
    "survived",
    "probability",
    "low",
    "high",
    "mean",
    "worst",
)


def write_survival(curves: Sequence[Survival], folder: str | os.PathLike[str]) -> list[Path]:
    """Write the levels as CSV, the curves as pictures, and the page, all files or none; return the paths.

    Raises
    ------
    InputError
        The folder cannot be created or written; nothing has changed then.
    """
    drawn = cache(lambda: survival_curves(curves))
    files: dict[str, str | bytes] = {
        TABLE: survival_csv(curves),
        PAGE: resilience_page(curves),
        f"{PICTURE}.svg": svg_or_sentence(lambda: svg_text(drawn())),
        **file_if_drawn(f"{PICTURE}.png", lambda: png_bytes(drawn())),
    }
    return write_folder(folder, files)


def survival_csv(curves: Sequence[Survival]) -> str:
    """All levels as CSV, one per row; names that a spreadsheet would take for formulas are quoted."""
    return csv_text(_COLUMNS, [_cells(curve, level) for curve in curves for level in curve.levels])


def _cells(curve: Survival, level: Level) -> list[object]:
    numbers = (level.probability, level.low, level.high, level.mean, level.worst)
    return [
        curve.name,
        curve.fail,
        curve.metric,
        curve.order,
        curve.of,
        curve.seed,
        f"{level.share:g}",
        level.failures,
        level.samples,
        level.survived,
        *("" if value is None else f"{value:.6g}" for value in numbers),
    ]


def resilience_page(curves: Sequence[Survival]) -> str:
    """The page: thresholds, curves and all levels; times to disconnection and degradation where these were computed."""
    names, title = curve_names(curves), title_of(curves)
    drawn = svg_or_sentence(lambda: svg_text(survival_curves(curves)))
    caption = "Bands: 95 % confidence intervals. The levels of a curve share their random orders of failures."
    lasting = any(curve.time_to_disconnection is not None for curve in curves)
    body = rendered(
        "survival.html",
        title=title or "Resilience",
        meanings=list(dict.fromkeys(_meaning(curve) for curve in curves)),
        facts=cards(_facts(curves[0])) if len(curves) == 1 else "",
        curves=curves_part(figure_of(drawn, caption)),
        thresholds=_thresholds(curves, names),
        lifetimes=_lifetimes(curves, names) if lasting else "",
        degradations=_degradations(curves, names) if any(curve.degradation for curve in curves) else "",
        levels=_levels(curves, names),
    )
    return page("Resilience", [body], curve_data([survival_intervals(curves)]), CURVES)


def _meaning(curve: Survival) -> str:
    short = "" if curve.ended == "done" else " The sampling was interrupted."
    return (
        f"Survived means: {curve.survives}. The threshold is the last level up to which every level is survived; the exact"
        f" threshold is the last single failure. Each curve is from {curve.samples:,} random orders, seed {curve.seed}.{short}"
    )


def _facts(curve: Survival) -> list[tuple[str, str]]:
    facts = [(f"{100 * curve.threshold:g} %", f"of the {curve.fail} may fail, by these levels")]
    if curve.exact is not None:
        facts.append(
            (f"{100 * curve.exact:.2f} %", f"exact threshold: {round(curve.exact * curve.units):,} of {curve.units:,}")
        )
    if curve.whole is not None and curve.most is not None:
        facts.append(
            (f"{amount(curve.whole)}, at most {amount(curve.most)}", f"{curve.metric} before failures, and its limit")
        )
    return facts


def _thresholds(curves: Sequence[Survival], names: Sequence[str]) -> Markup:
    head = ["network", "units", "samples", "threshold", "exact threshold", "hops before", "limit"]
    rows = [
        [
            name,
            f"{curve.units:,} {curve.fail}",
            f"{curve.samples:,}",
            f"{100 * curve.threshold:g} %",
            "" if curve.exact is None else f"{100 * curve.exact:.2f} %",
            *("" if value is None else amount(value) for value in (curve.whole, curve.most)),
        ]
        for curve, name in zip(curves, names, strict=True)
    ]
    wide = any(curve.whole is not None for curve in curves)
    return table(head if wide else head[:5], rows if wide else [row[:5] for row in rows], text=frozenset({0}))


def _lifetimes(curves: Sequence[Survival], names: Sequence[str]) -> Markup:
    head = ["network", "hours", "95 % interval", "years", "failures by then", "FIT per link", "FIT per switch"]
    rows = [
        [
            name,
            f"{lifetime.hours:,.0f}",
            f"{lifetime.low:,.0f} to {lifetime.high:,.0f}",
            f"{lifetime.hours / 8766:,.1f}",
            f"{lifetime.failures:,.1f}",
            f"{lifetime.link_fit:g}",
            f"{lifetime.switch_fit:g}",
        ]
        for curve, name in zip(curves, names, strict=True)
        if (lifetime := curve.time_to_disconnection) is not None
    ]
    return table(head, rows, text=frozenset({0}))


def _degradations(curves: Sequence[Survival], names: Sequence[str]) -> Markup:
    head = [
        "network",
        "failed",
        "connected",
        "uniform throughput left",
        "worst permutation left",
        "entries broken",
        "entries changed",
        "pairs in another virtual channel",
        "tables rebuilt",
    ]
    rows = [
        [
            name,
            f"{100 * level.share:g} %",
            f"{level.connected} of {level.samples}",
            *(
                _percent(value)
                for value in (level.uniform, level.tub, level.broken, level.changed, level.virtual_channels_changed)
            ),
            f"{level.rebuilt} of {level.rerouted}" if level.rerouted else "",
        ]
        for curve, name in zip(curves, names, strict=True)
        for level in curve.degradation
    ]
    return table(head, rows, text=frozenset({0}))


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"


def _levels(curves: Sequence[Survival], names: Sequence[str]) -> Markup:
    head = ["network", "failed", "failures", "survived", "probability", "95 % interval", "mean hops", "worst"]
    rows = [
        [
            name,
            f"{100 * level.share:g} %",
            f"{level.failures:,}",
            f"{level.survived:,} of {level.samples:,}",
            f"{level.probability:.4f}",
            f"{level.low:.4f} to {level.high:.4f}",
            *("" if value is None else amount(value) for value in (level.mean, level.worst)),
        ]
        for curve, name in zip(curves, names, strict=True)
        for level in curve.levels
    ]
    wide = any(level.mean is not None for curve in curves for level in curve.levels)
    return table(head if wide else head[:6], rows if wide else [row[:6] for row in rows], text=frozenset({0}))
