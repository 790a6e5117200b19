"""Exports for simulators that know networks by name: what the numbers in a file stand for is the network, or it is refused."""

import csv
import io
import itertools
import json

import networkx as nx
import numpy as np
import pytest
import yaml
from simulator_files import conf, files, htsim_graph, htsim_tiers, int32, with_hosts

from topoloom import InputError, build, place
from topoloom.model.topology import Topology


@pytest.mark.parametrize(
    ("spec", "blocks", "sizes", "rates"),
    [
        ("torus:dims=4x4x3,hosts=1", ["Ring"] * 3, [4, 4, 3], [50] * 3),
        ("torus:dims=4x2,hosts=1", ["Ring", "FullyConnected"], [4, 2], [50, 50]),
        ("ring:n=8,hosts=1", ["Ring"], [8], [50]),
        ("hyperx:dims=4x3,width=2,hosts=4", ["Switch", "FullyConnected", "FullyConnected"], [4, 4, 3], [50, 25, 25]),
        ("hypercube:n=3,hosts=1", ["FullyConnected"] * 3, [2] * 3, [50] * 3),
        ("complete:n=5,hosts=1", ["FullyConnected"], [5], [50]),
        ("complete:n=1,hosts=8", ["Switch"], [8], [50]),
    ],
)
def test_the_analytical_network_is_a_product(spec, blocks, sizes, rates):
    """Lists of equal length; sizes multiply to the hosts; several hosts of a switch share its links."""
    found = yaml.safe_load(files("analytical", spec)["network.yml"])
    assert (found["topology"], found["npus_count"], found["bandwidth"]) == (blocks, sizes, rates)
    assert np.prod(sizes) == build(spec).hosts
    # A hop: 25 ns of cable and a switch of 200 ns, of which each of two hops has half.
    assert found["latency"] == [125 if block == "Switch" else 225 for block in blocks]


@pytest.mark.parametrize("kind", ["analytical", "supersim", "htsim", "codes"])
def test_a_network_that_a_simulator_does_not_know_is_refused(kind):
    """A Slim Fly is none of theirs; nor is a network that says it were one."""
    with pytest.raises(
        InputError, match=r"slimfly\(q=5,hosts=2\): .*(has products|supports)|reads the links of Dragonflies"
    ):
        files(kind, "slimfly:q=5,hosts=2")
    torus = build("torus:dims=4x4,hosts=1")
    rewired = torus.replace(links=np.concatenate([torus.links[2:], [[0, 5], [1, 4]]]))
    with pytest.raises(InputError):
        files(kind, rewired)


def _hosts_of(made, hosts):
    """The host behind each node, by hosts.csv where there is one."""
    if "hosts.csv" not in made:
        return list(range(hosts))
    rows = list(csv.DictReader(io.StringIO(made["hosts.csv"])))
    assert [int(row["node"]) for row in rows] == list(range(hosts))
    return [int(row["host"]) for row in rows]


@pytest.mark.parametrize(
    "spec",
    [
        "fat-tree:k=4",
        "fat-tree:k=4,pods=2",
        "clos:leaves=4,spines=2,width=2",
        "pgft:m=4x2x3,w=1x2x2,p=1x1x1",
        "pgft:m=4x4x3,w=1x2x2,p=1x1x2",
        "fat-tree:k=4+permute:seed=1",
    ],
)
def test_htsim_wires_the_same_fat_tree(spec):
    """What htsim makes of the file is isomorphic to the network, hosts and parallel cables included."""
    topology = build(spec)
    made = files("htsim", topology)
    theirs, ours = htsim_graph(made["network.topo"]), with_hosts(topology)
    assert theirs.number_of_edges() == ours.number_of_edges()
    assert nx.is_isomorphic(nx.Graph(theirs), nx.Graph(ours))
    widths = [sorted(dict(nx.Graph(one).degree).values()) for one in (theirs, ours)]
    assert widths[0] == widths[1]
    # Nodes of one leaf there are hosts of one switch here, and nodes of one pod hosts of one pod.
    hosts = _hosts_of(made, topology.hosts)
    for node in range(topology.hosts):
        peers = [
            place for _, leaf in theirs.edges(("host", node)) for _, place in theirs.edges(leaf) if place[0] == "host"
        ]
        at = {int(topology.endpoints[np.flatnonzero(topology.host == hosts[place])[0]]) for _, place in peers}
        assert len(at) == 1


