"""Flit by flit on directed networks: hops, loads of arcs, saturation, and agreement with links of both directions."""

import numpy as np
import pytest

from in_process import run
from topoloom import (
    PATTERNS,
    DirectedTopology,
    InputError,
    build,
    directed_hops,
    directed_route,
    directed_simulate,
    open_directed,
    route,
    run_task,
    simulate,
    task_of,
    traffic_of,
)

KAUTZ = "kautz-digraph:base=2,length=3,hosts=1"


@pytest.fixture(scope="module")
def curve():
    """A Kautz digraph at two loads."""
    return directed_simulate(KAUTZ, loads=[0.1, 0.3], fast=True)


def test_hops_and_loads_of_arcs_are_those_of_theory(curve):
    """Routers on the path: mean hops and one; the mean load of an arc: flits per cycle of all hosts times hops, per arc."""
    net = open_directed(KAUTZ)
    aspl = directed_hops(net).host_aspl
    for point in curve.points:
        assert not point.saturated
        assert point.accepted == pytest.approx(point.offered, rel=0.05)
        assert point.hops_mean == pytest.approx(aspl + 1, rel=0.02)
        assert point.channel_loads.shape == (len(net.arcs),)
        assert point.link_mean == pytest.approx(point.accepted * net.hosts * aspl / len(net.arcs), rel=0.05)
        assert point.link_max == pytest.approx(point.channel_loads.max())


def test_arcs_are_used_as_their_tables_say(curve):
    """The load of each arc under uniform traffic is that of the verifier, pair by pair."""
    tables = directed_route(KAUTZ)
    expected = tables.verification.channel_load * curve.points[1].accepted / 11
    long = directed_simulate(tables, loads=[0.3])
    assert np.abs(long.points[0].channel_loads - expected).max() < 0.03


def test_the_curve_names_the_directed_network(curve):
    """Provenance has its digest, its spec and that it is directed; the same seed gives the same points."""
    about = curve.provenance
    assert (about.digest, about.spec, about.engine) == (open_directed(KAUTZ).digest, KAUTZ, "lash")
    assert about.settings["directed"] is True
    assert curve.points[0].provenance.digest == about.digest
    again = directed_simulate(KAUTZ, loads=[0.3], fast=True, jobs=1)
    assert again.points[0].latency_mean == curve.points[1].latency_mean


def test_a_ring_saturates_at_a_quarter():
    """Of 8 switches with one host each, every flit passes four arcs: more than 0.25 cannot arrive, and 0.2 does."""
    ring = directed_simulate(
        "unidirectional-ring:n=8,hosts=1", loads=[0.2, 0.5], fast=True, settings=["vcs=4", "packet_flits=1"]
    )
    assert not ring.points[0].saturated
    assert ring.points[1].saturated
    assert ring.points[1].accepted <= 0.25
    assert ring.points[0].link_mean == pytest.approx(4 * ring.points[0].accepted, rel=0.05)


@pytest.mark.parametrize("load", [0.1, 0.4])
def test_links_of_both_directions_agree_with_two_arcs(load):
    """A network of links is a directed one with two arcs each: the simulator, told either, measures the same."""
    links = build("petersen:hosts=2")
    arcs = DirectedTopology(
        arcs=np.concatenate([links.links, links.links[:, ::-1]]), switches=10, endpoints=links.endpoints
    )
    one = simulate(route(links, "hop-vcs"), loads=[load]).points[0]
    two = directed_simulate(directed_route(arcs, "hop-vcs"), loads=[load]).points[0]
    assert two.latency_mean == pytest.approx(one.latency_mean, rel=0.03)
    assert two.accepted == pytest.approx(one.accepted, rel=0.02)
    assert two.hops_mean == pytest.approx(one.hops_mean, rel=0.01)
    assert two.link_mean == pytest.approx(one.link_mean, rel=0.02)


