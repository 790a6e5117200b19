"""Plans of Ethernet fabrics as tools and people write them: each gives the cables with the names of devices and ports.

The files in ``fixtures/plans`` show one fabric, or one device's part of it (``fixtures/README.md``).
"""

import json
import re
from pathlib import Path

import openpyxl
import pytest

from in_process import run
from topoloom import InputError, compare_fabrics, open_network
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.fabric.flaws import PORT_TWICE
from topoloom.fabric.identify import identify
from topoloom.fabric.port_names import named_plugs
from topoloom.formats import FORMATS, encode

HERE = Path(__file__).parent / "fixtures" / "plans"
SWP = {
    ("leaf1:swp31", "spine1:swp1"),
    ("leaf1:swp32", "spine2:swp1"),
    ("leaf2:swp31", "spine1:swp2"),
    ("leaf2:swp32", "spine2:swp2"),
}
GPUS = {("gpu1:eth1", "leaf1:swp1s0"), ("gpu2:eth1", "leaf2:swp1s0")}
#: For each file: its format, its cables, and its hosts.
PLANS = {
    "cvt-ptm.dot": ("ptm", SWP | GPUS, {"gpu1", "gpu2"}),
    "cvt-p2p-ethernet.csv": (
        "sheet",
        SWP | {("gpu1:rail1", "leaf1:swp1s0"), ("gpu2:rail1", "leaf2:swp1s0")},
        {"gpu1", "gpu2"},
    ),
    "cvt-p2p-infiniband.csv": (
        "sheet",
        {("gpu1 mlx5_0:1", "leaf1:1/1"), ("gpu2 mlx5_0:1", "leaf2:1/1")},
        {"gpu1 mlx5_0", "gpu2 mlx5_0"},
    ),
    "cvt-unified-links.csv": ("sheet", SWP | GPUS, {"gpu1", "gpu2"}),
    "sonic_tiny_links.csv": (
        "sheet",
        {
            ("leaf1:Ethernet240", "spine1:Ethernet1/1"),
            ("leaf1:Ethernet248", "spine2:Ethernet1/1"),
            ("leaf2:Ethernet240", "spine1:Ethernet2/1"),
            ("leaf2:Ethernet248", "spine2:Ethernet2/1"),
            ("gpu1:eth1", "leaf1:Ethernet0"),
            ("gpu2:eth1", "leaf2:Ethernet0"),
        },
        {"gpu1", "gpu2"},
    ),
    "a-z-sheet.csv": ("sheet", SWP | GPUS, {"gpu1", "gpu2"}),
    "avd-fabric-topology.csv": (
        "sheet",
        {
            ("leaf1:Ethernet31/1", "spine1:Ethernet1/1"),
            ("leaf1:Ethernet32/1", "spine2:Ethernet1/1"),
            ("leaf1:Ethernet3/1", "leaf2:Ethernet3/1"),
            ("gpu1:PCI1", "leaf1:Ethernet1/1"),
        },
        {"gpu1"},
    ),
    "netbox-cables-import.csv": ("sheet", {("leaf1:swp31", "spine1:swp1")}, set()),
    "netbox-cables-table-export.csv": ("sheet", {("leaf1:swp31", "spine1:swp1")}, set()),
    "minigraph-leaf1.xml": (
        "minigraph",
        {("leaf1:etp31", "spine1:Ethernet1/1"), ("leaf1:etp32", "spine2:Ethernet1/1"), ("gpu1:eth1", "leaf1:etp1a")},
        {"gpu1"},
    ),
    "config_db-leaf1.json": (
        "config-db",
        {
            ("leaf1:Ethernet240", "spine1:Ethernet1/1"),
            ("leaf1:Ethernet248", "spine2:Ethernet1/1"),
            ("gpu1:eth1", "leaf1:Ethernet0"),
        },
        {"gpu1"},
    ),
    "avd-structured-leaf1.yml": (
        "avd",
        {
            ("leaf1:Ethernet31/1", "spine1:Ethernet1/1"),
            ("leaf1:Ethernet32/1", "spine2:Ethernet1/1"),
            ("gpu1:PCI1", "leaf1:Ethernet1/1"),
        },
        {"gpu1"},
    ),
    "tiny.clab.yml": (
        "containerlab",
        {
            ("leaf1:ethernet-1/31", "spine1:e1-1"),
            ("leaf1:e1-32", "spine2:e1-1"),
            ("leaf2:e1-31", "spine1:e1-2"),
            ("leaf2:e1-32", "spine2:e1-2"),
            ("gpu1:eth1", "leaf1:e1-1-1"),
            ("gpu2:eth1", "leaf2:e1-1-1"),
        },
        {"gpu1", "gpu2"},
    ),
    "netlab-transformed.yml": (
        "netlab",
        {
            ("leaf1:Ethernet1", "spine1:Ethernet1"),
            ("leaf1:Ethernet2", "segment-2:port1"),
            ("gpu1:eth1", "segment-2:port2"),
            ("gpu2:eth1", "segment-2:port3"),
        },
        {"gpu1", "gpu2"},
    ),
    "paddle.json": (
        "paddle",
        {
            ("sw-leaf-001:53", "sw-spine-001:1"),
            ("ncn-m001:ocp:1", "sw-leaf-001:1"),
            ("ncn-m001:pcie-slot1:1", "sw-leaf-001:2"),
        },
        {"ncn-m001"},
    ),
    "netbox-api-cables.json": ("netbox", {("leaf1:swp31", "spine1:swp1")}, set()),
    "netbox-api-interfaces.json": ("netbox", {("gpu1:eth1", "leaf1:swp1s0")}, {"gpu1"}),
    "nautobot-api-cables.json": ("netbox", {("leaf1:swp31", "spine1:swp1")}, set()),
    "leaf1.conf": (
        "frr-conf",
        {("leaf1:swp31", "spine1:swp1"), ("leaf1:swp32", "spine2:swp1"), ("gpu1:eth1", "leaf1:swp1")},
        {"gpu1"},
    ),
    "hall.air.json": ("air", {("leaf1:swp31", "spine1:swp1"), ("gpu1:eth1", "leaf1:swp1s0")}, {"gpu1"}),
    "netq.json": (
        "netq",
        {("leaf1:swp31", "spine1:swp1"), ("leaf1:swp32", "spine1:swp2"), ("gpu1:eth1", "leaf1:swp1s0")},
        {"gpu1"},
    ),
}
#: Sheets whose heads say the same in other words.
HEADS = [
    "Source Device,Source Port,Destination Device,Destination Port",
    "From Device;From Port;To Device;To Port",
    "Local Node\tLocal Interface\tRemote Node\tRemote Interface",
    "A-End,A Port,Z-End,Z Port",
    "Site plan,,,\nA-Side,,B-Side,\nDevice,Port,Device,Port",
]