def test_htsim_of_a_thousand_hosts():
    """The fat tree of 1,024 hosts is that of htsim's own fat_tree_1024.topo, but for speed and delay."""
    header, tiers = htsim_tiers(files("htsim", "fat-tree:k=16", rate_gbps=100)["network.topo"])
    assert header == {"nodes": 1024, "tiers": 3, "podsize": 64}
    assert [tier["radix_down"] for tier in tiers] == [8, 8, 16]
    assert [tier.get("radix_up") for tier in tiers] == [8, 8, None]
    assert [tier.get("bundle") for tier in tiers] == [None, 1, 1]
    assert {tier["downlink_speed_gbps"] for tier in tiers} == {100}


@pytest.mark.parametrize(
    ("spec", "settings", "message"),
    [
        ("complete:n=1,hosts=4", {}, "one switch"),
        ("fat-tree:k=4", {"rate_gbps": 12.5}, "whole numbers of Gb/s"),
        ("fat-tree:k=4", {"host_rate_gbps": 100}, "needs one rate"),
        ("pgft:m=3x2,w=1x2,p=1x1", {}, "3 cables of 400 Gb/s down and 2 of 400 up"),
        ("pgft:m=2x2x2x2,w=1x1x1x1,p=1x1x1x1", {}, "4 levels"),
        ("fat-tree:k=36,hosts=1024,taper=2:1", {}, "16 to 24 hosts at a leaf"),
        ("megafly:leaves=2", {}, "links within a level"),
        ("fat-tree:k=4", {"traffic": "uniform,"}, "uniform"),
        ("fat-tree:k=20", {"traffic": "uniform"}, "at most 1048576"),
        ("fat-tree:k=4", {"traffic": "nothing"}, "no traffic pattern named"),
    ],
)
def test_htsim_refuses_what_its_fat_trees_are_not(spec, settings, message):
    """One sentence each."""
    with pytest.raises(InputError, match=message):
        files("htsim", spec, **settings)


@pytest.mark.parametrize("spec", ["fat-tree:k=4", "fat-tree:k=4+permute:seed=1"])
def test_htsim_gets_the_traffic_of_a_pattern(spec):
    """A permutation has every node send once and receive once; all to all has every pair."""
    lines = files("htsim", spec, traffic="permutation", message_bytes=5)["traffic.cm"].splitlines()
    assert lines[:2] == ["Nodes 16", "Connections 16"]
    pairs = [tuple(map(int, line.split()[0].split("->"))) for line in lines[2:]]
    assert sorted(a for a, _ in pairs) == sorted(b for _, b in pairs) == list(range(16))
    assert {line.partition(" id ")[2].partition(" ")[2] for line in lines[2:]} == {"start 0 size 5"}
    everyone = files("htsim", spec, traffic="uniform")["traffic.cm"].splitlines()[2:]
    assert {tuple(map(int, line.split()[0].split("->"))) for line in everyone} == set(
        itertools.permutations(range(16), 2)
    )


def _grid(widths, linked):
    """Links of SuperSim's grids, the first coordinate counted fastest."""
    points = list(itertools.product(*(range(width) for width in reversed(widths))))
    number = {point: place for place, point in enumerate(points)}
    for point in points:
        for axis, width in enumerate(reversed(widths)):
            for far in range(width):
                if linked(point[axis], far, width):
                    yield number[point], number[(*point[:axis], far, *point[axis + 1 :])]


