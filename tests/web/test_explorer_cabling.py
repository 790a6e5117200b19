"""The page of cabling in Chromium: a plan, discoveries that are served or dropped, faults, work lists, progress."""

import base64
import gzip
import json
import re
import shutil
from pathlib import Path

import pytest
from browsing import dark, driver, narrow, needs_chromium, severe, text, violations, wait
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from test_server import Server

from in_process import run

pytestmark = needs_chromium
_FABRIC = Path(__file__).parents[2] / "examples" / "fabric"
_LLDP = Path(__file__).parents[2] / "examples" / "ethernet"
_DAYS = ("before", "morning", "evening")
_SCRIPT = "<img src=x onerror=\"document.title='broken'\">"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A plan in racks, a week of discoveries of it with other files, and a hall of Ethernet."""
    here = tmp_path_factory.mktemp("cabling")
    racks = ("--floor", "koibuchi-2013", "--map", "rows", "--switches-per-rack", "2")
    assert run("layout", "hyperx:dims=8x8,hosts=16", *racks, "-o", here / "plan").code == 0
    (here / "week").mkdir()
    for day in _DAYS:
        shutil.copy(_FABRIC / f"{day}.net.gz", here / "week")
    (here / "week" / "notes.pdf").write_bytes(b"%PDF-1.4 none")
    shutil.copytree(_LLDP, here / "hall")
    return here


@pytest.fixture(scope="module")
def server(place):
    """A server with these folders."""
    running = Server(place / "store", *(str(place / name) for name in ("plan", "week", "hall")))
    yield running
    running.end()


@pytest.fixture(scope="module")
def browser(server):
    """Chromium, which has followed the first address."""
    found = driver()
    found.get(server.first)
    yield found
    found.quit()


@pytest.fixture(autouse=True)
def _no_errors(browser):
    yield
    assert severe(browser) == []


def opened(browser, server, settings="", until=".verdict"):
    """The page with these settings, once its result is there."""
    browser.get(f"{server.base}/cabling?plan=plan&discoveries=week{settings}")
    return wait(browser, lambda: browser.find_element(By.CSS_SELECTOR, until), 90)


@pytest.mark.exhaustive
def test_faults_of_a_week_by_rule(browser, server, place):
    """As verify prints them; what is not used is reported; a rule, a rack and a device filter, by the address."""
    opened(browser, server, "&day=2", "ol.faults li")
    printed = run("verify", place / "plan", place / "week" / "morning.net.gz", "--json").record
    assert (printed["errors"], printed["warnings"]) == (5, 1)
    assert "5 errors, 1 warning, 0 notes; exit code 3" in text(browser, ".verdict")
    assert "right cables\n1,465" in text(browser, "dl.facts")
    assert "notes.pdf" in text(browser, "#unused")
    shown = [item.text for item in browser.find_elements(By.CSS_SELECTOR, "ol.faults summary")]
    assert len(shown) == len(printed["diagnostics"]) == 6
    assert all(one["text"] in line for one, line in zip(printed["diagnostics"], shown, strict=True))
    counts = {
        row.text.split()[0]: int(row.find_elements(By.TAG_NAME, "td")[2].text) for row in _rows(browser, "#rules")
    }
    assert counts == {"TL101": 2, "TL104": 1, "TL105": 1, "TL107": 1, "TL205": 1}
    _rows(browser, "#rules")[0].find_element(By.TAG_NAME, "button").click()
    wait(browser, lambda: text(browser, "#count").startswith("2 of 6 faults"))
    assert "rule=TL101" in browser.current_url
    browser.back()
    wait(browser, lambda: text(browser, "#count") == "6 faults")


def _rows(browser, table):
    return browser.find_elements(By.CSS_SELECTOR, f"{table} tbody tr")


@pytest.mark.exhaustive
def test_a_fault_has_its_place_and_its_remedy(browser, server):
    """Devices, ports, racks, the number of the cable, and what to do; by a search for a device."""
    opened(browser, server, "&device=S20", "ol.faults li")
    browser.find_element(By.CSS_SELECTOR, "ol.faults summary").click()
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "ol.faults dl"))
    facts = text(browser, "ol.faults dl")
    for word in ("what to do", "S20, S23", "S20 port 25", "cables\n301", "racks", "C06"):
        assert word in facts
    Select(browser.find_element(By.CSS_SELECTOR, "select[aria-label=rack]")).select_by_visible_text("C06 (1)")
    wait(browser, lambda: "rack=C06" in browser.current_url)


@pytest.mark.exhaustive
def test_work_lists_are_the_sheets_of_watch(browser, server, place, tmp_path):
    """One sheet per rack with the same tasks as watch -o writes; to tick, and as CSV."""
    opened(browser, server, "&day=2&view=sheets", ".worklist")
    days = [place / "week" / f"{day}.net.gz" for day in _DAYS[:2]]
    assert run("watch", place / "plan", *days, "-o", tmp_path / "sheets").code == 3
    written = {
        re.search(r"<h1>(.*?)</h1>", sheet.read_text())[1]: re.findall(
            r'class="box"></td><td class="left">(.*?)</td>', sheet.read_text()
        )
        for sheet in sorted((tmp_path / "sheets").glob("todo-*.html"))
    }
    sheets = {
        sheet.find_element(By.TAG_NAME, "h2").text: [
            row.find_elements(By.TAG_NAME, "td")[1].text for row in sheet.find_elements(By.CSS_SELECTOR, "tbody tr")
        ]
        for sheet in browser.find_elements(By.CSS_SELECTOR, ".worklist")
    }
    assert sheets == written
    assert len(browser.find_elements(By.CSS_SELECTOR, ".worklist input[type=checkbox]")) == sum(
        map(len, sheets.values())
    )
    browser.get(f"{server.base}/cabling?plan=plan&discoveries=week&view=racks&rack=A01")
    wait(browser, lambda: "cable 13" in text(browser, ".worklist"))


@pytest.mark.exhaustive
def test_the_progress_of_a_week(browser, server, place):
    """The rows that watch prints; a click on a day shows its faults."""
    opened(browser, server, "&view=week", "#week tbody tr")
    printed = run("watch", place / "plan", *(place / "week" / f"{day}.net.gz" for day in _DAYS), "--json").record
    keys = ("right_cables", "new_right", "missing_cables", "lost", "faults", "new_faults", "gone_faults")
    shown = [
        [cell.text.replace(",", "") for cell in row.find_elements(By.TAG_NAME, "td")[2:]]
        for row in _rows(browser, "#week")
    ]
    assert shown == [[str(day[key]) for key in keys] for day in printed["seen"]]
    racks = {row.text.split()[0]: row.text.split()[1:] for row in _rows(browser, "#rackweek")}
    assert racks == {rack: list(map(str, counts)) for rack, counts in printed["racks"].items()}
    _rows(browser, "#week")[1].find_element(By.TAG_NAME, "button").click()
    wait(browser, lambda: "5 errors" in text(browser, ".verdict"))
    assert "day=2" in browser.current_url


@pytest.mark.exhaustive
def test_faults_on_the_drawing(browser, server):
    """Each fault marks its links or switches; a filter leaves the marks of its faults."""
    opened(browser, server, "&day=2&view=drawing", "main canvas")
    wait(browser, lambda: "8 marks of 6 faults" in text(browser))
    Select(browser.find_element(By.CSS_SELECTOR, "select[aria-label=rule]")).select_by_value("TL101")
    wait(browser, lambda: "2 marks of 2 faults" in text(browser))


@pytest.mark.exhaustive
def test_faults_in_the_room(browser, server):
    """How many faults each rack has, as the list of faults counts them."""
    opened(browser, server, "&day=2&view=floor", ".faultcounts text")
    racks = browser.find_elements(By.CSS_SELECTOR, "select[aria-label=rack] option")[1:]
    counts = sorted(int(re.search(r"\((\d+)\)", option.text)[1]) for option in racks)
    shown = [sign.text for sign in browser.find_elements(By.CSS_SELECTOR, ".faultcounts text")]
    assert sorted(map(int, shown)) == counts == [1] * 7 + [2] * 2


@pytest.mark.exhaustive
def test_the_order_of_files_is_changed_by_keys(browser, server):
    """Evening before morning: the address has the order, and the days change."""
    opened(browser, server)
    browser.find_element(By.CSS_SELECTOR, "details.given summary").click()
    button = browser.find_element(By.CSS_SELECTOR, "button[aria-label='week/evening.net.gz earlier']")
    button.send_keys(Keys.ENTER)
    wait(browser, lambda: "order=given" in browser.current_url)
    wait(browser, lambda: "3: morning.net.gz" in text(browser, "select[aria-label=day]"))


#: Drops files on the page, as a file manager does: names and contents in base64.
_DROP = """
const transfer = new DataTransfer();
for (const [name, content] of arguments[0])
  transfer.items.add(new File([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], name));
