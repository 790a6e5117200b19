"""DFSSSP: balanced shortest paths, all in one virtual channel, whose cycles are broken by moving pairs up. A baseline."""

from topoloom.core.random_streams import Draws
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, empty_ports
from topoloom.routing.trees.shortest import fill_minimal
from topoloom.routing.virtual_channels.by_pair import vcs_by_breaking_cycles


@engine(
    "dfsssp",
    "deadlock-free SSSP: cycles broken at their weakest turn, virtual channel by virtual channel; a baseline",
    safe=True,
)
def dfsssp(request: RoutingRequest) -> Routing:
    """Use shortest paths with balanced loads, and virtual channels from `vcs_by_breaking_cycles`.

    Source: Domke, Hoefler and Nagel, Deadlock-free oblivious routing for arbitrary topologies, IPDPS 2011.
    """
    topology, ports = request.topology, empty_ports(request.topology)
    order = Draws(request.seed).permutation(topology.switches)
    fill_minimal(topology, order, ports, 0, request.jobs, work=request.work)
    virtual_channels = vcs_by_breaking_cycles(request, ports, "dfsssp")
    return Routing(topology, "dfsssp", ports, virtual_channels, minimal=True)
