"""Shortest paths with loads as even as the search finds: of the switches, or of the channels."""

from topoloom.routing.balance.search import even_trees
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing


@engine(
    "balanced",
    "shortest paths, the pairs that pass through each switch made even; one virtual channel, and deadlock is possible",
    safe=False,
)
def balanced(request: RoutingRequest) -> Routing:
    """Even loads of the switches (`balance.balance_routing` also returns a bound on them)."""
    ports, _ = even_trees(request.topology, False, request.seed, jobs=request.jobs, work=request.work)
    return Routing(request.topology, "balanced", ports, minimal=True)


@engine(
    "balanced-edges",
    "shortest paths, the pairs over each channel made even; one virtual channel, and deadlock is possible",
    safe=False,
)
def balanced_edges(request: RoutingRequest) -> Routing:
    """Even loads of the channels; a channel is one direction of a link."""
    ports, _ = even_trees(request.topology, True, request.seed, jobs=request.jobs, work=request.work)
    return Routing(request.topology, "balanced-edges", ports, minimal=True)
