"""The files of a plan, and the check that carries it out: it notices what does not fit, and says where."""

import csv

import pytest

from topoloom import InputError, build, check_plan, expand, load, load_layout, save_expansion
from topoloom.cabling.expansion.growing_floor import with_rows
from topoloom.cabling.expansion.plan_files import ranges
from topoloom.cabling.plugs import load_plugs


@pytest.fixture
def folder(tmp_path):
    """A plan with moved, unplugged and added cables."""
    save_expansion(
        expand(build("jellyfish:n=24,degree=4,hosts=1"), 30, floor="koibuchi-2013", host_cables=True), tmp_path
    )
    return tmp_path


def changed(path, row, **cells):
    """Change cells of the first row that `row` accepts; returns its line."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    place = next(i for i, found in enumerate(rows) if row(found))
    rows[place].update(cells)
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return place + 2


def test_a_plan_as_it_is(folder):
    """It fits; its lists are read as cable lists, and the network after is the plan's."""
    assert check_plan(folder).steps == 6
    assert load_layout(folder / "after").topology == load(folder / "after" / "cables.csv")
    assert load(folder / "before" / "cables.csv") == build("jellyfish:n=24,degree=4,hosts=1")


def test_lists_that_a_spreadsheet_saved_are_read(folder):
    """With semicolons between cells, a byte order mark, and an empty line at the end."""
    for name in ("plan.csv", "steps.csv", "after/cables.csv"):
        with open(folder / name, newline="") as file:
            rows = list(csv.reader(file))
        with open(folder / name, "w", newline="", encoding="utf-8-sig") as file:
            csv.writer(file, delimiter=";").writerows([*rows, [""] * len(rows[0])])
    assert check_plan(folder).steps == 6


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("file", "row", "cells", "reason"),
    [
        ("plan.csv", lambda row: row["work"] == "move", {"from_port": "40"}, "does not run from"),
        ("plan.csv", lambda row: row["work"] == "add", {"b_switch": "0", "b_port": "2"}, "already has cable"),
        ("plan.csv", lambda row: row["work"] == "add", {"cable": "1"}, "cable 1 is installed already"),
        ("plan.csv", lambda row: row["work"] == "unplug", {"cable": "9999"}, "cable 9999 does not run"),
        ("plan.csv", lambda row: True, {"work": "repair"}, "work is 'repair'; it must be unplug, move or add"),
        ("plan.csv", lambda row: row["work"] == "move", {"stock_m": "77"}, "the plan states another"),
        ("plan.csv", lambda row: row["step"] == "6", {"step": "9"}, "links is 60; executing the plan gives 58"),
        ("steps.csv", lambda row: row["step"] == "2", {"links": "7"}, "links is 7; executing the plan gives 52"),
        (
            "steps.csv",
            lambda row: row["step"] == "3",
            {"connected": "no"},
            "connected is no; executing the plan gives yes",
        ),
        ("after/cables.csv", lambda row: row["kind"] == "link", {"a_port": "39"}, "differs at the end of the plan"),
        ("after/cables.csv", lambda row: row["kind"] == "link", {"length_m": "99"}, "differs at the end of the plan"),
        ("steps.csv", lambda row: row["step"] == "3", {"diameter": "9"}, "diameter is 9; executing the plan gives"),
        ("steps.csv", lambda row: row["step"] == "3", {"switches": "x"}, "'x' is not a number"),
        ("steps.csv", lambda row: row["step"] == "3", {"switches": "2"}, "there are 2 switches after the step"),
        ("steps.csv", lambda row: row["step"] == "3", {"add": "9"}, "add is 9; executing the plan gives"),
        (
            "plan.csv",
            lambda row: row["work"] == "add" and row["kind"] == "link",
            {"b_switch": "q"},
            "'q' is not a number",
        ),
        ("plan.csv", lambda row: row["kind"] == "link", {"a_rack": "Z09"}, "is in rack"),
        ("before/cables.csv", lambda row: row["kind"] == "link", {"cable": "7777"}, ""),
    ],
)
def test_what_does_not_fit_is_found(folder, file, row, cells, reason):
    """One changed cell: the check names a file and a line."""
    changed(folder / file, row, **cells)
    with pytest.raises(InputError, match=r"\.csv:\d+: .*" + reason):
        check_plan(folder)


