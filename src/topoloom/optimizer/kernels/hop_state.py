"""The hops of a graph running, as kernels keep them; and a move with its images."""

from typing import NamedTuple

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.graph.kernels.tables import linked
from topoloom.optimizer.kernels.moves import Moves, enter, switch_links

#: Draws for each move wanted after which a kernel gives up: hardly any is valid.
MOST_DRAWS = 200


class Batch(NamedTuple):
    """Room for moves that are searched together, at most one a lane of a row (`kernels.batches`).

    drawn : int64[8, 6]
        What `propose` gave.
    jobs : int64[8, 13]
        The random state, the moves tried and the draws made after it was drawn; by how much the cost may grow; how many
        ends; how many origins may get nearer, their first lane and the one behind their last; what they may cost at most,
        their hops and hops beyond, and pairs within the hops searched; whether the move may still be accepted.
    ends, fresh : int32[8, 4 g], int32[8, 4 g, K]
        Its ends, and their neighbours after it.
    lanes : uint64[8]
        Bits set in each lane.
    """

    drawn: np.ndarray
    jobs: np.ndarray
    ends: np.ndarray
    fresh: np.ndarray
    lanes: np.ndarray


#: Distances are kept as bytes: no more hops than this.
FARTHEST = 250


class Hops(NamedTuple):
    """The hops of a graph running, but for the rows of the first two; the same type for every size of a graph.

    images : int32[g, n]
        The image of every switch under each symmetry, the identity first.
    origins, number : int32[r], int32[n]
        A switch of each orbit, and its place among them; -1 for the others.
    totals : int64[8]
        Hops, hops beyond the target, diameter (n: disconnected), and the moves accepted so far; pairs within one and
        within two hops, and the same before the move running.
    ends, done : int64[4 g], int64[g, 4]
        The switches whose links the move running changes, and the exchanges that make it up.
    marked : bool[n]
        Room, all false.
    distances : uint8[n, stride]
        Hops from every switch to the origins, stride a multiple of 64; empty unless moves are filtered.
    row_hops, row_beyond, row_far : int64[r]
        Of each origin the hops, those beyond the target, and the farthest switch; for the filter.
    up, down : uint64[4 g, stride / 64], uint64[stride / 64]
        Origins that each of the ends gets farther from; origins that any of them gets nearer to.
    sources, starts : int32[r]
        The origins affected, nearer ones first: their places among the origins, and the switches.
    wide, narrow : uint64, uint16 [2, 8 (n + 1)]
        Room for blocks of the filtered method: 512, 128 sources.
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
    """Kept rows of the first two hops: eight words a switch, and a last one for "every source of the block".

    How wide the words are depends on the graph, so whatever takes these is compiled for each width.

    first, second : words[blocks, 8 n]
        Which origins of a block are a switch or within one hop, within two.
    saved : words[blocks, 8 * 4 g (K + 1)]
        Rows of `second` before the move running, those of the switches `changed`, int32[4 g (K + 1)].
    distinct : int64[n]
        Origins within one hop of each switch, itself included.
    reach, ahead : words[8 (n + 1)]
        Room for a block of the full method.
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
    """Make a move with its images: how many ends it has (0: it is none, and nothing was changed), how many exchanges.

    An image that other images have made already, because a symmetry turns the move around, is omitted.
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
    """Take a move back."""
    for exchange in range(made - 1, -1, -1):
        switch_links(table, done[exchange, 0], done[exchange, 2], done[exchange, 1], done[exchange, 3])


@stage
def copy(to: np.ndarray, values: np.ndarray) -> None:
    """``to[:] = values``, two dimensions: Numba compiles that for seconds, most of them for the text of an error."""
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
    """Enter a move that was made and is kept: the list of links, the totals, and the graph if it is the best so far."""
    enter(moves, *drawn)
    totals[0], totals[1], totals[2] = walked, beyond, diameter
    totals[3] += 1
    if diameter < best_totals[0] or (diameter == best_totals[0] and walked < best_totals[1]):
        best_totals[0], best_totals[1] = diameter, walked
        copy(best, moves.table)


@stage
def lost(totals: np.ndarray, diameter: int, n: int) -> bool:
    """Whether a graph with this diameter (n: disconnected) is farther than any that a search goes on to.

    A connected graph never comes apart, and one whose distances fit bytes never leaves them: so all methods do the same.
    """
    return bool((diameter == n and totals[2] < n) or (diameter > FARTHEST and totals[2] <= FARTHEST))
