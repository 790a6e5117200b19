"""Koibuchi 2013's networks under load: units, the rule of a curve, where throughput is read off, and the Clos's racks."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from topoloom import build, route, simulate
from topoloom.cli.main import cli
from topoloom.operations.shared import loads_of
from topoloom_papers.long_runs import LONG_RUNS
from topoloom_papers.papers.koibuchi_2013 import _curves, _sweeps
from topoloom_papers.papers.koibuchi_2013._curves import (
    PARTS,
    THROUGHPUT_NS,
    at_latency,
    commands,
    curves,
    greatest,
    means_of,
    ranges,
)
from topoloom_papers.papers.koibuchi_2013._escapes import varied
from topoloom_papers.papers.koibuchi_2013._switch_loads import (
    DRAWS,
    PRESET,
    Network,
    clos_in_other_racks,
    gbit_s,
    low_ns,
)
from topoloom_papers.papers.koibuchi_2013.latency import networks, torus_networks

_SMALL = Network("ring-shortcuts:n=16,degree=3,hosts=4,seed={seed}", "silla-duato", 4)


def test_a_flit_a_cycle_is_the_link():
    """96 Gbit/s, as Koibuchi 2013 III.C has it."""
    assert gbit_s(1.0) == pytest.approx(96)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        (((1.0, 600.0), (2.0, 1000.0), (3.0, 1400.0)), 2.5),
        (((1.0, 600.0), (2.0, 1000.0)), 2.0),
        (((1.0, 600.0), (2.0, 1000.0), (1.5, 1900.0)), 2.0),
    ],
    ids=["between two points", "never passed", "less accepted at higher load"],
)
def test_throughput_is_where_latency_passes_1200_ns(points, expected):
    """Linear between points; the most accepted where it is never passed; no less than what was accepted before."""
    assert at_latency(points) == pytest.approx(expected)


def test_means_and_ranges_are_of_the_draws():
    """A network that is not random has no range."""
    draws = {"HYPERCUBE": [17.94], "RING-8": [15.0, 17.0]}
    assert means_of(draws) == {"HYPERCUBE": 17.94, "RING-8": 16.0}
    assert ranges(draws) == "ranges of the draws: RING-8 15.0 to 17.0"
    assert ranges({"HYPERCUBE": [17.94]}) == ""


@pytest.fixture
def measured_now(monkeypatch):
    """Long runs are made, and forgotten again."""
    monkeypatch.setattr(LONG_RUNS, "_fresh", {})
    with LONG_RUNS.of("koibuchi-2013", again=True):
        yield


def _network_of(monkeypatch, accepts, latency_ns):
    """Simulations are those of a network that accepts `accepts` (a draw, a load) of a load; returns the loads tried by draw."""
    tried: dict[int, list[float]] = {}

    def simulated(network, traffic, draw, load, interval):
        tried.setdefault(draw, []).append(load)
        accepted = accepts(draw, load)
        return gbit_s(accepted), latency_ns(load), accepted < 0.97 * load

    monkeypatch.setattr(_curves, "simulated", simulated)
    return tried


@pytest.mark.usefixtures("measured_now")
def test_a_curve_ends_at_the_last_load_that_is_carried(monkeypatch):
    """To a sixteenth of a step, for every draw; what a collapsed network accepts beyond the end does not count."""
    ends = {1: 0.1, 2: 0.1321, 3: 0.149, 4: 0.049}
    tried = _network_of(
        monkeypatch, lambda draw, load: load if load <= ends[draw] else load / 10 + 0.02, lambda load: 500
    )
    found = curves(_SMALL, "uniform")
    fine = _SMALL.step / PARTS
    assert [greatest(draw) for draw in found] == pytest.approx([gbit_s(end // fine * fine) for end in ends.values()])
    assert all(accepted == sorted(accepted) for accepted in ([gbit for gbit, _ in draw] for draw in found))
    assert all(len(each) == len(set(each)) for each in tried.values())
    assert max(map(len, tried.values())) <= 1 + 3 + 4


@pytest.mark.usefixtures("measured_now")
def test_the_reading_at_1200_ns_is_bracketed(monkeypatch):
    """Two points at most a quarter of a step apart surround the load at which latency passes 1.2 us."""
    _network_of(monkeypatch, lambda draw, load: load, lambda load: 500 + 1400 * load / 0.4)
    for draw in curves(_SMALL, "uniform"):
        below = max(gbit for gbit, ns in draw if ns <= THROUGHPUT_NS)
        above = min(gbit for gbit, ns in draw if ns > THROUGHPUT_NS)
        assert above - below <= gbit_s(_SMALL.step / 4) + 1e-9
        assert at_latency(draw) == pytest.approx(gbit_s(0.2))


@pytest.mark.usefixtures("measured_now")
def test_a_network_that_carries_nothing_has_its_low_load(monkeypatch):
    """The curve is one point."""
    low = Network(_SMALL.spec, _SMALL.engine, _SMALL.virtual_channels, low=0.002)
    _network_of(monkeypatch, lambda draw, load: load if load == low.low else 0.0, lambda load: 500)
    assert curves(low, "uniform") == [[(gbit_s(low.low), 500)]] * 4


def test_random_networks_have_four_draws():
    """Permuted ones too, also in racks that no spec expresses; one draw of 512 switches and of what is not random."""
    for n in (6, 8, 9):
        for label, network in networks(n).items():
            expected = DRAWS if label != "HYPERCUBE" and n < 9 else (1,)
            assert network.draws("transpose") == expected, (label, n)
    assert {label: len(network.draws("transpose")) for label, network in torus_networks().items()} == {
        "TORUS-4": 1,
        "P-TORUS-4": 4,
        "PF-TORUS-4": 4,
        "RING-4": 4,
    }
    assert clos_in_other_racks(80).draws("uniform") == DRAWS
    limited = replace(_SMALL, coarse=("transpose",))
    assert (limited.draws("uniform"), limited.draws("transpose")) == (DRAWS, (1,))


@pytest.mark.usefixtures("measured_now")
def test_a_coarse_curve_is_a_sweep_of_one_draw(monkeypatch):
    """Steps up to saturation, and two bisections of the interval in which it falls; what is accepted beyond does not count."""
    tried = []

    def simulated(network, traffic, draw, load):
        tried.append((draw, load))
        carried = load <= 0.17
        return gbit_s(load if carried else load / 4), 500 + 3000 * load if carried else 1600.0, not carried

    monkeypatch.setattr(_sweeps, "simulated", simulated)
    network = replace(_SMALL, coarse=("uniform",))
    assert curves(network, "uniform") == [
        [(gbit_s(load), 500 + 3000 * load) for load in (0.01, 0.05, 0.1, 0.15, 0.1625)]
    ]
    assert {draw for draw, _ in tried} == {1}
    words = shlex.split(commands([network], "uniform"))
    assert {load for _, load in tried} - {network.low} <= set(loads_of(words[words.index("--loads") + 1]) or ())
    assert "--interval" not in words


def test_the_command_of_a_throughput_has_the_loads_of_the_curve(monkeypatch):
    """Each load that the curve tries, but for the low one, is a row of the command, as the same number."""
    for network in (networks(8)["HYPERCUBE"], torus_networks()["TORUS-4"]):
        tried = _network_of(monkeypatch, lambda draw, load: min(load, 0.07), lambda load: 500 + 9000 * load)
        with LONG_RUNS.of("koibuchi-2013", again=True):
            curves(network, "uniform")
        words = shlex.split(commands([network], "uniform"))
        assert set(tried[1]) - {network.low} <= set(loads_of(words[words.index("--loads") + 1]) or ())
        assert words[words.index("--interval") + 1] == "0.1"


@pytest.mark.exhaustive
@pytest.mark.usefixtures("measured_now")
def test_the_command_of_a_throughput_holds_it():
    """Its row at the curve's end accepts what the curve does, to the last digit, and the next row is saturated."""
    words = shlex.split(commands([_SMALL], "uniform").partition(";")[0])[1:]
    loads = loads_of(words[words.index("--loads") + 1]) or ()
    (first, *_) = curves(_SMALL, "uniform")
    end = min(range(len(loads)), key=lambda number: abs(gbit_s(loads[number]) - first[-1][0]))
    near = loads[end - 2 : end + 4]
    words[words.index("--loads") + 1] = ",".join(map(str, near))
    ran = CliRunner().invoke(cli, [*words, "--jobs", "1", "--json"])
    assert ran.exit_code == 0, ran.output
    rows = json.loads(ran.stdout)["points"]
    carried = [round(row["accepted_gbps"], 5) for row in rows if not row["saturated"]]
    assert first[-1][0] in carried
    assert rows[carried.index(first[-1][0]) + 1]["saturated"]


