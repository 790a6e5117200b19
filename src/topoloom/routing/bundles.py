"""Tables that use every cable of a bundle: the hosts of a switch take the parallel cables between two switches in turn.

A table has one next hop per destination switch. Where two switches have several cables to each other, all packets to that
switch would take the same cable. Forwarding tables have one entry per host address, so copies of a table, each of which takes
the next cable of every bundle, serve the hosts of a switch in turn.
"""

from dataclasses import replace

import numpy as np

from topoloom.core.work import Work
from topoloom.model.capacities import whole_capacities
from topoloom.routing.channels import bundle_starts
from topoloom.routing.choices import Layers
from topoloom.routing.memory import MOST_HOST_ENTRIES
from topoloom.routing.registry import engines
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing

#: The most copies of a table, and the most parts that the rates of a bundle's cables are rounded to.
_MOST_COPIES, _MOST_PARTS = 64, 16


def spread_over_bundles(routing: Routing, jobs: int | None = None, work: Work | None = None) -> Routing:
    """Return the tables with a copy for every cable of the largest bundles, which the hosts of a switch use in turn.

    The cables of a bundle serve numbers of hosts in the ratio of their rates.

    Parameters
    ----------
    routing : Routing
    jobs : int, optional
        Threads of the verifier; every core when omitted.
    work : Work, optional

    Returns
    -------
    Routing
        With a verification of all copies together. The same tables where no two switches have several cables to each other or
        no switch has several hosts, where packets choose, where the engine has tables per host, where the copies do not fit in
        memory, or where channels of several copies would wait in a cycle.

    Raises
    ------
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.model.topology import Topology
    >>> from topoloom.routing.route import route
    >>> pair = Topology(links=[(0, 1)] * 4, switches=2, endpoints=[0] * 8 + [1] * 8)
    >>> spread = spread_over_bundles(route(pair, "minimal"))
    >>> sorted(int(table.ports[1, 0]) for table in spread.host_tables)
    [0, 1, 2, 3]
    """
    topology, none = routing.topology, routing.none
    hosts = int(topology.endpoints_at.max(initial=0))
    if routing.choice is not None or hosts < 2 or (routing.engine in engines and engines.find(routing.engine).by_host):
        return routing
    turns = _turns(routing)
    if turns is None:
        return routing
    first, width, place, order = turns
    count = min(hosts, _MOST_COPIES, int(np.lcm.reduce(np.unique(width))))
    if count * topology.switches**2 > MOST_HOST_ENTRIES:
        return routing
    filled = routing.ports != none
    channel = np.where(filled, routing.channels.first[:-1][None, :] + routing.ports, 0)
    copies = []
    for number in range(1, count):
        chosen = (
            order[first + (place + number * width // count) % width] - routing.channels.first[routing.channels.origin]
        )
        copies.append(np.where(filled, chosen[channel], none).astype(routing.ports.dtype))
    spread = replace(routing, choice=Layers(tuple(copies), by_host=True), verification=None)
    verification = verify_routing(spread, jobs, work=work)
    if verification.cycle or verification.fault:
        return routing
    return replace(spread, verification=verification)


def _turns(routing: Routing) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    """The order in which the channels of each bundle take turns; None without bundles.

    Returns
    -------
    first, width : int64[2 m]
        For each channel, where the turns of its bundle begin in `order`, and how many they are.
    place : int64[2 m]
        The first turn of each channel, counted within its bundle.
    order : int64[turns]
        The channel of each turn, bundle by bundle; a channel of twice the rate has twice as many turns.
    """
    channels, topology = routing.channels, routing.topology
    if not channels.to.size:
        return None
    starts = bundle_starts(channels.origin, channels.to)
    if starts.all():
        return None
    bundle, begin = np.cumsum(starts) - 1, np.flatnonzero(starts)
    rates = topology.link_rate_gbps if topology.mixed else None
    parts = np.ones(channels.to.size, np.int64)
    if rates is not None:
        of_channel = rates[topology.csr[2]]
        for low, high in zip(begin.tolist(), [*begin[1:].tolist(), channels.to.size], strict=True):
            parts[low:high] = whole_capacities(of_channel[low:high], _MOST_PARTS)
    # Turn t of a channel with p turns is due at (t + 1/2) / p: channels of one bundle alternate by their rates.
    channel = np.repeat(np.arange(channels.to.size), parts)
    turn = np.arange(channel.size) - np.repeat(np.cumsum(parts) - parts, parts)
    order = channel[np.lexsort((channel, (turn + 0.5) / parts[channel], bundle[channel]))]
    width = np.bincount(bundle, parts).astype(np.int64)
    first = np.cumsum(width) - width
    place = np.empty(channels.to.size, np.int64)
    place[order[::-1]] = np.arange(order.size)[::-1]  # the first turn of each channel is written last
    return first[bundle], width[bundle], place - first[bundle], order
