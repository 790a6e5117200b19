"""Engine orders-even: the paths of orders, free of deadlock, in virtual channels that are used more alike."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.routing.route import route
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build


@pytest.mark.parametrize(
    ("spec", "virtual_channels"),
    [
        ("jellyfish:n=100,degree=6", 4),
        ("jellyfish:n=60,degree=4,hosts=2", 3),
        ("torus:dims=5x5x5", 2),
        ("slimfly:q=5", 8),
    ],
)
def test_the_same_paths_in_lanes_used_alike(spec, virtual_channels):
    """Ports are those of orders; the verifier finds no cycle; the fullest virtual channel has no more pairs than there."""
    network = build(spec)
    plain, even = (
        route(network, "orders", virtual_channels=virtual_channels),
        route(network, "orders-even", virtual_channels=virtual_channels),
    )
    assert np.array_equal(plain.ports, even.ports)
    assert verify_routing(even).deadlock_free
    one, other = verify_routing(plain), verify_routing(even)
    assert other.virtual_channels_used <= virtual_channels
    assert one.pairs == other.pairs
    assert other.virtual_channel_pairs.max() <= one.virtual_channel_pairs.max()


def test_it_does_spread():
    """A random graph in four virtual channels: where orders fills the first, no virtual channel of an order has half of all
    pairs here.
    """
    network = build("jellyfish:n=100,degree=6")
    assert verify_routing(route(network, "orders", virtual_channels=4)).virtual_channel_pairs.max() > 0.5 * 9900
    assert verify_routing(route(network, "orders-even", virtual_channels=4)).virtual_channel_pairs.max() < 0.45 * 9900


def test_lanes_out_of_range():
    """Its own name is in the sentence."""
    with pytest.raises(InputError, match="engine orders-even takes 1 to 15"):
        route(build("petersen"), "orders-even", virtual_channels=16)
