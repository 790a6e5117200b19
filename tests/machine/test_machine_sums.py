"""The sums of a machine of five kinds of hosts and four networks, recomputed here from its file and its lists."""

import csv
import math
from collections import Counter

import numpy as np
import pytest
from machine_cases import SMALL, built

from topoloom.core.errors import InputError
from topoloom.machine.bill import price_machine
from topoloom.machine.facility import machine_facility
from topoloom.machine.folder import save_machine
from topoloom.machine.lists import devices_csv, machine_cables_csv
from topoloom.machine.opening import open_machine
from topoloom.machine.overview import overview
from topoloom.machine.reading import machine_of, read_machine_file
from topoloom.network.opening import open_network

#: From the file: count, units, watts, and ports on fabric, storage, service and oob.
HOSTS = {
    "node": (30, 2, 900, (2, 1, 1, 1)),
    "storage": (6, 4, 700, (0, 4, 1, 1)),
    "login": (2, 1, 400, (1, 0, 2, 1)),
    "head": (2, 1, 400, (0, 0, 2, 1)),
    "gateway": (1, 1, 300, (1, 0, 2, 1)),
}
NETWORKS = ("fabric", "storage", "service", "oob")
#: Switches and links of the given specs; those of oob follow from its ports.
SWITCHES = {"fabric": (12, 32), "storage": (6, 8), "service": (6, 8)}


def _rows(text):
    return list(csv.DictReader(text.splitlines()))


def test_every_network_has_the_ports_of_its_hosts(small):
    """The gateway names no port on oob, and gets one, since oob serves everything."""
    for number, name in enumerate(NETWORKS[:3]):
        own = sum(count * ports[number] for count, _, _, ports in HOSTS.values())
        uplinks = 2 * small.networks["oob"].topology.switches if name == "service" else 0
        topology = small.networks[name].topology
        assert topology.endpoints.size == own + uplinks
        assert (topology.switches, len(topology.links)) == SWITCHES[name]
        assert (topology.endpoints_at + topology.degrees).max() <= 64


def test_out_of_band_has_a_port_per_device(small):
    """Hosts, all switches, its own among them, and two power distribution units per rack."""
    topology = small.networks["oob"].topology
    switches = sum(network.topology.switches for network in small.networks.values())
    devices = sum(count for count, *_ in HOSTS.values()) + switches + 2 * len(small.racks)
    assert topology.endpoints.size == topology.hosts == devices
    assert topology.switches == math.ceil(devices / 48)


def test_ports_of_a_host_go_to_different_switches(small):
    """Two where it has several, as the file says or as usual; four ports are two on each."""
    storage = small.networks["storage"].topology
    for host in range(30, 36):
        assert sorted(Counter(storage.endpoints[storage.host == host].tolist()).values()) == [2, 2]
    fabric = small.networks["fabric"].topology
    for host in range(30):
        assert np.unique(fabric.endpoints[fabric.host == host]).size == 2


def test_rates_are_those_of_the_ports(small):
    """Storage servers have 200 Gb/s on a network of 400."""
    topology = small.networks["storage"].topology
    assert set(topology.link_rate_gbps.tolist()) == {400.0}
    rates = {host: set(topology.endpoint_rate_gbps[topology.host == host].tolist()) for host in (0, 30)}
    assert rates == {0: {400.0}, 30: {200.0}}


def test_racks_hold_what_they_may(small):
    """42 units, 12 kW with optics, and no two devices in one unit."""
    room = machine_facility(small)
    assert max(rack.max_w for rack in room.racks) <= 12_000
    assert room.total.hosts_w == sum(count * watts for count, _, watts, _ in HOSTS.values())
    standing = {}
    for row in _rows(devices_csv(small)):
        units = float(row["units"])
        if units:
            first = float(row["unit"])
            assert first + units - 1 <= 42
            for half in range(round(2 * first), round(2 * (first + units))):
                assert standing.setdefault((row["rack"], half), row["name"]) == row["name"]


def test_the_list_of_cables_has_each_once(small):
    """Every port of every device in one cable, and lengths as the layouts have them."""
    rows = _rows(machine_cables_csv(small))
    figures = overview(small)
    assert len(rows) == figures.connections
    plugs = [(row["network"], row[f"{end}_device"], row[f"{end}_port"]) for row in rows for end in "ab"]
    assert len(set(plugs)) == len(plugs)
    racks = {row["name"]: row["rack"] for row in _rows(devices_csv(small))}
    for row in rows:
        assert (racks[row["a_device"]], racks[row["b_device"]]) == (row["a_rack"], row["b_rack"])
    total = dict.fromkeys(NETWORKS, 0.0)
    for row in rows:
        total[row["network"]] += float(row["length_m"])
    assert total == pytest.approx({network.name: network.cables_m for network in figures.networks}, abs=0.5)


