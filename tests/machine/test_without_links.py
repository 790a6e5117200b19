"""Networks whose switches have no links among them: what each command says of them."""

import pytest

from in_process import run
from topoloom.machine.folder import save_machine


@pytest.fixture(scope="module")
def folder(small, tmp_path_factory):
    """The folder of a management network, whose switches another network joins."""
    place = tmp_path_factory.mktemp("linkless") / "small"
    save_machine(small, place)
    return place / "networks" / "oob"


def test_info_has_no_distances(folder):
    done = run("info", folder)
    assert "no distances" in done.out
    assert "its switches have no links among them; another network joins them" in done.out
    assert "infinite" not in done.out


@pytest.mark.parametrize("command", ["hops", "bounds", "cuts"])
def test_measures_say_that_there_are_no_links(folder, command):
    assert "switches have no links among them" in run(command, folder).err


@pytest.mark.parametrize("command", ["route", "quality", "collective"])
def test_nothing_can_be_routed(folder, command):
    done = run(command, folder)
    assert done.code == 2
    assert "switches have no links among them, so there is nothing to route" in done.err


def test_verify_of_its_plan_names_the_machine(gb200, tmp_path):
    """Another network joins the switches: what is no fault of the machine is one of its network alone, with the remedy."""
    save_machine(gb200, tmp_path / "gb200")
    folder = tmp_path / "gb200" / "networks" / "oob"
    alone = run("verify", folder)
    assert alone.code == 3
    assert "if another network joins its switches, verify the whole machine, or omit TL305" in alone.out
    assert run("verify", folder, "--ignore", "TL305").code == 0
    assert run("verify", folder.parents[1]).code == 0


def test_switches_with_links_must_be_connected(tmp_path):
    parts = tmp_path / "parts.edges"
    parts.write_text("0 1\n2 3\n")
    out = run("verify", parts).out
    assert "TL305" in out
    assert "another network" not in out
