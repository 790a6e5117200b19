"""The random numbers of the NAS Parallel Benchmarks: x times 5^13 modulo 2^46, and jumps ahead in them."""

import numpy as np
from numpy.typing import NDArray

MULTIPLIER = 5**13
MASK = np.uint64((1 << 46) - 1)


def power(multiplier: int, exponent: int) -> int:
    """What `exponent` steps multiply by."""
    return pow(multiplier, exponent, 1 << 46)


def sequence(length: int) -> NDArray[np.uint64]:
    """What 1, 2, ..., `length` steps multiply by: times a seed, modulo 2^46, these are the numbers after it.

    Examples
    --------
    >>> sequence(4).tolist()[1] == 5**26 % 2**46
    True
    """
    steps = np.array([MULTIPLIER], np.uint64)
    while len(steps) < length:
        # Products wrap modulo 2^64, of which 2^46 is a divisor.
        steps = np.concatenate([steps, (steps * np.uint64(power(MULTIPLIER, len(steps)))) & MASK])
    return steps[:length]
