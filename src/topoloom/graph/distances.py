"""Distances as arrays: from some switches, between all pairs, and to the farthest switch."""

from collections.abc import Iterator

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.graph.pair_counts import MOST_ROUNDS, aligned_rows, count_pairs
from topoloom.model.topology import Topology


def eccentricities(topology: Topology, jobs: int | None = None, *, work: Work | None = None) -> np.ndarray:
    """Hops from every switch to the farthest one that it reaches, int32[n].

    Parameters
    ----------
    topology : Topology
        Any; in a disconnected one, only switches of the same component count.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        Receives the progress in blocks of switches.

    Returns
    -------
    int32[n]
        0 for a switch without links.

    Raises
    ------
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> eccentricities(Topology(links=[(0, 1), (1, 2)], switches=4)).tolist()
    [2, 1, 2, 0]
    """
    from topoloom.graph.kernels.breadth_first import distances_from_set
    from topoloom.graph.kernels.hops import BLOCK, block_farthest

    n = topology.switches
    offsets, neighbours, _ = topology.csr

    def measure(numbers: Iterator[int]) -> np.ndarray:
        farthest = np.zeros(n, np.int32)
        reach, ahead, full = aligned_rows(n), aligned_rows(n), aligned_rows(1)
        parallel = True
        for number in numbers:
            first, end = number * BLOCK, min((number + 1) * BLOCK, n)
            if parallel:
                rounds = block_farthest(offsets, neighbours, first, end, reach, ahead, full, farthest, MOST_ROUNDS)
                parallel = rounds >= 0
            if not parallel:
                distance, queue = np.empty(n, np.int32), np.empty(n, np.int32)
                for source in range(first, end):
                    reached = distances_from_set(offsets, neighbours, np.array([source]), distance, queue)
                    farthest[source] = max(farthest[source], distance[queue[reached - 1]])
        return farthest

    work = Work() if work is None else work
    work.begin(-(-n // BLOCK), f"blocks of {BLOCK} switches")
    farthest_of_all: np.ndarray = np.max(over_cores(measure, -(-n // BLOCK), jobs, work), axis=0)
    work.check()
    return farthest_of_all


def distances_from(topology: Topology, sources: np.ndarray | list[int], jobs: int | None = None) -> np.ndarray:
    """Hops from each of `sources` to every switch, int32[len(sources), n]; -1 where there is no path.

    Parameters
    ----------
    topology : Topology
        Any, also disconnected.
    sources : int[k]
        Switches.
    jobs : int, optional
        Threads; all cores by default.

    Returns
    -------
    int32[k, n]
        Hops, 0 from a source to itself; -1 where there is no path.

    Raises
    ------
    InputError
        A source is not a switch.

    Examples
    --------
    >>> distances_from(Topology(links=[(0, 1), (1, 2)], switches=4), [0, 1]).tolist()
    [[0, 1, 2, -1], [1, 0, 1, -1]]
    """
    from topoloom.graph.kernels.breadth_first import distances_from_set

    n = topology.switches
    chosen = np.asarray(sources, dtype=np.int64).reshape(-1)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= n):
        raise InputError(f"{topology.name}: a source is not among switches 0 to {n - 1}")
    offsets, neighbours, _ = topology.csr
    distances = np.empty((chosen.size, n), np.int32)

    def search(numbers: Iterator[int]) -> None:
        queue = np.empty(n, np.int32)
        for number in numbers:
            distances_from_set(offsets, neighbours, chosen[number : number + 1], distances[number], queue)

    over_cores(search, chosen.size, jobs)
    return distances


def distance_matrix(topology: Topology, jobs: int | None = None) -> np.ndarray:
    """Hops between all pairs, [n, n]; use it only if all entries are needed.

    Returns
    -------
    uint8, uint16 or int32 [n, n]
        The smallest type that holds the largest distance and -1. Pairs without a path have -1, which is the largest value of an
        unsigned type (255, 65535).

    Examples
    --------
    >>> distance_matrix(Topology(links=[(0, 1), (1, 2)], switches=4))[0]
    array([  0,   1,   2, 255], dtype=uint8)
    """
    from topoloom.graph.kernels.hops import BLOCK, block_distances

    n = topology.switches
    largest = count_pairs(topology, np.ones(n, np.int64), jobs).pairs.size - 1
    kind = np.uint8 if largest < 255 else np.uint16 if largest < 65535 else np.int32
    if largest > MOST_ROUNDS:
        return distances_from(topology, np.arange(n), jobs).astype(kind)
    offsets, neighbours, _ = topology.csr
    matrix = np.full((n, n), -1, np.int32) if kind is np.int32 else np.full((n, n), np.iinfo(kind).max, kind)

    def fill(numbers: Iterator[int]) -> None:
        reach, ahead, full = aligned_rows(n), aligned_rows(n), aligned_rows(1)
        for number in numbers:
            first, end = number * BLOCK, min((number + 1) * BLOCK, n)
            block_distances(offsets, neighbours, first, end, reach, ahead, full, matrix)

    over_cores(fill, -(-n // BLOCK), jobs)
    return matrix
