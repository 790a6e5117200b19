"""Traffic from arrays: uniform, permutations, matrices, and lists of the hosts that each host sends to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology
from topoloom.throughput.traffic.traffic import LISTS, MATRIX, REMOTE, Traffic

if TYPE_CHECKING:
    from topoloom.throughput.traffic.register import PatternRequest

#: The most entries in all lists together, and in the lists of groups of hosts; larger groups are amounts between switches.
MOST_PLACES, MOST_LISTED = 1 << 26, 1 << 22


def hosts_on(topology: Topology) -> np.ndarray:
    """Return the hosts on each switch, int64[n]; one on each where the network has none."""
    return topology.endpoints_at if topology.endpoints.size else np.ones(topology.switches, np.int64)


def host_switches(topology: Topology) -> np.ndarray:
    """Return the switch of each host, int64[hosts]; one host per switch where the network has none."""
    if topology.endpoints.size:
        return topology.endpoints.astype(np.int64)
    return np.arange(topology.switches, dtype=np.int64)


def host_rates(topology: Topology) -> np.ndarray | None:
    """Return what each host of `host_switches` sends at full rate, float64[hosts] in units; None where every host sends one."""
    return capacities(topology).hosts if topology.mixed else None


def pairs_between(topology: Topology, source: np.ndarray, destination: np.ndarray) -> np.ndarray:
    """Return what the hosts of one switch send to those of another in pairs, each pair at the lower of its two rates.

    Hosts are paired in the order of their rates, which carries the most. With equal rates, this is the smaller number of hosts.

    Parameters
    ----------
    topology : Topology
    source, destination : int[...]
        Switches; their shapes are broadcast.

    Returns
    -------
    int64[...], or float64[...] where rates differ

    Examples
    --------
    >>> ends = Topology(links=[(0, 1)], switches=2, endpoints=[0, 0, 1]).with_rates(100, [100, 400, 200])
    >>> pairs_between(ends, np.array([0, 0, 1]), np.array([0, 1, 1])).tolist()
    [5.0, 2.0, 2.0]
    """
    return paired(host_switches(topology), host_rates(topology), topology.switches, source, destination)


def paired(
    switch: np.ndarray, rate: np.ndarray | None, switches: int, source: np.ndarray, destination: np.ndarray
) -> np.ndarray:
    """Return what the hosts of two switches send to each other in pairs, as `pairs_between`, for given places and rates.

    Parameters
    ----------
    switch : int[hosts]
        The switch of each host.
    rate : float64[hosts] or None
        The rate of each host; None: one unit each.
    switches : int
    source, destination : int[...]
        Switches; their shapes are broadcast.

    Returns
    -------
    int64[...], or float64[...] with rates
    """
    if rate is None:
        hosts = np.bincount(switch, minlength=switches)
        return np.asarray(np.minimum(hosts[source], hosts[destination]))
    total, below = np.zeros(np.broadcast_shapes(source.shape, destination.shape)), 0.0
    # The k-th pair of two switches sends the lower of its rates: sum the steps of rate that both its hosts reach.
    for step in np.unique(rate).tolist():
        reach = np.bincount(switch[rate >= step], minlength=switches)
        total += (step - below) * np.minimum(reach[source], reach[destination])
        below = step
    return total


def uniform_remote(topology: Topology) -> Traffic:
    """Return traffic in which every host sends equally to every host on other switches; the largest host load is its rate.

    Switch s sends H_s H_d / (sum H - min H) to switch d, with H the rate of all hosts on a switch: their number, where all
    rates are equal; with H on each of N switches that is H / (N - 1). (The simulator's pattern ``uniform`` also sends to the
    other hosts of the same switch.)

    Examples
    --------
    >>> uniform_remote(Topology(links=[(0, 1), (1, 2)], switches=3)).dense().tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    return Traffic("uniform", host_switches(topology), topology.switches, REMOTE, rate=host_rates(topology))