def cables(fabric):
    """Every cable as a sorted pair of texts ``device:port``."""
    return {tuple(sorted(f"{device}:{port}" for device, port in ends)) for ends in named_plugs(fabric)}


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_read_by_its_content(name):
    """The format is detected; devices, ports and hosts are those of the file."""
    wanted, ends, hosts = PLANS[name]
    data = (HERE / name).read_bytes()
    fabric = open_network(HERE / name).fabric
    assert FORMATS.find(wanted).fabric(data, name).topology.digest == fabric.topology.digest
    assert cables(fabric) == ends
    assert set(fabric.host_names) == hosts


@pytest.mark.parametrize("heads", HEADS)
def test_a_sheet_is_read_by_its_heads(tmp_path, heads):
    """Any words for the two ends, with commas, semicolons or tabs, under titles, in one or two rows of heads."""
    separator = next(mark for mark in ";\t," if mark in heads)
    row = separator.join(["leaf1", "swp31", "spine1", "swp1"])
    (tmp_path / "plan.csv").write_text(f"\ufeff{heads}\n{row}\n", encoding="utf-8")
    assert cables(open_network(tmp_path / "plan.csv").fabric) == {("leaf1:swp31", "spine1:swp1")}


def test_an_empty_cell_of_a_device_means_the_one_above():
    """The second row of the sheet has no device at its A end; it is leaf1."""
    assert ("leaf1:swp32", "spine2:swp1") in cables(open_network(HERE / "a-z-sheet.csv").fabric)


def test_rows_that_are_no_cables_are_reported(caplog):
    """A row that ends at a patch panel, or with several ports in a cell, is named with its reason."""
    open_network(HERE / "netbox-cables-import.csv")
    open_network(HERE / "netbox-cables-table-export.csv")
    assert "row 3 ending at a patch panel: not read" in caplog.text
    assert "row 3 with several ports or devices in a cell" in caplog.text


