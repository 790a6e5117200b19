"""What simulations find: points of a load curve."""

from dataclasses import dataclass, field

import numpy as np

from topoloom.simulator.config import RouterConfig


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
    source_mean, network_mean : float
        Cycles of `latency_mean` in the source's queue, and from injection to arrival.
    link_mean, link_max : float
        Flits a cycle on the channels between switches: their mean, and the busiest channel's.
    channel_loads : float32[channels]
        Flits a cycle on each of them, in the order of `Routing.channels`; empty where nobody counted them.
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
    source_mean: float = 0.0
    network_mean: float = 0.0
    link_mean: float = 0.0
    link_max: float = 0.0
    channel_loads: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32), compare=False, repr=False)


@dataclass(frozen=True)
class LoadCurve:
    """Points by offered load, and what was simulated.

    Attributes
    ----------
    topology, engine, traffic, preset : str
        Names; the preset is "own" where a `RouterConfig` was given.
    seed : int
    points : tuple of Point
        In the order in which their loads were asked for.
    router : RouterConfig
        What the preset says, with all that was changed of it.
    ended : "done" or "interrupted"
        Interrupted: `points` are those that were finished.
    zero_load : float, optional
        Cycles that a packet takes in the empty network, where that was measured.
    """

    topology: str
    engine: str
    traffic: str
    preset: str
    seed: int
    points: tuple[Point, ...]
    router: RouterConfig = field(default_factory=RouterConfig)
    ended: str = "done"
    zero_load: float | None = None
