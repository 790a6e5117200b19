"""Passive panels: which port meets which, how long and how lossy the way is, and what it consists of."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from topoloom import InputError, build, expand, facility, open_network, place, price
from topoloom.cost.price_factors import PriceFactors
from topoloom.placement.fibre.kit import Kit
from topoloom.placement.fibre.parts import Fibre, Panel, fanning, looping, shuffling
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.fibre.polarity import method_of
from topoloom.placement.fibre.shuffled import shuffle_plant
from topoloom.placement.layout.moving import moved_layout
from topoloom.topologies.families.shuffled import boxes_of

SMALL = "shuffled:n=64,degree=16,r=8,hosts=48"
PARTS = """
name = "shuffling"
source = "a test"
unpriced = ["switch"]
installation_usd = 10
[[switch.product]]
name = "S"
ports = 16
rate_gbps = 400
connector = "QSFP-DD"
lane_gbps = 50
breakout = [{ ports = 64, rate_gbps = 100 }]
[[cable]]
name = "lane"
medium = "fibre"
use = "panels"
base_usd = 1000
modules = ["DR4"]
reach_m = 500
rates_gbps = [100]
[[cable]]
name = "AOC"
medium = "optical"
use = "any"
base_usd = 5
[[transceiver]]
name = "DR4"
links = 4
price_usd = 100
power_w = 8
loss_db = 3.0
[[panel]]
name = "box"
kind = "shuffle panel"
front = 8
front_pairs = 4
rear = 4
price_usd = 50
[[cord]]
name = "cord"
pairs = 4
base_usd = 2
per_metre_usd = 1
[[trunk]]
name = "trunk"
pairs = 8
per_metre_usd = 4
lengths_m = [5, 10, 20, 40]
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    path = tmp_path_factory.mktemp("parts") / "shuffling.toml"
    path.write_text(PARTS)
    return str(path)


@pytest.fixture(scope="module")
def small(parts):
    """A shuffled network of 64 switches in racks of eight, its panels in racks of their own."""
    return place(build(SMALL), parts=parts, rate_gbps=100, panels="shuffle")


def plain(connector_db=0.35, link_pairs=1, polarity="B", reversals=0, connectors=2):
    """The published box of 32 x 4, with cords and trunks that fit."""
    pairs, inside = shuffling(32, 4)
    box = Panel("box", "shuffle panel", 32, pairs, inside, connectors=connectors, connector_db=connector_db)
    box = replace(box, reversals=reversals)
    return Kit(box, Fibre("cord", "cord", 4, polarity), Fibre("trunk", "trunk", 32, polarity), link_pairs)


def test_a_shuffle_panel_joins_each_front_port_with_each_rear_port_once():
    """32 ports of four pairs and four of 32: 128 pairs, one for each of the 32 x 4 pairs of ports."""
    pairs, inside = shuffling(32, 4)
    box = Panel("box", "shuffle panel", 32, pairs, inside)
    at_front = np.arange(128)
    joined = set(zip(box.port_of[at_front].tolist(), box.port_of[inside[at_front]].tolist(), strict=True))
    assert joined == {(front, 32 + rear) for front in range(32) for rear in range(4)}
    assert (inside[inside] == np.arange(256)).all()


def test_the_insides_of_all_panels_join_pairs_two_by_two():
    for pairs, inside in (shuffling(6, 3), shuffling(6, 3, 2), fanning(12, 4), looping(32), looping(5)):
        assert pairs.sum() == inside.size
        assert (inside[inside] == np.arange(inside.size)).all()


@pytest.mark.exhaustive
def test_960_routers_of_64_lanes_need_480_boxes_960_trunks_and_15360_cords():
    """960 x 64 / 128 boxes; two trunks of 32 lanes per box; 16 cords of four lanes per router; 30,720 links on 960 runs."""
    topology = build("shuffled:n=960,degree=64,hosts=64")
    plant = shuffle_plant(topology, boxes_of(topology), plain())
    assert (plant.panel.size, plant.trunks, plant.cords) == (480, 960, 15_360)
    assert int(plant.through.sum()) == 30_720 == 960 * 64 // 2
    assert (plant.ways.arrival == plant.planned_arrival).all()


def test_every_link_arrives_at_its_own_port_and_no_port_has_two(small):
    plant = small.plant
    assert plant.through.all()
    assert (plant.ways.arrival == plant.planned_arrival).all()
    ends = np.concatenate([np.stack([small.topology.links[:, end], plant.ports[:, end]], axis=1) for end in (0, 1)])
    assert len(np.unique(ends, axis=0)) == len(ends)
    assert ends[:, 1].min() == 49, "the ports of hosts come first"
    assert ends[:, 1].max() == 64


