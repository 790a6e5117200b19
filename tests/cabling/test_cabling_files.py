"""A cabling in a folder, and the layout that comes back from it."""

import csv
import io
import logging
import random
from dataclasses import replace

import numpy as np
import pytest
from cabling_cases import FABRIC, odd_floor, rows, stand

from topoloom import InputError, build, load
from topoloom.cabling.cabling import cable
from topoloom.cabling.files import load_layout, save_cabling
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import preset
from topoloom.placement.layout.layout import Layout

ODD = odd_floor("A,1", '"B"', "=C;", "Ψ\n")
LAYOUTS = {
    "slimfly": stand(build("slimfly:q=5,hosts=4"), 10),
    "aisles": stand(build("torus:dims=6x6,hosts=2"), 2, "koibuchi-2013", aisle_every=2, aisle_m=1.2),
    "grid": stand(build("torus:dims=4x4,hosts=1"), 1, "nakano-grid", rows=5, columns=4),
    "small": stand(FABRIC, 3),
    "odd names": Layout(FABRIC, ODD, ODD.fixed, np.array([3, 0, 1, 3, 0, 1, 0], np.int32)),
    "euclidean": stand(FABRIC, 2, distance="euclidean"),
}


@pytest.fixture
def saved(tmp_path):
    """A small layout in a folder."""
    save_cabling(cable(LAYOUTS["small"]), tmp_path)
    return tmp_path


@pytest.mark.parametrize("hosts", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_layout_comes_back_from_its_folder(tmp_path, caplog, layout, hosts):
    """The same topology, labels, name and spec, slots, racks and lengths; without a warning, sorted in any way."""
    written = save_cabling(cable(layout, host_cables=hosts), tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in written} == {
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    }
    header, *lines = csv.reader(io.StringIO((tmp_path / "cables.csv").read_bytes().decode(), newline=""))
    random.Random(1).shuffle(lines)
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=";").writerows([header, *lines])
    for text in (None, out.getvalue()):
        if text is not None:
            (tmp_path / "cables.csv").write_bytes(text.encode())
        back = load_layout(tmp_path)
        assert back == layout == load_layout(tmp_path / "cables.csv")
        assert back.topology == load(tmp_path / "cables.csv") == layout.topology
        assert (back.topology.name, back.topology.spec) == (layout.topology.name, layout.topology.spec)
        assert (back.slots.names, back.floor.name) == (layout.slots.names, layout.floor.name)
        assert np.array_equal(back.height, layout.height)
    assert not caplog.text


def test_the_files_of_a_folder(saved):
    """What is written, and that sheets of a larger layout do not stay behind."""
    names = sorted(path.relative_to(saved).as_posix() for path in saved.rglob("*.*"))
    lists = ["bundles.csv", "cables.csv", "elevations.html"]
    lists += [f"elevations/type-{number}.svg" for number in (1, 2)] + ["floor.toml", "labels.csv"]
    netbox = ["cables", "device-roles", "device-types", "devices", "interfaces", "manufacturers", "racks", "sites"]
    sheets = ["index", "rack-001-A01", "rack-002-A02", "rack-003-B01"]
    assert names == [
        *lists,
        *(f"netbox/{name}.csv" for name in netbox),
        "network.json",
        "order.csv",
        "parts.json",
        "provenance.json",
        *(f"sheets/{name}.html" for name in sheets),
        "topology.json",
    ]
    (saved / "sheets" / "mine.html").write_text("")
    save_cabling(cable(stand(FABRIC, 7)), saved)
    assert sorted(path.name for path in (saved / "sheets").iterdir()) == [
        "index.html",
        "mine.html",
        "rack-001-A01.html",
    ]


