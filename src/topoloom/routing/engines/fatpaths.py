"""FatPaths: shortest paths in layers of links drawn at random."""

from topoloom.routing.layered import KEEP, LAYERS, layered_tables
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing


@engine(
    "fatpaths",
    f"{LAYERS} layers of tables, the first shortest, each other one shortest over {KEEP:.0%} of the links; one virtual "
    "channel per hop",
    safe=True,
    bytes_a_pair=2 * LAYERS,
)
def fatpaths(request: RoutingRequest) -> Routing:
    """As `topoloom.layered_routing`, with the default layers and share of links."""
    return layered_tables(request, LAYERS, KEEP)
