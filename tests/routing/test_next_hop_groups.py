"""Next-hop groups of flat Ethernet fabrics: Spraypoint's rings, Shortest-Union's VRFs, walks, state, disjoint paths."""

import itertools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.network.folder import save_routing
from topoloom.routing.choices import NextHopGroups
from topoloom.routing.engines.spraypoint import waypoint_rings
from topoloom.routing.groups.kernels.spraypoint import point
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.routing.groups.segments import segment_counts, waypoints
from topoloom.routing.groups.state import disjoint_paths_of_groups, group_counts, next_hop_state
from topoloom.routing.registry import engines
from topoloom.routing.route import route
from topoloom.routing.table_files import load_tables
from topoloom.routing.verification.verify import verify_routing
from topoloom.throughput.quality import quality
from topoloom.throughput.traffic import matrix, uniform_remote
from topoloom.throughput.traffic.loads import expected_loads
from topoloom.topologies.spec import build

SMALL = "jellyfish:n=24,degree=4,hosts=2"


def members(groups, state, destination, switch):
    """The members (port, next state) of a group."""
    number = groups.group[state, destination, switch]
    if number < 0:
        return []
    own = slice(groups.first[number], groups.first[number + 1])
    return list(zip(groups.port[own].tolist(), groups.next_state[own].tolist(), strict=True))


def walks(routing, source, destination):
    """Every walk of a packet with its probability, by following groups one by one."""
    groups, channels = routing.choice, routing.channels
    waiting, done = [((source,), 0, 1.0)], []
    while waiting:
        walk, state, share = waiting.pop()
        if walk[-1] == destination:
            done.append((walk, share))
            continue
        own = members(groups, state, destination, walk[-1])
        for port, after in own:
            to = int(channels.to[channels.first[walk[-1]] + port])
            waiting.append(((*walk, to), after, share / len(own)))
    return done


def rings(topology, p, count, seed=1):
    """The sizes of WP0, of the later rings, of the inner and of the outer ring, for each destination."""
    n, (first, to, _) = topology.switches, topology.csr
    sizes, scratch = np.zeros((n, 4), np.int64), [np.empty(n, np.int64), np.empty(n, np.int64), np.full(n, -1)]
    width, port = np.zeros((n, n), np.int64), np.zeros((n, n, 2), np.uint16)
    point(
        first,
        to,
        0,
        p,
        2,
        count,
        seed,
        *scratch,
        np.empty(p + 2, np.int64),
        np.empty(p + 2, np.uint64),
        width,
        port,
        sizes,
    )
    return sizes


@pytest.mark.parametrize(
    "engine", ["spraypoint", "spraypoint:h=1,rings=2", "shortest-union", "shortest-union:K=3", "ksp", "vlb"]
)
def test_loads_hops_and_arrival_are_those_of_all_walks(engine):
    """The verifier and the expected loads agree with walks that are enumerated one by one."""
    routing = route(build(SMALL), engine)
    n, channels = routing.topology.switches, routing.channels
    load, hops = np.zeros(channels.to.size), {}
    longest = mean = 0.0
    for s, d in itertools.permutations(range(n), 2):
        done = walks(routing, s, d)
        assert sum(share for _, share in done) == pytest.approx(1.0)
        for walk, share in done:
            hops[len(walk) - 1] = hops.get(len(walk) - 1, 0.0) + share
            mean += share * (len(walk) - 1)
            longest = max(longest, len(walk) - 1)
            for u, v in itertools.pairwise(walk):
                own = np.arange(channels.first[u], channels.first[u + 1])
                load[own[channels.to[own] == v][0]] += share
    verification = routing.verification
    assert verification.complete
    assert verification.max_hops == longest
    assert verification.mean_hops == pytest.approx(mean / (n * (n - 1)))
    assert np.allclose(verification.histogram, [hops.get(h, 0.0) for h in range(verification.max_hops + 1)], atol=1)
    assert verification.histogram.sum() == n * (n - 1)
    demand = np.ones((n, n)) - np.eye(n)
    assert np.allclose(expected_loads(routing, matrix(routing.topology, demand)).channels, load)


