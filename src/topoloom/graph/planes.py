"""Planes: parts of a network that share hosts but no links."""

from dataclasses import dataclass

import numpy as np

from topoloom.graph.connectivity import components
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class Plane:
    """One plane of a network.

    Attributes
    ----------
    topology : Topology
        Its switches, links and endpoints; hosts are renumbered in the order of the whole network.
    switches : int64[n]
        The numbers of its switches in the whole network, ascending.
    endpoints : int64[k]
        The numbers of its endpoints in the whole network.
    hosts : int64[h]
        The numbers of its hosts in the whole network.
    links : int64[m]
        The numbers of its links in the whole network, in the order of its topology.
    """

    topology: Topology
    switches: np.ndarray
    endpoints: np.ndarray
    hosts: np.ndarray
    links: np.ndarray


def plane_count(topology: Topology) -> int:
    """The number of planes; 1 for a connected network, 0 if the components do not share hosts.

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
    # Merge parts that share hosts, directly or through others, into their first part until nothing changes.
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
    """The components of a network, each as a separate network; names contain the number of the plane.

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
    planes = []
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
        planes.append(Plane(plane, switches, endpoints, hosts.astype(np.int64), links))
    return tuple(planes)


def distinct_planes(topology: Topology) -> tuple[tuple[Plane, int], ...]:
    """The planes that differ in links or in places of hosts, each with the number of equal planes.

    A connected network is its only plane; for one without planes, the components are returned.

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
