"""The report of a design in Debian's Chromium: sorted, filtered, pointed at, selected, compared, and its floor looked at."""

import base64
import re
import shutil
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from pypdf import PdfReader

from topoloom import design
from topoloom.cabling.cabling import cable
from topoloom.cost.bill import price
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.design import Design
from topoloom.designer.pareto import pareto_front
from topoloom.designer.placing import place_candidate
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import DesignLimits, FamiliesRequirement, SwitchRequirement
from topoloom.placement.hosts.housing import HostType, RackRule
from topoloom.report.design_page import design_page
from topoloom.topologies.spec import build

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
#: Debian's own driver: Selenium would look for one on the net.
_DRIVER = Path("/usr/bin/chromedriver")
#: In the first tier, the explorer's page is the one that Chromium shows.
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(
        _CHROMIUM is None or not _DRIVER.exists(),
        reason="chromium or its driver is not installed (Debian: apt-get install chromium chromium-driver)",
    ),
]

#: A name that is a script, and one that would end the block of data.
HOSTILE = "</script><img src=x onerror=\"document.title='broken'\">"
_REQUIREMENT = Requirement(
    hosts=200,
    switch=SwitchRequirement(radix=16),
    title=f"Two hundred hosts {HOSTILE}",
    limits=DesignLimits(oversubscription=1.2),
    families=FamiliesRequirement(
        only=("slimfly", "dragonfly", "hypercube", "jellyfish", "fat-tree", "torus", "polarfly")
    ),
    host=HostType(u=2, power_w=700),
    rack=RackRule(power_w=12_000),
    shortlist=0,
)


def _assessed(name: str, failing: dict, latency: tuple[dict, dict]) -> Assessment:
    """What is known of a network: links that may fail, and two points of its load curve."""
    known = {"label": "latency", "unit": "cycles", "group": "Load", "how": "simulated", "better": "less"}
    loads = [
        (
            Figure(key=f"latency_{load}_cycles", **known, **point),
            Figure(key=f"accepted_{load}", label="arrives", value=load / 100),
        )
        for load, point in zip((30, 60), latency, strict=True)
    ]
    failures = Figure(
        key="links_may_fail", label="links that may fail", unit="%", group="Failures", better="more", **failing
    )
    return Assessment(name, None, 200, (failures, *(one for pair in loads for one in pair)), why=f"why {name}")


_SHORTLIST = (
    _assessed(
        f"one {HOSTILE}",
        {"value": 12.0, "low": 10.0, "high": 14.0, "how": "sampled"},
        ({"value": 10.0, "low": 9.0, "high": 11.0}, {"value": 20.0, "low": 18.0, "high": 22.0}),
    ),
    _assessed("two", {"value": 9.0, "how": "sampled"}, ({"value": 12.0, "low": 12.0, "high": 12.0}, {"value": 30.0})),
)


@pytest.fixture(scope="module")
def made() -> Design:
    """A small design with a winner in racks; one of the others is called by a hostile name."""
    found = design(_REQUIREMENT, jobs=1)
    last = msgspec.structs.replace(found.ranked[-1], spec=f"torus:{HOSTILE}")
    return replace(found, ranked=(*found.ranked[:-1], last), shortlist=_SHORTLIST)


@pytest.fixture(scope="module")
def page(made, tmp_path_factory) -> Path:
    """Its report."""
    parts = made.requirement.catalogue()
    layout = place_candidate(build(made.winner.spec), made.requirement, parts)
    text = design_page(
        made, parts, layout, price(layout, parts), cables=cable(layout, parts), written=("candidates.csv",)
    )
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator["webdriver.Chrome"]:
    """Chromium without a window, 1,400 pixels wide."""
    options = webdriver.ChromeOptions()
    options.binary_location = _CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--window-size=1400,1100",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(_DRIVER)))
    yield driver
    driver.quit()


@pytest.fixture
def shown(browser, page) -> "webdriver.Chrome":
    """The report, just opened."""
    browser.get(page.as_uri())
    assert browser.find_elements(By.CSS_SELECTOR, "html.works")
    return browser


