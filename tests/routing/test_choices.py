"""Adaptive and multi-path routing: what packets may choose, and when that can deadlock."""

import itertools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.routing.choices import AnyShortest, Detour, Escape, Layers
from topoloom.routing.route import route
from topoloom.routing.routing import SWITCH, Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build


def vc_of(routing, destination, switch):
    """The virtual channel in which a switch sends on, where virtual channels are by switch."""
    return 0 if routing.virtual_channels is None else int(routing.virtual_channels[destination, switch])


def slow_extended(routing):
    """Duato's extended channel dependencies, by walking all shortest paths from every place where the tables can be left."""
    n = routing.topology.switches
    graph = nx.Graph(routing.topology.links.tolist())
    far = dict(nx.all_pairs_shortest_path_length(graph))
    waits = nx.DiGraph()
    for d in range(n):
        reach = {}
        for v in sorted(range(n), key=lambda v: far[v][d]):
            reach[v] = {v}.union(*(reach[w] for w in graph[v] if far[w][d] < far[v][d]))
        for v in range(n):
            if v == d:
                continue
            w = routing.path(v, d)[1]
            asked = ((v, w), vc_of(routing, d, v))
            for u in reach[w]:
                if u != d:
                    waits.add_edge(asked, ((u, routing.path(u, d)[1]), vc_of(routing, d, u)))
    return nx.is_directed_acyclic_graph(waits)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("spec", ["mesh:dims=3x4", "torus:dims=5x4", "hypercube:n=4", "flattened-butterfly:dims=3x3"])
def test_dimension_order_is_a_safe_escape(spec):
    """Duato: fully adaptive paths, and back from the escape as often as one likes; the slow judge agrees."""
    routing = route(build(spec), "duato")
    assert isinstance(routing.choice, Escape)
    assert routing.choice.returns
    assert routing.verification.deadlock_free
    assert slow_extended(routing)


@pytest.mark.parametrize("spec", ["jellyfish:n=16,degree=3", "ring:n=7", "torus:dims=3x4", "petersen:", "slimfly:q=3"])
def test_up_down_is_an_escape_only_for_those_who_stay(spec):
    """What may return from up*/down* to any shortest path may close a cycle, exactly where the slow judge sees one."""
    topology = build(spec.rstrip(":"))
    routing = route(topology, "silla-duato")
    assert routing.verification.deadlock_free
    returning = Routing(topology, "", routing.ports.copy(), choice=Escape(1, returns=True))
    assert verify_routing(returning).deadlock_free == slow_extended(returning)


def test_a_cycle_through_choices_is_printed():
    """On a random network of some size, returning from up*/down* closes a cycle: channels, the first again for the last."""
    topology = build("jellyfish:n=40,degree=4")
    routing = route(topology, "silla-duato")
    verification = verify_routing(replace(routing, choice=Escape(1, returns=True), verification=None))
    assert not verification.deadlock_free
    assert verification.cycle[0] == verification.cycle[-1]
    links = {tuple(link) for link in topology.links.tolist()}
    assert all((min(c), max(c)) in links for c in verification.cycle)


def test_a_bad_dateline_is_found_by_the_extended_condition():
    """One virtual channel of dimension order on a torus is no escape, and the verifier says so before it looks at any
    choice.
    """
    routing = route(build("torus:dims=5x5"), "dor")
    one = Routing(routing.topology, "", routing.ports.copy(), choice=Escape(1, returns=True))
    assert not verify_routing(one).deadlock_free


def test_all_shortest_paths_deadlock_where_a_slow_judge_says_so():
    """ECMP groups: the turns of all shortest paths, by walking them all."""
    for spec in ("ring:n=4", "ring:n=6", "mesh:dims=3x3", "clos:leaves=4,spines=2", "slimfly:q=3", "fat-tree:k=4"):
        topology = build(spec)
        routing = route(topology, "ecmp")
        assert isinstance(routing.choice, AnyShortest)
        graph = nx.Graph(topology.links.tolist())
        waits = nx.DiGraph()
        for s, d in itertools.permutations(np.flatnonzero(routing.carriers).tolist(), 2):
            for path in nx.all_shortest_paths(graph, s, d):
                waits.add_edges_from(itertools.pairwise(itertools.pairwise(path)))
        assert routing.verification.deadlock_free == nx.is_directed_acyclic_graph(waits), spec


