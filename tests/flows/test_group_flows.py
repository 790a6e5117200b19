"""Flows along next-hop groups: an even split has the expected loads, a hash takes one walk, and rates are max-min fair."""

import json

import numpy as np
import pytest
from fair_oracle import RATE, fabric, finish_times, sends

from topoloom import build, route, run_app
from topoloom.cli.main import main
from topoloom.core.errors import InputError
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.simulation.flows.network import longest_walk, over_groups
from topoloom.simulation.flows.simulate import simulate_flows
from topoloom.throughput.traffic import matrix
from topoloom.throughput.traffic.loads import expected_loads

_N = 16
_ENGINES = ["spraypoint", "shortest-union", "shortest-union:K=3", "ksp:k=4", "vlb:detours=3", "ecmp"]


@pytest.fixture(scope="module", params=_ENGINES)
def routing(request):
    """A small random network under one of the engines, one host per switch."""
    return route(build(f"jellyfish:n={_N},degree=4,hosts=1"), request.param)


def drawn(seed, share=0.3, n=_N):
    """Random flows: (source, destination, bytes)."""
    draws = np.random.default_rng(seed)
    return [
        (a, b, float(draws.integers(1, 9) * 1e6))
        for a in range(n)
        for b in range(n)
        if a != b and draws.random() < share
    ]


def alone(net, n, flow):
    """The bytes that a flow alone puts on each channel, per byte."""
    return simulate_flows(net, sends(n, [flow]), np.arange(n)).carried / flow[2]


def passed(net, routing, flow):
    """The share of a flow on each channel, and on the links of both hosts, as `fair_rates` takes it."""
    carried = alone(net, routing.topology.switches, flow)
    return {("out", flow[0]): 1.0, ("in", flow[1]): 1.0} | {
        int(channel): float(carried[channel]) for channel in np.flatnonzero(carried)
    }


def test_an_even_split_carries_the_expected_loads(routing):
    """Every channel carries what `expected_loads` gives for the same bytes, whatever the rates are meanwhile."""
    flows, demand = drawn(1), np.zeros((_N, _N))
    for source, goal, size in flows:
        demand[source, goal] += size
    net = over_groups(fabric(routing), split=True, hash_seed=1)
    carried = simulate_flows(net, sends(_N, flows), np.arange(_N)).carried
    expected = expected_loads(routing, matrix(routing.topology, demand)).channels
    assert np.allclose(carried, expected, rtol=1e-12, atol=1e-6)


def test_a_hash_takes_one_walk_of_the_groups(routing):
    """The channels of a flow are one walk from its source, each a member of the group at its switch, in its state."""
    groups, (begins, to, _) = next_hop_groups_of(routing), routing.topology.csr
    net = fabric(routing)
    longest = longest_walk(net, np.arange(_N))
    for flow in drawn(2, 0.1):
        carried = alone(net, _N, flow)
        assert (carried == np.rint(carried)).all()
        left = {int(channel): int(carried[channel]) for channel in np.flatnonzero(carried)}
        hops = sum(left.values())
        assert hops <= longest <= routing.verification.max_hops
        # Search the walk that uses up all channels: at each switch, any member of the group in the packet's state.
        assert _walk(groups, begins, to, flow[1], flow[0], 0, left), (flow, left)


def _walk(groups, begins, to, goal, at, state, left):
    if at == goal:
        return not left
    own = groups.group[state, goal, at]
    for member in range(groups.first[own], groups.first[own + 1]):
        channel = int(begins[at]) + int(groups.port[member])
        if not left.get(channel):
            continue
        rest = {key: count - (key == channel) for key, count in left.items() if count > (key == channel)}
        if _walk(groups, begins, to, goal, int(to[channel]), int(groups.next_state[member]), rest):
            return True
    return False


def test_hashes_of_many_seeds_split_as_the_groups_do(routing):
    """Over 400 seeds, the share of a flow on each channel is within five standard deviations of the even split."""
    net, flow, tries = fabric(routing), (0, 9, 1e6), 400
    expected = alone(over_groups(net, split=True, hash_seed=1), _N, flow)
    seen = np.mean([alone(over_groups(net, split=False, hash_seed=seed), _N, flow) for seed in range(tries)], axis=0)
    likely = np.sqrt(np.maximum(expected * (1 - np.minimum(expected, 1)), 1e-9) / tries)
    assert (np.abs(seen - expected) <= 5 * likely + 1e-9).all()


def test_messages_of_two_ranks_keep_their_path(routing):
    """A connection has one hash: two messages of the same ranks cross the same channels, in either direction its own."""
    net = fabric(routing)
    one, two = (simulate_flows(net, sends(_N, [(0, 9, 1e6)] * count), np.arange(_N)).carried for count in (1, 2))
    assert np.allclose(two, 2 * one)


@pytest.mark.parametrize("split", [False, True], ids=["hash", "even"])
def test_rates_are_max_min_fair(routing, split):
    """The last flow ends when an event-by-event filling by the definition says, for hashed and for split flows."""
    flows = drawn(3, 0.15)
    net = over_groups(fabric(routing), split=split, hash_seed=7)
    seconds = simulate_flows(net, sends(_N, flows), np.arange(_N)).seconds
    ways = [passed(net, routing, flow) for flow in flows]
    assert seconds == pytest.approx(finish_times(ways, [size for *_, size in flows]), rel=1e-9)


def test_split_flows_that_fit_have_their_full_rate():
    """Where no channel is full, each message of a permutation takes as long as its host's link needs."""
    routing = route(build("jellyfish:n=12,degree=6,hosts=1"), "spraypoint:h=4")
    net = over_groups(fabric(routing), split=True, hash_seed=1)
    result = simulate_flows(net, sends(12, [(a, (a + 5) % 12, 1e6) for a in range(12)]), np.arange(12))
    assert result.carried.max() < 1e6
    assert np.allclose(result.finished, 1e6 / RATE, rtol=1e-9)


