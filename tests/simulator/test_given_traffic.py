"""Simulated traffic that is given in numbers: matrices, rates of hosts, amounts between switches."""

import numpy as np
import pytest

from topoloom import build, route, simulate
from topoloom.core.errors import InputError
from topoloom.simulation.flits.execute import packets_of
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flits.saturation import saturation
from topoloom.simulation.flits.sweep import subjects, sweep
from topoloom.throughput.traffic import host_permutation, hosts_matrix, matrix, traffic_of, with_host_rates

NETWORK = build("torus:dims=4x4,hosts=2")
ROUTING, HOSTS = route(NETWORK, "dor"), 32
EVEN = (np.ones((HOSTS, HOSTS)) - np.eye(HOSTS)) / (HOSTS - 1)
SHIFTED = np.roll(np.arange(HOSTS), 5)


def _one(traffic, load=0.3, **settings):
    return simulate(ROUTING, traffic, loads=[load], **settings).points[0]


def test_an_even_matrix_is_uniform_traffic():
    """Mean latency within both intervals."""
    given, named = _one(hosts_matrix(NETWORK, EVEN), 0.5), _one("uniform", 0.5)
    assert abs(given.latency_mean - named.latency_mean) <= given.latency_ci95 + named.latency_ci95


@pytest.mark.exhaustive
def test_an_even_matrix_saturates_as_uniform_traffic():
    """The same saturation within its width."""
    loads = [saturation(ROUTING, traffic, width=0.02).offered for traffic in (hosts_matrix(NETWORK, EVEN), "uniform")]
    assert loads[0] == pytest.approx(loads[1], abs=0.02)


def test_a_matrix_of_a_permutation_is_the_permutation():
    """Mean latency and hops of both, which draw other random numbers."""
    demand = np.zeros((HOSTS, HOSTS))
    demand[np.arange(HOSTS), SHIFTED] = 1
    given, named = (
        _one(traffic, 0.2) for traffic in (hosts_matrix(NETWORK, demand), host_permutation(NETWORK, SHIFTED))
    )
    assert abs(given.latency_mean - named.latency_mean) <= given.latency_ci95 + named.latency_ci95
    assert given.hops_mean == pytest.approx(named.hops_mean, rel=0.01)


def test_hosts_send_at_their_rates():
    """Below saturation the partner of each host receives the load times the host's rate; accepted is the offered load."""
    rates = np.linspace(0, 1, HOSTS)
    point = _one(with_host_rates(host_permutation(NETWORK, SHIFTED), rates), interval=0.002)
    assert point.host_accepted[SHIFTED] == pytest.approx(0.3 * rates, abs=0.02)
    assert point.accepted == pytest.approx(0.3, rel=0.02)
    assert not point.saturated


def test_amounts_of_a_matrix_arrive_at_their_hosts():
    """Three hosts send 0.6, 0.3 and 0.1 of the load to one host each; rows of zero send nothing."""
    demand = np.zeros((HOSTS, HOSTS))
    demand[0, 9], demand[0, 20], demand[7, 9] = 0.6, 0.3, 0.1
    traffic = hosts_matrix(NETWORK, demand)
    point = _one(traffic, 0.5)
    assert point.host_accepted[[9, 20]] == pytest.approx([0.35, 0.15], rel=0.1)
    assert point.host_accepted.sum() == pytest.approx(0.5, rel=0.05)
    packets = packets_of(ROUTING, traffic, load=0.5, count=2000).rows
    assert set(map(tuple, packets[:, :2].tolist())) == {(0, 9), (0, 20), (7, 9)}


def test_amounts_between_switches_are_those_between_their_hosts():
    """A matrix of switches and the same amounts split over their two hosts: the same channel loads."""
    demand = np.zeros((16, 16))
    demand[0, 5], demand[3, 12], demand[3, 1] = 1.0, 0.5, 0.25
    by_host = np.kron(demand, np.ones((2, 2)) / 4)
    points = [
        _one(traffic, 0.4, interval=0.005) for traffic in (matrix(NETWORK, demand), hosts_matrix(NETWORK, by_host))
    ]
    assert points[0].channel_loads == pytest.approx(points[1].channel_loads, abs=0.02)
    assert points[0].link_max == pytest.approx(0.4, rel=0.05)


def test_traffic_between_switches_by_name_is_simulated():
    """`skewed` has amounts between switches: below saturation, channel loads are those that the tables give."""
    from topoloom.throughput.traffic.loads import expected_loads

    traffic = traffic_of("skewed:share=0.2", NETWORK)
    point = _one("skewed:share=0.2", 0.3, interval=0.005)
    assert point.channel_loads == pytest.approx(0.3 * expected_loads(ROUTING, traffic).channels, abs=0.02)


def test_traffic_in_a_sweep_has_its_name_and_its_digest():
    """A curve of given traffic names it; its provenance tells two matrices of the same name apart."""
    ways = [hosts_matrix(NETWORK, EVEN, "mine"), hosts_matrix(NETWORK, EVEN[::-1].copy(), "mine")]
    router = find_preset("slimfly-2014")
    curves = sweep(subjects([NETWORK], ways, ["dor"], router=router), loads=[0.1], fast=True).curves
    assert [curve.traffic for curve in curves] == ["mine", "mine"]
    assert len({curve.provenance.settings["traffic_digest"] for curve in curves}) == 2


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: hosts_matrix(NETWORK, np.ones((3, 4))),
            "the traffic matrix is 3 x 4; between hosts it must be 32 x 32",
        ),
        (lambda: hosts_matrix(NETWORK, -EVEN), r"has -0.032\d* from host 0 to host 1; every entry must be a finite"),
        (lambda: hosts_matrix(NETWORK, EVEN * np.nan), "has nan from host 0 to host 0; every entry must be a finite"),
        (lambda: hosts_matrix(NETWORK, 0 * EVEN), "the traffic matrix is all 0; at least one host must send"),
        (lambda: with_host_rates(traffic_of("uniform", NETWORK), np.ones(3)), r"rates of shape \(3,\) for 32 hosts"),
        (
            lambda: with_host_rates(traffic_of("uniform", NETWORK), -np.ones(32)),
            "rate -1 of host 0; it must be a finite",
        ),
        (lambda: with_host_rates(traffic_of("uniform", NETWORK), np.zeros(32)), "no host sends; at least one"),
        (lambda: _one(hosts_matrix(NETWORK, 5 * EVEN)), "at load 0.3 host 0 creates 1.5 of its rate; give"),
        (lambda: _one(traffic_of("uniform", build("ring:n=4,hosts=1"))), "is for 4 hosts on 4 switches"),
    ],
)
def test_wrong_numbers_are_refused(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()
