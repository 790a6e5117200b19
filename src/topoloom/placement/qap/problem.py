"""The quadratic assignment problem in the form of its kernels: symmetric integer matrices, with dummies for empty places."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.aligned import aligned_zeros

#: With fewer than m / _SPARSE flows per facility, the sparse kernel is faster.
_SPARSE = 16
#: Matrices that no small factor makes integral are rounded to this many steps.
_STEPS = 2**20


@dataclass(frozen=True, eq=False)
class Problem:
    """Search matrices: their cost is a multiple of the true cost, plus a constant (apart from rounding, where needed).

    Attributes
    ----------
    flow : float[m or m + 1, width]
        Symmetric, zero diagonal; zero rows for dummies, which fill up to m places, and one more to make the rows even.
        float32 where every sum of a kernel is exact in it, else float64. Rows are aligned to whole vectors.
    distance : float[m, m]
        Symmetric, zero diagonal, of the same type.
    facilities, places : int
        n and m.
    sparse : (offsets, others, flows) or None
        CSR form of `flow` where the sparse kernel is faster.
    """

    flow: np.ndarray
    distance: np.ndarray
    facilities: int
    places: int
    sparse: tuple[np.ndarray, np.ndarray, np.ndarray] | None

    def distances_at(self, place: np.ndarray) -> np.ndarray:
        """The distances between the places of any two facilities, shaped like `flow`."""
        near = aligned_zeros(self.flow.shape, self.flow.dtype)
        near[: self.places, : self.places] = self.distance[np.ix_(place, place)]
        return near

    def half_cost(self, place: np.ndarray) -> float:
        """The cost summed over unordered pairs."""
        m = self.places
        return float(np.sum(self.flow[:m, :m] * self.distance[np.ix_(place, place)], dtype=np.float64) / 2)


def matrices(flow: Any, distance: Any) -> tuple[np.ndarray, np.ndarray]:
    """The checked matrices: flow float64[n, n] (from an array or a SciPy sparse matrix), distance float64[m, m], m >= n.

    Raises
    ------
    InputError
        A matrix is not square, or has an entry that is not a finite number; there are fewer places than facilities.
    """
    checked = []
    for name, source in (("flow", flow), ("distance", distance)):
        try:
            matrix = np.asarray(source.toarray() if hasattr(source, "toarray") else source, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"the {name} matrix contains an entry that is not a number; give real numbers") from None
        if matrix.size == 0:
            matrix = matrix.reshape(0, 0)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            shape = " x ".join(map(str, matrix.shape))
            raise InputError(f"the {name} matrix is {shape or 'a number'}; it must be square")
        if not np.isfinite(matrix).all():
            i, j = np.argwhere(~np.isfinite(matrix))[0]
            raise InputError(f"{name}[{i}, {j}] is {matrix[i, j]}; every {name} must be a finite number")
        checked.append(matrix)
    if len(checked[0]) > len(checked[1]):
        raise InputError(
            f"{len(checked[0])} facilities for {len(checked[1])} places; give one place per facility, or more"
        )
    return checked[0], checked[1]


def problem(flow: np.ndarray, distance: np.ndarray) -> Problem:
    """The search problem of two `matrices`.

    Where one matrix is symmetric, the other, X, is replaced by X + X^T, which doubles every cost. Matrices are converted to
    integers, so that no sum depends on its order.

    Raises
    ------
    InputError
        Neither matrix is symmetric, or both diagonals vary, so that the cost on the diagonal depends on the places.
    """
    n, m = len(flow), len(distance)
    on_site, within = np.diag(distance), np.diag(flow)
    constant = (on_site == on_site[:1]).all() or not within.any() or (n == m and (within == within[0]).all())
    if not constant:
        raise InputError("flow and distance both have diagonals that vary; one of the two must be constant")
    flow, distance = flow - np.diag(within), distance - np.diag(on_site)
    if not _symmetric(flow) and not _symmetric(distance):
        raise InputError("neither the flow nor the distance matrix is symmetric; one of them must be")
    if not _symmetric(flow):
        flow = flow + flow.T
    elif not _symmetric(distance):
        distance = distance + distance.T
    flow, distance = _whole(flow), _whole(distance)
    if _largest_sum(flow, distance) >= 2**53:
        flow, distance = _rounded(flow), _rounded(distance)
    kind = np.dtype(np.float32 if _largest_sum(flow, distance) < 2**24 else np.float64)
    padded = aligned_zeros((m + m % 2, _width(m)), kind)
    padded[:n, :n] = flow
    return Problem(padded, distance.astype(kind), n, m, _csr(padded[:m, :m]))


def _width(m: int) -> int:
    """Columns of a padded matrix: whole vectors, but never a multiple of 64, so that columns spread over the cache."""
    width = -(-(m + 1) // 8) * 8
    return width + 8 if width % 64 == 0 else width


def _symmetric(matrix: np.ndarray) -> bool:
    return bool(np.array_equal(matrix, matrix.T))


def _whole(matrix: np.ndarray) -> np.ndarray:
    """An integral multiple of the matrix without a common factor: lengths of 0.6 m and 2.1 m become 2 and 7."""
    for factor in (1, 10, 100, 1000):
        whole = np.rint(matrix * factor)
        largest = np.abs(whole).max(initial=0)
        if np.abs(whole - matrix * factor).max(initial=0) <= 1e-9 * factor and largest < 2**53:
            common = int(np.gcd.reduce(np.unique(np.abs(whole)).astype(np.int64), initial=0))
            return np.asarray(whole / max(1, common))
    return _rounded(matrix)


def _rounded(matrix: np.ndarray) -> np.ndarray:
    largest = np.abs(matrix).max(initial=0)
    return np.rint(matrix * (_STEPS / largest)) if largest else matrix


def _largest_sum(flow: np.ndarray, distance: np.ndarray) -> float:
    """An upper bound of all sums in a kernel: 16 times the flows of a facility times the range of distances."""
    spread = distance.max(initial=0) - distance.min(initial=0)
    return float(16 * np.abs(flow).sum(axis=1).max(initial=0) * spread)


def _csr(flow: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    rows, others = np.nonzero(flow)
    if rows.size * _SPARSE >= flow.shape[0] ** 2:
        return None
    offsets = np.append(0, np.cumsum(np.bincount(rows, minlength=flow.shape[0])))
    return offsets, others.astype(np.int32), flow[rows, others]
