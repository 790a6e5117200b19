"""The transform `rates`: every link and every host's port has the rate that the spec gives it."""

import numpy as np
import pytest

from topoloom import InputError, build, load, save

TREE = "fat-tree:k=4"


def test_links_and_hosts_have_the_rates_of_the_spec():
    """`links` is the rate of every link, `hosts` that of every port; without `hosts`, both are alike."""
    mixed = build(f"{TREE}+rates:links=400,hosts=100")
    assert mixed == build(TREE).with_rates(400, 100)
    assert build(f"{TREE}+rates:links=800") == build(TREE).with_rates(800)
    assert build("petersen+rates:links=54.5").rates_gbps.tolist() == [54.5]


def test_a_level_of_a_tree_has_its_own_rate():
    """Links between levels 0 and 1 have the first rate, those between 1 and 2 the second; hosts have the first."""
    tree = build(f"{TREE}+rates:levels=100x400")
    level = tree.labels["level"][tree.links].min(axis=1)
    assert np.array_equal(tree.link_rate_gbps, np.where(level == 0, 100.0, 400.0))
    assert set(tree.endpoint_rate_gbps.tolist()) == {100.0}
    assert np.bincount(level).tolist() == [16, 16]


def test_links_between_groups_have_their_own_rate():
    """Of a Dragonfly with nine groups of four, 36 global links have the second rate and 54 local ones the first."""
    fly = build("dragonfly:h=2,hosts=2+rates:links=200,between=400,hosts=100")
    assert sorted(zip(*map(np.ndarray.tolist, np.unique(fly.link_rate_gbps, return_counts=True)), strict=True)) == [
        (200.0, 54),
        (400.0, 36),
    ]


def test_the_spec_builds_the_same_network_again(tmp_path):
    """The spec has the rates, also after a file; a later `rates` replaces an earlier one; planes keep them."""
    mixed = build(f"{TREE}+rates:links=400,hosts=100+planes:count=2")
    assert mixed.spec == f"{TREE}+rates:links=400,hosts=100+planes:count=2"
    assert build(mixed.spec) == mixed
    save(mixed, tmp_path / "mixed.json")
    assert load(tmp_path / "mixed.json").spec == mixed.spec
    assert build(f"{TREE}+rates:links=400,hosts=100+rates:links=800") == build(TREE).with_rates(800)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("", "needs links= or levels="),
        ("hosts=100", "needs links= or levels="),
        ("links=400,levels=100x400", "and not both"),
        ("levels=100x200,between=400", "takes between= with links="),
        ("levels=100", r"levels= has 1 rates, but links leave 2 levels upwards; give 2"),
        ("levels=100x200x400", "give 2"),
        ("links=0", "out of range"),
        ("links=nan", "is not a number|out of range"),
        ("links=-1", "out of range"),
        ("levels=100x", "is not a number"),
        ("levels=100/400", "is not a number"),
    ],
)
def test_wrong_rates_are_refused_with_a_sentence(settings, sentence):
    """One sentence that names the setting."""
    with pytest.raises(InputError, match=sentence):
        build(f"{TREE}+rates:{settings}" if settings else f"{TREE}+rates")


def test_networks_without_levels_or_groups_are_refused():
    """The Petersen graph has neither."""
    with pytest.raises(InputError, match="no levels; give rates links="):
        build("petersen+rates:levels=100")
    with pytest.raises(InputError, match="no groups; give rates links= alone"):
        build("petersen+rates:links=100,between=400")
