"""Pairs at each distance, counted on a CUDA device, with the same integers as on the CPU."""

import logging
import traceback
from types import ModuleType
from typing import Any, Literal, get_args

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology

log = logging.getLogger("topoloom")

#: Where to count: the CPU, a CUDA device, or whichever is faster.
Device = Literal["auto", "cpu", "cuda"]
#: Least number of switches for which "auto" uses a device; for smaller networks the device's start takes longer than the CPU.
WORTH_A_DEVICE = 100_000
#: Most rounds (hops) on the device: each round costs a kernel launch.
_MOST_ROUNDS = 1024
#: Most words of 64 sources per search, if the device's memory allows.
_MOST_WORDS = 64
#: Most blocks of threads: enough to fill any device; each thread handles several words.
_MOST_BLOCKS = 4096


def available() -> bool:
    """Whether Numba finds a CUDA device. ``NUMBA_DISABLE_CUDA=1`` in the environment hides it."""
    import topoloom.core.compiling  # noqa: F401 (imports Numba with any environment)

    try:
        from numba import cuda
    except ImportError:
        return False
    device: Any = cuda
    return bool(device.is_available())


def check_device(device: str) -> None:
    """Raise an error for an unknown device, and for "cuda" if Numba finds no device.

    Raises
    ------
    InputError
    """
    if device not in get_args(Device):
        raise InputError(f"device='{device}': choose {', '.join(get_args(Device)[:-1])} or {get_args(Device)[-1]}")
    if device == "cuda" and not available():
        raise InputError(
            "device='cuda' needs an NVIDIA GPU with its driver, and pip install 'topoloom[gpu]'; otherwise use device='cpu'"
        )


def counts_if_chosen(topology: Topology, weight: np.ndarray, device: Device) -> np.ndarray | None:
    """Return the counts of `pair_counts_on_gpu` if a device should count; None if the CPU should.

    Parameters
    ----------
    topology : Topology
    weight : int64[switches]
    device : "auto", "cpu" or "cuda"
        "auto" uses a device for at least `WORTH_A_DEVICE` switches if there is one, and the CPU if the device fails.

    Returns
    -------
    int64[largest + 1] or None
        Ordered pairs by their distance in hops.

    Raises
    ------
    InputError
        "cuda" was requested, but there is no device, it fails, or the diameter is too large for it.
    """
    check_device(device)
    if device == "cpu" or (device == "auto" and (topology.switches < WORTH_A_DEVICE or not available())):
        return None
    try:
        counts = pair_counts_on_gpu(topology, weight)
    except Exception as error:
        if not _by_numba(error):
            raise
        if device == "cuda":
            raise InputError(f"the CUDA device failed ({error}); use device='cpu'") from error
        log.warning("the CUDA device failed, so the CPU counts (device 'cpu' avoids the attempt): %s", error)
        return None
    if counts is None and device == "cuda":
        raise InputError(f"{topology.name}: some pairs are more than {_MOST_ROUNDS} hops apart; use device='cpu'")
    return counts


def _by_numba(error: Exception) -> bool:
    """Whether the driver, the toolkit, the device or Numba itself failed, as a release of it that does not fit NumPy's does."""
    from numba.cuda.cudadrv import driver
    from numba.cuda.cudadrv import error as errors

    if isinstance(error, (driver.CudaAPIError, driver.LinkerError, *_exceptions_of(errors))):
        return True
    frames = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    return any(name.startswith(("numba.", "numba_cuda.")) for name in frames)


def _exceptions_of(module: ModuleType) -> tuple[type[Exception], ...]:
    """The exceptions that a module defines."""
    return tuple(kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Exception))


def pair_counts_on_gpu(topology: Topology, weight: np.ndarray, words: int | None = None) -> np.ndarray | None:
    """Ordered pairs at each distance, each with weight weight[u] * weight[v]: int64[largest + 1], as `count_pairs`.

    Parameters
    ----------
    topology : Topology
    weight : int64[switches]
        Not negative; pairs with a switch of weight 0 are not counted.
    words : int, optional
        Words of 64 sources per search; when omitted, as many as memory allows, up to 64.

    Returns
    -------
    int64[largest + 1] or None
        None if some pair is more than 1,024 hops apart, for which the CPU is faster.

    Raises
    ------
    Exception
        Numba's exceptions, if there is no CUDA device or it fails.

    Notes
    -----
    Memory on the device: 16 bytes times switches times words, and the links.
    """
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
            if now == bits:  # the remaining switches are in other components
                break
            turn += 1
            counts[turn] += own * (now_weighed - weighed)
            bits, weighed = now, now_weighed
            reach, ahead = ahead, reach
    some = np.flatnonzero(counts)
    return counts[: some[-1] + 1 if some.size else 1].copy()


def _blocks(weight: np.ndarray, most: int) -> list[tuple[int, int]]:
    """Ranges of at most `most` sources with equal weight; weight: int64[sources], descending."""
    ends = np.append(np.flatnonzero(np.diff(weight)) + 1, weight.size).tolist()
    starts = [0, *ends[:-1]]
    return [(at, min(at + most, end)) for a, end in zip(starts, ends, strict=True) for at in range(a, end, most)]
