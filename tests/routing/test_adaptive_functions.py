"""Adaptive routing by a function of one's own: what it says is done, what it declares is proved, and all else is refused."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from topoloom import InputError, build, quality, reroute, route, run_app, simulate, verify_routing, write_export
from topoloom.network.folder import save_routing
from topoloom.network.opening import open_network
from topoloom.routing.channels import channels_of
from topoloom.routing.choices import Adaptive, AnyShortest
from topoloom.routing.own_moves import moves_by_hop
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.adaptive import draw, hops_between, queue, table_port

FLY = build("slimfly:q=5,hosts=4")


def by_tables(at):
    """The tables, in a class per hop."""
    return table_port(at, at.switch, at.destination), at.hops


def one_class(at):
    """The tables, in one class."""
    return table_port(at, at.switch, at.destination), 0


def wrong_port(at):
    """No such link."""
    return 99, 0


def strange(at):
    """Not two numbers."""
    return "left"


def own_ugal(at):
    """UGAL-L of four tries: memory[0] is the switch that the packet makes for."""
    if at.hops == 0:
        best, near = at.destination, hops_between(at, at.switch, at.destination)
        cost = queue(at, at.switch, table_port(at, at.switch, at.destination)) * near
        for _ in range(4):
            via = draw(at, at.degrees.size)
            if via in (at.switch, at.destination):
                continue
            hops = hops_between(at, at.switch, via) + hops_between(at, via, at.destination)
            other = queue(at, at.switch, table_port(at, at.switch, via)) * hops
            if other < cost:
                best, cost = via, other
        at.memory[0] = best
    if at.memory[0] == at.switch:
        at.memory[0] = at.destination
    return table_port(at, at.switch, at.memory[0]), at.hops


def adaptive(topology, choice, engine="minimal"):
    """Tables with a function, verified."""
    made = replace(route(topology, engine), engine="own", choice=choice, verification=None)
    return replace(made, verification=verify_routing(made))


def points(routing, traffic="uniform", loads=(0.3, 0.6), **more):
    """What a simulation measures."""
    curve = simulate(routing, traffic, loads=list(loads), **more)
    return [(p.accepted, p.latency_mean, p.hops_mean) for p in curve.points]


def test_a_function_that_follows_the_tables_gives_the_points_of_the_tables():
    """By hop, as the engine hop-vcs: to the last digit."""
    own = adaptive(FLY, Adaptive(by_tables, classes=2, moves=moves_by_hop))
    settings = ["vcs=2"]
    assert points(own, settings=settings) == points(route(FLY, "hop-vcs"), settings=settings)


@pytest.mark.exhaustive
def test_ugal_as_a_function_is_that_of_the_engine():
    """Under the worst permutation, too: latencies within 2 %, hops within 1 %."""
    own = adaptive(FLY, Adaptive(own_ugal, classes=4, memory=1, moves=moves_by_hop))
    assert own.verification.deadlock_free is True
    for traffic in ("uniform", "worst-case"):
        for mine, theirs in zip(points(own, traffic), points(route(FLY, "ugal-l"), traffic), strict=True):
            assert mine[1] == pytest.approx(theirs[1], rel=0.02)
            assert mine[2] == pytest.approx(theirs[2], rel=0.01)


def test_moves_by_hop_are_free_of_cycles_and_lead_everywhere():
    """With as many classes as the diameter, or more; with fewer, the first pair that is too far is named."""
    for classes in (2, 3):
        found = adaptive(FLY, Adaptive(by_tables, classes, moves=moves_by_hop)).verification
        assert (found.deadlock_free, found.fault, found.unverified, found.virtual_channels_used) == (
            True,
            "",
            None,
            classes,
        )
    short = adaptive(FLY, Adaptive(by_tables, 1, moves=moves_by_hop)).verification
    assert short.fault.startswith("a packet to switch 0 has no move at switch ")


def around(topology, destination, classes):
    """Any channel in class 0."""
    return np.ones((classes + 1, channels_of(topology).to.size, classes), np.bool_)


def test_moves_with_a_cycle_are_named():
    """On a ring in one class: the cycle is one of channels that exist."""
    ring = build("ring:n=6,hosts=1")
    found = adaptive(ring, Adaptive(one_class, moves=around)).verification
    assert found.deadlock_free is False
    joined = {frozenset(link) for link in ring.links.tolist()}
    assert {frozenset(channel) for channel in found.cycle} <= joined


def test_what_declares_nothing_is_not_proved():
    """None, with the reason; with an escape it is the tables' freedom that counts."""
    found = adaptive(FLY, Adaptive(one_class)).verification
    assert found.deadlock_free is None
    assert found.unverified == "one_class declares neither moves nor an escape"
    assert adaptive(FLY, Adaptive(one_class, escape=True), "updown").verification.deadlock_free is True


