"""PolarFly: the Erdos-Renyi polarity graphs of diameter two."""

from collections.abc import Iterator
from typing import Any

from topoloom.model.topology import Topology
from topoloom.topologies.families._galois import polarity_graph, prime_power, require_prime_power
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.spec import Facts, Integer, family


def _facts(q: int) -> Facts:
    require_prime_power("polarfly", "q", q)
    # Summing degrees: q^2 points of degree q + 1 and q + 1 quadrics of degree q.
    return Facts(q * q + q + 1, q + 1, q, q * (q + 1) ** 2 // 2, 2)


def _polarflies(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    powers = (q for q in range(3, radix) if prime_power(q))
    yield from serving(hosts, radix, (({"q": q}, q * q + q + 1, q + 1) for q in powers))


@family(
    "polarfly",
    title="PolarFly",
    q=Integer(2, 256, "a prime power"),
    facts=_facts,
    source="Lakhotia et al., PolarFly, SC 2022; Brown 1966; Erdos and Renyi 1962",
    sizes=_polarflies,
)
def polarfly(q: int) -> Topology:
    """The polarity graph ER_q: q^2 + q + 1 switches of degree q + 1 (q for the q + 1 quadrics) and diameter 2."""
    links, _ = polarity_graph(q)
    return Topology(links=links, switches=q * q + q + 1)
