"""Flits that arrive beyond the calendar of arrivals: the results of a calendar that covers them."""

import pytest

from topoloom.routing.route import route
from topoloom.simulation.flits import buffers as b
from topoloom.simulation.flits import network_state
from topoloom.simulation.flits.host_ports import traffic_between_hosts
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.topologies.spec import build


def _numbers(link_cycles, cycles, cores):
    routing = route(build("mesh:dims=4x4,hosts=1"), "dor")
    config = RouterConfig(link_cycles=link_cycles, packet_flits=4, buffer_flits=3 * link_cycles)
    run = RouterRun(routing, config, traffic_between_hosts("uniform", routing, 1), 0.9, 1, cores=cores)
    run.go(3, 0, 1 << 60)
    run.go(cycles, 0, 1 << 60)
    assert run.network.state[b.DONE] > 100
    return bool(run.network.buffers.later.size), (
        run.network.state[[b.HOPS, b.DONE, b.LATENCY]].tolist(),
        run.histogram.tolist(),
        run.channel_flits().tolist(),
        run.inside(),
    )


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize(("link_cycles", "cycles"), [(300, 3001), (5000, 16_000)])
def test_flits_beyond_the_calendar_arrive_in_their_cycle(link_cycles, cycles, cores, monkeypatch):
    covered, expected = _numbers(link_cycles, cycles, 1)
    assert not covered
    monkeypatch.setattr(network_state, "_CALENDAR_BYTES", 0)
    assert _numbers(link_cycles, cycles, cores) == (True, expected)
