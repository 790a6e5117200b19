"""The page on routing names every engine."""

import re

from doc_blocks import ROOT

from topoloom.routing.registry import engines


def test_the_table_of_all_engines_has_each_engine_once():
    """In the first column; engines of other packages are not in it."""
    page = (ROOT / "docs" / "how-to" / "route-a-network.md").read_text(encoding="utf-8")
    section = page.split("\n## All engines\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]+) \|", section.split("\n**orders** ")[0], re.MULTILINE)
    named = [name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)]
    assert len(named) > 30
    assert sorted(named) == sorted(name for name in engines if engines.origin(name) == "here")
