"""`topoloom route`: its JSON, its table, and its errors."""

import json

import pytest
from click.testing import CliRunner

from topoloom.cli import route
from topoloom.errors import InputError

KEYS = {
    "engine", "lanes_used", "max_hops", "mean_hops", "minimal", "deadlock_free", "reached_pairs",
    "edge_forwarding_index", "vertex_load_min", "vertex_load_max", "seconds",
}  # fmt: skip


def _run(*arguments):
    result = CliRunner().invoke(route.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_json_has_what_scripts_need():
    """One document with at least the keys promised."""
    values = json.loads(_run("slimfly:q=5", "--json"))
    assert values.keys() >= KEYS
    assert (values["engine"], values["lanes_used"], values["minimal"], values["deadlock_free"]) == (
        "orders",
        2,
        True,
        True,
    )
    assert (values["reached_pairs"], values["vertex_load_min"], values["vertex_load_max"]) == (2450, 42, 42)


def test_a_circle_is_shown():
    """Tables that may deadlock are not hidden: the circle is printed."""
    found = _run("torus:dims=4x4", "--engine", "minimal")
    assert "deadlock free          no" in found
    assert "waits in a circle" in found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--engine", "mini"), "did you mean minimal"),
        (("--engine", "hop-lanes", "--lanes", "1"), "a lane a hop needs 2"),
        (("--lanes", "16"), "engine orders takes 1 to 15"),
    ],
)
def test_mistakes_are_one_line(arguments, message):
    """An `InputError`, which the command line prints as one line before it ends with 2."""
    with pytest.raises(InputError, match=message):
        _run("slimfly:q=5", *arguments)


def test_the_help_lists_the_engines():
    """Every engine with its line."""
    text = _run("--help")
    for name in ("hop-lanes", "minimal", "orders", "updown"):
        assert f"\n  {name} " in text
