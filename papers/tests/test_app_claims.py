"""Claims on simulated applications: what is compared, and how verdicts follow from times, which are made up here."""

from itertools import pairwise
from types import SimpleNamespace

import networkx
import numpy as np
import pytest
from msgspec import structs

from topoloom.routing.route import route
from topoloom.simulation.applications.app_run import Measurement
from topoloom.simulation.applications.launch import run_smpi, workplace
from topoloom.simulation.applications.processes import ProcessLimits
from topoloom.simulation.applications.registry import program_of
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.tools import compiled
from topoloom.topologies.spec import build
from topoloom_papers import _app_runs, long_runs, registry
from topoloom_papers._app_runs import Contest, Gain, Job, Setup, gains_text, run_jobs
from topoloom_papers._simgrid_paths import ALGORITHMS, simgrid_routing
from topoloom_papers.long_runs import LongRuns
from topoloom_papers.papers.truong_2016 import applications as truong_applications
from topoloom_papers.papers.xu_2019 import applications as xu_applications
from topoloom_papers.papers.xu_2019 import graph500 as xu_graph500
from topoloom_papers.registry import claims, run
from topoloom_papers.verdicts import Verdict

_IDS = {
    "truong-2016/fig-9/64",
    "truong-2016/fig-9/256",
    "truong-2016/fig-9/order",
    "truong-2016/fig-9/larger",
    "truong-2016/fig-9/tendency",
    "truong-2016/fig-9/no-universal",
    "truong-2016/abstract/comparable",
    "xu-2019/fig-9/faster",
    "xu-2019/fig-9/least",
    "xu-2019/fig-9/order-32",
    "xu-2019/fig-11/small",
    "xu-2019/fig-11/faster",
    "xu-2019/fig-11/mostly-small",
    "xu-2019/fig-12/bandwidth-16-3",
    "xu-2019/fig-12/bandwidth-16-4",
    "xu-2019/fig-12/ft-a",
    "xu-2019/fig-12/ft-c",
    "xu-2019/fig-12/ft-most",
    "xu-2019/fig-12/degrees",
}


def pretend(monkeypatch, seconds, by_flows=1.0):
    """Replace simulations: each takes `seconds(network, app, placement)`; nothing is kept.

    `by_flows` multiplies the times by flows, except on the torus.
    """
    asked = []

    def made_up(network, app, ranks, *, placement, settings, seed, jobs, simulator):
        asked.append((app, placement, seed))
        value = seconds(network, app, placement)
        if simulator == "flows" and "torus" not in str(network):
            value *= by_flows
        faster = app.startswith("beff")
        return SimpleNamespace(measured=Measurement(1 / value if faster else value, "B/s" if faster else "s"))

    runs = LongRuns()
    monkeypatch.setattr(long_runs, "LONG_RUNS", runs)
    monkeypatch.setattr(registry, "LONG_RUNS", runs)
    monkeypatch.setattr(_app_runs, "run_app", made_up)
    monkeypatch.setattr(_app_runs, "tool", lambda name: name)
    monkeypatch.setattr(_app_runs, "tabled", lambda network, _: network)
    monkeypatch.setattr(xu_applications, "_at_once", lambda _: {3: 50.0, 4: 50.0})
    monkeypatch.setattr(xu_applications, "_max_load", lambda _: 35.0)
    for module in (truong_applications, xu_applications, xu_graph500):
        monkeypatch.setattr(module, "_routed", lambda name: name)
    return asked


def claimed(name):
    """The outcome of one claim, with all long runs made again."""
    return run(next(claim for claim in claims([name]) if claim.id == name), True).outcome


@pytest.mark.parametrize("switches", [64, 256])
def test_every_program_takes_the_ranks_of_figure_9(switches):
    """The six benchmarks of Truong 2016, four processes per switch: all accept these ranks, all networks have enough hosts."""
    contest = truong_applications._contest(switches, "flows")
    assert set(contest.programs) == {"BT", "CG", "DT", "FT", "LU", "SP"}
    for app in contest.programs.values():
        assert program_of(app, contest.ranks).ranks == contest.ranks
    for key in (contest.baseline[1], *contest.others.values()):
        topology = build(key)
        assert (topology.switches, topology.hosts) == (switches, 4 * switches)
        # Four links per switch, except in the last groups of DSN-F and DSN.
        assert 3.6 * switches <= topology.degrees.sum() <= 4 * switches