def test_a_deadlock_of_a_function_is_found():
    """All packets half round a ring in one class: an error that says what to declare."""
    ring = build("ring:n=8,hosts=1")
    own = adaptive(ring, Adaptive(one_class))
    with pytest.raises(
        InputError, match="let the function 'one_class' declare moves without a cycle, or give it an escape"
    ):
        simulate(own, "tornado", loads=[1.0], settings=["vcs=1", "buffer_flits=2", "packet_flits=4"])


def test_with_an_escape_the_same_arrives():
    """The packets that the function leaves in a cycle take the tables."""
    ring = build("ring:n=8,hosts=1")
    own = adaptive(ring, Adaptive(one_class, escape=True), "updown")
    curve = simulate(own, "tornado", loads=[1.0], settings=["vcs=2", "buffer_flits=16", "packet_flits=4"])
    assert curve.points[0].accepted > 0.1


def down_only(topology, destination, classes):
    """Moves by hop, without those out of switch 0."""
    moves = moves_by_hop(topology, destination, classes)
    moves[1:, channels_of(topology).origin == 0] = False
    return moves


def test_a_move_that_was_not_declared_ends_the_run():
    """The sentence names the switch, the port and the class; so it does for a port that does not exist."""
    own = adaptive(FLY, Adaptive(by_tables, 2, moves=down_only))
    with pytest.raises(
        InputError, match=r"'by_tables' sends a packet to switch \d+ that has come in class 0 at switch 0 to"
    ):
        simulate(own, loads=[0.3])
    with pytest.raises(InputError, match="to port 99 in class 0; the switch has ports 0 to 6 and classes 0 to 0"):
        simulate(adaptive(FLY, Adaptive(wrong_port)), loads=[0.3])


def test_a_function_that_cannot_be_compiled_is_a_sentence():
    """And so is a place where there is none, a number of classes, and moves of another shape."""
    with pytest.raises(InputError, match="the adaptive function 'strange' cannot be compiled"):
        simulate(adaptive(FLY, Adaptive(strange)), loads=[0.3])
    with pytest.raises(InputError, match="there is no function 'nowhere:f'"):
        simulate(adaptive(FLY, Adaptive("nowhere:f")), loads=[0.3])
    with pytest.raises(InputError, match="9 classes; they must be 1 to 8"):
        Adaptive(one_class, 9)
    with pytest.raises(InputError, match="omit moves, or escape"):
        Adaptive(one_class, moves=around, escape=True)
    with pytest.raises(InputError, match=r"are float64 of shape \(2,\); they must be bool of shape \(2, 350, 1\)"):
        adaptive(FLY, Adaptive(one_class, moves=lambda topology, d, classes: np.zeros(2)))


class _Ours(AnyShortest):
    """A choice of a plug-in, which nothing knows."""


