"""GraphML: what other tools write is read, what we write is read by other tools."""

import io

import numpy as np
import pytest
from format_cases import SAMPLE

from topoloom import InputError, build
from topoloom.formats import graphml
from topoloom.model.topology import Topology

HEAD = '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
KEYS = (
    '<key id="d0" for="node" attr.name="hosts" attr.type="int"/>'
    '<key id="d1" for="node" attr.name="x" attr.type="double"><default>0.5</default></key>\n'
)


def read(body, keys=KEYS, head=HEAD):
    """What the reader makes of a graph's inside."""
    return graphml.read(
        f'{head}{keys}<graph edgedefault="undirected">\n{body}\n</graph></graphml>'.encode(), "net.graphml"
    )


def test_networkx_reads_what_we_write():
    """NetworkX finds the same links, labels and hosts in our file."""
    networkx = pytest.importorskip("networkx")
    graph = networkx.read_graphml(io.BytesIO(graphml.write(SAMPLE).encode()), node_type=int, force_multigraph=True)
    assert sorted(map(sorted, graph.edges())) == SAMPLE.links.tolist()
    assert [graph.nodes[switch]["hosts"] for switch in range(6)] == SAMPLE.endpoints_at.tolist()
    assert [graph.nodes[switch]["role"] for switch in range(5)] == SAMPLE.labels["role"].tolist()[:5]


def test_we_read_what_networkx_writes():
    """A topology that went through NetworkX comes back with labels and hosts."""
    networkx = pytest.importorskip("networkx")
    topology = build("torus:dims=4x4,hosts=2")
    file = io.BytesIO()
    networkx.write_graphml(topology.to_networkx(), file)
    assert graphml.read(file.getvalue(), "net.graphml") == topology


def test_defaults_names_and_order():
    """Defaults fill what a node does not say; names that are no numbers become the label id; edges may come first."""
    topology = read('<edge source="b" target="a"/><node id="a"><data key="d0">3</data></node><node id="b"/>')
    assert topology.labels["id"].tolist() == ["b", "a"]
    assert topology.labels["x"].tolist() == [0.5, 0.5]
    assert topology.endpoints.tolist() == [1, 1, 1]


def test_numbers_with_gaps_keep_their_order():
    """Node numbers that are not 0 .. n - 1 are numbered in ascending order and kept as the label id."""
    topology = read('<node id="30"/><node id="10"/><node id="20"/><edge source="30" target="10"/>', keys="")
    assert topology.links.tolist() == [[0, 2]]
    assert topology.labels["id"].tolist() == [10, 20, 30]


def test_attributes_that_some_nodes_lack_are_no_labels():
    """A label needs a value for every switch; an attribute of some nodes is left aside."""
    key = '<key id="k" for="node" attr.name="rack" attr.type="string"/>'
    assert not read('<node id="0"><data key="k">r1</data></node><node id="1"/>', keys=key).labels


def test_drawings_inside_are_left_aside():
    """What yEd puts into nodes and edges is no concern of ours, however it is nested."""
    keys = '<key id="g" for="node" yfiles.type="nodegraphics"/>'
    shape = '<data key="g"><y:Shape xmlns:y="y"><y:Node><y:graph/>text</y:Node></y:Shape></data>'
    topology = read(
        f'<node id="0">{shape}</node><node id="1"><port name="p"/></node><edge source="0" target="1"/>', keys
    )
    assert len(topology.links) == 1
    assert not topology.labels


