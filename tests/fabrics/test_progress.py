"""A cabling week: what is right, newly wrong, mended and lost, by hand; and the sheets."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from fabric_cases import cables_of, recabled

from topoloom import InputError, progress
from topoloom.cabling.fault_sheets import fault_sheets
from topoloom.cli.main import cli
from topoloom.fabrics.compare import compare_fabrics
from topoloom.fabrics.fabric import planned_fabric
from topoloom.fabrics.identify import identify
from topoloom.fabrics.net_text import discovered_text
from topoloom.spec import build

PLAN = planned_fabric(build("slimfly:q=5,hosts=1"))
CABLES = cables_of(PLAN)


def week(*days, cabinets=()):
    """The progress of days, each the cables that are there."""
    found = []
    for cables in days:
        there = recabled(PLAN, cables)
        found.append(compare_fabrics(PLAN, there, identify(PLAN, there, "name"), cabinets=cabinets))
    return progress(found, [f"day{number}" for number, _ in enumerate(days, 1)], cabinets)


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
    cabinets = [f"A{number // 10:02d}" for number in range(50)]
    wrong = exchanged(CABLES[:150], 3, 90)
    found = week(CABLES[:150], wrong, wrong[1:], cabinets=cabinets)
    assert [(one.kind, one.since) for one in found.open[:2]] == [("swapped", "day2"), ("lost", "day3")]
    assert all((one.kind, one.since) == ("missing", "day1") for one in found.open[2:])
    assert len(found.open) == 2 + 25
    ends = {cabinets[switch] for cable in (CABLES[3], CABLES[90]) for switch in (cable[0], cable[2])}
    assert set(found.open[0].cabinets) == ends


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
        days.append(exchanged(cables, *rng.choice(160, 2, replace=False).tolist()))
    found = week(*days)
    hosts = PLAN.topology.endpoints.size
    right = [s.right_cables for s in found.seen]
    for before, after, seen in zip(right, right[1:], found.seen[1:], strict=False):
        assert after == before + seen.new_right - (before + seen.new_right - after)
        assert seen.new_right >= after - before
    assert all(s.right_cables + s.missing_cables <= 175 + hosts for s in found.seen)


def test_sheets_have_every_open_item_once_a_cabinet():
    """The index links each; texts are escaped; a finished cabling has none."""
    cabinets = [f"A&{number // 10:02d}" for number in range(50)]
    found = week(CABLES[:150], exchanged(CABLES[:150], 3, 90), cabinets=cabinets)
    sheets = fault_sheets(found)
    links = re.findall(r'href="(todo-[^"]+)"', sheets["index.html"])
    assert set(links) == sheets.keys() - {"index.html"}
    assert sum(text.count('<td class="box">') for text in sheets.values()) == sum(
        len(one.cabinets) for one in found.open
    )
    assert "A&amp;00" in sheets["index.html"]
    assert "A&00" not in "".join(sheets.values())
    assert "Every cable is as planned." in fault_sheets(week(CABLES))["index.html"]


def test_discoveries_of_two_plans_are_refused():
    """And no discovery at all."""
    other = planned_fabric(build("petersen:hosts=1"))
    one = compare_fabrics(PLAN, PLAN, identify(PLAN, PLAN))
    two = compare_fabrics(other, other, identify(other, other))
    with pytest.raises(InputError, match="another plan"):
        progress([one, two], ["a", "b"])
    with pytest.raises(InputError, match="at least one discovery"):
        progress([], [])


def test_the_command(tmp_path, monkeypatch):
    """Exit code 3 as long as something is to do; sheets of an earlier day go."""
    monkeypatch.chdir(tmp_path)
    made = [
        "layout",
        "slimfly:q=5,hosts=1",
        "--floor",
        "koibuchi-2013",
        "--cabinet",
        "10",
        "--map",
        "rows",
        "-o",
        "plan",
    ]
    assert CliRunner().invoke(cli, made).exit_code == 0
    (tmp_path / "monday.net").write_text(discovered_text(recabled(PLAN, CABLES[:100])))
    (tmp_path / "tuesday.net").write_text(discovered_text(PLAN))
    first = CliRunner().invoke(cli, ["watch", "plan", "monday.net", "-o", "sheets"])
    assert first.exit_code == 3, first.output
    assert len(list((tmp_path / "sheets").glob("todo-*.html"))) == 5
    second = CliRunner().invoke(cli, ["watch", "plan", "monday.net", "tuesday.net", "-o", "sheets", "--json"])
    assert second.exit_code == 0, second.output
    record = json.loads(second.stdout)
    assert record["done"]
    assert [one["missing_cables"] for one in record["seen"]] == [75, 0]
    assert not list((tmp_path / "sheets").glob("todo-*.html"))