@pytest.mark.exhaustive
def test_the_variants_of_the_routing_begin_with_the_engine():
    """Escaping at once is engine silla-duato: the same latency below saturation; waiting does not lose packets."""
    network = Network("ring-shortcuts:n=16,degree=4,hosts=2,seed=1", "silla-duato", 4)
    engine = simulate(
        route(network.build(1), "silla-duato", virtual_channels=4), "uniform", PRESET, loads=[0.3], seed=1
    ).points[0]
    for numbers in ((0, 0, 0), (200, 0, 0), (0, 80, 0)):
        point = simulate(varied(network, *numbers), "uniform", PRESET, loads=[0.3], seed=1).points[0]
        assert point.accepted == pytest.approx(engine.accepted, rel=0.03), numbers
        assert point.latency_mean == pytest.approx(engine.latency_mean, rel=0.15), numbers


@pytest.mark.usefixtures("measured_now")
def test_low_load_is_the_simulators():
    """The latency of a draw is that of the topology and of the simulation with its seed, in ns."""
    network = Network("ring-shortcuts:n=16,degree=4,hosts=2,seed={seed}", "silla-duato", 4)
    routing = route(build("ring-shortcuts:n=16,degree=4,hosts=2,seed=3"), "silla-duato", virtual_channels=4)
    point = simulate(routing, "uniform", "koibuchi-2013", loads=[network.low], seed=3).points[0]
    assert low_ns(network, "uniform", (1, 3))[1] == pytest.approx(point.latency_mean * 8 / 3, abs=1e-4)


