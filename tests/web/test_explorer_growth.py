"""Growth in the explorer: steps played by buttons, slider and keys; stored phases; a machine."""

import json
from urllib.parse import quote

import msgspec
import numpy as np
import pytest
from browsing import WEBGL, dark, driver, narrow, needs_chromium, severe, text, violations, wait
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_server import Server

from in_process import run
from topoloom import InputError, expand, place
from topoloom.drawing.columns import PackedColumn
from topoloom.topologies.spec import build
from topoloom.web.growth import STATES, growth_data, stages_data

pytestmark = needs_chromium
_SPEC = "jellyfish:n=20,degree=4,hosts=2,seed=1"
_PAGE = f"/network?source={quote(_SPEC)}&view=growth"
_MACHINE = """
title = "grows"
parts = "slimfly-2014"
shortlist = 0
[[host]]
name = "node"
count = 6
u = 1
ports = { fabric = 1 }
[[network]]
name = "fabric"
rate_gbps = 40
spec = "clos:leaves=2,spines=1,hosts=8"
[rack]
hosts = 6
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with stored phases, and a machine with its larger machine file."""
    here = tmp_path_factory.mktemp("growth")
    nets = here / "nets"
    nets.mkdir()
    phases = run("phases", "fat-tree:k=4", "--hosts", "8,16", "--dates", "2027,2028", "-o", nets / "tree")
    assert phases.code == 0, phases.err
    (nets / "machine.toml").write_text(_MACHINE)
    (nets / "larger.toml").write_text(_MACHINE.replace("count = 6", "count = 8"))
    made = run("design", nets / "machine.toml", "-o", nets / "machine", "--jobs", "1")
    assert made.code == 0, made.err
    running = Server(here / "store", str(nets))
    running.nets = nets
    yield running
    running.end()


@pytest.fixture(scope="module")
def browser(server):
    """Chromium, which has followed the first address."""
    opened = driver(*WEBGL)
    opened.get(server.first)
    yield opened
    opened.quit()


@pytest.mark.exhaustive
def test_a_plan_is_played_step_by_step(browser, server):
    """By a button and by the slider's keys; the address has the step; the cables are those of the plan."""
    browser.get(f"{server.base}{_PAGE}&to=22")
    wait(browser, lambda: "Step 1 of 2" in text(browser))
    browser.find_element(By.ID, "next").click()
    wait(browser, lambda: "Step 2 of 2" in text(browser) and "step=2" in browser.current_url)
    browser.find_element(By.CSS_SELECTOR, "input[type=range]").send_keys(Keys.HOME)
    wait(browser, lambda: "Step 1 of 2" in text(browser) and "step=" not in browser.current_url)
    browser.find_element(By.ID, "play").click()
    wait(browser, lambda: "Step 2 of 2" in text(browser))
    record = server.record("grow", topology=_SPEC, to=22)["result"]
    assert len(browser.find_elements(By.CSS_SELECTOR, "#pull tbody tr")) == len(record["steps"][1]["cables"])
    picture = browser.find_element(By.ID, "floor")
    wait(browser, lambda: browser.execute_script("return arguments[0].naturalWidth > 100", picture))
    assert severe(browser) == []


def test_the_costs_of_steps_are_the_cost_of_the_plan():
    """Split by what each step adds; also where a plan adds hosts, racks and moves cables."""
    for spec, to in ((_SPEC, 24), ("slimfly:q=5,hosts=2", 54), ("fat-tree:k=4,hosts=8", 16)):
        plan = expand(place(build(spec)), to)
        costs = plan.step_costs()
        assert len(costs) == len(plan.steps)
        assert sum(costs) == pytest.approx(plan.cost.total_usd)
        assert min(costs) >= 0


@pytest.mark.parametrize(("spec", "to"), [(_SPEC, 24), ("fat-tree:k=4,hosts=8", 16), ("slimfly:q=5,hosts=2", 54)])
def test_the_states_of_links_are_the_tasks_of_the_plan(spec, to):
    """Per step: what stays and appears are the links after it, what stays and goes those before; moves are those of cables."""
    plan = expand(place(build(spec)), to)
    data = growth_data(plan)
    before = plan.start
    for step, shown in zip(plan.steps, data["steps"], strict=True):
        states, switches = (
            msgspec.convert(shown["states"][name], PackedColumn).values for name in ("links", "switches")
        )
        count = dict(zip(STATES, np.bincount(states, minlength=len(STATES)).tolist(), strict=True))
        assert count["stays"] + count["new"] + count["moved"] == len(step.topology.links)
        assert count["stays"] + count["unplugged"] + count["moved away"] == len(before.topology.links)
        moves = sum(task.work == "move" and not plan.cables[task.cable].host for task in step.tasks)
        assert count["moved"] <= moves
        assert (count["moved"] == moves) or count["stays"]
        assert np.flatnonzero(switches == STATES.index("new")).tolist() == list(step.new_switches)
        before = step
    assert data["drawing"]["switches"] == plan.topology.switches


