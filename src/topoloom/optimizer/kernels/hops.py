"""The effect of a move on the hops of all pairs: bit-parallel search with early rejection, and the filter of affected sources.

Two sums over ordered pairs are stored for a graph: their hops, and their hops beyond a target diameter. The cost of a graph is
hops + weight * beyond. A round of a search adds one hop for every pair not reached yet, so the cost so far is a lower bound,
and a move whose bound exceeds the accepted cost is dropped at once; this is exact.

The methods to evaluate a move give the same answer:

* full: every source, 512 per block, starting from bit rows of the first two hops that are updated with the moves. A block
  counts only itself and later switches, the later ones twice.
* filtered: the hops D[s, t] are stored. A source s changes only if, for one of the four ends v of the move,
  1 + min D[s, w] over v's new neighbours w differs from D[s, v] (distances are unique). If it is never less, s gets farther
  from v and nothing gets nearer: a lower bound without any search. So
    sources to which some switch may get nearer are searched first, in narrow rows, and the others only if the move is still
    good.
* shallow: as filtered, with a lower bound from the stored rows of two hops before any search.
* together: as filtered, with the sources of several moves in one first search (`kernels.batches`).

A graph may have symmetries, permutations of its switches without fixed points. Then a move is made with all its images, and
searches start only from one switch of each orbit, the origins; sums are over pairs of an origin and any switch.
"""

import numpy as np

from topoloom.core.compiling.decorators import kernel
from topoloom.core.random_streams.kernels import next_word
from topoloom.optimizer.kernels.filter import accept, filtered_change, list_affected, surely_worse
from topoloom.optimizer.kernels.hop_state import MOST_DRAWS, Hops, Rows, keep, lost, make, unmake
from topoloom.optimizer.kernels.moves import Moves, enter, propose
from topoloom.optimizer.kernels.rows import enter_move, evaluate, restore

#: The methods to evaluate a move; the last is `topoloom.optimizer.kernels.batches.anneal_together`.
FULL, FILTERED, SHALLOW, TOGETHER = 0, 1, 2, 3
#: More than any cost.
NEVER = np.int64(1) << np.int64(60)


@kernel
def mix(moves: Moves, hops: Hops, state: np.ndarray, count: int) -> None:
    """Make `count` random moves regardless of cost (Nakano 2016, III, step 2); rows and distances must be computed again."""
    for _ in range(count):
        drawn = propose(moves, state)
        if drawn[0] >= 0 and make(moves, hops, drawn[0], drawn[1], drawn[2], drawn[3])[0]:
            enter(moves, *drawn)


@kernel
def sample_changes(
    moves: Moves, hops: Hops, rows: Rows, state: np.ndarray, target: int, weight: int, changes: np.ndarray
) -> int:
    """Write to `changes` (int64) by how much random moves would change the cost, without making them; return how many."""
    table, totals = moves.table, hops.totals
    count = 0
    for _ in range(MOST_DRAWS * changes.size):
        if count == changes.size:
            break
        u, u2, v, v2, _one, _other = propose(moves, state)
        if u < 0:
            continue
        ends, made = make(moves, hops, u, u2, v, v2)
        if ends == 0:
            continue
        saved = enter_move(table, hops, rows, ends)
        walked, beyond, _diameter = evaluate(table, hops, rows, target, weight, NEVER)
        changes[count] = walked - totals[0] + weight * (beyond - totals[1])
        count += 1
        unmake(table, hops.done, made)
        restore(table, hops, rows, ends, saved)
    return count


@kernel
def anneal(
    moves: Moves,
    hops: Hops,
    rows: Rows,
    best: np.ndarray,
    best_totals: np.ndarray,
    state: np.ndarray,
    thresholds: np.ndarray,
    temperature: float,
    target: int,
    weight: int,
    method: int,
    count: int,
) -> int:
    """Try up to `count` valid moves at one temperature; return how many were tried.

    Metropolis: a move is kept if the cost grows by no more than temperature times a random threshold (`thresholds`,
    float32[4096]), which is drawn first. The best graph so far, by diameter and then hops, is kept in `best` (int32[n, K])
    and `best_totals` (int64[2]: diameter, hops). `method` is FULL, FILTERED or SHALLOW (filtered, with stored rows). The
    fastest one depends on graph and temperature; the moves and results do not depend on the method.
    """
    table, totals = moves.table, hops.totals
    tried = 0
    for _ in range(MOST_DRAWS * count):
        if tried == count:
            break
        drawn = propose(moves, state)
        if drawn[0] < 0:
            continue
        ends, made = make(moves, hops, drawn[0], drawn[1], drawn[2], drawn[3])
        if ends == 0:
            continue
        tried += 1
        room = np.int64(temperature * thresholds[next_word(state) >> np.uint64(52)])
        affected = 0
        saved = 0
        diameter = np.int64(0)
        if method != FILTERED:
            saved = enter_move(table, hops, rows, ends)
        if method != FULL:
            nearer, affected, farther = list_affected(table, hops, ends)
            walked, beyond = np.int64(-1), np.int64(0)
            if method != SHALLOW or not surely_worse(table, hops, rows, nearer, farther, target, weight, room):
                walked, beyond = filtered_change(table, hops, nearer, affected, farther, target, weight, room)
        else:
            most = totals[0] + weight * totals[1] + room
            walked, beyond, diameter = evaluate(table, hops, rows, target, weight, most)
            if diameter < 0 or walked + weight * beyond > most or lost(totals, diameter, table.shape[0]):
                walked = np.int64(-1)
        if walked < 0:
            unmake(table, hops.done, made)
            if method != FILTERED:
                restore(table, hops, rows, ends, saved)
            continue
        if method != FULL:
            diameter = accept(table, hops, affected, target)
        keep(moves, hops.totals, drawn, best, best_totals, walked, beyond, diameter)
    return tried
