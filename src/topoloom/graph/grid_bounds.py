"""Lower bounds for graphs on a grid with limited link length (Nakano et al. 2016), and well-balanced pairs of degree and
length.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, check_type
from topoloom.core.work import Work
from topoloom.graph.geometry import Geometry
from topoloom.graph.moore import moore_aspl, moore_within
from topoloom.model.results import Provenance, Result, json_value

#: Most points times rounds for one length: about ten seconds.
_MOST_CELLS = 1_000_000_000


@dataclass(frozen=True, eq=False)
class GridBounds:
    """Bounds of a graph of `degree` links per switch, none longer than `length`, on a grid or diagrid.

    Attributes
    ----------
    degree, length : int
        K and L.
    aspl_degree : float
        A_m-, the bound by degree alone (`moore_aspl`).
    aspl_length : float
        A_d-, the bound by length alone: the mean over pairs of distance / length, rounded up per pair.
    aspl : float
        A-, the bound by both; inf if the degree cannot connect the points.
    diameter : int or float
        D-, the bound by both for the worst point, so it holds for any graph (errata of Nakano 2016, 9).
    distance_sum : int
        Sum of the hop bounds of all ordered pairs, by both; meaningless if `aspl` is inf.

    Source: Nakano 2016, IV, equations (1) to (4).
    """

    degree: int
    length: int
    aspl_degree: float
    aspl_length: float
    aspl: float
    diameter: float
    distance_sum: int


def grid_bounds(geometry: Geometry, degree: int, length: int, *, work: Work | None = None) -> GridBounds:
    """The bounds of Nakano 2016 on diameter and ASPL, for K = `degree` and L = `length`.

    Parameters
    ----------
    geometry : Geometry
        A grid or diagrid with a switch at each point.
    degree : int
        K, the most links at a switch.
    length : int
        L, the longest link, in steps.
    work : Work, optional
        It may be stopped.

    Returns
    -------
    GridBounds
        Lower bounds on diameter and ASPL, in hops, by the degree, by the length and by both; inf if that degree cannot connect
        the switches.

    Raises
    ------
    InputError
        A negative degree, or a length below 1.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> found = grid_bounds(Geometry.grid(10, 10), degree=4, length=3)
    >>> found.diameter, round(found.aspl, 4), round(found.aspl_length, 4)
    (6, 3.3297, 2.56)
    """
    work = Work() if work is None else work
    n = len(geometry.points)
    by_degree = moore_within(n, degree)
    links, hops, diameter = 0, 0, 0
    # The i-th hop counts once for every other point that is not within i - 1 hops.
    for m, d in zip_longest(by_degree, geometry.rounds_within(length), fillvalue=None):
        work.check()
        near = n if d is None else d
        beyond = n - np.minimum(by_degree[-1] if m is None else m, near)
        links += int(np.sum(n - near))
        hops += int(beyond.sum()) * (n if d is None else 1)
        diameter += bool(beyond.any())
    reaches, pairs = by_degree[-1] == n, n * (n - 1)
    return GridBounds(
        degree=degree,
        length=length,
        aspl_degree=moore_aspl(n, degree),
        aspl_length=links / pairs if pairs else 0.0,
        aspl=math.inf if not reaches else hops / pairs if pairs else 0.0,
        diameter=diameter if reaches else math.inf,
        distance_sum=hops,
    )


def most_within(geometry: Geometry, degree: int, length: int, point: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """m, d and md of Nakano 2016 for one point: the most points within i hops, by degree, by length and by both.

    Parameters
    ----------
    geometry : Geometry
    degree, length : int
        K and L.
    point : int

    Returns
    -------
    tuple of int64[D + 1]
        For i = 0, 1, ... until neither grows.

    Raises
    ------
    InputError
        A negative degree, a length below 1, or no such point.

    Examples
    --------
    >>> most_within(Geometry.grid(10, 10), 4, 3, point=0)[2].tolist()
    [1, 5, 17, 53, 79, 94, 100]
    """
    n = len(geometry.points)
    if not 0 <= point < n:
        raise InputError(f"point {point}: the grid has switches 0 to {n - 1}")
    m, d = np.array(moore_within(n, degree), np.int64), geometry.points_within(length, np.array([point]))[0]
    rounds = max(m.size, d.size)
    m, d = (np.pad(counts, (0, rounds - counts.size), mode="edge") for counts in (m, d))
    return m, d, np.minimum(m, d)


@dataclass(frozen=True)
class BalancedPair:
    """A well-balanced degree and longest link, with their bounds.

    Attributes
    ----------
    degree, length : int
        K and L.
    aspl_by_degree, aspl_by_length : float
        A_m-(K) and A_d-(L): the least ASPL by each alone.
    aspl_bound : float
        A-(K, L), the least ASPL by both.
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
        The number of switches on the grid.
    pairs : tuple of BalancedPair
        In ascending order of degree and length.
    """

    record_name = "balanced-pairs"

    geometry: str
    switches: int
    pairs: tuple[BalancedPair, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per pair."""
        return [json_value(pair) for pair in self.pairs]


