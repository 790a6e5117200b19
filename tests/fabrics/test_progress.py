"""A cabling week: what is right, newly wrong, repaired and lost, by hand; and the sheets."""

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from fabric_cases import cables_of, recabled

from topoloom import InputError, progress
from topoloom.cabling.fault_sheets import fault_sheets
from topoloom.cli.main import main
from topoloom.fabric.compare import compare_fabrics
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.identify import identify
from topoloom.fabric.net_text import discovered_text
from topoloom.topologies.spec import build

PLAN = planned_fabric(build("slimfly:q=5,hosts=1"))
CABLES = cables_of(PLAN)


def week(*days, racks=()):
    """The progress of days, each the cables that are there."""
    found = []
    for cables in days:
        there = recabled(PLAN, cables)
        found.append(compare_fabrics(PLAN, there, identify(PLAN, there, "name"), racks=racks))
    return progress(found, [f"day{number}" for number, _ in enumerate(days, 1)], racks)


def exchanged(cables, one, other):
    """The cables with the far ends of two of them exchanged."""
    (a, p, b, q), (c, r, d, s) = cables[one], cables[other]
    swapped = list(cables)
    swapped[one], swapped[other] = [a, p, d, s], [c, r, b, q]
    return swapped


def test_a_week_by_hand():
    """100 cables, then 175 with two exchanged, then these right and one lost, then all."""
    found = week(CABLES[:100], exchanged(CABLES, 3, 90), CABLES[1:], CABLES)
    hosts = PLAN.topology.endpoints.size
    assert found.planned_cables == 175 + hosts
    rows = [
        (s.right_cables - hosts, s.missing_cables, s.faults, s.lost, s.new_faults, s.gone_faults) for s in found.seen
    ]
    assert rows == [(100, 75, 0, 0, 0, 0), (173, 0, 1, 0, 1, 0), (174, 1, 0, 1, 0, 1), (175, 0, 0, 0, 0, 0)]
    assert [s.new_right for s in found.seen[1:]] == [75, 2, 1]
    assert found.done


def test_what_is_open_says_since_when_and_where():
    """A fault that stands keeps its day; a lost cable is told from one that was never there."""
    racks = [f"A{number // 10:02d}" for number in range(50)]
    wrong = exchanged(CABLES[:150], 3, 90)
    found = week(CABLES[:150], wrong, wrong[1:], racks=racks)
    assert [(one.kind, one.since) for one in found.open[:2]] == [("swapped", "day2"), ("lost", "day3")]
    assert all((one.kind, one.since) == ("missing", "day1") for one in found.open[2:])
    assert len(found.open) == 2 + 25
    ends = {racks[switch] for cable in (CABLES[3], CABLES[90]) for switch in (cable[0], cable[2])}
    assert set(found.open[0].racks) == ends


def test_open_tasks_of_each_rack_in_each_discovery():
    """A task counts in each rack of its ends; the last counts are those of the sheets."""
    racks = [f"A{number // 10:02d}" for number in range(50)]
    found = week(CABLES[:150], exchanged(CABLES, 3, 90), CABLES[1:], CABLES, racks=racks)
    last = week(CABLES[:150], exchanged(CABLES, 3, 90), CABLES[1:], racks=racks)
    assert {len(counts) for counts in found.racks.values()} == {4}
    assert [counts[-1] for counts in found.racks.values()] == [0] * len(found.racks)
    for rack, counts in last.racks.items():
        assert counts[-1] == sum(rack in task.racks for task in last.open)
    assert week(CABLES).racks == {}


def test_gone_faults_are_named():
    """By the line that they had."""
    found = week(exchanged(CABLES, 3, 90), CABLES)
    assert len(found.gone) == 1
    assert found.gone[0].startswith("swapped: ")


@pytest.mark.parametrize("seed", range(5))
def test_counts_add_up(seed):
    """Right, not there and in faults are all planned cables, whatever is missing or exchanged."""
    rng = np.random.default_rng(seed)
    days = []
    for _ in range(3):
        cables = [CABLES[k] for k in sorted(rng.choice(len(CABLES), 160, replace=False).tolist())]
        one, other = apart(cables, rng)
        days.append((exchanged(cables, one, other), {tuple(cables[k]) for k in (one, other)}))
    found = week(*(cables for cables, _ in days))
    hosts = PLAN.topology.endpoints.size
    # By hand, from sets: what is right is planned and there; two are exchanged, the others are not there.
    planned = set(map(tuple, CABLES))
    right = [planned & set(map(tuple, cables)) for cables, _ in days]
    assert [s.right_cables - hosts for s in found.seen] == [len(one) for one in right]
    assert [s.faults for s in found.seen] == [1, 1, 1]
    absent = [planned - one - two for one, (_, two) in zip(right, days, strict=True)]
    assert [s.missing_cables for s in found.seen] == [len(one) for one in absent]
    assert [s.new_right for s in found.seen[1:]] == [len(after - before) for before, after in pairwise(right)]
    lost = [len(gone & before) for before, gone in zip(right, absent[1:], strict=False)]
    assert [s.lost for s in found.seen[1:]] == lost


