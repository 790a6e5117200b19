"""The report of a design with many candidates: seconds to write it, its size, and the first paint in Chromium.

    python benchmarks/design_page.py [--candidates 1000]

The candidates for a requirement of 200 hosts are copied until their number is reached. First paint is the value that Chromium
reports, the median of five visits.
"""

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import msgspec
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from topoloom import design
from topoloom.designer.design import Design, pareto_front
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import SwitchRequirement
from topoloom.report.design_page import design_page


def copied(design: Design, count: int) -> Design:
    """The design with `count` candidates, made by copying its own."""
    candidates = [
        msgspec.structs.replace(
            candidate, spec=f"{candidate.spec}+copy{turn}", cost_per_host_usd=candidate.cost_per_host_usd + turn
        )
        for turn in range(1 + count // len(design.ranked))
        for candidate in design.ranked
    ][:count]
    return replace(design, ranked=tuple(candidates), pareto=pareto_front(candidates))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidates", type=int, default=1000)
    count = parser.parse_args().candidates
    many = copied(design(Requirement(hosts=200, switch=SwitchRequirement(radix=16)), jobs=1), count)
    start = time.perf_counter()
    text = design_page(many, many.requirement.catalogue(), None, None, drawn={})
    print(f"{count} candidates: written in {time.perf_counter() - start:.2f} s, {len(text) / 1e6:.2f} MB")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(text)
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        paints = []
        for _ in range(5):
            browser.get(path.as_uri())
            paints.append(
                browser.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
            )
        browser.quit()
    print(f"first paint {statistics.median(paints):.0f} ms")


if __name__ == "__main__":
    main()
