"""The simulator: in agreement with another one, with theory, and with itself."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from topoloom.core.errors import InputError
from topoloom.routing.route import route
from topoloom.simulation.flits.buffers import FLITS, HOPS, INJECTED
from topoloom.simulation.flits.kernels.fields import VC_FLITS, VC_SIZE
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.simulation.flits.simulate import simulate
from topoloom.throughput.traffic import traffic_of
from topoloom.topologies.spec import build

BOOKSIM = json.loads((Path(__file__).parents[1] / "reference" / "booksim.json").read_text())["cases"]
#: Each recorded case: the network, the engine, and its buffers. 64 flits a port are two VCs of 32 or three of 21.
CASES = {"slimfly": ("slimfly:q=5,hosts=4", "hop-vcs", 2), "mesh": ("mesh:dims=8x8,hosts=1", "dor", 3)}


#: Below 80 % of saturation, and often enough for a mean.
RECORDED = [
    pytest.param(name, row, id=f"{name}-{row['load']}")
    for name in CASES
    for row in BOOKSIM[name]["rows"]
    if row["mode"] == "latency" and 0.1 <= row["load"] <= (0.7 if name == "slimfly" else 0.3)
]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("name", "row"), RECORDED)
def test_queues_are_as_long_as_booksims(name, row):
    """Hops within 0.5 %; latency above 3 H + 2 within 0.05 cycles and 10 % of BookSim's, below 80 % of saturation."""
    spec, engine, vcs = CASES[name]
    load = row["load"]
    point = simulate(
        route(build(spec), engine), preset=structs.replace(find_preset("booksim"), vcs=vcs), loads=[load]
    ).points[0]
    assert point.hops_mean == pytest.approx(row["hops_avg"], rel=0.005)
    theirs = row["packet_latency_avg"] - 3 * row["hops_avg"] - 2
    ours = point.latency_mean - 3 * point.hops_mean - 2
    assert abs(ours - theirs) <= 0.05 + 0.1 * theirs
    assert point.accepted == pytest.approx(load, rel=0.02)
    assert not point.saturated


@pytest.mark.parametrize("name", list(CASES))
def test_as_much_gets_through_as_with_booksim(name):
    """At full load the accepted load is within 3 % of BookSim's, and the point is saturated."""
    spec, engine, vcs = CASES[name]
    row = next(row for row in BOOKSIM[name]["rows"] if row["mode"] == "throughput")
    point = simulate(
        route(build(spec), engine), preset=structs.replace(find_preset("booksim"), vcs=vcs), loads=[1.0]
    ).points[0]
    assert point.accepted == pytest.approx(row["accepted"], rel=0.03)
    assert point.saturated


@pytest.mark.parametrize(("speedup", "link", "hop"), [(2, 1, 3), (1, 1, 4), (2, 5, 7), (1, 3, 6)])
def test_an_empty_network_takes_the_hops_times_a_hop(speedup, link, hop):
    """Without other packets: 3 cycles a router and 2 more, one more without speedup, and the links' cycles on the way.

    The last link, to the host, takes one cycle whatever the others take.
    """
    routing = route(build("torus:dims=4x4,hosts=1"), "dor")
    config = RouterConfig(speedup=speedup, link_cycles=link)
    point = simulate(routing, preset=config, loads=[0.001], traffic="tornado").points[0]
    expected = hop * (point.hops_mean - 1) + (hop - link + 1) + 2
    assert point.latency_mean == pytest.approx(expected, abs=0.05)


def test_a_packet_of_many_flits_takes_that_many_cycles_more():
    """Its flits follow each other, one a cycle."""
    routing = route(build("mesh:dims=4x4,hosts=1"), "dor")
    one, eight = (
        simulate(routing, preset=RouterConfig(vcs=4, packet_flits=flits), loads=[0.002], traffic="neighbour").points[0]
        for flits in (1, 8)
    )
    assert eight.latency_mean - eight.hops_mean * 3 == pytest.approx(one.latency_mean - one.hops_mean * 3 + 7, abs=0.2)


def test_one_output_is_a_queue():
    """All hosts of a switch but one send to that one: it gets one flit a cycle, and no more."""
    topology = build("clos:leaves=1,spines=1,width=4")
    hosts = topology.endpoints.size
    routing = route(topology, "orders")
    point = simulate(routing, preset=RouterConfig(vcs=2), loads=[0.2]).points[0]
    assert hosts == 4
    assert point.hops_mean == pytest.approx(1.0)
    assert point.accepted == pytest.approx(0.2, rel=0.05)
    # A queue with deterministic service of a cycle and Bernoulli arrivals waits a little; never less than nothing.
    assert 5.0 <= point.latency_mean < 5.5


