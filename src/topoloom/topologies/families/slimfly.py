"""Slim Fly: the McKay-Miller-Siran graphs of diameter two."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.topologies.families._galois import GaloisField, field, prime_power, require_prime_power
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.spec import Facts, Integer, family


def _delta(q: int) -> int:
    """q = 4w + delta with delta in {-1, 0, 1}."""
    require_prime_power("slimfly", "q", q)
    return 1 if q % 4 == 1 else -(q % 4 == 3)


def slimfly_facts(q: int) -> Facts:
    """Size, degree and diameter of the MMS graph of a prime power q."""
    degree = (3 * q - _delta(q)) // 2
    return Facts(2 * q * q, degree, degree, q * q * degree, 2, full_hosts=-(-degree // 2))


def _slimflies(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for q in range(3, radix):
        if prime_power(q):
            facts = slimfly_facts(q)
            yield from serving(hosts, radix, [({"q": q}, facts.switches, facts.degree or 0)], facts.full_hosts)


@family(
    "slimfly",
    title="Slim Fly",
    q=Integer(3, 256, "a prime power 4w-1, 4w or 4w+1"),
    facts=slimfly_facts,
    source="Besta 2014 II.B; Hafner, Geometric realisation of the graphs of McKay-Miller-Siran, JCTB 90(2),"
    " 2004; errata of Besta 2014, 2",
    sizes=_slimflies,
    aliases=("mms",),
    labels={
        "subgraph": "0 for switches (0, x, y), 1 for (1, m, c)",
        "group": "x or m: rack i holds (0, i, *) and (1, i, *)",
        "member": "y or c",
    },
)
def slimfly(q: int) -> Topology:
    """The MMS graph: 2 q^2 switches of degree (3q - delta)/2 and diameter 2, q = 4w + delta.

    (0, x, y) ~ (0, x, y') when y - y' is in X; (1, m, c) ~ (1, m, c') when c - c' is in X'; (0, x, y) ~ (1, m, c) when
    y = m x + c, all in GF(q). The generator sets are those of the errata (Besta 2014, 2), verified for every field.

    >>> slimfly(5)
    Topology(topology: 50 switches, 175 links)
    """
    gf = field(q)
    links = []
    for side, generators in enumerate(generator_sets(gf, _delta(q))):
        inside = np.stack([np.repeat(np.arange(q), len(generators)), gf.add[:, generators].ravel()], axis=1)
        inside = np.unique(np.sort(inside, axis=1), axis=0)
        offset = side * q * q + np.arange(q) * q
        links.append((inside[None, :, :] + offset[:, None, None]).reshape(-1, 2))
    x, m, c = (axis.ravel() for axis in np.indices((q, q, q)))
    y = gf.add[gf.mul[m, x], c]
    links.append(np.stack([x * q + y, q * q + m * q + c], axis=1))
    switch = np.arange(2 * q * q)
    labels = {"subgraph": switch // (q * q), "group": switch // q % q, "member": switch % q}
    return Topology(links=np.concatenate(links), switches=2 * q * q, labels=labels)


def generator_sets(gf: GaloisField, delta: int) -> tuple[np.ndarray, np.ndarray]:
    """Hafner's sets X and X' (int64 each), symmetric under negation; errata of Besta 2014, 2."""
    q, powers = gf.q, gf.powers
    if delta == 1:
        chosen = np.arange(0, q - 2, 2)
    elif delta == 0:
        chosen = np.arange(0, q - 1, 2)
    else:
        w = (q + 1) // 4
        chosen = np.concatenate([np.arange(0, 2 * w - 1, 2), np.arange(2 * w - 1, 4 * w - 2, 2)])
    return powers[chosen], powers[(chosen + 1) % (q - 1)]
