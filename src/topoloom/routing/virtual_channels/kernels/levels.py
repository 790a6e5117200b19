"""Virtual channels in which the channels have levels: a pair may take a virtual channel if the levels rise along its path."""

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
    """The channels of every pair's path; the longest path, or -1 where one is longer than there is room or leads nowhere.

    carriers : int64[c]
        Switches between which data goes; pair i * c + j is from carrier j to carrier i.
    paths : int32[c * c, room]
        Filled; -1 behind a path's end.
    length : uint8[c * c]
        Filled.
    flag : uint8[1]
        Not 0: nobody wants to know any more.
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
    """The pairs whose paths take each channel: those of channel c are members[begin[c] : begin[c + 1]].

    begin : int64[2 m + 1]
        Filled.
    members : int32[...]
        As many as all paths have hops; filled.
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
    """Give each channel in turn the level with which most of the pairs rise; how many channels changed theirs.

    order : int64[2 m]
        In which the channels are looked at.
    gain : int64[levels + 1]
        Room.
    level : uint16[2 m]
        Changed.
    flag : uint8[1]
        Not 0: nobody wants to know any more.
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
        for one in range(levels):
            sum_ += gain[one]
            if one == level[channel]:
                now = sum_
            if sum_ > most:
                best, most = one, sum_
        if most > now:
            level[channel] = best
            changed += 1
    return changed


@kernel
def mark_rising(paths: np.ndarray, length: np.ndarray, level: np.ndarray, rising: np.ndarray) -> None:
    """Which pairs rise in a virtual channel: bool[pairs], filled; a path of one channel always does."""
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
    """Give each pair, one after the other, that of its virtual channels whose channels on its path carry fewest pairs yet.

    rising : bool[virtual channels, pairs]
    order : int64[pairs]
    load : int64[virtual channels, 2 m]
        0; filled.
    vc : uint8[pairs]
        Filled.
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
