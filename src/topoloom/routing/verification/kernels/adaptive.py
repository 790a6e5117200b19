"""The turns that a packet may make by the declared moves of an adaptive function."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.verification.kernels.follow import ACROSS


@allocating
def mark_moves(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    turn_first: np.ndarray,
    moves: np.ndarray,
    sources: np.ndarray,
    destination: int,
    turns: np.ndarray,
) -> np.ndarray:
    """Mark every turn of packets to a destination; return a place where one of them can go no further.

    moves: bool[classes + 1, channels, classes], as `Adaptive.moves` gives them; sources: bool[n]. A turn that is marked in
    turns, uint64[turns], has bit ACROSS * a + b where a packet arrives in class a and goes on in class b. The result is
    int64[2], a switch and the class by which the packet came (-1: it starts there); or two times -2, where all can go on.
    """
    classes = moves.shape[2]
    reached = np.zeros((to.size, classes), np.bool_)
    waiting = np.empty(to.size * classes, np.int64)
    stuck = np.full(2, -2, np.int64)
    count = 0
    for s in range(first.size - 1):
        if not sources[s] or s == destination:
            continue
        some = False
        for c in range(first[s], first[s + 1]):
            for b in range(classes):
                if moves[0, c, b]:
                    some = True
                    if not reached[c, b]:
                        reached[c, b] = True
                        waiting[count] = c * classes + b
                        count += 1
        if not some and stuck[0] < 0:
            stuck[0], stuck[1] = s, -1
    while count:
        count -= 1
        c, a = waiting[count] // classes, waiting[count] % classes
        v = np.int64(to[c])
        if v == destination:
            continue
        degree = first[v + 1] - first[v]
        row = turn_first[v] + (back[c] - first[v]) * degree
        some = False
        for p in range(degree):
            e = first[v] + p
            for b in range(classes):
                if moves[a + 1, e, b]:
                    some = True
                    turns[row + p] |= np.uint64(1) << np.uint64(ACROSS * a + b)
                    if not reached[e, b]:
                        reached[e, b] = True
                        waiting[count] = e * classes + b
                        count += 1
        if not some and stuck[0] < 0:
            stuck[0], stuck[1] = v, a
    return stuck
