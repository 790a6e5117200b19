"""Follow tables of real ports from host to host: loads of channels, hops, lost pairs, permutations, and changed paths."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@inner
def _next(channel_at, ports, d, s):  # type: ignore[no-untyped-def]
    """The channel by which switch s sends to target d; -1: none."""
    p = np.int64(ports[d, s])
    if p < 0 or p >= channel_at.shape[1]:
        return np.int64(-1)
    return np.int64(channel_at[s, p])


@inner
def _walk(to, channel_at, ports, home, plug, d, s, walked):  # type: ignore[no-untyped-def]
    """Write the channels from switch s to host port d into `walked`; returns their number, or -1 if it does not arrive."""
    hops = 0
    while s != home or np.int64(ports[d, s]) != plug:
        c = _next(channel_at, ports, d, s)
        if c < 0 or hops == walked.size:
            return -1
        walked[hops] = c
        hops += 1
        s = np.int64(to[c])
    return hops


@allocating
def follow_pairs(
    to: np.ndarray,
    channel_at: np.ndarray,
    ports: np.ndarray,
    home: np.ndarray,
    plug: np.ndarray,
    at: np.ndarray,
    rate_at: np.ndarray,
    rate: np.ndarray,
    share: float,
    load: np.ndarray,
    rated_load: np.ndarray,
    histogram: np.ndarray,
    lost: np.ndarray,
) -> None:
    """Follow the paths to every host port from all switches with hosts.

    Parameters
    ----------
    to : int[2 m]
        The switch that each channel leads to.
    channel_at : int32[n, ports + 1]
        The channel that leaves a switch by a real port; -1: none.
    ports : int16[k, n]
        The real port of each switch towards each host port; -1: none.
    home, plug : int64[k]
        The switch of each host port, and the port of that switch.
    at, rate_at : int64[n], float64[n]
        The host ports of each switch, and their rates together.
    rate : float64[k]
        The rate of each host port.
    share : float
        The weight of a path: 1 / the number of paths of a pair.
    load, rated_load : float64[2 m]
        Pairs over each channel, and products of their rates for pairs of different switches; updated.
    histogram : int64[n + 1]
        Pairs by hops between switches; updated.
    lost : bool[k, n]
        Set where a path does not arrive.

    Cost O(k times switches with hosts times hops).
    """
    n = at.size
    walked = np.empty(n, np.int64)
    for d in range(home.size):
        for s in range(n):
            if not at[s]:
                continue
            hops = _walk(to, channel_at, ports, home[d], plug[d], d, s, walked)
            if hops < 0:
                lost[d, s] = True
                continue
            own = s == home[d]
            pairs = at[s] - 1 if own else at[s]
            histogram[hops] += pairs
            for h in range(hops):
                load[walked[h]] += share * pairs
                rated_load[walked[h]] += 0.0 if own else share * rate_at[s] * rate[d]


@allocating
def follow_shifts(
    to: np.ndarray,
    channel_at: np.ndarray,
    ports: np.ndarray,
    home: np.ndarray,
    plug: np.ndarray,
    rate: np.ndarray,
    capacity: np.ndarray,
    shifts: np.ndarray,
    fullest: np.ndarray,
) -> None:
    """Follow the paths of shifts: host port i sends to host port i + shift.

    Parameters
    ----------
    to, channel_at, home, plug, rate
        As for `follow_pairs`.
    ports : int16[paths, k, n]
        The tables of every path of a pair, over which its data is split evenly.
    capacity : float64[2 m]
    shifts : int64[count]
    fullest : float64[count]
        Set to the largest load of a channel in each shift, as a share of its capacity; at least 1, the load of hosts' links.
    """
    k, n, paths = home.size, channel_at.shape[0], ports.shape[0]
    load, walked = np.zeros(to.size), np.empty(n, np.int64)
    for number in range(shifts.size):
        most = 1.0
        for again in range(2):  # add the loads, then remove them
            for i in range(k):
                d = (i + shifts[number]) % k
                amount = min(rate[i], rate[d]) / paths
                for path in range(paths):
                    hops = _walk(to, channel_at, ports[path], home[d], plug[d], d, home[i], walked)
                    for h in range(hops):
                        c = walked[h]
                        if again:
                            load[c] = 0.0
                        else:
                            load[c] += amount
                            most = max(most, load[c] / capacity[c])
        fullest[number] = most


@allocating
def changed_pairs(
    to: np.ndarray,
    channel_at: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    home: np.ndarray,
    plug: np.ndarray,
    at: np.ndarray,
) -> int:
    """The number of pairs of host ports of which a path differs between two sets of tables, int16[paths, k, n] each.

    Where one has fewer paths per pair, they are compared in turn with those of the other.
    """
    n, changed = at.size, 0
    former, latter = np.empty(n, np.int64), np.empty(n, np.int64)
    for d in range(home.size):
        for s in range(n):
            if not at[s]:
                continue
            differs = False
            for path in range(max(before.shape[0], after.shape[0])):
                hops = _walk(to, channel_at, before[path % before.shape[0]], home[d], plug[d], d, s, former)
                others = _walk(to, channel_at, after[path % after.shape[0]], home[d], plug[d], d, s, latter)
                differs |= hops != others
                for h in range(min(hops, others)):
                    differs |= former[h] != latter[h]
            if differs:
                changed += at[s] - (1 if s == home[d] else 0)
    return changed
