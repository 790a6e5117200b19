"""The growth of a machine: nothing moves, every new device has its ports and its place, and the difference is bought."""

import itertools
import json
import re
from collections import Counter

import msgspec
import numpy as np
import pytest
from discovered_machines import plugs, write_lldp
from machine_cases import EXAMPLES, SMALL, built, example

from topoloom.cli.main import main
from topoloom.core.errors import InputError
from topoloom.cost.facility import Facility
from topoloom.designer.offers import worst_taper
from topoloom.machine.bill import price_machine
from topoloom.machine.facility import machine_facility
from topoloom.machine.faults import MachineError
from topoloom.machine.folder import save_machine
from topoloom.machine.growing.expanding import expand_machine
from topoloom.machine.lists import listed_cables, listed_devices
from topoloom.machine.opening import open_machine
from topoloom.machine.reading import machine_of, read_machine_file
from topoloom.machine.verifying import verify_machine
from topoloom.placement.layout.layout import Layout

QUOTES = EXAMPLES.parent / "quotes" / "made-up-2026.toml"
PRICED = SMALL.replace('parts = "ethernet-2026"', f'parts = "ethernet-2026"\nprices = "{QUOTES}"')
MORE = '[[network]]\nname = "more"\nrate_gbps = 1\nserves = "everything"\nspec = "petersen"\n'
NEW_KIND = """
[[host]]
name = "archive"
role = "storage"
count = 3
u = 4
power_w = 700
ports = { storage = { count = 2, rate_gbps = 200 }, service = 1, oob = 1 }
"""


def larger(text=PRICED, **counts):
    """The machine file with other numbers of hosts."""
    for kind, count in counts.items():
        text, times = re.subn(rf'(name = "{kind}"\n(?:role.*\n)?count = )\d+', rf"\g<1>{count}", text)
        assert times == 1
    return text


@pytest.fixture(scope="module")
def stands():
    return built(machine_of(PRICED, "small.toml"))


GROWTHS = {
    "one host": larger(node=31),
    "racks": larger(node=70),
    "storage and heads": larger(storage=8, head=4),
    "all kinds": larger(node=40, storage=9, login=4, head=6, gateway=3),
    "another kind": PRICED.replace("[[network]]", NEW_KIND + "[[network]]", 1),
}


@pytest.fixture(scope="module", params=GROWTHS)
def growth(request, stands):
    return expand_machine(stands, machine_of(GROWTHS[request.param], "larger.toml"))


@pytest.mark.sweep(1)
def test_nothing_that_exists_is_moved_renamed_or_unplugged(growth, stands):
    """Every device has its name, rack and unit; every cable its ports at both ends, and its length."""
    for listed, added in ((listed_devices, growth.devices), (listed_cables, growth.cables)):
        before, after = set(listed(stands)), list(listed(growth.machine))
        assert before <= set(after)
        assert Counter(after) == Counter(before) + Counter(added)


def test_every_device_has_the_ports_that_the_file_gives_it(growth):
    """One port on the network of management for each host, switch and PDU, those of new racks and switches included."""
    cables = Counter((cable.network, cable.b_device) for cable in listed_cables(growth.machine))
    for kind in growth.machine.kinds:
        for network in growth.machine.networks:
            for name in kind.names:
                expected = kind.plan.on(network).count
                if network == "oob" and network not in kind.plan.ports:
                    expected = 1
                assert cables[network, name] == expected
    for device in listed_devices(growth.machine):
        if device.kind == "PDU" or device.network in ("fabric", "storage", "service", "oob"):
            assert cables["oob", device.name] == 1
        if device.network == "oob":
            assert cables["service", device.name] == 2
    assert all(cable.a_device != cable.b_device for cable in growth.cables)
    pdus = Counter(device.rack for device in growth.devices if device.kind == "PDU")
    assert pdus == dict.fromkeys(growth.racks, 2)