@pytest.mark.parametrize("choice", [_Ours(), object(), "any", 3])
def test_a_choice_that_nothing_follows_is_refused(choice):
    """Also one that is derived from a known one: what it adds would be ignored."""
    plain = route(FLY)
    with pytest.raises(InputError, match="which nothing would follow; it is one of AnyShortest, "):
        Routing(FLY, "own", plain.ports, choice=choice)


def test_who_cannot_follow_a_function_says_so(tmp_path):
    """Loads, flows, SimGrid, repairs, saved tables and exports of tables: a sentence each, and nothing is written."""
    own = adaptive(FLY, Adaptive(one_class, escape=True), "updown")
    plain = build("leaf-spine:leaves=4,spines=2,hosts=2")
    leaves = adaptive(plain, Adaptive(one_class))
    for ask, said in (
        (lambda: quality(own, bisections=5), "its loads are known only from a simulation"),
        (lambda: run_app(own, "alltoall:bytes=100", simulator="flows"), "flows know no load"),
        (lambda: run_app(own, "alltoall:bytes=100"), "SimGrid's routes are fixed"),
        (lambda: reroute(own, cables=[0]), "lets packets choose"),
        (lambda: save_routing(own, tmp_path / "t"), "cannot be saved, as a function is no data"),
        (lambda: write_export("opensm", leaves, tmp_path / "o"), "lets packets choose|by a function for the simulator"),
        (lambda: write_export("srv6", leaves, tmp_path / "s"), "by a function for the simulator"),
    ):
        with pytest.raises(InputError, match=said):
            ask()
    assert not [*tmp_path.rglob("*.*")]


def test_tables_with_the_place_of_a_function_are_saved_and_give_the_same(tmp_path):
    """`dal` of a folder is that of the network, to the last digit."""
    routed = route(build("hyperx:dims=3x3,hosts=2"), "dal")
    save_routing(routed, tmp_path / "t")
    again = open_network(tmp_path / "t").part(Routing)
    assert again.choice.data.tolist() == routed.choice.data.tolist()
    assert points(again, loads=[0.4]) == points(routed, loads=[0.4])


def test_only_functions_of_topoloom_and_its_plug_ins_are_taken_from_a_folder(tmp_path):
    """A folder from elsewhere must not choose what is imported: another package is refused before."""
    save_routing(route(build("hyperx:dims=3x3,hosts=2"), "dal"), tmp_path / "t")
    (manifest,) = tmp_path.rglob("tables.json")
    text = manifest.read_text()
    manifest.write_text(text.replace("topoloom.simulation.flits.hyperx_functions:dal", "antigravity:fly"))
    with pytest.raises(InputError, match="name a function of 'antigravity', which is no plug-in of topoloom"):
        open_network(tmp_path / "t").part(Routing)
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize(("engine", "more"), [("dal", 1.8), ("omniwar", 1.25)])
def test_detours_pass_what_dimension_order_does_not(engine, more):
    """Where all hosts of a switch send to the hosts of one other, dimension order passes 1/4, and detours more."""
    network = build("hyperx:dims=4x4,hosts=4")
    routed = route(network, engine)
    assert routed.verification.deadlock_free is True
    ((accepted, _, hops),) = points(routed, "tornado", loads=[0.5], fast=True)
    ((plain, _, direct),) = points(route(network, "dor"), "tornado", loads=[0.5], fast=True)
    assert plain == pytest.approx(0.25, rel=0.01)
    assert accepted > more * plain
    assert hops > direct


def test_other_networks_are_refused_by_the_engines_of_hyperx():
    """A torus has rings, a Slim Fly no coordinates, and eight classes are not enough for five dimensions twice."""
    with pytest.raises(InputError, match="for networks whose lines are full meshes"):
        route(build("torus:dims=4x4,hosts=1"), "dal")
    with pytest.raises(InputError, match="coordinates"):
        route(FLY, "omniwar")
    with pytest.raises(InputError, match="omniwar:detours=3"):
        route(build("hyperx:dims=2x2x2x2x3,hosts=1"), "omniwar")
