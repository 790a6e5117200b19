"""Lifetimes, what is left after failures, and what it costs."""

import networkx
import numpy as np
import pytest
from failure_cases import RING, TWIN
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import InputError, Topology, build, resilience, route
from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.failures.degradation import degradation
from topoloom.failures.failure_orders import failing, failures_at
from topoloom.failures.lifetime import lifetime
from topoloom.failures.surviving_network import first_failures, surviving_network
from topoloom.throughput.tub import tub, uniform_bound


def test_a_ring_lives_until_its_second_link():
    """(1/n + 1/(n - 1)) / rate, exactly: every order is the same."""
    found = lifetime(RING, link_fit=50, samples=20)
    assert found.hours == pytest.approx(2e7 * (1 / 12 + 1 / 11))
    assert found.low == pytest.approx(found.high)
    assert found.failures == 2


def test_a_full_mesh_of_switches_lives_as_long_as_its_last():
    """Switches alone never part it: the sum of 1 / (k rate) over k = n .. 1."""
    found = lifetime(build("complete:n=6"), switch_fit=10, samples=5)
    assert found.hours == pytest.approx(1e8 * sum(1 / k for k in range(1, 7)))
    assert found.failures == 6


def test_two_switches_race_with_their_link():
    """One link a, two switches b: parted by the link, with nothing left by the second switch; a switch alone is one piece."""
    pair = Topology(links=[(0, 1)], switches=2)
    a, b = 300.0, 200.0
    found = lifetime(pair, link_fit=a, switch_fit=b, samples=40_000)
    # First event at rate a + 2b. A switch (2b): then its link, dead already, does not matter: the other dies at rate b.
    wanted = 1e9 * (1 / (a + 2 * b) + 2 * b / (a + 2 * b) / b)
    assert found.low <= wanted <= found.high or found.hours == pytest.approx(wanted, rel=0.02)


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 1 << 40), st.floats(0, 1e4), st.floats(1, 1e4))
def test_a_lifetime_is_that_of_simulated_clocks(seed, link_fit, switch_fit):
    """Exponential clocks for all links and switches, and NetworkX after each failure, give the same mean within the noise."""
    found = lifetime(TWIN, link_fit=link_fit, switch_fit=switch_fit, samples=2000, seed=seed)
    random = np.random.default_rng(seed)
    times = []
    for _ in range(300):
        graph = TWIN.to_networkx()
        clocks = [(random.exponential(1e9 / switch_fit), "switch", u) for u in range(6)]
        if link_fit:
            clocks += [(random.exponential(1e9 / link_fit), "link", key) for key in list(graph.edges(keys=True))]
        for time, what, which in sorted(clocks, key=lambda clock: clock[0]):
            if what == "switch":
                graph.remove_node(which)
            elif graph.has_edge(*which):
                graph.remove_edge(*which)
            if not graph or not networkx.is_connected(graph):
                times.append(time)
                break
    error = 5 * np.std(times) / np.sqrt(len(times))
    assert abs(np.mean(times) - found.hours) <= error + (found.high - found.low)


def test_lifetimes_scale_and_repeat():
    """Twice the rates, half the time; threads change nothing; between hosts it is not shorter in a fat tree of links."""
    fly = build("slimfly:q=5,hosts=4")
    one = lifetime(fly, link_fit=100, switch_fit=30, samples=100, jobs=1)
    assert lifetime(fly, link_fit=100, switch_fit=30, samples=100, jobs=3) == one
    assert lifetime(fly, link_fit=200, switch_fit=60, samples=100).hours == pytest.approx(one.hours / 2)
    tree = build("fat-tree:k=4")
    assert lifetime(tree, link_fit=9, of="hosts").hours >= lifetime(tree, link_fit=9).hours


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, "nothing ever fails"),
        ({"link_fit": -1.0}, "at least 0"),
        ({"switch_fit": float("inf")}, "at least 0"),
        ({"link_fit": 1.0, "of": "hosts"}, "no switch carries hosts"),
        ({"link_fit": 1.0, "samples": 0}, "at least one"),
    ],
)
def test_a_lifetime_that_makes_no_sense_is_refused(change, told):
    """In a sentence."""
    with pytest.raises(InputError, match=told):
        lifetime(RING, **change)
    with pytest.raises(InputError, match="the network has one switch, so it cannot be disconnected"):
        lifetime(Topology(links=[], switches=1), switch_fit=1.0)


