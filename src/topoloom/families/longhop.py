"""Long Hop networks: hypercubes with extra generators from an error-correcting code."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from topoloom.errors import InputError
from topoloom.families._sizing import serving
from topoloom.families.hypercube import xor_links
from topoloom.random_streams import Draws
from topoloom.spec import Facts, Integer, Seed, family
from topoloom.topology import Topology


def _facts(n: int, extra: int, seed: int = 1) -> Facts:
    if extra >= 2**n - n:
        raise InputError(f"longhop: extra={extra} is more than the {2**n - n - 1} masks left beside the {n} dimensions")
    degree = n + extra
    return Facts(2**n, degree, degree, 2 ** (n - 1) * degree, full_hosts=1)


def _longhops(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    cubes = ((n, extra) for n in range(6, 17) for extra in (4, 5, 6))
    yield from serving(hosts, radix, (({"n": n, "extra": extra}, 2**n, n + extra) for n, extra in cubes))


@family(
    "longhop",
    n=Integer(3, 20, "dimension of the hypercube"),
    extra=Integer(1, 32, "L, the extra ports of a switch", default=5),
    seed=Seed(),
    facts=_facts,
    source="Tomic, Network throughput optimization via error correcting codes, 2013; Besta 2014's LH-HC; L = 5"
    " is inferred (errata)",
    sizes=_longhops,
)
def longhop(n: int, extra: int, seed: int, attempt: int = 0) -> Topology:
    """LH-HC: a hypercube with L more links at each switch, which widen its bisection to 3N/2 links where the code allows.

    The generators (unit vectors and L long hops) are the columns of a linear code; the smallest number of generators
    with f(g) = 1 over all linear f, its distance w, makes the narrowest linear cut w N / 2. Of 300 random codes (fewer
    for large n) the one with the largest w up to 3, then the lowest diameter, then the lowest ASPL is taken.

    Parameters
    ----------
    n : int
        Dimensions of the hypercube.
    extra : int
        L, the long hops at each switch.
    seed : int
        Of the codes that are tried.
    attempt : int
        Not used: no draw is disconnected.

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
        L, the long hops at each switch.
    seed : int
        Of the codes that are tried.

    Returns
    -------
    int64[n + extra]
        Switch s is linked to s xor each of them.
    """
    tries = 300 if n <= 13 else max(8, 300 >> (n - 13))
    draws = Draws(seed)
    units = 1 << np.arange(n)
    best, found = (0, 0, 0), units
    for _ in range(tries):
        masks = np.concatenate([units, _long_hops(n, extra, draws)])
        width = min(code_distance(masks, n), 3)
        if width < best[0]:
            continue
        diameter, total = _hops_from_zero(masks, n)
        score = (width, -diameter, -total)
        if found is units or score > best:
            best, found = score, masks
    return found


def _long_hops(n: int, extra: int, draws: Draws) -> np.ndarray:
    """`extra` random masks of more than one bit, all different: int64[extra].

    Bit i of the masks, read across them, is row i of the code's check part. Rows that are all different and have at least
    two ones give a code of distance 3 (a row alone: 1 + 2; two rows: 2 + 1), so they are drawn that way where there are
    enough of them.
    """
    if extra <= 16:
        rows = np.array([word for word in range(2**extra) if word & (word - 1)])
        for _ in range(20 if rows.size >= n else 0):
            chosen = rows[draws.permutation(rows.size)[:n]]
            masks = ((chosen[:, None] >> np.arange(extra)) & 1).T @ (1 << np.arange(n))
            if np.unique(masks).size == extra and np.all(masks & (masks - 1)):
                return np.asarray(masks)
    # Few rows, or few masks to choose from: any different masks of more than one bit.
    free = np.arange(2**n)
    free = free[(free & (free - 1)) != 0]
    chosen = free[draws.permutation(free.size)[:extra]]
    return np.asarray(chosen)


def code_distance(masks: np.ndarray, n: int) -> int:
    """The fewest masks that any nonzero linear functional f(g) = parity(f & g) sees: the bisection is that times N/2."""
    functional = np.arange(1, 2**n)
    seen = np.zeros(functional.size, np.int64)
    for mask in masks:
        seen += np.bitwise_count(functional & int(mask)) & 1
    return int(seen.min())


def _hops_from_zero(masks: np.ndarray, n: int) -> tuple[int, int]:
    """(diameter, sum of distances) of the Cayley graph on n-bit words, by growing the ball around 0."""
    word = np.arange(2**n)
    reached = np.zeros(2**n, bool)
    reached[0] = True
    rounds = total = 0
    while not reached.all():
        rounds += 1
        grown = reached.copy()
        for mask in masks:
            grown |= reached[word ^ int(mask)]
        total += rounds * int(np.count_nonzero(grown) - np.count_nonzero(reached))
        reached = grown
    return rounds, total
