"""Survival curves of several topologies on one pair of axes, their bands, tables and page."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from topoloom.errors import InputError
from topoloom.failures.degradation import Degradation
from topoloom.failures.lifetime import Lifetime
from topoloom.failures.survival import Survival
from topoloom.report import figures
from topoloom.report.figures import COLOURS, SHAPES
from topoloom.report.page import cards, page, table
from topoloom.report.page import figure as figure_of
from topoloom.report.svg import style, svg_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LINES = ("-", "--", ":")
_WORDS = {
    "disconnection": "in one piece",
    "diameter": "with a diameter within bounds",
    "aspl": "with an ASPL within bounds",
}
_FIRST = {
    "random": "at random",
    "load": "the most loaded first",
    "degree": "the best connected first",
    "cables": "the most cabled first",
}


def survival_curves(curves: Sequence[Survival]) -> "Figure":
    """The probability of surviving against the share that has failed; a band is its 95 % confidence interval.

    Each curve begins at no failure, which is survived. The dashed line is the criterion.

    Raises
    ------
    InputError
        No curve, or matplotlib (the extra `plots`) is not installed.
    """
    if not curves:
        raise InputError("no survival curve to draw; give one or more")
    if not figures.available():
        raise InputError("this picture needs matplotlib: pip install topoloom[plots]")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with style():
        # A legend of many names takes rows of its own below the axes.
        figure = Figure(figsize=(8.6, 4.6 + 0.11 * len(curves)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e4e4e4", linewidth=0.7)
        axes.set_axisbelow(True)
        for number, (curve, name) in enumerate(zip(curves, curve_names(curves), strict=True)):
            colour = COLOURS[number % len(COLOURS)]
            x = [0.0, *(100 * level.share for level in curve.levels)]
            axes.fill_between(
                x,
                [1.0, *(level.low for level in curve.levels)],
                [1.0, *(level.high for level in curve.levels)],
                color=colour,
                alpha=0.2,
                linewidth=0,
            )
            axes.plot(
                x,
                [1.0, *(level.probability for level in curve.levels)],
                SHAPES[number % len(SHAPES)],
                color=colour,
                linestyle=_LINES[number // len(COLOURS) % len(_LINES)],
                markersize=4,
                linewidth=1.4,
                label=name,
            )
        for criterion in sorted({curve.criterion for curve in curves}):
            axes.axhline(criterion, color="#555b66", linewidth=0.9, linestyle=(0, (4, 3)))
            axes.annotate(
                f"{criterion:g}",
                (1.005, criterion),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize=8,
                color="#555b66",
            )
        axes.set_xlim(0, 100 * max([level.share for curve in curves for level in curve.levels] or [1.0]) or 100)
        axes.set_ylim(-0.02, 1.03)
        axes.set_xlabel(f"{' / '.join(sorted({curve.fail for curve in curves}))} that have failed [%]")
        axes.set_ylabel("probability to survive")
        axes.set_title(title_of(curves), fontsize=10, loc="left", pad=12)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), fontsize=8, frameon=False, ncol=2)
    return figure


def title_of(curves: Sequence[Survival]) -> str:
    """What all curves have in common."""
    first = curves[0]
    told = []
    if len({(curve.metric, curve.of) for curve in curves}) == 1:
        between = "switches" if first.of == "switches" else "switches with hosts"
        told.append(f"Surviving {between} {_WORDS[first.metric]}")
    if len({(curve.fail, curve.order) for curve in curves}) == 1:
        told.append(f"{first.fail} fail {_FIRST[first.order]}")
    return ", ".join(told)


def curve_names(curves: Sequence[Survival]) -> list[str]:
    """What tells each curve from the others; of several, only what differs."""
    keys = ("topology", "fail", "metric", "order", "of", "seed")
    differ = [key for key in keys if len({getattr(curve, key) for curve in curves}) > 1] or ["topology"]
    return [", ".join(str(getattr(curve, key)) for key in differ) for curve in curves]


def survival_csv(curves: Sequence[Survival]) -> str:
    """All levels as CSV, one a row."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        (
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
    )
    for curve in curves:
        for level in curve.levels:
            lengths = ("" if value is None else f"{value:.6g}" for value in (level.mean, level.worst))
            writer.writerow(
                (
                    curve.topology,
                    curve.fail,
                    curve.metric,
                    curve.order,
                    curve.of,
                    curve.seed,
                    f"{level.share:g}",
                    level.failures,
                    level.samples,
                    level.survived,
                    f"{level.probability:.6g}",
                    f"{level.low:.6g}",
                    f"{level.high:.6g}",
                    *lengths,
                )
            )
    return text.getvalue()


