"""The mathematics on odd graphs, against NetworkX, SciPy and trying everything; all small graphs in the exhaustive tests."""

import networkx as nx
import numpy as np
import pytest
from odd_graphs import (
    atlas,
    concurrent_flow,
    distances,
    drawn,
    least_cut,
    least_half,
    maximum_flows,
    named,
    path_counts,
    weights,
)
from test_symmetry import orbits, orbits_by_networkx

from topoloom import InputError, bounds, build, cuts, hops, info, quality, route, traffic_of, verify_routing
from topoloom.graph.cuts import exact_bisection
from topoloom.graph.spectrum import spectrum
from topoloom.graph.symmetry import symmetries
from topoloom.throughput import flow


def check_hops(topology):
    """Distances, eccentricities, means, the hosts' distances."""
    between = distances(topology)
    found = hops(topology, eccentricities=True)
    finite = between[np.isfinite(between)]
    assert found.histogram.tolist() == np.bincount(finite.astype(int)).tolist()
    assert found.diameter == between.max()
    n = topology.switches
    assert found.aspl == pytest.approx(between.sum() / (n * (n - 1)) if n > 1 else 0.0)
    assert found.components == nx.number_connected_components(topology.to_networkx())
    farthest = np.where(np.isfinite(between), between, 0).max(axis=1).astype(int)
    assert found.eccentricities.histogram.tolist() == np.bincount(farthest).tolist()
    if topology.hosts > 1:
        hosts = between[np.ix_(topology.endpoints, topology.endpoints)]
        apart = hosts[~np.eye(len(hosts), dtype=bool)]
        assert found.host_diameter == apart.max()
        assert found.host_aspl == pytest.approx(apart.mean())
    else:
        assert found.host_aspl is None


def check_paths(topology):
    """How many shortest paths, and how many without a common link, join two switches."""
    n = topology.switches
    found = hops(topology, paths=True).paths
    if n == 1:
        assert found.disjoint is None
        return
    reached = np.isfinite(distances(topology)) & ~np.eye(n, dtype=bool)
    counts = path_counts(topology)[reached]
    assert found.shortest.mean == pytest.approx(counts.mean() if counts.size else 0.0)
    assert (found.shortest.fewest, found.shortest.most) == (counts.min(initial=1e9) % 1e9, counts.max(initial=0))
    assert found.shortest.single == pytest.approx((counts == 1).mean() if counts.size else 0.0)
    flows = maximum_flows(topology)
    assert found.disjoint.mean == pytest.approx(np.mean(flows))
    assert (found.disjoint.fewest, found.disjoint.most) == (min(flows), max(flows))


def check_cuts(topology):
    """The least cut and the bisection are those of trying all; METIS finds no cut that is not there, and info says the same."""
    told = info(topology, full=True)
    assert told.edge_connectivity == least_cut(topology)
    if topology.switches == 1:
        assert told.bisection is None
        with pytest.raises(InputError, match="a cut needs at least two"):
            cuts(topology)
        return
    least = least_half(topology)
    assert exact_bisection(topology).links == least
    assert told.bisection == least
    found = cuts(topology)
    assert found.links >= least
    side = found.part == 0
    assert found.links == weights(topology)[np.ix_(side, ~side)].sum()


def check_spectrum(topology):
    """Eigenvalues of adjacency and of the Laplacian."""
    between = weights(topology)
    values = np.linalg.eigvalsh(between)
    laplacian = np.linalg.eigvalsh(np.diag(between.sum(axis=0)) - between)
    found = spectrum(topology)
    assert found.largest == pytest.approx(values[-1], abs=1e-9)
    assert found.algebraic_connectivity == pytest.approx(laplacian[1] if len(values) > 1 else 0.0, abs=1e-9)


def check_bounds(topology):
    """No graph has fewer hops than its bounds."""
    found, measured = bounds(topology, measured=True), hops(topology)
    assert found.moore_diameter <= measured.diameter
    assert found.moore_aspl <= measured.aspl + 1e-12
    assert found.largest_order is None or topology.switches <= found.largest_order


def check_symmetries(topology):
    """Orbits are those of all automorphisms; of graphs connected without parallel links, which NetworkX does not count."""
    if hops(topology).connected and len({tuple(link) for link in topology.links.tolist()}) == len(topology.links):
        assert orbits(symmetries(topology), topology.switches) == orbits_by_networkx(topology)


def check_throughput(topology):
    """The best flow of uniform traffic and of all-to-all is the linear program's; tables and bounds stand on its two sides."""
    if topology.hosts < 2:
        return
    for pattern in ("uniform", "all-to-all"):
        traffic = traffic_of(pattern, topology)
        if topology.switches > 1 and np.isinf(distances(topology)).any():
            continue
        exact = concurrent_flow(topology, traffic.dense())
        assert flow.concurrent_flow(topology, traffic) == pytest.approx(exact, rel=1e-6)
        found = quality(route(topology), pattern, bisections=2)
        assert found.traffic_bound >= exact * (1 - 1e-6)
        assert found.traffic_throughput <= min(exact, 1) * (1 + 1e-6)


def check_routes(topology):
    """Tables of a graph connected reach every pair, at least by its hops; one that falls apart is refused."""
    between = distances(topology)
    if np.isinf(between).any():
        with pytest.raises(
            InputError,
            match=r"not connected: \d+ parts, and they are not planes that share hosts; route each part"
            if len(topology.links)
            else r"its \d+ switches have no links among them, so there is nothing to route",
        ):
            route(topology, "orders")
        return
    for engine in ("orders", "minimal", "updown"):
        tables = route(topology, engine)
        verification = verify_routing(tables)
        n = topology.switches
        assert verification.reached_pairs == n * (n - 1)
        if engine != "updown":
            assert verification.max_hops == between.max()
            assert verification.mean_hops == pytest.approx(between.sum() / max(1, n * (n - 1)))
        assert verification.deadlock_free or engine == "minimal"


CHECKS = [
    check_hops,
    check_paths,
    check_cuts,
    check_spectrum,
    check_bounds,
    check_symmetries,
    check_throughput,
    check_routes,
]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("topology", named(), ids=lambda topology: topology.name)
def test_named(topology, check):
    """One switch, two, isolated ones, parts, parallel links, stars, paths, trees, complete and bipartite ones."""
    check(topology)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(12))
def test_drawn(seed):
    """Random multigraphs, sparse and dense, with hosts on some switches only."""
    for check in CHECKS:
        check(drawn(seed))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("first", range(0, 1252, 313))
def test_some_of_all_small_graphs(first):
    """A few of the graphs of up to seven switches; the exhaustive test takes all."""
    for topology in atlas()[first : first + 313 : 104]:
        for check in CHECKS:
            check(topology.with_hosts(1))


@pytest.mark.exhaustive
@pytest.mark.parametrize("check", CHECKS)
def test_all_small_graphs(check):
    """Every graph of up to seven switches, connected or not: 1,252 of them; flows and routes of those of up to six."""
    for topology in atlas():
        if topology.switches < 7 or check not in (check_throughput, check_routes):
            check(topology.with_hosts(1))


@pytest.mark.exhaustive
@pytest.mark.parametrize("check", CHECKS)
def test_many_drawn(check):
    """Hundreds of random multigraphs, each by every measure."""
    for seed in range(1000, 1300):
        check(drawn(seed))


def test_families_of_one_switch_are_the_same_graph():
    """Whatever family makes it, one switch is one switch."""
    assert build("complete:n=1,hosts=3").digest == named()[1].digest
