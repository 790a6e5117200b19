"""Parts of routers: allocators give matchings, arbiters their order, and with any of them flits are conserved and arrive."""

from functools import cache

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from numba import njit

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.routing.route import route
from topoloom.simulation.flits.buffers import FLITS, HOPS, INJECTED, INSIDE
from topoloom.simulation.flits.execute import packets_of
from topoloom.simulation.flits.kernels.fields import VC_FLITS, VC_OUTPUT, VC_SIZE
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.router_parts import (
    ALLOCATORS,
    ARBITERS,
    Allocator,
    Arbiter,
    compiled_allocator,
    compiled_arbiter,
    empty_requests,
)
from topoloom.simulation.flits.run import RouterRun
from topoloom.throughput.traffic import traffic_of
from topoloom.topologies.spec import build

OWN = ("separable-input-first", "separable-output-first", "islip", "wavefront", "maximum-size")
#: Each other than the default, with 4 VCs.
PARTS = (
    {"vc_allocator": "separable-output-first", "switch_allocator": "separable-output-first"},
    {"vc_allocator": "islip", "switch_allocator": "islip", "allocator_rounds": 2},
    {"vc_allocator": "wavefront", "switch_allocator": "wavefront"},
    {"vc_allocator": "maximum-size", "switch_allocator": "maximum-size"},
    {"vc_arbiter": "matrix", "switch_arbiter": "age"},
    {"vc_arbiter": "age", "switch_arbiter": "matrix"},
    {"vc_choice": "any"},
    {"vc_choice": "lowest"},
    {"vc_choice": "random"},
    {"vc_choice": "emptiest"},
    {"vc_choice": "with-credit"},
    {"input_speedup": 2, "output_speedup": 2},
    {"wait_for_tail_credit": True},
    {"credits_per_cycle": 1},
    {"credits_per_cycle": 1, "input_speedup": 2, "wait_for_tail_credit": True},
    {"host_credits": "per-vc", "vc_choice": "with-credit", "speculative": True},
    {"hold_switch": True},
    {"speculative": True},
)


@cache
def function(name):
    """The allocator, compiled for Python."""
    return njit(ALLOCATORS[name].allocate)


def granted(name, inputs, outputs, pairs, *, rounds=1, turn=0, ranks=None, late=None):
    """The pairs that an allocator grants; ranks are those of round robin from 0, or given."""
    at = empty_requests(256)._replace(inputs=inputs, outputs=outputs, requests=len(pairs), rounds=rounds, turn=turn)
    for e, (i, o) in enumerate(pairs):
        at.input[e], at.output[e] = i, o
        at.input_rank[e], at.output_rank[e] = (o, i) if ranks is None else ranks[e]
        at.late[e] = 0 if late is None else late[e]
    at.at_input[:], at.at_output[:] = -1, -1
    function(name)(at)
    return [pairs[e] for e in np.flatnonzero(at.granted[: len(pairs)])]


@st.composite
def matrices(draw):
    """Sizes, and requests in any order."""
    inputs, outputs = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    pairs = [(i, o) for i in range(inputs) for o in range(outputs)]
    return inputs, outputs, draw(st.lists(st.sampled_from(pairs), unique=True))


@settings(max_examples=examples(50), deadline=None)
@given(matrices(), st.integers(0, 50), st.randoms(use_true_random=False))
def test_grants_do_not_depend_on_the_order_of_requests(matrix, turn, random):
    """The same pairs in another order: the same grants, by any allocator."""
    inputs, outputs, pairs = matrix
    other = random.sample(pairs, len(pairs))
    for name in OWN:
        assert set(granted(name, inputs, outputs, pairs, turn=turn)) == set(
            granted(name, inputs, outputs, other, turn=turn)
        ), name


@settings(max_examples=examples(100), deadline=None)
@given(matrices(), st.integers(0, 50))
def test_grants_are_a_matching(matrix, turn):
    """Of requested pairs; no input and no output twice; something, if anything is requested. iSLIP with enough rounds and
    wavefront leave no request whose input and output are free; maximum size has as many grants as Hopcroft and Karp's matching.
    """
    inputs, outputs, pairs = matrix
    graph = nx.Graph()
    graph.add_nodes_from(("i", i) for i in range(inputs))
    graph.add_edges_from((("i", i), ("o", o)) for i, o in pairs)
    most = len(nx.bipartite.maximum_matching(graph, [("i", i) for i in range(inputs)])) // 2
    for name in OWN:
        found = granted(name, inputs, outputs, pairs, rounds=8, turn=turn)
        assert set(found) <= set(pairs)
        assert len({i for i, _ in found}) == len({o for _, o in found}) == len(found)
        assert bool(found) == bool(pairs)
        if name in ("islip", "wavefront", "maximum-size"):
            assert all(any(i == a or o == b for a, b in found) for i, o in pairs), name
        if name == "maximum-size":
            assert len(found) == most


