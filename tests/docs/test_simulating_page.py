"""docs/simulating.md has every setting and every preset of the routers."""

from doc_blocks import ROOT

from topoloom.settings import described
from topoloom.simulator.presets import PRESETS
from topoloom.simulator.router_config import RouterConfig

PAGE = (ROOT / "docs" / "simulating.md").read_text(encoding="utf-8")


def test_every_setting_is_documented_as_the_router_describes_it():
    """A row each, made of the router's own annotations."""
    for one in described(RouterConfig):
        assert f"| `{one.name}` | {one.description} | {one.accepts} | {one.unit} | {one.default} |\n" in PAGE


def test_every_preset_is_documented():
    """A row each, with what it is and its source."""
    for name in PRESETS:
        assert f"\n| `{name}` | " in PAGE
