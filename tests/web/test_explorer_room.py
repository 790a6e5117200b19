"""The room in Debian's Chromium: racks are dragged and carried by keys, limits and bill follow, elevations, what is where."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import dark, driver, narrow, needs_chromium, severe, text, violations, wait
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_server import Server

from in_process import run
from topoloom import open_machine
from topoloom.machine.bill import price_machine
from topoloom.machine.cables import machine_cables
from topoloom.machine.moving import moved_machine
from topoloom.network.opening import open_network
from topoloom.placement.layout.layout import Layout

pytestmark = needs_chromium
_SPEC = "dragonfly:h=2,hosts=1"
_ROOM = f"network?source={_SPEC}&view=room&floor=koibuchi-2013&switches_per_rack=4&rows=3&columns=4"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with a network whose hosts have racks, and with a machine."""
    here = tmp_path_factory.mktemp("room")
    (here / "nets").mkdir()
    tree = open_network("fat-tree:k=64,hosts=1024+rails:nics=8+populated:hosts=127")
    tree.placed(hosts="DGX H100", map="rows", parts="infiniband-2026", rate_gbps=400).save(here / "nets" / "pod")
    (here / "machine.toml").write_text("""
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
""")
    assert run("design", here / "machine.toml", "-o", here / "nets" / "machine", "--jobs", "1").code == 0
    running = Server(here / "store", str(here / "nets"))
    running.nets = here / "nets"
    yield running
    running.end()


@pytest.fixture(scope="module")
def browser(server):
    made = driver()
    made.get(server.first)
    yield made
    made.quit()


@pytest.fixture(autouse=True)
def no_errors(browser):
    """No page may write an error to the browser's console."""
    yield
    assert severe(browser) == []


def _racks(browser):
    """The racks, once the picture has taken the size of its place: until then all lie in a corner."""

    def drawn():
        boxes = browser.find_elements(By.CSS_SELECTOR, "#floor-plan rect[data-rack]")
        return boxes if boxes and boxes[0].rect["width"] > 10 else None

    return sorted(wait(browser, drawn), key=lambda box: int(box.get_attribute("data-rack")))


def _query(browser):
    return parse_qs(urlsplit(browser.current_url).query)


def _total(browser):
    return text(browser, "#room-sums .card b")


@pytest.mark.exhaustive
def test_a_rack_is_dragged_and_lengths_and_bill_follow(browser, server):
    """While it hovers over a slot, and when it is dropped; the address keeps the move; undo and redo."""
    browser.get(f"{server.base}/{_ROOM}")
    boxes = _racks(browser)
    before = text(browser, "#room-sums")
    browser.find_element(By.XPATH, "//button[.='move racks']").click()
    free = browser.find_elements(By.CSS_SELECTOR, "#floor-plan .free rect")[-1]
    hold = ActionChains(browser).click_and_hold(boxes[4]).move_to_element(free)
    hold.move_by_offset(2, 2).perform()
    wait(browser, lambda: "is dropped on" in text(browser, "#room-note"))
    hovered = text(browser, "#room-sums")
    assert hovered != before
    ActionChains(browser).release().perform()
    wait(browser, lambda: "1 move: " in text(browser, "#room-note"))
    wait(browser, lambda: text(browser, "#room-sums") == hovered)
    moves = json.loads(_query(browser)["moved"][0])
    record = server.record(
        "stand", topology=_SPEC, floor="koibuchi-2013", switches_per_rack=4, rows=3, columns=4, moved=moves
    )
    assert _total(browser) == f"{record['result']['total_m']:,.0f} m"
    browser.find_element(By.ID, "undo").click()
    wait(browser, lambda: text(browser, "#room-sums") == before)
    assert "moved" not in _query(browser)
    browser.find_element(By.ID, "redo").click()
    wait(browser, lambda: text(browser, "#room-sums") == hovered)


