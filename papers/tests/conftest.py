"""Long runs that tests make are noted in a folder of the test, not in the user's cache."""

import pytest

from topoloom_papers import long_runs


@pytest.fixture(autouse=True)
def notes(monkeypatch, tmp_path):
    """A folder of its own for each test."""
    monkeypatch.setattr(long_runs, "_notes", lambda: tmp_path / "long-runs")
