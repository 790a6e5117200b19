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


@pytest.mark.exhaustive
def test_a_block_is_lost_by_keys_and_by_its_button(browser, server):
    """The block around a switch by b, lost by its button, and the next by x: both in the address and struck out."""
    browser.get(server.base + _PAGE)
    canvas = _element(browser, ".structure canvas[data-frames]")
    canvas.send_keys(Keys.ARROW_RIGHT, "b")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#lose-chosen small"))
    first = text(browser, "#lose-chosen small")
    browser.find_element(By.ID, "lose-chosen").click()
    wait(browser, lambda: f"lost={quote(first, safe='')}" in browser.current_url)
    wait(browser, lambda: "hosts cut off" in text(browser, "main"))
    lost = losses(_NETWORK, first)
    result = outage(_NETWORK, switches=lost.switches)
    wait(browser, lambda: f"{len(lost.switches)} switches and 0 further cables" in text(browser))
    wait(browser, lambda: f"{result.cut_off} of {result.hosts}" in text(browser))
    red = _red(browser)
    assert red > 0
    canvas = _element(browser, ".structure canvas[data-frames]")
    canvas.send_keys("b", "x")
    wait(browser, lambda: "%2Cgroup%3A" in browser.current_url or "%2Clevel%3A" in browser.current_url)
    wait(browser, lambda: _red(browser) > red)


def _red(browser):
    """Pixels of the drawing in the colour of failures."""
    return browser.execute_script(
        "const { data } = document.querySelector('.structure canvas').getContext('2d')"
        ".getImageData(0, 0, 3000, 2000); let red = 0;"
        "for (let i = 0; i < data.length; i += 4) if (data[i] > 120 && data[i + 1] < 70 && data[i + 2] < 70) red += 1;"
        "return red"
    )


@pytest.mark.exhaustive
def test_names_are_completed(browser, server):
    """Kinds, switches, links and groups complete what is typed, at most forty, and after a comma the next one."""
    browser.get(server.base + _PAGE)
    _element(browser, ".structure canvas[data-frames]")
    field = _element(browser, "#lose")
    for typed, offered in (
        ("sw", ["switch:"]),
        ("switch:1", [f"switch:{number}" for number in (1, *range(10, 20))]),
        ("link:0-", ["link:0-8", "link:0-9"]),
        ("switch:3,group:", [f"switch:3,group:{number}" for number in range(5)]),
        ("pod 2", ["group:2"]),
    ):
        field.clear()
        field.send_keys(typed)
        wait(
            browser,
            lambda wanted=offered: (
                browser.execute_script(
                    "return [...document.querySelectorAll('#losses option')].map((each) => each.value)"
                )
                == wanted
            ),
            15,
        )


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
