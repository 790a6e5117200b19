"""Claims of Nakano 2016 on Table II: the diameters of optimised grids of 30 x 30."""

import math

from topoloom.core.threads import over_cores
from topoloom.optimizer.optimize import optimize
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.nakano_2016._floors_900 import DEGREES, LENGTHS, most_links, spec
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements

#: Moves of the successive searches for a diameter; the first search is sufficient for most cells.
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
    """The least diameter of successive searches, which stop at `target`."""
    best = math.inf
    for seed, moves in enumerate(_STAGES, start=1):
        # With one thread the graph is the same on every machine.
        graph = optimize(build(spec("grid", k, length)), target=target, moves=moves, seed=seed, jobs=1)
        best = min(best, graph.diameter)
        if best <= target:
            break
    return best


@claim(
    "nakano-2016/table-ii/found",
    "30 x 30, optimised: no diameter above that of Table II, K = 3 .. 16, L = 2 .. 16",
    "6 rows of 15",
    "topoloom optimize grid:rows=30,columns=30,degree=3,length=7 --target 11 --chains 1",
)
def _all_cells() -> Outcome:
    cells = [(k, length, _TABLE_II[k][length - 2]) for k in DEGREES for length in LENGTHS]

    def compute() -> list[float]:
        chunks = over_cores(lambda numbers: [(i, _diameter(*cells[i])) for i in numbers], len(cells), None)
        return [diameter for _, diameter in sorted(pair for chunk in chunks for pair in chunk)]

    targets = ", ".join(f"{k},{length}: {diameter}" for k, length, diameter in cells)
    command = (
        "topoloom optimize grid:rows=30,columns=30,degree=K,length=L --target D --chains 1 --moves M, M and seed"
        f" {', '.join(f'{moves} {seed}' for seed, moves in enumerate(_STAGES, 1))} until D is reached; K,L: D {targets}"
    )
    diameters = long_run(command, list[float], compute)
    worse = [(k, length) for (k, length, target), diameter in zip(cells, diameters, strict=True) if diameter > target]
    irregular = sum(k > most_links("grid", length) for k, length, _ in cells)
    return check_statements(
        {"no cell is above the published value": not worse},
        f"cells {len(cells)}, above {len(worse)}{f': (K, L) {worse}' if worse else ''}",
        f"{irregular} of them by graphs with fewer links: a corner has only {most_links('grid', 2)}, {most_links('grid', 3)}"
        f" and {most_links('grid', 4)} switches within L = 2, 3 and 4, so no graph is K-regular beyond that",
    )
