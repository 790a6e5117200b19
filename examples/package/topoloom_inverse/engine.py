"""The engine `shorter-queue`: of all links that lead closer to the destination, the one with the fewest waiting flits."""

from dataclasses import replace

from topoloom import InputError, hops, route
from topoloom.routing.choices import MOST_CLASSES, Adaptive
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.adaptive import hops_between, links, neighbour, queue


def shorter_queue(at):
    """The port and the class of virtual channels of the next hop; the simulator compiles this function."""
    best, least, left = -1, 0, hops_between(at, at.switch, at.destination)
    for port in range(links(at, at.switch)):
        if hops_between(at, neighbour(at, at.switch, port), at.destination) < left:
            waiting = queue(at, at.switch, port)
            if best < 0 or waiting < least:
                best, least = port, waiting
    return best, at.hops  # each hop in the next class: no cycle of waiting packets


@engine("shorter-queue", "the least loaded of all shortest paths, hop by hop", safe=True)
def shorter_queues(request: RoutingRequest) -> Routing:
    """Tables of shortest paths, and the function that may leave them; each hop has a class of virtual channels of its own."""
    classes = hops(request.topology).diameter
    if classes > MOST_CLASSES:
        raise InputError(
            f"{request.topology.name}: paths of {classes} hops, and there are {MOST_CLASSES} classes; take a smaller p"
        )
    choice = Adaptive("topoloom_inverse.engine:shorter_queue", classes, moves="topoloom.routing.own_moves:moves_by_hop")
    tables = route(request.topology, "minimal", seed=request.seed)
    return replace(tables, engine="shorter-queue", verification=None, choice=choice)
