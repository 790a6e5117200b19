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
"""Points along x, y and z and the iterations, by class."""


def ft(run: NasRun, groups: bool = True) -> RankTraces:
    """The skeleton of FT.

    Up to as many ranks as planes, each has slabs and one all-to-all among all ranks transposes. With more, ranks are a
    grid of planes times what is left, and two all-to-all, each within groups of ranks, transpose twice. A first
    transform comes before the clock starts.

    SimGrid's traces know no groups, and replay an all-to-all of a group as one of all ranks. So one of a group is written
    as its messages, a swap with each other rank of the group in turn; with ``groups`` false it is written as SimGrid's
    own trace of the benchmark has it, to compare with such traces, not to replay.

    Source: NAS reports 95-020 and 02-007; the program of NPB3.3-MPI.
    """
    x, y, z, usual = SIZES[run.size]
    check_ranks(
        "ft",
        run.ranks,
        f"a power of two of at most {z * z} for class {run.size}",
        lambda ranks: is_power_of_two(ranks) and ranks <= z * z,
    )
    steps = run.steps(usual)
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
    """Shares of the work before, between and after the transposes: an axis costs the logarithm of its length."""
    x, y, z, _ = SIZES[run.size]
    along = [log(length) / log(x * y * z) for length in (x, y, z)]
    if run.ranks == 1:
        return [1.0]
    return [along[0] + along[1], along[2]] if run.ranks <= z else along


def _moves(me: TraceLines, run: NasRun, groups: bool) -> list[str]:
    """The transposes of a transform, in turn."""
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
    """The all-to-all of a group of 2^a ranks, in which this one has a place: swaps with each other one."""
    partners = [group[place ^ step] for step in range(1, len(group))]
    return "".join(me.exchange(partner, 1, count, count, COMPLEX) for partner in partners)


def _transform(me: TraceLines, works: list[float], moves: list[str]) -> str:
    """A transform: work, and between two pieces of work a transpose."""
    return "".join(me.compute(work) + move for work, move in zip(works, [*moves, ""], strict=True))
