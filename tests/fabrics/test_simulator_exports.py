"""Exports for simulators that take any graph: each file, read by the grammar of its tool, gives the network back."""

import json
import sys
import types

import networkx as nx
import numpy as np
import pytest
from simulator_files import files, ns3_network, simai_network

from topoloom import InputError, build, place, route
from topoloom.fabric.exports.booksim import anynet_text
from topoloom.fabric.exports.caminos import nodos_text
from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.fabric import planned_fabric
from topoloom.model.topology import Topology

RAILS = Topology([(0, 1), (0, 2), (1, 2)], 3, [0, 1, 0, 1], [0, 0, 1, 1], name="rails")
LARGE = "slimfly:q=19,hosts=15"


@pytest.fixture(scope="module")
def laid():
    """A Slim Fly on a floor: a few lengths of cable."""
    return place(build("slimfly:q=5,hosts=2"), map="rows")


@pytest.mark.parametrize("spec", ["slimfly:q=5,hosts=2", "fat-tree:k=4", LARGE])
def test_ns3_has_processors_first_and_every_cable(spec):
    """Hosts are 0 to H - 1, switches follow in order, every link stands once with rate and delay."""
    topology = build(spec)
    made = files("ns3", topology, rate_gbps=800, host_rate_gbps=400, cable_m=10)
    nodes, switches, cables = ns3_network(made["network.txt"])
    hosts = topology.hosts
    assert nodes == hosts + topology.switches
    assert switches == list(range(hosts, nodes))
    assert sorted(b - hosts for a, b, *_ in cables if a < hosts) == topology.endpoints.tolist()
    assert [(a - hosts, b - hosts) for a, b, *_ in cables if a >= hosts] == [
        tuple(ends) for ends in topology.links.tolist()
    ]
    assert {(rate, delay) for a, _, rate, delay in cables if a < hosts} == {(400, 50)}
    assert {(rate, delay) for a, _, rate, delay in cables if a >= hosts} == {(800, 50)}
    assert json.loads(made["logical_dims.json"]) == {"logical-dims": [str(hosts)]}


def test_lengths_of_a_layout_become_delays(laid):
    """5 ns a metre for every cable, the hosts' among them, in its own line."""
    topology = laid.topology
    _, _, cables = ns3_network(files("ns3", topology, layout=laid)["network.txt"])
    delays = {(a, b): delay for a, b, _, delay in cables}
    hosts = topology.hosts
    assert len({delay for (a, _), delay in delays.items() if a >= hosts}) > 1
    for (u, v), length_m in zip(topology.links.tolist(), laid.length_m.tolist(), strict=True):
        assert delays[hosts + u, hosts + v] == pytest.approx(5 * length_m)
    for e, length_m in enumerate(laid.host_length_m.tolist()):
        assert delays[e, hosts + topology.endpoints[e]] == pytest.approx(5 * length_m)
    with pytest.raises(InputError, match="layout is of another network"):
        write_export("ns3", planned_fabric(build("petersen:hosts=1")), "out", layout=laid)


def test_parallel_cables_are_one_of_their_joint_rate(caplog):
    """ns-3 keeps one interface for each neighbour, so that k cables are one line of k times the rate; a warning says so."""
    text = files("ns3", Topology([(0, 1), (0, 1), (1, 2)], 3, [0, 2]))["network.txt"]
    assert [cable[2] for cable in ns3_network(text)[2]] == [400, 400, 800, 400]
    assert "1 pairs of switches have several cables" in caplog.text


def test_ports_of_hosts_are_processors_in_a_row(caplog):
    """Host 1's ports come after host 0's, though both have one on switch 0."""
    text = files("ns3", RAILS)["network.txt"]
    assert [cable[:2] for cable in ns3_network(text)[2]][:4] == [(0, 4), (1, 5), (2, 4), (3, 5)]
    assert "hosts with several ports" in caplog.text


def test_simai_joins_the_gpus_of_a_host_by_an_nvswitch():
    """A server is a host, a GPU a port; NVSwitches are named before switches."""
    (nodes, each, gpu), nvswitches, switches, cables = simai_network(files("simai", RAILS, gpu="A100")["network.txt"])
    assert (nodes, each, gpu) == (4 + 2 + 3, 2, "A100")
    assert (nvswitches, switches) == ([4, 5], [6, 7, 8])
    assert {cable[:2] for cable in cables if cable[1] in nvswitches} == {(0, 4), (1, 4), (2, 5), (3, 5)}
    assert {cable[2:] for cable in cables if cable[1] in nvswitches} == {(3600, 25)}
    assert len(cables) == 4 + 4 + 3


