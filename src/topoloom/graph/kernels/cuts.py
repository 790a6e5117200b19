"""The exact bisection of a small graph, by branch and bound."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel


@allocating
def least_bisection(links: np.ndarray, flag: np.ndarray) -> np.ndarray:
    """The side (int32[n], 0 or 1) of each switch in a bisection with the fewest links.

    links: int64[n, n], symmetric: the links between each two switches. Side 0 has ceil(n / 2) switches.

    Switches are placed one by one, in an order that keeps placed switches close. A lower bound on every completion is the sum
    of the links cut so far, for every unplaced switch the smaller number of its links to the two sides, and the cheapest moves
    off an over-full side. If the bound reaches the best cut so far, the branch is dropped. Exponential:
    milliseconds at 16 switches, some tenths of a second at 32. If flag (uint8[1]) is not 0, the best bisection so far is
    returned.
    """
    n = links.shape[0]
    room = np.array([(n + 1) // 2, n // 2])
    order = _close_order(links)
    best_side = _descent(links, room)
    best = _cut(links, best_side)
    side = np.full(n, -1, np.int32)
    to = np.zeros((2, n), np.int64)  # links of each switch to the switches placed on each side
    tried = np.zeros(n, np.int64)  # sides tried at each depth
    paid = np.zeros(n + 1, np.int64)  # links cut by the switches above each depth
    excess = np.empty(n, np.int64)
    depth = 0
    while depth >= 0 and flag[0] == 0:
        u = order[depth]
        if side[u] >= 0:  # backtracking: remove it again
            _place(links, u, side[u], -1, to)
            room[side[u]] += 1
            side[u] = -1
        if tried[depth] == 2 or (depth == 0 and tried[depth] == 1 and n % 2 == 0):  # equal halves: by symmetry
            tried[depth] = 0
            depth -= 1
            continue
        # The side with more links first: it finds good cuts early.
        near = 0 if to[0, u] >= to[1, u] else 1
        s = near if tried[depth] == 0 else 1 - near
        tried[depth] += 1
        if room[s] == 0:
            continue
        cost = paid[depth] + to[1 - s, u]
        side[u] = s
        room[s] -= 1
        _place(links, u, s, 1, to)
        if cost + _still_to_pay(order, depth + 1, to, room, excess) >= best:
            continue
        if depth + 1 == n:
            best = cost
            for each in range(side.size):
                best_side[each] = side[each]
            continue
        depth += 1
        paid[depth] = cost
    return best_side


@kernel
def _place(links: np.ndarray, u: int, s: int, sign: int, to: np.ndarray) -> None:
    """Add (sign 1) or remove (-1) the links of switch u, on side s, in to[s]."""
    for v in range(links.shape[0]):
        to[s, v] += sign * links[u, v]


@allocating
def _still_to_pay(order: np.ndarray, depth: int, to: np.ndarray, room: np.ndarray, excess: np.ndarray) -> int:
    """A lower bound on the cut links between placed switches and order[depth:], with `room` places left on each side."""
    n = order.size
    pay = wanting = 0
    for place in range(depth, n):
        u = order[place]
        pay += min(to[0, u], to[1, u])
        wanting += 1 if to[0, u] >= to[1, u] else 0
    # If more switches prefer side 0 than fit (or too few, so that side 1 overflows), the least attached must move.
    crowded, moves = (0, wanting - room[0]) if wanting > room[0] else (1, n - depth - wanting - room[1])
    if moves <= 0:
        return pay
    movable = 0
    for place in range(depth, n):
        u = order[place]
        gap = to[crowded, u] - to[1 - crowded, u]
        if gap > 0 or (gap == 0 and crowded == 0):
            excess[movable] = gap
            movable += 1
    return pay + int(np.sort(excess[:movable])[:moves].sum())


@allocating
def _close_order(links: np.ndarray) -> np.ndarray:
    """An order of the switches in which each has as many links as possible to earlier ones."""
    n = links.shape[0]
    order, attached, placed = np.empty(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_)
    for place in range(n):
        chosen = -1
        for v in range(n):
            if not placed[v] and (chosen < 0 or attached[v] > attached[chosen]):
                chosen = v
        order[place] = chosen
        placed[chosen] = True
        attached += links[chosen]
    return order


@kernel
def _cut(links: np.ndarray, side: np.ndarray) -> int:
    """The links between the sides."""
    cut = 0
    for u in range(side.size):
        for v in range(u):
            if side[u] != side[v]:
                cut += links[u, v]
    return cut


@allocating
def _descent(links: np.ndarray, room: np.ndarray) -> np.ndarray:
    """The start of the search: a bisection that no exchange of two switches improves, int32[n]."""
    n = links.shape[0]
    side = np.zeros(n, np.int32)
    side[room[0] :] = 1
    while True:
        gain, first, second = 0, -1, -1
        for u in range(n):
            for v in range(n):
                if side[u] == 0 and side[v] == 1:
                    saved = -2 * links[u, v]
                    for w in range(n):
                        saved += (links[u, w] - links[v, w]) * (1 if side[w] == 1 else -1)
                    if saved > gain:
                        gain, first, second = saved, u, v
        if first < 0:
            return side
        side[first], side[second] = 1, 0
