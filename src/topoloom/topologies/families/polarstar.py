"""PolarStar: polarity graphs whose vertices are supernodes; diameter 3 with more switches per port than earlier families."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._galois import field, paley_links, polarity_graph, prime_power, require_prime_power
from topoloom.topologies.families._sizing import leanest
from topoloom.topologies.families._star_product import star_product
from topoloom.topologies.spec import Choice, Facts, Integer, family

#: A graph of 8 vertices and degree 3 for which v -> v ^ 1 has property R* (see `quad`).
_QUAD_3 = ((0, 2), (0, 3), (0, 4), (1, 4), (1, 6), (1, 7), (2, 4), (2, 5), (3, 6), (3, 7), (5, 6), (5, 7))


def _facts(q: int, d: int, supernode: str) -> Facts:
    require_prime_power("polarstar", "q", q)
    points, links = q * q + q + 1, q * (q + 1) ** 2 // 2
    if supernode == "iq":
        if d % 4 not in (0, 3):
            near = ", ".join(str(e) for e in (d // 4 * 4, d // 4 * 4 + 3) if e)
            raise InputError(
                f"polarstar: d={d}: a supernode iq needs a multiple of 4 links per switch, or one less (nearest: d={near})"
            )
        # Every switch of a quadric's supernode gains its loop, so that all have q + 1 + d.
        switches = points * (2 * d + 2)
        return Facts(switches, q + 1 + d, q + 1 + d, switches * (q + 1 + d) // 2, 3)
    size = 2 * d + 1
    if d % 2 or not prime_power(size):
        fitting = [e for e in range(2, 2 * d + 4, 2) if prime_power(2 * e + 1)]
        nearest = sorted(fitting, key=lambda e: abs(e - d))[:2]
        raise InputError(
            f"polarstar: d={d}: a supernode paley needs 2d + 1 switches, a prime power 1 more than a multiple of 4 (nearest:"
            f" d={', '.join(map(str, sorted(nearest)))})"
        )
    # A quadric's loops link a to xi a; half of these pairs differ by a square and are linked already, and 0 has no loop.
    total = points * size * d // 2 + links * size + (q + 1) * (size - 1) // 2
    return Facts(points * size, q + 1 + d, q + d, total, 3)


def _polarstars(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    shapes = [
        (d, "iq", 2 * d + 2) if d % 4 in (0, 3) else (d, "paley", 2 * d + 1)
        for d in range(2, radix)
        if d % 4 in (0, 3) or (d % 2 == 0 and prime_power(2 * d + 1))
    ]
    yield from leanest(
        hosts,
        radix,
        (
            ({"q": q, "d": d, "supernode": kind}, (q * q + q + 1) * size, q + 1 + d)
            for q in range(2, radix)
            if prime_power(q)
            for d, kind, size in shapes
        ),
    )


@family(
    "polarstar",
    title="PolarStar",
    q=Integer(2, 128, "a prime power: of the polarity graph between supernodes"),
    d=Integer(2, 128, "links of a switch inside its supernode"),
    supernode=Choice(
        ("iq", "paley"),
        "an inductive quad of 2d + 2 switches (d = 4w or 4w - 1), or a Paley graph of 2d + 1 (a prime power 4w + 1)",
        "iq",
    ),
    facts=_facts,
    source="Lakhotia et al., PolarStar, SPAA 2024, arXiv 2302.07217; Bermond, Delorme and Farhi 1982",
    sizes=_polarstars,
    labels={"group": "the supernode: a point of the projective plane", "member": "the switch within its supernode"},
)
def polarstar(q: int, d: int, supernode: str) -> Topology:
    """The star product of the polarity graph ER_q with supernodes of degree d: diameter 3 on q + 1 + d links per switch.

    (x, a) ~ (x, b) inside a supernode; (x, a) ~ (y, f(a)) for links xy of ER_q, x < y; (x, a) ~ (x, f(a)) at the q + 1
    quadrics, if they are not linked yet. In an inductive quad, f pairs the switches, and the links, their images and the pairs
    are all pairs of switches (property R*); in a Paley graph, f multiplies with a primitive element (property R1).

    Returns
    -------
    Topology
        Supernode by supernode; labels ``group`` and ``member``.

    Examples
    --------
    >>> polarstar(11, 3, "iq")
    Topology(topology: 1064 switches, 7980 links)
    """
    outer, quadrics = polarity_graph(q)
    if supernode == "iq":
        inner, image = quad(d), np.arange(2 * d + 2) ^ 1
    else:
        gf = field(2 * d + 1)
        inner, image = paley_links(2 * d + 1), gf.mul[gf.xi]
    return star_product(outer, q * q + q + 1, quadrics, inner, image)


def quad(degree: int) -> np.ndarray:
    """The inductive quad of a degree 4w or 4w - 1, on 2 degree + 2 vertices; 2i and 2i + 1 are partners: int64[m, 2].

    Its links, their images under exchange of all vertices with their partners, and the pairs of partners are all pairs of
    vertices. Induction from degree - 4: add the quad of degree 3 on 8 new vertices; link the even old vertices to two of the
    new pairs, and the odd ones to the other two.
    Source: Lakhotia et al. 2024; Bermond, Delorme and Farhi 1982 have the property.
    """
    links = [np.array(_QUAD_3)] if degree % 4 == 3 else []
    begin = 8 * len(links)
    while begin < 2 * degree + 2:
        if begin == 0:
            begin = 2  # degree 0: two partners, no link
            continue
        for parity, first in ((0, begin), (1, begin + 4)):
            old, new = np.meshgrid(np.arange(parity, begin, 2), np.arange(first, first + 4))
            links.append(np.stack([old.ravel(), new.ravel()], axis=1))
        links.append(np.array(_QUAD_3) + begin)
        begin += 8
    return np.concatenate(links)
