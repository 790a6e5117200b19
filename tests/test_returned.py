"""What a plug-in's function returns is used, or refused in one sentence that names it; nothing of another kind is passed on."""

import numpy as np
import pytest

from topoloom import InputError, build, diagnose, load, quality, route, run_app, save, simulate, write_export
from topoloom.fabric.diagnosis.rule import RULES, WARNING, rule
from topoloom.fabric.exports.registry import EXPORTS, export
from topoloom.formats import FORMATS, Format, register
from topoloom.routing.registry import engine, engines
from topoloom.simulation.applications.registry import APPLICATIONS, application
from topoloom.throughput.traffic.register import PATTERNS, pattern
from topoloom.topologies.spec import Facts, family, transform
from topoloom.topologies.spec.registry import FAMILIES, TRANSFORMS

_REGISTERS = (FAMILIES, TRANSFORMS, engines, PATTERNS, APPLICATIONS, FORMATS, EXPORTS, RULES)
TORUS = "torus:dims=4x4,hosts=1"


@pytest.fixture
def registers():
    """Registers that forget afterwards what the test has added."""
    kept = [(each, dict(list(each) and each._records), dict(each._origin)) for each in _REGISTERS]
    yield
    for each, records, origins in kept:
        each._records.clear()
        each._records.update(records)
        each._origin.clear()
        each._origin.update(origins)


def _odd(value):
    """One entry of each register that returns a value."""
    family("odd", facts=lambda: Facts(3), source="here")(lambda: value)
    transform("odd", source="here")(lambda topology: value)
    engine("odd", "words", safe=False)(lambda request: value)
    pattern("odd", "words")(lambda request: value)
    application("odd", "words")(lambda ranks: value)
    export("odd", "words", tables=False)(lambda request: value)
    rule("OD101", "odd-rule", WARNING, "Odd.", explanation="words", fix="words")(lambda evidence: value)
    register(
        Format("odd", (".odd",), "words", frozenset(), read=lambda data, source: value, write=lambda topology: value)
    )


@pytest.mark.parametrize("value", [None, 3, np.zeros((3, 2))])
@pytest.mark.usefixtures("registers")
def test_another_kind_is_refused_by_name(value, tmp_path):
    """The sentence names the register, the entry, what it returned and what it must return."""
    _odd(value)
    (tmp_path / "a.odd").write_text("x")
    kind = type(value).__name__
    for ask, maker, wanted in (
        (lambda: build("odd"), "family odd", "a Topology"),
        (lambda: build("petersen+odd"), "transform odd", "a Topology"),
        (lambda: route(TORUS, "odd"), "engine odd", "a Routing"),
        (lambda: simulate(TORUS, "odd", loads=[0.1]), "pattern odd", "a Traffic, Trace or Loop"),
        (lambda: quality(TORUS, "odd", bisections=3), "pattern odd", "a Traffic, Trace or Loop"),
        (lambda: run_app(TORUS, "odd"), "application odd", "a program"),
        (lambda: load(tmp_path / "a.odd"), "format odd", "a Topology"),
        (lambda: save(build("petersen"), tmp_path / "b.odd"), "format odd", "text or bytes"),
        (lambda: write_export("odd", TORUS, tmp_path / "o"), "export odd", "files by name"),
    ):
        with pytest.raises(InputError, match=f"{maker} returns a {kind}; it must return {wanted}"):
            ask()
    with pytest.raises(InputError, match=r"rule OD101.* returns a .*; it must return "):
        diagnose("petersen:hosts=1")
    assert [path.name for path in tmp_path.iterdir()] == ["a.odd"]


@pytest.mark.usefixtures("registers")
def test_the_parts_of_what_is_returned_are_looked_at():
    """Files of an export, findings of a rule, and the network of an engine's tables."""
    export("odd", "words", tables=False)(lambda request: {"a.txt": 3})
    with pytest.raises(
        InputError, match=r"export odd, for its file a\.txt returns a int; it must return text or bytes"
    ):
        write_export("odd", TORUS, "nowhere")
    rule("OD101", "odd-rule", WARNING, "Odd.", explanation="words", fix="words")(lambda evidence: ["words"])
    with pytest.raises(InputError, match="rule OD101, as a finding, returns a str; it must return a Finding"):
        diagnose("petersen:hosts=1")
    engine("odd", "words", safe=False)(lambda request: route("petersen:hosts=1", "minimal"))
    with pytest.raises(InputError, match=r"engine odd returns tables of petersen.*, another network than torus"):
        route(TORUS, "odd")
