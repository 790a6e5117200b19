"""Traffic: who sends to whom. One function a pattern, registered by name."""

from collections.abc import Callable

import numpy as np

from topoloom.draws import Draws
from topoloom.errors import InputError

#: To any host, drawn anew for each packet.
UNIFORM = "uniform"


def partners(name: str, hosts: int, seed: int = 1) -> np.ndarray:
    """Where each host sends, int32[hosts], -1: nowhere; empty for uniform traffic.

    Patterns on bits take the hosts below the largest power of two; the others are silent (004 V.B).

    Raises
    ------
    InputError
        No such pattern, or fewer than two hosts.

    Examples
    --------
    >>> partners("bit-reversal", 8).tolist()
    [0, 4, 2, 6, 1, 5, 3, 7]
    """
    if hosts < 2:
        raise InputError(f"traffic needs two hosts or more; there are {hosts} (add them to the spec, as in hosts=4)")
    if name == UNIFORM:
        return np.empty(0, np.int32)
    if name not in PATTERNS:
        raise InputError(f"no traffic '{name}'; there is {', '.join(sorted([UNIFORM, *PATTERNS]))}")
    return PATTERNS[name](hosts, seed).astype(np.int32)


def _on_bits(move: Callable[[np.ndarray, int], np.ndarray]) -> Callable[[int, int], np.ndarray]:
    def pattern(hosts: int, _seed: int) -> np.ndarray:
        bits = hosts.bit_length() - 1
        out = np.full(hosts, -1, np.int64)
        own = np.arange(1 << bits)
        out[own] = move(own, bits)
        return out

    return pattern


def _reversed(own: np.ndarray, bits: int) -> np.ndarray:
    out = np.zeros_like(own)
    for bit in range(bits):
        out |= (own >> bit & 1) << (bits - 1 - bit)
    return out


def _transposed(own: np.ndarray, bits: int) -> np.ndarray:
    low = bits // 2
    return (own >> low) | ((own & ((1 << low) - 1)) << (bits - low))


def _permuted(hosts: int, seed: int) -> np.ndarray:
    """A random permutation in which nobody sends to itself: a random order, and each to the next in it."""
    order = Draws(seed, 11).permutation(hosts)
    out = np.empty(hosts, np.int64)
    out[order] = np.roll(order, -1)
    return out


PATTERNS: dict[str, Callable[[int, int], np.ndarray]] = {
    "bit-complement": _on_bits(lambda own, bits: ~own & ((1 << bits) - 1)),
    "bit-reversal": _on_bits(_reversed),
    "shuffle": _on_bits(lambda own, bits: (own << 1 & ((1 << bits) - 1)) | own >> (bits - 1)),
    "transpose": _on_bits(_transposed),
    "tornado": lambda hosts, _: (np.arange(hosts) + (hosts - 1) // 2) % hosts,
    "neighbour": lambda hosts, _: (np.arange(hosts) + 1) % hosts,
    "permutation": _permuted,
}
