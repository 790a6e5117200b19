"""Networks of several rates: a flit takes the time of each link, exactly, and load 1.0 is the rate of each host's port."""

from fractions import Fraction

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.simulation.flits.buffers import FLITS, HOPS, INJECTED
from topoloom.simulation.flits.execute import execute, packets_of
from topoloom.simulation.flits.kernels.fields import VC_FLITS, VC_SIZE
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flits.rates import flit_rates
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.simulation.flits.saturation import saturation
from topoloom.simulation.flits.simulate import simulate
from topoloom.throughput.traffic import host_permutation, traffic_of
from topoloom.topologies.spec import build

ROUTER = RouterConfig(vcs=3)


def leaves(links, hosts):
    """Two switches, `links` links between them and `hosts` hosts on each."""
    return Topology(links=[(0, 1)] * links, switches=2, endpoints=[0] * hosts + [1] * hosts, name="leaves")


def flits_of(topology, traffic, cycles, config=ROUTER, engine="minimal", load=1.0):
    """What hosts and channels receive in some cycles after a warm-up, and the traffic."""
    routing = route(topology, engine)
    sent = traffic_of(traffic, routing) if isinstance(traffic, str) else host_permutation(topology, traffic)
    run = RouterRun(routing, config, sent, load, 3)
    run.go(4000, 0, 1 << 60)
    hosts, channels = run.host_flits(), run.channel_flits()
    run.go(cycles, 0, 1 << 60)
    return run.host_flits() - hosts, run.channel_flits() - channels


@pytest.mark.parametrize(
    ("rates", "goal", "flits", "cycles"),
    [
        # A lone flit: 3 cycles per router and 2 more (as with equal rates), and what each link takes beyond one cycle.
        ((400, 100), 2, 1, 3 * 2 + 2 + 3 + 3),
        ((400, 100), 1, 1, 3 + 2 + 3 + 3),
        ((100, 400), 2, 1, 3 * 2 + 2 + 3),
        # Three flits follow through links of 400 at once: they are stored behind the host's 100 (2 x 3 cycles longer), and
        # leave by the other host's 100, 4 cycles each. Between hosts of one switch, they go on as they come.
        ((400, 100), 2, 3, 14 + 2 * 3 + 2 * 4),
        ((400, 100), 1, 3, 11 + 2 * 4),
        # The slow link passes them as they come from a fast host, and its other end stores them.
        ((100, 400), 2, 3, 11 + 2 * 3 + 2),
        # 8/3 cycles per flit: one flit takes 3, as a cycle is the unit of time; three take 8.
        ((150, 400), 2, 1, 3 * 2 + 2 + 2),
        ((400, 150), 1, 3, 3 + 2 + 2 + 8 - 1),
    ],
)
def test_a_lone_packet_takes_the_time_of_each_link(tmp_path, rates, goal, flits, cycles):
    """By hand, in cycles of a flit on the fastest link."""
    file = tmp_path / "trace.csv"
    file.write_text(f"cycle,source,destination,flits\n8,0,{goal},{flits}\n")
    routing = route(leaves(1, 2).with_rates(*rates), "minimal")
    packet = packets_of(routing, f"trace:{file}", ROUTER).rows[0]
    assert packet[5] - packet[3] == cycles
    assert execute(routing, f"trace:{file}", ROUTER).cycles == 8 + cycles


@pytest.mark.parametrize("config", [ROUTER, RouterConfig(vcs=1, speedup=1, output_flits=2)])
@pytest.mark.parametrize("rates", [(150, 400), (400, 150)])
def test_a_full_link_passes_exactly_its_share_of_flits(rates, config):
    """3 flits in 8 cycles, in the long run to the flit, on the slow link and out of a slow host."""
    hosts, channels = flits_of(leaves(1, 1).with_rates(*rates), "tornado", 80_000, config)
    assert channels.tolist() == [30_000, 30_000]
    assert hosts.tolist() == [30_000, 30_000]


