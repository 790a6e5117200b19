"""Claims of Singla 2012 on capacity, by the best flows of random permutations of the servers, as the paper's linear program.
The paper was not at hand: each claim says where its number was read.
"""

from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import cast

from topoloom.failures.failure_orders import failing
from topoloom.failures.surviving_network import first_failures, without_losses
from topoloom.model.topology import Topology
from topoloom.throughput.approximate import approximate_flow
from topoloom.throughput.flow import concurrent_flow
from topoloom.throughput.traffic import Traffic, traffic_of
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.singla_2012.paths import PORTS, same_equipment
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements

#: The flow stops at this gap between its bounds, or after so many turns; the bounds hold in any case.
_GAP, _TURNS = 0.02, 300
#: Draws by ports: the largest take minutes each.
_SEEDS = {12: (1, 2, 3), 16: (1, 2, 3), 20: (1,), 24: (1,)}


@dataclass(frozen=True)
class _Best:
    """Bounds on the throughput of the best flow, as a share of full rate."""

    lower: float
    upper: float


def _permuted(topology: Topology, seed: int) -> Traffic:
    return cast(Traffic, traffic_of("permutation", topology, seed))


def _best(topology: Topology, seed: int) -> _Best:
    bracket = approximate_flow(topology, _permuted(topology, seed), gap=_GAP, turns=_TURNS)
    return _Best(round(bracket.lower, 4), round(bracket.upper, 4))


def _quarter_more(k: int, seed: int) -> _Best:
    """The best flow of a random permutation on the Jellyfish of k-port switches with a quarter more servers."""
    spec = same_equipment(k, seed)
    return long_run(
        f"topoloom quality {spec} --traffic permutation --gap {_GAP:g} --seed {seed}",
        _Best,
        lambda: _best(build(spec), seed),
    )


def _bounds(found: list[_Best]) -> str:
    return ", ".join(f"{best.lower:.3f} to {best.upper:.3f}" for best in found)


@claim(
    "singla-2012/abstract/quarter",
    "25 % more servers at full capacity than a fat tree of the same equipment, at a few thousand servers (720 switches of 24"
    " ports: 4,320 servers, the tree 3,456)",
    "25 % more at full capacity (abstract)",
    f"topoloom quality {same_equipment(24)} --traffic permutation --gap {_GAP:g}",
)
def _quarter() -> Outcome:
    found = [_quarter_more(24, seed) for seed in _SEEDS[24]]
    return check_statements(
        {"the random permutation runs at full rate": all(best.lower >= 1 for best in found)},
        f"throughput of the best flow: {_bounds(found)} of full rate",
        "full capacity: the best flow carries random permutations of the servers at full rate, as the paper's linear program"
        f" tests it; bounds after at most {_TURNS} turns",
    )


@claim(
    "singla-2012/abstract/scale",
    "the advantage improves with scale (12, 16, 20 and 24 ports, a quarter more servers than the tree)",
    "improves (abstract)",
    f"topoloom quality {same_equipment(12)} --traffic permutation --gap {_GAP:g};"
    f" topoloom quality {same_equipment(24)} --traffic permutation --gap {_GAP:g}",
)
def _scale() -> Outcome:
    found = {k: [_quarter_more(k, seed) for seed in _SEEDS[k]] for k in PORTS}
    # The midpoints of bounds say nothing where the bounds of two sizes overlap.
    ends = {k: (fmean(b.lower for b in each), fmean(b.upper for b in each)) for k, each in found.items()}
    return check_statements(
        {
            f"{big} ports carry more than {small}, beyond the bounds": ends[big][0] > ends[small][1]
            for small, big in pairwise(PORTS)
        },
        ", ".join(f"{k} ports {low:.3f} to {high:.3f}" for k, (low, high) in ends.items()),
        "a larger advantage: a quarter more servers have a higher throughput; 3 draws of the smaller sizes, 1 of the others;"
        f" the bounds of the best flow after at most {_TURNS} turns overlap, so that a rise below their distance is not seen",
    )


@dataclass(frozen=True)
class _Degree:
    """Throughputs of random permutations, exact: of the best degree-diameter graph, and of random graphs of its size."""

    best: list[float]
    random: list[float]


