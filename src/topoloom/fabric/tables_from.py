"""Converting forwarding tables by port and address to a `Routing`, which engines, measures and simulators take."""

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.model.topology import Topology
from topoloom.routing.choices import Layers
from topoloom.routing.routing import INSTALLED, Routing, empty_ports

#: What an entry is, if it is not the index of a link: there is none, its port leads to no switch, or its target is local.
NO_ENTRY, NO_LINK, AT_HOME = -1, -2, -3


def routing_from(tables: Tables, fabric: Fabric, levels: np.ndarray | None = None) -> Routing:
    """The routing that forwarding tables define on a fabric.

    Entries that are missing, or lead to a port without a link, are no entries of the routing; `verify_tables` reports them.

    Parameters
    ----------
    tables : Tables
    fabric : Fabric
    levels : uint8[endpoints, endpoints] or uint8[k * paths, endpoints, endpoints], optional
        levels[to, from], or levels[path, to, from] (`read_levels`): the virtual channel of each pair of endpoints; omitted:
        virtual channel 0 for all. If they differ between the sources on one switch, those of its first endpoint count for all:
        their paths are the same, so no cycle can arise that exact levels would not have.

    Returns
    -------
    Routing
        Between switches. If the hosts of a switch differ in their ports or virtual channels, there is one table per host of a
        switch (`Layers.by_host`); if hosts have several addresses, one table per address of each of them (`Layers.paths`). To a
        switch without endpoints, its own entries count.
    """
    topology = fabric.topology
    n, k = topology.switches, topology.endpoints.size
    links = [entry_links(tables.path(number), fabric) for number in range(tables.paths)]
    at_switch = topology.endpoints_at
    by_place = np.full((n, int(at_switch.max(initial=0))), -1, np.int64)
    by_place[topology.endpoints, _places(topology)] = np.arange(k)
    first = by_place[:, 0] if by_place.shape[1] else np.full(n, -1, np.int64)
    column = np.where(first >= 0, first, k + np.arange(n))
    shared = all(
        bool(((own[:, :k] == own[:, column][:, topology.endpoints]) | (own[:, :k] == AT_HOME)).all()) for own in links
    )
    busy = np.flatnonzero(first >= 0)
    between = None
    if levels is not None and levels.any():
        # levels[path][to, source switch], for all switches with hosts.
        between = [
            (levels if levels.ndim == 2 else levels[number % len(levels)])[:, first[busy]]
            for number in range(tables.paths)
        ]
        inside = topology.endpoints[:, None] == busy[None, :]
        shared &= all(bool(((own == own[first[topology.endpoints]]) | inside).all()) for own in between)
    ports, virtual_channels = [], []
    for place in range(1 if shared else by_place.shape[1]):
        # A switch with fewer hosts repeats their tables.
        chosen = by_place[np.arange(n), place % np.maximum(at_switch, 1)] if k else first
        for number, own in enumerate(links):
            ports.append(_ports(topology, own[:, np.where(chosen >= 0, chosen, column)]))
            if between is not None:
                table = np.zeros((n, n), np.uint8)
                table[np.ix_(busy, busy)] = between[number][chosen[busy]]
                np.fill_diagonal(table, 0)
                virtual_channels.append(table)
    kind = f"{INSTALLED}{tables.source}" + ("" if shared else ", by host port")
    if not ports[1:]:
        return Routing(topology, kind, ports[0], virtual_channels[0] if virtual_channels else None)
    choice = Layers(tuple(ports[1:]), tuple(virtual_channels[1:]) or None, by_host=True, paths=tables.paths)
    return Routing(topology, kind, ports[0], virtual_channels[0] if virtual_channels else None, choice=choice)


def entry_links(ports: np.ndarray, fabric: Fabric) -> np.ndarray:
    """The link of each switch (from 0) by which it sends to each target, int16[n, k + n].

    Below 0: NO_ENTRY, NO_LINK (the port has no cable, or leads to a host), or AT_HOME for targets at the switch itself, by
    whatever port.

    Parameters
    ----------
    ports : int[n, k + n]
        Real ports, as in `Tables`.
    fabric : Fabric
    """
    topology = fabric.topology
    n = topology.switches
    offsets = topology.csr[0]
    home_of = np.concatenate([topology.endpoints, np.arange(n)])
    links = np.full(ports.shape, NO_ENTRY, np.int16)
    for switch in range(n):
        leaving = fabric.channel_ports[offsets[switch] : offsets[switch + 1]]
        out = ports[switch]
        index = np.full(int(max(out.max(initial=0), leaving.max(initial=0))) + 1, NO_LINK, np.int16)
        index[leaving] = np.arange(leaving.size)
        links[switch] = np.where(out >= 0, index[out], NO_ENTRY)
        links[switch, home_of == switch] = AT_HOME
    return links


def _places(topology: Topology) -> np.ndarray:
    """The index of each endpoint among those of its switch, int64[k]."""
    order = np.argsort(topology.endpoints, kind="stable")
    starts = np.cumsum(topology.endpoints_at) - topology.endpoints_at
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size) - np.repeat(starts, topology.endpoints_at)
    return place


def _ports(topology: Topology, links: np.ndarray) -> np.ndarray:
    """A table of a `Routing` from the link of each switch to each other switch, int16[from, to]."""
    ports = empty_ports(topology)
    present = links.T >= 0
    ports[present] = links.T[present]
    np.fill_diagonal(ports, np.iinfo(ports.dtype).max)
    return ports
