"""Structured starts: successive halving of methods to make a graph, and algebraic graphs made to fit."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.graph.hops import hops
from topoloom.optimizer.optimize import optimize
from topoloom.optimizer.result import Optimized
from topoloom.optimizer.searches.successive_halving import SearchMethod, SuccessiveHalving
from topoloom.optimizer.structures.algebraic import algebraic, resized
from topoloom.optimizer.structures.starts import candidates, least
from topoloom.topologies.spec import build


def structured(switches: int, degree: int, moves: int, seed: int = 1) -> Optimized:
    """The fewest hops found from structured starts, in one thread."""
    given = build(f"jellyfish:n={switches},degree={degree}")
    return optimize(given, start="structured", moves=moves, seed=seed, jobs=1)


class Fake:
    """A search that costs what it is told, less with every step, and is done after as many as its budget has moves."""

    def __init__(self, cost: float, budget: Budget) -> None:
        self.cost: tuple[float, ...] = (cost, cost)
        self.best = np.full((1, 2), int(cost))
        self._budget = budget

    @property
    def done(self) -> bool:
        return self._budget.share >= 1

    def step(self) -> None:
        self._budget.spent += 1


def halved(costs: list[float | None], moves: int, bound: float = 0) -> tuple[SuccessiveHalving, list[tuple[int, int]]]:
    """A search of fakes run to its end, and (candidate, moves) of all runs."""
    runs = []

    def candidate(number: int, cost: float | None) -> SearchMethod:
        def begin(_: Draws, budget: Budget) -> Fake | None:
            runs.append((number, budget.moves))
            return None if cost is None else Fake(cost, budget)

        return SearchMethod(f"candidate {number}", begin)

    search = SuccessiveHalving(
        [candidate(*one) for one in enumerate(costs)], seed=1, number=0, least=(bound, bound), moves=moves
    )
    while not search.done:
        search.step()
    return search, runs


def test_the_best_third_runs_again_and_longer() -> None:
    """Of 18 arms 6 run again, then 2, each round with the same share of the moves; the winner is named."""
    search, runs = halved([float(18 - number) for number in range(18)], moves=3 * 18 * 10)
    assert [number for number, _ in runs] == [*range(18), 17, 16, 15, 14, 13, 12, 17, 16]
    assert [moves for _, moves in runs] == [10] * 18 + [30] * 6 + [90] * 2
    assert (search.structure, search.cost, search.best.tolist(), search.moves) == (
        "candidate 17",
        (1, 1),
        [[1, 1]],
        540,
    )


def test_a_search_ends_at_the_bound() -> None:
    """Nothing is better than a proved bound: no further run begins."""
    search, runs = halved([5, 2, 7], moves=30, bound=2)
    assert search.cost == (2, 2)
    assert [number for number, _ in runs] == [0, 1]


def test_arms_that_lead_nowhere_are_left_out() -> None:
    """A candidate that makes no search is not run again, and the search goes on."""
    search, runs = halved([None, 3, None, 4], moves=80)
    assert search.structure == "candidate 1"
    assert [number for number, _ in runs] == [0, 1, 2, 3, 1, 3]


@pytest.mark.parametrize(
    ("switches", "degree", "diameter", "aspl"),
    [(16, 3, 3, 2.2), (20, 3, 3, 2.368421), (30, 3, 4, 2.862069), (36, 4, 3, 2.428571)],
)
def test_small_optima_are_found(switches: int, degree: int, diameter: int, aspl: float) -> None:
    """The known optima of the small cases, in one thread and within 300,000 moves."""
    found = structured(switches, degree, moves=300_000)
    assert (found.diameter, round(found.aspl, 6)) == (diameter, aspl)
    assert set(found.topology.degrees.tolist()) == {degree}


def test_same_seed_same_moves_same_start() -> None:
    """With moves as the budget and one thread the links are a function of the seed."""
    first, again = (structured(24, 3, moves=30_000, seed=5) for _ in range(2))
    assert (first.topology.links == again.topology.links).all()
    assert first.start == again.start


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("switches", "degree"), [(13, 4), (15, 3), (23, 5), (5, 4), (3, 2), (6, 2)])
def test_any_order_and_degree(switches: int, degree: int) -> None:
    """Primes, odd orders of odd degree (one switch has a link less), complete graphs and circles: simple and connected."""
    graph = structured(switches, degree, moves=20_000).topology
    fewer = switches * degree % 2
    assert sorted(graph.degrees.tolist()) == [degree - 1] * fewer + [degree] * (switches - fewer)
    assert len(np.unique(graph.links, axis=0)) == len(graph.links)
    assert hops(graph).components == 1


@pytest.mark.parametrize("degree", [1, 10, 11])
def test_degrees_that_cannot_be(degree: int) -> None:
    """Less than 2 links do not connect switches, and there are at most n - 1: one sentence says so."""
    with pytest.raises(InputError, match=r"degree \d+ for 10 switches"):
        candidates(10, degree, 1, None, 10)


def test_no_graph_beats_least() -> None:
    """The Hoffman-Singleton graph meets both of Moore's bounds."""
    found = hops(build("slimfly:q=5"))
    assert least(50, 7) == (found.diameter, round(found.aspl * 50 * 49))


