"""METIS: racks as the parts of a balanced partition with few links between them."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.graph.metis import partition, weighted
from topoloom.model.topology import Topology
from topoloom.placement.clustering.packing import fewest, links_between, place_the_rest

#: What a rack holds of the scarcest resource, in METIS's whole numbers.
_WHOLE = 10_000
#: By how many thousandths METIS may overfill a part: its habit, and more; repaired, either can win.
_OVERFILL = (30, 300)


def metis(
    topology: Topology, loads: np.ndarray, most: np.ndarray, racks: int, seed: int = 1, *, work: Work | None = None
) -> np.ndarray:
    """The rack of every switch, int32[switches], by METIS's multilevel partition into as few racks as can be.

    METIS balances the scarcest resource, nearly; switches then move out of racks that are too full at the least loss
    of links (`settle`). It runs twice, with 3% and with 30% to overfill, and what has fewer links between racks in the
    end is kept. Parallel links weigh as many as they are.

    Parameters
    ----------
    topology, loads, most, racks
        As for `topoloom.placement.clustering.walktrap.walktrap`, but any number of switches.
    seed : int
        Shuffles the switches for METIS, whose own seed changes nothing in a direct partition into k parts.
    work : Work, optional

    Returns
    -------
    int32[switches]
        Racks are numbered in the order of their first switches.

    Raises
    ------
    InputError
        pymetis is not installed, or the switches do not fit so many racks.
    Stopped
        `work` was stopped before there were racks.
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
    """What each switch takes of the scarcest resource, int64[switches]; all the same where nothing is limited."""
    scarcest = int((loads.sum(axis=0) / most).argmax())
    if np.isinf(most[scarcest]):
        return np.ones(len(loads), np.int64)
    weights: np.ndarray = np.rint(loads[:, scarcest] * (_WHOLE / most[scarcest])).astype(np.int64)
    return weights
