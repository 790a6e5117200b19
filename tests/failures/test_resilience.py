"""Survival curves: against removing things one by one in NetworkX, and the laws that every curve keeps."""

from itertools import combinations
from math import comb

import networkx
import numpy as np
import pytest
from failure_cases import RING, TWIN, length, oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import InputError, Topology, build, degradation, lifetime, resilience
from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.failures.lifetime import wilson
from topoloom.failures.survival import level_of, threshold_of

SHARES = [0.0, 0.1, 0.25, 0.4, 0.6, 0.9, 1.0]


@st.composite
def networks(draw):
    """Connected networks, with parallel links and hosts on some switches."""
    n = draw(st.integers(2, 10))
    tree = [(draw(st.integers(0, v - 1)), v) for v in range(1, n)]
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda ends: ends[0] != ends[1])
    hosts = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=n))
    return Topology(links=tree + draw(st.lists(pair, max_size=12)), switches=n, endpoints=hosts)


@settings(max_examples=examples(60), deadline=None)
@given(
    networks(),
    st.sampled_from(["links", "switches", "racks"]),
    st.sampled_from(["disconnection", "diameter", "aspl"]),
    st.sampled_from(["switches", "hosts"]),
    st.sampled_from(["random", "load"]),
    st.booleans(),
    st.integers(0, 1 << 40),
)
def test_every_sample_is_judged_as_networkx_judges_it(network, fail, metric, of, order, every, seed):
    """For each level: as many survive as have, in NetworkX, one piece and few enough hops; means and worst likewise."""
    racks = np.arange(network.switches) // 3 if fail == "racks" else None
    every = every and metric != "disconnection"
    found = resilience(
        network, fail, metric, of=of, order=order, levels=SHARES, samples=7, racks=racks, seed=seed, values=every
    )
    for level in found.levels:
        lengths = oracle(network, fail, metric, of, level.share, 7, order, racks, seed)
        within = [one <= (found.most if found.most is not None else 0) + 1e-9 for one in lengths]
        assert level.survived == sum(within), level
        connected = [one for one in lengths if one < np.inf]
        if every and connected:
            assert level.mean == pytest.approx(np.mean(connected))
            assert level.worst == pytest.approx(max(connected))


@settings(max_examples=examples(40), deadline=None)
@given(networks(), st.sampled_from(["disconnection", "diameter", "aspl"]), st.integers(0, 1 << 40))
def test_losing_more_links_is_never_better(network, metric, seed):
    """The curve of links falls from 1 at no failure to 0 at all of them."""
    levels = resilience(network, metric=metric, levels=SHARES, samples=9, seed=seed).levels
    survived = [level.probability for level in levels]
    assert survived[0] == 1.0
    assert survived[-1] == 0.0
    assert survived == sorted(survived, reverse=True)


@pytest.mark.parametrize("network", [TWIN, build("petersen"), build("complete:n=5")], ids=lambda network: network.name)
def test_probabilities_are_those_of_all_removals(network):
    """The share of all ways to remove k links that leave one piece lies in twice the interval of 4,000 samples."""
    m = len(network.links)
    found = resilience(network, levels=[k / m for k in range(m + 1)], samples=4000)
    for k, level in enumerate(found.levels):
        assert level.failures == k
        if comb(m, k) > 3_000:
            continue
        whole = 0
        for gone in combinations(range(m), k):
            graph = network.to_networkx()
            graph.remove_edges_from([tuple(network.links[link]) for link in gone])
            whole += networkx.is_connected(graph)
        assert abs(level.probability - whole / comb(m, k)) <= level.high - level.low


def test_a_ring_holds_one_cut_and_no_two():
    """One link less is a path; two pieces after any two."""
    found = resilience(RING, levels=[k / 12 for k in range(4)], samples=50)
    assert [level.probability for level in found.levels] == [1.0, 1.0, 0.0, 0.0]
    assert found.exact == 1 / 12
    assert resilience(RING, metric="diameter", tolerate=1e18, levels=[1 / 12], samples=9).threshold == 1 / 12
    longer = resilience(RING, metric="diameter", tolerate=5, levels=[1 / 12], samples=50)
    assert (longer.whole, longer.most) == (6, 11)  # the path has 11 hops
    assert longer.threshold == longer.exact == 1 / 12
    assert resilience(RING, metric="diameter", tolerate=4, levels=[1 / 12], samples=50).exact == 0


