"""Bytes behind flows that wait farther on: what head-of-line blocking may delay, and flows leave out."""

import numpy as np
import pytest
from fair_oracle import fabric, sends

from topoloom import AppSettings, build, collective, route
from topoloom.routing.host_routings import host_routings
from topoloom.simulation.applications.run import run_app
from topoloom.simulation.applications.schedule_run import head_of_line_text
from topoloom.simulation.flows import undisturbed
from topoloom.simulation.flows.simulate import simulate_flows


def share(spec, flows, engine="minimal"):
    """The share for flows that all begin at once."""
    routing = route(build(spec), engine)
    ranks = routing.topology.endpoints.size
    return simulate_flows(fabric(routing), sends(ranks, flows), np.arange(ranks), detached_bytes=0).head_of_line_share


def test_one_flow_is_behind_another():
    """Four switches in a row, two hosts each: three flows end at one host, and a fourth shares a channel with one of them.

    Each of the three waits at the host, with a third of its rate. The fourth passes the host: its bytes, a quarter, are behind.
    """
    to_one = [(0, 4, 1e6), (6, 4, 1e6), (7, 4, 1e6)]
    assert share("mesh:dims=4,hosts=2", to_one) == 0
    assert share("mesh:dims=4,hosts=2", [*to_one, (2, 6, 1e6)]) == pytest.approx(0.25)
    # A flow to the same host waits there like the others, and one on other channels waits nowhere.
    assert share("mesh:dims=4,hosts=2", [*to_one, (2, 4, 1e6)]) == 0
    assert share("mesh:dims=4,hosts=2", [*to_one, (5, 1, 1e6)]) == 0


def test_patterns_that_take_longer_flit_by_flit():
    """The same as in docs/how-to/run-collectives.md: none where flits take as long as flows, some where they take longer."""
    for spec, engine, longer in (("torus:dims=4x4,hosts=1", "dor", False), ("slimfly:q=5,hosts=1", "orders", True)):
        hosts = build(spec).endpoints.size
        one_on = [(a, (a + 1) % hosts, 1e6) for a in range(hosts)]
        assert (share(spec, one_on, engine) > 0.05) == longer


def test_collectives_without_events_are_behind_nothing(monkeypatch):
    """Their bytes count among all bytes."""
    monkeypatch.setattr(undisturbed, "LONG", 0)
    tables = host_routings(build("fat-tree:k=4"), "fat-tree", 2)
    assert run_app(tables, "alltoall:bytes=1000000", 16, simulator="flows").head_of_line_share == 0


def test_records_have_it_for_flows():
    """An application and a collective by flows; not with other simulators, nor with messages that split."""
    routing = route(build("slimfly:q=5,hosts=2"))
    run = run_app(routing, "alltoall:bytes=100000", 50, simulator="flows", placement="random")
    assert 0 < run.head_of_line_share < 1
    assert run.rows()[0]["head_of_line_share"] == pytest.approx(run.head_of_line_share, abs=1e-6)
    torus = route(build("torus:dims=4x4,hosts=1"))
    assert run_app(torus, "alltoall:bytes=1000", 16, simulator="flits").head_of_line_share is None
    made = collective(torus, operation="allreduce", bytes=1 << 20)
    assert made.head_of_line_share == made.rows()[0]["head_of_line_share"]
    split = route(build("slimfly:q=5,hosts=2"), "ecmp")
    assert run_app(split, "alltoall:bytes=1000", 8, simulator="flows:split=even").head_of_line_share is None


def test_rings_that_share_a_port_evenly_wait_for_nothing():
    """Four rings of 40 Gb/s leave a host by one port of 160 Gb/s; one that is faster lets its flows wait at their links."""
    for host_gbps, share in ((160.0, 0.0), (640.0, 1.0)):
        settings = AppSettings(host_rate_gbps=host_gbps)
        rings = collective("torus:dims=4x4,hosts=1", "allgather", 1 << 20, algorithm="rings", settings=settings)
        assert rings.head_of_line_share == pytest.approx(share, abs=0.01)


def test_what_people_read():
    """A share in words."""
    assert head_of_line_text(0.0) == "no bytes share a channel with flows that wait farther on"
    assert head_of_line_text(0.1384).startswith("13.8 % of the bytes share a channel")
    assert head_of_line_text(1e-5).startswith("less than 0.1 % of the bytes")
