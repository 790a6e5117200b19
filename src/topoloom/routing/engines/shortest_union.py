"""Shortest-Union(K): all paths of at most K hops and all shortest paths, by K VRFs per router and eBGP."""

from collections.abc import Iterator

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.routing.engines.spraypoint import LOSSLESS
from topoloom.routing.groups.making import interned
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import HOP, PAIR, Routing, empty_ports
from topoloom.topologies.spec import Integer

#: Destinations per call of the kernel, and members for which its buffer has room at first, per group.
_BLOCK, _ROOM = 32, 8


@engine(
    "shortest-union",
    "all paths of at most K hops and all shortest ones, by K VRFs per router, for flat Ethernet fabrics",
    safe=False,
    bytes_a_pair=60,
    K=Integer(2, 8, "VRFs per router", default=2),
    lossless=LOSSLESS,
)
def shortest_union(request: RoutingRequest, K: int, lossless: str) -> Routing:
    """Groups whose states are the VRFs: state 0 is VRF K, which has the hosts, and state i is VRF i.

    Links from VRF K of a router lead into VRF i of its neighbour at cost i, those from VRF i into VRF i + 1 at cost 1, and
    those within VRF 1 cost 1, so that a path costs max(hops, K). Costs are lengths of AS paths: a router drops a next hop whose
    cheapest walks all lead back through it. The plain tables are shortest paths. Source: Harsh, Jyothi and Godfrey, Spineless
    data centers, HotNets 2020.

    Parameters
    ----------
    request : RoutingRequest
    K : int
        VRFs per router.
    lossless : "no" or "yes"

    Returns
    -------
    Routing
        Without a verification.
    """
    from topoloom.routing.groups.kernels.shortest_union import unite

    topology, n = request.topology, request.topology.switches
    first, to, _ = topology.csr
    widths = np.zeros((K, n, n), np.int64)
    blocks = -(-n // _BLOCK)
    ports, next_states = [np.zeros(0, np.uint16)] * blocks, [np.zeros(0, np.uint8)] * blocks

    def make(numbers: Iterator[int]) -> None:
        scratch = tuple(np.empty(K * n, np.int64) for _ in range(3))
        room = _ROOM * _BLOCK * K * n
        for number in numbers:
            if request.work.stopped:
                return
            begin = number * _BLOCK
            width = np.zeros((min(_BLOCK, n - begin), K, n), np.int64)
            while True:
                port, next_state = np.empty(room, np.uint16), np.empty(room, np.uint8)
                members = unite(first, to, begin, K, *scratch, width, port, next_state)
                if members <= room:
                    break
                room = 2 * members
            widths[:, begin : begin + len(width)] = width.transpose(1, 0, 2)
            ports[number], next_states[number] = port[:members].copy(), next_state[:members].copy()
            request.work.advance(len(width))

    request.work.begin(n, "destinations")
    over_cores(make, blocks, request.jobs)
    request.work.check()
    order = _by_state(widths)
    choice = interned(widths, np.concatenate(ports)[order], np.concatenate(next_states)[order])
    return Routing(
        topology,
        "shortest-union",
        _shortest(request),
        virtual_channel_rule=HOP if lossless == "yes" else PAIR,
        choice=choice,
    )


def _by_state(widths: np.ndarray) -> np.ndarray:
    """Return the places of members by destination, state and switch in the order of state, destination and switch.

    Parameters
    ----------
    widths : int64[states, n, n]
        By state, destination and switch.

    Returns
    -------
    int64[members]
    """
    states, n, _ = widths.shape
    counts = widths.sum(axis=2)  # by state and destination
    begins = np.cumsum(counts.T.reshape(-1)) - counts.T.reshape(-1)
    begins = begins.reshape(n, states).T.reshape(-1)
    flat = counts.reshape(-1)
    return np.asarray(np.arange(flat.sum()) + np.repeat(begins - (np.cumsum(flat) - flat), flat))


def _shortest(request: RoutingRequest) -> np.ndarray:
    """Return the first port on a shortest path, by destination and switch."""
    from topoloom.graph.distances import distances_from

    topology, n = request.topology, request.topology.switches
    first, to, _ = topology.csr
    origin = np.repeat(np.arange(n), topology.degrees)
    place, ports = np.arange(to.size) - first[origin], empty_ports(topology)
    for begin in range(0, n, 64):
        for d, distance in enumerate(distances_from(topology, np.arange(begin, min(n, begin + 64)), 1), begin):
            nearer = np.flatnonzero(distance[to] == distance[origin] - 1)[::-1]
            ports[d, origin[nearer]] = place[nearer]
    return ports
