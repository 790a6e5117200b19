"""Confidence intervals of what is found from random samples."""

import math

#: The normal quantile of a 95 % confidence interval.
Z = 1.959963984540054


def wilson(survived: int, samples: int) -> tuple[float, float]:
    """The 95 % confidence interval of a probability of which `survived` of `samples` trials tell (Wilson, 1927).

    (p + z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n): unlike p -+ z sigma it holds near 0 and 1.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(9, 10)]
    [0.5958, 0.9821]
    """
    p, square = survived / samples, Z * Z / samples
    middle = (p + square / 2) / (1 + square)
    half = Z * math.sqrt(p * (1 - p) / samples + square / (4 * samples)) / (1 + square)
    low = 0.0 if survived == 0 else max(0.0, middle - half)
    high = 1.0 if survived == samples else min(1.0, middle + half)
    return low, high
