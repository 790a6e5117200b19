"""Nakano 2016's own search (III): step 1's lattice, step 2's random 2-toggles, and step 3 as plain 2-opt, without annealing.

A move is undone unless the graph is better, which means a smaller diameter, or the same diameter and no larger ASPL. Moves that
would make a link too long are not counted.
"""

from collections.abc import Iterator

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.graph.geometry import Geometry
from topoloom.model.topology import Topology
from topoloom.optimizer.rules import GraphRules, moves_of, within_length
from topoloom.optimizer.searches.hop_search import HopSearch

#: A temperature at which no worse graph is kept: a millionth of a hop.
_ZERO = 1e-9
#: The cost of a hop beyond the present diameter: more than all hops that a move can save.
_NEVER = 1 << 20
#: The budget of a search, which its callers end.
_MOST = 1 << 40


def two_opt(
    start: Topology, geometry: Geometry, length: int, seed: int, sweeps: int, chunk: int
) -> Iterator[tuple[int, tuple[float, ...], np.ndarray]]:
    """Improve a graph by 2-opt, without end.

    Parameters
    ----------
    start : Topology
        The graph of step 1.
    geometry : Geometry
        The floor of its switches.
    length : int
        L, the longest link, in steps.
    seed : int
    sweeps : int
        Random 2-toggles per link of step 2; 0: step 2 is omitted.
    chunk : int
        Moves of step 3 between two results.

    Yields
    ------
    moves : int
        The number of moves of step 3 so far, first 0.
    cost : (diameter, hops)
        Hops are summed over ordered pairs.
    links : int[m, 2]
    """
    rules = GraphRules(near=within_length(start, geometry, length))
    topology, moves, restarts = start, 0, 0
    while True:
        mixed = HopSearch(moves_of(topology, rules), Draws(seed, restarts), Budget(0), sweeps=0 if restarts else sweeps)
        target = int(mixed.cost[0])
        search = HopSearch(
            moves_of(topology.replace(links=mixed.best), rules),
            Draws(seed, restarts),
            Budget(_MOST),
            target=target,
            hot=_ZERO,
            cold=_ZERO,
            weights=(_NEVER, _NEVER),
        )
        if not restarts:
            yield moves, search.cost, search.best
        while search.cost[0] >= target:
            search.advance(chunk, 0.0)
            moves += chunk
            yield moves, search.cost, search.best
        topology, restarts = topology.replace(links=search.best), restarts + 1