def test_types_are_kept():
    """Whole numbers, floats, truth values and text become labels of their type."""
    keys = "".join(
        f'<key id="{t}" for="node" attr.name="{t}" attr.type="{t}"/>' for t in ("int", "double", "boolean", "string")
    )
    values = {"int": " -7 ", "double": "1e3", "boolean": "True", "string": " a "}
    data = "".join(f'<data key="{key}">{value}</data>' for key, value in values.items())
    labels = read(f'<node id="0">{data}</node>', keys).labels
    assert {key: values[0].item() for key, values in labels.items()} == {
        "int": -7,
        "double": 1000.0,
        "boolean": 1,
        "string": " a ",
    }


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('<node id="0"/>\n<node id="0"/>', "net.graphml:6: the node '0' is declared twice"),
        ('<node id="0"/>\n<edge source="0" target="0"/>', "net.graphml:6: switch '0' is linked to itself"),
        ('<node id="0"/>\n<edge source="0" target="7"/>', "net.graphml:6: an edge ends at '7', but"),
        ('<node id="0"/>\n<edge source="0"/>', "net.graphml:6: <edge> has no target="),
        ("\n<node/>", "net.graphml:6: <node> has no id="),
        ('<node id="0"><data key="z">1</data></node>', "names the key 'z', which no <key>"),
        ('<node id="0"><data>1</data></node>', "<data> has no key="),
        ('<node id="0"><data key="d0">many</data></node>', "'many' is not a value of type 'int'"),
        ('<node id="0"><data key="d0">-1</data></node>', "'-1' hosts on a switch"),
        ('<node id="0"><data key="d0">70000</data></node>', "'70000' hosts on a switch; at most 65535"),
        ('<node id="0"><data key="d1">nan</data></node>', "'nan' is not a value of type 'double'"),
        ('<node id="0"><data key="d1">1</data><data key="d1">2</data></node>', "given twice for one node"),
        ('<node id="0"/><edge directed="true" source="0" target="1"/>', "a directed edge"),
        ("<hyperedge/>", "<hyperedge>; a link joins two"),
        ('<node id="0"><graph/></node>', "a second <graph>"),
        ("", "holds no nodes"),
        ("<a>" * 200, "nests more than 100 elements deep"),
        ("<node", "net.graphml:6: is not well-formed XML"),
        ("&unknown;", "net.graphml:5: is not well-formed XML: undefined entity"),
    ],
)
def test_wrong_graphs_are_named(body, reason):
    """What is not an undirected, flat graph is answered with file, line and reason."""
    with pytest.raises(InputError, match=reason):
        read(body)


def test_hosts_cannot_fill_the_memory():
    """The hosts of a small file are bounded in all."""
    nodes = "".join(f'<node id="{i}"><data key="d0">65535</data></node>' for i in range(300))
    with pytest.raises(InputError, match="hosts in total; at most"):
        read(nodes)


def test_many_defaults_cannot_fill_the_memory():
    """Attributes with defaults are bounded, for each gives every node a value."""
    keys = "".join(f'<key id="k{i}" for="node" attr.name="k{i}"><default/></key>' for i in range(200))
    with pytest.raises(InputError, match="more than 100 default attributes"):
        read('<node id="0"/>', keys)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f'{HEAD}<graph edgedefault="directed"/></graphml>', "net.graphml: this network is directed, and load takes"),
        ("<html></html>", "starts with <html>"),
        (f"{HEAD}</graphml>", "holds no <graph>"),
        ('<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c">]>\n<graphml/>', "net.graphml:2: has a DOCTYPE"),
        ("plain text", "net.graphml:1: is not well-formed XML"),
    ],
)
def test_other_xml_is_refused(text, reason):
    """Directed graphs, other documents and entity bombs are refused."""
    with pytest.raises(InputError, match=reason):
        graphml.read(text.encode(), "net.graphml")


@pytest.mark.parametrize(
    ("labels", "reason"),
    [({"hosts": np.arange(2)}, "rename the label"), ({"a": np.array(["\x01", ""])}, "which XML cannot")],
)
def test_what_xml_cannot_hold_is_refused(labels, reason):
    """A label that would not come back is refused when writing."""
    with pytest.raises(InputError, match=reason):
        graphml.write(Topology([(0, 1)], 2, labels=labels))


def test_the_endpoints_of_anytopo_are_hosts():
    """SST Merlin's attribute counts where no node has `hosts`; elsewhere, and where it is no number of all, it is a label."""
    key = '<key id="e" for="node" attr.name="endpoints" attr.type="{}"/>'
    nodes = '<node id="0"><data key="e">{}</data></node><node id="1"><data key="e">1</data></node>'
    found = read(nodes.format(2), key.format("int"))
    assert found.endpoints.tolist() == [0, 0, 1]
    assert not found.labels
    found = read(nodes.format("many"), key.format("string"))
    assert (found.hosts, list(found.labels)) == (0, ["endpoints"])
    with pytest.raises(InputError, match="at most 65535"):
        read(nodes.format(99999), key.format("int"))
    labelled = Topology([(0, 1)], 2, [0], labels={"endpoints": np.array([3, 4])})
    assert graphml.read(graphml.write(labelled).encode(), "net") == labelled


def test_an_attribute_that_not_every_node_has_is_reported(caplog):
    """It can be no label, which every switch has; it does not vanish without a word."""
    text = (
        '<graphml><key id="a" for="node" attr.name="role"/><graph><node id="0"><data key="a">leaf</data></node>'
        '<node id="1"/></graph></graphml>'
    )
    assert not graphml.read(text.encode(), "x.graphml").labels
    assert [record.getMessage() for record in caplog.records] == [
        "x.graphml: 'role' was not read: not every node has it"
    ]
