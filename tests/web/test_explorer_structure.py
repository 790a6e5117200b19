"""The drawing of a network in Chromium: by pointer and by keys, down to a port, and at every width."""

import json
from importlib.resources import files

import pytest
from browsing import By, dark, driver, narrow, needs_chromium, severe, text, violations, wait
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from test_server import Server

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server without folders: the catalogue alone."""
    running = Server(tmp_path_factory.mktemp("structure") / "store")
    yield running
    running.end()


@pytest.fixture(scope="module")
def browser(server):
    """Chromium without a graphics card, which has followed the first address."""
    window = driver("--disable-gpu", "--disable-3d-apis", "--touch-events=enabled")
    window.get(server.first)
    yield window
    window.quit()


@pytest.fixture(autouse=True)
def _no_errors(browser):
    yield
    assert severe(browser) == []


def _opened(browser, server, address):
    """The canvas of a drawing, once it is drawn."""
    browser.get(f"{server.base}/network?{address}")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".structure canvas[data-frames]"))
    return browser.find_element(By.CSS_SELECTOR, ".structure canvas")


def _said(browser):
    return browser.execute_script("return document.getElementById('live')?.textContent")


def _press(browser, *keys):
    for key in keys:
        ActionChains(browser).send_keys(key).perform()


def test_by_keys_a_block_is_opened_down_to_a_switch(browser, server):
    """Arrows go to neighbours and say what they are, Enter opens, the address and the breadcrumb follow, Escape leaves."""
    canvas = _opened(browser, server, "source=fat-tree:k=64,hosts=2048&view=structure")
    assert "32 lines between 12 nodes" in text(browser, ".structure-legend")
    browser.execute_script("arguments[0].focus()", canvas)
    _press(browser, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    wait(browser, lambda: _said(browser) == "leaf 0 to 7, 8 switches, 256 hosts, 256 links to others")
    _press(browser, Keys.ENTER)
    wait(browser, lambda: "in=" in browser.current_url)
    wait(browser, lambda: "leaf 0 to 7" in text(browser, ".crumbs"))
    _press(browser, Keys.ARROW_RIGHT)
    wait(browser, lambda: _said(browser) == "leaf 0, 32 host ports, 32 links, 32 links to others")
    _press(browser, Keys.ENTER)
    wait(browser, lambda: "selected=0" in browser.current_url)
    _press(browser, Keys.ESCAPE, Keys.ESCAPE, Keys.ESCAPE)
    wait(browser, lambda: "in=" not in browser.current_url)


@pytest.mark.exhaustive
def test_a_path_is_traced_and_a_switch_removed(browser, server):
    """An address with a path and a loss shows both paths; restoring is a button."""
    _opened(browser, server, "source=petersen:hosts=1&view=structure&engine=orders&path=0-7&lost=2")
    wait(browser, lambda: "after the loss" in text(browser, "#trace"))
    assert "switch 0 → " in text(browser, "#trace")
    assert "virtual channels of the hops" in text(browser, "#trace")
    browser.find_element(By.XPATH, "//button[contains(., 'restore 1 lost part')]").click()
    wait(browser, lambda: "after the loss" not in text(browser, "#trace"))
    assert "lost=" not in browser.current_url


@pytest.mark.exhaustive
def test_a_host_is_found_by_name_and_all_is_a_table(browser, server):
    """Searching a host shows its switch; the table lists the visible nodes and lines."""
    _opened(browser, server, "source=fat-tree:k=8&view=structure")
    field = browser.find_element(By.CSS_SELECTOR, ".structure-tools input")
    field.send_keys("H77", Keys.ENTER)
    wait(browser, lambda: "selected=19" in browser.current_url)
    browser.find_element(By.XPATH, "//button[.='as a table']").click()
    wait(browser, lambda: "visible blocks and switches" in text(browser, ".structure-table"))
    assert "leaf 19" in text(browser, ".structure-table")


@pytest.mark.exhaustive
def test_a_new_network_has_a_spec_with_sliders(browser, server):
    """A slider writes the spec, and the drawing follows."""
    _opened(browser, server, "spec=slimfly:q=5,hosts=4")
    slider = browser.find_element(By.CSS_SELECTOR, ".knob input")
    browser.execute_script("arguments[0].value = 4; arguments[0].dispatchEvent(new Event('input'))", slider)
    wait(browser, lambda: "between 32 nodes" in text(browser, ".structure-legend"))
    assert "slimfly" in browser.find_element(By.CSS_SELECTOR, "#open").get_attribute("href")


def _touch(browser, kind, *fingers):
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(fingers)]
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def _pinch(browser, x, y, distances):
    """Two fingers at these distances from a point, one after the other."""
    for number, apart in enumerate(distances):
        _touch(browser, "touchMove" if number else "touchStart", (x - apart, y), (x + apart, y))
    _touch(browser, "touchEnd")


@pytest.mark.exhaustive
def test_two_fingers_zoom_into_a_pod(browser, server):
    """Fingers that part show the blocks inside; fingers that meet leave them."""
    canvas = _opened(browser, server, "source=fat-tree:k=16&view=structure")
    whole = text(browser, ".structure-legend")
    browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", canvas)
    x, y = browser.execute_script(
        "const { left, top, width, height } = arguments[0].getBoundingClientRect();"
        "return [left + width / 2, top + height / 2]",
        canvas,
    )
    _pinch(browser, x, y, range(20, 200, 15))
    wait(browser, lambda: "pod 8" in text(browser, ".crumbs"))
    _pinch(browser, x, y, range(200, 5, -15))
    wait(browser, lambda: text(browser, ".structure-legend") == whole)


@pytest.mark.exhaustive
def test_loads_are_colours_up_to_the_greatest(browser, server):
    """The legend ends at the greatest load of the tables that the drawing's record has."""
    from topoloom import draw_network

    _opened(browser, server, "source=fat-tree:k=4&view=structure&engine=minimal")
    greatest = draw_network("fat-tree:k=4", engine="minimal").link.load.values.max()
    wait(browser, lambda: f"load, 0 to {greatest:g}" in text(browser, ".structure-legend"))


