"""Lanes with orders of the switches: any graph free of deadlock, by shortest paths as far as the lanes allow; the default."""

from topoloom.core.errors import InputError
from topoloom.routing.lanes.by_pair import MOST_LANES
from topoloom.routing.lanes.order_plan import OrderPlan
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing

#: Networks of more switches go straight to paths that may be longer, where lanes are given.
_MOST_EXACT = 6000


@engine(
    "orders",
    "shortest paths as far as the lanes allow, each lane with an order of the switches; for any graph",
    safe=True,
    streams=True,
    bytes_a_pair=5,
)
def orders(request: RoutingRequest) -> Routing:
    """Every pair in one of the lanes, by a shortest path wherever that is legal in one.

    Where all pairs can go by shortest paths in the lanes given, they do: pairs that no order serves get lanes of their own,
    kept acyclic turn by turn. Else all lanes are orders, and pairs that none serves take longer paths. Without a number of
    lanes they are as few as are found with which all paths are shortest.

    Raises
    ------
    InputError
        A number of lanes that is not 1 to 15; without one, when 15 are not enough.
    """
    return _in_orders(request, "orders", spread=False)


@engine(
    "orders-even",
    "the paths of orders; of the lanes that a path is legal in each pair takes one by turns, so that all are used",
    safe=True,
    bytes_a_pair=5,
)
def orders_even(request: RoutingRequest) -> Routing:
    """The paths of `orders`, with pairs spread over the lanes: packets of more lanes pass each other where one lane waits.

    Raises
    ------
    InputError
        As `orders`.
    """
    return _in_orders(request, "orders-even", spread=True)


def _in_orders(request: RoutingRequest, name: str, *, spread: bool) -> Routing:
    topology, lanes = request.topology, request.lanes
    if request.folder is not None and lanes is None:
        raise InputError(f"{topology.name}: tables in files take a number of lanes; give `lanes` 8")
    if lanes is not None and not 1 <= lanes <= MOST_LANES:
        raise InputError(f"{topology.name}: lanes={lanes}; engine {name} takes 1 to {MOST_LANES}")
    plan = OrderPlan(topology, request.seed, request.jobs, request.folder, request.work, name, spread=spread)
    routed = None
    if lanes is None or (topology.switches <= _MOST_EXACT and request.folder is None):
        routed = plan.shortest(lanes or MOST_LANES)
    if routed is None and lanes is None:
        raise InputError(
            f"{topology.name}: shortest paths need more than {MOST_LANES} lanes; with lanes={MOST_LANES} some paths are longer"
        )
    return routed or plan.within(lanes or MOST_LANES)


@engine(
    "updown",
    "up*/down*: one lane, paths that go up and then down by hops from one switch, often longer",
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
