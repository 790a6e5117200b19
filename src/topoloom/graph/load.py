"""Channel load under uniform traffic, and how many hosts a switch can carry at full bandwidth."""

import math

from topoloom.graph.distances import carrier_distance_sum
from topoloom.topology import Topology


def full_bandwidth_hosts(topology: Topology) -> float:
    """Hosts on each host-carrying switch at which the channels just sustain uniform minimal traffic at full rate.

    With p hosts on each of h switches, every host sending one unit spread over all switches' hosts, a directed channel
    carries ``p^2 D / (2 m)`` on average when D is the sum of hops over ordered pairs of those switches, against the
    ``p h`` that a channel may carry; they meet at ``p = 2 m h / D``. For diameter 2 this is k' N_r / (2 N_r - k' - 2).

    Returns
    -------
    float
        Not rounded; inf for a single switch, 0 when the switches do not all reach each other.

    Source: 004 (Slim Fly), II.B.2, errata 004.4. When only some switches carry hosts, only those send and receive;
    when none does, all do.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 5) for i in range(5)], switches=5)
    >>> round(full_bandwidth_hosts(ring), 4)  # 2 * 5 / (2 * 5 - 2 - 2)
    1.6667
    """
    carriers, hops = carrier_distance_sum(topology)
    return 2 * len(topology.links) * carriers / hops if hops else math.inf
