"""What the families' `sizes` share: which parameter sets serve a number of hosts within a radix."""

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

from topoloom.graph.moore import moore_aspl

#: A candidate structure: its parameters, how many switches carry hosts, and the links at the busiest of them.
Structure = tuple[dict[str, Any], int, int]


def serving(
    hosts: int, radix: int, structures: Iterable[Structure], full: int | None = None
) -> Iterator[dict[str, Any]]:
    """Each structure with the fewest hosts per switch that serve `hosts`, and more up to `full`, where they fit the radix.

    A structure with more switches than hosts is omitted: it would have switches without hosts.
    """
    for parameters, switches, degree in structures:
        fewest = -(-hosts // switches)
        if switches <= hosts:
            for per_switch in range(fewest, max(fewest, full or 0) + 1):
                if degree + per_switch <= radix:
                    yield {**parameters, "hosts": per_switch}


def leanest(hosts: int, radix: int, structures: Iterable[Structure]) -> Iterator[dict[str, Any]]:
    """For each number of hosts per switch the structure with the fewest links per switch that serves `hosts`, if it fits
    `radix`.

    For families of many sizes, most of which no one would choose beside these. Of equal links the fewest switches.
    """
    known = sorted(
        ((degree, switches, parameters) for parameters, switches, degree in structures if switches <= hosts),
        key=lambda one: one[:2],
    )
    for per_switch in host_counts(radix - 1):
        best = next((one for one in known if one[1] * per_switch >= hosts), None)
        if best is not None and best[0] + per_switch <= radix:
            yield {**best[2], "hosts": per_switch}


def host_counts(most: int) -> Iterator[int]:
    """Hosts a switch to try, 1 to `most`: every number to 16, then every second to 32, every fourth from there."""
    value = 1
    while value <= most:
        yield value
        value += 1 if value < 16 else 2 if value < 32 else 4


def free_degrees(switches: int, per_switch: int, most: int) -> list[int]:
    """Degrees to try where any is possible, up to `most`: the least that could carry the hosts' traffic, and all ports.

    By Cerf's bound on the ASPL (Besta 2014's balance, II.B.2): the least degree at full bandwidth, and one more, since random
    graphs stay a little above the bound; and one more than the least at 2:1 oversubscription.
    """
    most = min(most, switches - 1)
    chosen = {most}
    for oversubscription, extra in ((1.0, {0, 1}), (2.0, {1})):
        fitting = (d for d in range(3, most) if per_switch * moore_aspl(switches, d) <= oversubscription * d)
        least = next(fitting, None)
        chosen |= {least + more for more in extra} if least is not None else set()
    return sorted(degree for degree in chosen if 2 < degree <= most)


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


def free_sizes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Sizes of a family of any order `n` and any `degree`: every step of `host_counts`, a few degrees each."""
    for per_switch in host_counts(radix - 3):
        n = -(-hosts // per_switch)
        for degree in free_degrees(n, per_switch, min(radix - per_switch, 64)):
            yield from serving(hosts, radix, [({"n": n, "degree": degree}, n, degree)])
