"""The commands that measure: info, hops, bounds and cuts."""

import json
import math

import pytest
from click.testing import CliRunner

from topoloom import build
from topoloom.cli.commands import bounds, cuts, hops, info
from topoloom.core.errors import InputError
from topoloom.formats import save
from topoloom.model.topology import Topology
from topoloom.topologies import overview


def run(command, *arguments):
    """What a command prints; its errors are raised."""
    result = CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def document(command, *arguments):
    """The JSON document that a command prints."""
    return json.loads(run(command, *arguments, "--json"))


def test_info_says_what_a_slim_fly_is():
    """The Hoffman-Singleton graph with 4 hosts per switch: every measure, with its known value."""
    found = document(info.command, "slimfly:q=5,hosts=4", "--load")
    expected = {
        "switches": 50,
        "hosts": 200,
        "links": 175,
        "degree_min": 7,
        "degree_max": 7,
        "degree_mean": 7.0,
        "radix": 11,
        "diameter": 2,
        "connected": True,
        "components": 1,
        "moore_diameter_bound": 2,
        "bisection": 65,
        "bisection_exact": False,
        "edge_connectivity": 7,
        "host_diameter": 2,
        "skipped": {},
    }
    assert {key: found[key] for key in expected} == expected
    assert found["aspl"] == found["moore_aspl_bound"] == pytest.approx(13 / 7)
    assert found["spectral_gap"] == pytest.approx(5)
    assert found["full_bandwidth_hosts"] == pytest.approx(7 * 50 / 91)
    assert found["channel_load_mean"] == pytest.approx(found["channel_load_max"]) == pytest.approx(91 * 16 / 7)
    assert found["provenance"]["name"] == "slimfly(q=5,hosts=4)"
    assert len(found["provenance"]["digest"]) == 64


def test_theory_stands_beside_the_measure():
    """Where the family's facts know the bisection, info and cuts print it; small halves are exact."""
    found = document(info.command, "hypercube:n=4")
    assert (found["bisection"], found["bisection_exact"], found["bisection_analytic"]) == (8, True, 8)
    found = document(cuts.command, "torus:dims=8x8")
    assert (found["links"], found["exact"], found["sizes"]) == (16, False, [32, 32])
    assert "theory: 16" in run(cuts.command, "torus:dims=8x8")


def test_infinity_is_null_in_json(tmp_path):
    """A disconnected network from a file has no diameter: null, not Infinity."""
    file = tmp_path / "two.edges"
    file.write_text("0 1\n2 3\n")
    found = document(info.command, str(file))
    assert (found["connected"], found["components"], found["diameter"], found["aspl"]) == (False, 2, None, None)
    assert "infinite" in run(info.command, str(file))


@pytest.mark.exhaustive
def test_long_measures_are_left_out_and_said_so(monkeypatch):
    """A long ring has all its cheap measures, and says what the others would take."""
    monkeypatch.setattr(overview, "_PATIENCE_SECONDS", 0.5)
    found = document(info.command, "ring:n=16384", "--seeds", "1")
    assert "--full" in found["skipped"]["hops"]
    assert found["diameter"] is None
    assert (found["edge_connectivity"], found["bisection"], found["moore_diameter_bound"]) == (2, 2, 8192)


def test_one_switch_has_no_halves(tmp_path):
    """A single switch is described, its bisection omitted."""
    file = tmp_path / "alone.json"
    save(Topology(links=[], switches=1, endpoints=[0, 0]), str(file))
    found = document(info.command, str(file))
    assert (found["switches"], found["diameter"], found["bisection"]) == (1, 0, None)
    assert "has one switch; a bisection needs at least two" in found["skipped"]["bisection"]


def test_people_get_a_table():
    """Without --json there is one line per measure, with the same numbers."""
    shown = run(info.command, "petersen")
    for line in (
        "switches",
        "aspl                    1.666667",
        "edge connectivity       3",
        "connected               yes",
    ):
        assert line in shown


def test_hops_with_everything():
    """Histogram, eccentricities, paths and latency of a fat tree."""
    found = document(hops.command, "fat-tree:k=4", "--eccentricities", "--paths", "--latency")
    assert (found["switches"], found["diameter"], found["host_diameter"]) == (20, 4, 4)
    assert sum(found["histogram"]) == 400
    assert sum(found["eccentricities"]["histogram"]) == 20
    assert found["paths"]["shortest"]["most"] >= 4
    assert found["latency"]["max_ns"] == pytest.approx(5 * 60 + 4 * 25)
    assert found["latency"]["between"] == "hosts"
    assert found["aspl_including_self"] < found["aspl"]
    assert "ordered pairs" in run(hops.command, "fat-tree:k=4", "--eccentricities", "--paths", "--latency")


