"""Claims of Nakano 2016, VI, on floors: distances on grids and diagrids, and their growth."""

import math

import numpy as np

from topoloom.graph.geometry import Geometry
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, compare


def _mean_and_most(geometry: Geometry) -> tuple[float, int]:
    """Mean distance over ordered pairs of different points, and the greatest distance."""
    points = np.asarray(geometry.points)
    numbers = np.arange(len(points))
    total, most = 0, 0
    for first in range(0, len(points), 512):
        apart = geometry.distance(numbers[first : first + 512, None], numbers)
        total += int(apart.sum(dtype=np.int64))
        most = max(most, int(apart.max()))
    return total / (len(points) * (len(points) - 1)), most


@claim(
    "nakano-2016/section-vi/means",
    "mean distance: 10 x 10 grid 6.667, diagrid of 98 6.552",
    "6.667, 6.552",
    "topoloom bounds grid:rows=10,columns=10,degree=4,length=3",
)
def _means() -> Outcome:
    return compare(
        {"grid": "6.667", "diagrid": "6.552"},
        {"grid": _mean_and_most(Geometry.grid(10, 10))[0], "diagrid": _mean_and_most(Geometry.diagrid(14, 7))[0]},
        assumption="the diagrid has 14 rows of 7 (errata of Nakano 2016, 3)",
    )


@claim(
    "nakano-2016/section-vi/asymptotes",
    "mean distance of N points: 2/3 sqrt N on a grid, 7 sqrt 2 / 15 sqrt N on a diagrid, for N large enough: 0.667 and 0.660",
    "0.667, 0.660",
    "topoloom reproduce nakano-2016/section-vi/asymptotes (no command prints distances on a floor)",
)
def _asymptotes() -> Outcome:
    sides = (20, 40, 80)
    per_root = {
        "grid": [_mean_and_most(Geometry.grid(n, n))[0] / n for n in sides],
        "diagrid": [_mean_and_most(Geometry.diagrid(n, n // 2))[0] / math.sqrt(n * (n // 2)) for n in sides],
    }
    # The discretisation error falls with the square of the side, so the limit is extrapolated from the last two (Richardson).
    limit = {name: each[-1] + (each[-1] - each[-2]) / 3 for name, each in per_root.items()}
    return compare(
        {"grid": "0.667", "diagrid": "0.660"},
        limit,
        digits=5,
        assumption="; ".join(
            f"{name} of {', '.join(map(str, sides))} rows: {', '.join(f'{value:.4f}' for value in each)}"
            for name, each in per_root.items()
        )
        + f"; 2/3 = {2 / 3:.4f}, 7 sqrt 2 / 15 = {7 * math.sqrt(2) / 15:.4f}",
    )


@claim(
    "nakano-2016/section-vi/greatest",
    "the greatest distance on a diagrid is sqrt(2n) - 1, on a grid 2 sqrt(n) - 2: 13 and 18, 70.7 % in the limit",
    "13, 18, 70.7 %",
    "topoloom reproduce nakano-2016/section-vi/greatest (no command prints distances on a floor)",
)
def _greatest() -> Outcome:
    small = _mean_and_most(Geometry.diagrid(14, 7))[1], _mean_and_most(Geometry.grid(10, 10))[1]
    # A diagrid of 2 m rows of m points and a grid of k x k have nearly the same size: 2 m^2 = 1,940,450, k^2 with k = 1,393.
    share = (2 * 985 - 1) / (2 * 1393 - 2)
    return compare(
        {"diagrid": 13, "grid": 18, "%": "70.7"},
        {"diagrid": small[0], "grid": small[1], "%": 100 * share},
        digits=4,
        assumption="%: a diagrid of 1,970 rows of 985 compared with a grid of 1,393 x 1,393, by the formulas, which agree at 98"
        " and 100 points",
    )
