"""The operation: what it keeps, what it promises, and what it refuses."""

import itertools
import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.placed import place
from topoloom.formats.topoloom_json import write as topology_text
from topoloom.graph.geometry import Geometry
from topoloom.graph.grid_bounds import grid_bounds
from topoloom.graph.hops import hops
from topoloom.model.topology import Topology
from topoloom.optimizer.goals import parse_goal
from topoloom.optimizer.limits import limits
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.optimize import optimize
from topoloom.optimizer.result import Optimized
from topoloom.optimizer.rules import GraphRules
from topoloom.placement.floors.floor import preset
from topoloom.topologies.spec import build


def score(topology):
    """What is compared: parts, diameter, ASPL."""
    found = hops(topology)
    return found.components, found.diameter, found.aspl


@pytest.mark.parametrize("spec", ["jellyfish:n=40,degree=5,hosts=3", "jellyfish:n=25,degree=3", "torus:dims=4x5"])
def test_degrees_hosts_and_labels_stay_and_nothing_gets_worse(spec):
    """The answer is the same switches with other links, measured again, and no worse than the start."""
    topology = build(spec)
    found = optimize(topology, moves=3000, jobs=1)
    assert (found.topology.degrees == topology.degrees).all()
    assert (found.topology.endpoints == topology.endpoints).all()
    assert found.topology.labels.keys() == topology.labels.keys()
    assert (found.components, found.diameter, found.aspl) == score(found.topology)
    assert score(found.topology) < score(topology)
    assert found.aspl >= found.aspl_bound
    assert found.diameter >= found.diameter_bound


@pytest.mark.sweep(1)
@pytest.mark.parametrize("given", [{}, {"tempering": True}, {"symmetric": True}, {"objective": "latency"}])
def test_one_thread_and_one_seed_give_one_graph(given):
    """The same seed and number of moves: the same graph; another seed: another."""
    grid = build("grid:rows=8,columns=8,degree=4,length=3")
    first, again, other = (optimize(grid, moves=1500, jobs=1, seed=seed, **given) for seed in (3, 3, 4))
    assert first.topology == again.topology
    assert first.topology != other.topology


def test_tempering_does_not_depend_on_the_threads():
    """Replicas try the same moves on one thread and on two."""
    topology = build("jellyfish:n=48,degree=4")
    one, two = (optimize(topology, moves=4000, jobs=jobs, tempering=True) for jobs in (1, 2))
    assert one.topology == two.topology


@pytest.mark.parametrize(
    ("n", "degree", "diameter", "aspl"),
    [(16, 3, 3, 2.2), (16, 4, 3, 1.75), (20, 3, 3, 2.3684211), (32, 4, 3, 2.3548387)],
)
def test_small_optima_are_found(n, degree, diameter, aspl):
    """Orders and degrees whose best graph is known (order/degree competition), from a random start."""
    found = optimize(build(f"jellyfish:n={n},degree={degree}"), moves=400_000, jobs=1)
    assert (found.diameter, round(found.aspl, 7)) == (diameter, aspl)


def test_it_ends_at_a_proved_bound():
    """Once Cerf's bound is reached nothing better exists, and the search says so long before its budget is used up."""
    found = optimize(build("jellyfish:n=10,degree=3"), moves=10**9, jobs=1)
    assert (found.reason, found.optimal, found.ended) == ("bound", True, "done")
    assert (found.diameter, round(found.aspl, 6)) == (2, round(15 / 9, 6))
    assert found.moves < 10**6


def test_seconds_are_kept_to():
    """A time budget ends the search in time, and says so."""
    found = optimize(build("jellyfish:n=200,degree=5"), seconds=0.5, jobs=2)
    assert (found.reason, found.optimal, found.ended) == ("time", False, "done")


def test_links_stay_as_short_as_they_may_be():
    """On a grid no link gets longer than the limit, on a floor no cable longer than the cap."""
    grid = build("grid:rows=7,columns=6,degree=4,length=3")
    found = optimize(grid, length=4, moves=3000, jobs=1)
    longest = Geometry.grid(7, 6).distance(*found.topology.links.T).max()
    assert longest == 4
    assert found.aspl_bound == pytest.approx(grid_bounds(Geometry.grid(7, 6), 4, 4).aspl)
    floor = replace(preset("slimfly-2014"), switches_per_rack=4)
    layout = place(build("jellyfish:n=48,degree=4"), floor, cluster="sequential", map="rows")
    lengths = LinkLengths.of_layout(layout)
    cap_m = float(layout.length_m.max())
    shorter = optimize(layout.topology, lengths=lengths, cap_m=cap_m, moves=3000, jobs=1)
    assert lengths.between_m(*shorter.topology.links.T).max() <= cap_m


def test_racks_keep_their_cables():
    """`keep`: every pair of racks has as many cables as before."""
    topology = build("dragonfly:a=4,h=2,p=2")
    found = optimize(topology, keep="group", moves=2000, jobs=1).topology

    def between(links):
        return np.unique(np.sort(topology.labels["group"][links], axis=1), axis=0, return_counts=True)[1].tolist()

    assert between(found.links) == between(topology.links)


def test_a_goal_beyond_hops_is_measured_with_its_bounds():
    """Latency on a grid: the values are those of the answer, above their bounds and below the start's."""
    grid = build("grid:rows=6,columns=8,degree=4,length=3")
    found = optimize(grid, parse_goal("latency"), moves=1500, jobs=1, symmetric=False)
    assert found.values["mean_ns_bound"] <= found.values["mean_ns"] < 60 * 5 + 5 * 20
    assert found.values["worst_ns_bound"] <= found.values["worst_ns"]


