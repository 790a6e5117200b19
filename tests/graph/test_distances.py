"""Hop distances: exact on every kind of graph, by every way of computing them."""

import math

import numpy as np
import pytest
from graph_cases import complete, cube, path, regular, ring, scipy_distances, topologies, torus
from hypothesis import given, settings
from hypothesis import strategies as st

from topoloom.core.errors import InputError
from topoloom.graph.distances import distance_matrix, distances_from, eccentricities
from topoloom.graph.hops import Hops, hops
from topoloom.graph.path_lengths import carrier_distance_sum
from topoloom.model.topology import Topology


def histogram_of(found):
    """Ordered pairs at each finite distance."""
    return np.bincount(found[np.isfinite(found)].astype(int)).tolist()


@given(topologies())
def test_the_histogram_counts_the_pairs_that_scipy_finds(topology):
    """On any multigraph every ordered pair that reaches each other is counted at its distance, once."""
    found, expected = hops(topology), scipy_distances(topology)
    assert found.histogram.tolist() == histogram_of(expected)
    assert found.connected == bool(np.isfinite(expected).all())
    assert found.largest_finite == expected[np.isfinite(expected)].max()


@pytest.mark.sweep(2)
@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(("n", "degree"), [(511, 3), (513, 4), (1500, 5), (2600, 7)])
def test_blocks_of_sources_and_threads_leave_no_trace(n, degree, jobs):
    """Below, at and past the 512 sources of a block, and on any number of threads, the counts are the same."""
    topology = regular(n + n * degree % 2, degree)
    assert hops(topology, jobs).histogram.tolist() == histogram_of(scipy_distances(topology))


@given(st.integers(0, 2**32))
@settings(max_examples=10)
def test_graphs_with_many_components_are_counted_within_each(seed):
    """Six hundred switches with about as many random links fall apart; SciPy and we agree on every part."""
    links = np.random.default_rng(seed).integers(0, 600, (550, 2))
    topology = Topology(links=links[links[:, 0] != links[:, 1]], switches=600)
    found = hops(topology)
    assert not found.connected
    assert math.isinf(found.diameter)
    assert math.isinf(found.aspl)
    assert found.histogram.tolist() == histogram_of(scipy_distances(topology))


def test_closed_forms():
    """Complete graph, ring, hypercube and torus have the diameter and ASPL that theory gives."""
    assert (hops(complete(9)).diameter, hops(complete(9)).aspl) == (1, 1.0)
    assert (hops(ring(101)).diameter, hops(ring(101)).aspl) == (50, 25.5)
    assert (hops(cube(10)).diameter, hops(cube(10)).aspl) == (10, pytest.approx(10 * 2**9 / (2**10 - 1)))
    found = hops(torus(16, 16))
    assert (found.diameter, round(found.aspl, 4), found.aspl_including_self) == (
        16,
        8.0314,
        8.0,
    )  # Koibuchi 2013, Table 1


@pytest.mark.sweep(1)
@pytest.mark.parametrize("n", [1023, 1026, 3000, 4001])
def test_long_paths_are_searched_by_queue_and_counted_alike(n):
    """Past 1,024 rounds the bit-parallel search gives way to a queue; on a path of n, 2 (n - k) pairs are k hops apart."""
    found = hops(path(n))
    assert found.histogram.tolist() == [n, *(2 * (n - k) for k in range(1, n))]
    assert found.aspl == pytest.approx((n + 1) / 3)


def test_a_long_component_beside_a_compact_one():
    """A path of 3,000 beside a complete graph: each block of sources is finished by the way that suits it."""
    compact = complete(20).links + 3000
    found = hops(Topology(links=np.concatenate([path(3000).links, compact]), switches=3020))
    assert found.components == 2
    assert found.histogram[1] == 2 * 2999 + 20 * 19
    assert found.largest_finite == 2999


def test_parallel_links_change_no_distance():
    """Doubling every link of a graph doubles no count and shortens no way."""
    single = regular(700, 4)
    double = single.replace(links=np.repeat(single.links, 2, axis=0))
    assert hops(double).histogram.tolist() == hops(single).histogram.tolist()


def test_one_switch_and_no_links():
    """One switch is connected, with diameter and ASPL 0; two without a link are not."""
    alone = hops(Topology(links=[], switches=1))
    assert (alone.diameter, alone.aspl, alone.connected, alone.histogram.tolist()) == (0, 0.0, True, [1])
    apart = hops(Topology(links=[], switches=2))
    assert (apart.diameter, apart.aspl, apart.components) == (math.inf, math.inf, 2)
    assert apart.largest_finite == 0


