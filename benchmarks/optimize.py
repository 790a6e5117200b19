"""The optimiser: its speed, compared with a rival if one is given, and its graphs compared with the best published ones.

    python benchmarks/optimize.py [--seconds 60] [--jobs N] [--cases small,n64d8] [--only speed]
                                  [--rival "PROGRAM {task} {edges} {seconds} {rows} {columns} {length}"]

Speed is measured in CPU time: the hops of all pairs (diameter and ASPL) of random regular graphs, and the moves per second of
annealing, over a whole schedule from hot to cold, and cold, at the last temperature. Ours and the rival take turns, and the
best turn of each counts, because the machine may be shared. Then two chains are compared with one, with the number of busy
cores.

A rival is any program; its command is run with these values filled in: {task}, `evaluate` or `anneal`; {edges}, a file with
one line "u v" per link, switches numbered from 0; {seconds}, the allowed CPU time; and for a grid {rows}, {columns} and
{length}, the longest link (switch r * columns + c is in row r, column c), 0 0 0 for other graphs. The last numbers that it
prints are, for evaluate: diameter, ASPL, seconds per evaluation; for anneal: moves per second.

The quality table runs `optimize` on each case for --seconds on --jobs threads, unless the case has its own values, and prints
the gap to the best published graph: Graph Golf's ranking of 2016 and the known optima of small orders, Nakano 2016's tables for
grids. Groups of cases: small, general, grid; the name of a case selects this case.
"""

import argparse
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.graph.geometry import geometry_of
from topoloom.graph.hops import hops
from topoloom.graph.kernels.hops import BLOCK, block_counts
from topoloom.graph.pair_counts import aligned_rows
from topoloom.model.topology import Topology
from topoloom.optimizer.optimize import optimize
from topoloom.optimizer.rules import GraphRules, moves_of, within_length
from topoloom.optimizer.searches.hop_search import COLD, HopSearch
from topoloom.topologies.spec import build

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
#: Number of turns of ours and of the rival, and the CPU seconds per turn.
_TURNS, _TURN_SECONDS = 3, 0.5
#: Moves from hot to cold; a quarter of this number follows at the last temperature.
_WHOLE_MOVES = 100_000
#: Seconds of one chain, and of two.
_CHAIN_SECONDS = 5.0


@dataclass(frozen=True)
class Case:
    """A graph to find: the start, and the diameter and ASPL of the best published graph."""

    name: str
    spec: str
    diameter: int
    aspl: float
    floor: tuple[int, int, int] = (0, 0, 0)  # rows, columns and longest link of a grid
    seconds: float | None = None
    jobs: int | None = None

    @property
    def length(self) -> int | None:
        """The longest link allowed; None: any."""
        return self.floor[2] or None


def _general(order: int, degree: int, diameter: int, aspl: float) -> Case:
    return Case(f"n{order}d{degree}", f"jellyfish:n={order},degree={degree}", diameter, aspl)


def _grid(
    size: str, degree: int, length: int, diameter: int, aspl: float, family: str = "grid", seconds: float | None = None
) -> Case:
    """A floor of rows x columns; with `seconds`, a search of this time on one core."""
    high, wide = map(int, size.split("x"))
    name = f"{family}{size}-{degree}-{length}" + (f"-{seconds:g}s" if seconds else "")
    spec = f"{family}:rows={high},columns={wide},degree={degree},length={length}"
    return Case(name, spec, diameter, aspl, (high, wide, length), seconds, 1 if seconds else None)


