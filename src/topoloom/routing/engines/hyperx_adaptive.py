"""Adaptive engines for HyperX and other networks whose lines are full meshes, as functions for the simulator."""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.routing.choices import MOST_CLASSES, Adaptive
from topoloom.routing.coordinates import coordinates_of
from topoloom.routing.engines.dor import dor
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing
from topoloom.topologies.spec import Integer

#: Where the functions are; the simulator compiles them.
_FUNCTIONS = "topoloom.simulation.flits.hyperx_functions"


@engine("dal", "adaptive on HyperX: at most one detour per dimension, with dimension order to escape to", safe=True)
def dimensionally_adaptive(request: RoutingRequest) -> Routing:
    """Dimensionally adaptive routing (Ahn et al., SC 2009); packets that escape stay in dimension order."""
    return _adaptive(request, "dal", Adaptive(f"{_FUNCTIONS}:dal", escape=True, memory=3), ())


@engine(
    "omniwar",
    "adaptive on HyperX: a virtual channel per hop, and detours as long as hops are left",
    safe=True,
    detours=Integer(
        0, MOST_CLASSES - 1, "hops more than the dimensions; as many as dimensions if omitted", default=None
    ),
)
def incremental_adaptive(request: RoutingRequest, detours: int | None) -> Routing:
    """Detours in any dimension, in virtual channels by hop (McDonald et al., SC 2019).

    Parameters
    ----------
    request : RoutingRequest
    detours : int or None
        Hops that a packet may make in addition to one per dimension.

    Raises
    ------
    InputError
        More than 8 hops.
    """
    dimensions = coordinates_of(request.topology).at.shape[1]
    classes = dimensions + (dimensions if detours is None else detours)
    if classes > MOST_CLASSES:
        raise InputError(
            f"{request.topology.name}: {classes} hops need as many virtual channels, and there are at most {MOST_CLASSES};"
            f" omniwar:detours={max(0, MOST_CLASSES - dimensions)}"
        )
    choice = Adaptive(f"{_FUNCTIONS}:omniwar", classes, moves="topoloom.routing.own_moves:moves_by_hop")
    return _adaptive(request, "omniwar", choice, (classes,))


def _adaptive(request: RoutingRequest, name: str, choice: Adaptive, more: tuple[int, ...]) -> Routing:
    """The tables of dimension order with an adaptive function, whose data are the coordinates and more."""
    topology = request.topology
    coordinates = coordinates_of(topology)
    # A line of two switches and a ring of three are full meshes, too.
    small = {"line": 2, "ring": 3}
    if any(each.kind != "full mesh" and each.side > small.get(each.kind, 0) for each in coordinates.dimensions):
        raise InputError(
            f"{topology.name}: {name} is for networks whose lines are full meshes (hyperx, flattened-butterfly); use duato"
        )
    data = np.concatenate([[coordinates.at.shape[1]], coordinates.at.ravel(), np.array(more, np.int64)])
    return replace(dor(request), engine=name, minimal=False, choice=replace(choice, data=data.astype(np.int64)))
