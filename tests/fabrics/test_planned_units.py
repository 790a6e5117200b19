"""Rack and unit of both ends stand in every form of a fault, where the plan states them."""

import json

from in_process import run
from topoloom import diagnose, open_network

HEADS = "A-Rack,A-U,A-Node,A-Type,A-Port,Z-Rack,Z-U,Z-Node,Z-Type,Z-Port"


def planned(folder, *rows):
    """A sheet with racks and units."""
    (folder / "plan.csv").write_text("\n".join([HEADS, *rows]) + "\n")
    return folder / "plan.csv"


def heard(folder, name, **ports):
    """What one device hears: a device and its port, in NVUE's form."""
    folder.mkdir(exist_ok=True)
    content = {
        port: {
            "type": "swp",
            "link": {},
            "lldp": {"neighbor": {"1": {"chassis": {"system-name": device}, "port": {"name": far, "type": "ifname"}}}},
        }
        for port, (device, far) in ports.items()
    }
    (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def test_a_fault_says_rack_and_unit_in_every_form(tmp_path):
    """Text, JSON, SARIF and the sheets of watch have the unit after the rack; a rack without units has none."""
    plan = planned(
        tmp_path, "R01,40,leaf1,switch,swp1,R09,U10,spine1,switch,swp7", "R01,40,leaf1,switch,swp2,R02,,gpu1,host,eth1"
    )
    found = heard(tmp_path / "lldp", "leaf1", swp1=("spine1", "swp8"), swp3=("gpu1", "eth1"))
    heard(found, "spine1", swp8=("leaf1", "swp1"))
    first = "R01 U40 leaf1 port swp1 is in R09 U10 spine1 port swp8, should be port swp7"
    second = "R02 gpu1 port eth1 is in R01 U40 leaf1 port swp3, should be port swp2"
    out = run("verify", plan, found, "--sarif", tmp_path / "x.sarif").out
    assert first in out
    assert second in out
    record = run("verify", plan, found, "--json").record
    by_text = sorted((each["text"], each["racks"], each["places"]) for each in record["diagnostics"])
    assert by_text == [
        (f"other port: {first}", ["R01", "R09"], ["R01 U40", "R09 U10"]),
        (f"other port: {second}", ["R01", "R02"], ["R01 U40", "R02"]),
    ]
    results = json.loads((tmp_path / "x.sarif").read_text())["runs"][0]["results"]
    assert sorted(each["properties"]["places"] for each in results) == [["R01 U40", "R02"], ["R01 U40", "R09 U10"]]
    assert first in run("watch", plan, found, "-o", tmp_path / "sheets").out
    for sheet, text in (("todo-001-R01.html", first), ("todo-002-R02.html", second), ("todo-003-R09.html", first)):
        assert text in (tmp_path / "sheets" / sheet).read_text()


def test_plans_without_units_have_no_places(tmp_path):
    """The rack alone stands in the text and in `racks`."""
    plan = planned(tmp_path, "R01,,leaf1,switch,swp1,R09,,spine1,switch,swp7")
    found = heard(tmp_path / "lldp", "leaf1", swp1=("spine1", "swp8"))
    (diagnostic,) = diagnose(plan, found).diagnostics
    assert (diagnostic.racks, diagnostic.places) == (("R01", "R09"), ())
    assert "R01 leaf1 port swp1" in diagnostic.text


def test_paddles_have_units(tmp_path):
    """The elevation of a device in canu's paddle is its unit."""
    nodes = [
        {"id": 0, "common_name": "sw-leaf-001", "type": "switch", "location": {"rack": "x3000", "elevation": "u33"}},
        {"id": 1, "common_name": "sw-spine-001", "type": "switch", "location": {"rack": "x3001", "elevation": "u40"}},
    ]
    nodes[0]["ports"] = [{"port": 53, "speed": 100, "slot": None, "destination_node_id": 1, "destination_port": 1}]
    (tmp_path / "x.paddle.json").write_text(json.dumps({"topology": nodes}))
    assert open_network(tmp_path / "x.paddle.json").facts.places == ("x3000 U33", "x3001 U40")
