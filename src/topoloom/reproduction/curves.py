"""A figure of a paper as data: named series of points over one axis, or a graph after each step of its making."""

import csv
import io
from dataclasses import dataclass

from topoloom.topology import Topology


@dataclass(frozen=True)
class Series:
    """One curve: its name and its points (x, y); a `bound` is drawn thinner, without marks."""

    name: str
    points: tuple[tuple[float, float], ...]
    bound: bool = False


@dataclass(frozen=True)
class Curves:
    """A figure: `name` is its file's, `x` and `y` the axes' labels; `joined` says that points are joined by lines.

    With `x_names` these stand at x = 1, 2, ...
    """

    name: str
    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    joined: bool = True
    log_x: bool = False
    x_names: tuple[str, ...] = ()

    def csv(self) -> str:
        """The points as CSV: series, x, y."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("series", "x", "y"))
        writer.writerows((one.name, f"{x:.6g}", f"{y:.6g}") for one in self.series for x, y in one.points)
        return text.getvalue()


@dataclass(frozen=True)
class Steps:
    """A figure of topologies side by side, each with its title; `name` is the figure's file's."""

    name: str
    panels: tuple[tuple[str, Topology], ...]

    def csv(self) -> str:
        """The links as CSV: panel, u, v."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("panel", "u", "v"))
        writer.writerows((title, u, v) for title, topology in self.panels for u, v in topology.links.tolist())
        return text.getvalue()
