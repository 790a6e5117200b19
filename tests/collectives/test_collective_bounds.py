"""The least time of collectives against every cut and partition, linear programs, and networks that a hand can solve."""

import numpy as np
import pytest
from collective_oracle import arcs_of, gather_rate, parts_rate, smallest_cuts, spanning_trees

from topoloom import AppSettings, InputError, Topology, build, collective_bound
from topoloom.simulation.collectives.cuts import broadcast_cut, gather_cut, parts_cut
from topoloom.simulation.collectives.network import rank_network

#: 8 Gb/s: a byte a nanosecond.
RATE = AppSettings(rate_gbps=8.0, switch_ns=0.0)


def drawn(seed, most=5):
    """A small connected network with hosts here and there, some with two ports, and the rates of its links and hosts."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(2, most))
    links = [(i, int(draw.integers(0, i))) for i in range(1, n)]
    links += [(int(a), int(b)) for a, b in draw.integers(0, n, (int(draw.integers(0, 5)), 2)) if a != b]
    ends = np.sort(draw.integers(0, n, int(draw.integers(2, 6))))
    host = None
    if seed % 3 == 0 and ends.size >= 4:
        host = np.arange(ends.size) // 2
    return Topology(links=links, switches=n, endpoints=ends, host=host), 2, int(draw.choice([1, 2, 3, 6]))


@pytest.mark.parametrize("seed", range(40))
def test_no_cut_and_no_partition_is_forgotten(seed):
    """The rates are the least over all sets of hosts, and all partitions of them, looked at one by one."""
    topology, rate, host_rate = drawn(seed)
    cuts = smallest_cuts(topology, rate, host_rate)
    homes = np.arange(topology.hosts)
    for alike in (False, True):
        network = rank_network(topology, homes, float(rate), float(host_rate), alike=alike)
        unit = network.unit_gbps
        gather = gather_cut(network)
        assert float(gather.rate) * unit == pytest.approx(float(gather_rate(cuts, topology.hosts)), rel=1e-12)
        for known in (None, gather):
            found, least = float(parts_cut(network, known).rate) * unit, float(parts_rate(cuts, topology.hosts))
            # Parts with some of the hosts that are alike are looked at where each is a class.
            assert found >= least * (1 - 1e-12) if alike else found == pytest.approx(least, rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_a_linear_program_gathers_as_fast(seed):
    """The largest x with which, for every host alone, all others' x flow to it at once (Edmonds), by HiGHS."""
    from scipy.optimize import linprog

    topology, rate, host_rate = drawn(seed, 6)
    arcs = list(arcs_of(topology, rate, host_rate).items())
    nodes = sorted(
        {node for (tail, head), _ in arcs for node in (tail, head)} | {("s", i) for i in range(topology.switches)}
    )
    place = {node: i for i, node in enumerate(nodes)}
    best = np.inf
    for goal in range(topology.hosts):
        rows = np.zeros((len(nodes), len(arcs) + 1))
        for i, ((tail, head), _) in enumerate(arcs):
            rows[place[tail], i] += 1
            rows[place[head], i] -= 1
        for host in range(topology.hosts):
            rows[place["h", host], -1] = -1.0 if host != goal else topology.hosts - 1.0
        gain = np.zeros(len(arcs) + 1)
        gain[-1] = -1
        bounds = [(0, units) for _, units in arcs] + [(0, None)]
        best = min(best, -linprog(gain, A_eq=rows, b_eq=np.zeros(len(nodes)), bounds=bounds).fun)
    network = rank_network(topology, np.arange(topology.hosts), float(rate), float(host_rate))
    assert float(gather_cut(network).rate) * network.unit_gbps == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("seed", range(8))