def permutation(topology: Topology, partner: np.ndarray | list[int], name: str = "permutation") -> Traffic:
    """Return traffic in which the hosts of switch s send to those of partner[s], as many as both have (`pairs_between`).

    Parameters
    ----------
    topology : Topology
    partner : int[n]
        The partner of each switch; each switch occurs once.
    name : str
        A name for messages and labels.

    Returns
    -------
    Traffic
        Between switches (MATRIX).

    Raises
    ------
    InputError
        `partner` is not a permutation of the switches.

    Examples
    --------
    >>> permutation(Topology(links=[(0, 1)], switches=2), [1, 0]).dense().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    n = topology.switches
    chosen = np.asarray(partner, np.int64)
    if chosen.shape != (n,) or not np.array_equal(np.sort(chosen), np.arange(n)):
        raise InputError(
            f"{topology.name}: partner is not a permutation of the switches; list each of 0 to {n - 1} once"
        )
    demand = np.zeros((n, n))
    demand[np.arange(n), chosen] = pairs_between(topology, np.arange(n), chosen)
    return Traffic(name, host_switches(topology), n, MATRIX, matrix=demand, rate=host_rates(topology))


def host_permutation(topology: Topology, partner: np.ndarray | list[int], name: str = "permutation") -> Traffic:
    """Return traffic in which host h sends to host partner[h], at the lower of the two rates.

    Parameters
    ----------
    topology : Topology
    partner : int[hosts]
        The partner of each host, in the order of `host_switches`; each host occurs once.
    name : str
        A name for messages and labels.

    Returns
    -------
    Traffic
        Traffic with lists of one host each (LISTS).

    Raises
    ------
    InputError
        `partner` is not a permutation of the hosts.

    Examples
    --------
    >>> host_permutation(Topology(links=[(0, 1)], switches=2), [1, 0]).to.tolist()
    [1, 0]
    """
    switch = host_switches(topology)
    chosen = np.asarray(partner, np.int64)
    if chosen.shape != switch.shape or not np.array_equal(np.sort(chosen), np.arange(switch.size)):
        raise InputError(
            f"{topology.name}: partner is not a permutation of the hosts; list each of 0 to {switch.size - 1} once"
        )
    to, first = chosen.astype(np.int32), np.arange(switch.size + 1)
    return Traffic(name, switch, topology.switches, LISTS, first, to, rate=host_rates(topology))


def matrix(topology: Topology, demand: np.ndarray, name: str = "matrix") -> Traffic:
    """Return any traffic between switches, given as a matrix.

    Parameters
    ----------
    topology : Topology
    demand : float64[n, n]
        demand[s, d] is the traffic from the hosts of switch s to those of d, in multiples of the network's lowest rate.
    name : str
        A name for messages and labels.

    Raises
    ------
    InputError
        A matrix of another shape, with a negative or infinite entry, or between switches without hosts.
    """
    n, hosts = topology.switches, hosts_on(topology)
    amounts = np.asarray(demand, np.float64)
    if amounts.shape != (n, n):
        raise InputError(f"{topology.name}: the traffic matrix has shape {amounts.shape}; it must be {n} x {n}")
    if not np.isfinite(amounts).all() or (amounts < 0).any():
        raise InputError(
            f"{topology.name}: the traffic matrix has negative or infinite entries; every entry must be a finite"
            " number of at least 0"
        )
    silent = hosts == 0
    if amounts[silent].any() or amounts[:, silent].any():
        where = int(np.flatnonzero(silent & ((amounts.sum(axis=0) > 0) | (amounts.sum(axis=1) > 0)))[0])
        raise InputError(
            f"{topology.name}: the traffic matrix has traffic from or to switch {where}, which has no hosts"
        )
    return Traffic(name, host_switches(topology), n, MATRIX, matrix=amounts.copy(), rate=host_rates(topology))


def to_all(request: "PatternRequest", kind: int) -> Traffic:
    """Return the traffic of a pattern without lists: UNIFORM or ROUND."""
    return Traffic(request.name, request.switch, request.topology.switches, kind, rate=request.rate)


def to_one(request: "PatternRequest", partner: np.ndarray) -> Traffic:
    """Return the traffic of a pattern in which each host sends to partner[host], int64[hosts]; -1: the host is silent.

    Examples
    --------
    >>> from topoloom.throughput.traffic.register import PatternRequest
    >>> request = PatternRequest("pairs", Topology(links=[(0, 1)], switches=2, endpoints=[0, 0, 1]))
    >>> traffic = to_one(request, np.array([1, -1, 0]))
    >>> traffic.first.tolist(), traffic.to.tolist(), traffic.senders.tolist()
    ([0, 1, 1, 2], [1, 0], [True, False, True])
    """
    chosen = np.asarray(partner)
    return to_some(request, np.flatnonzero(chosen >= 0), chosen[chosen >= 0])


def to_some(request: "PatternRequest", sender: np.ndarray, to: np.ndarray, share: float = 1.0) -> Traffic:
    """Return the traffic of a pattern from pairs of a sender and one of its possible receivers.

    Parameters
    ----------
    request : PatternRequest
        The request for the pattern.
    sender, to : int64[k]
        The hosts of each pair, in any order; a pair that occurs twice is drawn twice as often.
    share : float
        The share of packets that use these pairs; the others go to any other host.
    """
    first, listed = lists_of(sender, to, request.hosts)
    switches = request.topology.switches
    return Traffic(request.name, request.switch, switches, LISTS, first, listed, share, rate=request.rate)


def between_groups(request: "PatternRequest", groups: Sequence[tuple[np.ndarray, np.ndarray]]) -> Traffic:
    """Return the traffic of a pattern in which every host of a group sends equally to every host of another, except itself.

    Parameters
    ----------
    request : PatternRequest
        The request for the pattern.
    groups : sequence of (int64[k], int64[l])
        Senders and receivers, each ascending; no host is in two groups of senders.

    Returns
    -------
    Traffic
        Lists, up to `MOST_LISTED` pairs of hosts; above, the same amounts between switches.
    """
    if sum(senders.size * receivers.size for senders, receivers in groups) <= MOST_LISTED:
        pairs = [
            (np.repeat(senders, receivers.size), np.tile(receivers, senders.size)) for senders, receivers in groups
        ]
        sender, to = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
        others = sender != to
        return to_some(request, sender[others], to[others])
    n, rate = request.topology.switches, np.ones(request.hosts) if request.rate is None else request.rate
    demand, received = np.zeros((n, n)), np.zeros(request.hosts)
    for senders, receivers in groups:
        both = np.isin(senders, receivers)
        sent = rate[senders] / np.maximum(1, receivers.size - both)
        received[receivers] += sent.sum()
        received[senders[both]] -= sent[both]
        demand += np.outer(
            np.bincount(request.switch[senders], sent, n), np.bincount(request.switch[receivers], None, n)
        )
        demand[np.diag_indices(n)] -= np.bincount(request.switch[senders[both]], sent[both], n)
    limit = 1.0 / max(1.0, float((received / rate).max(initial=0.0)))
    matrix = np.maximum(demand, 0.0)
    return Traffic(request.name, request.switch, n, MATRIX, matrix=matrix, rate=request.rate, limit=limit)


def lists_of(sender: np.ndarray, to: np.ndarray, hosts: int) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of hosts as one list per sender.

    Parameters
    ----------
    sender, to : int64[k]
        Hosts.
    hosts : int
        The number of hosts.

    Returns
    -------
    first : int64[hosts + 1]
        Where each sender's list begins.
    to : int32[k]
        The lists, each in the order of its pairs.
    """
    first = np.zeros(hosts + 1, np.int64)
    np.cumsum(np.bincount(sender, minlength=hosts), out=first[1:])
    return first, np.asarray(to)[np.argsort(sender, kind="stable")].astype(np.int32)


def check_places(name: str, places: int) -> None:
    """Refuse lists that would take too much memory, before they are built."""
    if places > MOST_PLACES:
        raise InputError(f"{name}: {places:,} pairs of hosts are too many; the limit is {MOST_PLACES:,}")