def test_pointing_falls_in_rank_and_spray_takes_every_link():
    """In state 0 all links; afterwards at most h next hops, and no walk comes back to a switch in the same state."""
    routing = route(build(SMALL), "spraypoint:h=3")
    groups = routing.choice
    n = routing.topology.switches
    for s, d in itertools.permutations(range(n), 2):
        assert members(groups, 0, d, s) == [(port, 1) for port in range(4)]
        assert 1 <= len(members(groups, 1, d, s)) <= 3
        assert all(len(set(walk[1:])) == len(walk) - 1 for walk, _ in walks(routing, s, d))
    assert all(routing.path(s, d)[-1] == d for s, d in itertools.permutations(range(n), 2))


def test_mixed_degrees_and_parallel_links():
    """Trees, switches of different degrees and parallel cables: every pair arrives."""
    links = [(0, 1), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6), (6, 7), (7, 8), (8, 2), (5, 9)]
    topology = Topology(links=links, switches=10)
    for engine in ("spraypoint", "spraypoint:p=2,h=1,rings=1", "shortest-union", "shortest-union:K=4"):
        assert route(topology, engine).verification.complete, engine


def vrf_graph(graph, K):
    """The VRFs of all routers with the costs of Shortest-Union(K), by their definition."""
    vrfs = nx.DiGraph()
    for u, v in itertools.chain(graph.edges, ((v, u) for u, v in graph.edges)):
        for i in range(1, K + 1):
            vrfs.add_edge((K, u), (i, v), cost=i)
            if i < K:
                vrfs.add_edge((i, u), (i + 1, v), cost=1)
        vrfs.add_edge((1, u), (1, v), cost=1)
    return vrfs


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("spec", ["jellyfish:n=20,degree=4", "torus:dims=3x4", "ring:n=9"])
def test_a_path_costs_its_hops_and_at_least_k(spec, K):
    """Golden 14: from host VRF to host VRF, the cost is max(distance, K)."""
    graph = nx.Graph(build(spec).links.tolist())
    vrfs = vrf_graph(graph, K)
    for s, far in nx.all_pairs_shortest_path_length(graph):
        cost = nx.single_source_dijkstra_path_length(vrfs, (K, s), weight="cost")
        assert all(cost[(K, d)] == max(hops, K) for d, hops in far.items() if d != s)


@pytest.mark.parametrize(("spec", "K"), [("jellyfish:n=20,degree=4", 2), ("torus:dims=3x4", 2), ("petersen", 3)])
def test_the_walks_are_all_of_at_most_k_hops_and_the_shortest(spec, K):
    """Golden 14: with K = 2 exactly all walks of at most 2 hops; with K = 3, none that only leads back through a router."""
    routing = route(build(spec), f"shortest-union:K={K}")
    graph = nx.Graph(routing.topology.links.tolist())
    for s, d in itertools.permutations(graph, 2):
        least = max(nx.shortest_path_length(graph, s, d), K)
        wanted = {tuple(path) for path in nx.all_simple_paths(graph, s, d, least)}
        made = {walk for walk, _ in walks(routing, s, d)}
        assert {walk for walk in made if len(set(walk)) == len(walk)} == wanted
        assert K > 2 or made == wanted


def test_lossless_classes_are_the_hops():
    """With a class per hop there is no cycle; with one class the verifier names one on a network with rings."""
    lossy, lossless = (route(build(SMALL), f"spraypoint:lossless={word}") for word in ("no", "yes"))
    assert lossy.verification.deadlock_free is False
    assert lossy.verification.virtual_channels_used == 1
    assert lossless.verification.deadlock_free
    assert lossless.verification.virtual_channels_used == lossless.verification.max_hops <= 5
    assert [next_hop_state(routing).lossless for routing in (lossy, lossless)] == [False, True]


