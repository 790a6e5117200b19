"""The spec grammar: what is read, and how what is wrong is answered."""

import contextlib
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.inspect import IntType

from tiers import examples
from topoloom import InputError, build, hops
from topoloom.core.settings import value_of
from topoloom.topologies.spec import Integer, Real, bisection_by_theory, facts_of


def test_hosts_are_put_on_every_switch_of_a_direct_network():
    """`hosts=3` on a torus: three on each switch."""
    assert set(build("torus:dims=3x3,hosts=3").endpoints_at.tolist()) == {3}


def test_hosts_are_put_on_the_leaves_of_a_tree():
    """`hosts=` on a k-ary n-tree changes the number on its lowest switches only; on a fat tree it is that of all hosts."""
    tree = build("kary-tree:k=2,n=3,hosts=3")
    assert tree.hosts == 12
    assert (tree.endpoints_at[tree.labels["level"] > 0] == 0).all()
    assert build("fat-tree:k=4,hosts=3").hosts == 3


@pytest.mark.parametrize(
    ("spec", "per_switch"),
    [
        ("slimfly:q=19,hosts=full", 15),  # ceil(k'/2), Besta 2014 II.B.2
        ("dragonfly:h=7,hosts=full", 7),  # floor((k + 1)/4) of k = 27
        ("flattened-butterfly:dims=10x10x10,hosts=full", 10),  # floor((k + 3)/4) of k = 37
        ("kary-tree:k=18,n=3,hosts=full", 18),  # half of the ports
        ("torus:dims=4x4x4,hosts=full", 1),
        ("ring-shortcuts:n=200,degree=30,hosts=full", 6),  # floor(sqrt k) of k = 36
        (
            "polarfly:q=11,hosts=full",
            6,
        ),  # none published: Besta 2014's balance, k' N / (sum of distances), rounded down
    ],
)
def test_full_is_the_published_concentration(spec, per_switch):
    """`hosts=full` is Besta 2014's full-bandwidth number of hosts, or its balance formula where none is published."""
    assert build(spec).endpoints_at.max() == per_switch


def test_products_nest_and_take_transforms_and_hosts():
    """A product of a product; its order multiplies and its diameter adds."""
    nested = build("product:(product:(petersen)*(hypercube:n=2))*(ring:n=5),hosts=1")
    assert nested.switches == nested.hosts == 200
    assert hops(nested).diameter == 2 + 2 + 2
    inner = build("product:(hypercube:n=4+permute:rack=4)*(petersen)")
    assert inner.switches == 160
    assert build(inner.spec) == inner


def test_transforms_chain_and_are_remembered():
    """`+permute:...+permute:...` applies from left to right, and the spec rebuilds it."""
    topology = build("hypercube:n=6+permute:mode=partial,rack=8,seed=1+permute:mode=full,rack=16,seed=2")
    assert build(topology.spec) == topology
    assert topology.name.count("permute") == 2


def test_aliases_name_the_same_family():
    """`twisted-hypercube` is the crossed cube."""
    assert build("twisted-hypercube:n=5") == build("crossed-cube:n=5")


def test_facts_are_known_without_building():
    """A spec of 2 q^2 = 131,072 switches is answered at once."""
    assert facts_of("slimfly:q=256").switches == 2 * 256**2
    assert facts_of("product:(petersen)*(petersen)") is None


