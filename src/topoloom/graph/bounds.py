"""What no topology can beat: Moore's and Cerf's bounds, and those of grids whose links are short."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from topoloom.errors import InputError
from topoloom.graph.geometry import Geometry, geometry_of, longest_link
from topoloom.topology import Topology, checked


def moore_order(degree: int, diameter: int) -> int:
    """The most switches of `degree` links that can lie within `diameter` hops of each other.

    1 + K + K (K - 1) + ... + K (K - 1)^(D - 1): Moore's bound (Nakano 2016, I).

    Examples
    --------
    >>> moore_order(3, 2), moore_order(7, 2)  # Petersen, Hoffman-Singleton: both exist
    (10, 50)
    """
    _checked(degree)
    return 1 + degree * sum((degree - 1) ** j for j in range(diameter)) if degree else 1


def moore_within(switches: int, degree: int) -> list[int]:
    """m(i): the most switches within i hops of one, i = 0, 1, ... until no more can come; capped at `switches`.

    Nakano 2016, equation (1), with the minimum that is meant and m(0) = 1 (errata of Nakano 2016, 1). The last entry
    is below `switches`
    when the degree, 0 or 1, is too low to reach them all.

    Examples
    --------
    >>> moore_within(100, 4)
    [1, 5, 17, 53, 100]
    """
    _checked(degree)
    within, layer = [1], degree
    while within[-1] < switches and layer > 0:
        within.append(min(within[-1] + layer, switches))
        layer *= degree - 1
    return within


def moore_diameter(switches: int, degree: int) -> float:
    """The least diameter that `switches` switches of `degree` links can have: an int, or inf if they cannot connect.

    Examples
    --------
    >>> moore_diameter(10, 3), moore_diameter(11, 3)
    (2, 3)
    """
    within = moore_within(switches, degree)
    return len(within) - 1 if within[-1] == switches else math.inf


def moore_aspl(switches: int, degree: int) -> float:
    """The least ASPL that `switches` switches of `degree` links can have; inf if they cannot connect.

    Cerf, Cowan, Mullin and Stanton, Networks 4(4), 1974; Nakano 2016, equation (2).

    Examples
    --------
    >>> round(moore_aspl(100, 4), 4)
    3.2727
    """
    within = moore_within(switches, degree)
    if within[-1] < switches:
        return math.inf
    # Each hop beyond the i-th is walked by the switches not yet within i hops.
    return sum(switches - seen for seen in within) / (switches - 1) if switches > 1 else 0.0


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


def balanced_pairs(
    geometry: Geometry, degrees: Iterable[int] = range(3, 33), lengths: Iterable[int] = range(2, 17)
) -> list[tuple[int, int]]:
    """The well-balanced (K, L): where |A_m-(K) - A_d-(L)| is no larger than at K - 1, K + 1, L - 1 and L + 1.

    Neighbours outside the given ranges count as well. Source: Nakano 2016, VII; errata of Nakano 2016, 6.

    Examples
    --------
    >>> balanced_pairs(Geometry.grid(10, 10), range(3, 13), range(2, 9))
    [(4, 2), (6, 3), (9, 4)]
    """
    n = len(geometry.points)
    chosen_degrees, chosen_lengths = list(degrees), list(lengths)
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
                found.append((k, length))
    return found


@dataclass(frozen=True, eq=False)
class Bounds:
    """What is possible for a topology's order, degree and, on a grid, its longest link.

    Attributes
    ----------
    switches, degree : int
        The order and the highest degree, from which the bounds follow.
    diameter, aspl : float
        The least possible: of `grid` where that is known, else Moore's and Cerf's.
    moore_diameter, moore_aspl : float
        By order and degree alone; inf when such a graph cannot be connected.
    geometry : Geometry or None
        Where the switches are, if labels say so.
    grid : GridBounds or None
        The bounds with the longest link as well.
    """

    switches: int
    degree: int
    moore_diameter: float
    moore_aspl: float
    geometry: Geometry | None
    grid: GridBounds | None

    @property
    def diameter(self) -> float:
        """The least possible diameter."""
        return self.grid.diameter if self.grid else self.moore_diameter

    @property
    def aspl(self) -> float:
        """The least possible ASPL."""
        return self.grid.aspl if self.grid else self.moore_aspl


def bounds(topology: Topology) -> Bounds:
    """Lower bounds on diameter and ASPL for the order and degree of a topology, and for its link lengths on a grid.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 6) for i in range(6)], switches=6)
    >>> found = bounds(ring)
    >>> found.diameter, found.aspl
    (3, 1.8)
    """
    n, degree = checked(topology, "bounds").switches, int(topology.degrees.max())
    geometry = geometry_of(topology)
    length = longest_link(topology, geometry) if geometry else 0
    grid = grid_bounds(geometry, degree, length) if geometry and length else None
    return Bounds(n, degree, moore_diameter(n, degree), moore_aspl(n, degree), geometry, grid)


def _checked(degree: int) -> None:
    if degree < 0:
        raise InputError(f"degree {degree}: a switch has 0 links or more")


def _mean_links(geometry: Geometry, length: int) -> float:
    """A_d-(L): the mean over ordered pairs of the links of `length` between them."""
    within = geometry.points_within(length)
    n = len(geometry.points)
    return float((n - within).sum() / (n * (n - 1))) if n > 1 else 0.0
