"""The page on plug-ins and the example name the groups of entry points that the registers read."""

import ast
import re
import sys
import tomllib
from importlib import import_module

import pytest
from doc_blocks import ROOT

import topoloom

sys.path.insert(0, str(ROOT / "docs" / "_ext"))


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
    assert len(groups) == 11
    assert groups <= {group for group, _ in _groups()}


def _imported(path):
    """The names that a module imports from topoloom, each with its module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("topoloom"):
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples" / "plugin" / "topoloom_wheel").glob("*.py")), ids=lambda path: path.stem
)
def test_what_the_example_imports_is_in_the_reference(path):
    """On the page of Python for plug-ins, or among the public names."""
    from plug_in_names import PLUG_IN_NAMES

    listed = {(module, name) for module, names in PLUG_IN_NAMES.items() for name in names}
    public = {("topoloom", name) for name in topoloom.__all__}
    ours = {(module, name) for module, name in _imported(path) if not module.startswith("topoloom_wheel")}
    assert ours <= listed | public


def test_what_registers_an_entry_is_in_the_reference_and_described():
    """The decorators and calls in the page's table, except methods of a register; every listed name exists with a docstring."""
    from plug_in_names import PLUG_IN_NAMES

    page = (ROOT / "docs" / "how-to" / "write-a-plug-in.md").read_text(encoding="utf-8")
    calls = set(re.findall(r"`@?(\w+)` of `(topoloom\.[\w.]+)`", page))
    assert len(calls) > 10
    assert {(module, name) for name, module in calls} <= {
        (m, name) for m, names in PLUG_IN_NAMES.items() for name in names
    }
    for module, names in PLUG_IN_NAMES.items():
        for name in names:
            assert (getattr(import_module(module), name).__doc__ or "").strip(), f"{module}.{name}"
