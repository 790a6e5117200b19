"""Semidirect products Z_m[x]/(f) : Z_k for every monic polynomial f: all actions of a cyclic group on Z_m^j under which one
vector generates all others.

Multiplication by x maps the residues of polynomials modulo f onto themselves if the constant term of f has an inverse. Shifts,
shears and factors in a field (`structures.groups`) are the polynomials x^j - 1, (x - 1)^j and the irreducible ones; most good
lifts use others.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np

from topoloom.optimizer.structures.groups import MOST_ELEMENTS, Group, semidirect

#: Most polynomials per ring and degree; larger rings are omitted.
_MOST_POLYNOMIALS = 1024


def groups_of_modules(order: int, most: int) -> list[Group]:
    """Return up to `most` of these groups of an order with different `Group.kind`; those with few conjugacy classes first.

    Commuting generators cause short cycles. The ASPL of searches of 30,000 moves rises with the number of classes (rank
    correlation 0.2 to 0.8 for five numbers of switches and classes of lifts).

    Parameters
    ----------
    order, most : int

    Returns
    -------
    list of Group
        None above 4,096 elements.

    Examples
    --------
    >>> [group.name for group in groups_of_modules(12, 4)]
    ['Z2^2:Z3(1,1)', 'Z3:Z4(2)', 'Z6:Z2(5)']
    """
    groups: list[Group] = []
    if 0 < order <= MOST_ELEMENTS:
        kinds = set()
        for _, m, j, k, coefficients, power in _ranked(order):
            if len(groups) == most:
                break
            action = _power(_times_x(m, j, coefficients), power)
            name = f"Z{m}:Z{k}({action[1]})" if j == 1 else _name(m, j, k, coefficients, power)
            group = semidirect(name, m, j, action, k)
            if group.kind not in kinds:
                kinds.add(group.kind)
                groups.append(group)
    return groups


@lru_cache(maxsize=64)
def _ranked(order: int) -> list[tuple[int, int, int, int, tuple[int, ...], int]]:
    """Actions by the number of conjugacy classes of their groups: (classes, m, j, k, coefficients, power of x)."""
    ranked = []
    for j in range(1, order.bit_length()):
        for m in range(2, math.isqrt(order) + 1 if j > 1 else order // 2 + 1):
            if m**j >= order or order % m**j or m**j > _MOST_POLYNOMIALS:
                continue
            k = order // m**j
            alike = set()
            for coefficients in _polynomials(m, j):
                action = _times_x(m, j, coefficients)
                turns = _turns(action)
                faithful = math.gcd(turns, k)
                if faithful == 1:
                    continue
                action = _power(action, turns // faithful)
                fixed = tuple(_fixed(action, faithful))
                if fixed not in alike:
                    alike.add(fixed)
                    ranked.append((_classes(m, j, k, action, fixed), m, j, k, coefficients, turns // faithful))
    return sorted(ranked)


def _name(m: int, j: int, k: int, coefficients: tuple[int, ...], power: int) -> str:
    """``Z4^3:Z8(1,2,0)^3``: x^3 = 1 + 2 x, and the generator of Z8 acts as x^3."""
    return f"Z{m}^{j}:Z{k}({','.join(map(str, coefficients))}){f'^{power}' if power > 1 else ''}"


def _polynomials(m: int, j: int) -> Iterator[tuple[int, ...]]:
    """The coefficients c of all x^j - c_0 - c_1 x - ... over Z_m whose c_0 has an inverse."""
    return (c for c in product(range(m), repeat=j) if math.gcd(c[0], m) == 1)


def _times_x(m: int, j: int, coefficients: tuple[int, ...]) -> np.ndarray:
    """Multiplication by x, int64[m^j]; vector v has the number v[0] + m v[1] + ..."""
    weights = m ** np.arange(j)
    vectors = np.arange(m**j)[:, None] // weights % m
    shifted = np.zeros_like(vectors)
    shifted[:, 1:] = vectors[:, :-1]
    image: np.ndarray = (shifted + vectors[:, -1:] * np.array(coefficients)) % m @ weights
    return image


def _turns(action: np.ndarray) -> int:
    """The order of the action: that of the vector 1, which generates all others."""
    at, turns = int(action[1]), 1
    while at != 1:
        at, turns = int(action[at]), turns + 1
    return turns


def _power(action: np.ndarray, exponent: int) -> np.ndarray:
    power = np.arange(action.size)
    for _ in range(exponent):
        power = action[power]
    return power


def _fixed(action: np.ndarray, turns: int) -> Iterator[int]:
    """The number of vectors that each power of the action fixes."""
    everything = power = np.arange(action.size)
    for _ in range(turns):
        yield int((power == everything).sum())
        power = action[power]


def _classes(m: int, j: int, k: int, action: np.ndarray, fixed: tuple[int, ...]) -> int:
    """The number of conjugacy classes: pairs that commute, per element.

    (v, i) and (w, l) commute if (1 - a^l) v = (1 - a^i) w, so the images of 1 - a^i and 1 - a^l are intersected.
    """
    weights = m ** np.arange(j)
    vectors = np.arange(m**j)[:, None] // weights % m
    images = np.zeros((len(fixed), m**j))
    power = np.arange(m**j)
    for row in images:
        row[(vectors - vectors[power]) % m @ weights] = 1
        power = action[power]
    repeats = k // len(fixed)
    pairs = float(((images @ images.T) * np.outer(fixed, fixed)).sum()) * repeats * repeats
    classes: int = round(pairs / (m**j * k))
    return classes
