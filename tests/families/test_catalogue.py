"""Every family against theory and against numbers measured elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest

from topoloom import InputError, build, hops
from topoloom.topologies.families.longhop import code_distance, generators
from topoloom.topologies.spec import FAMILIES, Family, make

_ROWS = json.loads((Path(__file__).parents[1] / "reference" / "catalogue.json").read_text())["rows"]


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row["spec"])
def test_a_family_has_the_measured_order_degrees_diameter_and_aspl(row):
    """Built graphs agree with an independent construction in every number that both have."""
    topology = build(row["spec"])
    found = hops(topology)
    assert topology.switches == row["switches"]
    assert row["links"] is None or len(topology.links) == row["links"]
    assert topology.degrees.min() == row["degree_min"]
    assert row["degree_max"] is None or topology.degrees.max() == row["degree_max"]
    assert found.diameter == row["diameter"]
    assert row["aspl"] is None or found.aspl == pytest.approx(row["aspl"], abs=6e-5)


#: Parameters beyond those of the reference table, small and odd ones included.
_MORE = (
    "torus:dims=2",
    "torus:dims=1x5",
    "torus:dims=2x3x4",
    "torus:dims=7x5",
    "mesh:dims=1x1",
    "mesh:dims=6",
    "mesh:dims=2x3x4",
    "ring:n=3",
    "ring:n=10",
    "complete:n=2",
    "complete:n=9",
    "circulant:n=8,jumps=1x4",
    "circulant:n=13,jumps=1x5",
    "hypercube:n=1",
    "hypercube:n=9",
    "folded-hypercube:n=3",
    "crossed-cube:n=1",
    "crossed-cube:n=6",
    "crossed-cube:n=9",
    "debruijn:base=4,length=3",
    "debruijn:base=3,length=1",
    "kautz:base=4,length=3",
    "kautz:base=2,length=1",
    "star:n=5,k=1",
    "star:n=5,k=3",
    "star:n=7,k=2",
    "flattened-butterfly:dims=3x5",
    "hyperx:dims=4x3x2,width=3",
    "fat-tree:k=2",
    "fat-tree:k=10",
    "kary-tree:k=3,n=1",
    "kary-tree:k=3,n=2",
    "kary-tree:k=2,n=5",
    "clos:leaves=1,spines=1",
    "clos:leaves=12,spines=4,width=2",
    "myrinet-clos:switches=80",
    "myrinet-clos:switches=160,wiring=parallel",
    "dragonfly:h=1",
    "dragonfly:h=3,wiring=palmtree",
    "dragonfly:a=5,h=2,p=3",
    "dragonfly:a=4,h=2,g=5",
    "dragonfly:p=2",
    "dragonfly:a=3,h=1,g=2",
    "slimfly-dragonfly:q=3,h=1",
    "slimfly-dragonfly:q=4,h=2,g=5,wiring=palmtree",
    "incomplete-hypercube:n=3",
    "incomplete-hypercube:n=100",
    "incomplete-hypercube:n=1000,extra=5",
    "slimfly:q=29",
    "slimfly:q=32",
    "polarfly:q=64",
    "bdf:u=5",
    "bdf:u=11",
    "delorme:v=3",
    "longhop:n=6,extra=5",
    "longhop:n=3,extra=4",
    "petersen",
    "heawood",
    "levi",
    "hoffman-singleton",
    "optimal:n=16,degree=3",
    "optimal:n=16,degree=4",
    "optimal:n=32,degree=3",
    "optimal:n=32,degree=4",
    "folded-petersen:n=2",
    "hyper-petersen:n=3",
    "hyper-petersen:n=6",
    "ring-shortcuts:n=100,degree=5",
    "nbr:n=100,degree=5,p=0.3",
    "gau:n=101,degree=4,alpha=0.5",
    "dln:n=100,x=4",
    "dln:n=101,x=4,random=2",
    "jellyfish:n=50,degree=7",
    "jellyfish:n=51,degree=7",
    "jellyfish:n=12,degree=10",
    "watts-strogatz:n=60,degree=4,beta=0",
    "watts-strogatz:n=60,degree=4,beta=1",
    "kleinberg:side=9,links=2",
    "dsn:n=77",
    "dsn:n=64,x=2",
    "dsn-f:n=100",
    "grid:rows=9,columns=7,degree=4,length=3",
    "diagrid:rows=8,columns=5,degree=3,length=2",
    "polarstar:q=2,d=3",
    "polarstar:q=5,d=8",
    "polarstar:q=4,d=11",
    "polarstar:q=3,d=2,supernode=paley",
    "polarstar:q=8,d=4,supernode=paley",
    "bundlefly:q=3,p=5",
    "bundlefly:q=4,p=9",
    "spectralfly:v=3,w=5",
    "spectralfly:v=7,w=13",
    "xpander:degree=2,lifts=5",
    "xpander:degree=6,lifts=2x3",
    "oft:q=2",
    "oft:q=9",
    "mlfm:h=1",
    "mlfm:h=2,layers=1",
    "mlfm:h=3,layers=1",
    "mlfm:h=4,layers=7",
    "mlfm:h=6",
    "tofu:dims=3x3x3",
    "tofu:dims=1x2x4",
    "arrangement:n=6,k=2",
    "arrangement:n=5,k=4",
    "arrangement:n=4,k=1",
    "pancake:n=2",
    "pancake:n=7",
    "hyperx:dims=4x3x2,width=3x1x2",
    "cascade:groups=3",
    "cascade:groups=5,pair_links=3,chassis=2,blades=3",
    "random-folded-clos:k=2,leaves=2,levels=2",
    "random-folded-clos:k=8,leaves=8,levels=2",
    "random-folded-clos:k=6,leaves=40,levels=4",
    "express-mesh:dims=5",
    "express-mesh:dims=4x7,gap=3",
    "express-mesh:dims=3x1x4,gap=1",
    "clustered-jellyfish:n=40,degree=8,clusters=2,inside=5",
    "clustered-jellyfish:n=41,degree=7,clusters=3,inside=3",
    "clustered-jellyfish:n=10,degree=8,clusters=5,inside=0",
    "dring:supernodes=5,size=1",
    "dring:supernodes=5,size=3",
    "dring:supernodes=9,size=1",
    "dring:supernodes=10,size=2",
    "shuffled:n=2,degree=8",
    "shuffled:n=64,degree=16,r=8",
    "shuffled:n=47,degree=9,r=5,c=3",
    "shuffled:n=33,degree=16,passes=0",
    "shuffled:n=20,degree=4,r=1,c=1",
)


@pytest.mark.parametrize("spec", [*_MORE, *(row["spec"] for row in _ROWS if not row["spec"].startswith("product"))])
def test_theory_and_the_built_graph_agree(spec):
    """What a family's facts say (order, degrees, links, diameter, hosts) is what the built graph has."""
    name, _, text = spec.partition(":")
    record = FAMILIES.find(name)
    given = dict(part.split("=") for part in text.split(",")) if text else {}
    values = {
        key: parameter.read(given[key]) if key in given else parameter.default
        for key, parameter in record.parameters.items()
    }
    facts, topology = record.facts(**values), make(record, values)
    degrees = topology.degrees
    assert topology.switches == facts.switches
    assert facts.degree is None or degrees.max() == facts.degree or (record.random and degrees.max() <= facts.degree)
    assert facts.degree_min is None or degrees.min() == facts.degree_min
    assert facts.links is None or len(topology.links) == facts.links
    assert topology.hosts == facts.hosts
    if facts.diameter is not None:
        assert hops(topology).diameter == facts.diameter


