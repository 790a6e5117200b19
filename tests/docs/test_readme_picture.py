"""README's first picture is the one that `make demo` draws, and the numbers below it are those of that design."""

import re
import runpy
import subprocess
import sys

import pytest
from doc_blocks import ROOT

from topoloom import build, place, price

_TOOL = runpy.run_path(str(ROOT / "tools" / "readme_picture.py"))


def _marks(picture: str) -> list[tuple[float, float]]:
    """The designs that a picture shows: the marks of all families, which stand before the rings of the Pareto front."""
    groups = re.findall(r'<g id="PathCollection_\d+">(.*?)(?=<g id="\w+_\d+">|</svg>)', picture, re.DOTALL)
    marks = []
    for group in groups:
        if "fill: none" in group:
            break
        marks += [(float(x), float(y)) for x, y in re.findall(r'<use [^>]*x="([\d.-]+)" y="([\d.-]+)"', group)]
    return marks


def test_the_caption_says_what_the_picture_shows_and_what_the_winner_costs():
    """As many designs as marks; cost and power as `topoloom cost` has them."""
    caption = _TOOL["caption"]()
    assert f"{len(_marks(_TOOL['PICTURE'].read_text())):,} designs" in caption
    network = build("slimfly:q=19,hosts=14+populated:hosts=10000")
    bill = price(place(network))
    assert f"{network.switches:,} switches" in caption
    assert f"{bill.cost_per_host_usd:,.1f} USD" in caption
    assert f"{bill.power_w / network.hosts:.2f} W" in caption


@pytest.mark.exhaustive
def test_the_demo_draws_the_picture_and_its_report_says_the_same_numbers(tmp_path):
    """The same winner and marks, up to what a version of matplotlib moves and what a slower machine leaves untested."""
    folder = tmp_path / "demo"
    command = ["-P", "-m", "topoloom", "design", str(ROOT / "examples" / "cluster-10k.toml"), "-o", str(folder)]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    designs, *numbers = _TOOL["numbers"](folder)
    assert [words for words in numbers if words not in _TOOL["caption"]()] == []
    drawn, kept = (_marks(path.read_text()) for path in (folder / "cost-latency.svg", _TOOL["PICTURE"]))
    same = sum(any(abs(x - u) < 1 and abs(y - v) < 1 for u, v in kept) for x, y in drawn)
    assert same > 0.95 * len(kept)
    assert abs(len(drawn) - len(kept)) <= 5
    report = (folder / "report.html").read_text()
    assert designs.replace("designs", "are within every limit") in report
    assert "1,168.2" in report
    for number in range(1, 7):
        assessed = (folder / "shortlist" / str(number) / "assessment.json").read_text()
        assert '"uniform_throughput"' in assessed
        assert '"deadlock_free"' in assessed
