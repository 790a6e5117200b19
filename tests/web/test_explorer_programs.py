"""Programs and survival curves in the explorer: the numbers of the commands, side by side, all in the address."""

import json
from urllib.parse import quote

import pytest
from browsing import WEBGL, dark, driver, narrow, needs_chromium, severe, text, violations, wait
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from test_server import Server

from in_process import run
from topoloom import degradation, resilience
from topoloom.simulation.applications.registry import APPLICATIONS
from topoloom.topologies.spec import build

_NETWORK = "fat-tree:k=4"
_PROGRAMS = f"/network?source={quote(_NETWORK)}&view=programs"
_FAILURES = f"/network?source={quote(_NETWORK)}&view=failures"
_SHARES = [0.1, 0.3]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with an empty folder."""
    here = tmp_path_factory.mktemp("programs")
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
    assert severe(opened) == []
    opened.quit()


def _points(server, operation, name, **arguments):
    """The curves of a task per share."""
    digests = [
        server.record(operation, topology=_NETWORK, **{name: [share]}, **arguments)["digest"] for share in _SHARES
    ]
    return server.client.get(f"/api/curves?digests={','.join(reversed(digests))}").json()["curves"]


def test_shares_that_are_computed_one_by_one_are_one_curve(server):
    """Each alone has the numbers that the command finds for all of them together."""
    together = resilience(_NETWORK, metric="aspl", levels=_SHARES, samples=40, values=True)
    survival, lengths = _points(server, "resilience", "levels", metric="aspl", samples=40, values=True)
    (series,) = survival["series"]
    assert [point[:2] for point in series["points"]] == [
        [0, 1],
        *([100 * level.share, pytest.approx(level.probability)] for level in together.levels),
    ]
    (series,) = lengths["series"]
    assert [point[1] for point in series["points"][1:]] == [pytest.approx(level.mean) for level in together.levels]
    left = degradation(build(_NETWORK), levels=_SHARES, samples=2)
    (throughput,) = _points(server, "degradation", "shares", draws=2)
    assert [[point[1] for point in series["points"][1:]] for series in throughput["series"]] == [
        [pytest.approx(level.uniform) for level in left],
        [pytest.approx(level.tub) for level in left],
    ]


def test_every_program_of_the_command_can_be_chosen(server):
    """With its parameters, as the command lists them."""
    listed = {
        each["name"]: [one["name"] for one in each["parameters"]]
        for each in server.client.get("/api/catalogue").json()["applications"]
    }
    assert listed == {name: [*APPLICATIONS.find(name).parameters] for name in APPLICATIONS}
    record = server.record("collective", topology=_NETWORK, bytes=4096)
    assert record["result"]["seconds"] == run("collective", _NETWORK, "--bytes", "4096", "--json").record["seconds"]


def _row(browser, label):
    rows = [row.text.split("\n") for row in browser.find_elements(By.CSS_SELECTOR, "#runs tbody tr")]
    return next((row for row in rows if row[0].startswith(label)), None)


@needs_chromium
@pytest.mark.exhaustive
def test_two_placements_side_by_side(browser, server):
    """By the form: the times, shares of the least time and fullest links are those of the command; back removes the second."""
    browser.get(server.base + _PROGRAMS)
    wait(browser, lambda: browser.find_elements(By.ID, "run-program"))
    browser.find_element(By.NAME, "bytes").send_keys("65536")
    browser.find_element(By.ID, "run-program").click()
    wait(browser, lambda: _row(browser, "simulated time"))
    browser.find_element(By.CSS_SELECTOR, "input[list=placements]").send_keys("random")
    browser.find_element(By.ID, "run-program").click()
    wait(browser, lambda: "random" in text(browser, "#runs"))
    runs = [
        run("app", _NETWORK, "--app", "allreduce:bytes=65536", "--simulator", "flows", *more, "--json").record
        for more in ((), ("--placement", "random"))
    ]
    shown = text(browser, "#runs")
    for each in runs:
        assert f"{1e6 * each['seconds']:.3f}" in shown
        assert f"{100 * each['bound_share']:.2f}" in shown
        assert f"{100 * each['link_use_most']:.2f}" in shown
    in_address = browser.execute_script("return new URLSearchParams(location.search).getAll('run')")
    assert [json.loads(each) for each in in_address] == [
        {"app": "allreduce:bytes=65536", "simulator": "flows"},
        {"app": "allreduce:bytes=65536", "simulator": "flows", "placement": "random"},
    ]
    Select(browser.find_element(By.CSS_SELECTOR, "select[aria-label='run whose links are shown']")).select_by_value("2")
    most = max(max(both) for both in runs[1]["link_bytes"]) / 1e6
    wait(browser, lambda: f"{most:.3f}" in text(browser, "#bottlenecks") and "show=2" in browser.current_url)
    commands = browser.execute_script("return document.querySelector('pre.command').textContent").splitlines()
    assert [command for command in commands if command.startswith(f"topoloom app {_NETWORK}") and "random" in command]
    browser.back()
    browser.back()
    wait(browser, lambda: "random" not in text(browser, "#runs"))


@needs_chromium
@pytest.mark.exhaustive
def test_a_collective_and_a_program_that_is_refused(browser, server):
    """The least time stands next to the schedule's; what the command refuses has its sentence."""
    first = quote(json.dumps({"kind": "least-time", "operation": "allgather", "bytes": 65536}))
    second = quote(json.dumps({"app": "alltoall:bytes=1.5", "simulator": "flows"}))
    browser.get(f"{server.base}{_PROGRAMS}&run={first}&run={second}&run=nonsense")
    wait(browser, lambda: _row(browser, "simulated time") and browser.find_elements(By.CSS_SELECTOR, "main .wrong"))
    printed = run("collective", _NETWORK, "--operation", "allgather", "--bytes", "65536", "--json").record
    assert f"{1e6 * printed['seconds']:.3f}" in text(browser, "#runs")
    assert f"{1e6 * printed['bound']['seconds']:.3f}" in text(browser, "#runs")
    assert printed["bound"]["how"] in text(browser, "#runs")
    assert "bytes" in text(browser, "main .wrong")