def host_distances(topology, between):
    """Hops of every ordered pair of distinct hosts: the least over their ports."""
    ports = [topology.endpoints[topology.host == host] for host in range(topology.hosts)]
    return [between[np.ix_(a, b)].min() for i, a in enumerate(ports) for j, b in enumerate(ports) if i != j]


@given(topologies(hosts=True))
def test_host_distances_count_every_pair_of_hosts(topology):
    """Hosts spread over switches in any way: the mean and the largest are those of all pairs, 0 on one switch."""
    check_hosts(topology)


@given(topologies(hosts=True, several_ports=True))
def test_a_host_with_several_ports_uses_the_nearest(topology):
    """Between hosts with several ports the distance is that of their two nearest ports."""
    check_hosts(topology)


def check_hosts(topology):
    """Compare with all pairs, one by one."""
    found = hops(topology)
    if topology.hosts < 2:
        assert found.host_aspl is None
        assert found.host_diameter is None
    else:
        pairs = host_distances(topology, scipy_distances(topology))
        assert found.host_aspl == pytest.approx(np.mean(pairs))
        assert found.host_diameter == max(pairs)


@pytest.mark.parametrize("counts", [[3] * 900, [0] * 300 + [4] * 600, [2, 0, 5] * 300])
def test_hosts_on_all_some_and_uneven_switches(counts):
    """Uniform hosts, hosts on a subset (fat trees), and several groups of switches with equal hosts."""
    topology = regular(900, 4).with_hosts(np.array(counts))
    pairs, weight = scipy_distances(topology), topology.endpoints_at
    total = weight @ pairs @ weight
    assert hops(topology).host_aspl == pytest.approx(total / (topology.hosts * (topology.hosts - 1)))


def test_hosts_may_reach_each_other_where_switches_do_not():
    """A switch that nobody reaches matters to the switches' ASPL, not to the hosts'."""
    found = hops(Topology(links=[(0, 1)], switches=3, endpoints=[0, 1]))
    assert math.isinf(found.aspl)
    assert (found.host_aspl, found.host_diameter) == (1.0, 1)


def test_the_sum_over_carriers_is_over_those_with_hosts():
    """Only switches with hosts count, each once; all do when none carries any."""
    assert carrier_distance_sum(path(4).with_hosts(np.array([7, 0, 0, 1]))) == (2, 6.0)
    assert carrier_distance_sum(path(3)) == (3, 8.0)
    assert carrier_distance_sum(Topology(links=[], switches=2)) == (2, math.inf)


@given(topologies())
def test_matrix_rows_and_eccentricities_agree_with_scipy(topology):
    """The three ways to ask for single distances give the same, with their marks for 'no way'."""
    expected = scipy_distances(topology)
    whole = np.where(np.isfinite(expected), expected, -1).astype(int)
    assert eccentricities(topology).tolist() == whole.max(axis=1).tolist()
    assert distances_from(topology, range(topology.switches)).tolist() == whole.tolist()
    matrix = distance_matrix(topology)
    assert matrix.dtype == np.uint8
    assert matrix.tolist() == np.where(whole < 0, 255, whole).tolist()


def test_matrix_and_eccentricities_over_several_blocks():
    """1,300 sources: three blocks, two threads."""
    topology = regular(1300, 4)
    expected = scipy_distances(topology)
    assert (distance_matrix(topology, jobs=2) == expected).all()
    assert (eccentricities(topology, jobs=2) == expected.max(axis=1)).all()


@pytest.mark.parametrize(("n", "kind"), [(255, np.uint8), (256, np.uint16), (1500, np.uint16)])
def test_the_matrix_has_the_smallest_type_that_fits(n, kind):
    """A path of n has distances up to n - 1; 255 is the mark of uint8, so 254 is the last that fits."""
    matrix = distance_matrix(path(n))
    assert matrix.dtype == kind
    assert (matrix == abs(np.subtract.outer(np.arange(n), np.arange(n)))).all()


def test_long_paths_have_eccentricities_too():
    """Past 1,024 rounds eccentricities come from a queue."""
    n = 2500
    assert eccentricities(path(n)).tolist() == [max(i, n - 1 - i) for i in range(n)]


@pytest.mark.parametrize("sources", [[3], [-1]])
def test_a_source_that_is_no_switch_is_refused(sources):
    """A source out of range is named with the range."""
    with pytest.raises(InputError, match="0 to 2"):
        distances_from(path(3), sources)


def test_no_threads_is_refused():
    """jobs=0 is answered by a sentence."""
    with pytest.raises(InputError, match="at least one thread"):
        hops(ring(5000), jobs=0)


def test_the_result_is_read_only():
    """A measure is a value: its histogram cannot be changed."""
    with pytest.raises(ValueError, match="read-only"):
        hops(ring(5)).histogram[0] = 1
    assert Hops.__dataclass_params__.frozen
