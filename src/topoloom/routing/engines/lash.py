"""LASH: plain shortest paths, each pair in the first layer that stays free of cycles. A baseline."""

import numpy as np

from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, empty_ports
from topoloom.routing.trees.shortest import fill_minimal
from topoloom.routing.virtual_channels.by_pair import vcs_by_pair


@engine(
    "lash", "layered shortest paths, pair by pair in the first virtual channel without a cycle; a baseline", safe=True
)
def lash(request: RoutingRequest) -> Routing:
    """Use shortest paths without balancing rounds, and virtual channels from `vcs_by_pair` (Skeie, Lysne and Theiss, IPDPS
    2002).
    """
    ports = empty_ports(request.topology)
    fill_minimal(request.topology, np.arange(request.topology.switches), ports, 0, request.jobs, work=request.work)
    return Routing(request.topology, "lash", ports, vcs_by_pair(request, ports, "lash"), minimal=True)
