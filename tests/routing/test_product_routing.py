"""Routing of Cartesian products: the paths, the loads of proposition 1, the virtual channels, and what is refused."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.graph.product import cartesian_product
from topoloom.model.topology import Topology
from topoloom.routing.balance.balance import balance_routing
from topoloom.routing.product import product_factors, product_routing
from topoloom.routing.route import route
from topoloom.routing.routing import Routing, empty_ports
from topoloom.topologies.spec import build

MIXED = "product:(torus:dims=4x3)*(petersen)*(hypercube:n=2)"


def _random(seed, n):
    graph = nx.gnp_random_graph(n, 0.4, seed=seed)
    graph.add_edges_from((v, v + 1) for v in range(n - 1))
    return Topology.from_networkx(graph)


@pytest.mark.parametrize("spec", ["product:(petersen)*(hypercube:n=3)", MIXED, "product:(fat-tree:k=4)*(complete:n=3)"])
def test_the_engine_is_safe_and_shortest(spec):
    """Every pair arrives by a shortest path, and the verifier finds no cycle."""
    verification = route(build(spec), "product").verification
    assert verification.complete
    assert verification.minimal
    assert verification.deadlock_free


def test_one_coordinate_after_the_other_by_the_factors_tables():
    """A path is the first factor's path, then the second's, then the third's."""
    topology = build(MIXED)
    parts = [route(factor, "minimal") for factor in product_factors(topology)]
    routed = product_routing(topology, parts)
    places = np.stack([topology.labels[f"factor{i}"] for i in range(3)], axis=1).tolist()
    for source in range(0, topology.switches, 7):
        for destination in range(topology.switches):
            at, goal = list(places[source]), places[destination]
            wanted = [tuple(at)]
            for i, part in enumerate(parts):
                for step in part.path(at[i], goal[i])[1:]:
                    at[i] = step
                    wanted.append(tuple(at))
            assert [tuple(places[switch]) for switch in routed.path(source, destination)] == wanted


@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(2, 9), st.sampled_from(["minimal", "balanced", "orders"]))
@settings(max_examples=examples(25), deadline=None)
def test_loads_are_those_of_proposition_1(seed, n1, n2, engine):
    """Through (u, v): n2 load1(u) + n1 load2(v) + (n1 - 1) (n2 - 1), for any tables of any factors (Xu 2019,
    errata of Xu 2019, 4).
    """
    factors = [_random(seed, n1), _random(seed + 1, n2)]
    first, second = (route(factor, engine) for factor in factors)
    verification = product_routing(cartesian_product(factors), [first, second]).verification
    loads = (
        n2 * first.verification.switch_load[:, None]
        + n1 * second.verification.switch_load[None, :]
        + (n1 - 1) * (n2 - 1)
    )
    assert (verification.switch_load == loads.ravel()).all()
    assert verification.minimal
    assert verification.deadlock_free or engine != "orders"


@pytest.mark.parametrize(("degree", "least", "most"), [(3, 801, 801), (4, 545, 609)])
def test_products_of_the_optimal_graphs(degree, least, most):
    """Xu 2019, fig. 10: 801 at every switch of (16,3) x (16,3); (16,4) x (16,4) fluctuates a little."""
    base = balance_routing(build(f"optimal:n=16,degree={degree}"), exact=True).routing
    topology = build("product:" + "*".join([f"(optimal:n=16,degree={degree})"] * 2))
    load = product_routing(topology, [base, base]).verification.switch_load
    assert (int(load.min()), int(load.max())) == (least, most)


def test_other_paths_make_the_loads_equal_that_the_rule_leaves_unequal():
    """(16,4) x (16,4): 585 at every switch, when paths need not keep to one coordinate after the other."""
    found = balance_routing(build("product:(optimal:n=16,degree=4)*(optimal:n=16,degree=4)"))
    assert set(found.load.tolist()) == {585}
    assert found.optimal


