"""Switches known by their plugs: ports tell apart what shape cannot, and what ports do not tell stays unknown."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom.fabric.compare import compare_fabrics
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.identify import identify
from topoloom.fabric.plug_matching import match_plugs
from topoloom.topologies.spec import build

SPECS = ["fat-tree:hosts=64,k=16", "slimfly:q=5,hosts=2", "torus:dims=4x4,hosts=1", "complete:n=8,hosts=1"]


@pytest.mark.parametrize("spec", SPECS)
def test_unnamed_switches_are_told_by_their_plugs(spec):
    """A third of the switches without a name, in any order: each is the planned one whose ports its cables are in."""
    plan = planned_fabric(build(spec))
    n = plan.topology.switches
    hosts = np.arange(plan.topology.hosts)
    for seed in range(5):
        known = np.arange(n)
        known[np.random.default_rng(seed).permutation(n)[: n // 3]] = -1
        assert match_plugs(plan, plan, known, hosts).tolist() == list(range(n))


def test_one_finds_the_next():
    """Of nobody known nobody is found; one known switch tells its neighbours, and these all others."""
    plan = planned_fabric(build("fat-tree:hosts=64,k=16"))
    known = np.full(plan.topology.switches, -1)
    nobody = np.full(plan.topology.hosts, -1)
    assert match_plugs(plan, plan, known, nobody).tolist() == known.tolist()
    known[0] = 0
    found = match_plugs(plan, plan, known, nobody)
    assert found.tolist() == list(range(plan.topology.switches))


def test_cables_in_other_ports_tell_nothing():
    """With all ports moved by some places no switch is guessed."""
    plan = planned_fabric(build("fat-tree:hosts=64,k=16"))
    there = replace(plan, link_ports=plan.link_ports + 20, endpoint_ports=plan.endpoint_ports + 20, made="x")
    known = np.arange(plan.topology.switches)
    known[8:] = -1
    assert match_plugs(plan, there, known, np.arange(64)).tolist() == known.tolist()


def test_two_that_would_be_the_same_are_neither():
    """A claim of two switches on one planned switch is none of either's."""
    plan = planned_fabric(build("complete:n=4"))
    known = np.array([0, 1, -1, -1])
    twice = replace(plan, link_ports=plan.link_ports.copy(), made="x")
    # The cables of switch 3 to 0 and 1 in the ports of those of switch 2, too.
    links = plan.topology.links.tolist()
    for far in (0, 1):
        twice.link_ports[links.index([far, 3])] = plan.link_ports[links.index([far, 2])]
    assert match_plugs(plan, twice, known, np.empty(0, np.int64)).tolist() == [0, 1, -1, -1]


def test_spines_that_nobody_named_are_compared_by_their_ports():
    """Spines of a fat tree are alike: by shape any would do, and cables would be reported that are right."""
    plan = planned_fabric(build("fat-tree:hosts=64,k=16"))
    names = tuple(name if s < 8 else "Quantum Mellanox Technologies" for s, name in enumerate(plan.switch_names))
    there = replace(plan, switch_names=names, made="found.net")
    match = identify(plan, there)
    assert match.switch.tolist() == list(range(plan.topology.switches))
    assert match.inferred == 4
    assert compare_fabrics(plan, there, match).same
