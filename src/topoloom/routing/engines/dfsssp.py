"""DFSSSP with one table per switch: shortest paths in one virtual channel, whose cycles are broken by moving pairs up."""

from topoloom.core.random_streams import Draws
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, empty_ports
from topoloom.routing.trees.shortest import fill_minimal
from topoloom.routing.virtual_channels.by_pair import vcs_by_breaking_cycles


@engine(
    "dfsssp-switches",
    "deadlock-free SSSP per switch: cycles broken at their weakest turn, virtual channel by virtual channel; a baseline",
    safe=True,
)
def dfsssp_switches(request: RoutingRequest) -> Routing:
    """Use shortest paths with balanced loads, and virtual channels from `vcs_by_breaking_cycles`.

    OpenSM's engine dfsssp has a tree for each address, of hosts and of switches, and breaks the cycles of all paths between
    addresses, so that it may need more virtual lanes: on a Slim Fly of q = 7 with 6 hosts per switch 3, where this engine needs
    2.

    Source: Domke, Hoefler and Nagel, Deadlock-free oblivious routing for arbitrary topologies, IPDPS 2011.
    """
    topology, ports = request.topology, empty_ports(request.topology)
    order = Draws(request.seed).permutation(topology.switches)
    fill_minimal(topology, order, ports, 0, request.jobs, work=request.work)
    virtual_channels = vcs_by_breaking_cycles(request, ports, "dfsssp-switches")
    return Routing(topology, "dfsssp-switches", ports, virtual_channels, minimal=True)