@pytest.mark.exhaustive
def test_a_rack_is_carried_by_keys_and_a_slot_is_blocked(browser, server):
    """Arrow keys choose a rack and a slot, Enter drops, Escape takes back; each step is announced."""
    browser.get(f"{server.base}/{_ROOM}&rack=A01")
    _racks(browser)
    plan = browser.find_element(By.ID, "floor-plan")
    wait(browser, lambda: "rack A01" in text(browser, "#floor-facts"))
    before = _total(browser)

    def press(*keys):
        ActionChains(browser).send_keys(*keys).perform()

    browser.execute_script("arguments[0].focus()", plan)
    press("m", Keys.ARROW_UP, Keys.ARROW_UP)
    wait(
        browser,
        lambda: (
            "slot C01" in browser.execute_script("return document.getElementById('live').textContent")
            or "if rack A01" in text(browser, "#room-note")
        ),
    )
    press(Keys.ESCAPE)
    assert "moved" not in _query(browser)
    press("m", Keys.ARROW_UP, Keys.ARROW_UP, Keys.ENTER)
    wait(browser, lambda: "moved" in _query(browser))
    assert json.loads(_query(browser)["moved"][0]) == [["A01", "C01"]]
    wait(browser, lambda: _query(browser)["rack"] == ["C01"])
    press(Keys.CONTROL, "z")
    browser.get(f"{server.base}/{_ROOM}")
    boxes = _racks(browser)
    browser.find_element(By.XPATH, "//button[.='block slots']").click()
    ActionChains(browser).click(boxes[1]).perform()
    wait(browser, lambda: _query(browser).get("blocked") == ["A02"])
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#floor-plan .blocked rect"))
    browser.find_element(By.XPATH, "//button[.='undo all']").click()
    wait(browser, lambda: _total(browser) == before)


@pytest.mark.exhaustive
def test_elevations_ports_and_search(browser, server):
    """What the page shows of a device is what the layout has: its rack, its unit, its cables."""
    layout = open_network(str(server.nets / "pod")).part(Layout)
    switch = 5
    rack, unit = layout.rack_names[layout.rack[switch]], int(layout.height[switch])
    browser.get(f"{server.base}/network?source=nets/pod&view=room")
    field = wait(browser, lambda: browser.find_element(By.ID, "find"))
    wait(browser, lambda: field.get_attribute("placeholder").startswith("rack"))
    field.send_keys("S5")
    wait(browser, lambda: "matches" in text(browser, ".find") or "match" in text(browser, ".find"))
    field.send_keys(Keys.ENTER)
    wait(browser, lambda: f"S5 {rack} U{unit}" in text(browser, "#device h3").replace("\n", " "))
    assert _query(browser)["rack"] == [rack]
    assert (
        len(browser.find_elements(By.CSS_SELECTOR, "#ports-table tbody tr"))
        == (layout.topology.degrees + layout.topology.endpoints_at)[switch]
    )
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".front button[aria-pressed=true]"))
    # The other end of a cable leads to the other device.
    browser.find_element(By.CSS_SELECTOR, "#ports-table button").click()
    wait(browser, lambda: "S5" in text(browser, "#ports-table"))
    field = browser.find_element(By.ID, "find")
    field.clear()
    field.send_keys("DGX H100")
    racks = len(set(layout.host_rack.tolist()))
    wait(browser, lambda: f"127 devices in {racks} racks" in text(browser, "#matches"))
    wait(browser, lambda: "DGX" in _query(browser)["find"][0])
    # The address alone shows the same.
    browser.refresh()
    wait(browser, lambda: f"127 devices in {racks} racks" in text(browser, "#matches"))
    assert violations(browser) == []
    with dark(browser):
        assert violations(browser) == []
    for width in (1024, 800, 390):
        with narrow(browser, width):
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width + 1, width
            assert violations(browser) == []


