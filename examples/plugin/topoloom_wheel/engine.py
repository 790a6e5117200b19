"""The engine `hub`: every path goes through a switch that is linked to all others."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, empty_ports


@engine("hub", "over the switch that is linked to all others", safe=True)
def hub(request: RoutingRequest) -> Routing:
    """Tables with paths of at most two hops. The used links form a star, which has no cycle and so no deadlock."""
    topology = request.topology
    middle = int(np.argmax(topology.degrees))
    if topology.degrees[middle] != topology.switches - 1:
        raise InputError(
            f"{topology.name}: no switch is linked to all others, as the engine hub needs; try dfsssp-switches"
        )
    ports = empty_ports(topology)
    none = ports[0, 0]
    first, neighbours, _ = topology.csr
    for switch in range(topology.switches):
        linked = neighbours[first[switch] : first[switch + 1]]  # the switches behind ports 0, 1, 2 ...
        if switch == middle:
            ports[linked, switch] = np.arange(linked.size)
        else:
            ports[:, switch] = np.flatnonzero(linked == middle)[0]
        ports[switch, switch] = none
    return Routing(topology, "hub", ports)
