"""Routing-independent bounds on throughput, from hops alone.

A unit of traffic that travels d hops uses d units of channels, and a network of m links has 2 m: twice the capacity of its
links. The permutation of the switches whose partners are farthest apart uses most.
"""

import math
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.distances import distance_matrix
from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology
from topoloom.throughput.traffic import Traffic, hosts_on, pairs_between, uniform_remote

#: Destinations whose traffic is added up at a time.
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class Tub:
    """The throughput upper bound of a topology.

    Attributes
    ----------
    value : float
        The share of full rate that no routing exceeds for the maximal permutation, and so for the worst traffic; above 1 the
        hosts' links are the limit. inf where no traffic leaves a switch.
    partner : int64[n]
        A maximal permutation of the switches (`traffic.permutation` turns it into traffic).
    """

    value: float
    partner: np.ndarray


def tub(topology: Topology, jobs: int | None = None) -> Tub:
    """Return the throughput upper bound of the worst permutation: 2 m / max over permutations of sum w(s, p(s)) d(s, p(s)).

    d is the number of hops, and w(s, t) the smaller number of hosts of the two switches: with H on each, 2 m / (H max sum d).
    Where rates differ, 2 m is the capacity of all channels, and w what the hosts send in pairs (`traffic.pairs_between`).
    The maximum is a linear assignment, so the bound is exact; the throughput may be lower (`flow.concurrent_flow`).

    Parameters
    ----------
    topology : Topology
        Parallel links count separately; where no switch has hosts, one host per switch is assumed.
    jobs : int, optional
        Threads for the hops; all cores when omitted.

    Raises
    ------
    InputError
        Some switches with hosts do not reach each other.

    Notes
    -----
    It takes memory for n^2 numbers, and time between n^2 and n^3. Source: Namyar, Supittayapornpong, Zhang, Yu and Govindan, A
    throughput-centric view of the performance of datacenter topologies, SIGCOMM 2021.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> tub(build("hypercube:n=4")).value
    1.0
    """
    from scipy.optimize import linear_sum_assignment

    n = topology.switches
    carriers = np.flatnonzero(hosts_on(topology))
    hops = hops_between(topology, carriers, jobs)
    weight = pairs_between(topology, carriers[:, None], carriers[None, :]) * hops
    rows, columns = linear_sum_assignment(weight, maximize=True)
    partner = np.arange(n)
    partner[carriers[rows]] = carriers[columns]
    most = float(weight[rows, columns].sum())
    return Tub(2 * total_capacity(topology) / most if most else math.inf, partner)


def total_capacity(topology: Topology) -> float:
    """Return the capacity of all links per direction: their number or, where rates differ, their rate in units of the least."""
    return float(capacities(topology).links.sum())


def volume_bound(topology: Topology, traffic: Traffic, jobs: int | None = None) -> float:
    """Return the share of a traffic that no routing exceeds: 2 m / sum demand(s, d) hops(s, d).

    For uniform traffic between N switches of H hosts that is 2 m / (H sum d / (N - 1)). inf for no traffic.

    Parameters
    ----------
    topology : Topology
        The network, of m links.
    traffic : Traffic
        The traffic between switches; 1 is the rate of a link, or the lowest rate where rates differ.
    jobs : int, optional
        Threads; all cores by default.

    Returns
    -------
    float
        A multiple of the traffic; inf for no traffic.

    Raises
    ------
    InputError
        Some switches with hosts do not reach each other.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> ring = build("torus:dims=8")
    >>> round(volume_bound(ring, uniform_remote(ring)), 6)
    0.875
    """
    carriers = np.flatnonzero(traffic.hosts_at)
    hops = hops_between(topology, carriers, jobs)
    volume = 0.0
    for place, switch in enumerate(carriers.tolist()):
        volume += float(traffic.demand_to(switch, switch + 1)[0, carriers] @ hops[:, place])
    return 2 * total_capacity(topology) / volume if volume else math.inf


def switch_bound(topology: Topology, traffic: Traffic) -> float:
    """Return the share of a traffic that the links of each switch with hosts allow, whatever the routing.

    All that a switch sends to others leaves by its links, and what it receives arrives by them: the tightest switch is the
    bound. It is often tighter than `volume_bound` where few switches are busy.

    Parameters
    ----------
    topology : Topology
    traffic : Traffic
        The traffic between switches; 1 is the rate of a link, or the lowest rate where rates differ.

    Returns
    -------
    float
        A multiple of the traffic; inf for no traffic.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> tree = build("fat-tree:k=4,hosts=12,leaf=3:1,levels=2")
    >>> round(switch_bound(tree, uniform_remote(tree)), 6)
    0.333333
    """
    from topoloom.throughput.flow import arcs

    origin, _, capacity = arcs(topology)
    links = np.bincount(origin, capacity, topology.switches)
    sent, received = np.zeros(topology.switches), np.zeros(topology.switches)
    for begin in range(0, topology.switches, _BLOCK):
        to_block = traffic.demand_to(begin, min(topology.switches, begin + _BLOCK))
        sent += to_block.sum(axis=0)
        received[begin : begin + len(to_block)] = to_block.sum(axis=1)
    most = np.maximum(sent, received)
    return float((links[most > 0] / most[most > 0]).min(initial=math.inf))


def uniform_bound(topology: Topology, jobs: int | None = None) -> float:
    """Return the routing-independent bound of uniform traffic, from hops."""
    return volume_bound(topology, uniform_remote(topology), jobs)


def hops_between(topology: Topology, carriers: np.ndarray, jobs: int | None) -> np.ndarray:
    """Return the hops between the switches with hosts, int64[k, k].

    Parameters
    ----------
    topology : Topology
    carriers : int64[k]
        The switches with hosts.
    jobs : int or None
        Threads; all cores when None.

    Returns
    -------
    int64[k, k]

    Raises
    ------
    InputError
        Some of them do not reach each other.
    """
    matrix = distance_matrix(topology, jobs)
    apart = np.iinfo(matrix.dtype).max if matrix.dtype.kind == "u" else -1
    hops = matrix[np.ix_(carriers, carriers)]
    if (hops == apart).any():
        raise InputError(f"{topology.name}: some hosts do not reach each other; throughput needs a connected network")
    return np.asarray(hops.astype(np.int64))
