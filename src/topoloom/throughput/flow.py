"""The best throughput of any routing, exactly: the maximum concurrent flow, by linear programming."""

import math

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.capacities import channel_capacities
from topoloom.model.topology import Topology
from topoloom.throughput.traffic import Traffic

#: The size, sources times channels, that is solved in minutes at most.
MOST_FLOWS = 200_000


def concurrent_flow(topology: Topology, traffic: Traffic) -> float:
    """Return the largest share of a traffic that any splitting over all paths carries at once: its throughput.

    Parameters
    ----------
    topology : Topology
        Up to about 100 switches: switches that send, times channels, at most `MOST_FLOWS`.
    traffic : Traffic

    Returns
    -------
    float
        As a share of full rate, counting the switches' links only: above 1 the hosts' links are the limit. inf for no traffic.

    Raises
    ------
    InputError
        The topology is too large, or some senders do not reach their receivers.

    Notes
    -----
    One flow f[s, c] per sending switch s and channel c (parallel links are one channel of their total capacity), as the flows
    to all destinations of one source may mix. Maximise t such that every switch v keeps t demand(s, v) of what source s sends,
    and no channel exceeds its capacity. Solved by HiGHS, to about 1e-7.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> from topoloom.throughput.traffic import uniform_remote
    >>> ring = build("torus:dims=8")
    >>> round(concurrent_flow(ring, uniform_remote(ring)), 6)
    0.875
    """
    origin, to, capacity = arcs(topology)
    demand = traffic.dense()
    sources = np.flatnonzero(demand.any(axis=1))
    if not sources.size:
        return math.inf
    if sources.size * to.size > MOST_FLOWS:
        raise InputError(
            f"{topology.name}: {sources.size} sending switches x {to.size} channels are too many for the exact flow"
            f" ({MOST_FLOWS} at most); topoloom.throughput.approximate brackets it"
        )
    check_reach(topology, demand, sources)
    return flow_between(topology.name, topology.switches, origin, to, capacity, demand)


def flow_between(
    name: str, nodes: int, origin: np.ndarray, to: np.ndarray, capacity: np.ndarray, demand: np.ndarray
) -> float:
    """Return the largest share of a demand that arcs carry at once; every sender must reach its receivers.

    Parameters
    ----------
    name : str
        The network's name, for a message.
    nodes : int
    origin, to : int64[a]
        The origin and the end of each arc.
    capacity : float64[a]
    demand : float64[nodes, nodes]
        The demand by source and destination; not all 0.

    Returns
    -------
    float
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    sources = np.flatnonzero(demand.any(axis=1))
    n, a, k = nodes, to.size, sources.size
    # Row s n + v: what stays at v of the flow from source s. The row of the source itself is redundant, and omitted.
    block, arc = np.repeat(np.arange(k), a), np.tile(np.arange(a), k)
    columns = np.arange(k * a)
    into, out = block * n + to[arc], block * n + origin[arc]
    keeps = demand[sources].ravel()
    wanted = np.flatnonzero(keeps)
    rows = np.concatenate([into, out, wanted])
    entries = np.concatenate([np.ones(k * a), -np.ones(k * a), -keeps[wanted]])
    places = np.concatenate([columns, columns, np.full(wanted.size, k * a)])
    balance = coo_array((entries, (rows, places)), shape=(k * n, k * a + 1)).tocsr()
    others = np.ones(k * n, bool)
    others[np.arange(k) * n + sources] = False
    share = coo_array((np.ones(k * a), (arc, columns)), shape=(a, k * a + 1)).tocsr()
    gain = np.zeros(k * a + 1)
    gain[-1] = -1.0
    balance = balance[np.flatnonzero(others)]
    for method in (
        "highs-ipm",
        "highs-ds",
    ):  # the interior point method is about ten times faster than the simplex method
        solved = linprog(
            gain,
            A_ub=share,
            b_ub=capacity,
            A_eq=balance,
            b_eq=np.zeros(balance.shape[0]),
            bounds=(0, None),
            method=method,
        )
        if solved.status == 0:
            break
    else:
        raise RuntimeError(
            f"HiGHS on {name}: {solved.message}"
        )  # the program is feasible and bounded, so this is a bug
    return float(-solved.fun)


def arcs(topology: Topology) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return pairs of adjacent switches in both directions: origin and to (int64[a], sorted), and their capacity (float64[a]).

    The capacity is the number of links between the two switches or, where rates differ, their rate in units of the lowest.
    """
    offsets, neighbours, _ = topology.csr
    n = topology.switches
    ends = np.repeat(np.arange(n), np.diff(offsets)) * n + neighbours
    capacity = channel_capacities(topology)
    if capacity is None:
        joined, links = np.unique(ends, return_counts=True)
        return joined // n, joined % n, links.astype(np.float64)
    joined, place = np.unique(ends, return_inverse=True)
    return joined // n, joined % n, np.bincount(place.reshape(-1), capacity)


def check_reach(topology: Topology, demand: np.ndarray, sources: np.ndarray) -> None:
    """Refuse traffic that has no path.

    Parameters
    ----------
    topology : Topology
        The network.
    demand : float64[sources of all, switches]
        The demand by source and destination.
    sources : int[k]
        The switches that send.

    Raises
    ------
    InputError
        Some traffic has no path.
    """
    from topoloom.graph.connectivity import components

    part = components(topology)
    for source in sources.tolist():
        apart = np.flatnonzero((demand[source] > 0) & (part != part[source]))
        if apart.size:
            raise InputError(
                f"{topology.name}: no path for the traffic from switch {source} to switch {apart[0]}; throughput needs"
                " a connected network"
            )
