"""Laws that any routers keep: nothing is lost, nothing overruns, all comes to rest; and times that can be counted by hand."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.routing.route import route
from topoloom.routing.verification.verify import verify_routing
from topoloom.simulation.flits.buffers import FLITS, HOPS, INJECTED, INSIDE
from topoloom.simulation.flits.cables import labelled_cable_cycles
from topoloom.simulation.flits.execute import execute, packets_of
from topoloom.simulation.flits.kernels.fields import VC_FLITS, VC_OUTPUT, VC_SIZE
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.simulation.flits.simulate import simulate
from topoloom.throughput.traffic import traffic_of
from topoloom.topologies.spec import build

#: One graph of diameter 2, and 4 VCs: kernels are compiled for few shapes.
GRAPH = build("slimfly:q=3,hosts=2")


@cache
def routed(name):
    """The graph with the tables of an engine."""
    return route(GRAPH, name)


@st.composite
def routers(draw):
    """Routers of 4 VCs with everything else drawn."""
    longest = draw(st.integers(1, 6))
    mix = draw(st.booleans())
    return RouterConfig(
        vcs=4,
        buffer_flits=4 * draw(st.integers(longest, 12)),
        output_flits=draw(st.sampled_from([0, 1, 3])),
        speedup=draw(st.integers(1, 2)),
        link_cycles=draw(st.integers(1, 3)),
        pipeline_cycles=draw(st.integers(0, 2)),
        route_cycles=draw(st.integers(0, 3)),
        vc_cycles=draw(st.integers(0, 2)),
        switch_cycles=draw(st.integers(0, 2)),
        crossbar_cycles=draw(st.integers(0, 2)),
        credit_cycles=draw(st.integers(1, 4)),
        packet_flits=longest,
        packet_mix=f"1:0.5,{longest + 1}:0.5" if mix and longest > 1 else "",
        cut_through=draw(st.booleans()) and not mix,
        burst_packets=draw(st.sampled_from([1.0, 3.0])),
        host_vcs=draw(st.sampled_from(["any", "one"])),
        host_credits=draw(st.sampled_from(["shared", "per-vc"])),
    )


@settings(max_examples=examples(25), deadline=None)
@given(
    name=st.sampled_from(["hop-vcs", "valiant", "ugal-l", "silla-duato", "lnmp"]),
    config=routers(),
    load=st.sampled_from([0.05, 0.4, 1.0]),
    seed=st.integers(0, 1000),
)
def test_whatever_the_routers_flits_are_conserved_and_come_to_rest(name, config, load, seed):
    """What is inside was injected and has not arrived; no VC overruns; when hosts fall silent, everything arrives.

    Then no buffer holds a flit, no packet an output VC or a record, and every VC's credits are back.
    """
    routing = routed(name)
    run = RouterRun(routing, config, traffic_of("uniform", routing), load, seed)
    at = run.network
    for _ in range(4):
        run.go(150, 0, 1 << 60)
        assert int(at.state[INJECTED]) - int(at.state[FLITS]) == run.inside()
        assert int(at.buffers.rec[VC_FLITS::VC_SIZE].max()) <= at.rules.room
    run.demand = run.demand._replace(load=0.0)
    at.buffers.burst[1::4] = 0
    while at.buffers.queue[2::8].any() or run.inside():
        moved = int(at.state[HOPS])
        run.go(500, 0, 1 << 60)
        assert at.state[HOPS] > moved
    assert int(at.state[INJECTED]) == int(at.state[FLITS]) == int(run.host_flits().sum())
    assert int(at.state[INSIDE]) == 0
    assert not at.buffers.rec[VC_FLITS::VC_SIZE].any()
    assert (at.buffers.rec[VC_OUTPUT::VC_SIZE] == -1).all()
    assert (at.buffers.unowned == -1).all()
    assert not at.buffers.active.any()
    assert not at.buffers.pending.any()


def _trace(tmp_path, rows):
    file = tmp_path / "trace.csv"
    file.write_text("cycle,source,destination,flits\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return f"trace:{file}"


@pytest.mark.parametrize(
    ("settings_", "hop", "ends"),
    [
        ({}, 3, 2),
        ({"speedup": 1}, 4, 2),
        ({"pipeline_cycles": 2}, 5, 2),
        ({"route_cycles": 1}, 3, 2),
        ({"route_cycles": 3}, 5, 2),
        ({"route_cycles": 20}, 22, 2),
        ({"speedup": 1, "route_cycles": 1}, 5, 2),
        ({"speedup": 1, "route_cycles": 2}, 6, 2),
        ({"switch_cycles": 1, "crossbar_cycles": 2}, 6, 2),
        ({"vc_cycles": 3}, 6, 2),
        ({"link_cycles": 9}, 11, -6),
        ({"link_cycles": 40}, 42, -37),
        ({"host_cycles": 4}, 3, 8),
    ],
)
def test_a_lone_packet_takes_what_its_stages_take(tmp_path, settings_, hop, ends):
    """`hop` cycles a router and `ends` more, and one cycle for each flit after the first."""
    routing = route(build("torus:dims=4x4,hosts=1"), "dor")
    config = structs.replace(RouterConfig(vcs=2), **settings_)
    for goal, flits in ((5, 1), (2, 1), (1, 4)):
        found = packets_of(routing, _trace(tmp_path, [(7, 0, goal, flits)]), config).rows
        routers_on_way = len(routing.path(0, goal))
        assert found.tolist() == [[0, goal, flits, 7, 7, 7 + hop * routers_on_way + ends + flits - 1, routers_on_way]]


@pytest.mark.parametrize(
    ("speedup", "flits", "room", "ends"), [(1, 8, 4, 20), (1, 16, 4, 34), (2, 8, 4, 17), (2, 16, 4, 29)]
)
def test_a_packet_longer_than_its_vcs_waits_for_each_credit(tmp_path, speedup, flits, room, ends):
    """Two switches: as many cycles as in BookSim 2 (mesh of 2), where the host's port has credits per VC, too."""
    routing = route(build("mesh:dims=2,hosts=1"), "dor")
    for vcs in (1, 4):
        config = RouterConfig(vcs=vcs, buffer_flits=vcs * room, speedup=speedup)
        assert packets_of(routing, _trace(tmp_path, [(7, 0, 1, flits)]), config).rows[0, 5] == 7 + ends


