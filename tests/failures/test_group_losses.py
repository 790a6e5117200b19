"""Lost links and next-hop groups: what withdrawing dead members loses, and what new tables still reach."""

import numpy as np
import pytest

from topoloom import open_network, outage
from topoloom.core.errors import InputError
from topoloom.failures.group_losses import losses_of_groups
from topoloom.model.topology import Topology
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.routing.groups.withdrawing import withdrawn
from topoloom.routing.route import route
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build


def matching(topology, count):
    """Links without a common switch: those of a trunk between boxes whose cords are spread."""
    used, links = set(), []
    for number, (u, v) in enumerate(topology.links.tolist()):
        if len(links) < count and u not in used and v not in used:
            used |= {u, v}
            links.append(number)
    return np.array(links)


def test_a_link_a_trunk_and_a_box_by_their_shares():
    """Golden 16 in small: a link and a trunk take 1 of 8 links of a switch, a box with four cords 4 of 8."""
    topology = build("jellyfish:n=40,degree=8")
    routing = route(topology, "spraypoint")
    of_switch = [np.flatnonzero((topology.links == s).any(axis=1))[:4] for s in range(3)]
    link, trunk, box = losses_of_groups(
        routing, [np.array([5]), matching(topology, 10), np.unique(np.concatenate(of_switch))]
    )
    assert (link.links, link.switches, link.share_most) == (1, 2, 1 / 8)
    assert (trunk.links, trunk.switches, trunk.share_most, trunk.share_mean) == (10, 20, 1 / 8, 1 / 8)
    assert box.share_most >= 4 / 8
    for loss in (link, trunk, box):
        assert loss.pairs == 40 * 39
        assert loss.pairs_recomputed == 0
        assert loss.pairs_withdrawn < loss.pairs
    # A neighbour of the destination has one member for it: sources that spray over it lose some packets until tables are new.
    assert link.pairs_withdrawn > 0


def test_withdrawn_members_are_those_of_the_links_alone():
    """No walk uses a lost link; other members stay, and no link at all changes nothing."""
    topology = build("jellyfish:n=24,degree=4")
    routing = route(topology, "shortest-union")
    same = withdrawn(routing, np.zeros(0, np.int64))
    assert np.array_equal(same.choice.group, routing.choice.group)
    assert np.array_equal(same.choice.port, routing.choice.port)
    left = withdrawn(routing, np.array([3, 7]))
    channels = np.flatnonzero(np.isin(topology.csr[2], [3, 7]))
    assert (verify_routing(left).channel_load[channels] == 0).all()
    assert left.choice.port.size < routing.choice.port.size


def test_a_cut_off_switch_is_lost_in_both_ways():
    """Without any link, a switch loses all its pairs, withdrawn or recomputed."""
    topology = Topology(links=[(0, 1), (1, 2), (2, 0), (2, 3)], switches=4)
    loss = losses_of_groups(route(topology, "spraypoint"), [np.array([3])])[0]
    assert loss.pairs_recomputed == 6
    assert loss.pairs_withdrawn >= 6
    with pytest.raises(InputError, match="lost links are numbers from 0 to 3"):
        withdrawn(route(topology, "spraypoint"), np.array([4]))


@pytest.mark.exhaustive
def test_shares_of_a_thousand_routers():
    """Golden 16: a link is 1.56 % of a router's uplinks, and so is a trunk of 32 links for 64 routers."""
    topology = build("jellyfish:n=1000,degree=64")
    link, trunk = losses_of_groups(route(topology, "spraypoint"), [np.array([0]), matching(topology, 32)])
    assert link.share_most == trunk.share_most == 1 / 64
    assert (link.switches, trunk.switches) == (2, 64)
    assert link.pairs_recomputed == trunk.pairs_recomputed == 0


def lost_pairs(routing, dead_links, dead_switches=()):
    """The share that each pair loses, walk by walk: a walk is as likely as its members, and ends at a dead link."""
    topology, groups = routing.topology, next_hop_groups_of(routing)
    begins, to, link = topology.csr
    n = topology.switches

    def lost(goal, at, state):
        if at == goal:
            return 0.0
        own = groups.group[state, goal, at]
        if own < 0:
            return 1.0
        members = range(groups.first[own], groups.first[own + 1])
        channels = [int(begins[at]) + int(groups.port[m]) for m in members]
        return float(
            np.mean(
                [
                    1.0 if link[c] in dead_links else lost(goal, int(to[c]), int(groups.next_state[m]))
                    for c, m in zip(channels, members, strict=True)
                ]
            )
        )

    left = [s for s in range(n) if s not in dead_switches]
    return np.array([lost(goal, source, 0) for goal in left for source in left if source != goal])


