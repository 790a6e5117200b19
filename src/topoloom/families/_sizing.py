"""What the families' `sizes` share: which parameter sets serve a number of hosts within a radix."""

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

#: A candidate structure: its parameters, how many switches carry hosts, and the links at the busiest of them.
Structure = tuple[dict[str, Any], int, int]


def serving(
    hosts: int, radix: int, structures: Iterable[Structure], full: int | None = None
) -> Iterator[dict[str, Any]]:
    """Each structure with the fewest hosts a switch that serve `hosts`, where they fit the radix.

    A structure with more switches than hosts is left out: it would have switches without hosts.
    """
    for parameters, switches, degree in structures:
        per_switch = -(-hosts // switches)
        if switches <= hosts and degree + per_switch <= radix:
            yield {**parameters, "hosts": per_switch}
            if full is not None and per_switch < full and degree + full <= radix:
                yield {**parameters, "hosts": full}


def ladder(most: int) -> Iterator[int]:
    """Hosts a switch to try, 1 to `most`: every number to 8, then steps of a quarter octave (10, 12, 14, 16, 20 ...)."""
    step, value = 1, 1
    while value <= most:
        yield value
        if value >= 8 * step:
            step *= 2
        value += step


def near_cube(target: int, dimensions: int, least: int) -> tuple[int, ...]:
    """Sides as equal as they can be (and at least `least`) whose product is at least `target`, longest first."""
    sides = [max(least, int(target ** (1 / dimensions) + 1e-9))] * dimensions
    index = 0
    while prod(sides) < target:
        sides[index] += 1
        index = (index + 1) % dimensions
    return tuple(sorted(sides, reverse=True))


def near_square(cells: int) -> tuple[int, int]:
    """(rows, columns) of the smallest near-square rectangle with at least `cells` cells: rows = ceil(sqrt(cells))."""
    rows = 1
    while rows * rows < cells:
        rows += 1
    return rows, -(-cells // rows)