def test_groups_that_circulate_or_end_are_found():
    """A member that leads back, and a missing group, are faults with an example."""
    routing = route(build("ring:n=5"), "shortest-union")
    groups = routing.choice
    around = NextHopGroups(
        np.stack([np.where(np.eye(5, dtype=bool), -1, np.arange(5, dtype=np.int32)[None, :])] * 2).astype(np.int32),
        np.arange(6),
        np.array([0, 1, 1, 1, 0], np.uint16),
        np.zeros(5, np.uint8),
    )
    # 0 sends to 1, which sends to 2, ... and 4 to 0: no way is a fault. All by their first link: 0 and 1 send to each other.
    assert not verify_routing(replace(routing, choice=around, verification=None)).fault
    swing = replace(around, port=np.zeros(5, np.uint16))
    assert "runs in a cycle" in verify_routing(replace(routing, choice=swing, verification=None)).fault
    missing = replace(groups, group=np.where(np.arange(5) == 2, -1, groups.group).astype(np.int32))
    broken = replace(routing, choice=missing, verification=None)
    assert "ends at a switch" in verify_routing(broken).fault
    with pytest.raises(InputError, match="do not lead from every switch"):
        expected_loads(broken, uniform_remote(broken.topology))
    with pytest.raises(InputError, match="a port that its switch does not have"):
        replace(routing, choice=replace(groups, port=groups.port + np.uint16(9)))


def test_groups_of_plain_and_of_shortest_tables():
    """One member per entry, and all shortest next hops: loads are those of the tables themselves."""
    topology = build(SMALL)
    for engine in ("minimal", "ecmp"):
        routing = route(topology, engine)
        grouped = replace(routing, choice=next_hop_groups_of(routing), verification=None)
        loads = [expected_loads(tables, uniform_remote(topology)).channels for tables in (routing, grouped)]
        assert np.allclose(*loads)
    with pytest.raises(InputError, match="has no next-hop groups"):
        next_hop_state(route(topology, "valiant"))


def test_equal_groups_are_one():
    """All groups of a switch differ, and belong to it alone."""
    routing = route(build(SMALL), "shortest-union")
    groups, n = routing.choice, routing.topology.switches
    owner = {}
    for q, d, s in itertools.product(range(groups.states), range(n), range(n)):
        number = int(groups.group[q, d, s])
        if number >= 0:
            assert owner.setdefault(number, s) == s
    content = {
        (owner[g], *groups.port[a:b], *groups.next_state[a:b])
        for g, (a, b) in enumerate(itertools.pairwise(groups.first))
    }
    assert len(content) == groups.first.size - 1


def test_disjoint_paths_are_the_maximum_flow():
    """By NetworkX, over the union of the next hops that a packet may take; a disjoint path needs a link of both ends."""
    routing = route(build(SMALL), "spraypoint")
    n = routing.topology.switches
    pairs = np.array(list(itertools.permutations(range(n), 2))[::7])
    counts = disjoint_paths_of_groups(routing, routing.choice, pairs)
    for (s, d), count in zip(pairs.tolist(), counts.tolist(), strict=True):
        graph = nx.DiGraph()
        for walk, _ in walks(routing, s, d):
            graph.add_edges_from(itertools.pairwise(walk), capacity=1)
        assert nx.maximum_flow_value(graph, s, d) == count


