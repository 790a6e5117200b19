"""The page of cabling with a machine of several networks, with thousands of faults, and with files of every maker."""

import csv
import io
import random
import re
from pathlib import Path

import pytest
from browsing import dark, driver, narrow, needs_chromium, severe, text, violations, wait
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select
from test_explorer_cabling import _dropped
from test_server import Server

from in_process import run

pytestmark = [needs_chromium, pytest.mark.exhaustive]
_MAKERS = Path(__file__).parents[1] / "formats" / "fixtures"
_MACHINE = """
title = "two networks"
parts = "slimfly-2014"
shortlist = 0
[[host]]
name = "node"
count = 12
u = 1
ports = { compute = 1, storage = 1 }
[[network]]
name = "compute"
rate_gbps = 40
spec = "clos:leaves=2,spines=1,hosts=8"
[[network]]
name = "storage"
rate_gbps = 10
spec = "clos:leaves=2,spines=2,hosts=8"
[rack]
hosts = 6
"""
#: Cables of the large plan that are missing.
_MISSING = 3000
_LINK = re.compile(r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"([^"]+)"\[(\d+)\]')


def without(network, count):
    """The text of ibnetdiscover without some cables, by both their ends."""
    device, ends, lines = "", {}, network.splitlines()
    for number, line in enumerate(lines):
        if head := re.match(r'(?:Switch|Ca)\s+\d+ "([^"]+)"', line):
            device = head[1]
        elif link := _LINK.match(line):
            ends[device, link[1]] = number, (link[2], link[3])
    cables = [end for end, (_, other) in ends.items() if end < other]
    lost = {ends[each][0] for end in random.Random(1).sample(cables, count) for each in (end, ends[end][1])}
    return "\n".join(line for number, line in enumerate(lines) if number not in lost) + "\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A machine with two days of discoveries, and a large plan with one."""
    here = tmp_path_factory.mktemp("machine-week")
    (here / "machine.toml").write_text(_MACHINE)
    assert run("design", here / "machine.toml", "-o", here / "machine", "--jobs", "1").code == 0
    for day, count in (("monday", 4), ("tuesday", 0)):
        (here / "days" / day).mkdir(parents=True)
        for name in ("compute", "storage"):
            file = here / "days" / day / f"{name}.net"
            assert run("convert", here / "machine" / "networks" / name, file, "-q").code == 0
            file.write_text(without(file.read_text(), count))
    assert run("layout", "fat-tree:k=20", "--map", "rows", "-o", here / "large", "-q").code == 0
    (here / "many").mkdir()
    assert run("convert", here / "large", here / "many" / "one.net", "-q").code == 0
    (here / "many" / "one.net").write_text(without((here / "many" / "one.net").read_text(), _MISSING))
    return here


@pytest.fixture(scope="module")
def server(place):
    """A server with these folders, and the files of all makers."""
    running = Server(
        place / "store", *(str(place / name) for name in ("machine", "days", "large", "many")), str(_MAKERS)
    )
    yield running
    running.end()


@pytest.fixture(scope="module")
def browser(server):
    """Chromium, which has followed the first address."""
    opened = driver()
    opened.get(server.first)
    yield opened
    assert severe(opened) == []
    opened.quit()


def _cells(browser, row):
    return [cell.text.replace(",", "") for cell in row.find_elements(By.TAG_NAME, "td")]


def test_a_machine_day_by_day(browser, server, place):
    """Days in their order; the cables and faults of each network are those of verify; a network filters the faults."""
    browser.get(f"{server.base}/cabling?plan=machine&discoveries=days&view=week")
    wait(browser, lambda: "\u2026" not in text(browser, "#machineweek") and "cancel" not in text(browser), 90)
    rows = [_cells(browser, row) for row in browser.find_elements(By.CSS_SELECTOR, "#machineweek tbody tr")]
    assert [row[0] for row in rows] == ["monday", "tuesday"]
    for day, row in zip(("monday", "tuesday"), rows, strict=True):
        files = [f"{name}={place / 'days' / day / f'{name}.net'}" for name in ("compute", "storage")]
        printed = run("verify", place / "machine", *files, "--json").record
        for cell, result in zip(row[1:], printed["results"], strict=True):
            cables = result["comparison"]
            assert cell.startswith(
                f"{cables['right_cables']} of {cables['planned_cables']} right {cables['missing_cables']} missing"
            )
            assert f"{result['errors'] + result['warnings']} fault" in cell
    browser.find_element(By.XPATH, "//table[@id='machineweek']//button[.='monday']").click()
    wait(browser, lambda: "day=1" in browser.current_url and "Not ready to hand over" in text(browser, ".verdict"))
    browser.get(f"{server.base}/cabling?plan=machine&discoveries=days&day=1")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#networks tbody tr"), 60)
    both = len(browser.find_elements(By.CSS_SELECTOR, "ol.faults li"))
    browser.find_element(By.XPATH, "//table[@id='networks']//button[.='storage']").click()
    wait(browser, lambda: "network=storage" in browser.current_url and f" of {both} faults" in text(browser, "#count"))
    assert all("storage:" in item.text for item in browser.find_elements(By.CSS_SELECTOR, "ol.faults li"))
    assert not browser.find_elements(By.LINK_TEXT, "Racks")


