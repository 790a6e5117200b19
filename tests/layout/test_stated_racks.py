"""Where a source states the rack of every switch, a layout keeps it: the places are those of the hall, not a search's."""

from pathlib import Path

import pytest

from topoloom import open_network

PLAN = Path(__file__).parents[1] / "formats" / "fixtures" / "plans" / "cvt-p2p-ethernet.csv"
STATED = ["R01", "R02", "R09", "R09"]
HALL = """
[[slot]]
name = "R09"
x_m = 0
y_m = 5
[[slot]]
name = "R02"
x_m = 3
y_m = 0
[[slot]]
name = "R01"
x_m = 0
y_m = 0
"""
HOSTILE = (
    "A-Rack,A-Node Name,A-Type,A-Port,Z-Rack,Z-Node Name,Z-Type,Z-Port\n"
    '"R""1, <b>",a,Switch,swp1,=cmd()|7,b,Switch,swp1\n'
)


def test_switches_stand_in_the_racks_that_the_source_states(tmp_path):
    """Without a floor, in rows by the names of racks; also from the folder, and from the folder of the layout."""
    network = open_network(PLAN).adopt(tmp_path / "hall")
    placed = network.placed()
    assert placed.layout.rack_of_switch == STATED
    assert placed.layout.made == "the racks that the source states"
    placed.save(tmp_path / "placed")
    assert open_network(tmp_path / "placed").layout == placed.layout
    # R01 and R09 are 8 places of the row apart.
    assert placed.layout.longest_m == pytest.approx(
        placed.layout.floor.width_m * 8 + 2 * placed.layout.floor.overhead_end_m
    )


def test_a_floor_with_slots_of_these_names_gives_true_lengths(tmp_path):
    """Each switch is in the slot with the name of its rack."""
    (tmp_path / "hall.toml").write_text(HALL)
    layout = open_network(PLAN).placed(tmp_path / "hall.toml").layout
    assert layout.rack_of_switch == STATED
    assert layout.slots.place_m[layout.slot].tolist() == [[0, 0], [3, 0], [0, 5], [0, 5]]


@pytest.mark.parametrize("changes", [{"room": "slimfly-2014"}, {"cluster": "sequential"}, {"map": "rows"}, {"rows": 1}])
def test_other_places_are_only_asked_for(caplog, changes):
    """A floor without these slots places the switches anew and says so; a given cluster or map says what is wanted."""
    layout = open_network(PLAN).placed(**changes).layout
    assert not set(layout.rack_of_switch) & set(STATED)
    asked_for = "cluster" in changes or "map" in changes
    assert ("has no slot 'R01' (3 of 3 racks are not there)" in caplog.text) != asked_for


def test_hostile_names_of_racks_go_through_the_folder(tmp_path):
    """Quotes, markup and formulas are names as all others."""
    (tmp_path / "plan.csv").write_text(HOSTILE)
    placed = open_network(tmp_path / "plan.csv").placed()
    assert placed.layout.rack_of_switch == ['R"1, <b>', "=cmd()|7"]
    placed.save(tmp_path / "placed")
    assert open_network(tmp_path / "placed").layout == placed.layout
