"""Annealing by 2-opt moves for links with lengths: the delays of all pairs are stored, and a price of the links.

The energy of a graph is a sum over ordered pairs of `pair_cost[delay]`, a table, and a sum over links of `link_cost[kind]`.
So one kernel serves every goal: mean delay, delays beyond a cap, power, cost, and weighted sums. All are whole numbers.

A move is evaluated source by source, from a random one on, in steps that spread over all. The move is dropped if the sources so
far show, by three standard errors, that the change exceeds the accepted one; so most moves cost only a few sources. Accepted
moves are summed over all sources, so the energy is exact.
"""

import math
from typing import NamedTuple

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel, stage
from topoloom.core.random_streams.kernels import next_below, next_word
from topoloom.optimizer.kernels.moves import Moves, enter, propose
from topoloom.optimizer.kernels.repair import FAR, RepairScratch, Whole, fill_row, repair_row, touches

#: Number of sources after which a move is first tested; then after twice as many, and so on.
_FIRST_LOOK = 32
#: Number of standard errors by which an estimate must exceed the threshold.
_SURE = 3.0
#: Entries of `Weighted.totals`.
PAIRS, LINKS, ACCEPTED, BEST, TOP = 0, 1, 2, 3, 4
#: More than any change of energy.
_ANY = np.int64(1) << np.int64(62)


class Weighted(NamedTuple):
    """The current graph with its delays.

    delay : uint16[n, K]
        The delay of the link in each slot of the moves' table; FAR if the slot holds no link.
    sources, shares : int32[r], int64[r]
        The switches from which rows start, and the number of switches that each represents by symmetry.
    rows : uint16[r, n]
        The least delay from each source.
    images : int32[g, n]
        The symmetries that every move keeps, the identity first: the image of every switch.
    kind : uint16[n, n]
        The kind of length of a link between two switches.
    kind_delay, link_cost : uint16[kinds], int64[kinds]
        The delay, and the energy, of a link of each kind.
    pair_cost : int64[FAR + 1]
        The energy of an ordered pair by its delay; never decreases.
    totals : int64[5]
        At `PAIRS`, `LINKS`, `ACCEPTED`, `BEST` and `TOP`:
        the energy of pairs and of links, moves accepted, the best energy, and the largest delay below FAR of any pair so far.
    counts, best_counts : int64[FAR + 1]
        Number of ordered pairs with each delay, in the current and in the best graph.
    best : int32[n, K]
        The table of the best graph.
    journal, journal_rows : uint32[most, 2], int32[r, 2]
        The changes of the current move, (switch, delay before), and for each row the end of its part.
    """

    delay: np.ndarray
    sources: np.ndarray
    shares: np.ndarray
    rows: np.ndarray
    images: np.ndarray
    kind: np.ndarray
    kind_delay: np.ndarray
    link_cost: np.ndarray
    pair_cost: np.ndarray
    totals: np.ndarray
    counts: np.ndarray
    best: np.ndarray
    best_counts: np.ndarray
    journal: np.ndarray
    journal_rows: np.ndarray


@stage
def _enter_count(graph: Weighted, delay: int, share: int) -> None:
    graph.counts[delay] += share
    if delay < FAR and delay > graph.totals[TOP]:
        graph.totals[TOP] = delay


@kernel
def fill(table: np.ndarray, graph: Weighted, work: RepairScratch) -> None:
    """Compute all rows and counts again."""
    graph.counts[:] = 0
    for r in range(graph.sources.size):
        row = graph.rows[r]
        fill_row(table, graph.delay, graph.sources[r], row, work)
        for v in range(row.size):
            _enter_count(graph, row[v], graph.shares[r])
        graph.counts[0] -= graph.shares[r]


@inner
def _relink(table: np.ndarray, delay: np.ndarray, u: int, old: int, new: int, new_delay: int) -> None:
    slot = 0
    while table[u, slot] != old:
        slot += 1
    table[u, slot] = new
    delay[u, slot] = new_delay


