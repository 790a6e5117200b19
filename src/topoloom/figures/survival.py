"""Survival curves of several topologies on one pair of axes, with their bands."""

from collections.abc import Sequence
from typing import Protocol

from topoloom.core.errors import InputError
from topoloom.figures.marks import looks, marker
from topoloom.figures.style import COLOURS, Axes, Figure, frame, sheet, style


class LevelOfFailures(Protocol):
    """The attributes of a point that are drawn, like `failures.survival.Level`."""

    @property
    def share(self) -> float: ...

    @property
    def probability(self) -> float: ...

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


class SurvivalCurve(Protocol):
    """The attributes of a curve that are drawn, like `failures.survival.Survival`."""

    @property
    def levels(self) -> Sequence[LevelOfFailures]: ...

    @property
    def criterion(self) -> float: ...

    @property
    def fail(self) -> str: ...

    @property
    def metric(self) -> str: ...

    @property
    def order(self) -> str: ...

    @property
    def of(self) -> str: ...

    @property
    def planes(self) -> int: ...


_LINES = ("-", "--", ":")
_WORDS = {
    "disconnection": "connected",
    "diameter": "with a diameter within bounds",
    "aspl": "with an ASPL within bounds",
}
_FIRST = {
    "random": "at random",
    "load": "most loaded first",
    "degree": "best connected first",
    "cables": "those with most cables first",
}


def draw_survival(axes: "Axes", curves: "Sequence[SurvivalCurve]") -> None:
    """The probability of survival against the share of failures; the band is its 95 % confidence interval.

    Each curve starts without failures, at probability 1. The dashed line is the criterion.

    Raises
    ------
    InputError
        `curves` is empty.
    """
    if not curves:
        raise InputError("no survival curve to draw; give one or more")
    every = looks([str(number) for number in range(len(curves))]).values()
    for number, (curve, name, look) in enumerate(zip(curves, curve_names(curves), every, strict=True)):
        x = [0.0, *(100 * level.share for level in curve.levels)]
        axes.fill_between(
            x,
            [1.0, *(level.low for level in curve.levels)],
            [1.0, *(level.high for level in curve.levels)],
            color=look.colour,
            alpha=0.2,
            linewidth=0,
        )
        axes.plot(
            x,
            [1.0, *(level.probability for level in curve.levels)],
            marker=marker(look.mark),
            color=look.colour,
            linestyle=_LINES[number // len(COLOURS) % len(_LINES)],
            markersize=5.5,
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
    axes.set_ylabel("probability of survival")
    axes.set_title(title_of(curves), fontsize=10, loc="left", pad=12)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), fontsize=8, frameon=False, ncol=2)


def survival_curves(curves: "Sequence[SurvivalCurve]") -> "Figure":
    """The figure of `draw_survival`.

    Raises
    ------
    InputError
        `curves` is empty.
    """
    with style():
        # A legend of many names takes additional rows below the axes.
        figure = sheet(8.6, 4.6 + 0.11 * len(curves))
        axes = figure.add_subplot()
        frame(axes)
        draw_survival(axes, curves)
    return figure


def title_of(curves: "Sequence[SurvivalCurve]") -> str:
    """The attributes that all curves share, as a title."""
    first = curves[0]
    parts = []
    if all(curve.planes > 1 for curve in curves):
        parts.append("Surviving hosts reach each other through their planes")
    elif len({(curve.metric, curve.of, curve.planes > 1) for curve in curves}) == 1:
        between = "switches" if first.of == "switches" else "switches with hosts"
        parts.append(f"Surviving {between} {_WORDS[first.metric]}")
    if len({(curve.fail, curve.order) for curve in curves}) == 1:
        parts.append(f"{first.fail} fail {_FIRST[first.order]}")
    return ", ".join(parts)


def curve_names(curves: "Sequence[SurvivalCurve]") -> list[str]:
    """A name for each curve: of several, only the attributes that differ."""
    keys = ("name", "fail", "metric", "order", "of", "seed")
    differ = [key for key in keys if len({getattr(curve, key) for curve in curves}) > 1] or ["name"]
    return [", ".join(str(getattr(curve, key)) for key in differ) for curve in curves]