def test_the_length_of_a_link_is_that_of_its_cords_and_its_trunk(small):
    plant = small.plant
    for link in range(0, len(small.topology.links), 37):
        passed = plant.ways.fibre[link]
        passed = passed[passed >= 0]
        assert plant.is_trunk[passed].tolist() == [False, True, False]
        assert small.length_m[link] == pytest.approx(plant.length_m[passed].sum())


@pytest.mark.parametrize(("connector_db", "loss_db"), [(0.35, 1.65), (0.75, 3.25)])
def test_four_connectors_and_500_m_lose_165_db_or_325(connector_db, loss_db):
    """500 m at 0.5 dB/km lose 0.25 dB; a link passes two boxes, each with two mated pairs (r, c, c, r)."""
    topology = build(SMALL)
    plant = shuffle_plant(topology, boxes_of(topology), _fitting(plain(connector_db)))
    trunk_m = np.where(plant.is_trunk, 500.0, 0.0)
    plant = replace(plant, length_m=trunk_m)
    assert set(plant.connectors.tolist()) == {4}
    assert plant.loss_db == pytest.approx(np.full(plant.loss_db.size, loss_db))


def _fitting(kit):
    """The kit for boxes of 8 x 4."""
    pairs, inside = shuffling(8, 4)
    panel = replace(kit.panel, front=8, pairs=pairs, inside=inside)
    return Kit(panel, kit.cord, replace(kit.trunk, pairs=8), kit.link_pairs)


@pytest.mark.parametrize(
    ("polarity", "reversals", "crossed"), [("B", 0, True), ("A", 0, False), ("B", 1, True), ("A", 1, False)]
)
def test_transmitters_meet_receivers_if_the_number_of_reversals_is_odd(polarity, reversals, crossed):
    """Three cables of type B reverse three times; two boxes add two adapters of aligned keys, or none."""
    topology = build(SMALL)
    plant = shuffle_plant(topology, boxes_of(topology), _fitting(plain(polarity=polarity, reversals=reversals)))
    assert set(replace(plant, length_m=np.ones(plant.fibre.size)).crossed.tolist()) == {crossed}


def test_two_angled_cables_of_type_b_do_not_cross():
    """A trunk of type B between panels, without cords: with one cord more, three reversals; with one in all, two."""
    pairs, inside = fanning(1, 4)
    box = Panel("adapter", "patch panel", 1, pairs, inside, connectors=1)
    cords = [[[0, 1], [2, 0]], [[2, 1], [1, 1]]]  # switch 0 - cord - panel 2 - trunk - switch 1
    plant = Plant(
        "racks", 2, 4, (box,), (Fibre("cord", "cord", 4), Fibre("trunk", "trunk", 4)),
        np.zeros(1), np.zeros(1), np.array([0, 1]), np.array(cords), np.array([[0, 1]]), np.array([[1, 1]]),
        length_m=np.ones(2),
    )  # fmt: skip
    assert plant.ways.arrival.tolist() == [[1, 1]]
    assert plant.crossed.tolist() == [False]


def test_links_beyond_their_budget_are_refused_with_the_link_and_both_numbers(parts, tmp_path):
    """3 dB of the transceiver: at 0.75 dB each, four connectors alone lose 3 dB, and the fibres more."""
    poor = tmp_path / "poor.toml"
    poor.write_text(PARTS.replace('kind = "shuffle panel"', 'kind = "shuffle panel"\nconnector_db = 0.75'))
    with pytest.raises(
        InputError, match=r"512 links lose more than their transceivers allow: .* loses 3\.0\d dB of 3;"
    ):
        place(build(SMALL), parts=str(poor), rate_gbps=100, panels="shuffle")


@pytest.mark.parametrize(
    ("cord", "trunk", "reversals", "method"),
    [
        ("B", "B", 0, "U1"),
        ("B", "B", 2, "U2"),
        ("A", "B", 0, ""),
        ("A", "A", 0, None),
        ("B", "A", 2, None),
        ("B", "B", 1, "U2"),
    ],
)
def test_a_plan_states_its_polarity_method_or_is_refused(tmp_path, cord, trunk, reversals, method):
    """U1: all of type B, adapters A; U2: adapters B. One trunk alone that reverses works, but is no method; two do not."""
    path = tmp_path / "parts.toml"
    path.write_text(
        PARTS.replace('name = "cord"', f'name = "cord"\npolarity = "{cord}"')
        .replace('name = "trunk"', f'name = "trunk"\npolarity = "{trunk}"')
        .replace('name = "box"', f'name = "box"\nreversals = {reversals}')
    )
    placing = {"parts": str(path), "rate_gbps": 100, "panels": "shuffle", "map": "rows"}
    if method is None:
        with pytest.raises(
            InputError, match=rf"on 512 links transmitters meet .*cords of type {cord}, trunks of type {trunk}"
        ):
            place(build(SMALL), **placing)
    else:
        assert place(build(SMALL), **placing).passive.polarity == method


