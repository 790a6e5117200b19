"""InfraGraph: the package of its makers reads what is written, and what it writes is read."""

import json
import sys
import warnings

import networkx as nx
import numpy as np
import pytest
import yaml

from topoloom import InputError, build, load, place, save
from topoloom.fabric.cable_lengths import lengths_in
from topoloom.fabric.exports.registry import EXPORTS, ExportRequest
from topoloom.fabric.fabric import planned_fabric
from topoloom.formats import FORMATS
from topoloom.model.topology import Topology

RECORD = FORMATS.find("infragraph")
MIXED = Topology([(0, 1), (0, 1), (1, 2)], 4, [0, 0, 1, 2], [0, 1, 0, 2], name="mixed: 'a\x85\U0001f600")


def made(topology, layout=None):
    """The two files of a network."""
    lengths = None if layout is None else lengths_in(layout, topology)
    return EXPORTS.find("infragraph").make(ExportRequest(planned_fabric(topology), lengths=lengths))


@pytest.fixture
def service():
    """The package's own reader: a graph from both files."""
    reason = "not installed: infragraph, which would read the file (pip install infragraph)"
    module = pytest.importorskip("infragraph.infragraph_service", reason=reason)

    def graph(files):
        found = module.InfraGraphService()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of switches without a cable
            found.set_graph(files["infragraph.yaml"])
        found.annotate_graph(files["annotations.yaml"])
        return found.get_networkx_graph()

    return graph


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "network", ["slimfly:q=5,hosts=2", "clos:leaves=4,spines=2,width=2", "petersen:hosts=2+planes:count=2", MIXED]
)
def test_the_package_reads_the_same_graph(service, network):
    """Every port of every cable is joined to the right one, parallel cables by different ports; nothing else is there."""
    topology = build(network) if isinstance(network, str) else network
    fabric = planned_fabric(topology)
    graph = service(made(topology))
    switch = [f"S.{s}" for s in range(topology.switches)]
    first = np.concatenate([[0], np.flatnonzero(np.diff(fabric.host_sizes)) + 1])
    begin = first[np.searchsorted(first, np.arange(topology.hosts), side="right") - 1]
    host = [f"H{b or ''}.{h - b}" for h, b in enumerate(begin.tolist())]
    between = {frozenset(ends) for ends in graph.edges if ends[0].rsplit(".", 2)[0] != ends[1].rsplit(".", 2)[0]}
    wanted = {
        frozenset((f"{switch[u]}.port.{p - 1}", f"{switch[v]}.port.{q - 1}"))
        for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
    }
    wanted |= {
        frozenset((f"{host[h]}.nic.{q - 1}", f"{switch[s]}.port.{p - 1}"))
        for h, q, s, p in zip(
            topology.host.tolist(),
            fabric.host_ports.tolist(),
            topology.endpoints.tolist(),
            fabric.endpoint_ports.tolist(),
            strict=True,
        )
    }
    assert between == wanted
    assert len(wanted) == len(topology.links) + topology.endpoints.size
    # Inside: an ASIC with all ports of its switch, and a processor behind each NIC.
    nodes = topology.switches * (1 + fabric.switch_ports[0]) + 2 * topology.endpoints.size
    assert graph.number_of_nodes() == nodes
    kinds = nx.get_node_attributes(graph, "device_type")
    assert {kinds[name] for name in graph if name.startswith("S.")} == {"switch"}
    assert {kinds[name] for name in graph if name.startswith("H")} == {"host"}


@pytest.mark.exhaustive
def test_the_package_knows_rates_delays_and_lengths(service):
    """Each cable has its rate, its delay at 5 ns a metre, and its length as an annotation."""
    layout = place(build("slimfly:q=5,hosts=2"), map="rows")
    topology = layout.topology
    graph = service(made(topology, layout))
    ports = planned_fabric(topology).link_ports
    for (u, v), (p, q), length_m in zip(topology.links.tolist(), ports.tolist(), layout.length_m.tolist(), strict=True):
        edge = graph.edges[f"S.{u}.port.{p - 1}", f"S.{v}.port.{q - 1}"]
        assert edge["bandwidth"] == "400.0 Gbps"
        assert float(edge["latency"].removesuffix(" ns")) == pytest.approx(5 * length_m)
        assert float(edge["cable_m"]) == pytest.approx(length_m)
    assert graph.graph["topoloom_spec"] == "slimfly:q=5,hosts=2"
    assert graph.nodes["S.7.asic.0"]["group"] == str(topology.labels["group"][7])


