"""Names of networks in prose."""

import re

import pytest

from topoloom.cost.parts_files import load_parts
from topoloom.designer.names import network_name
from topoloom.topologies.spec import FAMILIES, TRANSFORMS
from topoloom.topologies.spec.titles import family_title, network_title


def test_each_family_has_a_title_of_plain_words():
    """No hyphenated identifier: "Slim Fly", not slimfly."""
    assert len(dict(FAMILIES.items())) > 50
    titles = [record.title for _, record in FAMILIES.items()]
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z+ -]*", title) for title in titles), titles
    # The families fat-tree and pgft both build fat trees; no other two share a title.
    assert len(set(titles)) == len(titles) - 1


@pytest.mark.parametrize(
    ("spec", "title"),
    [
        ("fat-tree:k=64,hosts=4096", "fat tree"),
        ("ft3:k=8", "fat tree"),
        ("fat-tree:k=64,leaf=40:20,hosts=1024+rails:nics=8", "rail-optimised 2:1 fat tree"),
        ("fat-tree:k=128,hosts=8192+rails:nics=4+planes:count=2", "two-plane rail-optimised fat tree"),
        ("fat-tree:k=64,hosts=128+rail-only:rails=8", "rail-only fat tree"),
        ("torus:dims=4x4x8", "4 x 4 x 8 torus"),
        ("torus:dims=4x4+optimized:moves=10", "optimised 4 x 4 torus"),
        ("megafly:leaves=4+planes:count=16", "16-plane Dragonfly+"),
        ("product:(petersen)*(hypercube:n=3)", "product of Petersen graph and hypercube"),
        ("slimfly:q=", "slimfly:q="),
        ("no such (thing", "no such (thing"),
    ],
)
def test_titles(spec, title):
    """What differs within a family is in the title; a spec that cannot be read names itself."""
    assert network_title(spec) == title


def test_transforms_do_not_break_titles():
    """Every transform without required parameters may stand in a spec."""
    names = [name for name, record in TRANSFORMS.items() if not any(p.required for p in record.parameters.values())]
    assert names
    for name in names:
        assert network_title(f"petersen+{name}").endswith("Petersen graph")


def test_a_name_says_how_many_of_which_switch():
    """The product that the catalogue sells at that rate; the ports where it sells none, or prices a line."""
    parts = load_parts("ethernet-2026")
    spec = "fat-tree:k=128,hosts=2048+rails:nics=4+planes:count=2"
    assert network_name(spec, 96, 128, parts, 400) == "two-plane rail-optimised fat tree, 96 SN5600"
    assert network_name("ring:n=3", 3, 1000, parts, 400) == "ring, 3 switches of 1000 ports"
    assert network_name("petersen", 1, 3, load_parts("slimfly-2014"), 40) == "Petersen graph, 1 switch of 3 ports"
    assert family_title("nothing") == "nothing"
