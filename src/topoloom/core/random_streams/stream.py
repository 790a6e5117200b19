"""Random draws that are the same on every machine and in every release.

A topology is only reproducible if its draws are, and NumPy does not promise stable streams for its distributions. So the draws
come from SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), a counter with a mixing function: a block of draws is one vector
expression, and a kernel steps the same stream word by word (`random_streams/kernels.py`).
"""

import numpy as np

GAMMA = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class Draws:
    """A stream of 64-bit words from a seed, and draws made from them."""

    def __init__(self, seed: int, stream: int = 0) -> None:
        """`stream` gives independent streams of one seed (a second try after a disconnected draw, say)."""
        self._state = _mix_int(_mix_int(seed & _MASK) + stream & _MASK)

    def words(self, count: int) -> np.ndarray:
        """The next `count` words, uint64[count]."""
        steps = np.arange(1, count + 1, dtype=np.uint64)
        with np.errstate(over="ignore"):
            z = np.uint64(self._state) + steps * np.uint64(GAMMA)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        self._state = (self._state + count * GAMMA) & _MASK
        return z ^ (z >> np.uint64(31))

    def below(self, bound: int, count: int) -> np.ndarray:
        """`count` integers in 0 .. bound - 1, int64[count]; bound is at most 2^32 (bias below bound / 2^32)."""
        return (((self.words(count) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32)).astype(np.int64)

    def uniform(self, count: int) -> np.ndarray:
        """`count` numbers in [0, 1), float64[count]."""
        return (self.words(count) >> np.uint64(11)) * 2.0**-53

    def permutation(self, count: int) -> np.ndarray:
        """A random order of 0 .. count - 1, int64[count]."""
        return np.argsort(self.words(count), kind="stable")

    def word(self) -> int:
        """The next word, as a Python integer."""
        return int(self.words(1)[0])

    def state(self) -> np.ndarray:
        """A fresh stream for a kernel: uint64[1], which the kernel advances in place."""
        return self.words(1)


def _mix_int(z: int) -> int:
    """SplitMix64's mixing function on a Python integer."""
    z = (z + GAMMA) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)
