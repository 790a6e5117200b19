"""The report: whole, self-contained, escaped; and, opened in Chromium, legible."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from topoloom import build, design, place
from topoloom.designer.design import Design
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import DesignLimits, FamiliesRequirement, SwitchRequirement
from topoloom.report.design_files import write_design
from topoloom.report.floorplan import floorplan_svg

_REQUIREMENT = Requirement(
    hosts=200,
    switch=SwitchRequirement(radix=16),
    title="Two hundred <hosts> & more",
    compare=("besta-2014/table-iv",),
    families=FamiliesRequirement(
        only=("slimfly", "dragonfly", "hypercube", "jellyfish", "fat-tree", "torus", "polarfly")
    ),
    shortlist=0,
)


@pytest.fixture(scope="module")
def made() -> Design:
    """A small design with a winner."""
    return design(_REQUIREMENT, jobs=1)


@pytest.fixture(scope="module")
def folder(made, tmp_path_factory) -> Path:
    """Its folder."""
    path = tmp_path_factory.mktemp("design")
    write_design(made, path)
    return path


class _Outline(HTMLParser):
    """Tags opened and closed, and what is fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.linked: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br", "img", "link", "path", "use", "rect", "circle", "line"):
            self.open.append(tag)
        if tag == "a":
            self.linked += [value or "" for key, value in attributes if key == "href"]
            return
        self.fetched += [
            value or "" for key, value in attributes if key in ("src", "href") and not (value or "").startswith("#")
        ]

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()


def test_the_report_fetches_nothing(folder):
    """One file: no script, picture or style from elsewhere, every tag closed; what it links to lies beside it."""
    text = (folder / "report.html").read_text()
    outline = _Outline()
    outline.feed(text)
    assert outline.fetched == []
    assert "candidates.csv" in outline.linked
    assert any(link.startswith("#") for link in outline.linked)
    assert all(link.startswith("#") or (folder / link).is_file() for link in outline.linked)
    assert all(f'id="{link[1:]}"' in text for link in outline.linked if link.startswith("#"))
    assert outline.open == []


def test_text_is_escaped(folder):
    """A title with < and & stays text."""
    assert "Two hundred &lt;hosts&gt; &amp; more" in (folder / "report.html").read_text()


def test_the_report_has_all_its_parts(made, folder):
    """Requirement, answer, ranking, trade-offs with units on the axes, winner with floor plan and bill, Table IV."""
    text = (folder / "report.html").read_text()
    for heading in (
        "Requirement",
        "Answer",
        "Ranking",
        "Dropped",
        "Trade-offs",
        "Floor plan",
        "Bill",
        "Table IV",
        "Method",
    ):
        assert heading in text
    for axis in (
        "cost [USD per host]",
        "mean zero-load latency [ns]",
        "power [W per host]",
        "bisection [links per host]",
        "cable length [m]",
    ):
        assert axis in text
    assert made.winner.spec in text
    assert "1,033.17" in text  # Slim Fly as printed ...
    assert "1,168.2" in text  # ... and exact


@pytest.mark.exhaustive
def test_a_design_without_a_winner_says_so(tmp_path):
    """Limits that nothing meets: a report all the same, which says which limit dropped how many."""
    found = design(msgspec.structs.replace(_REQUIREMENT, limits=DesignLimits(cost_per_host_usd=1)), jobs=1)
    write_design(found, tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert "No candidate is within every limit" in text
    assert "cost per host [USD]" in text
    assert not (tmp_path / "topology.json").exists()


@pytest.mark.exhaustive
def test_prices_beyond_the_fit_are_called_extrapolated(tmp_path):
    """At 400 Gb/s the prices of 2014 are no budget, and the report says so."""
    found = design(msgspec.structs.replace(_REQUIREMENT, rate_gbps=400.0), jobs=1)
    write_design(found, tmp_path)
    assert "Prices are extrapolated" in (tmp_path / "report.html").read_text()


@pytest.mark.exhaustive
@pytest.mark.parametrize("spec", ["slimfly:q=7,hosts=6", "hypercube:n=10", "petersen"])
def test_a_floor_plan_shows_every_rack(spec):
    """As many filled rectangles as racks, each with its number while it is legible."""
    layout = place(build(spec), "koibuchi-2013")
    drawn = floorplan_svg(layout)
    assert len(re.findall(r"<title>rack \d+:", drawn)) == layout.racks


#: Adds to a page: what overlaps or sticks out, as the text of an element that --dump-dom shows.
_PROBE = """<script>
const found = [];
const page = document.documentElement;
if (page.scrollWidth > page.clientWidth) found.push('page wider than window: ' + page.scrollWidth + ' > ' + page.clientWidth);
for (const box of document.querySelectorAll('.wide'))
  if (box.scrollWidth > box.clientWidth + 1)
    found.push(
      'table wider than page: ' + box.scrollWidth + ' > ' + box.clientWidth + ', ' + box.textContent.trim().slice(0, 60)
    );
for (const svg of document.querySelectorAll('figure svg')) {
  const frame = svg.getBoundingClientRect();
  const boxes = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim())
    .map(t => [t.textContent.trim(), t.getBoundingClientRect()]);
  boxes.forEach(([text, a], i) => {
    if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
      found.push('text outside its figure: ' + text);
    if (a.height < 7) found.push('text too small: ' + text);
    for (const [other, b] of boxes.slice(i + 1)) {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && high > 3) found.push('texts overlap: ' + text + ' / ' + other);
    }
  });
}
document.body.innerHTML = '<pre id="probe">' + (found.join('\\n') || 'nothing') + '</pre>';
</script>"""

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.exhaustive
@pytest.mark.skipif(_CHROMIUM is None, reason="chromium is not installed (Debian: apt-get install chromium)")
def test_nothing_overlaps_in_chromium(folder, tmp_path):
    """Rendered 1,300 pixels wide: no text over text, none outside its figure or too small, no table wider than the page."""
    page = tmp_path / "page.html"
    # The page's policy would not let the probe run.
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", (folder / "report.html").read_text())
    page.write_text(text.replace("</body>", _PROBE + "</body>"))
    shown = subprocess.run(
        [
            _CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=1300,2000",
            "--dump-dom",
            f"file://{page}",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert re.search(r'<pre id="probe">(.*?)</pre>', shown, re.DOTALL)[1] == "nothing"
