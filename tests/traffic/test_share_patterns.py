"""Patterns of a part of the machine: who is active, what each sends, and that lists and amounts between switches agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoloom.core.errors import InputError
from topoloom.routing.route import route
from topoloom.throughput.quality import quality
from topoloom.throughput.traffic import LISTS, MATRIX, making, traffic_of
from topoloom.throughput.tub import hops_between, tub, volume_bound
from topoloom.topologies.spec import build

NETWORK = build("jellyfish:n=12,degree=4,hosts=3")
SHARES = st.floats(0, 1)


def lists(traffic):
    """The list of each host."""
    return [traffic.to[a:b].tolist() for a, b in zip(traffic.first, traffic.first[1:], strict=False)]


@given(share=SHARES, seed=st.integers(0, 5), of=st.sampled_from(["hosts", "switches"]))
def test_active_hosts_of_a_clique_send_to_every_other(share, seed, of):
    """Each active host lists the others once; the number of active hosts or switches is the share, at least two."""
    traffic = traffic_of(f"clique:share={share},of={of}", NETWORK, seed)
    active = np.flatnonzero(traffic.senders)
    for host, to in enumerate(lists(traffic)):
        assert to == ([other for other in active.tolist() if other != host] if host in active else [])
    if of == "hosts":
        assert active.size == max(2, round(share * NETWORK.hosts))
    else:
        assert active.size == 3 * max(2, round(share * 12))
        assert (np.bincount(traffic.switch[active], minlength=12) % 3 == 0).all()


@given(share=SHARES, of=st.sampled_from(["hosts", "switches"]))
def test_one_end_of_each_pair_is_a_hub(share, of):
    """Hubs send to all that are none, and those to all hubs; the hubs' links are the limit where they are few."""
    traffic = traffic_of(f"hubs:share={share},of={of}", NETWORK)
    by_host = lists(traffic)
    hub = set(by_host[next(host for host in range(36) if host not in by_host[0])]) if by_host else set()
    other = set(range(36)) - hub
    assert hub
    assert other
    for host, to in enumerate(by_host):
        assert set(to) == (other if host in hub else hub)
    few = min(len(hub), len(other))
    assert traffic.host_limit == pytest.approx(min(1.0, few / (36 - few)))


@given(share=SHARES, seed=st.integers(0, 5), of=st.sampled_from(["hosts", "switches"]))
def test_partners_of_a_matching_send_to_each_other(share, seed, of):
    """The partner of the partner is the host itself; with of=switches, the hosts of a switch have partners on one switch."""
    traffic = traffic_of(f"matching:share={share},of={of}", NETWORK, seed)
    partner = {host: to[0] for host, to in enumerate(lists(traffic)) if to}
    assert all(partner[to] == host != to for host, to in partner.items())
    if of == "switches":
        pairs = {(int(traffic.switch[host]), int(traffic.switch[to])) for host, to in partner.items()}
        assert len(pairs) == len({source for source, _ in pairs}) == len(partner) // 3


def test_skewed_traffic_has_its_share_at_the_hot_switches():
    """A flow begins at a hot switch with the probability `heat`; the busiest host sends at its full rate."""
    network = build("jellyfish:n=50,degree=6,hosts=8")
    traffic = traffic_of("skewed:share=0.1,heat=0.6", network)
    demand = traffic.matrix
    assert traffic.kind == MATRIX
    sent = demand.sum(axis=1)
    assert (sent > sent.mean()).sum() == 5
    # Flows of a host with itself are drawn and not sent, which lowers the share a little.
    assert np.sort(sent)[-5:].sum() / sent.sum() == pytest.approx(0.6, abs=0.01)
    assert sent.max() == pytest.approx(8)
    assert np.array_equal(demand, demand.T)
    assert traffic.host_limit == 1


def test_farthest_partners_are_those_of_the_bound():
    """Every host sends, the hops are those of the maximal permutation, and the bound of the traffic is TUB."""
    traffic = traffic_of("farthest", NETWORK)
    hops = hops_between(NETWORK, np.arange(12), None)
    partner, bound = tub(NETWORK).partner, tub(NETWORK).value
    assert (traffic.switch[traffic.to] == partner[traffic.switch]).all()
    assert np.bincount(traffic.to).tolist() == [1] * 36
    assert (traffic.dense() * hops).sum() == 3 * hops[np.arange(12), partner].sum()
    assert volume_bound(NETWORK, traffic) == pytest.approx(bound)


@pytest.mark.parametrize("of", ["hosts", "switches"])
@pytest.mark.parametrize("name", ["clique", "hubs"])
@pytest.mark.parametrize("mixed", [False, True])
def test_amounts_between_switches_are_those_of_the_lists(name, of, mixed, monkeypatch):
    """Where the lists would be too long, the amounts and the limit of the hosts' links stay the same."""
    network = NETWORK
    if mixed:
        network = network.with_rates(400, np.where(np.arange(36) % 2, 100, 200))
    text = f"{name}:share=0.3,of={of}"
    listed = traffic_of(text, network)
    monkeypatch.setattr(making, "MOST_LISTED", 0)
    between = traffic_of(text, network)
    assert (listed.kind, between.kind) == (LISTS, MATRIX)
    assert between.dense() == pytest.approx(listed.dense())
    assert between.host_limit == pytest.approx(listed.host_limit)


def test_throughput_falls_with_the_active_share():
    """A clique of a quarter of the hosts gets more through than one of all; the bound is at least what tables carry."""
    routing = route(build("jellyfish:n=40,degree=8,hosts=8"), "ecmp")
    quarter, whole = (quality(routing, f"clique:share={share}", bisections=5) for share in (0.25, 1))
    assert quarter.traffic_throughput > 2 * whole.traffic_throughput
    assert whole.traffic_throughput == pytest.approx(quality(routing, "uniform", bisections=5).traffic_throughput)
    for measured in (quarter, whole):
        assert measured.traffic_throughput <= min(1, measured.traffic_bound)


def test_hosts_with_several_ports_take_only_patterns_between_hosts():
    """Amounts between switches do not say which port of a host sends them: one sentence, and no wrong number."""
    tree = build("fat-tree:k=4,hosts=8+rails:nics=2")
    with pytest.raises(InputError, match="has amounts between switches, but the hosts have several ports"):
        quality(route(tree), "skewed", bisections=5)
