"""The example scripts do what they say."""

import gzip
import runpy
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from topoloom import load

_EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.exhaustive
@pytest.mark.parametrize("script", sorted(_EXAMPLES.glob("*.py")), ids=lambda script: script.name)
def test_a_script_runs(script, tmp_path, monkeypatch, capsys):
    """In an empty folder, from the first line to the last, and it tells what it found."""
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.mark.exhaustive
def test_the_steps_of_a_grid_are_drawn(tmp_path, monkeypatch):
    """A picture and the optimised graph, which has the switches and degrees of the random one."""
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(_EXAMPLES / "grid_steps.py"))
    ET.parse(tmp_path / "grid_steps.svg")
    assert set(load(tmp_path / "grid.json").degrees.tolist()) == {4}


def test_the_faults_of_the_fabric_are_those_of_its_script():
    """The discoveries of the administrator's tutorial are what faults.py makes of the fabric without faults."""
    folder = _EXAMPLES / "fabric"
    faulty = runpy.run_path(str(folder / "faults.py"))["faulty"]
    before, morning, evening = (
        gzip.decompress((folder / f"{name}.net.gz").read_bytes()).decode() for name in ("before", "morning", "evening")
    )
    assert faulty(before, repaired=False) == morning
    assert faulty(before, repaired=True) == evening