def resilience_page(
    curves: Sequence[Survival], lifetimes: Sequence[Lifetime], after: Sequence[Sequence[Degradation]]
) -> str:
    """The page: thresholds, curves, all levels; times to disconnection and what failures cost where these were asked for.

    lifetimes, after: one a curve, or none.
    """
    names, title = curve_names(curves), title_of(curves)
    body = [f"<h1>{escape(title or 'Resilience')}</h1>"]
    body += [f'<p class="quiet">{escape(text)}</p>' for text in dict.fromkeys(_told(curve) for curve in curves)]
    if len(curves) == 1:
        body.append(cards(_facts(curves[0])))
    if figures.available():
        with style():
            drawn = svg_text(survival_curves(curves))
        body.append(
            figure_of(
                drawn, "Bands: 95 % confidence intervals. The levels of a curve share their random orders of failures."
            )
        )
    body += ["<h2>Thresholds</h2>", _thresholds(curves, names)]
    if lifetimes:
        body += ["<h2>Mean time to disconnection</h2>", _lifetimes(lifetimes, names)]
    if any(after):
        body += ["<h2>What failures cost</h2>", _degradations(after, names)]
    body += ["<h2>Levels</h2>", _levels(curves, names)]
    return page("Resilience", body)


def _told(curve: Survival) -> str:
    short = "" if curve.ended == "done" else " The sampling was interrupted."
    return (
        f"Survived means: {curve.words}. The threshold is the last level up to which every level is survived; exactly, the last"
        f" single failure. Every curve from {curve.samples:,} random orders, seed {curve.seed}.{short}"
    )


def _facts(curve: Survival) -> list[tuple[str, str]]:
    facts = [(f"{100 * curve.threshold:g} %", f"of the {curve.fail} may fail, in these steps")]
    if curve.exact is not None:
        facts.append(
            (f"{100 * curve.exact:.2f} %", f"exactly: {round(curve.exact * curve.units):,} of {curve.units:,}")
        )
    if curve.whole is not None and curve.most is not None:
        facts.append((f"{curve.whole:.4g}, at most {curve.most:.4g}", f"{curve.metric} before and after"))
    return facts


def _thresholds(curves: Sequence[Survival], names: Sequence[str]) -> str:
    head = ["network", "can fail", "samples", "threshold", "exactly", "hops before", "at most"]
    rows = [
        [
            name,
            f"{curve.units:,} {curve.fail}",
            f"{curve.samples:,}",
            f"{100 * curve.threshold:g} %",
            "" if curve.exact is None else f"{100 * curve.exact:.2f} %",
            *("" if value is None else f"{value:.4g}" for value in (curve.whole, curve.most)),
        ]
        for curve, name in zip(curves, names, strict=True)
    ]
    wide = any(curve.whole is not None for curve in curves)
    return table(head if wide else head[:5], rows if wide else [row[:5] for row in rows], text=frozenset({0}))


def _lifetimes(found: Sequence[Lifetime], names: Sequence[str]) -> str:
    head = ["network", "hours", "95 % interval", "years", "failures by then", "FIT of a link", "FIT of a switch"]
    rows = [
        [
            name,
            f"{one.hours:,.0f}",
            f"{one.low:,.0f} to {one.high:,.0f}",
            f"{one.hours / 8766:,.1f}",
            f"{one.failures:,.1f}",
            f"{one.link_fit:g}",
            f"{one.switch_fit:g}",
        ]
        for one, name in zip(found, names, strict=True)
    ]
    return table(head, rows, text=frozenset({0})) + '<p class="quiet">Without repair, at constant rates.</p>'


def _degradations(after: Sequence[Sequence[Degradation]], names: Sequence[str]) -> str:
    head = [
        "network",
        "failed",
        "connected",
        "uniform throughput left",
        "worst permutation left",
        "entries broken",
        "entries changed",
        "pairs in another lane",
        "tables anew",
    ]
    rows = [
        [
            name,
            f"{100 * one.share:g} %",
            f"{one.connected} of {one.samples}",
            *(_percent(value) for value in (one.uniform, one.tub, one.broken, one.changed, one.lanes_changed)),
            f"{one.anew} of {one.rerouted}" if one.rerouted else "",
        ]
        for found, name in zip(after, names, strict=True)
        for one in found
    ]
    note = "Throughput: bounds from hops, over those of the whole network, means over orders in which all hosts are connected."
    return table(head, rows, text=frozenset({0})) + f'<p class="quiet">{note}</p>'


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"


def _levels(curves: Sequence[Survival], names: Sequence[str]) -> str:
    head = ["network", "failed", "how many", "survived", "probability", "95 % interval", "mean hops", "worst"]
    rows = [
        [
            name,
            f"{100 * level.share:g} %",
            f"{level.failures:,}",
            f"{level.survived:,} of {level.samples:,}",
            f"{level.probability:.4f}",
            f"{level.low:.4f} to {level.high:.4f}",
            *("" if value is None else f"{value:.4g}" for value in (level.mean, level.worst)),
        ]
        for curve, name in zip(curves, names, strict=True)
        for level in curve.levels
    ]
    wide = any(level.mean is not None for curve in curves for level in curve.levels)
    return table(head if wide else head[:6], rows if wide else [row[:6] for row in rows], text=frozenset({0}))