def test_a_gain_is_of_speed_on_the_same_placement_and_means_are_over_programs():
    """Twice as fast is +100 %; the mean of +100 % and 0 % is +50 %, a placement each."""
    seconds = {"base": 2.0, "fast": 1.0}
    patch = pytest.MonkeyPatch()
    asked = pretend(patch, lambda network, app, _: seconds[network] if app == "a" else 3.0)
    try:
        contest = Contest(("base", "base"), {"fast": "fast"}, {"A": "a", "B": "b"}, 4, lambda name: name)
        setup = Setup("at random", "random", truong_applications._MACHINE, (1, 2))
        with long_runs.LONG_RUNS.of("truong-2016", True):
            gain = contest.gains(setup)["fast"]
            assert gain.programs == {"A": [100.0, 100.0], "B": [0.0, 0.0]}
            assert gain.means == [50.0, 50.0]
            assert len(asked) == 8
            contest.gains(setup)
        assert len(asked) == 8
    finally:
        patch.undo()
    assert gains_text({"fast": Gain({"A": [1.0, 3.0]}, [1.0, 3.0])}) == "fast +2.0 % (+1.0 to +3.0)"


def test_a_command_contains_everything_that_determines_a_run():
    """Networks, program, ranks, placements and changed settings; SimGrid's tables in words."""
    machine = truong_applications._MACHINE
    half = structs.replace(machine, duplex="half", algorithms="alltoall:bruck")
    jobs = [
        Job(f"{name} by Floyd", "cg:class=A", 8, "random", seed, half) for seed in (1, 2) for name in ("a", "b:n=8")
    ]
    assert _app_runs._command(jobs) == (
        "topoloom app a b:n=8 --app cg:class=A --ranks 8 --placement random*2 --seed 1 --set duplex=half"
        " --set algorithms= --set algorithms=alltoall:bruck (tables by SimGrid's Floyd)"
    )
    flows = [Job("torus:dims=4x4", "cg:class=A", 8, "linear", 1, machine, "flows")]
    assert _app_runs._command(flows) == (
        "topoloom app torus:dims=4x4 --engine minimal --app cg:class=A --ranks 8 --placement linear --seed 1 --simulator flows"
    )
    single = [Job("torus:dims=4x4", "cg:class=A", 8, "linear", 1, machine)]
    assert _app_runs._command(single) == (
        "topoloom app torus:dims=4x4 --engine minimal --app cg:class=A --ranks 8 --placement linear --seed 1"
    )


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("speed", "verdict"), [(0.9, Verdict.NOT_REPRODUCIBLE), (1.23, Verdict.READING)], ids=["slower", "as published"]
)
def test_figure_9_verdicts_follow_from_the_times(monkeypatch, speed, verdict):
    """DSN-F 23 % faster than the torus in a setup is the published value for 64 switches: the best of seven readings."""
    pretend(monkeypatch, lambda network, app, _: 1.0 if "torus" in str(network) else 1 / speed)
    outcome = claimed("truong-2016/fig-9/64")
    assert outcome.verdict is verdict
    assert claimed("truong-2016/fig-9/order").verdict is (Verdict.HOLDS if speed > 1 else Verdict.NOT_REPRODUCIBLE)
    assert claimed("truong-2016/fig-9/256").verdict is Verdict.NOT_REPRODUCIBLE
    assert outcome.figure is not None


def test_a_claim_that_holds_in_some_setups_does_not_hold(monkeypatch):
    """Faster at random and slower in order: the setups in which it holds are listed, and it is not reproducible."""

    def seconds(network, _app, placement):
        return 1.0 if "torus" in str(network) else {"linear": 1.2, "random": 0.9}[placement]

    pretend(monkeypatch, seconds)
    outcome = claimed("truong-2016/fig-9/order")
    assert outcome.verdict is Verdict.NOT_REPRODUCIBLE
    assert outcome.ours.startswith("in 4 of 7 setups; 64 switches: DSN-F -17 to +11 %")
    assert "it holds with ranks at random; ranks at random by Dijkstra's paths;" in outcome.details