def test_a_step_too_many(folder):
    """Tasks of a step that steps.csv does not have are not left undone in silence."""
    text = (folder / "plan.csv").read_text()
    last = text.splitlines()[-1].split(",")
    (folder / "plan.csv").write_text(text + ",".join([last[0], "7", *last[2:]]) + "\n")
    with pytest.raises(InputError, match=r"plan.csv:\d+: step 7 is not in steps.csv"):
        check_plan(folder)


def test_missing_files_and_columns(folder, tmp_path):
    """Each is one sentence."""
    with pytest.raises(InputError, match="there is no such file; 'topoloom expand -o' writes"):
        check_plan(tmp_path / "nowhere")
    text = (folder / "plan.csv").read_text()
    (folder / "plan.csv").write_text(text.replace("from_port", "from_plug", 1))
    with pytest.raises(InputError, match=r"plan.csv:1: column from_port missing"):
        check_plan(folder)


def test_a_plan_goes_on_from_another(folder, tmp_path):
    """The network after one plan, with its ports, numbers and products, is that before the next."""
    layout, plugs = load_layout(folder / "after"), load_plugs(folder / "after")
    again = tmp_path / "again"
    save_expansion(expand(with_rows(layout, 3), 33, plugs=plugs, host_cables=True), again)
    check_plan(again)
    columns = ("cable", "kind", "a_switch", "a_port", "b_switch", "b_port", "length_m", "stock_m", "product")

    def rows(path):
        with open(path, newline="") as file:
            found = [row for row in csv.DictReader(file) if row["kind"] != "switch"]
        return sorted(tuple(row[name] for name in columns) for row in found)

    assert rows(folder / "after" / "cables.csv") == rows(again / "before" / "cables.csv")


def test_bought_cables_are_ordered(folder):
    """The order list has as many cables as the plan adds new ones."""
    with open(folder / "order.csv", newline="") as file:
        pieces = sum(int(row["pieces"]) for row in csv.DictReader(file))
    with open(folder / "plan.csv", newline="") as file:
        assert pieces == sum(row["source"] == "new" for row in csv.DictReader(file))


def test_ranges():
    """Numbers in a row as one range."""
    assert ranges((3, 4, 5, 9, 11, 12)) == "3..5 9 11..12"
    assert ranges(()) == ""


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("parts", "rate"), [("infiniband-2026", 400), ("ethernet-2026", 400), ("slingshot", 200)])
@pytest.mark.parametrize("goal", ["hyperx:dims=3x4,width=4,hosts=4", "hyperx:dims=4x4,width=2,hosts=5"])
def test_catalogues_with_cables_of_several_links_are_planned_link_by_link(parts, rate, goal, tmp_path):
    """What is bought carries one link, hosts get cables to hosts, and the list after has just those."""
    plan = expand(
        build("hyperx:dims=3x3,width=4,hosts=4"), into=build(goal), parts=parts, rate_gbps=rate, host_cables=True
    )
    products = plan.after.bought.parts.cable
    bought = [plan.cables[task.cable] for step in plan.steps for task in step.tasks if task.new]
    assert bought
    for about in bought:
        assert products[about.product].links == 1 or products[about.product].breakout
        assert products[about.product].to in {"any", "host" if about.host else "switch"}
    save_expansion(plan, tmp_path / "plan")
    check_plan(tmp_path / "plan")
    _check_netbox(tmp_path / "plan" / "after" / "netbox")


def _check_netbox(folder):
    """NetBox takes a cable only between interfaces that exist; cables that stayed in their ports leave gaps in the numbers."""
    with (folder / "interfaces.csv").open() as file:
        interfaces = [(row["device"], row["name"]) for row in csv.DictReader(file)]
    with (folder / "cables.csv").open() as file:
        rows = list(csv.DictReader(file))
    ends = [(row[f"side_{side}_device"], row[f"side_{side}_name"]) for row in rows for side in "ab"]
    assert len(set(interfaces)) == len(interfaces)
    assert set(ends) <= set(interfaces)
