"""A value of a wrong type is one sentence with the remedy, from every public verb that takes a network."""

import pytest

import topoloom
from topoloom.errors import InputError, check_type
from topoloom.graph.cuts import exact_bisection


@pytest.mark.parametrize("verb", [topoloom.hops, topoloom.bounds, topoloom.cuts, topoloom.info, exact_bisection])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("petersen", r"takes a Topology, not 'petersen', a str; build\('petersen'\) makes one"),
        (None, r"takes a Topology, not None; build\(spec\) or load\(file\) makes one"),
        (3, "takes a Topology, not 3, an int; build"),
        ("x" * 1000, "takes a Topology, not 'xxxxx"),
        (topoloom.route(topoloom.build("petersen")), "takes a Topology, not a Routing; give its .topology"),
    ],
)
def test_what_is_no_topology_is_refused(verb, given, words):
    """The sentence names the verb, what was given, and how to get a topology; it stays short."""
    with pytest.raises(InputError, match=f"{verb.__name__} {words}") as caught:
        verb(given)
    assert len(str(caught.value)) < 200


def test_what_is_no_routing_is_refused():
    """A topology is no tables yet."""
    with pytest.raises(
        InputError, match=r"quality takes a Routing or a Sequence, not a Topology; route\(topology\) makes one"
    ):
        topoloom.quality(topoloom.build("petersen"))


def test_what_is_no_spec_is_refused():
    """Anything but a text."""
    with pytest.raises(InputError, match="build takes a str, not 3, an int; write family:key=value"):
        topoloom.build(3)


def test_traffic_is_of_a_network_by_a_name():
    """Of tables or of a topology; the pattern is a text."""
    with pytest.raises(InputError, match="traffic_of takes a Routing or a Topology, not 'petersen', a str"):
        topoloom.traffic_of("uniform", "petersen")
    with pytest.raises(InputError, match="traffic_of takes a str, not None"):
        topoloom.traffic_of(None, topoloom.build("petersen"))


def test_text_with_escapes_is_shown_not_sent():
    """A terminal's escape in a wrong value stays text."""
    with pytest.raises(InputError, match=r"not 'a\\x1b\[31m', a str"):
        check_type("a\x1b[31m", int, "boil")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: topoloom.simulate(None), "simulate takes a Routing, not None"),
        (lambda: topoloom.saturation("petersen"), "saturation takes a Routing, not 'petersen'"),
        (lambda: topoloom.resilience(5), "resilience takes a Topology, not 5, an int"),
        (lambda: topoloom.save(3, "a.json"), "save takes a Topology, not 3, an int"),
        (lambda: topoloom.save_routing(3, "a"), "save_routing takes a Routing, not 3"),
        (lambda: topoloom.expand(topoloom.build("petersen"), "x"), "expand takes an int or an integer, not 'x'"),
        (lambda: topoloom.expand(topoloom.build("petersen"), 99_999_999), "at most 1,048,576 switches"),
        (
            lambda: topoloom.simulate(topoloom.route(topoloom.build("clos:leaves=2,spines=2")), loads=0.1),
            "loads takes a list",
        ),
    ],
)
def test_other_verbs_say_what_they_take(call, words):
    """What is no network, no tables, no size or no loads is one sentence, before any work."""
    with pytest.raises(InputError, match=words):
        call()