def test_the_saturation_is_found():
    """Of a ring of 8 it is below a quarter; the command, with loads or without, and Python agree."""
    ring = "unidirectional-ring:n=8,hosts=1"
    curve = directed_simulate(ring, loads=[], fast=True, saturation_width=0.1, settings=["vcs=4"])
    assert curve.points == ()
    assert 0.1 <= curve.saturation.offered <= 0.25
    assert curve.saturation.points[0].channel_loads.shape == (8,)
    assert curve.saturation.provenance.digest == open_directed(ring).digest
    words = ("--fast", "--saturation", "--saturation-width", "0.1", "--set", "vcs=4")
    told = run("simulate", ring, "--loads", "none", *words)
    assert f"saturates at {curve.saturation.offered:.1f}" in told.out
    with_loads = run("simulate", ring, "--loads", "0.1", *words, "--json").record
    assert with_loads["saturation"]["offered"] == curve.saturation.offered


def test_tables_that_deadlock_are_told():
    """One virtual channel on a ring: the watchdog names the circle of buffers."""
    with pytest.raises(InputError, match="deadlock by the tables of engine minimal: switch"):
        directed_simulate(directed_route("unidirectional-ring:n=8,hosts=1", "minimal"), loads=[0.9], fast=True)


def test_patterns_that_depend_on_links_are_refused():
    """Only patterns of hosts; one of a plug-in, too, unless it says so."""
    able = {name for name, record in PATTERNS.items() if record.of_hosts}
    assert {"uniform", "permutation", "transpose"} <= able
    assert not able & {"worst-case", "farthest", "tornado", "neighbour", "trace", "chip", "among", "rates"}
    for name in sorted(set(PATTERNS) - able):
        with pytest.raises(
            InputError, match=rf"is directed, and traffic '{name}' is not for these; choose one of all-to-"
        ):
            directed_simulate(KAUTZ, name)
    for name in sorted(able):
        assert directed_simulate(KAUTZ, name, loads=[0.05], fast=True).points[0].accepted > 0
    given = traffic_of("permutation", build("complete:n=12,hosts=1"))
    assert directed_simulate(KAUTZ, given, loads=[0.1], fast=True).traffic == "permutation"


def test_the_command_the_study_and_python_agree():
    """One curve on all three surfaces, several networks in one command, and options that are refused."""
    words = ("--loads", "0.2", "--fast")
    points = directed_simulate(KAUTZ, loads=[0.2], fast=True).record()["points"]
    told = run("simulate", KAUTZ, *words, "--json").record
    assert told["points"][0]["latency_mean"] == points[0]["latency_mean"]
    record, row = run_task(task_of("simulate", {"topology": KAUTZ, "loads": [0.2], "fast": True}))
    assert record["points"][0]["latency_mean"] == points[0]["latency_mean"] == row["latency_mean"]
    ring = "unidirectional-ring:n=5,hosts=1"
    both = run("simulate", KAUTZ, ring, *words)
    assert both.out.count("uniform traffic") == 2
    assert "in two commands" in run("simulate", ring, "petersen:hosts=1", *words).error
    for more in (("--between", "x0=3"), ("-o", "p.csv"), ("--heat", "h.svg"), ("--packets", "p.csv")):
        done = run("simulate", ring, *words, *more)
        assert (done.code, "the network is directed" in done.error) == (2, True), done.error
    assert "traffic 'trace' is not for these" in run("simulate", ring, "--traffic", "trace:x.txt").error


def test_a_curve_is_drawn_and_hosts_are_written(tmp_path):
    """--plot and --hosts work as for other networks."""
    done = run(
        "simulate", KAUTZ, "--loads", "0.1,0.2", "--fast", "--plot", tmp_path / "c.svg", "--hosts", tmp_path / "h.csv"
    )
    assert done.code == 0, done.err
    assert (tmp_path / "c.svg").stat().st_size > 1000
    assert (tmp_path / "h.csv").read_text().count("\n") == 1 + 2 * 12
