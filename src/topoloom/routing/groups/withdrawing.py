"""Switches that see links fail withdraw the members on them from their next-hop groups, without new tables."""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.routing.choices import NextHopGroups
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.routing.routing import Routing


def withdrawn(routing: Routing, links: np.ndarray) -> Routing:
    """Return a routing whose switches withdrew the members on lost links from their groups; nothing else changes.

    Parameters
    ----------
    routing : Routing
        With next-hop groups, of shortest paths or of one next hop.
    links : int64[k]
        The lost links, as rows of `Topology.links`.

    Returns
    -------
    Routing
        Of the same topology, so that ports keep their numbers. A group without a member is gone: its packets are dropped.

    Raises
    ------
    InputError
        No such link; or packets have a choice that next-hop groups cannot express.
    """
    topology, groups = routing.topology, next_hop_groups_of(routing)
    lost = np.asarray(links, np.int64)
    if lost.size and (lost.min() < 0 or lost.max() >= len(topology.links)):
        raise InputError(f"{topology.name}: lost links are numbers from 0 to {len(topology.links) - 1}")
    n, widths = topology.switches, groups.widths
    owner = np.zeros(widths.size, np.int64)
    for table in groups.group:
        filled = table >= 0
        owner[table[filled]] = np.broadcast_to(np.arange(n), (n, n))[filled]
    channel = topology.csr[0][np.repeat(owner, widths)] + groups.port
    stays = ~np.isin(topology.csr[2][channel], lost)
    left = np.bincount(np.repeat(np.arange(widths.size), widths)[stays], minlength=widths.size)
    number = np.where(left > 0, np.cumsum(left > 0) - 1, -1).astype(np.int32)
    choice = NextHopGroups(
        np.where(groups.group >= 0, number[groups.group], -1).astype(np.int32),
        np.concatenate([[0], np.cumsum(left[left > 0])]),
        groups.port[stays],
        groups.next_state[stays],
    )
    return replace(routing, choice=choice, verification=None)
