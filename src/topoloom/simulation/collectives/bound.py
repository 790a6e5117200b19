"""CollectiveBound: the least time of a collective on a network, whatever the algorithm and the paths."""

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
from topoloom.simulation.collectives.delays import Machine, delays
from topoloom.simulation.collectives.network import RankNetwork, rank_network

#: Every operation with what its bytes are of.
OPERATIONS = {
    "allreduce": "the vector, which all have and of which all get the sum",
    "allgather": "what all have together, which each gets",
    "reduce-scatter": "the vector, of whose sum each rank gets a part",
    "broadcast": "what one rank has and all get",
    "alltoall": "what each rank has for each other one",
}
#: Other words for them.
_ALIASES = {
    "all-reduce": "allreduce",
    "all-gather": "allgather",
    "reducescatter": "reduce-scatter",
    "all-to-all": "alltoall",
}
#: Flows by source and channel that are solved exactly where an answer is wanted at once, and in minutes.
_QUICK_FLOWS, _MOST_FLOWS = 5_000, 200_000
#: Nodes up to which the flow of an all-to-all is bracketed, and its hops are counted.
_MOST_BRACKETED, _MOST_COUNTED = 2048, 8192
#: Classes of hosts whose cuts are looked through at once.
_QUICK_CLASSES = 1100
#: Hosts up to which an all-reduce's parts are made of single ones.
_MOST_ALONE = 256
_BYTES_A_GBIT = 1e9 / 8


@dataclass(frozen=True, eq=False)
class CollectiveBound(Result):
    """The least time of a collective.

    Attributes
    ----------
    operation : str
        One of `OPERATIONS`.
    ranks : int
    bytes : int
        As `OPERATIONS` says.
    root : int or None
        The rank that broadcasts.
    bandwidth_s : float
        What the channels alone take; no algorithm and no paths take less.
    first_s, farthest_s : float
        Delays without bytes: between the two ranks nearest to each other, and from some rank, of a broadcast the root, to the
        one farthest from it.
    reached_s : float or None
        Bytes alone, in small pieces: what packed trees, or a flow, are known to take; None: nobody knows. Where it is
        `bandwidth_s`, that is the least.
    how : str
        What the bound is made of.
    parts : int
        Ranks on the side of the cut that holds it back; of an all-reduce parts of the network, of an all-to-all 0.
    cut_gbps : float
        What leaves the side, or all parts.
    cut_switches : int
        Switches on that side.
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
        """No schedule takes less: the bytes after the first delay, or the farthest rank."""
        return max(self.bandwidth_s + self.first_s, self.farthest_s) if self.bandwidth_s else self.farthest_s

    @property
    def bus_gbps(self) -> float:
        """What leaves a rank a second at that bandwidth, as NCCL's tests count it; 0 for no bytes."""
        if not self.bandwidth_s:
            return 0.0
        n = self.ranks
        share = {"allreduce": 2 * (n - 1) / n, "alltoall": n - 1.0, "broadcast": 1.0}.get(self.operation, (n - 1) / n)
        return share * self.bytes / self.bandwidth_s / _BYTES_A_GBIT

    @property
    def exact(self) -> bool:
        """Whether `bandwidth_s` is reached."""
        return self.reached_s is not None and self.reached_s <= self.bandwidth_s * (1 + 1e-6)

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw what the bound is made of: delays, bytes, and what is known to be reached, as bars."""
        bars = {"farthest rank": self.farthest_s, "bytes": self.bandwidth_s, "bound": self.seconds}
        if self.reached_s is not None:
            bars["bytes, reached"] = self.reached_s
        axes.barh(list(bars)[::-1], [1e6 * value for value in list(bars.values())[::-1]], color=COLOURS[0])
        axes.set_xlabel("time [us]")
        axes.set_title(f"{self.operation}, {self.ranks} ranks", loc="left")


def collective_operation(text: str) -> str:
    """The name of an operation, also by another word for it: ``all-reduce``.

    Raises
    ------
    InputError
        There is none of that name.
    """
    name = _ALIASES.get(str(text), str(text))
    if name not in OPERATIONS:
        raise InputError(f"no collective '{name[:40]}'; {hint(name, OPERATIONS)}")
    return name


def bound_of(
    topology: Topology,
    operation: str,
    size: int,
    homes: np.ndarray,
    machine: Machine,
    *,
    root: int = 0,
    gap: float = 0.05,
    quick: bool = False,
    settings: Mapping[str, object] | None = None,
    jobs: int | None = None,
    work: Work | None = None,
) -> CollectiveBound:
    """The least time of a collective between ranks on hosts of a network.

    Parameters
    ----------
    topology : Topology
    operation : str
        One of `OPERATIONS`.
    size : int
        Bytes, as `OPERATIONS` has them.
    homes : int64[ranks]
        The host of each rank. What ranks of one host send to each other takes no time here.
    machine : Machine
        Links that carry both directions at once; at half duplex the bound holds, and may be no least.
    root : int
        The rank that broadcasts.
    gap : float
        How close the flow of an all-to-all is bracketed where it is too large to be solved.
    quick : bool
        Seconds at most: of large networks a bound that holds, and may be no least.
    settings : mapping, optional
        For the provenance.
    jobs, work
        As everywhere.

    Raises
    ------
    InputError
        No such operation, bytes below 0, a root that is no rank, or ranks that do not reach each other.
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
    network = rank_network(topology, homes, machine.rate_gbps, machine.host_rate_gbps, apart=apart)
    first, farthest = delays(network, topology, machine, from_first=operation == "broadcast")
    # Parts of an all-reduce may hold some of the hosts that are alike: each is one where that takes seconds.
    lone = network
    if operation == "allreduce" and network.classes < int(network.counts.sum()) <= _MOST_ALONE:
        lone = rank_network(topology, homes, machine.rate_gbps, machine.host_rate_gbps, alike=False)
    bandwidth, reached, how, cut = _bandwidth(network, lone, operation, size, gap, quick, jobs, work)
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
    lone: RankNetwork,
    operation: str,
    size: int,
    gap: float,
    quick: bool,
    jobs: int | None,
    work: Work,
) -> tuple[float, float | None, str, Cut | None]:
    """Seconds of bytes alone, what is known to be reached, how, and the cut that holds it back."""
    if int(network.counts.sum()) < 2:
        return 0.0, 0.0, "all ranks are on one host", None
    if operation == "alltoall":
        return _all_to_all(network, size, gap, quick, jobs, work)
    unit = network.unit_gbps * _BYTES_A_GBIT
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
    cut = parts_cut(lone, gather, work=work)
    least = float(2 * Fraction(size) / cut.rate) / unit
    words = (
        f"twice the bytes cross between {cut.ranks} parts, all but once"
        if cut.ranks > 2
        else "the bytes cross a cut, each way"
    )
    return least, 2 * time, words, cut


