"""Loop plugs: trunk ports of boxes that are placed for later switches join lanes of their own box until the trunk comes."""

from collections import Counter

import numpy as np
import pytest
from planted_parts import Planted, fabric_of
from test_panels_grow import rows
from test_plant import PARTS

from topoloom import (
    InputError,
    build,
    cable,
    diagnose,
    expand_panels,
    open_network,
    price,
    save_cabling,
    save_panel_expansion,
)
from topoloom.cabling.expansion.panels.check import check_panel_plan
from topoloom.placement.fibre.plant_files import plant_from_json, plant_json
from topoloom.placement.fibre.shuffled import boxes_in
from topoloom.topologies.families.shuffled import boxes_of

LOOPS = """
[[panel]]
name = "loop"
kind = "loop plug"
front = 1
front_pairs = 8
u = 0
price_usd = 3
"""
LOOPED = "shuffled:n=16,degree=16,r=8,planned=40,idle={},seed=2,hosts=4"


@pytest.fixture(scope="module")
def looping_parts(tmp_path_factory):
    path = tmp_path_factory.mktemp("loops") / "parts.toml"
    path.write_text(PARTS + LOOPS)
    return path


@pytest.mark.parametrize(
    ("idle", "joins"), [("reversed", [7, 6, 5, 4, 3, 2, 1, 0]), ("halves", [4, 5, 6, 7, 0, 1, 2, 3])]
)
def test_loop_plugs_keep_all_links_until_trunks_come(looping_parts, idle, joins, tmp_path):
    """A trunk to a box without a switch waits: a plug joins lanes of its own box, and makes way when the switches come.

    Followed by hand: lane k of rear port p of a box with a plug leads to front port joins[k] of the same box, at that lane's p.
    """
    first = open_network(LOOPED.format(idle)).placed(parts=looping_parts, rate_gbps=100, panels="shuffle", map="rows")
    plant, boxes = first.layout.plant, boxes_of(first.topology)
    assert set(first.topology.degrees.tolist()) == {16}
    assert boxes.dark_lanes == 0
    at = {(int(b), int(k)): int(s) for (b, k), s in np.ndenumerate(boxes.switch_at) if s >= 0}
    expected = Counter()
    for b, _ in np.argwhere(boxes.is_loop).tolist():
        expected.update(tuple(sorted((at[b, k], at[b, joins[k]]))) for k in range(8) if k < joins[k])
    for (b, _), (d, _) in boxes.trunks.tolist():
        expected.update(tuple(sorted((at[b, k], at[d, k]))) for k in range(8))
    assert expected == Counter(map(tuple, first.topology.links.tolist()))
    assert 2 * plant.trunks + int(plant.is_loop.sum()) == 4 * 8  # every trunk port of the eight boxes with switches
    assert plant.crossed.all()
    assert set(plant.connectors.tolist()) == {4}
    again, _ = boxes_in(plant)
    assert np.array_equal(again.far, boxes.far)
    assert again.joins == boxes.joins == tuple(joins)
    bill = {item.product: item.count for item in price(first, orders=True, spares=False).items}
    assert (bill["loop"], bill["trunk"], bill["cord"]) == (int(plant.is_loop.sum()), plant.trunks, 64)

    plan = expand_panels(first, 40)
    whole = open_network("shuffled:n=40,degree=16,r=8,seed=2,hosts=4").topology
    assert np.array_equal(plan.topology.links, whole.links)
    assert plan.loops_pulled >= int(plant.is_loop.sum())
    assert not plan.after.layout.plant.is_loop.any()
    assert plan.most_drained == 4
    assert {step.cut_off for step in plan.steps} == {0}
    save_panel_expansion(plan, tmp_path / "plan")
    assert check_panel_plan(tmp_path / "plan").most_down == 4
    before = open_network(tmp_path / "plan" / "before")
    assert before.layout.plant == plant
    assert not diagnose(before, fabric_of(before.fabric, Planted.of(before)), hosts=False).diagnostics


@pytest.mark.exhaustive
def test_a_loop_plug_that_is_missing_is_named(looping_parts, tmp_path):
    """Its links are dark: verify names the plug and its port; lists have it once, and the files of NetBox not as a cable."""
    network = open_network(LOOPED.format("reversed")).placed(
        parts=looping_parts, rate_gbps=100, panels="shuffle", map="rows"
    )
    save_cabling(cable(network), tmp_path / "net")
    planted = Planted.of(network)
    plug = int(np.flatnonzero(network.layout.plant.is_loop)[0])
    planted.out.add(plug)
    found = [
        each
        for each in diagnose(network, fabric_of(network.fabric, planted), hosts=False).diagnostics
        if not each.because_of
    ]
    (finding,) = found
    port = network.layout.plant.label(*network.layout.plant.ends[plug, 0].tolist())
    assert finding.code == "TL602"
    assert "loop plug" in finding.text
    assert port in finding.text
    listed = [row for row in rows(tmp_path / "net" / "fibre_cables.csv") if row["kind"] == "loop plug"]
    assert len(listed) == int(network.layout.plant.is_loop.sum())
    assert {(row["a_port"] == row["b_port"], row["length_m"], row["product"]) for row in listed} == {
        (True, "0", "loop")
    }
    labels = {f"{int(row['cable']):05d}" for row in listed}
    assert not labels & {row["label"] for row in rows(tmp_path / "net" / "netbox" / "cables.csv")}


def test_wrong_loop_plugs_are_refused(looping_parts, tmp_path):
    """A catalogue without them, a map that does not join two by two, two ports, and settings that do not fit."""
    (tmp_path / "parts.toml").write_text(PARTS)
    with pytest.raises(
        InputError, match=r"parts 'shuffling': no loop plug of 8 pairs of fibres; add one to \[\[panel\]\]"
    ):
        open_network(LOOPED.format("halves")).placed(
            parts=tmp_path / "parts.toml", rate_gbps=100, panels="shuffle", map="rows"
        )
    for spec, reason in (
        ("shuffled:n=64,degree=16,idle=reversed", "idle=reversed is about boxes of planned switches; give planned"),
        (
            "shuffled:n=64,degree=16,planned=32",
            "boxes are placed for planned=32 switches, and n=64 are more; raise planned",
        ),
        (
            "shuffled:n=16,degree=16,r=8,planned=40,idle=halves+spliced:switches=2",
            "plug in all planned switches, then splice",
        ),
        (
            "shuffled:n=8,degree=8,r=8,planned=400",
            "the first n=8 of planned=400 switches are not connected; plug in more at once",
        ),
    ):
        with pytest.raises(InputError, match=reason):
            build(spec)
    network = open_network(LOOPED.format("reversed")).placed(
        parts=looping_parts, rate_gbps=100, panels="shuffle", map="rows"
    )
    layout = network.layout
    text = plant_json(layout.plant, layout.slots).decode()
    for old, new in (
        ('"joins":[7,6,', '"joins":[6,7,'),
        ('"joins":[7,6,5,4,3,2,1,0]', '"joins":[1,0]'),
        ('"use":"loop plug"', '"use":"cord"'),
    ):
        assert old in text
        with pytest.raises(InputError, match=r"fibre.json: is not the fibre plant of"):
            plant_from_json(text.replace(old, new, 1), "fibre.json", layout.topology, layout.slots)