@claim(
    "singla-2012/quoted/degree-diameter",
    "the throughput is within 10 % of that of the optimal degree-diameter graph (50 switches of degree 7, 4 servers each: the"
    " Hoffman-Singleton graph)",
    "within 10 % (expander-dcn.github.io, by an author)",
    "topoloom quality hoffman-singleton:hosts=4 --traffic permutation;"
    " topoloom quality jellyfish:n=50,degree=7,hosts=4 --traffic permutation",
)
def _degree_diameter() -> Outcome:
    def compute() -> _Degree:
        seeds = range(1, 6)
        moore = build("hoffman-singleton:hosts=4")
        random = [build(f"jellyfish:n=50,degree=7,seed={seed},hosts=4") for seed in seeds]
        return _Degree(
            [round(concurrent_flow(moore, _permuted(moore, seed)), 5) for seed in seeds],
            [
                round(concurrent_flow(graph, _permuted(graph, seed)), 5)
                for graph, seed in zip(random, seeds, strict=True)
            ],
        )

    found = long_run(
        "topoloom quality hoffman-singleton:hosts=4 jellyfish:n=50,degree=7,hosts=4,seed=S --traffic permutation --seed S for S"
        " from 1 to 5",
        _Degree,
        compute,
    )
    ratio = fmean(found.random) / fmean(found.best)
    return check_statements(
        {"the mean of random graphs is at least 90 % of the optimal graph's": ratio >= 0.9},
        f"random graphs {fmean(found.random):.3f}, Hoffman-Singleton {fmean(found.best):.3f}: {100 * ratio:.1f} %",
        "means of 5 random permutations, exact flows; of the graphs that the paper compares, the one of our catalogue",
    )


@dataclass(frozen=True)
class _Left:
    """Throughput that is left after failures, as a share of that before, per draw."""

    jellyfish: list[float]
    tree: list[float]


def _share_left(topology: Topology, share: float, seed: int) -> float:
    """What the best flow of a permutation keeps if a share of the links fails at random."""
    lost = first_failures(topology, failing(topology, "links", "random", None), share, seed)
    after = without_losses(topology, lost)

    def middle(network: Topology) -> float:
        best = _best(network, seed)
        return (min(best.lower, 1.0) + min(best.upper, 1.0)) / 2

    return round(middle(after) / middle(topology), 4)


def _left() -> _Left:
    def compute() -> _Left:
        seeds = range(1, 6)
        tree = build("fat-tree:k=12")
        return _Left(
            [_share_left(build(same_equipment(12, seed)), 0.15, seed) for seed in seeds],
            [_share_left(tree, 0.15, seed) for seed in seeds],
        )

    return long_run(
        f"topoloom damage SPEC --share 15% --seed S, then topoloom quality --traffic permutation --gap {_GAP:g} --seed S, for"
        f" {same_equipment(12, 1).replace('seed=1', 'seed=S')} and fat-tree:k=12, S from 1 to 5",
        _Left,
        compute,
    )


@claim(
    "singla-2012/quoted/resilience",
    "with 15 % of the links failed, Jellyfish keeps its throughput in proportion: it loses no more than 15 % and a point",
    "resilient up to 15 % of failed links (a summary at emergentmind.com)",
    f"topoloom damage {same_equipment(12)} --share 15% -o left.json",
)
def _resilience() -> Outcome:
    lost = [100 * (1 - share) for share in _left().jellyfish]
    return check_statements(
        {"the mean loss is at most 16 %": fmean(lost) <= 16},
        f"540 servers on 180 switches lose {fmean(lost):.1f} % ({min(lost):.1f} to {max(lost):.1f}), 5 draws",
        "resilient, without a number in our source, is read as a loss of about the share that failed, 16 % at most",
    )


@claim(
    "singla-2012/quoted/more-resilient",
    "Jellyfish is more resilient to failed links than the fat tree of the same equipment",
    "more resilient (a summary of the paper at brainscape.com)",
    f"topoloom damage {same_equipment(12)} --share 15% -o left.json",
)
def _more_resilient() -> Outcome:
    left = _left()
    ours, tree = fmean(left.jellyfish), fmean(left.tree)
    return check_statements(
        {"it keeps a larger share of its throughput": ours > tree},
        f"with 15 % of the links failed Jellyfish (540 servers) keeps {100 * ours:.1f} %, the tree (432) {100 * tree:.1f} %",
        "means of 5 draws",
    )
