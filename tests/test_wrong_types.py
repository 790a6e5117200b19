"""A value of a wrong type is one sentence with the remedy, from every public operation that takes a network."""

import pytest

import topoloom
from topoloom.core.errors import InputError, check_type
from topoloom.graph.cuts import exact_bisection


@pytest.mark.parametrize("operation", [topoloom.hops, topoloom.bounds, topoloom.cuts, topoloom.info, exact_bisection])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, r"takes a network \(a spec, a path, .* or NetworkX graph\), not None$"),
        (3, r"takes a network \(a spec, a path, .*\), not 3, an int$"),
        (len, r"takes a network \(a spec, a path, .*\), not a builtin_function_or_method$"),
        ({}, r"takes a network \(a spec, a path, .*\), not a dict$"),
    ],
)
def test_what_is_no_network_is_refused(operation, given, words):
    """The sentence names the function, what was given, and what would do; it stays short."""
    with pytest.raises(InputError, match=f"{operation.__name__} {words}") as caught:
        operation(given)
    assert len(str(caught.value)) < 200


def test_several_tables_are_all_tables():
    """A sequence is of tables, one at least."""
    with pytest.raises(InputError, match="quality takes a Routing, not a Topology"):
        topoloom.quality([topoloom.build("petersen")])
    with pytest.raises(InputError, match="quality takes a network or several Routings, not an empty sequence"):
        topoloom.quality([])


def test_what_is_no_spec_is_refused():
    """Anything but a text."""
    with pytest.raises(InputError, match="build takes a str, not 3, an int; write family:key=value"):
        topoloom.build(3)


def test_traffic_is_of_a_network_by_a_name():
    """Of a network; the pattern is a text."""
    with pytest.raises(InputError, match=r"traffic_of takes a network .*, not 3, an int"):
        topoloom.traffic_of("uniform", 3)
    with pytest.raises(InputError, match="traffic_of takes a str, not None"):
        topoloom.traffic_of(None, topoloom.build("petersen"))


def test_text_with_escapes_is_shown_not_sent():
    """A terminal's escape in a wrong value stays text."""
    with pytest.raises(InputError, match=r"not 'a\\x1b\[31m', a str"):
        check_type("a\x1b[31m", int, "boil")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: topoloom.simulate(None), "simulate takes a network .*, not None"),
        (lambda: topoloom.saturation(5), "saturation takes a network .*, not 5"),
        (lambda: topoloom.resilience(5), "resilience takes a network .*, not 5, an int"),
        (lambda: topoloom.save(3, "a.json"), "save takes a network .*, not 3, an int"),
        (lambda: topoloom.save_routing(3, "a"), "save_routing takes a network .*, not 3"),
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
