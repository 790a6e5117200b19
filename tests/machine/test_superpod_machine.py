"""The published counts of the DGX SuperPOD H100: cables, modules, racks and power distribution units of four networks.

Source: NVIDIA RA-11333-001 V11, 2023-09-22, tables 4, 7 and 8; what is derived from it is said in the example.
"""

import msgspec
import pytest
from machine_cases import built, counts

from topoloom.machine.bill import price_machine
from topoloom.machine.facility import machine_facility
from topoloom.machine.overview import overview


@pytest.fixture(scope="module")
def bill(superpod):
    return price_machine(superpod, orders=True)


def test_the_compute_network_has_the_published_cables_and_modules(bill):
    """32 leaves of 32 down and 32 up; a module for every two ports of a leaf: 1,536, not 1,534."""
    lines = counts(bill, "compute")
    assert lines["QM9700"] == 48
    assert lines["cable, MPO-12 OM4"] == 1024
    assert lines["host cable, MPO-12 OM4"] == 127 * 8 + 4
    assert lines["transceiver, MMA4Z00-NS"] == 1536
    assert lines["transceiver, MMA4Z00-NS-FLT"] == 508
    assert lines["transceiver, MMA4Z00-NS400"] == 4


def test_the_storage_network_has_the_published_cables(bill):
    """494 = 254 + 240, and 48 active optical cables of two links each."""
    lines = counts(bill, "storage")
    assert lines["QM9700"] == 16
    assert lines["cable, MPO-12 OM4"] + lines["host cable, MPO-12 OM4"] == 494
    assert lines["host cable, MFA7U10-H"] == 48
    assert lines["transceiver, MMA1Z00-NS400"] == 254
    # 240 of links, and of 254 ports on leaves of 32 and 31 those rounded up; the published 369 count two more for managers.
    assert lines["transceiver, MMA4Z00-NS"] == 240 + 6 * 16 + 2 * 16


def test_the_in_band_network_has_the_published_cables(superpod):
    """304 = 254 + 8 + 4 + 6 + 8 + 24, and the 16 uplinks that the paper counts out-of-band."""
    topology = superpod.networks["in-band"].topology
    ports = {group.kind: group.total for group in superpod.groups["in-band"]}
    assert ports == {"DGX H100": 254, "UFM appliance": 4, "management server": 8, "gateway": 8, "uplinks of oob": 16}
    assert len(topology.links) == 24 + 6
    assert sum(ports.values()) + len(topology.links) == 304 + 16


def test_a_server_is_on_both_leaves_of_a_pair(superpod):
    """The two in-band ports of each server, in all of its 127."""
    topology = superpod.networks["in-band"].topology
    for host in range(127):
        first, second = sorted(topology.endpoints[topology.host == host].tolist())
        assert (first % 2, second - first) == (0, 1)


def test_without_storage_racks_there_are_38_racks_with_108_units_and_317_cables(superpod):
    """108 = 32 x 3 + 6 x 2 power distribution units; 317 = 127 + 64 + 8 + 8 + 2 + 108 twisted pairs."""
    requirement = superpod.requirement
    hosts = tuple(host for host in requirement.host if host.name != "storage server")
    machine = built(msgspec.structs.replace(requirement, host=hosts))
    assert len(machine.racks) == 38
    served = {group.kind: group.total for group in machine.groups["oob"]}
    assert served["PDU"] == 108
    pairs = next(line for line in price_machine(machine).common if "pairs" in line.item)
    assert sum(served.values()) + pairs.count == 317
    assert machine.networks["oob"].topology.switches == 8


def test_racks_keep_their_limit_with_optics(superpod):
    """No rack takes more than 44 kW with its transceivers, and the sums are those of all devices."""
    room = machine_facility(superpod)
    assert max(rack.max_w for rack in room.racks) <= 44_000
    assert room.total.hosts == superpod.hosts == sum(kind.hosts for kind in overview(superpod).kinds)
    assert room.total.switches == 48 + 16 + 8 + 8