def edit(folder, change):
    """Change the rows of a folder's cable list."""
    table = rows((folder / "cables.csv").read_text(encoding="utf-8"))
    change(table)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, table[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    (folder / "cables.csv").write_text(out.getvalue(), encoding="utf-8")


def test_lengths_measured_by_hand_are_told(saved, caplog):
    """Other lengths than the floor's warn once, with the first line and how many; what is no length is left aside."""

    def measure(table):
        table[1]["length_m"], table[3]["length_m"], table[5]["length_m"] = "7,5", "9", "ordered"

    edit(saved, measure)
    with caplog.at_level(logging.WARNING):
        assert load_layout(saved) == LAYOUTS["small"]
    assert len(caplog.records) == 1
    assert "cables.csv:3: the cable is 7.5 m long here and" in caplog.text
    assert "2 of 9 lengths differ" in caplog.text
    caplog.clear()
    edit(saved, lambda table: [row.update(length_m="99") for row in table])
    load_layout(saved)
    assert "cables.csv:2: the cable is 99 m long here and" in caplog.text


def test_a_switch_that_was_moved_is_found_in_its_new_slot(saved, caplog):
    """Slots may be changed by hand, on the row of a switch alone where its cables do not say another."""

    def move(table):
        for row in table:
            for end in "ab":
                if row["kind"] == "link":
                    row[f"{end}_rack"] = ""
            if row["kind"] == "switch" and row["a_switch"] == "0":
                row["a_rack"] = "B02"

    edit(saved, move)
    old = LAYOUTS["small"]
    moved = load_layout(saved)
    assert moved == replace(old, slot=np.concatenate([[3], old.slot[1:]]))
    assert "lengths differ, the floor's are used" in caplog.text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"a_rack": "Z9"}, r"cables\.csv:2: .*floor\.toml has no slot 'Z9'; name one of its slots"),
        ({"a_rack": "A02"}, r"cables\.csv:3: switch 1 is in rack 'A01', but in 'A02' on line 2"),
        ({"kind": "switch", "a_switch": "0"}, r"cables\.csv:11: switch 0 already has the row of line 2"),
        ({"a_switch": "7"}, "switch 7 has no row of kind switch"),
    ],
)
def test_what_is_wrong_with_a_row_is_said(saved, change, reason):
    """One sentence with file and line."""
    edit(saved, lambda table: table[0].update(change))
    with pytest.raises(InputError, match=reason):
        load_layout(saved)


def test_slots_that_the_floor_does_not_have_are_refused(saved):
    """The first line that names one."""

    def rename(table):
        for row in table:
            row.update({key: "Q7" for key in ("a_rack", "b_rack") if row[key] == "A02"})

    edit(saved, rename)
    with pytest.raises(InputError, match=r"cables\.csv:\d+: .*floor\.toml has no slot 'Q7'; name one of its slots"):
        load_layout(saved)


def test_a_switch_without_a_rack_is_refused(saved):
    """A layout says where everything stands."""
    edit(saved, lambda table: [row.update(a_rack="", b_rack="") for row in table])
    with pytest.raises(InputError, match=r"cables\.csv: switch 0 has no rack; name the slot"):
        load_layout(saved)


def test_a_list_without_its_floor_is_refused(saved):
    """The two files belong together."""
    (saved / "floor.toml").unlink()
    with pytest.raises(InputError, match=r"floor\.toml: there is no such file; a layout is a cable list and the floor"):
        load_layout(saved)
    with pytest.raises(InputError, match=r"there is no such file"):
        load_layout(saved / "none.csv")


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    """One sentence."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file; name a folder"):
        save_cabling(cable(LAYOUTS["small"]), tmp_path / "file")


def test_a_floor_of_another_hand_is_taken(saved):
    """The floor file may be written again: a preset alone has as many places as the racks need."""
    (saved / "floor.toml").write_text('preset = "slimfly-2014"\n[grid]\n')
    assert load_layout(saved) == LAYOUTS["small"]


@pytest.mark.parametrize("seed", range(12))
def test_any_fabric_in_any_slots_comes_back(tmp_path, seed, caplog):
    """Random multigraphs, hosts with several ports, empty slots, switches without links; also one switch alone."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 20)) if seed else 1
    links = draw.integers(0, n, (int(draw.integers(0, 40)), 2))
    endpoints = draw.integers(0, n, int(draw.integers(0, 12)))
    host = np.unique(draw.integers(0, 5, endpoints.size), return_inverse=True)[1].ravel()
    topology = Topology(links[links[:, 0] != links[:, 1]], n, endpoints, host, {"x": draw.random(n)})
    floor = replace(preset("koibuchi-2013"), rows=2, columns=3)
    layout = Layout(topology, floor, floor.slots_for(1), draw.integers(0, 6, n).astype(np.int32))
    save_cabling(cable(layout, host_cables=bool(seed % 2)), tmp_path)
    assert load_layout(tmp_path) == layout
    assert not caplog.text