@pytest.mark.exhaustive
@pytest.mark.parametrize(("by_flows", "computed"), [(1.01, True), (0.99, True), (1.04, False), (0.96, False)])
def test_1024_ranks_get_a_verdict_only_if_flows_agree_with_simgrid(monkeypatch, by_flows, computed):
    """The means of 256 ranks may differ by two points; with more there is no verdict."""
    pretend(monkeypatch, lambda network, app, _: 1.0 if "torus" in str(network) else 0.7, by_flows)
    for name in sorted(_IDS):
        outcome = claimed(name) if name.startswith("truong") and not name.endswith("/64") else None
        if outcome is not None:
            assert (outcome.verdict is not Verdict.NOT_RUN) is computed, name
            assert "differ by at most" in (outcome.details if computed else outcome.why)
    assert claimed("truong-2016/fig-9/64").verdict is not Verdict.NOT_RUN


def test_figure_11_and_12_verdicts_follow_from_the_times(monkeypatch):
    """Published ratios in every setup reproduce the claims of Xu 2019 about them."""

    def seconds(network, *_):
        floyd = {"3": 1.2, "4": 1.138}[network[4]]
        return (floyd if network.endswith("Floyd") else 1.0) * (2.0 if network[4] == "3" else 1.0)

    pretend(monkeypatch, seconds)
    monkeypatch.setattr(xu_applications, "_at_once", lambda size: {3: 83.3, 4: 87.9})
    ids = ("small", "bandwidth-16-3", "bandwidth-16-4", "ft-a", "degrees")
    names = [f"xu-2019/fig-{11 if name == 'small' else 12}/{name}" for name in ids]
    fails, best, holds = Verdict.NOT_REPRODUCIBLE, Verdict.READING, Verdict.HOLDS
    assert [claimed(name).verdict for name in names] == [fails, best, best, fails, holds]
    pretend(monkeypatch, lambda network, *_: 2.0 if network.endswith("Floyd") else 1.0)
    assert [claimed(name).verdict for name in names] == [best, fails, fails, holds, fails]
    assert claimed("xu-2019/fig-11/faster").verdict is Verdict.HOLDS
    assert claimed("xu-2019/fig-12/ft-most").verdict is Verdict.NOT_REPRODUCIBLE


def test_graph500_verdicts_follow_from_the_times(monkeypatch):
    """Balanced tables faster everywhere, least on (16,4), most on order 32."""
    speed = {"(16,3)": 1.2, "(16,4)": 1.1, "(32,3)": 1.5, "(32,4)": 1.4}

    def seconds(network, *_):
        name, _, tables = network.partition(" by ")
        return speed[name] if tables.endswith("Floyd") else 1.0

    pretend(monkeypatch, seconds)
    names = [f"xu-2019/fig-9/{name}" for name in ("faster", "least", "order-32")]
    assert [claimed(name).verdict for name in names] == [Verdict.HOLDS] * 3
    speed["(32,4)"] = 1.0
    pretend(monkeypatch, seconds)
    assert [claimed(name).verdict for name in names] == [Verdict.NOT_REPRODUCIBLE] * 3


def test_the_claims_are_there():
    """Every claim on a simulated application is registered."""
    assert {claim.id for claim in claims()} >= _IDS


@pytest.mark.parametrize("name", sorted(_IDS))
def test_without_simgrid_a_claim_says_so(monkeypatch, name):
    """No verdict on the paper, and the packages' names."""
    monkeypatch.setenv("PATH", "")
    outcome = claimed(name)
    assert outcome.verdict is Verdict.NOT_RUN
    assert "libsimgrid-dev" in outcome.why


@pytest.mark.parametrize("name", ALGORITHMS)
def test_simgrids_paths_are_shortest_and_in_the_tables(name):
    """Lengths compared with networkx; each hop of the tables follows the paths."""
    topology = build("product:(petersen)*(optimal:n=16,degree=3)")
    follow, routing = ALGORITHMS[name](topology), simgrid_routing(topology, name)
    distances = dict(networkx.all_pairs_shortest_path_length(networkx.Graph(topology.links.tolist())))
    for source in range(topology.switches):
        for goal in range(topology.switches):
            if source != goal:
                path = routing.path(source, goal)
                assert path[1] == follow[source, goal]
                assert len(path) - 1 == distances[source][goal]
    assert np.array_equal(np.diag(follow), np.arange(topology.switches))


