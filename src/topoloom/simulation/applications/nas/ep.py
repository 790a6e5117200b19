"""EP: random numbers, each rank by itself, and three sums at the end."""

from topoloom.simulation.applications.nas.actions import DOUBLE, LOGICAL, TraceLines
from topoloom.simulation.applications.nas.skeleton import ClockedParts, NasRun, check_ranks, share, skeleton
from topoloom.simulation.applications.program import RankTraces

SIZES = {"S": 24, "W": 25, "A": 28, "B": 30, "C": 32, "D": 36}
"""Pairs of random numbers, as a power of two, by class."""

_BATCH = 16  # pairs per batch, as a power of two


def ep(run: NasRun) -> RankTraces:
    """Return the skeleton of EP; its operations are the random numbers, two per pair; ranks share batches of 65,536 pairs.

    Source: NAS reports 95-020 and 02-007; the program of NPB3.3-MPI.
    """
    exponent = SIZES[run.size]
    batches = 1 << exponent - _BATCH
    check_ranks("ep", run.ranks, f"at most {batches} for class {run.size}", lambda ranks: ranks <= batches)

    def parts(me: TraceLines) -> ClockedParts:
        numbers = share(batches, run.ranks, me.number) * 2.0 ** (_BATCH + 1)
        sums = me.allreduce(1, DOUBLE) * 2 + me.allreduce(10, DOUBLE)
        return ClockedParts(me.bcast(1, LOGICAL) + me.barrier(), me.compute(numbers) + sums, me.allreduce(1, DOUBLE))

    return skeleton("ep", run, 2.0 ** (exponent + 1), parts)
