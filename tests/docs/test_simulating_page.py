"""docs/how-to/simulate-packets.md has every setting and every preset of the routers."""

import pytest
from doc_blocks import ROOT

from topoloom import build, route
from topoloom.simulation.flits.presets import PRESETS
from topoloom.simulation.flits.saturation import saturation

PAGE = (ROOT / "docs" / "how-to" / "simulate-packets.md").read_text(encoding="utf-8")


def test_every_preset_is_documented():
    """A row each, with what it is and its source."""
    for name in PRESETS:
        assert f"\n| `{name}` | " in PAGE


@pytest.mark.exhaustive
def test_ugal_needs_virtual_channels_in_the_worst_case_of_a_dragonfly():
    """The rows of 72 hosts: more VCs in the same buffers remove the loss of UGAL-G against VAL, more flits per VC do not."""
    shown = {
        ("valiant", "4", "48"): 0.50,
        ("ugal-g", "4", "48"): 0.42,
        ("ugal-g", "16", "48"): 0.54,
        ("ugal-g", "4", "192"): 0.44,
    }
    small = build("dragonfly:a=4,h=2,p=2")
    found = {
        (engine, vcs, flits): saturation(
            route(small, engine), "worst-case", settings=[f"vcs={vcs}", f"buffer_flits={flits}"], width=0.02, fast=True
        ).offered
        for engine, vcs, flits in shown
    }
    assert found == pytest.approx(shown)
    row = PAGE.partition("| `dragonfly:a=4,h=2,p=2`, the 4 VCs of the tables |")[2].split("|")
    assert [float(row[0]), float(row[1])] == [shown["valiant", "4", "48"], shown["ugal-g", "4", "48"]]
