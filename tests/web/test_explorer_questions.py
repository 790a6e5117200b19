"""Kinds of hosts, networks, phases and wrong answers on the first page, in Chromium."""

import tomllib

import pytest
from browsing import driver, narrow, needs_chromium, text, violations, wait
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_server import Server

pytestmark = [needs_chromium, pytest.mark.exhaustive]


_MACHINE = """# two networks
title = "Small machine"
parts = "slimfly-2014"
shortlist = 1
minutes = 0.1

[[host]]
name = "node"
count = 20
u = 1
power_w = 500
ports = { fabric = 1, storage = 1 }

[[network]]
name = "fabric"
rate_gbps = 40
switch = { radix = 12 }
families = { try = ["fat-tree"] }

[[network]]
name = "storage"
rate_gbps = 40
switch = { radix = 24 }
families = { try = ["fat-tree"] }
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A first visit."""
    running = Server(tmp_path_factory.mktemp("questions") / "store")
    yield running
    running.end()


@pytest.fixture(scope="module")
def browser(server):
    """Chromium, which has followed the first address."""
    opened = driver()
    opened.get(server.first)
    yield opened
    opened.quit()


def _all(browser, chosen):
    return browser.find_elements(By.CSS_SELECTOR, chosen)


def _one(browser, chosen, seconds=60):
    return wait(browser, lambda: (_all(browser, chosen) or [None])[0], seconds)


def _click(browser, chosen):
    browser.execute_script("arguments[0].click()", _one(browser, chosen))


def _content(browser):
    return _one(browser, "details.file textarea").get_attribute("value")


def _read(browser):
    return tomllib.loads(_content(browser))


def _put(browser, content):
    browser.execute_script(
        "const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set;"
        "set.call(arguments[0], arguments[1]); arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
        _one(browser, "details.file textarea"),
        content,
    )


def _enter(browser, label, value, at=0):
    """A value in the field with this label."""
    field = browser.execute_script(
        "return [...document.querySelectorAll('.questions label.field')].filter((one) => one.querySelector('.label')"
        ".textContent.startsWith(arguments[0]))[arguments[1]].querySelector('input')",
        label,
        at,
    )
    field.send_keys(Keys.CONTROL + "a")
    field.send_keys(value or Keys.DELETE, Keys.TAB)


def _ready(browser):
    wait(browser, lambda: text(browser, ".go [role=status]") == "Ready.")


def _begin(browser, server, chosen="[data-purpose=hpc]"):
    browser.get(server.base + "/")
    _click(browser, chosen)
    _ready(browser)


def _sentences(browser):
    shown = "[...document.querySelectorAll('.question .wrong')].filter((one) => one.offsetParent)"
    return browser.execute_script(f"return {shown}.map((one) => one.textContent)")


def test_kinds_of_hosts_are_added_changed_and_removed(browser, server):
    """A second kind makes a machine file, both ways with the text; Back leads to the requirement."""
    _begin(browser, server)
    _click(browser, "#add-kind")
    wait(browser, lambda: len(_read(browser).get("host", [])) == 2)
    _ready(browser)
    wait(browser, lambda: _all(browser, ".kind svg.front"))
    _enter(browser, "How many", "12", 1)
    _enter(browser, "Name", "store", 1)
    wait(browser, lambda: _read(browser)["host"][1]["name"] == "store")
    assert _read(browser)["host"][1]["count"] == 12
    _put(browser, _content(browser).replace("count = 12", "count = 13  # later more"))
    _enter(browser, "Ports on compute", "2", 1)
    wait(browser, lambda: _read(browser)["host"][1]["ports"] == {"compute": 2})
    assert "count = 13  # later more" in _content(browser)
    _click(browser, "#add-network")
    wait(browser, lambda: _read(browser)["host"][0]["ports"] == {"compute": 1, "storage": 1})
    _ready(browser)
    assert violations(browser) == []
    with narrow(browser, 390):
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 391
    _click(browser, "button[aria-label='Remove store']")
    wait(browser, lambda: [kind["name"] for kind in _read(browser)["host"]] == ["node"])
    _ready(browser)
    browser.back()
    wait(browser, lambda: "[[host]]" not in _content(browser) and "hosts = 200" in _content(browser))


