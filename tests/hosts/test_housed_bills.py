"""Hosts in racks from Python: the bill of the command line."""

import json

import pytest
from click.testing import CliRunner

from topoloom import build, place, price
from topoloom.cli.main import cli
from topoloom.core.errors import InputError
from topoloom.placement.hosts.housing import HostType, Housing

_SPEC = "fat-tree:k=64,hosts=512+rails:nics=8+populated:hosts=60"
_PARTS, _RATE = "infiniband-2026", 400


@pytest.mark.parametrize("housing", ["DGX H100", Housing(host=HostType(name="DGX H100"))])
def test_place_with_parts_gives_the_bill_of_the_command(housing):
    """Racks, interfaces, modules and power, line by line."""
    layout = place(build(_SPEC), housing=housing, parts=_PARTS, rate_gbps=_RATE)
    bill = price(layout, _PARTS, rate_gbps=_RATE)
    options = ["--server", "DGX H100", "--parts", _PARTS, "--rate", str(_RATE), "--json"]
    printed = json.loads(CliRunner().invoke(cli, ["cost", _SPEC, *options]).stdout)
    assert printed["lines"] == bill.record()["lines"]
    assert (printed["racks"], printed["power_w"]) == (bill.racks, bill.power_w)


@pytest.mark.parametrize("housing", ["DGX H100", Housing(host=HostType(name="DGX H100")), "none such"])
def test_a_server_without_parts_is_refused(housing):
    """Its height, power and interfaces stand in a catalogue only."""
    with pytest.raises(InputError, match="is described by a catalogue only; give"):
        place(build(_SPEC), housing=housing)


def test_two_powers_of_a_switch_are_refused():
    """Parts know the power of their switches."""
    with pytest.raises(InputError, match="switch_w and parts both give the power"):
        place(build("petersen"), parts=_PARTS, switch_w=100.0)


@pytest.mark.parametrize(("nic", "bought"), [("", []), ("ConnectX-8", [("nic", 480)])])
def test_interfaces_in_the_price_of_a_server_are_not_bought_again(nic, bought):
    """A DGX H100 comes with its own; 8 of another kind per host are bought."""
    layout = place(
        build(_SPEC), housing=Housing(host=HostType(name="DGX H100", nic=nic)), parts=_PARTS, rate_gbps=_RATE
    )
    bill = price(layout, _PARTS, rate_gbps=_RATE)
    assert [(line.kind, line.count) for line in bill.lines if line.kind == "nic"] == bought
