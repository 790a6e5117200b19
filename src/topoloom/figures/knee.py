"""The line of a latency curve between its points, in the shape of queues: flat first, and steep at the end."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

_STEPS = 24

Line = list[tuple[float, float]]


def knee(points: Sequence[tuple[float, float]], saturation: float | None, top: float) -> tuple[Line, Line]:
    """A smooth line through points (load, latency), and its continuation to the load at which latency has no limit.

    In queues, the inverse of the latency that waiting adds falls nearly linearly with load, to 0 at saturation. So this
    inverse is interpolated between points (PCHIP, which is monotonic between points), and drawn as latency.

    Parameters
    ----------
    points : sequence of (float, float)
        By increasing load.
    saturation : float, optional
        The accepted load above saturation; None where no point is above it.
    top : float
        The latency at the upper edge of the picture.

    Returns
    -------
    (list of (float, float), list of (float, float))
        The line through the points; and the rest from the last point to the picture's edge, empty without saturation.
        Straight lines where the loads do not increase.

    Examples
    --------
    >>> line, rest = knee([(0.0, 10.0), (0.4, 12.0), (0.8, 20.0)], 0.9, 40.0)
    >>> line[0], line[-1], bool(rest[-1][0] < 0.9)
    ((0.0, 10.0), (0.8, 20.0), True)
    """
    loads = np.array([load for load, _ in points])
    latency = np.array([late for _, late in points])
    if len(points) < 2 or (np.diff(loads) <= 0).any() or latency.min() <= 0:
        return list(points), []
    from scipy.interpolate import PchipInterpolator

    # Below the least latency, so that the inverse is finite there; a closer base would bend the line at its start.
    base = 0.9 * float(latency.min())
    ends, inverse = loads, 1 / (latency - base)
    if saturation is not None:
        # The accepted load above saturation may be less than below it: then the line turns up at the last point.
        limit = max(saturation, float(loads[-1]) * 1.02)
        ends, inverse = np.append(loads, limit), np.append(inverse, 0.0)
    through = PchipInterpolator(ends, inverse)

    def sampled(low: float, high: float) -> np.ndarray:
        return np.linspace(low, high, _STEPS + 1)

    parts = [sampled(low, high)[:-1] for low, high in pairwise(loads.tolist())]
    x = np.concatenate([*parts, loads[-1:]])
    line = _pairs(x, base + 1 / through(x))
    for number, pair in enumerate(points):
        line[number * _STEPS] = pair
    if saturation is None:
        return line, []
    x = sampled(float(loads[-1]), float(ends[-1]))
    late = through(x)
    seen = late > 1 / max(top - base, 1e-12)
    # The last step in the picture, cut where the line leaves it.
    edge = int(np.argmin(seen)) if not seen.all() else len(seen) - 1
    rest = _pairs(x[seen], base + 1 / late[seen])
    if edge:
        low, high = late[edge - 1], late[edge]
        share = (low - 1 / max(top - base, 1e-12)) / (low - high) if low > high else 0.0
        rest.append((float(x[edge - 1] + share * (x[edge] - x[edge - 1])), float(top)))
    return line, rest


def _pairs(x: np.ndarray, y: np.ndarray) -> Line:
    return list(zip(x.tolist(), y.tolist(), strict=True))
