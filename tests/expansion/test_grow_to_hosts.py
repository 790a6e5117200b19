"""Growth to a number of hosts: the cables that move are counted by comparing the lists before and after, end by end."""

import csv
from collections import Counter

import pytest

from topoloom import InputError, build, expand, open_network, place
from topoloom.cabling.expansion.check import check_plan
from topoloom.cabling.expansion.larger_trees import larger_trees
from topoloom.cabling.expansion.plan_files import save_expansion
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
#: (8 x 4). A new switch of degree 4 in a Jellyfish opens two cables. A part grows without moving one.
GROWING = {
    "fat tree": ("fat-tree:k=16,hosts=64", 128, 32),
    "rails": ("fat-tree:k=16,hosts=64+rails:nics=4", 32, 32),
    "two planes": ("fat-tree:k=16,hosts=64+planes:count=2", 128, 64),
    "part of a tree": ("fat-tree:k=16,hosts=128+rails:nics=4+part:hosts=16", 32, 0),
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


def test_larger_trees_by_hand():
    """More of the same places first; then exactly the hosts; else whole units of rails, filled in part."""
    assert list(larger_trees(build("fat-tree:k=16,hosts=64+populated:hosts=40"), 50)) == [
        "fat-tree:k=16,hosts=64+populated:hosts=50"
    ]
    assert list(larger_trees(build("fat-tree:k=16,hosts=64+populated:hosts=40"), 64)) == ["fat-tree:k=16,hosts=64"]
    assert next(larger_trees(build("fat-tree:k=16,hosts=64+rails:nics=4,ports=1"), 40)).startswith(
        "fat-tree:k=16,hosts=160+rails:nics=4"
    )
    assert list(larger_trees(build("torus:dims=4x4"), 40)) == []


@pytest.mark.parametrize(
    ("spec", "to", "reason"),
    [
        ("fat-tree:k=16,hosts=64", 64, "it has 64 hosts; give more than these as its size"),
        ("fat-tree:k=16,hosts=64+rails:nics=4", 3, "it has 16 hosts; give more"),
        ("fat-tree:k=8,hosts=64", 100_000, "fat-tree"),
    ],
)
def test_sizes_that_are_no_growth_are_refused(spec, to, reason):
    """In one sentence."""
    with pytest.raises(InputError, match=reason) as caught:
        expand(build(spec), to)
    assert "\n" not in str(caught.value)
