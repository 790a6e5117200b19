"""Koibuchi 2013's networks under load: units, where throughput is read off, where a sweep ends, and the Clos's racks."""

import numpy as np
import pytest

from topoloom import build, route, simulate
from topoloom_papers.long_runs import LONG_RUNS
from topoloom_papers.papers.koibuchi_2013._escapes import varied
from topoloom_papers.papers.koibuchi_2013._switch_loads import (
    HIGHEST_NS,
    PRESET,
    Network,
    before_collapse,
    clos_in_other_racks,
    further_draws,
    gbit_s,
    greatest,
    low_ns,
    sweep,
    throughput,
)
from topoloom_papers.papers.koibuchi_2013.latency import networks, torus_networks


def test_a_flit_a_cycle_is_the_link():
    """96 Gbit/s, as Koibuchi 2013 III.C has it."""
    assert gbit_s(1.0) == pytest.approx(96)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        (((1.0, 600.0), (2.0, 1000.0), (3.0, 1400.0)), 2.5),
        (((1.0, 600.0), (2.0, 1000.0)), 2.0),
        (((1.0, 600.0), (2.0, 1000.0), (1.5, 1900.0)), 2.0),
    ],
    ids=["between two points", "never passed", "less accepted beyond saturation"],
)
def test_throughput_is_where_latency_passes_1200_ns(points, expected):
    """Linear between points; the last point where it is never passed; no less than what was accepted before."""
    assert throughput(points) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [((1.0, 2.0, 0.6, 2.5), 2.0), ((1.0, 2.0, 1.99, 2.2), 2.2), ((1.0,), 1.0)],
    ids=["collapsed", "by chance", "one point"],
)
def test_the_throughput_is_the_most_accepted_before_the_collapse(accepted, expected):
    """Where accepted traffic falls by more than 1 %, the curve ends: what a later load seems to accept does not count."""
    points = before_collapse([(each, 500.0) for each in accepted])
    assert greatest(points) == expected


@pytest.fixture
def measured_now(monkeypatch):
    """Long runs are made, and forgotten again."""
    monkeypatch.setattr(LONG_RUNS, "_fresh", {})
    with LONG_RUNS.of("koibuchi-2013", again=True):
        yield


@pytest.mark.exhaustive
@pytest.mark.usefixtures("measured_now")
def test_a_sweep_rises_and_ends():
    """Accepted traffic rises from point to point but for the last, which alone is beyond 2 us or saturated."""
    points = sweep(Network("ring:n=4,hosts=2", "dor", 2), "uniform", 0.2)
    accepted = [gbit for gbit, _ in points[:-1]]
    assert accepted == sorted(accepted)
    assert len(points) > 2
    assert all(ns <= HIGHEST_NS for _, ns in points[:-1])


@pytest.mark.exhaustive
@pytest.mark.usefixtures("measured_now")
def test_a_further_draw_ends_at_the_last_load_that_is_carried():
    """The accepted traffic is that of a load that the draw's network carries, and the next multiple saturates it."""
    network = Network("ring-shortcuts:n=16,degree=3,hosts=4,seed={seed}", "silla-duato", 4)
    (accepted,) = further_draws(network, "uniform", 0.05, (2,))
    routing = route(build("ring-shortcuts:n=16,degree=3,hosts=4,seed=2"), "silla-duato", virtual_channels=4)
    last = round(accepted / gbit_s(0.05)) * 0.05
    loads = [round(last, 6), round(last + 0.05, 6)]
    points = simulate(routing, "uniform", PRESET, loads=loads, seed=2, interval=0.05).points
    assert [point.saturated for point in points] == [False, True]
    assert gbit_s(points[0].accepted) == pytest.approx(accepted, abs=1e-3)


@pytest.mark.exhaustive
def test_the_variants_of_the_routing_begin_with_the_engine():
    """Escaping at once is engine silla-duato: the same latency below saturation; waiting does not lose packets."""
    network = Network("ring-shortcuts:n=16,degree=4,hosts=2,seed=1", "silla-duato", 4)
    engine = simulate(
        route(network.build(1), "silla-duato", virtual_channels=4), "uniform", PRESET, loads=[0.3], seed=1
    ).points[0]
    for numbers in ((0, 0, 0), (200, 0, 0), (0, 80, 0)):
        point = simulate(varied(network, *numbers), "uniform", PRESET, loads=[0.3], seed=1).points[0]
        assert point.accepted == pytest.approx(engine.accepted, rel=0.03), numbers
        assert point.latency_mean == pytest.approx(engine.latency_mean, rel=0.15), numbers


@pytest.mark.usefixtures("measured_now")
def test_low_load_is_the_simulators():
    """The latency of a draw is that of the topology and of the simulation with its seed, in ns."""
    network = Network("ring-shortcuts:n=16,degree=4,hosts=2,seed={seed}", "silla-duato", 4)
    routing = route(build("ring-shortcuts:n=16,degree=4,hosts=2,seed=3"), "silla-duato", virtual_channels=4)
    point = simulate(routing, "uniform", "koibuchi-2013", loads=[network.low], seed=3).points[0]
    assert low_ns(network, "uniform", (1, 3))[1] == pytest.approx(point.latency_mean * 8 / 3, abs=1e-4)


@pytest.mark.parametrize("switches", [80, 160])
def test_the_other_racks_of_the_clos(switches):
    """16 leaves a rack and all others in one; permuting keeps the cables between each two racks, but for doubles."""
    network = clos_in_other_racks(switches)
    leaves = 32 if switches == 80 else 64
    homes = np.array(network.homes)
    assert np.bincount(homes).tolist() == [16] * (leaves // 16) + [switches - leaves]
    before, after = build(network.spec), network.build(1)
    pairs = [np.sort(homes[one.links], axis=1) for one in (before, after)]
    counts = [np.bincount(pair[:, 0] * 8 + pair[:, 1], minlength=64) for pair in pairs]
    assert (counts[1] <= counts[0]).all()
    assert counts[1].sum() > 0.85 * counts[0].sum()


def test_the_figures_networks_are_the_papers():
    """256 hosts on 64 switches, 2,048 on 256, 4,096 on 512; all of the same degree but for doubled links dropped."""
    for n, hosts in ((6, 256), (8, 2048), (9, 4096)):
        for label, network in networks(n).items():
            built = network.build(1)
            assert (built.switches, built.hosts) == (2**n, hosts), label
            assert n * 2 ** (n - 1) * 0.9 < len(built.links) <= n * 2 ** (n - 1), label
    for label, network in torus_networks().items():
        assert network.build(1).hosts == 2048, label
