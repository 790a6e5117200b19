"""The directed families: orders, degrees, diameters and distances by theory and by NetworkX."""

from math import ceil, log, prod

import networkx as nx
import numpy as np
import pytest

from topoloom import (
    DIRECTED_FAMILIES,
    FAMILIES,
    DirectedTopology,
    InputError,
    build,
    directed_hops,
    directed_info,
    open_directed,
)
from topoloom.graph.moore import directed_moore_aspl, directed_moore_diameter, directed_moore_order
from topoloom.topologies.spec import Facts, Integer, directed_family, family, listed

#: A few members of each family.
MEMBERS = {
    "debruijn-digraph": ["base=2,length=1", "base=2,length=5", "base=3,length=3"],
    "directed-circulant": ["n=9,jumps=1x3", "n=2,jumps=1", "n=30,jumps=7x11x29"],
    "imase-itoh": ["n=2,degree=1", "n=12,degree=2", "n=100,degree=3"],
    "kautz-digraph": ["base=2,length=1", "base=2,length=4", "base=3,length=3"],
    "random-digraph": ["n=2,degree=1", "n=30,degree=3", "n=10,degree=5,seed=7"],
    "unidirectional-ring": ["n=2", "n=9"],
    "unidirectional-torus": ["dims=4x4", "dims=3x1x5", "dims=2x2x2"],
}
SPECS = [f"{name}:{text}" for name, texts in MEMBERS.items() for text in texts]


def test_every_family_has_members_here():
    """A new one without a row fails; no undirected family has the name of a directed one."""
    assert MEMBERS.keys() == set(DIRECTED_FAMILIES)
    assert not set(FAMILIES) & set(DIRECTED_FAMILIES)


@pytest.mark.parametrize("spec", SPECS)
def test_what_is_built_is_what_theory_says(spec):
    """Order, arcs, highest and lowest out-degree, diameter, and the same spec again."""
    net = open_directed(spec)
    record = DIRECTED_FAMILIES.find(spec.partition(":")[0])
    values = {
        key: p.read(v)
        for key, p in record.parameters.items()
        for k, _, v in (pair.partition("=") for pair in spec.partition(":")[2].split(","))
        if k == key
    }
    facts = record.known(record.filled(values))
    assert net.switches == facts.switches
    assert len(net.arcs) <= facts.links
    if not spec.startswith("imase-itoh"):  # its loops, which depend on n, are omitted
        assert len(net.arcs) == facts.links
        assert net.out_degrees.min() == (facts.degree_min if facts.degree_min is not None else facts.degree)
    assert net.out_degrees.max() == facts.degree
    assert facts.diameter is None or directed_hops(net).diameter == facts.diameter
    assert open_directed(net.spec) == net
    assert len(np.unique(net.arcs, axis=0)) == len(net.arcs) or spec.startswith("imase-itoh")


@pytest.mark.parametrize("spec", SPECS)
def test_distances_are_those_of_networkx(spec):
    """Mean, diameter, strong components and pairs at each distance."""
    net = open_directed(spec)
    graph = net.to_networkx()
    found = directed_hops(net)
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    counts = np.bincount([hops for row in lengths.values() for hops in row.values()])
    assert found.histogram.tolist() == counts.tolist()
    assert found.components == nx.number_strongly_connected_components(graph)
    if found.connected:
        assert found.aspl == pytest.approx(nx.average_shortest_path_length(nx.DiGraph(graph)))


def _words(base, length, repeats):
    words = [()]
    for _ in range(length):
        words = [
            (*word, letter) for word in words for letter in range(base) if repeats or not word or word[-1] != letter
        ]
    return words


@pytest.mark.parametrize("base", [2, 3])
@pytest.mark.parametrize("length", [1, 2, 3, 4])
@pytest.mark.parametrize("family", ["kautz-digraph", "debruijn-digraph"])
def test_hops_between_words_are_their_overlaps(family, base, length):
    """From x to y it takes as many shifts as letters of y that do not overlap the end of x (Bermond and Peyrat, 1989)."""
    words = _words(base, length, True) if family == "debruijn-digraph" else _words(base + 1, length, False)
    away = [next(hops for hops in range(length + 1) if x[hops:] == y[: length - hops]) for x in words for y in words]
    found = directed_hops(f"{family}:base={base},length={length}")
    assert found.histogram.tolist() == np.bincount(away).tolist()


@pytest.mark.parametrize("dims", [(5,), (4, 4), (2, 3, 5)])
def test_unidirectional_rings_and_tori_have_closed_forms(dims):
    """Diameter: the sum of k - 1; mean hops: the sum of (k - 1)/2, over ordered pairs of distinct switches."""
    spec = f"unidirectional-torus:dims={'x'.join(map(str, dims))}"
    order = prod(dims)
    info = directed_info(spec)
    assert info.diameter == sum(side - 1 for side in dims)
    assert info.aspl == pytest.approx(sum((side - 1) / 2 for side in dims) * order / (order - 1))
    if len(dims) == 1:
        ring = directed_info(f"unidirectional-ring:n={dims[0]}")
        assert (ring.diameter, ring.aspl, ring.moore_share) == (info.diameter, info.aspl, 1.0)


@pytest.mark.parametrize(("n", "degree"), [(13, 3), (100, 2), (500, 4), (64, 2)])
def test_imase_itoh_digraphs_have_a_small_diameter(n, degree):
    """At most the logarithm of n, rounded up (Imase and Itoh, 1983); with n = d^k + d^(k-1) it is the Kautz digraph."""
    assert directed_hops(f"imase-itoh:n={n},degree={degree}").diameter <= ceil(log(n, degree) - 1e-9)
    kautz = open_directed("kautz-digraph:base=2,length=4").to_networkx()
    assert nx.is_isomorphic(nx.DiGraph(open_directed("imase-itoh:n=24,degree=2").to_networkx()), nx.DiGraph(kautz))


