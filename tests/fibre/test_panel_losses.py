"""What the loss of a cord, a trunk or a panel takes from the switches and their hosts."""

import numpy as np
import pytest

from topoloom import InputError, blast_radius, losses, open_network

FLAT = "shuffled:n=64,degree=32,hosts=64"


def placed(spec=FLAT):
    return open_network(spec).placed(parts="ethernet-2026", rate_gbps=100, panels="shuffle", map="rows")


@pytest.fixture(scope="module")
def flat():
    return placed()


def taken(network, links):
    """The share of its links that each switch loses, float64[switches]."""
    topology = network.topology
    return np.bincount(topology.links[links].ravel(), minlength=topology.switches) / topology.degrees


@pytest.mark.exhaustive
def test_a_trunk_of_960_routers_takes_one_link_each_and_a_box_four():
    """A trunk: 1/64 of up to 64 routers. A box: 4/64 of its 32 routers, and 1/64 per trunk of those at its far ends, who
    may be the same."""
    flat = placed("shuffled:n=960,degree=64,hosts=64")
    plant = flat.layout.plant
    for links in plant.links_of("trunk")[1]:
        share = taken(flat, links)
        assert links.size == 32
        assert share.max() * 64 <= 2, "a router at both ends of a trunk loses two links"
        assert np.count_nonzero(share) <= 64
    cords, trunks = plant.ends[~plant.is_trunk], plant.ends[plant.is_trunk]
    of_panel = [cords[cords[:, 1, 0] == 960 + number, 0, 0] for number in range(480)]
    for number, links in enumerate(plant.links_of("panel")[1]):
        assert links.size == 128
        assert of_panel[number].size == 32
        ends = trunks[(trunks[:, :, 0] == 960 + number).any(axis=1), :, 0].ravel() - 960
        expected = np.zeros(960)
        for panel in ends.tolist():
            expected[of_panel[panel]] += 1
        assert expected[of_panel[number]].min() >= 4
        assert taken(flat, links) * 64 == pytest.approx(expected)
    worst = {loss.lose: loss for loss in blast_radius(flat, ["cord", "trunk", "panel"]).losses}
    assert worst["cord"].uplinks_least == pytest.approx(60 / 64)
    assert worst["panel"].cut_off == worst["trunk"].cut_off == 0
    assert worst["panel"].uplinks_mean == pytest.approx(1 - 2 * 128 / (960 * 64))


def test_the_links_of_all_panels_trunks_and_cords_are_those_of_the_plan(flat):
    """Each link passes two panels, one trunk and two cords."""
    links = len(flat.topology.links)
    for kind, times in (("panel", 2), ("trunk", 1), ("cord", 2)):
        names, links_of = flat.layout.plant.links_of(kind)
        assert len(names) == len(set(names)) == len(links_of)
        assert sum(lost.size for lost in links_of) == times * links - _twice(flat, kind)


def _twice(flat, kind):
    """Links that leave a panel and return to it through a trunk between its own ports."""
    if kind != "panel":
        return 0
    panel = flat.layout.plant.ways.panel
    return int((panel[:, 0] == panel[:, 1]).sum())


def test_a_loss_by_name_is_the_loss_of_its_links(flat):
    plant = flat.layout.plant
    for kind in ("panel", "trunk", "cord"):
        names, links_of = plant.links_of(kind)
        for number in (0, len(names) // 2):
            lost = losses(flat, f"{kind}:{names[number].lower()}")
            assert lost.cables == links_of[number].tolist()
            assert not lost.switches


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("panel:SP999", r"lost: no panel SP999; name it as panel:SP001"),
        ("panel:SP001:R1", r"lost: no panel SP001:R1; name it as panel:SP001"),
        ("trunk:SP001:F01", r"lost: no trunk SP001:F01; name it as trunk:SP001:R1"),
        ("cord:SP001:F99", r"lost: no cord SP001:F99; name it as cord:SP001:F01"),
        ("cord:SP001", r"lost: no cord SP001; name it as cord:SP001:F01"),
    ],
)
def test_a_part_that_does_not_exist_is_refused_with_one_that_does(flat, text, message):
    with pytest.raises(InputError, match=message):
        losses(flat, text)


def test_a_network_without_panels_has_none_to_lose():
    with pytest.raises(
        InputError, match=r"its links pass through no panel; give a folder that 'topoloom layout --panels -o'"
    ):
        blast_radius("fat-tree:k=4", ["panel"])
    with pytest.raises(InputError, match=r"its links pass through no trunk; give a folder"):
        losses("fat-tree:k=4", "trunk:SP001:R1")


def test_the_worst_panel_is_the_worst_of_all_when_all_are_tried(flat):
    """The result does not depend on how many losses are listed."""
    one = blast_radius(flat, ["panel"]).losses[0]
    several = blast_radius(flat, ["panel"], most=5).losses
    assert several[0] == one
    shares = [taken(flat, links).sum() for links in flat.layout.plant.links_of("panel")[1]]
    assert max(shares) == pytest.approx(sum(taken(flat, flat.layout.plant.links_of("panel")[1][one.worst])))
