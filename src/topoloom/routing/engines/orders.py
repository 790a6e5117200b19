"""The default engine: virtual channels with orders of the switches. Deadlock-free on any graph, with shortest paths as far as
the
virtual channels allow.
"""

from topoloom.core.errors import InputError
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS
from topoloom.routing.virtual_channels.order_plan import OrderPlan

#: If virtual channels are given, larger networks use paths that may be longer without trying shortest paths only.
_MOST_EXACT = 6000


@engine(
    "orders",
    "shortest paths as far as the virtual channels allow, each virtual channel with an order of the switches; for any graph",
    safe=True,
    streams=True,
    bytes_a_pair=5,
)
def orders(request: RoutingRequest) -> Routing:
    """Give every pair one virtual channel, and a shortest path if one is legal in some virtual channel.

    If the given virtual channels allow shortest paths for all pairs, they are used: pairs that no order serves get separate
    virtual channels, which are kept acyclic turn by turn. Otherwise every virtual channel has an order, and pairs that no order
    serves take longer paths. Without a number, the engine uses as few virtual channels as it finds for shortest paths only.

    Raises
    ------
    InputError
        A number of virtual channels outside 1 to 15; or, without a number, when 15 are not enough.
    """
    return _in_orders(request, "orders", spread=False)


@engine(
    "orders-even",
    "the paths of orders; of the virtual channels that a path is legal in each pair takes one by turns, so that all are used",
    safe=True,
    bytes_a_pair=5,
)
def orders_even(request: RoutingRequest) -> Routing:
    """The paths of `orders`, with pairs spread over the virtual channels, so that packets can pass a blocked virtual channel.

    Raises
    ------
    InputError
        As `orders`.
    """
    return _in_orders(request, "orders-even", spread=True)


def _in_orders(request: RoutingRequest, name: str, *, spread: bool) -> Routing:
    topology, virtual_channels = request.topology, request.virtual_channels
    if request.folder is not None and virtual_channels is None:
        raise InputError(
            f"{topology.name}: tables in a folder need a number of virtual channels; give, for example, virtual_channels=8"
        )
    if virtual_channels is not None and not 1 <= virtual_channels <= MOST_VIRTUAL_CHANNELS:
        raise InputError(
            f"{topology.name}: virtual_channels={virtual_channels}; engine {name} takes 1 to {MOST_VIRTUAL_CHANNELS}"
        )
    plan = OrderPlan(topology, request.seed, request.jobs, request.folder, request.work, name, spread=spread)
    routed = None
    if virtual_channels is None or (topology.switches <= _MOST_EXACT and request.folder is None):
        routed = plan.shortest(virtual_channels or MOST_VIRTUAL_CHANNELS)
    if routed is None and virtual_channels is None:
        raise InputError(
            f"{topology.name}: shortest paths need more than {MOST_VIRTUAL_CHANNELS} virtual channels; to "
            f"allow longer paths, give virtual_channels={MOST_VIRTUAL_CHANNELS}"
        )
    return routed or plan.within(virtual_channels or MOST_VIRTUAL_CHANNELS)


@engine(
    "updown",
    "up*/down*: one virtual channel, paths that go up and then down by hops from one switch, often longer",
    safe=True,
    streams=True,
    rooted=True,
)
def updown(request: RoutingRequest) -> Routing:
    """One order of the switches, by hops from the root (default: a switch with the most links); all trees are legal in this
    order.

    A destination has one tree, so a legal path stays legal at every later switch. Combining the shortest legal path of each
    switch, as other tools do, is not safe. Source: Schroeder et al., Autonet, IEEE JSAC 9, 1991.
    """
    plan = OrderPlan(request.topology, request.seed, request.jobs, request.folder, request.work, "updown")
    return plan.within(1, request.root)