def test_no_port_and_no_unit_is_taken_twice(growth):
    ends = Counter()
    for cable in listed_cables(growth.machine):
        ends[cable.network, cable.a_device, cable.a_port] += 1
        ends[cable.network, cable.b_device, cable.b_port] += 1
    assert set(ends.values()) == {1}
    spans = {}
    for device in listed_devices(growth.machine):
        if device.unit is not None and device.units:
            spans.setdefault(device.rack, []).append((device.unit, device.unit + device.units))
    for rack in spans.values():
        ordered = sorted(rack)
        assert all(low[1] <= high[0] for low, high in itertools.pairwise(ordered))
        assert ordered[-1][1] <= 43


def test_switches_and_racks_hold_what_they_get(growth):
    """Every switch has the cages for its ports; every rack is within its limits."""
    for network in growth.machine.networks.values():
        products = network.terms.catalogue.switch.product
        topology = network.topology
        for switch in range(topology.switches):
            ports = Counter()
            for at, rates in (
                (topology.endpoints, topology.endpoint_rate_gbps),
                *((ends, topology.link_rate_gbps) for ends in topology.links.T),
            ):
                own = np.flatnonzero(at == switch)
                ports.update(np.full(own.size, network.terms.rate_gbps or 0) if rates is None else rates[own])
            assert products[0].serves(ports)
    assert isinstance(machine_facility(growth.machine), Facility)


def test_what_is_bought_is_the_difference_of_the_bills(growth, stands):
    before, after = price_machine(stands, orders=True), price_machine(growth.machine, orders=True)

    def pieces(bill):
        some = Counter()
        for item in (*(item for each in bill.bills for item in each.items), *bill.items):
            some[item.kind, item.product, item.length_m] += item.count
        return some

    bought = Counter()
    for item in growth.items:
        bought[item.kind, item.product, item.length_m] += item.count
    # An odd cage that is filled needs no module.
    assert pieces(after) == pieces(before) + bought
    assert growth.cost_usd == pytest.approx(after.cost_usd - before.cost_usd)
    assert growth.switches == after.switches - before.switches
    assert len(growth.racks) == after.racks - before.racks


@pytest.mark.sweep(1)
def test_a_grown_machine_is_saved_and_grows_again(growth, tmp_path):
    """Names go on where they ended, also those of switches; a second growth changes nothing of the first."""
    save_machine(growth.machine, tmp_path / "grown", growth.files())
    again = open_machine(tmp_path / "grown")
    assert list(listed_devices(again)) == list(listed_devices(growth.machine))
    assert list(listed_cables(again)) == list(listed_cables(growth.machine))
    assert price_machine(again).record() == price_machine(growth.machine).record()
    requirement = growth.machine.requirement
    hosts = tuple(msgspec.structs.replace(host, count=host.count + 2) for host in requirement.host)
    twice = expand_machine(again, msgspec.structs.replace(requirement, host=hosts))
    assert set(listed_cables(again)) <= set(listed_cables(twice.machine))
    names = [device.name for device in listed_devices(twice.machine)]
    assert len(names) == len(set(names))


def test_names_keep_their_digits(tmp_path):
    """A name of one digit is followed by one of two, and the folder keeps both; a new machine would have two in all."""
    text = larger(head=8).replace("pair_cables = 2", 'node = "h"')
    growth = expand_machine(
        built(machine_of(text, "eight.toml")), machine_of(text.replace("count = 8", "count = 12"), "twelve.toml")
    )
    names = next(kind.names for kind in growth.machine.kinds if kind.plan.name == "head")
    assert names == tuple(f"h{number}" for number in range(1, 13))
    save_machine(growth.machine, tmp_path / "grown")
    assert [kind.names for kind in open_machine(tmp_path / "grown").kinds] == [
        kind.names for kind in growth.machine.kinds
    ]


RAILS = """
title = "a machine with rails"
parts = "infiniband-2026"
[[host]]
name = "gpu"
count = 16
u = 8
power_w = 10_000
ports = { compute = 4 }
rack_hosts = 4
[[network]]
name = "compute"
rate_gbps = 400
rails = true
planes = [1]
spec = "clos:leaves=8,spines=4,width=2,hosts=8+rails:nics=4,ports=1"
switch = { product = "QM9700" }
"""


