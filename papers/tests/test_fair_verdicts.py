"""Verdicts that a sceptic attacked: each can be reached, and each can be missed."""

import pytest

from topoloom import build
from topoloom.cost.table_iv import COLUMNS
from topoloom_papers._load_curves import LoadPoint
from topoloom_papers.papers.besta_2014 import costs
from topoloom_papers.papers.kim_2008 import loads
from topoloom_papers.papers.koibuchi_2013 import layout
from topoloom_papers.papers.truong_2016 import cost, graphs, growth, sizes
from topoloom_papers.papers.xu_2019 import graphs as xu_graphs
from topoloom_papers.papers.zhao_2025 import table_3
from topoloom_papers.registry import claims, run
from topoloom_papers.verdicts import Verdict


def _verdict(name):
    [claim] = claims([name])
    return run(claim).outcome.verdict


@pytest.mark.parametrize("key", [one.key for one in COLUMNS if one.as_published is not None and one.key != "sf"])
def test_cables_that_come_out_with_the_errors_of_the_cost_are_explained_by_them(key):
    """One rule for all columns of Table IV; that the paper is wrong is for what no error gives."""
    assert _verdict(f"besta-2014/table-iv/{key}-cables") is Verdict.EXPLAINED


def test_links_of_spare_ports_are_a_reading(monkeypatch):
    """All ports of the dragonfly's groups in use give the printed links; other counts do not."""
    assert _verdict("zhao-2025/table-3/df-links") is Verdict.READING
    monkeypatch.setattr(table_3, "_DF", "dragonfly:a=32,h=16,p=16,g=509")
    assert _verdict("zhao-2025/table-3/df-links") is Verdict.NOT_REPRODUCIBLE


@pytest.mark.parametrize(("dsn", "verdict"), [(4.0, Verdict.HOLDS), (3.98, Verdict.PAPER_WRONG)])
def test_exactly_the_same_power_is_no_rounded_radix(monkeypatch, dsn, verdict):
    """The paper prints 4, which any mean from 3.5 is; but its 'exactly the same' is tested."""
    monkeypatch.setattr(
        cost, "by_size", lambda _, *names: {name: {4096: dsn if name == "DSN" else 4.0} for name in names}
    )
    monkeypatch.setattr(cost, "in_words", str)
    assert _verdict("truong-2016/section-5.2/watts") is verdict


@pytest.mark.parametrize(
    ("more", "verdict"), [(0, Verdict.READING), (1, Verdict.PAPER_WRONG), (-1, Verdict.PAPER_WRONG)]
)
def test_a_layer_link_that_the_split_adds_again_counts_as_removed(monkeypatch, more, verdict):
    """One per supernode of p > 2 comes back, no more and no fewer."""
    split = growth._Split(3, True, 0, 0, 3 << 3, 2 << 3, (4 << 3) + more)
    monkeypatch.setattr(growth, "_splits", lambda: [split])
    assert _verdict("truong-2016/section-3.3/layer-links") is verdict


@pytest.mark.parametrize(("within", "verdict"), [(0.1, Verdict.READING), (0.005, Verdict.PAPER_WRONG)])
def test_a_bound_can_be_approximate_as_the_network_grows(monkeypatch, within, verdict):
    """Ten percent is reached at p = 64; half a percent at none of the sizes."""
    monkeypatch.setattr(graphs, "SIMILAR", within)
    assert _verdict("truong-2016/section-4.1/three-halves") is verdict


@pytest.mark.parametrize(
    ("diameter", "aspl", "verdict"), [(16.7, 10, Verdict.HOLDS), (17, 10, Verdict.NOT_REPRODUCIBLE)]
)
def test_similar_diameters_are_those_that_the_paper_calls_almost_the_same(monkeypatch, diameter, aspl, verdict):
    """The paper's own 16.7 % passes, which is one hop of six."""
    off = {"4": diameter, "5": aspl}
    monkeypatch.setattr(sizes, "_hops", lambda number: ({number: {}}, None))
    monkeypatch.setattr(sizes, "percent_above", lambda values, name, other: {32: off[next(iter(values))]})
    monkeypatch.setattr(sizes, "span", str)
    monkeypatch.setattr(sizes, "at_sizes", str)
    assert _verdict("truong-2016/conclusion/hops") is verdict


