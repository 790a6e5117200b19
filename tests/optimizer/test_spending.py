"""A budget of money for all cables: kept by every move of every search, and refused where it makes no sense."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.cost.parts_files import load_parts
from topoloom.cost.placed import place
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.optimize import optimize
from topoloom.optimizer.rules import GraphRules, moves_of, spending_within
from topoloom.optimizer.searches.even_search import EvenSearch, lift_of
from topoloom.optimizer.searches.hop_search import HopSearch
from topoloom.optimizer.searches.price_search import PriceSearch
from topoloom.optimizer.traffic_goals import TrafficGoal
from topoloom.placement.floors.floor import PRESETS
from topoloom.topologies.spec import build

PARTS = load_parts("slimfly-2014")


@pytest.fixture(scope="module")
def room():
    """A torus in racks of four switches, the lengths of links there, and what its cables cost."""
    torus = build("torus:dims=4x4x4")
    layout = place(torus, replace(PRESETS["koibuchi-2013"], switches_per_rack=4), "metis", jobs=1)
    lengths = LinkLengths.of_layout(layout)
    usd = float(_price(lengths, torus.links).sum())
    return torus, lengths, usd


def _price(lengths, links):
    """By the catalogue, link for link."""
    kind = lengths.kind[links[:, 0], links[:, 1]]
    return PARTS.link_usd(lengths.length_m[kind], lengths.between[kind], PARTS.link_rate(None))


@pytest.mark.exhaustive
@pytest.mark.parametrize("share", [1.0, 1.05, 1.2])
def test_every_search_keeps_the_budget(room, share):
    """Hops, loads alike and prices in turn: all links together never cost more, and kernels count what they spend."""
    torus, lengths, usd = room
    rules = GraphRules(spending=spending_within(torus, lengths, share * usd + 0.001, PARTS, None))
    moves = moves_of(torus, rules)
    hops = HopSearch(moves, Draws(1), Budget(4000))
    while not hops.done:
        hops.step()
    u = np.repeat(np.arange(64), moves.degree)
    v = moves.table[np.arange(moves.table.shape[1]) < moves.degree[:, None]]
    under_way = np.stack([u[u < v], v[u < v]], axis=1)
    assert moves.spent[0] == rules.spending.cost(under_way) <= moves.spent[1]
    graph = torus.replace(links=hops.best)
    even = EvenSearch(*lift_of(graph), np.ones(64), Draws(2), Budget(2000), rules)
    while not even.done:
        even.step()
    graph = graph.replace(links=even.best)
    prices = PriceSearch(graph, rules, TrafficGoal("all-to-all"), Draws(3), Budget(20))
    while not prices.done:
        prices.step()
    for links in (hops.best, even.best, prices.best):
        assert _price(lengths, links).sum() <= share * usd + 0.002


@pytest.mark.exhaustive
def test_more_money_brings_no_less(room):
    """For a few dollars more than the torus's own cables the same ports bring half as much again, and with more, more."""
    torus, lengths, usd = room
    found = [
        optimize(torus, goal, lengths=lengths, cap_usd=share * usd, parts=PARTS, moves=60_000, jobs=1).values
        for goal, share in (("all-to-all", 1.01), ("all-to-all", 1.3))
    ]
    assert found[0]["cable_usd"] <= 1.01 * usd
    assert found[1]["cable_usd"] > 1.01 * usd
    assert 1.25 * 1.96875 < found[0]["throughput"] < found[1]["throughput"]


def test_hops_have_a_budget_too(room):
    torus, lengths, usd = room
    found = optimize(torus, lengths=lengths, cap_usd=1.02 * usd, parts=PARTS, moves=20_000, jobs=1)
    assert found.values["cable_usd"] == pytest.approx(_price(lengths, found.topology.links).sum(), abs=0.001)
    assert found.values["cable_usd"] <= 1.02 * usd
    assert found.aspl < 3.05


def test_budgets_that_make_no_sense_are_refused(room):
    torus, lengths, usd = room
    with pytest.raises(InputError, match=r"its cables cost [0-9,.]+ USD, more than cap_usd=1; raise cap_usd"):
        optimize(torus, lengths=lengths, cap_usd=1, parts=PARTS, moves=10)
    with pytest.raises(InputError, match="cap_usd needs the prices of cables"):
        optimize(torus, lengths=lengths, cap_usd=2 * usd, moves=10)
    with pytest.raises(InputError, match="cap_usd needs the lengths"):
        optimize(torus, cap_usd=2 * usd, parts=PARTS, moves=10)
    with pytest.raises(InputError, match="a number above 0, in the currency of the catalogue"):
        optimize(torus, lengths=lengths, cap_usd=-1, parts=PARTS, moves=10)
    with pytest.raises(InputError, match="start='structured' may link any switches"):
        optimize(
            torus, "all-to-all", lengths=lengths, cap_usd=2 * usd, parts=PARTS, start="structured", moves=10, jobs=1
        )
    with pytest.raises(InputError, match="symmetric moves cannot keep cap_usd"):
        optimize(torus, lengths=lengths, cap_usd=2 * usd, parts=PARTS, symmetric=True, moves=10)