#: Families without a ladder of sizes: any number of hosts and ports is a network of its own.
_UNSIZED = {"host-switch"}


def test_every_family_is_described_sourced_and_sized():
    """A record is complete: description, source, a size ladder, and a description for every parameter."""
    for record in FAMILIES.values():
        assert record.description.endswith(".")
        assert record.source
        assert (record.sizes is None) == (record.name in _UNSIZED), record.name
        assert all(parameter.description for parameter in record.parameters.values())


@pytest.mark.sweep(40)
@pytest.mark.parametrize(
    "record", [record for record in FAMILIES.values() if record.name not in _UNSIZED], ids=lambda record: record.name
)
@pytest.mark.parametrize(("hosts", "radix"), [(100, 16), (1000, 36), (700, 24)])
def test_sizes_serve_the_hosts_within_the_radix(record: Family, hosts: int, radix: int):
    """Every parameter set of `sizes` gives at least so many hosts, and (for families of fixed degree) fits the radix."""
    sets = list(record.sizes(hosts, radix))
    for values in sets[:: max(1, len(sets) // 6)]:
        full = {key: values.get(key, parameter.default) for key, parameter in record.parameters.items()}
        topology = make(record, full, values.get("hosts"))
        assert topology.hosts >= hosts
        if record.name not in ("kleinberg", "watts-strogatz"):  # their busiest switch is a matter of luck
            assert topology.radix <= radix, topology


def test_sizes_find_the_published_designs():
    """The case of Besta 2014 is among them: Slim Fly q = 19 with 15 hosts per switch, and the 22-ary 3-tree."""
    slim = [dict(values) for values in FAMILIES.find("slimfly").sizes(10_000, 48)]
    assert {"q": 19, "hosts": 15} in slim
    assert {"k": 22, "n": 3} in [dict(values) for values in FAMILIES.find("kary-tree").sizes(10_000, 48)]


@pytest.mark.parametrize("q", [4, 5, 7, 8, 9, 16, 25, 27])
def test_slimfly_racks_are_joined_by_2q_cables(q):
    """Rack i = {(0, i, *), (1, i, *)}: every pair of racks has exactly 2q cables (Besta 2014 VI.A)."""
    topology = build(f"slimfly:q={q}")
    rack = topology.labels["group"][topology.links]
    between = np.zeros((q, q), int)
    np.add.at(between, (rack.min(axis=1), rack.max(axis=1)), 1)
    assert set(between[np.triu_indices(q, 1)].tolist()) == {2 * q}


def test_hoffman_singleton_is_the_slim_fly_of_five():
    """MMS at q = 5 is the Hoffman-Singleton graph: the only graph of 50 switches, degree 7 and girth 5, so spectra agree."""
    spectra = []
    for spec in ("slimfly:q=5", "hoffman-singleton"):
        matrix = np.zeros((50, 50))
        u, v = build(spec).links.T
        matrix[u, v] = matrix[v, u] = 1
        spectra.append(np.linalg.eigvalsh(matrix))
    assert np.allclose(*spectra)


def test_dragonfly_groups_are_joined_once_when_largest():
    """With g = a h + 1 groups, absolute and palmtree wiring both give every pair of groups one link, every switch h."""
    for wiring in ("absolute", "palmtree"):
        topology = build(f"dragonfly:h=3,wiring={wiring}")
        group = topology.labels["group"][topology.links]
        pairs = group[group[:, 0] != group[:, 1]]
        assert len(np.unique(np.sort(pairs, axis=1), axis=0)) == len(pairs) == 19 * 18 // 2
        assert set(topology.degrees.tolist()) == {8}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("hypercube:n=60", r"hypercube: n=60 .* 1 to 24"),
        ("slimfly:q=6", r"q=6 is not a prime power \(nearest: 5, 7\)"),
        ("slimfly:q=2", r"q=2 .* 3 to 256"),
        ("bdf:u=4", r"u=4 must be odd"),
        ("bdf:u=15", r"u=15 is not an odd prime power \(nearest: 13, 16\)"),
        ("fat-tree:k=7", r"k=7 must be even"),
        ("star:n=4,k=4", r"k=4 must be below n=4"),
        ("dragonfly", r"give at least one of"),
        ("dragonfly:a=4,h=2,g=10", r"g=10 groups"),
        ("circulant:n=8,jumps=5", r"up to n/2 = 4"),
        ("myrinet-clos:switches=100", r"80 or 160"),
        ("optimal:n=20,degree=3", r"not stored"),
        ("dsn:n=16,x=9", r"p=4 levels"),
        ("grid:rows=5,columns=5,degree=6,length=2", r"a corner has only 5 switches within length=2"),
        ("grid:rows=3,columns=3,degree=2,length=1", r"no 2-regular graph"),
        ("jellyfish:n=5,degree=5", r"degree=5 needs more than 5"),
        ("watts-strogatz:n=10,degree=3", r"must be even"),
        ("nbr:n=100,degree=4,p=0.01", r"gives a switch 0 possible partners"),
        ("longhop:n=3,extra=5", r"extra=5 is more than"),
        ("torus:dims=4096x4096x4096", r"at most 16777216"),
        ("hyperx:dims=4096x4096", r"links; at most"),
        (
            "hyperx:dims=4x4x4,width=1x2",
            r"width=1x2 has 2 numbers, but there are 3 dimensions; give one number, or one per",
        ),
        ("polarstar:q=6,d=3", r"q=6 is not a prime power \(nearest: 5, 7\)"),
        ("polarstar:q=5,d=5", r"a multiple of 4 links per switch, or one less \(nearest: d=4, 7\)"),
        ("polarstar:q=5,d=5,supernode=paley", r"2d \+ 1 switches, a prime power .* \(nearest: d=4, 6\)"),
        ("bundlefly:q=5,p=7", r"p=7 must be a prime power 1 more than a multiple of 4 \(nearest: 5, 9\)"),
        ("bundlefly:q=5,p=21", r"p=21 must be .* \(nearest: 17, 25\)"),
        ("spectralfly:v=9,w=13", r"v=9 is not an odd prime \(nearest: 7, 11\)"),
        ("spectralfly:v=23,w=7", r"w=7 must be another prime than v=23 and above 2 sqrt\(v\) = 9.6, as 11"),
        ("oft:q=6", r"q=6 is not a prime power"),
        ("tofu:dims=4x4", r"dims=4x4 has 2 numbers; it needs three"),
        ("arrangement:n=4,k=4", r"k=4 must be below n=4"),
        ("cascade:groups=2000", r"960 ports to other groups; choose at most 961 groups"),
        ("cascade:groups=242,pair_links=4", r"at most 3 links per pair"),
        ("random-folded-clos:k=7,leaves=8", r"k=7 must be even"),
        ("random-folded-clos:k=8,leaves=6", r"leaves=6 must be even and at least k=8 \(nearest: 8\)"),
        ("complete:n=30+lift:copies=1000000", r"copies of complete\(n=30\): 30000000 switches; at most 16777216"),
        (
            "complete:n=2000+lift:copies=1000",
            r"1000 copies of complete\(n=2000\): about 1999000000 links; at most 268435456",
        ),
        ("complete:n=1000+planes:count=1024", r"1024 planes: about 511488000 links; at most"),
        ("ring:n=4096,hosts=80+rail-only:rails=1024", r"1024 rails: 335,544,320 ports of hosts; at most"),
        (
            "clustered-jellyfish:n=9,degree=4,clusters=2,inside=2",
            r"two clusters must be of equal size; n=9 must be even",
        ),
        ("clustered-jellyfish:n=40,degree=4,clusters=2,inside=4", r"inside=4 must be below degree=4"),
        (
            "clustered-jellyfish:n=8,degree=6,clusters=2,inside=1",
            r"5 links of a switch to other clusters, which have 4",
        ),
        ("clustered-jellyfish:n=8,degree=6,clusters=9,inside=1", r"clusters=9 is more than n=8 switches"),
        ("shuffled:n=64,degree=18", r"a cord has c=4 lanes; degree=18 is no multiple of 4"),
        ("shuffled:n=64,degree=4", r"with one cord, a switch at r-port k only meets .* raise degree=4 to 8 or more"),
        ("dring:supernodes=4,size=2", r"supernodes=4 is out of range; it must be 5"),
        ("mesh:dims=5+lift:copies=2", r"a tree has no connected lift"),
    ],
)
def test_parameters_that_do_not_fit_are_named_with_the_remedy(spec, words):
    """A bad parameter is one sentence with its name, its value and what would do."""
    with pytest.raises(InputError, match=words):
        build(spec)


