"""Growth of three requirements, checked cable by cable from the files: each is also in the next phase, or has moved."""

import csv
from itertools import pairwise
from pathlib import Path

import pytest

from topoloom import build, design, expand, open_network, price
from topoloom.cabling.expansion.check import check_plan
from topoloom.cabling.expansion.plan_files import save_expansion
from topoloom.report.design_files import write_design

#: 400 servers of two 800G ports, one in each of two planes, on 64-port switches, that may grow to 640; a three-level InfiniBand
#: tree of 320 hosts on 16-port switches in three phases.
REQUIREMENTS = {
    "two planes of 800G": """
hosts = 400
rate_gbps = 800
parts = "ethernet-2026"
prices = "QUOTES/made-up-2026.toml"
planes = [2]
shortlist = 0
usual = false
[host]
name = "server"
nics = 2
u = 4
power_w = 6000
[switch]
product = "SN5600"
[limits]
oversubscription = 1.0
[least]
grow_to_hosts = 640
[families]
try = ["fat-tree"]
[search]
networks = 0
""",
    "three levels": """
hosts = 320
rate_gbps = 400
parts = "infiniband-2026"
prices = "QUOTES/made-up-ndr.toml"
shortlist = 0
usual = false
[switch]
radix = 16
[limits]
oversubscription = 1.05
[families]
try = ["fat-tree"]
[search]
networks = 0
[[phase]]
hosts = 100
by = "2027-01"
[[phase]]
hosts = 220
by = "2027-06"
[[phase]]
hosts = 320
by = "2028"
""",
}
QUOTES = Path(__file__).parents[2] / "examples" / "quotes"


def cables(folder):
    """Both ends with ports, by the number of the cable."""
    with (folder / "cables.csv").open(newline="") as file:
        return {
            row["cable"]: frozenset({(row["a_switch"], row["a_port"]), (row["b_switch"], row["b_port"])})
            for row in csv.DictReader(file)
            if row["kind"] in {"link", "host"}
        }


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", REQUIREMENTS)
def test_phases_of_a_requirement_end_by_end(name, tmp_path):
    """No cable moves, ports that are kept are those that later cables take, and all purchases are the bill of the end."""
    (tmp_path / "wanted.toml").write_text(REQUIREMENTS[name].replace("QUOTES", str(QUOTES)))
    made = design(tmp_path / "wanted.toml", jobs=2)
    write_design(made, tmp_path / "out")
    grown = made.phases_of(made.best)
    assert grown.moved == 0
    folders = [tmp_path / "out" / "phases" / str(phase.number) for phase in grown.phases]
    lists = [cables(folder) for folder in folders]
    for earlier, later in pairwise(lists):
        assert earlier.items() <= later.items()
        assert len(earlier) < len(later)
    ends = [{end for pair in own.values() for end in pair} for own in lists]
    for number, phase in enumerate(grown.phases):
        switches = {switch for switch, _ in ends[number]}
        later = {end for end in ends[-1] - ends[number] if end[0] in switches}
        hosts = {switch for switch in switches if switch.startswith(("H", "node"))}
        assert phase.ports_reserved == len([end for end in later if end[0] not in hosts])
        assert phase.tables.deadlock_free
        assert phase.tables.uniform_throughput > 0.98 / 1.05
    assert grown.left_over == ()
    assert grown.cost_usd == pytest.approx(price(open_network(folders[-1])).cost_usd)


#: A Dragonfly+ and a Slim Fly that have to move cables: its groups share their global links among more groups; a Slim Fly has
#: no larger one with these switches, so that links are opened.
MOVING = {
    "dragonfly+": ("megafly:leaves=4,spines=4,p=4,h=4,g=5", 56),
    "dragonfly+ in part": ("megafly:leaves=4,spines=4,p=4,h=4,g=5+populated:hosts=70", 100),
    "slim fly": ("slimfly:q=5,hosts=4", 55),
}


@pytest.mark.parametrize(
    "name", ["dragonfly+", *(pytest.param(other, marks=pytest.mark.exhaustive) for other in list(MOVING)[1:])]
)
def test_growth_that_moves_cables_end_by_end(name, tmp_path):
    """The plan counts as untouched what keeps its number and both ends; the grown folder is the larger network."""
    spec, to = MOVING[name]
    plan = expand(build(spec), to, parts="koibuchi-2013", rate_gbps=10)
    save_expansion(plan, tmp_path / "plan")
    check_plan(tmp_path / "plan")
    before, after = cables(tmp_path / "plan" / "before"), cables(tmp_path / "plan" / "after")
    same = sum(after.get(number) == ends for number, ends in before.items())
    assert (plan.kept, plan.removed, plan.added) == (same, len(before) - same, len(after) - same)
    assert plan.removed > 0
    assert plan.cost.moving_usd > 0
    grown = open_network(tmp_path / "plan" / "after").topology
    assert grown.switches == plan.switches
    assert (grown.degrees + grown.endpoints_at).max() <= plan.radix
    if "dragonfly" in name:
        assert plan.goal is not None
        assert sorted(map(sorted, plan.number[grown.links].tolist())) == sorted(map(sorted, plan.goal.links.tolist()))
