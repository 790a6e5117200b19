"""Annealing of host-switch graphs: hops between all hosts, and moves that exchange links and move hosts."""

from typing import NamedTuple

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel, stage
from topoloom.core.random_streams.kernels import next_below, next_word
from topoloom.graph.kernels.simd import WORDS, either, load, ones_of, store, total

#: Additional cost of a pair of hosts beyond the target, per hop.
WEIGHT = 4
#: Most hosts per search of distances.
_BITS = 512


class HostSwitch(NamedTuple):
    """The current network; all arrays change in place.

    table : int32[m, r]
        The neighbours of each switch, in its first `links` slots.
    links, hosts : int32[m]
        The number of links and of hosts of each switch.
    place : int32[n]
        The switch of each host.
    """

    table: np.ndarray
    links: np.ndarray
    hosts: np.ndarray
    place: np.ndarray


@kernel
def host_hops(
    network: HostSwitch, target: int, limit: int, reach: np.ndarray, ahead: np.ndarray
) -> tuple[int, int, int, int, int]:
    """Hops between the switches of all ordered pairs of hosts: return (cost, pairs without path, diameter, pairs at the
    diameter, hops).

    The cost of a pair at distance d is d, plus `WEIGHT` for each hop beyond `target`; a pair without a path costs as m hops.
    `hops` is the sum over connected pairs. Stops with the cost so far once it exceeds `limit`. reach, ahead: uint64[8 m],
    scratch.
    """
    switches, count = network.links.size, network.place.size
    cost = lost = diameter = farthest = hops = 0
    for first in range(0, count, _BITS):
        sources = min(_BITS, count - first)
        reach[:] = 0
        seen = 0
        for j in range(sources):
            reach[network.place[first + j] * WORDS + j // 64] |= np.uint64(1) << np.uint64(j % 64)
            seen += network.hosts[network.place[first + j]]
        pairs, before, rounds = sources * count, 0, 0
        while seen < pairs and seen > before:
            # Every pair that is not reached yet has at least one hop more.
            hops += pairs - seen
            cost += (pairs - seen) * (1 + WEIGHT if rounds >= target else 1)
            if cost > limit:
                return cost, lost, diameter, farthest, hops
            before, seen = seen, 0
            for i in range(switches):
                row = load(reach, i * WORDS)
                for k in range(network.links[i]):
                    row = either(row, load(reach, np.int64(network.table[i, k]) * WORDS))
                store(ahead, i * WORDS, row)
                if network.hosts[i]:
                    seen += network.hosts[i] * np.int64(total(ones_of(row)))
            # Between two switches with hosts there may be rounds that reach only switches without.
            if seen == before and seen < pairs and not _same(reach, ahead):
                before = seen - 1
            rounds += 1
            reach, ahead = ahead, reach
        if seen < pairs:
            lost += pairs - seen
            hops -= (pairs - seen) * rounds
            cost += (pairs - seen) * max(0, switches - rounds) * (1 + WEIGHT)
            rounds -= 1  # the last one reached nothing new
        if rounds > diameter:
            diameter, farthest = rounds, 0
        if rounds == diameter:
            farthest += seen - before
    return cost, lost, diameter, farthest, hops


@stage
def _same(reach: np.ndarray, ahead: np.ndarray) -> bool:
    for i in range(reach.size):
        if reach[i] != ahead[i]:
            return False
    return True


@stage
def _slot(network: HostSwitch, u: int, v: int) -> int:
    """The slot of u with neighbour v; -1: none."""
    for k in range(network.links[u]):
        if network.table[u, k] == v:
            return k
    return -1


@stage
def _replace(network: HostSwitch, u: int, old: int, new: int) -> None:
    network.table[u, _slot(network, u, old)] = new


@inner
def swap(network: HostSwitch, a: int, b: int, c: int, d: int) -> None:
    """Replace the links a - b and c - d with a - c and b - d; ``swap(network, a, c, b, d)`` undoes it."""
    _replace(network, a, b, c)
    _replace(network, b, a, d)
    _replace(network, c, d, a)
    _replace(network, d, c, b)


@inner
def swing(network: HostSwitch, a: int, b: int, c: int, host: int) -> None:
    """Replace the link a - b with a - c, and move `host` from c to b; ``swing(network, a, c, b, host)`` undoes it."""
    _replace(network, a, b, c)
    at = _slot(network, b, a)
    network.links[b] -= 1
    network.table[b, at] = network.table[b, network.links[b]]
    network.hosts[b] += 1
    network.place[host] = b
    network.table[c, network.links[c]] = a
    network.links[c] += 1
    network.hosts[c] -= 1


@allocating
def anneal_hosts(
    network: HostSwitch,
    target: int,
    totals: np.ndarray,
    best_table: np.ndarray,
    best_counts: np.ndarray,
    state: np.ndarray,
    thresholds: np.ndarray,
    temperature: float,
    moves: int,
    reach: np.ndarray,
    ahead: np.ndarray,
) -> None:
    """Try `moves` moves at one temperature: half of them exchange links (swap), half move a host (swing).

    totals: int64[5], the cost (`host_hops`), and of the best so far: pairs without path, diameter, pairs at the diameter, hops;
    the best has the lowest (pairs without path, diameter, hops). best_table: int32[m, r]; best_counts: int32[2, m], the links
    and hosts of the best. thresholds: float32[4096]; a move may add temperature times a random threshold to the cost.
    """
    switches = network.links.size
    for _ in range(moves):
        a = np.int64(next_below(state, switches))
        if network.links[a] == 0:
            continue
        b = np.int64(network.table[a, np.int64(next_below(state, network.links[a]))])
        host = c = d = np.int64(0)
        swings = next_word(state) >> np.uint64(63) == 1
        if swings:
            host = np.int64(next_below(state, network.place.size))
            c = np.int64(network.place[host])
            if c in (a, b) or _slot(network, a, c) >= 0:
                continue
            swing(network, a, b, c, host)
        else:
            c = np.int64(next_below(state, switches))
            if network.links[c] == 0:
                continue
            d = np.int64(network.table[c, np.int64(next_below(state, network.links[c]))])
            if c in (a, b) or d in (a, b) or _slot(network, a, c) >= 0 or _slot(network, b, d) >= 0:
                continue
            swap(network, a, b, c, d)
        limit = totals[0] + np.int64(thresholds[next_word(state) & np.uint64(4095)] * temperature)
        cost, lost, diameter, farthest, hops = host_hops(network, target, limit, reach, ahead)
        if cost > limit:
            if swings:
                swing(network, a, c, b, host)
            else:
                swap(network, a, c, b, d)
            continue
        totals[0] = cost
        if (lost, diameter, hops) < (totals[1], totals[2], totals[4]):
            totals[1], totals[2], totals[3], totals[4] = lost, diameter, farthest, hops
            best_table[:] = network.table
            best_counts[0, :] = network.links
            best_counts[1, :] = network.hosts
