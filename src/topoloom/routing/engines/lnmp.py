"""LNMP: layers of tables, the first shortest, the others a hop longer: the routing of the deployed Slim Fly."""

from dataclasses import replace

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.graph.distances import distances_from
from topoloom.routing.channels import channels_of
from topoloom.routing.choices import Layers
from topoloom.routing.engines.minimal import vcs_by_hop
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, empty_ports

#: A host has four addresses (LMC 2); and the most longer paths of a layer.
_LAYERS, _PATHS = 4, 100_000
#: First hops tried in one call of the kernel.
_STEPS = 4_000_000


@engine(
    "lnmp",
    "four layers of tables, the first shortest, the others a hop longer, as on the deployed Slim Fly",
    safe=True,
    bytes_a_pair=48,
)
def lnmp(request: RoutingRequest) -> Routing:
    """Layer 0 is that of hop-vcs. In each other layer, pairs with the fewest longer paths so far come first.

    Virtual channels are by hop. On InfiniBand this requires a plug-in for the subnet manager, which colours the switches to
    find a packet's hop from its ports and service level. Sources: Blach et al., A high-performance design, implementation,
    deployment, and evaluation of the Slim Fly network, NSDI 2024; here a path deviates at its first hop only.
    """
    from topoloom.routing.trees.kernels.layers import fill_rest, longer_paths

    topology, channels = request.topology, channels_of(request.topology)
    n = topology.switches
    base = vcs_by_hop(replace(request, virtual_channels=None))
    distance = distances_from(topology, np.arange(n), request.jobs).astype(np.uint8)
    draws, served = Draws(request.seed, 8), np.zeros((n, n), np.uint16)
    load, layers = np.zeros(channels.to.size, np.int64), []
    request.work.begin(_LAYERS - 1, "layers")
    for _ in range(_LAYERS - 1):
        ports = empty_ports(topology)
        pairs = draws.permutation(n * n)
        pairs = pairs[np.argsort(served.ravel()[pairs], kind="stable")]
        pairs = pairs[pairs // n != pairs % n]
        longest = int(distance.max(initial=0)) + 1
        left, block = _PATHS, max(1, _STEPS // max(1, int(topology.degrees.max())))
        for begin in range(0, pairs.size, block):
            request.work.check()
            some = pairs[begin : begin + block]
            left -= longer_paths(
                channels.first, channels.to, distance, some, longest, left, ports, base.none, load, served
            )
        fill_rest(channels.first, channels.to, ports, base.none, load, request.work.flag)
        request.work.advance()
        layers.append(ports)
    request.work.check()
    return replace(base, engine="lnmp", minimal=False, choice=Layers(tuple(layers)))
