"""Bundlefly: a Slim Fly of bundles, each of its switches a Paley graph."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._galois import field, paley_links, prime_power, require_prime_power
from topoloom.topologies.families._sizing import leanest
from topoloom.topologies.families._star_product import star_product
from topoloom.topologies.families.slimfly import slimfly, slimfly_facts
from topoloom.topologies.spec import Facts, Integer, family


def _facts(q: int, p: int) -> Facts:
    require_prime_power("bundlefly", "q", q)
    if p % 4 != 1 or not prime_power(p):
        near = sorted((d for d in range(5, p + 41, 4) if prime_power(d)), key=lambda d: abs(d - p))[:2]
        raise InputError(
            f"bundlefly: p={p} must be a prime power 1 more than a multiple of 4 (nearest: {', '.join(map(str, sorted(near)))})"
        )
    outer = slimfly_facts(q)
    switches, degree = outer.switches * p, (outer.degree or 0) + (p - 1) // 2
    return Facts(switches, degree, degree, switches * degree // 2, 3)


def _bundleflies(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    pairs = (
        (q, p) for q in range(3, radix) if prime_power(q) for p in range(5, 2 * radix, 4) if p < 128 and prime_power(p)
    )
    structures = (({"q": q, "p": p}, _facts(q, p)) for q, p in pairs)
    yield from leanest(hosts, radix, ((values, facts.switches, facts.degree or 0) for values, facts in structures))


@family(
    "bundlefly",
    title="BundleFly",
    q=Integer(3, 128, "a prime power 4w-1, 4w or 4w+1: of the Slim Fly between groups"),
    p=Integer(5, 128, "a prime power 4w+1: switches in a group"),
    facts=_facts,
    source="Lei, Dong, Liao and Duato, Bundlefly: a low-diameter topology for multicore fiber, ICS 2020",
    sizes=_bundleflies,
    labels={"group": "the vertex of the Slim Fly", "member": "the vertex of the Paley graph"},
)
def bundlefly(q: int, p: int) -> Topology:
    """The star product of the MMS graph of q with the Paley graph of p: 2 q^2 p switches, diameter 3, bundles of p links.

    (x, a) ~ (x, b) when a - b is a square of GF(p); (x, a) ~ (y, xi a) for links xy of the MMS graph, x < y, with xi
    primitive. All p links between two groups can be one bundle.

    >>> bundlefly(3, 5)
    Topology(topology: 90 switches, 315 links)
    """
    gf = field(p)
    none = np.empty(0, np.int64)
    return star_product(slimfly(q).links.astype(np.int64), 2 * q * q, none, paley_links(p), gf.mul[gf.xi])
