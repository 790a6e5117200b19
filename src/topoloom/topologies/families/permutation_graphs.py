"""Graphs of permutations: arrangement graphs and pancake graphs."""

from collections.abc import Iterator
from itertools import permutations
from math import factorial, perm
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import leanest, serving
from topoloom.topologies.spec import Facts, Integer, family

#: Most switches in `sizes`: one more symbol multiplies their number.
_MOST_SIZED = 1 << 18
#: Most switches of a group, if fewer symbols give so few.
_GROUP = 120


def _arrangement_facts(n: int, k: int) -> Facts:
    if k >= n:
        raise InputError(f"arrangement: k={k} must be below n={n}")
    order, degree = perm(n, k), k * (n - k)
    return Facts(order, degree, degree, order * degree // 2, 3 * k // 2)


def _arrangements(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    pairs = ((n, k) for n in range(3, radix + 1) for k in range(2, min(n, 9)) if k * (n - k) < radix)
    sized = ((n, k, perm(n, k)) for n, k in pairs)
    yield from leanest(
        hosts, radix, (({"n": n, "k": k}, order, k * (n - k)) for n, k, order in sized if order <= _MOST_SIZED)
    )


@family(
    "arrangement",
    title="arrangement graph",
    n=Integer(2, 64, "symbols"),
    k=Integer(1, 12, "symbols in a switch's name, below n"),
    facts=_arrangement_facts,
    source="Day and Tripathi, Arrangement graphs: a class of generalized star graphs, Information Processing Letters 42, 1992",
    sizes=_arrangements,
    labels={
        "group": "the last symbol, or the last symbols: an arrangement graph of the others, of at most about 120 switches"
    },
)
def arrangement(n: int, k: int) -> Topology:
    """The (n,k)-arrangement graph: k-permutations of n symbols, linked if they differ in exactly one place.

    >>> arrangement(4, 2)
    Topology(topology: 12 switches, 24 links)
    """
    names = np.array(list(permutations(range(n), k)), dtype=np.int64)
    weights = n ** np.arange(k - 1, -1, -1)
    codes = names @ weights  # ascending, because `permutations` is lexicographic
    links = []
    for place in range(k):
        for symbol in range(n):
            # A larger symbol that is absent: every link once.
            once = np.flatnonzero((names[:, place] < symbol) & (names != symbol).all(axis=1))
            other = np.searchsorted(codes, codes[once] + (symbol - names[once, place]) * weights[place])
            links.append(np.stack([once, other], axis=1))
    free = next((free for free in range(k - 1, 0, -1) if perm(n - k + free, free) <= _GROUP), min(k, 1))
    return Topology(links=np.concatenate(links), switches=len(names), labels={"group": _same(codes % n ** (k - free))})


#: The most flips that sort n pancakes (OEIS A058986).
_FLIPS = {2: 1, 3: 3, 4: 4, 5: 5, 6: 7, 7: 8, 8: 9, 9: 10, 10: 11}


def _pancakes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    sizes = ((n, factorial(n)) for n in range(3, 11))
    yield from serving(hosts, radix, (({"n": n}, order, n - 1) for n, order in sizes if order <= _MOST_SIZED))


@family(
    "pancake",
    title="pancake graph",
    n=Integer(2, 10, "symbols"),
    facts=lambda n: Facts(factorial(n), n - 1, n - 1, factorial(n) * (n - 1) // 2, _FLIPS[n]),
    source="Akers and Krishnamurthy, A group-theoretic model for symmetric interconnection networks, IEEE ToC 38(4), 1989;"
    " diameters: OEIS A058986",
    sizes=_pancakes,
    labels={"group": "the last symbol, or the last symbols: the pancake graph of the others, of at most 120 switches"},
)
def pancake(n: int) -> Topology:
    """The pancake graph: permutations of n symbols, linked if one is the other with a reversed prefix.

    >>> pancake(4)
    Topology(topology: 24 switches, 36 links)
    """
    names = np.array(list(permutations(range(n))), dtype=np.int64)
    weights = n ** np.arange(n - 1, -1, -1)
    codes = names @ weights
    links = []
    for length in range(2, n + 1):
        turned = names.copy()
        turned[:, :length] = names[:, :length][:, ::-1]
        other = np.searchsorted(codes, turned @ weights)
        once = np.flatnonzero(np.arange(len(names)) < other)
        links.append(np.stack([once, other[once]], axis=1))
    return Topology(
        links=np.concatenate(links), switches=len(names), labels={"group": _same(codes % n ** max(1, n - 5))}
    )


def _same(endings: np.ndarray) -> np.ndarray:
    """A number for each ending, from 0."""
    return np.unique(endings, return_inverse=True)[1].reshape(-1)
