"""The steps of collectives: for each step, the rank to send to with the bytes, and the rank to receive from.

Ranks are 0 to p - 1 of their group. If p is not a power of two, the first 2 (p - 2^k) ranks form pairs before and after, and
one rank of each pair is idle in between (Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005).
"""

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.simulation.flows.state import DOUBLING, GATHER, HALVING, RING, SHIFT, TREE, XOR


@inner
def log2_floor(p: int) -> int:
    """Return the greatest k with 2^k <= p."""
    k = 0
    while (2 << k) <= p:
        k += 1
    return k


@kernel
def steps_of(algorithm: int, p: int) -> int:
    """Return the number of steps of an algorithm on p ranks; a rank may be idle in some of them."""
    k = log2_floor(p)
    if p == 1:
        return 0
    if algorithm in (RING, SHIFT, XOR):
        return p - 1
    if algorithm == DOUBLING:
        return k + 2
    if algorithm == HALVING:
        return 2 * k + 2
    return k + ((1 << k) < p)


@stage
def _folded(me: int, rest: int) -> int:
    """Return a rank's number among a power of two of ranks; -1 if it is idle."""
    if me >= 2 * rest:
        return me - rest
    return me // 2 if me % 2 else -1


@stage
def _unfolded(folded: int, rest: int) -> int:
    return 2 * folded + 1 if folded < rest else folded + rest


@kernel
def step_of(algorithm: int, step: int, me: int, p: int, amount: float) -> tuple[int, float, int, float]:
    """Return (to, bytes, from, bytes) of a step; -1: no rank. amount: bytes of a vector, or per rank (SHIFT, XOR, GATHER)."""
    if algorithm == RING:
        own = (me - step + p) % p
        coming = (own - 1 + p) % p
        own_bytes = (amount * (own + 1)) // p - (amount * own) // p
        coming_bytes = (amount * (coming + 1)) // p - (amount * coming) // p
        return (me + 1) % p, own_bytes, (me - 1 + p) % p, coming_bytes
    if algorithm == SHIFT:
        return (me + step + 1) % p, amount, (me - step - 1 + p) % p, amount
    if algorithm == XOR:
        partner = me ^ (step + 1)
        return partner, amount, partner, amount
    if algorithm == DOUBLING or algorithm == HALVING:
        return _recursive(algorithm, step, me, p, amount)
    if algorithm == GATHER:
        # In an all-gather, before this step each rank has the blocks of its group of 2^step ranks.
        partner = me ^ (1 << step)
        return partner, amount * (1 << step), partner, amount * (1 << step)
    # TREE and REDUCE: binomial trees from rank 0 and to it.
    last = steps_of(algorithm, p) - 1
    bit = 1 << (last - step if algorithm == TREE else step)
    upper = me % (2 * bit) == bit
    lower = me % (2 * bit) == 0 and me + bit < p
    if algorithm == TREE:
        return (me + bit if lower else -1), amount, (me - bit if upper else -1), amount
    return (me - bit if upper else -1), amount, (me + bit if lower else -1), amount


@stage
def _recursive(algorithm: int, step: int, me: int, p: int, amount: float) -> tuple[int, float, int, float]:
    k = log2_floor(p)
    rest = p - (1 << k)
    last = k + 1 if algorithm == DOUBLING else 2 * k + 1
    if step == 0 or step == last:
        if me >= 2 * rest:
            return -1, 0.0, -1, 0.0
        sends = (me % 2 == 0) == (step == 0)
        partner = me + 1 if me % 2 == 0 else me - 1
        return (partner if sends else -1), amount, (-1 if sends else partner), amount
    folded = _folded(me, rest)
    if folded < 0:
        return -1, 0.0, -1, 0.0
    if algorithm == DOUBLING:
        partner, share = _unfolded(folded ^ (1 << (step - 1)), rest), amount
    else:
        # Halves, quarters, ... go to partners farther and farther away, and back.
        level = step if step <= k else 2 * k + 1 - step
        partner, share = _unfolded(folded ^ (1 << (level - 1)), rest), amount / (1 << level)
    return partner, share, partner, share
