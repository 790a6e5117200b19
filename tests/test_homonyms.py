"""A public name means one thing: no two modules define a function or a class of the same name, but for those listed here."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import topoloom

#: Names that several modules have, and why.
ALLOWED: dict[str, str] = {
    "command": "each module of the command line defines its command, which a register calls so",
    "read": "each module of a file format reads it, and a register calls it so",
    "write": "each module of a file format writes it, and a register calls it so",
    "write_fabric": "each format that holds names and addresses writes a fabric with them, and a register calls it so",
    "write_directed": "each format of graphs writes a directed network, and a register calls it so",
    "fabric_of": "each format of a fabric's cables makes a Fabric of its text",
    "cables_in": "each format of named ports reads the cables of a file, and a register calls it so",
    "main": "what a program begins with",
    "parse_json": "one function with its overloads",
    "dragonfly": "the family, and the routing engine that is its own: registers call both so",
    "fat_tree": "the family, and the routing engine that is its own: registers call both so",
    "dsn_f": "the family, its routing engine, and its method of growth: registers call them so",
    "permutation": "the traffic pattern that a register calls so, and the function that makes such traffic",
}
#: Names that had up to four meanings, and must not get a second one again, whatever the reason.
SETTLED = ("Fabric", "Network", "Order", "Run", "Limits", "uniform", "judge")


@cache
def defined() -> dict[str, list[str]]:
    """The modules that define each public function or class at their top level.

    Kernels are left aside: no module but the one above them calls them.
    """
    root, modules = Path(topoloom.__file__).parent, defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        if "kernels" in path.parts or path.stem == "kernels":
            continue
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(module)
    return modules


def test_no_name_means_two_things():
    """Every name is defined in one module of the whole package, or stands in the list with its reason."""
    names = defined()
    assert len(names) > 1000
    several = {name: modules for name, modules in names.items() if len(modules) > 1}
    assert {name: modules for name, modules in several.items() if name not in ALLOWED} == {}
    assert set(ALLOWED) <= set(several)


@pytest.mark.parametrize("name", SETTLED)
def test_settled_names_have_one_meaning(name):
    """Also an exception does not bring a second meaning back."""
    assert name not in ALLOWED
    assert len(defined().get(name, [])) <= 1