def test_method_a_has_a_cord_of_each_type():
    """A: straight trunks and adapters, and one reversal per link, in the cord at one of its ends."""
    pairs, inside = fanning(1, 4)
    box = Panel("adapter", "patch panel", 1, pairs, inside, connectors=1)
    ends = [[[0, 1], [2, 0]], [[2, 1], [3, 1]], [[3, 0], [1, 1]]]
    fibres = (Fibre("near", "cord", 4, "A"), Fibre("far", "cord", 4, "B"), Fibre("trunk", "trunk", 4, "A"))
    plant = Plant(
        "racks", 2, 4, (box,), fibres, np.zeros(2), np.zeros(2), np.array([0, 2, 1]), np.array(ends), np.array([[0, 1]]),
        np.array([[1, 1]]), length_m=np.ones(3),
    )  # fmt: skip
    assert plant.crossed.tolist() == [True]
    assert method_of(plant) == "A"
    assert method_of(replace(plant, fibres=(fibres[0], replace(fibres[1], polarity="A"), fibres[2]))) == ""


def test_the_bill_has_each_cord_trunk_panel_and_one_module_per_four_lanes(small, parts):
    bill = price(small, parts, rate_gbps=100, orders=True)
    counts = {line.item: line.count for line in bill.lines}
    assert counts["panel, box"] == 64 * 16 // 32 == 32
    assert counts["cord"] == 64 * 4
    assert counts["trunk"] == 32 * 4 // 2
    assert counts["transceiver, DR4"] == 64 * 4
    assert counts["installation"] == 256 + 64, "panels are mounted, not laid"
    assert not any("lane" in item for item in counts), "a link through panels is no cable"
    stock_m = small.plant.stock_m
    cord, trunk = ~small.plant.is_trunk, small.plant.is_trunk
    assert set(stock_m[trunk].tolist()) <= {5.0, 10.0, 20.0, 40.0}
    usd = 32 * 50 + (2 + stock_m[cord]).sum() + 4 * stock_m[trunk].sum() + 256 * 100 + 320 * 10
    assert bill.cost_usd == pytest.approx(usd)
    of_items = sum(item.cost_usd for item in bill.items if item.kind != "switch")
    assert of_items == pytest.approx(usd)
    ordered = {lot.product: 0 for lot in bill.orders}
    for lot in bill.orders:
        ordered[lot.product] += lot.count
    assert ordered == {"box": 32, "cord": 256, "trunk": 64, "DR4": 256}


def test_quotes_and_factors_reach_common_panels_cords_and_trunks(tmp_path):
    """A catalogue without panels has common ones, which a file of quotes prices; factors multiply them."""
    quotes = tmp_path / "quotes.toml"
    quotes.write_text(
        '[[panel]]\nname = "MPO module, 12 x 4 pairs"\nprice_usd = 100\n'
        '[[cord]]\nname = "cord, MPO-12, 4 pairs"\nper_metre_usd = 2\n'
        '[[trunk]]\nname = "trunk, 12 x MPO-12"\nbase_usd = 30\n'
    )
    network = open_network("fat-tree:k=16").placed(
        parts="ethernet-2026", prices=quotes, rate_gbps=400, panels="racks", map="rows"
    )
    cost = {line.item: line.cost_usd for line in network.bill.lines}
    assert cost["panel, MPO module, 12 x 4 pairs"] == 100 * network.layout.passive.panels
    assert cost["trunk, 12 x MPO-12"] == 30 * network.layout.passive.trunks
    doubled = network.priced(factors=PriceFactors(cable=2.0, panel=3.0)).bill
    after = {line.item: line.cost_usd for line in doubled.lines}
    assert after["panel, MPO module, 12 x 4 pairs"] == 3 * cost["panel, MPO module, 12 x 4 pairs"]
    assert after["cord, MPO-12, 4 pairs"] == pytest.approx(2 * cost["cord, MPO-12, 4 pairs"])