def test_the_undirected_families_are_those_without_directions():
    """`kautz` and `debruijn` are the digraphs with links of both directions, as simple graphs; `ring` and `torus` too."""
    for directed, spec in (
        ("kautz-digraph:base=2,length=3", "kautz:base=2,length=3"),
        ("debruijn-digraph:base=3,length=2", "debruijn:base=3,length=2"),
        ("unidirectional-ring:n=7", "ring:n=7"),
        ("directed-circulant:n=12,jumps=1x5", "circulant:n=12,jumps=1x5"),
    ):
        links = np.unique(open_directed(directed).undirected().links, axis=0)
        assert links.tolist() == np.unique(build(spec).links, axis=0).tolist()


def test_random_digraphs_are_regular_simple_and_reproducible():
    """In- and out-degrees are equal, arcs are distinct, and the seed decides."""
    net = open_directed("random-digraph:n=40,degree=4,seed=3")
    assert set(net.out_degrees) | set(net.in_degrees) == {4}
    assert len(np.unique(net.arcs, axis=0)) == 160
    assert net == open_directed("random-digraph:n=40,degree=4,seed=3")
    assert net != open_directed("random-digraph:n=40,degree=4,seed=4")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("kautz-digraph:base=1,length=3", "base=1 is out of range"),
        ("directed-circulant:n=5,jumps=1x1", "must be different numbers below n = 5"),
        ("directed-circulant:n=5,jumps=5", "must be different numbers below n = 5"),
        ("imase-itoh:n=3,degree=3", "degree=3 must be below n=3"),
        ("random-digraph:n=4,degree=3", "degree=3 must be at most half of n=4"),
        ("unidirectional-ring:n=4,hosts=full", "hosts=full is not a whole number; it must be 0 to 4096"),
        ("unidirectional-ring:n=4+spread:hosts=3", r"a transform changes undirected networks; omit \+spread"),
        ("product:(unidirectional-ring:n=4)*(petersen)", "unidirectional-ring:n=4 is directed; the factors"),
        ("unidirectional-ring:m=4", "no parameter 'm'"),
    ],
)
def test_bad_specs_are_refused(spec, reason):
    """One sentence, also where the spec is more than a family."""
    with pytest.raises(InputError, match=reason):
        open_directed(spec)


def test_the_catalogue_lists_them():
    """The plain record has them with a kind of their own."""
    kinds = {one["name"]: one["kind"] for one in listed()["families"]}
    assert {name for name, kind in kinds.items() if kind == "directed family"} == set(DIRECTED_FAMILIES)


def test_families_of_ones_own(monkeypatch):
    """`@directed_family` adds one; a family that makes the other kind of network is refused by name."""
    for register in (FAMILIES, DIRECTED_FAMILIES):
        assert register  # loaded before its records are copied
        monkeypatch.setattr(register, "_records", dict(register._records))

    @directed_family("in-star", n=Integer(2, 99, "switches"), facts=lambda n: Facts(n, 1, links=n - 1), source="none")
    def in_star(n):
        """All switches send to the first."""
        return DirectedTopology(arcs=[(i, 0) for i in range(1, n)], switches=n)

    assert open_directed("in-star:n=5,hosts=1").in_degrees.tolist() == [4, 0, 0, 0, 0]
    assert directed_info("in-star:n=5").strong_components == 5
    family("in-star-2", n=Integer(2, 99, "switches"), facts=lambda n: Facts(n, 1), source="none")(in_star)
    with pytest.raises(InputError, match="family in-star-2 returns a DirectedTopology; it must return a Topology"):
        build("in-star-2:n=5")
    ring = FAMILIES.find("ring").make
    directed_family("two-way", n=Integer(3, 99, "switches"), facts=lambda n: Facts(n, links=n), source="none")(ring)
    with pytest.raises(
        InputError, match="directed family two-way returns a Topology; it must return a DirectedTopology"
    ):
        open_directed("two-way:n=5")


def test_moore_bounds_of_digraphs():
    """Order 1 + d + ... + d^D; only rings and complete digraphs meet it, so for d, D > 1 the diameter is one more."""
    assert [directed_moore_order(2, hops) for hops in range(4)] == [1, 3, 7, 15]
    assert [directed_moore_diameter(n, 2) for n in (1, 2, 3, 4, 6, 7, 14, 15)] == [0, 1, 1, 2, 2, 3, 3, 4]
    assert (directed_moore_diameter(5, 1), directed_moore_aspl(5, 1)) == (4, 2.5)
    assert directed_moore_diameter(2, 0) == directed_moore_aspl(2, 0) == float("inf")
    assert directed_moore_aspl(7, 2) == (2 * 1 + 4 * 2) / 6
    with pytest.raises(InputError, match="degree -1"):
        directed_moore_diameter(3, -1)


def test_no_digraph_of_seven_switches_and_two_arcs_each_has_diameter_two():
    """The strict bound, by search over all circulants and by the best Kautz digraph of six."""
    for a in range(1, 7):
        for b in range(a + 1, 7):
            assert directed_hops(f"directed-circulant:n=7,jumps={a}x{b}").diameter >= 3
    assert directed_info("kautz-digraph:base=2,length=2").diameter == 2 == directed_moore_diameter(6, 2)