@pytest.mark.parametrize(
    ("saved", "verdict"),
    [
        ((24.9, 25.3, 25.9, 25.5), Verdict.READING),
        ((25.9, 26.1, 26.0, 26.2), Verdict.READING),
        ((24.0, 24.1, 23.9, 24.0), Verdict.NOT_REPRODUCIBLE),
    ],
)
def test_the_saving_of_figure_15_has_the_spread_of_its_draws(monkeypatch, saved, verdict):
    """25.4 % agrees with the printed 26 if draws differ by that much; 24 % does not."""

    def mean_m(family, n, mapping, seed=1):
        return 100 - saved[seed - 1] if family == "Nbr(0.5)-n" else 100.0

    monkeypatch.setattr(layout, "_mean_m", mean_m)
    monkeypatch.setattr(layout, "_by_walktrap", lambda: {"Nbr(0.5)-n": {}, "RING-n": {}})
    assert _verdict("koibuchi-2013/fig-15/nbr-below-ring") is verdict


def test_a_half_is_looked_for_in_diameters_and_in_bounds(monkeypatch):
    """The paper compares bounds and speaks of diameters: either would do."""
    monkeypatch.setattr(graphs, "_dsn_bound", lambda n: 2 * graphs._bound(n))
    assert _verdict("truong-2016/section-4.1/half") is Verdict.READING
    monkeypatch.setattr(graphs, "_dsn_bound", lambda n: 3 * graphs._bound(n))
    assert _verdict("truong-2016/section-4.1/half") is Verdict.PAPER_WRONG


@pytest.mark.parametrize(("share", "verdict"), [(0.25, Verdict.READING), (0.2, Verdict.NOT_REPRODUCIBLE)])
def test_fewer_routers_by_the_ports_of_networks_and_not_by_printed_shares(monkeypatch, share, verdict):
    """The shares of ports for hosts are counted; a Dragonfly with fewer of them would not agree."""
    monkeypatch.setattr(costs, "_host_ports", lambda topology: share if topology.switches == 1386 else 1 / 3)
    monkeypatch.setattr(costs, "build", _few_routers)
    assert _verdict("besta-2014/vi-a/fewer-routers") is verdict


def _few_routers(spec):
    """The networks of the claim, without the Dragonfly of the same radix, which agrees in another reading."""
    return build("slimfly:q=19,hosts=15" if spec == "dragonfly:a=22,h=2,p=11,g=45" else spec)


@pytest.mark.parametrize(
    ("planned_m", "to_new", "verdict"),
    [(4.6, 0, Verdict.READING), (10.5, 0, Verdict.NOT_REPRODUCIBLE), (4.6, 1, Verdict.NOT_REPRODUCIBLE)],
)
def test_short_cables_to_new_racks_need_places_for_them(monkeypatch, planned_m, to_new, verdict):
    """New racks around the old ones are as far as old ones are apart; in places kept free they can be near."""
    racks = {
        growth._LAYER: growth._Racks(128, 1, 0, 13.35, 13.28),
        growth._PLANNED: growth._Racks(128, 1, to_new, planned_m, 10.42),
    }
    monkeypatch.setattr(growth, "long_run", lambda command, kind, compute: racks[command])
    assert _verdict("truong-2016/abstract/short-cables") is verdict


@pytest.mark.exhaustive
def test_a_floor_for_all_racks_has_the_new_ones_beside_their_only_old_one():
    """Measured: 128 new racks of layer 1, each cabled to one old rack only, nearer than old racks are to each other."""
    racks = growth._planned_racks()
    assert (racks.racks, racks.to_old, racks.to_new) == (128, 1, 0)
    assert racks.new_m < 0.6 * racks.old_m