@pytest.mark.exhaustive
def test_a_drawing_is_accessible_at_every_width(browser, server):
    """axe-core objects to nothing, in light and in dark, and nothing is wider than the page."""
    _opened(browser, server, "source=dragonfly:h=2&view=structure")
    browser.find_element(By.XPATH, "//button[.='as a table']").click()
    assert violations(browser) == []
    with dark(browser):
        assert violations(browser) == []
    for width in (1024, 800, 390):
        with narrow(browser, width):
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width + 1, width
            assert violations(browser) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "spec", ["fat-tree:k=8,hosts=100+planes:count=2", "dragonfly:h=3", "slingshot:groups=8,pair_links=4"]
)
def test_the_browser_counts_what_python_counts(browser, server, spec):
    """For the same open blocks the bundles and their links are those of the record in Python."""
    import numpy as np

    from topoloom import draw_network

    drawing = draw_network(spec)
    record = json.dumps(drawing.record())
    # The scripts of a page are one module, whose functions nothing else can call.
    source = (files("topoloom.web") / "static" / "structure_data.js").read_text(encoding="utf-8")
    for seed in range(4):
        opened = np.random.default_rng(seed).random(len(drawing.rect)) < 0.7
        bundles = drawing.bundles(opened)
        sizes = browser.execute_async_script(
            "const [code, record, opened, done] = arguments;"
            "const found = new Function('record', 'opened', code + '; return makeStructureModel(record).bundled(opened)');"
            "const { sizes, inside } = found(JSON.parse(record), opened); done([sizes, [...inside]])",
            source,
            record,
            opened.astype(int).tolist(),
        )
        assert sorted(sizes[0]) == sorted(bundles.count.tolist())
        assert sorted(sizes[1]) == sorted(bundles.inside.tolist())
