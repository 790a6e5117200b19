"""A simulation on several cores has the result of one core, bit for bit, for everything that can be divided."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.routing.route import route
from topoloom.simulation.flits import buffers as b
from topoloom.simulation.flits.host_ports import traffic_between_hosts
from topoloom.simulation.flits.partition import cores_per_load, divisible
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.simulation.flits.simulate import simulate
from topoloom.topologies.spec import build

_SLIM = "slimfly:q=5,hosts=4"
_OWN_STREAMS = "random_streams=per-switch"
_RATES = "leaf-spine:leaves=4,spines=2,hosts=4+rates:links=400,hosts=100"
#: Spec, engine, traffic, load, changes of the router.
_DIVIDED = [
    (_SLIM, "hop-vcs", "uniform", 0.5, []),
    (_SLIM, "minimal", "shift", 0.9, ["burst_packets=4"]),
    (_SLIM, "hop-vcs", "uniform", 0.7, ["link_cycles=20", "credit_cycles=5", "packet_flits=4"]),
    (_SLIM, "ugal-l", "worst-case", 0.5, [_OWN_STREAMS]),
]
_FURTHER = [
    (_SLIM, "hop-vcs", "uniform", 0.9, []),
    (_SLIM, "hop-vcs", "uniform", 0.5, ["route_cycles=2", "vc_cycles=1", "switch_cycles=1", "crossbar_cycles=2"]),
    (_SLIM, "hop-vcs", "uniform", 0.5, ["speedup_tenths=17", "output_flits=4"]),
    (_SLIM, "hop-vcs", "uniform", 0.5, ["host_vcs=one", _OWN_STREAMS]),
    (_SLIM, "hop-vcs", "all-to-all", 0.5, []),
    (_SLIM, "valiant", "uniform", 0.4, [_OWN_STREAMS, "packet_flits=4"]),
    (_SLIM, "ugal-l", "uniform", 0.9, [_OWN_STREAMS, "link_cycles=9"]),
    ("torus:dims=8x8,hosts=2", "dor", "uniform", 0.9, ["packet_flits=8", "cut_through=yes"]),
    ("dragonfly:h=2", "dragonfly", "worst-case", 0.5, []),
    ("fat-tree:k=4", "anca", "uniform", 0.9, [_OWN_STREAMS]),
    ("fat-tree:k=4", "ecmp", "uniform", 0.9, [_OWN_STREAMS]),
    (_RATES, "minimal", "uniform", 0.5, []),
    (_RATES, "ecmp", "uniform", 0.5, [_OWN_STREAMS, "packet_flits=4"]),
]
_COUNTED = [b.HOPS, b.MADE, b.DONE, b.LATENCY, b.ROUTERS, b.WAITED, b.FLITS, b.INJECTED, b.INSIDE]


def _run(case, cores, cables=None):
    spec, engine, traffic, load, settings = case
    routing, (_, config) = route(build(spec), engine), router_of("slimfly-2014", settings)
    run = RouterRun(routing, config, traffic_between_hosts(traffic, routing, 1), load, 1, cables=cables, cores=cores)
    run.go(1, 1 << 60, 1 << 60)
    run.go(600, 100, 1 << 60)
    run.go(301, 100, 500)
    return run


def _numbers(run):
    return (
        run.network.state[_COUNTED].tolist(),
        run.histogram.tolist(),
        run.channel_flits().tolist(),
        run.host_flits().tolist(),
        run.inside(),
    )


def _check(case, counts, cables=None):
    whole = _run(case, 1, cables)
    assert whole._partition is None
    for cores in counts:
        divided = _run(case, cores, cables)
        assert divided._partition is not None
        assert _numbers(divided) == _numbers(whole)


@pytest.mark.parametrize("case", _DIVIDED, ids=lambda case: f"{case[1]}-{case[2]}")
def test_parts_have_the_result_of_the_whole(case):
    _check(case, (2, 3))


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", _DIVIDED + _FURTHER, ids=lambda case: f"{case[1]}-{case[2]}")
def test_many_parts_have_the_result_of_the_whole(case):
    _check(case, (2, 4, 5))


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(12))
def test_parts_of_random_networks_with_cables_of_any_length(seed):
    draws = np.random.default_rng(seed)
    switches, degree = int(draws.integers(6, 25)) * 2, int(draws.integers(5, 8))
    spec = f"jellyfish:n={switches},degree={degree},hosts={draws.integers(1, 4)},seed={seed}"
    settings = [
        f"packet_flits={draws.integers(1, 6)}",
        f"credit_cycles={draws.integers(1, 20)}",
        f"link_cycles={draws.integers(1, 30)}",
        f"speedup={draws.integers(1, 3)}",
        _OWN_STREAMS,
    ]
    engine = ["hop-vcs", "ugal-l", "ecmp", "valiant"][seed % 4]
    cables = draws.integers(1, 40, len(build(spec).links)) if seed % 3 else None
    if engine == "ecmp":
        settings.append("buffer_flits=2048")  # its tables may deadlock; not with so much room
    _check((spec, engine, "uniform", float(draws.uniform(0.05, 0.6)), settings), (2, 6), cables)


def _deadlock(cores):
    """The message of packets that wait for each other round a ring."""
    routing = route(build("ring:n=8,hosts=1"), "minimal")
    run = RouterRun(
        routing, RouterConfig(vcs=1, buffer_flits=2), traffic_between_hosts("uniform", routing, 1), 1.0, 1, cores=cores
    )
    with pytest.raises(InputError, match="deadlock by the tables") as error:
        [run.go(400, 0, 1 << 60) for _ in range(100)]
    return str(error.value)


def test_a_deadlock_of_parts_is_that_of_the_whole():
    assert _deadlock(1) == _deadlock(2)


@pytest.mark.parametrize(
    ("engine", "settings", "traffic"),
    [
        ("ugal-l", [], "uniform"),
        ("ugal-g", [_OWN_STREAMS], "uniform"),
        ("hop-vcs", ["host_vcs=one"], "uniform"),
        ("hop-vcs", ["packet_mix=1:0.5,4:0.5"], "uniform"),
        ("hop-vcs", ["reply_flits=2"], "uniform"),
        ("hop-vcs", ["vc_choice=lowest"], "uniform"),
        ("hop-vcs", [], "chip:requests=5"),
    ],
)
def test_what_depends_on_the_order_of_switches_is_not_divided(engine, settings, traffic):
    routing, (_, config) = route(build(_SLIM), engine), router_of("slimfly-2014", settings)
    assert not divisible(routing, config, traffic_between_hosts(traffic, routing, 1))


def test_points_do_not_depend_on_the_number_of_cores():
    routing = route(build(_SLIM), "hop-vcs")
    one, several = (simulate(routing, loads=[0.9], jobs=jobs, fast=True).points for jobs in (1, 2))
    assert one == several


@pytest.mark.parametrize(
    ("loads", "threads", "each"), [(1, 2, 2), (2, 2, 1), (3, 2, 2), (4, 4, 1), (1, 16, 16), (16, 16, 1)]
)
def test_cores_per_load_leave_no_core_without_work(loads, threads, each):
    assert cores_per_load(loads, threads, 1e5) == each


def test_a_small_network_is_not_divided():
    assert cores_per_load(1, 16, 100.0) == 1
