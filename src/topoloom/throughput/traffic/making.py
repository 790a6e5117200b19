"""Traffic from numbers: uniform, permutations, matrices, and lists of the hosts that each host sends to."""

from typing import TYPE_CHECKING

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.throughput.traffic.traffic import LISTS, MATRIX, REMOTE, Traffic

if TYPE_CHECKING:
    from topoloom.throughput.traffic.register import PatternRequest

#: Places in all lists together.
MOST_PLACES = 1 << 26


def hosts_on(topology: Topology) -> np.ndarray:
    """Hosts on each switch, int64[n]; one on each where there are none at all."""
    return topology.endpoints_at if topology.endpoints.size else np.ones(topology.switches, np.int64)


def host_switches(topology: Topology) -> np.ndarray:
    """The switch of each host, int64[hosts]; one host a switch where there are none at all."""
    if topology.endpoints.size:
        return topology.endpoints.astype(np.int64)
    return np.arange(topology.switches, dtype=np.int64)


def uniform_remote(topology: Topology) -> Traffic:
    """Every host sends as much to every host on another switch, and the busiest hosts send, and get, one unit.

    From switch s to switch d goes H_s H_d / (sum H - min H), H hosts on a switch; with H on each of N switches that is
    H / (N - 1). (The pattern ``uniform`` of the simulator sends to the other hosts of one's own switch, too.)

    Examples
    --------
    >>> uniform_remote(Topology(links=[(0, 1), (1, 2)], switches=3)).dense().tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    return Traffic("uniform", host_switches(topology), topology.switches, REMOTE)


def permutation(topology: Topology, partner: np.ndarray | list[int], name: str = "permutation") -> Traffic:
    """The hosts of switch s send to those of partner[s], as many as both have.

    Parameters
    ----------
    topology : Topology
    partner : int[n]
        Each switch once.
    name : str
        For people.

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
    n, hosts = topology.switches, hosts_on(topology)
    chosen = np.asarray(partner, np.int64)
    if chosen.shape != (n,) or not np.array_equal(np.sort(chosen), np.arange(n)):
        raise InputError(f"{topology.name}: the partners are no permutation; give each switch 0 to {n - 1} once")
    demand = np.zeros((n, n))
    demand[np.arange(n), chosen] = np.minimum(hosts, hosts[chosen])
    return Traffic(name, host_switches(topology), n, MATRIX, matrix=demand)


def host_permutation(topology: Topology, partner: np.ndarray | list[int], name: str = "permutation") -> Traffic:
    """Host h sends to host partner[h].

    Parameters
    ----------
    topology : Topology
    partner : int[hosts]
        Each host once, in the order of `host_switches`.
    name : str
        For people.

    Returns
    -------
    Traffic
        Of lists of one host each (LISTS).

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
            f"{topology.name}: the partners are no permutation; give each host 0 to {switch.size - 1} once"
        )
    return Traffic(name, switch, topology.switches, LISTS, np.arange(switch.size + 1), chosen.astype(np.int32))


def matrix(topology: Topology, demand: np.ndarray, name: str = "matrix") -> Traffic:
    """Any traffic between switches.

    Parameters
    ----------
    topology : Topology
    demand : float64[n, n]
        demand[s, d] goes from the hosts of switch s to those of d, in rates of a host's link.
    name : str
        For people.

    Raises
    ------
    InputError
        A matrix of another shape, with a negative or endless entry, or between switches without hosts.
    """
    n, hosts = topology.switches, hosts_on(topology)
    found = np.asarray(demand, np.float64)
    if found.shape != (n, n):
        raise InputError(f"{topology.name}: traffic of shape {found.shape}; it must be {n} x {n}")
    if not np.isfinite(found).all() or (found < 0).any():
        raise InputError(
            f"{topology.name}: traffic that is negative or endless; every entry must be a number from 0 on"
        )
    silent = hosts == 0
    if found[silent].any() or found[:, silent].any():
        where = int(np.flatnonzero(silent & ((found.sum(axis=0) > 0) | (found.sum(axis=1) > 0)))[0])
        raise InputError(f"{topology.name}: traffic from or to switch {where}, which has no hosts")
    return Traffic(name, host_switches(topology), n, MATRIX, matrix=found.copy())


def to_all(request: "PatternRequest", kind: int) -> Traffic:
    """A pattern's traffic without lists: UNIFORM or ROUND."""
    return Traffic(request.name, request.switch, request.topology.switches, kind)


def to_one(request: "PatternRequest", partner: np.ndarray) -> Traffic:
    """A pattern's traffic of each host to partner[host], int64[hosts]; -1: silent.

    Examples
    --------
    >>> from topoloom.throughput.traffic.register import PatternRequest
    >>> mine = PatternRequest("mine", Topology(links=[(0, 1)], switches=2, endpoints=[0, 0, 1]))
    >>> traffic = to_one(mine, np.array([1, -1, 0]))
    >>> traffic.first.tolist(), traffic.to.tolist(), traffic.senders.tolist()
    ([0, 1, 1, 2], [1, 0], [True, False, True])
    """
    chosen = np.asarray(partner)
    return to_some(request, np.flatnonzero(chosen >= 0), chosen[chosen >= 0])


def to_some(request: "PatternRequest", sender: np.ndarray, to: np.ndarray, share: float = 1.0) -> Traffic:
    """A pattern's traffic from pairs of a sender and one of those it may send to.

    Parameters
    ----------
    request : PatternRequest
        What the pattern was asked for.
    sender, to : int64[k]
        Hosts, in any order of the pairs; a pair that stands twice is drawn twice as often.
    share : float
        Of the packets that go by these pairs; the others go to any host but their own.
    """
    first, listed = lists_of(sender, to, request.hosts)
    return Traffic(request.name, request.switch, request.topology.switches, LISTS, first, listed, share)


def lists_of(sender: np.ndarray, to: np.ndarray, hosts: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs as lists.

    Parameters
    ----------
    sender, to : int64[k]
        Hosts.
    hosts : int
        How many there are.

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
    """Refuse lists that take too much memory, before they are made."""
    if places > MOST_PLACES:
        raise InputError(f"{name}: {places:,} pairs of hosts to list; {MOST_PLACES:,} is the most")
