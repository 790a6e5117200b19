"""Registered measures as figures of `compare`: values, ranks, the command, studies, and measures that refuse a network."""

import json
import math

import pytest
from click.testing import CliRunner

from topoloom import InputError, Study, compare, run_study
from topoloom.cli.main import cli
from topoloom.designer.assessment.measures import measure_figures
from topoloom.graph.measure_register import MEASURES, Measure, measured
from topoloom.model.sources import network_of

NETWORKS = ["petersen", "ring:n=10"]


@pytest.fixture(scope="module")
def compared():
    """Two networks without hosts, ranked by girth."""
    return compare(NETWORKS, measures=["girth", "betweenness-max"], minimize="girth", minutes=0.01, repeats=1, jobs=1)


def test_measures_are_figures_and_rank(compared):
    """The values of `measured`, with unit, text and the command that gives them; the longest cycle comes first."""
    assert [network.spec for network in compared.networks] == ["ring:n=10", "petersen"]
    for network in compared.networks:
        values = measured(network.spec, ["girth", "betweenness-max"])
        girth = network.figure("girth")
        assert (girth.value, network.value("betweenness_max")) == tuple(values.values())
        assert (girth.unit, girth.group, girth.better) == ("links", "Measures", "more")
        assert girth.by_hand == "topoloom info FOLDER --measure girth"
    assert compared.networks[0].why.startswith("1st: girth 10 links")


def test_the_least_betweenness_comes_first():
    """Measures whose least values are good rank the other way round."""
    found = compare(NETWORKS, measures=["betweenness-max"], minimize="betweenness_max", minutes=0.01, repeats=1, jobs=1)
    assert [network.spec for network in found.networks] == ["petersen", "ring:n=10"]


def test_the_command_and_the_record_have_them():
    """A column of the table, a figure of the record."""
    words = ["compare", *NETWORKS, "--measure", "girth", "--minimize", "girth", "--minutes", "0.01", "--repeats", "1"]
    table = CliRunner().invoke(cli, words).stdout.splitlines()
    assert table[0].split()[-1] == "girth"
    assert table[1].split()[-1] == "10"
    record = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)
    figures = {figure["key"]: figure["value"] for figure in record["networks"][0]["figures"]}
    assert figures["girth"] == 10


@pytest.mark.exhaustive
def test_studies_have_them_as_columns(tmp_path):
    """One row per network, by an axis."""
    study = Study(
        operation="compare", task={"networks": ["{network}"], "measures": ["girth"]}, axes={"network": NETWORKS}
    )
    found = run_study(study, tmp_path / "s", executor="threads")
    assert found.column("girth") == [5, 10]


def test_a_measure_without_a_value_says_why():
    """A tree has no cycle; a measure that refuses the network gives its reason; neither ends the comparison."""

    def picky(topology):
        raise InputError("only for tori")

    MEASURES._load()
    MEASURES._records["picky"] = Measure("picky", "words", "", picky, min)
    try:
        tree, refused = measure_figures(network_of("complete:n=2", "test"), ["girth", "picky"])
    finally:
        del MEASURES._records["picky"]
    assert math.isinf(measured("complete:n=2", ["girth"])["girth"])
    assert (tree.value, tree.how[:16]) == (None, "it is infinite: ")
    assert (refused.value, refused.how) == (None, "only for tori")


def test_wrong_names_are_refused_before_any_work():
    """An unknown measure, and a text in place of a list."""
    with pytest.raises(InputError, match=r"no measure named 'girt' \(did you mean 'girth'"):
        compare(NETWORKS, measures=["girt"])
    with pytest.raises(InputError, match="measures takes a list of names"):
        compare(NETWORKS, measures="girth")