def test_cables_of_unlike_groups_take_their_own_time(tmp_path):
    """A packet over a local, a global and a local link of 5, 50 and 5 cycles, each with two cycles of the router."""
    routing = route(build("dragonfly:p=1"), "dragonfly")
    config = RouterConfig(vcs=2, link_cycles=5)
    cables = labelled_cable_cycles(routing.topology, config, {"group": 50})
    group = routing.topology.labels["group"]
    longest = next((s, d) for s in range(6) for d in range(6) if len(routing.path(s, d)) == 4)
    found = packets_of(routing, _trace(tmp_path, [(0, *longest, 1)]), config, cables=cables).rows
    assert found[0, 5] == 2 + 1 + (5 + 2) + (50 + 2) + (5 + 2) + 2
    assert group[longest[0]] != group[longest[1]]


def test_koibuchis_routers_take_120_ns_a_hop(tmp_path):
    """100 ns in a switch and 20 on the link (Koibuchi 2013 III.C), and 8/3 ns for each of the other 32 flits of a packet."""
    config = structs.replace(find_preset("koibuchi-2013"))
    routing = route(build("ring:n=8,hosts=1"), "silla-duato")
    near, far = (
        packets_of(routing, _trace(tmp_path, [(0, 0, goal, 33)]), config).rows[0, 5] * config.cycle_ns
        for goal in (1, 3)
    )
    assert (far - near) / 2 == pytest.approx(120, abs=config.cycle_ns / 2)


def test_a_closed_loop_of_one_takes_its_round_trips(tmp_path):
    """One processor with one request running: every round trip takes both ways, the service, and nothing else."""
    routing = route(build("torus:dims=9x8,hosts=1"), "dor")
    text = "chip:processors=1,banks=1,memories=1,window=1,requests=20,miss=0"
    found = execute(routing, text, RouterConfig(vcs=2, packet_flits=1))
    assert found.packets == 40
    rows = packets_of(routing, text, RouterConfig(vcs=2, packet_flits=1)).rows
    trips = rows[rows[:, 0] == rows[0, 0]][:, 3]
    assert np.unique(np.diff(trips)).size == 1
    assert found.cycles == rows[-1, 5]
    with pytest.raises(InputError, match="has no end"):
        execute(routing, "uniform")