@inner
def _orbits(graph: Weighted, u: int, u2: int, v: int, v2: int, gone: np.ndarray, come: np.ndarray) -> bool:
    """Write the removed and added links with all their images, int32[2 g, 3]; return whether all of them are different."""
    g = len(graph.images)
    for i in range(g):
        image = graph.images[i]
        gone[i, 0], gone[i, 1], gone[g + i, 0], gone[g + i, 1] = image[u], image[u2], image[v], image[v2]
        come[i, 0], come[i, 1], come[g + i, 0], come[g + i, 1] = image[u], image[v], image[u2], image[v2]
    kinds = graph.kind_delay
    for first, a, b in ((gone, u, u2), (come, u, v)):
        first[:g, 2] = kinds[graph.kind[a, b]]
    gone[g:, 2] = kinds[graph.kind[v, v2]]
    come[g:, 2] = kinds[graph.kind[u2, v2]]
    if g > 1:
        for links in (gone, come):
            for i in range(2 * g):
                for j in range(i):
                    same = links[i, 0] == links[j, 0] and links[i, 1] == links[j, 1]
                    if same or (links[i, 0] == links[j, 1] and links[i, 1] == links[j, 0]):
                        return False
    return True


@inner
def _exchange(table: np.ndarray, delay: np.ndarray, gone: np.ndarray, come: np.ndarray) -> None:
    """Replace the links of `gone` with those of `come`, in the order of `_orbits`; with exchanged arguments, undo it."""
    g = len(gone) // 2
    for i in range(g):
        u, u2, v, v2 = gone[i, 0], gone[i, 1], gone[g + i, 0], gone[g + i, 1]
        _relink(table, delay, u, u2, v, come[i, 2])
        _relink(table, delay, u2, u, v2, come[g + i, 2])
        _relink(table, delay, v, v2, u, come[i, 2])
        _relink(table, delay, v2, v, u2, come[g + i, 2])


@inner
def _change(
    table: np.ndarray,
    graph: Weighted,
    work: RepairScratch,
    gone: np.ndarray,
    come: np.ndarray,
    start: int,
    step: int,
    most: Whole,
) -> tuple[bool, Whole, int, int]:
    """Compute the change of the energy of pairs; return (whether it is at most `most`, the change, changed rows, work done).

    table and graph.delay are those after the move. Rows are repaired in place, with the old values in the journal. If the first
    value is False, the change is only that of the sources visited; this also holds if the journal is full.
    """
    r, cost, journal = graph.sources.size, graph.pair_cost, graph.journal
    changed_rows, end, looked = 0, 0, 0
    total, squares = np.int64(0), 0.0
    at, look = np.int64(start), _FIRST_LOOK
    may = True
    while may and looked < r:
        row = graph.rows[at]
        if touches(row, gone, come):
            count = repair_row(table, graph.delay, row, gone, come, work)
            if end + count > len(journal):
                for j in range(count):
                    row[work.changed[j]] = work.before[j]
                return False, total, changed_rows, looked + end
            change = np.int64(0)
            for j in range(count):
                v = work.changed[j]
                change += cost[row[v]] - cost[work.before[j]]
                journal[end + j, 0], journal[end + j, 1] = v, work.before[j]
            end += count
            graph.journal_rows[changed_rows, 0], graph.journal_rows[changed_rows, 1] = at, end
            changed_rows += 1
            change *= graph.shares[at]
            total += change
            squares += float(change) * float(change)
            # The remaining sources cannot reduce the energy by more than that of all pairs.
            may = bool(total - graph.totals[PAIRS] <= most)
        looked += 1
        if looked == look and look < r:
            mean = float(total) / look
            error = math.sqrt(max(0.0, squares / look - mean * mean) * (1.0 / look - 1.0 / r))
            may = may and bool(r * (mean - _SURE * error) <= most)
            look *= 2
        at = at + step if at + step < r else at + step - r
    return bool(may and total <= most), total, changed_rows, looked + end


@inner
def _take_back(graph: Weighted, changed_rows: int) -> None:
    """Restore the rows before the move from the journal."""
    begin = 0
    for i in range(changed_rows):
        row, end = graph.rows[graph.journal_rows[i, 0]], graph.journal_rows[i, 1]
        for j in range(begin, end):
            row[graph.journal[j, 0]] = graph.journal[j, 1]
        begin = end


@kernel
def _count(graph: Weighted, changed_rows: int) -> None:
    """Update the counts after an accepted move, from the journal."""
    begin = 0
    for i in range(changed_rows):
        at, end = graph.journal_rows[i, 0], graph.journal_rows[i, 1]
        row, share = graph.rows[at], graph.shares[at]
        for j in range(begin, end):
            graph.counts[graph.journal[j, 1]] -= share
            _enter_count(graph, row[graph.journal[j, 0]], share)
        begin = end


