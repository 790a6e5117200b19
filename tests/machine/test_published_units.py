"""The published counts of scalable units of newer servers: switches, cables and modules of their networks.

Source of each: the comment of its example.
"""

import numpy as np
import pytest
from machine_cases import counts, example

from topoloom.graph.connectivity import components
from topoloom.graph.host_ports import ports_by_host
from topoloom.machine.bill import price_machine


@pytest.fixture(scope="module")
def b300():
    """The unit of DGX B300 with XDR, with the network that its design chooses."""
    return example("b300-xdr", compute="fat-tree:k=144,hosts=576+rails:nics=8")


def test_b300_with_xdr_fills_every_cage_of_its_switches(b300):
    """8 + 4 switches of 72 cages with a module in each, 576 cables at both levels, a module for each port of a server."""
    lines, topology = counts(price_machine(b300), "compute"), b300.networks["compute"].topology
    assert sorted(topology.endpoints_at.tolist()) == [0] * 4 + [72] * 8
    assert lines["Q3400-RA"] == 12
    assert lines["cable, MPO-12 OS2, XDR"] == lines["host cable, MPO-12 OS2, XDR"] == 576
    assert lines["transceiver, 2 x DR4, 1.6T"] == 12 * 72
    assert lines["transceiver, DR4, 800G"] == 576


def test_b300_stands_four_to_a_rack_with_three_power_distribution_units(b300):
    """18 racks of servers, within 60 kW."""
    racks = {rack for rack, device, _ in b300.racks.devices if device.name == "PDU"}
    assert len(racks) == 18
    assert b300.racks.load[:, 1].max() <= 60_000


def test_gb200_has_the_published_switches_and_cables(gb200):
    """32 + 24 switches for four rails, 576 cables to trays and 576 between switches."""
    topology = gb200.networks["compute"].topology
    assert (topology.endpoints_at > 0).sum() == 32
    assert topology.switches == 32 + 24
    assert len(topology.links) == topology.endpoints.size == 576
    assert set(topology.endpoints_at.tolist()) == {0, 18}
    assert counts(price_machine(gb200), "compute")["transceiver, MMA4Z00-NS"] == 32 * 18 + 24 * 12


def test_gb200_has_its_ethernet_ports_on_a_quarter_as_many_cages(gb200):
    """144 trays with four ports of 200 Gb/s, four to a cage."""
    lines = counts(price_machine(gb200), "in-band")
    assert lines["transceiver, MMA1Z00-NS400, 200G"] == 576
    assert lines["transceiver, MMA4Z00-NS, 4 x 200G"] == 144


def test_b300_with_spectrum_has_two_links_per_interface():
    """16 + 8 switches in two planes; 1,024 cables at both levels, of which the published 512 count the interfaces."""
    machine = example("b300-spectrum", compute="fat-tree:k=128,hosts=512+rails:nics=8+planes:count=2")
    topology, lines = machine.networks["compute"].topology, counts(price_machine(machine), "compute")
    assert sorted(topology.endpoints_at.tolist()) == [0] * 8 + [64] * 16
    assert np.unique(components(topology)).size == 2
    assert lines["cable, MPO-12 OM4"] == lines["host cable, MPO-12 OM4"] == 1_024
    assert lines["transceiver, MMA4Z00-NS-FLT"] == 64 * 8 == 512
    assert lines["transceiver, MMA4Z00-NS"] == 24 * 64
    # The two halves of an interface are one module: a port in each plane, on leaves of the same rail.
    ports = ports_by_host(topology)
    rail = topology.endpoints[ports] % (topology.switches // 2)
    assert (rail[:, :8] == rail[:, 8:]).all()


@pytest.fixture(scope="module")
def rubin():
    """The eight units of Rubin NVL8."""
    return example("rubin-nvl8")


def test_rubin_has_2304_modules_in_its_spines(rubin):
    """64 + 36 switches, 4,608 cables at both levels; 36 spines of 128 links are 2,304 modules, not the published 2,034."""
    topology, lines = rubin.networks["compute"].topology, counts(price_machine(rubin), "compute")
    spines = topology.degrees[topology.endpoints_at == 0]
    assert (topology.switches, set(spines.tolist())) == (64 + 36, {128})
    assert spines.size * 128 // 2 == 2_304
    assert lines["transceiver, 2 x DR4, 1.6T"] == 4_608 + 2_304
    assert lines["cable, MPO-12 OS2, XDR"] == lines["host cable, MPO-12 OS2, XDR"] == 4_608
    assert lines["transceiver, DR4, 800G"] == 4_608


def test_rubin_has_1152_and_1120_links_of_its_storage(rubin):
    """16 leaves of 72 down and 56 up, 4 of 56 up; a spine has 93 or 94 of these links."""
    topology = rubin.networks["storage"].topology
    (hosts, storage) = (group.total for group in rubin.groups["storage"])
    assert (hosts, len(topology.links)) == (1_152, 1_120)
    block = topology.labels["block"]
    assert set(topology.endpoints_at[block == "leaf"].tolist()) == {72}
    assert set(topology.degrees[block != "spine"].tolist()) == {56}
    assert set(topology.degrees[block == "spine"].tolist()) == {93, 94}
    assert storage == 4 * 56


def test_rubin_stands_four_to_a_rack(rubin):
    """576 servers in 144 racks, of which the text says eight each."""
    assert np.unique(rubin.racks.host[:576]).size == 144
