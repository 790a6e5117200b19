"""Several moves in one search: if few moves are accepted, moves of the same graph share the rows of their affected origins.

A move changes only the neighbours of a few switches, its ends. So one round for several graphs, each of which differs from the
same graph by one move, is a round with the table of that graph; then the rows of each move's ends are computed again with their
new neighbours, in the 64-bit lanes of that move's origins. Full rows cost little more than narrow ones, because most of the
time goes into reading tables and addresses.

Moves are decided in order. After an accepted move, later ones, which were drawn for the earlier graph, are drawn again. So the
result is the same as with one move at a time.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel
from topoloom.core.random_streams.kernels import next_word
from topoloom.graph.kernels.simd import WORDS, add, load, ones_of, store, zeros
from topoloom.optimizer.kernels.filter import accept, filtered_change, list_affected, ones
from topoloom.optimizer.kernels.hop_state import MOST_DRAWS, Batch, Hops, keep, make, unmake
from topoloom.optimizer.kernels.moves import Moves, propose
from topoloom.optimizer.kernels.rows import collected

#: Columns of `Batch.jobs`.
_STATE, _TRIED, _DRAWS, _ROOM, _ENDS, _COUNT, _LANE, _STOP, _MOST, _FOUND, _BEYOND, _SEEN, _OPEN = range(13)


@kernel
def anneal_together(
    moves: Moves,
    hops: Hops,
    batch: Batch,
    best: np.ndarray,
    best_totals: np.ndarray,
    state: np.ndarray,
    thresholds: np.ndarray,
    temperature: float,
    target: int,
    weight: int,
    count: int,
) -> int:
    """`topoloom.optimizer.kernels.hops.anneal` with stored distances and several moves per search; return how
    many moves were tried."""
    table = moves.table
    tried, draws = np.int64(0), np.int64(0)
    while tried < count and draws < MOST_DRAWS * count:
        jobs, tried, draws = _gather(
            moves, hops, batch, state, thresholds, temperature, target, weight, tried, draws, count
        )
        _search(table, batch, jobs, hops.wide[0], hops.wide[1], target, weight)
        for j in range(jobs):
            job = batch.jobs[j]
            if not job[_OPEN]:
                continue
            u, u2, v, v2, first, second = batch.drawn[j]
            ends, made = make(moves, hops, u, u2, v, v2)
            nearer, affected, farther = list_affected(table, hops, ends)
            walked, beyond = filtered_change(table, hops, nearer, affected, farther, target, weight, job[_ROOM])
            if walked < 0:
                unmake(table, hops.done, made)
                continue
            diameter = accept(table, hops, affected, target)
            keep(moves, hops.totals, (u, u2, v, v2, first, second), best, best_totals, walked, beyond, diameter)
            state[0], tried, draws = np.uint64(job[_STATE]), job[_TRIED], job[_DRAWS]
            break
    return tried


@inner
def _gather(
    moves: Moves,
    hops: Hops,
    batch: Batch,
    state: np.ndarray,
    thresholds: np.ndarray,
    temperature: float,
    target: int,
    weight: int,
    tried: int,
    draws: int,
    count: int,
) -> tuple[int, int, int]:
    """Draw moves until the lanes are full, and enter their origins; return the numbers of jobs, moves tried and draws.

    A move that does not fit is put back. A move with more origins than a row has bits is a single job without a search.
    """
    table, reach = moves.table, hops.wide[0]
    reach[:] = 0
    jobs, lane = np.int64(0), np.int64(0)
    while jobs < WORDS and tried < count and draws < MOST_DRAWS * count:
        before = state[0]
        draws += 1
        drawn = propose(moves, state)
        if drawn[0] < 0:
            continue
        ends, made = make(moves, hops, drawn[0], drawn[1], drawn[2], drawn[3])
        if ends == 0:
            continue
        room = np.int64(temperature * thresholds[next_word(state) >> np.uint64(52)])
        nearer, _affected, farther = list_affected(table, hops, ends)
        stop = lane + (nearer + 63) // 64
        if stop > WORDS and jobs > 0:
            unmake(table, hops.done, made)
            state[0] = before
            draws -= 1
            break
        tried += 1
        for i in range(6):
            batch.drawn[jobs, i] = drawn[i]
        job = batch.jobs[jobs]
        job[_STATE], job[_TRIED], job[_DRAWS] = np.int64(state[0]), tried, draws
        job[_ROOM], job[_ENDS], job[_COUNT], job[_LANE], job[_STOP] = room, ends, nearer, lane, stop
        job[_MOST] = room - farther
        for i in range(nearer):
            source = hops.sources[i]
            job[_MOST] += hops.row_hops[source] + weight * hops.row_beyond[source]
        job[_FOUND] = nearer * (table.shape[0] - 1)
        job[_BEYOND] = job[_FOUND] if target < 1 else 0
        job[_SEEN], job[_OPEN] = 0, 1
        if stop <= WORDS:
            _enter_origins(table, hops.starts[:nearer], lane, reach)
        for e in range(ends):
            batch.ends[jobs, e] = hops.ends[e]
            for k in range(table.shape[1]):
                batch.fresh[jobs, e, k] = table[hops.ends[e], k]
        unmake(table, hops.done, made)
        jobs += 1
        lane = stop
    return jobs, tried, draws


@inner
def _enter_origins(table: np.ndarray, starts: np.ndarray, lane: int, reach: np.ndarray) -> None:
    """Set the bits of the first hop of a move's origins, from its first lane on, after the move is made."""
    for place in range(starts.size):
        s = np.int64(starts[place])
        word, bit = lane + (place >> 6), np.uint64(1) << np.uint64(place & 63)
        reach[s * WORDS + word] |= bit
        for k in range(table.shape[1]):
            reach[np.int64(table[s, k]) * WORDS + word] |= bit