def test_what_a_processor_computes_is_added_to_each_trip_but_the_last():
    """With one request running, nothing else waits: 20 trips have 19 pauses between them."""
    routing = route(build("torus:dims=9x8,hosts=1"), "dor")
    text = "chip:processors=1,banks=1,memories=1,window=1,requests=20,miss=0,think_cycles={}"
    without, with_50 = (
        execute(routing, text.format(cycles), RouterConfig(vcs=2, packet_flits=1)).cycles for cycles in (0, 50)
    )
    assert with_50 == without + 19 * 50


def test_misses_ask_further_and_take_longer():
    """Every request of which asks a memory controller too: twice the packets, and more than twice the time."""
    routing = route(build("torus:dims=9x8,hosts=1"), "dor")
    never, always = (execute(routing, f"chip:requests=20,window=1,miss={miss}", RouterConfig(vcs=2)) for miss in (0, 1))
    assert always.packets == 2 * never.packets == 4 * 8 * 20
    assert always.cycles > 2 * never.cycles


@pytest.mark.exhaustive
def test_detours_are_longer_and_adaptive_ones_only_where_it_pays():
    """Valiant's ways are about twice as long; UGAL's little longer than direct ones at a low load."""
    fly = build("slimfly:q=5,hosts=4")
    routed = {name: route(fly, name) for name in ("hop-vcs", "valiant", "ugal-l", "ugal-g")}
    low, high = (
        {
            name: simulate(routing, traffic, RouterConfig(vcs=4), loads=[load]).points[0]
            for name, routing in routed.items()
        }
        for traffic, load in (("uniform", 0.02), ("worst-case", 0.2))
    )
    direct = low["hop-vcs"].hops_mean - 1
    assert 1.6 * direct < low["valiant"].hops_mean - 1 < 2.2 * direct
    for name in ("ugal-l", "ugal-g"):
        assert direct <= low[name].hops_mean - 1 < 1.3 * direct
        assert high[name].hops_mean - 1 > 1.1 * direct
        assert not high[name].saturated
    # The worst case sends all through few channels: 1 / 8 of the load gets through there.
    assert high["hop-vcs"].saturated
    assert not high["valiant"].saturated


@pytest.mark.exhaustive
def test_a_packet_that_knows_all_queues_waits_no_longer_than_one_that_knows_its_own():
    """Besta 2014 IV.C: UGAL-G is the ideal of UGAL-L. Where all prefer one full channel, it sees the packets in front of it."""
    fly = build("slimfly:q=5,hosts=4")
    local, all_queues = (
        simulate(route(fly, name), "worst-case", RouterConfig(vcs=4), loads=[0.4]).points[0]
        for name in ("ugal-l", "ugal-g")
    )
    assert not all_queues.saturated
    assert all_queues.latency_mean < 1.05 * local.latency_mean


def test_detours_of_at_most_three_hops_are_no_longer():
    """Besta 2014 IV.B: 3 of the 2, 3 or 4 hops of a detour; where few switches lie that near, fewer paths are to be had."""
    fly = build("slimfly:q=5,hosts=4")
    routed = {name: route(fly, name) for name in ("valiant", "valiant-3")}
    low = {name: simulate(one, loads=[0.02]).points[0].hops_mean - 1 for name, one in routed.items()}
    assert 2 < low["valiant-3"] <= 3 < low["valiant"] <= 4
    # The settings of UGAL do not change how short it is.
    assert simulate(routed["valiant-3"], settings=["detours=1"], loads=[0.02]).points[0].hops_mean - 1 > 2


def test_any_shortest_way_spreads_what_one_table_crowds():
    """In a fat tree all ways up are used alike, so a permutation that blocks one table gets through."""
    tree = build("kary-tree:k=4,n=2")
    for name in ("nca", "anca"):
        routing = route(tree, name)
        point = simulate(routing, "bit-complement", RouterConfig(vcs=4), loads=[0.5]).points[0]
        used = point.channel_loads[point.channel_loads > 0]
        assert not point.saturated
        assert used.max() < 1.3 * used.mean()


