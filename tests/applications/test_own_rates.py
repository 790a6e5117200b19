"""Programs and collectives on networks whose rates differ: bounds by hand, and three simulators that agree."""

import numpy as np
import pytest

from topoloom import AppSettings, collective, collective_bound, route, run_app
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.simulation.applications.given import app_settings
from topoloom.simulation.applications.machine import machine, network_as_flows
from topoloom.simulation.applications.tools import simgrid_available

PLAIN = Topology(links=[(0, 1)], switches=2, endpoints=[0] * 4 + [1] * 4, name="leaves")
#: Hosts of 100 Gb/s under one link of 400, and hosts of two rates under links of two.
ONE = PLAIN.with_rates(400, 100)
TWO = PLAIN.replace(links=[(0, 1), (0, 1)]).with_rates([100, 50], [100, 100, 25, 25] * 2)
SIZE = 1 << 26


def seconds(size, gbps):
    """The time of some bytes at a rate."""
    return size / (gbps * 1e9 / 8)


@pytest.mark.parametrize(
    ("topology", "operation", "least"),
    [
        # Hosts' own ports: 7/8 into each at 100; twice that for an all-reduce.
        (ONE, "allgather", seconds(SIZE * 7 / 8, 100)),
        (ONE, "allreduce", seconds(SIZE * 7 / 4, 100)),
        (ONE, "alltoall", seconds(SIZE * 7, 100)),
        # A host of 25 receives 7/8 of the data; in an all-reduce, the vector leaves it and the sum enters it.
        (TWO, "allgather", seconds(SIZE * 7 / 8, 25)),
        (TWO, "allreduce", seconds(SIZE, 25)),
        (TWO, "alltoall", seconds(SIZE * 7, 25)),
        # Half of the data crosses a single link of 100 to the other leaf: 4 x 4 messages each way.
        (PLAIN.with_rates(100, 400), "alltoall", seconds(SIZE * 16, 100)),
        (PLAIN.with_rates(100, 400), "allgather", seconds(SIZE / 2, 100)),
    ],
)
def test_bounds_by_hand(topology, operation, least):
    """The bytes over the ports and links that limit them, each by its own rate."""
    assert collective_bound(topology, operation, SIZE).bandwidth_s == pytest.approx(least, rel=2e-6)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("topology", [ONE, TWO])
@pytest.mark.parametrize("operation", ["allgather", "alltoall"])
def test_flows_flits_and_simgrid_agree(topology, operation):
    """Within 3 % for large messages, as on uniform networks; none is faster than the bound.

    Where hosts differ, packets are small, so that a slow host brings its next packet before its turn at a port comes.
    """
    flits = "flits" if topology is ONE else "flits:packet_flits=8"
    simulators = ["flows", flits, *(["simgrid"] if simgrid_available() else [])]
    routing = route(topology, "minimal")
    runs = [collective(routing, operation, 1 << 20, simulator=simulator) for simulator in simulators]
    for run in runs:
        assert run.seconds == pytest.approx(runs[0].seconds, rel=0.03)
        assert run.seconds >= run.bound.seconds * (1 - 1e-3)
    if topology is ONE:
        assert runs[0].seconds == pytest.approx(runs[0].bound.seconds, rel=1e-3)


@pytest.mark.exhaustive
def test_slow_hosts_miss_turns_of_large_packets():
    """An all-to-all of hosts of 100 and 25 Gb/s takes longer with more virtual channels, and not with small packets or one."""
    routing = route(TWO, "minimal")
    flows = collective(routing, "alltoall", 1 << 20, simulator="flows").seconds

    def excess(settings):
        return collective(routing, "alltoall", 1 << 20, simulator=f"flits:{settings}").seconds / flows - 1

    usual, wide = excess("table_router_vcs=4"), excess("table_router_vcs=8")
    assert 0.04 < usual < 0.1 < wide < 0.15
    assert max(excess("packet_flits=8"), excess("table_router_vcs=1")) < 0.003


def test_equal_rates_are_those_of_the_settings():
    """A network whose links all have the rate of the settings gives the same seconds, to the last digit."""
    rated = PLAIN.with_rates(40)
    first, second = (run_app(route(one), "alltoall:bytes=65536", simulator="flows") for one in (PLAIN, rated))
    assert first.seconds == second.seconds
    assert np.array_equal(first.link_use, second.link_use)


def test_flows_have_the_capacity_of_each_link_and_port():
    """Ports are in the order of hosts, where each has one; loads of links are shares of their own rates."""
    topology = TWO.replace(host=np.array([3, 2, 1, 0, 4, 5, 6, 7]))
    routing = route(topology, "minimal")
    net = network_as_flows([routing], AppSettings(), None)
    gbps = net.capacity * 8 / 1e9
    assert gbps[:4].tolist() == [100, 50, 100, 50]
    assert gbps[4:12].tolist() == [25, 25, 100, 100, 100, 100, 25, 25]
    assert net.top * 8 / 1e9 == 100
    assert machine(topology, AppSettings(rate_gbps=1), None).host_rate_gbps == 100
    run = run_app(route(TWO, "minimal"), "alltoall:bytes=65536", simulator="flows")
    assert run.settings.rate_gbps == 100
    used = run.link_bytes.sum(axis=1) > 0
    share = run.link_bytes / (np.array([100, 50])[:, None] * 1e9 / 8 * run.seconds)
    assert np.allclose(run.link_use[used], share[used])
    assert run.link_use.max() <= 1


def test_a_rate_for_a_network_with_several_is_refused():
    """The network's own rates count: a setting would be silently without effect."""
    from topoloom import as_network

    with pytest.raises(
        InputError, match="rate_gbps: leaves has links of 100 and 400 Gb/s, which count; omit rate_gbps"
    ):
        app_settings([as_network(ONE)], None, ["rate_gbps=200"])
