"""The distribution of counts over many pairs: mean, quantiles, and the shares of zero and one."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

#: From the smallest to the largest value.
_QUANTILES = (0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0)


@dataclass(frozen=True)
class Spread:
    """The distribution of a count over pairs of switches, or over pairs of pairs.

    Attributes
    ----------
    mean, error : float
        The mean, and its standard error for random pairs; 0 if all were counted.
    least, percent_1, quarter, median, three_quarters, percent_99, most : float
        Quantiles: the smallest value that at least this share of the pairs does not exceed.
    none, one : float
        The shares of pairs with count 0 and with count 1.
    exact : bool
        Whether each count is exact; otherwise it is a lower bound (of link-disjoint paths).
    counted : int
        The number of pairs, or pairs of pairs, that were counted.
    all_counted : bool
        Whether these are all pairs; otherwise a random sample.
    """

    mean: float
    error: float
    least: float
    percent_1: float
    quarter: float
    median: float
    three_quarters: float
    percent_99: float
    most: float
    none: float
    one: float
    exact: bool
    counted: int
    all_counted: bool


def tally_of(values: np.ndarray) -> "Counter[float]":
    """The number of occurrences of each value."""
    distinct, often = np.unique(values, return_counts=True)
    return Counter(dict(zip(distinct.tolist(), often.tolist(), strict=True)))


def spread_of(tally: "Counter[float]", error: float, *, exact: bool = True, every: bool = True) -> Spread:
    """The spread of counts, from the number of occurrences of each value.

    Parameters
    ----------
    tally : Counter of float
        Not empty.
    error : float
        The mean's standard error.
    exact : bool
        Whether the counts are exact.
    every : bool
        Whether all were counted.
    """
    values = np.array(sorted(tally))
    often = np.array([tally[value] for value in values.tolist()])
    upto, total = np.cumsum(often), int(often.sum())
    places = [min(int(np.searchsorted(upto, share * total)), values.size - 1) for share in _QUANTILES]
    least, percent_1, quarter, median, three_quarters, percent_99, most = (float(values[place]) for place in places)
    return Spread(
        mean=float(values @ often) / total,
        error=error,
        least=least,
        percent_1=percent_1,
        quarter=quarter,
        median=median,
        three_quarters=three_quarters,
        percent_99=percent_99,
        most=most,
        none=tally[0.0] / total,
        one=tally[1.0] / total,
        exact=exact,
        counted=total,
        all_counted=every,
    )
