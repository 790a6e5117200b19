"""Tests that need a tool that is not installed are skipped, and say which; what belongs to the second tier is marked."""

import gc
from itertools import groupby

import hypothesis
import pytest

import tiers
from topoloom.simulation.applications.tools import simgrid_available


def pytest_configure(config):
    """Random examples are few in the first tier, whose expression of markers is that of pyproject.toml."""
    tiers.EVERYTHING = config.getoption("markexpr") != "not exhaustive"
    hypothesis.settings.register_profile("tier", max_examples=tiers.examples(100), deadline=None)
    hypothesis.settings.load_profile("tier")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tests marked ``simgrid`` run applications, which SimGrid simulates; of a sweep, the first tier has the first cases."""
    if not simgrid_available():
        skip = pytest.mark.skip(reason="SimGrid is not installed (Debian: libsimgrid-dev, g++)")
        for item in items:
            if "simgrid" in item.keywords:
                item.add_marker(skip)
    # The objects of all test modules stay: no collection of garbage looks at them again.
    gc.freeze()
    for _, cases in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        for place, item in enumerate(cases):
            sweep = item.get_closest_marker("sweep")
            if sweep is not None and place >= sweep.args[0]:
                item.add_marker(pytest.mark.exhaustive)
