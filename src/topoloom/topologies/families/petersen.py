"""Moore graphs and cages (Petersen, Heawood, Levi, Hoffman-Singleton), and networks composed of Petersen graphs."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from topoloom.graph.product import cartesian_product
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.spec import Facts, Integer, family


def _single(switches: int, degree: int) -> Callable[[int, int], Iterator[dict[str, Any]]]:
    return lambda hosts, radix: serving(hosts, radix, [({}, switches, degree)])


def _lcf(jumps: tuple[int, ...], repeats: int) -> Topology:
    """The cubic Hamiltonian graph of an LCF code: a ring, and switch i linked to i + jumps[i mod len]."""
    count = len(jumps) * repeats
    switch = np.arange(count)
    chord = (switch + np.tile(jumps, repeats)) % count
    links = np.concatenate([np.stack([switch, (switch + 1) % count], 1), np.stack([switch, chord], 1)])
    return Topology(links=np.unique(np.sort(links, axis=1), axis=0), switches=count)


@family(
    "petersen",
    title="Petersen graph",
    facts=lambda: Facts(10, 3, 3, 15, 2, bisection_links=5),
    source="Petersen 1898; Xu 2019 Table 1",
    sizes=_single(10, 3),
)
def petersen() -> Topology:
    """The Petersen graph: 10 switches of degree 3 and diameter 2, the Moore graph.

    >>> petersen()
    Topology(topology: 10 switches, 15 links)
    """
    outer = [(i, (i + 1) % 5) for i in range(5)]
    inner = [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    return Topology(links=np.array(outer + inner + [(i, i + 5) for i in range(5)]), switches=10)


@family(
    "heawood",
    title="Heawood graph",
    facts=lambda: Facts(14, 3, 3, 21, 3, bisection_links=7),
    source="Heawood 1890; Xu 2019 Table 1",
    sizes=_single(14, 3),
)
def heawood() -> Topology:
    """The Heawood graph: 14 switches of degree 3 and diameter 3, points and lines of the Fano plane."""
    return _lcf((5, -5), 7)


@family(
    "levi",
    title="Levi graph",
    facts=lambda: Facts(30, 3, 3, 45, 4, bisection_links=9),
    source="Tutte 1947, Coxeter 1958; Xu 2019 Table 1",
    sizes=_single(30, 3),
    aliases=("tutte-coxeter",),
)
def levi() -> Topology:
    """The Levi (Tutte-Coxeter) graph: 30 switches of degree 3 and diameter 4."""
    return _lcf((-13, -9, 7, -7, 9, 13), 5)


@family(
    "hoffman-singleton",
    title="Hoffman-Singleton graph",
    facts=lambda: Facts(50, 7, 7, 175, 2),
    source="Hoffman and Singleton 1960; it is also slimfly:q=5",
    sizes=_single(50, 7),
    labels={"group": "the pentagon or pentagram"},
)
def hoffman_singleton() -> Topology:
    """The Hoffman-Singleton graph: 50 switches of degree 7 and diameter 2, the Moore graph.

    Pentagons P_h and pentagrams Q_i; vertex j of P_h is linked to vertex h i + j of Q_i (Robertson's construction).
    """
    links = [(5 * h + j, 5 * h + (j + 1) % 5) for h in range(5) for j in range(5)]
    links += [(25 + 5 * i + j, 25 + 5 * i + (j + 2) % 5) for i in range(5) for j in range(5)]
    links += [(5 * h + j, 25 + 5 * i + (h * i + j) % 5) for h in range(5) for i in range(5) for j in range(5)]
    return Topology(links=np.array(links), switches=50, labels={"group": np.arange(50) // 5})


def _folded(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    yield from serving(hosts, radix, (({"n": n}, 10**n, 3 * n) for n in range(1, 6)))


@family(
    "folded-petersen",
    title="folded Petersen network",
    n=Integer(1, 6, "factors"),
    facts=lambda n: Facts(10**n, 3 * n, 3 * n, 10**n * 3 * n // 2, 2 * n),
    source="Ohring and Das, Folded Petersen cube networks, IEEE TPDS 7(2), 1996; Xu 2019",
    sizes=_folded,
)
def folded_petersen(n: int) -> Topology:
    """The n-fold product of the Petersen graph with itself."""
    return cartesian_product([petersen()] * n)


def _hypers(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    yield from serving(hosts, radix, (({"n": n}, 10 * 2 ** (n - 3), n) for n in range(4, min(radix, 20))))


@family(
    "hyper-petersen",
    title="hyper-Petersen network",
    n=Integer(3, 22, "dimension: the product of the (n-3)-cube with the Petersen graph"),
    facts=lambda n: Facts(10 * 2 ** (n - 3), n, n, 5 * 2 ** (n - 3) * n, n - 1),
    source="Das and Banerjee, Hyper Petersen network, 1992; Xu 2019",
    sizes=_hypers,
)
def hyper_petersen(n: int) -> Topology:
    """The product of the (n - 3)-dimensional hypercube and the Petersen graph."""
    edge = Topology(links=np.array([(0, 1)]), switches=2)
    return cartesian_product([*[edge] * (n - 3), petersen()])
