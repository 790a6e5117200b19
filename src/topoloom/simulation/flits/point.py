"""A point of a load curve: the measurements at one offered load."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.model.results import Provenance, Result, json_value


@dataclass(frozen=True)
class AcceptedByRate:
    """What the hosts of one rate accept, as shares of this rate.

    Attributes
    ----------
    rate_gbps : float
        The rate of all ports of a host together, Gb/s.
    hosts : int
        Hosts of this rate that receive.
    accepted, accepted_min : float
        The mean of these hosts, and that of the host that accepts least.
    """

    rate_gbps: float
    hosts: int
    accepted: float
    accepted_min: float


@dataclass(frozen=True)
class Point(Result):
    """The accepted load and the latency at one offered load.

    Attributes
    ----------
    offered, accepted, accepted_min : float
        Shares of the rate of a host's port: offered by sources, accepted on average, and accepted by the host that receives
        least. Where all rates are the same, these are flits per host and cycle. Where rates differ, `offered` is the share of
        each host's own rate, `accepted` the share of the rates of all (of two hosts in a list, of the slower one), and
        `accepted_min` the share of the receiver's own rate. In patterns with silent hosts, only hosts that send or receive
        count.
    latency_mean, latency_ci95 : float
        Cycles from a packet's creation to its last flit's arrival; half the width of its 95 % confidence interval by batch
        means.
    latency_p50, latency_p99, latency_p999 : int
        Percentiles in cycles; the limit of the histogram where they exceed it.
    hops_mean : float
        Routers on the path, including those of both hosts.
    packets : int
        Measured packets.
    cycles : int
        Simulated cycles in all.
    saturated : bool
        Whether hosts receive less than is sent, so that latency grows without limit.
    source_mean, network_mean : float
        The parts of `latency_mean` in the source's queue, and from injection to arrival.
    link_mean, link_max : float
        Shares of the channels' own rates in use between switches, mean and maximum: flits per cycle where all rates are the
        same.
    latency_mean_ns : float, optional
        `latency_mean` in nanoseconds, where the router defines the duration of a cycle.
    accepted_gbps : float, optional
        `accepted` in Gbit/s per port of a host: where rates differ, by the network's rates, else where the router defines the
        size of a flit.
    by_rate : tuple of AcceptedByRate
        What hosts of each rate accept, the lowest rate first; empty, and not in the record, where all rates are the same, or
        for points that a table keeps.
    round_trip_mean : float, optional
        With replies (`reply_flits`): cycles from the creation of a request to the arrival of its reply; else None. Other
        latencies are of requests and replies alike. In the record only with replies, and not for points that a table keeps.
    replies : int
        Measured round trips.
    channel_loads : float32[channels]
        The share of each channel's own rate in use, in the order of `Routing.channels`; empty if not counted. Not in records.
    host_accepted, host_accepted_gbps : float32[hosts]
        What each host accepts, as a share of its own rate and in Gbit/s; empty if not counted or unknown. Not in records.
    """

    record_name = "point"
    unrecorded = ("by_rate", "round_trip_mean", "replies", "channel_loads", "host_accepted", "host_accepted_gbps")

    offered: float
    accepted: float
    accepted_min: float
    latency_mean: float
    latency_ci95: float
    latency_p50: int
    latency_p99: int
    latency_p999: int
    hops_mean: float
    packets: int
    cycles: int
    saturated: bool
    source_mean: float = 0.0
    network_mean: float = 0.0
    link_mean: float = 0.0
    link_max: float = 0.0
    latency_mean_ns: float | None = None
    accepted_gbps: float | None = None
    by_rate: tuple[AcceptedByRate, ...] = field(default=(), compare=False)
    round_trip_mean: float | None = field(default=None, compare=False)
    replies: int = field(default=0, compare=False)
    channel_loads: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32), compare=False, repr=False)
    host_accepted: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32), compare=False, repr=False)
    host_accepted_gbps: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32), compare=False, repr=False)
    provenance: Provenance = field(default_factory=Provenance, compare=False, repr=False)

    def record(self) -> dict[str, Any]:
        """As `Result.record`; with what hosts of each rate accept where rates differ, and round trips of replies."""
        more: dict[str, Any] = {"by_rate": json_value(self.by_rate)} if self.by_rate else {}
        if self.round_trip_mean is not None:
            more |= {"round_trip_mean": self.round_trip_mean, "replies": self.replies}
        return super().record() | more


#: The columns of a table of points, in order: all that is equal in two equal runs.
POINT_COLUMNS = tuple(name for name, column in Point.__dataclass_fields__.items() if column.compare)
