"""Links that stay: no search gives them other ends, by whatever moves."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.optimizer.optimize import optimize
from topoloom.optimizer.rules import GraphRules, links_inside, moves_of
from topoloom.optimizer.searches.even_search import EvenSearch, lift_of
from topoloom.optimizer.searches.hop_search import HopSearch
from topoloom.optimizer.searches.price_search import PriceSearch
from topoloom.optimizer.traffic_goals import TrafficGoal
from topoloom.topologies.spec import build


def _cubes(torus, side):
    """The cube of each switch, and which links run inside one without closing a ring."""
    at = np.stack([torus.labels[name] for name in ("x0", "x1", "x2")], axis=1)
    u, v = torus.links.T
    inside = (at[u] // side == at[v] // side).all(axis=1) & (np.abs(at[u] - at[v]).sum(axis=1) == 1)
    return at // side @ [1, 10, 100], inside


def _ends(links):
    return {tuple(sorted(pair)) for pair in np.asarray(links).tolist()}


@pytest.mark.exhaustive
@pytest.mark.parametrize("racks", [False, True])
def test_every_search_leaves_them(racks):
    """Hops, loads alike and prices in turn, also where racks keep their number of links."""
    torus = build("torus:dims=4x4x4")
    cube, inside = _cubes(torus, 2)
    rules = GraphRules(fixed=links_inside(torus, inside), rack=cube.astype(np.int64) if racks else None)
    graph = torus
    for make in (
        lambda now: HopSearch(moves_of(now, rules), Draws(1), Budget(3000)),
        lambda now: EvenSearch(*lift_of(now), np.ones(64), Draws(2), Budget(1000), rules),
        lambda now: PriceSearch(now, rules, TrafficGoal("all-to-all"), Draws(3), Budget(20)),
    ):
        search = make(graph)
        while not search.done:
            search.step()
        assert _ends(torus.links[inside]) <= _ends(search.best)
        graph = torus.replace(links=search.best)
    assert _ends(graph.links) != _ends(torus.links)


@pytest.mark.exhaustive
def test_optics_alone_bring_most_of_what_all_links_would():
    """Cubes of 2 x 2 x 2 keep their links; those between them get other ends."""
    torus = build("torus:dims=4x4x4")
    cube, _ = _cubes(torus, 2)
    found = optimize(torus, "all-to-all", fix=cube, moves=60_000, jobs=1)
    inside = cube[torus.links[:, 0]] == cube[torus.links[:, 1]]
    assert _ends(torus.links[inside]) <= _ends(found.topology.links)
    assert found.values["throughput"] > 1.15 * 1.96875
    assert found.provenance.settings["fix"] == "links"


def test_a_label_tells_which_stay():
    fly = build("dragonfly:h=2")
    found = optimize(fly, fix="group", moves=3000, jobs=1)
    group = fly.labels["group"]
    u, v = fly.links.T
    assert _ends(fly.links[group[u] == group[v]]) <= _ends(found.topology.links)


def test_what_leaves_nothing_to_move_is_refused():
    torus = build("torus:dims=4x4")
    with pytest.raises(InputError, match="fix leaves 0 links that may change; at least two are needed"):
        optimize(torus, fix=np.ones(32, bool), moves=10)
    with pytest.raises(InputError, match="no label 'rack'"):
        optimize(torus, fix="rack", moves=10)
    with pytest.raises(InputError, match="start='structured' may link any switches"):
        optimize(torus, fix="x0", start="structured", moves=10)