def test_known_grants():
    """By hand: three inputs want output 0, one of them output 1 as well."""
    pairs = [(0, 0), (1, 0), (1, 1), (2, 0)]
    assert granted("separable-input-first", 3, 2, pairs) == [(0, 0)], "input 1 chooses output 0 and loses"
    assert granted("separable-output-first", 3, 2, pairs) == [(0, 0), (1, 1)]
    assert granted("maximum-size", 3, 2, [(0, 0), (1, 0), (0, 1)]) == [(1, 0), (0, 1)]
    assert granted("maximum-size", 2, 2, [(0, 0), (0, 1), (1, 1)]) == [(0, 0), (1, 1)], "input 0 gives way"
    assert granted("maximum-size", 1, 3, [(0, 0), (0, 2), (0, 1)]) == [(0, 2)], "hosts have the last ports"
    square = [(i, o) for i in range(2) for o in range(2)]
    assert granted("islip", 2, 2, square) == [(0, 0)], "both outputs grant input 0 in the first round"
    assert granted("islip", 2, 2, square, rounds=2) == [(0, 0), (1, 1)]
    assert granted("wavefront", 2, 2, square) == [(0, 0), (1, 1)]
    assert granted("wavefront", 2, 2, square, turn=1) == [(0, 1), (1, 0)], "another diagonal is first"
    for name in OWN:
        ranks = [(1 << 61, 1 << 61), (0, 0)]
        assert granted(name, 2, 1, [(0, 0), (1, 0)], ranks=ranks, late=[1, 0], turn=1)[-1:] == [(1, 0)] or (
            name == "maximum-size"
        ), "a speculative request gives way, but for the number of grants"


def test_arbiters_rank():
    """Round robin: the next behind the last winner; matrix: the longest ago; age: the oldest, then round robin."""
    rank = {name: ARBITERS[name].rank for name in ARBITERS}
    assert [rank["round-robin"](k, 4, 1, 0, 0) for k in range(4)] == [2, 3, 0, 1]
    assert min(range(3), key=lambda k: rank["matrix"](k, 3, 0, (-7, -9, -8)[k], 0)) == 1
    assert min(range(3), key=lambda k: rank["age"](k, 3, 0, 0, (50, 40, 40)[k])) == 1
    assert min(range(3), key=lambda k: rank["age"](k, 3, 1, 0, (50, 40, 40)[k])) == 2


@cache
def routed(spec, engine):
    """A network with tables."""
    return route(build(spec), engine)


@pytest.mark.parametrize("parts", PARTS, ids=lambda parts: "-".join(map(str, parts.values())))
@pytest.mark.parametrize("engine", ["hop-vcs", "silla-duato"])
@pytest.mark.parametrize("speedup", [1, 2])
def test_with_any_part_flits_are_conserved_and_come_to_rest(engine, parts, speedup):
    """At full load, with packets of 3 flits: no VC overruns; when hosts fall silent, all arrive, and all VCs are free again.

    A second run gives the same flits per channel.
    """
    routing, seen = routed("slimfly:q=3,hosts=2", engine), []
    config = RouterConfig(vcs=4, buffer_flits=16, packet_flits=3, speedup=speedup, **parts)
    for _ in range(2):
        run = RouterRun(routing, config, traffic_of("uniform", routing), 1.0, 3)
        at = run.network
        for _ in range(3):
            run.go(150, 0, 1 << 60)
            assert int(at.state[INJECTED]) - int(at.state[FLITS]) == run.inside()
            assert int(at.buffers.rec[VC_FLITS::VC_SIZE].max()) <= at.rules.room
        seen.append(run.channel_flits().tolist())
    assert seen[0] == seen[1]
    run.demand = run.demand._replace(load=0.0)
    while at.buffers.queue[2::8].any() or run.inside():
        moved = int(at.state[HOPS])
        run.go(300, 0, 1 << 60)
        assert at.state[HOPS] > moved
    assert int(at.state[INJECTED]) == int(at.state[FLITS]) == int(run.host_flits().sum())
    assert int(at.state[INSIDE]) == 0
    assert (at.buffers.rec[VC_OUTPUT::VC_SIZE] == -1).all()
    assert (at.buffers.unowned | at.parts.ending == -1).all()
    assert not at.buffers.active.any()
    assert not at.buffers.pending.any()


