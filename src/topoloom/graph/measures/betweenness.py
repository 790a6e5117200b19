"""The betweenness of switches: the share of the pairs whose shortest paths pass a switch."""

import numpy as np

from topoloom.graph.measure_register import topology_measure
from topoloom.model.topology import Topology


def betweenness(topology: Topology) -> np.ndarray:
    """The betweenness of every switch, float64[n], from 0 to 1.

    For a switch, the mean over the ordered pairs of other switches of the share of their shortest paths that pass it (Freeman
    1977; computed as in Brandes 2001, O(n m)). Parallel links count once; pairs without a path count 0. It is 0 for one or two
    switches.

    Examples
    --------
    >>> betweenness(Topology(links=[(0, 1), (1, 2)], switches=3)).tolist()
    [0.0, 1.0, 0.0]
    """
    from topoloom.graph.kernels.brandes import betweenness_sums

    n = topology.switches
    if n < 3:
        return np.zeros(n)
    links = np.unique(np.sort(topology.links, axis=1), axis=0)
    offsets, neighbours, _ = Topology(links=links, switches=n).csr
    sums: np.ndarray = betweenness_sums(offsets, neighbours)
    return sums / ((n - 1) * (n - 2))


@topology_measure(
    "betweenness-max", "largest betweenness of a switch, as a share of pairs", over_planes=max, better="less"
)
def betweenness_max(topology: Topology) -> float:
    """The largest value of `betweenness`."""
    return float(betweenness(topology).max())


@topology_measure(
    "betweenness-mean", "mean betweenness of the switches, as a share of pairs", over_planes=max, better="less"
)
def betweenness_mean(topology: Topology) -> float:
    """The mean of `betweenness`; for a connected topology (ASPL - 1) / (n - 2)."""
    return float(betweenness(topology).mean())
