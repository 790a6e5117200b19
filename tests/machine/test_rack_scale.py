"""Rack-scale systems in a machine: the switches and the further devices of their racks, and their power."""

import msgspec
import numpy as np
import pytest
from machine_cases import EXAMPLES, built

from topoloom import route
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.steps.collective import COLLECTIVES
from topoloom.designer.assessment.subjects import subject_of
from topoloom.fabric.exports.registry import ExportRequest, export_named
from topoloom.machine.facility import machine_facility
from topoloom.machine.folder import save_machine
from topoloom.machine.reading import machine_of, read_machine_file
from topoloom.network.opening import open_network
from topoloom.placement.hosts.housing import HostType, Housing, OtherHosts, RackRule
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.layout.layout import Layout
from topoloom.simulation.applications.rail_collectives import rail_collective, scale_up_domains, scale_up_of
from topoloom.simulation.applications.settings import AppSettings
from topoloom.topologies.spec import build


def changed(**changes):
    """The GB200 unit with other keys of its trays."""
    requirement = read_machine_file(EXAMPLES / "gb200-su.toml")
    (trays,) = requirement.host
    return msgspec.structs.replace(requirement, host=(msgspec.structs.replace(trays, **changes),))


def test_each_rack_has_its_switches_and_they_serve_what_stands_in_it(gb200):
    """Two of 48 ports per rack: 18 trays with three ports, 9 switch trays, 8 shelves and their own two ports are 73."""
    number = list(gb200.networks).index("oob")
    racks, topology = gb200.racks.switch[number], gb200.networks["oob"].topology
    of_trays = np.unique(gb200.racks.host)
    assert [(racks == rack).sum() for rack in of_trays] == [2] * 8
    group = {group.kind: group for group in gb200.groups["oob"]}
    first = dict(zip(group, np.cumsum([0, *(len(some.names) for some in group.values())]), strict=False))
    rack_names = np.array(gb200.rack_names)
    for kind in ("power shelf", "NVLink switch tray"):
        for place, name in enumerate(group[kind].names):
            at = topology.endpoints[topology.host == first[kind] + place]
            assert set(rack_names[racks[at]]) == {name.split()[0]}
    for host in range(144):
        at = topology.endpoints[topology.host == host]
        assert at.size == 3
        assert set(racks[at]) == {gb200.racks.host[host]}
    inside = np.isin(racks, of_trays)
    assert set(topology.endpoints_at[inside] > 0) == {True}
    assert topology.endpoints_at[inside].sum() == 8 * (18 * 3 + 9 + 8 + 2)


def test_switches_outside_are_as_many_as_the_other_switches_need(gb200):
    """56 + 6 switches of other networks and their own two are on two of 48 ports."""
    topology = gb200.networks["oob"].topology
    assert topology.switches == 16 + 2
    assert sorted(topology.endpoints_at[16:].tolist()) == [32, 32]


def test_a_rack_holds_its_switches_once(gb200):
    """The catalogue's SN2201 in the rack are those of the network: 37 units of trays, shelves and switches."""
    assert "SN2201" not in {device.name for _, device, _ in gb200.racks.devices}
    of_trays = np.unique(gb200.racks.host)
    assert set(gb200.racks.load[of_trays, 0]) == {18 + 9 + 8 + 2}


def test_the_uplinks_of_each_switch_have_their_own_rate(gb200):
    """Two of 100 Gb/s per switch, on a network of 800 Gb/s."""
    topology = gb200.networks["in-band"].topology
    assert (topology.endpoint_rate_gbps == 100).sum() == 18 * 2


def test_the_power_and_weight_of_a_rack_count_once(gb200):
    """120 kW and 1,360 kg per rack, with all its trays, switch trays and shelves; the rest is that of its two switches."""
    racks, of_trays = gb200.racks, np.unique(gb200.racks.host)
    without = built(changed(unit_power_w=1e-6, unit_weight_kg=1e-6)).racks.load[of_trays]
    assert racks.load[of_trays, 1] - without[:, 1] == pytest.approx(120_000)
    assert racks.load[of_trays, 2] - without[:, 2] == pytest.approx(1_360)
    assert (without[:, 1] < 1_000).all()
    total = machine_facility(gb200).total
    assert total.liquid_w == pytest.approx(0.85 * 8 * 120_000)