def test_what_the_package_builds_is_read():
    """Its own fat trees: hosts by NIC, switches by port, whatever their ASICs are called."""
    reason = "not installed: infragraph, which would write the file (pip install infragraph)"
    fabric = pytest.importorskip("infragraph.blueprints.fabrics.clos_fat_tree_fabric", reason=reason)
    from infragraph.blueprints.devices.generic.generic_switch import Switch
    from infragraph.blueprints.devices.generic.server import Server

    network = fabric.ClosFatTreeFabric(Switch(8), Server(), 2, [])
    for kind in ("yaml", "json"):
        found = RECORD.read(network.serialize(kind).encode(), "net")
        # Two levels of 8-port switches: 8 leaves with 4 ports up, 4 spines; servers have 2 NICs.
        assert (found.switches, len(found.links), found.endpoints.size, found.hosts) == (12, 32, 32, 16)
        assert sorted(found.degrees.tolist()) == [4] * 8 + [8] * 4


def test_a_fat_tree_of_a_thousand_hosts_comes_back(tmp_path):
    """1,024 hosts, 320 switches, written and read within a second or two."""
    topology = build("fat-tree:k=16")
    save(topology, tmp_path / "net.yaml")
    assert load(tmp_path / "net.yaml") == topology.replace(labels={}).with_rates(400)


#: The pair of switches of the format's description.
PAIR = yaml.safe_load("""
name: pair
devices:
- name: sw
  components: [{name: asic, count: 1, choice: switch}, {name: port, count: 4, choice: port}]
- name: host
  components: [{name: xpu, count: 2, choice: xpu}, {name: nic, count: 2, choice: nic}]
links: [{name: r400}]
instances: [{name: S, device: sw, count: 2}, {name: H, device: host, count: 1}]
edges:
- ep1: {instance: "S[0]", component: "port[2:4]"}
  ep2: {instance: "S[1]", component: "port[2:4]"}
  scheme: one2one
  link: r400
- {ep1: {instance: "H[0]", component: "nic"}, ep2: {instance: "S[:]", component: "port[0]"}, scheme: one2one, link: r400}
""")


def read(found, kind="json"):
    """What the reader makes of a document."""
    return RECORD.read((json.dumps(found) if kind == "json" else yaml.safe_dump(found)).encode(), "net")


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_slices_are_pythons(kind):
    """Two parallel cables, and the two ports of a host to one switch each."""
    found = read(PAIR, kind)
    assert found.links.tolist() == [[0, 1], [0, 1]]
    assert (found.endpoints.tolist(), found.host.tolist(), found.name) == ([0, 1], [0, 0], "pair")
    changed = PAIR | {"edges": [PAIR["edges"][0] | {"scheme": "many2many"}]}
    assert len(read(changed).links) == 4


