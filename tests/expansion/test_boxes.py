"""Growth of shuffled networks by whole boxes: few trunks are cut, links are opened as by a splice, nothing else moves."""

import re

import numpy as np
import pytest

from topoloom import InputError, build, expand, load_expansion, open_network, save_expansion
from topoloom.cabling.expansion.methods.boxes import boxes
from topoloom.cabling.expansion.methods.splice import splice
from topoloom.cabling.expansion.registry import ExpansionRequest
from topoloom.cabling.expansion.stages import TrunkWork, difference
from topoloom.cabling.labels import label
from topoloom.core.random_streams import Draws
from topoloom.topologies.families._shuffle_boxes import splice_boxes
from topoloom.topologies.families.shuffled import boxes_of


def test_one_box_is_two_switches_of_64_lanes():
    """128 lanes: 2 trunks cut, 64 of 30,720 links drained, 4 trunk ends and 32 cords connected; Jellyfish opens 64 cables."""
    before = build("shuffled:n=960,degree=64")
    step = boxes(ExpansionRequest(before, 962, None)).stages[0]
    assert step.trunk_work == TrunkWork(1, 2, 4, 32, 64)
    assert set(step.topology.degrees.tolist()) == {64}
    removed, added, _ = difference(before.replace(switches=962, labels={}), step.topology)
    random = build("jellyfish:n=960,degree=64")
    opened, joined, _ = difference(
        random.replace(switches=962), splice(ExpansionRequest(random, 962, None)).stages[-1].topology
    )
    assert (len(removed), len(added)) == (len(opened), len(joined)) == (64, 128)


@pytest.mark.parametrize("spec", ["shuffled:n=64,degree=16,r=8", "shuffled:n=47,degree=9,r=5,c=3"])
def test_existing_cords_stay_and_opened_links_lead_through_new_switches(spec):
    """Every lane of a cut trunk keeps both ends, at ports of new boxes; no other trunk changes."""
    before = boxes_of(build(spec))
    (old, r), first = before.switch_at.shape, int(before.switch_at.max()) + 1
    after = splice_boxes(before, 2 * r, Draws(3))
    assert np.array_equal(after.switch_at[:old], before.switch_at)
    new = after.switch_at[old:]
    assert (new >= first).all()
    assert set(np.bincount(new.ravel() - first).tolist()) == {int(before.cord_at.max()) + 1}
    changed = after.far[:old] != before.far
    assert (after.far[:old][changed] >= old).all()
    assert np.array_equal(after.far_port[:old][~changed], before.far_port[~changed])
    box, port = np.nonzero(after.far >= 0)
    assert (after.far[after.far[box, port], after.far_port[box, port]] == box).all()
    assert (after.far[box, port] != box).all()
    assert (after.far < 0).sum() <= 1


def test_a_plan_states_the_work_on_trunks_and_is_read_back(tmp_path):
    """Steps of one group: the record of the plan in a folder is that of the plan."""
    plan = expand(open_network("shuffled:n=24,degree=8,r=4,hosts=2").placed(map="rows"), 32)
    assert plan.method == "boxes"
    assert [(step.switches, step.hosts) for step in plan.steps] == [(28, 56), (32, 64)]
    assert [step.trunk_work.cords_connected for step in plan.steps] == [8, 8]
    assert plan.steps[0].title.startswith("switches 24 to 27, 2 boxes, ")
    save_expansion(plan, tmp_path / "plan")
    assert load_expansion(tmp_path / "plan").record() == plan.record()


def test_growth_keeps_the_second_eigenvalue():
    """From 64 switches to twice as many the network stays as good an expander as a random one."""
    from topoloom import expander

    grown = boxes(ExpansionRequest(build("shuffled:n=64,degree=16,r=8"), 128, None)).stages[-1].topology
    found = expander(grown, random_graphs=2)
    assert found.network.second_eigenvalue < 1.1 * max(sample.second_eigenvalue for sample in found.random)


def test_steps_fill_boxes():
    """`batch` is rounded down to whole boxes; other sizes are refused with the nearest ones."""
    network = build("shuffled:n=64,degree=16,r=8")
    steps = boxes(ExpansionRequest(network, 72, None, batch=3)).stages
    assert [step.trunk_work.new_boxes for step in steps] == [1, 1, 1, 1]
    with pytest.raises(InputError, match=r"2 new switches of 4 cords fill whole boxes of 8 ports; .*nearest: 66, 68"):
        boxes(ExpansionRequest(network, 67, None))
    with pytest.raises(InputError, match=r"method boxes grows networks that .* builds; use method splice"):
        boxes(ExpansionRequest(build("jellyfish:n=40,degree=4"), 44, None))


def test_a_plan_of_the_version_before_is_read(tmp_path):
    """Its record has no work on shuffle boxes."""
    plan = expand("petersen:hosts=1", 12)
    save_expansion(plan, tmp_path / "plan")
    stored = next((tmp_path / "plan").glob("*.json"))
    text = stored.read_text().replace("topoloom/expansion/3", "topoloom/expansion/2")
    stored.write_text(re.sub(r',\s*"trunk_work": null', "", text))
    assert "trunk_work" not in stored.read_text()
    assert load_expansion(tmp_path / "plan").record() == plan.record()


def test_labels_of_existing_switches_stay_where_these_have_several_units():
    """The catalogue's switch is two units high: whoever stands keeps its height, and so its label."""
    network = open_network("shuffled:n=16,degree=8,r=4,hosts=40").placed(
        map="rows", parts="ethernet-2026", rate_gbps=100
    )
    assert network.layout.switch_u == 2
    plan = expand(network, 20)
    assert label(plan.after).switch[:16] == label(plan.before).switch
