"""Throughput as an objective: what it keeps, what it proves, and that it gets better."""

import networkx
import numpy as np
import pytest
from click.testing import CliRunner

from topoloom.cli.commands.optimize import command
from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.formats import load
from topoloom.graph.geometry import geometry_of, longest_link
from topoloom.model.topology import Topology
from topoloom.optimizer.kernels.even_loads import even_cost
from topoloom.optimizer.optimize import optimize
from topoloom.optimizer.result import Optimized
from topoloom.optimizer.rules import GraphRules
from topoloom.optimizer.searches.even_search import EvenSearch, lift_of
from topoloom.optimizer.searches.price_search import PriceSearch
from topoloom.optimizer.structures.groups import cyclic, groups_of
from topoloom.optimizer.structures.lifts import drawn_lift, links_of_darts
from topoloom.optimizer.traffic_goals import NAMES, TrafficGoal, order_bound, traffic_values, uniform_certificate
from topoloom.throughput.flow import concurrent_flow
from topoloom.throughput.traffic import permutation, uniform_remote
from topoloom.throughput.tub import tub
from topoloom.topologies.spec import build


def even_by_networkx(topology, power):
    """The power mean of the loads from edge betweenness: pairs over each link, split over all shortest paths."""
    between = networkx.edge_betweenness_centrality(networkx.Graph(topology.to_networkx()), normalized=False)
    return float(np.mean(np.array(list(between.values())) ** power) ** (1 / power))


@pytest.mark.parametrize("spec", ["torus:dims=3x5", "jellyfish:n=20,degree=3", "mesh:dims=4x4"])
@pytest.mark.parametrize("power", [1.0, 8.0])
def test_loads_are_edge_betweenness(spec, power):
    """Of any graph as a lift over one element; each direction of a link carries half of the pairs over it, twice."""
    topology = build(spec)
    lift, _ = lift_of(topology)
    load = np.zeros(lift.head.size)
    found = even_cost(lift, np.ones(topology.switches), power, np.inf, load)
    assert found == pytest.approx(even_by_networkx(topology, power))


@pytest.mark.parametrize(("order", "classes", "degree"), [(12, 1, 4), (8, 2, 3), (6, 4, 5)])
def test_loads_of_a_lift_are_those_of_its_graph(order, classes, degree):
    """One source of each class is enough, links over involutions included."""
    for group in groups_of(order, 4):
        lift = drawn_lift(group, classes, degree, Draws(5).state())
        if lift is None:
            continue
        links = links_of_darts(group, lift.head, lift.voltage, degree)
        topology = Topology(links=links, switches=order * classes)
        found = even_cost(lift, np.ones(order * classes), 8.0, np.inf, np.zeros(lift.head.size))
        connected = networkx.is_connected(networkx.Graph(topology.to_networkx()))
        assert found == (pytest.approx(even_by_networkx(topology, 8.0)) if connected else np.inf)


def test_a_limit_never_lets_a_worse_one_pass():
    """What is given up early is above the limit, and so is the true cost."""
    lift, _ = lift_of(build("torus:dims=4x4"))
    whole = even_cost(lift, np.ones(16), 8.0, np.inf, np.zeros(lift.head.size))
    for limit in (0.3 * whole, 0.9 * whole):
        assert limit < even_cost(lift, np.ones(16), 8.0, limit, np.zeros(lift.head.size)) <= whole * (1 + 1e-12)


def test_a_torus_gets_better():
    """4 x 4 x 4: the torus brings 1.97 (63 / 64 x 2), and Moore's bound is 2.571; most of the way in few moves."""
    torus = build("torus:dims=4x4x4,hosts=1")
    found = optimize(torus, "all-to-all", moves=60_000, jobs=1)
    assert found.values["throughput"] > 2.45
    assert found.values["throughput_bound"] == pytest.approx(6 / (7 / 3))
    assert (found.topology.degrees == 6).all()
    assert (found.topology.endpoints == torus.endpoints).all()
    assert found.values["throughput"] <= found.values["hops_bound"] * (1 + 1e-9)
    assert found.values["hops_bound"] <= found.values["throughput_bound"] * (1 + 1e-9)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("goal", NAMES)
@pytest.mark.parametrize("start", ["given", "structured"])
def test_seeds_repeat_and_nothing_gets_worse(goal, start):
    """The same seed gives the same graph; it is worth no less than what was given, by its own measure, done again."""
    torus = build("torus:dims=3x4x2")
    first, again = (optimize(torus, goal, start=start, moves=20_000, jobs=1, seed=4) for _ in range(2))
    assert first.topology == again.topology
    measure = TrafficGoal(goal)
    assert measure.of(first.values) == pytest.approx(measure.of(again.values))
    assert measure.of(first.values) >= measure.of(traffic_values(torus, 1.0, 1)) * (1 - 1e-9)
    exact = concurrent_flow(first.topology, uniform_remote(first.topology))
    assert first.values["throughput"] <= exact * (1 + 1e-6)
    assert exact <= first.values["throughput_upper"] * (1 + 1e-6)
    assert first.values["throughput_upper"] <= first.values["throughput"] * 1.0101
    assert first.values["tub"] == pytest.approx(tub(first.topology).value)
    assert (first.topology.degrees == torus.degrees).all()


def test_what_the_worst_traffic_gets_lies_between():
    """By Valiant's detours 24 hosts get t 24 / (2 x 23); the maximal permutation's own flow is between that and the bound."""
    graph = build("jellyfish:n=24,degree=4")
    worst = permutation(graph, tub(graph).partner)
    values = traffic_values(graph, 1.0, 1)
    assert values["worst_case"] == pytest.approx(values["throughput"] * 24 / 46)
    assert values["worst_case"] <= concurrent_flow(graph, worst) * (1 + 1e-6) <= values["tub"] * (1 + 2e-6)


