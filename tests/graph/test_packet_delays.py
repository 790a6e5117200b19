"""Latency with the time of a packet's bits: by each link's rate, as the routers of the flit simulator pass them."""

import math
from itertools import product

import numpy as np
import pytest
from graph_cases import topologies
from hypothesis import given
from hypothesis import strategies as st

from topoloom import Serialization, hops, route, simulate
from topoloom.core.errors import InputError
from topoloom.graph.latency import Delays, latencies
from topoloom.model.topology import Topology

rates = st.sampled_from([25.0, 100.0, 150.0, 400.0])
#: Two leaves of four hosts and one link.
LEAVES = Topology(links=[(0, 1)], switches=2, endpoints=[0] * 4 + [1] * 4, name="leaves")


def reference(topology, length, switch_ns, flit, rest, between):
    """The latency of every pair by Bellman-Ford over (switch, rate of the last link); `rest` adds up where links get slower."""
    links = [
        (u, v, r, 5 * m) for (u, v), r, m in zip(topology.links.tolist(), topology.link_rate_gbps, length, strict=True)
    ]
    links += [(v, u, r, ns) for u, v, r, ns in links]
    hosts = between == "hosts"
    ends = list(zip(topology.endpoints.tolist(), topology.endpoint_rate_gbps, strict=True))
    ends = ends if hosts else [(v, None) for v in range(topology.switches)]

    def after(last, rate):
        return flit / rate + (rest / rate if last is None else max(0.0, rest / rate - rest / last))

    found = []
    for i, (start, own) in enumerate(ends):
        best = {(start, own): after(None, own) + switch_ns if hosts else switch_ns}
        changed = True
        while changed:
            changed = False
            for (v, last), ns in list(best.items()):
                for u, w, rate, cable in links:
                    cost = ns + switch_ns + cable + after(last, rate)
                    if u == v and cost < best.get((w, rate), math.inf) - 1e-9:
                        best[w, rate], changed = cost, True
        for j, (goal, rate) in enumerate(ends):
            if i != j:
                ways = [ns + (after(last, rate) if hosts else 0.0) for (v, last), ns in best.items() if v == goal]
                found.append(min(ways, default=math.inf))
    return found


@given(topologies(most=6, hosts=True), st.data(), st.sampled_from([0.0, 64.0, 512.0]))
def test_every_link_counts_by_its_own_rate(topology, data, flit):
    """Random rates, delays and lengths: mean and maximum over pairs of hosts and of switches are those of brute force."""
    m, ports = len(topology.links), topology.endpoints.size
    own = [data.draw(st.lists(rates, min_size=k, max_size=k)) for k in (m, ports)]
    if not m + ports:
        return
    topology = topology.with_rates(*(np.array(part) for part in own))
    length = data.draw(st.lists(st.sampled_from([0.0, 1.0, 7.3]), min_size=m, max_size=m))
    packet = Serialization(packet_bytes=512, flit_bytes=flit)
    for between in ("hosts", "switches") if ports else ("switches",):
        found = latencies(topology, np.array(length), 10, 5, between, packet=packet)
        pairs = reference(topology, length, 10, 8 * flit, 8 * (512 - flit), between)
        assert found.mean_ns == pytest.approx(np.mean(pairs) if pairs else 0.0)
        assert found.max_ns == pytest.approx(max(pairs, default=0.0))


@given(topologies(most=9, hosts=True))
def test_equal_rates_count_a_packet_once(topology):
    """The rest of the packet once, a flit on every link; a network of nearly equal rates gives the same."""
    between = "hosts" if topology.endpoints.size else "switches"
    packet = Serialization(packet_bytes=1000, flit_bytes=100, rate_gbps=100)
    equal = latencies(topology, 2.0, 60, 5, between, packet=packet)
    mixed = topology.with_rates(np.where(np.arange(len(topology.links)) % 2, 100.0, 100.0000001), 100.0)
    packet = Serialization(packet_bytes=1000, flit_bytes=100)
    if mixed.rated:
        nearly = latencies(mixed, 2.0, 60, 5, between, packet=packet)
        assert (nearly.mean_ns, nearly.max_ns) == pytest.approx((equal.mean_ns, equal.max_ns))
    plain = latencies(topology, 2.0, 60 + 8, 5, between)
    # A path of h hops has h + 1 switches; hosts add a link at both ends, one of them counted with its switch.
    extra = 72 + (8 if between == "hosts" else -8)
    if plain.max_ns:
        assert (equal.mean_ns, equal.max_ns) == pytest.approx((plain.mean_ns + extra, plain.max_ns + extra))


