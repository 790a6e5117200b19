"""Registered measures: equal to NetworkX on random graphs, used by info and studies, and refused where they are no numbers."""

import json
import math

import networkx
import pytest
from click.testing import CliRunner

from topoloom import InputError, Study, Topology, info, run_study
from topoloom.cli.main import cli
from topoloom.graph.cuts import exact_bisection
from topoloom.graph.measure_register import MEASURES, Measure, measured
from topoloom.topologies.spec import build

BUILT_IN = ("betweenness-max", "betweenness-mean", "bisection-bound", "girth", "vertex-connectivity")
#: Need hosts.
OF_HOSTS = ("h-aspl", "h-aspl-bound", "h-diameter", "h-diameter-bound")


def random_graphs():
    """Fifty graphs of 4 to 20 switches: sparse and dense, some disconnected, some trees, some regular."""
    for seed in range(20):
        yield networkx.gnm_random_graph(5 + seed % 15, 4 + 2 * seed, seed=seed)
    for seed in range(20):
        yield networkx.random_regular_graph(3 + seed % 3, 8 + 2 * (seed % 7), seed=seed)
    for seed in range(10):
        yield networkx.random_labeled_tree(4 + seed, seed=seed)


def test_measures_are_those_of_networkx():
    """Girth, vertex connectivity and betweenness of fifty random graphs; the bound holds for the exact bisection."""
    for graph in random_graphs():
        topology = Topology.from_networkx(graph)
        values = measured(topology, BUILT_IN)
        assert values["girth"] == networkx.girth(graph)
        assert values["vertex-connectivity"] == networkx.node_connectivity(graph)
        shares = list(networkx.betweenness_centrality(graph).values())
        assert values["betweenness-max"] == pytest.approx(max(shares), abs=1e-12)
        assert values["betweenness-mean"] == pytest.approx(sum(shares) / len(shares), abs=1e-12)
        laplacian = networkx.laplacian_spectrum(graph)
        half = len(graph) // 2
        assert values["bisection-bound"] == pytest.approx(
            sorted(laplacian)[1] * half * (len(graph) - half) / len(graph), abs=1e-8
        )
        assert values["bisection-bound"] <= exact_bisection(topology).links + 1e-8


def test_parallel_links_and_single_switches():
    """Two parallel links are a cycle of length 2 and one neighbour; one switch has no cycle and no bisection."""
    twice = Topology(links=[(0, 1), (0, 1), (1, 2)], switches=3)
    assert measured(twice, ("girth", "vertex-connectivity", "betweenness-max")) == {
        "girth": 2,
        "vertex-connectivity": 1,
        "betweenness-max": 1,
    }
    single = Topology(links=[], switches=1)
    assert measured(single, ("girth", "vertex-connectivity", "betweenness-max")) == {
        "girth": math.inf,
        "vertex-connectivity": 0,
        "betweenness-max": 0,
    }
    with pytest.raises(InputError, match="a bisection needs at least two"):
        measured(single, ("bisection-bound",))


def test_planes_are_joined():
    """Two equal planes: the bounds add up, the girth is that of one."""
    one, two = build("complete:n=6,hosts=1"), build("complete:n=6,hosts=1+planes:count=2")
    assert measured(two, ("girth",)) == measured(one, ("girth",)) == {"girth": 3}
    alone, both = (measured(which, ("bisection-bound",))["bisection-bound"] for which in (one, two))
    assert both == pytest.approx(2 * alone)


def test_info_prints_what_is_asked_for():
    """On the page with its unit, in the record by its name, and nothing more without the option."""
    runner = CliRunner()
    page = runner.invoke(cli, ["info", "petersen", "--measure", "girth", "--measure", "vertex-connectivity"]).output
    assert "5 links" in page
    assert "3 switches" in page
    record = json.loads(runner.invoke(cli, ["info", "petersen", "--measure", "girth", "--json"]).output)
    assert record["measures"] == {"girth": 5}
    assert info("petersen").measures == {}
    wrong = runner.invoke(cli, ["info", "petersen", "--measure", "girt"])
    assert "no measure named 'girt' (did you mean 'girth'?" in str(wrong.exception)


def test_a_study_has_a_column_per_measure(tmp_path):
    """`measures` under [task] makes columns."""
    study = Study(operation="info", task={"measures": ["girth"]}, axes={"topology": ["petersen", "ring:n=7"]})
    result = run_study(study, tmp_path / "s", executor="threads")
    assert result.column("measures.girth") == [5, 7]
    assert info("petersen", measures=["girth"]).rows()[0]["measures.girth"] == 5


def test_a_measure_of_a_network_and_one_that_is_no_number(monkeypatch):
    """`of_network` gets the Network; a value that is no number is refused with the measure's name."""
    from topoloom import Network

    seen = []
    monkeypatch.setitem(
        MEASURES._records, "told", Measure("told", "", "", lambda whole: seen.append(whole) or 1, min, of_network=True)
    )
    monkeypatch.setitem(MEASURES._origin, "told", "here")
    monkeypatch.setitem(MEASURES._records, "text", Measure("text", "", "", lambda _: "many", min))
    assert measured("petersen", ("told",)) == {"told": 1}
    assert isinstance(seen[0], Network)
    for value, words in (("text", "returned 'many'; it must return a number"), ("tex", "no measure named 'tex'")):
        with pytest.raises(InputError, match=words):
            measured("petersen", (value,))
    with pytest.raises(InputError, match="takes a list of names, not the text 'girth'"):
        info("petersen", measures="girth")