def test_a_device_has_as_many_ports_as_it_says():
    """Shelves without ports are not served, switch trays with three have three."""
    devices = (RackDevice("shelf", count=8, ports=0), RackDevice("switch tray", count=9, ports=3))
    machine = built(changed(device=devices))
    ports = {group.kind: group.total for group in machine.groups["oob"]}
    assert "shelf" not in ports
    assert ports["switch tray"] == 8 * 9 * 3


def test_too_many_devices_for_the_switches_of_a_rack_are_refused():
    """18 trays with 10 ports each do not fit on two switches of 48."""
    ports = {"compute": 4, "oob": 10}
    with pytest.raises(InputError, match=r"network 'oob': 180 ports of 'GB200 NVL72 tray' .* find no place"):
        built(changed(ports=ports))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("oob = 2 }", "compute = 2 }", "gb200-su.toml:.* rack_switches are those of a network with an uplink"),
        ("liquid_share = 0.85", "power_w = 9_000", "gb200-su.toml:.* has power_w and unit_power_w"),
        ("liquid_share = 0.85", 'racks = "network"', "gb200-su.toml:.* rack_switches would have no effect"),
    ],
)
def test_keys_that_do_not_fit_are_refused(old, new, sentence):
    """One sentence each, with the line."""
    text = (EXAMPLES / "gb200-su.toml").read_text().replace(old, new)
    with pytest.raises(InputError, match=sentence):
        machine_of(text, "gb200-su.toml", EXAMPLES)


def test_the_power_of_a_system_needs_its_size():
    """A kind without unit_hosts has no system."""
    with pytest.raises(InputError, match="unit_power_w is that of a rack-scale system; give unit_hosts, or power_w"):
        built(changed(name="other", product="DGX B300"))


def test_the_racks_are_the_blocks_of_a_scheduler(gb200):
    """Eight blocks of 18 trays on every network, in sizes that double up to all of them."""
    for name in ("compute", "in-band"):
        network = gb200.networks[name]
        record, options = export_named("slurm:topology=block")
        layout = network.part(Layout)
        text = record.make(ExportRequest(network.fabric, layout=layout), **options)["topology.conf"]
        assert text.count("BlockName=") == 8
        assert text.splitlines()[-1] == "BlockSizes=18,36,72,144"


def test_an_all_reduce_knows_both_levels(gb200, tmp_path):
    """72 accelerators per rack over 900 GB/s, and eight racks with 72 ports of 400 Gb/s, by hand; also from the folder.

    Inside: 2 (71/72) S / 900 GB/s. Outside, with S / 72 on each port: 2 (7/8) S / (72 x 50 GB/s). Both overlap in 32 pieces.
    """
    size = 256 * 2**20
    inside = 2 * 71 / 72 * size / 900e9
    outside = 2 * 7 / 8 * size / (72 * 50e9)
    save_machine(gb200, tmp_path / "machine")
    for network in (gb200.networks["compute"], open_network(tmp_path / "machine" / "networks" / "compute")):
        subject = subject_of(network)
        times = rail_collective(
            route(network.topology, "fat-tree-hosts"),
            "allreduce",
            size,
            scale_up=subject.scale_up,
            settings=AppSettings(rate_gbps=400),
        )
        assert (times.hosts, times.ports) == (8, 72)
        assert times.inside_s == pytest.approx(inside)
        assert outside <= times.network_s < 1.05 * outside
        assert times.seconds == pytest.approx(inside + outside / 32, rel=0.01)
        (figure,) = COLLECTIVES[1].run(subject, Work()).figures
        assert figure.key == "all_reduce_ms"
        assert figure.value == pytest.approx(1e3 * times.seconds, rel=0.01)
        assert "576 accelerators of 8 scale-up domains" in figure.how


def test_a_domain_has_as_many_trays_as_its_unit_whatever_their_ports():
    """Trays with two ports per accelerator, in two planes, are 18 to a domain, too; login nodes take no part."""
    trays = build("clos:leaves=2,spines=2,width=9,hosts=18+planes:count=8")
    login = OtherHosts(hosts=9, host=HostType())
    housing = Housing(HostType(scale_up=36, scale_up_gb_per_s=900), RackRule(unit_hosts=9), others=(login,))
    scale_up = scale_up_of(housing, trays.hosts)
    assert (scale_up.hosts, scale_up.members) == (9, range(27))
    domains = scale_up_domains(trays, scale_up)
    assert (domains.hosts, domains.endpoints.size) == (3, 27 * 8)
