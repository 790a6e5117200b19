"""Bar charts of application speed: each network relative to a baseline."""

from collections.abc import Sequence
from typing import Protocol

from topoloom.figures.style import COLOURS, Axes, Figure, sheet, style


class Bar(Protocol):
    """A bar, like `applications.app_runs.Compared`: program, network, placement, and speed relative to the baseline."""

    @property
    def program(self) -> str: ...

    @property
    def network(self) -> str: ...

    @property
    def placement(self) -> str: ...

    @property
    def faster(self) -> float: ...

    @property
    def slowest(self) -> float: ...

    @property
    def fastest(self) -> float: ...


def draw_app_bars(axes: "Axes", rows: "Sequence[Bar]", baseline: str) -> None:
    """One group of bars per program and placement, one bar per network; whiskers from the least to the greatest speed.

    Parameters
    ----------
    axes : Axes
        The axes to draw on.
    rows : sequence of Bar
        The speed of each network for each program, relative to the baseline.
    baseline : str
        The name of the network whose speed is 1.
    """
    _draw(axes, rows, _groups(rows), list(dict.fromkeys(row.network for row in rows)))
    axes.axhline(1.0, color="#333333", linewidth=0.8)
    axes.set_ylabel(f"speed [{baseline} = 1]")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8, frameon=False)


def app_bars(rows: "Sequence[Bar]", baseline: str) -> "Figure":
    """The figure of `draw_app_bars`, wide enough for its groups."""
    with style():
        figure = sheet(max(6.0, 1.1 * len(_groups(rows)) + 4), 4.4)
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        draw_app_bars(axes, rows, baseline)
    return figure


def _groups(rows: "Sequence[Bar]") -> list[tuple[str, str]]:
    return list(dict.fromkeys((row.program, row.placement) for row in rows))


def _labels(groups: Sequence[tuple[str, str]]) -> list[str]:
    """The label of each group of bars: the program, with its arguments only where they are needed to distinguish two."""
    programs = list(dict.fromkeys(program for program, _ in groups))
    bare = [program.partition("(")[0] for program in programs]
    label_of = {
        program: name if bare.count(name) == 1 else program.replace("(", "\n").replace(",", "\n").rstrip(")")
        for program, name in zip(programs, bare, strict=True)
    }
    return [f"{label_of[program]}\n{placement}" for program, placement in groups]


def _draw(axes: "Axes", rows: "Sequence[Bar]", groups: list[tuple[str, str]], names: list[str]) -> None:
    width = 0.8 / len(names)
    for index, name in enumerate(names):
        own_rows = [row for row in rows if row.network == name]
        places = [
            groups.index((row.program, row.placement)) + (index - (len(names) - 1) / 2) * width for row in own_rows
        ]
        means = [row.faster for row in own_rows]
        spread = [[row.faster - row.slowest for row in own_rows], [row.fastest - row.faster for row in own_rows]]
        axes.bar(places, means, width * 0.92, color=COLOURS[index % len(COLOURS)], label=name, yerr=spread, capsize=2.5)
    axes.set_xticks(range(len(groups)), _labels(groups), fontsize=8)
