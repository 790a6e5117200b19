"""Claims of Nakano 2016, VIII.C: networks on a chip, 72 nodes, K = 4, L = 4 (figure 14, simulated with a closed loop).

A hop takes 3 cycles in the router and 1 on the link (Table V).
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import fmean

import numpy as np

from topoloom.graph.distances import distances_from
from topoloom.graph.latency import Delays
from topoloom.model.topology import Topology
from topoloom.optimizer.goals import Goal, latency_bounds, weigh
from topoloom.optimizer.structures.mirror_symmetry import symmetric_grid
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.simulation.flits.execute import execute
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.nakano_2016._case_floors import Kind, annealed, lengths_on
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare, listed

#: A hop counts 1 and cable length 0, so that the mean latency is the ASPL.
_C = Goal(mean=1.0, worst=0.01, delays=Delays(switch_ns=1.0, cable_ns_per_m=0.0))
_CHIPS: dict[Kind, tuple[int, int]] = {"grid": (9, 8), "diagrid": (12, 6)}


@lru_cache(maxsize=2)
def chip(kind: Kind) -> Topology:
    """72 routers with one host each, K = 4, L = 4: a grid of 9 rows of 8, or a diagrid of 12 rows of 6."""
    lengths = lengths_on(kind, *_CHIPS[kind], (1.0, 1.0), 0.0)
    links = annealed(kind, _CHIPS[kind], 4, 4, lengths, _C, 10_000, 4.0)
    floor = symmetric_grid(kind, *_CHIPS[kind], 4, 4)[0]
    return floor.replace(links=links, endpoints=np.arange(floor.switches))


@claim(
    "nakano-2016/section-viii-c/hops",
    "72 nodes on a chip, K = 4, L = 4: 9 x 8 grid and 12 x 6 diagrid have a lower ASPL than the torus",
    "both lower",
    "topoloom hops torus:dims=9x8; topoloom optimize grid:rows=9,columns=8,degree=4,length=4 --symmetric --objective"
    " mean=1,worst=0.01 --switch-ns 1 --cable-ns-per-m 0 --moves 10000 --chains 1 (another draw)",
)
def _on_chip() -> Outcome:
    weighed, least = {}, {}
    for kind, floor in _CHIPS.items():
        lengths = lengths_on(kind, *floor, (1.0, 1.0), 0.0)
        weighed[kind] = weigh(chip(kind).links, lengths, _C)
        least[kind] = latency_bounds(lengths, 4, 4.0, _C.delays)
    torus = weigh(build("torus:dims=9x8").links, lengths_on("grid", 9, 8, (1.0, 1.0), 0.0), _C)
    numbers = "; ".join(
        f"{name} {w.mean_ns:.3f} hops, {4 * w.mean_ns + 3:.2f} cycles on average, at most {w.worst_ns:.0f} hops"
        for name, w in (("torus", torus), *weighed.items())
    )
    bounds = ", ".join(f"{kind} {bound.mean_ns:.3f}" for kind, bound in least.items())
    return check_statements(
        {f"the {kind} takes fewer hops": w.mean_ns < torus.mean_ns for kind, w in weighed.items()},
        numbers,
        f"by shortest paths; up*/down* has a claim of its own; the paper gives no number; bounds: {bounds}",
    )


@claim(
    "nakano-2016/section-viii-c/updown",
    "72 nodes on a chip: grid and diagrid by up*/down* take fewer hops on average than the torus by XY routing",
    "both fewer",
    "topoloom route torus:dims=9x8,hosts=1 --engine dor; topoloom optimize grid:rows=9,columns=8,degree=4,length=4,hosts=1"
    " --symmetric --objective mean=1,worst=0.01 --switch-ns 1 --cable-ns-per-m 0 --moves 10000 --chains 1 -o chip.json;"
    " topoloom route chip.json --engine updown (another draw of the grid)",
)
def _by_updown() -> Outcome:
    torus = verify_routing(_routed("torus", "first")).mean_hops
    means = {
        f"{kind}, root {root}": verify_routing(_routed(kind, root)).mean_hops
        for kind in _CHIPS
        for root in ("first", "middle")
    }
    return check_statements(
        {f"{name}: fewer hops": value < torus for name, value in means.items()},
        f"torus {torus:.3f} hops, {listed(means.items())}",
        "the paper does not name the root: that of the engine and the middle of the floor were tried",
    )


# Figure 14.

_SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class _Setup:
    """Choices that Nakano 2016 leaves open or leaves to gem5.

    `window`: outstanding requests per processor; `think_cycles`: cycles of computing between requests; `along`: the position
    of processors on their edge; `root`: the root of up*/down* on grid and diagrid.
    """

    window: int
    think_cycles: int
    along: str
    root: str

    @property
    def traffic(self) -> str:
        return f"chip:window={self.window},think_cycles={self.think_cycles},along={self.along}"


#: All combinations, chosen before the results were known: one or four outstanding requests; no computing, about as long as a
#: hit takes, or ten times as long; three positions; the engine's root or the middle of the floor.
_SETUPS = tuple(
    _Setup(window, think_cycles, along, root)
    for window in (1, 4)
    for think_cycles in (0, 50, 500)
    for along in ("even", "middle", "ends")
    for root in ("first", "middle")
)
_LOOP = (
    "8 processors, 64 banks, 4 memory controllers and the latencies of Table V; our choices: 1,000 requests per processor to"
    " random banks, one in ten misses; 1 and 4 outstanding requests; 0, 50 and 500 cycles of computing before the next;"
    " processors spread evenly on their edges, in the middle or at the ends; the root of up*/down* chosen by the engine or in"
    " the middle"
)
_GEM5 = "the paper ran programs in gem5, which topoloom does not have: a closed loop of requests stands for them"
_COMMAND = (
    "topoloom simulate torus:dims=9x8,hosts=1 --engine dor --traffic chip:window=1,think_cycles=50 --preset noc-2016; topoloom"
    " optimize grid:rows=9,columns=8,degree=4,length=4,hosts=1 --symmetric --objective mean=1,worst=0.01 --switch-ns 1"
    " --cable-ns-per-m 0 --moves 10000 --chains 1 -o chip.json; topoloom simulate chip.json --engine updown --traffic"
    " chip:window=1,think_cycles=50 --preset noc-2016 (one of our setups, on another draw)"
)


@lru_cache(maxsize=8)
def _routed(name: str, root: str) -> Routing:
    if name == "torus":
        return route(build("torus:dims=9x8,hosts=1"), "dor")
    topology = chip("grid" if name == "grid" else "diagrid")
    if root == "first":
        return route(topology, "updown")
    distance_sums = _distance_sums(topology)
    return route(topology, "updown", root=int(distance_sums.argmin()))


def _distance_sums(topology: Topology) -> np.ndarray:
    """The sum of distances from each switch to all others, int64[n]; smallest in the middle."""
    return np.asarray(distances_from(topology, list(range(topology.switches)), None).astype(np.int64).sum(axis=1))


def _gains() -> dict[str, list[float]]:
    """Reduction of the loop's cycles compared with the torus, in %, means over seeds: by network, one value per setup."""

    def cycles(name: str, setup: _Setup) -> list[int]:
        routing = _routed(name, setup.root)
        return [execute(routing, setup.traffic, "noc-2016", seed=seed).cycles for seed in _SEEDS]

    def compute() -> dict[str, list[float]]:
        torus = {setup: cycles("torus", setup) for setup in _SETUPS if setup.root == "first"}
        gains: dict[str, list[float]] = {}
        for name in ("grid", "diagrid"):
            for setup in _SETUPS:
                pairs = zip(cycles(name, setup), torus[replace(setup, root="first")], strict=True)
                gains.setdefault(name, []).append(round(fmean(100 * (1 - ours / other) for ours, other in pairs), 3))
        return gains

    return long_run(
        "topoloom reproduce nakano-2016/fig-14 (topoloom simulate by updown beside dor on the torus, chip:window=1 and 4,"
        " think_cycles=0, 50 and 500, along=even, middle and ends, root first and middle, seeds 1, 2, 3)",
        dict[str, list[float]],
        compute,
    )


