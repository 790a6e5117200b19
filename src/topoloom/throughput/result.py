"""The result of `quality`: how good a network and its tables are."""

from dataclasses import dataclass, field

import numpy as np

from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result
from topoloom.routing.groups.state import NextHopState
from topoloom.throughput.approximate import Bracket


@dataclass(frozen=True)
class LoadSummary:
    """A summary of loads: minimum, mean, quartiles, 99th percentile and maximum."""

    least: float
    mean: float
    quarter: float
    median: float
    three_quarters: float
    percent_99: float
    most: float

    @classmethod
    def of(cls, values: np.ndarray) -> "LoadSummary":
        """Summarise an array of one dimension; all values are 0 for an empty one."""
        if not values.size:
            return cls(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        a, b, c, d = np.quantile(values, [0.25, 0.5, 0.75, 0.99]).tolist()
        return cls(float(values.min()), float(values.mean()), a, b, c, d, float(values.max()))


@dataclass(frozen=True)
class Quality(Result):
    """How good a network and its tables are.

    Throughputs are shares of the full rate of each host port, equal for all. Those with `bound` and `flow` in their name count
    only the switches' links and may exceed 1; the others count the hosts' links too and are at most 1. Where hosts have ports
    in several planes, each host spreads its traffic evenly over them (by the rates of its ports), and a port sends to ports of
    its own plane; throughputs are those of the slowest plane, and loads cover all planes.

    Attributes
    ----------
    switches : int
    hosts : int
        The number of host ports.
    hosts_assumed : bool
        Whether the topology has no hosts, so that one per switch was assumed.
    edge_forwarding_index : int
        Pairs of switches on the most loaded channel.
    channel_load, switch_load : LoadSummary
        Pairs of switches on each channel, and through each switch, without the pairs that start or end there.
    uniform_throughput : float
        The throughput of the tables for equal traffic between all hosts on different switches.
    effective_bisection, effective_bisection_error : float
        The mean rate of a flow between random halves of the hosts, as a share of the lower rate of its two ports, and its
        standard error; nan: fewer than 2 hosts.
    bisections : int
        The number of random bisections; their seed is in the provenance.
    worst_load : int, float or None
        Ports that send over one channel in the worst permutation of the hosts for these tables, exact; where rates differ, the
        traffic over the channel as a share of its rate. On rails a host sends port by port to one other host. None: packets
        choose paths, over 8,192 switches (tables times switches squared over 8,192 squared), or over about 2,000 hosts on
        rails.
    worst_throughput : float or None
        1 / worst_load, and at most 1.
    permutation_throughput : float or None
        The throughput of the tables for the maximal permutation, whose bound is `tub`.
    uniform_bound, tub : float or None
        The routing-independent bound from hops: for uniform traffic, and for the maximal permutation.
    uniform_flow, permutation_flow, worst_flow : Bracket or None
        The throughput of the best splitting over all paths: for uniform traffic, for the maximal permutation, and for the worst
        permutation of the tables. Exact (lower equals upper) in small networks (`QUICK_FLOWS`); in larger ones bracketed if a
        gap was given, else None; for uniform traffic also exact in large networks with many symmetries.
    traffic : str or None
        The name of the requested traffic.
    traffic_throughput, traffic_bound, traffic_flow : float, float, Bracket or None
        The same measures for the requested traffic: the throughput of the tables, the routing-independent bound from hops, and
        the best splitting. None without a requested traffic; the last also where `uniform_flow` is None.
    planes : int
        The number of planes of the network.
    expected : bool
        Packets choose among shortest paths: loads and throughputs are expected values for an even split at every switch, as
        equal-cost groups with many flows have, or for an even spread over layers of tables. Effective bisection and worst
        permutation are then undefined.
    rails : int
        Ports per host in a plane, each sending only to ports of the same rail; 1 where hosts have one port, or all on one
        switch.
    host_tables : int
        The number of tables that lead to the host ports of a switch, in turn; with several, `channel_load` and `switch_load`
        are of their means, and `edge_forwarding_index` of the worst.
    max_channel_load : float or None
        Pairs of hosts on the most loaded channel; None without hosts, on several rails, and where rates differ.
    next_hops : NextHopState or None
        The forwarding state of the switches, hops and edge-disjoint paths, where packets choose among members of next-hop
        groups; otherwise None.
    """

    record_name = "quality"
    record_version = 3
    omitted_if_none = ("next_hops",)

    switches: int
    hosts: int
    hosts_assumed: bool
    edge_forwarding_index: int
    channel_load: LoadSummary
    switch_load: LoadSummary
    uniform_throughput: float
    effective_bisection: float
    effective_bisection_error: float
    bisections: int
    worst_load: int | float | None
    worst_throughput: float | None
    permutation_throughput: float | None
    uniform_bound: float | None
    tub: float | None
    uniform_flow: Bracket | None
    permutation_flow: Bracket | None
    worst_flow: Bracket | None
    traffic: str | None = None
    traffic_throughput: float | None = None
    traffic_bound: float | None = None
    traffic_flow: Bracket | None = None
    planes: int = 1
    expected: bool = False
    rails: int = 1
    host_tables: int = 1
    max_channel_load: float | None = None
    next_hops: NextHopState | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @drawn(height_in=2.6)
    def plot(self, axes: "Axes") -> None:
        """Draw the shares of full rate that traffic gets, compared with the routing-independent bounds."""
        from topoloom.figures.bars import draw_bars

        rows = [
            ("uniform traffic", self.uniform_throughput, self.uniform_bound),
            ("random halves", self.effective_bisection, None),
            ("worst permutation", self.worst_throughput, self.tub),
            (f"{self.traffic}", self.traffic_throughput, self.traffic_bound),
        ]
        measured = [(name, value, bound) for name, value, bound in rows if value is not None]
        bars = [(name, value) for name, value, _ in measured]
        title = f"Throughput of {self.provenance.name}"
        draw_bars(axes, bars, "throughput [share of the hosts' rate]", title, [bound for _, _, bound in measured])
