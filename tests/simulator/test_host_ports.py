"""Hosts with several ports: which one each packet takes, and that planes are as good as the network itself."""

import numpy as np
import pytest

from topoloom import InputError, RouterConfig, build, execute, route, simulate
from topoloom.simulation.flits.execute import packets_of
from topoloom.simulation.flits.host_ports import ports_of_hosts

_PLANES = "slimfly:q=5,hosts=2+planes:count=4"


def packets(how, spec=_PLANES, traffic="uniform"):
    """Packets at a low load: the host and the place among its ports of source and destination."""
    routing = route(build(spec))
    ports = ports_of_hosts(routing.topology)
    rows = packets_of(routing, traffic, settings=[f"host_ports={how}"], load=0.01, count=20_000).rows
    rows = rows[np.argsort(rows[:, 3], kind="stable")]  # as they were made
    at = np.empty((ports.size, 2), int)
    at[ports.ravel()] = np.stack(np.divmod(np.arange(ports.size), ports.shape[1]), axis=1)
    return at[rows[:, 0]], at[rows[:, 1]]


@pytest.mark.parametrize("how", ["round-robin", "hash", "least-loaded"])
@pytest.mark.parametrize("spec", [_PLANES, "fat-tree:k=8,hosts=64+rails:nics=4"])
def test_packets_arrive_at_the_port_that_they_left_by(how, spec):
    """In the same plane, or on the same rail; and every port carries about as much as any other."""
    source, destination = packets(how, spec)
    assert (source[:, 1] == destination[:, 1]).all()
    assert (source[:, 0] != destination[:, 0]).all()
    used = np.bincount(source[:, 1])
    assert used.size == 4
    assert used.max() < (2 if how == "hash" else 1.1) * used.min()


def test_ports_in_turn_are_used_one_after_the_other():
    """A host's packets go round its ports."""
    source, _ = packets("round-robin")
    for host in range(100):
        taken = source[source[:, 0] == host, 1]
        assert (np.diff(taken) % 4 == 1).mean() > 0.9  # two ports may make a packet in one cycle


def test_a_hash_keeps_each_pair_of_hosts_on_one_port():
    """So nothing is out of order; other pairs take other ports."""
    source, destination = packets("hash")
    pairs = np.unique(np.column_stack([source[:, 0], destination[:, 0], source[:, 1]]), axis=0)
    assert len(np.unique(pairs[:, :2], axis=0)) == len(pairs)
    assert np.unique(pairs[pairs[:, 0] == 7, 2]).size == 4


@pytest.mark.exhaustive
def test_planes_carry_what_one_plane_does():
    """Round robin over planes of uniform traffic: throughput and latency of the network itself, a port."""
    one, four = (simulate(route(build(spec)), loads=[0.3, 0.7]) for spec in ("slimfly:q=5,hosts=2", _PLANES))
    for a, b in zip(one.points, four.points, strict=True):
        assert b.accepted == pytest.approx(a.accepted, rel=0.01)
        assert b.latency_mean == pytest.approx(a.latency_mean, rel=0.02)


def test_a_permutation_on_one_port_a_host_gets_a_port_s_rate():
    """By hash all of a host's traffic takes one of four ports: it gets a quarter; in turn it gets more."""
    routing = route(build("hyperx:dims=4x4,hosts=1+planes:count=4"))
    hashed, turned = (
        simulate(routing, "permutation", settings=[f"host_ports={how}"], loads=[0.6]).points[0].accepted
        for how in ("hash", "round-robin")
    )
    assert hashed < 0.27
    assert turned > 2 * hashed


def test_what_cannot_be_simulated_is_said():
    """Closed loops, and hosts with more ports than others."""
    routing = route(build("torus:dims=9x8,hosts=1+planes:count=2"))
    with pytest.raises(InputError, match="is for hosts with one port"):
        execute(routing, "chip:requests=5", RouterConfig(vcs=2))
    uneven = build("ring:n=4,hosts=1").replace(endpoints=[0, 1, 2, 3], host=[0, 0, 1, 2])
    with pytest.raises(InputError, match="hosts have 1 to 2 ports"):
        simulate(route(uneven))
