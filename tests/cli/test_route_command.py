"""`topoloom route`: its JSON, its table, and its errors."""

import json
import re

import pytest
from click.testing import CliRunner

from topoloom.cli.main import cli
from topoloom.core.errors import InputError

KEYS = {
    "virtual_channels_used",
    "max_hops",
    "mean_hops",
    "minimal",
    "deadlock_free",
    "reached_pairs",
    "edge_forwarding_index",
    "vertex_load_min",
    "vertex_load_max",
}


def _run(*arguments, command="route"):
    result = CliRunner().invoke(cli, [command, *arguments], catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_json_has_what_scripts_need():
    """One document with at least the keys promised."""
    record = json.loads(_run("slimfly:q=5", "--json"))
    assert record.keys() >= {
        "schema",
        "provenance",
        "topology",
        "engine",
        "virtual_channel_rule",
        "packets_choose",
        "verification",
    }
    assert record["schema"] == "topoloom/routing/3"
    assert record["provenance"]["seed"] == 1
    assert record["provenance"]["timings"].keys() == {"tables_s", "judge_s"}
    values = record["verification"]
    assert values.keys() >= KEYS
    assert (record["engine"], values["virtual_channels_used"], values["minimal"], values["deadlock_free"]) == (
        "levels",
        8,
        True,
        True,
    )
    assert (values["reached_pairs"], values["vertex_load_min"], values["vertex_load_max"]) == (2450, 42, 42)


def test_a_cycle_is_shown():
    """Tables that may deadlock are not hidden: the cycle is printed."""
    found = _run("torus:dims=4x4", "--engine", "minimal")
    assert re.search(r"deadlock free +no\n", found)
    assert "waits in a cycle" in found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--engine", "mini"), "did you mean 'minimal'"),
        (("--engine", "hop-vcs", "--virtual-channels", "1"), "virtual_channels=1, but engine hop-vcs needs 2"),
        (("--virtual-channels", "16"), "engine orders takes 1 to 15"),
        (("--engine", "latency"), "give a folder of topoloom layout"),
    ],
)
def test_mistakes_are_one_line(arguments, message):
    """An `InputError`, which the command line prints as one line before it ends with 2."""
    with pytest.raises(InputError, match=message):
        _run("slimfly:q=5", *arguments)


@pytest.mark.parametrize(
    ("lost", "message"), [("3-x", "'3-x' is neither a cable nor a switch; write 3-17,5"), ("0-2", "no link 0-2")]
)
def test_what_cannot_be_lost_is_one_line(lost, message):
    """Of `reroute` as of `export --without`."""
    with pytest.raises(InputError, match=message):
        _run("slimfly:q=5", lost, command="reroute")
    with pytest.raises(InputError, match=message):
        _run("slimfly:q=5,hosts=1", "opensm", "--without", lost, "-o", "x", command="export")


def test_the_help_lists_the_engines():
    """Every engine with its line."""
    text = _run("--help")
    for name in ("hop-vcs", "minimal", "orders", "updown"):
        assert f"\n  {name} " in text


def test_losses_are_mended_with_few_entries():
    """Two cables and a switch of a torus are lost: the document says how many entries had to change, and how many did."""
    values = json.loads(_run("torus:dims=5x5", "0-1,6-7,12", "--json", command="reroute"))
    assert values["schema"] == "topoloom/rerouted/3"
    assert values["surviving"]["verification"]["deadlock_free"]
    assert values["entries"] == 24 * 23
    assert values["surviving"]["topology"]["switches"] == 24
    assert 0 < values["entries_broken"] <= values["entries_changed"] < 1.5 * values["entries_broken"]
    assert "entries changed" in _run("torus:dims=5x5", "0-1", command="reroute")


def test_adaptive_engines_say_what_packets_choose():
    """The tables are not all of it: a line says what may be chosen beside them."""
    assert "any shortest path, these tables to escape to" in _run("torus:dims=4x4", "--engine", "duato")
    assert "changes on the path, by switch" in _run("torus:dims=4x4", "--engine", "dor")


@pytest.mark.exhaustive
def test_a_laid_out_folder_routes_by_its_cables(tmp_path):
    """What `topoloom layout -o` wrote knows how long its cables are."""
    from topoloom.cli.commands import layout

    folder = str(tmp_path / "out")
    made = CliRunner().invoke(layout.command, ["dln:n=64,x=2,random=2,hosts=1", "-o", folder])
    assert made.exit_code == 0, made.output
    values = json.loads(_run(folder, "--engine", "latency", "--json"))
    assert values["engine"] == "latency"
    assert values["verification"]["deadlock_free"]


def test_a_sample_proves_nothing():
    """With --check no freedom of deadlock is claimed; the number followed is said."""
    values = json.loads(_run("slimfly:q=5", "--engine", "minimal", "--check", "3", "--json"))["verification"]
    assert values["checked_destinations"] == 3
    assert values["deadlock_free"] in (None, False)
    assert "no cycle found" in _run("slimfly:q=5", "--check", "3")


def test_lost_switches_are_not_counted():
    """After a loss all numbers are of the switches that are left."""
    left = json.loads(_run("slimfly:q=5,hosts=4", "0-1,7", "--json", command="reroute"))["surviving"]
    assert left["topology"]["switches"] == 49
    values = left["verification"]
    assert values["pairs"] == sum(values["virtual_channel_pairs"]) == 49 * 48
    assert values["vertex_load_min"] > 0


def test_an_export_leaves_nothing_of_the_one_before(tmp_path):
    """Tables of one virtual channel beside a policy for two would be another fabric's."""
    folder = str(tmp_path)
    _run("slimfly:q=5,hosts=1", "opensm", "-o", folder, command="export")
    assert (tmp_path / "fabric.qos").exists()
    _run("slimfly:q=5,hosts=1", "opensm", "--engine", "updown", "-o", folder, command="export")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["deploy.txt", "fabric.lft", "fabric.net", "opensm.conf"]


def test_an_export_takes_settings_and_the_lengths_of_a_layout(tmp_path):
    """--set and the folder's cables go into files beside the tables, after losses, too."""
    from topoloom import build, place

    plan = str(tmp_path / "plan")
    place(build("slimfly:q=5,hosts=1"), map="rows").save(plan)
    _run(plan, "anytopo", "-o", str(tmp_path / "out"), "--set", "rate_gbps=200", command="export")
    told = json.loads((tmp_path / "out" / "parameters.json").read_text())
    assert told["link_bw"] == "200Gb/s"
    assert told["vcs_per_vn"] == "3"
    whole = float(told["link_latency"].removesuffix("ns"))
    _run(plan, "anytopo", "--without", "0-1,7", "-o", str(tmp_path / "out"), command="export")
    told = json.loads((tmp_path / "out" / "parameters.json").read_text())
    assert float(told["link_latency"].removesuffix("ns")) != whole
    assert len(json.loads((tmp_path / "out" / "next_hops.json").read_text())) == 49
    with pytest.raises(InputError, match="opensm does not write"):
        _run(plan, "opensm", "-o", "x", "--set", "rate_gbps=200", command="export")
