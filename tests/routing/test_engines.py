"""Engines: everything arrives, nothing deadlocks where that is promised, and the virtual channels are few."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.registry import Engine, engines
from topoloom.routing.route import route
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build

SPECS = (
    "slimfly:q=5",
    "torus:dims=4x4x3",
    "jellyfish:n=60,degree=5",
    "hypercube:n=4",
    "dragonfly:h=2",
    "fat-tree:k=4",
    "grid:rows=6,columns=7,degree=4,length=3",
    "dsn:n=64",
    "folded-petersen:n=1",
)

#: Engines that are for some networks only, tested in test_structured.py and beside what they need.
STRUCTURED = {
    "dor",
    "dor-pairs",
    "fat-tree",
    "fat-tree-hosts",
    "nca",
    "anca",
    "dor-random",
    "ancestors",
    "dragonfly",
    "dsn-f",
    "duato",
    "latency",
    "product",
    "dal",
    "omniwar",
}
ANY = [name for name in engines if name not in STRUCTURED]
#: Networks on which an engine that searches for balanced paths takes a second.
LARGE = {spec for spec in SPECS if spec.partition(":")[0] in ("torus", "jellyfish", "dragonfly", "grid", "dsn")}


def _case(name, spec):
    return pytest.param(name, spec, marks=pytest.mark.exhaustive if "balanced" in name and spec in LARGE else ())


@pytest.mark.sweep(100)
@pytest.mark.parametrize(("name", "spec"), [_case(name, spec) for name in ANY for spec in SPECS])
def test_every_engine_keeps_what_it_promises(spec, name):
    """Every pair arrives; no cycles where the engine is safe; shortest paths where it says so."""
    topology = build(spec)
    if (name, spec) == ("levels", "dsn:n=64"):
        with pytest.raises(
            InputError, match="virtual channels do not serve all pairs"
        ):  # for low diameters; it says so
            route(topology, name)
        return
    routing = route(topology, name)
    verification = routing.verification
    layers = {"lnmp": 4, "fatpaths": 9}.get(name, len(routing.host_tables))
    assert verification.reached_pairs == layers * topology.switches * (topology.switches - 1)
    assert verification.deadlock_free or not engines[name].safe
    assert verification.minimal or not routing.minimal


@pytest.mark.parametrize("virtual_channels", [1, 2, 3, 5])
@pytest.mark.parametrize("spec", ["jellyfish:n=150,degree=5", "torus:dims=5x5x3", "dln:n=120,x=2,random=2"])
def test_orders_always_routes_within_the_lanes_given(spec, virtual_channels):
    """Whatever the number of virtual channels, all pairs are served without deadlock in no more; more virtual channels, no
    fewer shortest paths.
    """
    topology = build(spec)
    verification = route(topology, virtual_channels=virtual_channels).verification
    assert verification.complete
    assert verification.deadlock_free
    assert verification.virtual_channels_used <= virtual_channels
    assert verification.stretch < (1.6 if virtual_channels == 1 else 1.2)


@pytest.mark.parametrize(
    ("spec", "virtual_channels"),
    [
        ("slimfly:q=5", 2),
        ("slimfly:q=7", 2),
        ("slimfly:q=9", 2),
        ("jellyfish:n=64,degree=8", 3),
        ("torus:dims=4x4x4", 3),
    ],
)
def test_shortest_paths_in_few_lanes(spec, virtual_channels):
    """No more virtual channels than OpenSM's DFSSSP and LASH need on the same fabrics; two for diameter 2."""
    verification = route(build(spec), "orders").verification
    assert verification.minimal
    assert verification.virtual_channels_used <= virtual_channels


@pytest.mark.exhaustive
def test_the_tables_do_not_depend_on_the_threads():
    """One seed, one answer: with one thread and with three, above and below the size at which trees are made side by side."""
    for topology in (build("jellyfish:n=100,degree=4"), build("jellyfish:n=600,degree=6")):
        for virtual_channels in (None, 2):
            one, three = (route(topology, virtual_channels=virtual_channels, jobs=jobs) for jobs in (1, 3))
            assert (one.ports == three.ports).all()
            assert (one.virtual_channels == three.virtual_channels).all()


