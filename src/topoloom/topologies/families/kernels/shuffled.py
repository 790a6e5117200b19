"""Cords of shuffle boxes are exchanged until no lane is lost: neither from a switch to itself nor a second first of a pair."""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel
from topoloom.core.random_streams.kernels import next_below


@inner
def _lanes_of(table: np.ndarray, filled: np.ndarray, u: int, v: int) -> int:
    count = 0
    for slot in range(filled[u]):
        count += table[u, slot] == v
    return count


@inner
def _forget(table: np.ndarray, filled: np.ndarray, u: int, v: int) -> None:
    for slot in range(filled[u]):
        if table[u, slot] == v:
            filled[u] -= 1
            table[u, slot] = table[u, filled[u]]
            return


@inner
def _put(
    table: np.ndarray, filled: np.ndarray, switch_at: np.ndarray, opposite: np.ndarray, box: int, place: int, least: int
) -> int:
    """Add the lanes of the cord at r-port `place` of a box to boxes from `least`; return how many of them are lost."""
    u = switch_at[box, place]
    lost = 0
    for port in range(opposite.shape[1]):
        other = opposite[box, port]
        if other < least:
            continue
        v = switch_at[other, place]
        if u < 0 or v < 0:
            continue
        if u == v:
            lost += 1
            continue
        lost += _lanes_of(table, filled, u, v) > 0
        table[u, filled[u]] = v
        filled[u] += 1
        table[v, filled[v]] = u
        filled[v] += 1
    return lost


@inner
def _take(
    table: np.ndarray, filled: np.ndarray, switch_at: np.ndarray, opposite: np.ndarray, box: int, place: int
) -> None:
    """Remove the lanes of the cord at r-port `place` of a box."""
    u = switch_at[box, place]
    for port in range(opposite.shape[1]):
        other = opposite[box, port]
        if other < 0:
            continue
        v = switch_at[other, place]
        if u >= 0 and v >= 0 and v != u:
            _forget(table, filled, u, v)
            _forget(table, filled, v, u)


@inner
def _put_again(
    table: np.ndarray,
    filled: np.ndarray,
    switch_at: np.ndarray,
    opposite: np.ndarray,
    box: int,
    first: int,
    other: int,
    exchanged: bool,
) -> int:
    """Pull the cords at two r-ports of a box and plug them in again, exchanged or not; return how many lanes are lost then."""
    _take(table, filled, switch_at, opposite, box, first)
    _take(table, filled, switch_at, opposite, box, other)
    if exchanged:
        switch_at[box, first], switch_at[box, other] = switch_at[box, other], switch_at[box, first]
    return _put(table, filled, switch_at, opposite, box, first, 0) + _put(
        table, filled, switch_at, opposite, box, other, 0
    )


@inner
def _bad(
    table: np.ndarray, filled: np.ndarray, switch_at: np.ndarray, opposite: np.ndarray, box: int, place: int
) -> bool:
    """Whether a lane of the cord at r-port `place` of a box is lost."""
    u = switch_at[box, place]
    for port in range(opposite.shape[1]):
        other = opposite[box, port]
        if other < 0:
            continue
        v = switch_at[other, place]
        if v >= 0 and (u == v or _lanes_of(table, filled, u, v) > 1):
            return True
    return False


@inner
def _put_all(table: np.ndarray, filled: np.ndarray, switch_at: np.ndarray, opposite: np.ndarray) -> int:
    """Fill the table with all lanes; return how many are lost."""
    filled[:] = 0
    lost = 0
    for box in range(switch_at.shape[0]):
        for place in range(switch_at.shape[1]):
            lost += _put(table, filled, switch_at, opposite, box, place, box)
    return lost


@kernel
def exchange_cords(
    table: np.ndarray,
    filled: np.ndarray,
    switch_at: np.ndarray,
    opposite: np.ndarray,
    state: np.ndarray,
    passes: int,
    first_box: int,
) -> int:
    """Exchange cords within boxes from `first_box` on, in place, until no lane is lost or `passes` are over.

    Returns the number of lost lanes.

    table int32[n, lanes of a switch], filled int32[n]: scratch. switch_at int32[boxes, r], opposite int32[boxes, c]: as in
    `ShuffleBoxes`; free r-ports are the last of a box, and no trunk joins two ports of first box. A lane is lost if it joins a
    switch to itself, or two switches that another lane joins. Each pass tries up to r exchanges for each lost lane; cost
    O(r lanes) per exchange.
    """
    lost = _put_all(table, filled, switch_at, opposite)
    for _ in range(passes):
        if lost == 0:
            break
        for box in range(first_box, switch_at.shape[0]):
            used = 0
            while used < switch_at.shape[1] and switch_at[box, used] >= 0:
                used += 1
            for place in range(used):
                if not _bad(table, filled, switch_at, opposite, box, place):
                    continue
                for _ in range(used):
                    other = next_below(state, used)
                    if other == place:
                        continue
                    before = _put_again(table, filled, switch_at, opposite, box, place, other, False)
                    if _put_again(table, filled, switch_at, opposite, box, place, other, True) < before:
                        break
                    _put_again(table, filled, switch_at, opposite, box, place, other, True)
        lost = _put_all(table, filled, switch_at, opposite)
    return lost
