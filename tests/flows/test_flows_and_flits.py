"""Flows beside the flit simulator: the same messages over the same tables, within 5 % where none waits behind another's."""

import numpy as np
import pytest
from fair_oracle import sends
from msgspec import structs

from topoloom import build, route
from topoloom.simulation.flits.execute import execute
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flows.network import flow_network
from topoloom.simulation.flows.simulate import simulate_flows

#: A cycle is 1.6 ns and a flit 8 bytes: 40 Gb/s. A router takes two cycles, a cable five, a host's link one.
CYCLE_S, FLIT_BYTES = 1.6e-9, 8
ROUTERS = structs.replace(find_preset("booksim"), link_cycles=5, host_cycles=1, vcs=4, buffer_flits=64)
PACKETS, FLITS = 150, 16


def both(routing, pairs, folder, apart=FLITS):
    """Cycles until all messages of PACKETS packets, one in so many cycles, are there: by flits, and by flows."""
    trace = folder / "trace.csv"
    lines = [f"{number * apart},{a},{b},{FLITS}\n" for number in range(PACKETS) for a, b in pairs]
    trace.write_text("cycle,source,destination,flits\n" + "".join(lines))
    hosts, links = routing.topology.endpoints.size, len(routing.topology.links)
    rate = FLIT_BYTES / CYCLE_S
    net = flow_network(
        [routing],
        link_rate=rate,
        host_rate=rate,
        cable_s=np.full(links, 5 * CYCLE_S),
        switch_s=2 * CYCLE_S,
        host_s=CYCLE_S,
    )
    flows = [(a, b, PACKETS * FLITS * FLIT_BYTES) for a, b in pairs]
    flow_s = simulate_flows(net, sends(hosts, flows), np.arange(hosts)).seconds
    return execute(routing, f"trace:{trace}", ROUTERS).cycles, flow_s / CYCLE_S


@pytest.mark.parametrize(("spec", "engine"), [("torus:dims=4x4,hosts=1", "dor"), ("slimfly:q=5,hosts=1", "orders")])
@pytest.mark.parametrize("seed", [3, 4])
def test_a_permutation_takes_as_long(spec, engine, seed, tmp_path):
    """Every host sends to one other, at random."""
    routing = route(build(spec), engine)
    order = np.random.default_rng(seed).permutation(routing.topology.endpoints.size)
    pairs = [(a, int(b)) for a, b in enumerate(order) if a != b]
    flits, flows = both(routing, pairs, tmp_path)
    assert flows == pytest.approx(flits, rel=0.05)


def test_hosts_that_send_no_faster_than_flows_take_as_long(tmp_path):
    """A pattern in which packets that cannot go on block others: sent as fast as can be it takes half as long again."""
    routing = route(build("slimfly:q=5,hosts=1"), "orders")
    pairs = [(a, (a + 1) % 50) for a in range(50)]
    at_once, flows = both(routing, pairs, tmp_path)
    paced, _ = both(routing, pairs, tmp_path, apart=int(flows / PACKETS))
    assert flows == pytest.approx(paced, rel=0.01)
    assert at_once > 1.4 * paced


def test_steps_of_an_all_to_all_take_as_long(tmp_path):
    """On a torus, each shift."""
    routing = route(build("torus:dims=4x4,hosts=1"), "dor")
    for by in range(1, 16, 2):
        flits, flows = both(routing, [(a, (a + by) % 16) for a in range(16)], tmp_path)
        assert flows == pytest.approx(flits, rel=0.05)
