"""The search for the fewest hops: every way of evaluating a move is exact, and what it keeps is kept."""

import numpy as np
import pytest

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.graph.geometry import Geometry, geometry_of
from topoloom.graph.hops import hops
from topoloom.model.topology import Topology
from topoloom.optimizer.kernels import hops as kernels
from topoloom.optimizer.kernels.filter import keep_distances, list_affected
from topoloom.optimizer.kernels.hop_state import make, unmake
from topoloom.optimizer.kernels.moves import propose
from topoloom.optimizer.kernels.rows import enter_all
from topoloom.optimizer.rules import GraphRules, links_of, moves_of, racks_of, within_length
from topoloom.optimizer.searches.chain_setup import ChainBudget, ChainSetup
from topoloom.optimizer.searches.hop_search import SOFT, HopSearch
from topoloom.optimizer.structures.mirror_symmetry import symmetric_grid
from topoloom.topologies.spec import build

GRID = "grid:rows=8,columns=9,degree=4,length=3"


def searching(topology, rules=None, moves=3000, seed=1, **given):
    """A search over a topology."""
    return HopSearch(moves_of(topology, rules or GraphRules()), Draws(seed), Budget(moves), **given)


def near(topology, length):
    """The rule of links no longer than `length`."""
    return GraphRules(within_length(topology, geometry_of(topology), length))


def state_of(search):
    """The links running and the totals of a search."""
    return search._moves.table.copy(), search._hops.totals[:3].tolist()


def anneal(search, way, temperature, rounds=3, count=200):
    """Some rounds of moves of a search in one way, distances kept."""
    keep_distances(search._moves.table, search._hops, search.target)
    search._way = way
    for _ in range(rounds):
        search._anneal(temperature, count)


