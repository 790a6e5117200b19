"""Shortest paths with even loads, in one virtual channel or in one virtual channel per hop."""

from dataclasses import replace

from topoloom.core.random_streams import Draws
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import HOP, Routing, empty_ports
from topoloom.routing.trees.shortest import fill_minimal

#: Rounds after the first, in which each tree is removed and rebuilt.
_ROUNDS = 3


@engine(
    "minimal",
    "shortest paths, the pairs spread evenly over the channels; one virtual channel, and deadlock is possible",
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
    "hop-vcs",
    "the paths of minimal, with one virtual channel per hop (for simulators: forwarding tables cannot express it)",
    safe=True,
)
def vcs_by_hop(request: RoutingRequest) -> Routing:
    """A packet uses virtual channel i on hop i, so it only waits for higher virtual channels; there are as many as the diameter
    (Gopal, 1985).
    """
    return replace(minimal(request), engine="hop-vcs", virtual_channel_rule=HOP)
