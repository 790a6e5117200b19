"""SplitMix64 for kernels: the same stream as `random_streams.Draws`, one word at a time."""

import numpy as np

from topoloom.core.compiling.decorators import kernel


@kernel(forceinline=True)
def next_word(state: np.ndarray) -> np.uint64:
    """The next word of the stream; `state`: uint64[1], advanced in place."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel(forceinline=True)
def next_below(state: np.ndarray, bound: int) -> int:
    """An integer in 0 .. bound - 1 (bound at most 2^32)."""
    return int(((next_word(state) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def shuffle(state: np.ndarray, items: np.ndarray) -> None:
    """Put `items` (any 1-D array) into a random order in place (Fisher-Yates)."""
    for i in range(items.size - 1, 0, -1):
        j = next_below(state, i + 1)
        item = items[i]
        items[i] = items[j]
        items[j] = item