@pytest.mark.parametrize("split", [False, True], ids=["hash", "even"])
def test_half_duplex_links_are_shared_by_both_directions(split):
    """A walk that comes back over its own link uses it twice: rates are those of the definition, by link."""
    routing = route(build("jellyfish:n=12,degree=3,hosts=1"), "spraypoint")
    link = routing.topology.csr[2]
    net = over_groups(fabric(routing, half_duplex=True), split=split, hash_seed=3)
    flows = drawn(4, 0.3, 12)
    ways, twice = [], False
    for flow in flows:
        way = {("host", flow[0]): 1.0, ("host", flow[1]): 1.0}
        carried = alone(net, 12, flow)
        for channel in np.flatnonzero(carried):
            key = int(link[channel])
            twice |= key in way
            way[key] = way.get(key, 0.0) + float(carried[channel])
        ways.append(way)
    assert twice
    seconds = simulate_flows(net, sends(12, flows), np.arange(12)).seconds
    assert seconds == pytest.approx(finish_times(ways, [size for *_, size in flows]), rel=1e-9)


def test_a_split_message_ends_after_its_longest_walk():
    """With a delay per switch, a small message takes as long as its longest walk; a hashed one at most as long."""
    routing = route(build(f"jellyfish:n={_N},degree=4,hosts=1"), "spraypoint")
    net = over_groups(fabric(routing, switch_s=1e-3), split=True, hash_seed=1)
    flow = (0, 9, 8.0)
    took = simulate_flows(net, sends(_N, [flow]), np.arange(_N)).seconds
    hashed = [
        simulate_flows(over_groups(net, split=False, hash_seed=seed), sends(_N, [flow]), np.arange(_N)).seconds
        for seed in range(200)
    ]
    assert took == pytest.approx(max(hashed), abs=1e-6)
    assert min(hashed) < took - 5e-4


def test_a_window_keeps_the_bytes_and_nearly_the_time():
    """Late updates of rates change no path and no byte, and little of the time."""
    routing = route(build("jellyfish:n=16,degree=4,hosts=1"), "spraypoint")
    for split in (False, True):
        net = over_groups(fabric(routing), split=split, hash_seed=1)
        exact, late = (simulate_flows(net, sends(_N, drawn(5)), np.arange(_N), window=window) for window in (0.0, 0.05))
        assert np.allclose(exact.carried, late.carried)
        assert late.seconds == pytest.approx(exact.seconds, rel=0.2)


def test_the_command_and_python_agree(capsys):
    """`--simulator flows:split=even` and the same in Python give one number, and the record names the choice."""
    spec, app = "jellyfish:n=16,degree=4,hosts=2", "alltoall:bytes=100000"
    with pytest.raises(SystemExit, match="0"):
        main(["app", spec, "--engine", "spraypoint", "--app", app, "--simulator", "flows:split=even", "--json"])
    record = json.loads(capsys.readouterr().out)
    tables = route(build(spec), "spraypoint")
    runs = {text: run_app(tables, app, simulator=text) for text in ("flows:split=even", "flows", "flows:hash_seed=2")}
    assert runs["flows:split=even"].seconds == record["seconds"]
    assert record["provenance"]["settings"]["simulator"] == "flows:split=even"
    assert len({run.seconds for run in runs.values()}) == 3
    # An all-to-all of 32 ranks sends 31 x 32 messages; their bytes on links are the expected hops' but for chance.
    assert runs["flows"].link_bytes_total == pytest.approx(runs["flows:split=even"].link_bytes_total, rel=0.05)


@pytest.mark.parametrize(
    ("engine", "count", "message"),
    [
        ("ugal-l", 1, "chooses paths by load, but flows know no load; use an engine of next-hop groups, such as ecmp"),
        ("spraypoint", 2, "flows follow the next-hop groups of one routing, not of 2; give one"),
    ],
)
def test_other_choices_are_refused(engine, count, message):
    """What flows cannot follow is one sentence with a remedy."""
    routing = route(build("jellyfish:n=8,degree=3,hosts=2"), engine)
    with pytest.raises(InputError, match=message):
        run_app([routing] * count, "alltoall:bytes=8", simulator="flows")


def test_shortest_paths_of_several_rates_are_refused():
    """ECMP by rates is no even split; the groups of spraypoint are."""
    topology = build("jellyfish:n=8,degree=3,hosts=1")
    mixed = topology.with_rates([100.0 + 100 * (k % 2) for k in range(12)], [100.0] * 8)
    with pytest.raises(InputError, match="splits traffic by the rates of links, which differ; flows split evenly"):
        run_app(route(mixed, "ecmp"), "alltoall:bytes=8", simulator="flows")
    assert run_app(route(mixed, "spraypoint"), "alltoall:bytes=8", simulator="flows").seconds > 0


def test_splits_without_memory_are_refused(monkeypatch):
    """Messages that split over hundreds of channels need room; a sentence gives the size and the way out."""
    monkeypatch.setattr("topoloom.simulation.flows.empty_state.free_bytes", lambda: 1000)
    routing = route(build("jellyfish:n=8,degree=3,hosts=1"), "spraypoint")
    assert run_app(routing, "alltoall:bytes=8", simulator="flows").seconds > 0
    with pytest.raises(InputError, match=r"messages that split over up to .* channels need .* \(flows:split=hash\)"):
        run_app(routing, "alltoall:bytes=8", simulator="flows:split=even")