def test_simai_takes_planes_where_nvswitches_join_them():
    """Rails that no switch joins are one network inside the hosts; ns-3 without NVSwitches has no way across."""
    planes = "complete:n=4,hosts=2+planes:count=2"
    (_, each, _), nvswitches, switches, _ = simai_network(files("simai", planes)["network.txt"])
    assert (each, len(nvswitches), len(switches)) == (2, 8, 8)
    for kind in ("ns3", "anytopo", "garnet"):
        with pytest.raises(InputError, match=r"2 planes; .* give one plane"):
            files(kind, planes)
    (_, each, _), nvswitches, *_ = simai_network(files("simai", "ring:n=3,hosts=1")["network.txt"])
    assert (each, nvswitches) == (1, [])


def test_booksim_has_cycles_after_neighbours_where_lengths_are_known(laid):
    """One number after each router of a line, none after a node; none at all without lengths."""
    topology = laid.topology
    text = files("booksim", topology, layout=laid, cycle_ns=2)["network.anynet"]
    cycles = dict(zip(map(tuple, topology.links.tolist()), laid.length_m.tolist(), strict=True))
    seen = 0
    for line in text.splitlines():
        words = line.split()
        router, rest = int(words[1]), words[2:]
        while rest:
            if rest[0] == "node":
                rest = rest[2:]
                continue
            far, told = int(rest[1]), int(rest[2])
            assert told == max(1, np.ceil(5 * cycles[min(router, far), max(router, far)] / 2))
            rest, seen = rest[3:], seen + 1
    assert seen == 2 * len(topology.links)
    assert files("booksim", topology)["network.anynet"] == anynet_text(topology)


def test_caminos_has_the_neighbours_of_every_router():
    """NODOS, GRADO, then N and a line for each router; the cfg says how many servers there are."""
    made = files("caminos", "slimfly:q=5,hosts=4")
    lines = made["network.nodos"].splitlines()
    assert lines[:2] == ["NODOS 50", "GRADO 7"]
    graph = nx.Graph()
    for head, row in zip(lines[2::2], lines[3::2], strict=True):
        graph.add_edges_from((int(head.removeprefix("N ")), int(word)) for word in row.split())
    assert nx.utils.edges_equal(graph.edges, build("slimfly:q=5").links.tolist())
    assert "servers_per_router: 4," in made["topology.cfg"]
    assert nodos_text(build(LARGE)).startswith("NODOS 722\nGRADO 29\n")


@pytest.mark.parametrize(
    ("kind", "network", "message"),
    [
        ("caminos", "fat-tree:k=4", "0 to 2 hosts per switch"),
        ("caminos", Topology([(0, 1), (0, 1)], 2, [0, 1]), "joined by two links"),
        ("anytopo", Topology([(0, 1), (0, 1)], 2, [0, 1]), "joined by two links"),
        ("garnet", Topology([(0, 1), (0, 1)], 2, [0, 1]), "joined by two links"),
        ("anytopo", "complete:n=1,hosts=2", "no links"),
        ("ns3", "petersen", "no hosts"),
        ("simai", "petersen", "no hosts"),
        ("simai", Topology([(0, 1)], 2, [0, 0, 1], [0, 1, 1]), "1 to 2 ports"),
        ("ns3", "torus:dims=40x40x40,hosts=1", "has addresses for 65536"),
    ],
)
def test_what_a_simulator_cannot_say_is_refused(kind, network, message):
    """One sentence each."""
    with pytest.raises(InputError, match=message):
        files(kind, network)


