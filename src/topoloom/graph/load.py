"""Channel load under uniform traffic, and how many hosts per switch can carry at full bandwidth.

A channel is one direction of a link. Uniform: every host sends the same to every other host. Where no switch carries
hosts, every switch stands for one. A host with several ports counts once a port; where its ports are in several planes, it
spreads what it sends evenly over them, so that each port sends to those of its own plane.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.graph.path_lengths import carrier_distance_sum
from topoloom.graph.planes import distinct_planes, plane_count
from topoloom.model.link_rates import refuse_mixed
from topoloom.model.topology import Topology

_LANES = 16


def full_bandwidth_hosts(topology: Topology, jobs: int | None = None) -> float:
    """Hosts on each host-carrying switch at which the channels just sustain uniform minimal traffic at full rate.

    With p hosts on each of h switches, a channel carries ``p^2 D / (2 m)`` routes on average when D is the sum of hops
    over ordered pairs of those switches, against the ``p h`` hosts that send at full rate; they meet at
    ``p = 2 m h / D``. For diameter 2 this is k' N_r / (2 N_r - k' - 2).

    Returns
    -------
    float
        Not rounded; inf for a single switch, 0 when the switches do not all reach each other. Of several planes that of the
        worst: ports of hosts on each switch.

    Source: Besta 2014 (Slim Fly), II.B.2, errata of Besta 2014, 4. When only some switches carry hosts, only those send
    and receive;
    when none does, all do.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 5) for i in range(5)], switches=5)
    >>> round(full_bandwidth_hosts(ring), 4)  # 2 * 5 / (2 * 5 - 2 - 2)
    1.6667
    """
    refuse_mixed(topology, "full_bandwidth_hosts")
    if plane_count(topology) > 1:
        return min(full_bandwidth_hosts(plane.topology, jobs) for plane, _ in distinct_planes(topology))
    carriers, hops = carrier_distance_sum(topology, jobs)
    return 2 * len(topology.links) * carriers / hops if hops else math.inf


def average_channel_load(topology: Topology, jobs: int | None = None) -> float:
    """Routes over a channel, on average, with one route for each ordered pair of hosts.

    (2 N_r - k' - 2) p^2 / k' for diameter 2; in general all hops over all channels. Exact when the switches that carry
    hosts carry as many; inf when they do not all reach each other, 0 without links. Of several planes that of the most loaded,
    with a route for each ordered pair of its ports.

    Source: Besta 2014, II.B.2.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 5) for i in range(5)], switches=5)
    >>> average_channel_load(ring.with_hosts(2))  # (2 * 5 - 2 - 2) * 2^2 / 2
    12.0
    """
    if not len(topology.links):
        return 0.0
    if plane_count(topology) > 1:
        return max(average_channel_load(plane.topology, jobs) for plane, _ in distinct_planes(topology))
    carriers, hops = carrier_distance_sum(topology, jobs)
    per_switch = topology.endpoints.size / carriers if topology.endpoints.size else 1.0
    return per_switch**2 * hops / (2 * len(topology.links))


@dataclass(frozen=True, eq=False)
class ChannelLoads:
    """What each channel carries when every pair's traffic is split evenly over its shortest paths.

    Attributes
    ----------
    loads : float64[m, 2]
        Routes over each link, from its lower end to its higher and back, with one route an ordered pair of hosts.
    hosts : int
        How many hosts send (switches, when there are no hosts); of several planes the ports in the plane with the fewest.
    """

    loads: np.ndarray
    hosts: int

    @property
    def mean(self) -> float:
        """Mean over the channels; 0 without links."""
        return float(self.loads.mean()) if self.loads.size else 0.0

    @property
    def greatest(self) -> float:
        """The load of the busiest channel; 0 without links."""
        return float(self.loads.max()) if self.loads.size else 0.0

    @property
    def saturation(self) -> float:
        """The share of full rate, at most 1, at which the busiest channel is full; hosts are as fast as links.

        A host at full rate spreads one unit over all `hosts` destinations, so a channel takes loads / hosts.
        """
        return min(1.0, self.hosts / self.greatest) if self.greatest else 1.0


def channel_loads(topology: Topology, jobs: int | None = None) -> ChannelLoads:
    """The exact load of every channel under uniform traffic split evenly over all shortest paths.

    One breadth-first search and its accumulation a host-carrying switch: 0.4 ms each at 10,000 switches of degree 16.

    Raises
    ------
    InputError
        The topology is disconnected between hosts, and its parts are no planes.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 5) for i in range(5)], switches=5)
    >>> channel_loads(ring).loads[0].tolist()
    [3.0, 3.0]
    """
    refuse_mixed(topology, "channel_loads")
    from topoloom.graph.connectivity import components
    from topoloom.graph.kernels.paths import add_loads

    on_switch = topology.endpoints_at if topology.endpoints.size else np.ones(topology.switches, np.int64)
    carriers = np.flatnonzero(on_switch)
    part = components(topology)
    if np.unique(part[carriers]).size > 1 and plane_count(topology) < 2:
        raise InputError(f"{topology.name}: some hosts do not reach each other; loads need a connected network")
    offsets, neighbours, link = topology.csr
    demand = on_switch.astype(np.float64)
    # A fixed number of partial sums, added in order, makes the last digit independent of the number of threads.
    partial = np.zeros((min(_LANES, carriers.size), len(topology.links), 2))

    def add(lanes: Iterator[int]) -> None:
        for lane in lanes:
            add_loads(offsets, neighbours, link, carriers[lane::_LANES], demand, partial[lane])

    over_cores(add, len(partial), jobs)
    senders = np.bincount(part, on_switch)
    return ChannelLoads(partial.sum(axis=0), int(senders[senders > 0].min()))
