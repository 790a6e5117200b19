"""Spraypoint: a hop to any neighbour of the source, then next-hop groups that point along rings of waypoints."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.choices import NextHopGroups
from topoloom.routing.groups.making import interned
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import HOP, PAIR, Routing, empty_ports
from topoloom.topologies.spec import Choice, Integer

#: Destinations per call of the kernel.
_BLOCK = 64
#: Whether Ethernet's switches may drop packets, so that a cycle of full buffers resolves, or may not.
LOSSLESS = Choice(
    ("no", "yes"),
    "yes: a class of traffic per hop, so that links without loss cannot deadlock; no: one class, for links that drop packets",
    default="no",
)


def waypoint_rings(switches: int, degree: float, p: int) -> int:
    """Return the rings of waypoints after the neighbours of a destination, l = max(1, ceil(log_p(n / (2 d^2)))).

    Parameters
    ----------
    switches : int
        n.
    degree : float
        d, the links of a switch; their mean where they differ.
    p : int
        The switches that a waypoint adds to the next ring, at least 2.

    Returns
    -------
    int

    Examples
    --------
    >>> [waypoint_rings(n, d, 4) for n, d in [(1000, 64), (10_000, 64), (10_000, 32), (100_000, 64)]]
    [1, 1, 2, 2]
    """
    ratio, rings = switches / (2 * degree * degree) if degree else 1.0, 1
    while p**rings < ratio:
        rings += 1
    return rings


@engine(
    "spraypoint",
    "a hop to any neighbour of the source, then groups of h next hops along rings of waypoints, for flat Ethernet fabrics",
    safe=False,
    bytes_a_pair=40,
    p=Integer(2, 64, "switches that a waypoint adds to the next ring", default=4),
    h=Integer(1, 64, "next hops of a switch to a destination, after the first hop", default=2),
    rings=Integer(1, 16, "rings of waypoints after the destination's neighbours; by the size if omitted", default=None),
    lossless=LOSSLESS,
)
def spraypoint(request: RoutingRequest, p: int, h: int, rings: int | None, lossless: str) -> Routing:
    """Groups of two states: at its source a packet takes any link, afterwards it follows the rings, in which its rank falls.

    WP0 are the neighbours of a destination; each waypoint adds p neighbours to the next ring. The inner ring are the other
    neighbours of the last one, the outer ring is the rest, which takes shortest paths to the inner ring, or to the destination
    where it does not reach that. Source: Resilient network graphs, arXiv 2604.15261.

    Parameters
    ----------
    request : RoutingRequest
    p, h : int
        Switches that a waypoint adds to the next ring, and next hops at most.
    rings : int or None
        Rings after WP0, l; None: by `waypoint_rings`.
    lossless : "no" or "yes"

    Returns
    -------
    Routing
        Without a verification; its plain tables are the first next hops.

    Raises
    ------
    InputError
        Some switches have no path to others.
    """
    from topoloom.routing.groups.kernels.spraypoint import point

    topology, n = request.topology, request.topology.switches
    degrees = topology.degrees
    if rings is None:
        rings = waypoint_rings(n, float(degrees.mean()), p)
    first, to, _ = topology.csr
    widths = np.zeros((2, n, n), np.int64)
    ports, members = empty_ports(topology), []
    rank, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    chosen, scratch = np.full(n, -1, np.int64), (np.empty(p + h, np.int64), np.empty(p + h, np.uint64))
    request.work.begin(n, "destinations")
    for begin in range(0, n, _BLOCK):
        request.work.check()
        count = min(_BLOCK, n - begin)
        width, port = np.zeros((count, n), np.int64), np.zeros((count, n, h), np.uint16)
        sizes = np.zeros((count, 4), np.int64)
        point(first, to, begin, p, h, rings, request.seed, rank, queue, chosen, *scratch, width, port, sizes)
        widths[1, begin : begin + count] = width
        members.append(port[np.arange(h) < width[:, :, None]])
        ports[begin : begin + count] = np.where(width > 0, port[:, :, 0], np.iinfo(ports.dtype).max)
        request.work.advance(count)
    pointing = np.concatenate(members)
    if widths[1].size > n and (widths[1] == 0).sum() > n:
        raise InputError(f"{topology.name}: not connected; engine spraypoint needs a path between all switches")
    own = interned(widths[1:], pointing, np.ones(pointing.size, np.uint8))
    return Routing(
        topology,
        "spraypoint",
        ports,
        virtual_channel_rule=HOP if lossless == "yes" else PAIR,
        choice=_sprayed(own, topology),
    )


def _sprayed(pointing: NextHopGroups, topology: Topology) -> NextHopGroups:
    """Return the groups of the pointing phase as state 1, and as state 0 one group per switch with all its links."""
    n, degrees = topology.switches, topology.degrees.astype(np.int64)
    groups, linked = pointing.first.size - 1, np.flatnonzero(degrees)
    number = np.full(n, -1, np.int32)
    number[linked] = groups + np.arange(linked.size)
    spray = np.tile(number, (n, 1))
    np.fill_diagonal(spray, -1)
    port = np.arange(degrees.sum()) - np.repeat(topology.csr[0][:-1], degrees)
    return NextHopGroups(
        np.stack([spray, pointing.group[0]]),
        np.concatenate([pointing.first, pointing.first[-1] + np.cumsum(degrees[linked])]),
        np.concatenate([pointing.port, port.astype(np.uint16)]),
        np.concatenate([pointing.next_state, np.ones(port.size, np.uint8)]),
    )