@pytest.mark.parametrize("view", ["", "week"])
def test_a_machine_is_accessible_in_every_size_and_colour(browser, server, view):
    """axe-core finds nothing, and nothing is wider than the screen."""
    browser.get(f"{server.base}/cabling?plan=machine&discoveries=days&day=1&view={view}")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#machineweek tbody tr, #networks tbody tr"), 60)
    with dark(browser):
        assert violations(browser) == []
    for width in (1400, 1024, 800, 390):
        with narrow(browser, width):
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width + 1, width
            assert violations(browser) == []


def test_thousands_of_faults(browser, server, place):
    """A page of them is drawn, by the address; search reaches the others, and the file has all that the filters leave."""
    browser.get(f"{server.base}/cabling?plan=large&discoveries=many")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "ol.faults li"), 240)
    printed = run("verify", place / "large", place / "many" / "one.net", "--json").record
    faults = printed["diagnostics"]
    assert printed["errors"] == _MISSING
    assert text(browser, "#count") == f"{len(faults):,} faults; 1 to 100 are shown"
    assert len(browser.find_elements(By.CSS_SELECTOR, "ol.faults li")) == 100
    browser.find_element(By.XPATH, "//button[.='next 100']").click()
    wait(browser, lambda: "101 to 200 are shown" in text(browser, "#count"))
    assert "page=2" in browser.current_url
    assert faults[100]["text"] in browser.find_element(By.CSS_SELECTOR, "ol.faults li").text
    last = faults[-1]
    browser.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys(last["nodes"][0])
    wait(browser, lambda: last["text"] in text(browser, "ol.faults") and "page=" not in browser.current_url)
    browser.execute_script(
        "window.saved = []; URL.createObjectURL = (blob) => { window.saved.push(blob); return '#'; };"
    )
    Select(browser.find_element(By.CSS_SELECTOR, "select[aria-label=severity]")).select_by_value(last["severity"])
    wait(browser, lambda: "severity=" in browser.current_url)
    browser.find_element(By.ID, "csv").click()
    saved = list(csv.DictReader(io.StringIO(browser.execute_async_script("window.saved[0].text().then(arguments[0])"))))
    assert last["text"] in [row["fault"] for row in saved]
    assert {row["severity"] for row in saved} == {last["severity"]}
    browser.get(f"{server.base}/cabling?plan=large&discoveries=many&view=sheets")
    wait(browser, lambda: browser.find_element(By.XPATH, "//button[.='Print']").is_enabled(), 120)
    assert len(browser.find_elements(By.CSS_SELECTOR, ".worklist tbody tr")) >= _MISSING


def test_a_file_of_every_maker_that_is_dropped(browser, server):
    """The page counts the cables and the faults that the commands count; a file that cannot be compared has its sentence."""
    plan = _MAKERS / "plans" / "cvt-ptm.dot"
    files = [*sorted((_MAKERS / "neighbours").iterdir()), *sorted((_MAKERS / "plans").iterdir())]
    compared = 0
    for file in files:
        browser.get(f"{server.base}/cabling?plan=fixtures/plans/cvt-ptm.dot")
        wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".drop"))
        _dropped(browser, {file.name: file.read_bytes()})
        wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#given tbody tr, main .wrong"), 60)
        info = run("verify", plan, file, "--json")
        if info.code not in (0, 3):
            wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "main .wrong, #unused"))
            continue
        wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".verdict"), 60)
        compared += 1
        expected = [f"{info.record[f'{kind}s']} {kind}" for kind in ("error", "warning", "note")]
        assert all(words in text(browser, ".verdict") for words in expected), file.name
    assert compared > 25
