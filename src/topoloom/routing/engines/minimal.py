"""Shortest paths with even loads, in one lane or in a lane a hop."""

from dataclasses import replace

from topoloom.core.random_streams import Draws
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import HOP, Routing, empty_ports
from topoloom.routing.trees.shortest import fill_minimal

#: Rounds after the first, in which each tree is taken out and made anew.
_ROUNDS = 3


@engine(
    "minimal",
    "shortest paths, the pairs spread evenly over the channels; one lane, and deadlock is possible",
    safe=False,
    streams=True,
)
def minimal(request: RoutingRequest) -> Routing:
    """Shortest paths to every switch, made for one destination after the other (`trees.fill_minimal`)."""
    ports = empty_ports(request.topology, request.folder)
    rounds = 0 if request.folder else _ROUNDS
    order = Draws(request.seed).permutation(request.topology.switches)
    fill_minimal(request.topology, order, ports, rounds, request.jobs, work=request.work)
    return Routing(request.topology, "minimal", ports, minimal=True)


@engine(
    "hop-lanes", "the paths of minimal, in a lane a hop (for simulators: no forwarding table can say it)", safe=True
)
def hop_lanes(request: RoutingRequest) -> Routing:
    """Lane i is for a packet's hop i, so that it only waits for higher lanes: as many lanes as the diameter (Gopal, 1985)."""
    return replace(minimal(request), engine="hop-lanes", lane_rule=HOP)
