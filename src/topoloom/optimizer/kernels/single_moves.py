"""Moves one by one, for functions that Python calls in between: draw and make a move, take it back, or keep it."""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel
from topoloom.core.random_streams.kernels import next_word
from topoloom.optimizer.kernels.moves import Moves, enter, propose, switch_links


@inner
def _connected(table: np.ndarray, degree: np.ndarray, waiting: np.ndarray, seen: np.ndarray) -> bool:
    """Whether every switch is reached from switch 0; waiting: int32[n], seen: uint8[n]."""
    seen[:] = 0
    seen[0] = 1
    waiting[0] = 0
    done, count = 0, 1
    while done < count:
        u = waiting[done]
        done += 1
        for slot in range(degree[u]):
            v = table[u, slot]
            if not seen[v]:
                seen[v] = 1
                waiting[count] = v
                count += 1
    return bool(count == degree.size)


@kernel
def is_connected(moves: Moves, waiting: np.ndarray, seen: np.ndarray) -> bool:
    """Whether the network is connected; parameters are those of `make_one`."""
    return bool(_connected(moves.table, moves.degree, waiting, seen))


@kernel
def make_one(
    moves: Moves, state: np.ndarray, draws: int, drawn: np.ndarray, waiting: np.ndarray, seen: np.ndarray
) -> tuple[int, bool]:
    """Draw random moves until one is valid, at most `draws`, and make it.

    Returns the number of draws, negative if none was valid, and whether the network is still connected. `drawn`, int64[6],
    receives the move; waiting, int32[n], and seen, uint8[n], are scratch.
    """
    for draw in range(draws):
        u, u2, v, v2, first, second = propose(moves, state)
        if u < 0:
            continue
        drawn[0], drawn[1], drawn[2], drawn[3], drawn[4], drawn[5] = u, u2, v, v2, first, second
        switch_links(moves.table, u, u2, v, v2)
        return draw + 1, bool(_connected(moves.table, moves.degree, waiting, seen))
    return -draws, False


@kernel
def take_back(moves: Moves, drawn: np.ndarray) -> None:
    """Undo the move of `make_one`."""
    switch_links(moves.table, drawn[0], drawn[2], drawn[1], drawn[3])


@kernel
def keep_one(moves: Moves, drawn: np.ndarray) -> None:
    """Enter the move of `make_one` in the list of links and the cost."""
    enter(moves, drawn[0], drawn[1], drawn[2], drawn[3], drawn[4], drawn[5])


@kernel
def next_threshold(state: np.ndarray) -> int:
    """Draw an entry of `topoloom.core.searches.metropolis_table`."""
    return np.int64(next_word(state) >> np.uint64(52))
