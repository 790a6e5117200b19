"""Eigenvalues that measure the expansion of a topology."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology

#: Below this many switches, the full dense spectrum is faster than iteration.
_DENSE = 500


@dataclass(frozen=True)
class Spectrum(Result):
    """The ends of the spectrum; parallel links add up.

    Attributes
    ----------
    largest, second : float
        The two largest eigenvalues of the adjacency matrix, multiplicity counted; for a regular graph `largest` is the
        degree, and `second` is equal to it if the graph is disconnected. For one switch, both are 0.
    algebraic_connectivity : float
        The second smallest eigenvalue of the Laplacian; 0 if disconnected. A bisection of n switches has at least
        algebraic_connectivity * n / 4 links (Fiedler 1973; n even).
    """

    record_name = "spectrum"
    derived = ("gap",)

    largest: float
    second: float
    algebraic_connectivity: float
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def gap(self) -> float:
        """The spectral gap, largest - second: a larger gap means better expansion (Cheeger's inequality)."""
        return self.largest - self.second


def spectrum(topology: NetworkSource) -> Spectrum:
    """Compute the two largest adjacency eigenvalues and the algebraic connectivity, reproducible to about ten digits.

    Below 500 switches: dense. Above: Lanczos iteration from a fixed start, or shift and invert if that is slow (long tori,
    whose eigenvalues are close together and whose factors stay sparse).

    Examples
    --------
    >>> found = spectrum(Topology(links=[(u, v) for v in range(5) for u in range(v)], switches=5))
    >>> round(found.largest, 6), round(found.second, 6), round(found.algebraic_connectivity, 6)
    (4.0, -1.0, 5.0)
    """
    from topoloom.graph.connectivity import components

    topology = taken(topology, Topology, "spectrum")
    part = components(topology)
    tops: list[float] = []
    connectivity = 0.0
    whole = _adjacency(topology)
    sizes = np.bincount(part)
    for number in np.flatnonzero(sizes > 1):
        switches = np.flatnonzero(part == number)
        matrix = whole if sizes.size == 1 else whole[switches][:, switches]
        largest, second, connectivity = _of_component(matrix)
        tops += [largest, second]
    tops = sorted(tops + [0.0] * int((sizes == 1).sum()), reverse=True)
    return Spectrum(
        largest=tops[0],
        second=tops[1] if len(tops) > 1 else tops[0],
        algebraic_connectivity=connectivity if part.max() == 0 else 0.0,
        provenance=provenance_of(topology),
    )


def _adjacency(topology: Topology) -> Any:
    """The adjacency matrix, sparse, float64."""
    from scipy.sparse import coo_array

    n = topology.switches
    u, v = topology.links.T
    return coo_array((np.ones(2 * u.size), (np.append(u, v), np.append(v, u))), shape=(n, n)).tocsr()


def _of_component(matrix: Any) -> tuple[float, float, float]:
    """The two largest adjacency eigenvalues and the second smallest of the Laplacian, for at least two switches."""
    from scipy.sparse import diags_array

    n = matrix.shape[0]
    degrees = matrix.sum(axis=1)
    if n < _DENSE:
        dense = matrix.toarray()
        adjacency = np.linalg.eigvalsh(dense)
        laplacian = np.linalg.eigvalsh(np.diag(degrees) - dense)
        return float(adjacency[-1]), float(adjacency[-2]), float(laplacian[1])
    second, largest = _two_largest(matrix, float(degrees.max()))
    if degrees.min() == degrees.max():
        return largest, second, largest - second
    shift = 2 * float(degrees.max())
    below, top = _two_largest(diags_array(shift - degrees) + matrix, shift)
    return largest, second, top - below


def _two_largest(matrix: Any, bound: float) -> tuple[float, float]:
    """The two largest eigenvalues, ascending; none is above `bound`."""
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    n = matrix.shape[0]
    start = np.cos(np.arange(n) * 0.7) + 2.0  # any fixed vector that is not orthogonal to the eigenvectors of interest
    try:
        values = eigsh(matrix, k=2, which="LA", v0=start, ncv=32, maxiter=80, return_eigenvectors=False)
    except ArpackNoConvergence:
        above = bound * (1 + 1e-9)  # near, so that close eigenvalues separate, but not singular
        crowded = (matrix - above * eye_array(n)).tocsc()
        values = above + 1 / eigsh(_inverse(crowded), k=2, which="SA", v0=start, return_eigenvectors=False)
    low, high = sorted(float(value) for value in values)
    return low, high


def _inverse(matrix: Any) -> Any:
    """Multiplication by the inverse of a sparse matrix, factored once."""
    from scipy.sparse.linalg import LinearOperator, splu

    return LinearOperator(matrix.shape, matvec=splu(matrix, permc_spec="MMD_AT_PLUS_A").solve, dtype=np.float64)
