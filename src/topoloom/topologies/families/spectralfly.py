"""SpectralFly: the Ramanujan graphs of Lubotzky, Phillips and Sarnak."""

from collections.abc import Iterator
from math import isqrt
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._galois import prime_power
from topoloom.topologies.families._sizing import leanest
from topoloom.topologies.spec import Facts, Integer, family


def _odd_prime(value: int) -> bool:
    return value > 2 and prime_power(value) == (value, 1)


def _square(v: int, w: int) -> bool:
    """Whether v is a square modulo the odd prime w (Euler's criterion)."""
    return pow(v, (w - 1) // 2, w) == 1


def _facts(v: int, w: int) -> Facts:
    for name, value in (("v", v), ("w", w)):
        if not _odd_prime(value):
            near = [d for d in range(max(3, value - 40), value + 40) if _odd_prime(d)]
            near = sorted(sorted(near, key=lambda d: abs(d - value))[:2])
            raise InputError(f"spectralfly: {name}={value} is not an odd prime (nearest: {', '.join(map(str, near))})")
    if v == w or w * w <= 4 * v:
        least = next(d for d in range(isqrt(4 * v) + 1, 4 * v + 100) if _odd_prime(d) and d != v)
        raise InputError(
            f"spectralfly: w={w} must be another prime than v={v} and above 2 sqrt(v) = {2 * v**0.5:.1f}, as {least}"
        )
    switches = w * (w * w - 1) // (2 if _square(v, w) else 1)
    return Facts(switches, v + 1, v + 1, switches * (v + 1) // 2)


def _spectralflies(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    primes = [d for d in range(3, 128) if _odd_prime(d)]
    pairs = ((v, w) for v in primes if v < radix for w in primes if w != v and w * w > 4 * v)
    yield from leanest(hosts, radix, (({"v": v, "w": w}, _facts(v, w).switches, v + 1) for v, w in pairs))


@family(
    "spectralfly",
    title="SpectralFly",
    v=Integer(3, 1021, "an odd prime; a switch has v + 1 links"),
    w=Integer(
        3, 251, "another odd prime, above 2 sqrt(v); about w^3 switches, half as many where v is a square modulo w"
    ),
    facts=_facts,
    source="Lubotzky, Phillips and Sarnak, Ramanujan graphs, Combinatorica 8(3), 1988; Young et al.,"
    " SpectralFly: Ramanujan graphs as flexible and efficient interconnection networks, IPDPS 2022",
    sizes=_spectralflies,
    aliases=("lps",),
)
def spectralfly(v: int, w: int) -> Topology:
    """The Ramanujan graph LPS(v, w): v + 1 links per switch and nearly the largest spectral gap possible.

    Switches are the 2 x 2 matrices of determinant not 0 modulo w, up to a factor (PGL(2, w); bipartite); where v is a square
    modulo w, half of them (PSL(2, w)). A switch is linked to its products with v + 1 matrices. Each matrix comes from one way
    to write v as a sum of four squares a^2 + b^2 + c^2 + d^2: with a odd and positive and the others even where v = 4k + 1;
    with a even, the others odd and the first one that is not 0 positive where v = 4k + 3. The graph is vertex-transitive. The
    diameter is at most 2 log_v(N) + 2.

    >>> spectralfly(3, 5)
    Topology(topology: 120 switches, 240 links)
    """
    generators = _generators(v, w)
    # A matrix is scaled so that its first entry that is not 0 is 1: (1, b, c, d) has the number b w^2 + c w + d, and
    # (0, 1, c, d) the number w^3 + c w + d.
    number = np.full(w**3 + w * w, -1, np.int64)
    layers, frontier = [], np.array([[1, 0, 0, 1]])
    number[_codes(frontier, w)] = 0
    while len(frontier):
        layers.append(frontier)
        products = _normalised(_products(frontier, generators, w).reshape(-1, 4), w)
        codes = np.unique(_codes(products, w))
        codes = codes[number[codes] < 0]
        number[codes] = 0
        frontier = _matrices(codes, w)
    codes = np.sort(np.concatenate([_codes(layer, w) for layer in layers]))
    number[codes] = np.arange(codes.size)
    links = []
    matrices = _matrices(codes, w)
    for generator in generators:
        other = number[_codes(_normalised(_products(matrices, generator[None], w)[:, 0], w), w)]
        smaller = np.flatnonzero(np.arange(codes.size) < other)
        links.append(np.stack([smaller, other[smaller]], axis=1))
    return Topology(links=np.concatenate(links), switches=codes.size)


def _generators(v: int, w: int) -> np.ndarray:
    """The v + 1 matrices (a, b, c, d row by row) modulo w: int64[v + 1, 4]."""
    most = isqrt(v)
    axis = np.arange(-most, most + 1)
    four = np.stack(np.meshgrid(axis, axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 4)
    four = four[(four * four).sum(axis=1) == v]
    odd = four % 2 == 1
    if v % 4 == 1:
        chosen = four[(four[:, 0] > 0) & odd[:, 0] & ~odd[:, 1:].any(axis=1)]
    else:
        lead = four[np.arange(len(four)), np.argmax(four != 0, axis=1)]
        chosen = four[~odd[:, 0] & odd[:, 1:].all(axis=1) & (lead > 0)]
    # A solution of x^2 + y^2 + 1 = 0 modulo w represents quaternions as 2 x 2 matrices.
    x, y = next((x, y) for x in range(w) for y in range(w) if (x * x + y * y + 1) % w == 0)
    a, b, c, d = chosen.T
    return np.stack([a + b * x + d * y, -b * y + c + d * x, -b * y - c + d * x, a - b * x - d * y], axis=1) % w


def _products(left: np.ndarray, right: np.ndarray, w: int) -> np.ndarray:
    """Every left matrix times every right one: int64[lefts, rights, 4]."""
    a, b, c, d = left[:, None, :].transpose(2, 0, 1)
    e, f, g, h = right[None, :, :].transpose(2, 0, 1)
    return np.stack([a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h], axis=-1) % w


def _normalised(matrices: np.ndarray, w: int) -> np.ndarray:
    inverse = np.array([0, *(pow(x, -1, w) for x in range(1, w))])
    lead = np.where(matrices[:, 0] != 0, matrices[:, 0], matrices[:, 1])
    scaled: np.ndarray = matrices * inverse[lead][:, None] % w
    return scaled


def _codes(matrices: np.ndarray, w: int) -> np.ndarray:
    a, b, c, d = matrices.T
    return np.asarray(np.where(a == 1, b * w * w, w**3) + c * w + d)


def _matrices(codes: np.ndarray, w: int) -> np.ndarray:
    """The matrices with the given numbers: the inverse of `_codes`."""
    second = codes >= w**3
    return np.stack([~second, np.where(second, 1, codes // (w * w)), codes // w % w, codes % w], axis=1).astype(
        np.int64
    )
