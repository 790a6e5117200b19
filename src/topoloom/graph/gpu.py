"""Pairs at each distance, counted on a CUDA device: the same integers as on the processor."""

import logging
from typing import Any

import numpy as np

from topoloom.errors import InputError
from topoloom.topology import Topology

log = logging.getLogger("topoloom")

#: Switches from which `counts_if_worth` turns to a device, which needs about as long to start as fewer take here.
WORTH_A_DEVICE = 100_000
#: Rounds after which a topology is too long for the device: each costs a launch, however little it finds.
_MOST_ROUNDS = 1024
#: Words of 64 sources that are searched at once, if the device's memory allows.
_MOST_WORDS = 64
#: Blocks of threads: enough to fill any device; each thread takes several words.
_MOST_BLOCKS = 4096


def available() -> bool:
    """Whether Numba finds a CUDA device. ``NUMBA_DISABLE_CUDA=1`` in the environment hides it."""
    try:
        from numba import cuda
    except ImportError:
        return False
    device: Any = cuda
    return bool(device.is_available())


def counts_if_worth(topology: Topology, weight: np.ndarray) -> np.ndarray | None:
    """What `pair_counts_on_gpu` counts, if the topology is large and a device is there; None: count on the processor."""
    if topology.switches < WORTH_A_DEVICE or not available():
        return None
    try:
        return pair_counts_on_gpu(topology, weight)
    except Exception as error:
        # Of the driver, the toolkit, the device's memory: whatever it is, nobody asked for a GPU.
        log.warning("the GPU failed, the processor counts (NUMBA_DISABLE_CUDA=1 leaves it out): %s", error)
        return None


def pair_counts_on_gpu(topology: Topology, weight: np.ndarray, words: int | None = None) -> np.ndarray | None:
    """Ordered pairs at each distance, each weighing weight[u] * weight[v]: int64[largest + 1], as `pair_counts` has it.

    Parameters
    ----------
    topology : Topology
    weight : int64[switches]
        Not negative; pairs with a switch of weight 0 are not counted.
    words : int, optional
        Words of 64 sources searched at once; what memory allows, up to 64, when left out.

    Returns
    -------
    int64[largest + 1] or None
        None when some pair is more than 1,024 hops apart, which a queue on the processor finds faster.

    Raises
    ------
    InputError
        There is no CUDA device that Numba can use.

    Notes
    -----
    Memory on the device: 16 bytes times switches times words, and the links.
    """
    if not available():
        raise InputError("this needs an NVIDIA GPU with its driver, and pip install 'topoloom[gpu]'")
    from numba import cuda

    from topoloom.graph.kernels.cuda import THREADS, seed, spread

    n = topology.switches
    sources = np.argsort(-weight, kind="stable")[: np.count_nonzero(weight)]
    rank = np.full(n, -1, np.int32)
    rank[sources] = np.arange(sources.size)
    if words is None:
        context: Any = cuda.current_context
        room = context().get_memory_info().free / 2
        words = int(max(1, min(_MOST_WORDS, -(-sources.size // 64), room / (16 * n))))
    offsets, neighbours, _ = topology.csr
    on_device = [cuda.to_device(np.ascontiguousarray(array)) for array in (offsets, neighbours, weight, rank)]
    graph, ranks = on_device[:3], on_device[3]
    grid = min(_MOST_BLOCKS, -(-n * words // THREADS)), THREADS
    reach, ahead = (cuda.device_array((n, words), np.uint64) for _ in range(2))
    counts = np.zeros(_MOST_ROUNDS + 2, np.int64)
    for first, end in _blocks(weight[sources], 64 * words):
        own = int(weight[sources[first]])
        seed[grid](ranks, first, end, reach)
        totals = cuda.to_device(np.zeros((counts.size, 2), np.int64))
        bits, weighed = end - first, own * (end - first)
        counts[0] += own * weighed
        turn = 0
        while bits < (end - first) * n:
            if turn == _MOST_ROUNDS:
                return None
            spread[grid](*graph, reach, ahead, totals, turn)
            now, now_weighed = totals[turn].copy_to_host().tolist()
            if now == bits:  # what is left is in other components
                break
            turn += 1
            counts[turn] += own * (now_weighed - weighed)
            bits, weighed = now, now_weighed
            reach, ahead = ahead, reach
    some = np.flatnonzero(counts)
    return counts[: some[-1] + 1 if some.size else 1].copy()


def _blocks(weight: np.ndarray, most: int) -> list[tuple[int, int]]:
    """Ranges of sources of one weight each, at most `most` long; weight: int64[sources], falling."""
    ends = np.append(np.flatnonzero(np.diff(weight)) + 1, weight.size).tolist()
    starts = [0, *ends[:-1]]
    return [(at, min(at + most, end)) for a, end in zip(starts, ends, strict=True) for at in range(a, end, most)]