def test_detours_take_twice_the_lanes():
    """A virtual channel a hop: a path to a random switch and one from it, as Besta 2014 has for diameter 2: four virtual
    channels.
    """
    for name in ("valiant", "ugal-l", "ugal-g"):
        routing = route(build("slimfly:q=5"), name)
        assert isinstance(routing.choice, Detour)
        assert routing.verification.virtual_channels_used == 4
        with pytest.raises(InputError, match=f"engine {name} needs 4"):
            route(build("slimfly:q=5"), name, virtual_channels=3)


def test_layers_are_all_judged():
    """LNMP: every pair arrives in each of four layers, longer paths are spread, and a fault in a layer is found."""
    topology = build("slimfly:q=5")
    routing = route(topology, "lnmp")
    assert isinstance(routing.choice, Layers)
    assert routing.verification.reached_pairs == 4 * 50 * 49
    assert routing.verification.max_hops == 3
    assert routing.verification.virtual_channels_used == 3
    # Nearly all pairs that are not neighbours have a path besides the shortest in some layer.
    longer = np.zeros((50, 50), bool)
    for ports in routing.choice.ports:
        layer = replace(routing, ports=ports, choice=None, verification=None)
        for s, d in itertools.permutations(range(50), 2):
            longer[s, d] |= len(layer.path(s, d)) == 4
    assert longer.sum() > 0.7 * 50 * 42
    broken = routing.choice.ports[1].copy()
    broken[7, 3] = routing.none
    bad = replace(routing, choice=Layers((routing.choice.ports[0], broken)), verification=None)
    assert "switch 7 ends at a switch that has no port for it" in verify_routing(bad).fault


def test_lanes_left_over_are_adaptive():
    """All virtual channels above those of the escape are for choosing; without one there is a sentence."""
    assert route(build("torus:dims=4x4"), "duato", virtual_channels=5).choice == Escape(3, returns=True)
    assert route(build("slimfly:q=5"), "silla-duato", virtual_channels=4).choice == Escape(3, returns=False)
    with pytest.raises(InputError, match="3 are needed: 2 for escape paths and one adaptive"):
        route(build("torus:dims=4x4"), "duato", virtual_channels=2)


def test_an_escape_has_one_lane_or_lanes_by_switch():
    """Where a packet that escapes keeps a virtual channel that only its source knows, nobody could know it halfway."""
    routing = route(build("slimfly:q=5"))
    with pytest.raises(InputError, match="virtual channels by switch"):
        replace(routing, choice=Escape(1, returns=False))


def test_lanes_by_switch_are_followed_from_switch_to_switch():
    """A planted cycle through two virtual channels is found, and named with the virtual channel in which it begins."""
    topology = build("ring:n=5")
    first, to, _ = topology.csr
    ports = np.full((5, 5), 255, np.uint8)
    for s in range(5):
        ports[np.arange(5) != s, s] = to[first[s] : first[s + 1]].tolist().index((s + 1) % 5)
    # Virtual channel 0 at even switches, 1 at odd ones: all in the same direction round, so the cycle runs through both virtual
    # channels.
    virtual_channels = np.tile((np.arange(5) % 2).astype(np.uint8), (5, 1))
    verification = verify_routing(Routing(topology, "", ports, virtual_channels, SWITCH))
    assert not verification.deadlock_free
    assert len(verification.cycle) == 6
    dateline = (np.arange(5)[None, :] <= np.arange(5)[:, None]).astype(np.uint8)
    assert verify_routing(Routing(topology, "", ports, dateline, SWITCH)).deadlock_free
    with pytest.raises(InputError, match="virtual channel 8; virtual channels are 0 to 7"):
        verify_routing(Routing(topology, "", ports, np.full((5, 5), 8, np.uint8), SWITCH))


def test_loads_are_those_of_data_where_packets_may_escape_anywhere():
    """Turns count from every switch, for a packet may escape at any; loads only between switches with hosts."""
    routing = route(build("fat-tree:k=4"), "silla-duato")
    plain = verify_routing(replace(routing, choice=None, verification=None))
    assert (routing.verification.channel_load == plain.channel_load).all()
    assert (routing.verification.switch_load == plain.switch_load).all()


def test_an_escape_with_a_hole_is_a_fault():
    """Where a switch has no port the verdict says so, and no cycle is looked for among paths that end there."""
    routing = route(build("torus:dims=4x4"), "duato", virtual_channels=4)
    ports = routing.ports.copy()
    ports[3, 9] = routing.none
    verification = verify_routing(replace(routing, ports=ports))
    assert "has no port for it" in verification.fault
    assert not verification.complete
