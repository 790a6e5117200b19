"""Claims of Bernardi 2026: the abstract and opening (arxiv.org/html/2604.15261v3), numbers that public notes quote from its
sections (github.com/johnpatrickwarren-oss/tessera-rng and github.com/segmentrouting/polarfly), and Amazon's announcement
(amazon.science, perspectives.mvdirona.com). The full text was not at hand.
"""

from dataclasses import dataclass
from statistics import fmean

import numpy as np

from topoloom.cabling.expansion.expand import expand
from topoloom.designer.flat_or_tree import flat_or_tree
from topoloom.failures.failure_orders import failing
from topoloom.failures.surviving_network import first_failures, without_losses
from topoloom.graph.spectrum import spectrum
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.routing.groups.state import PAIRS, NextHopState, disjoint_paths_of_groups, next_hop_state
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.tub import volume_bound
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare
from topoloom_papers.words import ALMOST_ALL, SAME, means

#: The defaults of the paper's evaluation: 1,000 routers of 64 lanes, p = 4, h = 2.
_EXAMPLE = "jellyfish:n=1000,degree=64"
_PAPER_SCALE = "shuffled:n=960,degree=64"


@dataclass(frozen=True)
class _Sprayed:
    """Shares of traffic by hops, and edge-disjoint paths of sampled pairs: the least, and how many have more than 50."""

    shares: list[float]
    least: int
    mean: float
    most: int
    above_50: int
    pairs: int


def _sprayed() -> _Sprayed:
    def compute() -> _Sprayed:
        routing = route(build(_EXAMPLE), "spraypoint")
        state: NextHopState = next_hop_state(routing)
        above, pairs = _above(routing, 50)
        return _Sprayed(
            [round(share, 6) for share in state.hop_shares],
            state.disjoint_least,
            round(state.disjoint_mean, 3),
            state.disjoint_most,
            above,
            pairs,
        )

    return long_run(f"topoloom quality {_EXAMPLE} --engine spraypoint", _Sprayed, compute)


def _above(routing: Routing, count: int) -> tuple[int, int]:
    """How many of 200 random pairs have more than `count` edge-disjoint paths, and how many pairs there are."""
    random, n = np.random.default_rng(1), routing.topology.switches
    first = random.integers(n, size=PAIRS)
    pairs = np.stack([first, (first + random.integers(1, n, size=PAIRS)) % n], axis=1)
    paths = disjoint_paths_of_groups(routing, next_hop_groups_of(routing), pairs)
    return int((paths > count).sum()), int(paths.size)


@claim(
    "bernardi-2026/section-5/five-hops",
    "Spraypoint with one level of waypoints: no path exceeds five hops (1,000 routers of 64 lanes, p = 4, h = 2)",
    "at most 5 (Section 5, as quoted)",
    f"topoloom quality {_EXAMPLE} --engine spraypoint",
)
def _five_hops() -> Outcome:
    shares = _sprayed().shares
    return check_statements(
        {"no path has more than five hops": len(shares) <= 6 or sum(shares[6:]) == 0},
        ", ".join(f"{hops} hops {100 * share:.2f} %" for hops, share in enumerate(shares) if share),
        wrong=True,
    )


@claim(
    "bernardi-2026/section-5/negligible",
    "paths of five hops are negligible",
    "negligible (Section 5, as quoted)",
    f"topoloom quality {_EXAMPLE} --engine spraypoint",
)
def _negligible() -> Outcome:
    shares = _sprayed().shares
    five = sum(shares[5:])
    return check_statements(
        {"less than one percent of the traffic": five < 0.01},
        f"five hops and more: {100 * five:.4f} %",
        "negligible is read as less than one percent",
    )


@claim(
    "bernardi-2026/section-9.2/disjoint",
    "almost all pairs have more than 50 edge-disjoint paths, of 64 at most",
    "more than 50, 64 (Section 9.2, as quoted)",
    f"topoloom quality {_EXAMPLE} --engine spraypoint",
)
def _disjoint() -> Outcome:
    found = _sprayed()
    return check_statements(
        {
            "almost all pairs have more than 50": found.above_50 >= ALMOST_ALL * found.pairs,
            "none has more than 64": found.most <= 64,
        },
        f"{found.above_50} of {found.pairs} sampled pairs; {found.least} to {found.most}, mean {found.mean:.1f}",
        f"'almost all' is read as at least {100 * ALMOST_ALL:g} %",
    )


@claim(
    "bernardi-2026/section-6/quasi-random",
    "the boxes' quasi-random graph has the same spectral gap as a random graph (960 routers of 64 lanes)",
    "the same (announcement, as quoted)",
    f"topoloom expander {_PAPER_SCALE}",
)
def _quasi_random() -> Outcome:
    ours = [spectrum(build(f"{_PAPER_SCALE},seed={seed}")).gap for seed in (1, 2, 3)]
    random = [spectrum(build(f"jellyfish:n=960,degree=64,seed={seed}")).gap for seed in (1, 2, 3)]
    return check_statements(
        {
            f"every draw is within {100 * SAME:g} % of the random graphs' mean": all(
                abs(gap / (sum(random) / len(random)) - 1) <= SAME for gap in ours
            )
        },
        f"gaps {', '.join(f'{gap:.2f}' for gap in ours)}; random graphs {', '.join(f'{gap:.2f}' for gap in random)}",
        means("the same", SAME),
    )


