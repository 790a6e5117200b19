"""Flows of hosts with several ports: messages take the ports in turn, each in its own plane."""

import numpy as np
import pytest
from fair_oracle import RATE, fabric, sends

from topoloom import InputError, build, route, run_app
from topoloom.graph.host_ports import ports_by_host
from topoloom.simulation.flows.simulate import simulate_flows


def seconds(spec, flows, ranks):
    """How long messages take that all begin at once; the bytes over each channel."""
    found = simulate_flows(fabric(route(build(spec))), sends(ranks, flows), np.arange(ranks))
    return found.seconds, found.carried


@pytest.mark.parametrize("planes", [1, 2, 4])
def test_messages_of_a_host_share_its_ports_evenly(planes):
    """Four messages to one host: over P planes they take 4 / P of a message's time."""
    flows = [(0, 1, 1e6)] * 4
    took, carried = seconds(f"complete:n=2,hosts=1+planes:count={planes}", flows, 2)
    assert took == pytest.approx(4 / planes * 1e6 / RATE)
    assert sorted(carried.tolist()) == [0.0] * planes + [4e6 / planes] * planes


def test_one_message_has_the_rate_of_one_port():
    """It is not split over the planes."""
    assert seconds("complete:n=2,hosts=1+planes:count=4", [(0, 1, 1e6)], 2)[0] == pytest.approx(1e6 / RATE)


def test_ports_of_a_place_are_in_one_plane():
    """Planes in order; in a plane by switch; rails of a unit leaf by leaf."""
    whole = build("fat-tree:k=8,hosts=64+rails:nics=4+planes:count=2")
    ports = ports_by_host(whole)
    assert ports.shape == (16, 8)
    assert (whole.labels["plane"][whole.endpoints[ports]] == [0, 0, 0, 0, 1, 1, 1, 1]).all()
    assert (whole.host[ports] == np.arange(16)[:, None]).all()


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "spec",
    ["slimfly:q=5,hosts=2+planes:count=2", "fat-tree:k=8,hosts=32+rails:nics=4", "slimfly:q=5,hosts=2+nics:count=2"],
)
@pytest.mark.parametrize("placement", ["linear", "random", "optimised"])
def test_a_rank_stands_on_a_host_of_several_ports(spec, placement):
    """A rank a host unless told otherwise, and every byte leaves through the ports."""
    network = build(spec)
    found = run_app(network, "alltoall:bytes=1000", 8, placement=placement, simulator="flows")
    assert (found.ranks, np.unique(found.homes).size) == (8, 8)
    assert found.seconds > 0
    assert found.homes.max() < network.hosts
    assert run_app(build("complete:n=4,hosts=1+planes:count=2"), "allreduce:bytes=8", simulator="flows").ranks == 4


def test_planes_ease_what_one_network_cannot_carry():
    """The tables of a plane are those of the network, so that each channel carries less and nobody waits longer."""
    one, four = (
        run_app(build(f"fat-tree:k=4,hosts=8{more}"), "alltoall:bytes=100000", placement="random", simulator="flows")
        for more in ("", "+planes:count=4")
    )
    assert four.seconds <= one.seconds
    assert four.link_bytes.max() < one.link_bytes.max()
    assert four.link_bytes.sum() == pytest.approx(one.link_bytes.sum())


def test_hosts_with_more_ports_than_others_are_refused():
    """Ports of the same place would not be there."""
    uneven = build("ring:n=4,hosts=1").replace(endpoints=[0, 1, 2, 3], host=[0, 0, 1, 2])
    with pytest.raises(InputError, match="hosts have 1 to 2 ports"):
        run_app(uneven, "alltoall:bytes=8", 2, simulator="flows")