#: By name, whether two places of a line are linked, the lower first; of src/network/{torus,mesh,hyperx}/Network.cc.
_LINKED = {
    "torus": lambda a, b, width: a < b and (b - a == 1 or b - a == width - 1),
    "mesh": lambda a, b, width: b - a == 1,
    "hyperx": lambda a, b, width: a < b,
}


@pytest.mark.parametrize(
    ("spec", "name", "weight"),
    [
        ("torus:dims=5x4x3,hosts=2", "torus", 1),
        ("mesh:dims=2x3,hosts=1", "mesh", 1),
        ("hyperx:dims=3x4,width=2,hosts=2", "hyperx", 2),
        ("hypercube:n=3,hosts=1", "hyperx", 1),
    ],
)
def test_supersim_builds_the_same_grid(spec, name, weight):
    """Routers have our numbers, and links lead between the same."""
    topology = build(spec)
    made = files("supersim", spec)
    found = json.loads(made["network.json"])["network"]
    assert (found["topology"], set(found["dimension_weights"])) == (name, {weight})
    assert found["concentration"] * topology.switches == topology.hosts
    links = sorted(_grid(found["dimension_widths"], _LINKED[name]))
    assert [list(ends) for ends in links for _ in range(weight)] == topology.links.tolist()
    assert "hosts.csv" not in made


