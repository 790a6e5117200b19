"""Dimension order: one coordinate after the other, each by the shortest path along its line."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.coordinates import Coordinates, Dimension, coordinates_of, places_of
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import SWITCH, Routing, empty_ports
from topoloom.routing.virtual_channels.by_pair import vcs_by_pair


def _sides(topology: Topology) -> list[int] | None:
    """The sizes of the rings that need two virtual channels, in a network of several dimensions; None without coordinates."""
    if places_of(topology).shape[1] < 2:
        return None
    try:
        coordinates = coordinates_of(topology)
    except InputError:
        return None
    return [dimension.side for dimension in coordinates.dimensions if dimension.kind == "ring" and dimension.side > 3]


def _fits_without_vcs(topology: Topology) -> str | None:
    """Meshes, hypercubes, HyperX and flattened butterflies."""
    return "links run along coordinates" if _sides(topology) == [] else None


def _fits_with_vcs(topology: Topology) -> str | None:
    """Tori: with a virtual channel per pair, which forwarding tables can express and repairs keep."""
    return "links run along coordinates, and rings take virtual channels" if _sides(topology) else None


@engine(
    "dor",
    "dimension order for meshes, tori (two virtual channels, changed where rings close), hypercubes, HyperX and flattened "
    "butterflies",
    safe=True,
    fits=_fits_without_vcs,
)
def dor(request: RoutingRequest) -> Routing:
    """Shortest paths, the first coordinate first; rings of more than three switches take two virtual channels.

    Packets that still have to pass between the last and the first switch of a ring use virtual channel 0, all others virtual
    channel 1, so that no virtual channel closes a ring. To a destination halfway round a ring, switches with even coordinates
    send upwards and others downwards. Source: Dally and Seitz, IEEE Transactions on Computers C-36(5), 1987; Dally and Towles
    2003, 14.2.3 (datelines).
    """
    coordinates = coordinates_of(request.topology)
    ports, virtual_channels = _tables(request.topology, coordinates, request.work)
    if virtual_channels is None:
        return Routing(request.topology, "dor", ports, minimal=True)
    return Routing(request.topology, "dor", ports, virtual_channels, SWITCH, minimal=True)


@engine(
    "dor-pairs",
    "the paths of dor, with one virtual channel per pair, which forwarding tables can express",
    safe=True,
    fits=_fits_with_vcs,
)
def dor_pairs(request: RoutingRequest) -> Routing:
    """Virtual channels are assigned pair by pair and kept free of cycles; a torus needs more of them than with datelines."""
    ports, _ = _tables(request.topology, coordinates_of(request.topology), request.work)
    return Routing(request.topology, "dor-pairs", ports, vcs_by_pair(request, ports, "dor-pairs"), minimal=True)


def _tables(topology: Topology, coordinates: Coordinates, work: Work) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the ports, and virtual channels by switch if a ring needs them."""
    n = topology.switches
    ports = empty_ports(topology)
    steps = [_steps(dimension) for dimension in coordinates.dimensions]
    virtual_channels = np.zeros((n, n), np.uint8) if any(crosses.any() for _, crosses in steps) else None
    switch = np.arange(n)
    work.begin(n, "destinations")
    for d in range(n):
        work.check()
        work.advance()
        for axis in range(len(steps) - 1, -1, -1):
            here, goal = coordinates.at[:, axis], coordinates.at[d, axis]
            moving = np.flatnonzero(here != goal)
            toward, crosses = steps[axis]
            target = toward[here[moving], goal]
            dimension, sender = coordinates.dimensions[axis], switch[moving]
            ports[d, sender] = dimension.port[sender, target] + (d + sender) % dimension.width[sender, target]
            if virtual_channels is not None:
                virtual_channels[d, sender] = ~crosses[here[moving], goal] if crosses.any() else 0
    return ports, virtual_channels


def _steps(dimension: Dimension) -> tuple[np.ndarray, np.ndarray]:
    """The next coordinate from each coordinate to each, int64[side, side], and whether the path passes the end of a ring."""
    side = dimension.side
    here, goal = np.indices((side, side))
    none = np.zeros((side, side), np.bool_)
    if dimension.kind == "full mesh":
        return goal, none
    if dimension.kind == "line":
        return here + np.sign(goal - here), none
    up = (goal - here) % side
    rises = (2 * up < side) | ((2 * up == side) & (here % 2 == 0))
    return (here + np.where(rises, 1, -1)) % side, none if side <= 3 else np.where(rises, goal < here, goal > here)