@pytest.mark.parametrize("fail", ["switches", "racks"])
def test_a_full_mesh_of_switches_never_parts(fail):
    """Whatever is left of it is a full mesh: one piece until nothing is left."""
    found = resilience(build("complete:n=8"), fail, levels=[0.5, 0.99, 1.0], samples=20, racks=np.arange(8))
    assert [level.probability for level in found.levels] == [1.0, 0.0, 0.0]
    assert found.levels[1].failures == 8
    assert found.exact == 7 / 8


@pytest.mark.parametrize("metric", ["disconnection", "diameter", "aspl"])
@pytest.mark.parametrize("fail", ["links", "switches"])
def test_the_seed_decides_and_threads_do_not(metric, fail):
    """The same curve from one thread and from three; another one from another seed; fewer samples are the first of more."""
    fly = build("slimfly:q=5")
    one = resilience(fly, fail, metric, samples=150, jobs=1)
    assert resilience(fly, fail, metric, samples=150, jobs=3) == one
    assert resilience(fly, fail, metric, samples=150, seed=2).levels != one.levels
    few = resilience(fly, fail, metric, samples=100, jobs=2)
    assert all(0 <= a.survived - b.survived <= 50 for a, b in zip(one.levels, few.levels, strict=True))


def test_values_and_halving_find_the_same():
    """Looking for the last level by halves, or measuring all of them: the same numbers survive, and the same threshold."""
    fly = build("slimfly:q=5")
    for metric in ("diameter", "aspl"):
        quick, slow = (
            resilience(fly, metric=metric, samples=60),
            resilience(fly, metric=metric, samples=60, values=True),
        )
        assert [level.survived for level in quick.levels] == [level.survived for level in slow.levels]
        assert (quick.threshold, quick.exact) == (slow.threshold, slow.exact)


def test_the_exact_threshold_is_the_last_survived_failure():
    """At that number of failures enough samples survive, at one more too few."""
    fly = build("slimfly:q=5")
    for metric in ("disconnection", "diameter", "aspl"):
        found = resilience(fly, metric=metric, samples=80)
        count = round(found.exact * found.units)
        beside = resilience(fly, metric=metric, samples=80, levels=[count / 175, (count + 1) / 175]).levels
        assert beside[0].probability >= 0.75 > beside[1].probability
        assert found.threshold <= found.exact < found.threshold + 0.05


def test_samples_are_added_until_the_interval_is_narrow():
    """Every level is as narrow as was asked for, by no more batches than that takes; `samples` limits it."""
    found = resilience(RING, levels=[0.05], interval_width=0.02)
    assert found.samples == 1000
    fly = resilience(build("slimfly:q=5"), interval_width=0.05)
    assert all(level.high - level.low <= 0.05 for level in fly.levels)
    assert fly.samples == 2000  # 1,537 give 0.05 at one half
    assert resilience(build("slimfly:q=5"), interval_width=0.02, samples=1500).samples == 1500


def test_a_spine_that_is_cut_off_hurts_no_host():
    """Between hosts a fat tree survives more than between all switches; spines alone may all die but one."""
    tree = build("fat-tree:k=4")
    every, hosts = resilience(tree, "switches"), resilience(tree, "switches", of="hosts")
    assert all(a.survived <= b.survived for a, b in zip(every.levels[:5], hosts.levels[:5], strict=True))
    star = Topology(links=[(0, 2), (0, 3), (1, 2), (1, 3)], switches=4, endpoints=[2, 3])
    assert resilience(star, levels=[0.25], of="hosts", samples=200).levels[0].probability == 1.0
    two = resilience(star, levels=[0.5], of="hosts", samples=4000).levels[0].probability
    assert two == pytest.approx(1 / 3, abs=0.04)  # both links of one spine, of six pairs


def test_targeted_orders_begin_with_the_worst():
    """The hub of a star first by load and by degree; the rack with the most cables; links of the busiest channel."""
    star = Topology(links=[(0, leaf) for leaf in range(1, 8)], switches=8, name="star")
    for order in ("load", "degree"):
        assert resilience(star, "switches", order=order, levels=[1 / 8], samples=20).levels[0].probability == 0.0
    assert resilience(star, "switches", levels=[1 / 8], samples=400).levels[0].probability == pytest.approx(
        7 / 8, abs=0.08
    )
    racks = np.array([0, 0, 1, 1, 1, 2, 2, 2])
    assert resilience(star, "racks", order="cables", levels=[0.34], racks=racks, samples=5).threshold == 0.0
    bridge = Topology(links=[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)], switches=6)
    assert resilience(bridge, order="load", levels=[1 / 7], samples=20).threshold == 0.0
    assert resilience(bridge, order="random", levels=[1 / 7], samples=200).threshold == pytest.approx(1 / 7)


