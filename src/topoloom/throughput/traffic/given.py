"""Traffic that is given in numbers: a matrix of hosts, rates of hosts, a part of the hosts; and amounts between switches as
traffic between their hosts.
"""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.throughput.traffic.making import check_places, host_rates, host_switches, lists_of
from topoloom.throughput.traffic.traffic import LISTS, Traffic


def hosts_matrix(topology: Topology, demand: np.ndarray, name: str = "matrix") -> Traffic:
    """Return any traffic between hosts, given as a matrix.

    Parameters
    ----------
    topology : Topology
    demand : float64[hosts, hosts]
        demand[s, d] is what host s sends to host d at load 1, in multiples of the network's lowest rate; hosts are in the order
        of `Topology.endpoints`. A host of which the row is 0 sends nothing.
    name : str
        A name for messages and labels.

    Returns
    -------
    Traffic
        Traffic with lists (LISTS), their weights, and the pace of each host.

    Raises
    ------
    InputError
        A matrix of another shape, with a negative or infinite entry, or without any traffic.

    Examples
    --------
    >>> pair = Topology(links=[(0, 1)], switches=2, endpoints=[0, 0, 1])
    >>> traffic = hosts_matrix(pair, np.array([[0, 0.25, 0.25], [0, 0, 1], [0, 0, 0]]))
    >>> traffic.to.tolist(), traffic.pace.tolist(), traffic.amounts.tolist()
    ([1, 2, 2], [0.5, 1.0, 0.0], [0.25, 0.25, 1.0])
    """
    switch, rate = host_switches(topology), host_rates(topology)
    amounts = np.asarray(demand, np.float64)
    if amounts.shape != (switch.size, switch.size):
        shape = " x ".join(map(str, amounts.shape))
        raise InputError(
            f"{topology.name}: the traffic matrix is {shape}; between hosts it must be {switch.size} x {switch.size}"
        )
    if not np.isfinite(amounts).all() or (amounts < 0).any():
        row, column = np.argwhere(~(np.isfinite(amounts) & (amounts >= 0)))[0].tolist()
        raise InputError(
            f"{topology.name}: the traffic matrix has {amounts[row, column]:g} from host {row} to host {column}; every entry"
            " must be a finite number of at least 0"
        )
    if not amounts.any():
        raise InputError(f"{topology.name}: the traffic matrix is all 0; at least one host must send")
    sender, to = np.nonzero(amounts)
    check_places(name, sender.size)
    first, listed = lists_of(sender, to, switch.size)
    pace = amounts.sum(axis=1) / (1.0 if rate is None else rate)
    return Traffic(
        name, switch, topology.switches, LISTS, first, listed, rate=rate, weights=amounts[sender, to], pace=pace
    )


def with_host_rates(traffic: Traffic, rates: np.ndarray, name: str | None = None) -> Traffic:
    """Return traffic of which each host sends at a pace of its own.

    Parameters
    ----------
    traffic : Traffic
        Between hosts; destinations stay as they are.
    rates : float64[hosts]
        What each host sends at load 1, as a share of what it sends otherwise.
    name : str, optional

    Returns
    -------
    Traffic

    Raises
    ------
    InputError
        Rates of another shape, negative or infinite ones, or none above 0; traffic between switches.

    Examples
    --------
    >>> from topoloom.throughput.traffic.making import host_permutation
    >>> pair = host_permutation(Topology(links=[(0, 1)], switches=2, endpoints=[0, 1]), [1, 0])
    >>> with_host_rates(pair, np.array([1.0, 0.25])).amounts.tolist()
    [1.0, 0.25]
    """
    own = np.asarray(rates, np.float64)
    if own.shape != (traffic.hosts,):
        raise InputError(f"{traffic.name}: rates of shape {own.shape} for {traffic.hosts} hosts; give one per host")
    if not np.isfinite(own).all() or (own < 0).any():
        wrong = int(np.flatnonzero(~(np.isfinite(own) & (own >= 0)))[0])
        raise InputError(
            f"{traffic.name}: rate {own[wrong]:g} of host {wrong}; it must be a finite number of at least 0"
        )
    if not traffic.by_host:
        raise InputError(f"{traffic.name}: has amounts between switches; rates of hosts need a pattern between hosts")
    pace = own if traffic.pace is None else own * traffic.pace
    changed = replace(traffic, pace=pace, name=traffic.name if name is None else name)
    if not changed.senders.any():
        raise InputError(f"{traffic.name}: no host sends; at least one that sends must have a rate above 0")
    return changed


