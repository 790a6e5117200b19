"""The maximum channel load of trees with holes, and after losses, is close to what no tables can do without."""

import numpy as np
import pytest
from awkward_trees import three_levels, two_levels

from topoloom import route
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import lft_text
from topoloom.fabric.lft import read_lft
from topoloom.fabric.repair import repair_fabric
from topoloom.fabric.tables_compared import table_figures
from topoloom.model.topology import Topology
from topoloom.routing.tree_order import tree_order
from topoloom.routing.trees.least_load import least_channel_load

HOLES = {
    "two levels": lambda seed: two_levels(8, 6, 1, 8, lost=4, seed=seed),
    "bundles": lambda seed: two_levels(10, 4, 2, 10, lost=6, service=[(3, 2)], seed=seed),
    "three levels": lambda seed: three_levels(6, 4, 4, 16, 1, 5, lost=6, seed=seed),
    "bundles above": lambda seed: three_levels(4, 4, 4, 8, 2, 4, lost=6, gone=(33,), seed=seed),
}


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("case", HOLES)
def test_loads_of_a_tree_with_holes_are_close_to_the_lower_bound(case, seed):
    """Within 15 % of the pairs that must leave a leaf or a pod over its cables, or within the pairs of one entry."""
    topology = HOLES[case](seed)
    figures = table_figures(route(topology), planned_fabric(topology))
    least = least_channel_load(topology, tree_order(topology).level)
    assert figures.unreachable_pairs == 0
    assert figures.max_channel_load >= least
    assert figures.max_channel_load <= max(1.15 * least, least + topology.endpoints_at.max())


def test_the_lower_bound_counts_pairs_that_must_leave_a_leaf_or_a_pod():
    """By hand: 4 pods of 2 leaves with 3 hosts, 2 middles, and one cable from each middle to a top switch."""
    topology = three_levels(4, 2, 2, 2, 1, 3, shuffled=False)
    assert least_channel_load(topology) == 33  # 3 x 21 pairs over 2 cables, and entries of 3 pairs each
    assert least_channel_load(topology, paths_per_pair=2) == 31.5
    assert least_channel_load(topology, tree_order(topology).level) == 54  # 6 x 18 pairs over 2 cables of a pod


@pytest.mark.parametrize("seed", range(1, 6))
def test_few_changes_keep_loads_even_after_losses(seed):
    """Three lost cables between leaves and spines: within 15 % of the lower bound, and few entries besides the broken ones."""
    topology = two_levels(12, 8, 1, 8, shuffled=False)
    fabric = planned_fabric(topology)
    tables = read_lft(lft_text(route(topology), fabric), "old.lft", fabric)
    lost = np.random.default_rng(seed).choice(len(topology.links), 3, replace=False)
    left = np.delete(np.arange(len(topology.links)), lost)
    links = topology.links[left]
    now = fabric.after_losses(
        Topology(links, topology.switches, topology.endpoints, name="after"), np.arange(topology.switches), left
    )
    repaired = repair_fabric(fabric, tables, now, alternative=False)
    chosen = next(figures for figures in repaired.figures if figures.chosen)
    least = least_channel_load(now.topology, tree_order(now.topology).level)
    assert (chosen.unreachable_pairs, chosen.longer_pairs, repaired.deadlock_free) == (0, 0, True)
    assert chosen.max_channel_load <= 1.15 * least + 8
    assert repaired.entries_changed <= 2 * repaired.entries_broken + 8
