"""The order/radix problem: the h-ASPL and the h-diameter of a network, and their bounds for its hosts and ports."""

from topoloom.core.errors import InputError
from topoloom.graph.host_switch_bounds import h_aspl_bound, h_diameter_bound
from topoloom.graph.measure_register import topology_measure
from topoloom.model.topology import Topology


@topology_measure("h-aspl", "mean links between two hosts, with their own (order/radix problem)", "links")
def h_aspl(topology: Topology) -> float:
    """The average shortest path length between distinct hosts, which counts the links of both hosts.

    Raises
    ------
    InputError
        Fewer than two hosts.

    Examples
    --------
    >>> h_aspl(Topology(links=[(0, 1)], switches=2, endpoints=[0, 0, 1]))
    2.6666666666666665
    """
    from topoloom.graph.hops import hops

    return float(hops(_with_hosts(topology)).h_aspl or 0.0)


@topology_measure(
    "h-aspl-bound", "least h-aspl of any network with as many hosts and switches of as many ports", "links"
)
def h_aspl_least(topology: Topology) -> float:
    """The lower bound `h_aspl_bound` for the hosts of a network, and the most ports that one of its switches uses."""
    return h_aspl_bound(_with_hosts(topology).hosts, max(3, topology.radix))


@topology_measure(
    "h-diameter", "most links between two hosts, with their own (order/radix problem)", "links", over_planes=max
)
def h_diameter(topology: Topology) -> float:
    """The largest distance between two hosts, which counts the links of both hosts."""
    from topoloom.graph.hops import hops

    return float(hops(_with_hosts(topology)).host_diameter or 0.0) + 2


@topology_measure("h-diameter-bound", "least h-diameter of any network with as many hosts and ports", "links")
def h_diameter_least(topology: Topology) -> int:
    """The lower bound `h_diameter_bound` for the hosts of a network, and the most ports that one of its switches uses."""
    return h_diameter_bound(_with_hosts(topology).hosts, max(3, topology.radix))


def _with_hosts(topology: Topology) -> Topology:
    if topology.hosts < 2:
        raise InputError(f"{topology.name}: {topology.hosts} hosts; the order/radix problem needs two; give hosts=")
    return topology
