"""Patterns on the bits of a host's number, for the hosts below the largest power of two; other hosts are silent."""

from collections.abc import Callable

import numpy as np

from topoloom.throughput.traffic.making import to_one, to_some
from topoloom.throughput.traffic.register import PatternRequest, pattern
from topoloom.throughput.traffic.traffic import Traffic

_SOURCE = "Besta 2014 V.B"


def _on_bits(request: PatternRequest, move: Callable[[np.ndarray, int], np.ndarray]) -> Traffic:
    bits = request.hosts.bit_length() - 1
    partner = np.full(request.hosts, -1, np.int64)
    own = np.arange(1 << bits)
    partner[own] = move(own, bits)
    return to_one(request, partner)


@pattern("bit-complement", "every bit inverted", source=_SOURCE, of_hosts=True)
def bit_complement(request: PatternRequest) -> Traffic:
    """d_i = not s_i."""
    return _on_bits(request, lambda own, bits: ~own & ((1 << bits) - 1))


@pattern("bit-reversal", "the bits in reverse order", source=_SOURCE, of_hosts=True)
def bit_reversal(request: PatternRequest) -> Traffic:
    """d_i = s_(b - i - 1) of b bits; palindromes send to themselves."""

    def move(own: np.ndarray, bits: int) -> np.ndarray:
        out = np.zeros_like(own)
        for bit in range(bits):
            out |= (own >> bit & 1) << (bits - 1 - bit)
        return out

    return _on_bits(request, move)


@pattern("shuffle", "the bits rotated by one place", source=_SOURCE, of_hosts=True)
def shuffle(request: PatternRequest) -> Traffic:
    """d_i = s_(i - 1 mod b); all zeros and all ones send to themselves."""
    return _on_bits(request, lambda own, bits: (own << 1 & ((1 << bits) - 1)) | own >> (bits - 1))


@pattern(
    "transpose",
    "the upper and the lower half of the bits exchanged",
    source="Dally and Towles 2003, 3.2",
    of_hosts=True,
)
def transpose(request: PatternRequest) -> Traffic:
    """d_i = s_(i + b/2 mod b); with an odd number of bits, the lower half is shorter."""

    def move(own: np.ndarray, bits: int) -> np.ndarray:
        low = bits // 2
        return (own >> low) | ((own & ((1 << low) - 1)) << (bits - low))

    return _on_bits(request, move)


@pattern(
    "shift",
    "host s mod N/2 or that + N/2, drawn for each packet; N: the largest power of two",
    source=_SOURCE,
    of_hosts=True,
)
def shift(request: PatternRequest) -> Traffic:
    """d = s mod N/2 or (s mod N/2) + N/2, with probability 1/2 each: one of the two is the host itself, as in Besta 2014."""
    half = 1 << request.hosts.bit_length() - 2
    own = np.arange(2 * half)
    pairs = np.stack([own % half, own % half + half], axis=1)
    return to_some(request, np.repeat(own, 2), pairs.ravel())
