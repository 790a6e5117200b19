"""Further paths for each pair of switches in the virtual channel that it has: together with the first ones free of deadlock.

In each virtual channel the turns of the given paths hold no cycle, so that its channels have an order in which every path leads
upwards. Further paths lead upwards in the same order: they close no cycle either, whatever they are.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.graph.distances import distances_from
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, turn_rows
from topoloom.routing.choices import Layers
from topoloom.routing.routing import PAIR, Routing, carriers_of
from topoloom.routing.verification.verify import verify_routing
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS

#: The stream of random choices, the tables tried per further path, the share of links that each may use, and the hops that its
#: paths may be longer.
_STREAM, _ATTEMPTS, _SHARE, _LONGER = 29, 8, 0.6, 1
_FAR = 1 << 20


def with_further_paths(routing: Routing, wide: Topology, count: int, seed: int = 1) -> Routing:
    """Tables with `count` paths per pair of host ports, all in the virtual channel of the pair.

    A further path has at most one hop more than the first one, and begins at another port where its virtual channel allows it.

    Parameters
    ----------
    routing : Routing
        Tables with a virtual channel per pair of switches, or of host ports.
    wide : Topology
        The routing's topology with each endpoint `count` times, one after another.
    count : int
        At least 1.
    seed : int
        Of the choice among equally good ports.

    Returns
    -------
    Routing
        With its verification: a table per endpoint of a switch of `wide`.

    Raises
    ------
    InputError
        The given tables can deadlock, or are not complete.
    """
    topology = routing.topology
    tables = routing.host_tables
    vcs = [_vcs(table) for table in tables]
    depths = [_depths(table) for table in tables]
    orders = _orders(routing, [table.ports for table in tables], vcs, depths)
    draws = Draws(seed, _STREAM)
    ports: list[np.ndarray] = []
    for table, vc, depth in zip(tables, vcs, depths, strict=True):
        own = [table.ports]
        for _ in range(1, count):
            own.append(_best(routing.channels, topology, own, vc, depth, orders, draws))
        ports += own
    repeated = [table.virtual_channels for table in tables for _ in range(count)]
    levels = tuple(own for own in repeated[1:] if own is not None)
    choice = Layers(tuple(ports[1:]), levels if len(levels) == len(repeated) - 1 else None, by_host=True)
    made = replace(
        routing,
        topology=wide,
        ports=ports[0],
        virtual_channels=repeated[0],
        choice=choice,
        verification=None,
        compared=None,
    )
    return replace(made, verification=verify_routing(made))


def _vcs(table: Routing) -> np.ndarray:
    """The virtual channel of each pair, uint8[n, n]."""
    n = table.topology.switches
    if table.virtual_channel_rule != PAIR:
        raise InputError(f"{table.topology.name}: engine {table.engine} has no virtual channel per pair")
    return np.zeros((n, n), np.uint8) if table.virtual_channels is None else table.virtual_channels


def _steps(
    channels: Channels, table: np.ndarray, to: np.ndarray, at: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The paths of pairs, hop by hop: which pairs are still on their way, as indices, and the channel of each."""
    which, now = np.arange(to.size), at
    for _ in range(table.shape[0]):
        if not which.size:
            return
        channel = channels.first[now] + table[to[which], now]
        yield which, channel
        now = channels.to[channel]
        onward = now != to[which]
        which, now = which[onward], now[onward]


def _depths(table: Routing) -> np.ndarray:
    """The hops from each switch to each destination by the table, int32[d, s]."""
    n, topology = table.topology.switches, table.topology
    depth = np.zeros((n, n), np.int32)
    to, at = np.nonzero(~np.eye(n, dtype=bool))
    if (table.ports[to, at] >= topology.degrees[at]).any():
        raise InputError(f"{topology.name}: tables of engine {table.engine} do not reach every switch")
    for which, _ in _steps(table.channels, table.ports, to, at):
        depth[to[which], at[which]] += 1
    if depth.max(initial=0) >= n:
        raise InputError(f"{topology.name}: tables of engine {table.engine} send packets in a circle")
    return depth


def _loads(channels: Channels, topology: Topology, table: np.ndarray) -> np.ndarray:
    """Pairs of host ports over each channel, if all hosts of a switch use this table, float64[2 m]."""
    hosts, carries = np.maximum(topology.endpoints_at, 1), carriers_of(topology)
    to, at = np.nonzero(carries[:, None] & carries[None, :] & ~np.eye(carries.size, dtype=bool))
    weight, load = hosts[to] * hosts[at], np.zeros(channels.to.size)
    for which, channel in _steps(channels, table, to, at):
        load += np.bincount(channel, weight[which], load.size)
    return load


