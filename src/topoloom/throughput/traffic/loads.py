"""The load of every channel when given tables carry a traffic, and the throughput that follows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.model.capacities import capacities, channel_capacities
from topoloom.routing.choices import AnyShortest, Escape, Layers, NextHopGroups
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.routing.routing import Routing
from topoloom.throughput.traffic.traffic import Traffic

#: The fixed number of partial sums, so that results do not depend on the threads; destinations per call of a kernel.
_SUMS, _BLOCK = 16, 32


@dataclass(frozen=True, eq=False)
class Loads:
    """The load of every channel when every host sends at its full rate.

    Attributes
    ----------
    channels : float64[2 m]
        In units (the rate of a link, or the lowest rate where rates differ), in the order of `Routing.channels`.
    host_limit : float
        The share of the traffic that the links of the hosts allow: 1 for uniform traffic and permutations.
    capacity : float64[2 m] or None
        The capacity of each channel in units; None: one unit each.
    """

    channels: np.ndarray
    host_limit: float
    capacity: np.ndarray | None = None

    @property
    def shares(self) -> np.ndarray:
        """The load of every channel as a share of its own rate, float64[2 m]."""
        return self.channels if self.capacity is None else self.channels / self.capacity

    @property
    def greatest(self) -> float:
        """The maximum channel load, as a share of the channel's rate."""
        return float(self.shares.max(initial=0.0))

    @property
    def network(self) -> float:
        """The share that the channels between switches allow: 1 / greatest; it may exceed 1."""
        return 1.0 / self.greatest if self.greatest else float("inf")

    @property
    def throughput(self) -> float:
        """The share of the traffic that gets through, all of it scaled equally: the limit of channels and hosts' links."""
        return min(self.network, self.host_limit)


def expected_loads(routing: Routing, traffic: Traffic, jobs: int | None = None, *, work: Work | None = None) -> Loads:
    """Return the expected loads of a traffic: along the tables, or split evenly at every switch where packets may choose.

    Where packets take any shortest path (`AnyShortest`, `Escape`), each switch splits the traffic to a destination evenly over
    its channels on shortest paths, as equal-cost groups with many flows do, and in proportion to their rates where these differ
    (weighted ECMP); a choice by queue lengths does no worse for even traffic. Next-hop groups (`NextHopGroups`) split evenly
    over their members. Over layers of tables (`Layers`) traffic is spread evenly; where each host of a switch has its own
    table, the switch's traffic is shared among its hosts. Detours depend on queues, so that no such loads are defined.

    Parameters
    ----------
    routing : Routing
    traffic : Traffic
        Traffic of the same network.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional
        Checked for a stop between blocks of 32 destinations.

    Raises
    ------
    InputError
        Packets choose detours; or as `table_loads`.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> from topoloom.throughput.traffic import uniform_remote
    >>> tree = build("fat-tree:k=4")
    >>> round(expected_loads(route(tree, "ecmp"), uniform_remote(tree)).throughput, 6)
    1.0
    """
    if routing.choice is None:
        return table_loads(routing, traffic, jobs, work=work)
    if isinstance(routing.choice, Layers):
        return _layer_loads(routing, routing.choice, traffic, jobs, work)
    if isinstance(routing.choice, NextHopGroups):
        return _group_loads(routing, routing.choice, traffic, jobs, work)
    if not isinstance(routing.choice, AnyShortest | Escape):
        raise InputError(
            f"{routing.topology.name}: engine {routing.engine} chooses paths by queues, so that its loads are known only from a"
            " simulation; simulate it, or measure an engine of tables, of layers or of shortest paths"
        )
    from topoloom.throughput.traffic.kernels.even_split import add_split

    channels, capacity = routing.channels, channel_capacities(routing.topology)

    def add(begin: int, demand: np.ndarray, load: np.ndarray) -> int:
        return int(add_split(channels.first, channels.to, capacity, begin, demand, load))

    return _summed(routing, traffic, add, jobs, work)


def table_loads(routing: Routing, traffic: Traffic, jobs: int | None = None, *, work: Work | None = None) -> Loads:
    """Return the loads of a traffic along the tables, every pair along its single path.

    Parameters
    ----------
    routing : Routing
    traffic : Traffic
        Traffic of the same network.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional
        Checked for a stop between blocks of 32 destinations.

    Raises
    ------
    InputError
        Incomplete tables; traffic of another network.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> from topoloom.throughput.traffic import uniform_remote
    >>> routed = route(build("complete:n=4"))
    >>> table_loads(routed, uniform_remote(routed.topology)).network
    3.0
    """
    from topoloom.throughput.traffic.kernels.tree_walk import add_loads

    channels = routing.channels

    def add(begin: int, demand: np.ndarray, load: np.ndarray) -> int:
        return int(add_loads(channels.first, channels.to, routing.ports, begin, demand, load))

    return _summed(routing, traffic, add, jobs, work)


def _group_loads(
    routing: Routing, groups: NextHopGroups, traffic: Traffic, jobs: int | None, work: Work | None
) -> Loads:
    """Return the loads when every next-hop group splits evenly over its members."""
    from topoloom.routing.verification.kernels.groups import add_group_loads

    channels = routing.channels
    members = groups.group, groups.first, groups.port, groups.next_state
    dead, lost = np.zeros(channels.to.size, np.bool_), np.zeros(0)

    def add(begin: int, demand: np.ndarray, load: np.ndarray) -> int:
        return int(add_group_loads(channels.first, channels.to, *members, begin, demand, dead, load, lost))

    return _summed(routing, traffic, add, jobs, work)


