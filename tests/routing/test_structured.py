"""Engines for networks with a structure: each on its own, with the hops and virtual channels that its source promises."""

import itertools

import networkx as nx
import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.cost.placed import place
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.simulation.flits.simulate import simulate
from topoloom.throughput.quality import quality
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import expected_loads
from topoloom.topologies.spec import build


@pytest.mark.parametrize(
    ("spec", "virtual_channels"),
    [
        ("mesh:dims=4x5", 1),
        ("mesh:dims=2x3x4", 1),
        ("torus:dims=3x3", 1),
        ("torus:dims=4x5x3", 2),
        ("ring:n=9", 2),
        ("hypercube:n=5", 1),
        ("hyperx:dims=4x3x2,width=2", 1),
        ("flattened-butterfly:dims=4x4x4", 1),
    ],
)
def test_dimension_order_is_shortest_and_takes_two_lanes_at_most(spec, virtual_channels):
    """Paths correct the coordinates from the first to the last, in the fewest hops; rings of more than 3 need datelines."""
    topology = build(spec)
    routing = route(topology, "dor")
    assert routing.verification.minimal
    assert routing.verification.deadlock_free
    assert routing.verification.virtual_channels_used == virtual_channels
    axes = [name for name in topology.labels if name.startswith("x")]
    if not axes:
        return
    at = np.stack([topology.labels[name] for name in sorted(axes)], axis=1)
    for s, d in [(0, topology.switches - 1), (topology.switches // 2, 1), (3, topology.switches - 2)]:
        steps = np.diff(at[routing.path(s, d)], axis=0)
        order = [int(np.flatnonzero(step)[0]) for step in steps]
        assert order == sorted(order)


def test_without_datelines_a_torus_deadlocks():
    """The same paths in one virtual channel close rings: the dateline is what breaks them."""
    topology = build("torus:dims=5x5")
    ports = route(topology, "dor").ports.copy()
    assert not verify_routing(Routing(topology, "one virtual channel", ports)).deadlock_free
    paired = route(topology, "dor-pairs")
    assert (paired.ports == ports).all()
    assert paired.virtual_channel_rule == "pair"


def test_uniform_loads_on_a_torus_and_a_hypercube_are_even():
    """Dimension order on symmetric networks gives every channel the same number of pairs."""
    for spec in ("torus:dims=8x8", "hypercube:n=6", "flattened-butterfly:dims=5x5"):
        assert route(build(spec), "dor").verification.load_over_mean == pytest.approx(1.0)


@pytest.mark.parametrize(
    "spec", ["fat-tree:k=4", "fat-tree:k=8", "kary-tree:k=3,n=4", "clos:leaves=8,spines=4", "myrinet-clos:switches=80"]
)
def test_a_fat_tree_takes_one_lane_and_goes_up_once(spec):
    """Between leaves: up to the nearest common ancestor and down, shortest, in one virtual channel, fixed or adaptive."""
    topology = build(spec)
    for name in ("fat-tree", "nca"):
        routing = route(topology, name)
        assert (
            routing.verification.virtual_channels_used,
            routing.verification.minimal,
            routing.verification.deadlock_free,
        ) == (1, True, True)
    level = np.asarray(topology.labels["level"])
    leaves = np.flatnonzero(level == 0)
    for s, d in zip(leaves, leaves[::-1], strict=True):
        heights = level[routing.path(int(s), int(d))]
        top = int(heights.argmax())
        assert (np.diff(heights[: top + 1]) == 1).all()
        assert (np.diff(heights[top:]) == -1).all()


def test_every_level_of_a_fat_tree_is_evenly_used():
    """Modulo routing: the channels up from the leaves carry as many pairs as each other, give or take a few."""
    verification = route(build("fat-tree:k=8"), "fat-tree").verification
    assert verification.load_over_mean < 1.1


def test_the_dragonfly_goes_local_global_local():
    """At most three hops, one of them global, in two virtual channels; also where several links join two groups."""
    for spec in ("dragonfly:h=2", "dragonfly:h=3,wiring=palmtree", "dragonfly:a=8,h=4,p=4,g=9"):
        topology = build(spec)
        routing = route(topology, "dragonfly")
        assert routing.verification.max_hops <= 3
        assert routing.verification.virtual_channels_used == 2
        group = np.asarray(topology.labels["group"])
        for s in range(0, topology.switches, 5):
            for d in range(0, topology.switches, 3):
                crossed = (np.diff(group[routing.path(s, d)]) != 0).sum()
                assert crossed == (group[s] != group[d])


@pytest.mark.parametrize(
    "spec", ["dsn-f:n=64", "dsn-f:n=100,fill=balanced", "dsn-f:n=500", "dsn-f:n=1024", "dsn-f:n=900"]
)
def test_dsn_f_keeps_the_bound_of_theorem_1(spec):
    """At most 3p/2 + 2K - 2 hops, K = ceil(n / (p 2^p)) layers (Truong 2016, Theorem 1b; errata of Truong 2016, 2)."""
    topology = build(spec)
    p = int(topology.labels["level"].max())
    layers = int(topology.labels["layer"].max()) + 1
    verification = route(topology, "dsn-f").verification
    assert verification.deadlock_free
    assert verification.max_hops <= 3 * p / 2 + 2 * layers - 2


def test_segments_take_two_lanes_for_diameter_two():
    """Whatever the shortest paths, one forbidden turn at most is on a path of two hops."""
    for spec in ("slimfly:q=5", "slimfly:q=7", "polarfly:q=5"):
        routing = route(build(spec), "segments")
        assert routing.verification.virtual_channels_used <= 2
        assert routing.virtual_channel_rule == "switch"
        # The virtual channel never falls along a path.
        for s, d in [(0, 20), (3, 11), (17, 2)]:
            virtual_channels = [int(routing.virtual_channels[d, v]) for v in routing.path(s, d)[:-1]]
            assert virtual_channels == sorted(virtual_channels)


def test_the_fastest_paths_are_those_of_the_cables():
    """Engine latency: every path has the least sum of 60 ns a switch and 5 ns a metre, as NetworkX's Dijkstra finds it."""
    topology = build("dln:n=64,x=2,random=2,hosts=1")
    layout = place(topology)
    routing = route(topology, "latency", layout=layout)
    graph = nx.Graph()
    delay = {}
    for (u, v), length in zip(topology.links.tolist(), layout.length_m.tolist(), strict=True):
        delay[u, v] = delay[v, u] = 60 + 5 * length
        graph.add_edge(u, v, weight=delay[u, v])
    least = dict(nx.all_pairs_dijkstra_path_length(graph))
    for s in range(0, 64, 3):
        for d in range(64):
            path = routing.path(s, d)
            assert sum(delay[hop] for hop in itertools.pairwise(path)) == pytest.approx(least[s][d], abs=0.1)
    assert routing.verification.deadlock_free


@pytest.mark.parametrize(
    ("spec", "engine", "message"),
    [
        ("slimfly:q=5", "dor", "do not run along coordinates"),
        ("slimfly:q=5", "duato", "do not run along coordinates"),
        ("fat-tree:k=4", "dor", "do not run along coordinates"),
        ("slimfly:q=5", "fat-tree", "no label 'level'"),
        ("slimfly:q=5", "dragonfly", "group 0 is not a full mesh"),
        ("torus:dims=4x4", "dragonfly", "no label 'group'"),
        ("dsn:n=64", "dsn-f", "not a DSN-F"),
        ("torus:dims=4x4", "latency", "give a folder of topoloom layout"),
    ],
)
def test_a_network_without_that_structure_is_refused(spec, engine, message):
    """One sentence that says what is missing."""
    with pytest.raises(InputError, match=message):
        route(build(spec), engine)


def test_a_layout_of_another_topology_is_refused():
    """Lengths of other cables would be wrong."""
    layout = place(build("torus:dims=4x4,hosts=1"))
    with pytest.raises(InputError, match="give the layout of the same topology"):
        route(build("torus:dims=4x5,hosts=1"), "latency", layout=layout)


def test_fat_trees_with_a_fault_are_refused_not_misrouted():
    """A core link taken away leaves leaves that modulo routing cannot serve: a sentence."""
    whole = build("fat-tree:k=4")
    broken = Topology(
        links=whole.links[:-1],
        switches=whole.switches,
        endpoints=whole.endpoints,
        labels=dict(whole.labels),
        name="broken",
    )
    with pytest.raises(InputError, match="not a fat tree"):
        route(broken, "fat-tree")


def test_shifts_meet_no_contention_where_hosts_have_tables_of_their_own():
    """d-mod-k by host leads a shift of all hosts over channels of their own (Zahavi et al. 2010): load adds no cycle.

    With one table per switch the same traffic saturates.
    """
    tree = build("fat-tree:k=8")
    low, high = simulate(route(tree, "fat-tree-hosts"), "tornado", loads=[0.1, 0.9]).points
    assert high.accepted == pytest.approx(0.9, abs=0.01)
    assert high.latency_mean == pytest.approx(low.latency_mean, abs=0.05)
    assert simulate(route(tree, "fat-tree"), "tornado", loads=[0.9]).points[0].accepted < 0.5


def test_loads_of_tables_by_host_are_those_of_all_pairs_of_hosts():
    """Every pair of hosts followed by itself; a saved routing has the same tables."""
    tree = build("fat-tree:k=8,hosts=48,taper=2:1")
    routed = route(tree, "fat-tree-hosts")
    tables, layer, channels = routed.host_tables, routed.layer_of_ports, routed.channels
    load = np.zeros(channels.to.size)
    hosts = tree.endpoints.size
    # All pairs alike, and a host of the smallest leaf, which has most others elsewhere, sends at full rate.
    each = 1 / (hosts - int(tree.endpoints_at[tree.endpoints].min()))
    for target in range(hosts):
        d = int(tree.endpoints[target])
        for source in range(hosts):
            here = int(tree.endpoints[source])
            while here != d:
                channel = channels.first[here] + int(tables[layer[target]].ports[d, here])
                load[channel] += each
                here = int(channels.to[channel])
    assert expected_loads(routed, uniform_remote(tree)).channels == pytest.approx(load)
    assert quality(routed, bisections=10).uniform_throughput == pytest.approx(min(1.0, 1 / load.max()))


def test_a_fat_tree_has_tables_for_each_host():
    """A layer for each host of a switch; free of deadlock in one virtual channel; every cable of a bundle carries some of them.

    With bundles of four cables from a spine to a leaf, one table leads all hosts of the leaf over one of them.
    """
    routed = route(build("fat-tree:k=64,hosts=512,taper=2:1"), "fat-tree-hosts")
    assert len(routed.choice.ports) == 39, "40 hosts per leaf"
    assert routed.verification.deadlock_free
    assert routed.verification.virtual_channels_used == 1
    channels = routed.channels
    level = routed.topology.labels["level"]
    leaf = int(np.flatnonzero(level == 0)[0])
    spine = int(np.flatnonzero(level == 1)[0])
    used = {int(ports[leaf, spine]) for ports in (routed.ports, *routed.choice.ports)}
    down = [
        port
        for port in range(channels.first[spine + 1] - channels.first[spine])
        if channels.to[channels.first[spine] + port] == leaf
    ]
    assert used == set(down)
    assert len(down) == 4
