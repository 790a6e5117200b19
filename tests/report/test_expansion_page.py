"""The report of a plan: every step with its floor and its tasks, as pages and pictures that parse."""

import re
from xml.etree import ElementTree

import pytest

from topoloom import build, expand
from topoloom.report.expansion_floor import step_floorplan
from topoloom.report.expansion_page import expansion_page, write_expansion


@pytest.fixture(scope="module")
def plan():
    """A torus that grows on a floor, planned when the first test asks."""
    return expand(build("torus:dims=8x8,hosts=1"), 80, floor="koibuchi-2013")


def test_every_step_is_on_the_page(plan):
    """A heading, a picture and one row per task for each step."""
    page = expansion_page(plan)
    for number, step in enumerate(plan.steps, 1):
        assert f"<b>Step {number}</b>: {step.title}, {len(step.tasks)} tasks" in page
        assert f'src="steps/step-{number:03d}.svg"' in page
    works = sum(page.count(f">{work}</td>") for work in ("unplug", "move", "add"))
    assert works == sum(len(step.tasks) for step in plan.steps)
    assert re.search(r"<b>8</b><span>cables removed</span>", page)


def test_pictures_show_what_is_worked_on(plan):
    """Each is XML; its curves carry all cables between racks, its boxes the racks that are set up."""
    for number, step in enumerate(plan.steps):
        text = step_floorplan(plan, number)
        ElementTree.fromstring(text)
        told = sum(int(count) for count in re.findall(r": (\d+) (?:unplugged|moved|added)", text))
        inside = sum(int(count) for count in re.findall(r", (\d+) in<", text))
        assert told + inside == len(step.tasks)
        assert text.count("set up in this step") == len(step.new_racks)


def test_pictures_of_an_earlier_plan_go(plan, tmp_path):
    """A shorter plan in the same folder leaves no step of the longer one."""
    write_expansion(plan, tmp_path)
    write_expansion(expand(build("torus:dims=4x4"), 20), tmp_path)
    assert [path.name for path in (tmp_path / "steps").iterdir()] == ["step-001.svg"]
