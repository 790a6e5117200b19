"""A flat network and a tree of equal hosts and switches: their sizes, what they carry, and the criteria of the verdicts."""

import math
from pathlib import Path

import numpy as np
import pytest

from topoloom import InputError, build, flat_or_tree, open_network, price, route
from topoloom.designer.flat_families import FLAT_FAMILIES, expected_hops, ring_hops
from topoloom.designer.flat_or_tree import _housing
from topoloom.designer.flat_plan import flat_plan, measured_plan, plan_of_switches, ratio_text, sized_plan
from topoloom.designer.flat_sides import row_of
from topoloom.designer.flat_verdicts import verdict
from topoloom.graph.distances import distance_matrix
from topoloom.throughput.traffic import traffic_of, uniform_remote
from topoloom.throughput.traffic.loads import expected_loads
from topoloom.throughput.tub import switch_bound, uniform_bound, volume_bound


def test_expected_hops_are_those_of_random_networks():
    """1,000 switches of 64 links: 1.95 on average; within 1 % of drawn networks of other sizes, too."""
    assert expected_hops(1000, 64) == pytest.approx(1.95, abs=0.005)
    for n, degree in ((60, 6), (200, 12), (300, 40)):
        hops = distance_matrix(build(f"jellyfish:n={n},degree={degree}"))
        assert expected_hops(n, degree) == pytest.approx(hops.sum() / (n * (n - 1)), rel=0.01)
    assert expected_hops(10, 9) == 1
    assert expected_hops(50, 1) == math.inf


def test_uniform_traffic_gets_links_over_hosts_times_hops():
    """960 switches with as many hosts as links: at most 1 / 1.95 = 0.513 of full rate by shortest paths, at 2:1 so."""
    plan = flat_plan(61440, 128, 64)
    assert (plan.switches, plan.links) == (960, 64)
    assert plan.throughput == pytest.approx(0.514, abs=0.002)
    assert flat_plan(64000, 128, 64).throughput == pytest.approx(1 / 1.95, abs=0.002)
    assert sized_plan(61440, 128, 2) == plan
    network = build("jellyfish:n=90,degree=12,hosts=12")
    assert uniform_bound(network) == pytest.approx(flat_plan(90 * 12, 24, 12).throughput, rel=0.02)


@pytest.mark.parametrize("family", FLAT_FAMILIES)
@pytest.mark.parametrize("ratio", [1, 2.5, 4])
def test_a_plan_has_the_fewest_switches_for_its_ratio(family, ratio):
    """All hosts have a place, no switch has more ports than it has, and one more host per switch would be too many."""
    plan = sized_plan(1000, 32, ratio, family)
    assert plan.switches * plan.hosts_per_switch >= 1000
    assert plan.hosts_per_switch + plan.links <= 32
    assert plan.throughput * ratio >= 1
    for on_switch in range(plan.hosts_per_switch + 1, 31):
        for more in FLAT_FAMILIES[family].plans(1000, 32, on_switch):
            assert more.throughput * ratio < 1 or more.switches >= plan.switches


@pytest.mark.parametrize("family", FLAT_FAMILIES)
def test_a_plan_is_a_network_of_its_family(family):
    """Its spec has the switches, links and hosts of the plan; the mean distance of a DRing is exact, of random networks near.

    Small networks of shuffle boxes double some links, which makes the others longer.
    """
    plan = sized_plan(300, 24, 2, family)
    network = build(plan.spec(family, 1))
    assert (network.switches, network.endpoints_at.max()) == (plan.switches, plan.hosts_per_switch)
    assert network.degrees.max() <= plan.links
    hops = distance_matrix(network).sum() / (plan.switches * (plan.switches - 1))
    if family == "shuffled":
        assert plan.mean_hops <= 1.03 * hops
    else:
        assert network.degrees.max() == plan.links
        assert plan.mean_hops == pytest.approx(hops, rel=1e-12 if family == "dring" else 0.03)


