"""DSN-F grows as Truong 2016 says: layers without re-wiring, and the split from p to p + 1 edge for edge."""

import numpy as np
import pytest

from topoloom import InputError, Topology, build, expand
from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.cabling.expansion.methods.dsn_f import dsn_f
from topoloom.cabling.expansion.registry import ExpansionRequest
from topoloom.cabling.expansion.stages import difference
from topoloom.cost.placed import place

#: Links that the split removes, adds and keeps, by p: computed apart from this code, from Truong 2016 3.3 with errata of
#: Truong 2016, 8.
_SPLIT = {2: (16, 28, 20), 4: (144, 160, 160), 6: (704, 768, 1024), 7: (1536, 1664, 2432), 8: (3328, 3584, 5632)}


def grown(spec, to, **options):
    """The stages of method dsn-f, without cables."""
    topology = build(spec)
    layout = place(topology, map="rows")
    return dsn_f(ExpansionRequest(topology, to, GrowingFloor(layout, 0), **options))


def as_goal(growth):
    """The last stage with the numbers of its goal."""
    last = growth.stages[-1].topology
    return Topology(links=growth.number[last.links], switches=last.switches).links


@pytest.mark.sweep(3)
@pytest.mark.parametrize("p", range(2, 9))
def test_the_split_gives_dsn_f_edge_for_edge(p):
    """From (p + 1) 2^(p + 1) switches with p levels to the family's network of p + 1 levels, on the same switches."""
    full = (p + 1) << (p + 1)
    growth = grown(f"dsn-f:n={full - 1}", full)
    goal = build(f"dsn-f:n={full}")
    assert np.array_equal(as_goal(growth), goal.links)
    assert growth.goal == goal
    splits = [i for i, stage in enumerate(growth.stages) if "becomes" in stage.title]
    assert len(splits) == 1 << p
    before, after = growth.stages[splits[0] - 1].topology, growth.stages[-1].topology
    assert before.switches == after.switches == full
    if p in _SPLIT:
        assert tuple(map(len, difference(before, after))) == _SPLIT[p]


@pytest.mark.parametrize(("spec", "to"), [("dsn-f:n=24", 50), ("dsn-f:n=62", 100), ("dsn-f:n=30,fill=balanced", 160)])
def test_growth_ends_in_the_family(spec, to):
    """From and to sizes within layers, across one split and two, by id and evenly."""
    growth = grown(spec, to)
    fill = build(spec).spec.partition("fill=")[2]
    goal = build(f"dsn-f:n={to},fill={fill}")
    assert np.array_equal(as_goal(growth), goal.links)


def test_layers_fill_without_rewiring():
    """Whole groups of p switches by id (Figure 3): no link goes, and after each group the network is dsn-f of that size."""
    growth = grown("dsn-f:n=896", 1344)
    for stage in growth.stages:
        n = stage.topology.switches
        assert np.array_equal(stage.topology.links, build(f"dsn-f:n={n}").links)
    removed, _, _ = difference(build("dsn-f:n=896"), growth.stages[-1].topology)
    assert len(removed) == 0


def test_a_group_that_is_filled_up_opens_its_ring():
    """A group of three switches is a ring (errata of Truong 2016, 10); more of them open it at one link, and only that one."""
    growth = grown("dsn-f:n=163", 165)
    removed, added, _ = difference(build("dsn-f:n=163"), growth.stages[-1].topology)
    assert removed.tolist() == [[160, 162]]
    assert len(added) == 5


def test_no_switch_ever_needs_more_than_five_links():
    """Not in the family, and not at any step between (Truong 2016 abstract: the switch degree is maintained)."""
    growth = grown("dsn-f:n=64", 400)
    assert max(int(stage.topology.degrees.max()) for stage in growth.stages) == 5


def test_what_has_grown_grows_on():
    """The switches of a network that was split keep their numbers; it is recognised by its labels and grows on."""
    first = expand(build("dsn-f:n=24,hosts=1"), 64)
    assert first.topology.spec is None
    second = expand(first.layout, 70)
    assert second.method == "dsn-f"
    assert second.goal == build("dsn-f:n=70,hosts=1")
    assert second.removed == 0


def test_other_networks_are_refused():
    """Something that is no DSN-F, and a size that is none to grow to."""
    with pytest.raises(InputError, match=r"method dsn-f grows networks that 'dsn-f:...' builds"):
        grown("torus:dims=4x4", 20)
    with pytest.raises(InputError, match="has 24 switches already"):
        grown("dsn-f:n=24", 24)
