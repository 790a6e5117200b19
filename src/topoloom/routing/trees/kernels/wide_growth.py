"""How trees of up to 64 destinations grow: a destination is a bit of a word, hop by hop switches join its tree.

`open_in`, uint64[n * 2 lanes], says where a switch's path to a destination is legal: word 2 lanes * v + k of the lanes k, and
word 2 lanes * v + lanes + k of those lanes in which the path also begins with a rise. One of the two is what a neighbour asks
for, by whether the rank rises along the channel between them: so both lie side by side.
"""

import numpy as np

from topoloom.compiling.decorators import allocating, kernel
from topoloom.graph.kernels.simd import fetch, lowest_bit
from topoloom.random_streams.kernels import next_word

_ONE, _ZERO = np.uint64(1), np.uint64(0)
#: What four words of SplitMix64's stream move its state on by.
_FOUR_WORDS = np.uint64(4 * 0x9E3779B97F4A7C15 % (1 << 64))


@allocating
def farthest(first: np.ndarray, to: np.ndarray, destinations: np.ndarray, every: np.uint64) -> np.ndarray:
    """For each number of hops the destinations that no switch is farther from: uint64[hops + 1]."""
    n = first.size - 1
    known, front, fresh = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    for b in range(destinations.size):
        known[destinations[b]] |= _ONE << np.uint64(b)
    for each in range(known.size):
        front[each] = known[each]
    last = np.zeros(n + 1, np.uint64)
    hops = 0
    before = every
    while True:
        moving = _ZERO
        for v in range(n):
            found = _ZERO
            wanted = every & ~known[v]
            if wanted:
                for c in range(first[v], first[v + 1]):
                    found |= front[to[c]]
                found &= wanted
                known[v] |= found
            fresh[v] = found
            moving |= found
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
    lanes: int,
    destinations: np.ndarray,
    every: np.uint64,
    ranked: np.ndarray,
    last: np.ndarray,
    held: np.ndarray,
    fixed: np.ndarray,
    joined: np.ndarray,
    open_in: np.ndarray,
    table: np.ndarray,
    fronts: np.ndarray,
    seen: np.ndarray,
    state: np.ndarray,
    flag: np.ndarray,
) -> None:
    """Let switches join the trees of the destinations `every`, hop by hop.

    A switch prefers a channel that leaves it more than one lane, where anybody is farther away still; of those alike mostly
    the one with the least load. Where it is `held`, it joins over the channel that is `fixed` for that destination only.

    Parameters
    ----------
    ranked : int32[2 m]
        The channels of each switch in the order in which it looks at them.
    last : uint64[hops + 1]
        As `farthest` has it.
    held, fixed : uint64[n], uint64[2 m]
    joined : uint64[n]
        Gets the trees that each switch is in.
    open_in : uint64[n * 2 lanes]
        Gets the lanes in which each switch's path is legal.
    table : uint8 or uint16[k, at least n]
        Gets the ports, a row a destination.
    fronts, seen, state : uint64[2, n], uint64[2, most links of a switch], uint64[1]
        Room.
    flag : uint8[1]
        Not 0: whoever asked wants no trees any more; they are left unfinished.
    """
    n = first.size - 1
    front, fresh = fronts[0], fronts[1]
    can, taken = seen[0], seen[1]
    wide = 2 * lanes
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
    hops = 0
    while True:
        hops += 1
        if flag[0]:
            return
        # Whose path nobody farther needs any more: there lanes left do not matter.
        ends = last[hops] if hops < last.size else ~_ZERO
        moving = _ZERO
        for v in range(n):
            wanted = every & ~joined[v]
            fresh[v] = _ZERO
            if wanted == 0:
                continue
            begin = first[v]
            degree = first[v + 1] - begin
            anybody = _ZERO
            for i in range(degree):
                c = np.int64(ranked[begin + i])
                w = np.int64(to[c])
                offers = wanted & front[w]
                if held[v]:
                    offers &= ~held[v] | fixed[c]
                can[i] = offers
                anybody |= offers
                if offers:
                    fetch(open_in, w * wide)
                    fetch(open_in, w * wide + wide - 1)
            if anybody == 0:
                continue
            got = roomy = _ZERO
            for i in range(degree):
                taken[i] = _ZERO
                if can[i] == 0:
                    continue
                c = np.int64(ranked[begin + i])
                row = np.int64(to[c]) * wide
                climbs = np.int64(rises[c])
                found = several = _ZERO
                for k in range(lanes):
                    ok = can[i] & open_in[row + k + lanes * ((climbs >> k) & 1)]
                    several |= found & ok
                    found |= ok
                several &= ~ends
                # One in sixteen changes to a channel that is no better, only busier: else all took the same path.
                if found & got & ~(several & ~roomy):
                    alike = ~(several ^ roomy) & next_word(state) & next_word(state) & next_word(state)
                    alike &= next_word(state)
                else:
                    alike = _ZERO
                    state[0] += _FOUR_WORDS
                better = found & (~got | (several & ~roomy) | alike)
                if better == 0:
                    continue
                got |= better
                roomy = (roomy & ~better) | (several & better)
                for j in range(i):
                    taken[j] &= ~better
                taken[i] = better
            if got == 0:
                continue
            fresh[v] = got
            moving |= got
            joined[v] |= got
            own = v * wide
            for i in range(degree):
                rest = taken[i]
                if rest == 0:
                    continue
                c = np.int64(ranked[begin + i])
                row = np.int64(to[c]) * wide
                climbs = np.int64(rises[c])
                # Nobody asks for these bits before the next hop: v is not in `front` for them.
                for k in range(lanes):
                    up = (climbs >> k) & 1
                    ok = rest & open_in[row + k + lanes * up]
                    open_in[own + k] |= ok
                    open_in[own + lanes + k] |= ok & (_ZERO - np.uint64(up))
                port = c - begin
                while rest:
                    b = np.int64(lowest_bit(rest))
                    rest &= rest - _ONE
                    table[b, v] = port
        if moving == 0:
            return
        front, fresh = fresh, front
