"""Converting forwarding tables by port and address to a `Routing` that the verifier can follow."""

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.model.topology import Topology
from topoloom.routing.routing import Routing, empty_ports

#: Tables between this many switches and endpoints fit in memory.
_MOST_NODES = 1 << 15


def routing_from(tables: Tables, fabric: Fabric, levels: np.ndarray | None = None) -> Routing:
    """The routing that forwarding tables define on a fabric.

    Parameters
    ----------
    tables : Tables
    fabric : Fabric
    levels : uint8[endpoints, endpoints], optional
        levels[to, from]: the virtual channel of each pair of endpoints; omitted: virtual channel 0 for all.

    Returns
    -------
    Routing
        Between switches, if all endpoints of a switch share their ports and virtual channels; for a switch without endpoints,
        its own entries count. Otherwise between switches and endpoints together: endpoint e is node switches + e, a leaf of its
        switch, and hops include the cables at both ends. Pairs without data, because one of them is not a host or has none,
        have a separate virtual channel, the highest.

    Raises
    ------
    InputError
        An entry is missing, or leads to a port without a cable or to another host; there are too many endpoints for tables by
        endpoint.
    """
    ports_out = _ports_out(tables, fabric)
    topology = fabric.topology
    n, k = topology.switches, topology.endpoints.size
    first = np.full(n, -1, np.int64)
    first[topology.endpoints[::-1]] = np.arange(k)[::-1]
    column = np.where(first >= 0, first, k + np.arange(n))
    shared = ports_out[:, column]
    at_others = np.arange(n)[:, None] != topology.endpoints[None, :]
    same = np.array_equal(
        np.where(at_others, ports_out[:, :k], 0), np.where(at_others, shared[:, topology.endpoints], 0)
    )
    if same and (levels is None or _vcs_shared(levels, topology, first)):
        ports = empty_ports(topology)
        others = ~np.eye(n, dtype=bool)
        ports[others] = shared.T[others]
        busy = np.flatnonzero(first >= 0)
        between = None if levels is None else levels[np.ix_(first[busy], first[busy])]
        virtual_channels = None if levels is None and busy.size == n else _virtual_channels(n, busy, between)
        return Routing(topology, f"tables of {tables.source}", ports, virtual_channels)
    return _by_endpoint(tables, fabric, ports_out, levels)


def _ports_out(tables: Tables, fabric: Fabric) -> np.ndarray:
    """The link of a switch (from 0) by which it sends to each target, int16[n, k + n]; -1: no entry, or the target is local."""
    topology = fabric.topology
    n, k = topology.switches, topology.endpoints.size
    offsets = topology.csr[0]
    at_home = np.concatenate([topology.endpoints, np.arange(n)])
    ports_out = np.full((n, k + n), -1, np.int16)
    for switch in range(n):
        leaving = fabric.channel_ports[offsets[switch] : offsets[switch + 1]]
        index = np.full(int(max(fabric.switch_ports[switch], leaving.max(initial=0))) + 2, -1, np.int16)
        index[leaving] = np.arange(leaving.size)
        out = tables.ports[switch]
        ports_out[switch] = np.where(out >= 0, index[out], -1)
        home = at_home == switch
        ports_out[switch, home] = -1
        own = np.flatnonzero(topology.endpoints == switch)
        given = np.append(out[own], out[k + switch])
        right = np.append(fabric.endpoint_ports[own], 0)
        # A switch's table may omit the switches' own addresses, itself included, but not its hosts'.
        wrong = np.flatnonzero((given != right) & ~((given == -1) & (np.arange(given.size) == own.size)))
        if wrong.size:
            which = int(wrong[0])
            target = k + switch if which == own.size else int(own[which])
            raise _bad(tables, fabric, switch, target, int(given[which]), int(right[which]))
        astray = np.flatnonzero((ports_out[switch] < 0) & ~home & (out >= 0))
        if astray.size:
            raise _bad(tables, fabric, switch, int(astray[0]), int(out[astray[0]]), None)
        hostless = topology.endpoints_at == 0
        needed = np.concatenate([np.ones(k, bool), hostless]) & ~home
        lost = np.flatnonzero((out < 0) & needed)
        if lost.size:
            raise _bad(tables, fabric, switch, int(lost[0]), -1, None)
    return ports_out


