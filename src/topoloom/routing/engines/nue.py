"""Nue: any number of virtual channels is enough, at the cost of longer paths and uneven loads. A baseline."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.graph.distances import distances_from
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, empty_ports, host_weights
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS

#: Virtual channels if no number is given.
_VIRTUAL_CHANNELS = 4
#: Destinations whose trees are grown in one call of the kernel.
_BLOCK = 16


@engine(
    "nue",
    "trees that grow over turns without cycles, in any number of virtual channels (4 by default); a baseline",
    safe=True,
    rooted=True,
)
def nue(request: RoutingRequest) -> Routing:
    """Destinations are distributed over the virtual channels; the trees of each virtual channel use only turns without cycles.

    If the tree of a destination cannot grow further, its paths follow a spanning tree, whose turns are in every virtual channel
    from the start. Source: Domke, Hoefler and Matsuoka, Routing on the dependency graph, HPDC 2016; its local backtracking is
    omitted.
    """
    from topoloom.routing.virtual_channels.kernels.nue import grow_all

    topology, channels = request.topology, channels_of(request.topology)
    n, virtual_channels = topology.switches, request.virtual_channels or _VIRTUAL_CHANNELS
    if virtual_channels > MOST_VIRTUAL_CHANNELS:
        raise InputError(
            f"{topology.name}: virtual_channels={virtual_channels}; engine nue takes 1 to {MOST_VIRTUAL_CHANNELS}"
        )
    ports, vc = empty_ports(topology), np.zeros((n, n), np.uint8)
    turns, refused = (np.zeros(channels.turn_first[-1], np.uint16) for _ in range(2))
    load, pairs = np.zeros(channels.to.size, np.int64), host_weights(topology)
    escape = _spanning_tree(topology, channels, request.root)
    order = Draws(request.seed, 7).permutation(n)
    request.work.begin(n, "destinations")
    for number in range(virtual_channels):
        place = np.arange(channels.to.size, dtype=np.int32)
        served = order[number::virtual_channels]
        where = channels.first, channels.to, channels.back, channels.turn_first, escape
        for begin in range(0, served.size, _BLOCK):
            request.work.check()
            some = served[begin : begin + _BLOCK]
            grow_all(*where, some, 1 << number, turns, refused, place, ports, load, pairs, request.work.flag)
            request.work.advance(some.size)
        request.work.check()
        vc[served] = number
    return Routing(topology, "nue", ports, vc)


def _spanning_tree(topology: Topology, channels: Channels, root: int | None) -> np.ndarray:
    """Each switch's channel to its parent, int64[n], by hops from the root (default: a switch with the most links); -1 at the
    root.
    """
    root = int(topology.degrees.argmax()) if root is None else root
    hops = distances_from(topology, [root], 1)[0]
    nearer = np.flatnonzero(hops[channels.to] < hops[channels.origin])[::-1]
    escape = np.full(topology.switches, -1, np.int64)
    escape[channels.origin[nearer]] = nearer
    return escape
