"""Tests that need SimGrid are skipped without it; long runs that tests make are noted in a folder of the test."""

import pytest

from topoloom.simulation.applications.tools import simgrid_available
from topoloom_papers import long_runs


def pytest_collection_modifyitems(items):
    """Tests marked ``simgrid`` run applications, which SimGrid simulates."""
    if not simgrid_available():
        skip = pytest.mark.skip(reason="SimGrid is not installed (Debian: libsimgrid-dev, g++)")
        for item in items:
            if "simgrid" in item.keywords:
                item.add_marker(skip)


@pytest.fixture(autouse=True)
def notes(monkeypatch, tmp_path):
    """A folder of its own for each test, and not the user's cache."""
    monkeypatch.setattr(long_runs, "_notes", lambda: tmp_path / "long-runs")
