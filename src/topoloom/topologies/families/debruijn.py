"""De Bruijn and Kautz graphs: words, linked to their shifts."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.spec import Facts, Integer, family

_BASE = Integer(2, 64, "letters of the alphabet")
_SOURCE = "Bermond and Peyrat, De Bruijn and Kautz networks, 1989"


def _debruijns(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for base in range(2, min(radix // 2, 64) + 1):
        lengths = (n for n in range(2, 20) if base**n <= hosts)
        yield from serving(hosts, radix, (({"base": base, "length": n}, base**n, 2 * base) for n in lengths))


def _kautzes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for base in range(2, min(radix // 2, 64) + 1):
        orders = ((n, (base + 1) * base ** (n - 1)) for n in range(2, 20))
        yield from serving(
            hosts, radix, (({"base": base, "length": n}, order, 2 * base) for n, order in orders if order <= hosts)
        )


@family(
    "debruijn",
    title="de Bruijn graph",
    base=_BASE,
    length=Integer(1, 24, "letters of a word"),
    facts=lambda base, length: Facts(base**length, 2 * base if length > 2 else None, diameter=length),
    source=_SOURCE,
    sizes=_debruijns,
)
def debruijn(base: int, length: int) -> Topology:
    """Words of `length` letters, each linked to its left shifts (undirected, without loops and parallel links)."""
    word = np.arange(base**length)
    shifted = (word * base % base**length)[:, None] + np.arange(base)
    return _simple(word, shifted)


@family(
    "kautz",
    title="Kautz graph",
    base=_BASE,
    length=Integer(1, 24, "letters of a word"),
    facts=lambda base, length: Facts(
        (base + 1) * base ** (length - 1), 2 * base if length > 2 else None, diameter=length
    ),
    source=_SOURCE,
    sizes=_kautzes,
)
def kautz(base: int, length: int) -> Topology:
    """Words of `length` letters out of base + 1 with no letter twice in a row, each linked to its left shifts."""
    # A word is its first letter (base + 1 choices) and then steps 1 .. base to the next letter, modulo base + 1.
    count = (base + 1) * base ** (length - 1)
    steps = base ** (length - 1)
    word = np.arange(count)
    first, rest = word // steps, word % steps
    if length == 1:
        return _simple(word, (first[:, None] + 1 + np.arange(base)) % (base + 1))
    head = base ** (length - 2)
    second = (first + 1 + rest // head) % (base + 1)
    shifted = (second * steps + rest % head * base)[:, None] + np.arange(base)
    return _simple(word, shifted)


def _simple(word: np.ndarray, shifted: np.ndarray) -> Topology:
    """The undirected simple graph with a link from each word to each of its shifts."""
    ends = np.stack([np.broadcast_to(word[:, None], shifted.shape).ravel(), shifted.ravel()], axis=1)
    ends = ends[ends[:, 0] != ends[:, 1]]
    return Topology(links=np.unique(np.sort(ends, axis=1), axis=0), switches=word.size)
