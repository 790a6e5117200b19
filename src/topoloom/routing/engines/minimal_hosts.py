"""Minimal paths per host: balanced shortest paths for each host of a switch, in virtual channels by pair."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.capacities import capacities
from topoloom.routing.channels import channels_of
from topoloom.routing.choices import Layers
from topoloom.routing.memory import MOST_HOST_ENTRIES
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, carriers_of, empty_ports, host_weights
from topoloom.routing.trees.shortest import fill_minimal
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS, place_pairs

#: How often the tables of each destination are made, with the loads of all others known.
_ROUNDS = 4
#: Most channels visited while virtual channels are assigned.
_EFFORT = 400_000_000


@engine(
    "minimal-hosts",
    "shortest paths, one table per host of a switch, with even loads in pairs of hosts; virtual channels by pair",
    safe=True,
    bytes_a_pair=32,
)
def minimal_hosts(request: RoutingRequest) -> Routing:
    """Use shortest paths for each host of a switch, and the first virtual channel for each pair that stays free of cycles.

    The tables of a destination are made again, with the loads of all others known; of all rounds the one with the smallest
    maximum channel load counts.

    Source: Skeie, Lysne and Theiss, Layered shortest path (LASH) routing, IPDPS 2002 (virtual channels); balance is our own.
    """
    from topoloom.routing.trees.kernels.host_minimal import host_minimal_trees
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    topology, work = request.topology, request.work
    n, channels, hosts = topology.switches, channels_of(topology), host_weights(topology)
    count = max(1, min(int(hosts.max(initial=1)), MOST_HOST_ENTRIES // n**2))
    ports = np.stack([empty_ports(topology)] * count)
    load, scale = np.zeros(channels.to.size), 1.0 / capacities(topology).channels
    busy = np.flatnonzero(hosts)
    order = busy[Draws(request.seed, 3).permutation(busy.size)]
    best, best_load = ports, np.inf
    work.begin(order.size * _ROUNDS, "destinations")
    for again in range(_ROUNDS):
        for d in order.tolist():
            work.check()
            host_minimal_trees(channels.first, channels.to, hosts, scale, d, ports, load, again > 0)
            work.advance()
        largest = float((load * scale).max(initial=0.0))
        if largest < best_load:
            best, best_load = ports.copy(), largest
    others = np.flatnonzero(hosts == 0)
    if others.size:
        fill_minimal(topology, others, best[0], 0, request.jobs, work=work)
        best[1:, others] = best[0, others]
    most = min(request.virtual_channels or MOST_VIRTUAL_CHANNELS, MOST_VIRTUAL_CHANNELS)
    carries = carriers_of(topology)
    turns = np.zeros(channels.turn_first[-1], np.uint16)
    place = np.tile(np.arange(channels.to.size, dtype=np.int32), (most, 1))
    virtual_channels: list[np.ndarray] = []
    for number in range(count):
        # Hosts beyond those of a switch repeat its tables, which have their virtual channels already.
        pairs = np.zeros((n, n), np.uint8)
        wanted = carries & (hosts > number)
        pairs[np.ix_(wanted, carries)] = ORPHAN
        np.fill_diagonal(pairs, 0)
        destinations = order[hosts[order] > number]
        placed = place_pairs(
            topology, best[number], pairs, destinations, most, turns=turns, place=place, effort=_EFFORT, work=work
        )
        if not placed:
            raise InputError(
                f"{topology.name}: the paths of engine minimal-hosts need more than {most} virtual channels; use engine orders"
            )
        for d in busy[hosts[busy] <= number].tolist():
            pairs[d] = virtual_channels[number % int(hosts[d])][d]
        virtual_channels.append(pairs)
    several = any(table.any() for table in virtual_channels)
    choice = None
    if count > 1:
        choice = Layers(tuple(best[1:]), tuple(virtual_channels[1:]) if several else None, by_host=True)
    return Routing(
        topology, "minimal-hosts", best[0], virtual_channels[0] if several else None, minimal=True, choice=choice
    )


def largest_load(routing: Routing) -> float:
    """The maximum channel load in pairs of hosts, of tables whose paths arrive, in units of the lowest rate."""
    from topoloom.routing.trees.kernels.host_minimal import add_host_loads

    topology, tables, channels = routing.topology, routing.host_tables, routing.channels
    hosts = host_weights(topology)
    load = np.zeros(channels.to.size)
    for number, table in enumerate(tables):
        for d in np.flatnonzero(hosts > number).tolist():
            served = (int(hosts[d]) - number + len(tables) - 1) // len(tables)
            add_host_loads(channels.first, channels.to, table.ports, hosts, d, served, load)
    return float((load / capacities(topology).channels).max(initial=0.0))
