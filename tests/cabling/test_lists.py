"""The lists: what is in each file, and that the files agree with one another."""

import csv
import io

import numpy as np
import pytest
from cabling_cases import FABRIC, odd_floor, rows, stand

from topoloom import build, open_network
from topoloom.cabling.cabling import cable
from topoloom.cabling.labels import label
from topoloom.cabling.lists import bundles_csv, cables_csv, labels_csv, order_csv
from topoloom.cost.parts_files import load_parts
from topoloom.formats import cables as cables_format
from topoloom.placement.layout.layout import Layout

LAYOUT = stand(build("slimfly:q=5,hosts=4"), 10)
CATALOGUE = """
name = "lengths"
source = "made up"
slack_m = 0.5
[switch]
per_port_usd = 1
[[cable]]
name = "Twinax, 40G"
medium = "passive copper"
use = "any"
reach_m = 3.5
lengths_m = [1, 2, 3.5]
prices_usd = [10, [20, 25], 30]
[[cable]]
name = "Optical"
medium = "optical"
use = "any"
lengths_m = [5, 10, 50]
base_usd = 100
per_metre_usd = [1, 2]
power_w_per_end = 1.5
"""


def files(layout, hosts=False, parts="slimfly-2014"):
    """The four lists of a layout."""
    done = cable(layout, parts, host_cables=hosts)
    labels = label(done)
    return cables_csv(done, labels), labels_csv(done, labels), bundles_csv(done), order_csv(done.bought)


@pytest.fixture
def parts(tmp_path):
    """A catalogue with lengths in stock, slack and ranges of prices."""
    (tmp_path / "lengths.toml").write_text(CATALOGUE)
    return load_parts(tmp_path / "lengths.toml")


@pytest.mark.parametrize("hosts", [False, True])
def test_a_row_of_the_cable_list(hosts):
    """Every column of the first cable, of a switch, and of a host's cable."""
    text, *_ = files(LAYOUT, hosts)
    table = rows(text)
    # A network without rates or panels has no columns of them.
    absent = ["rate_gbps", "host_rate_gbps", "way", *["hosts"] * hosts]
    assert tuple(text.splitlines()[0].split(",")) == (
        *(name for name in cables_format.COLUMNS if name not in absent),
        "label_subgraph",
        "label_group",
        "label_member",
    )
    first = {key: value for key, value in table[0].items() if value}
    assert first == {
        "cable": "1",
        "kind": "link",
        "bundle": "1",
        "a_rack": "A01",
        "a_height": "1",
        "a_switch": "0",
        "a_port": "8",
        "a_label": "A01-U01-P08",
        "b_rack": "B02",
        "b_height": "1",
        "b_switch": "30",
        "b_port": "5",
        "b_label": "B02-U01-P05",
        "length_m": "4",
        "stock_m": "4",
        "product": "fibre",
        "medium": "fibre",
        "usd_low": "305.68",
        "usd_high": "305.68",
        "currency": "USD",
        "power_w": "0",
    }
    switch = {key: value for key, value in table[-50].items() if value}
    assert switch.pop("hosts", "0..3" if hosts else "") == "0..3"
    assert switch == {
        "kind": "switch",
        "a_rack": "A01",
        "a_height": "1",
        "a_switch": "0",
        "a_label": "A01-U01",
        "topology": LAYOUT.topology.name,
        "spec": LAYOUT.topology.spec,
        "label_subgraph": "0",
        "label_group": "0",
        "label_member": "0",
    }
    assert len([row for row in table if row["kind"] == "host"]) == (200 if hosts else 0)
    if hosts:
        host = next(row for row in table if row["kind"] == "host")
        assert [host[key] for key in ("a_rack", "a_label", "b_rack", "b_switch", "b_port", "b_label", "bundle")] == [
            "A01",
            "A01-U01-P01",
            "",
            "host 0",
            "1",
            "H0-P1",
            "",
        ]


