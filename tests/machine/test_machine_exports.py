"""Exports of a whole machine: every device and every cable once, whatever network it is on."""

import csv
import io
import json
from collections import Counter

import openpyxl
import pytest
from machine_cases import SMALL, built

from netbox_import import imported
from slurmctld import names_of, shown_by_slurm
from topoloom.core.errors import InputError
from topoloom.fabric.port_names import named_plugs
from topoloom.machine.cables import machine_cables
from topoloom.machine.contents import placed_devices
from topoloom.machine.exports.kinds import MACHINE_EXPORTS, machine_export, write_machine_export
from topoloom.machine.exports.nodes import compute_network
from topoloom.machine.facility import machine_facility
from topoloom.machine.folder import save_machine
from topoloom.machine.lists import devices_csv, machine_cables_csv
from topoloom.machine.opening import open_machine
from topoloom.machine.overview import overview
from topoloom.machine.reading import machine_of
from topoloom.network.opening import open_network
from topoloom.operations.catalogue.placed import LayoutOperation
from topoloom.operations.context import RunContext
from topoloom.placement.layout.layout import Layout
from topoloom.report.machine_room import room_plan


def _rows(text):
    return list(csv.DictReader(io.StringIO(text)))


# In the first tier, what takes seconds for a published machine is tested on the small one, and the rest on one published one.
@pytest.fixture(scope="module", params=["small", "gb200", "superpod"])
def machine(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def lists(machine):
    return machine_export("cables", machine).files


@pytest.mark.sweep(2)
def test_netbox_has_every_device_once_with_its_interfaces_on_all_networks(machine):
    """The rules of the import hold; interfaces are the ends of all cables, and no device stands in the unit of another."""
    files = machine_export("netbox", machine).files
    tables = imported({name: text for name, text in files.items() if "/" not in name and name.endswith(".csv")})
    devices = {row["name"]: row for row in _rows(devices_csv(machine))}
    assert sorted(row["name"] for row in tables["devices.csv"]) == sorted(devices)
    for row in tables["devices.csv"]:
        assert row["rack"] == devices[row["name"]]["rack"]
        assert row["position"] in (devices[row["name"]]["unit"], "")
    assert [row["name"] for row in tables["racks.csv"]] == list(machine.rack_names)
    cables = machine_cables(machine)
    ends = Counter(end.name for cable in cables for end in (cable.a, cable.b))
    assert Counter(row["device"] for row in tables["interfaces.csv"]) == ends
    assert [row["label"] for row in tables["cables.csv"]] == [cable.number for cable in cables]
    if "cables.rest.json" in files:
        carried = [label for cable in json.loads(files["cables.rest.json"]) for label in cable["label"].split("+")]
        assert sorted(carried) == sorted(cable.number for cable in cables)
        assert {row["device"] for row in _rows(files["4.7/interfaces.csv"])} == set(ends)


def test_a_host_has_one_device_with_the_ports_of_its_file(small):
    """Two on the fabric, one each on storage, service and out-of-band."""
    interfaces = _rows(machine_export("netbox", small).files["interfaces.csv"])
    own = [row["name"] for row in interfaces if row["device"] == "node-001"]
    assert own == ["fabric-1", "fabric-2", "storage-1", "service-1", "oob-1"]


@pytest.mark.sweep(1)
def test_lists_have_every_cable_with_both_ends(machine, lists):
    """Those of networks have each once and lengths as the machine's folder, those of racks at both ends, seen from there."""
    whole = _rows(lists["cables.csv"])
    of_networks = [row for name in lists if name.startswith("networks/") for row in _rows(_text(lists[name]))]
    assert whole == of_networks
    assert len({row["Cable"] for row in whole}) == len(whole)
    plugs = {(row[f"{end}-Node Name"], row[f"{end}-Port"]) for row in whole for end in "AZ"}
    assert len(plugs) == 2 * len(whole)
    in_folder = {
        (row["network"], row[f"{a}_device"], row[f"{a}_port"], row[f"{b}_device"], row[f"{b}_port"]): row
        for row in _rows(machine_cables_csv(machine))
        for a, b in ("ab", "ba")
    }
    of_pairs = 0
    for row in whole:
        ends = row["A-Node Name"], row["A-Port"], row["Z-Node Name"], row["Z-Port"]
        same = in_folder.get((row["Network"], *ends))
        of_pairs += same is None
        assert row["Part"]
        assert float(row["Stock m"]) >= float(row["Length m"])
        if same is not None:
            assert float(row["Length m"]) == pytest.approx(float(same["length_m"]), abs=0.001)
            assert float(row["Rate Gb/s"]) == float(same["rate_gbps"])
    assert of_pairs == len(whole) - len(in_folder) // 2
    seen = Counter()
    for name, text in lists.items():
        if name.startswith("racks/"):
            rows = _rows(text)
            assert {row["A-Rack"] for row in rows} <= {name.removeprefix("racks/").removesuffix(".csv")}
            units = [float(row["A-U"] or "inf") for row in rows]
            assert units == sorted(units)
            seen.update(row["Cable"] for row in rows)
    assert seen == {row["Cable"]: 1 + (row["A-Rack"] != row["Z-Rack"]) for row in whole}


def _text(content):
    return content if isinstance(content, str) else content.decode()


@pytest.mark.sweep(1)
def test_workbooks_have_the_same_lists(machine, lists):
    """A sheet per network after that of all cables, and a sheet per rack; numbers are numbers."""
    book = openpyxl.load_workbook(io.BytesIO(lists["networks.xlsx"]))
    networks = [name.removeprefix("networks/").removesuffix(".csv") for name in lists if name.startswith("networks/")]
    assert book.sheetnames == ["all cables", *networks]
    assert openpyxl.load_workbook(io.BytesIO(lists["racks.xlsx"])).sheetnames == list(machine.rack_names)
    for name in networks:
        sheet = [
            ["" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row]
            for row in book[name].iter_rows(values_only=True)
        ]
        assert sheet == list(csv.reader(io.StringIO(lists[f"networks/{name}.csv"])))
    assert isinstance(book["all cables"].cell(2, 14).value, int | float)


def test_the_list_of_a_network_opens_as_that_network(small, tmp_path):
    """As a sheet of cables: the same plugs as in the network's own folder."""
    write_machine_export("cables", small, tmp_path / "lists")
    opened = open_network(str(tmp_path / "lists" / "networks" / "fabric.csv"))
    plugs = {frozenset(ends) for ends in named_plugs(opened.fabric)}
    assert plugs == {
        frozenset([(cable.a.name, cable.a.port), (cable.b.name, cable.b.port)])
        for cable in machine_cables(small)
        if cable.network == "fabric"
    }


@pytest.mark.sweep(2)
def test_labels_are_unique_in_the_machine(machine):
    """Two per cord, with the network and the number of the cable; each end names the other."""
    rows = _rows(machine_export("labels", machine).files["labels.csv"])
    assert len({row["line_1"].split(" ")[0] + row["end"] for row in rows}) == len(rows)
    assert {row["cable"] for row in rows} == {cable.number for cable in machine_cables(machine)}
    for a, b in zip(rows[::2], rows[1::2], strict=True):
        assert a["line_2"] == "to " + b["line_1"].partition(" ")[2]
        assert b["line_2"] == "to " + a["line_1"].partition(" ")[2]


@pytest.mark.sweep(2)
def test_front_views_have_every_device_once(machine):
    """One picture per rack, with the names of all its devices; no two devices in a unit."""
    files = machine_export("elevations", machine).files
    taken = {}
    for placed in placed_devices(machine):
        device, rack = placed.standing, machine.rack_names[placed.rack]
        picture = files[f"elevations/{rack}.svg"]
        if device.unit is None:
            assert f"no unit: {device.name}<" in picture
            continue
        assert picture.count(f": {device.name} ·") == 1
        for half in range(round(2 * device.unit), round(2 * (device.unit + device.units))):
            assert taken.setdefault((rack, half), device.name) == device.name
    assert sum(name.endswith(".svg") for name in files) == len(machine.rack_names)
    assert files["elevations.html"].count("<figure>") == len(machine.rack_names)


def test_slurm_has_the_compute_hosts_only(small, tmp_path):
    """Neither storage servers nor logins nor gateways, on the network of compute hosts with the highest rate."""
    done = machine_export("slurm", small)
    assert done.network == compute_network(small) == "fabric"
    shown = shown_by_slurm(tmp_path, done.files["topology.conf"], "node-[001-030]")
    nodes = set().union(*(nodes for _, nodes, _ in shown.values()))
    assert nodes == {f"node-{number:03d}" for number in range(1, 31)}
    assert {name for name, (level, _, _) in shown.items() if level == 0} <= {
        *small.networks["fabric"].fabric.switch_names
    }


@pytest.mark.parametrize("kind", ["flux", "kueue", "slurm:file=yaml", "topograph", "volcano"])
def test_every_scheduler_gets_the_compute_hosts(small, kind):
    """Whatever its file looks like; and a network that is named is taken."""
    done = machine_export(kind, small, "storage")
    text = "".join(_text(content) for content in done.files.values())
    assert done.network == "storage"
    assert not any(name in text for name in ("login", "storage-0", "gateway"))
    assert "node-0" in text or "node-[0" in text


def test_nodes_are_selected_among_the_compute_hosts(small):
    """A pattern of names selects further, and brings no other hosts back."""
    text = machine_export("slurm:nodes=!node-001", small).files["topology.conf"]
    leaves = [line.partition("Nodes=")[2] for line in text.splitlines() if "Nodes=" in line]
    assert sorted(name for leaf in leaves for name in names_of(leaf)) == [f"node-{n:03d}" for n in range(2, 31)]


@pytest.mark.exhaustive
def test_what_is_opened_is_written_as_what_was_built(small, tmp_path):
    """Every export of the folder of a machine is that of the machine in memory."""
    save_machine(small, tmp_path / "machine")
    opened = open_machine(tmp_path / "machine")
    for kind in (*MACHINE_EXPORTS, "slurm"):
        assert machine_export(kind, opened).files == machine_export(kind, small).files


def test_ports_of_one_device_have_different_names():
    """Two management networks, which both serve all: the port on the second is called by it."""
    text = SMALL.replace(
        "[rack]",
        '[[network]]\nname = "lights"\nrate_gbps = 1\nswitch = { product = "SN2201" }\n'
        'serves = "everything"\nuplink = "service"\n[rack]',
    )
    machine = built(machine_of(text, "two.toml"))
    interfaces = _rows(machine_export("netbox", machine).files["interfaces.csv"])
    assert len({(row["device"], row["name"]) for row in interfaces}) == len(interfaces)
    assert {row["name"] for row in interfaces if row["device"] == "fabric-leaf01"} >= {"mgmt", "lights-mgmt"}


@pytest.mark.parametrize(
    ("kind", "network", "words"),
    [
        ("opensm", None, r"takes one network, such as FOLDER/networks/fabric; a whole machine is written as cables"),
        ("nothing", None, "nothing is no export"),
        ("netbox:x=1", None, "takes no options"),
        ("netbox", "fabric", "`network`: netbox has all networks"),
        ("slurm", "fabrik", "no network 'fabrik' \\(it has fabric"),
    ],
)
def test_what_machines_do_not_have_is_one_sentence(small, kind, network, words):
    """It names the kinds that they have."""
    with pytest.raises(InputError, match=words):
        machine_export(kind, small, network)


def test_jobs_need_compute_hosts():
    """A network without them is refused, and a machine without them."""
    machine = built(
        machine_of(SMALL.replace("count = 30\nu = 2", 'role = "login"\nracks = "own"\ncount = 30\nu = 2'), "m.toml")
    )
    for network in (None, "oob"):
        with pytest.raises(InputError, match="of role compute; jobs run on these only"):
            machine_export("slurm", machine, network)


def test_layout_shows_a_network_as_the_machine_has_it(small, tmp_path):
    """Racks and lengths of the folder, not new ones; placing it again is refused."""
    save_machine(small, tmp_path / "machine")
    for name, network in small.networks.items():
        operation = LayoutOperation(topology=str(tmp_path / "machine" / "networks" / name))
        shown = operation.run(RunContext())
        assert shown == network.part(Layout)
        assert shown.floor == small.floor
        rows = [row for row in _rows(machine_cables_csv(small)) if row["network"] == name]
        metres = shown.total_m + shown.host_total_m
        assert metres == pytest.approx(sum(float(row["length_m"]) for row in rows), abs=0.001 * len(rows))
    with pytest.raises(InputError, match="stands in the racks of a machine"):
        LayoutOperation(topology=str(tmp_path / "machine" / "networks" / "oob"), map="rows").run(RunContext())
    machine = LayoutOperation(topology=str(tmp_path / "machine"))
    assert machine.run(RunContext()) == overview(small)
    with pytest.raises(InputError, match="a machine has its own parts, rates and racks"):
        LayoutOperation(topology=str(tmp_path / "machine"), map="rows").run(RunContext())


@pytest.mark.exhaustive
def test_the_room_of_a_machine_is_a_picture(small):
    """With a tooltip for each of its racks."""
    room = machine_facility(small, tested=False)
    picture = room_plan(small, room, ".svg")
    assert all(f": {name}, " in picture for name in small.rack_names)
    assert room_plan(small, room, ".png").startswith(b"\x89PNG")


def test_jobs_are_near_each_other_on_the_network_that_carries_most(gb200):
    """In-band has the faster links there, and compute twice the bandwidth per tray."""
    assert gb200.requirement.plan("in-band").rate_gbps > gb200.requirement.plan("compute").rate_gbps
    assert compute_network(gb200) == "compute"
