"""The example scripts do what they say."""

import gzip
import runpy
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from topoloom import design, load

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


@pytest.mark.exhaustive
def test_half_of_256_servers_comes_in_each_phase():
    """256 x 8 x 800G with rails, by hand: 32 leaves and 32 spines, then 32 leaves; no cable moves."""
    made = design(_EXAMPLES / "b300-256.toml", shortlist=0)
    grown = made.phases_of(made.best)
    assert (made.winner.switches, made.winner.hosts) == (96, 256)
    assert [phase.new_switches for phase in grown.phases] == [{"leaf": 32, "spine": 32}, {"leaf": 32}]
    assert [(phase.by, phase.new_cables, phase.moved) for phase in grown.phases] == [
        ("2027-01", 2048, 0),
        ("2027-07", 2048, 0),
    ]
    assert grown.cost_usd == pytest.approx(made.winner.cost_usd)


@pytest.mark.exhaustive
def test_16384_accelerators_in_two_planes_may_grow_to_24576():
    """By hand, per plane of 128 ports: 24,576 / 128 = 192 cores; 16,384 / 64 = 256 leaves, and as many aggregation switches.

    Now 2 x (16,384 ports of hosts + 2 x 16,384 links) cables.
    """
    made = design(_EXAMPLES / "two-planes-16k.toml", shortlist=0)
    grown = made.phases_of(made.best)
    assert [phase.new_switches for phase in grown.phases] == [
        {"leaf": 512, "aggregation": 512, "core": 384},
        {"leaf": 256, "aggregation": 256},
    ]
    assert [phase.new_cables for phase in grown.phases] == [6 * 16_384, 6 * 8_192]
    assert (grown.moved, grown.left_over) == (0, ())
    assert grown.phases[0].cost_usd == pytest.approx(made.winner.cost_usd)