def test_bounds_on_a_floor_are_those_of_the_grid_it_is():
    """The bound over the links that a rule allows equals Nakano 2016's on a grid, where the rule is the length."""
    grid = build("grid:rows=9,columns=8,degree=4,length=3")
    geometry = Geometry.grid(9, 8)
    general = limits(grid, GraphRules(near=geometry.near(3)))
    assert (general.diameter, general.hops) == (
        limits(grid, GraphRules(), geometry, 3).diameter,
        limits(grid, GraphRules(), geometry, 3).hops,
    )


@pytest.mark.exhaustive
def test_progress_is_told_and_a_session_goes_on_where_it_was():
    """`work` is given whole graphs that only get better; `spent` counts against the budget."""
    topology = build("jellyfish:n=300,degree=6")
    seen = []
    first = optimize(topology, seconds=1.5, jobs=1, work=Work(on_result=seen.append))
    assert seen
    assert all(later.cost <= earlier.cost for earlier, later in pairwise(seen))
    assert all(len(progress.links) == len(topology.links) for progress in seen)
    rest = optimize(first.topology, moves=first.moves + 3000, jobs=1, spent=(first.moves, first.seconds))
    assert first.moves < first.moves + 3000 <= rest.moves
    assert rest.seconds > first.seconds
    assert (rest.diameter, rest.aspl) <= (first.diameter, first.aspl)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"seconds": 1.0, "moves": 10}, "not both"),
        ({"moves": 0}, "at least one"),
        ({"seconds": float("nan")}, "above 0 s"),
        ({"start": "clever"}, "choose given or structured"),
        ({"target": 0}, "at least 1"),
        ({"length": 3}, "needs switches on a grid"),
        ({"cap_m": 3.0}, "needs the lengths"),
        ({"keep": "rack"}, "no label 'rack'"),
        ({"keep": np.arange(3)}, "one for each of 20 switches"),
        ({"objective": "latency"}, "needs lengths"),
        ({"objective": "speed"}, "is unknown"),
        ({"symmetric": True}, "no symmetric start"),
        ({"jobs": 0}, "at least one thread"),
    ],
)
def test_what_makes_no_sense_is_refused(given, says):
    """One sentence that names what is wrong."""
    with pytest.raises(InputError, match=says) as caught:
        optimize(
            build("jellyfish:n=20,degree=3"),
            **({"moves": 10} if "moves" not in given and "seconds" not in given else {}) | given,
        )
    assert "\n" not in str(caught.value)


def test_a_limit_that_the_topology_breaks_is_refused():
    """Links longer than the limit, a network without links, a structured start under a rule: one sentence."""
    grid = build("grid:rows=6,columns=6,degree=4,length=3")
    with pytest.raises(InputError, match="raise length="):
        optimize(grid, length=2, moves=10)
    with pytest.raises(InputError, match="no links"):
        optimize(Topology(links=[], switches=3), moves=10)
    with pytest.raises(InputError, match="omit length, cap, keep and fix"):
        optimize(grid, start="structured", moves=10)


def test_a_small_graph_is_searched_again_and_again_while_there_is_time(monkeypatch):
    """Given time, chains begin again after their round, all their moves count, and what is told never gets worse."""
    from topoloom.optimizer import search

    monkeypatch.setattr(search, "_ROUND", 20)
    told, looks = [], itertools.count()
    # A clock that goes on a millisecond each time somebody looks. Sixty links: a round is 1,200 moves.
    with monkeypatch.context() as patched:
        patched.setattr(time, "monotonic", lambda: next(looks) / 1000)
        found = optimize(build("jellyfish:n=40,degree=3"), seconds=2.0, jobs=1, work=Work(on_result=told.append))
    assert found.moves > 5 * 1200
    costs = [progress.cost for progress in told]
    assert costs == sorted(costs, reverse=True)
    assert [progress.share for progress in told] == sorted(progress.share for progress in told)
    assert 0 < told[-1].share <= 1


@pytest.mark.exhaustive
def test_stopped_work_leaves_the_best_so_far():
    """For hops and for goals, as whole graphs of the same degrees; the result says who ended it."""
    grid = build("grid:rows=24,columns=24,degree=6,length=5")
    for objective in ("hops", "latency"):
        optimize(grid, objective, moves=50, jobs=1, symmetric=False)  # compiles
        work = Work(seconds=0.5)
        found = optimize(grid, objective, moves=10**9, jobs=2, work=work)
        assert (found.ended, found.reason) == ("deadline", "stopped")
        assert (found.topology.degrees == grid.degrees).all()
    asked = Work()
    asked.stop()
    assert optimize(grid, moves=10**9, jobs=1, tempering=True, work=asked).ended == "interrupted"


def test_two_equal_runs_give_the_same_record_and_it_comes_back(tmp_path):
    """Only timings differ; `save` and `load` give the graph and the record."""
    topology = build("jellyfish:n=60,degree=4")
    first, second = (optimize(topology, moves=1000, jobs=1) for _ in range(2))
    records = [found.record() for found in (first, second)]
    for record in records:
        record["provenance"]["timings"] = {}
    assert records[0] == records[1]
    first.save(tmp_path / "best")
    again = Optimized.load(tmp_path / "best")
    assert again.topology == first.topology
    assert again.record() == first.record()
    (tmp_path / "best" / "topology.json").write_text(topology_text(second.topology.replace(links=topology.links)))
    with pytest.raises(InputError, match="does not belong to the graph"):
        Optimized.load(tmp_path / "best")