def test_a_folder_gives_the_same_panels_ports_and_bill(small, parts, tmp_path):
    network = open_network(SMALL).placed(parts=parts, rate_gbps=100, panels="shuffle")
    network.save(tmp_path / "net")
    again = open_network(tmp_path / "net")
    assert again.layout == network.layout == small
    assert again.layout.made == network.layout.made
    assert np.array_equal(again.fabric.link_ports, small.plant.ports)
    assert again.bill.cost_usd == network.bill.cost_usd
    assert price(network).length_m == again.bill.length_m


@pytest.mark.parametrize("method", ["racks", "rows", "field"])
def test_trunks_carry_the_links_of_two_zones(method):
    """Each trunk is at least half full but in a field; every link arrives; the rest are cables of their own."""
    layout = place(build("fat-tree:k=16"), parts="ethernet-2026", rate_gbps=400, panels=method, map="rows")
    plant = layout.plant
    assert plant.through.any()
    assert (plant.ways.arrival == plant.planned_arrival).all()
    assert plant.crossed.all()
    if method != "field":
        lit = np.zeros(plant.fibre.size)
        np.add.at(lit, plant.ways.fibre[:, 1], 1)
        assert lit[plant.is_trunk].min() >= 6
        assert set(plant.connectors.tolist()) == {2}
    else:
        assert set(plant.connectors.tolist()) == {4}
        assert not plant.through[~layout.between].any()
    assert layout.passive.links == int(plant.through.sum())


def test_panels_that_no_two_racks_can_fill_are_refused():
    with pytest.raises(InputError, match=r"no two racks have 6 links between them, half of those of a trunk"):
        place(build("torus:dims=4x4,hosts=4"), parts="ethernet-2026", rate_gbps=400, panels="racks", map="rows")


def test_panels_need_a_catalogue_and_a_network_of_boxes(parts):
    with pytest.raises(InputError, match=r"panels are products of a catalogue; give `parts`"):
        place(build(SMALL), panels="shuffle")
    with pytest.raises(InputError, match=r"no boxes are known; only the family 'shuffled' has them"):
        place(build("jellyfish:n=64,degree=16,hosts=48"), parts=parts, rate_gbps=100, panels="shuffle")
    with pytest.raises(InputError, match=r"panels 'shufle' is not known; it must be shuffle, racks, rows, field"):
        place(build(SMALL), parts=parts, rate_gbps=100, panels="shufle")


def test_a_network_with_panels_is_not_grown_cable_by_cable(parts):
    network = open_network(SMALL).placed(parts=parts, rate_gbps=100, panels="shuffle", map="rows")
    with pytest.raises(InputError, match=r"its links pass through panels, and a plan of cables per link does not fit"):
        expand(network, 66)


def test_a_rack_of_panels_moves_with_all_its_cords_and_trunks(small):
    """Its cords and trunks get longer or shorter; no link changes its way."""
    rack = small.slots.names[small.plant.slot[0]]
    other = small.slots.names[small.slot[0]]
    moved = moved_layout(small, [[rack, other]])
    assert {moved.slots.names[slot] for slot in moved.plant.slot.tolist()} == {other}
    assert (moved.plant.ways.fibre == small.plant.ways.fibre).all()
    away = moved.slots.apart_m(moved.slot, np.full(64, moved.plant.slot[0])) + 2 * moved.floor.overhead_end_m
    cords = moved.plant.ends[~moved.plant.is_trunk]
    assert moved.plant.length_m[~moved.plant.is_trunk] == pytest.approx(away[cords[:, 0, 0]])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"topoloom/fibre-plant/1"', '"topoloom/fibre-plant/9"', r"expected topoloom/fibre-plant/1"),
        ('"switches":64', '"switches":63', r"it has 63 switches"),
        ('"rack":["', '"rack":["nowhere-', r"the floor has no slot 'nowhere-"),
        ('"method":"shuffle"', '"method":"magic"', r"its method is 'magic'"),
        ('"inside":[32,', '"inside":[33,', r"does not join pairs two by two"),
        ('"ends":[[[2,49],[64,', '"ends":[[[2,49],[9999,', r"a device is out of range"),
    ],
)
def test_a_damaged_file_is_refused_with_its_name(parts, tmp_path, old, new, message):
    open_network(SMALL).placed(parts=parts, rate_gbps=100, panels="shuffle").save(tmp_path / "net")
    path = tmp_path / "net" / "fibre.json"
    text = path.read_text()
    assert old in text, text[:2000]
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=rf"fibre\.json.*{message}"):
        assert open_network(tmp_path / "net").layout.plant


LEGS = """
extends = "ethernet-2026"
[[cord]]
name = "cord, LC duplex"
legs = 4
base_usd = 40
per_metre_usd = 0.5
[[trunk]]
name = "trunk, MPO-24"
base_usd = 90
"""


