"""The state of a search for few hops, as kernels keep it; and a move with its images."""

from typing import NamedTuple

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.graph.kernels.tables import linked
from topoloom.optimizer.kernels.moves import Moves, enter, switch_links

#: Most draws per wanted move; after them a kernel ends, because hardly any move is valid.
MOST_DRAWS = 200


class Batch(NamedTuple):
    """Scratch for moves that are searched together, at most one per lane of a row (`kernels.batches`).

    drawn : int64[8, 6]
        The moves that `propose` returned.
    jobs : int64[8, 13]
        The random state, the moves tried and the draws made after the move was drawn; by how much the cost may grow; number of
        ends; number of origins that may get nearer, their first lane and the lane after their last; their largest allowed cost,
        their hops and hops beyond the target, and pairs within the hops searched; whether the move may still be accepted.
    ends, fresh : int32[8, 4 g], int32[8, 4 g, K]
        The ends of each move, and their neighbours after it.
    lanes : uint64[8]
        Number of bits set in each lane.
    """

    drawn: np.ndarray
    jobs: np.ndarray
    ends: np.ndarray
    fresh: np.ndarray
    lanes: np.ndarray


#: Most hops: distances are stored as bytes.
FARTHEST = 250


class Hops(NamedTuple):
    """The hops of the current graph, without the rows of the first two hops; the same type for every graph.

    images : int32[g, n]
        The image of every switch under each symmetry, the identity first.
    origins, number : int32[r], int32[n]
        One switch per orbit, and its index among them; -1 for other switches.
    totals : int64[8]
        Hops, hops beyond the target, diameter (n: disconnected), and moves accepted so far; pairs within one and within two
        hops, and the same two before the current move.
    ends, done : int64[4 g], int64[g, 4]
        The switches whose links the current move changes, and the exchanges that it consists of.
    marked : bool[n]
        Scratch, all false.
    distances : uint8[n, stride]
        Hops from every switch to the origins, where stride is a multiple of 64; empty unless moves are filtered.
    row_hops, row_beyond, row_far : int64[r]
        Hops, hops beyond the target, and largest distance of each origin; for the filter.
    up, down : uint64[4 g, stride / 64], uint64[stride / 64]
        Origins from which each end gets farther; origins to which any end gets nearer.
    sources, starts : int32[r]
        The affected origins, nearer ones first: their indices among the origins, and the switches.
    wide, narrow : uint64, uint16 [2, 8 (n + 1)]
        Scratch for blocks of the filtered method: 512 and 128 sources.
    """

    images: np.ndarray
    origins: np.ndarray
    number: np.ndarray
    totals: np.ndarray
    ends: np.ndarray
    done: np.ndarray
    marked: np.ndarray
    distances: np.ndarray
    row_hops: np.ndarray
    row_beyond: np.ndarray
    row_far: np.ndarray
    up: np.ndarray
    down: np.ndarray
    sources: np.ndarray
    starts: np.ndarray
    wide: np.ndarray
    narrow: np.ndarray


class Rows(NamedTuple):
    """Stored rows of the first two hops: eight words per switch, and a last row with all sources of the block.

    The width of the words depends on the graph, so every function that takes them is compiled for each width.

    first, second : words[blocks, 8 n]
        The origins of a block within one hop, and within two hops, of each switch.
    saved : words[blocks, 8 * 4 g (K + 1)]
        Rows of `second` before the current move, of the switches `changed`, int32[4 g (K + 1)].
    distinct : int64[n]
        Origins within one hop of each switch, itself included.
    reach, ahead : words[8 (n + 1)]
        Scratch for a block of the full method.
    """

    first: np.ndarray
    second: np.ndarray
    saved: np.ndarray
    changed: np.ndarray
    distinct: np.ndarray
    reach: np.ndarray
    ahead: np.ndarray


@kernel
def make(moves: Moves, hops: Hops, u: int, u2: int, v: int, v2: int) -> tuple[int, int]:
    """Make a move with its images; return the number of its ends (0: not valid, nothing changed) and of its exchanges.

    An image that equals an earlier one, because a symmetry reverses the move, is omitted.
    """
    table, degree, images = moves.table, moves.degree, hops.images
    made = np.int64(0)
    for b in range(images.shape[0]):
        a, a2 = np.int64(images[b, u]), np.int64(images[b, u2])
        c, c2 = np.int64(images[b, v]), np.int64(images[b, v2])
        if linked(table, degree, a, a2) and linked(table, degree, c, c2):
            good = b == 0 or (not linked(table, degree, a, c) and not linked(table, degree, a2, c2))
        else:
            if linked(table, degree, a, c) and linked(table, degree, a2, c2):
                continue
            good = False
        if not good:
            unmake(table, hops.done, made)
            return 0, 0
        switch_links(table, a, a2, c, c2)
        hops.done[made, 0], hops.done[made, 1], hops.done[made, 2], hops.done[made, 3] = a, a2, c, c2
        made += 1
    ends = 0
    for exchange in range(made):
        for e in range(4):
            i = hops.done[exchange, e]
            if not hops.marked[i]:
                hops.marked[i] = True
                hops.ends[ends] = i
                ends += 1
    for e in range(ends):
        hops.marked[hops.ends[e]] = False
    return ends, made


@kernel
def unmake(table: np.ndarray, done: np.ndarray, made: int) -> None:
    """Undo a move."""
    for exchange in range(made - 1, -1, -1):
        switch_links(table, done[exchange, 0], done[exchange, 2], done[exchange, 1], done[exchange, 3])


@stage
def copy(to: np.ndarray, values: np.ndarray) -> None:
    """``to[:] = values`` in two dimensions, which Numba compiles for seconds because of the text of an error."""
    for i in range(to.shape[0]):
        for k in range(to.shape[1]):
            to[i, k] = values[i, k]


@inner
def keep(
    moves: Moves,
    totals: np.ndarray,
    drawn: tuple[int, ...],
    best: np.ndarray,
    best_totals: np.ndarray,
    walked: int,
    beyond: int,
    diameter: int,
) -> None:
    """Record an accepted move: the list of links, the totals, and the graph if it is the best so far."""
    enter(moves, *drawn)
    totals[0], totals[1], totals[2] = walked, beyond, diameter
    totals[3] += 1
    if diameter < best_totals[0] or (diameter == best_totals[0] and walked < best_totals[1]):
        best_totals[0], best_totals[1] = diameter, walked
        copy(best, moves.table)


@stage
def lost(totals: np.ndarray, diameter: int, n: int) -> bool:
    """Whether a graph with this diameter (n: disconnected) must be rejected.

    A connected graph stays connected, and distances that fit into bytes stay so; hence all methods give the same result.
    """
    return bool((diameter == n and totals[2] < n) or (diameter > FARTHEST and totals[2] <= FARTHEST))
