"""Nakano 2016's own search: moves keep degrees and lengths, never make the graph worse, and follow from the seed."""

from itertools import islice, pairwise

import numpy as np
import pytest

from topoloom import build, hops
from topoloom.graph.geometry import Geometry
from topoloom_papers.papers.nakano_2016 import _plain_search, low_latency
from topoloom_papers.papers.nakano_2016._lattice import lattice
from topoloom_papers.papers.nakano_2016._plain_search import Passed, nearest_to
from topoloom_papers.papers.nakano_2016._two_opt import two_opt
from topoloom_papers.verdicts import Verdict

_FLOOR = Geometry.grid(10, 10)


def _searched(seed, sweeps, results=8):
    """The first results of a search on 10 x 10, K = 4, L = 3, every 100 moves."""
    plain = lattice(build("grid:rows=10,columns=10,degree=4,length=3"), 4, 3)
    return plain, list(islice(two_opt(plain, _FLOOR, 3, seed, sweeps, 100), results))


@pytest.mark.parametrize("sweeps", [0, 2])
def test_each_graph_is_regular_and_restricted_and_no_worse_than_the_one_before(sweeps):
    """Every 100 moves; the cost is that of the links, and some moves improve it."""
    plain, found = _searched(1, sweeps)
    assert [moves for moves, _, _ in found] == list(range(0, 800, 100))
    for _, cost, links in found:
        graph = plain.replace(links=links)
        assert set(graph.degrees.tolist()) == {4}
        assert _FLOOR.distance(links[:, 0], links[:, 1]).max() <= 3
        measured = hops(graph)
        assert cost == (measured.diameter, round(measured.aspl * 100 * 99))
    costs = [cost for _, cost, _ in found]
    assert all(after <= before for before, after in pairwise(costs))
    assert costs[-1] < costs[0]


def test_without_step_2_a_search_starts_at_the_lattice():
    """With sweeps it does not; the same seed gives the same links, another seed gives others."""
    plain, found = _searched(1, 0, 2)
    assert np.array_equal(np.sort(found[0][2], axis=1), np.sort(plain.links, axis=1))
    _, mixed = _searched(1, 2, 1)
    assert not np.array_equal(np.sort(mixed[0][2], axis=1), np.sort(plain.links, axis=1))
    assert np.array_equal(found[1][2], _searched(1, 0, 2)[1][1][2])
    assert not np.array_equal(found[1][2], _searched(2, 0, 2)[1][1][2])


def _points(*pairs):
    return [Passed(500 * at, mean, worst, 2.0, 20.0) for at, (mean, worst) in enumerate(pairs)]


def test_the_nearest_mean_is_compared(monkeypatch):
    """Where the search passes the published mean its worst has to be the published one, within two deviations."""
    points = _points((960.0, 2400.0), (922.0, 2345.0), (900.0, 2200.0))
    assert nearest_to(points, 921).moves == 500
    for module in (_plain_search, low_latency):
        monkeypatch.setattr(module, "searched", lambda kind: {"a start": points})
    latency = low_latency._Latency(900.0, 2200.0, 700.0, 2000.0)
    monkeypatch.setattr(low_latency, "_low_latency", lambda kind, switches: latency)
    monkeypatch.setattr(low_latency, "_by_hops", lambda: {"grid by hops": {4608: latency}})
    assert low_latency._outcome("grid", 921, 2355).verdict is Verdict.READING
    assert low_latency._outcome("grid", 921, 2300).verdict is Verdict.NOT_REPRODUCIBLE