_PAIRS = """#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int c, char **v) {
  int rank, ranks, to, from;
  MPI_Init(&c, &v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (from = 0; from < ranks; from++)
    for (to = 0; to < ranks; to++) {
      double begun;
      if (from == to) continue;
      if (rank == from) sleep(1000); /* till the other waits */
      begun = MPI_Wtime();
      if (rank == from) MPI_Send(&begun, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
      if (rank == to) {
        MPI_Recv(&begun, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("took %d %d %.15g\\n", from, to, MPI_Wtime() - begun);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  MPI_Finalize();
}
"""


@pytest.mark.simgrid
@pytest.mark.parametrize("name", ALGORITHMS)
def test_paths_are_those_of_simgrids_own_routing(name, tmp_path):
    """The delay of each link is another power of 1.5, so a message's time identifies its path: ours in the other direction."""
    topology = build("torus:dims=3x4")
    delays = [1e-3 * 1.5**number for number in range(len(topology.links))]
    tags = [
        f'<link id="l{number}" bandwidth="1e18Bps" latency="{delay:.17g}s"/>' for number, delay in enumerate(delays)
    ]
    tags = [f'<host id="host{switch}" speed="1Gf"/>' for switch in range(topology.switches)] + tags
    routes = [(a, b, f"l{number}", "yes") for number, (a, b) in enumerate(topology.links.tolist())]
    if name == "Dijkstra":  # it numbers hosts in the order of routes, so each host first gets a route to itself
        tags.append('<link id="own" bandwidth="1e18Bps" latency="0s"/>')
        routes = [(switch, switch, "own", "no") for switch in range(topology.switches)] + routes
    tags += [
        f'<route src="host{a}" dst="host{b}" symmetrical="{both}"><link_ctn id="{link}"/></route>'
        for a, b, link, both in routes
    ]
    (tmp_path / "routes.xml").write_text(
        '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">'
        f'<zone id="all" routing="{name}">{"".join(tags)}</zone></platform>'
    )
    (tmp_path / "pairs.c").write_text(_PAIRS)
    options = [option for option in AppSettings().options(replay=False) if "algorithms" not in option]
    with workplace() as folder:
        ran = run_smpi(
            folder,
            tmp_path / "routes.xml",
            list(range(topology.switches)),
            [str(compiled((tmp_path / "pairs.c",), ProcessLimits()))],
            options,
            {},
            "pairs",
            ProcessLimits(),
        )
    lines = [line.split()[1:] for line in ran.output.splitlines() if line.startswith("took")]
    assert len(lines) == topology.switches * (topology.switches - 1)
    routing = simgrid_routing(topology, name)
    link = {frozenset(ends): number for number, ends in enumerate(topology.links.tolist())}
    for source, goal, seconds in lines:
        path = routing.path(int(goal), int(source))
        ours = sum(delays[link[frozenset(ends)]] for ends in pairwise(path))
        assert float(seconds) == pytest.approx(ours, rel=1e-6)


@pytest.mark.simgrid
def test_simulations_are_the_same_one_at_a_time_and_together():
    """Two networks at a time give the same results as each alone; a second request simulates nothing."""
    routing = route(build("torus:dims=4x4,hosts=1"), "minimal")
    jobs = [
        Job(name, "alltoall:bytes=1024", 16, "random", seed, truong_applications._MACHINE)
        for seed in (1, 2)
        for name in ("test 4x4", "test 4x4 again")
    ]
    with long_runs.LONG_RUNS.of("truong-2016", True):
        both = run_jobs(jobs, lambda _: routing)
        again = run_jobs(jobs, lambda _: pytest.fail("simulated again"))
        alone = run_jobs(jobs[:1], lambda _: routing)
    assert both == again
    assert both[jobs[0]].value == both[jobs[1]].value == alone[jobs[0]].value > 0