def loads_with_losses(
    routing: Routing,
    traffic: Traffic,
    links: np.ndarray,
    switches: np.ndarray,
    jobs: int | None = None,
    *,
    work: Work | None = None,
) -> tuple[Loads, float]:
    """Return the loads of what next-hop groups deliver when links and switches are lost, and the share that they lose.

    Parameters
    ----------
    routing : Routing
        With next-hop groups (`next_hop_groups_of`), which still have the lost links as members, or have them no longer
        (`topoloom.routing.groups.withdrawing.withdrawn`): a group without members drops what reaches it.
    traffic : Traffic
        Traffic of the same network.
    links, switches : bool[m], bool[n]
        Lost. Traffic from and to lost switches does not count.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional

    Returns
    -------
    Loads, float
        A channel before the loss carries what reaches it, also of traffic that is lost later on; in 0 .. 1, 0 without traffic.

    Raises
    ------
    InputError
        Some traffic circulates; traffic of another network; no next-hop groups.
    Stopped
        `work` was stopped.
    """
    from topoloom.routing.verification.kernels.groups import add_group_loads

    groups, channels, n = next_hop_groups_of(routing), routing.channels, routing.topology.switches
    members = groups.group, groups.first, groups.port, groups.next_state
    dead = np.asarray(links, np.bool_)[routing.topology.csr[2]]
    gone = np.asarray(switches, np.bool_)
    sent, lost = np.zeros(n), np.zeros(n)

    def add(begin: int, demand: np.ndarray, load: np.ndarray) -> int:
        end = begin + len(demand)
        left = np.where(gone | gone[begin:end, None], 0.0, demand)
        left[np.arange(end - begin), np.arange(begin, end)] = 0.0  # within a switch, nothing is lost
        sent[begin:end] = left.sum(axis=1)
        return int(add_group_loads(channels.first, channels.to, *members, begin, left, dead, load, lost[begin:end]))

    loads = _summed(routing, traffic, add, jobs, work)
    return loads, float(lost.sum() / sent.sum()) if sent.any() else 0.0


def _layer_loads(routing: Routing, choice: Layers, traffic: Traffic, jobs: int | None, work: Work | None) -> Loads:
    """Return the loads when traffic is spread evenly over the layers that a pair may use, or over the hosts of a switch.

    Parameters
    ----------
    routing : Routing
    choice : Layers
        The layers of `routing`.
    traffic : Traffic
    jobs : int or None
    work : Work or None
    """
    from topoloom.throughput.traffic.kernels.tree_walk import add_loads

    channels, tables = routing.channels, (routing.ports, *choice.ports)
    bits = np.arange(len(tables))
    by_host = _shares_of_hosts(routing) if choice.by_host else None

    def add(begin: int, demand: np.ndarray, load: np.ndarray) -> int:
        if by_host is not None:
            shares = by_host[:, begin : begin + len(demand), None]
        elif choice.allowed is None:
            shares = np.broadcast_to(1.0 / len(tables), (len(tables), *demand.shape))
        else:
            takes = choice.allowed[begin : begin + len(demand)] >> bits[:, None, None] & 1
            shares = takes / np.maximum(takes.sum(axis=0), 1)
        lost = -1
        for ports, share in zip(tables, shares, strict=True):
            lost = max(lost, int(add_loads(channels.first, channels.to, ports, begin, demand * share, load)))
        return lost

    return _summed(routing, traffic, add, jobs, work)


def _shares_of_hosts(routing: Routing) -> np.ndarray:
    """Return the share of a switch's hosts, by their rates, that each layer leads to, float64[layers, n].

    A switch without hosts counts as table 0. The addresses of a host have equal shares.
    """
    topology = routing.topology
    shares = np.zeros((len(routing.host_tables), topology.switches))
    np.add.at(shares, (routing.layer_of_ports, topology.endpoints), capacities(topology).ports)
    shares[0, topology.endpoints_at == 0] = 1.0
    return np.repeat(shares / shares.sum(axis=0) / routing.paths, routing.paths, axis=0)


def _summed(
    routing: Routing,
    traffic: Traffic,
    add_some: Callable[[int, np.ndarray, np.ndarray], int],
    jobs: int | None,
    work: Work | None,
) -> Loads:
    """Return the sum of the loads over blocks of destinations.

    Parameters
    ----------
    routing : Routing
    traffic : Traffic
    add_some : callable (begin, demand float64[k, n], load float64[2 m]) to int
        Adds the loads of the traffic to switches begin .. begin + k - 1; returns the first that is not reached, or -1.
    jobs : int or None
    work : Work or None
    """
    n, channels = routing.topology.switches, routing.channels
    if traffic.switches != n:
        raise InputError(
            f"{routing.topology.name}: the traffic is for {traffic.switches} switches, but the tables have {n}"
        )
    sums = np.zeros((min(_SUMS, n), channels.to.size))

    work = Work() if work is None else work
    work.begin(len(sums), "parts of the tables")

    def add(numbers: Iterator[int]) -> None:
        for number in numbers:
            low, high = number * n // len(sums), (number + 1) * n // len(sums)
            for begin in range(low, high, _BLOCK):
                if work.stopped:
                    return
                demand = traffic.demand_to(begin, min(high, begin + _BLOCK))
                incomplete(routing, add_some(begin, demand, sums[number]))

    over_cores(add, len(sums), jobs, work)
    work.check()
    return Loads(sums.sum(axis=0), traffic.host_limit, channel_capacities(routing.topology))


def incomplete(routing: Routing, destination: int) -> None:
    """Refuse tables when `destination` is a switch that some traffic does not reach; -1 means that all is well."""
    if destination >= 0:
        raise InputError(
            f"{routing.topology.name}: the tables of engine '{routing.engine}' do not lead from every switch with"
            f" hosts to switch {destination}; `verify_routing` reports where they end"
        )
