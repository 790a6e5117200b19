"""Switches of several products in one network: each occupies its own units, on every list and drawing."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from topoloom import build, cable, load_layout, place
from topoloom.cabling.files import save_cabling
from topoloom.cost.facility import supplies
from topoloom.cost.parts_files import load_parts
from topoloom.cost.terms import Terms
from topoloom.placement.floors.floor import PRESETS
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.layout.contents import rack_contents, rack_types

#: Four leaves of four 100G hosts and two 400G uplinks each, to two spines.
SPEC = "clos:leaves=4,spines=2,hosts=4+rates:links=400,hosts=100"

PARTS = """
name = "two heights"
source = "made up for this test"
unpriced = ["switch"]

[[switch.product]]
name = "leaf"
ports = [{ count = 4, rate_gbps = 100 }, { count = 2, rate_gbps = 400 }]
u = 1
weight_kg = 9

[[switch.product]]
name = "spine"
ports = 8
rate_gbps = 400
u = 4
weight_kg = 30

[[cable]]
name = "copper"
medium = "copper"
use = "any"
rates_gbps = [100, 400]
base_usd = 10
"""


@pytest.fixture
def sold(tmp_path):
    """The catalogue, as `place` takes it."""
    (tmp_path / "parts.toml").write_text(PARTS)
    return {"parts": load_parts(tmp_path / "parts.toml")}


def test_switches_in_one_rack_have_their_own_heights(sold, tmp_path):
    """By hand: leaves at 1, 2, 3, 4, spines of four units at 5 and 9; 12 units in use, in labels, NetBox, drawing, facility."""
    layout = place(build(SPEC), replace(PRESETS["koibuchi-2013"], switches_per_rack=6), map="rows", **sold)
    assert layout.height.tolist() == [1, 2, 3, 4, 5, 9]
    assert layout.rack_u.tolist() == [12]
    assert [(device.name, device.unit, device.units) for device in rack_contents(layout, 0)] == [
        *((f"S{leaf}", leaf + 1, 1) for leaf in range(4)),
        *(("S4", 5, 4), ("S5", 9, 4)),
    ]
    assert [(kind.switches, kind.height) for kind in rack_types(layout)] == [(6, 12)]
    terms = Terms().changed(**sold)
    assert [(rack.units, rack.weight_kg) for rack in supplies(layout, terms)] == [(12, 4 * 9 + 2 * 30)]
    save_cabling(cable(layout, sold["parts"]), tmp_path / "room")
    again = load_layout(tmp_path / "room")
    assert again.height.tolist() == layout.height.tolist()
    assert np.array_equal(again.switch_units, layout.switch_units)
    rows = {path.name: list(csv.DictReader(path.open())) for path in (tmp_path / "room" / "netbox").rglob("*.csv")}
    assert {row["model"]: row["u_height"] for row in rows["device-types.csv"] if row["model"] != "Host"} == {
        "leaf": "1",
        "spine": "4",
    }
    placed = {row["name"]: row["position"] for row in rows["devices.csv"] if row["name"].startswith("S")}
    assert placed == {"S0": "1", "S1": "2", "S2": "3", "S3": "4", "S4": "5", "S5": "9"}
    (drawing,) = (tmp_path / "room" / "elevations").glob("*.svg")
    assert "S3 · leaf · 1U" in drawing.read_text()
    assert "S4 · spine · 4U" in drawing.read_text()
    labels = {
        row["a_label"] for row in csv.DictReader((tmp_path / "room" / "cables.csv").open()) if row["kind"] == "switch"
    }
    assert labels == {f"A01-U{unit:02}" for unit in (1, 2, 3, 4, 5, 9)}


def test_racks_of_leaves_count_the_height_of_leaves(sold):
    """Hosts fill their racks: four leaves of one unit share a rack of 8 units with a shelf, two spines of four fill another."""
    shelf = RackDevice("shelf", racks="switches", u=1, hosts_below=0)
    room = Housing(HostType(name="srv", u=8), RackRule(u=9, leaf="mor", row=100, device=(shelf,)))
    layout = place(build(SPEC), "koibuchi-2013", housing=room, map="rows", **sold)
    contents = sorted(zip(layout.switches_in_rack.tolist(), layout.rack_u.tolist(), strict=True))
    assert contents[-2:] == [(2, 9), (4, 5)]
    assert layout.height.tolist() == [2, 3, 4, 5, 2, 6]
    (spines,) = [rack for rack in range(layout.racks) if layout.switches_in_rack[rack] == 2]
    assert [(device.kind, device.unit, device.units) for device in rack_contents(layout, spines)] == [
        ("switch", 2, 4),
        ("switch", 6, 4),
        ("device", 1, 1),
    ]
