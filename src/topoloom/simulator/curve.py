"""What simulations find: points of a load curve."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """One offered load.

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
        Routers on the way, both ends' included.
    packets : int
        Measured.
    cycles : int
        Simulated in all.
    flit_hops_per_s : float
        Flits that left a router, a second of processor time.
    saturated : bool
        Whether hosts get less than sources make, so that latency has no limit.
    """

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
    flit_hops_per_s: float
    saturated: bool


@dataclass(frozen=True)
class LoadCurve:
    """Points by offered load, and what was simulated: the topology, the engine, the traffic, the preset and the seed."""

    topology: str
    engine: str
    traffic: str
    preset: str
    seed: int
    points: tuple[Point, ...]
