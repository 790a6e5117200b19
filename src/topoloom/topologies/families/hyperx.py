"""HyperX and flattened butterflies: switches in a grid, with a full mesh along every line."""

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import host_counts, near_cube, serving
from topoloom.topologies.spec import Facts, Integers, family

_DIMS = Integers(1, 4096, "switches along each dimension")
_LABELS = {
    "x0, x1, ...": "the coordinate in each dimension",
    "group": "the switches that share all but the first coordinate",
}


def _widths(dims: tuple[int, ...], width: tuple[int, ...]) -> tuple[int, ...]:
    """Parallel links in each dimension; one number applies to all dimensions."""
    if len(width) not in (1, len(dims)):
        raise InputError(
            f"hyperx: width={'x'.join(map(str, width))} has {len(width)} numbers, but there are {len(dims)} dimensions; give"
            " one number, or one per dimension"
        )
    return width * len(dims) if len(width) == 1 else width


def _facts(dims: tuple[int, ...], width: tuple[int, ...] = (1,)) -> Facts:
    total, widths = prod(dims), _widths(dims, width)
    degree = sum(parallel * (side - 1) for side, parallel in zip(dims, widths, strict=True))
    # Halving an even dimension cuts a quarter of its pairs in every line; the cheapest dimension has the fewest links per line.
    halves = [parallel * total * side // 4 for side, parallel in zip(dims, widths, strict=True) if side % 2 == 0]
    return Facts(
        switches=total,
        degree=degree,
        degree_min=degree,
        links=total * degree // 2,
        diameter=sum(side > 1 for side in dims),
        full_hosts=dims[0] * widths[0] if len(set(zip(dims, widths, strict=True))) == 1 else None,
        bisection_links=min(halves) if halves and all(side % 2 == 0 for side in dims) else None,
    )


def _butterflies(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for dimensions in (2, 3, 4, 5):
        for side in range(2, (radix - 1) // dimensions + 2):
            dims = (side,) * dimensions
            yield from serving(hosts, radix, [({"dims": dims}, side**dimensions, dimensions * (side - 1))])


def _hyperxes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Yield nearly equal sides (equal ones are flattened butterflies), and one side two or three times as long as the
    others.
    """
    for dimensions in (2, 3, 4):
        for per_switch in host_counts(radix - dimensions):
            target = -(-hosts // per_switch)
            for stretch in (1, 2, 3):
                base = near_cube(-(-target // stretch), dimensions, 2)
                dims = tuple(sorted((base[0] * stretch, *base[1:]), reverse=True)) if stretch > 1 else base
                degree = sum(side - 1 for side in dims)
                if len(set(dims)) > 1:
                    yield from serving(hosts, radix, [({"dims": dims}, prod(dims), degree)])


@family(
    "flattened-butterfly",
    dims=_DIMS,
    facts=_facts,
    source="Kim, Dally and Abts, Flattened butterfly, ISCA 2007; Besta 2014 FBF-3 is three equal dimensions",
    sizes=_butterflies,
    aliases=("fbf",),
    labels=_LABELS,
)
def flattened_butterfly(dims: tuple[int, ...]) -> Topology:
    """Switches in a grid, every line of it a full mesh (a Hamming graph).

    >>> flattened_butterfly((3, 3))
    Topology(topology: 9 switches, 18 links)
    """
    return hyperx(dims, (1,))


@family(
    "hyperx",
    title="HyperX",
    dims=_DIMS,
    width=Integers(
        1, 64, "parallel links between two switches of a line: one number, or one for each dimension", default=(1,)
    ),
    facts=_facts,
    source="Ahn et al., HyperX, SC 2009",
    sizes=_hyperxes,
    labels=_LABELS,
)
def hyperx(dims: tuple[int, ...], width: tuple[int, ...]) -> Topology:
    """A flattened butterfly with any sides and `width` parallel links, the same in all dimensions or one number per dimension.

    >>> hyperx((4, 3), (1, 2))
    Topology(topology: 12 switches, 42 links)
    """
    widths = _widths(dims, width)
    number = np.arange(prod(dims)).reshape(dims)
    links = [np.empty((0, 2), np.int64)]
    for axis, side in enumerate(dims):
        first, second = np.triu_indices(side, 1)
        ends = np.take(number, first, axis).ravel(), np.take(number, second, axis).ravel()
        links.extend([np.stack(ends, axis=1)] * widths[axis])
    labels = {f"x{axis}": np.indices(dims)[axis].ravel() for axis in range(len(dims))}
    labels["group"] = np.arange(prod(dims)) % (prod(dims) // dims[0])
    return Topology(links=np.concatenate(links), switches=prod(dims), labels=labels)


@family(
    "ub-mesh",
    title="UB-Mesh",
    dims=Integers(1, 4096, "accelerators along each side: of a rack, and of racks in a pod", default=(8, 8, 4, 4)),
    facts=lambda dims: replace(_facts(dims), hosts=prod(dims)),
    source="Liao et al., UB-Mesh, arXiv 2503.20377: racks of 8 x 8, pods of 4 x 4 racks, each dimension a full mesh;"
    " without the backup accelerator of each rack",
    sizes=lambda hosts, radix: (
        {"dims": (8, 8, *more)}
        for more in ((4, 4), (4, 4, 4), (8, 8))
        if prod((8, 8, *more)) >= hosts and 1 + sum(side - 1 for side in (8, 8, *more)) <= radix
    ),
    labels=_LABELS,
)
def ub_mesh(dims: tuple[int, ...]) -> Topology:
    """UB-Mesh's n-dimensional full mesh, an accelerator at each point; a group is a rack, the first two dimensions.

    Between racks the paper's cables go through switches of low radix in each rack, which are not part of this topology.

    >>> ub_mesh((8, 8, 4, 4))
    Topology(topology: 1024 switches, 10240 links, 1024 hosts)
    """
    mesh = hyperx(dims, (1,))
    rack = np.arange(mesh.switches) % prod(dims[2:])
    return mesh.replace(endpoints=np.arange(mesh.switches), labels={**mesh.labels, "group": rack})
