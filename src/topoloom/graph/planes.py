"""Planes: the parts of a network that no link joins, but its hosts do."""

from dataclasses import dataclass

import numpy as np

from topoloom.graph.connectivity import components
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class Plane:
    """One of them.

    Attributes
    ----------
    topology : Topology
        Its switches, links and endpoints alone; hosts are numbered again, in the order of the whole network's.
    switches : int64[n]
        The numbers of its switches in the whole network, ascending.
    endpoints : int64[k]
        Those of its endpoints.
    hosts : int64[h]
        Those of its hosts.
    links : int64[m]
        Those of its links, in the order of its topology's.
    """

    topology: Topology
    switches: np.ndarray
    endpoints: np.ndarray
    hosts: np.ndarray
    links: np.ndarray


def plane_count(topology: Topology) -> int:
    """How many planes there are; 0 where parts of the network are apart for hosts, too, and 1 for a connected network.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> ring = "ring:n=4,hosts=1"
    >>> [plane_count(build(spec)) for spec in (ring, f"{ring}+planes:count=3", "ring:n=4+planes:count=3")]
    [1, 3, 0]
    """
    part = components(topology)
    count = int(part.max()) + 1
    if count == 1:
        return 1
    # Parts that share hosts, and what shares hosts with them, until nothing changes: joined at their first part.
    of_port = part[topology.endpoints]
    if np.unique(of_port).size < count:
        return 0
    joined = np.arange(count)
    while True:
        least = np.full(topology.hosts, count)
        np.minimum.at(least, topology.host, joined[of_port])
        new = joined.copy()
        np.minimum.at(new, of_port, least[topology.host])
        if np.array_equal(new, joined):
            return count if not joined.any() else 0
        joined = new


def planes_of(topology: Topology) -> tuple[Plane, ...]:
    """The parts of a network, each as a network of its own; their names say which of how many they are.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> [plane.topology.name for plane in planes_of(build("ring:n=4,hosts=1+planes:count=2"))]
    ['ring(n=4,hosts=1)+planes:count=2, plane 0', 'ring(n=4,hosts=1)+planes:count=2, plane 1']
    """
    part = components(topology)
    count = int(part.max()) + 1
    if count == 1:
        sizes = topology.switches, topology.endpoints.size, topology.hosts, len(topology.links)
        return (Plane(topology, *map(np.arange, sizes)),)
    number = np.empty(topology.switches, np.int64)
    order = np.argsort(part, kind="stable")
    begin = np.searchsorted(part[order], np.arange(count + 1))
    number[order] = np.arange(topology.switches) - begin[part[order]]
    found = []
    for index in range(count):
        switches = order[begin[index] : begin[index + 1]]
        endpoints = np.flatnonzero(part[topology.endpoints] == index)
        links = np.flatnonzero(part[topology.links[:, 0]] == index)
        hosts, host = np.unique(topology.host[endpoints], return_inverse=True)
        plane = Topology(
            links=number[topology.links[links]],
            switches=switches.size,
            endpoints=number[topology.endpoints[endpoints]],
            host=host.reshape(-1),
            labels={key: values[switches] for key, values in topology.labels.items() if key not in ("plane", "rail")},
            name=f"{topology.name}, plane {index}",
            **topology.rates_of(links, endpoints),
        )
        found.append(Plane(plane, switches, endpoints, hosts.astype(np.int64), links))
    return tuple(found)


def distinct_planes(topology: Topology) -> tuple[tuple[Plane, int], ...]:
    """The planes that differ in links or in where their hosts hang, each the first of its kind, with how many are alike.

    A network that is no planes is its own only one; of one that hosts do not join either, its parts are told.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> [(plane.topology.switches, count) for plane, count in distinct_planes(build("petersen:hosts=1+planes:count=3"))]
    [(10, 3)]
    """
    kinds: dict[str, tuple[Plane, int]] = {}
    for plane in planes_of(topology):
        key = plane.topology.replace(labels={}, endpoints=plane.topology.endpoints, host=plane.topology.host).digest
        first, count = kinds.get(key, (plane, 0))
        kinds[key] = first, count + 1
    return tuple(kinds.values())