def test_ids_without_names_are_refused():
    """NetBox 2.x exports only ids: the sentence says which heads are needed."""
    with pytest.raises(InputError, match="a table of NetBox with ids in place of names"):
        open_network(HERE / "netbox-cables-ids-2x.csv")


def test_a_port_in_two_cables_is_reported_and_both_cables_stay(tmp_path, caplog):
    """Nothing is lost: the second cable is there, in a port that is not known, and the flaw names both."""
    text = (HERE / "tiny.clab.yml").read_text().replace('"leaf2:e1-1-1"', '"leaf1:e1-1-1"')
    (tmp_path / "wrong.clab.yml").write_text(text)
    fabric = open_network(tmp_path / "wrong.clab.yml").fabric
    assert [flaw.kind for flaw in fabric.flaws] == [PORT_TWICE]
    assert "link 6: leaf1 port e1-1-1 is cabled to gpu2 port eth1, but also to gpu1 port eth1 (link 5)" in caplog.text
    assert fabric.topology.endpoints.size == 2
    assert ("gpu2:eth1", "leaf1:") in cables(fabric)


def test_a_format_without_names_of_ports_says_so(capsys, tmp_path):
    """topoloom's JSON has the names of devices as labels, but numbers its ports itself."""
    ran = run("convert", HERE / "cvt-ptm.dot", tmp_path / "plan.json")
    assert "names of ports" in ran.err


PORT = {"front": "dcim.frontport", "rear": "dcim.rearport", "interface": "dcim.interface"}


def netbox_cable(one, other, status="connected"):
    """A cable of NetBox between two ends: kind, device and port."""
    ids = {"R1": 71, "R2": 72}
    sides = [
        [
            {
                "object_type": PORT[kind],
                "object_id": ids.get(port, 5),
                "object": {"name": port, "device": {"name": device}},
            }
        ]
        for kind, device, port in (one, other)
    ]
    return {"id": 1, "a_terminations": sides[0], "b_terminations": sides[1], "status": {"value": status}}


TRUNK = [
    netbox_cable(("interface", "leaf1", "swp1"), ("front", "p1", "1")),
    netbox_cable(("interface", "leaf1", "swp2"), ("front", "p1", "2")),
    netbox_cable(("rear", "p1", "R1"), ("rear", "p2", "R2")),
    netbox_cable(("front", "p2", "A"), ("interface", "spine1", "swp1")),
    netbox_cable(("front", "p2", "B"), ("interface", "spine2", "swp1")),
    netbox_cable(("interface", "leaf1", "swp9"), ("interface", "spine2", "swp9"), "decommissioning"),
]


def mapped(device, name, rear, position, form):
    """A front port: as NetBox 4.5 states the rear port, with its id alone, or as before."""
    own = {"name": name, "device": {"name": device}}
    if form == "before":
        return own | {"rear_port": {"name": rear}, "rear_port_position": position}
    port = {"R1": 71, "R2": 72}[rear] if form == "ids" else {"name": rear}
    return own | {"rear_ports": [{"position": 1, "rear_port": port, "rear_port_position": position}]}


@pytest.mark.parametrize("form", ["before", "4.5", "ids"])
def test_panels_are_followed_by_position(tmp_path, form, caplog):
    """Several front ports share a rear port: the position tells which front port of the other panel follows."""
    fronts = [("p1", "1", "R1", 1), ("p1", "2", "R1", 2), ("p2", "B", "R2", 1), ("p2", "A", "R2", 2)]
    answers = [{"count": 6, "results": TRUNK}, {"count": 4, "results": [mapped(*each, form) for each in fronts]}]
    (tmp_path / "all.json").write_text(json.dumps(answers))
    assert cables(open_network(tmp_path / "all.json").fabric) == {
        ("leaf1:swp1", "spine2:swp1"),
        ("leaf1:swp2", "spine1:swp1"),
    }
    assert "1 cables of status decommissioning: not read" in caplog.text
    (tmp_path / "cables.json").write_text(json.dumps(answers[0]))
    with pytest.raises(InputError, match="names no device"):
        open_network(tmp_path / "cables.json")
    assert "cables end at a panel, and nothing is behind it" in caplog.text


