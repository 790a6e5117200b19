"""How well networks expand: bounds hold, random regular graphs are as theory says, shuffled networks are like them."""

from itertools import combinations

import numpy as np
import pytest

from topoloom import InputError, build, expander


def _expansion(topology) -> float:
    """The edge expansion of a small network, over all sets of at most half of its switches."""
    n = topology.switches
    best = np.inf
    for size in range(1, n // 2 + 1):
        for chosen in combinations(range(n), size):
            inside = np.isin(topology.links, chosen)
            best = min(best, (inside[:, 0] != inside[:, 1]).sum() / size)
    return best


@pytest.mark.parametrize(
    "spec", ["petersen", "torus:dims=3x4", "clos:leaves=4,spines=2", "mesh:dims=2x5", "hypercube:n=3", "ring:n=11"]
)
def test_the_bounds_enclose_the_edge_expansion(spec):
    """Half the algebraic connectivity is below the least cut per switch, and the cuts found are above it."""
    topology = build(spec)
    found = expander(topology, random_graphs=0).network
    exact = _expansion(topology)
    assert found.expansion_least <= exact + 1e-9
    assert exact <= found.expansion_most + 1e-9


def test_parallel_links_and_neighbours_are_counted():
    """Two links per pair: half of the links are parallel, and each switch has half as many neighbours as links."""
    found = expander(build("hyperx:dims=4x3,width=2"), random_graphs=0).network
    assert (found.parallel_links, found.neighbours_mean) == (30, 5.0)


def test_random_regular_graphs_have_the_second_eigenvalue_of_theory():
    """n = 1000, d = 64: 15.1 to 15.3, below 2 sqrt(63) = 15.87."""
    found = expander("jellyfish:n=1000,degree=64,seed=9", random_graphs=4, seeds=1)
    assert found.random_eigenvalue == pytest.approx(15.875, abs=1e-3)
    assert all(15.1 < sample.second_eigenvalue < 15.3 for sample in (found.network, *found.random))
    assert all(sample.expansion_least == pytest.approx((64 - sample.second_eigenvalue) / 2) for sample in found.random)


@pytest.mark.parametrize(("passes", "parallel"), [(0, (900, 1200)), (100, (0, 0))])
def test_a_shuffled_network_is_like_a_random_one(passes, parallel):
    """960 switches of 64 lanes: second eigenvalue below 16.3 as it is, and that of random graphs after exchanges."""
    found = expander(f"shuffled:n=960,degree=64,passes={passes}", random_graphs=1, seeds=1)
    assert 15.0 < found.network.second_eigenvalue < (16.3 if not passes else 15.6)
    assert parallel[0] <= found.network.parallel_links <= parallel[1]
    assert (found.self_lanes == 0) is (passes > 0)
    assert found.dark_lanes == 0
    assert found.network.expansion_least == pytest.approx(found.random[0].expansion_least, rel=0.02)


def test_planes_are_measured_one_by_one():
    """The plane that expands least counts; a plane by itself has the same numbers."""
    planes, single = expander("torus:dims=4x4,hosts=1+planes:count=2"), expander("torus:dims=4x4,hosts=1")
    assert planes.planes == 2
    assert planes.network == single.network


def test_without_a_random_graph_of_this_degree_there_is_none():
    """Parallel links can exceed all switches; one switch has no halves."""
    assert expander("hyperx:dims=3,width=4").random == ()
    with pytest.raises(InputError, match="1 switch; a cut needs at least two"):
        expander("mesh:dims=1")
