"""Docstrings: their examples are true, and they say what every parameter of a longer signature is."""

import ast
import doctest
import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

#: topoloom, and the package of the papers where it is installed.
_PACKAGES = [
    importlib.import_module(name) for name in ("topoloom", "topoloom_papers") if importlib.util.find_spec(name)
]
_MODULES = [
    module.name
    for package in _PACKAGES
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
]
#: Those with examples.
_SHOWING = [
    name for name in _MODULES if ">>>" in Path(importlib.util.find_spec(name).origin).read_text(encoding="utf-8")
]
#: A class with a docstring; parsing all files of the package only for them takes ten times as long.
_DOCUMENTED = re.compile(r'^ *class (\w+)[^:]*:\n\s+"""', re.MULTILINE)
#: Functions with so many parameters say what each of them is.
_MANY = 3
#: Decorators that declare a function's parameters, each with its description, what they return, and what every such function
#: is given: the register describes that once.
_REGISTERS = {
    "router_arbiter": {"requester", "size", "last", "served", "born"},
    "family": {"attempt"},
    "directed_family": {"attempt"},
    "transform": {"topology", "attempt"},
    "application": {"ranks"},
    "pattern": {"request"},
    "export": {"request"},
}


@dataclass(frozen=True)
class _Function:
    """A public function or method of `_MANY` parameters or more."""

    place: str
    node: ast.FunctionDef
    parameters: list[str]

    @property
    def sections(self) -> dict[str, list[str]]:
        """The docstring's sections by their titles, each with its lines."""
        found: dict[str, list[str]] = {}
        lines = (ast.get_docstring(self.node) or "").splitlines()
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if line.strip() and re.fullmatch(r"-{3,}", following):
                title = line.strip()
                found[title] = []
            elif found and not re.fullmatch(r"-{3,}", line):
                found[title].append(line)
        return found

    @property
    def described(self) -> set[str]:
        """What the docstring describes: what is before a `` : `` or, ``**more``, on a line of its own; or the register."""
        heads = [line for line in self.sections.get("Parameters", []) if line.strip() and not line[0].isspace()]
        names = {name.strip().lstrip("*") for head in heads for name in head.partition(" : ")[0].split(",")}
        if self.register is not None and not names:
            names = {one.arg for one in self.register.keywords} | _REGISTERS[ast.unparse(self.register.func)]
            others = {self.node.args.kwarg.arg} if self.node.args.kwarg is not None else set()
            return {*self.parameters} & (names | others)
        return names

    @property
    def register(self) -> ast.Call | None:
        """The decorator that declares the parameters."""
        calls = [one for one in self.node.decorator_list if isinstance(one, ast.Call)]
        return next((one for one in calls if ast.unparse(one.func) in _REGISTERS), None)

    @property
    def raises(self) -> bool:
        """Whether the function itself raises what users see: `InputError`, also by `at`, and `Stopped`."""
        raised = [one.exc for one in ast.walk(self.node) if isinstance(one, ast.Raise)]
        calls = [one for one in ast.walk(self.node) if isinstance(one, ast.Call)]
        named = [ast.unparse(one.func) for one in raised if isinstance(one, ast.Call)]
        return bool({"InputError", "Stopped", "at"} & {*named}) or any(
            ast.unparse(one.func) == "work.check" for one in calls
        )


def _functions(body: list[ast.stmt], place: str, *, method: bool = False) -> Iterator[_Function]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _functions(node.body, f"{place}:{node.name}", method=True)
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        marks = [ast.unparse(one) for one in node.decorator_list]
        if any(mark == "overload" or "command(" in mark or mark.startswith("declared(") for mark in marks):
            continue
        given = node.args
        names = [one.arg for one in (*given.posonlyargs, *given.args)]
        names = names[1:] if method and "staticmethod" not in marks else names
        names += [one.arg for one in (*given.kwonlyargs, given.vararg, given.kwarg) if one is not None]
        if len(names) >= _MANY:
            yield _Function(f"{place}:{node.name}", node, names)


def _files(package: ModuleType) -> list[Path]:
    return sorted(Path(package.__file__).parent.rglob("*.py"))


@cache
def _public() -> list[_Function]:
    """Those of every module but kernels and private ones; the commands of the command line have help texts."""
    found = []
    for package in _PACKAGES:
        source = Path(package.__file__).parent
        for path in _files(package):
            place = path.relative_to(source).with_suffix("")
            if "kernels" in place.parts or any(part.startswith("_") for part in place.parts):
                continue
            found += _functions(ast.parse(path.read_text()).body, str(place))
    return found


def _classes() -> set[str]:
    """The names of the classes that say what they are: whoever returns one need not say it again."""
    texts = (path.read_text(encoding="utf-8") for package in _PACKAGES for path in _files(package))
    return {name for text in texts for name in _DOCUMENTED.findall(text)}


@pytest.mark.parametrize("name", _SHOWING)
def test_what_a_docstring_shows_is_what_happens(name):
    """Every `>>>` of the module gives the value that stands below it."""
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_docstrings_have_examples():
    """The examples are found at all."""
    finder = doctest.DocTestFinder()
    found = [case for name in _SHOWING for case in finder.find(importlib.import_module(name), name)]
    assert sum(len(case.examples) for case in found) > 50


def test_the_functions_are_found():
    """The laws below look at many functions, and at those that users call first."""
    assert len(_public()) > 200
    assert {"cost/bill:price", "routing/route:route", "simulation/flits/simulate:simulate"} <= {
        one.place for one in _public()
    }


def test_parameters_are_described():
    """A public function of three parameters or more describes each of them, and no others, itself or in its register."""
    wrong = {one.place: sorted({*one.parameters} ^ one.described) for one in _public()}
    assert {place: names for place, names in wrong.items() if names} == {}


def test_what_is_returned_is_described():
    """Such a function says under Returns or Yields what comes back, unless nothing does, or a class that says it itself."""
    known = {"None", *_classes()}
    silent = [
        one.place
        for one in _public()
        if ast.unparse(one.node.returns or ast.Constant(None)).strip("'") not in known
        and one.register is None
        and not {"Returns", "Yields"} & {*one.sections}
    ]
    assert silent == []


def test_what_is_raised_is_described():
    """Such a function that raises InputError or Stopped says under Raises when."""
    assert [one.place for one in _public() if one.raises and "Raises" not in one.sections] == []