@pytest.mark.parametrize("switches", [80, 160])
def test_the_other_racks_of_the_clos(switches):
    """16 leaves a rack and all others in one; permuting keeps the cables between each two racks, but for doubles."""
    network = clos_in_other_racks(switches)
    leaves = 32 if switches == 80 else 64
    homes = np.array(network.homes)
    assert np.bincount(homes).tolist() == [16] * (leaves // 16) + [switches - leaves]
    before, after = build(network.spec), network.build(1)
    pairs = [np.sort(homes[one.links], axis=1) for one in (before, after)]
    counts = [np.bincount(pair[:, 0] * 8 + pair[:, 1], minlength=64) for pair in pairs]
    assert (counts[1] <= counts[0]).all()
    assert counts[1].sum() > 0.85 * counts[0].sum()


def test_the_figures_networks_are_the_papers():
    """256 hosts on 64 switches, 2,048 on 256, 4,096 on 512; all of the same degree but for doubled links dropped."""
    for n, hosts in ((6, 256), (8, 2048), (9, 4096)):
        for label, network in networks(n).items():
            built = network.build(1)
            assert (built.switches, built.hosts) == (2**n, hosts), label
            assert n * 2 ** (n - 1) * 0.9 < len(built.links) <= n * 2 ** (n - 1), label
    for label, network in torus_networks().items():
        assert network.build(1).hosts == 2048, label