def test_another_seed_gives_other_tables():
    """The seed decides, and the same one gives the same tables again."""
    topology = build("jellyfish:n=80,degree=4")
    first, again, other = (route(topology, seed=seed).ports for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_a_tree_needs_one_lane():
    """A path and a star have one path for each pair and no cycles: one virtual channel, whatever the engine."""
    path = Topology(links=[(i, i + 1) for i in range(9)], switches=10)
    star = Topology(links=[(0, i) for i in range(1, 300)], switches=300)
    for topology in (path, star):
        verification = route(topology).verification
        assert (verification.virtual_channels_used, verification.minimal, verification.deadlock_free) == (1, True, True)


def test_parallel_links_share_the_pairs():
    """Two cables between two switches are two channels a direction; a switch with several destinations beyond uses both."""
    topology = Topology(links=[(0, 1), (0, 1), (1, 2), (2, 3), (1, 3)], switches=4)
    verification = route(topology, "minimal").verification
    both = [load for load, ends in zip(verification.channel_load, _ends(topology), strict=True) if ends == (0, 1)]
    assert sorted(both) == [1, 2]


def _ends(topology):
    offsets, to, _ = topology.csr
    return list(zip(np.repeat(np.arange(topology.switches), np.diff(offsets)).tolist(), to.tolist(), strict=True))


@pytest.mark.parametrize("root", [0, 6, 12])
def test_up_down_paths_rise_to_the_root_that_is_given(root):
    """Every pair of a 5 x 5 mesh can go by the root, and nothing turns up again once it has come down (Autonet)."""
    routed = route(build("mesh:dims=5x5"), "updown", root=root)
    assert routed.verification.deadlock_free
    assert routed.provenance.settings["root"] == root
    hops = [abs(at // 5 - root // 5) + abs(at % 5 - root % 5) for at in range(25)]
    for source in range(25):
        for goal in range(25):
            levels = [hops[at] for at in routed.path(source, goal)]
            lowest = levels.index(min(levels))
            assert levels[: lowest + 1] == sorted(levels[: lowest + 1], reverse=True)
            assert levels[lowest:] == sorted(levels[lowest:])
    assert route(build("mesh:dims=5x5"), "nue", root=root).verification.deadlock_free
    with pytest.raises(InputError, match="root=25 is not a switch; switches are 0 to 24"):
        route(build("mesh:dims=5x5"), "updown", root=25)
    with pytest.raises(InputError, match="engine orders has no root; those that do: nue, updown"):
        route(build("mesh:dims=5x5"), root=root)


@pytest.mark.exhaustive
def test_one_switch_has_nothing_to_send():
    """A topology of one switch is routed by having no pairs."""
    for name in ANY:
        verification = route(Topology(links=[], switches=1), name).verification
        assert (verification.pairs, verification.reached_pairs, verification.deadlock_free) == (0, 0, True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"engine": "order"}, "did you mean 'orders'"),
        ({"engine": "x"}, "no engine named 'x' .'topoloom route --help' lists them"),
        ({"virtual_channels": 0}, "at least one is needed"),
        ({"virtual_channels": 16}, "engine orders takes 1 to 15"),
        ({"engine": "hop-vcs", "virtual_channels": 1}, "virtual_channels=1, but engine hop-vcs needs 3"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(given, message):
    """An engine that is not there, and virtual channels that are too few or too many."""
    with pytest.raises(InputError, match=message):
        route(build("jellyfish:n=64,degree=8"), **given)


def test_a_topology_in_parts_is_refused():
    """No table can join what no link joins."""
    with pytest.raises(InputError, match="not connected: 2 parts"):
        route(Topology(links=[(0, 1), (2, 3)], switches=4))


def test_an_engine_that_breaks_its_promise_never_hands_out_its_tables(monkeypatch):
    """`route` follows what every engine makes; a broken promise is our error, not an answer."""

    def broken(request):
        routing = engines["minimal"].make(request)
        assert not verify_routing(routing).deadlock_free
        return routing

    monkeypatch.setitem(engines._records, "broken", Engine("broken", "", True, broken))
    monkeypatch.setitem(engines._origin, "broken", "here")
    with pytest.raises(RuntimeError, match="channels wait in a cycle"):
        route(build("torus:dims=5x5"), "broken")
