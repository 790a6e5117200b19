"""The (n,k)-star graph."""

from collections.abc import Iterator
from itertools import permutations
from math import perm
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.spec import Facts, Integer, family


def _facts(n: int, k: int) -> Facts:
    if k >= n:
        raise InputError(f"star: k={k} must be below n={n}")
    diameter = 2 * k - 1 if k <= n // 2 else k + (n - 1) // 2
    order = perm(n, k)
    return Facts(order, n - 1, n - 1, order * (n - 1) // 2, diameter)


def _stars(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    pairs = ((n, k) for n in range(3, min(radix, 32)) for k in range(2, min(n, 8)) if perm(n, k) <= min(hosts, 1 << 18))
    yield from serving(hosts, radix, (({"n": n, "k": k}, perm(n, k), n - 1) for n, k in pairs))


@family(
    "star",
    title="star graph",
    n=Integer(2, 64, "symbols"),
    k=Integer(1, 12, "symbols in a switch's name, below n"),
    facts=_facts,
    source="Chiang and Chen, The (n,k)-star graph, Information Processing Letters 56, 1995",
    sizes=_stars,
)
def star(n: int, k: int) -> Topology:
    """The (n,k)-star: k-permutations of n symbols; the first symbol is swapped with another place or replaced."""
    names = np.array(list(permutations(range(n), k)), dtype=np.int64)
    weights = n ** np.arange(k - 1, -1, -1)
    codes = names @ weights  # ascending, because `permutations` is lexicographic
    links = []
    for place in range(1, k):
        swapped = names.copy()
        swapped[:, [0, place]] = names[:, [place, 0]]
        links.append(np.searchsorted(codes, swapped @ weights))
    for symbol in range(n):
        absent = np.all(names != symbol, axis=1)
        replaced = names.copy()
        replaced[:, 0] = symbol
        other = np.searchsorted(codes, replaced @ weights, side="left")
        links.append(np.where(absent, other, -1))
    switch = np.tile(np.arange(len(names)), len(links))
    other = np.concatenate(links)
    keep = switch < other
    return Topology(links=np.stack([switch[keep], other[keep]], axis=1), switches=len(names))
