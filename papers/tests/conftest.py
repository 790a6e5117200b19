"""Skips tests that need SimGrid if it is missing; notes of long runs go into a temporary folder."""

import pytest

from topoloom.simulation.applications.tools import simgrid_available
from topoloom_papers import long_runs


def pytest_collection_modifyitems(items):
    """Skip tests marked ``simgrid`` if SimGrid is not installed."""
    if not simgrid_available():
        skip = pytest.mark.skip(reason="SimGrid is not installed (Debian: libsimgrid-dev, g++)")
        for item in items:
            if "simgrid" in item.keywords:
                item.add_marker(skip)


@pytest.fixture(autouse=True)
def notes(monkeypatch, tmp_path):
    """A new folder for each test instead of the user's cache."""
    monkeypatch.setattr(long_runs, "_notes", lambda: tmp_path / "long-runs")