@inner
def _search(
    table: np.ndarray, batch: Batch, jobs: int, reach: np.ndarray, ahead: np.ndarray, target: int, weight: int
) -> None:
    """Search from the origins of each move, entered in `reach`, and close jobs that cost too much."""
    if jobs == 0 or batch.jobs[0, _STOP] > WORDS:
        return
    n, degree = table.shape
    lanes = batch.lanes
    bits = zeros(reach)
    for i in range(np.uint64(n)):
        bits = add(bits, ones_of(load(reach, np.int64(i) * WORDS)))
    store(lanes, 0, bits)
    k = np.int64(1)
    while _count_round(batch, jobs, n, k, target, weight):
        bits = zeros(reach)
        for i in range(np.uint64(n)):
            row = collected(table, np.int64(i), reach)
            store(ahead, np.int64(i) * WORDS, row)
            bits = add(bits, ones_of(row))
        store(lanes, 0, bits)
        for j in range(jobs):
            job = batch.jobs[j]
            if not job[_OPEN]:
                continue
            for e in range(job[_ENDS]):
                at = np.int64(batch.ends[j, e]) * WORDS
                for word in range(job[_LANE], job[_STOP]):
                    own = reach[at + word]
                    for slot in range(degree):
                        own |= reach[np.int64(batch.fresh[j, e, slot]) * WORDS + word]
                    lanes[word] += np.uint64(ones(own) - ones(ahead[at + word]))
                    ahead[at + word] = own
        k += 1
        reach, ahead = ahead, reach


@inner
def _count_round(batch: Batch, jobs: int, n: int, k: int, target: int, weight: int) -> bool:
    """Add to each job one hop for all pairs that are not within k hops; return whether any job must be searched further."""
    searching = False
    for j in range(jobs):
        job = batch.jobs[j]
        if not job[_OPEN]:
            continue
        seen = np.int64(0)
        for word in range(job[_LANE], job[_STOP]):
            seen += np.int64(batch.lanes[word])
        left = job[_COUNT] * n - seen
        if left == 0:
            continue
        job[_FOUND] += left
        if k >= target:
            job[_BEYOND] += left
        if job[_FOUND] + weight * job[_BEYOND] > job[_MOST] or seen == job[_SEEN]:
            job[_OPEN] = 0  # cost too high, or disconnected
            continue
        job[_SEEN] = seen
        searching = True
    return searching
