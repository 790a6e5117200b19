"""Virtual channels whose channels have levels: a pair may use a virtual channel if the levels rise along its path."""

import numpy as np

from topoloom.core.compiling.decorators import kernel


@kernel
def walk_pairs(
    first: np.ndarray,
    to: np.ndarray,
    ports: np.ndarray,
    carriers: np.ndarray,
    paths: np.ndarray,
    length: np.ndarray,
    flag: np.ndarray,
) -> int:
    """Write the channels of every pair's path; return the longest path's hops, or -1 if a path is too long or does not arrive.

    carriers : int64[c]
        Switches that send and receive data; pair i * c + j is from carrier j to carrier i.
    paths : int32[c * c, room]
        Written; -1 after a path's end.
    length : uint8[c * c]
        Hops of each path; written.
    flag : uint8[1]
        Not 0: the work was stopped.
    """
    room, longest = paths.shape[1], 0
    for i in range(carriers.size):
        if flag[0]:
            return longest
        d = carriers[i]
        for j in range(carriers.size):
            pair = i * carriers.size + j
            at, hops = carriers[j], 0
            while at != d:
                port = np.int64(ports[d, at])
                channel = first[at] + port
                if hops == room or channel >= first[at + 1]:
                    return -1
                paths[pair, hops] = channel
                at = to[channel]
                hops += 1
            for rest in range(hops, room):
                paths[pair, rest] = -1
            length[pair] = hops
            longest = max(longest, hops)
    return longest


@kernel
def list_members(paths: np.ndarray, length: np.ndarray, begin: np.ndarray, members: np.ndarray) -> None:
    """List the pairs whose paths use each channel: those of channel c are members[begin[c] : begin[c + 1]].

    begin : int64[2 m + 1]
        Written.
    members : int32[...]
        As many as all paths have hops; written.
    """
    begin[:] = 0
    for pair in range(paths.shape[0]):
        for hop in range(length[pair]):
            begin[paths[pair, hop] + 1] += 1
    for channel in range(begin.size - 1):
        begin[channel + 1] += begin[channel]
    for pair in range(paths.shape[0]):
        for hop in range(length[pair]):
            channel = paths[pair, hop]
            members[begin[channel]] = pair
            begin[channel] += 1
    for channel in range(begin.size - 1, 0, -1):
        begin[channel] = begin[channel - 1]
    begin[0] = 0


@kernel
def settle_levels(
    paths: np.ndarray,
    length: np.ndarray,
    begin: np.ndarray,
    members: np.ndarray,
    order: np.ndarray,
    gain: np.ndarray,
    level: np.ndarray,
    flag: np.ndarray,
) -> int:
    """Give each channel in turn the level with which most pairs rise; return the number of channels that changed.

    order : int64[2 m]
        The order in which the channels are visited.
    gain : int64[levels + 1]
        Scratch: differences of the number of pairs that rise with each level.
    level : uint16[2 m]
        Updated.
    flag : uint8[1]
        Not 0: the work was stopped.
    """
    levels, changed = gain.size - 1, 0
    for number in range(order.size):
        if flag[0]:
            return changed
        channel = order[number]
        gain[:] = 0
        for k in range(begin[channel], begin[channel + 1]):
            pair = members[k]
            hops, here, rises = np.int64(length[pair]), -1, True
            for hop in range(hops):
                if paths[pair, hop] == channel:
                    here = hop
            for hop in range(hops - 1):
                if hop != here and hop + 1 != here and level[paths[pair, hop]] >= level[paths[pair, hop + 1]]:
                    rises = False
            low = np.int64(level[paths[pair, here - 1]]) + 1 if here > 0 else 0
            high = np.int64(level[paths[pair, here + 1]]) - 1 if here < hops - 1 else levels - 1
            if rises and low <= high:
                gain[low] += 1
                gain[high + 1] -= 1
        best, most, now, sum_ = np.int64(level[channel]), -1, 0, 0
        for candidate in range(levels):
            sum_ += gain[candidate]
            if candidate == level[channel]:
                now = sum_
            if sum_ > most:
                best, most = candidate, sum_
        if most > now:
            level[channel] = best
            changed += 1
    return changed


@kernel
def mark_rising(paths: np.ndarray, length: np.ndarray, level: np.ndarray, rising: np.ndarray) -> None:
    """Write to `rising`, bool[pairs], which pairs rise in a virtual channel; a path of one channel always does."""
    for pair in range(paths.shape[0]):
        rises = True
        for hop in range(np.int64(length[pair]) - 1):
            if level[paths[pair, hop]] >= level[paths[pair, hop + 1]]:
                rises = False
        rising[pair] = rises


@kernel
def spread_pairs(
    paths: np.ndarray, length: np.ndarray, rising: np.ndarray, order: np.ndarray, load: np.ndarray, vc: np.ndarray
) -> None:
    """Give each pair, one after the other, the virtual channel with the fewest pairs so far on the channels of its path.

    rising : bool[virtual channels, pairs]
    order : int64[pairs]
    load : int64[virtual channels, 2 m]
        Pairs per channel; zeros at first; written.
    vc : uint8[pairs]
        Written.
    """
    for number in range(order.size):
        pair = order[number]
        best, least = -1, 0
        for k in range(rising.shape[0]):
            if rising[k, pair]:
                carried = 0
                for hop in range(length[pair]):
                    carried += load[k, paths[pair, hop]]
                if best < 0 or carried < least:
                    best, least = k, carried
        vc[pair] = best
        for hop in range(length[pair]):
            load[best, paths[pair, hop]] += 1
