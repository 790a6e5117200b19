"""Growing trees step by step: in each step, every channel carries what fits in, and every rank gets chunks that it lacks.

Greedy matching of ranks and chunks in time, as Won et al., TACOS, MICRO 2024, section IV, do for networks without switches.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@inner
def _rarest(have: np.ndarray, coming: np.ndarray, copies: np.ndarray, u: int, v: int, begin: int) -> int:
    """Return the chunk with the fewest copies that rank u has and rank v neither has nor gets; -1: none.

    have, coming: uint64[c, words], bits of chunks; copies: int64[chunks]. Among equals, the first from chunk 64 `begin` on.
    """
    words, best, fewest = have.shape[1], -1, 0
    for i in range(words):
        word = (begin + i) % words
        new = have[u, word] & ~coming[v, word]
        while new:
            low = new & (~new + np.uint64(1))
            new ^= low
            # The place of a single bit, by halving.
            place, bits = 0, low
            for shift in (32, 16, 8, 4, 2, 1):
                if bits >> np.uint64(shift):
                    place += shift
                    bits >>= np.uint64(shift)
            chunk = 64 * word + place
            if best < 0 or copies[chunk] < fewest:
                best, fewest = chunk, copies[chunk]
    return best


@allocating
def next_step(
    first: np.ndarray,
    tail: np.ndarray,
    credit: np.ndarray,
    unit: int,
    switches: int,
    have: np.ndarray,
    coming: np.ndarray,
    copies: np.ndarray,
    order: np.ndarray,
    begin: int,
    edges: np.ndarray,
    path: np.ndarray,
) -> int:
    """Choose the messages of one step; return their number.

    Parameters
    ----------
    first, tail : int64[n + c + 1], int64[a]
        The channels that enter each node, by their origins; switches come first, then ranks.
    credit : int64[a]
        What each channel may still carry; changed in place.
    unit : int
        The credit that a message takes on each channel of its path.
    switches : int
        The number n of switches.
    have, coming : uint64[c, words]
        The chunks of each rank before this step, and with those that come in this step; `coming` is changed in place.
    copies : int64[chunks]
        The ranks that have or get each chunk; changed in place.
    order : int64[c]
        The ranks in the order in which they choose.
    begin : int
        The group of 64 chunks at which a search begins.
    edges : int64[m, 4]
        Filled with sender, receiver, chunk, and the end of the message's part of `path`.
    path : int64[p]
        Filled with the switches of each message, from the sender's to the receiver's.

    Notes
    -----
    Each rank takes a chunk from the nearest rank that has one for it over channels with credit. Ranks choose in turns: first
    over paths of one switch, then of two, and so on, so that no long path takes the place of short ones.
    """
    nodes, ranks = first.size - 1, order.size
    seen, queue = np.full(nodes, -1, np.int64), np.empty(nodes, np.int64)
    via, hops = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    # The longest search that was in vain for each rank and ended for want of channels: longer ones are in vain too.
    closed = np.zeros(ranks, np.bool_)
    stamp, number, end = 0, 0, 0
    longest = 1
    while True:
        progress, cut = True, False
        while progress:
            progress = False
            for place in range(ranks):
                v = order[place]
                if closed[v]:
                    continue
                stamp += 1
                at, filled = 0, 1
                queue[0] = switches + v
                seen[switches + v] = stamp
                hops[switches + v] = 0
                source, chunk, short = -1, -1, False
                while at < filled and source < 0:
                    x = queue[at]
                    at += 1
                    for a in range(first[x], first[x + 1]):
                        w = tail[a]
                        if credit[a] < unit or seen[w] == stamp:
                            continue
                        if w >= switches:
                            seen[w] = stamp
                            chunk = _rarest(have, coming, copies, w - switches, v, (begin + v) % have.shape[1])
                            if chunk >= 0:
                                via[w], source = a, w
                                break
                        elif hops[x] < longest:
                            seen[w], via[w], hops[w] = stamp, a, hops[x] + 1
                            queue[filled] = w
                            filled += 1
                        else:
                            short = True
                if source < 0:
                    closed[v] = not short
                    cut = cut or short
                    continue
                progress = True
                w = source
                while w != switches + v:
                    a = via[w]
                    credit[a] -= unit
                    # The node that channel a enters: the one whose channels contain a.
                    low, high = 0, nodes
                    while high - low > 1:
                        middle = (low + high) // 2
                        if first[middle] <= a:
                            low = middle
                        else:
                            high = middle
                    w = low
                    if w != switches + v:
                        path[end] = w
                        end += 1
                coming[v, chunk // 64] |= np.uint64(1) << np.uint64(chunk % 64)
                copies[chunk] += 1
                edges[number, 0], edges[number, 1] = source - switches, v
                edges[number, 2], edges[number, 3] = chunk, end
                number += 1
        if not cut:
            return number
        longest += 1
