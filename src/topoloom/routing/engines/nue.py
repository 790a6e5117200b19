"""Nue: any number of lanes is enough, at the price of longer paths and uneven loads. A baseline."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.graph.distances import distances_from
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.lanes.by_pair import MOST_LANES
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, empty_ports, host_weights

#: Lanes where no number is given.
_LANES = 4
#: Destinations whose trees are grown in one call of the kernel.
_BLOCK = 16


@engine(
    "nue",
    "trees that grow over turns without cycles, in any number of lanes (4 if not said); a baseline",
    safe=True,
    rooted=True,
)
def nue(request: RoutingRequest) -> Routing:
    """Destinations are dealt to the lanes; each lane's trees grow over turns that keep it free of cycles.

    A destination whose tree gets stuck is reached along a spanning tree, whose turns are in every lane from the start.
    Source: Domke, Hoefler and Matsuoka, Routing on the dependency graph, HPDC 2016; its local backtracking is left out.
    """
    from topoloom.routing.lanes.kernels.nue import grow_all

    topology, channels = request.topology, channels_of(request.topology)
    n, lanes = topology.switches, request.lanes or _LANES
    if lanes > MOST_LANES:
        raise InputError(f"{topology.name}: lanes={lanes}; engine nue takes 1 to {MOST_LANES}")
    ports, lane = empty_ports(topology), np.zeros((n, n), np.uint8)
    turns, refused = (np.zeros(channels.turn_first[-1], np.uint16) for _ in range(2))
    load, pairs = np.zeros(channels.to.size, np.int64), host_weights(topology)
    escape = _spanning_tree(topology, channels, request.root)
    order = Draws(request.seed, 7).permutation(n)
    request.work.begin(n, "destinations")
    for number in range(lanes):
        place = np.arange(channels.to.size, dtype=np.int32)
        served = order[number::lanes]
        where = channels.first, channels.to, channels.back, channels.turn_first, escape
        for begin in range(0, served.size, _BLOCK):
            request.work.check()
            some = served[begin : begin + _BLOCK]
            grow_all(*where, some, 1 << number, turns, refused, place, ports, load, pairs, request.work.flag)
            request.work.advance(some.size)
        request.work.check()
        lane[served] = number
    return Routing(topology, "nue", ports, lane)


def _spanning_tree(topology: Topology, channels: Channels, root: int | None) -> np.ndarray:
    """Each switch's channel to its parent, int64[n], by hops from the root, or a switch of most links; -1 at the root."""
    root = int(topology.degrees.argmax()) if root is None else root
    far = distances_from(topology, [root], 1)[0]
    nearer = np.flatnonzero(far[channels.to] < far[channels.origin])[::-1]
    escape = np.full(topology.switches, -1, np.int64)
    escape[channels.origin[nearer]] = nearer
    return escape