@pytest.mark.parametrize("parts", PARTS, ids=lambda parts: "-".join(map(str, parts.values())))
def test_a_lone_packet_takes_as_long_with_any_part(tmp_path, parts):
    """4 H + 2 cycles with a speedup of 1, one less per router if it requests the switch ahead; F - 1 for the other flits."""
    routing = routed("torus:dims=4x4,hosts=1", "dor")
    config = RouterConfig(vcs=2, speedup=1, **parts)
    file = tmp_path / "trace.csv"
    for goal, flits in ((5, 1), (1, 4)):
        file.write_text(f"cycle,source,destination,flits\n7,0,{goal},{flits}\n")
        hops = len(routing.path(0, goal))
        hop = 3 if config.speculative else 4
        assert packets_of(routing, f"trace:{file}", config).rows[0, 5] == 7 + hop * hops + 2 + flits - 1


def accepted(config):
    """Flits per host and cycle at full load, after a warm-up."""
    routing = routed("mesh:dims=4x4,hosts=1", "dor")
    run = RouterRun(routing, config, traffic_of("uniform", routing), 1.0, 1)
    run.go(1000, 0, 1)
    before = run.host_flits().sum()
    run.go(4000, 0, 1)
    return float(run.host_flits().sum() - before) / 4000 / 16


def test_waiting_for_credits_of_the_last_flit_costs_throughput():
    """An output VC that is taken for longer carries less; more inputs and outputs of the switch carry more."""
    usual = RouterConfig(vcs=4, buffer_flits=32, packet_flits=2, speedup=1, vc_choice="any")
    assert accepted(structs.replace(usual, wait_for_tail_credit=True)) < 0.9 * accepted(usual)
    assert accepted(structs.replace(usual, input_speedup=2, output_speedup=2)) > 1.05 * accepted(usual)