def _all(browser, selector):
    return browser.find_elements(By.CSS_SELECTOR, selector)


def _one(browser, selector):
    """The only element there; in sight."""
    (found,) = _all(browser, selector)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
    return found


def _specs(browser):
    """The specs that the table shows below the networks' names."""
    return browser.execute_script(
        "return [...document.querySelectorAll('#candidates-table tbody td.spec small')].map(s => s.textContent)"
    )


def _column(browser, name):
    """The texts of a column of the table."""
    heads = [head.get_attribute("data-sort") for head in _all(browser, "#candidates-table th button")]
    return browser.execute_script(
        "return [...document.querySelectorAll('#candidates-table tbody tr')].map(r => r.cells[arguments[0]].textContent)",
        heads.index(name) + 1,
    )


def _numbers(texts):
    return [float(text.replace(",", "").replace("\u25cf", "")) for text in texts]


def test_the_table_is_sorted_by_clicks_and_keys(shown):
    """By the pointer one way and back, by the keyboard; the heading says how, and keeps the keyboard."""
    _one(shown, "[data-sort=power_per_host_w]").click()
    watts = _numbers(_column(shown, "power_per_host_w"))
    assert watts == sorted(watts)
    assert len(watts) > 3
    _one(shown, "[data-sort=power_per_host_w]").click()
    assert _numbers(_column(shown, "power_per_host_w")) == watts[::-1]
    heading = _one(shown, "[data-sort=switches]")
    heading.send_keys(Keys.ENTER)
    switches = _numbers(_column(shown, "switches"))
    assert switches == sorted(switches)
    sorted_by = [head.get_attribute("aria-sort") for head in _all(shown, "#candidates-table th[aria-sort]")]
    assert sorted(set(sorted_by)) == ["ascending", "none"]
    assert shown.switch_to.active_element.get_attribute("data-sort") == "switches"


def test_candidates_are_filtered_by_family_limit_front_and_words(shown, made):
    """In the table and in both plots; dropped ones come with the reason."""
    family = made.winner.family
    _one(shown, f"[data-family='{family}']").click()
    specs = _specs(shown)
    assert len(specs) == sum(one.family == family for one in made.ranked)
    for plot in ("#plot-1", "#plot-2"):
        assert 0 < len(_all(shown, f"{plot} .marks path")) <= len(specs)
    _one(shown, "#reset").click()
    _one(shown, "#pareto").click()
    assert set(_specs(shown)) == {one.spec for one in made.ranked if one.spec in made.pareto}
    _one(shown, "#reset").click()
    _one(shown, "#search").send_keys("slim HOSTS=")
    assert all("slimfly" in spec and "hosts=" in spec for spec in _specs(shown))
    _one(shown, "#reset").click()
    Select(_one(shown, "#limit")).select_by_value("oversubscription")
    assert len(_column(shown, "reason")) == min(40, made.dropped_by["oversubscription"])
    assert all(re.search(r"(at most 1\.2|but 0\.833 is needed)$", why) for why in _column(shown, "reason"))


def test_a_candidate_selected_anywhere_is_so_everywhere(shown, made):
    """In a plot by pointer and keyboard; rings in the other plot, the row in the table, and side by side."""
    path = _one(shown, "#plot-1 .marks [data-row='0']")
    ActionChains(shown).move_to_element(path).perform()
    tip = _all(shown, ".tip")[0]
    assert tip.is_displayed()
    pointed = int(_all(shown, "#plot-2 .rings .pointed")[0].get_attribute("data-row"))
    assert made.ranked[pointed].spec in tip.text
    assert "pointed" in _all(shown, f"tr[data-row='{pointed}']")[0].get_attribute("class")
    ActionChains(shown).click(path).perform()
    assert [ring.get_attribute("data-row") for ring in _all(shown, "#plot-2 .rings .selected")] == [str(pointed)]
    assert _all(shown, f"tr[data-row='{pointed}'] input")[0].is_selected()
    assert not _all(shown, "#selection")[0].is_displayed()

    plot = _one(shown, "#plot-2")
    plot.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER)
    chosen = [ring.get_attribute("data-row") for ring in _all(shown, "#plot-1 .rings .selected")]
    assert len(chosen) == 2
    heads = [head.text for head in _all(shown, "#selection thead th")]
    assert len(heads) == 2
    cost = next(row for row in _all(shown, "#selection tbody tr") if row.text.startswith("cost per host"))
    cheaper = min(made.ranked[int(row)].cost_per_host_usd for row in chosen)
    assert cost.find_element(By.CSS_SELECTOR, "td.good b").text.startswith(f"{cheaper:,.1f}")
    assert "%" in cost.text

    for row in _all(shown, "#candidates-table tbody input")[:6]:
        shown.execute_script("arguments[0].click()", row)
    assert len(_all(shown, "#selection thead th")) <= 4
    _one(shown, "#clear").click()
    assert not _all(shown, ".rings .selected, tr.selected")


