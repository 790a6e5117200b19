"""`topoloom quality`: its JSON, its table, and its errors."""

import json

import pytest
from click.testing import CliRunner

from topoloom.cli.commands import paths, quality
from topoloom.core.errors import InputError

KEYS = {
    "switches",
    "hosts",
    "hosts_assumed",
    "edge_forwarding_index",
    "channel_load",
    "switch_load",
    "uniform_throughput",
    "uniform_flow",
    "uniform_bound",
    "permutation_throughput",
    "permutation_flow",
    "tub",
    "worst_load",
    "worst_throughput",
    "worst_flow",
    "effective_bisection",
    "effective_bisection_error",
    "bisections",
    "schema",
    "provenance",
}


def _run(*arguments, command=quality):
    result = CliRunner().invoke(command.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_json_has_what_scripts_need():
    """One document with every key, flows as two bounds, and null for what a number cannot be."""
    values = json.loads(_run("hypercube:n=4", "--bisections", "10", "--json"))
    assert values.keys() >= KEYS
    assert (values["tub"], values["hosts_assumed"], values["bisections"]) == (1.0, True, 10)
    assert values["uniform_flow"]["lower"] == pytest.approx(1.875)
    lonely = json.loads(_run("torus:dims=4,hosts=0", "--bisections", "1", "--json"))
    assert lonely["effective_bisection_error"] is None


def test_the_table_says_what_was_assumed_and_not_done():
    """Hosts that there are not, flows that take long, and two bounds where they were asked for."""
    plain = _run("torus:dims=12x12", "--bisections", "5")
    assert "144 (one per switch assumed)" in plain
    assert "uniform: best flow                       0.662037" in plain  # exact by symmetry: 143 / (144 x 12 / 8)
    assert "maximal permutation: best flow           too large: see --gap" in plain
    asked = _run("torus:dims=12x12", "--bisections", "5", "--gap", "0.2", "--engine", "minimal")
    assert "uniform: best flow                       0." in asked
    assert " to " in asked.split("uniform: best flow")[1].splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--engine", "mini"), "did you mean '?minimal"), (("--virtual-channels", "16"), "engine orders takes 1 to 15")],
)
def test_mistakes_are_one_line(arguments, message):
    """An `InputError`, which the command line prints as one line before it ends with 2."""
    with pytest.raises(InputError, match=message):
        _run("slimfly:q=5", *arguments)


def test_hosts_on_rails_get_tables_for_each_port():
    """As many as a leaf has ports, or as many as are asked for; the table says so."""
    tree = "fat-tree:k=4,hosts=8+rails:nics=2"
    found = json.loads(_run(tree, "--bisections", "2", "--json"))
    assert (found["rails"], found["host_tables"], found["uniform_throughput"]) == (2, 2, 1.0)
    found = json.loads(_run(tree, "--bisections", "2", "--host-tables", "1", "--json"))
    assert (found["host_tables"], found["uniform_throughput"]) == (1, 0.5)
    shown = _run(tree, "--bisections", "2")
    assert "2; port r of a host sends to ports r of the others" in shown
    assert "worst permutation: ports over a channel  1\n" in shown
    with pytest.raises(InputError, match="--host-tables 2 makes new tables; omit --virtual-channels"):
        _run(tree, "--host-tables", "2", "--virtual-channels", "1")


def test_paths_are_counted():
    """`paths`: the record of `path_diversity`, and a table of a line for each count."""
    from topoloom import build, path_diversity

    record = json.loads(_run("petersen", "--samples", "30", "--json", command=paths))
    assert record["schema"] == "topoloom/path-diversity/1"
    found = path_diversity(build("petersen"), samples=30).record()
    assert {key: record[key] for key in record if key != "provenance"} == {
        key: found[key] for key in found if key != "provenance"
    }
    shown = _run("petersen", command=paths)
    assert "disjoint, up to 1 hop longer" in shown
    assert "all 45" in shown


def test_layers_say_how_their_loads_come_about():
    """Spread evenly over layers; no worst permutation."""
    shown = _run("slimfly:q=3,hosts=1", "--engine", "fatpaths", "--bisections", "5")
    assert "packets are spread evenly over the layers of tables" in shown
    assert "not known from expected loads" in shown
