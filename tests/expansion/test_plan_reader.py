"""A plan read back from its folder: the same record, the same tasks, the same networks; and what is damaged is named."""

import json
from importlib.resources import files

import numpy as np
import pytest
from expansion_cases import EVERY, plan
from test_plan_files import changed

from topoloom import InputError, build, expand, hops, load_expansion, open_network, save_expansion
from topoloom.cabling.expansion.expansion import Expansion
from topoloom.cost.parts_files import load_parts


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", EVERY)
def test_a_plan_comes_back_as_it_was_saved(name, tmp_path):
    """Record, table, tasks, cables and the networks after every step are those of the plan that was saved."""
    made = plan(name)
    made.save(tmp_path)
    read = Expansion.load(tmp_path)
    assert read.record() == made.record()
    assert [step.tasks for step in read.steps] == [step.tasks for step in made.steps]
    assert [(one.number, one.ends, one.plugged) for one in read.cables] == [
        (one.number, one.ends, one.plugged) for one in made.cables
    ]
    for ours, theirs in zip(read.steps, made.steps, strict=True):
        assert np.array_equal(ours.topology.links, theirs.topology.links)
        assert np.array_equal(ours.topology.endpoints_at, theirs.topology.endpoints_at)
    if made.goal is not None:
        assert read.goal == made.goal
        assert np.array_equal(read.number, made.number)
    # A cable list rounds lengths to the millimetre.
    rows, told = read.rows(), made.rows()
    assert [row | {"stock_m": 0} for row in rows] == [row | {"stock_m": 0} for row in told]
    assert [row["stock_m"] for row in rows] == pytest.approx([row["stock_m"] for row in told], abs=0.0006)


def test_a_folder_without_a_record_is_read_as_far_as_it_goes(tmp_path):
    """Without the files that topoloom 0.1 did not write, distances are measured again, and prices of work are not known."""
    made = expand(build("torus:dims=4x4,hosts=2"), 24)
    save_expansion(made, tmp_path)
    for name in ("expansion.json", "parts.json", "provenance.json", "goal/topology.json", "goal/numbers.csv"):
        (tmp_path / name).unlink()
    read = load_expansion(tmp_path)
    assert (read.method, read.seed) == ("", None)
    told, known = read.record(), made.record()
    same = ("steps", "start", "removed", "added", "kept", "tasks", "bought", "longest_new_m", "mean_m", "radix", "into")
    for name in same:
        assert told[name] == known[name], name
    assert told["cost_usd"]["switches"] is None
    assert told["cost_usd"]["cables"] == pytest.approx(known["cost_usd"]["cables"])


def test_a_catalogue_comes_with_the_plan(tmp_path):
    """A plan that was priced from a file of the user's is read back without that file."""
    mine = tmp_path / "mine.toml"
    mine.write_text(
        (files("topoloom.cost") / "catalogues" / "slimfly-2014.toml").read_text().replace("slimfly-2014", "mine")
    )
    made = expand(build("petersen"), 12, parts=mine)
    save_expansion(made, tmp_path / "plan")
    mine.unlink()
    read = load_expansion(tmp_path / "plan")
    assert read.after.bought.parts.cable == load_parts("slimfly-2014").cable
    assert read.record() == made.record()


def test_the_opener_has_the_plan_and_its_picture(tmp_path):
    """`open_network` of a plan's folder gives the plan; a point a step is drawn, and that of what stands."""
    save_expansion(expand(build("dsn-f:n=24"), 32), tmp_path)
    found = open_network(tmp_path).needs("expansion", "growing")
    assert [step.diameter for step in found.steps] == [hops(step.topology).diameter for step in found.steps]
    axes = found.plot()
    assert [len(line.get_xdata()) for line in axes.lines] == [len(found.steps) + 1] * 2
    assert len(found.to_frame()) == found.tasks["add"]
    assert open_network(tmp_path / "after").expansion is None


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("file", "row", "cells", "reason"),
    [
        ("plan.csv", lambda row: True, {"work": "repair"}, r"plan.csv:2: work is 'repair'"),
        ("plan.csv", lambda row: row["work"] == "move", {"from_port": "40"}, "is not where the task states"),
        ("plan.csv", lambda row: row["work"] == "unplug", {"cable": "9999"}, "no cable has the number 9999"),
        ("plan.csv", lambda row: row["source"] == "new", {"cable": "1"}, "cable 1 is not new"),
        ("plan.csv", lambda row: row["kind"] == "link", {"b_switch": "99"}, "no switch 99 exists yet"),
        (
            "plan.csv",
            lambda row: row["kind"] == "host",
            {"b_switch": "host 99"},
            r"steps.csv:\d: the network after the step is not valid",
        ),
        ("plan.csv", lambda row: row["source"] == "new", {"product": "string"}, "has no cable 'string'"),
        ("plan.csv", lambda row: row["source"] == "new", {"stock_m": "far"}, "'far' is not a number"),
        ("plan.csv", lambda row: row["step"] == "6", {"step": "9"}, "step 9 is not in steps.csv"),
        ("steps.csv", lambda row: True, {"switches": "1"}, "1 switches after the step, but 24 before it"),
        ("goal/numbers.csv", lambda row: True, {"number": "3"}, "every switch needs a different number"),
    ],
)
def test_what_is_damaged_is_named(tmp_path, file, row, cells, reason):
    """One changed cell: one sentence with the file, and the line where there is one."""
    goal = build("jellyfish:n=30,degree=4,hosts=1,seed=2")
    more = {"floor": "koibuchi-2013", "host_cables": True}
    start = build("jellyfish:n=24,degree=4,hosts=1")
    save_expansion(expand(start, into=goal, **more) if "goal" in file else expand(start, 30, **more), tmp_path)
    changed(tmp_path / file, row, **cells)
    with pytest.raises(InputError, match=reason):
        load_expansion(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "is no record of a plan"),
        ({"schema": "topoloom/expansion/9"}, "is topoloom/expansion/9; expected topoloom/expansion/3"),
        ({"steps": []}, "has 0 steps; steps.csv has 1"),
        ({"radix": "many"}, "is no record of a plan"),
    ],
)
def test_a_damaged_record_is_refused(tmp_path, content, reason):
    """No JSON, a newer version, other steps than the lists."""
    save_expansion(expand(build("petersen"), 11), tmp_path)
    path = tmp_path / "expansion.json"
    record = json.loads(path.read_text())
    path.write_text(content if isinstance(content, str) else json.dumps(record | content))
    with pytest.raises(InputError, match=reason):
        load_expansion(tmp_path)


def test_cables_that_no_catalogue_has(tmp_path):
    """Where the catalogue is not in the folder and none of topoloom's own fits, the user is asked for it."""
    save_expansion(expand(build("petersen"), 11), tmp_path)
    for name in ("parts.json", "expansion.json"):
        (tmp_path / name).unlink()
    changed(tmp_path / "plan.csv", lambda row: True, product="string")
    with pytest.raises(InputError, match=r"no known catalogue has all its cables; give load_expansion"):
        load_expansion(tmp_path)
