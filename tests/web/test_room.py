"""The room's numbers: moves give the same as a network that was placed there, to the last digit; limits; what is where."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom import facility, open_machine, price, run_task, task_of
from topoloom.cabling.cabling import cable
from topoloom.machine.bill import price_machine
from topoloom.machine.cables import machine_cables
from topoloom.machine.facility import machine_facility
from topoloom.machine.folder import save_machine
from topoloom.machine.moving import moved_machine
from topoloom.network.moving import moved_network
from topoloom.network.opening import open_network
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.placement.layout.layout import Layout
from topoloom.web import floor_operations

_TREE = "fat-tree:k=8,hosts=128"
_HOSTS = Housing(host=HostType("node", nics=1, ports=1, u=2, power_w=500.0), rack=RackRule(u=42, power_w=12_000.0))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A network with hosts in racks, a limit of power, and the longest cable that its requirement allows."""
    path = tmp_path_factory.mktemp("room") / "net"
    network = open_network(_TREE).placed("koibuchi-2013", hosts=_HOSTS, map="rows", parts="slimfly-2014", rate_gbps=40)
    network = network.with_requirements({"hosts": 128, "limits": {"longest_cable_m": 12.0, "diameter": 4}})
    network.save(path)
    return str(path)


def _random_moves(names, seed, count=6):
    draws = np.random.default_rng(seed)
    return [[names[a], names[b]] for a, b in (draws.choice(len(names), 2, replace=False) for _ in range(count))]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_moves_give_the_sums_of_a_network_that_was_placed_there(folder, seed):
    """Lengths, bill and limits are equal to the last digit, whether the room was kept or is opened from a folder."""
    names = open_network(folder).part(Layout).slots.names
    moves = _random_moves(names, seed)
    asked = task_of("stand", {"topology": folder, "moved": moves, "picture": False})
    kept = run_task(asked)[0]
    floor_operations._kept.clear()
    assert run_task(asked)[0] == kept
    before = open_network(folder)
    own = before.part(Layout)
    stands = {name: name for name in names}  # the slot of the rack that was in each slot at first
    for a, b in moves:
        stands = {rack: {a: b, b: a}.get(slot, slot) for rack, slot in stands.items()}
    to = np.array([names.index(stands[name]) for name in names])
    placed = before.standing(replace(own, slot=to[own.slot], host_slot=to[own.host_slot]))
    layout, bill = placed.part(Layout), price(placed)
    assert kept["total_m"] == layout.total_m
    assert kept["longest_m"] == layout.longest_m
    assert kept["host_total_m"] == layout.host_total_m
    assert kept["cost_usd"] == bill.cost_usd
    assert kept["power_w"] == bill.power_w
    fullest = max(supply.max_w for supply in facility(placed).racks)
    limits = {limit["limit"]: limit for limit in kept["limits"]}
    assert limits["[limits] longest_cable_m"]["value"] == layout.longest_m
    assert limits["[limits] longest_cable_m"]["ok"] == (layout.longest_m <= 12.0)
    assert limits["[rack] power_w"]["value"] == fullest
    assert kept["unchecked"] == ["diameter"]
    whole = run_task(task_of("stand", {"topology": folder, "moved": moves}))[0]
    assert {key: whole[key] for key in kept} == kept
    assert sum(whole["floor"]["bundles"]["count"]) == int((cable(placed).bundle >= 0).sum())


def test_moves_are_made_one_after_another(folder):
    """A rack that was moved is moved again by its new place; a move and its reverse change nothing."""
    names = open_network(folder).part(Layout).slots.names
    a, b, c = names[0], names[1], names[2]
    network = open_network(folder)
    before = network.part(Layout)
    assert moved_network(network, [[a, b], [b, a]]).part(Layout) == before
    twice, once = moved_network(network, [[a, b], [b, c]]), moved_network(network, [[a, c], [a, b]])
    assert np.array_equal(twice.part(Layout).slot, once.part(Layout).slot)


def test_a_folder_that_changes_is_opened_again(tmp_path):
    """What the process keeps is that of the present content."""
    path = tmp_path / "net"
    open_network("petersen:hosts=2").placed("koibuchi-2013", switches_per_rack=1, map="rows").save(path)
    first = run_task(task_of("stand", {"topology": str(path)}))[0]
    open_network("petersen:hosts=2").placed("slimfly-2014", switches_per_rack=1, map="rows").save(path)
    assert run_task(task_of("stand", {"topology": str(path)}))[0]["total_m"] != first["total_m"]