def test_columns_and_axes_are_chosen(shown):
    """A column more in the table; another measure, and a logarithm, on an axis."""
    _one(shown, "#chooser summary").click()
    _one(shown, "[data-column=links]").click()
    assert len(_column(shown, "links")) > 3
    Select(_one(shown, "#plot-1 [data-axis=x], figure:has(#plot-1) [data-axis=x]")).select_by_value("switches")
    names = [name.text for name in _all(shown, "#plot-1 text.name")]
    assert names == ["switches", "mean latency [ns]"]


def test_the_floor_is_zoomed_moved_and_told(shown):
    """Buttons and keys zoom; a rack and a bundle say what they are; the arrows go from rack to rack."""
    floor = _one(shown, "#floor-plan")
    whole = floor.get_dom_attribute("viewBox")
    _one(shown, "#zoom-in").click()
    near = [float(number) for number in floor.get_dom_attribute("viewBox").split()]
    assert near[2] < float(whole.split()[2])
    ActionChains(shown).move_to_element(floor).click_and_hold().move_by_offset(-70, -20).release().perform()
    moved = [float(number) for number in floor.get_dom_attribute("viewBox").split()]
    assert moved[0] > near[0]
    assert moved[1] > near[1]
    assert moved[2:] == pytest.approx(near[2:])
    _one(shown, "#zoom-fit").click()
    assert floor.get_dom_attribute("viewBox") == whole

    floor.send_keys(Keys.ARROW_RIGHT)
    first = _all(shown, "#floor-facts h3")[0].text
    assert first.startswith("rack ")
    facts = _all(shown, "#floor-facts")[0].text
    assert "kW" in facts
    assert "cables leave it" in facts
    assert "host" in facts
    floor.send_keys(Keys.ARROW_RIGHT)
    assert _all(shown, "#floor-facts h3")[0].text != first
    floor.send_keys("+", Keys.SHIFT + Keys.ARROW_RIGHT)
    assert floor.get_dom_attribute("viewBox") != whole
    floor.send_keys("0", Keys.ESCAPE)
    assert floor.get_dom_attribute("viewBox") == whole

    # The middle of a bundle, beside the racks at its ends.
    bundles = _all(shown, "#floor-plan .catch path")
    assert bundles
    where = "const p=arguments[0], m=p.getPointAtLength(p.getTotalLength()/2).matrixTransform(p.getScreenCTM());"
    shown.execute_script(
        f"{where} p.dispatchEvent(new PointerEvent('pointermove', {{bubbles: true, clientX: m.x, clientY: m.y}}))",
        bundles[0],
    )
    told = _all(shown, "#floor-facts")[0].text
    assert re.search(r"m each", told)
    assert re.search(r"switch \d+ port \d+ \u2013 (switch|host) \d+ port \d+", told)


