"""Shortest paths, with one virtual channel per segment."""

from topoloom.core.errors import InputError
from topoloom.routing.balance.search import even_trees
from topoloom.routing.engines.minimal import minimal
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import SWITCH, Routing
from topoloom.routing.virtual_channels.by_segment import MOST_VIRTUAL_CHANNELS, even_segment_vcs, segment_vcs

#: Virtual channels of `segments-even` if no number is given and this number is enough.
_VIRTUAL_CHANNELS = 4


@engine(
    "segments",
    "the paths of minimal, in the next virtual channel after each turn that one order forbids: few virtual channels (for "
    "simulators)",
    safe=True,
    bytes_a_pair=6,
)
def segments(request: RoutingRequest) -> Routing:
    """Balanced shortest paths in the virtual channels of `segment_vcs`: two for diameter 2 and 3, for any tables."""
    ports = minimal(request).ports
    virtual_channels = segment_vcs(request, ports, "segments")
    return Routing(request.topology, "segments", ports, virtual_channels, SWITCH, minimal=True)


@engine(
    "segments-even",
    "the paths of balanced-edges, in virtual channels that rise at each turn which one order forbids, with equal loads: 4 by "
    "default (for simulators, and routers that change virtual channels by destination)",
    safe=True,
    bytes_a_pair=12,
)
def segments_even(request: RoutingRequest) -> Routing:
    """Shortest paths with even loads, in the virtual channels of `even_segment_vcs`; paths of up to 7 hops need at most 4.

    A forbidden turn is at the highest of three switches, and no two such turns are consecutive. So at most every other one of h
    - 1 turns is forbidden, and h // 2 + 1 virtual channels are enough for h hops with any order.

    Raises
    ------
    InputError
        A number of virtual channels outside 1 to 8, or less than the paths need.
    """
    virtual_channels, most = (
        request.virtual_channels or _VIRTUAL_CHANNELS,
        request.virtual_channels or MOST_VIRTUAL_CHANNELS,
    )
    if not 1 <= virtual_channels <= MOST_VIRTUAL_CHANNELS:
        raise InputError(
            f"{request.topology.name}: virtual_channels={virtual_channels}; engine segments-even"
            f" takes 1 to {MOST_VIRTUAL_CHANNELS}"
        )
    ports, _ = even_trees(request.topology, True, request.seed, jobs=request.jobs, work=request.work)
    laned = even_segment_vcs(request, ports, "segments-even", virtual_channels, most)
    return Routing(request.topology, "segments-even", ports, laned, SWITCH, minimal=True)
