"""Claims of Nakano 2016, VIII.C: networks on a chip, 72 nodes, K = 4, L = 4 (figure 14, by a closed loop).

Each hop takes 3 cycles of router and 1 of link (Table V).
"""

from functools import lru_cache
from statistics import fmean

import numpy as np

from topoloom.graph.latency import Delays
from topoloom.optimizer.goals import Goal, latency_bounds, weigh
from topoloom.optimizer.structures.mirror_symmetry import symmetric_grid
from topoloom.reproduction.papers.nakano_2016._case_floors import Kind, annealed, lengths_on
from topoloom.reproduction.registry import claim
from topoloom.reproduction.verdicts import Outcome, Verdict, stated
from topoloom.routing.route import route
from topoloom.simulator.execute import Execution, execute
from topoloom.spec import build
from topoloom.topology import Topology

#: A hop counts 1, its length nothing: the mean latency is the ASPL.
_C = Goal(mean=1.0, worst=0.01, delays=Delays(switch_ns=1.0, cable_ns_per_m=0.0))
_CHIPS: dict[Kind, tuple[int, int]] = {"grid": (9, 8), "diagrid": (12, 6)}


@lru_cache(maxsize=2)
def chip(kind: Kind) -> Topology:
    """72 routers with a host each, K = 4, L = 4: 9 rows of 8, or the diagrid of 12 rows of 6."""
    lengths = lengths_on(kind, *_CHIPS[kind], (1.0, 1.0), 0.0)
    links = annealed(kind, _CHIPS[kind], 4, 4, lengths, _C, 10_000, 4.0)
    floor = symmetric_grid(kind, *_CHIPS[kind], 4, 4)[0]
    return floor.replace(links=links, endpoints=np.arange(floor.switches))


@claim(
    "nakano-2016/section-viii-c",
    "72 nodes on a chip, K = 4, L = 4: 9 x 8 grid and 12 x 6 diagrid take fewer hops than the torus",
    "both fewer",
    "topoloom reproduce nakano-2016/section-viii-c",
)
def _on_chip() -> Outcome:
    found, least = {}, {}
    for kind, floor in _CHIPS.items():
        lengths = lengths_on(kind, *floor, (1.0, 1.0), 0.0)
        found[kind] = weigh(chip(kind).links, lengths, _C)
        least[kind] = latency_bounds(lengths, 4, 4.0, _C.delays)
    torus = weigh(build("torus:dims=9x8").links, lengths_on("grid", 9, 8, (1.0, 1.0), 0.0), _C)
    told = "; ".join(
        f"{name} {one.mean_ns:.3f} hops, {4 * one.mean_ns + 3:.2f} cycles on average, at most {one.worst_ns:.0f} hops"
        for name, one in (("torus", torus), *found.items())
    )
    bound = ", ".join(f"{kind} {one.mean_ns:.3f}" for kind, one in least.items())
    return stated(
        {f"the {kind} takes fewer hops": one.mean_ns < torus.mean_ns for kind, one in found.items()},
        told,
        f"shortest paths, where the paper routes up*/down* on grid and diagrid; the paper gives no number; bounds: {bound}",
    )


# Figure 14.

_SEEDS = (1, 2, 3)
#: Requests that a processor has under way at most: one, as a processor that waits for each; and the pattern's own number.
_WINDOWS = (1, 4)
_LOOP = (
    "8 processors, 64 banks, 4 memory controllers and the latencies of Table V; our own: 1,000 requests a processor to"
    " banks drawn at random, one in ten misses, and nothing is computed between requests"
)
_COMMAND = "topoloom reproduce nakano-2016/fig-14"


@lru_cache(maxsize=16)
def _runs(name: str, window: int, engine: str) -> tuple[Execution, ...]:
    """A seed each, on the torus by dimension order, or on grid or diagrid by an engine."""
    if name == "torus":
        routing = route(build("torus:dims=9x8,hosts=1"), "dor")
    else:
        routing = route(chip("grid" if name == "grid" else "diagrid"), engine, lanes=4)
    return tuple(execute(routing, f"chip:window={window}", "noc-2016", seed=seed) for seed in _SEEDS)


def _faster(name: str, window: int, engine: str) -> float:
    """How much sooner than on the torus the loop ends, in %, on average over the seeds."""
    pairs = zip(_runs(name, window, engine), _runs("torus", window, ""), strict=True)
    return fmean(100 * (1 - ours.cycles / torus.cycles) for ours, torus in pairs)


def _faster_told(name: str, engine: str) -> str:
    return " and ".join(f"{_faster(name, window, engine):.1f}" for window in _WINDOWS) + " %"


def _told(name: str, engine: str) -> str:
    runs = _runs(name, _WINDOWS[-1], engine)
    return (
        f"{fmean(one.cycles for one in runs):,.0f} cycles, packets {fmean(one.latency_mean for one in runs):.1f} cycles over"
        f" {fmean(one.hops_mean for one in runs):.2f} routers"
    )


@claim(
    "nakano-2016/fig-14/percent",
    "execution time of eight applications on the 9 x 8 grid below the torus's, on average",
    "3.3 %",
    _COMMAND,
)
def _percent() -> Outcome:
    few, many = _WINDOWS
    return Outcome(
        f"{_faster_told('grid', 'updown')} with {few} and {many} requests under way; by shortest paths"
        f" {_faster_told('grid', 'orders')}",
        Verdict.NOT_REPRODUCIBLE,
        "Nakano 2016 ran the NAS benchmarks in a simulator of a whole machine (gem5), which is not here: ours"
        " is a closed loop of"
        f" {_LOOP}. With {many} under way: torus {_told('torus', '')}; grid by up*/down* {_told('grid', 'updown')}; by shortest"
        f" paths {_told('grid', 'orders')}",
    )


@claim(
    "nakano-2016/fig-14/order",
    "execution times reflect the lower latency: shorter than the torus's on grid and on diagrid",
    "both shorter",
    _COMMAND,
)
def _order() -> Outcome:
    gains = [_faster(name, window, "updown") for name in ("grid", "diagrid") for window in _WINDOWS]
    few, many = _WINDOWS
    text = (
        f"a closed loop of {_LOOP}; it ends with the slowest processor. Below the torus's by up*/down*, with {few} and {many}"
        f" under way: grid {_faster_told('grid', 'updown')}, diagrid {_faster_told('diagrid', 'updown')}; by shortest paths in"
        f" four lanes: grid {_faster_told('grid', 'orders')}, diagrid {_faster_told('diagrid', 'orders')}"
    )
    return stated(
        {"all four are shorter": all(gain > 0 for gain in gains)}, f"shorter, of 4: {sum(g > 0 for g in gains)}", text
    )
