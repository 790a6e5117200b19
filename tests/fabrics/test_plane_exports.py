"""Exports of networks of several planes: what another tool can say of them, and what it cannot."""

import re

import pytest

from topoloom import InputError, build, route
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.exports.registry import EXPORTS, ExportRequest, write_export
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import opensm_texts
from topoloom.fabric.lft import read_lft

_ONE = "fat-tree:k=8,hosts=32"
_PLANES = f"{_ONE}+planes:count=2"


def files(kind, spec, tables=False):
    """What an export makes: name to text."""
    network = build(spec)
    return EXPORTS.find(kind).make(ExportRequest(planned_fabric(network), route(network) if tables else None))


@pytest.mark.parametrize("more", ["planes:count=2", "rail-only:rails=4"])
def test_slurm_has_the_tree_of_the_first_of_planes_that_are_alike(more):
    """A node is under one switch of it, as in the network itself; comments name the switches that it stands for."""
    lines = files("slurm", f"{_ONE}+{more}")["topology.conf"].splitlines()
    assert [line for line in lines[1:] if line[0] != "#"] == files("slurm", _ONE)["topology.conf"].splitlines()[1:]
    assert "# S0 stands for S[0,12" in "".join(lines)


def test_opensm_has_a_subnet_a_plane(tmp_path):
    """Its files are read back, lead everywhere, and share no GUID of a switch or port with those of another plane."""
    for kind in ("opensm", "guid2lid"):
        texts = files(kind, _PLANES, tables=kind == "opensm")
        assert {name.partition("/")[0] for name in texts} == {"plane0", "plane1"}
    routing = route(build(_PLANES))
    write_export("opensm", planned_fabric(routing.topology), tmp_path, routing)
    seen = []
    for plane in ("plane0", "plane1"):
        fabric = read_fabric((tmp_path / plane / "fabric.net").read_text(), plane)
        assert (fabric.topology.switches, len(fabric.topology.links), fabric.topology.hosts) == (12, 32, 32)
        read_lft((tmp_path / plane / "fabric.lft").read_text(), plane, fabric)
        seen += [*fabric.switch_guids.tolist(), *fabric.port_guids.tolist()]
    assert len(seen) == len(set(seen)) == 2 * (12 + 32)


def test_frr_leads_to_the_addresses_of_a_switch_s_own_plane():
    """As many routes as in the network itself, and an address for every port of a host."""
    one, two = files("frr", _ONE), files("frr", _PLANES)
    count = {name: len(re.findall("^ip route .* 172", text, re.MULTILINE)) for name, text in two.items()}
    for switch in range(12):
        wanted = len(re.findall("^ip route .* 172", one[f"S{switch}.conf"], re.MULTILINE))
        assert (count[f"S{switch}.conf"], count[f"S{switch + 12}.conf"]) == (wanted, wanted)
    listed = next(text for name, text in two.items() if name.endswith(".csv"))
    assert len(listed.splitlines()) == 1 + 64


def test_refusals_name_the_remedy():
    """Tables of OpenSM are of one plane, a node of BookSim has one router."""
    with pytest.raises(InputError, match="each plane is a separate subnet with its own OpenSM"):
        opensm_texts(route(build(_PLANES)))
    with pytest.raises(InputError, match="give a single plane, or hosts with one port"):
        files("booksim", _PLANES)