def test_stages_are_matched_by_names():
    """A renumbered network is the same one; a switch that the last stage has not is refused with its name."""
    first, second = build("ring:n=4"), build("ring:n=5")
    data = stages_data([first, second], [("a", "b", "c", "d"), ("d", "c", "b", "a", "e")])
    links, switches = (msgspec.convert(data["states"][0][name], PackedColumn).values for name in ("links", "switches"))
    count = dict(zip(STATES, np.bincount(links, minlength=len(STATES)).tolist(), strict=True))
    assert (count["stays"], count["new"], count["unplugged"]) == (3, 2, 1)
    assert switches.tolist() == [1, 1, 1, 1, 2]
    with pytest.raises(InputError, match="switch x of stage 1 is not in the last stage"):
        stages_data([first, second], [("x", "b", "c", "d"), ("d", "c", "b", "a", "e")])


@pytest.mark.exhaustive
def test_the_structure_shows_each_step(browser, server):
    """Signs and counts in the legend, for a plan, for stored phases, and for a machine."""
    browser.get(f"{server.base}{_PAGE}&to=22&step=2")
    plan = expand(place(build(_SPEC)), 22)
    step = plan.steps[1]
    wait(
        browser,
        lambda: "links stays" in text(browser, ".structure-legend") or "added" in text(browser, ".structure-legend"),
    )
    legend = text(browser, ".structure-legend")
    assert "+ 1 switch new" in legend
    assert f"→ {step.move} links moved here" in legend
    assert f"↤ {step.move} links moved away" in legend
    assert f"+ {step.add} links added" in legend
    assert violations(browser) == []
    browser.get(f"{server.base}/network?source=nets/tree/2&view=growth&step=2")
    wait(browser, lambda: "switches new" in text(browser, ".structure-legend"))
    browser.get(f"{server.base}/network?source=nets/machine&view=growth&into=nets/larger.toml")
    wait(browser, lambda: "Network fabric: what is new" in text(browser))
    assert severe(browser) == []


def test_a_machine_grows_by_its_larger_file(server):
    """The record is that of `expand`; without a file, one sentence."""
    machine = server.nets / "machine"
    record = server.record("grow", topology="nets/machine", into="nets/larger.toml")
    plan = json.loads(run("expand", machine, "--into", server.nets / "larger.toml", "--json").out)
    assert record["result"]["kind"] == "machine"
    for name in ("hosts", "racks", "cables", "networks", "cost_usd"):
        assert record["result"][name] == plan[name]
    assert "machine file with more hosts" in server.record("grow", topology="nets/machine", to=9)["error"]


@pytest.mark.exhaustive
def test_stored_phases_and_machines_are_shown(browser, server):
    """The phases of a folder one after the other, and what a machine gets; no violation in both."""
    browser.get(f"{server.base}/network?source=nets/tree/2&view=growth")
    wait(browser, lambda: "Phase 1 of 2: 2027" in text(browser))
    browser.find_element(By.ID, "last").click()
    wait(browser, lambda: "Phase 2 of 2: 2028" in text(browser))
    phases = json.loads((server.nets / "tree" / "phases.json").read_text())["phases"]
    assert len(browser.find_elements(By.CSS_SELECTOR, "#bought tbody tr")) == len(phases[1]["bought"])
    _check(browser)
    browser.get(f"{server.base}/network?source=nets/machine&view=growth")
    wait(browser, lambda: browser.find_elements(By.ID, "into"))
    browser.find_element(By.ID, "into").send_keys("nets/larger.toml", Keys.ENTER)
    wait(browser, lambda: "new hosts: node" in text(browser))
    _check(browser)


@pytest.mark.exhaustive
def test_the_view_has_no_violation_and_is_no_wider_than_the_page(browser, server):
    """A plan, in light and dark, at four widths."""
    browser.get(f"{server.base}{_PAGE}&to=23&step=2")
    wait(browser, lambda: browser.find_elements(By.ID, "pull"))
    _check(browser)


def _check(browser):
    assert violations(browser) == []
    with dark(browser):
        assert violations(browser) == []
    for width in (1024, 800, 390):
        with narrow(browser, width):
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width
            assert violations(browser) == []
