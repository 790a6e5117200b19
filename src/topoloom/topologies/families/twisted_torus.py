"""Twisted tori: the wraps of short sides shift along the long ones (TPU slices)."""

from math import prod

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Facts, Integers, family


def _facts(dims: tuple[int, ...]) -> Facts:
    short, _ = _sides(dims)
    full = 2 * len(dims) if short > 2 else None
    return Facts(prod(dims), full, full, len(dims) * prod(dims) if short > 2 else None, full_hosts=1)


def _sides(dims: tuple[int, ...]) -> tuple[int, int]:
    """The short and the long side."""
    short, long = min(dims), max(dims)
    if len(dims) < 2 or long != 2 * short or set(dims) != {short, long}:
        shape = "x".join(map(str, dims))
        raise InputError(
            f"dims={shape}: a twisted torus needs sides of n and of 2n, both at least once, such as 4x8x8 or 4x4x8"
        )
    if short < 2:
        raise InputError("a twisted torus needs sides of 2 or more")
    return short, long


@family(
    "twisted-torus",
    dims=Integers(2, 1 << 12, "switches along each dimension: n for the short ones, 2n for the long"),
    facts=_facts,
    source="Google Cloud, TPU v4 and v5p documentation: shapes n x n x 2n and n x 2n x 2n; Camarero, Martinez and Beivide,"
    " Lattice graphs for high-scale interconnection topologies, IEEE TPDS 26(9), 2015: their lattices FCC and BCC",
    sizes=lambda hosts, radix: (
        {"dims": (n,) * short + (2 * n,) * (3 - short), "hosts": 1}
        for short in (1, 2)
        for n in [next(n for n in range(3, 1 << 12) if n**3 << (3 - short) >= hosts)]
        if radix >= 7
    ),
    labels={"x0, x1, ...": "the coordinate in each dimension"},
)
def twisted_torus(dims: tuple[int, ...]) -> Topology:
    """A torus whose wraps along short sides (n) also shift by n along every long side (2n); paths are shorter than a torus's.

    Returns
    -------
    Topology
        With labels ``x0``, ``x1``, ...; engines by dimension order refuse it.

    Raises
    ------
    InputError
        The sides are not n and 2n.

    Examples
    --------
    >>> from topoloom.graph.hops import hops
    >>> found = hops(twisted_torus((4, 8, 8)))
    >>> found.diameter, int(found.histogram @ range(found.histogram.size)) // 256  # plain: 10 and 1,280
    (6, 1104)
    """
    short, long = _sides(dims)
    at = np.indices(dims).reshape(len(dims), -1)
    number = np.arange(prod(dims))
    links = []
    for axis, side in enumerate(dims):
        neighbour = at.copy()
        neighbour[axis] += 1
        wraps = neighbour[axis] == side
        neighbour[axis, wraps] = 0
        if side == short:
            for other, other_side in enumerate(dims):
                if other_side == long:
                    neighbour[other, wraps] = (neighbour[other, wraps] + short) % long
        links.append(np.stack([number, np.ravel_multi_index(tuple(neighbour), dims)], axis=1))
    return Topology(
        links=np.concatenate(links), switches=prod(dims), labels={f"x{axis}": at[axis] for axis in range(len(dims))}
    )