def test_traces_and_marked_interfaces_of_netbox(tmp_path, caplog):
    """A trace leads from its first to its last end; what is only marked as connected is reported."""

    def end(name, device):
        return {"url": "https://nb/api/dcim/interfaces/1/", "name": name, "device": {"name": device}}

    trace = [
        [[end("swp1", "leaf1")], {"id": 1}, [end("1", "p1")]],
        [[end("1", "p1")], {"id": 2}, [end("swp7", "spine1")]],
    ]
    for content in (trace, [trace]):
        (tmp_path / "trace.json").write_text(json.dumps(content))
        assert cables(open_network(tmp_path / "trace.json").fabric) == {("leaf1:swp1", "spine1:swp7")}
    far = [{"name": "swp1", "device": {"name": "spine1"}}]
    results = [
        {"name": "swp1", "device": {"name": "leaf1"}, "connected_endpoints": far, "mark_connected": False},
        {"name": "swp2", "device": {"name": "leaf1"}, "connected_endpoints": None, "mark_connected": True},
    ]
    (tmp_path / "interfaces.json").write_text(json.dumps({"results": results}))
    assert cables(open_network(tmp_path / "interfaces.json").fabric) == {("leaf1:swp1", "spine1:swp1")}
    assert "marked as connected, or not reachable, so without a cable: leaf1 port swp2" in caplog.text


def test_what_fboss_expects(tmp_path):
    """Each port with expected values is a cable of the switch that the file is named after, one file or a folder."""
    for own, port, far_port in (("leaf1", "eth1/31/1", "eth1/1/1"), ("leaf2", "eth1/31/1", "eth1/2/1")):
        ports = [
            {"name": port, "speed": 400000, "expectedLLDPValues": {"2": far_port, "5": "spine1"}},
            {"name": "eth1/32/1", "expectedLLDPValues": {}},
        ]
        (tmp_path / f"{own}.json").write_text(json.dumps({"sw": {"ports": ports}}))
    assert cables(open_network(tmp_path / "leaf1.json").fabric) == {("leaf1:eth1/31/1", "spine1:eth1/1/1")}
    both = open_network(tmp_path).fabric
    assert len(cables(both)) == 2
    assert set(both.link_rate_gbps.tolist()) == {400.0}


def test_panels_of_netbox_are_followed(tmp_path):
    """A cable to the front of a panel and one from its rear are one, from device to device."""

    def cable(number, one, other):
        sides = [
            [{"object_type": kind, "object": {"name": port, "device": {"name": device}}}]
            for kind, device, port in (one, other)
        ]
        return {
            "id": number,
            "a_terminations": sides[0],
            "b_terminations": sides[1],
            "length": 2,
            "length_unit": {"value": "m"},
        }

    front, rear, interface = "dcim.frontport", "dcim.rearport", "dcim.interface"
    results = [
        cable(1, (interface, "leaf1", "swp31"), (front, "p1", "1")),
        cable(2, (rear, "p1", "1"), (rear, "p2", "1")),
        cable(3, (front, "p2", "1"), (interface, "spine1", "swp1")),
    ]
    (tmp_path / "cables.json").write_text(json.dumps({"count": 3, "next": None, "results": results}))
    assert cables(open_network(tmp_path / "cables.json").fabric) == {("leaf1:swp31", "spine1:swp1")}


@pytest.mark.parametrize("name", ["ptm", "sheet"])
@pytest.mark.parametrize("plan", ["cvt-ptm.dot", "tiny.clab.yml", "paddle.json"])
def test_what_is_written_is_read_back(name, plan, tmp_path):
    """Names, ports, hosts and cables come back from every format of named ports that is written."""
    fabric = open_network(HERE / plan).fabric
    (tmp_path / f"plan.{name}").write_bytes(encode(fabric.topology, FORMATS.find(name), ExportRequest(fabric)))
    back = open_network(tmp_path / f"plan.{name}", name).fabric
    assert cables(back) == cables(fabric)
    assert (set(back.switch_names), set(back.host_names)) == (set(fabric.switch_names), set(fabric.host_names))


