"""Express meshes: meshes with longer links along every line, in steps of one gap."""

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import leanest
from topoloom.topologies.spec import Facts, Integer, Integers, family


def _line_degrees(side: int, gap: int) -> tuple[int, int]:
    """The smallest and the largest number of links at switches of a line."""
    place = np.arange(side)
    degrees = -(-place // gap) + -(-(side - 1 - place) // gap)
    return int(degrees.min()), int(degrees.max())


def _facts(dims: tuple[int, ...], gap: int) -> Facts:
    total = prod(dims)
    least, most = zip(*(_line_degrees(side, gap) for side in dims), strict=True)
    links = sum(total // side * sum(side - step for step in range(1, side, gap)) for side in dims)
    return Facts(total, sum(most), sum(least), links)


def _express_meshes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Yield equal sides, with gaps up to 4."""
    shapes = [
        ((side,) * dimensions, gap)
        for dimensions in (2, 3, 4)
        for side in range(3, 4 * radix)
        if side**dimensions <= hosts
        for gap in (2, 3, 4)
    ]
    structures = ((dims, gap, _facts(dims, gap)) for dims, gap in shapes)
    yield from leanest(
        hosts,
        radix,
        (({"dims": dims, "gap": gap}, facts.switches, facts.degree or 0) for dims, gap, facts in structures),
    )


@family(
    "express-mesh",
    dims=Integers(1, 4096, "switches along each dimension"),
    gap=Integer(1, 4096, "difference in length between the links of a switch along a line; 1: a HyperX", default=2),
    facts=_facts,
    source="Dally, Express cubes, IEEE ToC 40(9), 1991; with links of every length of 1 + a multiple of the gap, as in EvalNet"
    " (arXiv 2105.12663)",
    sizes=_express_meshes,
    labels={"x0, x1, ...": "the coordinate in each dimension"},
)
def express_mesh(dims: tuple[int, ...], gap: int) -> Topology:
    """A mesh with additional links between switches of a line at distances 1 + gap, 1 + 2 gap, ...

    >>> express_mesh((4, 4), 2)
    Topology(topology: 16 switches, 32 links)
    """
    number = np.arange(prod(dims)).reshape(dims)
    links = [np.empty((0, 2), np.int64)]
    for axis, side in enumerate(dims):
        for step in range(1, side, gap):
            ends = np.take(number, np.arange(side - step), axis), np.take(number, np.arange(step, side), axis)
            links.append(np.stack([end.ravel() for end in ends], axis=1))
    labels = {f"x{axis}": np.indices(dims)[axis].ravel() for axis in range(len(dims))}
    return Topology(links=np.concatenate(links), switches=prod(dims), labels=labels)
