"""Lengths and units that a source states hold in every command; where it states none, the floor's do."""

import csv
import re

import numpy as np
import pytest
from test_adopted_commands import _sheet

from in_process import run
from topoloom import InputError, expand, open_network, price
from topoloom.placement.layout.layout import Layout

#: Of `_sheet`: the lengths of the links of leaf 1, 2 and 3, and of all links together.
LENGTHS, TOTAL_M = {6.0, 7.0, 8.0}, 42.0


def adopted(folder, text):
    (folder / "cables.csv").write_text(text)
    open_network(folder / "cables.csv").adopt(folder / "hall")
    return folder / "hall"


@pytest.fixture(scope="module")
def hall(tmp_path_factory):
    return adopted(tmp_path_factory.mktemp("stated"), _sheet())


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def laid(network):
    return network.with_layout().part(Layout)


def test_all_commands_use_the_stated_lengths(hall, tmp_path):
    """The list, the bill, the order and the delays have 42 m, and say that 6 of 6 are stated."""
    done = run("layout", hall, "-o", tmp_path / "plan")
    assert "6 of 6 between switches and 12 of 12 of hosts as the source states" in done.out
    listed = [row for row in rows(tmp_path / "plan" / "cables.csv") if row["kind"] == "link"]
    assert {float(row["length_m"]) for row in listed} == LENGTHS
    done = run("cost", hall)
    assert re.search(r"cable, \w+ +6 +42 m", done.out), done.out
    assert "18 of 18 cables have the lengths that the source states" in done.err
    for folder in (hall, tmp_path / "plan"):
        network = open_network(folder)
        assert network.lengths.link_m.sum() == TOTAL_M
        assert set(network.lengths.host_m.tolist()) == {2.0}
        assert price(network).lines[-1].length_m == TOTAL_M
    done = run("hops", hall, "--latency", "--switch-ns", "0", "--cable-ns-per-m", "1")
    assert "6 of 6 cables between switches" in done.err
    # The farthest leaves are 7 m and 8 m from a spine.
    assert "15" in done.out
    same = run("hops", tmp_path / "plan", "--latency", "--switch-ns", "0", "--cable-ns-per-m", "1")
    assert same.out == done.out


def test_delays_of_a_simulation_are_those_of_the_stated_lengths(hall, tmp_path):
    """An adopted folder, and the same with a layout, give the same points; others than those of equal cables."""
    assert run("layout", hall, "-o", tmp_path / "plan").code == 0
    words = ("--loads", "0.1", "--fast", "--jobs", "1", "--set", "cycle_ns=1")
    of_hall, of_plan = (run("simulate", folder, *words).out for folder in (hall, tmp_path / "plan"))
    tail = [text.partition("offered")[2] for text in (of_hall, of_plan)]
    assert tail[0] == tail[1]
    assert tail[0]
    bare = adopted(tmp_path, re.sub(r",[0-9]+$", ",", _sheet(), flags=re.M))
    assert run("simulate", bare, *words).out.partition("offered")[2] != tail[0]


def test_other_cables_have_the_lengths_of_the_floor(tmp_path):
    """Two of six are stated: the list says so, and the others are as without any."""
    some = adopted(tmp_path, re.sub(r"(leaf[23].*400G),[0-9]+$", r"\1,", _sheet(), flags=re.M))
    (tmp_path / "bare").mkdir()
    bare = laid(open_network(adopted(tmp_path / "bare", re.sub(r",[0-9]+$", ",", _sheet(), flags=re.M))))
    layout = laid(open_network(some))
    stated = layout.stated.link_m > 0
    assert stated.sum() == 2
    assert set(layout.length_m[stated].tolist()) == {6.0}
    assert np.array_equal(layout.length_m[~stated], bare.length_m[~stated])
    assert (
        "2 of 6 between switches and 12 of 12 of hosts as the source states; the others by the floor"
        in run("layout", some).out
    )
    assert "the others have 5 m" in run("hops", some, "--latency").err


def test_units_are_kept_in_the_layout_and_its_folder(hall, tmp_path):
    """The leaves are at U40, the spines at U11 and U12, in lists, labels and NetBox; switches without a unit in free ones."""
    assert run("layout", hall, "-o", tmp_path / "plan").code == 0
    at = {row["a_name"]: row["a_height"] for row in rows(tmp_path / "plan" / "cables.csv") if row["kind"] == "switch"}
    assert at == {"leaf1": "40", "leaf2": "40", "leaf3": "40", "spine1": "11", "spine2": "12"}
    assert "R01-U40-swp51" in (tmp_path / "plan" / "labels.csv").read_text()
    devices = {row["name"]: row["position"] for row in rows(tmp_path / "plan" / "netbox" / "devices.csv")}
    assert devices["leaf2"] == "40"
    assert laid(open_network(tmp_path / "plan")).height.tolist() == laid(open_network(hall)).height.tolist()
    # Units 1 to 4 of a leaf's rack have hosts.
    assert laid(open_network(hall)).height.tolist()[0] == 40
    after = expand(hall, 7, "splice", radix=64).layout
    assert (after.height[5:] >= 1).all()
    inside = {
        (after.rack_names[rack], unit) for rack, unit in zip(after.rack.tolist(), after.height.tolist(), strict=True)
    }
    assert len(inside) == 7
    assert not inside & {(f"R0{leaf}", unit) for leaf in (1, 2, 3) for unit in (1, 2, 3, 4)}


@pytest.mark.parametrize("text", ["U40", "u40", "40.0", "40-41", " 040 "])
def test_spellings_of_units(tmp_path, text):
    """As sheets and NetBox write them."""
    layout = laid(open_network(adopted(tmp_path, _sheet().replace(",40,leaf1", f",{text},leaf1"))))
    assert layout.height[0] == 40


def test_a_unit_above_every_rack_is_refused(tmp_path):
    """In one sentence with the device, its rack, and the remedy."""
    high = adopted(tmp_path, _sheet().replace("R01,40,leaf1", "R01,240,leaf1"))
    with pytest.raises(InputError, match="leaf1 is in unit 240 of rack R01, and racks have at most 100 units; correct"):
        open_network(high).placed()


def test_two_devices_in_one_unit_are_told(tmp_path, caplog):
    """With both names, the unit and the rack; both stay there."""
    shared = adopted(tmp_path, _sheet().replace("R01,40,leaf1", "R01,2,leaf1"))
    layout = open_network(shared).placed().part(Layout)
    assert "leaf1 and gpu12 are both in unit 2 of rack R01" in caplog.text
    assert layout.height[0] == 2
