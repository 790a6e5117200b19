"""Random shortcuts on a ring: RING-n (DLN-2-y), Nbr(p)-n, Gau(alpha)-n, and the deterministic DLN-x."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import free_sizes, host_counts, serving
from topoloom.topologies.spec import Facts, Integer, Real, Seed, family

_SOURCE_000 = "Koibuchi 2013 IV.B.1 (constrained shortcutting); errata of Koibuchi 2013, 9"
_N = Integer(4, 1 << 22, "switches on the ring")
_DEGREE = Integer(2, 512, "links at each switch: two along the ring, the others are shortcuts")


def _full_hosts(degree: int) -> int:
    """Besta 2014 III: hosts per switch of its random networks, floor(sqrt k) with the whole radix k = degree + p."""
    return max(p for p in range(degree + 2) if p * p <= degree + p)


def _facts(n: int, degree: int, seed: int = 1) -> Facts:
    if degree >= n - 1:
        raise InputError(f"degree={degree} needs more than {degree + 1} switches; n={n} is too few")
    return Facts(n, degree, full_hosts=_full_hosts(degree))


def _reach(n: int, p: float) -> int:
    """ "Less than" p n / 2 hops is strict: the largest whole number below (errata of Koibuchi 2013, 9)."""
    return int(np.ceil(p * n / 2)) - 1


def _nbr_facts(n: int, degree: int, p: float, seed: int = 1) -> Facts:
    reach = _reach(n, p)
    if degree > 2 and (reach < 2 or degree > 2 * reach):
        raise InputError(
            f"nbr: p={p:g} gives a switch {max(0, 2 * reach)} possible partners, too few for degree={degree}; take a greater p"
        )
    return _facts(n, degree)


def _gau_facts(n: int, degree: int, alpha: float, seed: int = 1) -> Facts:
    return _facts(n, degree)


def _nbr_sizes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Sizes whose degree fits the partners that a switch has at the default p = 0.5, with a margin for unlucky draws."""
    yield from (values for values in free_sizes(hosts, radix) if 3 * values["degree"] <= 4 * _reach(values["n"], 0.5))


@family(
    "ring-shortcuts",
    title="ring with random shortcuts",
    n=_N,
    degree=_DEGREE,
    seed=Seed(),
    facts=_facts,
    source="Koibuchi et al., A case for random shortcut topologies, ISCA 2012; Koibuchi 2013's RING-n, Truong"
    " 2016's RR-n, DLN-2-(n-2)",
    sizes=free_sizes,
    aliases=("ring-random", "rr"),
)
def ring_shortcuts(n: int, degree: int, seed: int, attempt: int = 0) -> Topology:
    """A ring with degree - 2 random matchings: every switch gets as many random shortcuts.

    A switch whose possible partners run out keeps a port free: 511.97 of 512 links on average for n=256, degree=4.

    Returns
    -------
    Topology
        Switch i is linked to i + 1.
    """
    return _matched(n, degree, n, Draws(seed, attempt))


@family(
    "nbr",
    title="ring with near shortcuts",
    n=_N,
    degree=_DEGREE,
    p=Real(0.0, 1.0, "a shortcut passes over fewer than p n/2 switches", default=0.5),
    seed=Seed(),
    facts=_nbr_facts,
    source=_SOURCE_000,
    sizes=_nbr_sizes,
)
def nbr(n: int, degree: int, p: float, seed: int, attempt: int = 0) -> Topology:
    """Nbr(p)-n: a ring with random shortcuts to switches less than p n/2 hops away along it.

    Returns
    -------
    Topology
        Switch i is linked to i + 1.
    """
    return _matched(n, degree, _reach(n, p), Draws(seed, attempt))