def _by_think(gains: list[float]) -> str:
    """The range of the gains at each think time, in words."""
    parts = []
    for cycles in (0, 50, 500):
        at_cycles = [gain for setup, gain in zip(_SETUPS, gains, strict=True) if setup.think_cycles == cycles]
        parts.append(f"{min(at_cycles):+.1f} to {max(at_cycles):+.1f} % with {cycles} cycles of computing")
    return ", ".join(parts)


def _all_setups() -> str:
    return "; ".join(f"{name}: {_by_think(each)}" for name, each in _gains().items()) + f"; {_LOOP}"


@claim(
    "nakano-2016/fig-14/percent",
    "execution time of eight applications on the 9 x 8 grid below the torus's, on average",
    "3.3 %",
    _COMMAND,
)
def _percent() -> Outcome:
    grid = _gains()["grid"]
    note = (
        f"{_GEM5}; the mean over {len(_SETUPS)} setups stands for the mean over programs, which compute for different times"
        " between requests"
    )
    return compare(
        {"%": "3.3"},
        {"%": fmean(grid)},
        step=Step(0.5, "half a point, about the spread of seeds"),
        digits=3,
        assumption=note,
        reason=note,
        details=f"{min(grid):+.1f} to {max(grid):+.1f} % over setups; {_all_setups()}",
    )


def _shorter(kind: Kind) -> None:
    @claim(
        f"nakano-2016/fig-14/{kind}",
        f"the execution times of all eight programs on the {kind} are shorter than on the torus, as its latency is lower",
        "all shorter",
        _COMMAND,
    )
    def compute() -> Outcome:
        gains = _gains()[kind]
        shorter = sum(gain > 0 for gain in gains)
        return check_statements(
            {f"shorter in all {len(_SETUPS)} setups": shorter == len(_SETUPS)},
            f"shorter in {shorter} of {len(_SETUPS)} setups, {min(gains):+.1f} to {max(gains):+.1f} %",
            f"{_GEM5}, with more and less computing between requests; a loop ends with the slowest processor",
            details=_all_setups(),
        )


for _kind in _CHIPS:
    _shorter(_kind)
