"""A public name means one thing: no two modules define a function or a class of the same name, but for those listed here."""

import ast
from collections import defaultdict
from pathlib import Path

import topoloom

#: Packages whose names are held against all others'.
PACKAGES = ("applications", "collectives", "flows", "workloads", "simulator")
#: Names that several modules have, and why.
ALLOWED: dict[str, str] = {
    "Collective": "a public result, and a line of a need's file",
    "Rules": "what routers do, as the simulator's kernels take it, and what a searched graph obeys",
}


def defined() -> dict[str, list[str]]:
    """The modules that define each public function or class at their top level.

    Kernels and modules of a leading underscore are left aside: nobody but their own folder calls them.
    """
    root, found = Path(topoloom.__file__).parent, defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        if "kernels" in path.parts or (path.stem.startswith("_") and path.stem != "__init__"):
            continue
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(module)
    return found


def test_no_name_means_two_things():
    """Of the packages above every name is defined in one module of the whole house, or stands in the list with its reason."""
    names = defined()
    assert len(names) > 1000
    several = {
        name: modules
        for name, modules in names.items()
        if len(modules) > 1 and any(module.split(".")[0] in PACKAGES for module in modules)
    }
    assert {name: modules for name, modules in several.items() if name not in ALLOWED} == {}
    assert set(ALLOWED) <= set(several)