@pytest.mark.parametrize("engine", ["spraypoint", "shortest-union", "ksp:k=4", "vlb:detours=3", "ecmp"])
def test_lost_traffic_is_that_of_its_walks(engine):
    """The shares at once and after withdrawal are those of all walks, one by one."""
    topology = build("jellyfish:n=14,degree=4,hosts=1")
    routing, links = route(topology, engine), np.array([2, 9, 17])
    loss = losses_of_groups(routing, [links])[0]
    gone = set(links.tolist())
    assert loss.lost_at_once == pytest.approx(lost_pairs(routing, gone).mean(), rel=1e-12)
    assert loss.lost_withdrawn == pytest.approx(lost_pairs(withdrawn(routing, links), gone).mean(), rel=1e-12)
    assert loss.lost_at_once > loss.lost_withdrawn
    assert loss.lost_recomputed == 0
    assert loss.traffic == "uniform"
    # New tables deliver everything; what withdrawal drops loads no link.
    assert loss.throughput_recomputed <= loss.throughput_before


@pytest.mark.parametrize("engine", ["spraypoint", "shortest-union"])
def test_traffic_of_a_lost_switch_does_not_count(engine):
    """With a switch lost, the shares are of the traffic between the others, and all its links are withdrawn."""
    topology = build("jellyfish:n=14,degree=4,hosts=1")
    routing = route(topology, engine)
    links = np.flatnonzero((topology.links == 5).any(axis=1))
    found = outage(topology, switches=[5], engine=engine).groups
    gone = set(links.tolist())
    assert found.lost_at_once == pytest.approx(lost_pairs(routing, gone, {5}).mean(), rel=1e-12)
    assert found.lost_withdrawn == pytest.approx(lost_pairs(withdrawn(routing, links), gone, {5}).mean(), rel=1e-12)
    assert (found.links, found.switches, found.pairs, found.lost_recomputed) == (4, 4, 13 * 12, 0)
    assert found.pairs_withdrawn == (lost_pairs(withdrawn(routing, links), gone, {5}) > 0).sum()


def test_outage_and_python_have_the_same_figures():
    """The command's record for a link, and `losses_of_groups` for the same: one implementation, one result."""
    topology = build("jellyfish:n=20,degree=4,hosts=2")
    for traffic in (None, "permutation"):
        own = losses_of_groups(route(topology, "spraypoint"), [np.array([7])], traffic)[0]
        assert outage(topology, cables=[7], engine="spraypoint", traffic=traffic).groups == own
        assert own.traffic == (traffic or "uniform")
    assert "groups" not in outage(topology, cables=[7]).record()


def test_traffic_needs_groups():
    """A share of traffic is asked for of tables that have no groups: a sentence names the engines."""
    with pytest.raises(
        InputError, match=r"known for next-hop groups of one plane .*, not for engine .*; omit the traffic"
    ):
        outage("petersen:hosts=1", cables=[0], engine="minimal", traffic="permutation")


def test_a_part_that_is_cut_off_loses_its_traffic_for_good():
    """A switch on one link: with new tables its traffic is lost, half of the ordered pairs of four switches."""
    topology = Topology(links=[(0, 1), (1, 2), (2, 0), (2, 3)], switches=4, endpoints=[0, 1, 2, 3])
    loss = losses_of_groups(route(topology, "spraypoint"), [np.array([3])])[0]
    assert loss.lost_recomputed == pytest.approx(0.5)
    assert loss.lost_at_once >= loss.lost_withdrawn >= 0.5 - 1e-12


@pytest.mark.exhaustive
def test_a_link_a_trunk_and_a_box_of_960_routers():
    """Golden 16 with traffic: 1/64 of a router's links per link and trunk, 4/64 per box; new tables lose nothing."""
    network = open_network("shuffled:n=960,degree=64,hosts=64").placed(
        panels="shuffle", map="rows", parts="ethernet-2026", rate_gbps=100, switches_per_rack=1
    )
    plant = network.layout.plant
    routing = route(network.topology, "spraypoint")
    sets = [np.array([0]), plant.links_of("trunk")[1][0], plant.links_of("panel")[1][0]]
    link, trunk, box = losses_of_groups(routing, sets)
    assert link.share_most == trunk.share_most == 1 / 64
    assert 4 / 64 <= box.share_most <= 5 / 64
    for loss in (link, trunk, box):
        assert loss.lost_at_once > loss.lost_withdrawn > 0
        assert loss.lost_recomputed == loss.pairs_recomputed == 0
