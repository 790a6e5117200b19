"""Shortest paths, in a lane a segment."""

from topoloom.routing.engines.minimal import minimal
from topoloom.routing.lanes.by_segment import segment_lanes
from topoloom.routing.registry import Request, engine
from topoloom.routing.routing import SWITCH, Routing


@engine(
    "segments",
    "the paths of minimal, in the next lane after each turn that one order forbids: few lanes (for simulators)",
    safe=True,
    bytes_a_pair=6,
)
def segments(request: Request) -> Routing:
    """Balanced shortest paths in the lanes of `segment_lanes`: two for diameter 2 and 3, whatever the tables."""
    ports = minimal(request).ports
    lanes = segment_lanes(request, ports, "segments")
    return Routing(request.topology, "segments", ports, lanes, SWITCH, minimal=True)