def balanced_pairs(
    geometry: Geometry,
    degrees: Iterable[int] = range(3, 33),
    lengths: Iterable[int] = range(2, 17),
    *,
    work: Work | None = None,
) -> BalancedPairs:
    """The well-balanced (K, L): where |A_m-(K) - A_d-(L)| is no larger than at K - 1, K + 1, L - 1 and L + 1.

    Parameters
    ----------
    geometry : Geometry
        The places of the switches.
    degrees, lengths : iterable of int
        The K and L to compare; their neighbours outside are compared too.
    work : Work, optional
        Receives the progress of measured lengths.

    Returns
    -------
    BalancedPairs

    Raises
    ------
    InputError
        A negative degree, a length below 1, or too many switches with too short links (it would take minutes).
    Stopped
        `work` was stopped.

    Source: Nakano 2016, VII; errata of Nakano 2016, 6.

    Examples
    --------
    >>> found = balanced_pairs(Geometry.grid(10, 10), range(3, 13), range(2, 9))
    >>> [(pair.degree, pair.length) for pair in found.pairs]
    [(4, 2), (6, 3), (9, 4)]
    """
    check_type(geometry, Geometry, "balanced_pairs", "Geometry.grid(rows, columns) makes one")
    n = len(geometry.points)
    chosen_degrees, chosen_lengths = list(degrees), list(lengths)
    _check_time(geometry, min(chosen_lengths, default=1))
    measured = sorted(near for near in {x + s for x in chosen_lengths for s in (-1, 0, 1)} if near > 0)
    work = Work() if work is None else work
    work.begin(len(measured), "lengths")
    by_degree = {k: moore_aspl(n, k) for near in chosen_degrees for k in (near - 1, near, near + 1)}
    by_length = {near: _mean_links(geometry, near, work) for near in measured}
    balanced = []
    for k in chosen_degrees:
        for length in chosen_lengths:
            gap = abs(by_degree[k] - by_length[length])
            around = [abs(by_degree[near] - by_length[length]) for near in (k - 1, k + 1)]
            around += [abs(by_degree[k] - by_length[near]) for near in (length - 1, length + 1) if near in by_length]
            if all(gap <= other for other in around):
                both = grid_bounds(geometry, k, length, work=work)
                balanced.append(BalancedPair(k, length, both.aspl_degree, both.aspl_length, both.aspl, both.diameter))
    settings = {"degrees": chosen_degrees, "lengths": chosen_lengths}
    return BalancedPairs(geometry.kind, n, tuple(balanced), grid_provenance(geometry, **settings))


def grid_provenance(geometry: Geometry, **settings: Any) -> Provenance:
    """The provenance of a result about a grid without a network: its rows, its columns and these settings."""
    rows, columns = geometry.shape
    return Provenance.of_run(
        name=f"{geometry.kind} of {rows} x {columns}", settings={"rows": rows, "columns": columns, **settings}
    )


def _check_time(geometry: Geometry, shortest: int) -> None:
    """Raise an error if counting the points within each number of links would take minutes."""
    rows, columns = geometry.shape
    # A length is compared with its neighbours, so length - 1 is measured as well.
    if len(geometry.points) * ((rows + columns) // max(1, shortest - 1) + 1) > _MOST_CELLS:
        raise InputError(
            f"{rows} x {columns} switches with links as short as {shortest} take too long;"
            " begin `lengths` at a larger number"
        )


def _mean_links(geometry: Geometry, length: int, work: Work) -> float:
    """A_d-(L): the mean over ordered pairs of the links of `length` between them."""
    n, links = len(geometry.points), 0
    for within in geometry.rounds_within(length):
        work.check()
        links += int(np.sum(n - within))
    work.advance()
    return links / (n * (n - 1)) if n > 1 else 0.0
