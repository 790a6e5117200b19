"""Truong 2016 by size: figure 3 as computed elsewhere, Theorem 1 size by size, and verdicts that follow from the values."""

import networkx as nx
import numpy as np
import pytest

from topoloom import build, cuts, hops, price
from topoloom.cost.parts_files import load_parts
from topoloom.graph.cuts import exact_bisection
from topoloom_papers.papers.truong_2016 import cost as truong_cost
from topoloom_papers.papers.truong_2016 import graphs as truong_graphs
from topoloom_papers.papers.truong_2016 import growth as truong_growth
from topoloom_papers.papers.truong_2016 import layout as truong_layout
from topoloom_papers.papers.truong_2016 import sizes as truong_sizes
from topoloom_papers.papers.truong_2016 import theorem_1
from topoloom_papers.papers.truong_2016._networks_by_size import (
    BLOCKS,
    NAMES,
    SIZES,
    _cables,
    at_sizes,
    hops_of,
    laid_out,
    node_usd,
    percent_above,
    spec,
    switch_usd,
)
from topoloom_papers.registry import claims, run
from topoloom_papers.verdicts import Verdict

#: Diameter and ASPL of DSN-F filled by ids, by its switches above 1,024; measured independently of topoloom.
_ELSEWHERE = {
    0: (10, 6.379242),
    128: (11, 6.561747),
    256: (11, 6.716612),
    384: (11, 6.847977),
    512: (11, 6.959867),
    640: (11, 7.057657),
    768: (11, 7.140863),
    896: (12, 7.334714),
    1024: (10, 7.268686),
}


def made_up(**values):
    """One value for all sizes, of every network."""
    return {name: dict.fromkeys(SIZES, value) for name, value in zip((*NAMES, BLOCKS), values.values(), strict=True)}


def claimed(name):
    """The outcome of the claim with this id."""
    return run(next(claim for claim in claims([name]) if claim.id == name)).outcome


def test_figure_3_is_what_was_computed_elsewhere():
    """Diameters 10 11 11 11 11 11 11 12 10, and the ASPL of every point, as computed elsewhere."""
    diameter, aspl = truong_graphs.figure_3().series
    added = [int(x) for x, _ in diameter.points]
    assert added == list(range(0, 1025, 128)) == list(_ELSEWHERE) == [int(x) for x, _ in aspl.points]
    assert (
        [int(y) for _, y in diameter.points]
        == [10, 11, 11, 11, 11, 11, 11, 12, 10]
        == [diameter for diameter, _ in _ELSEWHERE.values()]
    )
    assert [y for _, y in aspl.points] == pytest.approx([aspl for _, aspl in _ELSEWHERE.values()], abs=5e-7)


def test_theorem_1_is_measured_size_by_size():
    """p, K, diameter and degrees of sizes around a full layer, against NetworkX."""
    for size in [*theorem_1._each(24, 26), *theorem_1._each(63, 65), *theorem_1._each(160, 160)]:
        graph = nx.Graph(build(f"dsn-f:n={size.n}").links.tolist())
        assert size.p << size.p <= size.n < (size.p + 1) << (size.p + 1)
        assert (size.layers - 1) * (size.p << size.p) < size.n <= size.layers * (size.p << size.p)
        assert size.diameter == nx.diameter(graph)
        assert size.links == graph.number_of_edges()
        assert size.greatest == max(degree for _, degree in graph.degree)
    assert [size.n for size in theorem_1._each(24, 28)] == [24, 25, 26, 27, 28]


def test_one_size_that_breaks_theorem_1_is_enough(monkeypatch):
    """The diameter holds for true sizes, the mean degree only where all rings are closed; one size too far breaks both."""
    true = theorem_1._each(24, 129)
    ids = ("truong-2016/theorem-1a", "truong-2016/theorem-1b", "truong-2016/section-3.3/one-hop")
    monkeypatch.setattr(theorem_1, "_summary", lambda: theorem_1._summed(true))
    assert [claimed(name).verdict for name in ids] == [Verdict.PAPER_WRONG, Verdict.READING, Verdict.READING]
    closed = [size for size in true if size.mean_is_4]
    monkeypatch.setattr(theorem_1, "_summary", lambda: theorem_1._summed(closed))
    assert claimed(ids[0]).verdict is Verdict.HOLDS
    wrong = theorem_1._Size(n=130, p=4, diameter=20, links=260, greatest=6)
    monkeypatch.setattr(theorem_1, "_summary", lambda: theorem_1._summed([*closed, wrong]))
    assert [claimed(name).verdict for name in ids] == [
        Verdict.PAPER_WRONG,
        Verdict.PAPER_WRONG,
        Verdict.NOT_REPRODUCIBLE,
    ]


def test_the_bisection_of_a_full_layer_is_that_of_even_and_odd_supernodes():
    """N/p links run between even and odd supernodes, and METIS finds no fewer (Theorem 1c and its proof)."""
    for p in range(3, 8):
        topology = build(f"dsn-f:n={p << p}")
        odd = topology.labels["group"] % 2
        assert int((odd[topology.links[:, 0]] != odd[topology.links[:, 1]]).sum()) == 1 << p == cuts(topology).links


def test_the_bisection_is_that_of_the_theorem_where_halves_may_differ_by_a_ring():
    """28 switches, filled supernode by supernode: 10 links between halves of 14, 8 between 15 and 13, as the proof cuts."""
    topology, cut = theorem_1._halved(28, "id", False)
    assert cut.links == exact_bisection(topology).links == 10
    topology, cut = theorem_1._halved(28, "id", True)
    assert cut.links == 8
    assert abs(np.diff(np.bincount(cut.part[:28]))) <= 3
    assert theorem_1._halved(28, "balanced", False)[1].links == 8