def test_the_bill_is_the_sum_of_its_networks(small):
    """Cables between the heads included; a network opened alone has the same bill."""
    bill = price_machine(small, orders=True)
    assert bill.names == NETWORKS
    of_lines = sum(line.count for each in bill.bills for line in each.lines if line.kind == "cable")
    assert bill.cables == of_lines + 2
    assert bill.power_w == pytest.approx(
        sum(line.power_w for each in bill.bills for line in each.lines if line.power_w > 0)
    )
    ordered = Counter()
    for each in bill.purchases():
        for item in each.items:
            ordered[item.kind] += item.count
    assert ordered["switch"] == bill.switches
    assert ordered["cable"] == of_lines + 2  # those of the pair are ordered, too
    assert ordered["rack"] == len(small.racks)


def test_a_folder_keeps_the_machine(small, tmp_path):
    """The same bill, racks, names and lists; each network is a network folder with the same bill."""
    folder = tmp_path / "machine"
    save_machine(small, folder)
    again = open_machine(folder)
    bill = price_machine(small)
    assert price_machine(again).record() == bill.record()
    assert devices_csv(again) == devices_csv(small)
    assert machine_cables_csv(again) == machine_cables_csv(small)
    assert overview(again) == overview(small)
    for name, each in zip(bill.names, bill.bills, strict=True):
        network = open_network(folder / "networks" / name)
        assert network.fabric.host_names == small.networks[name].fabric.host_names
        assert repr(network.bill.lines) == repr(each.lines)  # lines without a price have NaN
    with pytest.raises(InputError, match=r"is a machine; name one of its networks: .*networks/fabric"):
        open_network(folder)
    (folder / "networks" / "oob" / "floor.toml").unlink()
    with pytest.raises(InputError):
        open_machine(folder)


def test_spares_are_those_of_the_machine_alone(tmp_path):
    """They are rounded up over all networks; the bill of one network, opened alone, does not count them again."""
    machine = built(machine_of(f"{SMALL}[spares]\nswitches = 3\ncables = 2\n", "small.toml"))
    save_machine(machine, tmp_path / "machine")
    bill = price_machine(machine, orders=True)
    spares = Counter()
    for line in bill.common:
        if line.item.startswith("spare "):
            spares[line.kind] += line.count
    ordered = Counter()
    for each in bill.purchases():
        for item in each.items:
            ordered[item.kind] += item.spares
    assert spares == {kind: count for kind, count in ordered.items() if count}
    assert spares["switch"] >= 3  # one of each model at least
    for name, each in zip(bill.names, bill.bills, strict=True):
        alone = open_network(tmp_path / "machine" / "networks" / name).bill
        assert repr(alone.lines) == repr(each.lines)
        assert not any("spare" in line.item for line in alone.lines)


def test_a_switch_with_a_management_port_and_uplinks_is_one_device():
    """Where the network above serves everything, too, the switches below have both on it."""
    text = SMALL.replace("rate_gbps = 100\n", 'rate_gbps = 100\nserves = ["oob"]\n')
    machine = built(machine_of(text, "small.toml"))
    names = machine.networks["service"].fabric.host_names
    assert len(set(names)) == len(names)
    uplinks = next(group for group in machine.groups["service"] if group.of == "oob")
    assert uplinks.ports == 3
    assert uplinks.host.devices == ("mgmt", "up1", "up2")


def test_central_racks_stand_in_the_middle_of_one_row():
    machine = built(
        machine_of(SMALL.replace("row = 3", "row = 100").replace('place = "end"', 'place = "row"'), "small.toml")
    )
    with_hosts = np.bincount(machine.racks.host[:36], minlength=len(machine.racks)) > 0
    assert with_hosts[0]
    assert with_hosts[-1]
    assert not with_hosts.all()


def test_racks_are_planned_with_the_optics_at_hosts():
    """The limit of a rack holds for the transceivers in its hosts, too."""
    machine = built(machine_of(SMALL.replace("power_w = 12_000", "power_w = 9_050"), "small.toml"))
    room = machine_facility(machine)
    assert max(rack.max_w for rack in room.racks) <= 9_050
    assert room.total.optics_w > 0


def test_places_of_the_floor_limit_racks_too(tmp_path):
    """Power and switches per place; places for switches only hold no hosts."""
    places = [f"H{row}{column},{column},{3 * row},20,30,8000" for row in range(3) for column in range(8)]
    places += [f"N{column},{column},12,20,0,8000" for column in range(6)]
    (tmp_path / "hall.csv").write_text("\n".join(["slot,x_m,y_m,switches,hosts,power_w", *places]) + "\n")
    (tmp_path / "machine.toml").write_text(SMALL.replace('preset = "koibuchi-2013"', 'file = "hall.csv"'))
    machine = built(read_machine_file(tmp_path / "machine.toml"))
    for rack, (switches, hosts, watts) in zip(machine.rack_names, machine.racks.contents.tolist(), strict=True):
        assert watts <= 8000
        assert switches <= 20
        assert not (hosts and rack.startswith("N"))
    assert max(rack.max_w for rack in machine_facility(machine).racks) <= 8000


def test_no_switch_has_its_management_port_on_itself(small):
    """Where there is another one: a switch that fails could not be reached."""
    cables = [row for row in _rows(machine_cables_csv(small)) if row["network"] == "oob"]
    assert sum(row["b_device"].startswith("oob-") for row in cables) == small.networks["oob"].topology.switches > 1
    assert all(row["a_device"] != row["b_device"] for row in cables)
