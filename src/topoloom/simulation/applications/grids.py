"""Grids of ranks: the ranks along each side, and the points per rank."""

from math import prod

from topoloom.core.errors import InputError


def squarest(ranks: int, dims: int) -> tuple[int, ...]:
    """Return the grid of `ranks` ranks whose sides are as equal as possible, longest first (the intent of MPI_Dims_create).

    Examples
    --------
    >>> squarest(288, 2), squarest(288, 3), squarest(7, 2)
    ((18, 16), (8, 6, 6), (7, 1))
    """
    if dims == 1:
        return (ranks,)
    candidates = []
    for side in range(1, ranks + 1):
        if side**dims > ranks:
            break
        if ranks % side == 0:
            candidates.append(tuple(sorted((*squarest(ranks // side, dims - 1), side), reverse=True)))
    return min(candidates, key=lambda sides: (max(sides) - min(sides), sides))


def grid_of(name: str, ranks: int, dims: int, given: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the given grid if it fits the ranks; the squarest grid if none is given.

    Parameters
    ----------
    name : str
        The application, for messages.
    ranks : int
        The product of the sides.
    dims : int
        The number of sides.
    given : tuple of int or None
        The sides that the user gave; None: as equal as possible.

    Returns
    -------
    tuple of int
        The `dims` sides.

    Raises
    ------
    InputError
        The wrong number of sides, or a product that is not the number of ranks.
    """
    if ranks < 1:
        raise InputError(f"{name}: {ranks} ranks; at least 1 is needed")
    if given is None:
        return squarest(ranks, dims)
    if len(given) != dims or prod(given) != ranks:
        best = "x".join(map(str, squarest(ranks, dims)))
        raise InputError(
            f"{name}: grid={'x'.join(map(str, given))} is not a grid of {ranks} ranks in {dims} dimensions; use, for"
            f" example, {best}"
        )
    return given


def cut_evenly(points: int, parts: int) -> int:
    """Return the fewest points per part where `points` are divided as evenly as possible."""
    return points // parts
