"""What three people do in the explorer, from the first address to what they take away.

An architect decides, a student learns, an administrator mends.
With the variable TOPOLOOM_PICTURES, a folder, each step also leaves a picture there, to be looked at.
"""

import os
import shutil
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import WEBGL, driver, needs_chromium, severe, spoiled, text, wait
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from test_server import Server

from in_process import run
from topoloom import hops, outage, price

pytestmark = [needs_chromium, pytest.mark.exhaustive]
_WEEK = Path(__file__).parents[2] / "examples" / "fabric"
_PICTURES = os.environ.get("TOPOLOOM_PICTURES")


class Person:
    """Somebody with a browser: finds things by what is written on them."""

    def __init__(self, server, name, downloads):
        self.server = server
        self.name = name
        self.downloads = downloads
        self.browser = driver(*WEBGL)
        self.browser.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)}
        )
        self._steps = 0
        self.browser.get(server.first)

    def all(self, chosen):
        return self.browser.find_elements(By.CSS_SELECTOR, chosen)

    def one(self, chosen, seconds=60):
        return wait(self.browser, lambda: (self.all(chosen) or [None])[0], seconds)

    def reads(self, words, seconds=60):
        wait(self.browser, lambda: words in text(self.browser), seconds)

    def page(self):
        return text(self.browser)

    def fact(self, label):
        """The number after a label."""
        lines = self.page().splitlines()
        return float(lines[lines.index(label) + 1])

    def press(self, words, of="a, button, summary, label"):
        """Clicks what says these words."""

        def found():
            said = [each for each in self.all(of) if each.is_displayed() and words in each.text]
            return min(said, key=lambda each: len(each.text), default=None)

        chosen = wait(self.browser, found)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", chosen)
        chosen.click()

    def type(self, chosen, content, *keys):
        field = self.one(chosen)
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys(content, *keys)

    def stated(self, key):
        """A state in the address."""
        return parse_qs(urlsplit(self.browser.current_url).query).get(key, [""])[0]

    def settled(self, seconds=120):
        """No task runs that this page waits for."""
        wait(self.browser, lambda: not self.all(".state.waiting, .state.running, .spinner"), seconds)

    def look(self, words):
        """Nothing that was written without care is shown; leaves a picture of the step."""
        assert spoiled(self.browser) == []
        self._steps += 1
        if _PICTURES:
            Path(_PICTURES).mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(f"{_PICTURES}/{self.name}-{self._steps:02}-{words.replace(' ', '-')}.png")

    def saved(self, pattern, seconds=60):
        """The file that the browser saved under such a name."""
        return wait(
            self.browser,
            lambda: next((each for each in self.downloads.glob(pattern) if each.stat().st_size), None),
            seconds,
        )


@pytest.fixture
def at_work(request, tmp_path):
    """Gives a person at a server with these folders; both end with the test, without an error in the console."""
    ends = []

    def begin(name, *folders):
        server = Server(tmp_path / "store", *map(str, folders))
        server.store = tmp_path / "store"
        ends.append(server.end)
        (tmp_path / "saved").mkdir()
        person = Person(server, name, tmp_path / "saved")
        ends.append(person.browser.quit)
        return person

    yield begin
    for end in reversed(ends):
        end()


def test_an_architect_decides(at_work):
    """Five answers, cards, two compared; then bill, room, a lost switch and files, as the folder has them."""
    architect = at_work("architect")
    architect.one("[data-purpose=hpc]").click()
    architect.type(".questions input[type=number]", "480", Keys.TAB)
    architect.press("Rows of racks", "label.option")
    architect.press("Cost", "label.option")
    wait(architect.browser, lambda: text(architect.browser, ".go [role=status]") == "Ready.")
    architect.look("questions")
    architect.one("#run").click()
    architect.one(".network-card .thumb svg", 240)
    architect.look("ranked")
    architect.one(".links a[href$='report.html']", 500)
    architect.look("assessed")
    ticks = architect.all(".network-card input[type=checkbox]")
    assert len(ticks) >= 2
    for tick in ticks[:2]:
        tick.click()
    architect.press("Compare", "button.primary")
    architect.one("table.side-by-side", 240)
    architect.look("compared")
    architect.browser.back()
    architect.one(".links a[href$='report.html']", 60)
    architect.one(".network-card.best h3 a").click()
    architect.reads("cost of the network")
    architect.settled()
    architect.look("winner")
    folder = architect.server.store / architect.stated("source")
    assert architect.fact("mean hops") == pytest.approx(hops(str(folder)).aspl, abs=1e-5)
    architect.press("Structure", "nav.views a")
    architect.one(".structure canvas[data-frames]")
    architect.look("structure")
    architect.press("Bill", "nav.views a")
    architect.one("#bill")
    architect.settled()
    architect.look("bill")
    assert f"{price(str(folder)).cost_usd:,.0f}" in architect.page()
    architect.press("Room", "nav.views a")
    architect.one("#floor-plan rect[data-rack]")
    architect.settled()
    architect.look("room")
    architect.press("Failures", "nav.views a")
    architect.one("#ranked button.link").click()
    architect.reads("hosts cut off")
    architect.settled()
    architect.look("failures")
    lost = int(architect.stated("lost").removeprefix("switch:"))
    answer = outage(str(folder), switches=[lost])
    assert f"{answer.cut_off} of {answer.hosts}" in architect.page()
    architect.press("Files", "nav.views a")
    architect.reads("bill.csv")
    architect.look("files")
    assert severe(architect.browser) == []