def test_distances_of_a_dring_are_counted():
    """Two supernodes per hop around the ring, and two hops within a supernode."""
    for supernodes, size in ((5, 1), (5, 4), (6, 3), (10, 2), (13, 3)):
        hops = distance_matrix(build(f"dring:supernodes={supernodes},size={size}"))
        n = supernodes * size
        assert ring_hops(supernodes, size) == pytest.approx(hops.sum() / (n * (n - 1)), rel=1e-12)


@pytest.mark.parametrize("family", FLAT_FAMILIES)
def test_a_network_of_as_many_switches_has_at_most_those(family):
    """Whole supernodes and meta-nodes round the switches up; more hosts per switch then keep within the number."""
    for switches in (40, 61, 90):
        plan = plan_of_switches(600, 48, switches, family)
        assert plan.switches <= switches
        assert plan.switches * plan.hosts_per_switch >= 600
    assert plan_of_switches(600, 12, 51, family) is None


def test_the_size_follows_what_the_routing_carries():
    """A routing that carries half of the bound needs a larger network, which then carries the ratio."""

    def measure(spec):
        topology = build(spec)
        return topology, 0.5 * uniform_bound(topology)

    plan, topology = measured_plan(500, 24, 2, "jellyfish", 1, measure)
    assert plan.switches > sized_plan(500, 24, 2).switches
    assert 0.5 * uniform_bound(topology) * 2 >= 1
    with pytest.raises(InputError, match="no flat network of 24-port switches carries 500 hosts at 1:1"):
        measured_plan(500, 24, 1, "jellyfish", 1, lambda spec: (build(spec), 0.01))


def test_links_of_a_switch_bound_what_its_hosts_send():
    """In a tree whose leaves have three ports down per port up, a third of full rate; never above what flows reach."""
    tree = build("fat-tree:k=8,hosts=96,taper=3:1")
    assert switch_bound(tree, uniform_remote(tree)) == pytest.approx(1 / 3, rel=0.01)
    busy = traffic_of("matching:share=0.2,of=switches", build("jellyfish:n=30,degree=4,hosts=8"))
    network = build("jellyfish:n=30,degree=4,hosts=8")
    assert switch_bound(network, busy) == 0.5 < volume_bound(network, busy)


@pytest.fixture(scope="module")
def compared():
    """A small comparison with all patterns."""
    return flat_or_tree(96, 16, 2, prices=None, jobs=1)


def test_both_sides_have_equal_hosts_and_carry_the_ratio(compared):
    """All hosts have a place in both; uniform traffic gets at least half in both; trees pass nothing beyond their leaves."""
    for side in (compared.flat, compared.tree):
        assert 96 <= side.hosts < 96 + side.hosts_per_switch
        assert side.oversubscription <= 2 + 1e-9
        assert side.carried[0].tables == pytest.approx(min(1, 1 / side.oversubscription))
        for pattern in side.carried:
            assert 0 < pattern.tables <= pattern.bound + 1e-9
            if pattern.flow_low is not None:
                assert pattern.tables <= pattern.flow_low + 1e-9
                assert pattern.flow_low <= pattern.flow_high + 1e-9
    assert compared.tree.mean_hops <= 2 + 1e-9
    assert compared.flat.latency_ns > 60 * (1 + compared.flat.mean_hops)


def test_verdicts_follow_the_criteria(compared):
    """Better by more than 5 % wins, less is better but for throughput, and what is unknown has no winner."""
    for own in compared.verdicts:
        if own.flat is None or own.tree is None:
            assert own.wins == "unknown"
            continue
        better, worse = (own.flat, own.tree) if own.better == "less" else (own.tree, own.flat)
        expected = "flat" if better < 0.95 * worse else "tree" if worse < 0.95 * better else "even"
        assert own.wins == expected
    assert verdict("x", "", "", 0.4, 0.5, better="more", flat_bound=0.45).any_routing
    assert not verdict("x", "", "", 0.4, 0.5, better="more", flat_bound=0.49).any_routing
    assert not verdict("x", "", "", 0.6, 0.5, better="more", flat_bound=0.7).any_routing
    assert verdict("x", "", "", 1.0, 0.0).ratio is None


