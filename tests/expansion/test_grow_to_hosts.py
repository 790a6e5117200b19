"""Growth to a number of hosts: the cables that move are counted by comparing the lists before and after, end by end."""

import csv
from collections import Counter

import msgspec
import pytest

from topoloom import InputError, build, expand, open_network, place
from topoloom.cabling.expansion.check import check_plan
from topoloom.cabling.expansion.larger_networks import larger_networks
from topoloom.cabling.expansion.plan_files import save_expansion
from topoloom.cost.parts_files import load_parts
from topoloom.placement.hosts.housing import HostType, Housing, RackRule

ROOM = Housing(host=HostType(name="srv", u=8, power_w=10_000), rack=RackRule(u=48, power_w=45_000, price_usd=2_000))


def ends(folder):
    """How often each pair of ends is in a list; an end is a switch with its port, or a host with its port."""
    with (folder / "cables.csv").open(newline="") as file:
        return Counter(
            frozenset({(row["kind"], row["a_switch"], row["a_port"]), (row["kind"], row["b_switch"], row["b_port"])})
            for row in csv.DictReader(file)
            if row["kind"] in {"link", "host"}
        )


#: A network, the size that it grows to (hosts, or a larger network), and the cables that no longer have both their ends.
#: Trees by hand: of 8 leaves and 4 spines with bundles of two, each leaf moves one cable of each pair to the 4 new spines
#: (8 x 4). A new switch of degree 4 in a Jellyfish opens two cables. A part grows without moving one. Leaves of 9:6 keep their
#: ports: 8 of them move one cable of each pair to 3 more spines (8 x 3). Four pods of 8 aggregation switches in two planes move
#: half of their 8 cables up, and no leaf changes its pod (2 x 32 x 4). Three groups with two global links per pair become four
#: with one: 3 of 6 stay.
GROWING = {
    "fat tree": ("fat-tree:k=16,hosts=64", 128, 32),
    "rails": ("fat-tree:k=16,hosts=64+rails:nics=4", 32, 32),
    "rails, a unit in part": ("fat-tree:k=16,hosts=64+rails:nics=4", 18, 32),
    "two planes": ("fat-tree:k=16,hosts=64+planes:count=2", 128, 64),
    "1.5:1": ("fat-tree:k=16,hosts=72,taper=3:2", 80, 24),
    "pods": ("fat-tree:k=16,hosts=256+rails:nics=4+planes:count=2", 71, 256),
    "places that are left": ("slimfly:q=5,hosts=4+populated:hosts=97", 150, 0),
    "a pgft": ("pgft:m=4x4x3,w=1x4x4,p=1x1x1", 64, 0),
    "part of a tree": ("fat-tree:k=16,hosts=128+rails:nics=4+part:hosts=16", 32, 0),
    "groups of dragonfly+": ("megafly:leaves=2,spines=2,p=2,h=2,g=3", 16, 3),
    "dragonfly+, two ports": ("megafly:leaves=2,spines=2,p=2,h=2,g=3+nics:count=2", 8, 3),
    "dragonfly+": ("megafly:leaves=2,spines=2,p=2,h=2,g=5+part:hosts=12", "megafly:leaves=2,spines=2,p=2,h=2,g=5", 0),
    "slim fly": ("slimfly:q=5,hosts=4+part:hosts=100", "slimfly:q=5,hosts=4", 0),
    "jellyfish": ("jellyfish:n=20,degree=4,hosts=4+nics:count=2", 22, 4),
}


@pytest.mark.parametrize("housed", [False, pytest.param(True, marks=pytest.mark.exhaustive)], ids=["bare", "in racks"])
@pytest.mark.parametrize("name", GROWING)
def test_moved_cables_are_those_of_the_lists(name, housed, tmp_path):
    """And the plan, which states them, gives the list after it from the list before it; new hosts have all their ports."""
    spec, size, moved = GROWING[name]
    stands = place(build(spec), "koibuchi-2013", map="rows", housing=ROOM if housed else None)
    size = build(size) if isinstance(size, str) else size
    plan = (
        expand(stands, size, host_cables=True) if isinstance(size, int) else expand(stands, into=size, host_cables=True)
    )
    save_expansion(plan, tmp_path / "plan")
    before, after = ends(tmp_path / "plan" / "before"), ends(tmp_path / "plan" / "after")
    gone, new = before - after, after - before
    assert (gone.total(), new.total()) == (plan.removed, plan.added)
    assert plan.removed == moved
    check_plan(tmp_path / "plan")
    grown, had = open_network(tmp_path / "plan" / "after").topology, build(spec)
    assert after.total() == len(grown.links) + grown.endpoints.size
    assert grown.endpoints.size * had.hosts == had.endpoints.size * grown.hosts
    assert plan.cost.total_usd > 0


