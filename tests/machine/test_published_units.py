"""The published counts of scalable units of newer servers: switches, cables and modules of their networks.

Source of each: the comment of its example.
"""

import pytest
from machine_cases import counts, example

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