def test_random_ties_are_free_of_deadlock_and_the_judge_sees_where_they_are_not():
    """dor-random on a torus has no circle; with all packets in one virtual channel the verifier finds the ring."""
    routing = route(build("torus:dims=6x4,hosts=1"), "dor-random")
    assert routing.verification.deadlock_free
    one = np.zeros_like(routing.virtual_channels)
    broken = replace(
        routing, virtual_channels=one, choice=replace(routing.choice, virtual_channels=(one,) * 3), verification=None
    )
    assert not verify_routing(broken).deadlock_free
    both = (routing.choice.allowed.reshape(-1)[:, None] >> np.arange(4) & 1).sum(axis=1)
    assert set(both.tolist()) == {1, 2, 4}
    with pytest.raises(InputError, match="dor-random is for tori"):
        route(build("mesh:dims=4x4,hosts=1"), "dor-random")


def test_bursts_wait_longer_at_the_same_load():
    """As many flits arrive; packets of a burst queue behind each other at their host."""
    routing = routed("hop-vcs")
    single, bursts = (
        simulate(routing, preset=RouterConfig(vcs=4, burst_packets=burst), loads=[0.2]).points[0]
        for burst in (1.0, 8.0)
    )
    assert bursts.accepted == pytest.approx(single.accepted, rel=0.05)
    assert bursts.latency_mean > single.latency_mean + 1
    assert bursts.source_mean + bursts.network_mean == pytest.approx(bursts.latency_mean)


def test_links_carry_hosts_traffic_times_hops():
    """The sum of the channels' loads is what arrives, times the channels of its ways."""
    point = simulate(routed("hop-vcs"), preset=RouterConfig(vcs=4), loads=[0.3]).points[0]
    hosts = GRAPH.endpoints.size
    assert point.channel_loads.sum() == pytest.approx(point.accepted * hosts * (point.hops_mean - 1), rel=0.02)
    assert point.link_max == pytest.approx(float(point.channel_loads.max()))


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"packet_mix": "1:0.5"}, "shares that add up to 1"),
        ({"packet_mix": "x"}, "write flits:share"),
        ({"cut_through": True, "packet_flits": 65}, "a packet needs room for all of it"),
        ({"host_vcs": "two"}, "it is any or one"),
        ({"host_credits": "none"}, "it is per-vc or shared"),
        ({"credits_per_cycle": 2}, "credits_per_cycle=2; it is a whole number from 0 to 1"),
        ({"speedup": 3}, "speedup=3; it is a whole number from 1 to 2"),
    ],
)
def test_routers_that_cannot_be_are_refused(given_, message):
    """One sentence each."""
    with pytest.raises(InputError, match=message):
        RouterConfig(**given_)


def test_cables_that_cannot_be_are_refused():
    """A label that is not there, no cycles."""
    fly = build("dragonfly:p=1")
    with pytest.raises(InputError, match="no label 'room'"):
        labelled_cable_cycles(fly, RouterConfig(), {"room": 3})
    with pytest.raises(InputError, match="0 cycles"):
        labelled_cable_cycles(fly, RouterConfig(), {"group": 0})


@pytest.mark.parametrize("vcs", [1, 3, 8])
@pytest.mark.parametrize("flits", [1, 3])
@pytest.mark.parametrize("spec", ["complete:n=6,hosts=4", "complete:n=18,hosts=4", "complete:n=30,hosts=2"])
def test_without_other_packets_a_hop_takes_three_cycles_in_routers_of_any_size(spec, vcs, flits):
    """3 H + 1 + F cycles, however many sets of 64 the virtual channels of a router fill: here one to four.

    A flit of a high port once waited a cycle longer for an output of a low port in a router without other work.
    """
    network = build(spec)
    config = structs.replace(find_preset("booksim"), vcs=vcs, packet_flits=flits)
    point = simulate(route(network, "minimal"), "uniform", config, loads=[0.002 * flits]).points[0]
    assert point.latency_mean == pytest.approx(3 * point.hops_mean + 1 + flits, abs=0.02 * flits)
