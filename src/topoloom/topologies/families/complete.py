"""Complete graphs and circulants."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import host_counts, serving
from topoloom.topologies.spec import Facts, Integer, Integers, family


def _meshes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    yield from serving(hosts, radix, (({"n": n}, n, n - 1) for n in range(1, radix)))


@family(
    "complete",
    title="full mesh",
    n=Integer(1, 20_000, "switches; 1 is a single switch"),
    facts=lambda n: Facts(
        n, n - 1, n - 1, n * (n - 1) // 2, min(1, n - 1), full_hosts=n, bisection_links=(n // 2) * (n - n // 2)
    ),
    source="the complete graph; full mesh",
    sizes=_meshes,
    aliases=("full-mesh",),
)
def complete(n: int) -> Topology:
    """Every switch linked to every other."""
    return Topology(links=np.stack(np.triu_indices(n, 1), axis=1), switches=n)


def _circulant_facts(n: int, jumps: tuple[int, ...]) -> Facts:
    if len(set(jumps)) != len(jumps) or max(jumps) > n // 2:
        raise InputError(f"circulant: jumps={'x'.join(map(str, jumps))} must be different numbers up to n/2 = {n // 2}")
    degree = sum(1 if 2 * jump == n else 2 for jump in jumps)
    return Facts(n, degree, degree, n * degree // 2)


def _circulants(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Yield geometric jumps 1, b, b^2, ...: the classic multi-loop networks, with 2 to 6 jumps."""
    for count in range(2, 7):
        for per_switch in host_counts(radix - 2 * count):
            n = max(2 * count + 3, -(-hosts // per_switch))
            base = max(2, round(n ** (1 / count)))
            jumps = tuple(base**i for i in range(count))
            if jumps[-1] < n / 2:
                yield from serving(hosts, radix, [({"n": n, "jumps": jumps}, n, 2 * count)])


@family(
    "circulant",
    title="circulant ring",
    n=Integer(3, 1 << 24, "switches"),
    jumps=Integers(1, 1 << 23, "distances along the ring that are linked, each at most n/2"),
    facts=_circulant_facts,
    source="Bermond, Comellas and Hsu, J. Parallel Distrib. Comput. 24(1), 1995",
    sizes=_circulants,
)
def circulant(n: int, jumps: tuple[int, ...]) -> Topology:
    """A ring in which each switch is also linked to the switches at distances `jumps`."""
    switch = np.arange(n)
    links = [np.stack([switch, (switch + jump) % n], axis=1)[: n // 2 if 2 * jump == n else n] for jump in jumps]
    return Topology(links=np.concatenate(links), switches=n)