def edge(one, other, **more):
    """An edge between two ends 'S[0].port[0]'."""
    ends = [dict(zip(("instance", "component"), end.split(".", 1), strict=True)) for end in (one, other)]
    return {"ep1": ends[0], "ep2": ends[1], "scheme": "one2one", "link": "r400"} | more


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"edges": [edge("S[0].port[0]", "S[1].port[0]", link="r100")]}, "edge 0 has the link 'r100'"),
        ({"edges": [edge("S[0].port[9]", "S[1].port[0]")]}, r"'port\[9\]' selects none of the 4"),
        ({"edges": [edge("S[0].port[0:9]", "S[1].port[0]")]}, "exceeds the 4"),
        ({"edges": [edge("S[0].port[0:2]", "S[1].port[0]")]}, "joins 2 ports to 1, one to one"),
        ({"edges": [edge("S[0].qsfp[0]", "S[1].port[0]")]}, "device 'sw' has no component 'qsfp'"),
        ({"edges": [edge("T[0].port[0]", "S[1].port[0]")]}, "the instance 'T', which does not exist"),
        ({"edges": [edge("S[0].port[0]", "S[1].port[0]")] * 2}, r"edge 1 uses S.0.port.0, which already has a cable"),
        ({"edges": [edge("S[0].port[0]", "S[0].port[1]")]}, "to its own device"),
        ({"edges": [edge("H[0].nic[0]", "H[0].nic[1]")]}, "to its own device"),
        ({"edges": [edge("S[0].port[0]", "S[1].port[0]", scheme="ring")]}, "the scheme 'ring'"),
        ({"edges": [edge("S[0].port[", "S[1].port[0]")]}, "is not a slice"),
        ({"edges": [edge("S[0].port[0:4:0]", "S[1].port[0]")]}, "a step of 0"),
        ({"instances": []}, "the instance 'S', which does not exist"),
        (
            {"instances": [{"name": "S", "device": "router", "count": 2}]},
            "has the device 'router', which does not exist",
        ),
        ({"instances": [{"name": "S", "device": "sw", "count": 10**9}]}, "has a count of 1000000000"),
        ({"instances": "many"}, "is not an InfraGraph: Expected `array`"),
        ({"edges": [], "instances": []}, "0 switches"),
    ],
)
def test_what_the_package_takes_without_a_word_is_refused(changes, reason):
    """Unknown links, ports past their count, two cables in a port: each is one sentence."""
    with pytest.raises(InputError, match=reason):
        read(PAIR | changes)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: &x [1]\nb: *x\n", "net:2: a YAML alias"),
        ("name: [\n", "net:2: is no YAML"),
        ("name: !!bool maybe\n", "net:1: a tag .*!!bool"),
        ("name: 2024-13-01\n", "net: is YAML or JSON without the cables"),
        ("- 1\n", "net:1: is no InfraGraph"),
        ("{", "net:1: is not JSON"),
        ("[" * 100_000, "net"),
    ],
)
def test_other_texts_are_refused_in_one_line(text, reason):
    """What is no YAML, no JSON, or stands for more than it holds."""
    with pytest.raises(InputError, match=reason):
        RECORD.read(text.encode(), "net")


def test_devices_in_devices_are_followed():
    """A port of a card in a host is the host's; a device that holds itself is refused."""
    parts = [{"name": "qsfp", "count": 2, "choice": "port"}, {"name": "x", "count": 1, "choice": "nic"}]
    card = {"name": "card", "components": parts}
    server = {"name": "server", "components": [{"name": "card", "count": 2, "choice": "device"}]}
    found = read(
        PAIR
        | {
            "devices": [PAIR["devices"][0], card, server],
            "instances": [PAIR["instances"][0], {"name": "H", "device": "server", "count": 1}],
            "edges": [edge("H[0].card[0:2].qsfp[0]", "S[0].port[0:2]"), edge("S[0].port[3]", "S[1].port[3]")],
        }
    )
    assert (found.hosts, found.endpoints.tolist(), len(found.links)) == (1, [0, 0], 1)
    loop = {"name": "card", "components": [{"name": "card", "count": 1, "choice": "device"}]}
    with pytest.raises(InputError, match="contains itself"):
        read(PAIR | {"devices": [loop], "instances": [{"name": "S", "device": "card", "count": 1}], "edges": []})


def test_labels_do_not_hide_what_a_part_is():
    """Labels called like topoloom's own annotations give way to them: ASTRA-sim's service looks for device_type."""
    labels = {"device_type": np.array(["leaf", "leaf"]), "name": np.array(["a", "b"]), "row": np.array([1, 2])}
    nodes = yaml.safe_load(made(Topology([(0, 1)], 2, [0, 1], labels=labels))["annotations.yaml"])["nodes"]
    told = {one["attribute"]: one["value"] for one in nodes[1]["attributes"]}
    assert told == {"device_type": "switch", "name": "S1", "row": "2"}
    assert len(nodes[1]["attributes"]) == 3


def test_yaml_needs_its_package_and_json_does_not(monkeypatch):
    """Without pyyaml the remedy is named."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InputError, match=r"pip install 'topoloom\[yaml\]'"):
        RECORD.read(b"name: pair\n", "net")
    assert read(PAIR).switches == 2