def test_what_the_process_may_not_have_is_refused_before_it_is_taken(monkeypatch):
    """``ulimit -v`` counts as the machine's memory does."""
    monkeypatch.setattr("resource.getrlimit", lambda _: (1_000_000_000, 1_000_000_000))
    with pytest.raises(InputError, match=r"take about 2.7 GB of memory; ulimit -v allows 1.0 GB"):
        build("ring:n=16777216")


def test_an_incomplete_hypercube_of_all_switches_is_the_whole_one():
    """With long hops, too, it has the links of the family that it is cut from."""
    assert build("incomplete-hypercube:n=64") == build("hypercube:n=6")
    assert build("incomplete-hypercube:n=256,extra=5") == build("longhop:n=8,extra=5")


def test_groups_of_slim_flies_are_slim_flies_each_pair_joined_once():
    """Besta 2014 VII.B: the groups of a Dragonfly, as many as a group has global links and one."""
    topology = build("slimfly-dragonfly:q=3,h=1")
    group = topology.labels["group"][topology.links]
    inside = group[:, 0] == group[:, 1]
    for number in (0, 18):
        links = topology.links[inside & (group[:, 0] == number)] - 18 * number
        assert sorted(map(tuple, links.tolist())) == sorted(map(tuple, build("slimfly:q=3").links.tolist()))
    pairs, counts = np.unique(np.sort(group[~inside], axis=1), axis=0, return_counts=True)
    assert len(pairs) == 19 * 18 // 2
    assert set(counts.tolist()) == {1}
    assert hops(topology).diameter == 5


@pytest.mark.parametrize(
    ("n", "extra", "width", "diameter"), [(9, 4, 3, 5), (10, 5, 4, 5), (10, 6, 4, 4), (11, 5, 4, 6), (12, 5, 3, 6)]
)
def test_long_hops_have_the_widest_bisection_that_a_code_gives(n, extra, width, diameter):
    """The best codes of that length: distance 4 from L = 5 (to n = 11) and 6 on, 3 below; and a diameter that can be had."""
    masks = generators(n, extra, 1)
    assert len(set(masks.tolist())) == n + extra
    assert code_distance(masks, n) == width
    assert hops(build(f"longhop:n={n},extra={extra}")).diameter == diameter
