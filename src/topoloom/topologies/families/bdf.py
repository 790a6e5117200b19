"""The Bermond-Delorme-Farhi graphs of diameter three."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._galois import polarity_graph, prime_power, require_prime_power
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.families._star_product import star_product
from topoloom.topologies.spec import Facts, Integer, family


def _facts(u: int) -> Facts:
    require_prime_power("bdf", "u", u, "an odd prime power")
    if u % 2 == 0:
        raise InputError(f"bdf: u={u} must be odd (an odd prime power)")
    return Facts((u + 1) * (u * u + u + 1), 3 * (u + 1) // 2, diameter=3)


def _bdfs(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    powers = (u for u in range(3, radix, 2) if prime_power(u))
    yield from serving(hosts, radix, (({"u": u}, (u + 1) * (u * u + u + 1), 3 * (u + 1) // 2) for u in powers))


@family(
    "bdf",
    title="BDF star product",
    u=Integer(3, 64, "an odd prime power"),
    facts=_facts,
    source="Bermond, Delorme and Farhi, Large graphs with given degree and diameter III, 1982; Besta 2014 II.C;"
    " errata of Besta 2014, 15",
    sizes=_bdfs,
    labels={"group": "the vertex of the polarity graph", "member": "the vertex of the supernode"},
)
def bdf(u: int) -> Topology:
    """The star product of the polarity graph ER_u with a graph on u + 1 vertices that has property P*.

    (x, a) ~ (x, b) for the supernode's links ab; (x, a) ~ (y, f(a)) for links xy of ER_u; (x, a) ~ (x, f(a)) at the
    quadrics, ER_u's loops. Not regular: switches of quadrics, and of the supernode's pair with the fewest links, have fewer
    links.
    """
    outer, quadrics = polarity_graph(u)
    inner, partner = supernode((u + 1) // 2)
    return star_product(outer, u * u + u + 1, quadrics, inner, partner)


def supernode(pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """A graph on 2 * pairs vertices of degree at most `pairs` with property P*: (links int64[m, 2], involution f).

    P*: the links, their images under f and the pairs (a, f(a)) are all pairs of vertices. Vertices 2i and 2i + 1 are partners
    and form pair i. Between pairs i and j there are two orbits of f, and one link of each must be chosen. In every such choice,
    both links start at one vertex of one pair (degree + 2 there) and end at both vertices of the other pair (+ 1 each). If a
    pair is the starting one an even number of times, from its two vertices in turn, both get degree pairs - 1. The choices are
    made so that at most one pair starts an odd number of times. The vertices of the other pairs have one port left, which links
    the partners, so the loops at quadrics need no additional port.
    """
    links = []
    played = np.zeros(pairs, np.int64)
    for i in range(pairs):
        for j in range(i + 1, pairs):
            # Pair j starts in all later choices of i, so i starts only in its last one, to make its count even.
            side, other = (i, j) if j == pairs - 1 and played[i] % 2 else (j, i)
            vertex = 2 * side + played[side] % 2
            links += [(vertex, 2 * other), (vertex, 2 * other + 1)]
            played[side] += 1
    links += [(2 * i, 2 * i + 1) for i in range(pairs) if played[i] % 2 == 0]
    return np.array(links), np.arange(2 * pairs) ^ 1
