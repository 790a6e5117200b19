"""docs/how-to/draw-load-curves.md names every column of the table of points."""

import re

from doc_blocks import ROOT

from topoloom.simulation.flits import point_table


def test_every_column_is_documented():
    """In the order of the file, each once."""
    text = (ROOT / "docs" / "how-to" / "draw-load-curves.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", text, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    documented = [name for name in point_table.TABLE_COLUMNS if name != "saturated"]
    assert [name for name in named if name != "saturated"] == documented
    assert named.count("saturated") == 1
