"""Levels: balanced shortest paths in virtual channels whose channels have few levels, so chains of waiting packets are
short.
"""

from dataclasses import replace

from topoloom.routing.engines.minimal import minimal
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing
from topoloom.routing.virtual_channels.by_level import vcs_by_level


@engine(
    "levels",
    "the paths of minimal, in virtual channels whose channels have few levels that rise along every path: short chains of "
    "waiting packets;"
    " 8 virtual channels by default",
    safe=True,
    bytes_a_pair=40,
)
def levels(request: RoutingRequest) -> Routing:
    """Give every pair a shortest path in one of the virtual channels (`virtual_channels.by_level`)."""
    routed = minimal(request)
    virtual_channels, _ = vcs_by_level(request, routed.ports, "levels")
    return replace(routed, engine="levels", virtual_channels=virtual_channels)
