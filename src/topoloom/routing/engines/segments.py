"""Shortest paths, in a lane a segment."""

from topoloom.core.errors import InputError
from topoloom.routing.balance.search import even_trees
from topoloom.routing.engines.minimal import minimal
from topoloom.routing.lanes.by_segment import MOST_LANES, even_segment_lanes, segment_lanes
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import SWITCH, Routing

#: Lanes of `segments-even` where no number is given, if so many are enough.
_LANES = 4


@engine(
    "segments",
    "the paths of minimal, in the next lane after each turn that one order forbids: few lanes (for simulators)",
    safe=True,
    bytes_a_pair=6,
)
def segments(request: RoutingRequest) -> Routing:
    """Balanced shortest paths in the lanes of `segment_lanes`: two for diameter 2 and 3, whatever the tables."""
    ports = minimal(request).ports
    lanes = segment_lanes(request, ports, "segments")
    return Routing(request.topology, "segments", ports, lanes, SWITCH, minimal=True)


@engine(
    "segments-even",
    "the paths of balanced-edges, in lanes that rise at each turn which one order forbids and carry alike: 4 if not said (for"
    " simulators, and routers that change lanes by destination)",
    safe=True,
    bytes_a_pair=12,
)
def segments_even(request: RoutingRequest) -> Routing:
    """Shortest paths with even loads, in the lanes of `even_segment_lanes`; paths of up to 7 hops take no more than 4.

    A forbidden turn is at the highest switch of three, and no two such turns follow each other: so of h - 1 turns at most
    every other one is forbidden, and h // 2 + 1 lanes are enough for h hops, whatever the order.

    Raises
    ------
    InputError
        A number of lanes that is not 1 to 8, or fewer than the paths take.
    """
    lanes, most = request.lanes or _LANES, request.lanes or MOST_LANES
    if not 1 <= lanes <= MOST_LANES:
        raise InputError(f"{request.topology.name}: lanes={lanes}; engine segments-even takes 1 to {MOST_LANES}")
    ports, _ = even_trees(request.topology, True, request.seed, jobs=request.jobs, work=request.work)
    laned = even_segment_lanes(request, ports, "segments-even", lanes, most)
    return Routing(request.topology, "segments-even", ports, laned, SWITCH, minimal=True)
