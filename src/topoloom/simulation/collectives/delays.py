"""Delays between ranks in an idle network, and the rates and delays of the machine."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.simulation.collectives.network import RankNetwork

#: The number of sources from which the farthest rank is searched.
_FAR_SOURCES = 64


@dataclass(frozen=True, eq=False)
class NetworkTiming:
    """Rates and delays of a network, as used by all simulators.

    Attributes
    ----------
    rate_gbps, host_rate_gbps : float
        Rates of a link between switches and of a host's port, in each direction.
    cable_s : float64[links]
        Delay of each cable.
    switch_s, host_s, inside_s : float
        Delay of a switch, of a host's link, and between two ranks of a host.
    link_gbps, port_gbps : float64[links], float64[endpoints] or None
        The rate of each link and endpoint, where they differ; `rate_gbps` and `host_rate_gbps` are then the highest. None: all
        have these rates.
    """

    rate_gbps: float
    host_rate_gbps: float
    cable_s: np.ndarray
    switch_s: float = 0.0
    host_s: float = 0.0
    inside_s: float = 0.0
    link_gbps: np.ndarray | None = None
    port_gbps: np.ndarray | None = None

    @property
    def rates(self) -> dict[str, Any]:
        """The arguments of `rank_network` for rates."""
        return {
            "rate_gbps": self.rate_gbps,
            "host_rate_gbps": self.host_rate_gbps,
            "link_gbps": self.link_gbps,
            "port_gbps": self.port_gbps,
        }


def delays(
    network: RankNetwork, topology: Topology, machine: NetworkTiming, *, from_first: bool = False
) -> tuple[float, float]:
    """Return lower bounds on the delay between the two closest ranks, and from some rank to the one farthest from it.

    Parameters
    ----------
    network : RankNetwork
    topology : Topology
        The network; the machine has the delays of its cables.
    machine : NetworkTiming
    from_first : bool
        Whether `farthest` starts at the host of the first class only, as in a broadcast.

    Returns
    -------
    nearest, farthest : float
        In seconds.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    if network.ranks < 2:
        return 0.0, 0.0
    n, c = network.switches, network.classes
    base = 2 * machine.host_s + machine.switch_s
    hops = np.asarray(machine.cable_s, float) + machine.switch_s
    # One delay per pair of switches: the shortest of parallel cables. A sparse graph treats 0 as no edge, so add a tiny delay.
    tiny = 1e-15
    links = topology.links.astype(np.int64)
    least: dict[tuple[int, int], float] = {}
    for (u, v), delay in zip(map(tuple, links.tolist()), hops.tolist(), strict=True):
        least[u, v] = min(least.get((u, v), np.inf), delay)
    ends = np.array(list(least), np.int64).reshape(-1, 2)
    values = np.array(list(least.values())) + tiny
    host_ports = [(n + j, switch) for j, ports in enumerate(network.ports) for switch in ports]
    port_ends = np.array(host_ports, np.int64).reshape(-1, 2)
    tail = np.concatenate([ends[:, 0], ends[:, 1], port_ends[:, 0], port_ends[:, 1]])
    head = np.concatenate([ends[:, 1], ends[:, 0], port_ends[:, 1], port_ends[:, 0]])
    weight = np.concatenate([values, values, np.full(2 * len(port_ends), tiny)])
    graph = coo_array((weight, (tail, head)), shape=(n + c, n + c)).tocsr()
    chosen = np.unique(np.linspace(0, c - 1, min(c, _FAR_SOURCES)).astype(np.int64))
    apart = dijkstra(graph, indices=n + chosen)[:, n:]
    nearest = np.where(np.arange(c) == chosen[:, None], np.inf, apart).min(initial=np.inf)
    if (network.counts > 1).any():
        nearest = 0.0
    elif chosen.size < c:
        nearest = min(
            nearest, 0.0 if np.unique(port_ends[:, 1]).size < len(port_ends) else float(values.min(initial=np.inf))
        )
    first = base + max(0.0, nearest - 1e-12) if np.isfinite(nearest) else np.inf
    if (network.weight > 1).any():
        first = min(first, machine.inside_s)
    farthest = float((apart[0] if from_first else apart).max(initial=0.0))
    several = c > 1 or int(network.counts.max()) > 1
    return float(first), base + max(0.0, farthest - 1e-12) if several else machine.inside_s