@pytest.mark.parametrize("spec", ["dragonfly:h=2,wiring=palmtree", "dragonfly:h=2,g=5,wiring=palmtree"])
def test_supersim_builds_the_same_dragonfly(spec):
    """Its global port k of a group leads k + 1 groups on (dragonfly/util.cc); hosts.csv says who is where."""
    topology = build(spec)
    made = files("supersim", spec)
    found = json.loads(made["network.json"])["network"]
    groups, width, weight = found["global_width"], found["local_width"], found["global_weight"]
    each = -(-(groups - 1) * weight // width)
    theirs = nx.MultiGraph()
    for group in range(groups):
        theirs.add_edges_from(
            (group * width + a, group * width + b) for a, b in itertools.combinations(range(width), 2)
        )
        for copy, on in itertools.product(range(weight), range(1, groups)):
            target, back = (group + on) % groups, groups - on
            if group < target:
                one, other = copy * (groups - 1) + on - 1, copy * (groups - 1) + back - 1
                theirs.add_edge(group * width + one // each, target * width + other // each)
    hosts = _hosts_of(made, topology.hosts)
    switch = {node // found["concentration"]: int(topology.endpoints[host]) for node, host in enumerate(hosts)}
    renamed = nx.relabel_nodes(theirs, switch)
    assert sorted(sorted(ends) for ends in renamed.edges()) == topology.links.tolist()
    with pytest.raises(InputError, match="use dragonfly with wiring=palmtree"):
        files("supersim", spec.replace("palmtree", "absolute"))


@pytest.mark.parametrize("spec", ["fat-tree:k=4", "clos:leaves=3,spines=2", "pgft:m=2x3x4,w=1x2x3,p=1x1x1"])
def test_supersim_builds_the_same_fat_tree(spec):
    """The routers and links of fattree/Network.cc are those of the network."""
    topology = build(spec)
    down_up = json.loads(files("supersim", spec)["network.json"])["network"]["down_up"]
    levels = len(down_up)
    hosts = int(np.prod([one[0] for one in down_up]))
    theirs = nx.MultiGraph()
    per_group = [int(np.prod([one[1] for one in down_up[:level]])) for level in range(levels)]
    groups = [hosts // int(np.prod([one[0] for one in down_up[: level + 1]])) for level in range(levels)]
    for column in range(groups[0]):
        theirs.add_edges_from(((0, column), ("host", column * down_up[0][0] + h)) for h in range(down_up[0][0]))
    for level in range(levels - 1):
        for column in range(groups[level] * per_group[level]):
            group, stripe = column // (down_up[level + 1][0] * per_group[level]), column % per_group[level]
            for port in range(down_up[level][1]):
                above = per_group[level + 1] * group + stripe + port * per_group[level]
                theirs.add_edge((level, column), (level + 1, above))
    assert nx.is_isomorphic(nx.Graph(theirs), nx.Graph(with_hosts(topology)))


def test_supersim_knows_one_router_and_refuses_the_rest():
    """Sides of 2 are two links in its torus; parallel cables are not in its fat trees."""
    assert (
        json.loads(files("supersim", "complete:n=1,hosts=4")["network.json"])["network"]["topology"] == "single_router"
    )
    with pytest.raises(InputError, match="a side of 2"):
        files("supersim", "torus:dims=4x2,hosts=1")
    with pytest.raises(InputError, match="parallel cables"):
        files("supersim", "clos:leaves=4,spines=2,width=2")
    with pytest.raises(InputError, match="hosts with several ports"):
        files("supersim", Topology([(0, 1)], 2, [0, 1], [0, 0]))


def test_supersim_channels_have_the_mean_cable(tmp_path):
    """Of the links inside groups and between them, in cycles rounded up."""
    layout = place(build("dragonfly:h=2,wiring=palmtree"), map="rows")
    found = json.loads(files("supersim", layout.topology, layout=layout, cycle_ns=2)["network.json"])["network"]
    group = layout.topology.labels["group"]
    inside = group[layout.topology.links[:, 0]] == group[layout.topology.links[:, 1]]
    for name, rows in (("local_channel", inside), ("global_channel", ~inside)):
        assert found[name]["latency"] == np.ceil(layout.length_m[rows].mean() * 5 / 2)


@pytest.mark.parametrize("spec", ["dragonfly:h=2", "dragonfly:h=2,g=5", "megafly:leaves=3,spines=2"])
def test_codes_reads_every_link_from_both_ends(spec):
    """Links of one group, and global links by the routers' numbers, give the network; the configuration fits."""
    topology = build(spec)
    made = files("codes", spec)
    plus = "dragonfly-plus.conf" in made
    told = conf(made["dragonfly-plus.conf" if plus else "dragonfly-dally.conf"])
    size = int(told["num_router_leaf"]) + int(told["num_router_spine"]) if plus else int(told["num_routers"])
    groups = int(told["num_groups"])
    assert groups * size == topology.switches
    inside = [row[:2] for row in int32(made["intra.bin"], 2 if plus else 3)]
    links = [(g * size + a, g * size + b) for g in range(groups) for a, b in inside] + int32(made["inter.bin"], 2)
    ours = topology.links.tolist()
    assert sorted(links) == sorted([tuple(ends) for ends in ours] + [(v, u) for u, v in ours])
    carriers = int(told["num_router_leaf"]) if plus else size
    assert int(told["num_cns_per_router"]) * carriers * groups == topology.hosts
    channels = max(np.bincount([u for u, _ in int32(made["inter.bin"], 2)]))
    assert int(told["num_global_connections" if plus else "num_global_channels"]) == channels
    assert float(told["local_bandwidth"]) * 2**30 * 8 == pytest.approx(400e9, rel=1e-6)
    if not plus:
        custom = conf(made["dragonfly-custom.conf"])
        assert int(custom["num_router_rows"]) * int(custom["num_router_cols"]) == size
        assert {row[2] for row in int32(made["intra.bin"], 3)} == {0}


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("petersen:hosts=1", "this network has no groups"),
        ("fat-tree:k=4", "equal groups"),
        ("hyperx:dims=3x3x3,hosts=1", "with a link between any two groups"),
        ("slimfly:q=5,hosts=1", "groups with exactly one link between any two routers"),
        ("dragonfly:h=2,p=0", "no hosts"),
        (Topology([(0, 1)], 2, [0, 1], [0, 0], {"group": np.array([0, 1])}), "hosts with several ports"),
    ],
)
def test_codes_refuses_what_is_no_dragonfly(network, message):
    """One sentence each; the groups of a HyperX are fully joined, but not every two are linked."""
    with pytest.raises(InputError, match=message):
        files("codes", network)
