"""Tests that need a tool that is not installed are skipped, and say which."""

import pytest

from topoloom.applications.tools import simgrid_available


def pytest_collection_modifyitems(items):
    """Tests marked ``simgrid`` run applications, which SimGrid simulates."""
    if not simgrid_available():
        skip = pytest.mark.skip(reason="SimGrid is not installed (Debian: libsimgrid-dev, g++)")
        for item in items:
            if "simgrid" in item.keywords:
                item.add_marker(skip)
