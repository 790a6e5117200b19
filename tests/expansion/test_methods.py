"""What the methods refuse, each with one sentence that says what would do."""

import pytest

from topoloom import InputError, build, expand

_REFUSED = [
    ("torus:dims=4x4", {"to": 17}, "a slab has 4 switches"),
    ("torus:dims=4x4", {"to": 16}, "has 16 switches already"),
    ("torus:dims=4x4", {}, "to how many switches"),
    ("torus:dims=4x4", {"to": 20, "method": "slap"}, "did you mean 'slab'"),
    ("torus:dims=4x4", {"to": 20, "method": "pod"}, "method pod grows networks that 'fat-tree:...' builds"),
    ("torus:dims=4x4", {"to": 20, "radix": 3}, "radix=3 is too small"),
    ("torus:dims=4x4", {"to": 20, "into": build("ring:n=20")}, "omit the size and the method"),
    ("dragonfly:h=2,g=8", {"to": 65}, "a group has 4 switches.*nearest: 64 or 68"),
    ("dragonfly:h=2,g=8", {"to": 40}, "reach 2 to 9"),
    ("fat-tree:k=4,pods=2", {"to": 13}, "a pod has 4 switches"),
    ("fat-tree:k=4", {"to": 24}, "2 to 4 pods"),
    ("polarfly:q=4", {"to": 30}, "fans need an odd q"),
    ("polarfly:q=5", {"to": 38}, "it grows to 37 .the quadrics., and then by 5 up to 62, not to 38"),
    ("jellyfish:n=20,degree=3", {"to": 21, "degree": 1}, "a new switch needs 2 or more ports for links"),
    ("jellyfish:n=20,degree=3", {"to": 21, "degree": 8, "radix": 6}, "more than 6 ports"),
    ("jellyfish:n=20,degree=3", {"to": 21, "batch": 0}, "batch=0"),
    ("jellyfish:n=20,degree=3", {"to": 21, "degree": 60}, "can be inserted into .* links only, for .* of its 60 ports"),
    ("torus:dims=4x4", {"to": 20, "hosts": 3}, "hosts=3: method slab does not take it"),
    ("torus:dims=4x4", {"to": 20, "batch": 3}, "batch=3: method slab does not take it"),
    ("slimfly:q=5,hosts=4", {"to": 400, "method": "hosts", "radix": 12}, "enough for 250 hosts"),
    ("slimfly:q=5,hosts=4", {"to": 250, "method": "hosts"}, "state the number of ports of a switch"),
    ("slimfly:q=5,hosts=4", {"to": 100, "method": "hosts", "radix": 12}, "has 200 hosts already"),
    ("slimfly:q=5,hosts=4", {"to": 400, "method": "channels", "radix": 12}, "spare ports allow 25 random links"),
    ("slimfly:q=5", {"to": 100, "method": "channels", "radix": 12}, "has 175 links already"),
]


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("spec", "options", "reason"), _REFUSED)
def test_refused(spec, options, reason):
    """A size between units, a family that is another, no room: InputError."""
    with pytest.raises(InputError, match=reason):
        expand(build(spec), **options)


def test_channels_use_every_port():
    """All spare ports of all switches are joined, and no two switches twice."""
    before = build("slimfly:q=7,hosts=4")
    spare = 20 - before.degrees - before.endpoints_at
    most = int(spare.sum()) // 2
    plan = expand(before, len(before.links) + most, "channels", radix=20)
    links = plan.topology.links
    assert len({tuple(link) for link in links.tolist()}) == len(links)
    assert (plan.topology.degrees + plan.topology.endpoints_at <= 20).all()


def test_hosts_spread_evenly():
    """No switch gets a second new host before all have one."""
    plan = expand(build("slimfly:q=5,hosts=4"), 230, "hosts", radix=12)
    counts = plan.topology.endpoints_at
    assert sorted(set(counts.tolist())) == [4, 5]
    assert counts.sum() == 230