_CASES = {
    "small": [
        _general(16, 3, 3, 2.2),
        _general(16, 4, 3, 1.75),
        _general(20, 3, 3, 2.368421),
        _general(30, 3, 4, 2.862069),
        _general(32, 3, 4, 2.935484),
        _general(32, 4, 3, 2.354839),
        _general(36, 4, 3, 2.428571),
        _general(40, 5, 3, 2.230769),
    ],
    "general": [
        _general(36, 3, 4, 3.067),
        _general(64, 8, 3, 1.927),
        _general(96, 3, 6, 4.272),
        _general(256, 8, 4, 2.736),
        _general(256, 22, 2, 2 - 22 / 255),
        _general(1024, 11, 4, 3.059),
    ],
    "grid": [
        _grid("5x5", 4, 2, 4, 2.266667),
        _grid("10x10", 4, 2, 9, 4.001818),
        _grid("10x10", 4, 3, 6, 3.443),
        _grid("10x10", 6, 3, 6, 2.903030),
        _grid("10x10", 8, 4, 5, 2.426263),
        _grid("14x7", 4, 3, 5, 3.459, "diagrid"),
        _grid("20x20", 8, 4, 10, 3.965952),
        _grid("30x30", 6, 6, 10, 4.53, seconds=30),
        _grid("30x30", 6, 6, 10, 4.50, seconds=300),
    ],
}
_EVALUATED = ("n=256,degree=16", "n=1024,degree=11", "n=4096,degree=12", "n=10000,degree=16")
_ANNEALED = (_general(256, 16, 0, 0), _general(1024, 11, 0, 0), _grid("30x30", 6, 6, 0, 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="for each case of the quality table (60)")
    parser.add_argument("--jobs", type=int, help="threads of the quality table; every core when omitted")
    parser.add_argument("--cases", default=",".join(_CASES), help="groups and names of cases, with commas between; all")
    parser.add_argument("--only", choices=("speed", "quality"), help="one half; both when omitted")
    parser.add_argument("--rival", help='a program: "PROGRAM {task} {edges} {seconds} {rows} {columns} {length}"')
    arguments = parser.parse_args()
    cases = [case for word in arguments.cases.split(",") for case in _chosen(word)]
    for order in (16, 200, 300):  # Numba loads its cached kernels, or compiles them, before any clock starts
        optimize(build(f"jellyfish:n={order},degree=3"), moves=2000, jobs=1)
    if arguments.only != "quality":
        _evaluations(arguments.rival)
        _annealing(arguments.rival)
        _chains()
    if arguments.only != "speed":
        _quality(cases, arguments.seconds, arguments.jobs)


def _chosen(word: str) -> list[Case]:
    cases = _CASES.get(word) or [case for group in _CASES.values() for case in group if case.name == word]
    if not cases:
        names = ", ".join([*_CASES, *(case.name for group in _CASES.values() for case in group)])
        raise SystemExit(f"no case {word}; the cases are {names}")
    return cases


def _evaluations(rival: str | None) -> None:
    """Print microseconds of CPU time for the hops of all pairs, one thread: the whole operation, and its kernel alone."""
    print(
        f"{'hops of all pairs':20} {'diameter':>8} {'ASPL':>10} {'hops, us':>10} {'kernel, us':>10} {'rival, us':>10} times"
    )
    for parameters in _EVALUATED:
        topology = build(f"jellyfish:{parameters}")
        expected = hops(topology, 1)
        kernel = _counting(topology)
        ours, bare, theirs = np.inf, np.inf, np.inf
        for _ in range(_TURNS):
            ours = min(ours, _quickest(partial(hops, topology, 1)))
            bare = min(bare, _quickest(kernel))
            if rival:
                diameter, aspl, seconds = _ask(rival, "evaluate", topology, 3)
                if diameter != expected.diameter or abs(aspl - expected.aspl) > 1e-6:
                    raise SystemExit(
                        f"the rival finds {diameter:g}, {aspl}, topoloom {expected.diameter}, {expected.aspl}"
                    )
                theirs = min(theirs, seconds)
        rival_text = f"{theirs * 1e6:10.1f} {theirs / bare:5.2f}" if rival else ""
        print(
            f"{parameters:20} {expected.diameter:8} {expected.aspl:10.6f} {ours * 1e6:10.1f} {bare * 1e6:10.1f} {rival_text}",
            flush=True,
        )


def _counting(topology: Topology) -> Callable[[], None]:
    """The kernel of `hops` with its arrays prepared."""
    n = topology.switches
    offsets, neighbours, _ = topology.csr
    degree, weight, ends = int(topology.degrees[0]), np.ones(n, np.int64), np.array([n])
    reach, ahead, full, counts = aligned_rows(n), aligned_rows(n), aligned_rows(1), np.zeros(n, np.int64)

    def count() -> None:
        for first in range(0, n, BLOCK):
            end = min(first + BLOCK, n)
            block_counts(offsets, neighbours, degree, weight, ends, first, end, reach, ahead, full, counts)

    return count


def _quickest(call: Callable[[], object]) -> float:
    """CPU seconds of a call: the least over batches of some milliseconds, because the clock is coarse."""
    call()
    start = time.thread_time()
    call()
    batch = 1 + int(0.005 / max(1e-6, time.thread_time() - start))
    best, begun = np.inf, time.thread_time()
    while time.thread_time() - begun < _TURN_SECONDS:
        start = time.thread_time()
        for _ in range(batch):
            call()
        best = min(best, (time.thread_time() - start) / batch)
    return best


def _annealing(rival: str | None) -> None:
    """Print moves per second of CPU time, one thread: over a whole schedule from hot to cold, and at the last temperature."""
    print(f"\n{'annealing, moves/s':20} {'whole':>10} {'cold':>10} {'rival':>10} whole/rival cold/rival")
    for case in _ANNEALED:
        topology = build(case.spec)
        best = np.zeros(3)
        for turn in range(_TURNS):
            budget = Budget(_WHOLE_MOVES)
            search = HopSearch(moves_of(topology, _rules(case, topology)), Draws(turn), budget)
            whole = _rate(search, budget)
            budget.moves += _WHOLE_MOVES // 4
            search.hold(COLD)
            cold = _rate(search, budget)
            theirs = _ask(rival, "anneal", topology, 1, case)[0] if rival else 0.0
            best = np.maximum(best, (whole, cold, theirs))
        rival_text = f"{best[2]:10,.0f} {best[0] / best[2]:11.1f} {best[1] / best[2]:10.1f}" if rival else ""
        print(f"{case.name:20} {best[0]:10,.0f} {best[1]:10,.0f} {rival_text}", flush=True)


def _rules(case: Case, topology: Topology) -> GraphRules:
    """The links that a case allows."""
    geometry = geometry_of(topology) if case.length else None
    return GraphRules(within_length(topology, geometry, case.length), geometry=geometry) if geometry else GraphRules()


def _rate(search: HopSearch, budget: Budget) -> float:
    """Moves per second of CPU time until the budget is used up."""
    start, before = time.thread_time(), budget.spent
    while not search.done:
        search.step()
    return (budget.spent - before) / (time.thread_time() - start)


def _chains() -> None:
    """Print moves per second of CPU time with one chain and with two; equal if chains do not slow each other down."""
    print(f"\n{'chains, moves/s':20} {'one':>10} {'two, each':>10} {'ratio':>5}  busy cores with two")
    for case in _ANNEALED:
        topology = build(case.spec)
        rates = []
        for jobs in (1, 2):
            start = time.process_time()
            result = optimize(topology, seconds=_CHAIN_SECONDS, jobs=jobs, length=case.length)
            spent = time.process_time() - start
            rates.append(result.moves / spent)
        ratio, busy = rates[1] / rates[0], spent / result.seconds
        print(f"{case.name:20} {rates[0]:10,.0f} {rates[1]:10,.0f} {ratio:5.2f} {busy:6.2f}", flush=True)


def _quality(cases: list[Case], seconds: float, jobs: int | None) -> None:
    """Print each case's graph compared with the best published one; a negative gap means that ours is better."""
    heading = f"{'D':>3} {'ASPL':>9} {'bound':>9} | {'D':>3} {'ASPL':>9} {'gap':>9} {'seconds':>7} {'moves/s':>9}"
    print(f"\n{'case':24} {heading}  began with, ended by")
    for case in cases:
        topology = build(case.spec)
        start = "given" if case.length else "structured"
        ours = optimize(
            topology, length=case.length, start=start, seconds=case.seconds or seconds, jobs=case.jobs or jobs
        )
        print(
            f"{case.name:24} {ours.diameter:3} {ours.aspl:9.6f} {ours.aspl_bound:9.6f} | {case.diameter:3} {case.aspl:9.6f}"
            f" {ours.aspl - case.aspl:+9.6f} {ours.seconds:7.1f} {ours.moves_per_s:9,.0f}  {ours.start}, {ours.ended}",
            flush=True,
        )


def _ask(command: str, task: str, topology: Topology, numbers: int, case: Case | None = None) -> list[float]:
    """The last numbers that the rival prints."""
    floor = case.floor if case else (0, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.edges"
        np.savetxt(path, topology.links, fmt="%d")
        filled = {
            "task": task,
            "edges": path,
            "seconds": f"{_TURN_SECONDS:g}",
            "rows": floor[0],
            "columns": floor[1],
            "length": floor[2],
        }
        words = [word.format(**filled) for word in shlex.split(command)]
        printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return [float(number) for number in _NUMBER.findall(printed)[-numbers:]]


if __name__ == "__main__":
    main()
