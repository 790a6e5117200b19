"""Levels: balanced shortest paths in lanes whose channels have few levels, so that few packets wait in a row."""

from dataclasses import replace

from topoloom.routing.engines.minimal import minimal
from topoloom.routing.lanes.by_level import lanes_by_level
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing


@engine(
    "levels",
    "the paths of minimal, in lanes whose channels have few levels that rise along every path: short chains of waiting packets;"
    " 8 lanes if not said",
    safe=True,
    bytes_a_pair=40,
)
def levels(request: RoutingRequest) -> Routing:
    """Every pair in one of the lanes, by a shortest path (`lanes.by_level`)."""
    routed = minimal(request)
    lanes, _ = lanes_by_level(request, routed.ports, "levels")
    return replace(routed, engine="levels", lanes=lanes)