@pytest.mark.parametrize("n", SIZES)
def test_the_networks_compared_have_a_size_and_four_links(n):
    """n switches each, 4 links on average (DSN 4 - 2/p), the torus as square as a power of two can be."""
    for name in (*NAMES, BLOCKS):
        topology = build(spec(name, n))
        wanted = 4 - 2 / (n.bit_length() - 1) if name == "DSN" else 4
        assert topology.switches == n
        assert topology.degrees.mean() == pytest.approx(wanted, abs=0.07)
    rows, columns = (int(side) for side in spec("2-D torus", n).split("=")[1].split("x"))
    assert rows in {columns, 2 * columns}
    assert hops_of("diameter", "2-D torus", n) == rows // 2 + columns // 2


def test_rr_is_the_mean_of_its_draws():
    """Ten seeds; the others are one network."""
    aspls = [hops(build(spec("RR-4", 64, seed))).aspl for seed in range(1, 11)]
    assert hops_of("aspl", "RR-4", 64) == pytest.approx(np.mean(aspls))
    assert hops_of("aspl", "DSN", 64) == hops(build("dsn:n=64")).aspl


def test_a_node_costs_its_switch_and_its_share_of_the_cables():
    """350.4 USD per port and the line at 4 ports, and cables as the bill has them."""
    assert switch_usd(4) == pytest.approx(350.4 * 4 - 892.3)
    bill = price(laid_out("DSN-F", 64), load_parts("slimfly-2014"))
    in_bill = sum(line.cost_usd for line in bill.lines if line.item.startswith("cable"))
    cables = _cables("DSN-F", 64)
    assert cables.usd == pytest.approx(in_bill / 64)
    assert node_usd(cables) == pytest.approx(switch_usd(4) + in_bill / 64)
    assert sum(count for count, _, _ in cables.kinds.values()) == len(build("dsn-f:n=64").links)


def test_supernodes_share_a_rack_and_the_torus_comes_in_rows_or_blocks():
    """DSN-F: no supernode in two racks; blocks leave a quarter of the links between racks, rows of 16 a half."""
    layout = laid_out("DSN-F", 256)
    pairs = np.unique(np.stack([layout.topology.labels["group"], layout.rack]), axis=1)
    assert pairs.shape[1] == 32
    assert np.bincount(layout.rack).max() <= 16
    assert laid_out(BLOCKS, 256).between.mean() == pytest.approx(0.25)
    assert laid_out("2-D torus", 256).between.mean() == pytest.approx(0.5)


def test_orders_have_to_hold_at_every_size(monkeypatch):
    """The published orders are reproduced; one reversed size, and they are not."""
    values = made_up(dsn_f=5.0, dsn=6.0, torus=9.0, rr=4.0, blocks=9.0)
    monkeypatch.setattr(truong_sizes, "_hops", lambda _: (values, None))
    ids = ("truong-2016/fig-5/torus-highest", "truong-2016/fig-5/rr-lowest")
    assert [claimed(name).verdict for name in ids] == [Verdict.HOLDS] * 2
    values["RR-4"][64], values["DSN"][64] = 5.5, 9.0
    assert [claimed(name).verdict for name in ids] == [Verdict.NOT_REPRODUCIBLE] * 2


def test_costs_have_to_hold_at_every_size(monkeypatch):
    """The cheapest torus in rows and in blocks and the most expensive RR are reproduced; also DSN-F where it is the best."""
    values = made_up(dsn_f=800.0, dsn=800.0, torus=700.0, rr=900.0, blocks=690.0)
    monkeypatch.setattr(truong_cost, "_figure_8", lambda: (values, None))
    ids = tuple(f"truong-2016/fig-8/{name}" for name in ("torus-smallest", "rr-highest", "dsn", "best"))
    holds, fails = Verdict.HOLDS, Verdict.NOT_REPRODUCIBLE
    assert [claimed(name).verdict for name in ids] == [holds, holds, fails, fails]
    values["DSN-F"].update({128: 630.0, 4096: 620.0})
    assert [claimed(name).verdict for name in ids] == [fails, holds, holds, holds]
    values["DSN-F"][128] = 695.0
    assert [claimed(name).verdict for name in ids[2:]] == [holds, fails]
    values["DSN-F"].update({128: 630.0, 256: 400.0})
    values["DSN"][512] = 950.0
    assert [claimed(name).verdict for name in ids] == [fails, fails, fails, holds]


def test_per_cent_is_of_the_other():
    """1.5 times as much is +50 %, with its sign."""
    above = percent_above({"a": {32: 3.0, 64: 1.0}, "b": {32: 2.0, 64: 2.0}}, "a", "b")
    assert at_sizes(above) == "32: +50.0 %, 64: -50.0 %"


def test_a_ring_that_is_not_closed_keeps_its_links_when_a_switch_is_added():
    """p = 4: the fourth switch of a layer opens the ring of the three before it, where that was closed."""
    gone = {closed: truong_graphs._links(67, closed) - truong_graphs._links(68, closed) for closed in (True, False)}
    assert gone == {True: {(64, 66)}, False: set()}
    assert truong_graphs._links(68, True) == truong_graphs._links(68, False)


def test_a_supernode_that_is_split_off_has_one_link_less_and_two_more_in_its_ring():
    """In both halves of all of them; with two levels a ring is one link, and none is removed."""
    for p, wanted in ((3, ({1}, {2})), (5, ({1}, {2})), (2, ({0}, {1, 2}))):
        assert tuple(set(links.tolist()) for links in truong_growth._rings(p)) == wanted


def test_each_supernode_has_its_own_rack():
    """64 switches: sixteen supernodes of four; racks of 16 would hold four of them."""
    assert truong_layout._rack_per_supernode(64) > laid_out("DSN-F", 64).mean_length_m
