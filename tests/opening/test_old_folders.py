"""Folders that topoloom 0.1 wrote open as they did: a layout, a plan and a design of a 3x3 torus."""

from pathlib import Path

import pytest

from topoloom import build, open_network
from topoloom.cabling.expansion.check import check_plan

_OLD = Path(__file__).parent / "fixtures" / "0.1"
TORUS = build("torus:dims=3x3,hosts=1")


@pytest.mark.parametrize("folder", ["layout", "plan", "plan/before", "design"])
def test_a_folder_of_an_older_version_opens(folder):
    """The network, where its switches stand and its cables are those that were written; there is no note of provenance."""
    network = open_network(_OLD / folder)
    assert network.kind == "folder"
    assert network.topology.links.tolist() == TORUS.links.tolist()
    assert network.topology.endpoints.tolist() == TORUS.endpoints.tolist()
    assert network.provenance.digest == network.topology.digest
    assert len(network.needs("layout", "x").slots.names) >= 1
    assert network.fabric.link_ports.shape == (18, 2)
    assert set(network.cable_numbers.values()) >= {str(number) for number in range(1, 19)}


def test_a_plan_of_an_older_version_can_be_carried_out():
    """Its tasks make the cables after of the cables before."""
    grown = open_network(_OLD / "plan" / "after").topology
    assert (grown.switches, check_plan(_OLD / "plan").steps) == (10, 1)


def test_a_plan_of_an_older_version_is_read_as_far_as_it_goes():
    """Tasks, networks and prices of cables are those of its lists; method, seed and prices of work are not in them."""
    plan = open_network(_OLD / "plan").needs("expansion", "x")
    told = plan.record()
    assert (plan.method, plan.seed, told["tasks"]) == ("", None, {"unplug": 0, "move": 2, "add": 2})
    assert [(step["title"], step["diameter"], step["hosts"]) for step in told["steps"]] == [("switch 9", 3, 10)]
    assert round(told["steps"][0]["aspl"], 6) == 1.577778
    assert (round(told["cost_usd"]["cables"], 2), told["cost_usd"]["switches"]) == (78.80, None)
    assert told["radix"] == 6


def test_a_design_of_an_older_version_is_read():
    """What the winner's design says stands beside it."""
    told = open_network(_OLD / "design").needs("design", "x")
    assert (told["made_by"], told["requirement"]["hosts"]) == ("topoloom 0.1.0", 9)
