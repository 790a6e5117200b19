"""Adaptive functions for networks with coordinates: a detour in any dimension that is not yet aligned with the destination.

`Adaptive.data` holds the number of dimensions, then the coordinates of each switch.
"""

from topoloom.core.compiling.decorators import inner
from topoloom.simulation.flits.adaptive import At, available, draw, hops_between, links, neighbour, queue


@inner
def _dimension(at: At, here: int, beyond: int) -> int:
    """Return the dimension in which two switches differ, whose coordinates begin at two places of the data."""
    axis = 0
    while at.data[beyond + axis] == at.data[here + axis]:
        axis += 1
    return axis


@inner
def best_port(at: At, may_detour: int, vc_class: int) -> int:
    """Return the port with the least queue times the hops that are left by it; -1: none.

    Ports lead to the destination's coordinate in their dimension, or to another one where a detour is allowed.

    Parameters
    ----------
    at : At
    may_detour : int
        Bit d: whether dimension d allows a detour.
    vc_class : int
        At least 0: only ports with an available virtual channel of this class count.

    Returns
    -------
    int
    """
    dimensions, best, least, ties = at.data[0], -1, 0, 0
    here, goal = 1 + at.switch * dimensions, 1 + at.destination * dimensions
    away = hops_between(at, at.switch, at.destination)
    for port in range(links(at, at.switch)):
        beyond = 1 + neighbour(at, at.switch, port) * dimensions
        axis = _dimension(at, here, beyond)
        if at.data[here + axis] == at.data[goal + axis]:
            continue
        direct = at.data[beyond + axis] == at.data[goal + axis]
        if not direct and may_detour >> axis & 1 == 0:
            continue
        if vc_class >= 0 and not available(at, port, vc_class):
            continue
        cost = queue(at, at.switch, port) * (away if direct else away + 1)
        if not direct:
            cost += 1  # of two empty ports, the direct one
        ties = ties + 1 if best >= 0 and cost == least else 1
        if best < 0 or cost < least or (cost == least and draw(at, ties) == 0):
            best, least = port, cost
    return best


def dal(at: At) -> tuple[int, int]:
    """Dimensionally adaptive and load-balanced: one detour per dimension; the escape is dimension order.

    Source: Ahn et al., HyperX, SC 2009, section 4. ``memory[0]`` has a bit for each dimension in which the packet took a
    detour; ``memory[1]`` and ``memory[2]`` keep the hop and the detour that it asks for, which counts once it has moved.
    """
    memory, dimensions = at.memory, at.data[0]
    if at.hops > memory[1] and memory[2]:
        memory[0] |= memory[2]
    memory[1], memory[2] = at.hops, 0
    port = best_port(at, ((1 << dimensions) - 1) & ~memory[0], 0)
    if port >= 0:
        here, goal = 1 + at.switch * dimensions, 1 + at.destination * dimensions
        beyond = 1 + neighbour(at, at.switch, port) * dimensions
        axis = _dimension(at, here, beyond)
        if at.data[beyond + axis] != at.data[goal + axis]:
            memory[2] = 1 << axis
    return port, 0


def omniwar(at: At) -> tuple[int, int]:
    """Each hop in the next class; a detour in any dimension that is not aligned, while classes are left.

    Source: McDonald et al., Practical and efficient incremental adaptive routing for HyperX networks, SC 2019. ``data[-1]`` is
    the number of classes.
    """
    away = hops_between(at, at.switch, at.destination)
    left = at.data[at.data.size - 1] - at.hops
    return best_port(at, -1 if left > away else 0, -1), at.hops