def test_an_all_reduce_is_a_packing_of_spanning_trees(seed):
    """Where each switch has a host with links to spare, bytes over the bound are what undirected spanning trees pack, by HiGHS.

    Each tree adds up towards its root on one direction of its links, and spreads on the other (Nash-Williams, Tutte 1961).
    """
    from scipy.optimize import linprog

    draw = np.random.default_rng(seed)
    n = int(draw.integers(3, 6))
    links = [(i, int(draw.integers(0, i))) for i in range(1, n)]
    links += [(int(a), int(b)) for a, b in draw.integers(0, n, (4, 2)) if a != b]
    topology = Topology(links=links, switches=n, endpoints=np.arange(n))
    single = sorted({tuple(one) for one in topology.links.tolist()})
    capacity = [topology.links.tolist().count(list(one)) for one in single]
    trees = list(spanning_trees(n, single))
    takes = np.array([[one in tree for tree in trees] for one in single], float)
    packed = -linprog(-np.ones(len(trees)), A_ub=takes, b_ub=capacity).fun
    settings = AppSettings(rate_gbps=8.0, host_rate_gbps=800.0, switch_ns=0.0)
    found = collective_bound(topology, "allreduce", 1_000_000, settings=settings)
    assert found.bandwidth_s == pytest.approx(1e-3 / packed, rel=1e-7)


@pytest.mark.parametrize(
    ("spec", "host_rate", "operation", "nanoseconds"),
    [
        # Twelve hosts around one switch: eleven twelfths come in by one link; twice that for an all-reduce.
        ("complete:n=2,hosts=6", 8, "allgather", 11 / 12),
        ("ring:n=8,hosts=1", 8, "allgather", 7 / 8),
        ("ring:n=8,hosts=1", 8, "allreduce", 14 / 8),
        # Wide hosts on a ring: seven parts come in by two links.
        ("ring:n=8,hosts=1", 80, "allgather", 7 / 16),
        ("ring:n=8,hosts=1", 80, "allreduce", 7 / 8),
        # Two boxes with a thin link: each half goes over it once, an all-reduce's whole vector both ways.
        ("complete:n=2,hosts=4", 80, "allgather", 1 / 2),
        ("complete:n=2,hosts=4", 80, "reduce-scatter", 1 / 2),
        ("complete:n=2,hosts=4", 80, "allreduce", 1.0),
        ("complete:n=2,hosts=4", 80, "broadcast", 1.0),
        # A torus whose hosts have as much as their four links.
        ("torus:dims=4x4,hosts=1", 32, "allgather", 15 / 16 / 4),
        ("torus:dims=4x4,hosts=1", 32, "allreduce", 30 / 16 / 4),
        ("torus:dims=4x4,hosts=1", 32, "broadcast", 1 / 4),
        # Two ports of each host, in planes: half the time.
        ("ring:n=8,hosts=1+planes:count=2", 8, "allgather", 7 / 16),
        # All-to-all on two boxes: sixteen pairs over the thin link each way; on a torus 4 x 4: 16 x 32 hops over 64 channels.
        ("complete:n=2,hosts=4", 8, "alltoall", 16.0),
        ("torus:dims=4x4,hosts=1", 80, "alltoall", 8.0),
        ("complete:n=8,hosts=1", 8, "alltoall", 7.0),
    ],
)
def test_networks_that_a_hand_can_solve(spec, host_rate, operation, nanoseconds):
    """A million bytes, a byte a nanosecond and link; the bound is reached in all of them."""
    settings = AppSettings(rate_gbps=8.0, host_rate_gbps=float(host_rate), switch_ns=0.0)
    found = collective_bound(build(spec), operation, 1_000_000, settings=settings)
    assert found.bandwidth_s == pytest.approx(nanoseconds * 1e-3, rel=2e-6)
    assert found.exact


def test_unequal_boxes_are_no_twofold_gather():
    """One host here, three there, a thin link: even parts cross it 3/4 twice, but a vector need only cross each way once."""
    topology = Topology(links=[(0, 1)], switches=2, endpoints=[0, 1, 1, 1])
    settings = AppSettings(rate_gbps=8.0, host_rate_gbps=80.0, switch_ns=0.0)
    found = collective_bound(topology, "allreduce", 1_000_000, settings=settings)
    assert (found.bandwidth_s, found.reached_s) == pytest.approx((1e-3, 1.5e-3))
    assert not found.exact


