"""Requests with a load, each answered by a reply of its own length after a time of service."""

import pytest

from topoloom import build, route, simulate
from topoloom.core.errors import InputError
from topoloom.simulation.flits.execute import execute, packets_of

NETWORK = build("torus:dims=4x4,hosts=2")
ROUTING = route(NETWORK, "dor")


def _one(load, *settings, traffic="uniform", routing=ROUTING):
    return simulate(routing, traffic, settings=settings, loads=[load]).points[0]


def test_every_request_has_a_reply():
    """Below saturation half of the packets are replies, and both together are the load."""
    point = _one(0.4, "reply_flits=5", "packet_flits=2")
    assert point.replies == pytest.approx(point.packets / 2, rel=0.01)
    assert point.accepted == pytest.approx(0.4, rel=0.02)
    assert not point.saturated


@pytest.mark.parametrize("service", [0, 1, 7, 100])
def test_a_round_trip_is_two_ways_and_the_service(service):
    """In the almost empty network: twice the mean latency of both kinds of packets, plus the service."""
    point = _one(0.02, "reply_flits=5", f"service_cycles={service}")
    assert point.round_trip_mean == pytest.approx(2 * point.latency_mean + service, abs=0.3)


def test_packets_are_requests_and_their_replies():
    """Each reply of 3 flits is created `service_cycles` after a request of 1 flit arrived, and goes back."""
    packets = packets_of(
        ROUTING, "tornado", settings=["reply_flits=3", "service_cycles=9"], load=0.2, count=2000
    ).rows.tolist()
    asked = {(receiver, sender, arrived + 9) for sender, receiver, flits, _, _, arrived, _ in packets if flits == 1}
    first = min(arrived for *_, flits, _, _, arrived, _ in packets if flits == 1)
    answered = [(*packet[:2], packet[3]) for packet in packets if packet[2] == 3 and packet[3] > first + 200]
    assert len(answered) > 500
    assert set(answered) <= asked


def test_replies_of_one_flit_are_as_much_traffic_as_requests():
    """Uniform requests and replies of one length load the network as uniform traffic; a host's own two queue a little."""
    plain, answered = _one(0.4), _one(0.4, "reply_flits=1")
    assert answered.network_mean == pytest.approx(plain.network_mean, rel=0.01)
    assert answered.source_mean < 0.5
    assert plain.round_trip_mean is None
    assert "round_trip_mean" not in plain.record()
    assert answered.record()["replies"] == answered.replies


def test_an_overloaded_network_is_saturated_and_ends():
    """At full load queues fill, packets are lost at their hosts, and the point says so."""
    point = _one(1.0, "reply_flits=9", "service_cycles=50")
    assert point.saturated
    assert 0.3 < point.accepted < 0.9


def test_hosts_with_several_ports_answer_by_the_port_of_the_request():
    network = build("fat-tree:k=4,hosts=8+rails:nics=2")
    point = _one(0.2, "reply_flits=2", routing=route(network))
    assert point.replies == pytest.approx(point.packets / 2, rel=0.02)


def test_what_replies_do_not_go_with():
    """Service without replies, traffic with an end, and hosts of several rates."""
    with pytest.raises(InputError, match="service_cycles is the time until a reply; set reply_flits, too"):
        _one(0.1, "service_cycles=5")
    with pytest.raises(InputError, match="reply_flits is for traffic with a load"):
        execute(ROUTING, "chip:requests=5", settings=["reply_flits=2"])
    mixed = build("leaf-spine:leaves=2,spines=1,hosts=4+rates:links=400,hosts=100")
    with pytest.raises(InputError, match="replies cannot be simulated with hosts and links of different rates"):
        _one(0.1, "reply_flits=2", routing=route(mixed, "minimal"))
    with pytest.raises(InputError, match="replies may wait at a time; set reply_flits=0"):
        simulate(
            route(build("complete:n=64,hosts=64")), settings=["reply_flits=1", "service_cycles=16000"], loads=[0.1]
        )