def test_a_student_understands_a_slim_fly(at_work):
    """A spec becomes a picture with the figures of the command; loads are simulated; it is compared with another network."""
    student = at_work("student")
    student.press("Network", "nav a")
    student.one("#open")
    student.settled()
    student.look("new")
    student.one("#open").click()
    student.one(".structure canvas[data-frames]")
    student.look("structure")
    student.press("Overview", "nav.views a")
    student.reads("mean hops")
    student.settled()
    student.look("overview")
    assert student.fact("mean hops") == pytest.approx(hops("slimfly:q=5,hosts=4").aspl, abs=1e-5)
    student.press("Load", "nav.views a")
    student.type("#loads", "0.2,0.5", Keys.ENTER)
    assert student.stated("loads") == "0.2,0.5"
    student.one("svg.plot", 240)
    wait(student.browser, lambda: not student.all("p.progress progress"), 240)
    student.look("load")
    student.press("Failures", "nav.views a")
    student.reads("Nothing is lost")
    student.settled()
    student.look("failures")
    student.browser.get(student.server.base + "/compare?network=slimfly:q=5,hosts=4&network=dragonfly:a=4,h=2,hosts=2")
    student.one("table.side-by-side", 240)
    student.look("compared")
    assert severe(student.browser) == []


def test_an_administrator_finds_the_wrong_cables(at_work, tmp_path):
    """A plan and a week of discoveries: a switch is found, faults by rule have a remedy, and OpenSM's files are saved."""
    racks = ("--floor", "koibuchi-2013", "--map", "rows", "--switches-per-rack", "2")
    assert run("layout", "hyperx:dims=8x8,hosts=16", *racks, "-o", tmp_path / "plan").code == 0
    (tmp_path / "week").mkdir()
    for day in ("before", "morning", "evening"):
        shutil.copy(_WEEK / f"{day}.net.gz", tmp_path / "week")
    administrator = at_work("administrator", tmp_path / "plan", tmp_path / "week")
    administrator.press("Folders", "nav a")
    administrator.reads("plan")
    administrator.look("folders")
    administrator.press("plan", "h2 a")
    administrator.press("Room", "nav.views a")
    administrator.one("#floor-plan rect[data-rack]")
    administrator.settled()
    administrator.type("input[type=search]", "S20", Keys.ENTER)
    wait(administrator.browser, lambda: administrator.stated("device") == "S20")
    administrator.settled()
    administrator.look("room")
    administrator.press("Files", "nav.views a")
    administrator.press("opensm", ".exports button")
    packed = zipfile.ZipFile(administrator.saved("*.zip", 120))
    assert {"fabric.lft", "fabric.net", "opensm.conf"} <= set(packed.namelist())
    administrator.look("files")
    administrator.press("Cabling", "nav a")
    administrator.type("#plan", "plan", Keys.ENTER)
    administrator.look("cabling")
    administrator.type("#files", "week", Keys.ENTER)
    Select(administrator.one("select[aria-label=day]", 240)).select_by_index(1)
    administrator.one("ol.faults li", 240)
    wait(administrator.browser, lambda: "5 errors, 1 warning" in text(administrator.browser, ".verdict"))
    administrator.one("ol.faults summary").click()
    assert "what to do" in text(administrator.browser, "ol.faults")
    administrator.look("faults")
    assert severe(administrator.browser) == []
