"""Hypercubes: the binary n-cube, and its folded and crossed variants."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.spec import Facts, Integer, family


def _cubes(hosts: int, radix: int, extra: int = 0) -> Iterator[dict[str, Any]]:
    yield from serving(hosts, radix, (({"n": n}, 2**n, n + extra) for n in range(2, min(radix, 21))))


@family(
    "hypercube",
    n=Integer(1, 24, "dimension"),
    facts=lambda n: Facts(2**n, n, n, n * 2 ** (n - 1), n, full_hosts=1, bisection_links=2 ** (n - 1)),
    source="Dally and Towles, Principles and Practices of Interconnection Networks, 2003",
    sizes=_cubes,
)
def hypercube(n: int) -> Topology:
    """The binary n-cube: switches whose numbers differ in one bit are linked.

    >>> hypercube(3)
    Topology(topology: 8 switches, 12 links)
    """
    return Topology(links=xor_links(n, 1 << np.arange(n)), switches=2**n)


@family(
    "folded-hypercube",
    n=Integer(2, 23, "dimension of the underlying hypercube"),
    facts=lambda n: Facts(2**n, n + 1, n + 1, (n + 1) * 2 ** (n - 1), (n + 1) // 2, bisection_links=2**n),
    source="El-Amawy and Latifi, IEEE TPDS 2(1), 1991",
    sizes=lambda hosts, radix: _cubes(hosts, radix, extra=1),
)
def folded_hypercube(n: int) -> Topology:
    """A hypercube with one more link at each switch, to its antipode."""
    return Topology(links=xor_links(n, np.append(1 << np.arange(n), 2**n - 1)), switches=2**n)


@family(
    "crossed-cube",
    n=Integer(1, 24, "dimension"),
    facts=lambda n: Facts(2**n, n, n, n * 2 ** (n - 1), (n + 2) // 2, bisection_links=2 ** (n - 1)),
    source="Efe, A variation on the hypercube with lower diameter, IEEE ToC 40(11), 1991; Koibuchi 2013 [9] calls it twisted",
    sizes=_cubes,
    aliases=("twisted-hypercube",),
)
def crossed_cube(n: int) -> Topology:
    """Efe's crossed cube: a hypercube with links crossed so that the diameter is about half.

    u and v are linked in dimension l when they agree above bit l, differ in bit l, agree in bit l - 1 if l is odd, and
    each pair of bits below is pair-related: 00-00, 10-10, 01-11, 11-01 (errata of Koibuchi 2013, 10).
    """
    switch = np.arange(2**n)
    links = []
    for dimension in range(n):
        other = switch ^ (1 << dimension)
        for low in range(0, dimension - dimension % 2, 2):
            # A pair with its low bit set flips its high bit: 01 <-> 11.
            other = other ^ (((switch >> low) & 1) << (low + 1))
        keep = switch < other
        links.append(np.stack([switch[keep], other[keep]], axis=1))
    return Topology(links=np.concatenate(links), switches=2**n)


def xor_links(n: int, masks: np.ndarray) -> np.ndarray:
    """Links (int64[m, 2]) between every switch and its image under each XOR mask."""
    switch = np.arange(2**n)
    other = switch[:, None] ^ masks
    keep = switch[:, None] < other
    return np.stack([np.broadcast_to(switch[:, None], other.shape)[keep], other[keep]], axis=1)