def test_a_row_of_a_study_has_every_measure(compared):
    """Flat, tree, ratio and winner of each, and the bounds of the patterns."""
    row = row_of(compared)
    for own in compared.verdicts:
        assert (row[f"flat_{own.key}"], row[f"tree_{own.key}"], row[f"wins_{own.key}"]) == (
            own.flat,
            own.tree,
            own.wins,
        )
    assert row["flat_bound_uniform"] == compared.flat.carried[0].bound


_PRICED = {
    "parts": "ethernet-2026",
    "prices": str(Path(__file__).parents[2] / "examples" / "quotes" / "made-up-flat.toml"),
    "rate_gbps": 100,
}


@pytest.fixture(scope="module")
def panelled():
    """A small comparison with panels in both networks."""
    return flat_or_tree(
        500, 64, 2, family="shuffled", panels="racks", traffic=["matching"], growth=False, jobs=1, **_PRICED
    )


def _built(side, panels):
    """The network of a side, as anybody builds it."""
    network = open_network(side.spec).priced(**_PRICED, radix=64)
    return network.placed(hosts=_housing(network.topology), panels=panels, seed=1, jobs=1)


def test_with_panels_both_sides_are_what_layout_and_cost_say(panelled, tmp_path):
    """Pieces, metres and runs of the layout; the bill of its folder, to the last digit; and the same without panels."""
    for side, panels in ((panelled.flat, "shuffle"), (panelled.tree, "racks")):
        network = _built(side, panels)
        layout, passive = network.layout, network.layout.passive
        own = sum(line.count for line in network.bill.lines if line.item.startswith("cable, "))
        assert (side.panels, side.panel_count) == (panels, passive.panels)
        assert side.cables == passive.cords + passive.trunks + own
        assert side.runs == layout.rack_pairs
        metres = passive.cord_total_m + passive.trunk_total_m
        assert side.cable_m == pytest.approx(metres) if passive.links == layout.links else side.cable_m > metres
        assert side.optics == sum(line.count for line in network.bill.lines if line.kind == "transceiver")
        network.save(tmp_path / side.name)
        bill = price(str(tmp_path / side.name))
        assert (side.cost_usd, side.power_w) == (bill.cost_usd, bill.power_w)
        without = _built(side, None).layout
        assert (side.cables_per_link, side.runs_per_link) == (without.links, without.rack_pairs)
        assert side.cable_m_per_link == without.total_m
    plain = open_network(panelled.flat.spec).placed(panels="shuffle", **_PRICED).layout.passive
    assert panelled.flat.cables == plain.cords + plain.trunks