@pytest.mark.parametrize(
    ("kind", "file"), [("sonic", ""), ("frr", ""), ("containerlab", "fabric.clab.yml"), ("air", "fabric.air.json")]
)
def test_exports_for_ethernet_are_read_back(kind, file, tmp_path):
    """Every file that starts a fabric is a plan of it: the same network, names and ports."""
    run("convert", "fat-tree:k=4", str(tmp_path / "out"), "--format", kind)
    plan, back = open_network("fat-tree:k=4").fabric, open_network(tmp_path / "out" / file).fabric
    comparison = compare_fabrics(plan, back, identify(plan, back))
    assert comparison.same
    assert comparison.ports == "exact"
    if kind == "sonic":
        assert set(back.link_rate_gbps.tolist()) == {400.0}


def test_a_workbook_is_a_sheet(tmp_path):
    """The sheets with heads for both ends are read; one of nodes is not."""
    book = openpyxl.Workbook()
    links = book.active
    links.title = "Links"
    for row in (
        ["Site plan"],
        ["A-Node", "A-Port", "Z-Node", "Z-Port"],
        ["leaf1", "swp31", "spine1", "swp1"],
        ["leaf1", 7, "gpu1", "eth1"],
    ):
        links.append(row)
    book.create_sheet("Nodes").append(["Node", "Type"])
    book.save(tmp_path / "plan.xlsx")
    assert cables(open_network(tmp_path / "plan.xlsx").fabric) == {
        ("leaf1:swp31", "spine1:swp1"),
        ("gpu1:eth1", "leaf1:7"),
    }
    (tmp_path / "cut.xlsx").write_bytes((tmp_path / "plan.xlsx").read_bytes()[:3000])
    with pytest.raises(InputError, match=r"cut\.xlsx: is (no workbook|a zip archive)"):
        open_network(tmp_path / "cut.xlsx")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("hello world\n", "neither its suffix nor its content"),
        ('<system version="1"><cpu/></system>', "NCCL's topology of one server"),
        ('<?xml version="1.0"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology/>', "hwloc's topology"),
        ('<algo name="ring"/>', "a schedule for MSCCL"),
        ("SwitchName=s1 Nodes=n[1-4]\n", "Slurm's topology.conf"),
        ("kind: HyperNode\n", "a scheduler of Kubernetes"),
        ("topology: [ Ring, Switch ]\n", "ASTRA-sim's network"),
        ("topology = torus;\nk = 8;\n", "a configuration of BookSim"),
        ("graph [\n node [ id 0 ]\n]\n", "GML"),
        ("*Vertices 3\n", "Pajek's format"),
        ("hosts = 4\n[switch]\nradix = 4\n", "a requirement"),
        ("%PDF-1.7\n", "a picture or a document"),
        ("Unicast lids [0x0-0x4] of switch Lid 1 guid 0x1 (x):\n", "forwarding tables"),
    ],
)
@pytest.mark.parametrize("suffix", ["", ".log", ".txt"])
def test_a_file_of_another_kind_is_named(content, what, suffix, tmp_path):
    """No text that is no network has switches: the sentence says what the file is, or that nothing is known of it."""
    path = tmp_path / f"file{suffix}"
    path.write_text(content)
    with pytest.raises(InputError, match=f"{re.escape(what)}|is not a switch id"):
        open_network(path)


def test_two_words_are_no_cable_plan(tmp_path):
    """A text of two words per line was two systems without cables."""
    (tmp_path / "a.topo").write_text("hello world\n")
    with pytest.raises(InputError, match="has no line of a cable"):
        open_network(tmp_path / "a.topo")


@pytest.mark.parametrize(("name", "size"), [("two-tiers.htsim.topo", (4 + 2, 32, 8)), ("three.anynet", (3, 5, 3))])
def test_files_of_simulators_are_networks(name, size):
    """htsim's tiers and BookSim's anynet, by their content."""
    topology = open_network(HERE / name).topology
    assert (topology.switches, topology.hosts, len(topology.links)) == size


def test_the_export_for_htsim_is_read_back(tmp_path):
    """The tiers of an exported fat tree make a network of its size and rates."""
    run("convert", "fat-tree:k=4", str(tmp_path / "out"), "--format", "htsim")
    back = open_network(tmp_path / "out" / "network.topo").topology
    assert (back.switches, back.hosts, len(back.links), back.uniform_rate_gbps) == (20, 16, 32, 400)
