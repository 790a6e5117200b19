"""CollectiveBound: the lower bound on the time of a collective on a network, for any algorithm and any paths."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from topoloom.core.errors import InputError, hint
from topoloom.core.work import Work
from topoloom.figures.style import COLOURS, Axes, drawn
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.topology import Topology
from topoloom.simulation.collectives.cuts import Cut, broadcast_cut, gather_cut, parts_cut
from topoloom.simulation.collectives.delays import NetworkTiming, delays
from topoloom.simulation.collectives.network import RankNetwork, rank_network

#: The operations, with what their number of bytes refers to.
OPERATIONS = {
    "allreduce": "the vector, which each rank has and whose sum each rank gets",
    "allgather": "all ranks' data together, which each rank gets",
    "reduce-scatter": "the vector, of whose sum each rank gets a part",
    "broadcast": "the data that one rank has and all get",
    "alltoall": "the data from each rank to each other rank",
}
#: Other names of operations.
_ALIASES = {
    "all-reduce": "allreduce",
    "all-gather": "allgather",
    "reducescatter": "reduce-scatter",
    "all-to-all": "alltoall",
}
#: The largest flows, sources times channels, that are solved exactly: for a quick bound, and otherwise (minutes).
_QUICK_FLOWS, _MOST_FLOWS = 5_000, 200_000
#: Nodes up to which the flow of an all-to-all is bracketed, and up to which its hops are counted.
_MOST_BRACKETED, _MOST_COUNTED = 2048, 8192
#: Classes of hosts up to which the cuts of a quick bound are searched.
_QUICK_CLASSES = 1100
#: Hosts up to which the parts of an all-reduce may split a class of equivalent hosts.
_MOST_ALONE = 256
_BYTES_PER_GBIT = 1e9 / 8


@dataclass(frozen=True, eq=False)
class CollectiveBound(Result):
    """The lower bound on the time of a collective.

    Attributes
    ----------
    operation : str
        One of `OPERATIONS`.
    ranks : int
    bytes : int
        Bytes as defined in `OPERATIONS`.
    root : int or None
        The rank that broadcasts.
    bandwidth_s : float
        The time that the channels need for the bytes; no algorithm and no paths need less.
    first_s, farthest_s : float
        Delays without bytes: between the two closest ranks, and from some rank (of a broadcast, the root) to the rank farthest
        from it.
    reached_s : float or None
        The time of the bytes that packed trees, or a flow, are known to achieve in small pieces; None: unknown. Where it equals
        `bandwidth_s`, the bound is tight.
    how : str
        A description of what limits the bandwidth.
    parts : int
        Ranks on one side of the limiting cut; for an all-reduce the number of parts, for an all-to-all 0.
    cut_gbps : float
        The capacity of channels that leave that side, or all parts.
    cut_switches : int
        The number of switches on that side.
    """

    record_name = "collective-bound"
    derived = ("seconds", "bus_gbps", "exact")

    operation: str
    ranks: int
    bytes: int
    root: int | None
    bandwidth_s: float
    first_s: float
    farthest_s: float
    reached_s: float | None
    how: str
    parts: int
    cut_gbps: float
    cut_switches: int
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def seconds(self) -> float:
        """The lower bound: the bytes after the first delay, or the delay to the farthest rank, whichever is longer."""
        return max(self.bandwidth_s + self.first_s, self.farthest_s) if self.bandwidth_s else self.farthest_s

    @property
    def bus_gbps(self) -> float:
        """The bandwidth per rank that the bound corresponds to, as NCCL's tests define it; 0 for no bytes."""
        if not self.bandwidth_s:
            return 0.0
        n = self.ranks
        share = {"allreduce": 2 * (n - 1) / n, "alltoall": n - 1.0, "broadcast": 1.0}.get(self.operation, (n - 1) / n)
        return share * self.bytes / self.bandwidth_s / _BYTES_PER_GBIT

    @property
    def exact(self) -> bool:
        """Whether `bandwidth_s` is known to be achieved."""
        return self.reached_s is not None and self.reached_s <= self.bandwidth_s * (1 + 1e-6)

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the components of the bound as bars: delays, bytes, and the time that is known to be achieved."""
        bars = {"farthest rank": self.farthest_s, "bytes": self.bandwidth_s, "bound": self.seconds}
        if self.reached_s is not None:
            bars["bytes, reached"] = self.reached_s
        axes.barh(list(bars)[::-1], [1e6 * value for value in list(bars.values())[::-1]], color=COLOURS[0])
        axes.set_xlabel("time [us]")
        axes.set_title(f"{self.operation}, {self.ranks} ranks", loc="left")


def collective_operation(text: str) -> str:
    """Return the name of an operation, also for another name such as ``all-reduce``.

    Raises
    ------
    InputError
        An unknown operation.
    """
    name = _ALIASES.get(str(text), str(text))
    if name not in OPERATIONS:
        raise InputError(f"unknown collective '{name[:40]}'; {hint(name, OPERATIONS)}")
    return name


def bound_of(
    topology: Topology,
    operation: str,
    size: int,
    homes: np.ndarray,
    machine: NetworkTiming,
    *,
    root: int = 0,
    gap: float = 0.05,
    quick: bool = False,
    settings: Mapping[str, object] | None = None,
    jobs: int | None = None,
    work: Work | None = None,
) -> CollectiveBound:
    """Return the lower bound on the time of a collective between ranks on hosts of a network.

    Parameters
    ----------
    topology : Topology
    operation : str
        One of `OPERATIONS`.
    size : int
        Bytes, as defined in `OPERATIONS`.
    homes : int64[ranks]
        The host of each rank. Traffic between ranks of one host takes no time here.
    machine : NetworkTiming
        Rates and delays; links are full duplex. For half duplex the bound is valid, but may not be tight.
    root : int
        The rank that broadcasts.
    gap : float
        The relative gap of the bracket for an all-to-all that is too large to be solved exactly.
    quick : bool
        Take seconds at most: for large networks the bound is valid, but may not be tight.
    settings : mapping, optional
        Settings for the provenance.
    jobs, work
        As in other functions.

    Raises
    ------
    InputError
        An unknown operation, bytes below 0, a root that is not a rank, or ranks that do not reach each other.
    Stopped
        `work` was stopped.
    """
    work = Work() if work is None else work
    operation, homes = collective_operation(operation), np.asarray(homes, np.int64)
    if size < 0:
        raise InputError(f"bytes={size}: give 0 or more")
    if not 0 <= root < max(1, homes.size):
        raise InputError(f"root_rank={root}: the ranks are 0 to {homes.size - 1}")
    apart = int(homes[root]) if operation == "broadcast" and homes.size else None
    network = rank_network(topology, homes, **machine.rates, apart=apart)
    first, farthest = delays(network, topology, machine, from_first=operation == "broadcast")
    # Parts of an all-reduce may split a class of equivalent hosts: treat each host separately where that takes seconds.
    by_host = network
    if operation == "allreduce" and network.classes < int(network.counts.sum()) <= _MOST_ALONE:
        by_host = rank_network(topology, homes, **machine.rates, alike=False)
    bandwidth, reached, how, cut = _bandwidth(network, by_host, operation, size, gap, quick, jobs, work)
    return CollectiveBound(
        operation=operation,
        ranks=network.ranks,
        bytes=int(size),
        root=root if operation == "broadcast" else None,
        bandwidth_s=bandwidth,
        first_s=first,
        farthest_s=farthest,
        reached_s=reached,
        how=how,
        parts=0 if cut is None else cut.ranks,
        cut_gbps=0.0 if cut is None else cut.units * network.unit_gbps,
        cut_switches=0 if cut is None else len(cut.switches),
        provenance=provenance_of(topology, settings=settings),
    )


def _bandwidth(
    network: RankNetwork,
    by_host: RankNetwork,
    operation: str,
    size: int,
    gap: float,
    quick: bool,
    jobs: int | None,
    work: Work,
) -> tuple[float, float | None, str, Cut | None]:
    """Return the least time for the bytes of a collective, the time known to be achieved, a description, and the limiting cut.

    Times are in seconds and exclude delays. An all-to-all is limited by a flow, without a cut. For the other operations the
    smallest cut decides: a side with some of the ranks must send their data out, and receive the others' data, through the
    channels that leave it. `by_host` is the network with each host as its own class, used for the parts of an all-reduce.
    """
    if int(network.counts.sum()) < 2:
        return 0.0, 0.0, "all ranks are on one host", None
    if operation == "alltoall":
        return _all_to_all(network, size, gap, quick, jobs, work)
    unit = network.unit_gbps * _BYTES_PER_GBIT
    if operation == "broadcast":
        cut = broadcast_cut(network, work)
        time = float(Fraction(size) / cut.rate) / unit
        return time, time, "the smallest cut between the root and another rank", cut
    if quick and network.classes > _QUICK_CLASSES:
        return *_of_hosts(network, operation, size, unit), None
    gather = gather_cut(network, work)
    part = Fraction(size, network.ranks)
    time = float(part / gather.rate) / unit
    if operation != "allreduce":
        return time, time, _cut_words(network, gather), gather
    cut = parts_cut(by_host, gather, work=work)
    least = float(2 * Fraction(size) / cut.rate) / unit
    words = (
        f"twice the bytes cross between {cut.ranks} parts, except one"
        if cut.ranks > 2
        else "the bytes cross a cut, each way"
    )
    return least, 2 * time, words, cut


def _cut_words(network: RankNetwork, cut: Cut) -> str:
    if cut.ranks == network.ranks - 1:
        return "the data of all other ranks enter one host"
    return f"the data of {cut.ranks} ranks leave through a cut"


def _of_hosts(network: RankNetwork, operation: str, size: int, unit: float) -> tuple[float, float | None, str]:
    """Return the time that hosts' own ports need, in place of the cuts of a large network; nothing known to be achieved."""
    counts, hosts = network.counts, int(network.counts.sum())
    ports = network.port_counts * network.host_units * unit
    if operation == "allreduce":
        return 2 * (hosts - 1) * size / float((counts * ports).sum()), None, "hosts' own links"
    coming = (network.ranks - network.weight) * size / network.ranks / ports
    return float(coming.max()), None, "hosts' own links"


