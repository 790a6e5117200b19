"""Digraphs of words and of numbers, each with arcs to its shifts: Kautz, de Bruijn, Imase-Itoh."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.directed import DirectedTopology
from topoloom.topologies.spec import Facts, Integer, directed_family

_BASE = Integer(2, 64, "arcs that begin at a switch")
_LENGTH = Integer(1, 24, "letters of a word, which is the diameter")


@directed_family(
    "kautz-digraph",
    title="Kautz digraph",
    base=_BASE,
    length=_LENGTH,
    facts=lambda base, length: Facts((base + 1) * base ** (length - 1), base, base, (base + 1) * base**length, length),
    source="Kautz, Design of optimal interconnection networks for multiprocessors, 1969; Fiol, Yebra and Alegre, Line digraph"
    " iterations and the (d,k) digraph problem, IEEE ToC 33(5), 1984",
)
def kautz_digraph(base: int, length: int) -> DirectedTopology:
    """Words of `length` letters out of base + 1 with no letter twice in a row, each with arcs to its left shifts.

    >>> kautz_digraph(2, 3)
    DirectedTopology(directed topology: 12 switches, 24 arcs)
    """
    # A word is its first letter (base + 1 choices) and then steps 1 .. base to the next letter, modulo base + 1. The arcs of
    # a digraph are the switches of the next longer one: an arc is a word of length + 1 letters, from its first `length` letters
    # to its last ones.
    count, steps = (base + 1) * base ** (length - 1), base ** (length - 1)
    arc = np.arange(count * base)
    tail = arc // base
    first, rest = tail // steps, tail % steps * base + arc % base
    second = (first + 1 + rest // steps) % (base + 1)
    return DirectedTopology(arcs=np.stack([tail, second * steps + rest % steps], axis=1), switches=count)


@directed_family(
    "debruijn-digraph",
    title="de Bruijn digraph",
    base=_BASE,
    length=_LENGTH,
    facts=lambda base, length: Facts(base**length, base - (length == 1), base - 1, base ** (length + 1) - base, length),
    source="de Bruijn, A combinatorial problem, 1946; Bermond and Peyrat, De Bruijn and Kautz networks, 1989",
)
def debruijn_digraph(base: int, length: int) -> DirectedTopology:
    """Words of `length` letters, each with arcs to its left shifts; the `base` loops, of words of one letter, are omitted.

    >>> debruijn_digraph(2, 3)
    DirectedTopology(directed topology: 8 switches, 14 arcs)
    """
    word = np.arange(base**length)
    return _without_loops((word * base % word.size)[:, None] + np.arange(base))


def _imase_itoh_facts(n: int, degree: int) -> Facts:
    if degree >= n:
        raise InputError(f"imase-itoh: degree={degree} must be below n={n}")
    return Facts(n, degree, links=n * degree)


@directed_family(
    "imase-itoh",
    title="Imase-Itoh digraph",
    n=Integer(2, 1 << 24, "switches"),
    degree=Integer(1, 4096, "arcs that begin at a switch, fewer than n"),
    facts=_imase_itoh_facts,
    source="Imase and Itoh, A design for directed graphs with minimum diameter, IEEE ToC 32(8), 1983",
)
def imase_itoh(n: int, degree: int) -> DirectedTopology:
    """Switches 0 .. n - 1, with arcs from i to -i degree - 1, ..., -i degree - degree modulo n: a Kautz digraph of any order.

    The diameter is at most the logarithm of n to the base `degree`, rounded up. Loops are omitted.

    >>> imase_itoh(12, 2)
    DirectedTopology(directed topology: 12 switches, 24 arcs)
    """
    switch = np.arange(n, dtype=np.int64)
    return _without_loops((-switch[:, None] * degree - 1 - np.arange(degree)) % n)


def _without_loops(heads: np.ndarray) -> DirectedTopology:
    """The digraph with an arc from each switch to each of its `heads`, int64[switches, degree], without loops."""
    tails = np.broadcast_to(np.arange(len(heads))[:, None], heads.shape)
    arcs = np.stack([tails.ravel(), heads.ravel()], axis=1)
    return DirectedTopology(arcs=arcs[arcs[:, 0] != arcs[:, 1]], switches=len(heads))