def test_bounds_of_a_grid_and_of_numbers():
    """Nakano 2016, Table I from the command line; Moore's bounds from an order and a degree."""
    found = document(bounds.command, "--grid", "10x10", "--degree", "4", "--length", "3", "--point", "0", "--balanced")
    assert (found["diameter"], round(found["aspl"], 4)) == (6, 3.3297)
    assert found["md"] == [1, 5, 17, 53, 79, 94, 100]
    assert (6, 3) in {(pair["degree"], pair["length"]) for pair in found["balanced"]}
    pairs = document(bounds.command, "--grid", "10x10", "--balanced")
    assert (pairs["schema"], pairs["pairs"]) == ("topoloom/balanced-pairs/1", found["balanced"])
    found = document(bounds.command, "--diagrid", "14x7", "--degree", "4", "--length", "3")
    assert (found["diameter"], round(found["aspl"], 4)) == (5, 3.2788)
    found = document(bounds.command, "--switches", "50", "--degree", "7")
    assert (found["moore_diameter"], found["moore_aspl"]) == (2, pytest.approx(13 / 7))
    assert document(bounds.command, "--switches", "9", "--degree", "1")["moore_diameter"] is None


def test_bounds_of_a_topology():
    """What is possible beside what is."""
    found = document(bounds.command, "petersen")
    assert (found["measured_diameter"], found["moore_diameter"], found["largest_order"]) == (2, 2, 10)
    assert "measured aspl" in run(bounds.command, "petersen")


def test_cuts_in_parts_and_exact():
    """Parts with their sizes and assignment; the exact bisection of the Petersen graph is 5."""
    found = document(cuts.command, "torus:dims=16x16", "--ways", "4", "--assign")
    assert (found["parts"], sum(found["sizes"]), len(found["part"])) == (4, 256, 256)
    assert found["links"] == 64
    found = document(cuts.command, "petersen", "--exact")
    assert (found["links"], found["exact"], found["runs"]) == (5, True, 0)
    assert "5 links between 2 equal parts" in run(cuts.command, "petersen", "--exact")


@pytest.mark.parametrize(
    ("command", "arguments", "reason"),
    [
        (bounds, ["--grid", "10by10", "--degree", "4", "--length", "3"], "ROWSxCOLUMNS"),
        (bounds, ["petersen", "--balanced"], "on a grid"),
        (bounds, ["--grid", "4x4", "--degree", "4", "--length", "3", "--point", "16"], "0 to 15"),
        (cuts, ["petersen", "--ways", "11"], "2 to 10"),
        (info, ["nosuchfamily"], "nosuchfamily"),
    ],
)
def test_mistakes_are_sentences(command, arguments, reason):
    """A wrong argument raises InputError with the reason; main prints it and exits 2."""
    with pytest.raises(InputError, match=reason):
        run(command.command, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["petersen", "--switches", "5"],
        ["--switches", "5"],
        ["petersen", "--degree", "3"],
        ["--grid", "4x4", "--degree", "3"],
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments):
    """Bounds need one thing to bound, and for a grid both numbers; the sentence spells arguments as options."""
    with pytest.raises(InputError, match=r"--|TOPOLOGY") as caught:
        run(bounds.command, *arguments)
    assert "`" not in str(caught.value)


def test_numbers_for_people():
    """Six digits, small ones in full, words for truth and for infinity."""
    assert [info.plain(v) for v in (True, 3, 2.0, 1 / 3, 1e-8, math.inf)] == [
        "yes",
        "3",
        "2",
        "0.333333",
        "1e-08",
        "infinite",
    ]


def test_sampled_hops_are_marked():
    """An estimate is called one, with its interval; a diameter from a sample is a lower bound."""
    shown = run(hops.command, "jellyfish:n=200,degree=4", "--samples", "20")
    assert "sampled     from 20 random switches, seed 1" in shown
    assert "diameter    at least " in shown
    assert "(95 %)" in shown
    found = document(hops.command, "jellyfish:n=200,degree=4", "--samples", "20")
    assert (found["sampled"], found["sources"]) == (True, 20)
    assert found["aspl_ci95"] > 0


def test_info_is_a_verb_of_the_library():
    """The command prints the record of `topoloom.info`, which reads back."""
    found = overview.info(build("petersen"), load=True)
    assert document(info.command, "petersen", "--load") == found.record()
    assert overview.Info.from_record(found.record()) == found


def test_planes_are_told():
    """Info, hops, bounds and cuts of several planes say that they are; of one network nobody mentions planes."""
    spec = "fat-tree:k=8,hosts=32+planes:count=2"
    for command in (info, hops, bounds, cuts):
        assert "planes" in CliRunner().invoke(command.command, [spec]).output.replace("+planes", "")
        assert "planes" not in CliRunner().invoke(command.command, ["fat-tree:k=8,hosts=32"]).output
