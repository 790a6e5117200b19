"""A figure of a paper as data: named series of points over one axis."""

import csv
import io
from dataclasses import dataclass


@dataclass(frozen=True)
class Series:
    """One curve: its name and its points (x, y)."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Curves:
    """A figure: `name` is its file's, `x` and `y` the axes' labels; `joined` says that points are joined by lines."""

    name: str
    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    joined: bool = True
    log_x: bool = False

    def csv(self) -> str:
        """The points as CSV: series, x, y."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("series", "x", "y"))
        writer.writerows((one.name, f"{x:.6g}", f"{y:.6g}") for one in self.series for x, y in one.points)
        return text.getvalue()