def test_lanes_are_the_combinations_that_occur():
    """No more virtual channels than the factors' virtual channels multiply to; a path inside one factor uses virtual channel 0
    of the other.
    """
    topology = build("product:(jellyfish:n=20,degree=4)*(petersen)")
    parts = [route(factor) for factor in product_factors(topology)]
    routed = product_routing(topology, parts)
    assert (
        routed.verification.virtual_channels_used
        <= parts[0].verification.virtual_channels_used * parts[1].verification.virtual_channels_used
    )
    assert routed.verification.deadlock_free
    assert routed.verification.virtual_channel_pairs.all()


@pytest.mark.parametrize("virtual_channels", [1, 2, 3, 5])
def test_it_keeps_within_the_lanes_given(virtual_channels):
    """Factors get fewer virtual channels, and paths may get longer; nothing deadlocks."""
    verification = route(
        build("product:(jellyfish:n=30,degree=3)*(petersen)"), "product", virtual_channels=virtual_channels
    ).verification
    assert verification.virtual_channels_used <= virtual_channels
    assert verification.complete
    assert verification.deadlock_free


def test_a_lane_a_hop_in_one_factor_is_a_lane_a_hop_in_all():
    """Then no packet ever waits for a lower virtual channel."""
    topology = build("product:(torus:dims=5x5)*(petersen)")
    routed = product_routing(topology, ["hop-vcs", "minimal"])
    assert routed.virtual_channel_rule == "hop"
    assert routed.verification.deadlock_free
    assert routed.verification.virtual_channels_used == 6


def test_parallel_links_of_a_factor_keep_their_places():
    """Two cables between two switches of a factor: its tables use both, and so do the product's."""
    double = Topology(links=[(0, 1), (0, 1), (1, 2), (2, 3), (1, 3)], switches=4)
    topology = cartesian_product([double, double])
    part = route(double, "minimal")
    verification = product_routing(topology, [part, part]).verification
    assert verification.minimal
    ends = np.repeat(np.arange(16), topology.degrees), topology.csr[1]
    between = verification.channel_load[(ends[0] == 0) & (ends[1] == 4)]
    assert between.size == 2
    assert between.all()


def test_the_factors_are_found_again():
    """From labels and links alone, whatever a factor is, and also when it has one switch."""
    factors = [build("petersen"), Topology(links=[], switches=1), build("complete:n=4")]
    again = product_factors(cartesian_product(factors))
    assert [factor.switches for factor in again] == [10, 1, 4]
    assert all((one.links == other.links).all() for one, other in zip(factors, again, strict=True))
    alone = cartesian_product([Topology(links=[], switches=1)] * 2)
    assert route(alone, "product").verification.pairs == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: route(build("petersen"), "product"), "not a Cartesian product with labels factor0, factor1"),
        (lambda: route(_less(), "product"), "has the labels of a Cartesian product, but not the links"),
        (lambda: product_routing(build(MIXED), ["orders"]), "1 engines for 3 factors"),
        (lambda: product_routing(build(MIXED), ["order", "orders", "orders"]), "did you mean 'orders'"),
        (lambda: product_routing(build(MIXED), [route(build("petersen"))] * 3), "is not a routing of factor 0"),
        (
            lambda: product_routing(_square(), [route(build("petersen"), "orders")] * 2, virtual_channels=1),
            "virtual channels make 4 combinations",
        ),
        (lambda: product_routing(_square(), virtual_channels=0), "virtual_channels=0; at least one is needed"),
        (
            lambda: product_routing(_square(), "hop-vcs", virtual_channels=2),
            "one virtual channel per hop needs 4; give at least 4",
        ),
        (lambda: product_routing(_square(), [_empty(), "orders"]), "ends at a switch that has no port for it"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(call, message):
    """Not a product, a product with a link gone, engines that do not fit, too few virtual channels."""
    with pytest.raises(InputError, match=message):
        call()


def _square():
    return build("product:(petersen)*(petersen)")


def _empty():
    return Routing(build("petersen"), "nothing", empty_ports(build("petersen")))


def _less():
    topology = build("product:(petersen)*(complete:n=3)")
    return topology.replace(links=topology.links[1:])
