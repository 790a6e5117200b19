"""Tori, meshes and rings: switches at the points of a grid of any dimension, linked to their nearest neighbours."""

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import host_counts, near_cube, serving
from topoloom.topologies.spec import Facts, Integer, Integers, family

_SOURCE = "Dally and Towles, Principles and Practices of Interconnection Networks, 2003"
_DIMS = Integers(1, 1 << 20, "switches along each dimension")
_LABELS = {"x0, x1, ...": "the coordinate in each dimension"}


def torus_facts(dims: tuple[int, ...]) -> Facts:
    total, longest = prod(dims), max(dims)
    return Facts(
        switches=total,
        degree=sum(min(side - 1, 2) for side in dims),
        degree_min=sum(min(side - 1, 2) for side in dims),
        diameter=sum(side // 2 for side in dims),
        full_hosts=1,
        # Cutting the longest ring in two places halves it only when its side is even.
        bisection_links=2 * total // longest if longest % 2 == 0 and longest > 2 else None,
    )


def _mesh_facts(dims: tuple[int, ...]) -> Facts:
    total, longest = prod(dims), max(dims)
    return Facts(
        switches=total,
        degree=sum(min(side - 1, 2) for side in dims),
        degree_min=sum(side > 1 for side in dims),
        links=sum(total // side * (side - 1) for side in dims),
        diameter=sum(side - 1 for side in dims),
        full_hosts=1,
        bisection_links=total // longest if longest % 2 == 0 else None,
    )


def _tori(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for dimensions in range(2, 7):
        for per_switch in host_counts(radix - 2 * dimensions):
            dims = near_cube(-(-hosts // per_switch), dimensions, 3)
            yield from serving(hosts, radix, [({"dims": dims}, prod(dims), 2 * dimensions)])


def _meshes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for dimensions in (2, 3):
        for per_switch in host_counts(radix - 2 * dimensions):
            dims = near_cube(-(-hosts // per_switch), dimensions, 2)
            yield from serving(hosts, radix, [({"dims": dims}, prod(dims), 2 * dimensions)])


def _rings(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for per_switch in host_counts(radix - 2):
        switches = max(3, -(-hosts // per_switch))
        yield from serving(hosts, radix, [({"n": switches}, switches, 2)])


@family("torus", dims=_DIMS, facts=torus_facts, source=_SOURCE, sizes=_tori, labels=_LABELS)
def torus(dims: tuple[int, ...]) -> Topology:
    """The torus: a ring along every dimension (a side of 2 is one link, not two).

    >>> torus((4, 4))
    Topology(topology: 16 switches, 32 links)
    """
    return _lattice(dims, wrapped=True)


@family("mesh", dims=_DIMS, facts=_mesh_facts, source=_SOURCE, sizes=_meshes, labels=_LABELS)
def mesh(dims: tuple[int, ...]) -> Topology:
    """The mesh: a line along every dimension."""
    return _lattice(dims, wrapped=False)


@family(
    "ring",
    n=Integer(3, 1 << 24, "switches"),
    facts=lambda n: Facts(n, 2, 2, n, n // 2, full_hosts=1, bisection_links=2),
    source=_SOURCE,
    sizes=_rings,
)
def ring(n: int) -> Topology:
    """The ring."""
    return Topology(links=_lattice((n,), wrapped=True).links, switches=n)


def _lattice(dims: tuple[int, ...], *, wrapped: bool) -> Topology:
    number = np.arange(prod(dims)).reshape(dims)
    links = []
    for axis, side in enumerate(dims):
        near = np.take(number, np.arange(side - 1), axis).ravel(), np.take(number, np.arange(1, side), axis).ravel()
        links.append(np.stack(near, axis=1))
        if wrapped and side > 2:
            ends = np.take(number, side - 1, axis).ravel(), np.take(number, 0, axis).ravel()
            links.append(np.stack(ends, axis=1))
    labels = {f"x{axis}": np.indices(dims)[axis].ravel() for axis in range(len(dims))}
    return Topology(links=np.concatenate(links), switches=prod(dims), labels=labels)
