"""The result: how good a network and its tables are."""

from dataclasses import dataclass, field

import numpy as np

from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result
from topoloom.throughput.approximate import Bracket


@dataclass(frozen=True)
class LoadSummary:
    """A load in numbers: its least, its mean, its quartiles, the highest percent, and its most."""

    least: float
    mean: float
    quarter: float
    median: float
    three_quarters: float
    percent_99: float
    most: float

    @classmethod
    def of(cls, values: np.ndarray) -> "LoadSummary":
        """Of an array of one dimension; all 0 for none."""
        if not values.size:
            return cls(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        a, b, c, d = np.quantile(values, [0.25, 0.5, 0.75, 0.99]).tolist()
        return cls(float(values.min()), float(values.mean()), a, b, c, d, float(values.max()))


@dataclass(frozen=True)
class Quality(Result):
    """How good a network and its tables are.

    Throughputs are shares of the full rate of a host, all hosts served alike. Those with `bound` and `flow` are of the
    switches' links alone and may be over 1; the others count the hosts' links too and are at most 1. Where hosts have ports in
    several planes, each spreads its traffic evenly over them: every port sends to those of its own plane, throughputs are
    those of the slowest plane, and loads are over all of them.

    Attributes
    ----------
    switches : int
    hosts : int
        Ports of hosts.
    hosts_assumed : bool
        The topology has none, and one a switch was assumed.
    edge_forwarding_index : int
        Pairs of switches over the busiest channel.
    channel_load, switch_load : LoadSummary
        Pairs of switches over each channel, and through each switch, its own omitted.
    uniform_throughput : float
        Of the tables, when every host sends as much to every host on another switch.
    effective_bisection, effective_bisection_error : float
        What the tables leave to a flow between random halves of the hosts, and the standard error; nan: fewer than 2 hosts.
    bisections : int
        How many were drawn; the seed is in the provenance.
    worst_load : int or None
        Hosts that send over one channel in the worst permutation for these tables, exact; None: over 8,192 switches, or rails.
    worst_throughput : float or None
        1 / worst_load, 1 at most.
    permutation_throughput : float or None
        Of the tables, for the maximal permutation, of which `tub` is the bound.
    uniform_bound, tub : float or None
        What no routing can pass, from hops: for uniform traffic, and for the maximal permutation.
    uniform_flow, permutation_flow, worst_flow : Bracket or None
        What the best splitting over all paths brings: for uniform traffic, for the maximal permutation, and for the worst
        permutation of the tables. Exact, with lower and upper alike, in small networks (`QUICK_FLOWS`); in larger ones
        between two bounds if a gap was asked for, else None; for uniform traffic exact, too, in large networks of many
        symmetries.
    traffic : str or None
        The name of the traffic that was asked for.
    traffic_throughput, traffic_bound, traffic_flow : float, float, Bracket or None
        Its own: of the tables, what no routing can pass (from hops), and what the best splitting brings. None without it;
        the last also where `uniform_flow` is.
    planes : int
        Of how many planes the network is.
    expected : bool
        Packets choose among shortest paths: loads and throughputs are those of an even split at every switch, as equal-cost
        groups with many flows have them; or over layers of tables, over which they are spread evenly. There is no effective
        bisection and no worst permutation.
    rails : int
        Ports of a host in a plane, each of which sends to its like alone; 1 where hosts have one, or all on one switch.
    host_tables : int
        How many tables lead to the ports of a switch, in turn; of several, `channel_load` and `switch_load` are of their means,
        and `edge_forwarding_index` of the worst.
    """

    record_name = "quality"
    record_version = 2

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
    worst_load: int | None
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
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @drawn(height_in=2.6)
    def plot(self, axes: "Axes") -> None:
        """Draw the shares of full rate that traffic gets, beside what no routing passes."""
        from topoloom.figures.bars import draw_bars

        rows = [
            ("uniform traffic", self.uniform_throughput, self.uniform_bound),
            ("random halves", self.effective_bisection, None),
            ("worst permutation", self.worst_throughput, self.tub),
            (f"{self.traffic}", self.traffic_throughput, self.traffic_bound),
        ]
        known = [(name, value, bound) for name, value, bound in rows if value is not None]
        bars = [(name, value) for name, value, _ in known]
        title = f"Throughput of {self.provenance.name}"
        draw_bars(axes, bars, "share of the hosts' rate", title, [bound for _, _, bound in known])