def _all_to_all(
    network: RankNetwork, size: int, gap: float, quick: bool, jobs: int | None, work: Work
) -> tuple[float, float | None, str, None]:
    """Return the result of `_bandwidth` for an all-to-all: hosts' links, and the flow between them: solved, bracketed, by
    hops."""
    from topoloom.throughput.approximate import priced_between
    from topoloom.throughput.flow import flow_between

    unit, counts, weight = network.unit_gbps * _BYTES_PER_GBIT, network.counts, network.weight
    host_time = float(((network.ranks - weight) * weight / network.port_counts).max()) / network.host_units
    n, c = network.switches, network.classes
    data = (counts * weight).astype(float)
    if int(network.port_counts.max()) == 1:
        nodes, place = n, np.array([next(iter(ports)) for ports in network.ports])
        tail, head, capacity = network.tail, network.head, network.capacity
    else:
        nodes, place = n + c, n + np.arange(c)
        tail, head, capacity = network.arcs()
        order = np.lexsort((head, tail))
        tail, head, capacity = tail[order], head[order], capacity[order]
    sums = np.bincount(place, data, nodes)
    carriers = np.flatnonzero(sums)
    if carriers.size < 2:
        return host_time * size / unit, host_time * size / unit, "hosts' own links", None
    room, flows = capacity.astype(float), carriers.size * tail.size
    solved = flows <= (_QUICK_FLOWS if quick else _MOST_FLOWS)
    if nodes > _MOST_COUNTED:
        return (
            host_time * size / unit,
            None,
            "hosts' own links; the network is too large for the flow between them",
            None,
        )
    if solved or (nodes <= _MOST_BRACKETED and not quick):
        demand = np.zeros((nodes, nodes))
        demand[np.ix_(carriers, carriers)] = np.outer(sums[carriers], sums[carriers])
        np.fill_diagonal(demand, 0.0)
        if solved:
            # The solution is accurate to about 1e-7: relax it slightly, so that the bound is valid.
            share = flow_between(network.name, nodes, tail, head, room, demand)
            lower = upper = share * (1 + 1e-6)
            how = "the largest flow between all ranks"
        else:
            bracket, _ = priced_between(tail, head, room, demand, gap=gap, jobs=jobs, work=work)
            lower, upper = bracket.lower, bracket.upper
            how = f"the largest flow between all ranks, within {bracket.gap:.1%}"
        least_time, reached_time = max(host_time, 1 / upper), max(host_time, 1 / lower)
    else:
        least_time, reached_time, how = (
            max(host_time, _hops(nodes, tail, head, sums, carriers) / float(room.sum())),
            None,
            "hops times bytes over all links",
        )
    if least_time == host_time:
        how = f"hosts' own links ({how} allows more)"
    time = least_time * size / unit
    return time, None if reached_time is None else reached_time * size / unit, how, None


def _hops(nodes: int, tail: np.ndarray, head: np.ndarray, sums: np.ndarray, carriers: np.ndarray) -> float:
    """Return the sum over pairs of switches of their traffic times the hops between them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    graph = coo_array((np.ones(tail.size), (tail, head)), shape=(nodes, nodes)).tocsr()
    total = 0.0
    for begin in range(0, carriers.size, 256):
        some = carriers[begin : begin + 256]
        hops = dijkstra(graph, indices=some, unweighted=True)
        total += float((sums[some][:, None] * sums[carriers] * hops[:, carriers]).sum())
    return total
