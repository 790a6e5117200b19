"""Voltage lifts: their hops, their symmetry, and annealing on orbits."""

import math

import numpy as np
import pytest

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.graph.hops import hops
from topoloom.model.topology import Topology
from topoloom.optimizer.structures.groups import Group, cyclic, groups_of
from topoloom.optimizer.structures.lift_search import LiftSearch
from topoloom.optimizer.structures.lifts import drawn_lift, links_of_darts


def searched(group: Group, classes: int, degree: int, moves: int = 2000, seed: int = 1) -> LiftSearch:
    search = LiftSearch(group, classes, degree, Draws(seed), Budget(moves))
    while not search.done:
        search.step()
    return search


CASES = [
    (cyclic(5), 4, 3),
    (cyclic(16), 1, 4),
    (cyclic(1), 20, 3),
    (groups_of(8)[1], 3, 4),
    (groups_of(21)[1], 2, 4),
    (groups_of(16)[-2], 1, 5),
]


@pytest.mark.parametrize(("group", "classes", "degree"), CASES)
def test_cost_is_that_of_the_whole_graph(group: Group, classes: int, degree: int) -> None:
    """Diameter and hops from one source a class are those of all pairs; the graph is simple and regular."""
    search = searched(group, classes, degree)
    graph = Topology(links=search.best, switches=search.switches)
    found = hops(graph)
    pairs = graph.switches * (graph.switches - 1)
    assert search.cost == (found.diameter, round(found.aspl * pairs))
    assert set(graph.degrees.tolist()) == {degree}
    assert len(np.unique(graph.links, axis=0)) == len(graph.links)


@pytest.mark.parametrize(("group", "classes", "degree"), CASES)
def test_the_group_acts_on_the_graph(group: Group, classes: int, degree: int) -> None:
    """Multiplying all elements by one from the left maps links onto links."""
    links = searched(group, classes, degree, moves=300).best
    for h in range(group.order):
        moved = links // group.order * group.order + group.times[links % group.order, h]
        assert {tuple(sorted(link)) for link in moved.tolist()} == {tuple(link) for link in links.tolist()}


def test_same_seed_same_moves_same_graph() -> None:
    """The answer is a function of seed and moves, however the steps fall; another seed gives another."""
    first, again, other = (searched(cyclic(6), 6, 3, seed=seed) for seed in (1, 1, 2))
    assert (first.best == again.best).all()
    assert first.moves == again.moves == 2000
    assert not np.array_equal(first.best, other.best)


def test_finds_the_tutte_coxeter_graph() -> None:
    """30 switches of degree 3: the 8-cage, which meets Moore's and Cerf's bounds, has fivefold symmetry."""
    search = LiftSearch(cyclic(5), 6, 3, Draws(1), Budget(200_000), least=(4, 2490))
    while not search.done:
        search.step()
    assert search.cost == (4, 2490)
    assert search.moves < 200_000


def test_odd_order_and_degree_leave_ports_free() -> None:
    """Without involutions an odd number of darts cannot be paired: the last class has one link less."""
    graph = Topology(links=searched(cyclic(5), 3, 3).best, switches=15)
    assert graph.degrees.tolist() == [3] * 10 + [2] * 5


def test_no_simple_graph_is_an_empty_search() -> None:
    """Four switches cannot have four links each: done at once, dearer than anything, no links."""
    search = LiftSearch(cyclic(4), 1, 4, Draws(1), Budget(100))
    assert search.done
    assert search.cost == (math.inf, math.inf)
    assert len(search.best) == 0


def test_petersen_as_a_lift() -> None:
    """The generalised Petersen graph GP(5, 2): two classes over Z5, voltages 1 outside, 2 inside, 0 between."""
    links = links_of_darts(cyclic(5), np.array([0, 0, 1, 1, 1, 0]), np.array([1, 4, 0, 2, 3, 0]), 3)
    found = hops(Topology(links=links, switches=10))
    assert len(links) == 15
    assert (found.diameter, round(found.aspl, 4)) == (2, 1.6667)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("row", [np.uint16, np.uint32, np.uint64])
def test_rows_of_any_width_count_the_same(row: type) -> None:
    """Sources are followed 128, 256 or 512 at a time; costs, and those beyond a target, do not depend on it."""
    from topoloom.optimizer.kernels.lifts import WEIGHT, orbit_hops

    n = 600
    lift = drawn_lift(cyclic(1), n, 3, Draws(3).state())
    assert lift is not None
    graph = Topology(links=links_of_darts(cyclic(1), lift.head, lift.voltage, 3), switches=n)
    found = hops(graph)
    cost, lost, diameter, farthest, total = orbit_hops(
        lift.table, 1, 9, 1 << 60, np.zeros(8 * n, row), np.zeros(8 * n, row)
    )
    distance = np.arange(len(found.histogram))
    assert (lost, diameter, farthest) == (0, found.diameter, found.histogram[-1])
    assert total == (found.histogram * distance).sum()
    assert cost == total + WEIGHT * (found.histogram * np.maximum(0, distance - 9)).sum()


def test_counting_stops_once_it_costs_too_much() -> None:
    """Above the limit the cost is only known to exceed it: that is what early rejection needs."""
    from topoloom.optimizer.kernels.lifts import orbit_hops

    ring = np.stack([np.arange(1, 65) % 64, np.arange(-1, 63) % 64], axis=1).astype(np.int32)
    scratch = np.zeros(8 * 64, np.uint16), np.zeros(8 * 64, np.uint16)
    whole = 2 * sum(range(32)) + 32
    assert orbit_hops(ring, 64, 64, whole, *scratch)[0] == whole
    assert whole > orbit_hops(ring, 64, 64, whole // 2, *scratch)[0] > whole // 2


def test_pairs_that_are_not_connected_count_n_hops() -> None:
    """Two circles of five: diameter n, and n hops for every pair of different circles."""
    from topoloom.optimizer.kernels.lifts import WEIGHT, orbit_hops

    circles = np.array([[x // 5 * 5 + (x + 1) % 5, x // 5 * 5 + (x + 4) % 5] for x in range(10)], np.int32)
    cost, lost, diameter, _, total = orbit_hops(
        circles, 5, 1, 1 << 60, np.zeros(80, np.uint16), np.zeros(80, np.uint16)
    )
    assert (lost, diameter, total) == (10, 2, 2 * (1 + 1 + 2 + 2))
    assert cost == total + 4 * WEIGHT + 10 * (10 + 9 * WEIGHT)