def _cut_words(network: RankNetwork, cut: Cut) -> str:
    if cut.ranks == network.ranks - 1:
        return "what all others have comes into one host"
    return f"what {cut.ranks} ranks have leaves them by a cut"


def _of_hosts(network: RankNetwork, operation: str, size: int, unit: float) -> tuple[float, float | None, str]:
    """What hosts' own ports take, in place of the cuts of a large network."""
    counts, hosts = network.counts, int(network.counts.sum())
    ports = network.port_counts * network.host_units * unit
    if operation == "allreduce":
        return 2 * (hosts - 1) * size / float((counts * ports).sum()), None, "hosts' own links"
    coming = (network.ranks - network.weight) * size / network.ranks / ports
    return float(coming.max()), None, "hosts' own links"


def _all_to_all(
    network: RankNetwork, size: int, gap: float, quick: bool, jobs: int | None, work: Work
) -> tuple[float, float | None, str, None]:
    """Of an all-to-all: a host's links, and the flow between all of them, solved, bracketed, or bounded by hops."""
    from topoloom.throughput.approximate import priced_between
    from topoloom.throughput.flow import flow_between

    unit, counts, weight = network.unit_gbps * _BYTES_A_GBIT, network.counts, network.weight
    own = float(((network.ranks - weight) * weight / network.port_counts).max()) / network.host_units
    n, c = network.switches, network.classes
    brings = (counts * weight).astype(float)
    if int(network.port_counts.max()) == 1:
        nodes, place = n, np.array([next(iter(ports)) for ports in network.ports])
        tail, head, capacity = network.tail, network.head, network.capacity
    else:
        nodes, place = n + c, n + np.arange(c)
        tail, head, capacity = network.arcs()
        order = np.lexsort((head, tail))
        tail, head, capacity = tail[order], head[order], capacity[order]
    sums = np.bincount(place, brings, nodes)
    carriers = np.flatnonzero(sums)
    if carriers.size < 2:
        return own * size / unit, own * size / unit, "hosts' own links", None
    room, flows = capacity.astype(float), carriers.size * tail.size
    solved = flows <= (_QUICK_FLOWS if quick else _MOST_FLOWS)
    if nodes > _MOST_COUNTED:
        return own * size / unit, None, "hosts' own links; the network is too large for the flow between them", None
    if solved or (nodes <= _MOST_BRACKETED and not quick):
        demand = np.zeros((nodes, nodes))
        demand[np.ix_(carriers, carriers)] = np.outer(sums[carriers], sums[carriers])
        np.fill_diagonal(demand, 0.0)
        if solved:
            # Solved to about 1e-7: a little below, so that the bound holds.
            share = flow_between(network.name, nodes, tail, head, room, demand)
            lower = upper = share * (1 + 1e-6)
            how = "the largest flow between all ranks"
        else:
            bracket, _ = priced_between(tail, head, room, demand, gap=gap, jobs=jobs, work=work)
            lower, upper = bracket.lower, bracket.upper
            how = f"the largest flow between all ranks, within {bracket.gap:.1%}"
        least, reached = max(own, 1 / upper), max(own, 1 / lower)
    else:
        least, reached, how = (
            max(own, _hops(nodes, tail, head, sums, carriers) / float(room.sum())),
            None,
            "hops times bytes over all links",
        )
    if least == own:
        how = f"hosts' own links ({how} allows more)"
    time = least * size / unit
    return time, None if reached is None else reached * size / unit, how, None


def _hops(nodes: int, tail: np.ndarray, head: np.ndarray, sums: np.ndarray, carriers: np.ndarray) -> float:
    """The sum over pairs of what they bring times the hops between them, at the least."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    graph = coo_array((np.ones(tail.size), (tail, head)), shape=(nodes, nodes)).tocsr()
    total = 0.0
    for begin in range(0, carriers.size, 256):
        some = carriers[begin : begin + 256]
        hops = dijkstra(graph, indices=some, unweighted=True)
        total += float((sums[some][:, None] * sums[carriers] * hops[:, carriers]).sum())
    return total
