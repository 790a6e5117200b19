"""Stencils: hosts at the points of a grid, each sending to its nearest neighbours, as in codes on regular grids."""

from math import prod

import numpy as np

from topoloom.core.errors import InputError
from topoloom.throughput.traffic.making import to_some
from topoloom.throughput.traffic.register import PatternRequest, pattern
from topoloom.throughput.traffic.traffic import Traffic
from topoloom.topologies.spec import Choice, Integer

_SIDE = Integer(1, 1 << 20, "hosts along this side; nearly equal sides when omitted", default=None)
_EDGES = Choice(("open", "periodic"), "whether the first and the last host of a line are neighbours", default="open")


@pattern(
    "stencil-2d",
    "to the four neighbours on a grid of the hosts, row by row",
    rows=_SIDE,
    columns=_SIDE,
    edges=_EDGES,
    of_hosts=True,
)
def stencil_2d(request: PatternRequest, rows: int | None, columns: int | None, edges: str) -> Traffic:
    """Host (row, column) has the number row * columns + column; hosts beyond the grid are silent.

    Returns
    -------
    Traffic
        Traffic in which a host sends equally to each of its neighbours.

    Raises
    ------
    InputError
        The grid has more points than the network has hosts.
    """
    return _stencil(request, sides_of(request.hosts, (rows, columns)), edges)


@pattern(
    "stencil-3d",
    "to the six neighbours on a grid of the hosts, layer by layer",
    layers=_SIDE,
    rows=_SIDE,
    columns=_SIDE,
    edges=_EDGES,
    of_hosts=True,
)
def stencil_3d(
    request: PatternRequest, layers: int | None, rows: int | None, columns: int | None, edges: str
) -> Traffic:
    """Host (layer, row, column), columns fastest; hosts beyond the grid are silent.

    Returns
    -------
    Traffic
        Traffic in which a host sends equally to each of its neighbours.

    Raises
    ------
    InputError
        The grid has more points than the network has hosts.
    """
    return _stencil(request, sides_of(request.hosts, (layers, rows, columns)), edges)


def sides_of(hosts: int, given: tuple[int | None, ...]) -> tuple[int, ...]:
    """Return the sides of a grid of at most `hosts` points; omitted sides are nearly equal, and use all hosts if possible.

    A grid that uses all hosts is preferred while no side is more than twice as long as equal sides would be.

    Examples
    --------
    >>> sides_of(200, (None, None)), sides_of(97, (None, None)), sides_of(64, (None, 2, None))
    ((10, 20), (9, 10), (4, 2, 8))
    """
    left, free = hosts // max(1, prod(side for side in given if side is not None)), given.count(None)
    chosen: list[int] = []
    for sides_left in range(free, 0, -1):
        near = round(left ** (1 / sides_left))
        longest = near if near**sides_left <= left else near - 1
        exact = [side for side in range(longest, longest // 2, -1) if left % side == 0]
        chosen.append(exact[0] if exact else max(1, longest))
        left //= chosen[-1]
    return tuple(chosen.pop(0) if side is None else side for side in given)


def _stencil(request: PatternRequest, sides: tuple[int, ...], edges: str) -> Traffic:
    points = prod(sides)
    if points > request.hosts or 0 in sides:
        raise InputError(
            f"{request.name}: a grid of {' x '.join(map(str, sides))}, but {request.topology.name} has {request.hosts}"
            " hosts; give shorter sides"
        )
    number = np.arange(points).reshape(sides)
    pairs = []
    for axis, side in enumerate(sides):
        hosts, neighbours = number, np.roll(number, -1, axis)
        if edges == "open" or side == 2:  # on a line of two, both directions lead to the same neighbour
            hosts, neighbours = (np.delete(array, side - 1, axis) for array in (hosts, neighbours))
        if side > 1:
            pairs += [np.stack([hosts.ravel(), neighbours.ravel()]), np.stack([neighbours.ravel(), hosts.ravel()])]
    sender, to = np.concatenate(pairs, axis=1) if pairs else np.empty((2, 0), np.int64)
    return to_some(request, sender, to)
