"""CG: conjugate gradients on a random sparse matrix, with sums along rows of ranks and a swap across the diagonal."""

from typing import NamedTuple

from topoloom.simulation.applications.nas.actions import DOUBLE, LOGICAL, TraceLines
from topoloom.simulation.applications.nas.skeleton import (
    ClockedParts,
    NasRun,
    check_ranks,
    is_power_of_two,
    share,
    skeleton,
)
from topoloom.simulation.applications.program import RankTraces

SIZES = {
    "S": (1400, 7, 15),
    "W": (7000, 8, 15),
    "A": (14000, 11, 15),
    "B": (75000, 13, 75),
    "C": (150000, 15, 75),
    "D": (1500000, 21, 100),
}
"""Rows of the matrix, the parameter of its nonzeros, and iterations, by class."""

_INNER = 25  # steps of conjugate gradients in an iteration of the power method


class _Share(NamedTuple):
    """A rank's part: rows and columns of its block, the sizes of a sum that it keeps and first sends, and its partners."""

    rows: int
    columns: int
    kept: int
    given: int
    across: int
    partners: list[int]
    block: float
    vector: float


def cg(run: NasRun) -> RankTraces:
    """Return the skeleton of CG.

    The ranks form a grid of 2^a rows and 2^a or 2^(a+1) columns; each has a block of the matrix. A product sums pieces of the
    result along the grid's row, by recursive halving, and swaps them with the rank across the diagonal; sums of numbers use the
    same partners. An iteration has 25 steps and the residual; one untimed iteration comes first.

    Source: NAS reports 95-020 and 02-007; the program of NPB3.3-MPI.
    """
    size, nonzer, default_iterations = SIZES[run.size]
    check_ranks("cg", run.ranks, "a power of two", lambda ranks: is_power_of_two(ranks) and _grid(ranks)[1] <= size)
    steps = run.steps(default_iterations)
    nonzeros = nonzer * (nonzer + 1)
    operations = 2.0 * steps * size * (3 + nonzeros + _INNER * (5 + nonzeros) + 3)

    def parts(me: TraceLines) -> ClockedParts:
        part = _share(size, run.ranks, me.number)
        return ClockedParts(
            me.bcast(1, LOGICAL) + _iteration(me, part, 0.0, nonzeros) + me.barrier(),
            _iteration(me, part, 2.0 * size, nonzeros) * steps,
            me.reduce(1, DOUBLE),
        )

    return skeleton("cg", run, operations, parts)


def _grid(ranks: int) -> tuple[int, int]:
    exponent = ranks.bit_length() - 1
    return 1 << exponent // 2, 1 << (exponent + 1) // 2


def _share(size: int, ranks: int, rank: int) -> _Share:
    down, along = _grid(ranks)
    row, column = divmod(rank, along)
    odd = rank % 2
    rows = share(size, down, row)
    if size % along == 0 or along == down:
        columns = share(size, along, column)
    else:  # pairs of columns share a block of rows, the even one having the larger half
        columns = (share(size, along // 2, column // 2) + 1 - odd) // 2
    if along == down:
        kept_rows, given, across = rows, rows, row + column * down
    else:
        kept_rows = (rows + 1 - odd) // 2
        given = rows - kept_rows
        across = 2 * (rank // 2 % down * down + rank // 2 // down) + odd
    partners = [rank ^ (along >> step) for step in range(1, along.bit_length())]
    return _Share(rows, columns, kept_rows, given, across, partners, rows * columns / size**2, columns / (size * down))


def _iteration(me: TraceLines, part: _Share, unit: float, nonzeros: int) -> str:
    """Return one iteration of the power method; `unit`: operations per nonzero of a row, over all ranks."""
    product = me.compute(unit * nonzeros * part.block) + _product(me, part)

    def vectors(number: int) -> str:
        return me.compute(unit * number * part.vector)

    step = product + vectors(1) + _sum(me, part, 1) + vectors(3) + _sum(me, part, 1) + vectors(1)
    residual = product + vectors(1) + _sum(me, part, 1)
    norms = vectors(2) + _sum(me, part, 2)
    return vectors(3) + _sum(me, part, 1) + step * _INNER + residual + norms


def _sum(me: TraceLines, part: _Share, count: int) -> str:
    """Return the sum of `count` numbers over the grid's row, which each of its ranks gets."""
    return "".join(me.exchange(partner, tag, count, count) for tag, partner in enumerate(part.partners, 1))


def _product(me: TraceLines, part: _Share) -> str:
    """Return the messages of a product: pieces are summed along the row, then swapped across the diagonal."""
    if not part.partners:
        return ""
    text = ""
    for tag in range(len(part.partners), 0, -1):
        sent = part.given if tag == len(part.partners) else part.kept
        text += me.exchange(part.partners[tag - 1], tag, sent, part.kept)
    return text + me.exchange(part.across, 1, part.kept, part.columns)
