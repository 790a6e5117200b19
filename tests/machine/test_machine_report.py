"""The report of a machine: its tables are those of cost, facility and info, and its sums are those of its parts."""

import html
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from machine_cases import SMALL, built

from in_process import run
from topoloom.machine.bill import price_machine
from topoloom.machine.facility import machine_facility
from topoloom.machine.folder import save_machine
from topoloom.machine.opening import open_machine
from topoloom.machine.overview import overview
from topoloom.machine.reading import machine_of
from topoloom.machine.report import MachineReport, machine_report
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.tray_load import tray_load
from topoloom.report.machine_page import machine_page, stored_assessments, write_machine_page
from topoloom.report.machine_room import common_layout

SCRIPT = "<script>alert(1)</script>"
#: Limits of the whole machine and of the room; two are exceeded.
LIMITS = """[limits]
cost_usd = 90_000
power_w = 60_000
racks = 12
switches = 20
[facility]
pue = 1.3
row_power_w = 40_000
[rack]
"""
#: Prices for all that the machine buys but racks.
PRICED = SMALL.replace('parts = "ethernet-2026"', 'parts = "slimfly-2014"').replace("[rack]\n", LIMITS, 1)
PRICED = re.sub(r'switch = \{ product = "\w+" \}', "switch = { radix = 64 }", PRICED)
#: The cells of a line that the command line prints, which are separated by two spaces or more.
_CELLS = re.compile(r" {2,}")


@pytest.fixture(scope="module")
def machine():
    """The small machine with prices and limits."""
    return built(machine_of(PRICED, "small.toml"))


@pytest.fixture(scope="module")
def folder(machine, tmp_path_factory):
    """Its folder."""
    path = tmp_path_factory.mktemp("report") / "machine"
    save_machine(machine, path)
    return path


@pytest.fixture(scope="module")
def shown(machine):
    """Its page."""
    return machine_page(machine, machine_report(machine))


@pytest.fixture
def room_only(monkeypatch):
    """Pages without the floor plans of the networks, which take most of a page's time, for what is not about these."""
    monkeypatch.setattr("topoloom.report.machine_page.floorplan_svg", lambda *_, **__: "<svg></svg>")


@pytest.fixture
def undrawn(room_only, monkeypatch):
    """Pages without any floor plan."""
    monkeypatch.setattr("topoloom.report.machine_room.floorplan_svg", lambda *_, **__: "<svg></svg>")
    monkeypatch.setattr("topoloom.report.machine_room.svg_text", lambda _: "<svg></svg>")


