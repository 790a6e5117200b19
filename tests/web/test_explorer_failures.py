"""Failures in the explorer: a loss by name or from the rank, its effects, the traced path, all in the address."""

from urllib.parse import quote

import pytest
from browsing import WEBGL, dark, driver, narrow, needs_chromium, severe, text, violations, wait
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_server import Server

from topoloom import losses, outage

pytestmark = needs_chromium
_NETWORK = "fat-tree:k=4"
_PAGE = f"/network?source={quote(_NETWORK)}&view=failures"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with an empty folder and a hosts file for a laid-out network."""
    here = tmp_path_factory.mktemp("failures")
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


def _element(browser, chosen):
    return wait(browser, lambda: next(iter(browser.find_elements(By.CSS_SELECTOR, chosen)), None))


def _row(browser, label):
    return [
        row.text for row in browser.find_elements(By.CSS_SELECTOR, "#compared tbody tr") if row.text.startswith(label)
    ]


@pytest.mark.exhaustive
def test_a_chosen_loss_has_the_numbers_of_the_command(browser, server):
    """A loss from the rank shows what `outage` gives; the address has it, and back undoes it."""
    browser.get(server.base + _PAGE)
    _element(browser, "#ranked button.link").click()
    wait(browser, lambda: "lost=switch%3A0" in browser.current_url and "hosts cut off" in text(browser))
    lost = losses(_NETWORK, "switch:0")
    result = outage(_NETWORK, switches=lost.switches)
    wait(browser, lambda: f"{result.cut_off} of {result.hosts}" in text(browser))
    assert f"{result.entries_changed} of {result.entries}" in text(browser)
    assert _row(browser, "mean hops") == [f"mean hops {result.before.mean_hops:.4f} {result.after.mean_hops:.4f}"]
    browser.back()
    wait(browser, lambda: "Nothing is lost" in text(browser))
    assert severe(browser) == []


def test_lists_of_lost_parts_in_files_are_refused(server):
    """A page cannot read a file of the server by the name of a lost part, and names with a slash are no files."""
    answer = server.ask("outage", topology=_NETWORK, lost="@notes.txt")
    assert answer.status_code == 400
    assert "no lists of lost parts from files" in answer.json()["error"]
    record = server.record("outage", topology=_NETWORK, lost="feed:A03/A")
    assert "the power feeds of this network are not known" in record["error"]


@pytest.mark.exhaustive
def test_losses_and_a_path_by_keys_alone(browser, server):
    """A name and Enter lose a part; two names trace a path; undo and restore by their buttons."""
    browser.get(server.base + _PAGE)
    field = _element(browser, "#lose")
    field.send_keys("switch:8, link:1-9", Keys.ENTER)
    wait(browser, lambda: "1 switch and 1 further cable" in text(browser))
    browser.find_element(By.ID, "pair").send_keys("H2,5", Keys.ENTER)
    wait(browser, lambda: "without a common cable" in text(browser))
    assert "pair=H2%2C5" in browser.current_url
    browser.find_element(By.ID, "undo").send_keys(Keys.ENTER)
    wait(browser, lambda: "link%3A1-9" not in browser.current_url and "1 switch and 0 further cables" in text(browser))
    browser.find_element(By.ID, "throughput").send_keys(Keys.ENTER)
    wait(browser, lambda: _row(browser, "throughput of the tables, uniform traffic"))
    result = outage(_NETWORK, switches=[8], measure_throughput=True)
    wait(browser, lambda: f"{result.after.uniform_throughput:.4f}" in text(browser))
    browser.find_element(By.ID, "clear").send_keys(Keys.ENTER)
    wait(browser, lambda: "Nothing is lost" in text(browser))
    browser.find_element(By.ID, "lose").send_keys("switch:99", Keys.ENTER)
    wait(browser, lambda: "no switch 99; they are 0 to 19" in text(browser))


@pytest.mark.exhaustive
def test_the_view_has_no_violation_and_is_no_wider_than_the_page(browser, server):
    """In light and dark, at four widths, with losses and a path."""
    browser.get(f"{server.base}{_PAGE}&lost=switch:0,link:1-9&pair=1,6&rank=rack")
    wait(browser, lambda: "without a common cable" in text(browser) and "racks of this network" in text(browser))
    assert violations(browser) == []
    with dark(browser):
        assert violations(browser) == []
    for width in (1024, 800, 390):
        with narrow(browser, width):
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width
            assert violations(browser) == []


@pytest.mark.exhaustive
def test_a_switch_selected_in_the_drawing_is_lost_by_x(browser, server):
    """Found by its name in the drawing, then the key x; the drawing is still there and the address has the loss."""
    browser.get(server.base + _PAGE)
    canvas = _element(browser, ".structure canvas")
    _element(browser, ".structure-tools input[type=search]").send_keys("9", Keys.ENTER)
    wait(browser, lambda: browser.find_element(By.ID, "lose-chosen").is_enabled())
    assert "switch:9" in text(browser, "#lose-chosen")
    canvas.send_keys("x")
    wait(browser, lambda: "lost=switch%3A9" in browser.current_url and "hosts cut off" in text(browser))
