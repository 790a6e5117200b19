"""Load curves in the explorer: each load is a task; units, points and the address."""

import json
from urllib.parse import quote

import pytest
from browsing import WEBGL, dark, driver, narrow, needs_chromium, severe, text, violations, wait
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select
from test_server import Server

pytestmark = needs_chromium
_PAGE = f"/network?source={quote('petersen:hosts=2')}&view=load"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with an empty folder."""
    here = tmp_path_factory.mktemp("load")
    (here / "nets").mkdir()
    running = Server(here / "store", str(here / "nets"))
    yield running
    running.end()


@pytest.fixture(scope="module")
def browser(server):
    """Chromium, which has followed the first address."""
    opened = driver(*WEBGL)
    opened.get(server.first)
    yield opened
    opened.quit()


def _points(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('#points tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
    )


@pytest.mark.exhaustive
def test_each_load_is_a_task_and_the_address_has_the_curve(browser, server):
    """The points are those of the records; the same address draws them again; the axes change to ns and Gb/s."""
    browser.get(f"{server.base}{_PAGE}&loads=0.1,0.4")
    wait(browser, lambda: browser.find_elements(By.ID, "simulate"))
    Select(browser.find_element(By.CSS_SELECTOR, "#load-form select[aria-label=engine]")).select_by_value("orders")
    browser.find_element(By.ID, "simulate").click()
    wait(browser, lambda: len(_points(browser)) == 2)
    assert "series=%7B%22engine%22%3A%22orders%22%7D" in browser.current_url
    record = server.record("simulate", topology="petersen:hosts=2", loads=[0.4], engine="orders")
    accepted = record["result"]["points"][0]["accepted"]
    assert any(row[1] == "0.4" and row[2] == f"{accepted:.4f}" for row in _points(browser))
    browser.find_element(By.ID, "ns").click()
    wait(browser, lambda: "mean latency [ns]" in text(browser, "svg.plot"))
    browser.get(browser.current_url)
    wait(browser, lambda: "mean latency [ns]" in text(browser, "svg.plot"))
    browser.find_element(By.CSS_SELECTOR, ".chips .chip").click()
    wait(browser, lambda: not browser.find_elements(By.CSS_SELECTOR, "svg.plot"))
    assert severe(browser) == []


def test_units_scale_every_point(server):
    """In ns and Gb/s, each point is the cycle's duration times its latency, and the rate times its load."""
    task = server.ask("simulate", topology="petersen:hosts=2", loads=[0.2]).json()
    server.wait(task["digest"])

    def point(query):
        answer = server.client.get(f"/api/curves?digests={task['digest']}{query}")
        assert answer.status_code == 200, answer.text
        return answer.json()["curves"][0]["series"][0]["points"][0]

    plain, scaled = point(""), point("&ns=1&gbps=1&rate_gbps=200&flit_bytes=32")
    assert scaled[0] == pytest.approx(200 * plain[0], rel=1e-4)
    assert scaled[1] == pytest.approx(1.28 * plain[1], rel=1e-4)
    refused = server.client.get(f"/api/curves?digests={task['digest']}&ns=1&rate_gbps=fast")
    assert refused.status_code == 400
    assert "no number" in refused.json()["error"]
    assert "positive" in server.client.get("/api/curves?digests=&rate_gbps=-1").json()["error"]


@pytest.mark.exhaustive
def test_the_view_has_no_violation_and_is_no_wider_than_the_page(browser, server):
    """With two curves and their units, in light and dark, at four widths."""
    series = "".join(f"&series={quote(json.dumps(each))}" for each in ({}, {"packet": 2}))
    browser.get(f"{server.base}{_PAGE}&loads=0.1,0.3{series}&ns=1&gbps=1")
    wait(browser, lambda: len(_points(browser)) == 4)
    assert violations(browser) == []
    with dark(browser):
        assert violations(browser) == []
    for width in (1024, 800, 390):
        with narrow(browser, width):
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width
            assert violations(browser) == []
