"""Files of directed networks: what is written is read again with its directions, and all other formats refuse."""

import json
from pathlib import Path

import jsonschema
import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from in_process import run
from tiers import examples
from topoloom import FORMATS, DirectedTopology, InputError, build, formats, load, open_directed, save, save_directed

SCHEMA = json.loads((Path(formats.__file__).parent / "topology.schema.json").read_text())
ABLE = [name for name, record in FORMATS.items() if record.write_directed is not None]
NET = open_directed("unidirectional-torus:dims=3x4,hosts=2")


def test_the_formats_that_hold_directions():
    """These, and no other."""
    assert ABLE == ["dot", "edges", "graphml", "topoloom"]


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_there_and_back(tmp_path_factory, data):
    """Arcs, parallel ones too, switches without arcs, hosts, labels, name: all that a format keeps."""
    n = data.draw(st.integers(1, 8))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda arc: arc[0] != arc[1])
    net = DirectedTopology(
        data.draw(st.lists(ends, max_size=12)) if n > 1 else [],
        n,
        data.draw(st.lists(st.integers(0, n - 1), max_size=4)),
        labels={"x": data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))},
        name="net",
    )
    folder = tmp_path_factory.mktemp("there")
    for name in ABLE:
        path = folder / f"net.{name}"
        written = save_directed(net, path, name)
        back = open_directed(path, name)
        if name == "edges":
            assert (back.arcs.tolist(), back.switches) == (net.arcs.tolist(), n)
            assert written.omitted == ((f"{net.hosts} hosts",) if net.hosts else ()) + ("label x",)
        else:
            assert back == net
            assert written.omitted == ()
        assert (written.links, written.hosts) == (len(net.arcs), net.hosts)
        with pytest.raises(InputError, match=r"this network is directed, and load takes undirected ones"):
            load(path, name)


@pytest.mark.parametrize("name", FORMATS)
def test_all_other_formats_refuse(name, tmp_path):
    """No format without directions writes a directed network, in Python and on the command line."""
    if name in ABLE:
        return
    with pytest.raises(InputError, match="holds no directed networks; choose one of dot, edges, graphml, topoloom"):
        save_directed(NET, tmp_path / "x", name)
    done = run("build", NET.spec, "-o", tmp_path / "x", "--format", name)
    assert done.code == 2
    assert "holds no directed networks" in done.error
    assert not (tmp_path / "x").exists()


def test_save_refuses_a_directed_network(tmp_path):
    """The function for undirected ones names the other."""
    with pytest.raises(InputError, match=r"save takes undirected ones; topoloom.save_directed takes it"):
        save(NET, tmp_path / "x.json")
    with pytest.raises(InputError, match="save_directed takes a DirectedTopology, not a Topology"):
        save_directed(build("petersen"), tmp_path / "x.json")


def test_the_json_satisfies_the_schema(tmp_path):
    """Version 3, with arcs in place of links; links and arcs together, or arcs in an older version, are refused."""
    save_directed(NET, tmp_path / "x.json")
    document = json.loads((tmp_path / "x.json").read_text())
    jsonschema.validate(document, SCHEMA)
    assert (document["version"], "links" in document) == (3, False)
    for changes, reason in (
        ({"links": [[0, 1]]}, "links or arcs, not both"),
        ({"version": 2}, "arcs need version 3"),
        ({"arcs": [[0, 0]]}, r"arcs\[0\]: switch 0 is linked to itself"),
        ({"arcs": [[0, 99]]}, r"arcs\[0\]\[1\]: switch 99"),
    ):
        (tmp_path / "wrong.json").write_text(json.dumps(document | changes))
        with pytest.raises(InputError, match=reason):
            open_directed(tmp_path / "wrong.json")
    rates = {"link_rate_gbps": [100] * len(NET.arcs), "endpoint_rate_gbps": [100] * NET.hosts}
    (tmp_path / "rated.json").write_text(json.dumps(document | rates))
    with pytest.raises(InputError, match="a directed network has no rates"):
        open_directed(tmp_path / "rated.json")


def test_the_fixture_is_read_for_ever():
    """A file of version 3 as the first release with directed networks wrote it."""
    net = open_directed(Path(__file__).parents[1] / "formats" / "fixtures" / "version3.json")
    assert net == open_directed("kautz-digraph:base=2,length=2,hosts=1")
    assert net.digest == "a38e38936fdae5d830e30ae8e2fc1a7a26dd600bb76425013aa67ae85f77282a"


