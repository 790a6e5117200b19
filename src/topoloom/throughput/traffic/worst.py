"""The permutation of the hosts that tables serve worst, exactly; on large networks one that they serve about as badly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.model.capacities import capacities
from topoloom.routing.routing import Routing
from topoloom.throughput.traffic.loads import incomplete
from topoloom.throughput.traffic.making import host_switches, hosts_on
from topoloom.throughput.traffic.worst_rates import RatedHosts

#: Switches up to which the trees of the tables are stored: 6 n^2 bytes.
MOST_SWITCHES = 8192
#: Destinations per task of a thread, and switches (with all their channels) per task.
_BLOCK, _FEW = 64, 8
#: Switches up to which the exact worst permutation takes about a second; channels tried on larger networks.
_EXACT, _TRIED = 1024, 32


@dataclass(frozen=True, eq=False)
class Worst:
    """A permutation that tables serve worst.

    Attributes
    ----------
    load : int or float
        Hosts that send over the most loaded channel, the most of any permutation; 0: no traffic leaves a switch. Where rates
        differ, the traffic over the channel as a share of its rate, the most of any permutation.
    channel : (int, int)
        The switches of that channel, from and to; (-1, -1): none.
    partner : int64[hosts]
        Host h sends to host partner[h], in the order of `traffic.host_switches`.
    """

    load: int | float
    channel: tuple[int, int]
    partner: np.ndarray

    @property
    def throughput(self) -> float:
        """The rate of all hosts at once, as a share of full rate: 1 / load, and at most 1."""
        return 1.0 / max(1.0, self.load)


def worst_permutation(
    routing: Routing | Sequence[Routing], jobs: int | None = None, *, work: Work | None = None
) -> Worst:
    """Return the permutation of the hosts with the greatest channel load; no other permutation exceeds it.

    Parameters
    ----------
    routing : Routing or sequence of Routing
        Up to 8,192 switches. Several tables lead to the hosts of a switch in turn; each port counts as a host. Tables times
        switches squared are at most 8,192 squared.
    jobs : int, optional
        Threads; all cores when omitted. The result does not depend on their number.
    work : Work, optional
        Reports progress in blocks of switches.

    Returns
    -------
    Worst
        The permutation, its most loaded channel, and how many hosts send over that channel.

    Raises
    ------
    InputError
        Too many switches, or incomplete tables.
    Stopped
        `work` was stopped.

    Notes
    -----
    The greatest load of a channel is a maximum matching, weighted by hosts, of the switches that can send over it with those
    that they reach over it: one matching per channel, and the heaviest is the worst case (Towles and Dally, Worst-case traffic
    for oblivious routing functions, SPAA 2002). It is exact for every size. Hosts that the matching does not use are paired in
    order, and load no channel more. Where rates differ, a pair of hosts sends the lower of its two rates, the matching has the
    greatest weight, and loads are shares of the channels' rates.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> worst = worst_permutation(route(build("complete:n=8")))
    >>> worst.load, worst.throughput
    (1, 1.0)
    """
    from topoloom.throughput.traffic.kernels.tree_walk import fill_trees
    from topoloom.throughput.traffic.kernels.worst import greatest, matching

    tables = (routing,) if isinstance(routing, Routing) else tuple(routing)
    routing = tables[0]
    n, channels = routing.topology.switches, routing.channels
    if len(tables) * n * n > MOST_SWITCHES**2:
        of = f"{len(tables)} tables of {n}" if len(tables) > 1 else f"{n}"
        raise InputError(
            f"{routing.topology.name}: {of} switches; the worst permutation is computed for at most {MOST_SWITCHES}"
        )
    hosts = hosts_on(routing.topology).astype(np.int64)
    ports, goal, wanted = _destinations(tables, hosts)
    rows = goal.size
    order, place, size = (np.empty((rows, n), np.uint16) for _ in range(3))

    def lay_out(numbers: Iterator[int]) -> None:
        for number in numbers:
            end = min(rows, (number + 1) * _BLOCK)
            lost = fill_trees(channels.first, channels.to, ports, hosts, goal, number * _BLOCK, end, order, place, size)
            incomplete(routing, lost)

    work = Work() if work is None else work
    work.begin(-(-rows // _BLOCK) + -(-n // _FEW), "blocks of switches")
    over_cores(lay_out, -(-rows // _BLOCK), jobs, work)
    work.check()
    rated = RatedHosts(routing.topology, len(tables)) if routing.topology.mixed else None
    best_of_block: dict[int, tuple[float, int]] = {-1: (0, 1)}  # the load and, negative, the channel

    def search(numbers: Iterator[int]) -> None:
        for number in numbers:
            # Results of other blocks only save work, and never change the result: channels of equal load are all compared.
            load_so_far, end = max(list(best_of_block.values()))[0], min(n, (number + 1) * _FEW)
            begin = number * _FEW
            if rated is not None:
                channel, share = rated.greatest(
                    channels.first, ports, order, place, size, goal, begin, end, load_so_far
                )
                best_of_block[number] = (share, -channel)
                continue
            channel, load = greatest(
                channels.first, ports, order, place, size, hosts, wanted, goal, begin, end, load_so_far
            )
            best_of_block[number] = (int(load), -int(channel))

    over_cores(search, -(-n // _FEW), jobs, work)
    work.check()
    load, channel = max(best_of_block.values())
    if not load:
        return Worst(0, (-1, -1), np.arange(int(hosts.sum())))
    ends = (int(channels.origin[-channel]), int(channels.to[-channel]))
    port = -channel - int(channels.first[ends[0]])
    if rated is not None:
        return Worst(load, ends, rated.permutation(ports, order, place, size, goal, ends[0], port))
    pairs = matching(ports, order, place, size, hosts, wanted, goal, ends[0], port)
    return Worst(load, ends, completed(routing, pairs, tables=len(tables)))


def _destinations(tables: tuple[Routing, ...], hosts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows of all tables: ports uint[rows, n], goal int64[rows] (-1: no host), and the hosts that each leads to.

    Row t n + d is that of table t to switch d. Host i of a switch uses table i modulo their number.
    """
    count = len(tables)
    ports = tables[0].ports if count == 1 else np.concatenate([table.ports for table in tables])
    wanted = np.concatenate([(hosts + count - 1 - number) // count for number in range(count)])
    return ports, np.where(wanted > 0, np.tile(np.arange(hosts.size), count), -1), wanted


def completed(routing: Routing, pairs: np.ndarray, tables: int = 1) -> np.ndarray:
    """Return a permutation of the hosts that contains the matched pairs; the others are paired in order.

    Parameters
    ----------
    routing : Routing
    pairs : int64[k, 3]
        Source switch, row of the destination, and hosts of each pair.
    tables : int
        The number of tables that lead to the hosts of a switch in turn.

    Returns
    -------
    int64[hosts]
    """
    switch, n = host_switches(routing.topology), routing.topology.switches
    sent = np.searchsorted(switch, np.arange(n))  # hosts are sorted by their switches
    # The next host that each row leads to: every `tables`-th of its switch.
    got = (sent + np.arange(tables)[:, None]).reshape(-1)
    partner = np.full(switch.size, -1, np.int64)
    for source, row, amount in pairs.tolist():
        partner[sent[source] : sent[source] + amount] = got[row] + tables * np.arange(amount)
        sent[source] += amount
        got[row] += tables * amount
    partner[partner < 0] = np.setdiff1d(np.arange(switch.size), partner)
    return partner


def busy_permutation(routing: Routing) -> np.ndarray:
    """Return the destination of each host, int64[hosts], so that one channel carries as many hosts as possible; -1: silent.

    Up to 1,024 switches it is the worst permutation (`worst_permutation`). On larger networks the 32 channels that uniform
    traffic loads most are tried: their senders and receivers are paired greedily, receivers with the fewest senders first,
    which gives at least half the best pairing of that channel. Other hosts are paired in order; a host paired with itself is
    silent.

    Raises
    ------
    InputError
        Incomplete tables.
    """
    partner = worst_permutation(routing).partner if routing.topology.switches <= _EXACT else greedy(routing)
    partner = partner.copy()
    alone = np.flatnonzero(partner == np.arange(partner.size))
    partner[alone] = np.roll(alone, -1) if alone.size > 1 else -1
    return partner


def greedy(routing: Routing) -> np.ndarray:
    """Return the greedy pairing of `busy_permutation`, a permutation int64[hosts]."""
    from topoloom.throughput.traffic.kernels.busiest import pairs_over
    from topoloom.throughput.traffic.loads import table_loads
    from topoloom.throughput.traffic.making import hosts_on, uniform_remote

    topology, channels = routing.topology, routing.channels
    loads, hosts = table_loads(routing, uniform_remote(topology)).shares, hosts_on(topology)
    best, most = np.empty((0, 3), np.int64), 0.0
    capacity = capacities(topology).channels
    for channel in np.argsort(-loads, kind="stable")[:_TRIED].tolist():
        u = int(channels.origin[channel])
        port = channel - int(channels.first[u])
        pairs = pairs_over(channels.first, channels.to, routing.ports, hosts, u, port)
        if (load := float(pairs[:, 2].sum() / capacity[channel])) > most:
            best, most = pairs, load
    return completed(routing, best)