@claim(
    "bernardi-2026/announcement/one-percent",
    "one percent of the routers lost costs about one percent of the capacity (1,000 routers of 64 lanes)",
    "about 1 % (announcement)",
    f"topoloom degradation {_EXAMPLE},hosts=64 --fail switches --shares 1%",
)
def _one_percent() -> Outcome:
    before = build(f"{_EXAMPLE},hosts=1")
    whole = volume_bound(before, uniform_remote(before))
    each, total = [], []
    for seed in range(1, 6):
        after = without_losses(before, first_failures(before, failing(before, "switches", "random", None), 0.01, seed))
        left = volume_bound(after, uniform_remote(after)) / whole
        each.append(100 * (1 - left))
        total.append(100 * (1 - left * after.hosts / before.hosts))
    note = (
        "capacity is the bound of all-to-all traffic; two readings: that of each server left, and the sum of all, of which"
        f" {fmean(total):.2f} % are lost, as the links fail at both ends; means of 5 draws"
    )
    return compare(
        {"lost [%]": 1},
        {"lost [%]": fmean(each)},
        step=Step(0.5, "half of the unit of about 1 %"),
        readings=2,
        digits=3,
        assumption=note,
        reason=note,
    )


@claim(
    "bernardi-2026/announcement/devices",
    "69 % fewer routers than a fat tree (960 routers, 61,440 servers)",
    "69 % fewer (announcement)",
    f"topoloom info {_PAPER_SCALE},hosts=64; topoloom info fat-tree:k=128,hosts=61440",
)
def _devices() -> Outcome:
    flat, tree = build(f"{_PAPER_SCALE},hosts=64"), build("fat-tree:k=128,hosts=61440")
    note = (
        f"{flat.switches} routers of 128 ports against {tree.switches:,} switches of a non-blocking tree of 128 ports; the"
        " announcement does not name the tree"
    )
    return compare(
        {"fewer [%]": 69},
        {"fewer [%]": 100 * (1 - flat.switches / tree.switches)},
        step=Step(0.5, "half of the last digit"),
        digits=3,
        assumption=note,
        reason=note,
    )


#: Ports down to ports up of the trees' leaves.
_RATIOS = (1.0, 1.5, 2.0, 3.0, 4.0)


def _saved() -> dict[float, float]:
    """Percent of the switches that a flat network saves, by the oversubscription that both are measured to have."""

    def compute(ratio: float) -> tuple[int, int]:
        both = flat_or_tree(61_440, 128, ratio, growth=False, traffic=())
        return both.flat.switches, both.tree.switches

    saved = {}
    for ratio in _RATIOS:
        flat, tree = long_run(
            f"topoloom flat-or-tree 61440 --radix 128 --oversubscription {ratio:g} --no-growth",
            tuple[int, int],
            lambda ratio=ratio: compute(ratio),  # type: ignore[misc]
        )
        saved[ratio] = 100 * (1 - flat / tree)
    return saved


def _saved_text(saved: dict[float, float]) -> str:
    return "61,440 servers, 128-port switches: " + ", ".join(f"{value:.0f} % at {r:g}:1" for r, value in saved.items())


@claim(
    "bernardi-2026/abstract/cheaper",
    "up to 45 % cheaper than a fat tree: counted in switches, at equal oversubscription",
    "up to 45 % (abstract; as many fewer switches by expander-dcn.github.io)",
    "topoloom flat-or-tree 61440 --radix 128 --oversubscription 2 --no-growth",
)
def _cheaper() -> Outcome:
    saved = _saved()
    flat = build(f"{_PAPER_SCALE},hosts=64").switches
    unequal = 100 * (1 - flat / build("fat-tree:k=128,hosts=61440").switches)
    note = (
        f"two readings: {_saved_text(saved)}, both measured to carry uniform traffic at the ratio; 960 routers against a"
        f" non-blocking tree save {unequal:.0f} %, at unequal throughput"
    )
    return compare(
        {"most fewer [%]": 45},
        {"most fewer [%]": max(saved.values())},
        step=Step(2.5, "half of the unit of a rounded maximum"),
        readings=2,
        digits=3,
        assumption=note,
        reason=note,
    )


@claim(
    "bernardi-2026/announcement/moderate",
    "fewer switches at equal oversubscription, most at moderate ratios",
    "9 to 45 %, most at moderate ratios (simonpainter.com, on the paper's models)",
    "topoloom flat-or-tree 61440 --radix 128 --oversubscription 2 --no-growth",
)
def _moderate() -> Outcome:
    saved = _saved()
    best = max(saved, key=lambda ratio: saved[ratio])
    return check_statements(
        {
            "fewer at every ratio": min(saved.values()) > 0,
            "most at a ratio between the least and the greatest": best not in (_RATIOS[0], _RATIOS[-1]),
            "from about 9 to about 45 %": abs(min(saved.values()) - 9) <= 2.5 and abs(max(saved.values()) - 45) <= 2.5,
        },
        _saved_text(saved),
        "ratios from 1 to 4; about is 2.5 % either way; our flat networks are random regular, with ECMP",
    )


@claim(
    "bernardi-2026/appendix-a/growth",
    "a new router is spliced into half as many links as it has lanes: 32 of 64",
    "d/2 links (Appendix A, as quoted)",
    f"topoloom expand {_EXAMPLE} --method splice --to 1001",
)
def _growth() -> Outcome:
    removed, added = long_run(
        f"topoloom expand {_EXAMPLE} --method splice --to 1001", tuple[int, int], lambda: _spliced(1001)
    )
    return compare(
        {"links opened": 32, "lanes linked": 64},
        {"links opened": removed, "lanes linked": added},
        assumption="one router is added to 1,000; a cable that moves one end counts as opened once",
        reason="cables unplugged or moved, and ends plugged, of one new router",
    )


def _spliced(to: int) -> tuple[int, int]:
    """Cables that do not stay as they are, and the lanes of the last router."""
    plan = expand(_EXAMPLE, to, "splice")
    return len(build(_EXAMPLE).links) - plan.kept, int(plan.topology.degrees[-1])
