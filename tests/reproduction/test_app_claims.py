"""Claims on simulated applications: what is compared, and how verdicts follow from times, which are made up here."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import networkx
import numpy as np
import pytest

from topoloom.applications.app_run import Measurement
from topoloom.applications.launch import simulate, workplace
from topoloom.applications.processes import Limits
from topoloom.applications.registry import program_of
from topoloom.applications.settings import AppSettings
from topoloom.applications.tools import compiled
from topoloom.reproduction import Verdict, _app_runs, claims, run
from topoloom.reproduction._app_runs import Contest, Gain, Job, Setup, ran, told
from topoloom.reproduction._simgrid_paths import ALGORITHMS, simgrid_routing
from topoloom.reproduction.papers.nakano_2016 import applications as nakano_applications
from topoloom.reproduction.papers.truong_2016 import applications as truong_applications
from topoloom.reproduction.papers.xu_2019 import applications as xu_applications
from topoloom.routing.route import route
from topoloom.spec import build

_IDS = {
    "truong-2016/fig-9/order",
    "nakano-2016/fig-11/order",
    "xu-2019/fig-11/small",
    "xu-2019/fig-12/ft-a",
    "truong-2016/fig-9/64",
    "truong-2016/fig-9/256",
    "nakano-2016/fig-11/288",
    "xu-2019/fig-11/sizes",
    "xu-2019/fig-12/bandwidth",
    "xu-2019/fig-12/ft-c",
}


def pretend(monkeypatch, seconds):
    """Simulations that take `seconds(network, app, placement)`, and say so as every result."""
    asked = []

    def made_up(network, app, ranks, *, placement, settings, seed, jobs):
        asked.append((app, placement, seed))
        value = seconds(network, app, placement)
        return SimpleNamespace(
            seconds=value,
            measured=Measurement(value, "s"),
            results={"time": Measurement(value, "s"), "beff": Measurement(1 / value, "B/s")},
        )

    monkeypatch.setattr(_app_runs, "run_app", made_up)
    monkeypatch.setattr(_app_runs, "_done", {})
    monkeypatch.setattr(_app_runs, "tool", lambda name: name)
    monkeypatch.setattr(_app_runs, "tabled", lambda network, _: network)
    monkeypatch.setattr(xu_applications, "_at_once", lambda _: {3: 90.0, 4: 95.0})
    monkeypatch.setattr(xu_applications, "_busiest", lambda _: 35.0)
    for module in (nakano_applications, truong_applications, xu_applications):
        monkeypatch.setattr(module, "_routed", lambda name: name)
    for module, name in ((nakano_applications, "_SMALL"), (truong_applications, "_SMALL")):
        monkeypatch.setattr(module, name, replace(getattr(module, name), routed=lambda name: name))
    return asked


def claimed(name):
    """The outcome of one claim."""
    return run(claims([name])[0])


def test_the_claims_are_there_and_the_long_ones_are_full():
    """Xu 2019's and small ones by default, and Nakano 2016's and Truong 2016's figures of full size behind --full."""
    found = {c.id: c for c in claims() if c.id in _IDS}
    assert set(found) == _IDS
    assert {c.id for c in found.values() if not c.full} == {
        "truong-2016/fig-9/order",
        "nakano-2016/fig-11/order",
        "xu-2019/fig-11/small",
        "xu-2019/fig-11/sizes",
        "xu-2019/fig-12/bandwidth",
        "xu-2019/fig-12/ft-a",
        "xu-2019/fig-12/ft-c",
    }
    assert all(c.command == f"topoloom reproduce {c.id}" for c in found.values())


@pytest.mark.parametrize(("switches", "hosts", "class_"), [(64, 1, "A"), (64, 4, "B"), (256, 4, "B")])
def test_every_program_takes_the_ranks_of_figure_9(switches, hosts, class_):
    """The six benchmarks of Truong 2016, four processes a switch in full: all accept their ranks, all networks hold them."""
    contest = truong_applications._contest(switches, hosts, class_)
    assert set(contest.programs) == {"BT", "CG", "DT", "FT", "LU", "SP"}
    for app in contest.programs.values():
        assert program_of(app, contest.ranks).ranks == contest.ranks
    for key in (contest.baseline[1], *contest.others.values()):
        topology = build(key)
        assert (topology.switches, topology.hosts) == (switches, contest.ranks)
        # Four links a switch, but for the last groups of DSN-F and DSN.
        assert 3.6 * switches <= topology.degrees.sum() <= 4 * switches


def test_a_gain_is_of_speed_on_the_same_placement_and_means_are_over_programs():
    """Twice as fast is +100 %; the mean of +100 % and 0 % is +50 %, a placement each."""
    seconds = {"base": 2.0, "fast": 1.0}
    patch = pytest.MonkeyPatch()
    asked = pretend(patch, lambda network, app, _: seconds[network] if app == "a" else 3.0)
    try:
        contest = Contest(("base", "base"), {"fast": "fast"}, {"A": "a", "B": "b"}, 4, lambda name: name)
        setup = Setup("at random", "random", truong_applications._MACHINE, (1, 2))
        gain = contest.gains(setup)["fast"]
        assert gain.programs == {"A": [100.0, 100.0], "B": [0.0, 0.0]}
        assert gain.means == [50.0, 50.0]
        assert len(asked) == 8
        contest.gains(setup)
        assert len(asked) == 8
    finally:
        patch.undo()
    assert told({"fast": Gain({"A": [1.0, 3.0]}, [1.0, 3.0])}) == "fast +2.0 % (+1.0 to +3.0)"


