"""Grids of ranks: how many ranks along each side, and how many points that leaves a rank."""

from math import prod

from topoloom.core.errors import InputError


def squarest(ranks: int, dims: int) -> tuple[int, ...]:
    """The grid of `ranks` whose sides are as near to each other as can be, the longest first (as MPI_Dims_create is meant to).

    Examples
    --------
    >>> squarest(288, 2), squarest(288, 3), squarest(7, 2)
    ((18, 16), (8, 6, 6), (7, 1))
    """
    if dims == 1:
        return (ranks,)
    found = []
    for side in range(1, ranks + 1):
        if side**dims > ranks:
            break
        if ranks % side == 0:
            found.append(tuple(sorted((*squarest(ranks // side, dims - 1), side), reverse=True)))
    return min(found, key=lambda sides: (max(sides) - min(sides), sides))


def grid_of(name: str, ranks: int, dims: int, given: tuple[int, ...] | None) -> tuple[int, ...]:
    """The grid that was given, if it fits the ranks, else the squarest.

    Parameters
    ----------
    name : str
        The application, for messages.
    ranks : int
        The product of the sides.
    dims : int
        How many sides.
    given : tuple of int or None
        The sides that the user asks for; None: as equal as can be.

    Returns
    -------
    tuple of int
        `dims` sides.

    Raises
    ------
    InputError
        The wrong number of sides, or a product that is not the number of ranks.
    """
    if ranks < 1:
        raise InputError(f"{name}: {ranks} ranks; it takes at least 1")
    if given is None:
        return squarest(ranks, dims)
    if len(given) != dims or prod(given) != ranks:
        best = "x".join(map(str, squarest(ranks, dims)))
        raise InputError(
            f"{name}: grid={'x'.join(map(str, given))} is no grid of {ranks} ranks in {dims} dimensions; {best} is one"
        )
    return given


def cut_evenly(points: int, parts: int) -> int:
    """The fewest points that a part gets where `points` are cut as evenly as can be."""
    return points // parts
