"""The verifier of tables: it follows every path, finds what is wrong, and agrees with a slow judge made of NetworkX."""

import itertools

import networkx as nx
import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.routing.routing import HOP, Routing, empty_ports
from topoloom.routing.trees.shortest import fill_minimal
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build


def ring(n):
    """A cycle of switches."""
    return Topology(links=[(i, (i + 1) % n) for i in range(n)], switches=n, name=f"ring{n}")


def clockwise(n):
    """Tables that send everything in the same direction round a ring: deadlock, in one virtual channel."""
    topology = ring(n)
    ports = empty_ports(topology)
    first, to, _ = topology.csr
    for s in range(n):
        port = to[first[s] : first[s + 1]].tolist().index((s + 1) % n)
        ports[np.arange(n) != s, s] = port
    return Routing(topology, "clockwise", ports)


def slow_verification(routing):
    """Paths, loads and channel dependencies by walking every path in Python."""
    n = routing.topology.switches
    waits = {}
    loads, passing, hops = {}, np.zeros(n, int), []
    for s in range(n):
        for d in range(n):
            if s == d:
                continue
            path = routing.path(s, d)
            hops.append(len(path) - 1)
            channels = list(itertools.pairwise(path))
            for channel in channels:
                loads[channel] = loads.get(channel, 0) + 1
            passing[path[1:-1]] += 1
            vc = 0 if routing.virtual_channels is None else int(routing.virtual_channels[d, s])
            waits.setdefault(vc, nx.DiGraph()).add_edges_from(itertools.pairwise(channels))
    return hops, loads, passing, all(nx.is_directed_acyclic_graph(graph) for graph in waits.values())


@pytest.mark.parametrize("spec", ["torus:dims=3x4", "jellyfish:n=24,degree=3", "slimfly:q=3", "hypercube:n=3"])
@pytest.mark.parametrize("engine", ["minimal", "orders", "updown"])
def test_the_judge_agrees_with_a_slow_one(spec, engine):
    """Hops, loads of channels and switches, and freedom of deadlock are those that walking every path gives."""
    routing = route(build(spec), engine)
    verification = routing.verification
    hops, loads, passing, acyclic = slow_verification(routing)
    assert verification.mean_hops == pytest.approx(np.mean(hops))
    assert verification.max_hops == max(hops)
    assert verification.histogram.tolist() == np.bincount(hops).tolist()
    channels = routing.channels
    pairs = list(zip(channels.origin.tolist(), channels.to.tolist(), strict=True))
    assert verification.channel_load.tolist() == [loads.get(pair, 0) for pair in pairs]
    assert verification.switch_load.tolist() == passing.tolist()
    assert verification.deadlock_free == acyclic


def test_a_planted_cycle_is_found_and_named():
    """All in the same direction round a ring: every channel waits for the next, and the cycle is printed in its order."""
    verification = verify_routing(clockwise(5))
    assert verification.complete
    assert not verification.deadlock_free
    assert verification.cycle_virtual_channel == 0
    assert len(verification.cycle) == 6
    assert verification.cycle[0] == verification.cycle[-1]
    assert all(end == start for (_, end), (start, _) in zip(verification.cycle, verification.cycle[1:], strict=False))


def test_a_cycle_is_broken_by_a_second_lane():
    """A dateline: packets that have yet to pass from the last switch to the first take the other virtual channel."""
    one = clockwise(5)
    source, destination = np.meshgrid(np.arange(5), np.arange(5))
    virtual_channels = (source > destination).astype(np.uint8)
    # Constant per pair, so virtual channel 1 holds all paths over the seam: these still wait round the cycle only if they span
    # it.
    verification = verify_routing(Routing(one.topology, "dateline", one.ports.copy(), virtual_channels))
    assert verification.virtual_channels_used == 2
    assert (
        verification.deadlock_free
        == slow_verification(Routing(one.topology, "dateline", one.ports.copy(), virtual_channels))[3]
    )


def test_lanes_by_hop_never_wait_in_cycles():
    """The same tables in a virtual channel a hop are safe, with as many virtual channels as the longest path has hops
    (Gopal).
    """
    one = clockwise(5)
    verification = verify_routing(Routing(one.topology, "clockwise", one.ports.copy(), virtual_channel_rule=HOP))
    assert verification.deadlock_free
    assert verification.virtual_channels_used == verification.max_hops == 4


def test_paths_that_never_arrive_are_named():
    """Two switches that send to each other, and a switch without a port: a sentence on each."""
    topology = ring(4)
    ports = clockwise(4).ports.copy()
    first, to, _ = topology.csr
    ports[3, 1] = to[first[1] : first[2]].tolist().index(0)
    looped = verify_routing(Routing(topology, "", ports))
    assert not looped.complete
    assert "switch 3 runs in a cycle (2 pairs in all)" in looped.fault
    ports = clockwise(4).ports.copy()
    ports[3, 2] = 255
    holed = verify_routing(Routing(topology, "", ports))
    assert "switch 3 ends at a switch that has no port for it (3 pairs in all)" in holed.fault
    assert holed.reached_pairs == 9


def test_what_no_path_joins_is_not_held_against_the_tables():
    """In a topology of two parts pairs across are apart, and the tables complete."""
    topology = Topology(links=[(0, 1), (2, 3)], switches=4)
    ports = empty_ports(topology)
    ports[0, 1] = ports[1, 0] = ports[2, 3] = ports[3, 2] = 0
    verification = verify_routing(Routing(topology, "", ports))
    assert (verification.reached_pairs, verification.apart_pairs, verification.complete, verification.fault) == (
        4,
        8,
        True,
        "",
    )


def test_the_judge_is_the_same_for_any_number_of_threads():
    """Loads, turns and verdicts of one thread and of three."""
    routing = route(build("jellyfish:n=150,degree=5"))
    one, three = verify_routing(routing, 1), verify_routing(routing, 3)
    assert (one.channel_load == three.channel_load).all()
    assert (one.histogram == three.histogram).all()
    assert one.virtual_channel_pairs.tolist() == three.virtual_channel_pairs.tolist()
    assert one.virtual_channel_pairs.sum() == 150 * 149


def test_tables_of_another_shape_are_refused():
    """Tables of another network, and virtual channels past what can be told apart: one sentence each."""
    topology = ring(4)
    with pytest.raises(InputError, match="4 destinations x 4 switches"):
        Routing(topology, "", np.zeros((5, 5), np.uint8))
    with pytest.raises(InputError, match="virtual channels of shape"):
        Routing(topology, "", np.zeros((4, 4), np.uint8), np.zeros((2, 2), np.uint8))
    with pytest.raises(InputError, match="virtual channel 99; virtual channels are 0 to 63"):
        verify_routing(Routing(topology, "", clockwise(4).ports.copy(), np.full((4, 4), 99, np.uint8)))


def test_rounds_even_the_loads():
    """Trees made again with the others' loads known: the busiest channel gets fewer pairs, or as many."""
    topology = build("jellyfish:n=300,degree=6")
    busiest = []
    for rounds in (0, 3):
        ports = empty_ports(topology)
        load = fill_minimal(topology, Draws(1).permutation(300), ports, rounds)
        verification = verify_routing(Routing(topology, "", ports))
        assert (verification.channel_load == load).all()
        assert verification.minimal
        busiest.append(verification.load_over_mean)
    assert busiest[1] < busiest[0]
    assert busiest[1] < 1.35