@pytest.mark.parametrize("operation", ["allreduce", "allgather", "broadcast", "alltoall"])
@pytest.mark.parametrize("seed", range(6))
def test_a_link_more_makes_nothing_slower(operation, seed):
    """The bound falls, or stays, with each link that is added."""
    topology, rate, host_rate = drawn(seed, 6)
    settings = AppSettings(rate_gbps=float(rate), host_rate_gbps=float(host_rate))
    draw = np.random.default_rng(seed)
    before = collective_bound(topology, operation, 10_000, settings=settings)
    for _ in range(3):
        u, v = draw.choice(topology.switches, 2, replace=False)
        topology = topology.replace(links=np.concatenate([topology.links, [[u, v]]]), host=topology.host)
        after = collective_bound(topology, operation, 10_000, settings=settings)
        assert after.bandwidth_s <= before.bandwidth_s * (1 + 3e-6)
        assert after.farthest_s <= before.farthest_s + 1e-12
        before = after


def test_delays_are_those_of_the_farthest_and_the_nearest_rank():
    """On a ring of six with 100 ns a switch: two switches to the next host, four to the farthest; without bytes the latter."""
    settings = AppSettings(switch_ns=100.0, link_ns=10.0, host_link_ns=5.0)
    found = collective_bound(build("ring:n=6,hosts=1"), "allgather", 0, settings=settings)
    assert found.first_s == pytest.approx(2 * 5e-9 + 2 * 100e-9 + 10e-9)
    assert found.farthest_s == found.seconds == pytest.approx(2 * 5e-9 + 4 * 100e-9 + 3 * 10e-9)


def test_a_broadcast_goes_as_far_as_from_its_root():
    """On a path of five switches: from an end past all five, from the middle past three."""
    path = Topology(links=[(0, 1), (1, 2), (2, 3), (3, 4)], switches=5, endpoints=np.arange(5))
    settings = AppSettings(switch_ns=100.0)
    far = [collective_bound(path, "broadcast", 1, root_rank=root, settings=settings).farthest_s for root in (0, 2)]
    assert far == pytest.approx([500e-9, 300e-9])


def test_ranks_on_some_hosts_only():
    """Four ranks, a host a corner of a ring of eight: what they have comes in by their hosts' links alone."""
    topology = build("ring:n=8,hosts=1")
    whole = collective_bound(topology, "allgather", 8000, settings=RATE)
    some = collective_bound(topology, "allgather", 8000, 4, settings=RATE)
    assert (whole.bandwidth_s, some.bandwidth_s) == pytest.approx((7e-6, 6e-6))


def test_a_large_network_has_a_bound_in_a_moment():
    """10,830 hosts on 722 switches: all others' bytes come in by one port."""
    found = collective_bound(build("slimfly:q=19,hosts=15"), "allreduce", 1 << 20, settings=RATE)
    assert found.bandwidth_s == pytest.approx(2 * 10829 / 10830 * 2**20 * 1e-9)
    assert found.exact


def test_a_bracketed_flow_bounds_an_all_to_all():
    """Where the flow is too large to be solved it lies between the bound and what is reached, as close as was asked."""
    found = collective_bound(
        build("fat-tree:k=16"), "alltoall", 1000, gap=0.1, settings=AppSettings(host_rate_gbps=400.0)
    )
    assert found.bandwidth_s < found.reached_s <= found.bandwidth_s * 1.1 * (1 + 1e-9)


@pytest.mark.parametrize("spec", ["ring:n=5,hosts=2", "complete:n=4,hosts=4+rails:nics=2"])
def test_a_broadcast_is_no_quicker_from_anywhere(spec):
    """The root's rate is the smallest cut to another rank; of a symmetric network the same from each."""
    topology = build(spec)
    rates = set()
    for root in range(topology.hosts):
        network = rank_network(topology, np.arange(topology.hosts), 2.0, 6.0, apart=root)
        rates.add(broadcast_cut(network).rate)
    assert len(rates) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gossip",), "unknown collective 'gossip'"),
        (("allreduce", -1), "bytes=-1"),
        (("allreduce", 8, 99), "only 4 hosts"),
        (("broadcast", 8, 4), "root_rank=9"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, words):
    """In a sentence."""
    with pytest.raises(InputError, match=words):
        collective_bound(build("ring:n=4,hosts=1"), *arguments, root_rank=9)


def test_hosts_apart_are_refused():
    """Two networks that nothing joins have no collective."""
    with pytest.raises(InputError, match="no path joins host 0 and host 1"):
        collective_bound(Topology(links=[], switches=2, endpoints=[0, 1]), "allreduce", 8)
    with pytest.raises(InputError, match="no hosts"):
        collective_bound(build("ring:n=4"), "allreduce", 8)