def _orders(routing: Routing, ports: list[np.ndarray], vcs: list[np.ndarray], depths: list[np.ndarray]) -> np.ndarray:
    """The virtual channels in whose order each turn leads upwards, as bits, uint16[turns]."""
    topology, channels = routing.topology, routing.channels
    turn_row, carries = turn_rows(channels), carriers_of(topology)
    used = np.zeros(int(channels.turn_first[-1]), np.uint16)
    for table, vc, depth in zip(ports, vcs, depths, strict=True):
        to, at = np.nonzero((depth > 1) & carries[None, :] & carries[:, None])
        bit, before = np.uint16(1) << vc[to, at].astype(np.uint16), np.full(to.size, -1)
        for which, channel in _steps(channels, table, to, at):
            on = which[before[which] >= 0]
            link = channel - channels.first[channels.origin[channel]]
            np.bitwise_or.at(used, turn_row[before[on]] + link[before[which] >= 0], bit[on])
            before[which] = channel
    # All turns as pairs of channels: into a switch, and out of it.
    into = np.repeat(channels.back, np.diff(channels.first)[channels.origin])
    degrees = np.diff(channels.first)
    out = np.concatenate(
        [np.tile(np.arange(channels.first[s], channels.first[s + 1]), degrees[s]) for s in range(degrees.size)]
    )
    upwards = np.zeros(used.size, np.uint16)
    for number in range(MOST_VIRTUAL_CHANNELS):
        chosen = (used >> np.uint16(number) & 1) > 0
        if not any((vc == number).any() for vc in vcs):
            continue
        place = _places(into[chosen], out[chosen], channels.to.size)
        if place is None:
            raise InputError(
                f"{topology.name}: tables of engine {routing.engine} can deadlock in virtual channel {number}; several paths"
                " need tables without a cycle"
            )
        upwards[place[into] < place[out]] |= np.uint16(1 << number)
    return upwards