@pytest.fixture(scope="module")
def with_legs(tmp_path_factory):
    """A tree of lanes whose cords have four legs, and the same with a cord per lane; the folder of the first."""
    folder = tmp_path_factory.mktemp("legs")
    (folder / "legs.toml").write_text(LEGS)
    terms = {"parts": "ethernet-2026", "rate_gbps": 100, "panels": "racks", "map": "rows"}
    network = open_network("fat-tree:k=64,hosts=300,taper=2:1")
    legs = network.placed(prices=str(folder / "legs.toml"), **terms)
    legs.save(folder / "net")
    return legs, network.placed(**terms), folder / "net"


def test_legs_of_one_cord_are_one_piece(with_legs):
    """Four lanes of a switch share a cord; the last of a switch may have free legs. Ports, ways and losses stay the same."""
    legs, each, _ = with_legs
    plant, alike = legs.layout.plant, each.layout.plant
    at_switch = np.bincount(plant.ends[~plant.is_trunk, 0, 0], minlength=plant.switches)
    assert plant.cords == sum(-(-int(cords) // 4) for cords in at_switch) < alike.cords == at_switch.sum()
    assert plant.trunks == alike.trunks
    assert np.array_equal(plant.ends, alike.ends)
    assert np.array_equal(plant.loss_db, alike.loss_db)
    for piece in range(plant.pieces.size):
        members = np.flatnonzero(plant.piece == piece)
        assert len(members) <= (1 if plant.is_trunk[members[0]] else 4)
        assert len(np.unique(plant.ends[members, 0, 0])) == 1
        ports = np.sort(plant.ends[members, 0, 1])
        assert (np.diff(ports) == 1).all()
    assert legs.layout.passive.cords == plant.cords


def test_pieces_are_bought_once(with_legs):
    """The bill has the pieces of cords and their metres, and so has the bill of the folder that keeps the legs."""
    legs, _, folder = with_legs
    line = next(line for line in legs.bill.lines if line.item == "cord, LC duplex")
    plant = legs.layout.plant
    cords = plant.pieces[~plant.is_trunk[plant.pieces]]
    assert line.count == cords.size
    assert line.length_m == pytest.approx(plant.stock_m[cords].sum())
    assert line.cost_low_usd == pytest.approx((40 + 0.5 * plant.stock_m[cords]).sum())
    assert open_network(str(folder)).layout.plant == plant
    assert price(str(folder)).record() == price(legs).record()


def test_a_cord_without_legs_is_refused(with_legs, tmp_path):
    """A catalogue and a folder that say so are one sentence each."""
    _, _, folder = with_legs
    (tmp_path / "none.toml").write_text(LEGS.replace("legs = 4", "legs = 0"))
    with pytest.raises(InputError, match=r"none\.toml:3: .*legs"):
        open_network("fat-tree:k=64,hosts=300,taper=2:1").priced(
            parts="ethernet-2026", prices=str(tmp_path / "none.toml")
        )
    damaged = tmp_path / "net"
    shutil.copytree(folder, damaged)
    file = damaged / "fibre.json"
    file.write_text(file.read_text().replace('"legs":4', '"legs":0'))
    with pytest.raises(InputError, match="no pairs or no legs"):
        _ = open_network(str(damaged)).layout


def test_panels_weigh_and_take_no_power(tmp_path):
    """The weight of each rack's panels is in the sums of the facility; without a figure they are counted as not known."""
    sums = []
    for weight in ("", "\nweight_kg = 2.5"):
        (tmp_path / "parts.toml").write_text(PARTS.replace("price_usd = 50", f"price_usd = 50{weight}"))
        network = open_network(SMALL).placed(parts=tmp_path / "parts.toml", rate_gbps=100, panels="shuffle")
        plant, layout = network.layout.plant, network.layout
        racks = np.bincount(np.searchsorted(layout.used, plant.slot), minlength=layout.racks)
        sums.append(facility(network))
        for rack, count in zip(sums[-1].racks, racks.tolist(), strict=True):
            if count:
                assert (rack.weight_kg, rack.weight_unknown) == ((2.5 * count, 0) if weight else (None, count))
                assert (rack.max_w, rack.max_unknown, rack.air_unknown) == (0.0, 0, 0)
    unknown, known = (each.total for each in sums)
    assert unknown.weight_unknown - known.weight_unknown == plant.panel.size == 32
    assert (unknown.max_w, unknown.switches) == (known.max_w, known.switches)
    network.save(tmp_path / "net")
    assert open_network(tmp_path / "net").layout.plant == network.layout.plant