@pytest.mark.parametrize(
    ("speed", "verdict"), [(0.9, Verdict.NOT_REPRODUCIBLE), (1.23, Verdict.ASSUMED)], ids=["slower", "as printed"]
)
def test_figure_9_verdicts_follow_from_the_times(monkeypatch, speed, verdict):
    """DSN-F 23 % faster than the torus reproduces 64 switches and the order; slower reproduces neither."""
    pretend(monkeypatch, lambda network, app, _: 1.0 if "torus" in str(network) else 1 / speed)
    outcome = claimed("truong-2016/fig-9/order")
    assert outcome.verdict is verdict
    assert f"{100 * speed - 100:+.1f} %" in outcome.ours
    assert outcome.figure is not None


def test_placement_is_named_when_it_decides(monkeypatch):
    """Faster at random and slower in order: reproduced with the assumption that ranks are at random."""

    def seconds(network, _app, placement):
        return 1.0 if "torus" in str(network) else {"linear": 1.2, "random": 0.9}[placement]

    pretend(monkeypatch, seconds)
    outcome = claimed("truong-2016/fig-9/order")
    assert outcome.verdict is Verdict.ASSUMED
    assert "it holds with ranks at random, at random by Dijkstra's paths, at random by Floyd's paths;" in outcome.why


def test_figure_11_and_12_verdicts_follow_from_the_times(monkeypatch):
    """Printed ratios reproduce every claim of Xu 2019 but those on sizes, which need the most at the smallest."""
    times = {"floyd 3": 1.2, "floyd 4": 1.138, "balanced 3": 1.0, "balanced 4": 1.0}
    pretend(monkeypatch, lambda network, app, _: times[network])
    ids = ("xu-2019/fig-11/small", "xu-2019/fig-12/ft-a", "xu-2019/fig-12/bandwidth")
    verdicts = [claimed(name).verdict for name in ids]
    assert verdicts == [Verdict.NOT_REPRODUCIBLE, Verdict.ASSUMED, Verdict.ASSUMED]
    times["floyd 3"] = 2.0
    monkeypatch.setattr(_app_runs, "_done", {})
    assert [claimed(name).verdict for name in ids] == [Verdict.ASSUMED, Verdict.ASSUMED, Verdict.NOT_REPRODUCIBLE]


@pytest.mark.parametrize("name", sorted(_IDS))
def test_without_simgrid_a_claim_says_so(monkeypatch, name):
    """No verdict on the paper, and the packages' names."""
    monkeypatch.setenv("PATH", "")
    outcome = claimed(name)
    assert outcome.verdict is Verdict.NOT_RUN
    assert "libsimgrid-dev" in outcome.why


@pytest.mark.parametrize("name", ALGORITHMS)
def test_simgrids_ways_are_shortest_and_its_tables_take_them(name):
    """Lengths against networkx; each hop is that of the paths."""
    topology = build("product:(petersen)*(optimal:n=16,degree=3)")
    follow, routing = ALGORITHMS[name](topology), simgrid_routing(topology, name)
    far = dict(networkx.all_pairs_shortest_path_length(networkx.Graph(topology.links.tolist())))
    for source in range(topology.switches):
        for goal in range(topology.switches):
            if source != goal:
                path = routing.path(source, goal)
                assert path[1] == follow[source, goal]
                assert len(path) - 1 == far[source][goal]
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
def test_ways_are_those_of_simgrids_own_routing(name, tmp_path):
    """Each link delays by its own power of 1.5: what a message takes tells its path, which is ours of the other direction."""
    topology = build("torus:dims=3x4")
    delays = [1e-3 * 1.5**number for number in range(len(topology.links))]
    tags = [
        f'<link id="l{number}" bandwidth="1e18Bps" latency="{delay:.17g}s"/>' for number, delay in enumerate(delays)
    ]
    tags = [f'<host id="host{switch}" speed="1Gf"/>' for switch in range(topology.switches)] + tags
    routes = [(a, b, f"l{number}", "yes") for number, (a, b) in enumerate(topology.links.tolist())]
    if name == "Dijkstra":  # it numbers hosts as routes name them: from first to last, by a path of each to itself
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
        told = simulate(
            folder,
            tmp_path / "routes.xml",
            list(range(topology.switches)),
            [str(compiled((tmp_path / "pairs.c",), Limits()))],
            options,
            {},
            "pairs",
            Limits(),
        )
    lines = [line.split()[1:] for line in told.output.splitlines() if line.startswith("took")]
    assert len(lines) == topology.switches * (topology.switches - 1)
    routing = simgrid_routing(topology, name)
    link = {frozenset(ends): number for number, ends in enumerate(topology.links.tolist())}
    for source, goal, seconds in lines:
        path = routing.path(int(goal), int(source))
        ours = sum(delays[link[frozenset(ends)]] for ends in pairwise(path))
        assert float(seconds) == pytest.approx(ours, rel=1e-6)


@pytest.mark.simgrid
def test_simulations_are_the_same_one_at_a_time_and_together():
    """Two at a time give what one gives; a second asking simulates nothing."""
    routing = route(build("torus:dims=4x4,hosts=1"), "minimal")
    jobs = [
        Job("test 4x4", "alltoall:bytes=1024", 16, how, 1, truong_applications._MACHINE) for how in ("linear", "random")
    ]
    both = ran(jobs, lambda _: routing)
    again = ran(jobs, lambda _: pytest.fail("simulated again"))
    assert [both[job].seconds for job in jobs] == [again[job].seconds for job in jobs]
    assert all(one.seconds > 0 for one in both.values())
