"""VLB hybrid: a share of each pair's traffic takes detours by random switches, the rest all shortest paths."""

import numpy as np

from topoloom.core.allowance import free_bytes
from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.routing.choices import MOST_STATES, NextHopGroups
from topoloom.routing.engines.spraypoint import LOSSLESS
from topoloom.routing.groups.making import interned, shortest_groups
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import HOP, PAIR, Routing, empty_ports
from topoloom.topologies.spec import Integer, Real

#: States of a packet: at its source, on shortest paths to its destination, and then one per detour.
_SOURCE, _DIRECT, _DETOUR = 0, 1, 2
_STREAM = 31
#: Memory that a member of a source's group takes while groups are made, measured.
_BYTES = 24


@engine(
    "vlb",
    "shortest paths for a part of the traffic, detours by random switches for the share that is given (VLB hybrid)",
    safe=False,
    bytes_a_pair=1200,
    share=Real(0, 1, "traffic that takes a detour, in whole percent: 0 is ecmp, 1 is VLB", default=0.5),
    detours=Integer(1, MOST_STATES - _DETOUR, "random switches per destination, one state each", default=8),
    lossless=LOSSLESS,
)
def vlb(request: RoutingRequest, share: float, detours: int, lossless: str) -> Routing:
    """Groups whose states are: at the source, on the way to one of the detours' switches, and then on shortest paths.

    Each destination has its own switches for detours, and each switch serves as many destinations. A source uses those that
    are not itself, each for an equal share; a packet that meets its destination on a detour has arrived. Shares are exact:
    members are repeated in the group of the source, as an ASIC's tables do it. Source: Valiant, SIAM J. Computing 11(2), 1982;
    the hybrid of Kassing et al., Beyond fat-trees without antennae, mirrors, and disco-balls, SIGCOMM 2017, gives detours to
    flows over a size, here to a share of the traffic.

    Parameters
    ----------
    request : RoutingRequest
    share : float
        In 0 .. 1.
    detours : int
        Switches per destination, at most; all others in networks of fewer.
    lossless : "no" or "yes"

    Returns
    -------
    Routing
        Without a verification; its plain tables are shortest paths.

    Raises
    ------
    InputError
        A share that is not a whole percent, or some switches have no path to others.
    """
    topology, n = request.topology, request.topology.switches
    percent = round(share * 100)
    if abs(share * 100 - percent) > 1e-9:
        raise InputError(f"engine vlb: share={share:g} is not a whole percent; give {percent / 100:g}")
    shortest = shortest_groups(topology)
    table = shortest.group[0]
    if (table < 0).sum() > n:
        raise InputError(f"{topology.name}: not connected; engine vlb needs a path between all switches")
    ports = empty_ports(topology)
    linked = table >= 0
    ports[linked] = shortest.port[shortest.first[table[linked]]]
    return Routing(
        topology,
        "vlb",
        ports,
        virtual_channel_rule=HOP if lossless == "yes" else PAIR,
        choice=_hybrid(request, shortest, _adjacent(request, ports), percent, min(detours, n - 1) if percent else 0),
    )


def _adjacent(request: RoutingRequest, ports: np.ndarray) -> np.ndarray:
    """Return adjacent[d, s], bool[n, n]: whether the shortest paths from s to d are its links to d."""
    first, to, _ = request.topology.csr
    n = len(ports)
    linked = ~np.eye(n, dtype=bool)
    adjacent = np.zeros((n, n), np.bool_)
    d, s = np.nonzero(linked)
    adjacent[linked] = to[first[s] + ports[linked]] == d
    return adjacent


