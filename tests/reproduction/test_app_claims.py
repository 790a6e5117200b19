"""Claims on simulated applications: what is compared, and how verdicts follow from times, which are made up here."""

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
from topoloom.reproduction._app_runs import Contest, Gain, Job, Setup, Took, ran, told
from topoloom.reproduction._simgrid_paths import ALGORITHMS, simgrid_routing
from topoloom.reproduction.long_runs import LONG_RUNS
from topoloom.reproduction.papers.truong_2016 import applications as truong_applications
from topoloom.routing.route import route
from topoloom.spec import build

_PAPERS = ("truong-2016/fig-9", "nakano-2016/fig-11", "xu-2019/fig-11", "xu-2019/fig-12")


def pretend(monkeypatch, seconds):
    """Simulations that take `seconds(network, app, placement)`, a time that is less where it is better."""
    asked = []

    def made_up(network, app, ranks, *, placement, settings, seed, jobs):
        asked.append((app, placement, seed))
        return SimpleNamespace(measured=Measurement(seconds(network, app, placement), "s"))

    monkeypatch.setattr(_app_runs, "run_app", made_up)
    monkeypatch.setattr(LONG_RUNS, "_fresh", {})
    return asked


@pytest.mark.parametrize("switches", [64, 256])
def test_every_program_takes_the_ranks_of_figure_9(switches):
    """The six benchmarks of Truong 2016, four processes a switch: all accept their ranks, all networks hold them."""
    contest = truong_applications._contest(switches)
    assert set(contest.programs) == {"BT", "CG", "DT", "FT", "LU", "SP"}
    for app in contest.programs.values():
        assert program_of(app, contest.ranks).ranks == contest.ranks == 4 * switches
    for key in (contest.baseline[1], *contest.others.values()):
        topology = build(key)
        assert (topology.switches, topology.hosts) == (switches, contest.ranks)
        # Four links a switch, but for the last groups of DSN-F and DSN.
        assert 3.6 * switches <= topology.degrees.sum() <= 4 * switches


def test_a_gain_is_of_speed_on_the_same_placement_and_means_are_over_programs(monkeypatch):
    """Twice as fast is +100 %; the mean of +100 % and 0 % is +50 %, a placement each; nothing is simulated twice."""
    seconds = {"base": 2.0, "fast": 1.0}
    asked = pretend(monkeypatch, lambda network, app, _: seconds[network] if app == "a" else 3.0)
    contest = Contest(("base", "base"), {"fast": "fast"}, {"A": "a", "B": "b"}, 4, lambda name: name)
    setup = Setup("at random", "random", truong_applications._MACHINE, (1, 2))
    with LONG_RUNS.of("truong-2016", again=True):
        gain = contest.gains(setup)["fast"]
        assert gain.programs == {"A": [100.0, 100.0], "B": [0.0, 0.0]}
        assert gain.means == [50.0, 50.0]
        assert len(asked) == 8
        contest.gains(setup)
        assert len(asked) == 8
    assert told({"fast": Gain({"A": [1.0, 3.0]}, [1.0, 3.0])}) == "fast +2.0 % (+1.0 to +3.0)"


def test_a_bandwidth_is_better_the_more_it_is():
    """Twice the bytes a second is twice as fast, twice the seconds half as fast."""
    slow, fast = (Took("n", 1, value, "B/s") for value in (1.0, 2.0))
    assert fast.speed_beside(slow) == 2
    assert Took("n", 1, 2.0, "s").speed_beside(Took("n", 1, 1.0, "s")) == 0.5


@pytest.mark.parametrize("name", [one.id for one in claims(_PAPERS)])
def test_without_simgrid_a_claim_cannot_be_simulated_again_and_says_so(monkeypatch, name):
    """No verdict on the paper, and the packages' names; what is kept is told all the same."""
    monkeypatch.setenv("PATH", "")
    one = next(one for one in claims([name]) if one.id == name)
    outcome = run(one, again=True).outcome
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
def test_simulations_are_made_once(monkeypatch):
    """A second asking simulates nothing."""
    routing = route(build("torus:dims=4x4,hosts=1"), "minimal")
    jobs = [
        Job("torus:dims=4x4,hosts=1", "alltoall:bytes=1024", 16, how, 1, truong_applications._MACHINE)
        for how in ("linear", "random")
    ]
    monkeypatch.setattr(LONG_RUNS, "_fresh", {})
    with LONG_RUNS.of("truong-2016", again=True):
        both = ran(jobs, lambda _: routing)
        again = ran(jobs, lambda _: pytest.fail("simulated again"))
    assert both == again
    assert all(one.value > 0 for one in both.values())
