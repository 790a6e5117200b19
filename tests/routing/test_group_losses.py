"""Lost links and next-hop groups: what withdrawing dead members loses, and what new tables still reach."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.groups.failures import losses_of_groups, withdrawn
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