def test_a_tree_grows_again_from_the_folder_of_its_plan(tmp_path):
    """16, 32 and 48 hosts of four rails: the second plan begins at the ports of the first, and each step has its price."""
    first = expand(build("fat-tree:k=16,hosts=64+rails:nics=4"), 32)
    save_expansion(first, tmp_path / "one")
    second = expand(open_network(tmp_path / "one" / "after"), 48)
    save_expansion(second, tmp_path / "two")
    check_plan(tmp_path / "two")
    assert [plan.topology.hosts for plan in (first, second)] == [32, 48]
    assert ends(tmp_path / "two" / "before") == ends(tmp_path / "one" / "after")
    assert min(first.cost.total_usd, second.cost.total_usd) > 0


def test_larger_networks_by_hand():
    """More of the same places first; then whole pods, or exactly the hosts; else whole units of rails, filled in part."""
    assert list(larger_networks(build("fat-tree:k=16,hosts=64+populated:hosts=40"), 50)) == [
        "fat-tree:k=16,hosts=64+populated:hosts=50",
        "fat-tree:k=16,hosts=64+populated:hosts=50,fill=first",
    ]
    assert list(larger_networks(build("fat-tree:k=16,hosts=64+populated:hosts=40"), 64)) == ["fat-tree:k=16,hosts=64"]
    assert list(larger_networks(build("fat-tree:k=16,hosts=64+rails:nics=4,ports=1"), 40)) == [
        "fat-tree:k=16,hosts=192+rails:nics=4,ports=1+part:hosts=40",
        "fat-tree:k=16,hosts=160+rails:nics=4,ports=1",
    ]
    assert list(larger_networks(build("torus:dims=4x4"), 40)) == []


@pytest.mark.parametrize(("moving_usd", "each_usd"), [([10, 50], 30), (7.0, 7), (0.0, 30)])
def test_moving_a_cable_has_its_own_price(moving_usd, each_usd):
    """30 USD for each new cable, the middle of 10 to 50; a moved one has its own price, or the same where there is none."""
    parts = msgspec.structs.replace(load_parts("koibuchi-2013"), rewiring_usd=moving_usd)
    plan = expand(build("fat-tree:k=16,hosts=64"), 128, parts=parts)
    moved = sum(row["work"] != "unplug" and not row["new"] for row in plan.rows())
    assert 0 < moved <= plan.removed == 32  # a cable that is too short for its new place stays unplugged
    assert plan.cost.moving_usd == pytest.approx(moved * each_usd)
    assert plan.cost.installation_usd == pytest.approx(30 * plan.bought)
    assert plan.cost_usd["moving"] == plan.cost.moving_usd


def test_leaves_and_pods_stay_as_they_are():
    """256 servers of eight rails become 282: units of 64 are filled one after the other. A 3:2 leaf keeps its ports."""
    rails = build("fat-tree:k=128,hosts=2048+rails:nics=8")
    grown = [build(spec) for spec in larger_networks(rails, 282)]
    assert grown[-1].endpoints_at[:40:8].tolist() == [64, 64, 64, 64, 26]
    assert {network.hosts for network in grown} == {282}
    tapered = list(larger_networks(build("fat-tree:k=64,hosts=1152,taper=3:2"), 1268))
    assert tapered[0] == "fat-tree:k=64,hosts=1268,leaf=38:26"
    # 1,000 hosts on 63 leaves in 4 pods; 69 leaves are 4 whole pods of 16 and 5 leaves of a fifth.
    pods = build(next(larger_networks(build("fat-tree:k=32,hosts=1000"), 1100)))
    leaves = pods.labels["group"][pods.labels["level"] == 0]
    assert [int((leaves == pod).sum()) for pod in range(5)] == [16, 16, 16, 16, 5]


@pytest.mark.parametrize(
    ("spec", "to", "reason"),
    [
        ("fat-tree:k=16,hosts=64", 64, "it has 64 hosts; give more than these as its size"),
        ("fat-tree:k=16,hosts=64+rails:nics=4", 3, "it has 16 hosts; give more"),
        ("fat-tree:k=8,hosts=64", 100_000, "3 levels of 8-port switches take about 128 at most"),
        (
            "torus:dims=4x4,hosts=2+populated:hosts=20",
            33,
            "no network for 33 hosts that keeps its cables; name a larger",
        ),
        ("megafly:leaves=2,spines=2,p=2,h=2+nics:count=2", 40, "g=20 groups, but 2 spines with 2 global links"),
    ],
)
def test_sizes_that_are_no_growth_are_refused(spec, to, reason):
    """In one sentence."""
    with pytest.raises(InputError, match=reason) as caught:
        expand(build(spec), to)
    assert "\n" not in str(caught.value)
