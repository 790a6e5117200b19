"""The page on plug-ins and the example name the groups of entry points that the registers read."""

import re
import tomllib

from doc_blocks import ROOT


def _groups():
    """The name of each register and its group, from the sources."""
    pattern = re.compile(r'^(\w+): Register\[[^=]*\] = \w+\([^)]*?group="([^"]+)"', re.MULTILINE)
    files = [path for folder in ("src", "papers/src") for path in sorted((ROOT / folder).rglob("*.py"))]
    return {(group, name) for path in files for name, group in pattern.findall(path.read_text(encoding="utf-8"))}


def test_the_page_lists_the_groups_of_all_registers():
    """Each with the name of its register."""
    page = (ROOT / "docs" / "how-to" / "write-a-plug-in.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(topoloom\.[a-z_.]+)` \| `(\w+)` \|", page, re.MULTILINE)
    assert len(rows) > 15
    assert len(set(rows)) == len(rows)
    assert set(rows) == _groups()


def test_the_groups_of_the_example_are_those_of_registers():
    """The entry points of examples/plugin."""
    project = tomllib.loads((ROOT / "examples" / "plugin" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = set(project["entry-points"])
    assert len(groups) == 10
    assert groups <= {group for group, _ in _groups()}
