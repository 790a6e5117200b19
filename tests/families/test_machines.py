"""Networks of machines as they are built: planes, rails, Slingshot, Megafly, twisted tori, HammingMesh, UB-Mesh.

Counts: DGX SuperPOD H100 (RA-11333-001 V11, Table 4) and B300 (DGX SuperPOD Architecture, Table 3); DeepSeek-V3's MPFT (ISCA
2025); Alibaba HPN (SIGCOMM 2024); GB200 NVL72 (DGX SuperPOD GB200, Network Fabrics) and DGX B200 (user guide); Aurora (arXiv
2512.04291) and Frontier; TPU v4 and v5p (Google Cloud documentation; Jouppi et al., ISCA 2023); HammingMesh (SC 2022) on
64-port switches; UB-Mesh (arXiv 2503.20377).
"""

import numpy as np
import pytest

from topoloom import InputError, build
from topoloom.graph.connectivity import component_count
from topoloom.graph.hops import hops
from topoloom.topologies.spec import facts_of


def counts(spec):
    """Switches, links, hosts, endpoints, and parts that no link joins."""
    topology = build(spec)
    return (topology.switches, len(topology.links), topology.hosts, topology.endpoints.size, component_count(topology))


@pytest.mark.sweep(14)
@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        # DeepSeek's MPFT: eight planes of two levels of 64 ports.
        ("fat-tree:k=64,hosts=2048+planes:count=8", (768, 16384, 2048, 16384, 8)),
        # 64 x 800G as 512 x 100G, eight planes: 131,072 hosts in two levels.
        ("fat-tree:k=512,hosts=131072+planes:count=8", (6144, 1048576, 131072, 1048576, 8)),
        # B300, 8,192 accelerators with two ports of 400G on 128-port switches.
        ("fat-tree:k=128,hosts=8192+planes:count=2", (384, 16384, 8192, 16384, 2)),
        # Half of them: 128 leaves and 64 spines; the 4,096 cables of 800G are two of 400G each.
        ("fat-tree:k=128,hosts=4096+planes:count=2", (192, 8192, 4096, 8192, 2)),
        # DGX SuperPOD H100 of three units (16 spines, for bundles are equal) and of four.
        ("fat-tree:k=64,hosts=760+rails:nics=8", (40, 768, 95, 760, 1)),
        ("fat-tree:k=64,hosts=1016+rails:nics=8", (48, 1024, 127, 1016, 1)),
        # B300 with 144-port switches: 576 hosts (36 spines), and all that two levels take.
        ("fat-tree:k=144,hosts=4608+rails:nics=8", (100, 4608, 576, 4608, 1)),
        ("fat-tree:k=144,hosts=10368+rails:nics=8", (216, 10368, 1296, 10368, 1)),
        # A pod of HPN: 15 segments of 128 hosts, whose interfaces have a port in each of two planes; 240 leaves, 120 above.
        ("fat-tree:k=188,hosts=15360,leaf=128:60+rails:nics=8+planes:count=2", (360, 14400, 1920, 30720, 2)),
        # Inside a box or rack: each accelerator has links to every switch, and no switch to another.
        ("complete:n=1,hosts=72+planes:count=18", (18, 0, 72, 1296, 18)),
        ("complete:n=1,hosts=8+planes:count=2", (2, 0, 8, 16, 2)),
        ("slingshot:groups=166,pair_links=2", (5312, 82336 + 27390, 84992, 84992, 1)),
        ("slingshot:groups=175,pair_links=2", (5600, 86800 + 30450, 89600, 89600, 1)),
        ("slingshot:groups=74,pair_links=4", (2368, 36704 + 10804, 37888, 37888, 1)),
        ("megafly:leaves=32,g=1025", (65600, 1025 * 1024 + 1025 * 512, 1049600, 1049600, 1)),
        ("hammingmesh:boards=16x16", (1024 + 32, 1024 + 2048, 1024, 1024, 1)),
        ("hammingmesh:board=4x4,boards=8x8", (1024 + 16, 1536 + 1024, 1024, 1024, 1)),
        ("hammingmesh:board=4x4,boards=32x32", (16384 + 256, 24576 + 16384, 16384, 16384, 1)),
        ("hammingmesh:boards=64x64", (16384 + 1536, 16384 + 65536, 16384, 16384, 1)),
        # The comparison beside the MPFT: a tree of three levels, and a Dragonfly. Its published 384,272 links count all 512
        # global ports of each of 511 groups; two of them are left over when every two groups are joined once.
        ("fat-tree:k=64,hosts=65536", (5120, 131072, 65536, 65536, 1)),
        ("dragonfly:a=32,h=16,p=16,g=511", (16352, 511 * (496 + 256) - 511, 261632, 261632, 1)),
        ("dragonfly:a=32,h=16,p=16", (16416, 513 * (496 + 256), 262656, 262656, 1)),
        # Its Slim Fly of 1,568 switches does not exist (28 is no prime power); these are its neighbours.
        ("slimfly:q=27,hosts=21", (1458, 1458 * 41 // 2, 30618, 30618, 1)),
        ("slimfly:q=27,hosts=23", (1458, 1458 * 41 // 2, 33534, 33534, 1)),
        ("slimfly:q=29,hosts=21", (1682, 1682 * 43 // 2, 35322, 35322, 1)),
        ("torus:dims=16x16x24", (6144, 3 * 6144, 0, 0, 1)),
        ("ub-mesh", (1024, 1024 * (7 + 7 + 3 + 3) // 2, 1024, 1024, 1)),
        ("ub-mesh:dims=8x8", (64, 448, 64, 64, 1)),
    ],
)
def test_counts_are_those_of_the_machines(spec, expected):
    """Switches, links, hosts, ports and parts; and the facts, which are asked before anything is built, say the same."""
    assert counts(spec) == expected
    if "+" not in spec:
        facts = facts_of(spec)
        known = (facts.switches, facts.links, facts.hosts)
        assert all(fact in (None, 0, count) for fact, count in zip(known, expected, strict=False))
        assert facts.degree in (None, build(spec).degrees.max())


@pytest.mark.parametrize(
    ("dims", "diameter", "total"), [("4x4x8", 6, 440), ("4x8x8", 6, 1104), ("8x8x16", 12, 7136), ("8x16x16", 12, 17856)]
)
def test_twisted_tori_are_as_short_as_lattices(dims, diameter, total):
    """The sum of distances from any switch, of TPU slices; all switches have six links."""
    twisted = build(f"twisted-torus:dims={dims}")
    found = hops(twisted)
    assert (found.diameter, set(twisted.degrees.tolist())) == (diameter, {6})
    assert int(found.histogram @ np.arange(found.histogram.size)) == total * found.switches


@pytest.mark.parametrize(
    ("dims", "diameter", "total"),
    [("4x4x8", 8, 512), ("4x8x8", 10, 1280), ("8x8x16", 16, 8192), ("8x16x16", 20, 20480)],
)
def test_plain_tori_of_these_shapes_are_longer(dims, diameter, total):
    """A ring of n has n^2/4 from each switch, and a torus the sum over its rings."""
    found = hops(build(f"torus:dims={dims}"))
    assert found.diameter == diameter
    assert int(found.histogram @ np.arange(found.histogram.size)) == total * found.switches


def test_cubes_of_a_tpu_pod_are_joined_by_48_optical_switches():
    """TPU v4: 64 cubes of 4x4x4 with 144 links inside and 96 ends outside; a switch for each dimension and place on a face.

    Such a switch takes both ends of 64 links, 128 ports.
    """
    torus = build("torus:dims=16x16x16")
    place = np.stack([torus.labels[f"x{axis}"] for axis in range(3)], axis=1)
    cube = (place // 4) @ [16, 4, 1]
    ends = torus.links
    outside = cube[ends[:, 0]] != cube[ends[:, 1]]
    assert np.unique(cube).size == 64
    assert outside.sum() == 3072
    assert set(np.bincount(cube[ends[~outside, 0]]).tolist()) == {144}
    assert set(np.bincount(cube[ends[outside]].ravel()).tolist()) == {96}
    dimension = np.argmax(place[ends[outside, 0]] != place[ends[outside, 1]], axis=1)
    on_face = place[ends[outside, 0]] % 4
    on_face[np.arange(dimension.size), dimension] = 0
    optical, links = np.unique(np.column_stack([dimension, on_face]), axis=0, return_counts=True)
    assert (len(optical), set((2 * links).tolist())) == (48, {128})


def test_each_port_of_a_host_is_on_a_leaf_of_its_own_rail():
    """NIC r of every host of a unit on leaf r of the unit; the last unit has the hosts that are left (DGX SuperPOD H100)."""
    pod = build("fat-tree:k=64,hosts=1016+rails:nics=8")
    for host in range(pod.hosts):
        unit = host // 32
        assert pod.endpoints[pod.host == host].tolist() == list(range(8 * unit, 8 * unit + 8))
    assert pod.endpoints_at[:32].tolist() == [32] * 24 + [31] * 8


def test_both_ports_of_an_interface_are_on_leaves_of_their_own():
    """Dual ToR (Alibaba HPN): 16 leaves a unit for eight interfaces of two ports."""
    pod = build("fat-tree:k=64,hosts=1024+rails:nics=8,ports=2")
    assert pod.hosts == 64
    assert all(np.unique(pod.endpoints[pod.host == host]).size == 16 for host in range(64))


def test_planes_share_hosts_and_nothing_else():
    """Every host has one port in each plane, at the same place; hosts are as far apart as in the network itself."""
    one = build("slimfly:q=5,hosts=3")
    both = build("slimfly:q=5,hosts=3+planes:count=2")
    assert np.array_equal(both.endpoints[both.labels["plane"][both.endpoints] == 1] - 50, one.endpoints)
    assert np.array_equal(both.host, np.tile(np.arange(150), 2))
    assert hops(both).host_diameter == hops(one).host_diameter
    assert np.unique(both.labels["group"]).size == 2 * np.unique(one.labels["group"]).size


def test_no_switch_carries_two_more_links_between_groups_than_another():
    """Slingshot's are dealt out in turn, and each two groups have as many as any."""
    fly = build("slingshot:groups=20,pair_links=3,switches=8,p=4")
    group = fly.labels["group"]
    between = group[fly.links[:, 0]] != group[fly.links[:, 1]]
    at = np.bincount(fly.links[between].ravel(), minlength=fly.switches)
    assert at.max() - at.min() <= 1
    pairs, count = np.unique(np.sort(group[fly.links[between]], axis=1), axis=0, return_counts=True)
    assert len(pairs) == 190
    assert set(count.tolist()) == {3}


def test_a_megafly_of_all_groups_joins_each_two_once():
    """k = 8: 17 groups of 4 + 4 switches; hosts are three links apart at most."""
    fly = build("megafly:leaves=4")
    group = fly.labels["group"]
    between = group[fly.links[:, 0]] != group[fly.links[:, 1]]
    pairs, count = np.unique(np.sort(group[fly.links[between]], axis=1), axis=0, return_counts=True)
    assert (len(pairs), set(count.tolist())) == (17 * 16 // 2, {1})
    assert hops(fly).host_diameter == 3
    assert fly.radix == 8


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "fat-tree:hosts=4096,k=64,taper=2:1+rails:nics=8",
            "103 switches with hosts do not fill units of 8 .*; use 104",
        ),
        ("slimfly:q=5,hosts=4+nics:count=3", "switch 0 has 4 host ports, not a whole number of hosts with 3"),
        ("fat-tree:k=8+planes:count=2+planes:count=2", "has planes already"),
        ("fat-tree:k=8+planes:count=2+rails:nics=2", "hosts already have several ports"),
        ("twisted-torus:dims=4x4x4", "sides of n and of 2n, both at least once"),
        ("hammingmesh:boards=16", "boards=16: give rows and columns"),
        ("megafly:leaves=4,g=30", "30 groups, but 4 spines with 4 global links each reach 2 to 17"),
        ("slimfly:q=28", r"q=28 is not a prime power \(nearest: 27, 29\)"),
    ],
)
def test_what_cannot_be_built_is_said_in_a_sentence(spec, message):
    """Leaves that make no whole units, planes of planes, and shapes that do not exist."""
    with pytest.raises(InputError, match=message):
        build(spec)
