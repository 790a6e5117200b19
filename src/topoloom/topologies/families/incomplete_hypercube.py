"""Incomplete hypercubes: of any number of switches, with or without long hops."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.families.longhop import generators
from topoloom.topologies.spec import Facts, Integer, Seed, family

_MOST = 1 << 20


def _facts(n: int, extra: int, seed: int = 1) -> Facts:
    dimensions = (n - 1).bit_length()
    # Every switch except 0 has one link per set bit, to a switch with a lower number.
    links = sum(number.bit_count() for number in range(n)) if not extra and n <= 1 << 16 else None
    return Facts(n, dimensions + extra, links=links, diameter=None if extra else dimensions)


def _cubes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Yield as many switches as hosts, or half as many."""
    sizes = (-(-hosts // each) for each in (1, 2))
    yield from serving(hosts, radix, (({"n": n}, n, (n - 1).bit_length()) for n in sizes if 3 <= n <= _MOST))


@family(
    "incomplete-hypercube",
    n=Integer(3, _MOST, "switches"),
    extra=Integer(0, 16, "L, the most long hops of a switch", default=0),
    seed=Seed(),
    facts=_facts,
    source="Katseff, Incomplete hypercubes, IEEE ToC 37(5), 1988; with extra, the hybrids of Besta 2014 VI.B.4, which gives no"
    " construction: the long hops of LH-HC between existing switches",
    sizes=_cubes,
)
def incomplete_hypercube(n: int, extra: int, seed: int, attempt: int = 0) -> Topology:
    """The first `n` switches of a hypercube, with the links between them; `extra`: also with its long hops.

    Returns
    -------
    Topology
        n switches; each has links in the dimensions whose other end exists.

    Examples
    --------
    >>> incomplete_hypercube(6, 0, 1).links.tolist()
    [[0, 1], [0, 2], [0, 4], [1, 3], [1, 5], [2, 3], [4, 5]]
    """
    dimensions = (n - 1).bit_length()
    masks = generators(dimensions, extra, seed) if extra else 1 << np.arange(dimensions)
    switch = np.arange(n)
    other = switch[:, None] ^ masks
    keep = (switch[:, None] < other) & (other < n)
    return Topology(
        links=np.stack([np.broadcast_to(switch[:, None], other.shape)[keep], other[keep]], axis=1), switches=n
    )
