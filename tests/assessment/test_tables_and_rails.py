"""An assessment judges trees by a table per host, hosts with several ports on all of them, and each plane once."""

import json

import numpy as np
import pytest

from topoloom import as_network, build, compare
from topoloom.cabling.expansion.larger_networks import larger_networks
from topoloom.core.work import Work
from topoloom.designer.assessment.assess import STEPS, assess
from topoloom.designer.assessment.assessment import Assessments
from topoloom.designer.assessment.steps.collective import COLLECTIVES
from topoloom.designer.assessment.steps.load import LOADED
from topoloom.designer.assessment.steps.throughput import PATTERNED, THROUGHPUT
from topoloom.designer.assessment.subject import Subject
from topoloom.routing.planes import one_of_equal_planes
from topoloom.routing.route import route
from topoloom.simulation.applications.rail_collectives import ScaleUp


def _subject(spec: str, **changes) -> Subject:
    return Subject(as_network(spec).placed(map="rows", parts="slimfly-2014", rate_gbps=800.0), **changes)


def _figures(subject: Subject, *steps) -> dict:
    return {figure.key: figure for step in steps for figure in step.run(subject, Work()).figures}


@pytest.mark.exhaustive
def test_a_full_tree_gets_what_the_engine_gets_everywhere(tmp_path):
    """In the assessment, by `quality --engine fat-tree` on the spec, by `quality` on the folder, and on the page."""
    from click.testing import CliRunner

    from topoloom.cli.main import cli
    from topoloom.report.compare_files import write_comparison

    found = compare(["fat-tree:k=6", "fat-tree:k=6,hosts=54,taper=2:1"], minutes=1e-6, repeats=1, parts="slimfly-2014")
    (tree,) = (one for one in found.networks if one.spec == build("fat-tree:k=6").spec)
    taper = next(one for one in found.networks if one is not tree)
    assert tree.value("uniform_throughput") == tree.value("tornado_throughput") == 1.0
    assert tree.value("effective_bisection") > 0.7
    for key in ("uniform_throughput", "tornado_throughput", "effective_bisection"):
        assert tree.value(key) > taper.value(key), "the best of the row is the full tree"
        assert "tables of engine fat-tree-hosts, one for each of the 3 host ports" in tree.figure(key).how
    write_comparison(found, tmp_path / "out")
    number = 1 + found.networks.index(tree)
    folder = tmp_path / "out" / "networks" / str(number)
    record = json.loads((folder / "assessment.json").read_text())
    recorded = {figure["key"]: figure["value"] for figure in record["figures"]}
    for network, more in (("fat-tree:k=6", ["--engine", "fat-tree"]), (str(folder), [])):
        done = CliRunner().invoke(cli, ["quality", network, *more, "--traffic", "tornado", "--json"])
        values = json.loads(done.stdout)
        assert recorded["tornado_throughput"] == values["traffic_throughput"]
        for key in ("uniform_throughput", "effective_bisection", "worst_throughput"):
            assert recorded[key] == values[key], key
    page = (tmp_path / "out" / "compare.html").read_text()
    assert f"{recorded['effective_bisection']:,.6g}" in page
    assert "engine of the tables" in page
    assert "fat-tree-hosts" in page


@pytest.mark.parametrize(
    "spec",
    [
        "fat-tree:k=8,hosts=64+rails:nics=2",
        "fat-tree:k=8,hosts=64+planes:count=2",
        "fat-tree:k=8,hosts=64+nics:count=2",
    ],
)
def test_rails_planes_and_interfaces_are_measured_by_tables_of_hosts(spec):
    """Full trees carry shifts in full, however the ports of a host are wired."""
    figures = _figures(_subject(spec), THROUGHPUT, PATTERNED)
    assert figures["uniform_throughput"].value == figures["tornado_throughput"].value == 1.0


