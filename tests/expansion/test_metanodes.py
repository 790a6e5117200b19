"""Growth of an Xpander by a switch in every meta-node."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from topoloom import InputError, build, expand
from topoloom.cabling.expansion.methods.metanodes import metanodes
from topoloom.cabling.expansion.registry import ExpansionRequest
from topoloom.cabling.expansion.stages import difference


def _matched(topology) -> bool:
    """Whether any two groups are joined by a perfect matching, and none has a link inside."""
    group = topology.labels["group"]
    sizes = np.bincount(group)
    for a, b in combinations(range(sizes.size), 2):
        between = topology.links[(np.sort(group[topology.links], axis=1) == (a, b)).all(axis=1)]
        if len(between) != sizes[0] or np.unique(between).size != 2 * sizes[0]:
            return False
    return len(set(sizes.tolist())) == 1 and (group[topology.links[:, 0]] != group[topology.links[:, 1]]).all()


def test_every_stage_is_a_lift():
    """Degrees stay, every pair of meta-nodes is matched, and hosts come with the new switches."""
    before = build("xpander:degree=5,lifts=3,hosts=2")
    plan = expand(before, 30)
    assert plan.method == "metanodes"
    assert [stage.topology.switches for stage in plan.steps] == [24, 30]
    for stage in plan.steps:
        assert _matched(stage.topology)
        assert set(stage.topology.degrees.tolist()) == {5}
        assert stage.topology.hosts == 2 * stage.topology.switches


def test_a_link_of_a_pair_is_opened_at_most():
    """A step opens one link of a pair of meta-nodes or none; a new pair of switches takes the place of none."""
    before = build("xpander:degree=7,lifts=4")
    after = expand(before, 40, seed=3).steps[0].topology
    removed, added, _ = difference(before, after)
    group = before.labels["group"]
    pairs = np.sort(group[removed], axis=1)
    assert len(np.unique(pairs, axis=0)) == len(pairs) <= 28
    assert len(added) == 28 + len(removed)


def test_grown_matchings_are_uniform():
    """From one switch a meta-node to three all six matchings of a pair come up equally often (a chi-squared of 5 degrees)."""
    seen, pair = Counter(), build("complete:n=2").replace(labels={"group": np.arange(2)})
    for seed in range(600):
        links = metanodes(ExpansionRequest(pair, 6, None, seed=seed)).stages[-1].topology.links
        seen[tuple(sorted(map(tuple, links.tolist())))] += 1
    assert len(seen) == 6
    assert sum((count - 100) ** 2 / 100 for count in seen.values()) < 20.5  # once in a thousand by chance


def test_sizes_and_networks_that_do_not_fit_are_refused():
    """With the nearest sizes, or the method that grows anything."""
    with pytest.raises(InputError, match=r"it has 6 meta-nodes, .* \(nearest: 24, 30\)"):
        expand(build("xpander:degree=5,lifts=3"), 25)
    with pytest.raises(InputError, match="not joined by a perfect matching; use method splice"):
        expand(build("ring:n=6").replace(labels={"group": np.arange(6) % 2}), 12, method="metanodes")
    with pytest.raises(InputError, match="no label 'group'"):
        expand(build("ring:n=6"), 12, method="metanodes")
    with pytest.raises(InputError, match="links inside"):
        expand(build("dragonfly:h=1"), 9, method="metanodes")
