"""IS: a bucket sort of whole numbers; how many keys ranks exchange depends on the keys themselves."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from topoloom.simulation.applications.nas.actions import DOUBLE, INTEGER, TraceLines
from topoloom.simulation.applications.nas.skeleton import ClockedParts, NasRun, check_ranks, is_power_of_two, skeleton
from topoloom.simulation.applications.program import RankTraces

SIZES = {"S": (16, 11, 9), "W": (20, 16, 10), "A": (23, 19, 10), "B": (25, 21, 10), "C": (27, 23, 10)}
"""Powers of two of the keys, of their values and of the buckets, by class."""

_ITERATIONS = 10
_TESTED = 5  # keys checked in each iteration; their values travel with the bucket sizes
_SEED = 314159265
_CHUNKS = 1024  # pieces of the keys: the most ranks
#: The random numbers of the benchmarks: x times 5^13 modulo 2^46.
MULTIPLIER = 5**13
MASK = np.uint64((1 << 46) - 1)


def integer_sort(run: NasRun) -> RankTraces:
    """Return the skeleton of IS; its operations are the keys ranked.

    Ranks sum the sizes of their buckets, assign consecutive buckets to each rank until it has its share of the keys, exchange
    how many keys they send, and send them. The keys are the benchmark's own, from its random numbers; each iteration changes
    two keys of rank 0, as the benchmark does. One untimed iteration comes first.

    Source: NAS reports 95-020 and 02-007; the program of NPB3.3-MPI.
    """
    keys, _, buckets = SIZES[run.size]
    most = 128 if run.size == "S" else 1024
    rule = f"a power of two of at most {most} for class {run.size}"
    check_ranks("is", run.ranks, rule, lambda ranks: is_power_of_two(ranks) and ranks <= most)
    steps = run.steps(_ITERATIONS)

    def parts(me: TraceLines) -> ClockedParts:
        moves, timed = [], ""
        for moved in _moved(run.size, run.ranks, steps):
            sent, received = moved[me.number].tolist(), moved[:, me.number].tolist()
            sizes = me.allreduce((1 << buckets) + _TESTED, INTEGER) + me.alltoall(1, INTEGER)
            moves.append(sizes + me.alltoallv(sent, received, INTEGER))
            # Half of the work puts the rank's own keys into buckets, half ranks the received keys.
            timed += me.compute(0.5 * sum(sent)) + moves[-1] + me.compute(0.5 * sum(received))
        check = me.irecv(me.number - 1, 1000, 1, INTEGER) if me.number > 0 else ""
        check += me.send(me.number + 1, 1000, 1, INTEGER) if me.number < run.ranks - 1 else ""
        check += me.wait_received(me.number - 1, 1000) if me.number > 0 else ""
        return ClockedParts(
            me.bcast(1, INTEGER) + moves[0], timed, me.reduce(1, DOUBLE) + check + me.reduce(1, INTEGER)
        )

    return skeleton("is", run, float(steps << keys), parts)


@lru_cache(maxsize=2)
def _moved(size: str, ranks: int, steps: int) -> list[NDArray[np.int32]]:
    """Return the keys that each rank (row) sends to each rank (column), per iteration."""
    keys, values, buckets = SIZES[size]
    shift = values - buckets
    sizes = _histogram(keys, buckets).reshape(ranks, -1, 1 << buckets).sum(1)
    first = _first_keys(2 * steps + 1, values)
    moves = []
    for step in range(1, steps + 1):
        # Rank 0 changes two keys in each iteration, and keeps the changes of earlier iterations.
        for place, value in ((step, step), (step + steps, (1 << values) - step)):
            sizes[0, first[place] >> shift] -= 1
            sizes[0, value >> shift] += 1
        owner = np.minimum(
            _owners(sizes.sum(0), (1 << keys) // ranks), ranks - 1
        )  # empty buckets may remain at the end
        moved = np.zeros((ranks, ranks), np.int32)
        np.add.at(moved.T, owner, sizes.T)
        moves.append(moved)
    return moves


def _owners(totals: NDArray[np.int64], share: int) -> NDArray[np.int64]:
    """Return the rank that gets each bucket."""
    owner = np.empty(len(totals), np.int64)
    rank, so_far = 0, 0
    for bucket, total in enumerate(totals.tolist()):
        owner[bucket] = rank
        so_far += total
        rank += so_far >= (rank + 1) * share
    return owner


@lru_cache(maxsize=2)
def _histogram(keys: int, buckets: int) -> NDArray[np.int64]:
    """Return the bucket sizes of each of 1,024 pieces (64 for the smallest class) of the keys, in the order of the ranks."""
    pieces = min(_CHUNKS, 1 << keys - 9)
    length = (1 << keys) // pieces
    sizes = np.empty((pieces, 1 << buckets), np.int64)
    numbers = sequence(4 * length)
    jump, start = power(MULTIPLIER, 4 * length), _SEED
    for piece in range(pieces):
        sums = ((numbers * np.uint64(start)) & MASK).reshape(-1, 4).sum(1)
        # A key is the sum of four random numbers below 2^46, scaled from 2^48 to the largest key; its first bits are its
        # bucket.
        sizes[piece] = np.bincount((sums >> np.uint64(48 - buckets)).astype(np.int64), minlength=1 << buckets)
        start = start * jump % (1 << 46)
    return sizes


def _first_keys(number: int, values: int) -> list[int]:
    """Return the first keys of rank 0."""
    sums = ((sequence(4 * number) * np.uint64(_SEED)) & MASK).reshape(-1, 4).sum(1)
    return [int(key) for key in sums >> np.uint64(48 - values)]


def power(multiplier: int, exponent: int) -> int:
    """Return the factor of `exponent` steps of the generator."""
    return pow(multiplier, exponent, 1 << 46)


def sequence(length: int) -> NDArray[np.uint64]:
    """Return the factors of 1, 2, ..., `length` steps: times a seed, modulo 2^46, they give the numbers after the seed.

    Examples
    --------
    >>> sequence(4).tolist()[1] == 5**26 % 2**46
    True
    """
    steps = np.array([MULTIPLIER], np.uint64)
    while len(steps) < length:
        # Products wrap modulo 2^64, which 2^46 divides.
        steps = np.concatenate([steps, (steps * np.uint64(power(MULTIPLIER, len(steps)))) & MASK])
    return steps[:length]
