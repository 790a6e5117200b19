"""The operation `bounds`: lower bounds on diameter and ASPL for an order, a degree and, on a grid, a longest link."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.geometry import Geometry, geometry_of, longest_link
from topoloom.graph.grid_bounds import BalancedPair, balanced_pairs, grid_bounds, grid_provenance, most_within
from topoloom.graph.moore import moore_aspl, moore_diameter, moore_order
from topoloom.graph.path_lengths import path_lengths
from topoloom.graph.planes import distinct_planes, plane_count
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False, kw_only=True)
class Bounds(Result):
    """Lower bounds on diameter and ASPL for an order, a degree and, on a grid, a longest link.

    For a network of several planes (which share hosts but no links), the bounds of one plane. If planes differ, the bounds of
    the plane with the largest ones, with the least ASPL bound of all planes.

    Attributes
    ----------
    switches, degree : int
        The order and the highest degree, from which the bounds follow.
    moore_diameter, moore_aspl : float
        The least possible values for the order and degree alone (Moore, Cerf); inf if such a graph cannot be connected.
    measured_diameter, measured_aspl : float or None
        The values of the topology, if they were measured.
    largest_order : int or None
        The most switches for its degree and diameter, if it was measured and is connected.
    geometry : "grid", "diagrid" or None
        The kind of grid that the switches are on, if labels give one.
    length : int or None
        The longest link, on a grid.
    diameter, aspl : float
        The least possible values: with the longest link if it is known, otherwise by Moore and Cerf.
    aspl_by_degree, aspl_by_length : float or None
        The least ASPL by degree alone and by the longest link alone, on a grid.
    point : int or None
        The switch of `m`, `d` and `md`.
    m, d, md : int64[D + 1] or None
        The most switches within i hops of `point`: by degree, by the longest link, and by both (Nakano et al. 2016,
        Section IV).
    balanced : tuple of BalancedPair or None
        The well-balanced pairs of degree and longest link of the grid, if requested.
    planes : int
        Number of planes.
    """

    record_name = "bounds"
    record_version = 2

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
    planes: int = 1
    provenance: Provenance = field(default_factory=Provenance, compare=False)


def bounds(
    topology: NetworkSource,
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
    topology : NetworkSource
    measured : bool
        Also measure the topology's diameter and ASPL.
    point : int, optional
        Also compute the functions m, d and md of this switch; for topologies on a grid.
    balanced : bool
        Also compute the well-balanced pairs of degree and longest link of its grid.
    jobs : int, optional
        Threads of the measurement; every core when omitted.
    work : Work, optional
        Receives the progress of the measurement.

    Returns
    -------
    Bounds

    Raises
    ------
    InputError
        `point` or `balanced` for a topology that is not on a grid; no such point; a `point` for several planes.
    Stopped
        `work` was stopped before the measurement was complete.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 6) for i in range(6)], switches=6)
    >>> found = bounds(ring)
    >>> found.diameter, found.aspl
    (3, 1.8)
    """
    topology = taken(topology, Topology, "bounds")
    if (planes := plane_count(topology)) > 1:
        if point is not None:
            raise InputError(
                f"{topology.name}: a point belongs to one plane, and the network has {planes}; give a single plane"
            )
        return _of_planes(topology, planes, measured, balanced, jobs, work)
    n, degree = topology.switches, int(topology.degrees.max())
    geometry = geometry_of(topology)
    if geometry is None:
        if point is not None or balanced:
            raise InputError(
                f"{topology.name}: a point and balanced pairs need switches on a grid (labels x, y or row, column)"
            )
        result = bounds_of_order(n, degree)
    else:
        result = bounds_on_grid(geometry, degree, longest_link(topology, geometry) or None, point, balanced, work=work)
    extra: dict[str, Any] = {"provenance": provenance_of(topology, settings={"point": point, "balanced": balanced})}
    if measured:
        lengths = path_lengths(topology, jobs, work=work)
        extra |= {"measured_diameter": lengths.diameter, "measured_aspl": lengths.aspl}
        extra["largest_order"] = moore_order(degree, lengths.largest_finite) if lengths.connected else None
    return replace(result, **extra)


def _of_planes(
    topology: Topology, planes: int, measured: bool, balanced: bool, jobs: int | None, work: Work | None
) -> Bounds:
    """The largest bounds of the planes; parameters are those of `bounds`.

    Parameters
    ----------
    topology : Topology
    planes : int
        Number of planes.
    measured, balanced : bool
    jobs : int or None
    work : Work or None
    """
    kinds = [(plane.topology, alike) for plane, alike in distinct_planes(topology)]
    by_plane = [bounds(plane, measured=measured, balanced=balanced, jobs=jobs, work=work) for plane, _ in kinds]
    worst = max(by_plane, key=lambda plane_bounds: (plane_bounds.diameter, plane_bounds.aspl))
    extra: dict[str, Any] = {
        "moore_aspl": min(result.moore_aspl for result in by_plane),
        "aspl": min(result.aspl for result in by_plane),
    }
    if measured and len(by_plane) > 1:
        # Mean over the pairs of all planes, as in `hops`.
        pairs = [alike * plane.switches * (plane.switches - 1) for plane, alike in kinds]
        means = [result.measured_aspl or 0.0 for result in by_plane]
        extra["measured_diameter"] = max(result.measured_diameter or 0 for result in by_plane)
        extra["measured_aspl"] = float(np.dot(pairs, means) / max(1, sum(pairs)))
    provenance = provenance_of(topology, settings={"point": None, "balanced": balanced})
    return replace(worst, **extra, planes=planes, provenance=provenance)


def bounds_of_order(switches: int, degree: int) -> Bounds:
    """The bounds for a number of switches and links per switch, for any places of the switches.

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
    geometry: Geometry,
    degree: int,
    length: int | None = None,
    point: int | None = None,
    balanced: bool = False,
    *,
    work: Work | None = None,
) -> Bounds:
    """The bounds for switches on a grid.

    Parameters
    ----------
    geometry : Geometry
        The places of the switches.
    degree : int
        Links per switch.
    length : int, optional
        The longest link, in grid steps.
    point : int, optional
        Also compute the functions m, d and md of this switch, if a length is given.
    balanced : bool
        Also compute the well-balanced pairs of degree and longest link.
    work : Work, optional
        It may be stopped.

    Raises
    ------
    InputError
        A negative degree, a length below 1, no such point.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> bounds_on_grid(Geometry.grid(10, 10), 4, 3, point=0).md.tolist()
    [1, 5, 17, 53, 79, 94, 100]
    """
    n = len(geometry.points)
    values: dict[str, Any] = {"geometry": geometry.kind, "provenance": grid_provenance(geometry)}
    if length is not None:
        both = grid_bounds(geometry, degree, length, work=work)
        values |= {"length": length, "diameter": both.diameter, "aspl": both.aspl}
        values |= {"aspl_by_degree": both.aspl_degree, "aspl_by_length": both.aspl_length}
        if point is not None:
            m, d, md = most_within(geometry, degree, length, point)
            values |= {"point": point, "m": m, "d": d, "md": md}
    if balanced:
        values["balanced"] = balanced_pairs(geometry, work=work).pairs
    return replace(bounds_of_order(n, degree), **values)