def apart(cables, rng):
    """Two cables with four ends at different switches: exchanged they are still cables, and no others."""
    while True:
        one, other = rng.choice(len(cables), 2, replace=False).tolist()
        ends = {cables[one][0], cables[one][2], cables[other][0], cables[other][2]}
        if len(ends) == 4:
            return one, other


def test_a_slow_cable_is_a_fault_that_is_mended():
    """It counts as right, for it is where it should be; while it is slow something is to do still."""
    rates = np.full(175, 200.0)
    slow = rates.copy()
    slow[7] = 50.0
    found = []
    for gbps in (rates, slow, rates):
        there = recabled(PLAN, CABLES, link_rate_gbps=gbps, link_width=np.full(175, 4))
        found.append(compare_fabrics(PLAN, there, identify(PLAN, there, "name")))
    states = [progress(found[:days], [f"day{day}" for day in range(days)]) for days in (1, 2, 3)]
    assert [state.done for state in states] == [True, False, True]
    assert [one.kind for one in states[1].open] == ["slow"]
    assert states[1].seen[1].right_cables == states[1].planned_cables
    assert [s.gone_faults for s in states[2].seen] == [0, 0, 1]
    assert states[2].gone[0].startswith("slow: ")


def test_sheets_have_every_open_item_once_a_rack():
    """The index links each; texts are escaped; a finished cabling has none."""
    racks = [f"A&{number // 10:02d}" for number in range(50)]
    found = week(CABLES[:150], exchanged(CABLES[:150], 3, 90), racks=racks)
    sheets = fault_sheets(found)
    links = re.findall(r'href="(todo-[^"]+)"', sheets["index.html"])
    assert set(links) == sheets.keys() - {"index.html"}
    assert sum(text.count('<td class="box">') for text in sheets.values()) == sum(len(one.racks) for one in found.open)
    assert "A&amp;00" in sheets["index.html"]
    assert "A&00" not in "".join(sheets.values())
    assert "Every cable is right." in fault_sheets(week(CABLES))["index.html"]


def test_discoveries_of_two_plans_are_refused():
    """And no discovery at all."""
    other = planned_fabric(build("petersen:hosts=1"))
    one = compare_fabrics(PLAN, PLAN, identify(PLAN, PLAN))
    two = compare_fabrics(other, other, identify(other, other))
    with pytest.raises(InputError, match="another plan"):
        progress([one, two], ["a", "b"])
    with pytest.raises(InputError, match="at least one discovery"):
        progress([], [])


@pytest.mark.exhaustive
def test_the_command(tmp_path, monkeypatch, capsys):
    """Exit code 3 as long as something is to do; sheets of an earlier day go."""
    monkeypatch.chdir(tmp_path)
    made = [
        "layout",
        "slimfly:q=5,hosts=1",
        "--floor",
        "koibuchi-2013",
        "--switches-per-rack",
        "10",
        "--map",
        "rows",
        "-o",
        "plan",
    ]

    def call(*words):
        with pytest.raises(SystemExit) as left:
            main(list(words))
        out, err = capsys.readouterr()
        return left.value.code, out, err

    assert call(*made)[0] in (0, None)
    (tmp_path / "monday.net").write_text(discovered_text(recabled(PLAN, CABLES[:100])))
    (tmp_path / "tuesday.net").write_text(discovered_text(PLAN))
    code, out, err = call("watch", "plan", "monday.net", "-o", "sheets")
    assert code == 3, err
    assert "slimfly(q=5,hosts=1)" in out
    assert len(list((tmp_path / "sheets").glob("todo-*.html"))) == 5
    code, out, err = call("watch", "plan", "monday.net", "tuesday.net", "-o", "sheets", "--json")
    assert code == 0, err
    record = json.loads(out)
    assert record["done"]
    assert [one["missing_cables"] for one in record["seen"]] == [75, 0]
    assert not list((tmp_path / "sheets").glob("todo-*.html"))
    for words, reason in (
        (("watch", "plan"), "DISCOVERY"),
        (("watch", "plan", "none.net"), "none.net: there is no such file"),
        (("watch", "plan", "monday.net", "--cable-rate", "fast"), "fast"),
    ):
        code, _, err = call(*words)
        assert code == 2
        assert reason in err
        assert len(err.strip().splitlines()) == 1