def _rows(page):
    """The rows of all tables, each as its cells."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.DOTALL)
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    return [[html.unescape(cell) for cell in row] for row in cells]


@pytest.mark.exhaustive
def test_the_tables_of_the_room_are_those_of_facility(folder, shown):
    """Every rack, every row and the total, to the last digit."""
    printed = [line for line in run("facility", folder).out.splitlines() if line.startswith(("rack ", "row ", "total"))]
    rows = _rows(shown)
    assert len(printed) > 6
    for line in printed:
        assert _CELLS.split(line.rstrip()) in rows, line


def test_the_bills_are_those_of_cost(folder, shown):
    """Every line with its count, metres, price and power."""
    rows = [[cell for cell in row if cell] for row in _rows(shown)]
    lines = [line for line in run("cost", folder).out.splitlines() if line.startswith("  ")]
    assert len(lines) > 15
    for line in lines:
        cells = [re.sub(r" (m|USD|W)$", "", cell) for cell in _CELLS.split(line.strip())]
        assert cells in rows, line


def test_networks_and_hosts_are_those_of_info(folder, shown):
    """All cells of a line of `info` are in one row."""
    text = run("info", folder).out
    rows = [set(row) for row in _rows(shown)]
    networks = text[text.index("\nnetwork ") : text.index("\nfabric: ")].splitlines()[2:]
    hosts = text[text.index("\nhosts ") : text.index("\nnetwork ")].splitlines()[2:]
    assert (len(networks), len(hosts)) == (4, 5)
    for line in networks:
        assert any(set(_CELLS.split(line)) <= row for row in rows), line
    for line in hosts:
        *cells, ports = _CELLS.split(line)
        numbers = {port.rpartition(" ")[2] for port in ports.split(", ")}
        assert any({*cells, *numbers} <= row for row in rows), line


def test_the_bills_of_the_networks_and_what_they_share_are_the_machines(machine, shown):
    """Recomputed from all lines; the page has each sum."""
    bill = price_machine(machine)
    rows = _rows(shown)
    for key in ("cost_low_usd", "cost_high_usd"):
        lines = [getattr(line, key) for each in bill.bills for line in each.lines]
        lines += [getattr(line, key) for line in bill.common]
        known = [value for value in lines if not math.isnan(value)]
        assert getattr(bill, key) == pytest.approx(sum(known), rel=1e-12)
    middles = {row[0]: row[4] for row in rows if len(row) == 7 and row[0] in (*bill.names, "total")}
    assert middles == {
        **{name: f"{each.cost_usd:,.0f}" for name, each in zip(bill.names, bill.bills, strict=True)},
        "total": f"{bill.cost_usd:,.0f}",
    }


def test_the_record_has_what_the_commands_have(folder, machine):
    """The command line, Python and the record agree, and it is read back."""
    record = run("report", folder, "--json").record
    result = machine_report(open_machine(folder))
    assert record == json.loads(msgspec.json.encode(result.record()))
    assert MachineReport.from_record(record).record() == result.record()
    for part, own in (("overview", overview(machine)), ("bill", price_machine(machine))):
        expected = {key: value for key, value in own.record().items() if key not in ("schema", "provenance")}
        assert record[part] == json.loads(msgspec.json.encode(expected))
    assert result.facility == machine_facility(machine)


def test_limits_tell_how_far_the_machine_is_from_each(machine, folder):
    """Each limit of the file once, with what takes most of it."""
    uses = {use.limit: use for use in machine_report(machine).limits}
    room, bill = machine_facility(machine), price_machine(machine)
    fullest = max(room.racks, key=lambda rack: rack.max_w)
    row = max(room.rows_of_floor, key=lambda each: each.max_w)
    expected = {
        "[limits] cost_usd": (bill.cost_usd, 90_000, "machine"),
        "[limits] power_w": (room.total.max_w, 60_000, "machine"),
        "[limits] racks": (len(machine.racks), 12, "machine"),
        "[limits] switches": (26, 20, "machine"),
        "[rack] power_w": (fullest.max_w, 12_000, f"rack {fullest.name}"),
        "[facility] row_power_w": (row.max_w, 40_000, f"row {row.name}"),
    }
    assert set(uses) == {*expected, "[rack] u"}
    for limit, (value, most, where) in expected.items():
        assert (uses[limit].value, uses[limit].most, uses[limit].where) == (value, most, where)
    assert "[limits] switches" in run("report", folder).out
    assert "exceeded by 6" in run("report", folder).out


@pytest.mark.usefixtures("room_only")
def test_a_rack_beyond_its_limit_is_said_and_drawn(machine, tmp_path):
    """`facility` refuses it in the same words; the report shows the whole room."""
    rack = msgspec.structs.replace(machine.requirement.rack, power_w=5_000.0)
    tight = replace(machine, requirement=msgspec.structs.replace(machine.requirement, rack=rack))
    report = machine_report(tight)
    save_machine(tight, tmp_path / "tight")
    assert report.exceeded == run("facility", tmp_path / "tight").error
    assert "raise power_w in [rack]" in html.unescape(machine_page(tight, report))


def test_the_common_floor_has_every_cable_of_every_network(machine):
    """Lengths and loads of trays of all networks together are those of each, summed."""
    layout, network = common_layout(machine)
    total, load = 0.0, 0
    for name, each in machine.networks.items():
        own = each.part(Layout)
        metres = own.length_m.sum() + own.host_length_m.sum()
        assert layout.length_m[network == name].sum() == pytest.approx(metres)
        assert (network == name).sum() == own.length_m.size + own.host_length_m.size
        total, load = total + metres, load + tray_load(own)[1].sum()
    assert layout.total_m == pytest.approx(total)
    assert tray_load(layout)[1].sum() == load
    assert sorted(layout.used.tolist()) == sorted(machine.slot.tolist())


def test_every_device_is_in_the_front_view_of_a_type(machine, shown):
    """Types of racks cover all racks; their first racks are drawn with the names of all that stands there."""
    assert [row for row in _rows(shown) if row[:1] == ["type 1"]]
    types = [row for row in _rows(shown) if re.fullmatch(r"type \d+", row[0]) and len(row) == 6]
    assert sum(int(row[1]) for row in types) == len(machine.racks)
    names = [name for row in types for name in row[5].split(", ")]
    assert sorted(names) == sorted(machine.rack_names)
    first = {row[5].split(", ")[0] for row in types}
    for kind in machine.kinds:
        numbers = np.array([name in shown for name in kind.names])
        assert numbers.any() or not {machine.rack_names[rack] for rack in machine.racks.host.tolist()} & first


@pytest.mark.usefixtures("undrawn")
def test_what_is_not_in_the_sums_is_said(machine, shown):
    """Hosts and further devices have no price; racks have none either."""
    text = html.unescape(shown)
    assert "The bill is that of the networks: 41 hosts and 12 PDU have no price in it." in text
    assert f"No price is known of {len(machine.racks)} x rack, 42 units (all networks)" in text
    unpriced = built(machine_of(SMALL, "small.toml"))
    text = html.unescape(machine_page(unpriced, machine_report(unpriced)))
    assert "Nothing in the bill has a price" in text
    assert "12 x switch, 12 ports (SN5600) (fabric)" in text


@pytest.mark.usefixtures("room_only")
def test_names_are_never_read_as_html(machine):
    """Title, hosts, devices, floor, catalogue: shown as they are written."""
    text = PRICED.replace("a small machine", f"title {SCRIPT}").replace('name = "PDU"', f'name = "PDU {SCRIPT}"')
    text = text.replace('name = "gateway"', f'name = "gateway {SCRIPT}"\nnode = "gateway"')
    hostile = built(machine_of(text, "small.toml"))
    hostile = replace(hostile, floor=replace(hostile.floor, name=f"floor {SCRIPT}"))
    page = machine_page(hostile, machine_report(hostile))
    assert "<script" not in page
    for word in ("title", "PDU", "gateway", "floor"):
        assert html.escape(f"{word} {SCRIPT}") in page


def test_the_page_fetches_nothing(shown):
    """No script, and nothing from elsewhere."""
    assert not re.search(r"(src|href)=\"(?!#|data:)|url\((?!#)|@import", shown)
    assert "<script" not in shown
    ids = re.findall(r'href="#([\w-]+)"', shown.partition("</nav>")[0])
    assert len(ids) == 9
    assert all(f'id="{name}"' in shown for name in ids)


@pytest.mark.usefixtures("room_only")
def test_design_and_report_write_the_page(tmp_path):
    """`design` into its folder; `report` gives the same page."""
    text = (
        'title = "two networks"\nparts = "slimfly-2014"\n[[host]]\nname = "node"\ncount = 6\nu = 1\npower_w = 300\n'
        "ports = { fabric = 1, oob = 1 }\n"
        '[[network]]\nname = "fabric"\nrate_gbps = 40\nspec = "clos:leaves=2,spines=1,hosts=6"\n'
        '[[network]]\nname = "oob"\nrate_gbps = 10\nswitch = { radix = 24 }\nserves = "everything"\nuplink = "fabric"\n'
    )
    (tmp_path / "machine.toml").write_text(text)
    done = run("design", tmp_path / "machine.toml", "-o", tmp_path / "machine", "--jobs", 1)
    assert done.code == 0, done.err
    page = (tmp_path / "machine" / "report.html").read_text(encoding="utf-8")
    assert f"report: {tmp_path / 'machine' / 'report.html'}" in done.out
    done = run("report", tmp_path / "machine", "-o", tmp_path / "page.html")
    assert done.code == 0, done.err
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    machine = open_machine(tmp_path / "machine")
    assessments = stored_assessments(tmp_path / "machine", machine)
    write_machine_page(machine, machine_report(machine), tmp_path / "again.html", assessments)
    assert assessments["fabric"].figure("uniform_throughput").label in html.unescape(page)
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("petersen",), "petersen is no folder of a machine; 'topoloom design' writes the report of one network"),
        (("small.toml",), "is a machine file; 'topoloom design' makes the machine: name its folder"),
        (("petersen", "-o", "page.pdf"), "end its name in .html"),
        (("petersen", "-o", "nowhere/page.html"), "there is no folder nowhere; create it first"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(words, sentence, tmp_path, monkeypatch):
    """With the remedy."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL)
    done = run("report", *words)
    assert done.code == 2
    assert sentence in done.error