def _places(before: np.ndarray, after: np.ndarray, size: int) -> np.ndarray | None:
    """A number for each of `size` channels that rises from `before` to `after`, int64[size]; None: there is a cycle."""
    level = np.zeros(size, np.int64)
    waiting = np.bincount(after, minlength=size)
    ready, placed = np.flatnonzero(waiting == 0), 0
    order = np.argsort(before, kind="stable")
    first = np.searchsorted(before[order], np.arange(size + 1))
    while ready.size:
        level[ready] = placed + np.arange(ready.size)
        placed += ready.size
        counts = first[ready + 1] - first[ready]
        edges = np.repeat(first[ready] - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
        heads = after[order[edges]]
        np.subtract.at(waiting, heads, 1)
        heads = np.unique(heads)
        ready = heads[waiting[heads] == 0]
    return level if placed == size else None


def _best(
    channels: Channels,
    topology: Topology,
    tables: list[np.ndarray],
    vc: np.ndarray,
    depth: np.ndarray,
    upwards: np.ndarray,
    draws: Draws,
) -> np.ndarray:
    """Of several further tables, for each destination the one in which most switches use a port of no earlier table."""
    carries, new = carriers_of(topology), np.full(topology.switches, -1)
    best = tables[0].copy()
    load = np.sum([_loads(channels, topology, table) for table in tables], axis=0)
    load = load / max(1.0, float(load.max(initial=0.0)))
    for _ in range(_ATTEMPTS):
        table = _another(channels, topology, tables[0], tables, vc, depth, upwards, load, draws)
        fresh = np.all([table != earlier for earlier in tables], axis=0)[:, carries].sum(axis=1)
        better = fresh > new
        best[better], new[better] = table[better], fresh[better]
    return best


def _another(
    channels: Channels,
    topology: Topology,
    given: np.ndarray,
    earlier: list[np.ndarray],
    vc: np.ndarray,
    depth: np.ndarray,
    upwards: np.ndarray,
    load: np.ndarray,
    draws: Draws,
) -> np.ndarray:
    """Another table, whose turns lead upwards in the virtual channel of every pair.

    Every switch sends to a neighbour that is nearer to the destination in a network without a random share of the links, so
    that paths differ from those of `given`. Where no port is left that keeps the order, the path of `given` is
    taken as a whole.

    Parameters
    ----------
    channels : Channels
    topology : Topology
    given : uint8 or uint16[n, n]
        The table of the first paths.
    earlier : list of uint8 or uint16[n, n]
        The tables so far: their ports are avoided.
    vc, depth : uint8[n, n], int32[n, n]
        The virtual channel of each pair, and the hops of its first path.
    upwards : uint16[turns]
        As `_orders` returns it.
    load : float64[2 m]
        The load of each channel by the tables so far, as a share of the highest.
    draws : Draws
    """
    n, turn_row, carries = topology.switches, turn_rows(channels), carriers_of(topology)
    away = _distances(topology, draws)
    away[away < 0] = _FAR
    taste = draws.uniform(n * n).reshape(n, n)
    carried = carries[:, None] & carries[None, :]
    need = np.where(carried, np.uint16(1) << vc.astype(np.uint16), np.uint16(0))
    fixed = (away == _FAR) | np.eye(n, dtype=bool)
    to, at = np.nonzero(away == _FAR)
    while True:
        # These pairs keep their first paths: so do all switches on them.
        while to.size:
            fixed[to, at] = True
            at = channels.to[channels.first[at] + given[to, at]]
            to, at = to[at != to], at[at != to]
        table, allowed, hops = given.copy(), np.zeros((n, n), np.uint16), np.where(np.eye(n, dtype=bool), 0, _FAR)
        for level in range(1, int(depth.max(initial=0)) + 1):
            to, at = np.nonzero(fixed & (depth == level))
            channel = channels.first[at] + given[to, at]
            allowed[to, at] = _onward(channels, turn_row, table, allowed, upwards, to, channel)
            hops[to, at] = level
        lost_to, lost_at = [], []
        for level in range(1, int(away[~fixed].max(initial=0)) + 1):
            to, at = np.nonzero(~fixed & (away == level))
            best = np.full(to.size, np.inf)
            port, mask, length = np.zeros(to.size, np.int64), np.zeros(to.size, np.uint16), np.zeros(to.size, np.int64)
            for link in range(int(topology.degrees.max(initial=0))):
                some = np.flatnonzero(link < topology.degrees[at])
                beyond = channels.to[channels.first[at[some]] + link]
                nearer = fixed[to[some], beyond] | (away[to[some], beyond] < level)
                more = hops[to[some], beyond] + 1 - depth[to[some], at[some]]
                some = some[nearer & (more <= _LONGER)]
                channel = channels.first[at[some]] + link
                onward = _onward(channels, turn_row, table, allowed, upwards, to[some], channel)
                reached = hops[to[some], channels.to[channel]] + 1
                cost = 0.2 * ((taste[to[some], at[some]] + 0.618 * link) % 1.0) + 0.5 * load[channel]
                cost += 0.25 * (reached - depth[to[some], at[some]])
                for other in earlier:
                    cost += other[to[some], at[some]] == link
                wanted = need[to[some], at[some]]
                good = ((onward & wanted) == wanted) & (cost < best[some])
                chosen = some[good]
                best[chosen], port[chosen], mask[chosen], length[chosen] = cost[good], link, onward[good], reached[good]
            lost = np.isinf(best)
            table[to[~lost], at[~lost]] = port[~lost]
            allowed[to[~lost], at[~lost]], hops[to[~lost], at[~lost]] = mask[~lost], length[~lost]
            lost_to.append(to[lost])
            lost_at.append(at[lost])
        to, at = np.concatenate([*lost_to, np.empty(0, int)]), np.concatenate([*lost_at, np.empty(0, int)])
        if not to.size:
            return table


def _onward(
    channels: Channels,
    turn_row: np.ndarray,
    table: np.ndarray,
    allowed: np.ndarray,
    upwards: np.ndarray,
    to: np.ndarray,
    channel: np.ndarray,
) -> np.ndarray:
    """The virtual channels, as bits, in which the path over a channel and then by the table leads upwards, uint16[k]."""
    beyond = channels.to[channel]
    last = beyond == to
    turn = turn_row[channel] + np.where(last, 0, table[to, beyond])
    return np.where(last, np.iinfo(np.uint16).max, allowed[to, beyond] & upwards[turn]).astype(np.uint16)


def _distances(topology: Topology, draws: Draws) -> np.ndarray:
    """The distances [d, s] in the network without a random share of its links; -1: none."""
    usable = draws.uniform(len(topology.links)) < _SHARE
    part = Topology(links=topology.links[usable], switches=topology.switches)
    return distances_from(part, np.arange(topology.switches), 1).astype(np.int64)
