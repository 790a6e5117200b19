"""docs/how-to/simulate-packets.md has every setting and every preset of the routers."""

from doc_blocks import ROOT

from topoloom.simulation.flits.presets import PRESETS

PAGE = (ROOT / "docs" / "how-to" / "simulate-packets.md").read_text(encoding="utf-8")


def test_every_preset_is_documented():
    """A row each, with what it is and its source."""
    for name in PRESETS:
        assert f"\n| `{name}` | " in PAGE
