"""Eigenvalues: closed forms, NumPy's dense ones, and the bound that they give."""

import numpy as np
import pytest
from graph_cases import complete, cube, path, regular, ring, topologies, torus
from hypothesis import given

from topoloom.graph.cuts import exact_bisection
from topoloom.graph.spectrum import spectrum
from topoloom.model.topology import Topology


@given(topologies(most=16))
def test_the_spectrum_is_that_of_the_dense_matrices(topology):
    """Connected or not, with parallel links: the three eigenvalues are NumPy's."""
    n = topology.switches
    adjacency = np.zeros((n, n))
    np.add.at(adjacency, (topology.links[:, 0], topology.links[:, 1]), 1)
    adjacency += adjacency.T
    values = np.linalg.eigvalsh(adjacency)
    laplacian = np.linalg.eigvalsh(np.diag(adjacency.sum(axis=0)) - adjacency)
    found = spectrum(topology)
    assert found.largest == pytest.approx(values[-1], abs=1e-9)
    assert found.second == pytest.approx(values[-2] if n > 1 else values[-1], abs=1e-9)
    assert found.algebraic_connectivity == pytest.approx(laplacian[1] if n > 1 else 0.0, abs=1e-9)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("topology", "largest", "second"),
    [
        (complete(30), 29, -1),
        (cube(10), 10, 8),
        (ring(600), 2, 2 * np.cos(2 * np.pi / 600)),
        (torus(25, 30), 4, 2 + 2 * np.cos(2 * np.pi / 30)),
        (ring(6000), 2, 2 * np.cos(2 * np.pi / 6000)),
    ],
)
def test_closed_forms(topology, largest, second):
    """Dense, by Lanczos (hypercube, torus) and by shift and invert (long rings), with multiple eigenvalues."""
    found = spectrum(topology)
    assert found.largest == pytest.approx(largest, abs=1e-8)
    assert found.second == pytest.approx(second, abs=1e-8)
    assert found.gap == pytest.approx(largest - second, abs=1e-8)
    assert found.algebraic_connectivity == pytest.approx(largest - second, abs=1e-8)


def test_irregular_graphs_have_their_own_laplacian():
    """A path of n: algebraic connectivity 2 - 2 cos(pi / n), largest eigenvalue 2 cos(pi / (n + 1))."""
    found = spectrum(path(1500))
    assert found.largest == pytest.approx(2 * np.cos(np.pi / 1501), abs=1e-9)
    assert found.algebraic_connectivity == pytest.approx(2 - 2 * np.cos(np.pi / 1500), abs=1e-9)


def test_the_result_is_always_the_same():
    """A fixed start vector: two runs agree to the last digit."""
    topology = regular(900, 6)
    assert spectrum(topology) == spectrum(topology)


def test_the_bisection_respects_fiedlers_bound():
    """At least algebraic connectivity times n / 4 links join two halves."""
    topology = regular(24, 4)
    assert exact_bisection(topology).links >= spectrum(topology).algebraic_connectivity * 24 / 4 - 1e-9


def test_two_parts_have_no_gap():
    """Of two equal regular parts the two largest eigenvalues are the same, and nothing connects them."""
    two = Topology(links=np.concatenate([ring(700).links, ring(700).links + 700]), switches=1400)
    found = spectrum(two)
    assert found.gap == pytest.approx(0, abs=1e-9)
    assert found.algebraic_connectivity == 0.0
