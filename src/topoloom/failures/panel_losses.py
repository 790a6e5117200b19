"""What the loss of a cord, a trunk or a panel does to the hosts: all links that pass through it are lost."""

from collections.abc import Iterator, Sequence

import numpy as np

from topoloom.failures.largest_parts import largest_parts
from topoloom.failures.single_losses import Hosts, Left, uplinks_left
from topoloom.graph.connectivity import component_count
from topoloom.graph.planes import Plane
from topoloom.graph.spectrum import spectrum
from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology


def losses_of_links(
    hosts: Hosts, topology: Topology, planes: Sequence[Plane], links_of: Sequence[np.ndarray], most: int = 1
) -> Iterator[Left]:
    """Yield what the loss of each set of links leaves: of those that may disconnect switches, and of those that take most.

    Parameters
    ----------
    hosts : Hosts
    topology : Topology
        The whole network.
    planes : sequence of Plane
        All its planes.
    links_of : sequence of int64[...]
        The links of each unit, by its number.
    most : int
        How many of the worst units that do not disconnect anything are enough.

    Yields
    ------
    Left
    """
    links, n, relative = topology.links, topology.switches, capacities(topology)
    room = np.bincount(links.ravel(), np.repeat(relative.links, 2), n)
    host_share = hosts.rate / hosts.room[topology.host]
    weight = np.bincount(topology.endpoints, host_share, n) / np.maximum(room, 1.0)
    taken = relative.links * weight[links].sum(axis=1)
    sums = np.array([taken[lost].sum() for lost in links_of])
    # A set that is smaller than every cut between switches disconnects none.
    cut = min((_least_cut(plane.topology) for plane in planes if plane.topology.switches > 1), default=0.0)
    cutting = np.array([lost.size >= cut for lost in links_of], bool)
    worst = np.argsort(-sums, kind="stable")[:most]
    whole = Plane(topology, *map(np.arange, (n, topology.endpoints.size, topology.hosts, len(links))))
    shares_left = uplinks_left(topology)
    every, parts_before = np.ones(n, bool), component_count(topology)
    for unit in np.union1d(np.flatnonzero(cutting), worst).tolist():
        lost = links_of[unit]
        share = shares_left(lost)
        port = np.ones(topology.endpoints.size, bool)
        if cutting[unit]:
            keep = np.ones(len(links), bool)
            keep[lost] = False
            if component_count(topology.without_rates().replace(links=links[keep])) > parts_before:
                port = largest_parts(topology, planes, every, keep)[1][topology.endpoints]
        yield hosts.left(unit, whole, port, np.where(port, share[topology.endpoints], 0.0))


def _least_cut(topology: Topology) -> float:
    """A lower bound on the links that leave any part of a connected network.

    A single switch has its degree; a part of s of n switches at least a s (n - s) / n links, where a is the algebraic
    connectivity (Fiedler 1973), which is least for two switches. The exact number would take minutes.
    """
    n = topology.switches
    parts = 2 * (n - 2) / n * spectrum(topology).algebraic_connectivity if n > 3 else np.inf
    # Rounding errors must not let a cut of just this size pass.
    return float(min(topology.degrees.min(), parts - 1e-6))
