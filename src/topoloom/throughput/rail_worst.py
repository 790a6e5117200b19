"""The permutation of hosts with ports on several rails, or with several tables, that the tables serve worst."""

from collections.abc import Sequence

import numpy as np

from topoloom.core.work import Work
from topoloom.model.capacities import channel_capacities
from topoloom.routing.routing import Routing
from topoloom.throughput.rails import Rails
from topoloom.throughput.traffic.worst import Worst

#: Most entries of the list of paths: (rail, source, destination, table) by hops; and most channels whose matching is solved.
_MOST_PATHS, _MOST_MATCHINGS = 20_000_000, 256
#: Most entries of one matching: hosts that send over a channel times hosts that receive over it.
_MOST_PAIRS = 4_000_000
#: Loads that differ by less are equal.
_EPSILON = 1e-9


def worst_on_rails(rails: Rails, routings: Sequence[Routing], work: Work) -> Worst | None:
    """Return the permutation of the hosts with the greatest channel load, where port r of a host sends to port r of another.

    For each channel the worst permutation is a heaviest matching of hosts: the weight of a pair is the number of rails whose
    path crosses the channel (where rates differ, the lower rate of its two ports, as a share of the channel's rate). Bounds of
    these matchings, from the ports that can send and receive over a channel, leave few matchings to solve.

    Parameters
    ----------
    rails : Rails
    routings : sequence of Routing
        The tables of the rails, complete and without choices.
    work : Work
        Can stop the search.

    Returns
    -------
    Worst or None
        `partner` is a permutation of the hosts in the order of `rails.ports`. None if the network is too large for an exact
        result.

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    paths = _paths(rails, routings)
    if paths is None:
        return None
    channel, rail, source, destination, table = paths
    hosts = len(rails.ports)
    if not channel.size:
        return Worst(0, (-1, -1), np.arange(hosts))
    at = rails.topology.endpoints[rails.ports].astype(np.int64)
    tables_of = rails.table[rails.ports]
    rates = np.stack([_ones(rails.rate(each), hosts) for each in range(rails.count)], axis=1)
    capacity = _ones(channel_capacities(rails.topology), 2 * len(rails.topology.links))
    # What all ports that can send over a channel may send, and what those that receive over it may receive.
    n, count = rails.topology.switches, rails.count
    sent = np.bincount((at * count + np.arange(count)).ravel(), rates.ravel(), n * count)
    received = np.bincount(
        ((at * rails.tables + tables_of) * count + np.arange(count)).ravel(), rates.ravel(), n * rails.tables * count
    )
    senders = np.unique(np.stack([channel, source * count + rail], axis=1), axis=0)
    receivers = np.unique(np.stack([channel, (destination * rails.tables + table) * count + rail], axis=1), axis=0)
    bound = np.minimum(
        np.bincount(senders[:, 0], sent[senders[:, 1]], capacity.size),
        np.bincount(receivers[:, 0], received[receivers[:, 1]], capacity.size),
    )
    bound /= capacity
    order = np.argsort(channel, kind="stable")
    first = np.searchsorted(channel[order], np.arange(capacity.size + 1))
    hosts_at = [
        {switch: np.flatnonzero(at[:, each] == switch) for switch in np.unique(at[:, each]).tolist()}
        for each in range(count)
    ]
    best = Worst(0, (-1, -1), np.arange(hosts))
    solved = 0
    for number in np.argsort(-bound, kind="stable").tolist():
        if bound[number] <= best.load + _EPSILON:
            return best
        work.check()
        weights = np.zeros((hosts, hosts)) if hosts**2 <= _MOST_PAIRS else None
        if weights is None or solved == _MOST_MATCHINGS:
            return None
        for path in order[first[number] : first[number + 1]].tolist():
            each = int(rail[path])
            to = hosts_at[each][int(destination[path])]
            to = to[tables_of[to, each] == table[path]]
            by = hosts_at[each][int(source[path])]
            weights[np.ix_(by, to)] += np.minimum(rates[by, each][:, None], rates[to, each][None, :])
        if min(weights.max(axis=1).sum(), weights.max(axis=0).sum()) / capacity[number] <= best.load + _EPSILON:
            continue
        solved += 1
        load, partner = _heaviest(weights)
        if load / capacity[number] > best.load + _EPSILON:
            ends = int(routings[0].channels.origin[number]), int(routings[0].channels.to[number])
            load /= capacity[number]
            best = Worst(load if rails.topology.mixed else round(load), ends, partner)
    return best


def _ones(values: np.ndarray | None, count: int) -> np.ndarray:
    """The values as float64, or ones where all are equal."""
    return np.ones(count) if values is None else np.asarray(values, float)


def _paths(rails: Rails, routings: Sequence[Routing]) -> tuple[np.ndarray, ...] | None:
    """The channels of every path: (channel, rail, source, destination, table), int64 each; None if there are too many."""
    channels, at = routings[0].channels, rails.topology.endpoints[rails.ports].astype(np.int64)
    wanted: list[np.ndarray] = []
    for rail in range(rails.count):
        sources = np.unique(at[:, rail])
        goals = np.unique(np.stack([at[:, rail], rails.table[rails.ports[:, rail]]], axis=1), axis=0)
        if sum(len(each) for each in wanted) + sources.size * len(goals) > _MOST_PATHS // 4:
            return None
        number, goal = np.divmod(np.arange(sources.size * len(goals)), len(goals))
        wanted.append(np.stack([np.full(number.size, rail), sources[number], *goals[goal].T], axis=1))
    rail, source, destination, table = np.concatenate(wanted).T
    ports = np.stack([routing.ports for routing in routings])
    position, steps, taken = source.copy(), [], 0
    alive = np.flatnonzero(position != destination)
    while alive.size:
        taken += alive.size
        if taken > _MOST_PATHS:
            return None
        out = channels.first[position[alive]] + ports[table[alive], destination[alive], position[alive]]
        steps.append(np.stack([out, rail[alive], source[alive], destination[alive], table[alive]]))
        position[alive] = channels.to[out]
        alive = alive[position[alive] != destination[alive]]
    return tuple(np.concatenate(steps, axis=1).astype(np.int64)) if steps else tuple(np.empty((5, 0), np.int64))


def _heaviest(weights: np.ndarray) -> tuple[float, np.ndarray]:
    """The weight of the heaviest matching, and a permutation that contains it."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = np.flatnonzero(weights.any(axis=1)), np.flatnonzero(weights.any(axis=0))
    own = weights[np.ix_(rows, columns)]
    chosen, partners = linear_sum_assignment(own, maximize=True)
    counted = own[chosen, partners] > 0
    partner = np.full(len(weights), -1)
    partner[rows[chosen[counted]]] = columns[partners[counted]]
    partner[partner < 0] = np.setdiff1d(np.arange(len(weights)), partner)
    return float(own[chosen, partners].sum()), partner