@pytest.mark.parametrize("taper", ["", "limits = { taper = 1 }\n"])
def test_rails_stay_rails(taper):
    """Port r of every new host is on a leaf switch with port r of others only; within the taper, leaf switches are added."""
    text = RAILS.replace('spec = "clos', f'{taper}spec = "clos')
    text = text.replace("rails = true\nplanes = [1]\n", "")
    machine = built(machine_of(text, "rails.toml"))
    growth = expand_machine(machine, machine_of(text.replace("count = 16", "count = 24"), "larger.toml"))
    topology = growth.machine.networks["compute"].topology
    rails = {}
    for host in range(24):
        for rail, leaf in enumerate(topology.endpoints[topology.host == host].tolist()):
            rails.setdefault(leaf, set()).add(rail)
    assert all(len(some) == 1 for some in rails.values())
    (network,) = growth.networks
    assert network.taper == worst_taper(topology)
    if taper:
        assert (network.switches, network.links, network.taper) == (4, 4 * 8, 1)
        new = np.arange(machine.networks["compute"].topology.switches, topology.switches)
        assert np.bincount(topology.links.ravel())[new].tolist() == [8] * 4
        names = growth.machine.networks["compute"].fabric.switch_names
        assert [names[switch] for switch in new.tolist()] == [f"compute-leaf{number:02d}" for number in range(9, 13)]
    else:
        assert (network.switches, network.taper_before, network.taper) == (0, 1, 1.5)


def test_a_full_network_is_named_with_what_it_lacks():
    """The line is that of the host's ports; the spines of 64 ports have 16 in use, so that 3 sets of 4 leaf switches fit."""
    text = RAILS.replace("rails = true\nplanes = [1]\n", "").replace(
        'spec = "clos', 'limits = { taper = 1 }\nspec = "clos'
    )
    into = text.replace("count = 16", "count = 80")
    requirement = machine_of(into, "larger.toml")
    message = (
        r"network 'compute' has ports for 48 of 64 new 'gpu' \(4 ports of 400 Gb/s each; 0 more are free on its leaf"
        r" switches\); 4 more leaf switches would need 8 ports of compute-spine01, which has 0 free: add fewer hosts"
    )
    with pytest.raises(MachineError, match=message) as raised:
        expand_machine(built(machine_of(text, "rails.toml")), requirement)
    assert str(raised.value.at_line(requirement, into, "larger.toml")).startswith("larger.toml:9: ")


def test_a_published_unit_is_added_to_one_that_stands():
    """NetApp NVA-1175: each unit of eight controllers has 12 splitters of four legs and 16 cables RJ45 to its controllers."""
    growth = expand_machine(example("a90-storage"), read_machine_file(EXAMPLES / "a90-two-units.toml"))
    assert [(item.product, item.count) for item in growth.items] == [("MCP7Y40", 12), ("Cat5e", 16)]
    assert (growth.hosts, growth.switches, growth.racks) == ({"A90 controller": 8}, 0, ())
    assert growth.unpriced == ("MCP7Y40",)


def test_a_rack_scale_system_comes_with_its_rack_and_the_switches_in_it():
    """18 trays, their further devices and two switches; all management ports of the rack are on these two."""
    requirement = read_machine_file(EXAMPLES / "gb200-su.toml")
    networks = tuple(
        msgspec.structs.replace(network, spec="clos:leaves=8,spines=4,width=2,hosts=80")
        if network.name == "in-band"
        else network
        for network in requirement.network
    )
    requirement = msgspec.structs.replace(requirement, network=networks)
    (trays,) = requirement.host
    more = msgspec.structs.replace(requirement, host=(msgspec.structs.replace(trays, count=162),))
    growth = expand_machine(built(requirement), more)
    (rack,) = growth.racks
    assert {device.rack for device in growth.devices} == {rack}
    assert Counter(device.kind for device in growth.devices)["GB200 NVL72 tray"] == 18
    switches = [device.name for device in growth.devices if device.network == "oob"]
    assert len(switches) == 2
    assert {cable.a_device for cable in growth.cables if cable.network == "oob"} == set(switches)
    compute = growth.machine.networks["compute"].topology
    plane = compute.labels["plane"]
    assert all(sorted(plane[compute.endpoints[compute.host == host]]) == [0, 1, 2, 3] for host in range(144, 162))


