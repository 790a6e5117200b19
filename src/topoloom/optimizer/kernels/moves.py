"""Moves: two links exchange their ends (2-opt, 2-toggle), within the rules of which switches may be linked.

Adjacency is a table, int32[n, K]: the neighbours of each switch in any order; slots after a switch's degree hold the switch
itself, which has no effect on hops or delays.
"""

from typing import NamedTuple

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.core.random_streams.kernels import next_below, next_word
from topoloom.graph.kernels.tables import linked

#: Additional draws; the farthest switch of all draws is taken.
_FARTHER = 2
_NONE = (-1, 0, 0, 0, 0, 0)


class Moves(NamedTuple):
    """The current graph, and its allowed moves.

    table : int32[n, K]
        The neighbours.
    degree : int32[n]
        Number of slots of each row that are links.
    near_offsets, near : int64[n + 1], int32[...]
        CSR of the switches that each may be linked to, ascending; one offset only: any.
    apart : uint16[...]
        The distance of each entry of `near`, in any unit; empty: all equal.
    links : int32[m, 2]
        The links, grouped by class, with the same orientation in a class; empty unless moves must stay in a class.
    classes : int64[c + 1]
        The first link of each class; a link's partner is drawn from its class.
    group : int32[m]
        The class of each row of `links`.
    turns : bool[c]
        Whether the links of a class may be reversed: both ends are in one rack.
    kind : uint16[n, n]
        The kind of a link between any two switches, which determines its price; empty without a budget.
    price : int64[kinds]
        The price of a link of each kind; empty without a budget.
    spent : int64[2]
        The cost of all links, and its limit.
    fixed : bool[n, K]
        The slots whose links stay; moves do not change them. Empty if all may change.
    """

    table: np.ndarray
    degree: np.ndarray
    near_offsets: np.ndarray
    near: np.ndarray
    apart: np.ndarray
    links: np.ndarray
    classes: np.ndarray
    group: np.ndarray
    turns: np.ndarray
    kind: np.ndarray
    price: np.ndarray
    spent: np.ndarray
    fixed: np.ndarray


@stage
def _replace(table: np.ndarray, u: int, old: int, new: int) -> None:
    slot = 0
    while table[u, slot] != old:
        slot += 1
    table[u, slot] = new


@inner
def switch_links(table: np.ndarray, u: int, u2: int, v: int, v2: int) -> None:
    """Replace the links u - u2 and v - v2 with u - v and u2 - v2; ``switch_links(table, u, v, u2, v2)`` undoes it."""
    _replace(table, u, u2, v)
    _replace(table, u2, u, v2)
    _replace(table, v, v2, u)
    _replace(table, v2, v, u2)


@stage
def _link_allowed(moves: Moves, u: int, v: int) -> bool:
    """Whether the rules allow a link u - v: v is in the list of switches near u."""
    if moves.near_offsets.size == 1:
        return True
    low, high = moves.near_offsets[u], moves.near_offsets[u + 1]
    while low < high:
        middle = (low + high) >> 1
        if moves.near[middle] < v:
            low = middle + 1
        else:
            high = middle
    return bool(low < moves.near_offsets[u + 1] and moves.near[low] == v)


@stage
def _stays(moves: Moves, u: int, u2: int) -> bool:
    """Whether the link u - u2 is fixed."""
    slot = 0
    while moves.table[u, slot] != u2:
        slot += 1
    return bool(moves.fixed[u, slot])


@stage
def _extra_cost(moves: Moves, u: int, u2: int, v: int, v2: int) -> int:
    """The change of the cost of all links if u - u2 and v - v2 are replaced with u - v and u2 - v2."""
    kind, price = moves.kind, moves.price
    return np.int64(price[kind[u, v]] + price[kind[u2, v2]] - price[kind[u, u2]] - price[kind[v, v2]])


@kernel
def propose(moves: Moves, state: np.ndarray) -> tuple[int, int, int, int, int, int]:
    """Draw a random move: links u - u2 and v - v2 are replaced with u - v and u2 - v2.

    Returns (u, u2, v, v2, first, second); u is -1 if the drawn move is not valid. `first` and `second` are the rows of
    `moves.links` if moves stay in a class, otherwise
    0. Valid moves have four different switches, make no parallel link, and keep the rules and the budget. The partner v of u is
    drawn from the switches near u, so that few draws break the length limit.
    """
    table, degree = moves.table, moves.degree
    n = degree.size
    first = second = np.int64(0)
    if moves.classes.size > 1:
        first = np.int64(next_below(state, len(moves.links)))
        kind = moves.group[first]
        begin, end = moves.classes[kind], moves.classes[kind + 1]
        second = begin + np.int64(next_below(state, end - begin))
        u, u2 = np.int64(moves.links[first, 0]), np.int64(moves.links[first, 1])
        v2, v = np.int64(moves.links[second, 0]), np.int64(moves.links[second, 1])
        if moves.turns[kind] and next_word(state) >> np.uint64(63):
            v, v2 = v2, v
        if not _link_allowed(moves, u, v):
            return _NONE
    else:
        u = np.int64(next_below(state, n))
        if moves.near_offsets.size == 1:
            v = np.int64(next_below(state, n))
        else:
            begin, end = moves.near_offsets[u], moves.near_offsets[u + 1]
            if begin == end:
                return _NONE
            at = begin + np.int64(next_below(state, end - begin))
            # Good graphs mostly use the longest allowed links: take the farthest of a few draws, but not always.
            if moves.apart.size and next_word(state) >> np.uint64(61):
                for _ in range(_FARTHER):
                    other = begin + np.int64(next_below(state, end - begin))
                    at = other if moves.apart[other] > moves.apart[at] else at
            v = np.int64(moves.near[at])
        if degree[u] == 0 or degree[v] == 0:
            return _NONE
        u2 = np.int64(table[u, np.int64(next_below(state, degree[u]))])
        v2 = np.int64(table[v, np.int64(next_below(state, degree[v]))])
    if u == v or u == v2 or u2 == v or u2 == v2:
        return _NONE
    if not _link_allowed(moves, u2, v2) or linked(table, degree, u, v) or linked(table, degree, u2, v2):
        return _NONE
    if moves.fixed.size and (_stays(moves, u, u2) or _stays(moves, v, v2)):
        return _NONE
    if moves.price.size and moves.spent[0] + _extra_cost(moves, u, u2, v, v2) > moves.spent[1]:
        return _NONE
    return u, u2, v, v2, first, second


@inner
def enter(moves: Moves, u: int, u2: int, v: int, v2: int, first: int, second: int) -> None:
    """Update the list of links (if moves stay in a class) and the cost for a move that was made."""
    if moves.price.size:
        moves.spent[0] += _extra_cost(moves, u, u2, v, v2)
    if moves.classes.size > 1:
        # The first link keeps its end u and gets v; the second keeps its other end, with the orientation of its class.
        moves.links[first, 0], moves.links[first, 1] = u, v
        if moves.links[second, 1] == v:
            moves.links[second, 0], moves.links[second, 1] = v2, u2
        else:
            moves.links[second, 0], moves.links[second, 1] = u2, v2
