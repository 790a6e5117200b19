"""What an adaptive function of one's own may use (`topoloom.routing.choices.Adaptive`): an `At`, and questions to the routers.

Numba compiles the function; in it, only these names and what Numba supports can be used.
"""

from topoloom.simulation.flits.kernels.adaptive import (
    available,
    draw,
    hops_between,
    links,
    neighbour,
    queue,
    table_port,
)
from topoloom.simulation.flits.own_choice import At

__all__ = ["At", "available", "draw", "hops_between", "links", "neighbour", "queue", "table_port"]