@family(
    "gau",
    title="ring with Gaussian shortcuts",
    n=_N,
    degree=_DEGREE,
    alpha=Real(0.01, 100.0, "standard deviation of a shortcut's distance, in units of n/2", default=1.0),
    seed=Seed(),
    facts=_gau_facts,
    source=_SOURCE_000,
    sizes=free_sizes,
)
def gau(n: int, degree: int, alpha: float, seed: int, attempt: int = 0) -> Topology:
    """Gau(alpha)-n: a ring with random shortcuts whose distance is normal, truncated to half the ring.

    Returns
    -------
    Topology
        Switch i is linked to i + 1.
    """
    offsets = np.concatenate([np.arange(-((n - 1) // 2), -1), np.arange(2, n // 2 + 1)])
    weight = np.exp(-0.5 * (offsets / (alpha * n / 2)) ** 2)
    # Thresholds on 53-bit draws, so that a platform's last digit of exp() cannot change a link.
    cumulative = np.round(np.cumsum(weight) / weight.sum() * 2.0**32).astype(np.uint64) << np.uint64(21)
    cumulative[-1] = np.uint64(1 << 53)
    return _matched(n, degree, n, Draws(seed, attempt), offsets, cumulative)


def _dln_facts(n: int, x: int, random: int, seed: int = 1) -> Facts:
    if n >> max(x - 2, 0) < 2:
        raise InputError(f"dln: x={x} has shortcuts of n/2^{x - 2}, below 2 for n={n}; take x up to {n.bit_length()}")
    if random + 2 * x >= n:
        raise InputError(f"dln: x={x} and random={random} are too many for n={n} switches")
    even = n % 2 == 0
    degree = (2 if x == 2 else 2 * x - 3 if even else 2 * x - 2) + random
    return Facts(n, degree, full_hosts=_full_hosts(degree))


def _dlns(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for per_switch in host_counts(radix - 3):
        n = -(-hosts // per_switch)
        x = min((radix - per_switch + 3) // 2, n.bit_length() - 1)
        if x > 2:
            yield from serving(hosts, radix, [({"n": n, "x": x}, n, 2 * x - 3 + n % 2)])


@family(
    "dln",
    title="ring with DLN shortcuts",
    n=Integer(8, 1 << 22, "switches on the ring"),
    x=Integer(2, 24, "x - 2 shortcuts of n/2, n/4, ... from each switch"),
    random=Integer(0, 512, "y further random shortcuts at each switch", default=0),
    seed=Seed(),
    facts=_dln_facts,
    source="Koibuchi et al., ISCA 2012; Truong 2016 footnote 1; errata of Truong 2016, 12 (the degree is 2x - 3, not x)",
    sizes=_dlns,
)
def dln(n: int, x: int, random: int, seed: int, attempt: int = 0) -> Topology:
    """DLN-x (and DLN-x-y with random=y): a ring with shortcuts from i to i + floor(n / 2^k), k = 1 .. x - 2.

    Returns
    -------
    Topology
        Switch i is linked to i + 1.
    """
    switch = np.arange(n)
    steps = [1] + [n >> k for k in range(1, x - 1)]
    ends = np.concatenate([np.stack([switch, (switch + step) % n], axis=1) for step in steps])
    links = np.unique(np.sort(ends, axis=1), axis=0)
    if not random:
        return Topology(links=links, switches=n)
    return _matched(
        n, int(np.bincount(links.ravel()).max()) + random, n, Draws(seed, attempt), base=links, passes=random
    )


_NONE = np.empty(0, np.int64)


def _matched(
    n: int,
    degree: int,
    reach: int,
    draws: Draws,
    offsets: np.ndarray = _NONE,
    cumulative: np.ndarray | None = None,
    base: np.ndarray | None = None,
    passes: int | None = None,
) -> Topology:
    """A ring (or `base`) plus random matchings: `passes` of them, or `degree` - 2 when omitted."""
    from topoloom.graph.kernels.tables import join
    from topoloom.topologies.families.kernels.random import add_matching, links_of

    switch = np.arange(n)
    base = np.stack([switch, (switch + 1) % n], axis=1) if base is None else base
    table, filled = np.empty((n, degree), np.int32), np.zeros(n, np.int32)
    for u, v in base.tolist():
        join(table, filled, u, v)
    state = draws.state()
    for _ in range(degree - 2 if passes is None else passes):
        add_matching(
            table,
            filled,
            state,
            min(reach, n // 2),
            offsets,
            np.empty(0, np.uint64) if cumulative is None else cumulative,
        )
    return Topology(links=links_of(table, filled), switches=n)