@settings(max_examples=examples(30), deadline=None)
@given(st.sampled_from(["links", "switches", "racks"]), st.floats(0, 0.9), st.integers(0, 1 << 40))
def test_what_is_left_is_the_whole_less_what_failed(fail, share, seed):
    """Links between surviving switches, parallel ones counted, hosts on them, labels beside them; `was` tells who they were."""
    racks = np.arange(6) // 2
    what = failing(TWIN, fail, "random", racks)
    lost = first_failures(TWIN, what, share, seed)
    if lost.switches.size == 6:
        with pytest.raises(InputError, match="no switch is left"):
            surviving_network(TWIN, fail, share, seed=seed, racks=racks)
        return
    small = surviving_network(TWIN, fail, share, seed=seed, racks=racks)
    was = small.labels.get("was", np.arange(6))
    graph = TWIN.to_networkx()
    graph.remove_nodes_from(lost.switches.tolist())
    graph.remove_edges_from([tuple(pair) for pair in lost.links.tolist()])
    assert sorted(map(sorted, was[small.links].tolist())) == sorted(sorted(ends) for ends in graph.edges())
    assert sorted(was[small.endpoints].tolist()) == [0, 0, 2, 5] if fail == "links" else True
    units = what.units
    assert len(lost.links) + np.unique(what.unit[lost.switches]).size == failures_at(share, units) if units else True


def test_the_first_remnant_is_the_first_sample():
    """Whether it is connected is what `resilience` says of its first sample."""
    fly = build("slimfly:q=5")
    for share in (0.3, 0.5, 0.6, 0.7):
        for seed in (1, 2, 3):
            whole = networkx.is_connected(surviving_network(fly, share=share, seed=seed).to_networkx())
            assert resilience(fly, levels=[share], samples=1, seed=seed).levels[0].survived == whole


def test_remnants_have_no_spec_and_lose_hosts_whose_ports_are_gone():
    """Nothing rebuilds them; a host with two ports loses one."""
    rails = Topology(links=[(0, 1)], switches=2, endpoints=[0, 1, 1], host=[0, 0, 1])
    left = surviving_network(rails, "switches", 0.5, order="degree", seed=3)
    assert left.switches == 1
    assert left.spec is None
    assert left.hosts in (1, 2)
    assert surviving_network(build("petersen"), share=0.0) == build("petersen")


def test_the_cost_of_damage_is_that_of_its_remnants():
    """Bounds over those of the whole; entries that led over lost links are broken, and a failure costs no more than all."""
    fly = build("slimfly:q=5,hosts=4")
    found = degradation(route(fly), levels=[0.0, 0.1], samples=2)
    none, some = found
    assert (none.uniform, none.tub, none.broken, none.changed, none.rebuilt) == (1.0, 1.0, 0.0, 0.0, 0)
    left = [surviving_network(fly, share=0.1, sample=sample) for sample in range(2)]
    assert some.uniform == pytest.approx(np.mean([uniform_bound(one) for one in left]) / uniform_bound(fly))
    assert some.tub == pytest.approx(np.mean([tub(one).value for one in left]) / tub(fly).value)
    assert some.uniform_least <= some.uniform < 1
    assert 0 < some.broken <= some.changed < 0.5
    assert some.connected == some.rerouted == 2


def test_damage_of_switches_and_of_all_is_counted():
    """Switches that fail are no part of the rest; where nothing is connected there is nothing to say."""
    cube = build("hypercube:n=4")
    some, ruin = degradation(route(cube), "switches", levels=[0.1, 1.0], samples=2)
    assert some.failures == 2
    assert 0 < some.broken < 1
    assert (ruin.connected, ruin.uniform, ruin.tub, ruin.broken, ruin.rerouted) == (0, None, None, None, 0)
    spread = degradation(cube, levels=[0.1], samples=1, throughput=False)[0]
    assert (spread.uniform, spread.broken, spread.connected) == (None, None, 1)
    with pytest.raises(InputError, match="at least one"):
        degradation(cube, samples=0)
    with pytest.raises(InputError, match="between 0 and 1"):
        degradation(cube, levels=[2.0])


def test_what_failures_cost_is_counted_in_samples_and_can_be_stopped():
    """Tables are repaired inside a sample: they are stopped with the rest, and count nothing of their own."""
    tables, told = route(build("torus:dims=6x6")), []
    degradation(tables, levels=[0.05], samples=3, throughput=False, work=Work(on_progress=told.append))
    assert {(progress.what, progress.total) for progress in told} == {("samples", 3)}
    work = Work()
    work.stop()
    with pytest.raises(Stopped):
        degradation(tables, levels=[0.05], samples=3, throughput=False, work=work)