def test_both_sides_have_cords_of_four_pairs(panelled):
    """The rule for breakout is one: four links of a switch share a cord, with one plug or with four legs."""
    for side, panels in ((panelled.flat, "shuffle"), (panelled.tree, "racks")):
        plant = _built(side, panels).layout.plant
        cords = plant.pieces[~plant.is_trunk[plant.pieces]]
        kinds = {plant.fibres[kind] for kind in plant.fibre[cords].tolist()}
        assert [fibre.pairs * fibre.legs for fibre in kinds] == [4]
        links = np.bincount(plant.links[plant.through].ravel(), minlength=plant.switches)
        own = np.bincount(plant.ends[cords, 0, 0], minlength=plant.switches)
        if panels == "racks":
            assert own.tolist() == (-(-links // 4)).tolist()
        else:
            assert (own >= -(-links // 4)).all()
            assert (own == own.max()).all()


def test_a_lost_piece_takes_the_links_that_it_carries(panelled):
    """The worst cord or trunk, and the worst panel, counted link by link."""
    for side, panels in ((panelled.flat, "shuffle"), (panelled.tree, "racks")):
        plant = _built(side, panels).layout.plant
        network = build(side.spec)
        links, first = plant.carried
        of_piece, of_panel = {}, {}
        for fibre in range(plant.fibre.size):
            of_piece.setdefault(int(plant.piece[fibre]), set()).update(links[first[fibre] : first[fibre + 1]].tolist())
        for number, through in enumerate(plant.links_of("panel")[1]):
            of_panel[number] = set(through.tolist())
        for lost, parts in ((side.lost_cable, of_piece), (side.lost_panel, of_panel)):
            worst = 0.0
            for carried in parts.values():
                ends = network.links[sorted(carried)].ravel().tolist()
                for switch in {end for end in ends if network.endpoints_at[end]}:
                    worst = max(worst, ends.count(switch) / network.degrees[switch])
            assert lost == pytest.approx(worst) or (panels == "racks" and lost >= worst)


def test_without_panels_the_row_has_no_measures_of_panels(compared, panelled):
    """Cables and runs with a cable per link are compared only where the network is built otherwise."""
    of_panels = {"panels", "lost_panel", "cables_per_link", "cable_m_per_link", "runs_per_link"}
    assert not of_panels & {own.key for own in compared.verdicts}
    assert of_panels <= {own.key for own in panelled.verdicts}
    row = row_of(panelled)
    assert row["tree_runs_per_link"] == 1000 * panelled.tree.runs_per_link / panelled.tree.hosts
    assert (row["flat_panel_method"], row["tree_panel_method"]) == ("shuffle", "racks")
    assert row["flat_panels"] == 1000 * panelled.flat.panel_count / panelled.flat.hosts


def test_equal_switches_is_the_other_rule():
    """With as many switches as the tree, at most, a flat network has more links, and uniform traffic gets more."""
    result = flat_or_tree(256, 16, 2, equal="switches", traffic=["matching"], growth=False, jobs=1)
    assert result.flat.switches <= result.tree.switches
    assert result.flat.hosts >= 256
    assert result.flat.carried[0].tables > 0


def test_the_same_seed_gives_the_same_comparison():
    """All numbers but seconds."""
    first, again = (flat_or_tree(64, 12, 3, traffic=["skewed"], growth=False, seed=4, jobs=jobs) for jobs in (1, 2))
    assert first == again


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"least_hosts": 4, "radix": 8}, "least_hosts=4, radix=8: give at least 8 hosts"),
        ({"least_hosts": 64, "radix": 8, "oversubscription": 0.5}, "oversubscription=0.5: it must be 1 to 64"),
        ({"least_hosts": 64, "radix": 8, "equal": "cost"}, "equal='cost': it is oversubscription or switches"),
        (
            {"least_hosts": 64, "radix": 8, "family": "torus"},
            "family='torus': it is jellyfish or shuffled or xpander or dring",
        ),
        ({"least_hosts": 64, "radix": 8, "panels": "shuffle"}, "panels='shuffle': it is racks or rows or field"),
        ({"least_hosts": 64, "radix": 8, "flat_engine": "x"}, "no engine named 'x'"),
        ({"least_hosts": 64, "radix": 8, "traffic": ["x"]}, "no traffic pattern named 'x'"),
        ({"least_hosts": 64, "radix": 8, "flat_engine": "ugal-l"}, "its loads are known only from a simulation"),
        ({"least_hosts": 1 << 20, "radix": 8}, "fat-tree"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(arguments, message):
    """Numbers out of range, unknown words, and engines whose loads are not known."""
    with pytest.raises(InputError) as error:
        flat_or_tree(**arguments, growth=False)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_ratios_are_whole_numbers():
    """As the spec of a fat tree takes them."""
    assert [ratio_text(ratio) for ratio in (1, 2.5, 1.28, 4)] == ["1:1", "5:2", "32:25", "4:1"]
    assert np.isclose(1.28, 32 / 25)


@pytest.mark.exhaustive
def test_capacity_over_hops_is_no_throughput():
    """1,000 switches with 64 links and 64 hosts by Spraypoint: 1 / 3.65 = 0.274 of full rate if all links were equally full.

    A clique of a share f takes f of that, so the capacity is enough up to f = 0.27. The fullest link carries more than the
    mean, and so the throughput that is measured, with evenly split groups, is lower.
    """
    network = build("jellyfish:n=1000,degree=64,hosts=64")
    uniform = uniform_remote(network)
    loads = expected_loads(route(network, "spraypoint", check=1), uniform)
    assert loads.channels.sum() / (1000 * 64) == pytest.approx(3.65, abs=0.02)
    assert 64 * 1000 / loads.channels.sum() == pytest.approx(0.274, abs=0.002)
    assert uniform_bound(network) == pytest.approx(0.513, abs=0.002)
    assert loads.network < 0.2
