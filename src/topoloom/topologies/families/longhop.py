"""Long Hop networks: hypercubes with extra generators from an error-correcting code."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.families.hypercube import xor_links
from topoloom.topologies.spec import Facts, Integer, Seed, family

#: Number of starting codes of the search for small networks.
_STARTS = 3


def _facts(n: int, extra: int, seed: int = 1) -> Facts:
    if extra >= 2**n - n:
        raise InputError(f"longhop: extra={extra} is more than the {2**n - n - 1} masks other than the {n} dimensions")
    degree = n + extra
    return Facts(2**n, degree, degree, 2 ** (n - 1) * degree, full_hosts=1)


def _longhops(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    cubes = ((n, extra) for n in range(6, 17) for extra in (4, 5, 6))
    yield from serving(hosts, radix, (({"n": n, "extra": extra}, 2**n, n + extra) for n, extra in cubes))


@family(
    "longhop",
    title="Long Hop hypercube",
    n=Integer(3, 20, "dimension of the hypercube"),
    extra=Integer(1, 32, "L, the extra ports of a switch", default=5),
    seed=Seed(),
    facts=_facts,
    source="Tomic, Network throughput optimization via error correcting codes, 2013; Besta 2014's LH-HC; L = 5"
    " is inferred (errata)",
    sizes=_longhops,
)
def longhop(n: int, extra: int, seed: int, attempt: int = 0) -> Topology:
    """LH-HC: a hypercube with L more links per switch, which increase its bisection to 2N or 3N/2 links, depending on the code.

    The generators (unit vectors and L long hops) are the columns of a linear code; the smallest number of generators
    with f(g) = 1 over all linear f, its distance w, makes the narrowest linear cut w N / 2. Distance 4, the best possible,
    needs n numbers of L bits with an odd number of ones, three or more (L = 5 up to n = 11, L = 6 up to n = 26); otherwise
    distance 3 needs n numbers with two ones or more. Among these codes, hill climbing by single rows finds one with low
    diameter and then low ASPL.

    Returns
    -------
    Topology
        2^n switches of n + L links.
    """
    return Topology(links=xor_links(n, generators(n, extra, seed)), switches=2**n)


@lru_cache(maxsize=64)
def generators(n: int, extra: int, seed: int) -> np.ndarray:
    """The n unit masks and the `extra` long hops, int64[n + extra].

    Parameters
    ----------
    n : int
        Dimensions of the hypercube.
    extra : int
        L, the long hops per switch.
    seed : int
        Seed of the codes to try.

    Returns
    -------
    int64[n + extra]
        Switch s is linked to s xor each mask.
    """
    tries = 300 if n <= 13 else max(8, 300 >> (n - 13))
    draws, units = Draws(seed), 1 << np.arange(n)
    words = np.arange(2**extra) if extra <= 16 else np.empty(0, np.int64)
    ones = np.bitwise_count(words)
    for rows in (words[(ones >= 3) & (ones % 2 == 1)], words[ones >= 2]):
        if rows.size >= n:
            starts = _STARTS if n <= 11 and rows.size > n else 1
            climbed = (_climbed(n, extra, rows[draws.permutation(rows.size)], tries, draws) for _ in range(starts))
            return min(climbed, key=lambda masks: _hops_from_zero(masks, n))
    best: tuple[int, int, int] | None = None
    best_masks = units
    for _ in range(tries):
        masks = np.concatenate([units, _long_hops(n, extra, draws)])
        diameter, total = _hops_from_zero(masks, n)
        score = (min(code_distance(masks, n), 3), -diameter, -total)
        if best is None or score > best:
            best, best_masks = score, masks
    return best_masks


def _climbed(n: int, extra: int, rows: np.ndarray, tries: int, draws: Draws) -> np.ndarray:
    """Hill climbing: the generators whose long hops have n of `rows` as bit columns, starting from the first n rows.

    `rows` : int64[at least n], numbers of `extra` bits; one row at a time is exchanged for an unused one, and kept if it is not
    worse.
    """
    units, rows = 1 << np.arange(n), rows.copy()

    def masks() -> np.ndarray:
        return np.concatenate([units, ((rows[:n, None] >> np.arange(extra)) & 1).T @ units])

    def score() -> tuple[int, int]:
        return _hops_from_zero(masks(), n) if len(set(masks().tolist())) == n + extra else (2**n, 0)

    best = score()
    for _ in range(tries if rows.size > n else 0):
        used, unused = draws.below(n, 1)[0], n + draws.below(rows.size - n, 1)[0]
        rows[[used, unused]] = rows[[unused, used]]
        new_score = score()
        if new_score <= best:
            best = new_score
        else:
            rows[[used, unused]] = rows[[unused, used]]
    return masks()


def _long_hops(n: int, extra: int, draws: Draws) -> np.ndarray:
    """`extra` random masks of more than one bit, all different: int64[extra]."""
    free = np.arange(2**n)
    free = free[(free & (free - 1)) != 0]
    chosen = free[draws.permutation(free.size)[:extra]]
    return np.asarray(chosen)


def code_distance(masks: np.ndarray, n: int) -> int:
    """The fewest masks with f(g) = 1 over all nonzero linear functionals f(g) = parity(f & g); the bisection is that times
    N/2.
    """
    functional = np.arange(1, 2**n)
    seen = np.zeros(functional.size, np.int64)
    for mask in masks:
        seen += np.bitwise_count(functional & int(mask)) & 1
    return int(seen.min())


def _hops_from_zero(masks: np.ndarray, n: int) -> tuple[int, int]:
    """(diameter, sum of distances) of the Cayley graph on n-bit words."""
    from topoloom.topologies.families.kernels.cayley import hops_from_zero

    diameter, total = hops_from_zero(masks.astype(np.int64), np.empty(2**n, np.int64), np.empty(2**n, np.int64))
    return int(diameter), int(total)
