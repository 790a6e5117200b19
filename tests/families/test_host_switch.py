"""The order/radix problem: bounds, networks that no other one of their size beats, and moves that keep all ports."""

import itertools

import numpy as np
import pytest

from topoloom import InputError, build, hops
from topoloom.core.random_streams import Draws
from topoloom.graph.host_switch_bounds import (
    continuous_moore_aspl,
    h_aspl_bound,
    h_aspl_estimate,
    h_diameter_bound,
    predicted_switches,
)
from topoloom.graph.measure_register import measured
from topoloom.graph.moore import moore_aspl
from topoloom.topologies.families._host_search import HostSearch


def _spread(free, hosts):
    """Every distribution of hosts over switches with these free ports."""
    if len(free) == 1:
        yield from [(hosts,)] if hosts <= free[0] else []
        return
    for first in range(min(free[0], hosts) + 1):
        for rest in _spread(free[1:], hosts - first):
            yield first, *rest


def _best_of_all(hosts, radix, most):
    """(h-diameter, h-ASPL) of the best of all connected networks with up to `most` switches."""
    best = (np.inf, np.inf)
    for m in range(1, most + 1):
        pairs = list(itertools.combinations(range(m), 2))
        for chosen in itertools.product((False, True), repeat=len(pairs)):
            distance = np.where(np.eye(m, dtype=bool), 0, 99)
            for u, v in itertools.compress(pairs, chosen):
                distance[u, v] = distance[v, u] = 1
            free = radix - (distance == 1).sum(axis=1)
            for k in range(m):
                distance = np.minimum(distance, distance[:, k : k + 1] + distance[k : k + 1])
            if free.min() < 0 or distance.max() >= 99:
                continue
            for spread in _spread(free.tolist(), hosts):
                weight = np.outer(spread, spread)
                mean = (weight * distance).sum() / (hosts * (hosts - 1))
                best = min(best, (distance[weight > 0].max() + 2, mean + 2))
    return best


_SMALL = [(4, 3, 3), (5, 3, 4), (5, 4, 3), (6, 4, 3), (7, 4, 4), (8, 5, 3)]


@pytest.mark.parametrize(("hosts", "radix", "most"), _SMALL)
def test_no_small_network_is_better(hosts, radix, most):
    """Compared with every network of up to `most` switches: h-diameter first, then h-ASPL."""
    found = hops(build(f"host-switch:hosts={hosts},radix={radix},moves=3000"))
    diameter, mean = _best_of_all(hosts, radix, most)
    assert found.host_diameter + 2 == diameter
    assert found.h_aspl == pytest.approx(mean)
    assert diameter >= h_diameter_bound(hosts, radix)
    assert mean >= h_aspl_bound(hosts, radix) - 1e-12


@pytest.mark.exhaustive
@pytest.mark.parametrize(("hosts", "radix"), [(6, 3), (8, 4), (9, 4)])
def test_no_network_of_five_switches_is_better(hosts, radix):
    """Likewise, with all 1,024 graphs of five switches."""
    found = hops(build(f"host-switch:hosts={hosts},radix={radix}"))
    diameter, mean = _best_of_all(hosts, radix, 5)
    assert (found.host_diameter + 2, found.h_aspl) == (diameter, pytest.approx(mean))


def test_a_search_keeps_hosts_and_ports_and_counts_as_hops_does():
    """128 hosts at 60 switches of 6 ports: every host once, no switch beyond its ports, and the same sum of hops."""
    search = HostSearch(128, 6, 60, Draws(3))
    before = search.cost
    search.run(3000, (0, 0, 0))
    assert search.cost < before
    network = build("host-switch:hosts=128,radix=6,switches=60,moves=3000")
    assert network.hosts == 128
    assert int((network.degrees + network.endpoints_at).max()) <= 6
    assert len(np.unique(network.links, axis=0)) == len(network.links)
    links, counts = search.best()
    assert counts.sum() == 128
    found = hops(network.replace(links=links, endpoints=np.repeat(np.arange(60), counts)))
    lost, diameter, total = search.cost
    assert (lost, diameter, total) == (0, found.host_diameter, round(found.host_aspl * 128 * 127))


def test_more_moves_give_fewer_hops_and_the_same_seed_the_same_network():
    specs = [f"host-switch:hosts=80,radix=6,moves={moves}" for moves in (0, 20_000)]
    start, searched = (hops(build(spec)).h_aspl for spec in specs)
    assert searched < start - 0.1
    assert build(specs[1]) == build(specs[1])
    assert build(specs[1] + ",seed=2") != build(specs[1])


def test_a_host_switch_graph_of_one_switch_and_a_clique_meet_their_bounds():
    """16 hosts fit on one switch; 128 hosts of radix 24 are best on eight switches, all linked (Yasudo et al., 2017)."""
    one = build("host-switch:hosts=16,radix=16")
    assert (one.switches, len(one.links), hops(one).h_aspl) == (1, 0, 2.0)
    eight = build("host-switch:hosts=128,radix=24")
    assert (eight.switches, len(eight.links)) == (8, 28)
    assert eight.endpoints_at.tolist() == [16] * 8


def test_bounds_agree_with_moore_and_with_trees():
    assert continuous_moore_aspl(50, 7.0) == pytest.approx(moore_aspl(50, 7))
    assert continuous_moore_aspl(100, 4.5) < continuous_moore_aspl(100, 4.0)
    # Hoffman-Singleton with one host on each switch: the tree of a host is full.
    assert h_aspl_estimate(50, 8, 50) == pytest.approx(2 + moore_aspl(50, 7))
    assert h_diameter_bound(2, 3) == 2
    for hosts, radix in ((30, 4), (500, 10), (1000, 36)):
        value = h_aspl_bound(hosts, radix)
        assert h_diameter_bound(hosts, radix) - 1 <= value <= h_diameter_bound(hosts, radix)
        assert h_aspl_estimate(hosts, radix, predicted_switches(hosts, radix)) >= value


def test_measures_of_hosts():
    values = measured("host-switch:hosts=16,radix=16", ("h-aspl", "h-aspl-bound", "h-diameter", "h-diameter-bound"))
    assert values == {"h-aspl": 2.0, "h-aspl-bound": 2.0, "h-diameter": 2.0, "h-diameter-bound": 2.0}
    with pytest.raises(InputError, match="0 hosts; the order/radix problem needs two; give hosts="):
        measured("petersen", ("h-aspl",))


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("host-switch:hosts=100,radix=4,switches=40", "switches=40 of 4 ports connect at most 82 hosts"),
        ("host-switch:hosts=100,radix=2", "radix=2"),
        ("host-switch:hosts=1,radix=4", "hosts=1"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(spec, sentence):
    with pytest.raises(InputError, match=sentence):
        build(spec)