for (const kind of ["dragover", "drop"])
  document.querySelector(".cabling").dispatchEvent(
    new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
"""


def _dropped(browser, files):
    browser.execute_script(_DROP, [[name, base64.b64encode(content).decode()] for name, content in files.items()])


@pytest.mark.exhaustive
def test_files_that_are_dropped(browser, server):
    """They are stored, ordered, compared; a hidden one and one of no use are reported."""
    browser.get(f"{server.base}/cabling?plan=plan")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".drop"))
    files = {f"{day} (1).net.gz": (_FABRIC / f"{day}.net.gz").read_bytes() for day in _DAYS[:2]}
    files["large.net"] = gzip.decompress((_FABRIC / "evening.net.gz").read_bytes())
    _dropped(browser, {**files, ".DS_Store": b"x", "picture.png": b"\x89PNG"})
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".verdict"), 90)
    assert "discoveries=uploads%2F" in browser.current_url
    assert ".DS_Store: hidden files are not sent" in text(browser, "section[aria-label=discoveries]")
    assert "picture.png" in text(browser, "#unused")
    assert len(browser.find_elements(By.CSS_SELECTOR, "select[aria-label=day] option")) == 3


@pytest.mark.exhaustive
def test_names_that_are_scripts_are_text(browser, server):
    """Of devices, ports and files: no element comes of them."""
    view = json.loads((_LLDP / "lldp" / "leaf01.json").read_text())
    hostile = (
        json.dumps(view)
        .replace("spine01", json.dumps(_SCRIPT)[1:-1])
        .replace("server01", "</script><script>document.title=1</script>")
    )
    port = (_LLDP / "lldp" / "leaf02.json").read_text().replace("swp3s0", json.dumps(_SCRIPT)[1:-1])
    browser.get(f"{server.base}/cabling?plan=hall/plan.dot")
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".drop"))
    others = {file.name: file.read_bytes() for file in (_LLDP / "lldp").iterdir() if file.name != "leaf01.json"}
    _dropped(
        browser,
        {
            **others,
            "leaf01.json": hostile.encode(),
            "leaf02.json": port.encode(),
            "<img src=x onerror=alert(1)>.txt": b"<script>x</script>",
        },
    )
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "ol.faults li"), 90)
    assert "<img src=x" in text(browser, "ol.faults")
    for view in ("racks&rack=elsewhere", "week", "sheets"):
        browser.get(f"{browser.current_url.partition('&view')[0]}&view={view}")
        wait(browser, lambda: "onerror" in text(browser))
    assert not browser.find_elements(By.CSS_SELECTOR, "main img, main script")
    assert browser.title.startswith("Cabling")


@pytest.mark.exhaustive
def test_a_fabric_that_is_as_planned(browser, server):
    """Ready to hand over, in words."""
    opened(browser, server, "&day=1")
    assert "Ready to hand over: no errors or warnings" in text(browser, ".verdict")
    assert "exit code 0" in text(browser, ".verdict")


@pytest.mark.exhaustive
@pytest.mark.parametrize("view", ["", "drawing", "floor", "racks", "week", "sheets"])
def test_views_are_accessible_in_every_size_and_colour(browser, server, view):
    """axe-core finds nothing, in light and dark colours, and at 390 px nothing is wider than the screen."""
    opened(
        browser,
        server,
        f"&day=2&view={view}&rack=A01",
        {
            "": "ol.faults li",
            "drawing": "main canvas",
            "floor": "#floor-plan",
            "racks": ".worklist",
            "week": "#week",
            "sheets": ".worklist",
        }[view],
    )
    assert violations(browser) == []
    with dark(browser):
        assert violations(browser) == []
    for width in (1024, 800, 390):
        with narrow(browser, width):
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width + 1, width
            assert violations(browser) == []
