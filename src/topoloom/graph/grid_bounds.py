"""What no graph on a grid can beat whose links are short: the bounds of Nakano et al. 2016, and the pairs that suit them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.errors import InputError
from topoloom.graph.geometry import Geometry
from topoloom.graph.moore import moore_aspl, moore_within
from topoloom.results import Provenance, Result, plain

#: Room for the points within each number of links of each point: 1.6 GB.
_MOST_CELLS = 200_000_000


@dataclass(frozen=True, eq=False)
class GridBounds:
    """Bounds of a graph of `degree` links a switch, none longer than `length`, on a grid or diagrid.

    Attributes
    ----------
    degree, length : int
        K and L.
    aspl_degree : float
        A_m-, the bound by degree alone (`moore_aspl`).
    aspl_length : float
        A_d-, the bound by length alone: the mean of distance / length, rounded up pair by pair.
    aspl : float
        A-, the bound by both; inf when the degree cannot connect the points.
    diameter : int or float
        D-, the bound by both, for the worst point, so it holds for any graph (errata of Nakano 2016, 9).
    within_degree : int64[D + 1]
        m(i): the most points within i hops, by degree.
    within_length : int64[n, D + 1]
        d(i): for each point, the points within i links of `length`.

    Source: Nakano 2016, IV, equations (1) to (4).
    """

    degree: int
    length: int
    aspl_degree: float
    aspl_length: float
    aspl: float
    diameter: float
    within_degree: np.ndarray
    within_length: np.ndarray

    @property
    def within(self) -> np.ndarray:
        """md(i) = min(m(i), d(i)): for each point, the most points within i hops, int64[n, D + 1]."""
        least: np.ndarray = np.minimum(self.within_degree, self.within_length)
        return least


def grid_bounds(geometry: Geometry, degree: int, length: int) -> GridBounds:
    """The bounds of Nakano 2016 on diameter and ASPL, for K = `degree` and L = `length`.

    Parameters
    ----------
    geometry : Geometry
        A grid or diagrid, a switch at each point.
    degree : int
        K, the most links at a switch.
    length : int
        L, the longest link, in steps.

    Returns
    -------
    GridBounds
        Lower bounds on diameter and ASPL, in hops, by the degree, by the length and by both; inf where that degree
        cannot connect the switches.

    Raises
    ------
    InputError
        A negative degree, or a length below 1.

    Examples
    --------
    >>> found = grid_bounds(Geometry.grid(10, 10), degree=4, length=3)
    >>> found.diameter, round(found.aspl, 4), round(found.aspl_length, 4)
    (6, 3.3297, 2.56)
    >>> found.within[0].tolist()
    [1, 5, 17, 53, 79, 94, 100]
    """
    n = len(geometry.points)
    by_degree = moore_within(n, degree)
    by_length = geometry.points_within(length)
    rounds = max(by_length.shape[1], len(by_degree))
    m = np.array(by_degree + by_degree[-1:] * (rounds - len(by_degree)), np.int64)
    d = np.pad(by_length, ((0, 0), (0, rounds - by_length.shape[1])), mode="edge")
    md = np.minimum(m, d)
    reaches = by_degree[-1] == n
    # A point walks its i-th hop for each point that is not yet within i - 1.
    pairs = n * (n - 1)
    return GridBounds(
        degree=degree,
        length=length,
        aspl_degree=moore_aspl(n, degree),
        aspl_length=float((n - d).sum() / pairs) if pairs else 0.0,
        aspl=math.inf if not reaches else float((n - md).sum() / pairs) if pairs else 0.0,
        diameter=int((md < n).sum(axis=1).max()) if reaches else math.inf,
        within_degree=m,
        within_length=d,
    )


@dataclass(frozen=True)
class BalancedPair:
    """A degree and a longest link that suit each other, with the bounds that go with them.

    Attributes
    ----------
    degree, length : int
        K and L.
    aspl_by_degree, aspl_by_length : float
        A_m-(K) and A_d-(L): the least ASPL that either alone allows.
    aspl_bound : float
        A-(K, L), the least ASPL that both allow.
    diameter_bound : int or float
        D-(K, L), the least diameter.
    """

    degree: int
    length: int
    aspl_by_degree: float
    aspl_by_length: float
    aspl_bound: float
    diameter_bound: float


@dataclass(frozen=True)
class BalancedPairs(Result):
    """The well-balanced pairs of degree and longest link of a grid; `provenance.settings` has its rows and columns.

    Attributes
    ----------
    geometry : "grid" or "diagrid"
    switches : int
        How many stand on it.
    pairs : tuple of BalancedPair
        By rising degree and length.
    """

    noun = "balanced-pairs"

    geometry: str
    switches: int
    pairs: tuple[BalancedPair, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """A row a pair."""
        return [plain(pair) for pair in self.pairs]


def balanced_pairs(
    geometry: Geometry, degrees: Iterable[int] = range(3, 33), lengths: Iterable[int] = range(2, 17)
) -> BalancedPairs:
    """The well-balanced (K, L): where |A_m-(K) - A_d-(L)| is no larger than at K - 1, K + 1, L - 1 and L + 1.

    Parameters
    ----------
    geometry : Geometry
        Where the switches are.
    degrees, lengths : iterable of int
        The K and L to look at; their neighbours outside count as well.

    Returns
    -------
    BalancedPairs

    Raises
    ------
    InputError
        A negative degree, a length below 1, or more switches and shorter links than memory has room for.

    Source: Nakano 2016, VII; errata of Nakano 2016, 6.

    Examples
    --------
    >>> found = balanced_pairs(Geometry.grid(10, 10), range(3, 13), range(2, 9))
    >>> [(pair.degree, pair.length) for pair in found.pairs]
    [(4, 2), (6, 3), (9, 4)]
    """
    n = len(geometry.points)
    chosen_degrees, chosen_lengths = list(degrees), list(lengths)
    _check_room(geometry, min(chosen_lengths, default=1))
    by_degree = {k: moore_aspl(n, k) for near in chosen_degrees for k in (near - 1, near, near + 1)}
    by_length = {
        near: _mean_links(geometry, near) for near in {x + s for x in chosen_lengths for s in (-1, 0, 1)} if near > 0
    }
    found = []
    for k in chosen_degrees:
        for length in chosen_lengths:
            gap = abs(by_degree[k] - by_length[length])
            around = [abs(by_degree[near] - by_length[length]) for near in (k - 1, k + 1)]
            around += [abs(by_degree[k] - by_length[near]) for near in (length - 1, length + 1) if near in by_length]
            if all(gap <= other for other in around):
                both = grid_bounds(geometry, k, length)
                found.append(BalancedPair(k, length, both.aspl_degree, both.aspl_length, both.aspl, both.diameter))
    settings = {"degrees": chosen_degrees, "lengths": chosen_lengths}
    return BalancedPairs(geometry.kind, n, tuple(found), grid_provenance(geometry, **settings))


def grid_provenance(geometry: Geometry, **settings: Any) -> Provenance:
    """The provenance of a result about a grid, which is no network yet: its rows, its columns and these settings."""
    rows, columns = geometry.shape
    return Provenance(
        name=f"{geometry.kind} of {rows} x {columns}", settings={"rows": rows, "columns": columns, **settings}
    )


def _check_room(geometry: Geometry, shortest: int) -> None:
    """Refuse the points within each number of links of each point where they do not fit into memory."""
    rows, columns = geometry.shape
    # A length is compared with its neighbours, so one less is looked at as well.
    if len(geometry.points) * ((rows + columns) // max(1, shortest - 1) + 1) > _MOST_CELLS:
        raise InputError(
            f"{rows} x {columns} switches with links as short as {shortest} are too many to look for balanced pairs;"
            " begin the lengths at a greater number (topoloom balance --lengths)"
        )


def _mean_links(geometry: Geometry, length: int) -> float:
    """A_d-(L): the mean over ordered pairs of the links of `length` between them."""
    within = geometry.points_within(length)
    n = len(geometry.points)
    return float((n - within).sum() / (n * (n - 1))) if n > 1 else 0.0
