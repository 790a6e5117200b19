"""Routes of discovered fabrics are compared with the installed tables; worse ones are not written."""

import json
import re

import pytest
from click.testing import CliRunner

from topoloom import build, open_network
from topoloom.cli.commands import export, reroute, route
from topoloom.core.errors import InputError
from topoloom.fabric.infiniband import net_text
from topoloom.fabric.lft import read_lft
from topoloom.fabric.minhop import minhop_tables
from topoloom.fabric.tables_compared import table_figures


def _run(command, *arguments):
    result = CliRunner().invoke(command.command, [str(part) for part in arguments])
    if isinstance(result.exception, InputError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def discovered(tmp_path):
    """A tree of 3 leaves with 4 hosts and 2 spines, joined by bundles of 2, as ibnetdiscover prints it; no labels."""
    bundles = build("clos:leaves=3,spines=2,width=2,hosts=4")
    file = tmp_path / "found.net"
    file.write_text(net_text(bundles))
    return file


def test_every_route_of_a_discovered_fabric_is_compared_with_a_computed_minhop(discovered):
    """A leaf sends 4 times 8 pairs over 4 cables: 8 on a channel, by minhop and by these tables."""
    record = json.loads(_run(route, discovered, "--json"))
    assert record["engine"] == "fat-tree-hosts"
    compared = record["compared"]
    assert compared["before_tables"] == "minhop, computed"
    assert [compared[side]["max_channel_load"] for side in ("before", "after")] == [8, 8]
    assert [compared[side]["max_hops"] for side in ("before", "after")] == [2, 2]
    assert not compared["worse"]
    text = _run(reroute, discovered, "0-3")
    assert re.search(r"pairs that do not arrive +0 before, 0 now", text)
    assert json.loads(_run(route, "fat-tree:k=4", "--json"))["compared"] is None


@pytest.mark.parametrize(
    ("command", "words", "without", "numbers"),
    [
        (export, ("opensm",), (), "maximum channel load of 32 pairs of hosts, instead of 8"),
        (route, (), (), "maximum channel load of 32 pairs of hosts, instead of 8"),
        (reroute, ("0-3",), ("--without", "0-3"), "maximum channel load of 32 pairs of hosts, instead of 16"),
    ],
)
def test_worse_tables_than_the_installed_ones_are_written_on_request_only(
    command, words, without, numbers, discovered, tmp_path
):
    """One table per switch loads a cable with 32 pairs: one sentence for all commands, and nothing is written."""
    installed = tmp_path / "installed"
    _run(export, discovered, "opensm", *without, "-o", installed)
    new = ("--engine", "levels", "--tables", installed / "fabric.lft", "-o", tmp_path / "worse")
    asked = (discovered, *words, *new)
    with pytest.raises(InputError, match=f"{numbers}; keep those, name other tables, or ask for worse ones"):
        _run(command, *asked)
    assert not (tmp_path / "worse").exists()
    values = json.loads(_run(command, *asked, "--worse", "--json"))
    assert values["compared"]["worse"]
    assert any((tmp_path / "worse").iterdir())


def test_the_same_tables_are_no_worse(discovered, tmp_path):
    """What is installed may be exported again."""
    installed = tmp_path / "installed"
    _run(export, discovered, "opensm", "-o", installed)
    same = json.loads(
        _run(export, discovered, "opensm", "--tables", installed / "fabric.lft", "-o", tmp_path / "same", "--json")
    )
    assert same["compared"]["paths_changed"] == 0


def test_after_losses_the_installed_tables_lose_pairs_and_the_new_ones_do_not(discovered, tmp_path):
    """The installed tables of the whole fabric are followed on what is left of it."""
    installed = tmp_path / "installed"
    _run(export, discovered, "opensm", "-o", installed)
    values = json.loads(_run(reroute, discovered, "0-3", "--tables", installed / "fabric.lft", "--json"))["compared"]
    assert values["before"]["unreachable_pairs"] > 0
    assert values["after"]["unreachable_pairs"] == 0
    assert not values["worse"]


def test_exports_for_opensm_have_tables_per_host_of_planned_trees(tmp_path):
    """Bundles of a planned tree are used in full: 16 hosts of a leaf send 112 pairs each over 8 cables."""
    spec = "clos:leaves=8,spines=4,width=2,hosts=16"
    _run(export, spec, "opensm", "-o", tmp_path)
    fabric = open_network(spec).fabric
    tables = read_lft((tmp_path / "fabric.lft").read_text(), "fabric.lft", fabric)
    assert table_figures(tables, fabric).max_channel_load == 16 * 112 / 8
    assert table_figures(minhop_tables(fabric), fabric).max_channel_load == 16 * 112 / 8


def test_adaptive_paths_are_not_compared_with_installed_tables(discovered, tmp_path):
    """The sentence says what is possible."""
    _run(export, discovered, "opensm", "-o", tmp_path / "installed")
    with pytest.raises(InputError, match="fixed paths of one plane"):
        _run(route, discovered, "--engine", "ecmp", "--tables", tmp_path / "installed" / "fabric.lft")
