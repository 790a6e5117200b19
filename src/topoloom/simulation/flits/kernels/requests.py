"""Requests of waiting packets for an output class, which is the first of the output VCs that a packet may take.

pending, int64[routers * words]: requested output classes. asked, int64[VCs * (words + 1)]: for each output class, the VCs that
request it, and the round-robin position.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, stage
from topoloom.simulation.flits.buffers import BY_HOP, BY_PACKET
from topoloom.simulation.flits.kernels.fields import at
from topoloom.simulation.flits.kernels.flits import VC


@stage
def class_of(LV: int, outputs: np.ndarray, vc_rule: int, width: int, N: int, r: int, word: int, birth: int) -> int:
    """Return the output class that a packet by the tables requests."""
    goal = word >> 16
    if goal == r:
        return ((word >> 7) & 511) << LV
    out = np.int64(outputs[at(r * N + goal)])
    if vc_rule == BY_HOP:
        out += (word & 127) * width
    elif vc_rule == BY_PACKET:
        out += ((birth >> VC) & 15) * width
    return out


@stage
def row_of(W: int, LV: int, r: int, out: int) -> int:
    """Return the start of an output class's row in `asked`; rows are sorted by VC, then by port, to keep used rows close."""
    return (r * W * 64 + (out & ((1 << LV) - 1)) * ((W * 64) >> LV) + (out >> LV)) * (W + 1)


@stage
def ask(asked: np.ndarray, pending: np.ndarray, W: int, LV: int, r: int, vc: int, out: int) -> None:
    """Enter a VC's request for an output class."""
    asked[at(row_of(W, LV, r, out) + (vc >> 6))] |= np.int64(1) << (vc & 63)
    pending[at(r * W + (out >> 6))] |= np.int64(1) << (out & 63)


@inner
def withdraw(asked: np.ndarray, pending: np.ndarray, W: int, LV: int, r: int, vc: int, out: int) -> None:
    """Withdraw a VC's request."""
    base, left = row_of(W, LV, r, out), np.int64(0)
    asked[at(base + (vc >> 6))] &= ~(np.int64(1) << (vc & 63))
    for w in range(W):
        left |= asked[at(base + w)]
    if left == 0:
        pending[at(r * W + (out >> 6))] &= ~(np.int64(1) << (out & 63))