def test_the_state_of_a_switch_by_its_entries():
    """Routes, groups and members are counted again by hand; a default route is one."""
    routing = route(build(SMALL), "spraypoint")
    groups, n = routing.choice, routing.topology.switches
    counts = group_counts(groups)
    for s in range(n):
        own = {tuple(members(groups, 1, d, s)) for d in range(n) if d != s} | {
            tuple(members(groups, 0, (s + 1) % n, s))
        }
        several = [group for group in own if len(group) > 1]
        assert counts["groups"][s] == len(several)
        assert counts["members"][s] == sum(map(len, several))
        assert counts["width"][s] == 4
        assert counts["routes"][s] == n - 1 + 1
        assert counts["route_members"][s] == 4 + sum(len(members(groups, 1, d, s)) for d in range(n) if d != s)
    state = next_hop_state(routing, "groups=3,width=4,members=1000")
    assert len(state.exceeded) == 1
    assert "next-hop groups at switch" in state.exceeded[0]
    with pytest.raises(InputError, match="no parameter 'ways'"):
        next_hop_state(routing, "ways=3")


def test_quality_has_state_hops_and_paths():
    """Quality of groups: the same figures as `next_hop_state`; those of other tables where they are asked for."""
    routing = route(build(SMALL), "spraypoint")
    measured = quality(routing, "permutation", bisections=5, asic_limits="groups=3")
    assert measured.expected
    assert measured.next_hops == next_hop_state(routing, "groups=3")
    assert measured.record()["next_hops"]["states"] == 2
    for engine in ("minimal", "ecmp"):
        tables = route(build(SMALL), engine)
        assert quality(tables, bisections=5).next_hops is None
        asked = quality(tables, bisections=5, forwarding_state=True).next_hops
        assert asked == next_hop_state(tables)
        assert quality(tables, bisections=5, asic_limits="routes=3").next_hops == next_hop_state(tables, "routes=3")
        assert asked.routes == tables.topology.switches - 1
    for spec, engine, message in (
        (SMALL, "ugal-l", "no next-hop groups that routers could use"),
        ("torus:dims=3x3,hosts=1+planes:count=2", "minimal", "counted for one plane and one table"),
    ):
        with pytest.raises(InputError, match=message):
            quality(route(build(spec), engine), forwarding_state=True)


@pytest.mark.parametrize("engine", ["vlb", "vlb:share=0", "spraypoint:h=4", "ksp", "shortest-union"])
def test_equal_groups_of_a_switch_count_once(engine):
    """Groups, members and width of every switch, counted as sets of members, whatever the state and the order."""
    routing = route(build(SMALL), engine)
    groups, n = routing.choice, routing.topology.switches
    own = [set() for _ in range(n)]
    for table in groups.group:
        for d, s in np.argwhere(table >= 0).tolist():
            members = range(groups.first[table[d, s]], groups.first[table[d, s] + 1])
            if len(members) > 1:
                own[s].add(tuple(sorted((int(groups.port[m]), int(groups.next_state[m])) for m in members)))
    counts = group_counts(groups)
    assert counts["groups"].tolist() == [len(of_switch) for of_switch in own]
    assert counts["members"].tolist() == [sum(map(len, of_switch)) for of_switch in own]
    assert (
        next_hop_state(route(build(SMALL), "vlb:share=0")).groups == next_hop_state(route(build(SMALL), "ecmp")).groups
    )


def lists_of(routing):
    """The different segment lists of every switch, path by path: the later links of a path, and where its packets unpack."""
    topology, groups = routing.topology, routing.choice
    begins, to, _ = topology.csr
    lists = [set() for _ in range(topology.switches)]
    for goal in range(topology.switches):
        for source in range(topology.switches):
            own = groups.group[0, goal, source]
            for member in range(groups.first[own], groups.first[own + 1]) if own >= 0 else ():
                channel, state = int(begins[source] + groups.port[member]), int(groups.next_state[member])
                path = []
                while to[channel] != goal:
                    at = int(to[channel])
                    k = groups.first[groups.group[state, goal, at]]
                    channel, state = int(begins[at] + groups.port[k]), int(groups.next_state[k])
                    path.append(channel)
                if path:
                    lists[source].add((*path, -goal))
    return lists


