"""Helpers of the families' `sizes`: parameter sets for a number of hosts within a radix."""

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

from topoloom.graph.moore import moore_aspl

#: A candidate structure: its parameters, the number of switches with hosts, and the most links at one of them.
Structure = tuple[dict[str, Any], int, int]


def serving(
    hosts: int, radix: int, structures: Iterable[Structure], full: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield each structure with the fewest hosts per switch that serve `hosts`, and with more up to `full`, if they fit the
    radix.

    Structures with more switches than hosts are omitted, because some switches would have no hosts.
    """
    for parameters, switches, degree in structures:
        fewest = -(-hosts // switches)
        if switches <= hosts:
            for per_switch in range(fewest, max(fewest, full or 0) + 1):
                if degree + per_switch <= radix:
                    yield {**parameters, "hosts": per_switch}


def leanest(hosts: int, radix: int, structures: Iterable[Structure]) -> Iterator[dict[str, Any]]:
    """Yield, for each number of hosts per switch, the structure with the fewest links per switch that serves `hosts`, if it
    fits
    `radix`.

    For families of many sizes, where all other sizes are worse. With equal links, the one with the fewest switches.
    """
    by_size = sorted(
        ((degree, switches, parameters) for parameters, switches, degree in structures if switches <= hosts),
        key=lambda structure: structure[:2],
    )
    for per_switch in host_counts(radix - 1):
        best = next((structure for structure in by_size if structure[1] * per_switch >= hosts), None)
        if best is not None and best[0] + per_switch <= radix:
            yield {**best[2], "hosts": per_switch}


def host_counts(most: int) -> Iterator[int]:
    """Yield numbers of hosts per switch to try, 1 to `most`: every number up to 16, every second up to 32, then every
    fourth.
    """
    value = 1
    while value <= most:
        yield value
        value += 1 if value < 16 else 2 if value < 32 else 4


def free_degrees(switches: int, per_switch: int, most: int) -> list[int]:
    """Degrees to try in families with any degree up to `most`: the least that can carry the hosts' traffic, and all ports.

    By Cerf's bound on the ASPL (Besta 2014's balance, II.B.2): the least degree at full bandwidth, and one more because random
    graphs are a little above the bound; and one more than the least at 2:1 oversubscription.
    """
    most = min(most, switches - 1)
    chosen = {most}
    for oversubscription, extra in ((1.0, {0, 1}), (2.0, {1})):
        fitting = (d for d in range(3, most) if per_switch * moore_aspl(switches, d) <= oversubscription * d)
        least = next(fitting, None)
        chosen |= {least + more for more in extra} if least is not None else set()
    return sorted(degree for degree in chosen if 2 < degree <= most)


def near_cube(target: int, dimensions: int, least: int) -> tuple[int, ...]:
    """Nearly equal sides (at least `least`) whose product is at least `target`, longest first."""
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
    """Yield sizes of a family with any order `n` and any `degree`: every step of `host_counts`, with a few degrees each."""
    for per_switch in host_counts(radix - 3):
        n = -(-hosts // per_switch)
        for degree in free_degrees(n, per_switch, min(radix - per_switch, 64)):
            yield from serving(hosts, radix, [({"n": n, "degree": degree}, n, degree)])
