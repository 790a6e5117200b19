"""Nakano 2016's own search on its floors of 4,608 switches (VIII.A): mean and worst latency after more and more moves."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from statistics import fmean, pvariance

from topoloom.core.threads import over_cores
from topoloom.graph.geometry import Geometry
from topoloom.optimizer.goals import Goal, weigh
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.nakano_2016._case_floors import BOTH_ENDS, FLOORS, Kind, lengths_on
from topoloom_papers.papers.nakano_2016._lattice import lattice
from topoloom_papers.papers.nakano_2016._two_opt import two_opt

#: Steps 1 and 2, as sweeps of 2-toggles. Two from a lattice fit the paper's numbers after step 2 (section-iii/step-2), 30 from
#: random links are topoloom's default.
_STARTS = {"2 sweeps from a lattice": 2, "30 sweeps from random links": 30}
_SEEDS = (1, 2)
#: Moves between two results, and moves of the search: both chosen before the searches.
CHUNK, _MOST = 500, 8_000


@dataclass(frozen=True)
class Passed:
    """A point that the search passes: moves of step 3, and latencies as means over seeds, for h + 1 switches on h hops.

    `mean_step_ns`: the most that the mean changes to the point before or after; `worst_step_ns`: two standard deviations of the
    worst latency over seeds, from the variances at all points.
    """

    moves: int
    mean_ns: float
    worst_ns: float
    mean_step_ns: float
    worst_step_ns: float


@lru_cache(maxsize=2)
def searched(kind: Kind) -> dict[str, list[Passed]]:
    """The points that the search passes, every `CHUNK` moves, by its start."""
    rows, columns = FLOORS[4608][kind]
    command = (
        f"topoloom reproduce nakano-2016/section-viii-a/{kind} (plain 2-opt on {kind}:rows={rows},columns={columns},degree=6,"
        f"length=6 after {' and '.join(_STARTS)}, seeds {', '.join(map(str, _SEEDS))}, {_MOST} moves, results every {CHUNK})"
    )
    rows_of = long_run(command, dict[str, list[tuple[float, float]]], lambda: _searched(kind))
    passed = {}
    for start in _STARTS:
        seeds = [rows_of[f"{start}, seed {seed}"] for seed in _SEEDS]
        means = [fmean(values) for values in zip(*([mean for mean, _ in row] for row in seeds), strict=True)]
        worsts = list(zip(*([worst for _, worst in row] for row in seeds), strict=True))
        spread = 2 * (fmean(pvariance(values) for values in worsts) * len(_SEEDS) / (len(_SEEDS) - 1)) ** 0.5
        passed[start] = [
            Passed(
                CHUNK * at,
                means[at],
                fmean(worsts[at]),
                max(abs(means[at] - other) for other in means[max(0, at - 1) : at + 2]),
                spread,
            )
            for at in range(len(means))
        ]
    return passed


def _searched(kind: Kind) -> dict[str, list[tuple[float, float]]]:
    """Mean and worst latency in ns after every `CHUNK` moves, by start and seed."""
    rows, columns = FLOORS[4608][kind]
    geometry = Geometry.grid(rows, columns) if kind == "grid" else Geometry.diagrid(rows, columns)
    lengths = lengths_on(kind, rows, columns, (1.0, 1.0), 0.0)
    goal = Goal(mean=1.0, both_ends=BOTH_ENDS)
    random = build(f"{kind}:rows={rows},columns={columns},degree=6,length=6,sweeps=1")
    plain = lattice(random, 6, 6)
    cases = list(product(_STARTS, _SEEDS))

    def one(start: str, seed: int) -> list[tuple[float, float]]:
        sweeps = _STARTS[start]
        spec = f"{kind}:rows={rows},columns={columns},degree=6,length=6,sweeps={sweeps},seed={seed}"
        first, left = (plain, sweeps) if "lattice" in start else (build(spec), 0)
        latencies = []
        for moves, _, links in two_opt(first, geometry, 6, seed, left, CHUNK):
            weighed = weigh(links, lengths, goal)
            latencies.append((round(weighed.mean_ns, 3), weighed.worst_ns))
            if moves >= _MOST:
                break
        return latencies

    parts = over_cores(lambda numbers: [(i, one(*cases[i])) for i in numbers], len(cases), None)
    by_case = dict(pair for part in parts for pair in part)
    return {f"{start}, seed {seed}": by_case[i] for i, (start, seed) in enumerate(cases)}


def nearest_to(points: list[Passed], mean_ns: float) -> Passed:
    """The point whose mean latency is nearest."""
    return min(points, key=lambda point: abs(point.mean_ns - mean_ns))


def in_words(kind: Kind) -> str:
    """Mean and worst latency every 2,000 moves, by start, in one line."""
    return "; ".join(
        f"{start}, every 2,000 moves: "
        + ", ".join(f"{point.mean_ns:.0f}/{point.worst_ns:.0f}" for point in points if point.moves % 2_000 == 0)
        for start, points in searched(kind).items()
    )