def classes(topology):
    """The rule of moves that keep each rack pair's links, seven switches per rack."""
    return GraphRules(rack=racks_of(topology, np.arange(topology.switches) // 7))


#: General graphs of one to several blocks, a length limit, classes, symmetries.
EVALUATED = (
    "jellyfish:n=150,degree=5",
    "jellyfish:n=70,degree=11",
    "jellyfish:n=300,degree=3",
    GRID,
    "classes",
    "symmetries",
)


def evaluated(name):
    """A topology, its rules, and its images where it is symmetrical."""
    if name == "classes":
        topology = build("jellyfish:n=140,degree=4")
        return topology, classes(topology), None
    if name == "symmetries":
        topology, images = symmetric_grid("grid", 8, 10, degree=4, length=3)
        return topology, near(topology, 3), images
    topology = build(name)
    return topology, near(topology, 3) if name == GRID else GraphRules(), None


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", EVALUATED)
@pytest.mark.parametrize("temperature", [200.0, 5.0])
def test_every_way_of_evaluating_makes_the_same_moves(name, temperature):
    """In every way the same draws, decisions, links, best graph and sums, and these are those measured from nothing."""
    topology, rules, images = evaluated(name)
    seen = []
    for way in (kernels.FULL, kernels.FILTERED, kernels.SHALLOW, kernels.TOGETHER):
        # Mixed first, for distances are kept of connected graphs only.
        search = searching(topology, rules, target=4, images=images, sweeps=2)
        assert search.cost[0] < topology.switches
        anneal(search, way, temperature)
        table, totals = state_of(search)
        links, moved = search._moves.links.tolist(), int(search._hops.totals[3])
        seen.append((table.tolist(), totals, links, moved, search._state.tolist(), search.best.tolist(), search.cost))
        found = hops(topology.replace(links=links_of(table, search._moves.degree)))
        beyond = int(found.histogram[5:] @ np.arange(1, found.histogram.size - 4))
        pairs = topology.switches * (topology.switches - 1)
        images_of_each = 1 if images is None else len(images)
        assert [totals[0] * images_of_each, totals[1] * images_of_each, totals[2]] == [
            round(found.aspl * pairs),
            beyond,
            found.diameter,
        ]
    assert seen[0][3] > 0
    assert all(one == seen[0] for one in seen[1:])


def test_a_move_of_more_origins_than_a_row_has_bits_is_evaluated_alone():
    """On a long ring a move may bring more than 512 sources nearer: together, decisions and sums stay those of one each."""
    ring = [(i, (i + 1) % 700) for i in range(700)]
    topology = Topology(links=ring + [(i, i + 350) for i in range(0, 350, 50)], switches=700)
    seen, most = [], 0
    for way in (kernels.FILTERED, kernels.TOGETHER):
        search = searching(topology, target=4)
        anneal(search, way, 100.0, rounds=1, count=50)
        seen.append((search._moves.table.tolist(), search._hops.totals[:4].tolist(), search._state.tolist()))
    for _ in range(100):
        u, u2, v, v2, _one, _other = propose(search._moves, search._state)
        ends, made = make(search._moves, search._hops, u, u2, v, v2) if u >= 0 else (0, 0)
        if ends:
            most = max(most, list_affected(search._moves.table, search._hops, ends)[0])
            unmake(search._moves.table, search._hops.done, made)
    assert most > 512
    assert seen[0] == seen[1]


def test_the_kept_rows_and_distances_are_those_of_the_graph():
    """After moves in every way, rows of two hops and distances equal those that are made again."""
    topology = build("jellyfish:n=90,degree=4")
    search = searching(topology, moves=4000)
    while not search.done:
        search.step()
    search._keep_rows()
    kept = search._kept.first.copy(), search._kept.second.copy(), search._hops.totals[4:6].copy()
    enter_all(search._moves.table, search._hops, search._kept)
    assert np.array_equal(kept[0], search._kept.first)
    assert np.array_equal(kept[1], search._kept.second)
    assert np.array_equal(kept[2], search._hops.totals[4:6])


def test_a_search_keeps_degrees_and_lengths_and_never_returns_worse():
    """Degrees stay, no link gets longer than the limit, none is doubled, and the cost is the best graph's own."""
    topology = build(GRID)
    geometry = Geometry.grid(8, 9)
    search = searching(topology, near(topology, 3))
    first = search.cost
    while not search.done:
        search.step()
    found = topology.replace(links=search.best)
    assert (found.degrees == topology.degrees).all()
    assert geometry.distance(found.links[:, 0], found.links[:, 1]).max() <= 3
    assert len(np.unique(found.links, axis=0)) == len(topology.links)
    measured = hops(found)
    assert search.cost == (measured.diameter, round(measured.aspl * 72 * 71))
    assert search.cost < first


def test_moves_in_a_class_keep_the_links_of_every_rack_pair():
    """Permutation-only moves: each rack pair, and each rack, has as many links as before."""
    topology = build("jellyfish:n=60,degree=6")
    rack = racks_of(topology, np.arange(60) // 7)

    def pairs(links):
        return np.unique(np.sort(rack[links], axis=1), axis=0, return_counts=True)

    search = searching(topology, GraphRules(rack=rack))
    while not search.done:
        search.step()
    before, after = pairs(topology.links), pairs(search.best)
    assert np.array_equal(before[0], after[0])
    assert np.array_equal(before[1], after[1])
    assert not np.array_equal(search.best, topology.links)
    assert (topology.replace(links=search.best).degrees == topology.degrees).all()


@pytest.mark.parametrize(("columns", "turned"), [(10, False), (8, True)])
def test_symmetries_are_kept(columns, turned):
    """Every image of every link is a link; the cost, counted from one switch of each orbit, is that of all pairs."""
    topology, images = symmetric_grid("grid", 8, columns, degree=4, length=3, turned=turned)
    assert len(images) == 4
    search = searching(topology, near(topology, 3), images=images, sweeps=20)
    while not search.done:
        search.step()
    links = {tuple(link) for link in np.sort(search.best, axis=1).tolist()}
    for image in images:
        assert {tuple(link) for link in np.sort(image[search.best], axis=1).tolist()} == links
    found = hops(topology.replace(links=search.best))
    n = topology.switches
    assert search.cost == (found.diameter, round(found.aspl * n * (n - 1)))
    assert (topology.replace(links=search.best).degrees == 4).all()


def test_parts_are_joined_first():
    """Two rings become one network: a disconnected start counts n hops for each pair that is apart."""
    ring = [(i, (i + 1) % 12) for i in range(12)]
    topology = Topology(links=ring + [(u + 12, v + 12) for u, v in ring], switches=24)
    search = searching(topology, moves=2000)
    assert search.cost[0] == 24
    while not search.done:
        search.step()
    assert hops(topology.replace(links=search.best)).components == 1


def test_where_nothing_can_move_the_search_ends():
    """A complete graph has no move; the search ends all the same, with the graph as it was."""
    topology = build("complete:n=6")
    search = searching(topology, moves=500)
    while not search.done:
        search.step()
    assert np.array_equal(np.sort(search.best, axis=1), topology.links)


def test_a_low_cost_beyond_the_target_weighs_moves_as_it_says():
    """The energy is the hops plus the weight times those beyond the target, from the first weight to the last."""
    search = searching(build("jellyfish:n=96,degree=3"), moves=4000, weights=SOFT, target=4)
    walked, beyond = search._hops.totals[:2].tolist()
    assert search.energy == walked + SOFT[0] * beyond
    while not search.done:
        search.step()
    walked, beyond = search._hops.totals[:2].tolist()
    assert SOFT[0] * beyond < search.energy - walked <= SOFT[1] * beyond


@pytest.mark.parametrize(("degree", "weights"), [(3, {(8, 64), SOFT}), (4, {(8, 64)})])
def test_only_following_chains_of_three_links_are_soft(degree, weights):
    """With a number of moves, every chain has the same costs as ever."""
    topology = build(f"jellyfish:n=20,degree={degree}")
    for round_moves, expected in ((100, weights), (None, {(8, 64)})):
        setup = ChainSetup(topology, GraphRules(), 1, ChainBudget(1000), round_moves=round_moves)
        chains = [setup.hops(number, (1, 0), None) for number in range(4)]
        assert {chain._weights for chain in chains} == expected
