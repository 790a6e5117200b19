"""docs/reference/floor-file.md tells the truth: every key, every column, every way of measuring distances."""

import re
from typing import get_args, get_type_hints

from doc_blocks import ROOT

from topoloom.placement.floors import floor_csv, floor_files

TEXT = (ROOT / "docs" / "reference" / "floor-file.md").read_text(encoding="utf-8")


def _section(title: str) -> str:
    found = re.search(rf"^#+ `?{re.escape(title)}`?$(.*?)(?=^#|\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found, f"no section '{title}'"
    return found[1]


def test_every_column_of_the_csv_is_documented():
    """One row per column, in the order of the code."""
    assert tuple(re.findall(r"^\| `(\w+)` \|", _section("A CSV file"), re.MULTILINE)) == floor_csv.COLUMNS


def test_every_distance_is_documented():
    """One row per way of measuring, in the order of the code."""
    ways = get_args(get_type_hints(floor_files.FloorFile)["distance"])
    assert tuple(re.findall(r'^\| `"(\w+)"` \|', _section("Distances"), re.MULTILINE)) == ways


def test_the_defaults_in_words_are_those_of_the_code():
    """The preset that a file begins with, its lengths, and the size of a rack that nobody gave."""
    floor = floor_files.preset(floor_files.DEFAULT_PRESET)
    assert f"the preset `{floor.name}`: {floor.inside_m:g} m inside a rack" in " ".join(TEXT.split())
    assert f"the Manhattan distance and {floor.overhead_end_m:g} m at each end" in " ".join(TEXT.split())
    assert f"less than {floor_files.RACK_M:g} m apart" in " ".join(TEXT.split())
