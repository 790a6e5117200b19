"""Lists, labels and imports of layouts with panels: who follows them finds every link from port to port, and nothing twice."""

import csv
import io
import json
import re
from collections import Counter

import numpy as np
import pytest
from test_plant import PARTS

from netbox_import import imported, read, traced
from topoloom import build, load_layout, open_network, place, price
from topoloom.cabling.cabling import cable
from topoloom.cabling.files import cabling_files, save_cabling
from topoloom.cabling.labels import label
from topoloom.cabling.laid import CORD, HOST, TRUNK
from topoloom.cabling.netbox import netbox_files
from topoloom.cabling.plugs import load_plugs
from topoloom.figures.floor_view import View
from topoloom.placement.layout.tray_load import tray_load
from topoloom.report.elevation_data import elevation_data
from topoloom.report.floor_data import floor_data


def rows(text):
    """A CSV file as dicts."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    path = tmp_path_factory.mktemp("parts") / "shuffling.toml"
    path.write_text(PARTS)
    return str(path)


SMALL = "shuffled:n=32,degree=16,r=8,hosts=2"
CASES = {
    "shuffle": (SMALL, {"rate_gbps": 100}),
    "racks": ("fat-tree:k=8", {"parts": "ethernet-2026", "rate_gbps": 400, "map": "rows"}),
    "rows": ("fat-tree:k=8", {"parts": "ethernet-2026", "rate_gbps": 400, "map": "rows"}),
    "field": ("fat-tree:k=8", {"parts": "ethernet-2026", "rate_gbps": 400, "map": "rows"}),
}


@pytest.fixture(scope="module", params=CASES)
def cabling(request, parts):
    """The cabling of a network whose links pass through panels."""
    spec, settings = CASES[request.param]
    settings = {"parts": parts} | settings
    layout = place(build(spec), panels=request.param, **settings)
    return cable(layout, settings["parts"], settings["rate_gbps"], host_cables=request.param == "shuffle")


@pytest.fixture(scope="module")
def files(cabling):
    """All files of its folder."""
    return cabling_files(cabling)


def inside(cabling):
    """What is joined in each panel: (panel, port, place in the port) to the same; from the kinds of panels alone."""
    plant, joined = cabling.layout.plant, {}
    for name, kind in zip(plant.names, plant.panel.tolist(), strict=True):
        panel = plant.panels[kind]
        for at, to in enumerate(panel.inside.tolist()):
            a, b = panel.port_of[at], panel.port_of[to]
            joined[name, panel.port_name(a), int(at - panel.first[a])] = (
                name,
                panel.port_name(b),
                int(to - panel.first[b]),
            )
    return joined


def switch_ports(text):
    """The numbers of the ports in ``P49..P52`` or ``P07``."""
    first, _, last = text.partition("..")
    return range(int(first[1:]), int((last or first)[1:]) + 1)


def test_every_link_is_found_by_following_the_lists_from_port_to_port(cabling, files):
    """From a port of a switch along cords, panels and trunks, pair by pair, to the port of the cable list, and back."""
    plant, fibres = cabling.layout.plant, rows(files["fibre_cables.csv"])
    plugged = {}
    for row in fibres:
        for side, other in ("ab", "ba"):
            device = row[f"{side}_device"]
            if device.startswith("S") and device[1:].isdigit():
                for lane, port in enumerate(switch_ports(row[f"{side}_port"])):
                    plugged[device, port] = row, other, lane * plant.link_pairs
            else:
                assert (device, row[f"{side}_port"]) not in plugged, "two cables in a port"
                plugged[device, row[f"{side}_port"]] = row, other, 0
    joined, links, found = inside(cabling), [], 0
    for row in rows(files["cables.csv"]):
        if not row["way"]:
            continue
        start = f"S{row['a_switch']}", int(row["a_port"])
        fibre, side, pair = plugged[start]
        way = []
        while True:
            device, port = fibre[f"{side}_device"], fibre[f"{side}_port"]
            way.append(fibre)
            if device[1:].isdigit() and device.startswith("S"):
                end = device, switch_ports(port)[pair // plant.link_pairs]
                break
            entered = f"{device}:{port}"
            device, port, pair = joined[device, port, pair]
            links.append(f"{entered}/{port}")
            fibre, side, offset = plugged[device, port]
            pair += offset
        assert end == (f"S{row['b_switch']}", int(row["b_port"]))
        assert " > ".join(links) == row["way"]
        assert float(row["length_m"]) == pytest.approx(sum(float(each["length_m"]) for each in way))
        words = {f"{row['a_label']} to {row['b_label']}", f"{row['b_label']} to {row['a_label']}"}
        assert all(words & set(each["carries"].split("; ")) for each in way)
        links, found = [], found + 1
    assert found == int(plant.through.sum())
    carried = sum(int(row["links"]) for row in fibres)
    assert (
        carried
        == int((plant.ways.fibre >= 0).sum())
        == sum(len(row["carries"].split("; ")) for row in fibres if row["links"] != "0")
    )


def test_no_cable_is_counted_twice(cabling, files):
    """Cables of links and hosts, cords and trunks: numbers 1 to their count, each label once, sums as those of the lists."""
    layout, plant = cabling.layout, cabling.layout.plant
    listed, fibres = rows(files["cables.csv"]), rows(files["fibre_cables.csv"])
    own = [row for row in listed if row["kind"] in ("link", "host") and row["cable"]]
    assert sum(row["kind"] == "link" and not row["cable"] for row in listed) == int(plant.through.sum())
    numbers = sorted(int(row["cable"]) for row in own + fibres)
    assert numbers == list(range(1, cabling.cables + 1))
    assert Counter(row["kind"] for row in fibres) == {"cord": plant.cords, "trunk": plant.trunks}
    for name, total in (("length_m", cabling.total_m), ("stock_m", cabling.stock_m)):
        assert sum(float(row[name]) for row in own + fibres) == pytest.approx(total)
    labels = rows(files["labels.csv"])
    ends = [row["line_1"].partition(" ")[2] for row in labels]
    assert len(labels) == 2 * cabling.cables
    assert len(set(ends)) == len(ends)
    near = {row["line_1"] for row in labels}
    assert all(f"{int(row['cable']):05d} {row[f'{side}_label']}" in near for row in fibres for side in "ab")
    bundles = rows(files["bundles.csv"])
    assert sum(int(row["cables"]) for row in bundles) == int((cabling.laid.bundle >= 0).sum())
    assert len(bundles) == cabling.bundles
    counts = layout.bundles[1]
    hosts = 0 if layout.host_slot is None else int(layout.host_between.sum())
    assert int(counts.sum()) + hosts == int(cabling.bundle_sizes.sum())
    assert cabling.total_m == pytest.approx(
        plant.length_m.sum()
        + layout.length_m[layout.cabled_alone].sum()
        + layout.host_length_m[: cabling.host_cables].sum()
    )


def test_the_order_and_the_bill_have_the_same_cables_and_panels(cabling, files):
    """Count and metres of each kind of cord and trunk; every panel; and no link through panels is ordered."""
    plant, order = cabling.layout.plant, rows(files["order.csv"])
    bill = price(cabling.layout, cabling.bought.parts, rate_gbps=cabling.rate_gbps)
    lines = {line.item: line for line in bill.lines}
    assert all(int(row["pieces"]) > 0 for row in order)
    for kind, names in (("panel", plant.panels), ("cord", plant.fibres), ("trunk", plant.fibres)):
        for part in names:
            own = [row for row in order if row["medium"] == kind and row["product"] == part.name]
            line = lines.get(part.name if part.name.startswith(kind) else f"{kind}, {part.name}")
            if own:
                assert line.count == sum(int(row["pieces"]) for row in own)
                assert line.length_m == pytest.approx(sum(float(row["total_m"]) for row in own))
    fibres = sum(float(row["total_m"]) for row in order if row["medium"] in ("cord", "trunk"))
    assert fibres == pytest.approx(plant.stock_m.sum())


def test_trunks_are_pulled_before_cords_rack_after_rack_the_longest_first(cabling):
    laid, layout = cabling.laid, cabling.layout
    between = laid.bundle >= 0
    assert (np.diff(laid.bundle[between]) >= 0).all()
    assert not between[int(between.sum()) :].any(), "cables inside racks come last"
    first = np.array([laid.kind[laid.bundle == bundle].min() for bundle in range(cabling.bundles)], int)
    first = np.minimum(first, 2)
    assert (np.diff(first) >= 0).all(), "bundles with trunks, then those with cords, then the others"
    apart_m = layout.slots.apart_m(layout.used[cabling.pairs[:, 0]], layout.used[cabling.pairs[:, 1]]).round(6)
    steps = [(phase, rack, -far) for phase, rack, far in zip(first, cabling.pairs[:, 0], apart_m, strict=True)]
    assert steps == sorted(steps)
    for bundle in range(cabling.bundles):
        assert (np.diff(laid.kind[laid.bundle == bundle]) >= 0).all()


def test_every_panel_is_listed_with_its_free_ports(cabling, files):
    plant, panels = cabling.layout.plant, rows(files["panels.csv"])
    assert [row["panel"] for row in panels] == list(plant.names)
    used = Counter(map(tuple, plant.ends.reshape(-1, 2)[plant.ends.reshape(-1, 2)[:, 0] >= plant.switches].tolist()))
    assert set(used.values()) == {1}
    assert sum(int(row["front_used"]) + int(row["rear_used"]) for row in panels) == len(used)
    for row in panels:
        for side in ("front", "rear"):
            assert len(row[f"{side}_free"].split()) == int(row[f"{side}_ports"]) - int(row[f"{side}_used"])
    places = [(row["rack"], row["unit"]) for row in panels]
    most = round(1 / plant.panels[0].u)
    assert max(Counter(places).values()) <= most, "no more panels in a unit than it holds"


def test_netbox_imports_panels_and_traces_every_link(cabling):
    """Its trace from each interface, over front and rear ports, ends at the interface at the other end of the link."""
    tables = imported(
        {
            name: text
            for name, text in netbox_files(cabling, label(cabling)).items()
            if "/" not in name and name.endswith("csv")
        }
    )
    ends = traced(tables)
    layout = cabling.layout
    for (u, v), (p, q) in zip(layout.topology.links.tolist(), layout.link_ports.tolist(), strict=True):
        assert ends[f"S{u}", f"P{p}"] == (f"S{v}", f"P{q}")
        assert ends[f"S{v}", f"P{q}"] == (f"S{u}", f"P{p}")
    devices = {row["name"]: row for row in tables["devices.csv"]}
    assert all(devices[name]["role"] == "Fibre panel" for name in layout.plant.names)
    fibre = [
        row
        for row in tables["cables.csv"]
        if row["side_a_type"] != "dcim.interface" or row["side_b_type"] != "dcim.interface"
    ]
    assert {row["type"] for row in fibre} == {"smf-os2"}


def test_a_cord_of_several_links_is_one_cable_for_newer_releases(cabling):
    """As many objects as there are cables; each end of the plain file is in one of them."""
    files = netbox_files(cabling, label(cabling))
    if "cables.rest.json" not in files:
        assert max(cabling.layout.plant.pairs[~cabling.layout.plant.is_trunk]) // cabling.layout.plant.link_pairs == 1
        return
    objects, table = json.loads(files["cables.rest.json"]), read(files["4.7/cables.csv"])
    assert len(objects) == len(table) == cabling.cables
    for row, item in zip(table, objects, strict=True):
        a, b = (row[f"side_{side}_name"].split(",") for side in "ab")
        assert len(a) == len(b) or row["profile"].startswith("breakout") or len(a) == 1
        assert [end["name"] for end in item["a_terminations"]] == a
        assert {end["object_type"] for end in item["a_terminations"]} == {row["side_a_type"]}
        if "dcim.frontport" in (row["side_a_type"], row["side_b_type"]):
            assert row["profile"] == "trunk-4c1p"


def test_a_folder_read_back_has_the_same_cables_with_the_same_numbers(cabling, tmp_path):
    save_cabling(cabling, tmp_path / "net")
    again = load_layout(tmp_path / "net")
    assert again == cabling.layout
    same = cable(again, cabling.bought.parts, cabling.rate_gbps, cabling.with_hosts, load_plugs(tmp_path / "net"))
    for column in ("row", "fibre", "kind", "racks", "bundle", "number", "length_m", "stock_m"):
        assert np.array_equal(getattr(same.laid, column), getattr(cabling.laid, column)), column
    assert label(same).laid == label(cabling).laid


def test_sheets_have_each_end_of_each_cord_and_trunk(cabling, files):
    """At a panel once, at a switch once per link; the far end is named there."""
    pages = "".join(text for name, text in files.items() if name.startswith("sheets/rack"))
    for number, a, b in label(cabling).laid:
        near = re.findall(rf'<td>{number}</td><td class="label">([^<]+)</td>', pages)
        assert set(near) <= {a, b}
        assert len(set(near)) == 2 or "H" in b
    for panel in label(cabling).panel:
        assert f">{panel} <span>" in pages


def test_pictures_and_pages_count_cords_and_trunks(cabling):
    """The floor plan, the viewer of the floor, the elevations and the trays have each once, and no link through panels."""
    layout, plant = cabling.layout, cabling.layout.plant
    wires = View(layout).wires
    assert len(wires.length_m) == plant.fibre.size + int(layout.cabled_alone.sum())
    data = floor_data(cabling)
    assert sum(data["bundles"]["count"]) == int((cabling.laid.bundle >= 0).sum())
    assert {kind for kind, _ in data["kinds"]} >= set(
        np.array(("trunk", "cord"))[np.unique(cabling.laid.kind[(cabling.laid.bundle >= 0) & ~cabling.laid.own])]
    )
    segments, load = tray_load(layout)
    tray_m = float((np.abs(segments[:, 2:] - segments[:, :2]).sum(axis=1) * load).sum())
    ends = layout.place_m[cabling.laid.racks[cabling.laid.bundle >= 0]]
    own = cabling.laid.kind[cabling.laid.bundle >= 0] != HOST
    if layout.slots.rule != "trays":
        assert tray_m == pytest.approx(np.abs(ends[own, 0] - ends[own, 1]).sum())
    assert int((cabling.laid.kind <= CORD).sum()) == plant.fibre.size
    assert int((cabling.laid.kind == TRUNK).sum()) == plant.trunks


def test_elevations_have_panels_and_their_cables(parts):
    network = open_network(SMALL).placed(parts=parts, rate_gbps=100, panels="shuffle")
    cabling = cable(network)
    data = elevation_data(network, cabling)
    names = data["devices"]["name"]
    ends = Counter(
        names[end]
        for side in ("a", "b")
        for end, number in zip(data["cables"][side], data["cables"]["number"], strict=True)
        if number
    )
    assert all(ends[name] == 12 for name in network.layout.plant.names)
    place_of = {
        (rack, unit)
        for rack, unit, name in zip(data["devices"]["rack"], data["devices"]["unit"], names, strict=True)
        if name in network.layout.plant.names
    }
    assert len(place_of) == len(network.layout.plant.names)
