"""Trees without labels are recognised by their wiring, and get tables per host with even loads.

The loads of OpenSM's best engine are from opensm 3.3.23 on ibsim, with the engines minhop, updn, ftree, dnup and dfsssp.
"""

import numpy as np
import pytest
from awkward_trees import three_levels, two_levels

from topoloom import build, reroute, route
from topoloom.core.errors import InputError
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.tables_compared import table_figures
from topoloom.routing.fitting import fitting_engine
from topoloom.routing.tree_order import tree_order

#: A tree, whether its order counts down from a root, and the maximum channel load of OpenSM's best engine.
TREES = {
    "regular": (two_levels(8, 4, 2, 8, shuffled=False), False, 56),
    "service leaves": (two_levels(8, 4, 2, 8, service=[(2, 4), (3, 2)]), False, 132),
    "a host on a spine": (two_levels(8, 4, 2, 8, on_spines=[(1, 1)]), False, 64),
    "hosts on two spines": (two_levels(8, 4, 2, 8, on_spines=[(1, 1), (2, 2)]), True, 66),
    "a host on every spine": (two_levels(8, 4, 2, 8, on_spines=[(s, 1) for s in range(4)]), True, 67),
    "holes": (two_levels(8, 4, 2, 8, lost=5), False, 96),
    "three levels": (three_levels(4, 4, 4, 8, 2, 4, shuffled=False), False, 92),
    "three levels with holes": (three_levels(4, 4, 4, 8, 2, 4, lost=6), False, 104),
}


@pytest.mark.parametrize("case", TREES)
def test_trees_are_recognised_and_carry_no_more_than_with_opensm(case):
    """Every pair arrives up and then down, one virtual channel suffices, and no channel has more pairs of hosts."""
    topology, rooted, best_of_opensm = TREES[case]
    order = tree_order(topology)
    assert order is not None
    assert order.rooted == rooted
    assert (order.level[topology.links[:, 0]] != order.level[topology.links[:, 1]]).all()
    routing = route(topology)
    assert (routing.engine, routing.by_host) == ("fat-tree-hosts", True)
    assert routing.verification.complete
    assert routing.verification.deadlock_free
    assert routing.verification.virtual_channels_used == 1
    figures = table_figures(routing, planned_fabric(topology))
    assert figures.unreachable_pairs == 0
    assert figures.max_channel_load <= best_of_opensm


def test_levels_are_those_of_the_plan_where_hosts_are_only_below():
    """The distances from hosts are the labels of the family."""
    planned = build("fat-tree:k=4")
    bare = planned.replace(labels={})
    assert tree_order(bare).level.tolist() == planned.labels["level"].tolist()
    assert fitting_engine(bare) == ("fat-tree-hosts", "a tree by the distances from its hosts")
    figures = table_figures(route(bare), planned_fabric(bare))
    # 14 = 16 - 2 pairs per host over the cable up of each: no tables can do with less.
    assert (figures.max_channel_load, figures.shift_throughput) == (14, 1.0)


def test_a_cable_between_two_leaves_does_not_hide_the_tree():
    """One cable within a level; both of its ends use it."""
    topology = two_levels(16, 4, 2, 8, shuffled=False)
    cabled = topology.replace(links=np.concatenate([topology.links, [(0, 1)]]))
    routing = route(cabled)
    assert routing.engine == "fat-tree-hosts"
    assert routing.verification.minimal
    assert routing.host_tables[0].path(0, 1) == [0, 1]


@pytest.mark.parametrize(
    "spec", ["torus:dims=4x4,hosts=2", "slimfly:q=5,hosts=2", "hypercube:n=4,hosts=1", "dragonfly:h=2"]
)
def test_other_networks_are_no_trees(spec):
    """Networks with hosts on every switch, and rings of switches some of which have hosts."""
    assert tree_order(build(spec).replace(labels={})) is None
    ring = build("ring:n=8")
    sparse = ring.replace(endpoints=np.array([0, 0, 4, 4]), labels={})
    assert tree_order(sparse) is None or route(sparse).verification.deadlock_free


def test_a_named_engine_says_why_it_refuses():
    """The sentence says what is missing."""
    with pytest.raises(InputError, match="no tree by the distances from hosts"):
        route(build("torus:dims=3x3,hosts=1").replace(labels={}), "fat-tree-hosts")


def test_tables_per_host_are_repaired_after_losses():
    """After a lost cable and a lost spine all hosts reach each other without deadlock; only some entries change."""
    topology = two_levels(8, 4, 2, 8, shuffled=False)
    rerouted = reroute(route(topology), cables=[0], switches=[9])
    assert rerouted.surviving.by_host
    assert rerouted.surviving.verification.complete
    assert rerouted.surviving.verification.deadlock_free
    assert rerouted.entries_broken <= rerouted.entries_changed < rerouted.entries
    assert table_figures(rerouted.surviving, planned_fabric(rerouted.surviving.topology)).unreachable_pairs == 0