@pytest.mark.exhaustive
def test_a_rack_of_a_machine_is_carried_with_all_its_networks(browser, server):
    """By mouse and by keys: metres, bill and limits of the page are those of the moved machine; no preview is a task."""
    machine = open_machine(server.nets / "machine")
    browser.get(f"{server.base}/network?source=nets/machine&view=room")
    boxes = _racks(browser)
    before, tasks = text(browser, "#room-sums"), len(server.client.get("/api/tasks").json())

    def equal_the_moved(moves):
        moved = moved_machine(machine, moves)
        layouts = [network.part(Layout) for network in moved.networks.values()]
        numbers = [
            f"{sum(layout.total_m for layout in layouts):,.0f} m",
            f"{sum(layout.host_total_m for layout in layouts):,.0f} m",
            f"{price_machine(moved).cost_usd:,.0f} USD",
        ]
        wait(browser, lambda: all(number in text(browser, "#room-sums") for number in numbers))
        record = server.record("stand", topology="nets/machine", moved=moves)["result"]
        wait(browser, lambda: f"of {len(record['limits'])};" in text(browser, "#limits"))
        assert ("broken" in text(browser, "#limits")) == any(limit["ok"] is False for limit in record["limits"])

    browser.find_element(By.XPATH, "//button[.='move racks']").click()
    hold = ActionChains(browser).click_and_hold(boxes[0]).move_to_element(boxes[-1])
    hold.move_by_offset(1, 1).perform()
    wait(browser, lambda: "is dropped on" in text(browser, "#room-note"))
    assert "limit" in text(browser, "#room-note")
    names = machine.rack_names
    equal_the_moved([[names[0], names[-1]]])
    ActionChains(browser).release().perform()
    wait(browser, lambda: "moved" in _query(browser))
    moves = json.loads(_query(browser)["moved"][0])
    assert moves == [[names[0], names[-1]]]
    equal_the_moved(moves)
    # The tasks that were added are those of the dropped rack, and that of this test: no preview.
    listed = [job for job in server.client.get("/api/tasks").json() if job["arguments"].get("picture") is False]
    assert listed == []
    assert len(server.client.get("/api/tasks").json()) <= tasks + 2
    browser.find_element(By.ID, "undo").click()
    wait(browser, lambda: text(browser, "#room-sums") == before)
    browser.get(f"{server.base}/network?source=nets/machine&view=room&rack={names[0]}")
    _racks(browser)
    wait(browser, lambda: f"rack {names[0]}" in text(browser, "#floor-facts"))
    browser.execute_script("document.getElementById('floor-plan').focus()")
    ActionChains(browser).send_keys("m", Keys.ARROW_RIGHT, Keys.ENTER).perform()
    wait(browser, lambda: "moved" in _query(browser))
    equal_the_moved(json.loads(_query(browser)["moved"][0]))


@pytest.mark.exhaustive
def test_the_room_of_a_machine(browser, server):
    """All racks, the devices of all networks, and the cables of a host on both."""
    machine = open_machine(server.nets / "machine")
    browser.get(f"{server.base}/network?source=nets/machine&view=room&rack={machine.rack_names[0]}&device=node-001")
    assert len(_racks(browser)) == len(machine.rack_names)
    wait(browser, lambda: "node-001" in text(browser, "#device"))
    rows = [row.text for row in browser.find_elements(By.CSS_SELECTOR, "#ports-table tbody tr")]
    assert any("fabric-0" in row for row in rows)
    assert any("oob-0" in row for row in rows)
    assert "ok" in text(browser, "#limits")
    assert violations(browser) == []
    # Without a device, the rack's own cables, by the racks that they lead to.
    browser.get(f"{server.base}/network?source=nets/machine&view=room&rack={machine.rack_names[0]}")
    ends = [(each.a.rack, each.b.rack) for each in machine_cables(machine)]
    leaving = sum((a == 0) != (b == 0) for a, b in ends)
    wait(browser, lambda: f"{leaving} cable" in text(browser, "#rack-cables h3"))
    assert violations(browser) == []