def test_lengths_and_racks_are_kept():
    """On a grid no link gets longer; with racks each pair of them keeps its number of links."""
    grid = build("grid:rows=6,columns=6,degree=4,length=3")
    found = optimize(grid, "all-to-all", moves=15_000, jobs=1)
    assert longest_link(found.topology, geometry_of(grid)) <= 3
    assert found.values["throughput"] >= uniform_certificate(grid).lower
    rack = np.arange(36) // 9

    def between(topology):
        pair = np.sort(rack[topology.links], axis=1)
        return np.unique(pair, axis=0, return_counts=True)

    kept = optimize(build("jellyfish:n=36,degree=4"), "all-to-all", keep=rack, moves=15_000, jobs=1)
    before, after = between(build("jellyfish:n=36,degree=4")), between(kept.topology)
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_prices_lead_uphill():
    """On a mesh, whose middle is full, exchanges that prices point at raise the exact flow; each counts one move."""
    mesh = build("mesh:dims=4x5")
    budget = Budget(60)
    search = PriceSearch(mesh, GraphRules(), TrafficGoal("all-to-all"), Draws(1), budget)
    before = concurrent_flow(mesh, uniform_remote(mesh))
    while not search.done:
        search.step()
    better = Topology(links=search.best, switches=20)
    assert (better.degrees == mesh.degrees).all()
    assert concurrent_flow(better, uniform_remote(better)) > 1.2 * before
    assert -search.cost[1] <= concurrent_flow(better, uniform_remote(better)) * (1 + 1e-6)
    assert budget.spent <= 60


def test_an_even_search_keeps_its_lift():
    """Annealed lifts stay simple, regular and symmetric; the cost is that of the best links."""
    group = cyclic(14)
    lift = drawn_lift(group, 2, 4, Draws(2).state())
    search = EvenSearch(lift, group, np.ones(28), Draws(3), Budget(1500))
    first = search.cost
    while not search.done:
        search.step()
    graph = Topology(links=search.best, switches=28)
    assert (graph.degrees == 4).all()
    assert len(np.unique(np.sort(graph.links, axis=1), axis=0)) == 56
    assert search.cost < first
    assert search.cost[1] == pytest.approx(even_by_networkx(graph, 8.0))
    wrapped = (graph.links // 14) * 14 + (graph.links % 14 + 1) % 14
    assert {*map(frozenset, wrapped.tolist())} == {*map(frozenset, graph.links.tolist())}


def test_bounds_of_an_order():
    """The Petersen graph and the Hoffman-Singleton graph meet what no network passes; unlike hosts have Moore's as well."""
    for spec, aspl in (("petersen", 5 / 3), ("hoffman-singleton", 91 / 49)):
        graph = build(spec)
        assert uniform_certificate(graph).lower == pytest.approx(order_bound(graph, aspl))
    few = build("petersen").replace(endpoints=np.array([0, 0, 3, 7]))
    assert concurrent_flow(few, uniform_remote(few)) <= order_bound(few, 5 / 3)


def test_a_graph_that_meets_its_bound_is_optimal():
    """What was given cannot be beaten, and the record says so."""
    found = optimize(build("petersen"), "all-to-all", moves=500, jobs=1)
    assert found.optimal
    assert found.values["throughput"] == pytest.approx(1.8)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"tempering": True}, "tempering"),
        ({"target": 3}, "target"),
        ({"symmetric": True}, "symmetric"),
        ({"start": "structured", "keep": np.zeros(16, int)}, "structured"),
    ],
)
def test_what_does_not_go_together(given, told):
    """Options of other objectives are refused by name."""
    with pytest.raises(InputError, match=told):
        optimize(build("torus:dims=4x4"), "all-to-all", moves=10, jobs=1, **given)


def test_structures_need_alike_hosts():
    """Lifts renumber the switches, so hosts must be the same on all of them."""
    uneven = build("torus:dims=4x4").replace(endpoints=np.array([0, 0, 5]))
    with pytest.raises(InputError, match="the same number of hosts on every switch"):
        optimize(uneven, "all-to-all", start="structured", moves=10, jobs=1)


def run(*words):
    """The command, whose errors are raised."""
    result = CliRunner().invoke(command, words, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_the_command_and_python_agree(tmp_path):
    """`--for` is `--objective`; the file holds what Python finds by the same seed, and a search goes on from it."""
    out = str(tmp_path / "best.json")
    words = ["torus:dims=4x4", "--for", "all-to-all", "--chains", "1", "--seed", "3", "-o", out]
    assert "throughput bound" in run(*words, "--moves", "5000")
    found = optimize(build("torus:dims=4x4"), "all-to-all", moves=5000, jobs=1, seed=3)
    assert np.array_equal(load(out).links, found.topology.links)
    run(*words, "--moves", "9000", "--resume")
    assert uniform_certificate(load(out)).lower >= found.values["throughput"] * (1 - 1e-9)
    with pytest.raises(InputError, match="the objective is all-to-all"):
        run("torus:dims=4x4", "--for", "all-to-all", "--cap-ns", "5", "--moves", "5")


def test_a_record_comes_back(tmp_path):
    """Values of traffic survive the folder."""
    found = optimize(build("torus:dims=3x4"), "worst-case", moves=2000, jobs=1)
    found.save(tmp_path / "best")
    again = Optimized.load(tmp_path / "best")
    assert again.values == found.values
    assert again.objective == "worst-case"
