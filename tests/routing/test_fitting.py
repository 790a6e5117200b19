"""The engine that fits a network is taken where none is named, and says why; what is named stays."""

import pytest

from topoloom.routing.fitting import fitting_engine
from topoloom.routing.route import route
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import table_loads
from topoloom.topologies.spec import build


@pytest.mark.parametrize(
    ("spec", "engine"),
    [
        ("fat-tree:k=8", "fat-tree"),
        ("fat-tree:k=8,hosts=32+planes:count=2", "fat-tree"),
        ("kary-tree:k=4,n=3", "fat-tree"),
        ("pgft:m=8x4,w=1x4,p=1x2", "fat-tree"),
        ("mesh:dims=8x8,hosts=1", "dor"),
        ("hypercube:n=6,hosts=1", "dor"),
        ("hyperx:dims=4x4x4,hosts=4", "dor"),
        ("torus:dims=5x7,hosts=2", "dor-pairs"),
        ("dragonfly:h=2", "dragonfly"),
        ("oft:q=4", "ancestors"),
        ("mlfm:h=4", "ancestors"),
        ("mlfm:h=6,layers=3", "ancestors"),
        ("random-folded-clos:k=16,leaves=20,levels=2", "ancestors"),
        ("random-folded-clos:k=8,leaves=30,levels=3", "orders"),
        ("tofu:dims=3x3x3", "dor"),
        ("hyperx:dims=4x3x2,width=3x1x2,hosts=4", "dor"),
        ("polarstar:q=4,d=3,hosts=3", "levels"),
        ("bundlefly:q=3,p=5,hosts=2", "levels"),
        ("slimfly:q=5,hosts=4", "levels"),
        ("polarfly:q=7,hosts=4", "levels"),
        ("jellyfish:n=60,degree=10,hosts=2", "levels"),
        ("jellyfish:n=30,degree=4,hosts=2", "orders"),
        ("ring:n=9,hosts=1", "orders"),
        ("complete:n=9,hosts=1", "orders"),
        ("dsn-f:n=64,hosts=2", "orders"),
    ],
)
def test_known_families_have_engines_of_their_own(spec, engine):
    """By what the network is: labels, links and coordinates, not its name. It carries what `orders` does, or more."""
    network = build(spec)
    assert fitting_engine(network)[0] == engine
    routed = route(network)
    assert routed.engine == engine
    assert routed.verification.deadlock_free
    assert ("fits" in routed.provenance.settings) == (engine != "orders")
    if "planes" not in spec:
        mine, any_ = (
            table_loads(one, uniform_remote(network)).throughput for one in (routed, route(network, "orders"))
        )
        assert mine >= any_ * (1 - 1e-9)


def test_a_tree_from_a_file_is_known_by_its_levels(tmp_path):
    """Saved and loaded, without its spec."""
    from topoloom import load, save

    path = tmp_path / "tree.graphml"
    save(build("fat-tree:k=4"), path)
    assert fitting_engine(load(path))[0] == "fat-tree"


def test_who_asks_for_lanes_gets_the_engine_of_any_lanes():
    """As do those who keep tables in files: the fitting engine may not give them what they ask for."""
    assert route(build("torus:dims=5x5,hosts=1"), virtual_channels=2).engine == "orders"
    assert route(build("fat-tree:k=4"), "updown").engine == "updown"


def test_far_below_the_fitting_engine_is_said(capsys):
    """`orders` on a fat tree: one line on stderr with both numbers; none where it is the fitting one, or near."""
    from topoloom.cli.main import main

    for arguments, told in (
        (["route", "fat-tree:k=16", "--engine", "orders"], True),
        (["quality", "fat-tree:k=16", "--engine", "orders", "--bisections", "5"], True),
        (["route", "fat-tree:k=16"], False),
        (["route", "slimfly:q=5,hosts=4", "--engine", "minimal"], False),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert not ended.value.code
        said = capsys.readouterr().err
        assert (
            "engine fat-tree carries more here: uniform traffic at 0.992 of the hosts' rate, not 0.547" in said
        ) == told