def test_accelerators_use_all_ports_of_their_hosts():
    """Within a tenth of the bound; without the rate inside hosts the text says that nothing is counted there."""
    spec = "fat-tree:k=16,hosts=16+planes:count=8"
    known = _figures(_subject(spec, scale_up=ScaleUp(8, 900.0), switch_ns=100), *COLLECTIVES)["all_reduce_ms"]
    assert known.bound <= known.value < 1.1 * known.bound
    assert known.low == known.value == known.high, "the whole machine, so nothing is drawn"
    assert "128 accelerators of 16 hosts (the whole machine), on all 8 ports of a host at once" in known.how
    unknown = _figures(_subject(spec, scale_up=ScaleUp(8)), *COLLECTIVES)["all_reduce_ms"]
    assert "not counted: [host] scale_up_gb_per_s is not given" in unknown.how
    single = _figures(_subject("fat-tree:k=4"), *COLLECTIVES)["all_reduce_ms"]
    assert "by halving, 16 ranks on hosts drawn at random" in single.how, "hosts of one port are as before"


def test_equal_planes_are_simulated_once():
    """The same cycles for one plane as for the plane alone, and the text says so."""
    two = _figures(_subject("fat-tree:k=4,hosts=8+planes:count=2"), LOADED[0])["latency_30_cycles"]
    assert "one of 2 equal planes" in two.how
    assert two.by_hand == ""
    one = _figures(_subject("fat-tree:k=4,hosts=8"), LOADED[0])["latency_30_cycles"]
    assert two.value == pytest.approx(one.value, rel=0.1)
    assert one_of_equal_planes(route(build("fat-tree:k=4,hosts=8"), "fat-tree-hosts")) is None


@pytest.mark.exhaustive
def test_networks_of_several_rates_are_compared():
    """Hosts at 100G under 400G links get all they ask for; the reference has links as fast as its hosts."""
    found = compare(
        ["fat-tree:k=4+rates:links=400,hosts=100", "fat-tree:k=4+rates:links=400,hosts=400"],
        minutes=1e-6,
        repeats=1,
        minimize="worst_throughput",
    )
    mixed, alike = found.networks
    assert "hosts=100" in mixed.spec
    assert mixed.name == "fat tree, 8 switches of 2 x 100G + 2 x 400G ports and 12 switches of 4 ports"
    assert mixed.value("worst_throughput") == 1.0
    assert alike.value("worst_throughput") == pytest.approx(1 / 3)
    assert mixed.value("uniform_throughput") == 1.0


def test_growth_fills_free_places_before_it_adds_switches():
    """Exactly the hosts that are wanted, and rates are no hosts."""
    populated = build("fat-tree:k=8,hosts=128+populated:hosts=100")
    assert list(larger_networks(populated, 110)) == [
        "fat-tree:k=8,hosts=128+populated:hosts=110",
        "fat-tree:k=8,hosts=128+populated:hosts=110,fill=first",
    ]
    rated = build("fat-tree:k=8,hosts=16+rates:links=400,hosts=400")
    assert next(larger_networks(rated, 18)) == "fat-tree:k=8,hosts=18+rates:links=400,hosts=400"
    for spec in larger_networks(build("fat-tree:k=16,hosts=128+rails:nics=8"), 24):
        assert build(spec).hosts == 24
    assert list(larger_networks(build("slimfly:q=5,hosts=3"), 165)) == []


def test_missing_steps_are_listed_for_each_network(capsys):
    """One line for networks that lack the same steps."""
    from topoloom.cli.assessment_text import print_assessments

    found: Assessments = assess([_subject("petersen:hosts=3"), _subject("ring:n=6,hosts=2")], seconds=1e-9)
    print_assessments(found.networks, 1e-9)
    shown = capsys.readouterr().err
    assert shown.count("not assessed") == 1
    assert "all networks: not assessed" in shown
    for step in STEPS:
        assert (step.words in shown) == (not step.cheap)
    assert np.all([network.missing for network in found.networks])