def test_files_of_networkx(tmp_path):
    """GraphML as NetworkX writes it, with the directions of a DiGraph and of a MultiDiGraph."""
    graph = nx.MultiDiGraph([(0, 1), (1, 2), (2, 0), (0, 1)])
    nx.write_graphml(graph, tmp_path / "x.graphml")
    assert open_directed(tmp_path / "x.graphml").arcs.tolist() == [[0, 1], [0, 1], [1, 2], [2, 0]]
    assert nx.is_isomorphic(nx.read_graphml(_written(tmp_path / "y.graphml")), nx.DiGraph(NET.to_networkx()))


def _written(path):
    save_directed(NET, path)
    return path


@pytest.mark.parametrize(
    ("name", "text", "arcs"),
    [
        ("x.dot", "digraph { a -> b -> c; c -> a }", [[0, 1], [1, 2], [2, 0]]),
        ("x.gv", "strict digraph { 0 -> 1; 0 -> 1; 1 -> 0; }", [[0, 1], [1, 0]]),
        ("x.edges", "# From To\n1 0\n0 1\n# a comment\n2 1\n1 2\n", [[0, 1], [1, 0], [1, 2], [2, 1]]),
        ("x.txt", "# switches 4\n# from to\n1 0\n", [[1, 0]]),
    ],
)
def test_own_files(name, text, arcs, tmp_path):
    """Digraphs of DOT and edge lists as people write them."""
    (tmp_path / name).write_text(text)
    assert open_directed(tmp_path / name).arcs.tolist() == arcs


HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
_NODES = '<node id="0"/><node id="1"/>'


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("x.dot", "digraph { a -- b }", "'->' is for directed graphs; write '--' in a graph, and '->' in a digraph"),
        ("x.dot", "digraph { 0 -> 1; 1 -- 0; }", "'->' is for directed graphs"),
        ("x.dot", "graph { 0 -- 1; 1 -> 0; }", "'->' is for directed graphs"),
        ("x.dot", "digraph { a -> a }", "switch 'a' is linked to itself"),
        ("x.edges", "0 1\n# from to\n1 0\n", "x.edges:2: '# from to' follows a link"),
        ("x.edges", "# from to\n# switch switch rate_gbps\n0 1 100\n", "a directed network has no rates"),
        ("x.edges", "# from to\n0,0 1,0\n", "is a grid point"),
        ("x.edges", "0 1\n1 0\n", "this network is undirected"),
        (
            "x.graphml",
            f'{HEAD}<graph edgedefault="directed">{_NODES}<edge source="0" target="1" directed="false"/></graph></graphml>',
            "an undirected edge in a directed graph",
        ),
        (
            "x.graphml",
            f'{HEAD}<graph edgedefault="undirected">{_NODES}<edge source="0" target="1" directed="true"/></graph></graphml>',
            "a directed edge in an undirected graph",
        ),
    ],
)
def test_files_that_are_neither(name, text, reason, tmp_path):
    """Mixed directions, loops, late declarations: refused with the place."""
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=reason):
        open_directed(tmp_path / name)


def test_a_digraph_with_ports_is_no_plan(tmp_path):
    """PTM's files are graphs: a digraph is refused, not read without its directions."""
    (tmp_path / "x.dot").write_text('digraph { "a":"p1" -> "b":"p1" }')
    with pytest.raises(InputError, match="directed graph"):
        load(tmp_path / "x.dot", "ptm")


def test_convert_from_format_to_format_and_to_links(tmp_path):
    """Directions are kept between the formats, and dropped only on request, by name."""
    first = tmp_path / "a.graphml"
    assert run("build", NET.spec, "-o", first).code == 0
    done = run("convert", first, tmp_path / "b.dot", "--json")
    assert done.record["links"] == len(NET.arcs)
    assert open_directed(tmp_path / "b.dot") == NET
    assert run("convert", tmp_path / "b.dot", tmp_path / "c.json", "--undirected").code == 0
    assert load(tmp_path / "c.json") == NET.undirected()
    for words, reason in (
        ((tmp_path / "c.json", tmp_path / "d.json", "--undirected"), "--undirected is for directed networks"),
        ((first, tmp_path / "d.anynet"), "the format anynet holds no directed networks"),
        ((first, tmp_path / "out", "--format", "ufm"), "the files of another tool hold no directions"),
        ((first, tmp_path / "out", "--adopt"), "--adopt: the network is directed"),
        ((first, tmp_path / "d.json", "--drop-rates"), "--drop-rates: the network is directed"),
    ):
        done = run("convert", *words)
        assert (done.code, reason in done.error) == (2, True), done.error