def test_hosts_fill_one_faster_link_between_leaves():
    """Four hosts of 100 Gb/s and one link of 400 between two leaves: all of a permutation passes."""
    found = saturation(route(leaves(1, 4).with_rates(400, 100), "minimal"), "bit-complement", ROUTER)
    assert (found.offered, found.accepted) == (1.0, 1.0)
    point = found.points[0]
    assert (point.accepted_min, point.accepted_gbps, point.link_max) == (1.0, 100.0, 1.0)
    assert point.host_accepted.tolist() == [1.0] * 8
    assert not point.saturated


def test_uplinks_limit_slow_hosts_to_their_share():
    """48 x 25 and 4 x 100 Gb/s up: a third of a permutation between leaves passes (Ethernet's ECMP spreads packets)."""
    topology = leaves(4, 48).with_rates(100, 25)
    hosts, channels = flits_of(topology, np.r_[48:96, :48], 8000, engine="ecmp")
    assert hosts.sum() / (96 * 8000 / 4) == pytest.approx(1 / 3, rel=0.01)
    assert channels / 8000 == pytest.approx(np.ones(8), rel=0.03)


def test_four_links_carry_what_one_of_four_times_the_rate_does_and_take_longer():
    """Equal capacity: both pass 1.0 of a permutation; a flit takes 4 cycles instead of 1 on a link of a quarter."""
    one, four = leaves(1, 4).with_rates(400, 100), leaves(4, 4).with_rates(100, 100)
    wide = simulate(route(one, "ecmp"), "bit-complement", ROUTER, loads=[0.01, 1.0]).points
    narrow = simulate(route(four, "ecmp"), "bit-complement", ROUTER, loads=[0.01, 1.0]).points
    assert wide[1].accepted == 1.0
    # Random choices of one of four equal links leave some empty: a well-known loss of ECMP, not of capacity.
    assert 0.9 < narrow[1].accepted < 1.0
    # In cycles of 100 Gb/s, 4 x 100: 3 per router and 2. In cycles of 400: 14 by hand, 3.5 of 100.
    assert narrow[0].latency_mean == pytest.approx(8.0, abs=0.1)
    assert wide[0].latency_mean == pytest.approx(14.0, abs=0.1)


def test_equal_rates_change_no_digit():
    """A network whose links all have the same rate gives the points of the network without rates."""
    plain = build("slimfly:q=3,hosts=2")
    for traffic in ("uniform", "hotspot"):
        points = [
            simulate(route(network, "hop-vcs"), traffic, ROUTER, loads=[0.4]).points
            for network in (plain, plain.with_rates(400))
        ]
        assert points[0] == points[1]
        assert np.array_equal(points[0][0].channel_loads, points[1][0].channel_loads)
    assert flit_rates(plain.with_rates(400)) is None


def test_slow_hosts_alone_are_a_network_in_slower_time():
    """Where only the hosts are slower, each accepts its own rate, whatever links there are."""
    topology = leaves(1, 4).with_rates(1600, 100)
    point = simulate(route(topology, "minimal"), loads=[0.8]).points[0]
    assert point.accepted == pytest.approx(0.8, rel=0.01)
    assert point.accepted_gbps == pytest.approx(80, rel=0.01)
    assert point.link_max == pytest.approx(0.8 * 4 / 7 * 4 / 16, rel=0.03)


