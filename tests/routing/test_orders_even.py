"""Engine orders-even: the paths of orders, free of deadlock, in lanes that are used more alike."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.routing.judge.prove import prove
from topoloom.routing.route import route
from topoloom.topologies.spec import build


@pytest.mark.parametrize(
    ("spec", "lanes"),
    [
        ("jellyfish:n=100,degree=6", 4),
        ("jellyfish:n=60,degree=4,hosts=2", 3),
        ("torus:dims=5x5x5", 2),
        ("slimfly:q=5", 8),
    ],
)
def test_the_same_paths_in_lanes_used_alike(spec, lanes):
    """Ports are those of orders; the judge finds no cycle; the fullest lane has no more pairs than there."""
    network = build(spec)
    plain, even = route(network, "orders", lanes=lanes), route(network, "orders-even", lanes=lanes)
    assert np.array_equal(plain.ports, even.ports)
    assert prove(even).deadlock_free
    one, other = prove(plain), prove(even)
    assert other.lanes_used <= lanes
    assert one.pairs == other.pairs
    assert other.lane_pairs.max() <= one.lane_pairs.max()


def test_it_does_spread():
    """A random graph in four lanes: where orders fills the first, no lane of an order has half of all pairs here."""
    network = build("jellyfish:n=100,degree=6")
    assert prove(route(network, "orders", lanes=4)).lane_pairs.max() > 0.5 * 9900
    assert prove(route(network, "orders-even", lanes=4)).lane_pairs.max() < 0.45 * 9900


def test_lanes_out_of_range():
    """Its own name is in the sentence."""
    with pytest.raises(InputError, match="engine orders-even takes 1 to 15"):
        route(build("petersen"), "orders-even", lanes=16)
