"""Next-hop groups from rows of members: equal groups of a switch are one group, as in the tables of its ASIC."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.choices import AnyShortest, NextHopGroups
from topoloom.routing.routing import Routing


def interned(group_rows: np.ndarray, port: np.ndarray, next_state: np.ndarray) -> NextHopGroups:
    """Return groups in which equal rows of a switch are one group.

    Parameters
    ----------
    group_rows : int64[states, n, n]
        The number of members for state, destination and switch; 0: no group.
    port : uint16[members]
    next_state : uint8[members]
        The members of all rows, one row after the other.

    Returns
    -------
    NextHopGroups
        Its groups are in the order of switches; those of a switch in the order of the rows.
    """
    from topoloom.routing.groups.kernels.interning import differing_row, hash_rows

    n = group_rows.shape[-1]
    width = group_rows.reshape(-1)
    first = np.concatenate([[0], np.cumsum(width)])
    key = np.empty(width.size, np.uint64)
    hash_rows(first, port, next_state, n, key)
    rows = np.flatnonzero(width)
    _, at, group = np.unique(key[rows], return_index=True, return_inverse=True)
    order = np.lexsort((at, rows[at] % n))
    number = np.empty(order.size, np.int64)
    number[order] = np.arange(order.size)
    like = rows[at]
    if differing_row(first, port, next_state, n, like[group], rows) >= 0:
        raise RuntimeError("two different next-hop groups have the same hash of 64 bits")
    table = np.full(width.size, -1, np.int32)
    table[rows] = number[group]
    chosen = like[order]
    begins = np.concatenate([[0], np.cumsum(width[chosen])])
    members = np.arange(begins[-1]) + np.repeat(first[chosen] - begins[:-1], width[chosen])
    return NextHopGroups(table.reshape(group_rows.shape), begins, port[members], next_state[members])


def next_hop_groups_of(routing: Routing) -> NextHopGroups:
    """Return the next-hop groups of a routing: its own, those of all shortest paths, or one member each for plain tables.

    Parameters
    ----------
    routing : Routing

    Returns
    -------
    NextHopGroups

    Raises
    ------
    InputError
        Packets have another choice, which next-hop groups cannot express.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> next_hop_groups_of(route(build("hypercube:n=3"), "ecmp")).widths.max()
    np.int64(3)
    """
    if isinstance(routing.choice, NextHopGroups):
        return routing.choice
    topology = routing.topology
    if routing.choice is None:
        filled = routing.ports != routing.none
        return interned(filled[None].astype(np.int64), *_members(routing.ports[filled]))
    if not isinstance(routing.choice, AnyShortest):
        raise InputError(
            f"{topology.name}: engine {routing.engine} has no next-hop groups that routers could use; give tables of one"
            " next hop, of ecmp, spraypoint, shortest-union, ksp or vlb"
        )
    return shortest_groups(topology)


def shortest_groups(topology: Topology) -> NextHopGroups:
    """Return the next-hop groups of all shortest paths, in one state.

    Parameters
    ----------
    topology : Topology

    Returns
    -------
    NextHopGroups
        Without a group where no path leads.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> shortest_groups(build("ring:n=4")).widths.max()
    np.int64(2)
    """
    from topoloom.graph.distances import distances_from

    n, (first, to, _) = topology.switches, topology.csr
    origin = np.repeat(np.arange(n), topology.degrees)
    rows, ports = np.zeros((1, n, n), np.int64), [np.zeros(0, np.int64)]
    place = np.arange(to.size) - first[origin]
    for begin in range(0, n, 64):
        for d, distance in enumerate(distances_from(topology, np.arange(begin, min(n, begin + 64)), 1), begin):
            nearer = np.flatnonzero(distance[to] == distance[origin] - 1)
            rows[0, d] = np.bincount(origin[nearer], minlength=n)
            ports.append(place[nearer])
    return interned(rows, *_members(np.concatenate(ports)))


def _members(ports: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return members of groups with one state."""
    return ports.astype(np.uint16), np.zeros(ports.size, np.uint8)
