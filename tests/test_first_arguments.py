"""Every public function refuses a first argument of a wrong type in one sentence that begins with the function's name.

What a function takes is read from its signature, so a new public function is covered as soon as it has a name.
"""

import inspect
import types
import typing
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

import topoloom
from topoloom.core.errors import InputError

#: Functions for which nothing at all is a right first argument.
_NOTHING_WILL_DO = {"serve"}


def _functions():
    named = {name: getattr(topoloom, name) for name in topoloom.__all__}
    return sorted(name for name, value in named.items() if callable(value) and not isinstance(value, type))


def _wrong_values():
    """Values that callers give by mistake; most are wrong for any function."""
    topology = topoloom.build("complete:n=3,hosts=1")
    return {
        "none": None,
        "whole": 77_777,
        "standard-output": 1,
        "real": 3.5,
        "infinite": float("inf"),
        "truth": True,
        "text": "petersen",
        "bytes": b"petersen",
        "list": [],
        "tuple": (),
        "dict": {},
        "set": {1},
        "list-of-none": [None],
        "list-of-numbers": [1, 2],
        "list-of-topologies": [topology],
        "generator": (one for one in (topology,)),
        "object": object(),
        "path": Path("no/such/file"),
        "array": np.arange(6).reshape(3, 2),
        "class": topoloom.Topology,
        "function": len,
        "topology": topology,
        "routing": topoloom.route(topology),
        "layout": topoloom.place(topology),
    }


_VALUES = _wrong_values()


def _takes(kind, value):
    """Whether an annotation allows a value; of a sequence each of its values, and one at least."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_takes(one, value) for one in inner)
    if kind is typing.Any:
        return True
    if origin in (Sequence, Iterable):
        if isinstance(value, (str, bytes)) or not isinstance(value, origin):
            return False
        if not isinstance(value, Sequence):
            return origin is Iterable and isinstance(value, (dict, types.GeneratorType))
        return len(value) > 0 and all(_takes(inner[0], one) for one in value)
    return isinstance(value, origin or kind)


def _first(function):
    return next(iter(inspect.signature(function).parameters.values()))


def _required(function):
    """How many arguments must be given by place."""
    parameters = inspect.signature(function).parameters.values()
    return sum(one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD for one in parameters)


def _called(name, value):
    """Call it with a first argument, and None for each other that it must have."""
    function = getattr(topoloom, name)
    more = {"store": "store"} if name == "serve" else {}
    return function(value, *[None] * (_required(function) - 1), **more)


def test_all_functions_are_walked():
    """The public functions of today, at least; each says what type its first argument has."""
    assert len(_functions()) >= 65
    for name in _functions():
        assert _first(getattr(topoloom, name)).annotation is not inspect.Parameter.empty, name


@pytest.mark.parametrize("name", _functions())
def test_a_wrong_first_argument_is_one_sentence(name, tmp_path, monkeypatch):
    """It is an `InputError` of one line and less than 200 characters, which begins with the function's name."""
    monkeypatch.chdir(tmp_path)
    function = getattr(topoloom, name)
    kind = typing.get_type_hints(function)[_first(function).name]
    tried = 0
    for given, value in _VALUES.items():
        if _takes(kind, value) or (name in _NOTHING_WILL_DO and given in {"list", "tuple", "dict"}):
            continue
        with pytest.raises(InputError) as caught:
            _called(name, value)
        words = str(caught.value)
        assert words.startswith((f"{name} takes ", f"{name}: ")), (given, words)
        assert len(words) < 200, (given, words)
        assert "\n" not in words
        tried += 1
    assert tried >= 15
    assert not list(tmp_path.iterdir())


def test_a_number_is_no_path():
    """The system takes 1 for standard output; a reader that opens it closes it for the whole program."""
    for read in (topoloom.load, topoloom.design, topoloom.read_study, topoloom.load_goal, topoloom.open_network):
        with pytest.raises(InputError, match=r"takes .* not 1, an int"):
            read(1)
    print("standard output is open still", flush=True)


def test_a_graph_is_what_networkx_makes():
    """`Topology.from_networkx` takes a graph."""
    for value in (None, 3, "petersen", _VALUES["topology"]):
        with pytest.raises(InputError, match="from_networkx takes a graph of NetworkX, not "):
            topoloom.Topology.from_networkx(value)


def test_a_graph_of_another_library_is_converted_first():
    """python-igraph's graphs have a conversion; the sentence names it, from every function that takes a network."""

    class Graph:
        """Has what an igraph.Graph has of what is asked for."""

        is_directed = to_networkx = staticmethod(lambda: False)

    for take in (topoloom.Topology.from_networkx, topoloom.hops, topoloom.as_network):
        with pytest.raises(InputError, match=r"NetworkX.* not a Graph; pass graph.to_networkx\(\)"):
            take(Graph())
