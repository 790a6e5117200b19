"""The explorer in Debian's Chromium: each page once on real data, by keys alone, narrow, and without WebGL."""

import re
from urllib.parse import quote

import pytest
from browsing import WEBGL, dark, driver, narrow, needs_chromium, severe, spoiled, text, violations, wait
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait
from test_server import Server

from in_process import run
from topoloom import Study, open_machine, run_study
from topoloom.placement.layout.layout import Layout
from topoloom.web.browser import browsers

pytestmark = needs_chromium
#: A machine of two networks in two racks, which are not assessed.
_MACHINE = """
title = "two networks"
parts = "slimfly-2014"
shortlist = 0
[[host]]
name = "node"
count = 12
u = 1
ports = { fabric = 1, oob = 1 }
[[network]]
name = "fabric"
rate_gbps = 40
spec = "clos:leaves=2,spines=1,hosts=8"
[[network]]
name = "oob"
rate_gbps = 10
switch = { radix = 24 }
serves = "everything"
uplink = "fabric"
[rack]
hosts = 6
"""
_HOSTILE = "<img src=x onerror=\"document.title='broken'\">"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with a folder of a study, and one of a machine."""
    here = tmp_path_factory.mktemp("explorer")
    (here / "nets").mkdir()
    run_study(
        Study(
            operation="hops",
            title="Sizes",
            task={"topology": "jellyfish:n={n},degree=4,seed={draw}"},
            axes={"n": [20, 40, 80], "draw": [1, 2, 3]},
        ),
        here / "nets" / "sizes",
        executor="threads",
    )
    (here / "nets" / "page.html").write_text("<title>a report</title><p>words")
    (here / "machine.toml").write_text(_MACHINE)
    assert run("design", here / "machine.toml", "-o", here / "machine", "--jobs", "1").code == 0
    running = Server(here / "store", str(here / "nets"), str(here / "machine"))
    running.machine = here / "machine"
    yield running
    running.end()


@pytest.fixture(scope="module")
def browser(server):
    """Chromium with WebGL by software, which has followed the first address."""
    found = driver(*WEBGL)
    found.get(server.first)
    yield found
    found.quit()


@pytest.fixture(autouse=True)
def _no_errors(browser):
    yield
    assert severe(browser) == []


@pytest.mark.exhaustive
def test_what_is_wrong_is_said_where_it_is(browser, server):
    """The sentence of the command line, and markup stays text."""
    browser.get(f"{server.base}/network?spec={quote(_HOSTILE)}")
    wait(browser, lambda: "no family, file or folder named" in text(browser, "p.wrong"))
    assert browser.title.startswith("Network")
    browser.get(f"{server.base}/network?spec=slimfly:q=6")
    wait(browser, lambda: "q=6" in text(browser, "p.wrong"))


@pytest.mark.exhaustive
def test_a_study_is_drawn_with_intervals_and_decades(browser, server):
    """Added by what is served; means over draws with intervals; a logarithmic x axis; the command that draws the same."""
    browser.get(server.base + "/studies")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "select[aria-label='y axis']"))
    y_axis = browser.find_element(By.CSS_SELECTOR, "select[aria-label='y axis']")
    Select(y_axis).select_by_value("aspl")
    browser.find_element(By.ID, "add").click()
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "svg.plot .band"))
    ticks = text(browser, "svg.plot .axes")
    browser.find_element(By.XPATH, "//label[contains(., 'logarithmic x axis')]/input").click()
    wait(browser, lambda: text(browser, "svg.plot .axes") != ticks)
    assert "log=x" in browser.current_url
    command = browser.execute_script("return document.querySelector('pre.command').textContent")
    assert re.search(r"topoloom study plot \S+sizes --y aspl -o curves.svg", command)
    browser.get(browser.current_url)
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "svg.plot .band"))


@pytest.mark.exhaustive
def test_tasks_and_folders_are_shown(browser, server):
    """The queue with states and what is known of each; a page of a folder inside a frame that cannot reach out."""
    server.record("info", topology="ring:n=21")
    browser.get(server.base + "/tasks")
    wait(browser, lambda: "ring:n=21" in text(browser, "#tasks-table"))
    browser.find_element(By.XPATH, "//tr[contains(., 'ring:n=21')]//button").click()
    wait(browser, lambda: "attempts\n1 time" in text(browser, "tr.log"))
    browser.get(server.base + "/folders?file=nets/page.html")
    frame = wait(browser, lambda: browser.find_element(By.TAG_NAME, "iframe"))
    assert frame.get_attribute("sandbox") == "allow-scripts"
    browser.switch_to.frame(frame)
    wait(browser, lambda: "words" in browser.find_element(By.TAG_NAME, "body").text)
    browser.switch_to.default_content()


@pytest.mark.exhaustive
def test_a_machine_is_opened_network_by_network(browser, server):
    """Its report, and a list of its networks, each of which is drawn as it stands on the common floor."""
    browser.get(server.base + "/folders")
    machine = "//li[h2[small='machine']]"
    link = wait(browser, lambda: browser.find_element(By.XPATH, f"{machine}/h2/a")).get_attribute("href")
    browser.find_element(By.XPATH, f"{machine}//button[.='report.html']").click()
    browser.switch_to.frame(wait(browser, lambda: browser.find_element(By.TAG_NAME, "iframe")))
    wait(browser, lambda: "Network fabric" in browser.find_element(By.TAG_NAME, "body").text)
    browser.switch_to.default_content()
    own = open_machine(server.machine).networks["oob"].part(Layout)
    browser.get(link)
    wait(browser, lambda: browser.find_elements(By.LINK_TEXT, "oob"))
    browser.find_element(By.LINK_TEXT, "oob").click()
    wait(browser, lambda: f"switches\n{own.topology.switches}" in text(browser, ".facts"))
    browser.find_element(By.LINK_TEXT, "Room").click()
    wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, "#floor-plan rect[data-rack]")) == own.racks)


#: Each page of the explorer, with something on it.
_SHOWN = (
    "",
    "network?source=petersen:hosts=1",
    "network?source=petersen:hosts=1&view=bill",
    "network?source=petersen:hosts=1&view=tables",
    "network?source=petersen:hosts=1&view=failures",
    "network?source=petersen:hosts=1&view=load",
    "network?source=petersen:hosts=1&view=programs",
    "network?source=petersen:hosts=1&view=growth",
    "network?source=machine",
    "network?source=machine&view=bill",
    "network?source=machine&view=files",
    "network?source=petersen&view=room&rack=A01&device=S0",
    "network?source=petersen:hosts=1&view=structure",
    "network?spec=petersen",
    "compare?network=petersen:hosts=1&network=ring:n=10,hosts=1",
    "studies",
    "tasks",
    "folders",
    "cabling",
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("page", _SHOWN)
def test_pages_are_accessible_in_every_size_and_colour(browser, server, page):
    """axe-core finds nothing, in light and dark colours, and at 390 px nothing is wider than the screen."""
    browser.get(f"{server.base}/{page}")
    wait(
        browser,
        lambda: (
            browser.find_elements(By.TAG_NAME, "h1")
            and not browser.find_elements(By.CSS_SELECTOR, ".state.waiting, .state.running")
        ),
    )
    assert spoiled(browser) == []
    assert violations(browser) == []
    with dark(browser):
        assert violations(browser) == []
    for width in (1024, 800, 390):
        with narrow(browser, width):
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width + 1, width
            assert violations(browser) == []


@pytest.mark.exhaustive
def test_the_scripts_are_small_and_of_this_server(browser, server):
    """Under 450 kB together, and nothing is fetched from elsewhere."""
    browser.get(server.base + "/network?source=petersen&view=structure")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".structure canvas[data-frames]"))
    names = browser.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert all(name.startswith((server.base, "data:")) for name in names)
    assert len(server.client.get("/explorer.js").content) < 450_000


@pytest.mark.exhaustive
def test_the_file_that_leads_the_browser_there(browser, server, monkeypatch):
    """From a private file, with no cookie: the page is there, and the token neither in its address nor on its way back."""
    monkeypatch.setattr("webbrowser.open", lambda _address: True)
    browser.get("about:blank")
    browser.execute_cdp_cmd("Network.clearBrowserCookies", {})
    with browsers() as follow:
        browser.get(follow(server.first).as_uri())
        WebDriverWait(browser, 30).until(lambda one: one.title.endswith("topoloom") and "\u2013" in one.title)
    assert browser.current_url.startswith(server.base + "/")
    assert not any(word in browser.current_url for word in ("token", "opened"))
    assert not browser.execute_script("return document.referrer")
