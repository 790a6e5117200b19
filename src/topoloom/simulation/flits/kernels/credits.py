"""Credits of input buffers: how many are in flight back to the sender, whether one is available, and when the next arrives.

`popped` has a VC's history of forwarded flits. Where credits take at most 16 cycles, the history is exact in one word;
otherwise `long_credits` is 1 (else None), and there are several words.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.graph.kernels.simd import bits_of, lowest_bit
from topoloom.simulation.flits.buffers import Buffers, RouterNetwork, Rules
from topoloom.simulation.flits.kernels.fields import VC_FLITS, VC_SIZE, at
from topoloom.simulation.flits.kernels.flits import AHEAD

#: The lower bits of the counts in a VC's history.
_ONE_FLIT = np.uint64(0x5555555555555555)


@stage
def note(popped: np.ndarray, g: int, now: int) -> None:
    """Record that VC g forwards a flit."""
    word = popped[at(g)]
    since = now - (word >> 32)
    word = (word & 0xFFFFFFFF) << (2 * since) if since < 16 else np.int64(0)
    popped[at(g)] = (now << 32) | ((word + 1) & 0xFFFFFFFF)


@stage
def away(word: int, now: int, credit: int) -> int:
    """Return the bits of a VC's history for the cycles whose credits are still in flight."""
    recent = (word >> 32) - now + credit
    return word & ((np.int64(1) << min(2 * recent, 32)) - 1) if recent > 0 else np.int64(0)


@kernel
def in_flight(popped: np.ndarray, g: int, now: int, credit: int) -> int:
    """Return how many of VC g's credits are in flight at a cycle.

    popped : int64[VCs]
        The cycle of the last forwarded flit << 32 | two bits per cycle, going back from it: how many flits were forwarded.
    credit : int
        Cycles from a flit's leaving to the use of its credit, at most 16.
    """
    bits, count = away(popped[at(g)], now, credit), np.int64(0)
    while bits:
        count += bits & 3
        bits >>= 2
    return count


@stage
def note_far(popped: np.ndarray, history: int, g: int, now: int) -> None:
    """Record as `note` does, for `in_flight_far`."""
    base = g * (history + 1)
    before, here = popped[at(base)] >> 5, now >> 5
    if before != here:
        for k in range(before + 1 if here - before < history else here - history + 1, here + 1):
            popped[at(base + 1 + (k & (history - 1)))] = 0
    popped[at(base)] = now
    popped[at(base + 1 + (here & (history - 1)))] += np.int64(1) << (2 * (now & 31))


@stage
def from_first(popped: np.ndarray, history: int, base: int, k: int, first: int) -> np.uint64:
    """Return word k of a long history that begins at `base`, without the cycles before `first`."""
    word = np.uint64(popped[at(base + 1 + (k & (history - 1)))])
    if k == first >> 5:
        word &= ~np.uint64(0) << np.uint64(2 * (first & 31))
    return word


@inner
def in_flight_far(popped: np.ndarray, history: int, g: int, now: int, credit: int) -> int:
    """Return as `in_flight`, where credits may take longer.

    popped : int64[VCs, history + 1]
        The cycle of the last forwarded flit; then words of 32 cycles, two bits per cycle, a given cycle always in the same
        word: how many flits were forwarded.
    history : int
        A power of two; all but one of its words cover `credit` and the cycles that routers run ahead.
    """
    base, count = g * (history + 1), np.int64(0)
    last, first = popped[at(base)], now - credit + 1 if now >= credit else 0
    if last >= first:
        for k in range(first >> 5, (last >> 5) + 1):
            word = from_first(popped, history, base, k, first)
            count += bits_of(word & _ONE_FLIT) + 2 * bits_of(word & ~_ONE_FLIT)
    return count


@stage
def full(
    many: int,
    long_credits: int | None,
    rec: np.ndarray,
    popped: np.ndarray,
    history: int,
    g: int,
    now: int,
    room: int,
    credit: int,
) -> bool:
    """Return whether fewer than 1 of `room` credits for VC g have reached its sender, at a cycle."""
    sent = np.int64(rec[at(g * VC_SIZE + VC_FLITS)])
    if sent + ((credit + AHEAD) << many) < room:  # however many credits are in flight
        return False
    if long_credits is not None:
        return sent + in_flight_far(popped, history, g, now, credit) >= room
    return sent + in_flight(popped, g, now, credit) >= room


@inner
def next_credit(long_credits: int | None, popped: np.ndarray, history: int, g: int, now: int, credit: int) -> int:
    """Return the first cycle in which VC g, now full, may have another credit; there is no need to look before.

    It is the cycle of the oldest credit in flight; without one, that of a flit that leaves as soon as possible without being
    registered yet, AHEAD - 1 cycles ago.
    """
    if long_credits is not None:
        base = g * (history + 1)
        last, first = popped[at(base)], now - credit + 1 if now >= credit else 0
        if last >= first:
            for k in range(first >> 5, (last >> 5) + 1):
                word = np.uint64(popped[at(base + 1 + (k & (history - 1)))])
                if k == first >> 5:
                    word &= ~np.uint64(0) << np.uint64(2 * (first & 31))
                if word:
                    return (k << 5) + (lowest_bit(word) >> 1) + credit
        return now - (AHEAD - 1) + credit
    word = popped[at(g)]
    last, bits = word >> 32, away(word, now, credit)
    if bits == 0:
        return now - (AHEAD - 1) + credit
    while bits > 3:
        bits >>= 2
        last -= 1
    return last + credit


@stage
def credit_leaves(sent_credits: np.ndarray, port: int, c: int, step: int) -> int:
    """Return the cycle in which the credit of a flit that leaves the buffer of an input port in a step is sent.

    One message per cycle is sent, with the credits of one step; others wait in order.
    """
    if sent_credits[at(2 * port)] != 2 * c + step:
        sent_credits[at(2 * port)] = 2 * c + step
        sent_credits[at(2 * port + 1)] = max(c, sent_credits[at(2 * port + 1)] + 1)
    return sent_credits[at(2 * port + 1)]


@stage
def host_full(net: RouterNetwork, s: Buffers, rules: Rules, gp: int, vc: int, c: int) -> bool:
    """Return whether no credit of a VC to the host at port gp is there in cycle c."""
    base = (np.int64(net.host_at[at(gp)]) * rules.vcs + vc) * (rules.room + 1)
    return s.ejected[at(base + 1 + np.int64(s.ejected[at(base)]))] + rules.eject_trip > c


@stage
def note_ejected(net: RouterNetwork, s: Buffers, rules: Rules, gp: int, vc: int, leaves: int) -> None:
    """Record that a flit leaves in a VC to the host at port gp."""
    base = (np.int64(net.host_at[at(gp)]) * rules.vcs + vc) * (rules.room + 1)
    place = np.int64(s.ejected[at(base)])
    s.ejected[at(base + 1 + place)] = leaves
    s.ejected[at(base)] = place + 1 if place + 1 < rules.room else 0
