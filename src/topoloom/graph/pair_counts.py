"""Weighted pairs of switches or of hosts at each distance: blocks of 512 sources, spread over the cores."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.graph.gpu import Device, counts_if_chosen
from topoloom.model.topology import Topology

#: Most rounds with 512 sources in parallel; beyond that, a queue is faster (measured on rings).
MOST_ROUNDS = 1024
#: Fewest row operations per round for which threads save time.
_WORTH_THREADS = 300_000


class PairCounts(NamedTuple):
    """`pairs`: ordered pairs at each distance, int64[largest + 1]; `device`: where they were counted, "cpu" or "cuda"."""

    pairs: np.ndarray
    device: str


def count_pairs(
    topology: Topology, weight: np.ndarray, jobs: int | None, work: Work | None = None, device: Device = "auto"
) -> PairCounts:
    """Count ordered pairs of switches at each distance, each with weight weight[u] * weight[v].

    Parameters
    ----------
    topology : Topology
    weight : int64[switches]
        Not negative; pairs with a switch of weight 0 do not count.
    jobs : int or None
        Threads; every core when None.
    work : Work, optional
        Receives the progress in blocks of 512 switches.
    device : "auto", "cpu" or "cuda"
        Where to count; the integers are the same. "auto": a CUDA device, if there is one and the network is large enough.

    Returns
    -------
    PairCounts
        The counts, and the device.

    Raises
    ------
    Stopped
        `work` was stopped.
    InputError
        "cuda", but there is no device, or it fails.
    """
    from topoloom.graph.kernels.breadth_first import source_counts
    from topoloom.graph.kernels.hops import BLOCK, block_counts

    if (counts := counts_if_chosen(topology, weight, device)) is not None:
        return PairCounts(counts, "cuda")
    n = topology.switches
    offsets, neighbours, weight = heaviest_first(topology, weight)
    ends = np.flatnonzero(weight[:-1] > weight[1:]) + 1
    ends = np.array([*ends.tolist(), n])
    ends = ends[weight[ends - 1] > 0]
    starts = [0, *ends[:-1].tolist()]
    blocks = [
        (at, min(at + BLOCK, end)) for a, end in zip(starts, ends.tolist(), strict=False) for at in range(a, end, BLOCK)
    ]
    degree = int(offsets[1])
    if not (offsets[1:] - offsets[:-1] == degree).all():
        degree = 0
    limit = min(MOST_ROUNDS, n) + 2

    def count(numbers: Iterator[int]) -> np.ndarray:
        counts = np.zeros(max(n, limit), np.int64)
        reach, ahead, full = aligned_rows(n), aligned_rows(n), aligned_rows(1)
        parallel = True
        for number in numbers:
            first, end = blocks[number]
            if parallel:
                rounds = block_counts(
                    offsets, neighbours, degree, weight, ends, first, end, reach, ahead, full, counts[:limit]
                )
                parallel = rounds >= 0
            if not parallel:  # this block and all later ones: a component has a large diameter
                stamp, queue = np.empty(n, np.int32), np.empty(n, np.int32)
                source_counts(offsets, neighbours, weight, first, end, stamp, queue, counts)
        return counts

    if jobs is None and len(blocks) * (n + neighbours.size) < _WORTH_THREADS:
        jobs = 1
    return PairCounts(_trimmed(np.add.reduce(_counted(count, len(blocks), jobs, work))), "cpu")


def attachment_counts(topology: Topology, jobs: int | None, work: Work | None = None) -> np.ndarray:
    """Count ordered pairs of hosts at each distance if hosts have several ports: int64[largest + 1].

    Parameters
    ----------
    topology : Topology
        The network, whose hosts have several ports.
    jobs : int or None
        Threads; None: all cores.
    work : Work, optional
        Receives the progress in kinds of hosts.

    Returns
    -------
    int64[largest + 1]
        The distance of a pair, in hops, is that between the two nearest switches of its ports.
    """
    from topoloom.graph.kernels import breadth_first

    offsets, neighbours, _ = topology.csr
    order = np.lexsort([topology.endpoints, topology.host])
    split = np.flatnonzero(np.diff(topology.host[order])) + 1
    hosts_of: dict[tuple[int, ...], int] = {}
    for ports in np.split(topology.endpoints[order], split):
        key = tuple(ports.tolist())
        hosts_of[key] = hosts_of.get(key, 0) + 1
    ports = np.array([port for key in hosts_of for port in key], np.int32)
    ends = np.cumsum([len(key) for key in hosts_of])
    weight = np.array(list(hosts_of.values()), np.int64)
    n, chunk = topology.switches, 16

    def count(numbers: Iterator[int]) -> np.ndarray:
        counts = np.zeros(n, np.int64)
        distance, queue = np.empty(n, np.int32), np.empty(n, np.int32)
        for number in numbers:
            first, end = number * chunk, min((number + 1) * chunk, weight.size)
            breadth_first.attachment_counts(
                offsets, neighbours, ports, ends, weight, first, end, distance, queue, counts
            )
        return counts

    return _trimmed(np.sum(_counted(count, -(-weight.size // chunk), jobs, work), axis=0))


def heaviest_first(topology: Topology, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """CSR offsets and neighbours, and the weights, with switches renumbered in descending order of weight."""
    offsets, neighbours, _ = topology.csr
    if (weight[:-1] >= weight[1:]).all():
        return offsets, neighbours, weight
    order = np.argsort(-weight, kind="stable")
    number = np.empty(order.size, np.int32)
    number[order] = np.arange(order.size)
    degrees = np.diff(offsets)[order]
    ends = np.cumsum(degrees)
    slots = np.arange(neighbours.size) + np.repeat(offsets[:-1][order] - (ends - degrees), degrees)
    return np.append(0, ends), number[neighbours[slots]], weight[order]


def aligned_rows(switches: int) -> np.ndarray:
    """An uninitialised row of 512 bits per switch, uint64[8 * switches], aligned to a cache line."""
    words = np.empty(8 * switches + 8, np.uint64)
    start = -words.ctypes.data // 8 % 8
    return words[start : start + 8 * switches]


def _counted(
    count: Callable[[Iterator[int]], np.ndarray], blocks: int, jobs: int | None, work: Work | None
) -> list[np.ndarray]:
    """Count all blocks with threads; return the counts of each thread."""
    if work is not None:
        work.begin(blocks, "blocks of switches")
    counted = over_cores(count, blocks, jobs, work)
    if work is not None:
        work.check()
    return counted


def _trimmed(counts: np.ndarray) -> np.ndarray:
    """`counts` without the zeros at its end."""
    some = np.flatnonzero(counts)
    return counts[: some[-1] + 1 if some.size else 1].copy()
