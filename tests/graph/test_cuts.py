"""Cuts into equal parts: exact on small graphs, METIS's best on larger ones."""

import builtins
import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from graph_cases import complete, cube, regular, ring, topologies, torus
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import build
from topoloom.core.errors import InputError
from topoloom.graph.cuts import cuts, exact_bisection
from topoloom.model.topology import Topology


@given(topologies(most=10))
@settings(max_examples=examples(60))
def test_the_exact_bisection_is_the_least_of_all(topology):
    """Branch and bound finds what trying every half finds, and its assignment has that many links."""
    n = topology.switches
    if n < 2:
        return
    links = topology.links.tolist()
    halves = map(set, itertools.combinations(range(n), n // 2))
    least = min(sum((u in half) != (v in half) for u, v in links) for half in halves)
    found = exact_bisection(topology)
    assert found.exact
    assert found.links == least == int((found.part[topology.links[:, 0]] != found.part[topology.links[:, 1]]).sum())
    assert sorted(found.sizes.tolist()) == [n // 2, (n + 1) // 2]


@pytest.mark.parametrize(
    ("spec", "links"),
    [
        ("optimal:n=16,degree=3", 6),
        ("optimal:n=16,degree=4", 12),
        ("optimal:n=32,degree=3", 10),
        ("optimal:n=32,degree=4", 16),
        ("petersen", 5),
        ("heawood", 7),
        ("levi", 9),
    ],
)
def test_exact_bisections_of_the_optimal_graphs(spec, links):
    """The widths of the graphs of Xu 2019 and of the cages, found by exhaustive search; METIS finds the same."""
    topology = build(spec)
    assert exact_bisection(topology).links == links
    assert cuts(topology).links == links


@pytest.mark.parametrize(
    ("spec", "links"),
    [
        ("torus:dims=32x32", 64),
        ("hypercube:n=8", 128),
        ("slimfly:q=5", 65),
        ("slimfly:q=9", 369),
        ("dragonfly:h=2", 20),
        ("dragonfly:h=4", 274),
        ("hyperx:dims=4x4x4", 64),
        ("dsn-f:n=896", 128),
        ("dsn-f:n=24", 8),
    ],
)
def test_bisections_are_no_worse_than_published_ones(spec, links):
    """Truong 2016, 4.4 and the bisections measured for Besta 2014: ours, with exactly equal halves, are as good or better."""
    found = cuts(build(spec))
    assert abs(int(found.sizes[0] - found.sizes[1])) <= 1
    assert found.links <= links
    assert not found.exact


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("parts", "links"), [(3, 100), (4, 128), (5, 149), (6, 166)])
def test_parts_of_a_torus(parts, links):
    """Truong 2016, 4.4: the total cut of a 32 x 32 torus in p parts, as METIS finds it with 3% of tolerance."""
    found = cuts(torus(32, 32), parts)
    assert found.parts == parts
    assert found.links <= links
    assert found.sizes.max() <= 1.03 * 1024 / parts + 1
    assert found.sizes.sum() == 1024


@given(topologies(most=30), st.integers(2, 5), st.integers(0, 3))
@settings(max_examples=examples(40))
def test_the_record_of_a_cut_is_consistent(topology, parts, seed):
    """Links, the table between parts, sizes and the assignment all tell of the same cut."""
    if topology.switches < parts:
        return
    found = cuts(topology, parts, seeds=2, seed=seed)
    sides = found.part[topology.links]
    crossing = sides[sides[:, 0] != sides[:, 1]]
    assert found.links == len(crossing) == found.between.sum() // 2
    for a, b in itertools.combinations(range(parts), 2):
        count = int(((np.sort(crossing, axis=1) == (a, b)).all(axis=1)).sum())
        assert found.between[a, b] == found.between[b, a] == count
    assert found.sizes.tolist() == np.bincount(found.part, minlength=parts).tolist()
    assert found.narrowest == found.between[np.triu_indices(parts, 1)].min()
    if parts == 2:
        assert abs(int(found.sizes[0] - found.sizes[1])) <= 1


def test_parallel_links_count_one_by_one():
    """A ring with every link doubled has a bisection of 4, not 2."""
    double = ring(12).replace(links=np.repeat(ring(12).links, 2, axis=0))
    assert cuts(double).links == exact_bisection(double).links == 4


def test_halves_by_hosts_share_out_the_hosts():
    """A fat tree of k = 8 has full bisection between its hosts: 64 of 128 on each side, k^3 / 8 links."""
    found = cuts(build("fat-tree:k=8"), by="hosts")
    assert found.sizes.tolist() == [64, 64]
    assert found.links == 64


def test_the_same_seed_gives_the_same_cut():
    """A cut can be repeated, and asking for more runs never makes it worse."""
    topology = regular(300, 5)
    one, again, more = (
        cuts(topology, seeds=2, seed=7),
        cuts(topology, seeds=2, seed=7),
        cuts(topology, seeds=12, seed=7),
    )
    assert one.part.tolist() == again.part.tolist()
    assert more.links <= one.links


def test_more_known_cuts():
    """A complete graph has n^2 / 4 links between its halves, a hypercube n / 2; links that are not there cut nothing."""
    assert cuts(complete(20)).links == 100
    assert exact_bisection(cube(5)).links == 16
    assert cuts(Topology(links=[], switches=6), 3).links == 0


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"ways": 1}, "2 to 9"),
        ({"ways": 10}, "2 to 9"),
        ({"seeds": 0}, "at least once"),
        ({"by": "racks"}, "racks"),
        ({"by": "hosts"}, "switches with hosts"),
    ],
)
def test_impossible_cuts_are_refused(settings, reason):
    """One part, more parts than switches, no runs, nothing to share: each is answered by a sentence."""
    with pytest.raises(InputError, match=reason):
        cuts(ring(9), **settings)


@pytest.mark.parametrize("n", [1, 41])
def test_the_exact_bisection_is_for_small_graphs(n):
    """Outside 2 to 40 switches the exact search is refused."""
    with pytest.raises(InputError, match="2 to 40"):
        exact_bisection(Topology(links=[], switches=n))


def test_without_metis_the_sentence_says_what_to_install(monkeypatch):
    """pymetis is an extra; its absence is told with the remedy."""
    real = builtins.__import__

    def missing(name, *rest, **more):
        if name == "pymetis":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(InputError, match=r"pip install topoloom\[partition\]"):
        cuts(ring(9))


def test_other_threads_find_the_same_cut():
    """METIS runs in a process of its own there, because it catches signals for the whole process."""
    topology = build("jellyfish:n=60,degree=5,seed=3")
    here = cuts(topology, 4, seeds=3)
    with ThreadPoolExecutor(2) as pool:
        there = list(pool.map(lambda _: cuts(topology, 4, seeds=3), range(4)))
    assert all((one.part == here.part).all() for one in there)