@pytest.mark.parametrize("engine", ["orders", "updown", "hop-vcs", "segments", "dfsssp-switches"])
@pytest.mark.parametrize("flits", [1, 5])
def test_flits_are_conserved_and_nothing_deadlocks(engine, flits):
    """Far above saturation, with small buffers: what is in the network was injected and has not arrived; flits keep moving."""
    routing = route(build("jellyfish:n=24,degree=4,hosts=2"), engine)
    # Packets of one flit in as many VCs as there are virtual channels; longer ones in as many for all, which one kernel does.
    vcs = routing.verification.virtual_channels_used if flits == 1 else 4
    config = RouterConfig(vcs=vcs, buffer_flits=8 * vcs, packet_flits=flits)
    run = RouterRun(routing, config, traffic_of("uniform", routing), 0.9, 3)
    for _ in range(20):
        before = int(run.network.state[HOPS])
        run.go(200, 0, 1 << 60)
        assert run.network.state[HOPS] > before
    inside = run.inside()
    assert int(run.network.state[INJECTED]) - int(run.host_flits().sum()) == inside
    assert int(run.network.state[FLITS]) == int(run.host_flits().sum())
    # No VC holds more than its buffer, hosts' injection VCs included.
    assert run.network.buffers.rec[VC_FLITS::VC_SIZE].max() <= run.network.rules.room


def test_a_deadlock_is_named_and_not_called_saturation():
    """Shortest paths round a ring in one VC: the circle of channels that wait for each other."""
    routing = route(build("ring:n=8,hosts=1"), "minimal")
    with pytest.raises(InputError, match=r"deadlock by the tables of engine minimal: switch .* waits for switch"):
        simulate(routing, preset=RouterConfig(vcs=1, buffer_flits=2), loads=[1.0])
    safe = simulate(route(build("ring:n=8,hosts=1"), "dor"), preset=RouterConfig(buffer_flits=4), loads=[1.0])
    assert safe.points[0].saturated


def test_the_same_seed_gives_the_same_numbers():
    """For any number of threads; another seed gives others."""
    routing = route(build("slimfly:q=3,hosts=2"))
    one, three = (simulate(routing, loads=[0.2, 0.5, 0.7], jobs=jobs) for jobs in (1, 3))
    assert one.points == three.points
    other = simulate(routing, loads=[0.2], seed=9)
    assert other.points[0].latency_mean != one.points[0].latency_mean


def test_throughput_stays_under_what_the_busiest_channel_lets_through():
    """Under a fixed pattern no more than one over the flows on the busiest channel; near it with few flows."""
    topology = build("mesh:dims=4x4,hosts=1")
    routing = route(topology, "dor")
    to = traffic_of("transpose", routing).to
    flows = np.zeros(routing.channels.to.size)
    for s, d in enumerate(to.tolist()):
        path = routing.path(s, d)
        for u, v in itertools.pairwise(path):
            flows[np.flatnonzero((routing.channels.origin == u) & (routing.channels.to == v))[0]] += 1
    limit = 1 / flows.max()
    point = simulate(routing, "transpose", RouterConfig(vcs=4), loads=[1.0]).points[0]
    assert point.accepted_min <= limit * 1.01
    assert point.accepted_min > 0.7 * limit


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"traffic": "x"}, r"no traffic pattern named 'x' \(there are all-to-all"),
        ({"preset": "x"}, "no router preset named 'x' .there are booksim"),
        ({"loads": []}, "loads= is empty"),
        ({"loads": [0.0]}, "load 0; it must be above 0"),
        ({"loads": [1.5]}, "load 1.5; it must be"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(given, message):
    """Traffic, presets and loads that are not there."""
    with pytest.raises(InputError, match=message):
        simulate(route(build("slimfly:q=3,hosts=2")), **given)


def test_networks_without_hosts_are_refused():
    """No hosts, no traffic."""
    with pytest.raises(InputError, match="needs at least two hosts"):
        simulate(route(build("slimfly:q=3")))


@pytest.mark.exhaustive
def test_a_narrower_interval_is_measured_for_longer():
    """The interval asked for is the one that comes out where the network is not saturated; the first cycles are the same."""
    routing = route(build("slimfly:q=5,hosts=3"), "levels")
    usual, narrow = (simulate(routing, loads=[0.9], interval=one).points[0] for one in (0.01, 0.002))
    assert usual.latency_ci95 <= 0.01 * usual.latency_mean
    assert narrow.latency_ci95 <= 0.002 * narrow.latency_mean < usual.latency_ci95
    assert narrow.cycles > usual.cycles
    assert narrow.latency_mean == pytest.approx(usual.latency_mean, rel=0.02)
    assert simulate(routing, loads=[0.1], interval=0.01).points == simulate(routing, loads=[0.1]).points


@pytest.mark.parametrize("interval", [0, 1e-9, 0.2, float("nan")])
def test_an_interval_out_of_range_is_refused(interval):
    """With what it may be."""
    with pytest.raises(InputError, match=r"must be from 0.0005 to 0.1"):
        simulate(route(build("petersen:hosts=1")), interval=interval)
