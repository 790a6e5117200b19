"""The examples in docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import topoloom

_MODULES = [m.name for m in pkgutil.walk_packages(topoloom.__path__, "topoloom.") if not m.name.endswith("__main__")]


@pytest.mark.parametrize("name", _MODULES)
def test_what_a_docstring_shows_is_what_happens(name):
    """Every `>>>` of the module gives the value that stands below it."""
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_docstrings_have_examples():
    """The examples are found at all."""
    finder = doctest.DocTestFinder()
    found = [case for name in _MODULES for case in finder.find(importlib.import_module(name), name)]
    assert sum(len(case.examples) for case in found) > 50
