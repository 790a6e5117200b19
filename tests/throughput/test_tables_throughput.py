"""What tables let through: loads, worst permutations and bisections against walking every way in Python, and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from throughput_cases import SMALL, maximal_permutation, random_permutations, slow_loads, slow_worst, walk

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.routing.routing import Routing, empty_ports
from topoloom.throughput.bisections import effective_bisection
from topoloom.throughput.flow import concurrent_flow
from topoloom.throughput.traffic import host_permutation, host_switches, matrix, permutation, uniform_remote
from topoloom.throughput.traffic.loads import table_loads
from topoloom.throughput.traffic.worst import worst_permutation
from topoloom.topologies.spec import build


@pytest.fixture(scope="module", params=SMALL)
def tables(request):
    """Tables of each small network."""
    return route(SMALL[request.param], "updown" if request.param == "random" else "minimal")


def test_loads_are_those_of_walking_every_way(tables):
    """For uniform traffic, a permutation, and a matrix with nothing alike in it."""
    topology = tables.topology
    hosts = np.flatnonzero(topology.endpoints_at) if topology.endpoints.size else np.arange(topology.switches)
    demand = np.zeros((topology.switches, topology.switches))
    demand[np.ix_(hosts, hosts)] = np.random.default_rng(1).random((hosts.size, hosts.size))
    turned = np.roll(np.arange(topology.switches), 1)
    for traffic in (uniform_remote(topology), permutation(topology, turned), matrix(topology, demand)):
        found = table_loads(tables, traffic)
        assert found.channels == pytest.approx(slow_loads(tables, traffic.dense()))


def test_uniform_loads_of_one_host_a_switch_are_the_judges_pairs():
    """With one host a switch, loads times n - 1 are the pairs that the verifier counted."""
    tables = route(build("jellyfish:n=40,degree=4"))
    found = table_loads(tables, uniform_remote(tables.topology))
    assert found.channels * 39 == pytest.approx(tables.verification.channel_load)
    assert found.network == pytest.approx(39 / tables.verification.edge_forwarding_index)


def test_tables_bring_no_more_than_the_best_flow(tables):
    """For the same traffic the exact flow is at least what the tables let through."""
    topology = tables.topology
    worst = host_permutation(topology, worst_permutation(tables).partner)
    for traffic in (uniform_remote(topology), maximal_permutation(topology), worst):
        assert table_loads(tables, traffic).network <= concurrent_flow(topology, traffic) + 1e-6


def test_the_worst_permutation_is_exact(tables):
    """Its load is the heaviest matching that NetworkX finds, host by host, and the permutation named makes it."""
    worst = worst_permutation(tables)
    topology = tables.topology
    assert worst.load == slow_worst(tables, host_switches(topology))
    loads = table_loads(tables, host_permutation(topology, worst.partner))
    assert loads.greatest == worst.load
    assert loads.throughput == worst.throughput
    busiest = int(np.argmax(loads.channels))
    channels = tables.channels
    named = [(int(channels.origin[c]), int(channels.to[c])) for c in np.flatnonzero(loads.channels == worst.load)]
    assert worst.channel in named, busiest


def test_no_permutation_is_worse(tables):
    """Random permutations of the hosts, and the maximal one, load no channel more."""
    topology, worst = tables.topology, worst_permutation(tables)
    for partner in random_permutations(worst.partner.size, 50):
        assert table_loads(tables, host_permutation(topology, partner)).greatest <= worst.load
    assert table_loads(tables, maximal_permutation(topology)).greatest <= worst.load


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(1, 10_000), st.lists(st.integers(0, 4), min_size=8, max_size=8))
def test_the_worst_permutation_is_exact_for_any_hosts(seed, hosts):
    """Switches with no host, one, or four: augmenting ways of several hosts at once find what single hosts find."""
    if not sum(hosts):
        return
    tables = route(build(f"jellyfish:n=8,degree=3,seed={seed % 50 + 1}").with_hosts(np.array(hosts)), "minimal")
    worst = worst_permutation(tables)
    assert worst.load == slow_worst(tables, host_switches(tables.topology))
    assert sorted(worst.partner.tolist()) == list(range(sum(hosts)))


def one_channel(joined, hosts):
    """Tables of a full mesh in which the pairs `joined` (bool[k, k]) go over the channel from switch k to k + 1, few others."""
    k = len(joined)
    topology = build(f"complete:n={k + 2}").with_hosts(np.array([*hosts, 0, 0]))
    next_switch = np.tile(np.arange(k + 2)[:, None], (1, k + 2))  # straight to the destination
    for s, d in np.argwhere(joined):
        if s != d:
            next_switch[d, s] = k
    next_switch[:k, k] = k + 1
    ports = empty_ports(topology)
    for s in range(k + 2):
        others = np.arange(k + 2) != s
        ports[others, s] = next_switch[others, s] - (next_switch[others, s] > s)
    return Routing(topology, "one channel", ports)


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 7))
def test_matchings_are_the_largest_for_any_pairs(seed, most):
    """Any set of pairs over one channel, any hosts: what greed leaves is found along augmenting ways."""
    random = np.random.default_rng(seed)
    joined = random.random((9, 9)) < random.choice([0.15, 0.3, 0.45])
    hosts = random.integers(0, most + 1, 9) if most else np.ones(9, int)
    tables = one_channel(joined, hosts)
    worst = worst_permutation(tables)
    assert worst.load == slow_worst(tables, host_switches(tables.topology))
    if worst.load:
        assert table_loads(tables, host_permutation(tables.topology, worst.partner)).greatest == worst.load


def test_bisections_are_those_of_counting_flows(tables):
    """The mean share of a bisection, with its own draws, flows counted in Python."""
    from topoloom.core.random_streams import Draws
    from topoloom.core.random_streams.kernels import shuffle

    switch = host_switches(tables.topology)
    found = effective_bisection(tables, 5, seed=7)
    for number in range(5):
        order = np.arange(switch.size)
        shuffle(Draws(7, number).state(), order)
        half = switch.size // 2
        ways = [walk(tables, int(switch[order[i]]), int(switch[order[half + i]])) for i in range(half)]
        flows = [channel for way in ways for channel in way]
        shares = [1 / max([flows.count(channel) for channel in way], default=1) for way in ways]
        assert found.shares[number] == pytest.approx(np.mean(shares))
    assert found.error == pytest.approx(np.std(found.shares, ddof=1) / np.sqrt(5))


def test_a_full_crossbar_has_full_effective_bisection():
    """Every switch linked to every other with one host each, and one switch with all hosts: every flow gets all."""
    one = Topology(links=[], switches=1, endpoints=[0] * 6)
    for tables in (route(build("complete:n=9")), Routing(one, "none", empty_ports(one))):
        found = effective_bisection(tables, 20)
        assert (found.mean, found.error) == (1.0, 0.0)


def test_a_single_cable_is_shared():
    """Two switches of four hosts, one cable: of k flows each way every one gets 1 / k."""
    tables = route(Topology(links=[(0, 1)], switches=2).with_hosts(4))
    assert worst_permutation(tables).load == 4
    assert 0.25 <= effective_bisection(tables, 200).mean <= 1.0
    assert table_loads(tables, uniform_remote(tables.topology)).throughput == 0.25


def test_threads_do_not_change_the_answers():
    """Loads, bisections and worst permutations are the same to the last digit for one thread and three."""
    tables = route(build("jellyfish:n=150,degree=5").with_hosts(2), "minimal")
    traffic = uniform_remote(tables.topology)
    loads = [table_loads(tables, traffic, jobs).channels for jobs in (1, 3)]
    assert (loads[0] == loads[1]).all()
    drawn = [effective_bisection(tables, 30, jobs=jobs).shares for jobs in (1, 3)]
    assert (drawn[0] == drawn[1]).all()
    assert (effective_bisection(tables, 10).shares == drawn[0][:10]).all()
    worst = [worst_permutation(tables, jobs) for jobs in (1, 3)]
    assert worst[0].channel == worst[1].channel
    assert (worst[0].partner == worst[1].partner).all()


def test_hosts_links_limit_what_a_matrix_gets():
    """A matrix that asks two units of a host gets half at most, however wide the network."""
    tables = route(build("complete:n=4"))
    demand = np.zeros((4, 4))
    demand[0, 1] = demand[0, 2] = 1.0
    found = table_loads(tables, matrix(tables.topology, demand))
    assert (found.network, found.throughput) == (1.0, 0.5)


def test_tables_that_lead_nowhere_are_refused():
    """Holes and circles are found by every measure before it counts anything, and named."""
    ring = build("torus:dims=4")
    holes = empty_ports(ring)
    circles = route(ring, "minimal").ports.copy()
    first, to, _ = ring.csr
    for switch, towards in ((1, 2), (2, 1)):
        circles[0, switch] = to[first[switch] : first[switch + 1]].tolist().index(towards)
    for ports in (holes, circles):
        tables = Routing(ring, "broken", ports.copy())
        for measure in (worst_permutation, effective_bisection):
            with pytest.raises(
                InputError, match="engine 'broken' do not lead from every switch with hosts to switch 0"
            ):
                measure(tables)


def test_only_ways_between_hosts_are_needed():
    """Tables that know no way to, or from, switches without hosts measure like whole ones."""
    whole = route(build("clos:leaves=4,spines=2,width=2"), "minimal")
    ports, spines = whole.ports.copy(), whole.topology.endpoints_at == 0
    ports[spines] = whole.none
    some = Routing(whole.topology, "leaves", ports)
    assert spines.any()
    assert (effective_bisection(some, 5).shares == effective_bisection(whole, 5).shares).all()
    assert worst_permutation(some).load == worst_permutation(whole).load
    traffic = uniform_remote(whole.topology)
    assert table_loads(some, traffic).channels.tolist() == table_loads(whole, traffic).channels.tolist()
    lost = ports.copy()
    lost[0, spines] = whole.none
    with pytest.raises(InputError, match="do not lead from every switch with hosts to switch 0"):
        worst_permutation(Routing(whole.topology, "lost", lost))


def test_mistakes_are_one_sentence():
    """No bisections, a single host, traffic of another network, partners that are none."""
    tables = route(build("torus:dims=4"))
    with pytest.raises(InputError, match="bisections=0"):
        effective_bisection(tables, 0)
    with pytest.raises(InputError, match="1 hosts; bisections need at least two"):
        effective_bisection(route(build("torus:dims=4").with_hosts(np.array([1, 0, 0, 0]))))
    with pytest.raises(InputError, match="traffic is for 8 switches, but the tables have 4"):
        table_loads(tables, uniform_remote(build("torus:dims=8")))
    with pytest.raises(InputError, match="list each of 0 to 3 once"):
        host_permutation(tables.topology, [1, 1, 2, 3])
