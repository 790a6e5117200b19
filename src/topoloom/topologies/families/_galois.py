"""Finite fields GF(q) as tables, and the incidence geometry of the algebraic families."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from topoloom.core.errors import InputError


def prime_power(q: int) -> tuple[int, int] | None:
    """(p, e) with q = p^e and p prime, or None."""
    if q < 2:
        return None
    p = next((d for d in range(2, int(q**0.5) + 1) if q % d == 0), q)
    exponent, rest = 0, q
    while rest % p == 0:
        rest //= p
        exponent += 1
    return (p, exponent) if rest == 1 else None


def require_prime_power(name: str, key: str, q: int, allowed: str = "a prime power") -> None:
    """Raise `InputError` with the nearest prime powers unless q is one."""
    if prime_power(q) is None:
        below = next((d for d in range(q - 1, 1, -1) if prime_power(d)), None)
        above = next(d for d in range(q + 1, 2 * q + 3) if prime_power(d))
        near = ", ".join(str(d) for d in (below, above) if d)
        raise InputError(f"{name}: {key}={q} is not {allowed} (nearest: {near})")


def paley_links(q: int) -> np.ndarray:
    """The Paley graph of a prime power q = 1 mod 4: elements of GF(q), linked when they differ by a square: int64[m, 2]."""
    gf = field(q)
    squares = gf.powers[::2]
    near = gf.add[:, squares]
    u = np.broadcast_to(np.arange(q)[:, None], near.shape)
    return np.stack([u[u < near], near[u < near]], axis=1)


@dataclass(frozen=True)
class GaloisField:
    """GF(q): elements are 0 .. q - 1, with neutral elements 0 and 1; `add`, `mul`: int64[q, q] tables; `xi` is primitive."""

    q: int
    add: np.ndarray
    mul: np.ndarray
    xi: int

    @property
    def powers(self) -> np.ndarray:
        """xi^0, xi^1, ..., xi^(q-2): int64[q - 1]."""
        return _powers(self.mul, self.xi)

    @property
    def negative(self) -> np.ndarray:
        """-x for every x: int64[q]."""
        negative: np.ndarray = np.argmin(self.add, axis=1)
        return negative


@cache
def field(q: int) -> GaloisField:
    """GF(q) for a prime power q: polynomials over GF(p) modulo the first irreducible one whose root is primitive.

    An element is its polynomial's coefficients read as digits in base p. For a prime q this is arithmetic modulo q.
    """
    factors = prime_power(q)
    if factors is None:
        raise InputError(f"GF({q}) does not exist: {q} is not a prime power")
    p, exponent = factors
    digits = np.arange(q)[:, None] // p ** np.arange(exponent) % p
    weights = p ** np.arange(exponent)
    add = (digits[:, None, :] + digits[None, :, :]) % p @ weights
    if exponent == 1:
        mul = np.outer(np.arange(q), np.arange(q)) % q
        return GaloisField(q, add, mul, next(x for x in range(1, q) if len(set(_powers(mul, x).tolist())) == q - 1))
    for low in range(1, q):
        # The monic polynomial x^e + (digits of low); x itself is the element p.
        times_x = _times_x(digits, digits[low], p, exponent)
        powers = [1]
        while len(powers) < q - 1 and (following := int(times_x[powers[-1]])) not in (0, 1):
            powers.append(following)
        if len(set(powers)) == q - 1:
            break
    logarithm = np.zeros(q, np.int64)
    logarithm[powers] = np.arange(q - 1)
    mul = np.array(powers)[(logarithm[:, None] + logarithm[None, :]) % (q - 1)]
    mul[0, :] = mul[:, 0] = 0
    return GaloisField(q, add, mul, p)


def _times_x(digits: np.ndarray, low: np.ndarray, p: int, exponent: int) -> np.ndarray:
    """x times every element, modulo x^e + low: shift the digits up and reduce the overflow with `low`."""
    shifted = np.roll(digits, 1, axis=1)
    shifted[:, 0] = 0
    product: np.ndarray = (shifted - digits[:, [exponent - 1]] * low) % p @ p ** np.arange(exponent)
    return product


def _powers(mul: np.ndarray, x: int) -> np.ndarray:
    powers = np.ones(len(mul) - 1, np.int64)
    for i in range(1, powers.size):
        powers[i] = mul[powers[i - 1], x]
    return powers


def projective_points(q: int, dimension: int) -> np.ndarray:
    """The points of PG(dimension, q), first nonzero coordinate 1, in ascending order: int64[points, dimension + 1]."""
    size = dimension + 1
    vectors = np.arange(q**size)[:, None] // q ** np.arange(size - 1, -1, -1) % q
    first = np.argmax(vectors != 0, axis=1)
    points: np.ndarray = vectors[vectors[np.arange(len(vectors)), first] == 1]
    return points


def line_points(q: int) -> np.ndarray:
    """The lines of PG(2, q), each as the numbers of its points: int64[q^2 + q + 1, q + 1].

    Line i has the points orthogonal to point i, so point i is on line j if and only if point j is on line i.
    """
    points, gf = projective_points(q, 2), field(q)
    place = np.full(q**3, -1)
    place[points @ [q * q, q, 1]] = np.arange(len(points))
    # Two points of each line, and every combination p + t r of them.
    first, second = _two_orthogonal(points, gf)
    t = np.arange(q)
    combined = gf.add[first[:, None, :], gf.mul[t[None, :, None], second[:, None, :]]]
    line = np.concatenate([combined, second[:, None, :]], axis=1)
    return np.asarray(place[_normalised(line.reshape(-1, 3), gf) @ [q * q, q, 1]].reshape(len(points), q + 1))


def polarity_graph(q: int) -> tuple[np.ndarray, np.ndarray]:
    """The Erdos-Renyi (Brown) graph ER_q: points of PG(2, q), linked when orthogonal.

    Returns (links int64[m, 2] with u < v, quadrics int64[q + 1]: the points orthogonal to themselves).
    """
    orthogonal = line_points(q)
    u = np.broadcast_to(np.arange(len(orthogonal))[:, None], orthogonal.shape)
    links = np.stack([u[u < orthogonal], orthogonal[u < orthogonal]], axis=1)
    return links, np.flatnonzero((u == orthogonal).any(axis=1))


def _two_orthogonal(points: np.ndarray, gf: GaloisField) -> tuple[np.ndarray, np.ndarray]:
    """Two different points orthogonal to each (a, b, c): of (-b, a, 0), (-c, 0, a), (0, -c, b), those that are not 0."""
    a, b, c = points.T
    zero, minus = np.zeros_like(a), gf.negative
    # A normalised point has its first nonzero coordinate 1: a = 1, or a = 0 and b = 1, or (0, 0, 1).
    first = np.where(a == 1, (minus[b], a, zero), (np.ones_like(a), zero, zero)).T
    second = np.where(
        a == 1, (minus[c], zero, a), np.where(b == 1, (zero, minus[c], b), (zero, np.ones_like(a), zero))
    ).T
    return first, second


def _normalised(vectors: np.ndarray, gf: GaloisField) -> np.ndarray:
    """Vectors scaled so that their first nonzero coordinate is 1: int64[k, 3]."""
    lead = vectors[np.arange(len(vectors)), np.argmax(vectors != 0, axis=1)]
    inverse = np.argmax(gf.mul == 1, axis=1)
    scaled: np.ndarray = gf.mul[inverse[lead][:, None], vectors]
    return scaled
