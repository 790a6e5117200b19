"""Hosts with ports on several switches of one network: the traffic of each rail, and how the tables split it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.graph.host_ports import ports_by_host
from topoloom.model.capacities import capacities, channel_capacities
from topoloom.model.topology import Topology
from topoloom.routing.routing import Routing
from topoloom.throughput.bisections import Bisections
from topoloom.throughput.traffic import LISTS, REMOTE, Traffic, matrix, traffic_of
from topoloom.throughput.traffic.finite import Loop, Trace
from topoloom.throughput.traffic.loads import Loads, expected_loads
from topoloom.throughput.traffic.making import paired
from topoloom.throughput.tub import Tub, hops_between, total_capacity

#: Bisections per task of a thread.
_BLOCK = 8


@dataclass(frozen=True, eq=False)
class Rails:
    """The rails of a network: port r of a host sends only to port r of every other host.

    Attributes
    ----------
    topology : Topology
        A connected network; all hosts have the same number of ports.
    ports : int32[hosts, rails]
        The endpoint of each host on each rail; hosts are in the order of their first ports.
    table : int64[endpoints]
        The number of the table that leads to each endpoint.
    tables : int
        The number of tables.
    """

    topology: Topology
    ports: np.ndarray
    table: np.ndarray
    tables: int

    @property
    def count(self) -> int:
        """The number of rails."""
        return int(self.ports.shape[1])

    def switch(self, rail: int) -> np.ndarray:
        """The switch of each host on a rail, int64[hosts]."""
        return np.asarray(self.topology.endpoints[self.ports[:, rail]], np.int64)

    def rate(self, rail: int) -> np.ndarray | None:
        """The rate of each host's port on a rail, float64[hosts] in units; None where all rates are equal."""
        return capacities(self.topology).ports[self.ports[:, rail]] if self.topology.mixed else None

    def uniform(self) -> Traffic:
        """Return uniform traffic between hosts, for `parts`: on every rail, a port sends equally to ports on other switches."""
        return Traffic("uniform", self.switch(0), self.topology.switches, REMOTE, rate=self.rate(0))

    def pattern(self, text: str, routing: Routing, seed: int) -> Traffic | Trace | Loop:
        """Return the traffic of a pattern between hosts, for `parts`; the hosts' places are those of the first rail.

        Parameters
        ----------
        text : str
            The pattern with its settings.
        routing : Routing
            Patterns that depend on tables use those between ports of the first rail.
        seed : int

        Returns
        -------
        Traffic, Trace or Loop
        """
        ports = self.ports[:, 0]
        rates = self.topology.rates_of(endpoints=ports)
        first = self.topology.replace(endpoints=self.topology.endpoints[ports], **rates)
        return traffic_of(text, replace(routing, topology=first, verification=None), seed)

    def parts(self, traffic: Traffic) -> Iterator[np.ndarray]:
        """Yield the demand between switches (float64[n, n]) of a traffic between hosts, on all rails, one matrix per table.

        Every host sends the same share of the rate of each of its ports: port r to port r.

        Raises
        ------
        InputError
            The traffic has amounts between switches.
        """
        n = self.topology.switches
        if traffic.matrix is not None:
            raise InputError(
                f"{self.topology.name}: traffic {traffic.name} has amounts between switches, but the hosts have several ports;"
                " use a pattern between hosts, or fewer active hosts"
            )
        sender = np.repeat(np.arange(traffic.hosts), np.diff(traffic.first)) if traffic.kind == LISTS else None
        on_rails = [self._on(traffic, rail) for rail in range(self.count)]
        for table in range(self.tables):
            demand = np.zeros((n, n))
            for rail, sent in enumerate(on_rails):
                uses_table = self.table[self.ports[:, rail]] == table
                if sender is None:
                    rest: np.ndarray = sent.sent_at / sent.others
                else:
                    listed = uses_table[sent.to]
                    places = sent.switch[sender[listed]], sent.switch[sent.to[listed]]
                    np.add.at(demand, places, sent.amounts[listed])
                    rest = (1.0 - sent.share) * np.bincount(sent.switch, sent.sent, n) / sent.others
                if rest.any():
                    rates = None if sent.rate is None else sent.rate[uses_table]
                    reached: np.ndarray = np.bincount(sent.switch[uses_table], rates, n)
                    demand += np.outer(rest, reached)
            np.fill_diagonal(demand, 0.0)
            yield demand

    def _on(self, traffic: Traffic, rail: int) -> Traffic:
        """Return a traffic between hosts as that of their ports on a rail."""
        return replace(traffic, switch=self.switch(rail), rate=self.rate(rail))

    def host_limit(self, traffic: Traffic) -> float:
        """Return the share of a traffic between hosts that the hosts' links allow, on the rail that allows least."""
        return min(self._on(traffic, rail).host_limit for rail in range(self.count if self.topology.mixed else 1))

    def farthest(self, jobs: int | None) -> tuple[Tub, Iterator[np.ndarray]]:
        """Return the bound of the maximal permutation, the one whose partners are farthest apart on every rail, and its parts.

        Parameters
        ----------
        jobs : int or None
            Threads for the hops.

        Returns
        -------
        Tub
            Its permutation is the identity, as each rail has its own.
        iterator of float64[n, n]
            The demand between switches for each table.
        """
        from scipy.optimize import linear_sum_assignment

        n, most = self.topology.switches, 0.0
        carriers_of_all = np.flatnonzero(self.topology.endpoints_at)
        place = np.searchsorted(carriers_of_all, np.arange(n))
        hops = hops_between(self.topology, carriers_of_all, jobs)
        pairs: list[tuple[int, int, int]] = []  # table, source and destination
        amounts: list[float] = []
        for rail in range(self.count):
            switch = self.switch(rail)
            rate = self.rate(rail)
            carriers = np.flatnonzero(np.bincount(switch, minlength=n))
            both = paired(switch, rate, n, carriers[:, None], carriers[None, :])
            volume = both * hops[np.ix_(place[carriers], place[carriers])]
            rows, columns = linear_sum_assignment(volume, maximize=True)
            most += float(volume[rows, columns].sum())
            table = self.table[self.ports[:, rail]]
            rates = np.ones(switch.size) if rate is None else rate
            order = np.argsort(-rates, kind="stable")  # hosts are paired in the order of their rates
            for source, destination in zip(carriers[rows].tolist(), carriers[columns].tolist(), strict=True):
                senders, receivers = (order[switch[order] == end] for end in (source, destination))
                for sender, receiver in zip(senders.tolist(), receivers.tolist(), strict=False):
                    pairs.append((table[receiver], source, destination))
                    amounts.append(min(rates[sender], rates[receiver]) * (source != destination))
        sent = np.array(pairs, np.int64).reshape(-1, 3), np.array(amounts)
        return Tub(2 * total_capacity(self.topology) / most if most else math.inf, np.arange(n)), self._listed(*sent)

    def _listed(self, pairs: np.ndarray, amounts: np.ndarray) -> Iterator[np.ndarray]:
        """Yield the demand of each table from pairs of switches: table, source and destination, int64[k, 3]."""
        for table in range(self.tables):
            demand = np.zeros((self.topology.switches, self.topology.switches))
            led = pairs[:, 0] == table
            np.add.at(demand, (pairs[led, 1], pairs[led, 2]), amounts[led])
            yield demand

    def permuted(self, partner: np.ndarray) -> np.ndarray:
        """Return the demand between switches (float64[n, n]) of a permutation of the hosts (in the order of `ports`)."""
        n = self.topology.switches
        demand = np.zeros((n, n))
        for rail in range(self.count):
            switch, rate = self.switch(rail), self.rate(rail)
            amounts = 1.0 if rate is None else np.minimum(rate, rate[partner])
            np.add.at(demand, (switch, switch[partner]), amounts)
        np.fill_diagonal(demand, 0.0)
        return demand

    def loads(
        self,
        routings: Sequence[Routing],
        parts: Iterator[np.ndarray] | list[np.ndarray],
        host_limit: float,
        jobs: int | None,
        work: Work,
    ) -> tuple[Loads, np.ndarray]:
        """Return the load of every channel when each table carries its part, and the sum of the parts.

        Parameters
        ----------
        routings : sequence of Routing
            The tables.
        parts : float64[n, n] for each
            The demand that each table carries.
        host_limit : float
            The share of the traffic that the hosts' links allow.
        jobs : int or None
        work : Work

        Returns
        -------
        Loads
        float64[n, n]
            The total demand by source and destination.
        """
        n = self.topology.switches
        total, channels = np.zeros((n, n)), np.zeros(2 * len(self.topology.links))
        for routing, part in zip(routings, parts, strict=True):
            channels += expected_loads(routing, matrix(self.topology, part), jobs, work=work).channels
            total += part
        return Loads(channels, host_limit, channel_capacities(self.topology)), total

    def bisections(
        self, routings: Sequence[Routing], count: int, seed: int, jobs: int | None, work: Work
    ) -> Bisections | None:
        """Return the effective bisection bandwidth (`effective_bisection`) of hosts that send on all rails at once.

        Parameters
        ----------
        routings : sequence of Routing
            Complete tables.
        count : int
            How many bisections are drawn.
        seed : int
        jobs : int or None
        work : Work

        Returns
        -------
        Bisections or None
            None for fewer than two hosts.

        Raises
        ------
        InputError
            No bisections requested.
        """
        from topoloom.throughput.kernels.rail_bisections import rail_bisections, rated_rail_bisections

        if count < 1:
            raise InputError(f"bisections={count}: at least one is needed")
        if len(self.ports) < 2:
            return None
        widest = np.result_type(*(routing.ports.dtype for routing in routings))
        tables = np.stack([routing.ports.astype(widest, copy=False) for routing in routings])
        table, switch = self.table[self.ports], self.topology.endpoints[self.ports].astype(np.int64)
        channels, shares = routings[0].channels, np.zeros(count)
        capacity, rate = channel_capacities(self.topology), capacities(self.topology).ports[self.ports]
        blocks = -(-count // _BLOCK)
        work.begin(blocks, f"blocks of {_BLOCK} bisections")

        def draw(numbers: Iterator[int]) -> None:
            for number in numbers:
                low, high = number * _BLOCK, min(count, (number + 1) * _BLOCK)
                states = np.array([Draws(seed, stream).state() for stream in range(low, high)])
                if capacity is None:
                    rail_bisections(channels.first, channels.to, tables, table, switch, states, shares[low:high])
                else:
                    rated_rail_bisections(
                        channels.first, channels.to, tables, table, switch, rate, capacity, states, shares[low:high]
                    )

        over_cores(draw, blocks, jobs, work)
        work.check()
        return Bisections(shares, seed)


def rails_of(topology: Topology, tables: int = 1) -> Rails | None:
    """Return the rails of a connected network; None where it has none.

    With one table, it has none where hosts have one port, or where all ports of a host are on one switch, as rails are then
    equivalent. Hosts that differ in their number of ports have no rails either: each port counts as a host. With several
    tables, every network has rails: one where hosts have one port, or where each port counts as a host.

    Parameters
    ----------
    topology : Topology
    tables : int
        The number of tables, which lead to the ports of a switch in turn.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> tree = "fat-tree:k=4,hosts=8"
    >>> [rails and rails.count for rails in (rails_of(build(tree + more)) for more in ("", "+nics:count=2", "+rails:nics=2"))]
    [None, None, 2]
    """
    hosts, endpoints = topology.hosts, topology.endpoints.size
    if hosts == endpoints or (np.bincount(topology.host, minlength=hosts) * hosts != endpoints).any():
        if tables == 1:
            return None
        ports = np.arange(endpoints, dtype=np.int32)[:, None]
    else:
        ports = ports_by_host(topology)
        switch = topology.endpoints[ports]
        if tables == 1 and (switch == switch[:, :1]).all():
            return None
    return Rails(topology, ports[np.argsort(ports[:, 0])], place_on_switch(topology) % tables, tables)


def place_on_switch(topology: Topology) -> np.ndarray:
    """Return, for each endpoint, how many endpoints of its switch precede it: int64[endpoints]."""
    switch = topology.endpoints.astype(np.int64)
    order = np.argsort(switch, kind="stable")
    place = np.empty(switch.size, np.int64)
    counts = np.bincount(switch, minlength=topology.switches)
    place[order] = np.arange(switch.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return place