def test_finalists_stand_side_by_side_with_curves_to_point_at(shown):
    """Value, interval and how it was got; a curve's points by keys, and its name hides it."""
    cells = [cell.text for cell in _all(shown, "#shortlist .side-by-side td.text") if cell.text]
    assert cells[:2] == ["12 10 to 14", "9 −25.0 %"]
    assert "sampled" in _all(shown, "#shortlist .side-by-side tbody th.text small.how")[0].text
    assert HOSTILE in _all(shown, "#shortlist thead")[0].text
    plot = _one(shown, "#shortlist svg.plot")
    assert len(_all(shown, "#shortlist .band")) == 2
    plot.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert "latency [cycles]: 20" in _all(shown, ".tip")[0].text
    assert "interval 18 to 22" in _all(shown, ".tip")[0].text
    plot.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert "saturated" in _all(shown, ".tip")[0].text
    _all(shown, "#shortlist .legend button")[0].click()
    assert len(_all(shown, "#shortlist .curve")) == 1
    assert len(_all(shown, "#shortlist .band")) == 1


def test_hostile_names_stay_text_and_nothing_leaves_the_page(shown, made):
    """Names of a need and a spec are shown as they are; no request, no error, and the policy refuses what others would add."""
    assert shown.title == made.requirement.title
    assert shown.find_element(By.TAG_NAME, "h1").text == made.requirement.title
    assert any(HOSTILE in name for name in _column(shown, "name"))
    shown.execute_script("arguments[0].click()", _all(shown, "#candidates-table tbody input")[-1])
    assert HOSTILE in _all(shown, "#strip")[0].text
    assert not _all(shown, "img")
    assert shown.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert shown.get_log("browser") == []
    refused = shown.execute_async_script(
        "const done = arguments[0];"
        "document.addEventListener('securitypolicyviolation', e => done(e.effectiveDirective), {once: true});"
        "const image = new Image(); image.src = 'http://127.0.0.1:9/x.png';"
    )
    assert refused == "img-src"
    shown.get_log("browser")


def test_on_paper_the_first_page_is_the_recommendation(shown, made):
    """A4: the first page names the winner in words, its cost and its alternatives; all else follows, wide tables across."""
    paper = shown.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
    pages = PdfReader(BytesIO(base64.b64decode(paper["data"]))).pages
    # Fonts join the letters f and l.
    first = " ".join(unicodedata.normalize("NFKC", pages[0].extract_text()).split())
    for words in ("Recommendation", made.winner.name, f"{made.winner.cost_usd:,.0f}", "Alternatives", "Risks"):
        assert words in first, words
    assert "Requirement" not in first.split("Risks")[1]
    sizes = {tuple(round(float(side)) for side in page.mediabox[2:]) for page in pages}
    assert {(595, 842), (842, 595)} == sizes
    rest = " ".join(page.extract_text() for page in pages[1:])
    for words in ("Requirement", "Candidates", "Floor plan", "Bill"):
        assert words in rest, words


def test_the_page_fits_a_phone(shown):
    """At 390 pixels nothing sticks out of the page: tables scroll in their boxes."""
    size = {"width": 390, "height": 850, "deviceScaleFactor": 1, "mobile": True}
    shown.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    for row in _all(shown, "#candidates-table tbody input")[:3]:
        shown.execute_script("arguments[0].click()", row)
    widths = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert shown.execute_script(widths) == [390, 390]
    assert _all(shown, "#plot-1")[0].size["width"] > 300
    shown.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_thousand_candidates_are_painted_soon(browser, made, tmp_path):
    """First paint after a second at most, here with room for a busy machine; all can be sorted."""
    several = [
        msgspec.structs.replace(one, spec=f"{one.spec}+copy{turn}", cost_per_host_usd=one.cost_per_host_usd + turn)
        for turn in range(1 + 1000 // len(made.ranked))
        for one in made.ranked
    ][:1000]
    many = replace(made, ranked=tuple(several), pareto=pareto_front(several))
    path = tmp_path / "many.html"
    path.write_text(design_page(many, made.requirement.catalogue(), None, None, drawn={}))
    browser.get(path.as_uri())
    assert browser.find_elements(By.CSS_SELECTOR, "html.works")
    assert len(_all(browser, "#plot-1 .marks path")) == 1000
    painted = browser.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert painted < 5000
    _one(browser, "#more").click()
    assert len(_specs(browser)) == 1000