def test_hosts_of_two_rates_send_and_receive_by_their_rates():
    """Uniform traffic is that of `Traffic.demand_to`: proportional to both rates; a pair asks for the lower rate."""
    topology = leaves(2, 4).with_rates(800, [400, 400, 100, 100] * 2)
    routing = route(topology, "ecmp")
    uniform = traffic_of("uniform", routing)
    own = np.array([1.0, 1.0, 0.25, 0.25] * 2)
    hosts, channels = flits_of(topology, "uniform", 40_000, engine="ecmp", load=0.5)
    # Per unit of 100 Gb/s an eighth of a flit per cycle: from leaf to leaf, and into each host.
    expected = uniform.dense()[0, 1] / 8
    assert channels[:2].sum() / 40_000 == pytest.approx(0.5 * expected, rel=0.02)
    other = own.sum() - own
    received = (own * other / (own.sum() - own.min())) / 2  # half a flit per cycle at 400 Gb/s under links of 800
    assert hosts / 40_000 == pytest.approx(0.5 * received, rel=0.04)
    point = simulate(routing, "uniform", ROUTER, loads=[0.5]).points[0]
    assert point.accepted == pytest.approx(0.5, rel=0.01)
    slow, fast = point.by_rate
    assert type(point).from_record(point.record()).by_rate == point.by_rate
    assert (slow.rate_gbps, slow.hosts, fast.rate_gbps, fast.hosts) == (100, 4, 400, 4)
    for each, share in ((slow, other[2]), (fast, other[0])):
        assert each.accepted == pytest.approx(0.5 * share / (own.sum() - own.min()), rel=0.04)
        assert each.accepted_min <= each.accepted
    # Host 0 (400) sends to host 6 (100), and host 2 (100) to host 4 (400): a quarter of a fast port is used.
    hosts, _ = flits_of(topology, [6, 7, 4, 5, 2, 3, 0, 1], 40_000)
    assert hosts / 40_000 == pytest.approx(np.full(8, 0.125), rel=0.04)


@pytest.mark.parametrize("engine", ["minimal", "ecmp", "ugal-l", "silla-duato"])
@pytest.mark.parametrize("flits", [1, 4])
def test_flits_are_conserved_and_come_to_rest(engine, flits):
    """Far above saturation: what is inside was injected and has not arrived; when hosts fall silent, all arrives."""
    plain = build("complete:n=6,hosts=3")
    links = np.resize([400.0, 100.0, 150.0], len(plain.links))
    routing = route(plain.with_rates(links, np.resize([25.0, 100.0, 400.0], 18)), engine)
    config = RouterConfig(vcs=4, buffer_flits=32, packet_flits=flits, cut_through=flits > 1)
    run = RouterRun(routing, config, traffic_of("uniform", routing), 1.0, 3)
    at = run.network
    for _ in range(4):
        moved = int(at.state[HOPS])
        run.go(400, 0, 1 << 60)
        assert int(at.state[INJECTED]) - int(at.state[FLITS]) == run.inside()
        assert at.buffers.rec[VC_FLITS::VC_SIZE].max() <= at.rules.room
        assert at.state[HOPS] > moved
    run.demand = run.demand._replace(load=0.0)
    while at.buffers.queue[2::8].any() or run.inside():
        moved = int(at.state[HOPS])
        run.go(4000, 0, 1 << 60)
        assert at.state[HOPS] > moved
    assert int(at.state[INJECTED]) == int(at.state[FLITS]) == int(run.host_flits().sum())
    assert (at.buffers.unowned == -1).all()


def test_a_cycle_is_the_time_of_a_flit_on_the_fastest_link():
    """The network's rates replace the duration of the preset's cycle; without the size of a flit, it stays as given."""
    routing = route(leaves(1, 2).with_rates(400, 100), "minimal")
    curve = simulate(routing, preset="koibuchi-2013", loads=[0.1])
    assert curve.router.cycle_ns == 256 / 400
    point = curve.points[0]
    assert point.latency_mean_ns == pytest.approx(point.latency_mean * 0.64)
    assert simulate(routing, preset="slimfly-2014", loads=[0.1]).points[0].latency_mean_ns is None
    assert find_preset("koibuchi-2013").cycle_ns == 8 / 3


def test_ratios_are_those_of_the_decimal_rates():
    """25.78125 : 103.125 is 1 : 4, and 54.56 : 100 is 341 : 625; too large a factor is refused."""
    ratios = flit_rates(leaves(1, 2).with_rates(103.125, [25.78125, 103.125, 100, 54.56])).endpoint
    assert [Fraction(int(n), int(d)) for n, d in ratios] == [4, 1, Fraction(33, 32), Fraction(103125, 54560)]
    with pytest.raises(InputError, match="rates that differ by a factor of at most 4096 can be simulated"):
        flit_rates(leaves(1, 1).with_rates(10_000, 1))