def test_algebraic_graphs_fit() -> None:
    """Only graphs of about the order and of no higher degree are named, the nearest order first."""
    for switches, degree in ((64, 8), (256, 22), (1024, 11)):
        graphs = [build(spec) for spec in algebraic(switches, degree)]
        far = [abs(graph.switches - switches) for graph in graphs]
        assert far == sorted(far)
        assert all(graph.degrees.max() <= degree and 0.75 <= graph.switches / switches <= 1.35 for graph in graphs)
    assert "polarfly:q=16" in algebraic(256, 22)


@pytest.mark.parametrize(
    ("spec", "switches", "degree"), [("slimfly:q=5", 64, 8), ("polarfly:q=8", 64, 10), ("polarfly:q=3", 13, 5)]
)
def test_resized_graphs_are_regular(spec: str, switches: int, degree: int) -> None:
    """Grown, trimmed or just filled up: simple, all ports used but one when their number is odd."""
    links = resized(build(spec), switches, degree, Draws(1))
    assert links is not None
    degrees = np.bincount(links.ravel(), minlength=switches)
    assert degrees.sum() == switches * degree - switches * degree % 2
    assert degrees.max() == degree
    assert len(np.unique(links, axis=0)) == len(links)


def test_growing_keeps_the_links_where_ports_are_free() -> None:
    """Hoffman-Singleton has a free port at every switch at degree 8: 14 more switches break none of its links."""
    old = build("slimfly:q=5")
    links = resized(old, 64, 8, Draws(1))
    assert links is not None
    assert {tuple(link) for link in old.links.tolist()} <= {tuple(link) for link in links.tolist()}


def test_trimming_takes_those_of_fewest_links() -> None:
    """PolarFly's 17 quadrics have a link less than all others: without them 256 switches are left."""
    graph = build("polarfly:q=16")
    links = resized(graph, 256, 22, Draws(1))
    kept = np.flatnonzero(graph.degrees == 17)
    number = np.full(graph.switches, -1)
    number[kept] = np.arange(256)
    renamed = number[graph.links]
    assert links is not None
    left = {tuple(link) for link in renamed[(renamed >= 0).all(axis=1)].tolist()} - {
        tuple(link) for link in links.tolist()
    }
    assert len(left) < 10  # broken for the last free ports


def test_a_degree_that_is_too_low_is_refused() -> None:
    """Links are added, never taken from switches that stay."""
    with pytest.raises(InputError, match="more than 3 links"):
        resized(build("slimfly:q=5"), 50, 3, Draws(1))
