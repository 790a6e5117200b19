"""The first page in Debian's Chromium: a newcomer's first design by keys alone, the text both ways, uploads, addresses."""

from pathlib import Path

import pytest
from browsing import dark, driver, narrow, needs_chromium, severe, text, violations, wait
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_server import Server

pytestmark = needs_chromium
_FLOORS = Path(__file__).parents[2] / "examples" / "floors"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with an empty store and no folders: a first visit."""
    running = Server(tmp_path_factory.mktemp("first") / "store")
    yield running
    running.end()


@pytest.fixture(scope="module")
def browser(server):
    """Chromium, which has followed the first address."""
    opened = driver()
    opened.get(server.first)
    yield opened
    opened.quit()


@pytest.fixture(autouse=True)
def _no_errors(browser):
    yield
    assert severe(browser) == []


def _all(browser, chosen):
    return browser.find_elements(By.CSS_SELECTOR, chosen)


def _one(browser, chosen):
    return wait(browser, lambda: (_all(browser, chosen) or [None])[0])


def _open_text(browser):
    if not _one(browser, "details.file").get_attribute("open"):
        _one(browser, "details.file > summary").click()
    return _one(browser, "details.file textarea")


def _put(browser, element, content):
    browser.execute_script(
        "const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(arguments[0]), 'value').set;"
        "set.call(arguments[0], arguments[1]); arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
        element,
        content,
    )


def _ready(browser):
    wait(browser, lambda: text(browser, ".go [role=status]") == "Ready.")


def _tab_to(browser, chosen, most=80):
    """The element, reached by Tab alone."""
    target = _one(browser, chosen)
    for _ in range(most):
        if browser.switch_to.active_element == target:
            return target
        ActionChains(browser).send_keys(Keys.TAB).perform()
    raise AssertionError(f"{chosen} is not reached by Tab")


def test_an_example_gives_cards_with_pictures(browser, server):
    """One click on the first visit: cards with a picture, cost, power, racks; and an address that shows them again."""
    browser.get(server.base + "/")
    _one(browser, "[data-example=small-cluster]").click()
    wait(browser, lambda: _all(browser, ".network-card .thumb svg"), 120)
    card = text(browser, ".network-card.best")
    for words in ("Cost", "USD per host", "Power", "Racks", "best"):
        assert words in card
    assert "null" not in text(browser)
    browser.get(browser.current_url)
    wait(browser, lambda: _all(browser, ".network-card"))


@pytest.mark.exhaustive
def test_a_newcomer_designs_a_network_by_keys_alone(browser, server):
    """From the first page: the purpose, 40 hosts, Design, and the first card is opened."""
    browser.get(server.base + "/")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.NULL)
    _tab_to(browser, "[data-purpose=general]").send_keys(Keys.ENTER)
    hosts = _tab_to(browser, "input[type=number]")
    hosts.send_keys(Keys.CONTROL + "a")
    hosts.send_keys("40", Keys.TAB)
    _ready(browser)
    _tab_to(browser, "#run").send_keys(Keys.ENTER)
    wait(browser, lambda: _all(browser, ".network-card"), 120)
    _tab_to(browser, ".network-card h3 a").send_keys(Keys.ENTER)
    wait(browser, lambda: "/network?source=" in browser.current_url)
    browser.back()
    wait(browser, lambda: _all(browser, ".network-card"))


@pytest.mark.exhaustive
def test_questions_and_text_are_one(browser, server):
    """An answer changes its key and no comment; the text changes the answers; an error is next to its question."""
    browser.get(server.base + "/")
    _one(browser, "[data-purpose=hpc]").click()
    area = _open_text(browser)
    _put(
        browser,
        area,
        "# mine\n" + area.get_attribute("value").replace("hosts = 200", "hosts = 200  # of the first hall"),
    )
    hosts = _one(browser, ".questions input[type=number]")
    hosts.send_keys(Keys.CONTROL + "a")
    hosts.send_keys("300", Keys.TAB)
    wait(browser, lambda: "hosts = 300  # of the first hall" in area.get_attribute("value"))
    assert area.get_attribute("value").startswith("# mine\n")
    _put(browser, area, area.get_attribute("value").replace("hosts = 300", "hosts = 77"))
    wait(browser, lambda: hosts.get_attribute("value") == "77")
    _put(browser, area, area.get_attribute("value").replace("hosts = 77", "hosts = -5"))
    wait(browser, lambda: "requirement:" in text(browser, ".question .wrong"))
    _put(browser, area, area.get_attribute("value").replace("hosts = -5", "hosts = 64"))
    _ready(browser)
    address = browser.current_url
    assert "requirement=" in address
    browser.get(address)
    assert "hosts = 64" in wait(browser, lambda: _open_text(browser).get_attribute("value"))
    # A room that is sent is the one that is checked.
    _one(browser, "input[name=room][value=file]").find_element(By.XPATH, "..").click()
    for name in ("hall.csv", "hall.toml"):
        _one(browser, ".question .drop input[accept='.toml,.csv']").send_keys(str(_FLOORS / name))
        wait(browser, lambda name=name: f"uploads/{name}" in _open_text(browser).get_attribute("value"))
    _ready(browser)


@pytest.mark.exhaustive
def test_the_results_are_accessible_in_every_size_and_colour(browser, server):
    """The full assessment with its folder and links, and all candidates: axe-core finds nothing."""
    browser.get(server.base + "/")
    _one(browser, "[data-example=small-cluster]").click()
    wait(browser, lambda: _all(browser, ".network-card .risk"), 240)
    assert _all(browser, ".links a[href$='report.html']")
    ranked = len(_all(browser, ".network-card"))
    assert ranked >= 2
    _one(browser, ".candidates-part summary").click()
    wait(browser, lambda: _all(browser, "#candidates-table tbody tr"))
    assert violations(browser) == []
    with dark(browser):
        assert violations(browser) == []
    for width in (1024, 800, 390):
        with narrow(browser, width):
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width + 1, width
            assert violations(browser) == []