def test_anytopo_reads_endpoints_and_the_routes_of_the_tables(tmp_path):
    """Steps of the routes are links; they end where they should, are those of the tables, and fit into the channels."""
    topology = build("slimfly:q=5,hosts=4")
    routing = route(topology, "minimal")
    write_export("anytopo", planned_fabric(topology), tmp_path, routing)
    graph = nx.read_graphml(tmp_path / "network.graphml")
    assert list(graph) == [str(s) for s in range(50)]
    assert nx.utils.edges_equal([(int(u), int(v)) for u, v in graph.edges], topology.links.tolist())
    assert set(nx.get_node_attributes(graph, "endpoints").values()) == {4}
    module = types.ModuleType("routes")
    module.__file__ = str(tmp_path / "routes.py")
    exec((tmp_path / "routes.py").read_text(), module.__dict__)
    table = module.routing_table()
    away = dict(nx.all_pairs_shortest_path_length(graph))
    offsets, neighbours, _ = topology.csr
    for source in range(50):
        for target in range(50):
            ((weight, path),) = table[source][target]
            assert weight == 1
            assert len(path) == away[str(source)][str(target)]
            for one, other in zip([source, *path], path, strict=False):
                assert other == neighbours[offsets[one] + routing.ports[target, one]]
            assert not path or path[-1] == target
    parameters = json.loads((tmp_path / "parameters.json").read_text())
    # anytopo.cc: channel 0 at the source, one more at each hop.
    assert parameters == {"link_bw": "400Gb/s", "link_latency": "25ns", "host_link_latency": "25ns", "vcs_per_vn": "3"}
    write_export("anytopo", planned_fabric(topology), tmp_path)
    assert not (tmp_path / "routes.py").exists()


def test_anytopo_of_a_large_network_is_quick():
    """A Slim Fly of 10,830 hosts with its half a million routes."""
    topology = build(LARGE)
    made = files("anytopo", topology, route(topology, "minimal"))
    assert made["network.graphml"].count("<edge ") == 10469
    assert len(json.loads(made["next_hops.json"])) == 722


@pytest.fixture
def gem5(monkeypatch):
    """The modules of gem5 that a topology imports, as empty as they can be."""
    for name in ("m5", "m5.objects", "m5.params", "topologies", "topologies.BaseTopology"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["topologies.BaseTopology"].SimpleTopology = object

    def run(text, controllers):
        scope = {}
        exec(text, scope)
        network = types.SimpleNamespace()
        made = scope["TopoloomNetwork"]([types.SimpleNamespace(type=kind) for kind in controllers])
        made.makeTopology(None, network, *[types.SimpleNamespace] * 3)
        return network

    return run


def test_garnet_gets_two_links_a_cable_and_a_link_a_controller(gem5, laid):
    """Routers, links in both directions with their cycles, and the k-th controller of a type at the k-th host."""
    topology = laid.topology
    text = files("garnet", topology, layout=laid)["TopoloomNetwork.py"]
    network = gem5(text, ["L1"] * topology.hosts + ["Directory"] * 3)
    assert [router.router_id for router in network.routers] == list(range(50))
    assert {router.latency for router in network.routers} == {200}
    links = {(one.src_node.router_id, one.dst_node.router_id): one.latency for one in network.int_links}
    lengths = zip(topology.links.tolist(), laid.length_m.tolist(), strict=True)
    wanted = {tuple(ends): max(1, np.ceil(5 * length_m)) for ends, length_m in lengths}
    assert links == wanted | {(v, u): cycles for (u, v), cycles in wanted.items()}
    ids = [one.link_id for one in [*network.ext_links, *network.int_links]]
    assert ids == list(range(len(ids)))
    at = [one.int_node.router_id for one in network.ext_links]
    assert at == [*topology.endpoints.tolist(), 0, 0, 1]


def test_garnet_of_a_large_network_is_python(gem5):
    """A Slim Fly of 10,830 hosts."""
    network = gem5(files("garnet", LARGE)["TopoloomNetwork.py"], ["L1"] * 10830)
    assert (len(network.ext_links), len(network.int_links)) == (10830, 2 * 10469)


def test_exports_are_written_by_name_with_settings(tmp_path):
    """`write_export` takes settings and a layout; what it wrote is what the maker gives."""
    topology = build("slimfly:q=5,hosts=2")
    layout = place(topology, map="rows")
    from topoloom.fabric.exports.settings import ExportSettings

    names = write_export(
        "ns3", planned_fabric(topology), tmp_path, settings=ExportSettings(rate_gbps=100), layout=layout
    )
    assert names == ["network.txt", "logical_dims.json"]
    assert (tmp_path / "network.txt").read_text() == files("ns3", topology, layout=layout, rate_gbps=100)["network.txt"]
    with pytest.raises(InputError, match="rate_gbps=0; it is a number above 0"):
        ExportSettings(rate_gbps=0)
