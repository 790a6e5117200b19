"""The measures of a candidate as people read them: label, unit, decimals, and which way is better."""

from typing import NamedTuple


class Column(NamedTuple):
    """A column of candidates.

    `better` is ``low`` or ``high`` where one end is the better one, ``""`` where it depends; `shown` says whether the table
    has it before anybody chooses.
    """

    key: str
    label: str
    unit: str = ""
    decimals: int = 0
    better: str = ""
    shown: bool = True

    @property
    def title(self) -> str:
        """Label and unit."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label


#: In the order of the table.
COLUMNS = (
    Column("cost_per_host_usd", "cost a host", "USD", 1, "low"),
    Column("cost_usd", "cost", "USD", 0, "low", shown=False),
    Column("power_per_host_w", "power a host", "W", 2, "low"),
    Column("power_w", "power", "W", 0, "low", shown=False),
    Column("mean_latency_ns", "mean latency", "ns", 0, "low"),
    Column("worst_latency_ns", "worst latency", "ns", 0, "low"),
    Column("hosts", "hosts"),
    Column("switches", "switches", "", 0, "low"),
    Column("radix", "ports", shown=False),
    Column("links", "links", "", 0, "", shown=False),
    Column("diameter", "diameter", "hops", 0, "low"),
    Column("host_aspl", "mean hops", "", 3, "low"),
    Column("oversubscription", "over-subscr.", "", 2, "low"),
    Column("busiest_channel", "busiest channel", "link rates", 2, "low"),
    Column("bisection_per_host", "bisection", "links a host", 3, "high"),
    Column("bisection_gbps_per_host", "bandwidth between halves", "Gb/s a host", 1, "high", shown=False),
    Column("bisection_links", "bisection", "links", 0, "high", shown=False),
    Column("taper", "taper", "", 2, "low", shown=False),
    Column("planes", "planes", "", 0, "", shown=False),
    Column("room_hosts", "room for more hosts", "hosts", 0, "high", shown=False),
    Column("cabinets", "cabinets", "", 0, "low"),
    Column("mean_cable_m", "mean cable", "m", 2, "low", shown=False),
    Column("longest_cable_m", "longest cable", "m", 1, "low"),
    Column("host_cable_m", "mean host cable", "m", 2, "low", shown=False),
    Column("all_to_all_ms", "all to all, by formula", "ms", 3, "low"),
    Column("all_reduce_ms", "all-reduce, by formula", "ms", 3, "low"),
    Column("step_ms", "a step, by formula", "ms", 3, "low"),
)
