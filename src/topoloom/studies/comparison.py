"""Comparing two competitors over common draws: the mean difference, its interval, and p-values of many comparisons."""

import math
from collections.abc import Hashable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

#: Values without draws that differ relatively by at most this are equal but for rounding.
_ROUNDING = 1e-9


class PairedDifference(NamedTuple):
    """The difference of two competitors.

    Attributes
    ----------
    mean : float
        Second less first.
    half_width : float or None
        Half of its 95 % confidence interval; None if the values have no error that is known, and so are compared as exact.
    p : float
        The probability of a difference as great as this or greater between equal competitors.
    draws : int
        Common draws.
    """

    mean: float
    half_width: float | None
    p: float
    draws: int


def paired_difference(
    first: Mapping[Hashable, float],
    second: Mapping[Hashable, float],
    half_widths: tuple[float | None, float | None] = (None, None),
) -> PairedDifference | None:
    """Return the difference of two competitors over their common draws.

    With several common draws it is Student's paired test: random numbers that both share, such as those of one seed, cancel
    out. With one draw, it is the test of two independent normal values with known 95 % intervals.

    Parameters
    ----------
    first, second : mapping of a draw to float
    half_widths : (float or None, float or None)
        Half the 95 % intervals of the two values, used if there is one common draw.

    Returns
    -------
    PairedDifference or None
        None without a common draw.

    Examples
    --------
    >>> compared = paired_difference({1: 10.0, 2: 20.0, 3: 30.0}, {1: 11.0, 2: 21.5, 3: 30.5})
    >>> round(compared.mean, 6), round(compared.half_width, 3), round(compared.p, 3)
    (1.0, 1.242, 0.074)
    >>> paired_difference({1: 10.0}, {1: 10.1}, (0.2, 0.2)).p > 0.05
    True
    """
    from scipy.special import ndtr, stdtr, stdtrit

    pairs = [(first[draw], second[draw]) for draw in first if draw in second]
    if not pairs:
        return None
    each = [later - earlier for earlier, later in pairs]
    mean, count = fmean(each), len(each)
    least = _ROUNDING * max(abs(value) for pair in pairs for value in pair)
    if count > 1:
        error = stdev(each) / math.sqrt(count)
        if error <= least:
            return PairedDifference(mean, 0.0, 1.0 if abs(mean) <= least else 0.0, count)
        p = 2 * float(stdtr(count - 1, -abs(mean) / error))
        return PairedDifference(mean, float(stdtrit(count - 1, 0.975)) * error, p, count)
    if half_widths[0] is None and half_widths[1] is None:
        return PairedDifference(mean, None, 1.0 if abs(mean) <= least else 0.0, 1)
    half = math.hypot(half_widths[0] or 0.0, half_widths[1] or 0.0)
    if not half:
        return PairedDifference(mean, 0.0, 1.0 if not mean else 0.0, 1)
    return PairedDifference(mean, half, 2 * float(ndtr(-abs(mean) / half * 1.959964)), 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number: those at most 0.05 are wrong together with a probability of at most 5 %.

    Parameters
    ----------
    p_values : sequence of float
        Of any comparisons; they may depend on each other.

    Returns
    -------
    list of float
        In the order given.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, last = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        last = max(last, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = last
    return adjusted


def is_number(value: Any) -> bool:
    """Whether a value of a table is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def says_only_how_long(measure: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the measure is a latency and a network of the rows is saturated: it grows with the length of the simulation."""
    return measure.startswith("latency") and any(row.get("saturated") is True for row in rows)
