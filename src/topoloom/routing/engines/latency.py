"""Paths with the least latency, including the delay of cables."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.routing.channels import channels_of
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, empty_ports, host_weights
from topoloom.routing.trees.parallel import make_trees
from topoloom.routing.virtual_channels.by_pair import vcs_by_pair

#: Nakano 2016, VIII: a switch takes 60 ns, a metre of cable 5 ns.
_SWITCH_NS, _CABLE_NS_PER_M = 60.0, 5.0
#: Delays are whole thousandths of a nanosecond, so that comparisons are exact.
_PER_NS = 1000


@engine(
    "latency",
    "the fastest paths, 60 ns per switch and 5 ns per metre of a layout's cables; one virtual channel per pair",
    safe=True,
)
def latency(request: RoutingRequest) -> Routing:
    """Use the fastest trees, with even loads among equally fast paths, and virtual channels assigned pair by pair without
    cycles.

    Raises
    ------
    InputError
        No layout was given; the paths need more virtual channels than allowed.
    """
    from topoloom.routing.trees.kernels.latency import fastest_trees

    topology, layout = request.topology, request.layout
    if layout is None:
        raise InputError(f"{topology.name}: engine latency needs cable lengths; give a folder of topoloom layout -o")
    channels = channels_of(topology)
    _, _, link = topology.csr
    delay = np.rint((_SWITCH_NS + _CABLE_NS_PER_M * layout.length_m[link]) * _PER_NS).astype(np.int64)
    ports, pairs = empty_ports(topology), host_weights(topology)

    def make(some: np.ndarray, load: np.ndarray, again: bool) -> int:
        fastest_trees(channels.first, channels.to, channels.back, delay, some, ports, load, again, pairs)
        return 0

    load = np.zeros(channels.to.size, np.int64)
    make_trees(np.arange(topology.switches), load, make, 1, request.jobs, work=request.work)
    return Routing(topology, "latency", ports, vcs_by_pair(request, ports, "latency"))
