"""METIS clustering: racks as the parts of a balanced partition with few links between them."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.graph.metis import partition, weighted
from topoloom.model.topology import Topology
from topoloom.placement.clustering.packing import fewest, links_between, place_the_rest

#: Capacity of a rack for the scarcest resource, in METIS's integer weights.
_WHOLE = 10_000
#: Thousandths by which METIS may overfill a part: its default, and more. After correction, either may give the better racks.
_OVERFILL = (30, 300)


def metis(
    topology: Topology, loads: np.ndarray, most: np.ndarray, racks: int, seed: int = 1, *, work: Work | None = None
) -> np.ndarray:
    """The rack of every switch, int32[switches], by METIS's multilevel partition into as few racks as possible.

    METIS balances the scarcest resource approximately; switches then leave overfull racks at the least loss of links
    (`place_the_rest`). It runs twice, with 3 % and 30 % of allowed overfill; the result with fewer links between racks is
    kept. Parallel links have their number as weight.

    Parameters
    ----------
    topology, loads, most, racks
        As for `topoloom.placement.clustering.walktrap.walktrap`, but any number of switches.
    seed : int
        Shuffles the switches for METIS, whose own seed has no effect in a direct partition into k parts.
    work : Work, optional

    Returns
    -------
    int32[switches]
        Racks are numbered in the order of their first switches.

    Raises
    ------
    InputError
        pymetis is not installed, or the switches do not fit into this many racks.
    Stopped
        `work` was stopped before racks were found.
    """
    rank = Draws(seed).permutation(topology.switches)
    graph = weighted(Topology(links=rank[topology.links], switches=topology.switches))

    def attempt(count: int) -> np.ndarray | None:
        best, weight = None, np.empty(rank.size, np.int64)
        weight[rank] = _weights(loads, most)
        for overfill in _OVERFILL:
            if work is not None:
                work.check()
            rack = np.arange(topology.switches, dtype=np.int32) % count
            if graph.links.size and count > 1:
                rack = partition(graph, count, weight, recursive=False, seed=1, overfill=overfill)[rank]
            settled = place_the_rest(topology, rack, loads, most, count)
            if settled and (best is None or links_between(topology, rack) < links_between(topology, best)):
                best = rack
        return best

    return fewest(topology, loads, most, racks, attempt)


def _weights(loads: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Demand of each switch for the scarcest resource, int64[switches]; all equal where nothing is limited."""
    scarcest = int((loads.sum(axis=0) / most).argmax())
    if np.isinf(most[scarcest]):
        return np.ones(len(loads), np.int64)
    weights: np.ndarray = np.rint(loads[:, scarcest] * (_WHOLE / most[scarcest])).astype(np.int64)
    return weights
