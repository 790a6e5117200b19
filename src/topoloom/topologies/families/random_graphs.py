"""Random regular graphs (Jellyfish) and the two classic small worlds."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import free_sizes, host_counts, near_square, serving
from topoloom.topologies.spec import Facts, Integer, Real, Seed, family


def _jellyfish_facts(n: int, degree: int, seed: int = 1) -> Facts:
    if degree >= n:
        raise InputError(f"jellyfish: degree={degree} needs more than {degree} switches; n={n}")
    return Facts(n, degree, degree - n * degree % 2, n * degree // 2)


@family(
    "jellyfish",
    title="Jellyfish",
    n=Integer(3, 1 << 22, "switches"),
    degree=Integer(2, 1024, "links at each switch; one switch has one less when n * degree is odd"),
    seed=Seed(),
    facts=_jellyfish_facts,
    source="Singla, Hong, Popa and Godfrey, Jellyfish, NSDI 2012; pairing model: Bollobas, Random Graphs, 2001",
    sizes=free_sizes,
    aliases=("random-regular",),
)
def jellyfish(n: int, degree: int, seed: int, attempt: int = 0) -> Topology:
    """The random regular graph (pairing model; uniform only in the limit of many switches).

    Returns
    -------
    Topology
        No parallel links.

    Raises
    ------
    InputError
        No such graph was found in 100 draws.
    """
    from topoloom.topologies.families.kernels.random import links_of, random_regular

    if 2 * degree > n - 1 and n - 1 - degree >= 0 and n * degree % 2 == 0 and n <= 2048:
        return _complement(n, degree, seed, attempt)
    for stream in range(attempt, attempt + 10_000, 100):
        table, filled = np.empty((n, degree), np.int32), np.zeros(n, np.int32)
        if random_regular(table, filled, Draws(seed, stream).state(), degree) == n * degree % 2:
            return Topology(links=links_of(table, filled), switches=n)
    raise InputError(
        f"jellyfish: no simple graph with n={n} and degree={degree} was found in 100 draws; lower the degree"
    )


def _complement(n: int, degree: int, seed: int, attempt: int) -> Topology:
    """Nearly complete graphs, where exchanging links rarely works: the complement of a sparse random regular graph."""
    left = n - 1 - degree
    absent = np.eye(n, dtype=bool)
    if left:
        u, v = jellyfish(n, left, seed, attempt).links.T if left > 1 else _random_pairs(n, Draws(seed, attempt))
        absent[u, v] = absent[v, u] = True
    return Topology(links=np.argwhere(np.triu(~absent)), switches=n)


def _random_pairs(n: int, draws: Draws) -> tuple[np.ndarray, np.ndarray]:
    order = draws.permutation(n)
    return order[0::2], order[1::2]


def _watts_facts(n: int, degree: int, beta: float, seed: int = 1) -> Facts:
    if degree % 2 or degree >= n:
        raise InputError(f"watts-strogatz: degree={degree} must be even and below n={n}")
    return Facts(n, degree if beta == 0 else None, links=n * degree // 2)


def _watts(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Rewired ends add links to some switches, so a third of the ports is kept free."""
    for per_switch in host_counts(radix - 6):
        n = -(-hosts // per_switch)
        degree = min((radix - per_switch) * 2 // 3 // 2 * 2, 64)
        if 4 <= degree < n - 1:
            yield from serving(hosts, radix, [({"n": n, "degree": degree}, n, degree)])


@family(
    "watts-strogatz",
    title="Watts-Strogatz small world",
    n=Integer(5, 1 << 20, "switches on the ring"),
    degree=Integer(2, 512, "mean number of links at a switch, even"),
    beta=Real(0.0, 1.0, "probability that a lattice link is rewired", default=0.2),
    seed=Seed(),
    facts=_watts_facts,
    source="Watts and Strogatz, Collective dynamics of small-world networks, Nature 393, 1998",
    sizes=_watts,
)
def watts_strogatz(n: int, degree: int, beta: float, seed: int, attempt: int = 0) -> Topology:
    """A ring lattice whose links have their far end rewired at random with probability beta.

    Returns
    -------
    Topology
        n * degree / 2 links.
    """
    draws = Draws(seed, attempt)
    linked = [{(u + sign * step) % n for step in range(1, degree // 2 + 1) for sign in (1, -1)} for u in range(n)]
    links = []
    for step in range(1, degree // 2 + 1):
        moved = (draws.uniform(n) < beta).tolist()
        for u in range(n):
            v = (u + step) % n
            if moved[u] and len(linked[u]) < n - 1:
                linked[u].discard(v)
                linked[v].discard(u)
                new = v
                while new == u or new == v or new in linked[u]:
                    new = int(draws.below(n, 1)[0])
                    if new == v and len(linked[u]) == n - 2:
                        break
                linked[u].add(new)
                linked[new].add(u)
                v = new
            links.append((u, v))
    return Topology(links=np.array(links), switches=n)


def _kleinberg_facts(side: int, links: int, exponent: float, seed: int = 1) -> Facts:
    if side * side <= links + 5:
        raise InputError(f"kleinberg: links={links} is too many for {side * side} switches")
    return Facts(side * side)


def _kleinbergs(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Incoming long links are Poisson distributed: half of the ports beyond the lattice's 4 are kept for them."""
    for per_switch in host_counts(radix - 8):
        side, _ = near_square(-(-hosts // per_switch))
        links = min((radix - per_switch - 4) // 4, 16)
        if links and side >= 3:
            yield from serving(hosts, radix, [({"side": side, "links": links}, side * side, 4 + 2 * links)])


@family(
    "kleinberg",
    title="Kleinberg lattice",
    side=Integer(3, 128, "switches along each side of the square lattice"),
    links=Integer(1, 64, "long links that start at each switch", default=1),
    exponent=Real(
        0.0, 10.0, "the probability of a long link of lattice distance d is proportional to d^-exponent", default=2.0
    ),
    seed=Seed(),
    facts=_kleinberg_facts,
    source="Kleinberg, Navigation in a small world, Nature 406, 2000",
    sizes=_kleinbergs,
    labels={"x0, x1": "the place in the lattice"},
)
def kleinberg(side: int, links: int, exponent: float, seed: int, attempt: int = 0) -> Topology:
    """A square lattice with random long links, more likely to near switches; parallel links are kept once.

    Returns
    -------
    Topology
        Labels ``x0`` and ``x1``.
    """
    draws = Draws(seed, attempt)
    x, y = (axis.ravel() for axis in np.indices((side, side)))
    switch = np.arange(side * side)
    lattice = [
        np.stack([switch[x < side - 1], switch[x < side - 1] + side], 1),
        np.stack([switch[y < side - 1], switch[y < side - 1] + 1], 1),
    ]
    distance = np.arange(2 * side - 1, dtype=float)
    weight_of = np.concatenate([[0.0], distance[1:] ** -exponent])
    long_links = []
    for u in range(side * side):
        weight = weight_of[np.abs(x - x[u]) + np.abs(y - y[u])]
        cumulative = np.cumsum(weight)
        # Rounded to 32 bits, so that differences in the last digit of pow() between platforms cannot change a link.
        threshold = np.round(cumulative / cumulative[-1] * 2.0**32)
        target = np.searchsorted(threshold, draws.uniform(links) * 2.0**32, side="right")
        long_links.append(np.stack([np.full(links, u), target], axis=1))
    ends = np.sort(np.concatenate(lattice + long_links), axis=1)
    return Topology(links=np.unique(ends, axis=0), switches=side * side, labels={"x0": x, "x1": y})
