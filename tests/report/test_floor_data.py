"""The floor of a page to work in: every cable is there, each bundle once, and it takes little room."""

from pathlib import Path

import numpy as np
import pytest

from topoloom import build, place
from topoloom.cabling.cabling import Cabling, cable
from topoloom.cost.facility import rack_power
from topoloom.cost.parts_files import load_parts
from topoloom.cost.terms import Terms
from topoloom.figures.floor_view import View, rack_hints, racks_hold
from topoloom.placement.floors.floor_files import read_floor
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.placement.layout.tray_load import tray_load
from topoloom.report.floor_data import floor_data
from topoloom.report.floorplan import floorplan_svg
from topoloom.report.scripting import data_text

HALL = Path(__file__).parents[2] / "examples" / "floors" / "hall.toml"
PARTS = load_parts("slimfly-2014")


def _cables(spec: str, floor: str | Path, housing: Housing | None = None) -> Cabling:
    return cable(place(build(spec), read_floor(floor), map="rows", switch_w=30.0, housing=housing), PARTS)


@pytest.fixture(scope="module")
def housed() -> Cabling:
    """Hosts in racks of their own, four each, around their leaves."""
    return _cables(
        "fat-tree:k=8,hosts=32,levels=2",
        "slimfly-2014",
        Housing(HostType(u=10, power_w=5_000), RackRule(power_w=21_000, leaf="mor")),
    )


@pytest.mark.parametrize(
    ("spec", "floor"), [("slimfly:q=7,hosts=6", HALL), ("jellyfish:n=60,degree=6", "koibuchi-2013")]
)
def test_bundles_hold_all_cables_between_racks(spec, floor):
    """Between the same racks, as long as there, with the ports of every cable; the others are inside."""
    cables = _cables(spec, floor)
    data, layout = floor_data(cables), cables.layout
    bundles = data["bundles"]
    assert sum(bundles["count"]) == int(layout.between.sum())
    assert sum(data["racks"]["inside"]) == int((~layout.between).sum())
    links = {tuple(sorted(pair)) for pair in layout.topology.links.tolist()}
    for a, b, count, ports in zip(bundles["a"], bundles["b"], bundles["count"], bundles["ports"], strict=True):
        ends = np.array(ports).reshape(-1, 4)
        assert len(ends) == count
        assert {tuple(sorted(pair)) for pair in ends[:, [0, 2]].tolist()} <= links
        assert set(layout.rack[ends[:, 0]]) | set(layout.rack[ends[:, 2]]) == {a, b}
    assert data["assumed"] == (floor != HALL)


@pytest.mark.exhaustive
def test_cables_to_hosts_in_racks_are_bundles_too(housed):
    """In the data and in the picture; racks say what they hold, and what they draw."""
    layout = housed.layout
    assert layout.host_between.any()
    power = rack_power(layout, housed.terms)
    data = floor_data(housed, power)
    bundles = data["bundles"]
    to_hosts = sum(count for count, host in zip(bundles["count"], bundles["host"], strict=True) if host)
    assert to_hosts == int(layout.host_between.sum())
    assert sum(data["racks"]["hosts"]) == layout.topology.hosts
    assert data["kinds"][-1][0] == "host cable"
    hosts = np.bincount(layout.host_rack, minlength=layout.racks)
    switches = np.bincount(layout.rack, minlength=layout.racks)
    each = PARTS.switch_feed_w(layout.topology.radix, 40)
    assert data["racks"]["watts"] == pytest.approx(hosts * 5000 + switches * each, rel=1e-4)
    assert data["racks"]["power"] == [f"{watts / 1000:,.1f} kW" for watts in data["racks"]["watts"]]

    pairs, cables, colours = View(layout).bundles
    assert cables.sum() == int(layout.between.sum()) + to_hosts
    assert len(colours) == len(pairs)
    for text, there, held in zip(racks_hold(layout), hosts.tolist(), switches.tolist(), strict=True):
        assert (f"{there} host" in text, f"{held} sw" in text) == (there > 0, held > 0)
    assert power is not None
    assert f" {power.words[0]}, " in rack_hints(layout, power.words)[0]
    assert "to hosts" in floorplan_svg(layout)
    assert "maximum power of the rack [kW]" in floorplan_svg(layout, power=power)


def test_cables_to_hosts_lie_on_trays(housed):
    """What leaves racks in one direction crosses the stretches between them."""
    _, cables = tray_load(housed.layout)
    topology = housed.layout.topology
    places = housed.layout.slots.place_m
    ends = np.concatenate(
        [
            housed.layout.slot[topology.links],
            np.stack([housed.layout.slot[topology.endpoints], housed.layout.host_slot[topology.host]], axis=1),
        ]
    )
    # On a floor of places of 1 m x 1 m every metre is a stretch.
    assert cables.sum() == pytest.approx(np.abs(places[ends[:, 0]] - places[ends[:, 1]]).sum())


def test_ten_thousand_hosts_take_little_room():
    """A page of 1.5 MB has room for the floor of the Slim Fly of the example of ten thousand hosts."""
    cables = _cables("slimfly:q=19,hosts=15", "slimfly-2014")
    assert len(data_text(floor_data(cables, rack_power(cables.layout, Terms(parts=PARTS))))) < 400_000


def test_very_many_bundles_leave_the_weakest_out(monkeypatch):
    """The strongest stay, with the first of their cables; how many are missing is said."""
    monkeypatch.setattr("topoloom.report.floor_data._MOST_BUNDLES", 20)
    monkeypatch.setattr("topoloom.report.floor_data._MOST_CABLES", 40)
    cables = _cables("slimfly:q=7,hosts=6", HALL)
    data = floor_data(cables)
    assert len(data["bundles"]["a"]) == 20
    assert data["missing"] == len(cables.pairs) - 20
    assert {len(ports) for ports in data["bundles"]["ports"]} == {4 * 2}
