"""FT: Fourier transforms of a box, transposed between ranks by all-to-all."""

from math import log

from topoloom.simulation.applications.nas.actions import COMPLEX, INTEGER, LOGICAL, TraceLines
from topoloom.simulation.applications.nas.skeleton import ClockedParts, NasRun, check_ranks, is_power_of_two, skeleton
from topoloom.simulation.applications.program import RankTraces

SIZES = {
    "S": (64, 64, 64, 6),
    "W": (128, 128, 32, 6),
    "A": (256, 256, 128, 6),
    "B": (512, 256, 256, 20),
    "C": (512, 512, 512, 20),
    "D": (2048, 1024, 1024, 25),
}
"""Points along x, y and z, and iterations, by class."""


def ft(run: NasRun, groups: bool = True) -> RankTraces:
    """Return the skeleton of FT.

    With at most as many ranks as planes, each rank has slabs, and one all-to-all among all ranks transposes them. With more
    ranks, they form a grid, planes times the remaining factor, and two all-to-alls, each within groups of ranks, transpose
    twice. A first transform is untimed.

    SimGrid's traces have no groups, and would replay an all-to-all of a group as one of all ranks. With ``groups``, such an
    all-to-all is therefore written as its messages, an exchange with each other rank of the group in turn; without, it is
    written as in SimGrid's own trace of the benchmark, for comparison with such traces and not for replay.

    Source: NAS reports 95-020 and 02-007; the program of NPB3.3-MPI.
    """
    x, y, z, default_iterations = SIZES[run.size]
    check_ranks(
        "ft",
        run.ranks,
        f"a power of two of at most {z * z} for class {run.size}",
        lambda ranks: is_power_of_two(ranks) and ranks <= z * z,
    )
    steps = run.steps(default_iterations)
    points = float(x * y * z)
    first = points * (14.8157 + 7.19641 * log(points))
    step = points * (5.23518 + 7.21113 * log(points))

    def parts(me: TraceLines) -> ClockedParts:
        moves = _moves(me, run, groups)
        works = _works(run)
        timed = _transform(me, [first / run.ranks * work for work in works], moves)
        back = _transform(me, [step / run.ranks * work for work in works[::-1]], moves[::-1])
        opening = me.bcast(1, INTEGER) * 4 + me.bcast(1, LOGICAL)
        return ClockedParts(opening + "".join(moves) + me.barrier(), timed + (back + me.reduce(1, COMPLEX)) * steps, "")

    return skeleton("ft", run, first + steps * step, parts)


def _works(run: NasRun) -> list[float]:
    """Return the shares of the work before, between and after the transposes: an axis costs the logarithm of its length."""
    x, y, z, _ = SIZES[run.size]
    along = [log(length) / log(x * y * z) for length in (x, y, z)]
    if run.ranks == 1:
        return [1.0]
    return [along[0] + along[1], along[2]] if run.ranks <= z else along


def _moves(me: TraceLines, run: NasRun, groups: bool) -> list[str]:
    """Return the transposes of a transform, in order."""
    x, y, z, _ = SIZES[run.size]
    points = x * y * z // run.ranks
    if run.ranks == 1:
        return []
    if run.ranks <= z:
        return [me.alltoall(points // run.ranks, COMPLEX)]
    wide = run.ranks // z
    if not groups:
        return [me.alltoall(points // z, COMPLEX), me.alltoall(points // wide, COMPLEX)]
    row, column = divmod(me.number, wide)
    return [
        _among(me, range(column, run.ranks, wide), row, points // z),
        _among(me, range(row * wide, (row + 1) * wide), column, points // wide),
    ]


def _among(me: TraceLines, group: range, place: int, count: int) -> str:
    """Return the all-to-all of a group of 2^a ranks, in which this rank has a place: exchanges with each other rank."""
    partners = [group[place ^ step] for step in range(1, len(group))]
    return "".join(me.exchange(partner, 1, count, count, COMPLEX) for partner in partners)


def _transform(me: TraceLines, works: list[float], moves: list[str]) -> str:
    """Return a transform: pieces of work, with a transpose between two of them."""
    return "".join(me.compute(work) + move for work, move in zip(works, [*moves, ""], strict=True))