def _hybrid(
    request: RoutingRequest, shortest: NextHopGroups, adjacent: np.ndarray, percent: int, detours: int
) -> NextHopGroups:
    """Return the groups of all states: those of shortest paths once more per detour, and those of the sources."""
    n, table, count = len(adjacent), shortest.group[0], shortest.first.size - 1
    group = np.full((_DETOUR + detours, n, n), -1, np.int32)
    group[_DIRECT] = table
    draws = Draws(request.seed, _STREAM)
    order = draws.permutation(n)
    through = np.empty((detours, n), np.int64)  # the switch of each detour, by destination
    # Different steps around one random order: different switches for a destination, and all switches equally often.
    for number, step in enumerate(draws.permutation(max(1, n - 1))[:detours] + 1):
        through[number, order] = np.roll(order, step)
        towards = table[through[number]]
        # On the last link to the detour's switch a packet becomes direct: that is the group of shortest paths.
        own = np.where(adjacent[through[number]], 0, (number + 1) * count)
        group[_DETOUR + number] = np.where(towards >= 0, towards + own, -1)
        np.fill_diagonal(group[_DETOUR + number], -1)
    source = _sources(request, shortest, adjacent, through, percent)
    members = shortest.port.size * (1 + detours)
    group[_SOURCE] = np.where(source.group[0] >= 0, source.group[0] + count * (1 + detours), -1)
    begins = shortest.first[:-1] + shortest.port.size * np.arange(1 + detours)[:, None]
    states = np.repeat(np.arange(_DIRECT, _DETOUR + detours, dtype=np.uint8), shortest.port.size)
    return NextHopGroups(
        group,
        np.concatenate([begins.reshape(-1), members + source.first]),
        np.concatenate([np.tile(shortest.port, 1 + detours), source.port]),
        np.concatenate([states, source.next_state]),
    )


def _sources(
    request: RoutingRequest, shortest: NextHopGroups, adjacent: np.ndarray, through: np.ndarray, percent: int
) -> NextHopGroups:
    """Return the groups of packets at their source: a detour's first hop is drawn, the rest of it is any shortest path."""
    n, table, widths = len(adjacent), shortest.group[0], shortest.widths
    direct = np.append(widths, 0)[table]  # 0 where a switch is its own destination
    detours = np.full((n, n), len(through))
    detours[np.arange(n), through] -= 1  # a source makes no detour by itself
    # Whole numbers of members in the ratio of the shares: for each shortest next hop, and for each detour.
    parts = np.stack([np.where(detours > 0, (100 - percent) * detours, 1), np.where(detours > 0, percent * direct, 0)])
    parts //= np.maximum(1, np.gcd(*parts))
    np.fill_diagonal(detours, 0)
    rows = parts[0] * direct + parts[1] * detours
    needed, free = _BYTES * int(rows.sum()), free_bytes()
    if free is not None and needed > free:
        raise InputError(
            f"{request.topology.name}: engine vlb needs about {needed / 1e9:,.1f} GB of memory for next-hop groups of up to"
            f" {rows.max():,} members, and {free / 1e9:,.1f} GB are free; use fewer detours, or a simpler share (0.25, 0.5)"
        )
    draws, numbers = Draws(request.seed, _STREAM + 1), _DETOUR + np.arange(len(through), dtype=np.uint8)[:, None]
    ports, states = [np.zeros(0, np.uint16)], [np.zeros(0, np.uint8)]
    request.work.begin(n, "destinations")
    for d in range(n):
        request.work.check()
        place = np.arange(direct[d].max(initial=0))
        every = shortest.first[table[d]][:, None] + place
        towards = table[through[:, d]]
        drawn = shortest.first[towards] + (draws.uniform(towards.size).reshape(towards.shape) * widths[towards]).astype(
            int
        )
        usable = (towards >= 0) & (np.arange(n) != d)
        weight = np.where(place < direct[d][:, None], parts[0, d][:, None], 0), (usable * parts[1, d]).T
        after = np.where(adjacent[through[:, d]], np.uint8(_DIRECT), numbers)
        times = np.concatenate(weight, axis=1).reshape(-1)
        port = shortest.port[np.minimum(np.concatenate([every, drawn.T], axis=1), shortest.port.size - 1)]
        state = np.concatenate([np.full(every.shape, _DIRECT, np.uint8), after.T], axis=1)
        ports.append(np.repeat(port.reshape(-1), times))
        states.append(np.repeat(state.reshape(-1), times))
        request.work.advance(1)
    return interned(rows[None], np.concatenate(ports), np.concatenate(states))
