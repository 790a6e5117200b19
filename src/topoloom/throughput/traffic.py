"""Traffic: what every host sends to whom, summed up by switch.

One unit is the rate of a host's link, and of a channel: all links are as fast. Where no switch carries hosts, one host a
switch is assumed. A host with several ports counts once a port.
"""

from dataclasses import dataclass

import numpy as np

from topoloom.errors import InputError
from topoloom.topology import Topology


@dataclass(frozen=True, eq=False, repr=False)
class Traffic:
    """What goes from the hosts of each switch to those of each other when every host sends at its full rate.

    Parameters
    ----------
    name : str
        For people.
    hosts : int64[n]
        Hosts on each switch.
    matrix : float64[n, n], optional
        matrix[s, d]: from the hosts of switch s to those of d. Left out: uniform traffic, which is not written out.
    """

    name: str
    hosts: np.ndarray
    matrix: np.ndarray | None = None

    def to(self, begin: int, end: int) -> np.ndarray:
        """What goes to each of the switches begin .. end - 1, float64[end - begin, n]; nothing stays on a switch."""
        if self.matrix is not None:
            rows = np.ascontiguousarray(self.matrix[:, begin:end].T)
        else:
            carriers = self.hosts[self.hosts > 0]
            others = max(1, int(carriers.sum() - carriers.min()))
            rows = np.outer(self.hosts[begin:end], self.hosts / others)
        rows[np.arange(end - begin), np.arange(begin, end)] = 0.0
        return rows

    def dense(self) -> np.ndarray:
        """All of it, float64[n, n], by source and destination."""
        return self.to(0, self.hosts.size).T.copy()

    @property
    def host_limit(self) -> float:
        """The share of it that the links of the hosts let through: 1, but for matrices that ask more or less of them."""
        if self.matrix is None:
            return 1.0
        busiest = 0.0
        for amount in (self.matrix.sum(axis=0), self.matrix.sum(axis=1)):
            busiest = max(busiest, float((amount[self.hosts > 0] / self.hosts[self.hosts > 0]).max(initial=0.0)))
        return 1.0 / busiest if busiest else float("inf")

    def __repr__(self) -> str:
        return f"Traffic({self.name})"


def hosts_on(topology: Topology) -> np.ndarray:
    """Hosts on each switch, int64[n]; one on each where there are none at all."""
    return topology.endpoints_at if topology.endpoints.size else np.ones(topology.switches, np.int64)


def host_switches(topology: Topology) -> np.ndarray:
    """The switch of each host, int64[hosts]; one host a switch where there are none at all."""
    if topology.endpoints.size:
        return topology.endpoints.astype(np.int64)
    return np.arange(topology.switches, dtype=np.int64)


def uniform(topology: Topology) -> Traffic:
    """Every host sends as much to every host on another switch, and the busiest hosts send, and get, one unit.

    From switch s to switch d goes H_s H_d / (sum H - min H), H hosts on a switch; with H on each of N switches that is
    H / (N - 1).

    Examples
    --------
    >>> uniform(Topology(links=[(0, 1), (1, 2)], switches=3)).dense().tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    return Traffic("uniform", hosts_on(topology))


def permutation(topology: Topology, partner: np.ndarray | list[int], name: str = "permutation") -> Traffic:
    """The hosts of switch s send to those of partner[s], as many as both have.

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
    return Traffic(name, hosts, demand)


def host_permutation(topology: Topology, partner: np.ndarray | list[int], name: str = "permutation") -> Traffic:
    """Host h sends to host partner[h]; hosts are in the order of `host_switches`.

    Raises
    ------
    InputError
        `partner` is not a permutation of the hosts.
    """
    switch = host_switches(topology)
    chosen = np.asarray(partner, np.int64)
    if chosen.shape != switch.shape or not np.array_equal(np.sort(chosen), np.arange(switch.size)):
        raise InputError(
            f"{topology.name}: the partners are no permutation; give each host 0 to {switch.size - 1} once"
        )
    demand = np.zeros((topology.switches, topology.switches))
    np.add.at(demand, (switch, switch[chosen]), 1.0)
    return Traffic(name, hosts_on(topology), demand)


def matrix(topology: Topology, demand: np.ndarray, name: str = "matrix") -> Traffic:
    """Any traffic: demand[s, d] from the hosts of switch s to those of d, in rates of a host's link.

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
    return Traffic(name, hosts, found.copy())
