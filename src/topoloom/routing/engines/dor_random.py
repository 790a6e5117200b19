"""Dimension order on tori: a virtual channel for packets that pass the end of a ring, and a random direction for destinations
halfway round it.
"""

import itertools

import numpy as np

from topoloom.core.errors import InputError
from topoloom.routing.choices import Layers
from topoloom.routing.coordinates import coordinates_of
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import SWITCH, Routing, empty_ports

#: Most dimensions with rings: each doubles the number of layers.
_MOST_RINGS = 4


@engine(
    "dor-random",
    "dimension order on tori; halfway round a ring the direction is drawn; a virtual channel for those that pass its end "
    "(for simulators)",
    safe=True,
    bytes_a_pair=10 + 2**5,
)
def dor_random(request: RoutingRequest) -> Routing:
    """A packet uses virtual channel 1 along a ring if it passes the ring's end (between its last and first switch), otherwise
    virtual channel 0.

    Each combination of rings whose ends are passed has a layer of tables. Most pairs may use only one layer; if a destination
    is halfway round a ring, packets draw one of two. BookSim 2 does the same on tori (`dim_order`). It spreads packets better
    than `dor`, where virtual channel 0 has only packets that still have to pass the end.
    """
    topology = request.topology
    coordinates = coordinates_of(topology)
    rings = [
        axis for axis, dimension in enumerate(coordinates.dimensions) if dimension.kind == "ring" and dimension.side > 3
    ]
    if not 0 < len(rings) <= _MOST_RINGS:
        raise InputError(
            f"{topology.name}: dor-random is for tori with rings of more than three switches in up to {_MOST_RINGS} dimensions;"
            " use engine dor here"
        )
    n, layers = topology.switches, list(itertools.product((0, 1), repeat=len(rings)))
    ports = [empty_ports(topology) for _ in layers]
    virtual_channels = [np.zeros((n, n), np.uint8) for _ in layers]
    allowed = np.zeros((n, n), np.int64)
    sides = np.array([coordinates.dimensions[axis].side for axis in rings])
    switch = np.arange(n)
    request.work.begin(n, "destinations")
    for d in range(n):
        request.work.check()
        request.work.advance()
        ahead = (coordinates.at[d, rings] - coordinates.at[:, rings]) % sides
        passes_up, passes_down = (
            coordinates.at[d, rings] < coordinates.at[:, rings],
            coordinates.at[d, rings] > coordinates.at[:, rings],
        )
        up, tie = 2 * ahead < sides, 2 * ahead == sides
        passes = np.where(up, passes_up, passes_down) & (ahead > 0)
        for number, (wants, layer_ports, layer_vcs) in enumerate(zip(layers, ports, virtual_channels, strict=True)):
            passing = np.array(wants, np.bool_)
            allowed[d] |= ((tie | (passes == passing)).all(axis=1)).astype(np.int64) << number
            # At a tie, the direction that passes the end or not, as this layer requires; otherwise the shorter direction.
            goes_up = np.where(tie, passes_up == passing, up)
            for axis in range(len(coordinates.dimensions) - 1, -1, -1):
                dimension = coordinates.dimensions[axis]
                here, goal = coordinates.at[:, axis], coordinates.at[d, axis]
                moving = np.flatnonzero(here != goal)
                target = np.full(moving.size, goal)
                if axis in rings:
                    ring = rings.index(axis)
                    target = (here[moving] + np.where(goes_up[moving, ring], 1, -1)) % dimension.side
                    layer_vcs[d, moving] = wants[ring]
                elif dimension.kind == "line":
                    target = here[moving] + np.sign(goal - here[moving])
                sender = switch[moving]
                layer_ports[d, sender] = dimension.port[sender, target] + (d + sender) % dimension.width[sender, target]
                if axis not in rings:
                    layer_vcs[d, moving] = 0
    choice = Layers(tuple(ports[1:]), tuple(virtual_channels[1:]), allowed)
    return Routing(topology, "dor-random", ports[0], virtual_channels[0], SWITCH, minimal=True, choice=choice)