@needs_chromium
@pytest.mark.exhaustive
def test_survival_by_the_form(browser, server):
    """A curve is computed point by point; the share that may be lost is the command's; other shares and a wrong one."""
    browser.get(server.base + _FAILURES)
    field = wait(browser, lambda: browser.find_elements(By.ID, "shares"))[0]
    field.send_keys(Keys.CONTROL + "a")
    field.send_keys("10%, 0.3")
    Select(browser.find_element(By.CSS_SELECTOR, "select[aria-label='measure of survival']")).select_by_value(
        "disconnection"
    )
    browser.find_element(By.CSS_SELECTOR, "#survival-form input[type=number]").send_keys("40")
    browser.find_element(By.ID, "compute-survival").click()
    wait(
        browser,
        lambda: (
            browser.find_elements(By.CSS_SELECTOR, "#survival svg.plot") and "2 points" in text(browser, "#survival")
        ),
    )
    exact = resilience(_NETWORK, levels=_SHARES, samples=40).exact
    assert f"Up to {100 * exact:.2f} % of 32 links may be lost" in text(browser, "#survival")
    browser.get(f"{server.base}{_FAILURES}&shares=2&curve={quote(json.dumps({'metric': 'aspl', 'fail': 'links'}))}")
    wait(browser, lambda: "Shares are numbers" in text(browser, "#survival"))


@needs_chromium
@pytest.mark.exhaustive
@pytest.mark.parametrize("view", ["programs", "failures"])
def test_the_views_are_accessible_in_every_size_and_colour(browser, server, view):
    """axe-core finds nothing, and nothing is wider than the screen."""
    runs = [{"app": "allreduce:bytes=65536", "simulator": "flows"}, {"kind": "least-time", "bytes": 4096}]
    curves = [
        {"metric": "aspl", "fail": "links", "samples": 20},
        {"metric": "throughput", "fail": "links", "samples": 2},
    ]
    asked = "".join(f"&run={quote(json.dumps(each))}" for each in runs) + "&shares=0.1"
    asked += "".join(f"&curve={quote(json.dumps(each))}" for each in curves)
    browser.get(f"{server.base}/network?source={quote(_NETWORK)}&view={view}{asked}")
    chosen = "#runs, #survival svg.plot"
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, chosen) and " done" not in text(browser), 90)
    with dark(browser):
        assert violations(browser) == []
    for width in (1400, 1024, 800, 390):
        with narrow(browser, width):
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width, width
            assert violations(browser) == []
