"""Growth of the trees of up to 64 destinations: each destination is one bit of a word, and switches join its tree hop by hop.

`open_in`, uint64[n * 2 * vcs], holds the destinations to which a switch's path is legal: word 2 * vcs * v + k for virtual
channel k, and word 2 * vcs * v + vcs + k for paths that also begin with a rise in virtual channel k. A neighbour reads one of
the two, depending on whether the rank rises along the channel between them, so both are adjacent in memory.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel
from topoloom.core.random_streams.kernels import next_word
from topoloom.graph.kernels.simd import fetch, lowest_bit

_ONE, _ZERO = np.uint64(1), np.uint64(0)
#: The change of SplitMix64's state after four words.
_FOUR_WORDS = np.uint64(4 * 0x9E3779B97F4A7C15 % (1 << 64))


@allocating
def farthest(first: np.ndarray, to: np.ndarray, destinations: np.ndarray, every: np.uint64) -> np.ndarray:
    """For each number of hops, the destinations (bits) from which no switch is farther: uint64[hops + 1]."""
    n = first.size - 1
    reached, front, fresh = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    for b in range(destinations.size):
        reached[destinations[b]] |= _ONE << np.uint64(b)
    for each in range(reached.size):
        front[each] = reached[each]
    last = np.zeros(n + 1, np.uint64)
    hops = 0
    before = every
    while True:
        moving = _ZERO
        for v in range(n):
            new = _ZERO
            wanted = every & ~reached[v]
            if wanted:
                for c in range(first[v], first[v + 1]):
                    new |= front[to[c]]
                new &= wanted
                reached[v] |= new
            fresh[v] = new
            moving |= new
        last[hops] = before & ~moving
        before = moving
        if moving == 0:
            return last[: hops + 1].copy()
        hops += 1
        front, fresh = fresh, front


@kernel
def grow(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    vcs: int,
    destinations: np.ndarray,
    every: np.uint64,
    ranked: np.ndarray,
    aims: np.ndarray,
    last: np.ndarray,
    held: np.ndarray,
    fixed: np.ndarray,
    joined: np.ndarray,
    open_in: np.ndarray,
    table: np.ndarray,
    fronts: np.ndarray,
    near: np.ndarray,
    offered: np.ndarray,
    channel: np.ndarray,
    state: np.ndarray,
    flag: np.ndarray,
) -> None:
    """Let switches join the trees of the destinations `every`, hop by hop.

    A switch prefers a channel that leaves it more than one virtual channel, if there are farther switches; among equal
    channels, mostly the one with the least load. A switch that is `held` for a destination joins only over the channel that is
    `fixed` for it.

    Parameters
    ----------
    ranked : int32[2 m]
        The channels of each switch, in the order in which it tries them.
    aims : uint32[2 m]
        The switches that these lead to.
    last : uint64[hops + 1]
        The result of `farthest`.
    held, fixed : uint64[n], uint64[2 m]
    joined : uint64[n]
        The trees that each switch is in; written.
    open_in : uint64[n * 2 * vcs]
        The virtual channels in which each switch's path is legal; written.
    table : uint8 or uint16[k, at least n]
        The ports, one row per destination; written.
    fronts, near : uint64[2, n], bool[n]
        Scratch.
    offered, channel, state : uint64[2, r + 1], int64[r + 1], uint64[1]
        Scratch; r: the most links of a switch.
    flag : uint8[1]
        Not 0: the work was stopped; the trees are incomplete.
    """
    n = first.size - 1
    front, fresh = fronts[0], fronts[1]
    can, taken = offered[0], offered[1]
    wide = 2 * vcs
    state[0] = np.uint64(destinations[0]) * np.uint64(0x9E3779B97F4A7C15)
    joined[:] = _ZERO
    front[:] = _ZERO
    open_in[:] = _ZERO
    for b in range(destinations.size):
        bit = (_ONE << np.uint64(b)) & every
        d = destinations[b]
        joined[d] |= bit
        front[d] |= bit
        for k in range(d * wide, d * wide + wide):
            open_in[k] |= bit
    hops, crowd = 0, destinations.size
    while True:
        hops += 1
        if flag[0]:
            return
        # Destinations from which no switch is farther: for them the number of remaining virtual channels does not matter.
        ends = last[hops] if hops < last.size else ~_ZERO
        few = crowd * channel.size < n
        if few:
            _mark_neighbours(first, to, front, near)
        moving, crowd = _ZERO, 0
        for v in range(n):
            fresh[v] = _ZERO
            wanted = every & ~joined[v]
            if wanted == 0 or (few and not near[v]):
                continue
            begin, offers = first[v], 0
            for i in range(np.uint64(begin), np.uint64(first[v + 1])):
                can[offers] = wanted & front[aims[i]]
                channel[offers] = i
                offers += can[offers] != 0
            if held[v]:
                offers = _not_held(can, channel, offers, ranked, held[v], fixed)
            if offers == 0:
                continue
            for i in range(offers):
                row = np.int64(aims[channel[i]]) * wide
                fetch(open_in, row)
                fetch(open_in, row + wide - 1)
            got = roomy = _ZERO
            for i in range(offers):
                taken[i] = _ZERO
                row = np.int64(aims[channel[i]]) * wide
                climbs = np.int64(rises[ranked[channel[i]]])
                legal = several = _ZERO
                for k in range(vcs):
                    ok = can[i] & open_in[row + k + vcs * ((climbs >> k) & 1)]
                    several |= legal & ok
                    legal |= ok
                several &= ~ends
                # One in sixteen changes to a channel that is only more loaded, not better: otherwise all would take the same
                # path.
                better = legal & (~got | (several & ~roomy))
                if legal & ~better & ~(several ^ roomy):
                    alike = ~(several ^ roomy) & next_word(state) & next_word(state) & next_word(state)
                    better |= legal & alike & next_word(state)
                else:
                    state[0] += _FOUR_WORDS
                if better == 0:
                    continue
                if better & got:
                    for j in range(i):
                        taken[j] &= ~better
                got |= better
                roomy = (roomy & ~better) | (several & better)
                taken[i] = better
            if got == 0:
                continue
            fresh[v] = got
            moving |= got
            joined[v] |= got
            crowd += 1
            own = v * wide
            for i in range(offers):
                rest = taken[i]
                if rest == 0:
                    continue
                c = np.int64(ranked[channel[i]])
                row = np.int64(aims[channel[i]]) * wide
                climbs = np.int64(rises[c])
                # No switch reads these bits before the next hop: v is not in `front` for them.
                for k in range(vcs):
                    up = (climbs >> k) & 1
                    ok = rest & open_in[row + k + vcs * up]
                    open_in[own + k] |= ok
                    open_in[own + vcs + k] |= ok & (_ZERO - np.uint64(up))
                port = c - begin
                while rest:
                    table[np.uint64(lowest_bit(rest)), np.uint64(v)] = port
                    rest &= rest - _ONE
        if moving == 0:
            return
        front, fresh = fresh, front


@inner
def _mark_neighbours(first: np.ndarray, to: np.ndarray, front: np.ndarray, near: np.ndarray) -> None:
    near[:] = False
    for w in range(near.size):
        if front[w]:
            for c in range(first[w], first[w + 1]):
                near[to[c]] = True


@inner
def _not_held(
    can: np.ndarray, channel: np.ndarray, offers: int, ranked: np.ndarray, held: np.uint64, fixed: np.ndarray
) -> int:
    """Keep the offers that do not contradict a held path; return how many."""
    left = 0
    for i in range(offers):
        can[left] = can[i] & (~held | fixed[ranked[channel[i]]])
        channel[left] = channel[i]
        left += can[left] != 0
    return left
