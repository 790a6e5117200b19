"""Fat trees as they are built: counts of reference architectures, to the cable.

Published: NVIDIA DGX SuperPOD H100 (RA-11333-001 V11, Network Fabrics, Table 4), B200 and B300 (DGX SuperPOD Architecture,
tables of larger unit counts). The others follow from the rules in `families.tree_plan`.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import InputError, build
from topoloom.graph.hops import hops
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.topologies.families.tree_plan import four_levels, most_hosts, plan_tree
from topoloom.topologies.spec import facts_of


def counts(plan):
    """Leaves, aggregation and core switches, cables above the leaves and above the aggregation switches."""
    return plan.leaves, plan.aggregations, plan.cores, plan.leaf_links, plan.core_links


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        (248, (8, 0, 4, 256, 0)),
        (504, (16, 0, 8, 512, 0)),
        (760, (24, 0, 16, 768, 0)),
        (1016, (32, 0, 16, 1024, 0)),
        (512, (16, 0, 8, 512, 0)),
        (1024, (32, 0, 16, 1024, 0)),
        (2048, (64, 0, 32, 2048, 0)),
        (4096, (128, 128, 64, 4096, 4096)),
        (8192, (256, 256, 128, 8192, 8192)),
        (16384, (512, 512, 256, 16384, 16384)),
        (32768, (1024, 1024, 512, 32768, 32768)),
        (65536, (2048, 2048, 1024, 65536, 65536)),
        (3072, (96, 96, 64, 3072, 3072)),
        (5120, (160, 160, 128, 5120, 5120)),
        (6144, (192, 192, 128, 6144, 6144)),
    ],
)
def test_64_port_trees_are_those_of_reference_architectures(hosts, expected):
    """DGX SuperPOD H100 of 1 to 4 units, B200 of 2 to 64, and what the same rule gives between."""
    assert counts(plan_tree(64, hosts)) == expected


@pytest.mark.parametrize(
    ("hosts", "leaves", "spines"), [(576, 8, 4), (1152, 16, 8), (2304, 32, 18), (4608, 64, 36), (10368, 144, 72)]
)
def test_144_port_trees_are_those_of_b300(hosts, leaves, spines):
    """DGX SuperPOD B300 with Q3400 switches: 72 ports down and up, bundles of equally many cables."""
    assert counts(plan_tree(144, hosts)) == (leaves, 0, spines, hosts, 0)


@pytest.mark.parametrize(
    ("hosts", "taper", "leaf", "expected"),
    [
        (1024, "taper", (40, 20), (26, 0, 10, 520, 0)),
        (2048, "taper", (42, 21), (49, 0, 21, 1029, 0)),
        (4096, "taper", (40, 20), (103, 80, 40, 2060, 2560)),
        (4096, "core_taper", (32, 32), (128, 128, 32, 4096, 2048)),
        (8192, "taper", (40, 20), (205, 140, 80, 4100, 4480)),
        (8192, "core_taper", (32, 32), (256, 256, 64, 8192, 4096)),
        (16384, "taper", (40, 20), (410, 260, 160, 8200, 8320)),
        (16384, "core_taper", (32, 32), (512, 512, 128, 16384, 8192)),
        (65536, "taper", (42, 21), (1561, 1029, 672, 32781, 32928)),
        (65536, "core_taper", (32, 32), (2048, 2048, 512, 65536, 32768)),
    ],
)
def test_two_to_one_takes_the_ports_that_divide_best(hosts, taper, leaf, expected):
    """Of 64 ports 42 down and 21 up, or 40 and 20 where that saves spines; or half of the cables to the core."""
    plan = plan_tree(64, hosts, **{taper: (2, 1)})
    assert (plan.down, plan.up) == leaf
    assert counts(plan) == expected


def test_levels_are_as_few_as_take_the_hosts():
    """A switch, two levels to k^2/2 host ports, three to k^3/4; beyond that nothing."""
    for k in (8, 64, 128, 144, 512):
        for levels in (1, 2, 3):
            most = most_hosts(k, levels)
            assert plan_tree(k, most).levels == levels
            if levels < 3:
                assert plan_tree(k, most + 1).levels == levels + 1
    with pytest.raises(InputError, match="3 levels of 64-port switches take about 65,536 at most"):
        plan_tree(64, 65537)
    with pytest.raises(InputError, match="2 levels of 64-port switches take about 2,048 at most"):
        plan_tree(64, 2049, levels=2)


def test_uneven_bundles_take_as_many_spines_as_there_are_ports_for():
    """24 leaves of 32 ports up: 12 spines by their ports, 16 in equal bundles; the core of 3,072 hosts likewise."""
    assert plan_tree(64, 768, even=False).cores == 12
    assert plan_tree(64, 768).cores == 16
    # 160 leaves have links for 80 core switches, but each of the 32 places in a pod has a core of its own: 5 pods x 32 links of
    # it need three switches, not two and a half.
    assert counts(plan_tree(64, 5120, even=False))[:3] == (160, 160, 96)
    assert counts(plan_tree(64, 6144, even=False))[:3] == (192, 192, 96)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.integers(4, 24),
    st.integers(1, 1500),
    st.sampled_from(["", "taper=2:1", "taper=3:1", "core_taper=2:1", "bundles=uneven", "levels=3"]),
)
def test_what_is_built_is_what_was_planned(k, hosts, more):
    """Switches, cables, degrees and diameter as the facts say; no switch has more than k ports, no leaf a steeper taper."""
    spec = f"fat-tree:k={k},hosts={hosts}" + (f",{more}" if more else "")
    try:
        facts = facts_of(spec)
    except InputError:
        return
    tree = build(spec)
    assert (tree.switches, len(tree.links), tree.hosts) == (facts.switches, facts.links, hosts)
    assert (tree.degrees.max(), tree.degrees.min()) == (facts.degree, facts.degree_min)
    assert tree.radix <= k
    assert hops(tree).diameter == facts.diameter
    level = tree.labels["level"]
    leaves = level == 0
    assert tree.endpoints_at[~leaves].sum() == 0
    if level.max() and more.startswith("taper"):
        down, up = tree.endpoints_at[leaves], tree.degrees[leaves]
        assert (down <= int(more[6]) * up).all()
    pairs, cables = np.unique(tree.links, axis=0, return_counts=True)
    if more != "bundles=uneven":
        for low in range(int(level.max())):
            assert np.unique(cables[level[pairs[:, 0]] == low]).size == 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("fat-tree:k=64,taper=2:1", "taper needs a number of hosts"),
        ("fat-tree:k=64,hosts=4096,pods=3", "hosts=4096 determines the number of pods"),
        ("fat-tree:radix=64,hosts=100,taper=3:0", "taper=3:0 is out of range"),
        ("fat-tree:k=64,hosts=100,leaf=60:20", "leaf=60:20: 80 ports, but a switch has 64"),
        ("fat-tree:k=64,hosts=100,leaf=20:20,taper=2", "leaf and taper both determine"),
        ("fat-tree:k=64,radix=64", "k is given twice"),
        ("pgft:m=4x4,w=2", "m, w and p have 2, 1 and 2 levels"),
    ],
)
def test_what_makes_no_tree_is_said_in_a_sentence(spec, message):
    """Ratios of nothing, two ways to say one thing, more ports than there are."""
    with pytest.raises(InputError, match=message):
        build(spec)


def test_the_engine_loads_a_shrunk_core_evenly():
    """4,096 hosts: each channel between switches carries 3 or 4 pairs of leaves."""
    tree = build("fat-tree:radix=64,hosts=4096")
    routed = route(tree, "fat-tree")
    assert routed.verification.virtual_channels_used == 1
    assert routed.verification.minimal
    assert (min(loads(routed)), max(loads(routed))) == (3, 4)


def loads(routed):
    """Pairs of leaves over each channel."""
    found = np.zeros(2 * len(routed.topology.links), int)
    leaves = np.flatnonzero(routed.topology.labels["level"] == 0)
    for goal in leaves:
        at = leaves[leaves != goal]
        while at.size:
            channel = routed.channels.first[at] + routed.ports[goal, at]
            np.add.at(found, channel, 1)
            at = routed.channels.to[channel]
            at = at[at != goal]
    return found


@pytest.mark.parametrize("spec", ["fat-tree:k=8", "fat-tree:k=16,hosts=500", "fat-tree:k=16,hosts=500,taper=3:1"])
def test_the_engine_takes_trees_whose_switches_are_in_any_order(spec):
    """As from a file with a label `level`: shortest, in one virtual channel, and no more uneven than in the family's own
    order.
    """
    tree = build(spec)
    order = np.random.default_rng(5).permutation(tree.switches)
    level = np.empty_like(tree.labels["level"])
    level[order] = tree.labels["level"]
    mixed = Topology(order[tree.links], tree.switches, order[tree.endpoints], labels={"level": level})
    routed = route(mixed, "fat-tree")
    assert routed.verification.minimal
    assert routed.verification.virtual_channels_used == 1
    assert max(loads(routed)) <= 1.5 * max(loads(route(tree, "fat-tree")))


@pytest.mark.parametrize(
    ("formal", "built"),
    [
        ("pgft:m=32x32,w=1x16,p=1x2", "fat-tree:k=64,hosts=1024"),
        ("pgft:m=32x32x4,w=1x32x2,p=1x1x16", "fat-tree:k=64,hosts=4096"),
        ("pgft:m=32x32x8,w=1x32x4,p=1x1x8", "fat-tree:k=64,hosts=8192"),
        ("pgft:m=32x32x64,w=1x32x32", "fat-tree:k=64,hosts=65536"),
        ("pgft:m=4x4x4,w=1x4x4", "kary-tree:k=4,n=3"),
    ],
)
def test_formal_names_are_of_the_trees_that_are_built(formal, built):
    """PGFT(2; 32,32; 1,16; 1,2) and the like: as many of each, and the same hops between all."""
    one, other = build(formal), build(built)
    facts = facts_of(formal)
    assert (one.switches, len(one.links), one.hosts) == (other.switches, len(other.links), other.hosts)
    assert (facts.switches, facts.links, facts.degree, facts.degree_min) == (
        one.switches,
        len(one.links),
        one.degrees.max(),
        one.degrees.min(),
    )
    assert np.array_equal(hops(one).histogram, hops(other).histogram)
    assert np.array_equal(np.sort(one.degrees), np.sort(other.degrees))


def test_hosts_of_a_formal_tree_may_have_several_ports():
    """w1 = 2: two leaves a host, in two planes that no link joins."""
    tree = build("pgft:m=4x4,w=2x4")
    assert (tree.hosts, tree.endpoints.size, tree.switches) == (16, 32, 16)
    assert all(np.unique(tree.endpoints[tree.host == host]).size == 2 for host in range(16))


@pytest.mark.parametrize("k", [4, 8, 64])
def test_a_full_tree_of_four_levels_has_seven_switches_for_k_hosts(k):
    """2 (k/2)^4 hosts: 2 H / k switches on each of three levels, and H / k on top; H cables between any two levels."""
    hosts = 2 * (k // 2) ** 4
    tree = four_levels(k, hosts)
    facts = facts_of("pgft:" + ",".join(f"{key}={'x'.join(map(str, values))}" for key, values in tree.items()))
    assert (facts.switches, facts.links, facts.hosts, facts.degree) == (7 * hosts // k, 3 * hosts, hosts, k)
    assert four_levels(k, hosts + 1) is None
    assert four_levels(2, 2) is None


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from([4, 6, 8, 10]), st.integers(20, 1200), st.sampled_from([(1, 1), (2, 1), (4, 1)]))
def test_trees_of_four_levels_keep_the_taper_and_the_ports(k, hosts, taper):
    """All hosts find a port, no switch has more than k, leaves keep the ratio, and above them nothing is tapered."""
    tree = four_levels(k, hosts, taper)
    if tree is None:
        return
    built = build("pgft:" + ",".join(f"{key}={'x'.join(map(str, values))}" for key, values in tree.items()))
    assert built.hosts >= hosts
    assert built.radix <= k
    assert hops(built).connected
    level = built.labels["level"]
    low = level[built.links].min(axis=1)
    between = np.bincount(low, minlength=3)
    assert between[0] * taper[0] >= built.hosts * taper[1]
    assert between[0] <= between[1] <= between[2]