REFUSED = {
    "no more hosts": (PRICED, "the file has the 41 hosts that the machine has; raise the `count`"),
    "fewer hosts": (larger(node=20), "host 'node': the machine has 30 of them, and the file 20"),
    "other hosts": (
        larger(node=40).replace("u = 2\npower_w = 900", "u = 2\npower_w = 950"),
        "host 'node': `power_w` differs from that of the machine; its hosts stay as they are",
    ),
    "other ports": (
        larger(node=40).replace("fabric = 2, storage", "fabric = 3, storage"),
        "host 'node': `ports` differs from that of the machine",
    ),
    "a kind is gone": (
        re.sub(r'\[\[host\]\]\nname = "login"(.*\n)*?(?=\[\[)', "", larger(node=40)),
        "host 'login': the machine has 2 of them, and the file none",
    ),
    "another rate": (
        larger(node=40).replace('name = "service"\nrate_gbps = 100', 'name = "service"\nrate_gbps = 50'),
        "network 'service': rate_gbps differs from that of the machine",
    ),
    "another switch": (
        larger(node=40).replace("SN4600C", "SN5600"),
        "network 'service': switch.product differs from that of the machine",
    ),
    "another network": (
        larger(node=40).replace("[rack]", MORE + "[rack]", 1),
        r"network 'more': the machine does not have it \(it has fabric, storage, service, oob\)",
    ),
    "phases": (larger(node=40) + '[[phase]]\nname = "one"\n', "an existing machine grows by all new hosts at once"),
    "a name that is taken": (
        larger(node=1000).replace("[[network]]", f'{NEW_KIND}node = "node-"\n[[network]]', 1),
        "host 'archive': the machine has a host node-001 already; give this kind another `node`",
    ),
    "an unknown block": (
        GROWTHS["another kind"].replace("count = 2, rate_gbps = 200", 'count = 2, rate_gbps = 200, block = "far"'),
        "network 'storage' has no block 'far' for 'archive'; it is not described by blocks",
    ),
    "leaves that are not there": (
        GROWTHS["another kind"].replace("count = 2, rate_gbps = 200", "count = 9, leaves = 9, rate_gbps = 200"),
        "its ports are spread over 9 leaf switches, but the network has 4: add fewer hosts",
    ),
    "a limit": (
        larger(node=70) + "[limits]\nracks = 8\n",
        r"\[limits\] racks = 8: with the new hosts, machine has \d+ racks; add fewer hosts, or raise the limit",
    ),
    "another place": (
        larger(node=40).replace('preset = "koibuchi-2013"', 'preset = "koibuchi-2013"\nwidth_m = 0.8'),
        "rack A02 of the machine stands elsewhere on it; an existing rack keeps its place",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_changes_what_exists_is_refused(case, stands):
    text, message = REFUSED[case]
    into = machine_of(text, "larger.toml")
    with pytest.raises(InputError, match=message) as raised:
        expand_machine(stands, into)
    if isinstance(raised.value, MachineError):
        assert re.match(r"larger\.toml:\d+: ", str(raised.value.at_line(into, text, "larger.toml")))


@pytest.mark.exhaustive
def test_the_command_writes_the_grown_machine_and_what_is_added(stands, tmp_path, capsys):
    """The same as in Python; the order, the cables and the devices are files of their own."""
    save_machine(stands, tmp_path / "machine")
    path = tmp_path / "larger.toml"
    path.write_text(GROWTHS["racks"])
    with pytest.raises(SystemExit, match="0"):
        main(["expand", str(tmp_path / "machine"), "--into", str(path), "-o", str(tmp_path / "grown"), "--json"])
    printed = json.loads(capsys.readouterr().out)
    growth = expand_machine(open_machine(tmp_path / "machine"), read_machine_file(path))
    assert printed == json.loads(msgspec.json.encode(growth.record()))
    assert (tmp_path / "grown" / "added-cables.csv").read_text().count("\n") == 1 + len(growth.cables)
    assert (tmp_path / "grown" / "added-devices.csv").read_text().count("\n") == 1 + len(growth.devices)
    assert list(listed_cables(open_machine(tmp_path / "grown"))) == list(listed_cables(growth.machine))
    with pytest.raises(SystemExit, match="0"):
        main(["expand", str(tmp_path / "machine"), "--into", str(path)])
    shown = capsys.readouterr().out
    assert re.search(r"new hosts +40 node\n", shown)
    assert re.search(r"fabric +40 +80 +0 ", shown)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "is a machine: give its machine file with more hosts"),
        (["--to", "40"], "--to: a machine grows by its machine file with more hosts; omit it"),
        (["--into", "{file}", "--check"], "--check: a machine grows without unplugging a cable"),
        (["--into", "{file}", "-o", "{folder}"], "it holds .*machine, which the plan starts from"),
        (["--into", "petersen"], "petersen"),
    ],
)
def test_options_of_networks_are_refused(stands, tmp_path, capsys, options, message):
    folder = tmp_path / "machine"
    save_machine(stands, folder)
    path = tmp_path / "larger.toml"
    path.write_text(GROWTHS["one host"])
    with pytest.raises(SystemExit, match="2"):
        main(["expand", str(folder), *(each.format(file=path, folder=folder) for each in options)])
    assert re.search(message, capsys.readouterr().err)