def test_hosts_do_not_hide_the_theory():
    """A spec with hosts= has the facts of the spec without, and may be the factor of a product."""
    assert facts_of("hypercube:n=6,hosts=2") == facts_of("hypercube:n=6")
    assert bisection_by_theory("hypercube:n=6,hosts=2") == 32
    assert build("product:(hypercube:n=2,hosts=1)*(petersen)").switches == 40


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "the spec is empty"),
        ("   ", "the spec is empty"),
        ("slimfy:q=19", r"no family named 'slimfy' \(did you mean 'slimfly'"),
        ("zzz", "'topoloom families' lists them"),
        ("slimfly", r"slimfly: q= is missing"),
        ("slimfly:q", r"'q' is not a setting; write key=value"),
        ("slimfly:q=", r"q= is not a whole number"),
        ("slimfly:q=1e3", r"q=1e3 is not a whole number"),
        ("slimfly:q=5,q=7", "q is given twice"),
        ("slimfly:q=5,r=7", r"no parameter 'r' \(it takes q, hosts\)"),
        ("slimfly:q=5,hosts=-1", "hosts=-1 is out of range"),
        ("slimfly:q=5,hosts=many", "hosts=many is not a whole number"),
        ("slimfly:q=99999999999999999999999", "not a whole number"),
        ("torus:dims=8x", "is not a list"),
        ("torus:dims=0x4", "0 is out of range"),
        ("torus:dims=8,8", "'8' is not a setting"),
        ("nbr:n=64,degree=4,p=nan", "out of range"),
        ("nbr:n=64,degree=4,p=x", "not a number"),
        ("myrinet-clos:switches=80,wiring=odd", "'odd' is unknown; it must be spread or parallel"),
        ("petersen+twist", "no transform named 'twist'"),
        ("petersen+permute:rack=10", "takes? ?|holds all 10 switches"),
        ("petersen+", "no transform named ''"),
        ("product:petersen*petersen", "needs brackets"),
        ("product:", "needs brackets"),
        ("product:(petersen)*", "needs brackets"),
        ("product:(petersen", "leaves 1 bracket open"),
        ("product:petersen)", "closes a bracket that it never opened, at character"),
        ("product:(hypercube:n=20)*(hypercube:n=20)", "at most 16777216"),
        ("product:(petersen)*(petersen),levels=2", "no parameter 'levels'"),
        ("product:(" * 30 + "petersen" + ")" * 30, "nests more than 20"),
        ("x" * 20_000, "at most 10000 are read"),
    ],
)
def test_a_wrong_spec_is_one_sentence_with_the_remedy(spec, words):
    """What is wrong, where, and what would do."""
    with pytest.raises(InputError, match=words) as caught:
        build(spec)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@given(st.text(alphabet="slimfyproductus:=,()*+x-0123456789 \té", max_size=60))
@settings(max_examples=examples(300), deadline=None)
def test_any_text_is_a_topology_or_an_input_error(text):
    """No text makes anything but a topology or an InputError."""
    with contextlib.suppress(InputError):
        build(text)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("hypercube:n=24,hosts=4096", "4,096 hosts on each of 16,777,216 switches are 68,719,476,736 hosts"),
        ("product:(hypercube:n=12)*(hypercube:n=12),hosts=4096", "68,719,476,736 hosts"),
        ("product:(complete:n=4096)*(complete:n=4000)", "about 66306048000 links"),
    ],
)
def test_what_no_machine_room_holds_is_refused_before_it_is_built(spec, words):
    """Hosts and links are counted by theory first: no memory is taken."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=words):
            build(spec)
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()


def test_more_than_the_machine_has_is_refused_and_much_is_told(monkeypatch, caplog):
    """By an estimate of bytes a switch, a link and a host."""
    from topoloom.topologies.spec import sizes

    monkeypatch.setattr(sizes, "_MUCH_MEMORY", 10_000.0)
    build("hypercube:n=8,hosts=2")
    assert "256 switches, 1,024 links and 512 hosts take about" in caplog.text
    monkeypatch.setattr(sizes, "_memory", lambda: (20_000.0, "this machine has"))
    with pytest.raises(InputError, match="GB of memory; this machine has"):
        build("hypercube:n=8,hosts=2")


@pytest.mark.parametrize("text", ["1_0", "1e3", "٣", "", "9" * 21, "0x10", "1.0"])
def test_whole_numbers_are_read_alike_wherever_they_are_given(text):
    """What is no whole number in a spec is none in a setting: both are read, and held against their range, by one function."""
    with pytest.raises(InputError, match="is not a whole number; it must be 1 to 64"):
        Integer(1, 64, "hosts").read(text)
    with pytest.raises(InputError, match="it is a whole number from 1 to 64"):
        value_of(IntType(ge=1, le=64), text, "hosts")


@pytest.mark.parametrize("value", [None, [], True, (1, 2), object()])
def test_what_is_no_text_and_no_number_is_refused(value):
    """Also by parameters of real numbers, which Python code may give anything."""
    for parameter in (Integer(0, 9, ""), Real(0, 9, "")):
        with pytest.raises(InputError, match="is not a"):
            parameter.read(value)