@pytest.mark.parametrize(("links", "flits"), list(product([(400, 100), (100, 400)], [1, 4, 16])))
def test_the_flit_simulator_agrees_near_zero_load(links, flits):
    """Hosts of 100 under a link of 400, and the reverse: the latency of routers, but for rare collisions of packets."""
    topology = LEAVES.with_rates(*links)
    # A cycle is 1 ns: a flit of 400 bits on the fastest link. Two routers take 2 cycles each, and the host 1.
    packet = Serialization(packet_bytes=50 * flits, flit_bytes=50)
    found = latencies(topology, 0.0, 2, 0, packet=packet)
    curve = simulate(
        route(topology, "minimal"), "bit-complement", "booksim", settings=[f"packet_flits={flits}"], loads=[0.001]
    )
    assert curve.points[0].latency_mean == pytest.approx(found.max_ns + 1, rel=0.02)


def test_store_and_forward_counts_the_packet_on_every_link():
    """4,096 bytes: 327.68 ns at 100 Gb/s and 81.92 ns at 400; cut-through waits before the faster link and after it."""
    mixed = LEAVES.with_rates(400, 100)
    stored = Serialization(packet_bytes=4096, flit_bytes=4096)
    assert latencies(mixed, 0.0, 0, 0, packet=stored).max_ns == pytest.approx(2 * 327.68 + 81.92)
    through = Serialization(packet_bytes=4096)
    assert latencies(mixed, 0.0, 0, 0, packet=through).max_ns == pytest.approx(2 * 327.68 - 81.92)
    assert latencies(LEAVES.with_rates(100), 0.0, 0, 0, packet=through).max_ns == pytest.approx(327.68)


def test_nothing_changes_without_a_packet():
    """Rates alone change no digit, and no setting of the result."""
    for packet in (None, Serialization()):
        one, two = (latencies(each, 3.0, 60, 5, packet=packet) for each in (LEAVES, LEAVES.with_rates(400, 100)))
        assert (one.mean_ns, one.max_ns) == (two.mean_ns, two.max_ns)
        assert one.provenance.settings == latencies(LEAVES, 3.0, 60, 5).provenance.settings


def test_planes_are_measured_by_their_own_rates():
    """A plane of 400 and one of 100 Gb/s: the mean of both, and the worst."""
    topology = Topology(links=[(0, 1), (2, 3)], switches=4, endpoints=[0, 1, 2, 3], host=[0, 1, 0, 1], name="planes")
    mixed = topology.with_rates([400, 100], [400, 400, 100, 100])
    found = hops(mixed, latency=Delays(switch_ns=0, cable_ns_per_m=0), packet=Serialization(packet_bytes=4096)).latency
    assert (found.mean_ns, found.max_ns) == pytest.approx(((327.68 + 81.92) / 2, 327.68))


def test_impossible_packets_are_refused():
    """Each is answered by a sentence that states what is missing."""
    with pytest.raises(InputError, match="needs the rate of the links; give rate_gbps"):
        latencies(LEAVES, 0.0, 0, 0, packet=Serialization(packet_bytes=100))
    with pytest.raises(InputError, match="100 and 400 Gb/s, which count; omit rate_gbps"):
        latencies(LEAVES.with_rates(400, 100), 0.0, 0, 0, packet=Serialization(packet_bytes=100, rate_gbps=100))
    with pytest.raises(InputError, match="flit_bytes=200 is above packet_bytes=100"):
        Serialization(packet_bytes=100, flit_bytes=200)
