"""Finite groups as multiplication tables, for voltage lifts and Cayley graphs."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest

import numpy as np

from topoloom.topologies.families._galois import field, prime_power

#: Largest order: tables of larger groups do not fit into the cache.
MOST_ELEMENTS = 4096


@dataclass(frozen=True, eq=False)
class Group:
    """A finite group; its elements are 0 .. order - 1, and 0 is the neutral one.

    Attributes
    ----------
    name : str
        A readable name: ``Z8 x Z2``, ``Z7:Z3(2)``.
    times : int32[order, order]
        times[s, x] = x s.
    """

    name: str
    times: np.ndarray

    @property
    def order(self) -> int:
        """The number of elements."""
        return len(self.times)

    @cached_property
    def inverse(self) -> np.ndarray:
        """The inverse of each element, int32[order]."""
        inverse: np.ndarray = np.argmin(self.times, axis=0).astype(np.int32)
        return inverse

    @cached_property
    def involutions(self) -> np.ndarray:
        """The elements of order two, int32."""
        elements: np.ndarray = np.flatnonzero(np.diag(self.times) == 0)[1:].astype(np.int32)
        return elements

    @cached_property
    def kind(self) -> tuple[tuple[int, ...], ...]:
        """An invariant of isomorphic groups: the number of elements with each order, number of square roots and of commuting
        elements.
        """
        everything = np.arange(self.order)
        orders = np.ones(self.order, np.int64)
        power = everything
        while power.any():
            orders += power != 0
            power = np.where(power != 0, self.times[everything, power], 0)
        roots = np.bincount(np.diag(self.times), minlength=self.order)
        commuting = (self.times == self.times.T).sum(axis=1)
        rows, counts = np.unique(np.stack([orders, roots, commuting], axis=1), axis=0, return_counts=True)
        return tuple(map(tuple, np.column_stack([rows, counts]).tolist()))


def groups_of(order: int, most: int = 64) -> list[Group]:
    """Return up to `most` groups of an order with different `Group.kind`, alternating between families; none above 4,096.

    Cyclic groups, semidirect products of Z_m^j with a cyclic group (dihedral, metacyclic, affine, wreath, Heisenberg),
    generalised quaternion groups, and direct products of these. For some orders, many groups are not among them.

    Examples
    --------
    >>> [group.name for group in groups_of(8)]
    ['Z8', 'Q8', 'Z4:Z2(3)', 'Z4 x Z2', 'Z2 x Z2 x Z2']
    """
    return list(islice(_unlike(order), most)) if 0 < order <= MOST_ELEMENTS else []


def _unlike(order: int) -> Iterator[Group]:
    seen = set()
    yield cyclic(order)
    seen.add(cyclic(order).kind)
    families = [_quaternions(order), _metacyclic(order), _over_vectors(order), _products(order)]
    for turn in zip_longest(*families):
        for group in turn:
            if group is not None and group.kind not in seen:
                seen.add(group.kind)
                yield group


def _products(order: int) -> Iterator[Group]:
    """Direct products of at least two groups, the largest first."""
    for size in range(order // 2, 1, -1):
        if order % size == 0 and size * size >= order:
            for first in _unlike(size):
                for second in _unlike(order // size):
                    yield _direct(first, second)


def cyclic(order: int) -> Group:
    """Z_n."""
    x = np.arange(order)
    return Group(f"Z{order}", ((x[:, None] + x[None, :]) % order).astype(np.int32))


def _metacyclic(order: int) -> Iterator[Group]:
    """Z_m : Z_k for every action x -> r x of a generator of Z_k, with r^k = 1 and r not 1.

    Groups with k not much less than m come first: few of their elements commute, so their graphs are better.
    """
    sizes = [m for m in range(3, order // 2 + 1) if order % m == 0]
    for m in sorted(sizes, key=lambda m: abs(math.log(m * m / (4 * order)))):
        k = order // m
        for r in range(2, m):
            # r^t with t coprime to k is the action of another generator of Z_k.
            acts = math.gcd(r, m) == 1 and pow(r, k, m) == 1
            if acts and r == min(pow(r, t, m) for t in range(1, k) if math.gcd(t, k) == 1):
                yield semidirect(f"Z{m}:Z{k}({r})", m, 1, np.arange(m) * r % m, k)


def _over_vectors(order: int) -> Iterator[Group]:
    """Z_m^j : Z_k, the generator of Z_k acting as a shift, a shear, minus one, or a factor in the field GF(m^j)."""
    for j in range(2, order.bit_length()):
        for m in range(math.isqrt(order), 1, -1):
            if order % m**j == 0 and m**j < order:
                k = order // m**j
                for name, action in _actions(m, j, k).items():
                    if _closes(action, k):
                        yield semidirect(f"Z{m}^{j}:Z{k}({name})", m, j, action, k)


def _actions(m: int, j: int, k: int) -> dict[str, np.ndarray]:
    """Maps of Z_m^j onto itself, int64[m^j]; vector v has the number v[0] + m v[1] + ..."""
    vectors, weights = np.arange(m**j)[:, None] // m ** np.arange(j) % m, m ** np.arange(j)
    shear = vectors.copy()
    shear[:, 1:] += vectors[:, :-1]
    actions = {
        "shift": np.roll(vectors, 1, axis=1) @ weights,
        "shear": shear % m @ weights,
        "minus": -vectors % m @ weights,
    }
    prime = prime_power(m)
    if prime and prime[1] == 1:
        gf, most = field(m**j), math.gcd(k, m**j - 1)
        for e in (e for e in range(most, 1, -1) if most % e == 0):
            actions[f"times {e}"] = gf.mul[gf.powers[(m**j - 1) // e]]
    return actions


def _closes(action: np.ndarray, k: int) -> bool:
    """Whether `action` applied k times is the identity, but `action` itself is not."""
    power = np.arange(action.size)
    for _ in range(k):
        power = action[power]
    return bool((power == np.arange(action.size)).all() and (action != power).any())


def semidirect(name: str, m: int, j: int, action: np.ndarray, k: int) -> Group:
    """The group of pairs with (v, i) (w, l) = (v + action^i(w), i + l) for v, w in Z_m^j; (v, i) has the number v k + i.

    Parameters
    ----------
    name : str
        Of the group.
    m, j : int
    action : int[m^j]
        A linear map of Z_m^j onto itself; vector v has the number v[0] + m v[1] + ...
    k : int
        A number of times after which the action is the identity.

    Returns
    -------
    Group
    """
    size = m**j
    digits = np.arange(size)[:, None] // m ** np.arange(j) % m
    add = (digits[:, None, :] + digits[None, :, :]) % m @ m ** np.arange(j)
    times = np.empty((size, k, size, k), np.int32)  # of the right factor's v and i, then the left one's
    power = np.arange(size)
    turn = np.arange(k)
    for i in range(k):
        # The left factor (v, i), the right one (w, l).
        times[:, :, :, i] = add[:, power].T[:, None, :] * k + ((i + turn) % k)[None, :, None]
        power = action[power]
    return Group(name, times.reshape(size * k, size * k))


def _quaternions(order: int) -> Iterator[Group]:
    """The generalised quaternion (dicyclic) group: x^2m = 1, y^2 = x^m, y x = x^-1 y; x^a y^e has the number 2 a + e."""
    if order % 4 or order < 8:
        return
    m = order // 4
    a, e = np.arange(order) // 2, np.arange(order) % 2
    left, right = (a[None, :], e[None, :]), (a[:, None], e[:, None])
    power = left[0] + np.where(left[1] == 1, -right[0], right[0]) + m * (left[1] & right[1])
    yield Group(f"Q{order}", (power % (2 * m) * 2 + (left[1] ^ right[1])).astype(np.int32))


def _direct(first: Group, second: Group) -> Group:
    """The direct product; (x, y) has the number x * second.order + y."""
    times = first.times[:, None, :, None] * second.order + second.times[None, :, None, :]
    size = first.order * second.order
    return Group(f"{first.name} x {second.name}", np.ascontiguousarray(times.reshape(size, size), dtype=np.int32))