def test_growth_is_asked_as_phases_and_as_hosts_that_may_come(browser, server):
    """Phases end with all hosts, also when their number changes."""
    _begin(browser, server)
    _click(browser, "#add-phase")
    wait(browser, lambda: [phase["hosts"] for phase in _read(browser).get("phase", [])] == [100, 200])
    _enter(browser, "Hosts", "300")
    wait(browser, lambda: _read(browser)["phase"][1]["hosts"] == 300)
    _enter(browser, "Hosts after a growth", "400")
    _enter(browser, "Needed by", "2027-03")
    wait(browser, lambda: _read(browser)["phase"][0].get("by") == "2027-03")
    assert _read(browser)["least"]["grow_to_hosts"] == 400
    _ready(browser)
    _click(browser, "button[aria-label='Remove phase 1']")
    wait(browser, lambda: "phase" not in _read(browser))


@pytest.mark.parametrize("kind", ["requirement", "machine"])
def test_every_start_is_ready(browser, server, kind):
    """Each example that the first page offers passes the check, with the files that it names."""
    browser.get(server.base + "/")
    _one(browser, ".begin")
    starts = {one["name"]: one["kind"] for one in server.client.get("/api/catalogue").json()["starts"]}
    names = [name for name, its in starts.items() if its == kind]
    assert len(names) >= 8
    for name in names:
        _begin(browser, server, f"[data-start='{name}']")


@pytest.mark.parametrize(
    ("label", "value", "words"),
    [
        ("Hosts", "-5", "whole number from 2"),
        ("Hosts", "", "'hosts' is missing"),
        ("Hosts", "1.5", "whole number"),
        ("Cost at most", "0", "above 0"),
        ("Hosts after a growth", "100", "below hosts"),
        ("Height of a rack", "0.5", "holds no host"),
    ],
)
def test_a_wrong_answer_has_one_sentence_at_its_question(browser, server, label, value, words):
    """It stands once, and outlives a reload with what was typed."""
    _begin(browser, server)
    _enter(browser, label, value)
    wait(browser, lambda: any(words in one for one in _sentences(browser)))
    assert len(_sentences(browser)) == 1
    typed = _content(browser)
    browser.refresh()
    wait(browser, lambda: _content(browser) == typed)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[limits]", "[limits]\n[limits]", "[limits] is there twice"),
        ("[limits]", "[limits]\ncosts_usd = 3", "did you mean cost_usd?"),
        ("QM9700", "QM97", "did you mean QM9700?"),
        ("made-up-ndr", "none", "send it, or choose one"),
        ("hosts = 200", 'hosts = "many"', "whole number"),
    ],
)
def test_a_wrong_line_has_one_sentence_at_its_question(browser, server, old, new, words):
    """The text stays as it was typed, also after a reload."""
    _begin(browser, server)
    typed = _content(browser).replace(old, new)
    _put(browser, typed)
    wait(browser, lambda: any(words in one for one in _sentences(browser)))
    assert len(_sentences(browser)) == 1
    browser.refresh()
    wait(browser, lambda: _content(browser) == typed)


def test_an_impossible_requirement_says_what_would_do(browser, server):
    """The limit, the best value and the remedy; every dropped candidate has a page."""
    _begin(browser, server)
    _enter(browser, "Cost at most", "10")
    _ready(browser)
    _click(browser, "#run")
    said = wait(browser, lambda: text(browser, ".nothing"), 120) and text(browser, ".nothing")
    assert "cost more than allowed" in said
    assert "The best of these: cost" in said
    assert "question 5" in said
    _click(browser, ".candidates-part summary")
    link = _one(browser, "#candidates-table tbody a")
    assert "/network?source=" in link.get_attribute("href")
    link.click()
    wait(browser, lambda: "hosts" in text(browser, "main") and _all(browser, "h1"))


def test_the_results_of_a_machine_open(browser, server):
    """Its card leads to every network, the bill, the room, the files, the report and the order."""
    _begin(browser, server)
    _put(browser, _MACHINE)
    _ready(browser)
    _click(browser, "#run")
    _one(browser, ".network-card.best", 240)
    wait(browser, lambda: "Measuring" not in text(browser, ".answer"))
    assert violations(browser) == []
    links = {one.text: one.get_attribute("href") for one in _all(browser, ".answer .network-card a, .answer .links a")}
    assert {"Small machine", "Report", "Bill", "Room", "All files", "Order (CSV)"} <= set(links)
    assert len(links) == 8
    for name, address in links.items():
        if "/files/" in address:
            assert server.client.get(address.removeprefix(server.base)).status_code == 200, name
            continue
        for view in ("", "bill", "room", "files"):
            browser.get(f"{address}&view={view}" if "&view=" not in address else address)
            wait(browser, lambda: _all(browser, "h1") and not _all(browser, ".state.waiting, .state.running"))
            assert [one.text for one in _all(browser, ".wrong")] == [], (name, view)