@kernel
def _price(graph: Weighted, u: int, u2: int, v: int, v2: int) -> int:
    """The change of the energy of links when u - u2 and v - v2 become u - v and u2 - v2, with all their images."""
    cost, kind = graph.link_cost, graph.kind
    each: int = cost[kind[u, v]] + cost[kind[u2, v2]] - cost[kind[u, u2]] - cost[kind[v, v2]]
    return len(graph.images) * each


@allocating
def changes(moves: Moves, graph: Weighted, work: RepairScratch, step: int, state: np.ndarray, out: np.ndarray) -> int:
    """Write to `out`, int64, the absolute changes of energy of random moves, without zeros; no move is made.

    Returns the number of changes found.
    """
    g = len(graph.images)
    gone, come = np.empty((2 * g, 3), np.int32), np.empty((2 * g, 3), np.int32)
    count = 0
    for _ in range(100 * out.size):
        u, u2, v, v2, _first, _second = propose(moves, state)
        if count < out.size and u >= 0 and _orbits(graph, u, u2, v, v2, gone, come):
            _exchange(moves.table, graph.delay, gone, come)
            _, change, rows, _ = _change(moves.table, graph, work, gone, come, 0, step, _ANY)
            _take_back(graph, rows)
            _exchange(moves.table, graph.delay, come, gone)
            out[count] = abs(change + _price(graph, u, u2, v, v2))
            count += out[count] > 0
    return count


@allocating
def mix(moves: Moves, graph: Weighted, state: np.ndarray, tries: int) -> None:
    """Make every valid move out of `tries` random ones (2-toggles); rows and counts are not updated."""
    g = len(graph.images)
    gone, come = np.empty((2 * g, 3), np.int32), np.empty((2 * g, 3), np.int32)
    for _ in range(tries):
        u, u2, v, v2, first, second = propose(moves, state)
        if u >= 0 and _orbits(graph, u, u2, v, v2, gone, come):
            _exchange(moves.table, graph.delay, gone, come)
            enter(moves, u, u2, v, v2, first, second)


@allocating
def anneal(
    moves: Moves,
    graph: Weighted,
    work: RepairScratch,
    step: int,
    state: np.ndarray,
    thresholds: np.ndarray,
    temperature: float,
    tries: int,
    effort: int,
) -> int:
    """Try up to `tries` moves at one temperature, until the work reaches `effort`; return the number of valid moves tried.

    step: the stride between visited sources, coprime to their number. thresholds: float32[4096]; a move may add `temperature`
    times a random threshold to the energy (Metropolis). effort: draws, visited sources and changed delays, about 100 ns each.
    """
    g = len(graph.images)
    gone, come = np.empty((2 * g, 3), np.int32), np.empty((2 * g, 3), np.int32)
    totals, table = graph.totals, moves.table
    tried = spent = 0
    while tried < tries and spent < effort:
        spent += 1
        u, u2, v, v2, first, second = propose(moves, state)
        if u < 0 or not _orbits(graph, u, u2, v, v2, gone, come):
            continue
        tried += 1
        may = np.int64(temperature * thresholds[next_word(state) & np.uint64(4095)])
        price = _price(graph, u, u2, v, v2)
        # Skip the paths if even zero delays could not compensate for the price of the links.
        if price - totals[PAIRS] > may:
            continue
        start = next_below(state, graph.sources.size)
        _exchange(table, graph.delay, gone, come)
        good, change, rows, work_done = _change(table, graph, work, gone, come, start, step, may - price)
        spent += work_done
        if not good:
            _take_back(graph, rows)
            _exchange(table, graph.delay, come, gone)
            continue
        _count(graph, rows)
        enter(moves, u, u2, v, v2, first, second)
        totals[PAIRS] += change
        totals[LINKS] += price
        totals[ACCEPTED] += 1
        if totals[PAIRS] + totals[LINKS] < totals[BEST]:
            totals[BEST] = totals[PAIRS] + totals[LINKS]
            graph.best[:] = table
            for delay in range(totals[TOP] + 1):
                graph.best_counts[delay] = graph.counts[delay]
            graph.best_counts[FAR] = graph.counts[FAR]
    return tried