@pytest.mark.parametrize(("how", "cycles"), [("shared", 1), ("per-vc", 6)])
def test_a_vc_of_a_host_takes_a_flit_per_round_trip_of_its_credit(tmp_path, how, cycles):
    """One VC of one flit: two cables, a cycle and the credit's 3 cycles. A host that shares credits takes a flit per cycle."""
    star, file = routed("mesh:dims=2,hosts=8", "dor"), tmp_path / "trace.csv"
    # Six hosts send three flits each to a host of their switch, and have buffers for as many.
    rows = [(7 + k, host, 7, 1) for k in range(3) for host in range(6)]
    file.write_text("cycle,source,destination,flits\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows))
    config = RouterConfig(vcs=1, buffer_flits=1, host_credits=how, credit_cycles=3)
    arrived = np.sort(packets_of(star, f"trace:{file}", config).rows[:, 5])
    assert (np.diff(arrived) == cycles).sum() >= 12
    assert np.diff(arrived).min() == cycles


def test_the_oldest_packet_goes_first(tmp_path):
    """Two hosts of one switch send to a third: by age the packet that was created first arrives first, whatever its port."""
    star = routed("mesh:dims=2,hosts=4", "dor")
    rows, file = [], tmp_path / "trace.csv"
    # Hosts 0, 1, 2 send bursts to host 3 of their switch; those of host 2 are the oldest.
    for k in range(6):
        rows += [(10 + k, 2, 3, 1), (11 + k, 0, 3, 1), (12 + k, 1, 3, 1)]
    file.write_text("cycle,source,destination,flits\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in sorted(rows)))
    found = packets_of(
        star, f"trace:{file}", RouterConfig(vcs=4, vc_arbiter="age", switch_arbiter="age", vc_choice="any")
    ).rows
    assert (np.diff(found[:, 3]) >= 0).all(), "created in the order of arrival"


def _registered(monkeypatch, register, record):
    register.find(next(iter(register)))
    monkeypatch.setitem(register._records, record.name, record)
    monkeypatch.setitem(register._origin, record.name, "here")


def test_an_allocator_of_ones_own_is_used(monkeypatch):
    """One that grants nothing after 99 calls per router, by its memory: everything stands still then."""

    def tired(at):
        at.memory[0] += 1
        if at.memory[0] < 100:
            for e in range(at.requests):
                if at.at_input[at.input[e]] < 0 and at.at_output[at.output[e]] < 0:
                    at.at_input[at.input[e]] = at.at_output[at.output[e]] = e
                    at.granted[e] = 1

    _registered(monkeypatch, ALLOCATORS, Allocator("tired", "", tired, memory=1))
    routing = routed("mesh:dims=4x4,hosts=1", "dor")
    run = RouterRun(routing, RouterConfig(vcs=2, switch_allocator="tired"), traffic_of("uniform", routing), 0.3, 1)
    run.go(60, 0, 1 << 60)
    assert run.host_flits().sum() > 0
    run.go(1500, 0, 1 << 60)
    moved = int(run.network.state[HOPS])
    run.go(1500, 0, 1 << 60)
    assert int(run.network.state[HOPS]) == moved
    assert run.inside() > 0


def _two(at):
    for e in range(at.requests):
        at.granted[e] = 1


def _one_at_first(at):
    for e in range(at.requests):
        at.granted[e] = 1 if at.requests < 9 or e == 0 else 0


def _none(at):
    pass


def _uncompilable(at):
    return {}[at]


@pytest.mark.parametrize(
    ("function_", "sentence"),
    [
        (_two, "the allocator 'own' granted two requests of one input or output; grants must be a matching"),
        (_none, "the allocator 'own' granted none of nine requests"),
        (_uncompilable, "the allocator 'own' cannot be compiled"),
    ],
)
def test_an_unusable_allocator_is_refused(monkeypatch, function_, sentence):
    """When it is compiled: a sentence with its name."""
    _registered(monkeypatch, ALLOCATORS, Allocator("own", "", function_))
    with pytest.raises(InputError, match=sentence):
        compiled_allocator("own")


def test_an_allocator_that_is_wrong_later_ends_the_run(monkeypatch):
    """Its grants are withdrawn, so that no memory is overwritten, and a sentence names the allocator and the switch."""
    _registered(monkeypatch, ALLOCATORS, Allocator("own", "", _one_at_first))
    routing = routed("mesh:dims=4x4,hosts=1", "dor")
    run = RouterRun(routing, RouterConfig(vcs=2, vc_allocator="own"), traffic_of("uniform", routing), 0.9, 1)
    with pytest.raises(
        InputError, match=r"the allocator 'own' granted two requests of one input or output, at switch \d+"
    ):
        run.go(500, 0, 1)


@pytest.mark.parametrize(
    ("rank", "sentence"),
    [
        (lambda requester, size, last, served, born: 0, "ranks must differ"),
        (lambda requester, size, last, served, born: "first", "cannot be compiled"),
        (lambda requester: requester, "cannot be compiled"),
    ],
)
def test_an_unusable_arbiter_is_refused(monkeypatch, rank, sentence):
    """When it is compiled: a sentence with its name."""
    _registered(monkeypatch, ARBITERS, Arbiter("own", "", rank))
    with pytest.raises(InputError, match=f"the arbiter 'own' .*{sentence}"):
        compiled_arbiter("own")


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"vc_allocator": "isllp"}, "no allocator named 'isllp' .did you mean 'islip'"),
        ({"vc_arbiter": "coin"}, "no arbiter named 'coin' .there are age, matrix, round-robin"),
        ({"speculative": True, "vc_cycles": 1}, "speculative=yes with vc_cycles"),
        ({"speedup_tenths": 7}, "speedup_tenths=7; it is 0, or a whole number from 10 to 20"),
        ({"vc_choice": "best"}, "vc_choice='best'"),
    ],
)
def test_wrong_settings_are_refused(texts, sentence):
    """By a sentence that lists what there is."""
    with pytest.raises(InputError, match=sentence):
        RouterConfig(**texts)


def test_a_matrix_that_does_not_fit_is_refused():
    """A matrix arbiter remembers a number per pair of VCs."""
    from topoloom.simulation.flits.parts import router_parts

    with pytest.raises(
        InputError, match=r"vc_arbiter=matrix remembers .* GiB for 5000 switches of 64 ports with 16 VCs"
    ):
        router_parts(RouterConfig(vc_arbiter="matrix"), 5000, 64, 16, 16)


@pytest.mark.parametrize(("tenths", "speedup"), [(10, 1), (20, 2)])
def test_speedup_tenths_are_a_speedup(tenths, speedup):
    """10 and 20 give the flits of a speedup of 1 and 2; 17 accepts more than 1 and less than 2."""
    routing, seen = routed("mesh:dims=4x4,hosts=1", "dor"), []
    for config in (RouterConfig(vcs=4, speedup=speedup), RouterConfig(vcs=4, speedup_tenths=tenths)):
        run = RouterRun(routing, config, traffic_of("uniform", routing), 0.5, 1)
        run.go(600, 0, 1 << 60)
        seen.append((run.channel_flits().tolist(), run.histogram.tolist()))
    assert seen[0] == seen[1]
    one, between, two = (accepted(RouterConfig(vcs=4, speedup_tenths=k)) for k in (10, 17, 20))
    assert one < between < two