def test_wilson_is_the_root_of_its_equation():
    """Both ends p solve |p - x/n| = z sqrt(p (1 - p) / n); none and all are 0 and 1 exactly."""
    for survived, samples in ((1, 10), (5, 10), (750, 1000), (999, 1000)):
        for end in wilson(survived, samples):
            assert abs(end - survived / samples) == pytest.approx(
                1.959963984540054 * (end * (1 - end) / samples) ** 0.5
            )
    assert wilson(0, 50)[0] == 0.0
    assert wilson(50, 50)[1] == 1.0


def test_a_threshold_ends_at_the_first_level_that_fails():
    """A later level that is survived by chance does not count."""
    levels = [level_of(share, 0, 100, survived) for share, survived in ((0.1, 90), (0.2, 60), (0.3, 90))]
    assert threshold_of(levels, 0.75) == 0.1
    assert threshold_of(levels, 0.95) == 0.0
    assert threshold_of(levels, 0.6) == 0.3


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"fail": "cables"}, "use links or switches or racks"),
        ({"metric": "hops"}, "disconnection, diameter, aspl"),
        ({"order": "cables"}, "for links use random, load, degree"),
        ({"of": "spines"}, "use switches or hosts"),
        ({"of": "hosts"}, "no switch carries hosts"),
        ({"levels": []}, "levels= is empty"),
        ({"levels": [1.5]}, "between 0 and 1"),
        ({"levels": [float("nan")]}, "between 0 and 1"),
        ({"samples": 0}, "at least one"),
        ({"interval_width": 0.0}, "as in 0.02"),
        ({"criterion": 0.0}, "as in 0.75"),
        ({"criterion": 1.5}, "as in 0.75"),
        ({"tolerate": 1.0}, "has no hops"),
        ({"values": True}, "has no hops"),
        ({"metric": "aspl", "tolerate": -1.0}, "at least 0"),
        ({"fail": "racks"}, "give the rack"),
        ({"fail": "racks", "racks": np.zeros(3, int)}, "12 in all"),
        ({"jobs": 0}, "at least one thread"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(change, told):
    """One `InputError` that names what is wrong."""
    with pytest.raises(InputError, match=told):
        resilience(RING, **change)


def test_a_network_in_pieces_has_nothing_to_lose():
    """It is refused, as is one without links; between hosts only their pieces count."""
    apart = Topology(links=[(0, 1)], switches=3, endpoints=[0, 1], name="apart")
    with pytest.raises(InputError, match="2 parts before anything fails"):
        resilience(apart)
    assert resilience(apart, of="hosts", levels=[0.0], samples=3).levels[0].probability == 1.0
    with pytest.raises(InputError, match="no links that could fail"):
        resilience(Topology(links=[], switches=1, name="one"))


def test_a_stop_keeps_the_first_samples():
    """Stopped after some samples: they are the same ones that a shorter run looks at; before any, there is no result."""
    fly = build("slimfly:q=5")

    class StoppedByTheFirst(Work):
        def advance(self, done=1.0, note=None):
            self.stop()

    found = resilience(fly, samples=5000, jobs=1, work=StoppedByTheFirst())
    assert found.ended == "interrupted"
    assert found.exact is None
    assert found.samples == 32
    assert found.levels == resilience(fly, samples=32).levels
    assert found.rows()[0]["samples"] == found.samples
    work = Work()
    work.stop()
    for operation in (resilience, lambda *_, **more: lifetime(fly, link_fit=1, **more), degradation):
        with pytest.raises(Stopped):
            operation(fly, samples=10, jobs=1, work=work)


@pytest.mark.exhaustive
def test_a_curve_is_read_back():
    """From its record; and a deadline is said to be one."""
    found = resilience(build("petersen"), samples=20)
    assert type(found).from_record(found.record()) == found
    late = resilience(build("torus:dims=8x8x8"), metric="aspl", samples=900_000, jobs=1, work=Work(seconds=3))
    assert late.ended == "deadline"


def test_the_oracle_itself():
    """A path's ends are apart by all its hops."""
    assert length(networkx.path_graph(4), {0, 3}, "diameter") == 3
