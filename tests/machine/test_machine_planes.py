"""Machines compared with discoveries that show a part: one plane each, or the cables between two networks."""

import json
import re
from collections import Counter

import pytest
from discovered_machines import plugs, write_lldp
from machine_cases import built

from in_process import run
from topoloom.machine.folder import save_machine
from topoloom.machine.reading import machine_of
from topoloom.machine.verifying import verify_machine

#: A network of two planes, another one, and management with uplinks to that.
TWO_PLANES = """
title = "two planes"
parts = "ethernet-2026"
[[host]]
name = "node"
count = 24
u = 1
power_w = 900
ports = { compute = 4, service = 1, oob = 1 }
[[network]]
name = "compute"
rate_gbps = 400
spec = "clos:leaves=4,spines=2,hosts=12+rails:nics=2+planes:count=2"
switch = { product = "SN5600" }
[[network]]
name = "service"
rate_gbps = 100
spec = "clos:leaves=4,spines=2,hosts=16"
switch = { product = "SN4600C" }
[[network]]
name = "oob"
rate_gbps = 1
switch = { product = "SN2201" }
serves = "everything"
uplink = "service"
leaves = 2
[floor]
preset = "koibuchi-2013"
"""


@pytest.fixture(scope="module")
def machine():
    return built(machine_of(TWO_PLANES, "two.toml"))


def _by_plane(machine, cables, place):
    """One discovery per plane of the compute network."""
    network = machine.networks["compute"]
    planes = network.topology.labels["plane"].tolist()
    ethernet = [cable for own in cables.values() for cable in own]
    return [
        write_lldp(
            ethernet,
            [name for name, of in zip(network.fabric.switch_names, planes, strict=True) if of == plane],
            place / f"plane{plane}",
        )
        for plane in sorted(set(planes))
    ]


def _codes(result):
    return Counter(
        (name, diagnostic.code)
        for name, of_network in zip(result.networks, result.results, strict=True)
        for diagnostic in of_network.diagnostics
        if diagnostic.severity != "note"
    )


def test_planes_that_are_discovered_apart_are_as_planned(machine, tmp_path):
    """Each plane counts the ports of a host from 1: two ports of a host in two planes are not one port."""
    found = _by_plane(machine, plugs(machine), tmp_path)
    result = verify_machine(machine, {"compute": found})
    (record,) = [of_network.comparison for of_network in result.results]
    assert (
        record["right_cables"] == record["planned_cables"] == 24 * 4 + len(machine.networks["compute"].topology.links)
    )
    assert not _codes(result)


def test_a_plane_alone_is_that_plane(machine, tmp_path):
    save_machine(machine, tmp_path / "m")
    _, second = _by_plane(machine, plugs(machine), tmp_path)
    done = run("verify", tmp_path / "m", f"compute={second}")
    assert done.code == 0
    assert "plane 1 of 2 (from 0); give each plane to compare all" in done.err


def test_faults_of_planes_are_found_in_their_plane(machine, tmp_path):
    cables = plugs(machine)
    own, switches = cables["compute"], machine.networks["compute"].fabric.switch_names
    lost = next(cable for cable in own if cable[1][0] == "node-005")
    own.remove(lost)
    links = [cable for cable in own if cable[1][0] in switches]
    one, other = (
        links[-1],
        next(cable for cable in links if not {end[0] for end in cable} & {end[0] for end in links[-1]}),
    )
    for cable in (one, other):
        own.remove(cable)
    own += [(one[0], other[1]), (other[0], one[1])]
    result = verify_machine(machine, {"compute": _by_plane(machine, cables, tmp_path)})
    crossed = machine.networks["compute"].topology.labels["plane"][
        [switches.index(one[0][0]), switches.index(other[0][0])]
    ]
    assert crossed.tolist() == [1, 0]
    codes = _codes(result)
    assert codes.pop(("compute", "TL101")) >= 1
    assert codes, "cables between two planes are found"
    texts = [diagnostic.text for of_network in result.results for diagnostic in of_network.diagnostics]
    assert any("node-005" in text for text in texts)
    named = {end[0] for cable in (one, other, lost) for end in cable}
    of_devices = re.compile(r"(?:compute|node)-[a-z0-9]+")
    severe = [each for of_network in result.results for each in of_network.diagnostics if each.severity == "error"]
    assert all(set(of_devices.findall(each.text)) <= named for each in severe)


def test_a_misplaced_uplink_is_a_fault_of_the_network_that_it_leads_to(machine, tmp_path):
    """Once: the network whose switches have the uplinks does not report it, too."""
    cables = plugs(machine)
    own, leaves = cables["service"], machine.networks["oob"].fabric.switch_names
    one, other = (next(cable for cable in own if cable[1][0] == switch) for switch in leaves)
    assert one[0][0] != other[0][0]
    for cable in (one, other):
        own.remove(cable)
    own += [(one[0], other[1]), (other[0], one[1])]
    ethernet = [cable for name in ("service", "oob") for cable in cables[name]]
    by_name = {
        name: write_lldp(ethernet, machine.networks[name].fabric.switch_names, tmp_path / name)
        for name in ("service", "oob")
    }
    result = verify_machine(machine, by_name)
    assert {name for name, _ in _codes(result)} == {"service"}


def test_a_port_with_two_cables_is_a_fault_of_the_network_of_its_switches(machine, tmp_path):
    cables = plugs(machine)
    bmc = next(cable for cable in cables["oob"] if cable[1] == ("node-003", "bmc"))
    cables["oob"].append(((bmc[0][0], "swp47"), bmc[1]))
    everything = [cable for own in cables.values() for cable in own]
    switches = [name for network in machine.networks.values() for name in network.fabric.switch_names]
    place = write_lldp(everything, switches, tmp_path / "all")
    assert json.loads((place / f"{bmc[0][0]}.json").read_text())
    result = verify_machine(machine, place)
    assert result.networks == ("compute", "service", "oob")
    assert {name for name, _ in _codes(result)} == {"oob"}
