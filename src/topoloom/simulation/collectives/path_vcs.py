"""Virtual virtual channels for any paths, in which no channels wait for each other in a cycle: they rise where a path turns up
again.
"""

from collections.abc import Sequence

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.simulation.flows.state import FlowNetwork

#: Orders of switches that are tried, those drawn at random.
_DRAWN = 24


def vcs_left(paths: Sequence[tuple[int, ...]], fabric: FlowNetwork) -> list[list[int]]:
    """How many virtual channels lie before each switch of each path, but the last: turns from down to up in an order of all
    switches.

    Parameters
    ----------
    paths : sequence of tuples of int
        Channels, one after the other.
    fabric : FlowNetwork

    Returns
    -------
    list of lists of int
        By path and channel: such turns behind the switch that the channel leaves. The virtual channel is the most of all less
        these.

    Notes
    -----
    Between two such turns a path goes up in the order and then down, as up*/down* has it (Schroeder et al., IEEE JSAC 9(8),
    1991), so that nothing in a virtual channel waits in a cycle, and virtual channels only rise. Of some orders the one that
    needs the fewest is taken: by distance and depth first from a switch, and drawn ones.
    """
    n = fabric.first.size - 1
    origin = np.repeat(np.arange(n), np.diff(fabric.first))
    # All paths behind each other, and a turn wherever two channels are of the same one.
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
    found, at = [], 0
    for path in paths:
        turned = best[at : at + max(0, len(path) - 1)][::-1]
        found.append([*np.cumsum(turned)[::-1].tolist(), 0][: len(path)])
        at += len(path)
    return found


def _orders(fabric: FlowNetwork, n: int) -> list[np.ndarray]:
    """Ranks of switches, int64[n] each."""
    found = []
    for last in (False, True):
        order: list[int] = []
        seen = np.zeros(n, np.bool_)
        for start in range(n):
            waiting = [start]
            while waiting:
                switch = waiting.pop() if last else waiting.pop(0)
                if seen[switch]:
                    continue
                seen[switch] = True
                order.append(switch)
                waiting += fabric.to[fabric.first[switch] : fabric.first[switch + 1]].tolist()
        rank = np.empty(n, np.int64)
        rank[order] = np.arange(n)
        found.append(rank)
    draws = Draws(1, 31)
    return found + [draws.permutation(n) for _ in range(_DRAWN)]