def test_segment_lists_are_those_of_the_paths():
    """ksp: a list per path of several links, one segment per later link and one that unpacks; limits name the worst switch."""
    routing = route(build(SMALL), "ksp:k=3")
    lists, longest = segment_counts(routing, routing.choice)
    own = lists_of(routing)
    assert lists.tolist() == [len(of_switch) for of_switch in own]
    assert longest.tolist() == [max(map(len, of_switch)) for of_switch in own]
    state = next_hop_state(routing, "lists=5,segments=2")
    assert (state.lists, state.segments) == (lists.max(), longest.max())
    assert state.exceeded[0].startswith(f"{lists.max()} segment lists at switch")
    assert state.exceeded[1].startswith(f"a list of {longest.max()} segments at switch")


def test_detours_need_a_segment_per_waypoint():
    """vlb: a list for each first link to a switch that serves a source's detours; none for neighbours, or without detours."""
    routing = route(build(SMALL), "vlb:detours=3")
    ends = waypoints(routing, routing.choice)
    lists, longest = segment_counts(routing, routing.choice)
    assert 0 < lists.max() < routing.topology.switches * routing.topology.degrees.max()
    assert set(longest.tolist()) <= {0, 1, 2}
    # Every state beyond the second ends its detours at one switch, for each destination that has detours by it.
    assert (ends[:2] == -1).all()
    assert (ends[2:] != np.arange(routing.topology.switches)).all()
    for engine in ("ecmp", "spraypoint", "shortest-union", "shortest-union:K=3", "vlb:share=0", "minimal"):
        tables = route(build(SMALL), engine)
        counts = segment_counts(tables, next_hop_groups_of(tables))
        assert max(values.max() for values in counts) == 0


@pytest.mark.parametrize("engine", ["spraypoint:h=1", "shortest-union:lossless=yes", "ksp:k=3", "vlb"])
def test_saved_tables_have_their_groups(tmp_path, engine):
    """Saved with the tables and read back; a changed file and a wrong group are refused."""
    routing = route(build(SMALL), engine)
    save_routing(routing, tmp_path)
    again = load_tables(tmp_path)
    assert again.engine == engine
    assert again.virtual_channel_rule == routing.virtual_channel_rule
    for name in ("group", "first", "port", "next_state"):
        assert np.array_equal(getattr(again.choice, name), getattr(routing.choice, name)), name
    assert verify_routing(again).record() == verify_routing(routing).record()
    port = tmp_path / "tables" / "groups_port.npy"
    np.save(port, routing.choice.port[::-1].copy())
    with pytest.raises(InputError, match="has changed since"):
        load_tables(tmp_path)
    np.save(port, routing.choice.port + np.uint16(4))
    with pytest.raises(InputError, match="a port that its switch does not have; route the network again"):
        load_tables(tmp_path)


def test_engines_take_settings_as_families_do():
    """Unknown keys, values out of range, and settings of engines without any are refused with their place."""
    for text, reason in [
        ("spraypoint:q=2", "engine spraypoint: no parameter 'q'"),
        ("spraypoint:p=1", "engine spraypoint: p=1 is out of range"),
        ("minimal:p=4", "engine minimal: no parameter 'p'"),
        ("spray:p=4", "no engine named 'spray'"),
    ]:
        with pytest.raises(InputError, match=reason):
            engines.find(text)
        assert text not in engines
    assert "spraypoint:p=8" in engines
    routing = route(build(SMALL), "spraypoint:p=8")
    assert (routing.engine, routing.provenance.engine) == ("spraypoint:p=8", "spraypoint:p=8")


def test_planes_and_parts_are_refused():
    """One connected network."""
    with pytest.raises(InputError, match="routes only one plane"):
        route(build("jellyfish:n=8,degree=3,hosts=2+planes:count=2"), "spraypoint")


def test_stops_between_destinations():
    """A stopped work makes no tables."""
    work = Work()
    work.stop()
    with pytest.raises(Stopped):
        route(build(SMALL), "spraypoint", work=work)


