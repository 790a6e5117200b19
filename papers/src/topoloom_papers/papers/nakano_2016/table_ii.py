"""Claims of Nakano 2016 about Table II: the diameters of optimised grids of 30 x 30."""

import math

from topoloom.core.threads import over_cores
from topoloom.optimizer.optimize import optimize
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.nakano_2016._floors_900 import DEGREES, LENGTHS, room, spec
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, stated

#: Moves of one search after another for a diameter; most are found by the first.
_STAGES = (2_000, 50_000, 400_000, 1_600_000, 6_000_000)

#: D+(K, L) for L = 2 .. 16.
_TABLE_II = {
    3: (29, 20, 15, 12, 12, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11),
    4: (29, 20, 15, 12, 10, 9, 8, 8, 8, 8, 8, 8, 8, 8, 8),
    5: (29, 20, 15, 12, 10, 9, 8, 7, 7, 6, 6, 6, 6, 6, 6),
    6: (29, 20, 15, 12, 10, 9, 8, 7, 6, 6, 6, 6, 6, 6, 6),
    **dict.fromkeys(range(7, 10), (29, 20, 15, 12, 10, 9, 8, 7, 6, 6, 5, 5, 5, 5, 5)),
    **dict.fromkeys(range(10, 17), (29, 20, 15, 12, 10, 9, 8, 7, 6, 6, 5, 5, 5, 4, 4)),
}


def _diameter(k: int, length: int, target: int) -> float:
    """The least diameter that searches of so many moves find, until it is `target`."""
    found = math.inf
    for seed, moves in enumerate(_STAGES, start=1):
        # One thread each: the same graph on every machine.
        graph = optimize(build(spec("grid", k, length)), target=target, moves=moves, seed=seed, jobs=1)
        found = min(found, graph.diameter)
        if found <= target:
            break
    return found


@claim(
    "nakano-2016/table-ii/found",
    "30 x 30, optimised: no diameter above that of Table II, K = 3 .. 16, L = 2 .. 16",
    "6 rows of 15",
    "topoloom optimize grid:rows=30,columns=30,degree=3,length=7 --target 11 --chains 1",
)
def _all_cells() -> Outcome:
    wanted = [(k, length, _TABLE_II[k][length - 2]) for k in DEGREES for length in LENGTHS]

    def compute() -> list[float]:
        found = over_cores(lambda numbers: [(i, _diameter(*wanted[i])) for i in numbers], len(wanted), None)
        return [diameter for _, diameter in sorted(one for some in found for one in some)]

    told = ", ".join(f"{k},{length}: {diameter}" for k, length, diameter in wanted)
    command = (
        "topoloom optimize grid:rows=30,columns=30,degree=K,length=L --target D --chains 1 --moves M, M and seed"
        f" {', '.join(f'{moves} {seed}' for seed, moves in enumerate(_STAGES, 1))} until D is reached; K,L: D {told}"
    )
    diameters = long_run(command, list[float], compute)
    worse = [(k, length) for (k, length, target), found in zip(wanted, diameters, strict=True) if found > target]
    irregular = sum(k > room("grid", length) for k, length, _ in wanted)
    return stated(
        {"no cell is above the print": not worse},
        f"cells {len(wanted)}, above {len(worse)}{f': (K, L) {worse}' if worse else ''}",
        f"{irregular} of them by graphs with fewer links: a corner has only {room('grid', 2)}, {room('grid', 3)} and"
        f" {room('grid', 4)} switches within L = 2, 3 and 4, so no graph is K-regular beyond that",
    )
