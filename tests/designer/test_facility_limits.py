"""Designs keep the limits of `[facility]`: the power of all IT and the weight of racks, as `facility` computes them."""

import pytest

from topoloom import facility
from topoloom.cli.main import main
from topoloom.cost.facility import rack_power
from topoloom.designer.design import design
from topoloom.designer.requirement_files import requirement_of
from topoloom.report.board import board_page

#: 32 hosts of 500 W and 20 kg under switches of 200 W at most: 8 leaves of 4 hosts and 2 to 4 spines.
PARTS = """
name = "made up"
source = "made up"
[[switch.product]]
name = "S8"
ports = 8
rate_gbps = 100
power_w = 100
power_max_w = 200
u = 1
weight_kg = 10
price_usd = 1_000
[[cable]]
name = "C100"
medium = "copper"
use = "any"
base_usd = 20
"""
NEED = """
hosts = 32
rate_gbps = 100
parts = "parts.toml"
shortlist = 1
usual = true
[switch]
product = "S8"
[host]
u = 2
nics = 1
power_w = 500
weight_kg = 20
[families]
try = ["fat-tree"]
[rack]
empty_kg = 100
[facility]
pue = 1.5
"""


def needed(tmp_path, more=""):
    """The requirement with more keys of `[facility]`."""
    (tmp_path / "parts.toml").write_text(PARTS)
    return requirement_of(NEED + more, "hosts.toml", tmp_path)


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        # 32 x 500 W and at least 10 switches of 200: 18 kW.
        ("power_w = 16_500", "but [facility] power_w is 16,500: raise it, or take fewer hosts"),
        ("rack_kg = 110", "but its limit is 110: raise rack_kg in [facility]"),
    ],
)
def test_a_limit_of_the_room_drops_candidates(limit, reason, tmp_path):
    """All are dropped with the sentence of `facility`; nothing is assessed without a candidate, and the command fails."""
    found = design(needed(tmp_path, limit), jobs=1)
    assert found.ranked == ()
    assert found.shortlist == ()
    out = next(out for out in found.dropped if out.limit == "facility")
    assert reason in out.reason


def test_the_first_page_has_the_power_of_all_it(tmp_path):
    """Hosts and switches at their maximum, as `facility` has them, and the facility's power by its PUE."""
    wanted = needed(tmp_path, "power_w = 30_000")
    found = design(wanted, jobs=1, shortlist=0)
    room = facility(found.network)
    assert room.total.max_w == 32 * 500 + found.winner.switches * 200
    parts = wanted.catalogue()
    power = rack_power(found.layout, wanted.terms(parts, found.layout.topology))
    page = str(board_page(found, parts, found.network.bill, power))
    assert f"{room.total.max_w / 1000:,.0f} kW" in page
    assert f"{room.facility_w / 1000:,.0f} kW of the facility at a PUE of 1.5" in page


def test_no_candidate_is_an_error_of_the_command(tmp_path, capsys):
    """Exit code 2, with the report and the reason."""
    needed(tmp_path)
    (tmp_path / "hosts.toml").write_text(NEED + "power_w = 16_500")
    with pytest.raises(SystemExit) as ended:
        main(["design", str(tmp_path / "hosts.toml"), "-o", str(tmp_path / "out"), "--jobs", "1"])
    assert ended.value.code == 2
    assert "raise it, or take fewer hosts" in capsys.readouterr().out
    assert (tmp_path / "out" / "report.html").exists()