def test_the_number_of_rings():
    """Golden 12."""
    assert [waypoint_rings(n, d, 4) for n, d in [(1000, 64), (10_000, 64), (10_000, 32), (100_000, 64)]] == [1, 1, 2, 2]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("n", [100, 200])
def test_paths_of_one_ring_have_at_most_five_hops(n):
    """The bound l + 4 while outer switches touch the inner ring, and rings that cover all switches, in small networks."""
    topology = build(f"jellyfish:n={n},degree=12")
    sizes = rings(topology, 4, 1)
    assert (sizes.sum(axis=1) == n - 1).all()
    assert (sizes[:, 0] == 12).all()
    assert route(topology, "spraypoint").verification.max_hops <= 5


@pytest.fixture(scope="module")
def thousand():
    return build("jellyfish:n=1000,degree=64")


@pytest.mark.exhaustive
class TestGoldens:
    """The sizes of the published evaluation: 1,000 routers of 64 lanes, p = 4, h = 2."""

    def test_rings(self, thousand):
        """Golden 8: WP0 64, WP1 226 +- 5, inner ring 709, outer 0."""
        sizes = rings(thousand, 4, 1).mean(axis=0)
        assert sizes[0] == 64
        assert abs(sizes[1] - 226) <= 5
        assert abs(sizes[2] - 709) <= 6
        assert sizes[3] < 1

    def test_hops_paths_and_state(self, thousand):
        """Goldens 9, 10 and 11: hops 0.001/0.06/0.22/0.71, 3.65 in the mean; over 50 disjoint paths; 1,998 next hops."""
        routing = route(thousand, "spraypoint")
        state = next_hop_state(routing)
        assert np.allclose(state.hop_shares[1:5], [0.001, 0.06, 0.22, 0.71], atol=0.006)
        assert state.mean_hops == pytest.approx(3.65, abs=0.01)
        assert routing.verification.max_hops <= 5
        assert state.disjoint_least > 50
        assert state.disjoint_mean == pytest.approx(59, abs=1)
        assert state.disjoint_most <= 64
        pointing = state.route_members - 64
        assert pointing <= 1998
        assert (state.width, state.states) == (64, 2)
        assert state.groups <= 64 * 63 // 2 + 64
        # Golden 13: with as many hosts as links, each channel carries the hops of a host in the mean.
        load = expected_loads(routing, uniform_remote(thousand)).channels
        assert 64 / (64 * 64 * load.mean()) == pytest.approx(1 / state.mean_hops, rel=0.01)

    def test_fewer_and_more_next_hops(self, thousand):
        """Golden 10: one next hop has 38 disjoint paths in the mean, four have 64; shortest paths 4.3."""
        means = [
            next_hop_state(route(thousand, engine)).disjoint_mean
            for engine in ("spraypoint:h=1", "spraypoint:h=4", "ecmp")
        ]
        assert np.allclose(means, [38, 64, 4.3], atol=1.0)

    def test_shortest_paths(self, thousand):
        """Golden 7: shares 0.064/0.923/0.012 at 1, 2 and 3 hops, 1.95 in the mean."""
        state = next_hop_state(route(thousand, "ecmp"), pairs=1)
        assert np.allclose(state.hop_shares[1:], [0.064, 0.923, 0.012], atol=0.002)
        assert state.mean_hops == pytest.approx(1.95, abs=0.01)

    def test_passive_shuffle_boxes(self):
        """Golden 10 on cabling by boxes: as on random graphs; without repair, where doubles count once, 56.5 in the mean."""
        unrepaired = build("shuffled:n=960,degree=64,passes=0")
        merged = Topology(links=np.unique(unrepaired.links, axis=0), switches=960)
        for topology, mean in ((merged, 56.5), (build("shuffled:n=960,degree=64"), 59)):
            state = next_hop_state(route(topology, "spraypoint"))
            assert state.disjoint_least > 48
            assert state.disjoint_mean == pytest.approx(mean, abs=1)