def test_a_cable_out_of_reach_breaks_its_limit(tmp_path):
    """The room says so in the bill's sentence and in the limit, with the value; the sums of lengths stay."""
    parts = tmp_path / "parts.toml"
    parts.write_text("""
name = "short"
source = "a test"
rate_gbps = [40, 40]
[switch]
base_usd = 0
per_port_usd = 10
power_w_per_port = 1
[[cable]]
medium = "copper"
use = "any"
reach_m = 9
base_usd = 5
""")
    asked = {
        "topology": "torus:dims=6x1,hosts=1",
        "floor": "koibuchi-2013",
        "rows": 1,
        "columns": 12,
        "switches_per_rack": 1,
    }
    asked |= {"map": "rows", "parts": str(parts)}
    near = run_task(task_of("stand", asked))[0]
    far = run_task(task_of("stand", {**asked, "moved": [["A01", "A12"]]}))[0]
    reach = "reach of cables between switches"
    limits = [{each["limit"]: each for each in record["limits"]} for record in (near, far)]
    assert limits[0][reach]["ok"] is True
    assert limits[1][reach]["ok"] is False
    assert limits[1][reach]["value"] == far["longest_m"]
    assert "reach" in far["fault"]
    assert far["cost_usd"] is None
    assert far["floor"] is None


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A machine of two networks."""
    from topoloom.machine.designing import design_machine
    from topoloom.machine.reading import read_machine_file

    path = tmp_path_factory.mktemp("room") / "machine.toml"
    path.write_text("""
title = "two networks"
parts = "slimfly-2014"
shortlist = 0
[[host]]
name = "node"
count = 12
u = 1
ports = { fabric = 1, oob = 1 }
[[network]]
name = "fabric"
rate_gbps = 40
spec = "clos:leaves=2,spines=1,hosts=8"
[[network]]
name = "oob"
rate_gbps = 10
switch = { radix = 24 }
serves = "everything"
uplink = "fabric"
[rack]
hosts = 6
[[rack.device]]
name = "PDU"
ports = 1
""")
    made = design_machine(read_machine_file(path)).machine
    save_machine(made, path.parent / "machine")
    return str(path.parent / "machine")


@pytest.mark.parametrize("seed", [1, 2])
def test_the_racks_of_a_machine_move_with_all_their_networks(machine, tmp_path, seed):
    """The sums are those of the moved machine, also as its folder is opened again; so are its cables and their devices."""
    opened = open_machine(machine)
    moves = [[opened.rack_names[0], opened.rack_names[-1]], *_random_moves(opened.slots.names, seed, 3)]
    record = run_task(task_of("stand", {"topology": machine, "moved": moves}))[0]
    moved = moved_machine(opened, moves)
    save_machine(moved, tmp_path / "moved")
    again = open_machine(tmp_path / "moved")
    for own in (moved, again):
        assert record["total_m"] == sum(network.part(Layout).total_m for network in own.networks.values())
        bill = price_machine(own)
        assert record["cost_usd"] == bill.cost_usd
        assert machine_facility(own).total.max_w == machine_facility(opened).total.max_w
    assert sorted(record["floor"]["racks"]["name"]) == sorted(again.rack_names)
    ends = [
        [(each.number, each.a.name, each.a.port, each.b.name, each.b.port) for each in machine_cables(own)]
        for own in (moved, again)
    ]
    assert ends[0] == ends[1]
    # Devices are called after their racks: each is in the rack of its name, with the cable of its port.
    devices = run_task(task_of("elevations", {"topology": machine, "moved": moves}))[0]["devices"]
    called = [(name, rack) for name, rack in zip(devices["name"], devices["rack"], strict=True) if " PDU " in name]
    assert called
    assert all(name.startswith(f"{moved.rack_names[rack]} ") for name, rack in called)
    assert {name for name, _ in called} <= {name for _, a, _, b, _ in ends[0] for name in (a, b)}


def test_every_device_and_cable_of_a_machine_is_listed_once(machine):
    """With the rack and the unit of the machine's own lists."""
    data = run_task(task_of("elevations", {"topology": machine}))[0]
    opened = open_machine(machine)
    devices, cables = data["devices"], data["cables"]
    assert (
        len(devices["name"]) == len(set(devices["name"])) == opened.hosts + opened.switches + len(opened.racks.devices)
    )
    place = {
        name: (data["racks"][rack], unit)
        for name, rack, unit in zip(devices["name"], devices["rack"], devices["unit"], strict=True)
    }
    for number, each in enumerate(machine_cables(opened)):
        assert cables["number"][number] == each.number
        for end, side in ((each.a, "a"), (each.b, "b")):
            assert devices["name"][cables[side][number]] == end.name
            assert place[end.name] == (opened.rack_names[end.rack], end.placed.standing.unit)


def test_units_are_those_of_the_cable_list(folder):
    """And hosts that stand with their switches have a rack but no unit."""
    data = run_task(task_of("elevations", {"topology": folder}))[0]
    layout = open_network(folder).part(Layout)
    devices = data["devices"]
    units = dict(zip(devices["name"], devices["unit"], strict=True))
    assert [units[f"S{switch}"] for switch in range(layout.topology.switches)] == layout.height.tolist()
    assert data["note"] == ""
    assert len(data["cables"]["a"]) == len(layout.topology.links) + layout.topology.endpoints.size
    plain = run_task(task_of("elevations", {"topology": "petersen:hosts=2"}))[0]
    assert "with its switch" in plain["note"]
    assert [
        unit for kind, unit in zip(plain["devices"]["kind"], plain["devices"]["unit"], strict=True) if kind == 0
    ] == [None] * 20
    assert len(plain["cables"]["a"]) == 15 + 20