def of_hosts(topology: Topology, traffic: Traffic, chosen: np.ndarray, name: str) -> Traffic:
    """Return traffic between some hosts of a network as traffic of the network; its other hosts are silent.

    Parameters
    ----------
    topology : Topology
    traffic : Traffic
        Of a network with the chosen hosts alone; between hosts.
    chosen : int64[k]
        The hosts, ascending.
    name : str

    Returns
    -------
    Traffic
        With lists (LISTS).

    Raises
    ------
    InputError
        Too many pairs of hosts, or traffic between switches.
    """
    if not traffic.by_host:
        raise InputError(f"{name}: {traffic.name} has amounts between switches; use a pattern between hosts")
    hosts, to, weights, pace = traffic.hosts, traffic.to, traffic.weights, None
    sender = np.repeat(np.arange(hosts), np.diff(traffic.first) if traffic.first.size else 0)
    if traffic.kind != LISTS or traffic.share < 1:
        # To any host, or a part of it: a list of all others, which adds to the lists that there are.
        check_places(name, hosts * (hosts - 1) + sender.size)
        any_sender, any_to = np.nonzero(~np.eye(hosts, dtype=np.bool_))
        listed = np.ones(sender.size) if weights is None else weights
        own = np.bincount(sender, listed, hosts)
        share = traffic.share if traffic.kind == LISTS else 0.0
        rest = np.full(any_sender.size, (1.0 - share) / (hosts - 1))
        weights = np.concatenate([share * listed / own[sender], rest])
        sender, to = np.concatenate([sender, any_sender]), np.concatenate([to, any_to])
        keep = np.take(traffic.senders, sender) & (weights > 0)
        sender, to, weights = sender[keep], to[keep], weights[keep]
        order = np.argsort(sender, kind="stable")
        weights = weights[order]
    everyone = host_switches(topology)
    first, listed_to = lists_of(chosen[sender], chosen[to], everyone.size)
    if traffic.pace is not None:
        pace = np.zeros(everyone.size)
        pace[chosen] = traffic.pace
    rate = host_rates(topology)
    return Traffic(name, everyone, topology.switches, LISTS, first, listed_to, rate=rate, weights=weights, pace=pace)


def between_hosts(traffic: Traffic) -> Traffic:
    """Return amounts between switches as traffic between their hosts; traffic between hosts is returned as it is.

    The hosts of a switch send what the switch sends in proportion to their rates, and receive it so; a host sends nothing to
    itself unless it is the only one of its switch.

    Parameters
    ----------
    traffic : Traffic

    Returns
    -------
    Traffic
        With lists (LISTS), weights and paces, unless it is between hosts already.

    Raises
    ------
    InputError
        Too many pairs of hosts.
    """
    if traffic.by_host:
        return traffic
    demand, hosts, switch = traffic.dense(), traffic.hosts, traffic.switch
    if traffic.matrix is not None:
        demand[np.diag_indices(traffic.switches)] = np.diag(traffic.matrix)
    check_places(traffic.name, int(traffic.hosts_at @ (demand > 0) @ traffic.hosts_at))
    rate = np.ones(hosts) if traffic.rate is None else traffic.rate
    part = rate / traffic.offered_at[switch]
    first, to, weights = np.zeros(hosts + 1, np.int64), list[np.ndarray](), list[np.ndarray]()
    for host in range(hosts):
        amounts = demand[switch[host], switch] * part
        own = amounts[host]
        if own and traffic.hosts_at[switch[host]] > 1:
            mates = switch == switch[host]
            mates[host] = False
            amounts[mates] += own * part[mates] / part[mates].sum()
            amounts[host] = 0.0
        listed = np.flatnonzero(amounts)
        to.append(listed.astype(np.int32))
        weights.append(amounts[listed])
        first[host + 1] = first[host] + listed.size
    pace = demand.sum(axis=1)[switch] / traffic.offered_at[switch]
    return Traffic(
        traffic.name,
        switch.copy(),
        traffic.switches,
        LISTS,
        first,
        np.concatenate(to),
        rate=traffic.rate,
        weights=np.concatenate(weights),
        pace=pace,
    )


def shares_up_to(traffic: Traffic) -> np.ndarray:
    """Return the share of a sender's packets that go to each entry of its list or one before it, float64[k]; empty where all
    entries are equal.

    Parameters
    ----------
    traffic : Traffic

    Returns
    -------
    float64[k]

    Examples
    --------
    >>> pair = Topology(links=[(0, 1)], switches=2, endpoints=[0, 0, 1])
    >>> shares_up_to(hosts_matrix(pair, np.array([[0, 0.25, 0.75], [0, 0, 1], [0, 0, 0]]))).tolist()
    [0.25, 1.0, 1.0]
    """
    if traffic.weights is None:
        return np.zeros(0)
    sums = np.cumsum(traffic.weights)
    count = np.diff(traffic.first)
    begin = np.repeat(np.concatenate([[0.0], sums])[traffic.first[:-1]], count)
    total = np.bincount(np.repeat(np.arange(traffic.hosts), count), traffic.weights, traffic.hosts)
    return np.asarray(np.minimum((sums - begin) / np.repeat(total, count), 1.0))
