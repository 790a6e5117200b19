"""The steps of collectives: to whom a rank sends how much, and from whom it receives, step after step.

Ranks are 0 to p - 1 of their group. Where a number of ranks is no power of two, the first 2 (p - 2^k) ones pair up before and
after, and one of each pair sits out (Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005).
"""

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.simulation.flows.state import DOUBLING, GATHER, HALVING, RING, SHIFT, TREE, XOR


@inner
def log2_floor(p: int) -> int:
    """The greatest k with 2^k <= p."""
    k = 0
    while (2 << k) <= p:
        k += 1
    return k


@kernel
def steps_of(algorithm: int, p: int) -> int:
    """How many steps an algorithm has on p ranks; in some of them a rank may have nothing to do."""
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
    """A rank's number among a power of two of them; -1 where it sits out."""
    if me >= 2 * rest:
        return me - rest
    return me // 2 if me % 2 else -1


@stage
def _unfolded(folded: int, rest: int) -> int:
    return 2 * folded + 1 if folded < rest else folded + rest


@kernel
def step_of(algorithm: int, step: int, me: int, p: int, amount: float) -> tuple[int, float, int, float]:
    """(to, bytes, from, bytes) of a step; -1: nobody. amount: bytes of a vector, or to each rank (SHIFT, XOR, GATHER)."""
    if algorithm == RING:
        own = (me - step + p) % p
        coming = (own - 1 + p) % p
        mine = (amount * (own + 1)) // p - (amount * own) // p
        theirs = (amount * (coming + 1)) // p - (amount * coming) // p
        return (me + 1) % p, mine, (me - 1 + p) % p, theirs
    if algorithm == SHIFT:
        return (me + step + 1) % p, amount, (me - step - 1 + p) % p, amount
    if algorithm == XOR:
        partner = me ^ (step + 1)
        return partner, amount, partner, amount
    if algorithm == DOUBLING or algorithm == HALVING:
        return _recursive(algorithm, step, me, p, amount)
    if algorithm == GATHER:
        # Of an all-gather: each rank has as many blocks as ranks are behind it in its block of 2^step.
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
        # Halves, quarters, ... go to partners further and further away, and back again.
        level = step if step <= k else 2 * k + 1 - step
        partner, share = _unfolded(folded ^ (1 << (level - 1)), rest), amount / (1 << level)
    return partner, share, partner, share
