"""Virtual channels with orders of the switches: any graph free of deadlock, by shortest paths as far as the virtual channels
allow; the default.
"""

from topoloom.core.errors import InputError
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS
from topoloom.routing.virtual_channels.order_plan import OrderPlan

#: Networks of more switches go straight to paths that may be longer, where virtual channels are given.
_MOST_EXACT = 6000


@engine(
    "orders",
    "shortest paths as far as the virtual channels allow, each virtual channel with an order of the switches; for any graph",
    safe=True,
    streams=True,
    bytes_a_pair=5,
)
def orders(request: RoutingRequest) -> Routing:
    """Every pair in one of the virtual channels, by a shortest path wherever that is legal in one.

    Where all pairs can go by shortest paths in the virtual channels given, they do: pairs that no order serves get virtual
    channels of their own, kept acyclic turn by turn. Else all virtual channels are orders, and pairs that none serves take
    longer paths. Without a number of virtual channels they are as few as are found with which all paths are shortest.

    Raises
    ------
    InputError
        A number of virtual channels that is not 1 to 15; without one, when 15 are not enough.
    """
    return _in_orders(request, "orders", spread=False)


@engine(
    "orders-even",
    "the paths of orders; of the virtual channels that a path is legal in each pair takes one by turns, so that all are used",
    safe=True,
    bytes_a_pair=5,
)
def orders_even(request: RoutingRequest) -> Routing:
    """The paths of `orders`, with pairs spread over the virtual channels: packets of more virtual channels pass each other
    where one virtual channel waits.

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
            f"{topology.name}: tables in files take a number of virtual channels; give `virtual_channels` 8"
        )
    if virtual_channels is not None and not 1 <= virtual_channels <= MOST_VIRTUAL_CHANNELS:
        raise InputError(f"{topology.name}: lanes={virtual_channels}; engine {name} takes 1 to {MOST_VIRTUAL_CHANNELS}")
    plan = OrderPlan(topology, request.seed, request.jobs, request.folder, request.work, name, spread=spread)
    routed = None
    if virtual_channels is None or (topology.switches <= _MOST_EXACT and request.folder is None):
        routed = plan.shortest(virtual_channels or MOST_VIRTUAL_CHANNELS)
    if routed is None and virtual_channels is None:
        raise InputError(
            f"{topology.name}: shortest paths need more than {MOST_VIRTUAL_CHANNELS} virtual channels; with "
            f"lanes={MOST_VIRTUAL_CHANNELS} some paths are longer"
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
    """One order of the switches, in which they rise by hops from the root, or one of most links; every tree within that order.

    A destination has one tree, so what is legal for a packet stays legal at every switch on: joining each switch's own
    shortest legal path, as other tools do, is not safe. Source: Schroeder et al., Autonet, IEEE JSAC 9, 1991.
    """
    plan = OrderPlan(request.topology, request.seed, request.jobs, request.folder, request.work, "updown")
    return plan.within(1, request.root)