def test_racks_stand_on_the_floor_of_the_layouts(growth):
    """All networks have the same floor and slots, and no two racks a slot."""
    machine = growth.machine
    assert len(set(machine.slot.tolist())) == len(machine.racks)
    for network in machine.networks.values():
        layout = network.part(Layout)
        assert layout.slots == machine.slots
        assert set(layout.used.tolist()) <= set(machine.slot.tolist())


@pytest.mark.sweep(2)
def test_a_discovery_shows_what_is_not_installed_yet(growth, stands, tmp_path):
    """All cables of the grown machine are right; with those of the machine before, each report is about a new device."""
    for machine, folder in ((growth.machine, tmp_path / "after"), (stands, tmp_path / "before")):
        folder.mkdir()
        for name, cables in plugs(machine).items():
            write_lldp(cables, machine.networks[name].fabric.switch_names, folder / name)
    names = list(stands.networks)
    assert verify_machine(growth.machine, {name: str(tmp_path / "after" / name) for name in names}).clean
    early = verify_machine(growth.machine, {name: str(tmp_path / "before" / name) for name in names})
    new = {device.name for device in growth.devices}
    reports = [row["text"] for row in early.rows()]
    assert reports
    assert all(any(name in text for name in new) for text in reports)
    hosts = {device.name for device in growth.devices if device.kind in growth.hosts}
    assert {name for name in hosts if any(name in text for text in reports)} == hosts


def test_names_of_new_switches_go_on_in_their_block(tmp_path):
    """A block whose name ends in a digit: after the second switch of L1 comes its third."""
    (tmp_path / "blocks.toml").write_text(
        'title = "blocks"\nrate_gbps = 400\n[[block]]\nname = "L1"\nswitches = 2\nhosts = 8\n[[block]]\nname = "L2"\n'
        'switches = 2\nradix = 64\n[[join]]\nbetween = ["L1", "L2"]\nlinks_per_pair = 4\n'
    )
    text = RAILS.replace("rails = true\nplanes = [1]\n", "").replace("compute = 4 }", "compute = 1 }")
    text = re.sub(r'spec = ".*"', 'limits = { taper = 1 }\nspec = "blocks.toml"', text)
    machine = built(machine_of(text, "before.toml", tmp_path))
    growth = expand_machine(machine, machine_of(text.replace("count = 16", "count = 20"), "after.toml", tmp_path))
    names = growth.machine.networks["compute"].fabric.switch_names
    assert names == ("compute-L101", "compute-L102", "compute-L201", "compute-L202", "compute-L103")
