"""Designs whose flat random networks are cabled by shuffle panels."""

import pytest

from topoloom import InputError, build, expand_panels, place, price
from topoloom.core.work import Work
from topoloom.designer.assessment.steps.growth import GROWTH
from topoloom.designer.assessment.subjects import subject_of
from topoloom.designer.placing import placed_network
from topoloom.designer.requirement_files import read_requirement

PARTS = """
name = "flat parts"
source = "a test"
[[switch.product]]
name = "S"
ports = 16
rate_gbps = 400
price_usd = 1000
power_w = 100
connector = "QSFP-DD"
lane_gbps = 50
breakout = [{ ports = 64, rate_gbps = 100 }]
[[cable]]
name = "AOC"
medium = "optical"
use = "any"
base_usd = 500
rates_gbps = [100]
[[cable]]
name = "lane"
medium = "fibre"
use = "panels"
base_usd = 0
rates_gbps = [100]
modules = ["DR4"]
[[transceiver]]
name = "DR4"
links = 4
price_usd = 100
power_w = 8
[[panel]]
name = "box"
kind = "shuffle panel"
front = 32
front_pairs = 4
rear = 4
price_usd = 50
[[cord]]
name = "cord"
pairs = 4
base_usd = 2
[[trunk]]
name = "trunk"
pairs = 32
per_metre_usd = 4
"""
REQUIREMENT = """
hosts = 1000
rate_gbps = 100
parts = "parts.toml"
[switch]
radix = 64
[cable]
panels = "shuffle"
[families]
try = ["shuffled"]
"""


def written(tmp_path, parts=PARTS, requirement=REQUIREMENT):
    (tmp_path / "parts.toml").write_text(parts)
    path = tmp_path / "requirement.toml"
    path.write_text(requirement)
    return path


def test_a_shuffled_candidate_is_placed_and_priced_with_its_panels(tmp_path):
    requirement = read_requirement(written(tmp_path))
    spec = "shuffled:n=32,degree=16,hosts=32+populated:hosts=1000"
    network = placed_network(spec, requirement, requirement.catalogue(), map="rows")
    assert network.layout.passive.panels == 4
    lines = {line.item: line.count for line in network.bill.lines}
    assert (lines["panel, box"], lines["cord"], lines["trunk"], lines["transceiver, DR4"]) == (4, 128, 8, 128)
    other = placed_network("jellyfish:n=32,degree=16,hosts=32", requirement, requirement.catalogue(), map="rows")
    assert other.layout.passive is None, "other families have cables of their own"


def test_a_design_with_panels_needs_their_prices_and_has_no_phases(tmp_path):
    with pytest.raises(InputError, match=r"requirement\.toml:8: cable\.panels: 'cord' of 'flat parts' has no price"):
        read_requirement(written(tmp_path, PARTS.replace("base_usd = 2\n", "")))
    phases = REQUIREMENT + "[[phase]]\nhosts = 500\n[[phase]]\nhosts = 1000\n"
    with pytest.raises(InputError, match=r"\[cable\] panels: a network with panels is not planned in phases"):
        read_requirement(written(tmp_path, PARTS, phases))


@pytest.mark.parametrize("hosts", [1000, 1024])
def test_a_design_states_what_growth_takes_trunk_by_trunk(tmp_path, hosts):
    """By 10 and 25 % to the next number of switches that fills panels: trunks cut and what is bought, as expand plans it."""
    requirement = read_requirement(written(tmp_path))
    spec = "shuffled:n=32,degree=16,hosts=32" + f"+populated:hosts={hosts}" * (hosts < 1024)
    network = placed_network(spec, requirement, requirement.catalogue(), map="rows")
    figures = {each.key: each for each in GROWTH.run(subject_of(network), Work()).figures}
    plan = expand_panels(network, 40)
    trunks = sum(step.trunk_work.trunks_cut for step in plan.steps)
    assert [figures[f"moved_{share}"].value for share in (10, 25)] == [trunks, trunks]
    assert f"{plan.hosts:,} hosts on 40 switches: {trunks} trunks are cut; 1 panels" in figures["moved_10"].how
    assert figures["growth_10_usd"].value == pytest.approx(plan.cost_usd)
    assert figures["growth_10_usd"].value > 0


def test_hosts_and_rates_of_a_spec_do_not_hide_its_boxes(tmp_path):
    written(tmp_path)
    layout = place(
        build("shuffled:n=32,degree=16,hosts=32+rates:links=100,hosts=100"),
        parts=str(tmp_path / "parts.toml"),
        panels="shuffle",
    )
    assert layout.passive.trunks == 8
    assert price(layout, str(tmp_path / "parts.toml"), rate_gbps=100).cost_usd > 0
