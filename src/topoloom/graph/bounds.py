"""What no topology can beat: Moore's and Cerf's bounds, and those of grids whose links are short."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from topoloom.errors import InputError
from topoloom.graph.geometry import Geometry, geometry_of, longest_link
from topoloom.results import Provenance, Result, plain, provenance_of
from topoloom.topology import Topology, checked
from topoloom.work import Work


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
        A negative degree, or a length below 1.

    Source: Nakano 2016, VII; errata of Nakano 2016, 6.

    Examples
    --------
    >>> found = balanced_pairs(Geometry.grid(10, 10), range(3, 13), range(2, 9))
    >>> [(pair.degree, pair.length) for pair in found.pairs]
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
                both = grid_bounds(geometry, k, length)
                found.append(BalancedPair(k, length, both.aspl_degree, both.aspl_length, both.aspl, both.diameter))
    settings = {"degrees": chosen_degrees, "lengths": chosen_lengths}
    return BalancedPairs(geometry.kind, n, tuple(found), _provenance_of(geometry, **settings))


@dataclass(frozen=True, eq=False, kw_only=True)
class Bounds(Result):
    """What is possible for an order, a degree and, on a grid, a longest link.

    Attributes
    ----------
    switches, degree : int
        The order and the highest degree, from which the bounds follow.
    moore_diameter, moore_aspl : float
        The least possible by order and degree alone (Moore, Cerf); inf when such a graph cannot be connected.
    measured_diameter, measured_aspl : float or None
        What the topology has, where it was measured.
    largest_order : int or None
        The most switches that its degree and diameter allow, where it was measured and is connected.
    geometry : "grid", "diagrid" or None
        What the switches stand on, if anything says so.
    length : int or None
        The longest link, on a grid.
    diameter, aspl : float
        The least possible: by the longest link as well where that is known, else Moore's and Cerf's.
    aspl_by_degree, aspl_by_length : float or None
        The least ASPL by degree alone and by the longest link alone, on a grid.
    point : int or None
        The switch that `m`, `d` and `md` are of.
    m, d, md : int64[D + 1] or None
        The most switches within i hops of `point`: by degree, by the longest link, and by both (Nakano et al. 2016,
        Section IV).
    balanced : tuple of BalancedPair or None
        The well-balanced pairs of degree and longest link of the grid, where they were asked for.
    """

    noun = "bounds"

    switches: int
    degree: int
    moore_diameter: float
    moore_aspl: float
    measured_diameter: float | None = None
    measured_aspl: float | None = None
    largest_order: int | None = None
    geometry: str | None = None
    length: int | None = None
    diameter: float
    aspl: float
    aspl_by_degree: float | None = None
    aspl_by_length: float | None = None
    point: int | None = None
    m: np.ndarray | None = None
    d: np.ndarray | None = None
    md: np.ndarray | None = None
    balanced: tuple[BalancedPair, ...] | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)


def bounds(
    topology: Topology,
    *,
    measured: bool = False,
    point: int | None = None,
    balanced: bool = False,
    jobs: int | None = None,
    work: Work | None = None,
) -> Bounds:
    """Lower bounds on diameter and ASPL for the order and degree of a topology, and for its link lengths on a grid.

    Parameters
    ----------
    topology : Topology
    measured : bool
        Measure the diameter and the ASPL that it has, too.
    point : int, optional
        The functions m, d and md of this switch, too; for topologies on a grid.
    balanced : bool
        The well-balanced pairs of degree and longest link of its grid, too.
    jobs : int, optional
        Threads of the measurement; every core when left out.
    work : Work, optional
        Told of the measurement.

    Returns
    -------
    Bounds

    Raises
    ------
    InputError
        `point` or `balanced` of a topology that is not on a grid; no such point.
    Stopped
        `work` was stopped before all was measured.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 6) for i in range(6)], switches=6)
    >>> found = bounds(ring)
    >>> found.diameter, found.aspl
    (3, 1.8)
    """
    n, degree = checked(topology, "bounds").switches, int(topology.degrees.max())
    geometry = geometry_of(topology)
    if geometry is None:
        if point is not None or balanced:
            raise InputError(
                f"{topology.name}: a point and balanced pairs need switches on a grid (labels x, y or row, column)"
            )
        found = bounds_of_order(n, degree)
    else:
        found = bounds_on_grid(geometry, degree, longest_link(topology, geometry) or None, point, balanced)
    extra: dict[str, Any] = {"provenance": provenance_of(topology, settings={"point": point, "balanced": balanced})}
    if measured:
        from topoloom.graph.path_lengths import path_lengths

        seen = path_lengths(topology, jobs, work=work)
        extra |= {"measured_diameter": seen.diameter, "measured_aspl": seen.aspl}
        extra["largest_order"] = moore_order(degree, seen.largest_finite) if seen.connected else None
    return replace(found, **extra)


def bounds_of_order(switches: int, degree: int) -> Bounds:
    """What is possible for so many switches of so many links, wherever they stand.

    Examples
    --------
    >>> bounds_of_order(50, 7).diameter
    2
    """
    diameter, aspl = moore_diameter(switches, degree), moore_aspl(switches, degree)
    return Bounds(
        switches=switches, degree=degree, moore_diameter=diameter, moore_aspl=aspl, diameter=diameter, aspl=aspl
    )


def bounds_on_grid(
    geometry: Geometry, degree: int, length: int | None = None, point: int | None = None, balanced: bool = False
) -> Bounds:
    """What is possible for switches on a grid.

    Parameters
    ----------
    geometry : Geometry
        Where they are.
    degree : int
        Links a switch.
    length : int, optional
        No link is longer, in grid steps.
    point : int, optional
        The functions m, d and md of this switch, too, if there is a length.
    balanced : bool
        The well-balanced pairs of degree and longest link, too.

    Returns
    -------
    Bounds

    Raises
    ------
    InputError
        A negative degree, a length below 1, no such point.

    Examples
    --------
    >>> bounds_on_grid(Geometry.grid(10, 10), 4, 3, point=0).md.tolist()
    [1, 5, 17, 53, 79, 94, 100]
    """
    n = len(geometry.points)
    values: dict[str, Any] = {"geometry": geometry.kind, "provenance": _provenance_of(geometry)}
    if length is not None:
        both = grid_bounds(geometry, degree, length)
        values |= {"length": length, "diameter": both.diameter, "aspl": both.aspl}
        values |= {"aspl_by_degree": both.aspl_degree, "aspl_by_length": both.aspl_length}
        if point is not None:
            if not 0 <= point < n:
                raise InputError(f"point {point}: the grid has switches 0 to {n - 1}")
            values |= {
                "point": point,
                "m": both.within_degree,
                "d": both.within_length[point],
                "md": both.within[point],
            }
    if balanced:
        values["balanced"] = balanced_pairs(geometry).pairs
    return replace(bounds_of_order(n, degree), **values)


def _provenance_of(geometry: Geometry, **settings: Any) -> Provenance:
    rows, columns = geometry.shape
    return Provenance(
        name=f"{geometry.kind} of {rows} x {columns}", settings={"rows": rows, "columns": columns, **settings}
    )


def _checked(degree: int) -> None:
    if degree < 0:
        raise InputError(f"degree {degree}: a switch has 0 links or more")


def _mean_links(geometry: Geometry, length: int) -> float:
    """A_d-(L): the mean over ordered pairs of the links of `length` between them."""
    within = geometry.points_within(length)
    n = len(geometry.points)
    return float((n - within).sum() / (n * (n - 1))) if n > 1 else 0.0
