"""Virtual channels for any paths, without cycles of channels that wait for each other: the channel rises at each turn
upwards."""

from collections.abc import Sequence

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.simulation.flows.state import FlowNetwork

#: The number of random orders of switches that are tried.
_DRAWN = 24


def vcs_left(paths: Sequence[tuple[int, ...]], fabric: FlowNetwork) -> list[list[int]]:
    """Return, for each channel of each path, how many turns upwards follow it; a turn is from down to up in an order of
    switches.

    Parameters
    ----------
    paths : sequence of tuples of int
        The channels of each path, in order.
    fabric : FlowNetwork

    Returns
    -------
    list of lists of int
        By path and channel: the turns after this channel. The virtual channel is the greatest of all these numbers minus this
        one.

    Notes
    -----
    Between two turns, a path goes up in the order and then down, as in up*/down* (Schroeder et al., IEEE JSAC 9(8), 1991), so
    that no virtual channel contains a cycle, and virtual channels only rise. Several orders are tried, breadth first and depth
    first from each part and random ones; the order that needs the fewest virtual channels is used.
    """
    n = fabric.first.size - 1
    origin = np.repeat(np.arange(n), np.diff(fabric.first))
    # All paths one after the other; a turn is possible between two channels of the same path.
    flat = np.array([channel for path in paths for channel in path], np.int64)
    of = np.repeat(np.arange(len(paths)), [len(path) for path in paths])
    same = of[1:] == of[:-1]
    best, fewest = np.zeros(max(0, flat.size - 1), np.bool_), -1
    for rank in _orders(fabric, n):
        up = rank[fabric.to[flat]] < rank[origin[flat]]
        turns = same & ~up[:-1] & up[1:]
        most = int(np.bincount(of[1:], turns, len(paths)).max(initial=0)) if flat.size else 0
        if fewest < 0 or most < fewest:
            best, fewest = turns, most
    turns_left, at = [], 0
    for path in paths:
        turned = best[at : at + max(0, len(path) - 1)][::-1]
        turns_left.append([*np.cumsum(turned)[::-1].tolist(), 0][: len(path)])
        at += len(path)
    return turns_left


def _orders(fabric: FlowNetwork, n: int) -> list[np.ndarray]:
    """Return orders of the switches, each as the position of every switch, int64[n]."""
    positions = []
    for depth_first in (False, True):
        order: list[int] = []
        seen = np.zeros(n, np.bool_)
        for start in range(n):
            waiting = [start]
            while waiting:
                switch = waiting.pop() if depth_first else waiting.pop(0)
                if seen[switch]:
                    continue
                seen[switch] = True
                order.append(switch)
                waiting += fabric.to[fabric.first[switch] : fabric.first[switch + 1]].tolist()
        rank = np.empty(n, np.int64)
        rank[order] = np.arange(n)
        positions.append(rank)
    draws = Draws(1, 31)
    return positions + [draws.permutation(n) for _ in range(_DRAWN)]
