"""One point of a load curve: what was measured at one offered load."""

from dataclasses import dataclass, field

import numpy as np

from topoloom.model.results import Provenance, Result


@dataclass(frozen=True)
class Point(Result):
    """What hosts got at one offered load, and how long it took.

    Attributes
    ----------
    offered, accepted, accepted_min : float
        Flits a host and cycle: what sources make, what hosts get on average, and the host that gets least. Patterns in which
        some hosts are silent count those that send and those that receive.
    latency_mean, latency_ci95 : float
        Cycles from a packet's creation to its last flit's arrival; half the width of its 95 % confidence interval by batch
        means.
    latency_p50, latency_p99, latency_p999 : int
        Cycles; the histogram's last place where longer.
    hops_mean : float
        Routers on the path, both ends' included.
    packets : int
        Measured.
    cycles : int
        Simulated in all.
    saturated : bool
        Whether hosts get less than sources make, so that latency has no limit.
    source_mean, network_mean : float
        Cycles of `latency_mean` in the source's queue, and from injection to arrival.
    link_mean, link_max : float
        Flits a cycle on the channels between switches: their mean, and the busiest channel's.
    latency_mean_ns : float, optional
        `latency_mean` in nanoseconds, where the router says how long a cycle takes.
    accepted_gbps : float, optional
        `accepted` in Gbit/s a host, where the router says how many bits a flit has, too.
    channel_loads : float32[channels]
        Flits a cycle on each of them, in the order of `Routing.channels`; empty where nobody counted them. Not in records.
    """

    record_name = "point"
    unrecorded = ("channel_loads",)

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
    channel_loads: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32), compare=False, repr=False)
    provenance: Provenance = field(default_factory=Provenance, compare=False, repr=False)


#: What a table of points shows of each, in its order: all that two equal runs have alike.
POINT_COLUMNS = tuple(name for name, one in Point.__dataclass_fields__.items() if one.compare)
