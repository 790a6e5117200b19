"""A permutation of the hosts with a channel as busy as can be found."""

import numpy as np

from topoloom.routing.routing import Routing

#: Switches up to which the worst permutation is found exactly, in about a second; channels tried on larger networks.
_EXACT, _TRIED = 1024, 32


def busy_permutation(routing: Routing) -> np.ndarray:
    """Where each host sends, int64[hosts], so that one channel carries as many hosts as possible; -1: silent.

    Up to 1,024 switches the worst permutation of all (`throughput.traffic.worst`). On larger networks the 32 channels that
    uniform traffic loads most are tried, and who sends over one is paired with who gets over it greedily, those with the
    fewest senders first: at least half as many as the best pairing of that channel. Hosts left over are paired in order; one
    that would be left with itself is silent.

    Raises
    ------
    InputError
        Tables that do not lead everywhere.
    """
    from topoloom.throughput.traffic.worst import worst_permutation

    partner = worst_permutation(routing).partner if routing.topology.switches <= _EXACT else greedy(routing)
    partner = partner.copy()
    alone = np.flatnonzero(partner == np.arange(partner.size))
    partner[alone] = np.roll(alone, -1) if alone.size > 1 else -1
    return partner


def greedy(routing: Routing) -> np.ndarray:
    """The greedy pairing of `busy_permutation`, a permutation int64[hosts]."""
    from topoloom.throughput.traffic.kernels.busiest import pairs_over
    from topoloom.throughput.traffic.loads import table_loads
    from topoloom.throughput.traffic.making import hosts_on, uniform_remote
    from topoloom.throughput.traffic.worst import completed

    topology, channels = routing.topology, routing.channels
    loads, hosts = table_loads(routing, uniform_remote(topology)).channels, hosts_on(topology)
    best = np.empty((0, 3), np.int64)
    for channel in np.argsort(-loads, kind="stable")[:_TRIED].tolist():
        u = int(channels.origin[channel])
        port = channel - int(channels.first[u])
        found = pairs_over(channels.first, channels.to, routing.ports, hosts, u, port)
        if found[:, 2].sum() > best[:, 2].sum():
            best = found
    return completed(routing, best)