@pytest.mark.parametrize(
    ("least", "verdict"), [(0.030, Verdict.STEP), (0.02, Verdict.NOT_REPRODUCIBLE), (0.04, Verdict.NOT_REPRODUCIBLE)]
)
def test_the_least_throughput_of_the_dragonfly_is_searched_finer_than_it_is(monkeypatch, least, verdict):
    """1/32 in steps of 0.02 would agree with any result from 0.02 to 0.04."""
    monkeypatch.setattr(loads, "saturates", lambda contender, *_: [least if contender.name == "MIN" else 0.48])
    monkeypatch.setattr(loads, "_figure", lambda *_: None)
    assert _verdict("kim-2008/fig-8b/val-min") is verdict


@pytest.mark.parametrize(
    ("cycles", "verdict"),
    [((19.9, 22), Verdict.READING), ((18, 22), Verdict.NOT_REPRODUCIBLE), ((20, 20.1), Verdict.NOT_REPRODUCIBLE)],
)
def test_degraded_is_slower_under_load_and_equal_in_an_empty_network(monkeypatch, cycles, verdict):
    """Against 20 cycles with global information at both loads: equal at first, then more than 5 % more."""

    def curve(name):
        latencies = cycles if name == "UGAL-L" else (20, 20)
        return [
            LoadPoint(load, load, load, latency, latency, False)
            for load, latency in zip((0.1, 0.3), latencies, strict=True)
        ]

    monkeypatch.setattr(loads, "_swept", lambda _: {name: curve(name) for name in ("VAL", "UGAL-G", "UGAL-L")})
    monkeypatch.setattr(loads, "_saturation", lambda *_: 0.36)
    monkeypatch.setattr(loads, "_figure", lambda *_: None)
    assert _verdict("kim-2008/fig-8b/ugal-l") is verdict


def test_four_racks_have_24_orders():
    """The serpentine of RING-6 is the shortest of them, that of the hypercube is not: annealing finds a shorter one."""
    assert layout._cannot_be_shorter("RING-n", "sequential")
    assert not layout._cannot_be_shorter("HYPERCUBE", "sequential")


@pytest.mark.parametrize(
    ("shortest", "rest", "verdict"),
    [(True, 0.9, Verdict.READING), (False, 0.9, Verdict.NOT_REPRODUCIBLE), (True, 1.0, Verdict.NOT_REPRODUCIBLE)],
)
def test_annealing_improves_what_can_be_improved(monkeypatch, shortest, rest, verdict):
    """Equal at four racks counts if nothing is shorter there; equal at more racks does not."""
    monkeypatch.setattr(
        layout, "_mean_m", lambda family, n, mapping, seed=1: 1.0 if n == 6 or mapping == "serpentine" else rest
    )
    monkeypatch.setattr(layout, "_by_walktrap", lambda: {family: {128: (1.0, 0.9)} for family in layout._FAMILIES})
    monkeypatch.setattr(layout, "_cannot_be_shorter", lambda family, cluster: shortest)
    assert _verdict("koibuchi-2013/fig-15/all-improve") is verdict


@pytest.mark.parametrize(("at_64", "verdict"), [(5.6, Verdict.READING), (7.0, Verdict.NOT_REPRODUCIBLE)])
def test_one_published_draw_may_be_the_lowest(monkeypatch, at_64, verdict):
    """A mean above the best other network counts only where draws spread that far."""
    others = {name: dict.fromkeys(sizes.SIZES, 5.0) for name in sizes.NAMES}
    others["RR-4"] = dict.fromkeys(sizes.SIZES, 4.0) | {64: at_64}
    monkeypatch.setattr(sizes, "_hops", lambda _: (others, None))
    assert _verdict("truong-2016/fig-4/rr-lowest") is verdict


@pytest.mark.parametrize(("hypercube", "verdict"), [(3.3, Verdict.READING), (1.9, Verdict.NOT_REPRODUCIBLE)])
def test_minimal_is_among_the_networks_that_a_figure_may_draw(monkeypatch, hypercube, verdict):
    """The graphs of figure 2 may be in figure 3 or not; the hypercube certainly is."""
    per_decade = {"Petersen": 2.0, "(32,4)": 1.99, "(16,3)": 2.5, "(8,3)": 2.2, "(4,3)": 1.7, "hypercube": hypercube}
    monkeypatch.setattr(xu_graphs, "_hops_per_decade", lambda curves: per_decade)
    assert _verdict("xu-2019/fig-3/minimal") is verdict