def _bad(tables: Tables, fabric: Fabric, switch: int, target: int, port: int, right: int | None) -> Exception:
    """The error for an entry: missing, a port with no switch behind it, or another port than the host's."""
    k = fabric.topology.endpoints.size
    switch_name = fabric.switch_names[switch]
    if target < k:
        host = fabric.host_names[fabric.topology.host[target]]
        number = int(fabric.host_ports[target])
        target_name = f"host {host}" + ("" if number == 1 else f" port {number}")
    else:
        target_name = f"switch {fabric.switch_names[target - k]}"
    if port < 0:
        reason = f"switch {switch_name} has no entry for {target_name}"
    elif right is not None:
        reason = (
            f"switch {switch_name} sends packets for {target_name} through port {port}; its cable is in port {right}"
        )
    else:
        reason = f"switch {switch_name} sends packets for {target_name} through port {port}, which leads to no switch"
    return at(tables.source, None, f"{reason}; are these the tables of {fabric.made}?")


def _vcs_shared(levels: np.ndarray, topology: Topology, first: np.ndarray) -> bool:
    """Whether all pairs of endpoints of two switches have the same virtual channel."""
    representative = first[topology.endpoints]
    inside = topology.endpoints[:, None] == topology.endpoints[None, :]
    return bool(((levels == levels[np.ix_(representative, representative)]) | inside).all())


def _by_endpoint(tables: Tables, fabric: Fabric, ports_out: np.ndarray, levels: np.ndarray | None) -> Routing:
    """The routing between switches and endpoints together; endpoint e is node n + e, a leaf of its switch."""
    topology = fabric.topology
    n, k = topology.switches, topology.endpoints.size
    if n + k > _MOST_NODES:
        reason = f"hosts of one switch have different paths; such tables can be verified for up to {_MOST_NODES} nodes"
        raise at(tables.source, None, f"{reason}, but there are {n + k}")
    cables = np.stack([topology.endpoints, n + np.arange(k)], axis=1)
    # Leaves have the highest numbers, so the links of a switch keep their indices, and its endpoints follow them.
    wide = Topology(np.concatenate([topology.links, cables]), n + k, name=topology.name)
    ports = empty_ports(wide)
    ports[n:, :n] = np.where(ports_out[:, :k] >= 0, ports_out[:, :k], 0).T
    place = topology.endpoint_ports - 1 + topology.degrees[topology.endpoints]
    ports[n + np.arange(k), topology.endpoints] = place
    # To a switch: its own entry if the table has it, otherwise that of its first endpoint.
    first = np.zeros(n, np.int64)
    first[topology.endpoints[::-1]] = np.arange(k)[::-1]
    own = ports_out[:, k:]
    toward = np.where((own >= 0).sum(axis=0) >= n - 1, own, ports_out[:, first])
    ports[:n, :n] = toward.T
    ports[:, n:] = 0  # an endpoint has one cable
    np.fill_diagonal(ports, np.iinfo(ports.dtype).max)
    virtual_channels = _virtual_channels(n + k, np.arange(n, n + k), levels)
    return Routing(wide, f"tables of {tables.source}, by host port", ports, virtual_channels)


def _virtual_channels(nodes: int, busy: np.ndarray, between: np.ndarray | None) -> np.ndarray:
    """The virtual channels of all pairs of nodes, uint8[nodes, nodes]: `between` for busy nodes (0 when omitted).

    All other pairs have a separate virtual channel, the highest.
    """
    inner = np.zeros((busy.size, busy.size), np.uint8) if between is None else between.copy()
    np.fill_diagonal(inner, 0)
    spare = int(inner.max(initial=0)) + 1
    virtual_channels = np.full((nodes, nodes), spare if busy.size < nodes else 0, np.uint8)
    virtual_channels[np.ix_(busy, busy)] = inner
    np.fill_diagonal(virtual_channels, 0)
    return virtual_channels