@pytest.mark.parametrize("hosts", [False, True])
@pytest.mark.parametrize("layout", [LAYOUT, stand(FABRIC, 3)], ids=["slimfly", "small"])
def test_the_lists_agree(layout, hosts):
    """Labels, bundles and the order are those of the cable list: the same cables, metres and money."""
    listed, labels, bundles, order = map(rows, files(layout, hosts))
    cables = [row for row in listed if row["kind"] != "switch"]
    assert [int(row["cable"]) for row in cables] == list(range(1, len(cables) + 1))
    assert [(int(row["cable"]), row["end"]) for row in labels] == [
        (i + 1, end) for i in range(len(cables)) for end in "ab"
    ]
    for row, end, other in zip(cables, labels[::2], labels[1::2], strict=True):
        assert end["line_1"] == f"{row['cable']:>05} {row['a_label']}"
        assert end["line_2"] == f"to {row['b_label']}"
        assert other["line_1"] == f"{row['cable']:>05} {row['b_label']}"
        assert other["line_2"] == f"to {row['a_label']}"
    for bundle in bundles:
        mine = cables[int(bundle["first_cable"]) - 1 : int(bundle["last_cable"])]
        assert mine == [row for row in cables if row["bundle"] == bundle["bundle"]]
        assert {(row["a_rack"], row["b_rack"]) for row in mine} == {(bundle["a_rack"], bundle["b_rack"])}
        assert int(bundle["cables"]) == len(mine)
        assert {row["length_m"] for row in mine} == {bundle["length_m"]}
        assert float(bundle["total_m"]) == pytest.approx(sum(float(row["length_m"]) for row in mine), abs=0.01)
        assert bundle["media"] == f"{len(mine)} {mine[0]['medium']}"
    assert sum(int(row["cables"]) for row in bundles) == sum(row["bundle"] != "" for row in cables)
    assert sum(int(row["pieces"]) for row in order) == len(cables)
    for key in ("usd_low", "usd_high"):
        assert sum(float(row[key]) for row in order) == pytest.approx(sum(float(row[key]) for row in cables), rel=1e-4)


def test_stock_lengths_slack_and_ranges(parts):
    """3 m and half a metre of slack are 3.5 m of copper; beyond its reach the optical one comes."""
    listed, _, _, order = map(rows, files(LAYOUT, parts=parts))
    seen = {(row["length_m"], row["stock_m"], row["product"], row["usd_low"], row["usd_high"]) for row in listed[:175]}
    assert seen == {
        ("1", "2", "Twinax, 40G", "20", "25"),
        ("3", "3.5", "Twinax, 40G", "30", "30"),
        ("4", "5", "Optical", "105", "110"),
        ("5", "10", "Optical", "110", "120"),
    }
    assert [
        tuple(row[key] for key in ("product", "medium", "supply", "stock_m", "usd_high", "power_w")) for row in order
    ] == [
        ("Twinax, 40G", "passive copper", "stock length", "2", str(25 * 55), "0"),
        ("Twinax, 40G", "passive copper", "stock length", "3.5", str(30 * 50), "0"),
        ("Optical", "optical", "stock length", "5", str(110 * 50), str(50 * 3)),
        ("Optical", "optical", "stock length", "10", str(120 * 20), str(20 * 3)),
    ]


def test_prices_that_are_not_known_are_empty_cells():
    """A catalogue with watts only leaves the prices open; it does not give cables away."""
    listed, _, _, order = map(rows, files(LAYOUT, parts="nakano-2016"))
    assert {row[key] for row in [*listed[:175], *order] for key in ("usd_low", "usd_high")} == {""}


def test_odd_names_are_cells_that_no_spreadsheet_computes():
    """Commas, quotes, line ends, other alphabets and formulas in the names of slots come through every list."""
    names = ('a,b;"c"\r\n', "=1+1", "Ψ <b>")
    layout = Layout(FABRIC, odd_floor(*names), odd_floor(*names).fixed, np.array([0, 0, 1, 1, 2, 2, 2], np.int32))
    listed, labels, bundles, order = files(layout)
    for text in (listed, bundles, order, labels):
        cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
        # A label of kind number may be negative; no other cell begins so.
        assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]
    assert {row["a_rack"] for row in rows(listed)} == {names[0], "'=1+1", names[2]}
    assert rows(labels)[0]["line_1"] == f"00001 {names[0]}-U02-P05"
    assert {row["b_rack"] for row in rows(bundles)} == {"'=1+1", names[2]}


def test_every_cord_of_a_cable_has_labels_of_its_own():
    """A link of 800 Gb/s over two cords: four labels, one per end of each cord; a copper cable has two."""
    done = cable(
        open_network("clos:leaves=8,spines=4,hosts=2").placed("koibuchi-2013", parts="ethernet-2026", rate_gbps=800)
    )
    labels = rows(labels_csv(done, label(done)))
    cords = [done.bought.parts.cable[product].cords for product in done.bought.product.tolist()]
    assert set(cords) == {1, 2}
    assert len(labels) == 2 * sum(cords)
    number = {"00001-1": 0, "00001-2": 0} | {row["line_1"].split()[0]: 0 for row in labels}
    for row in labels:
        number[row["line_1"].split()[0]] += 1
    assert set(number.values()) == {2}
