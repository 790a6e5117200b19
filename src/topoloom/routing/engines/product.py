"""Cartesian products: coordinate by coordinate."""

from topoloom.routing.product import product_routing
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing


@engine("product", "for product:(SPEC)*(SPEC): one coordinate after the other, each factor by engine orders", safe=True)
def product(request: RoutingRequest) -> Routing:
    """Route every factor by engine orders (`product.product_routing` takes any engines, also balanced ones)."""
    return product_routing(
        request.topology,
        "orders",
        virtual_channels=request.virtual_channels,
        seed=request.seed,
        jobs=request.jobs,
        work=request.work,
    )
