"""The arrays of a fabric by what they have one entry of, and a part of a fabric."""

from dataclasses import replace

import numpy as np

from topoloom.fabric.fabric import Fabric, names_of_nodes
from topoloom.graph.planes import Plane
from topoloom.model.topology import Topology

#: The arrays of a fabric by what they have one entry of.
OF_SWITCHES = (
    "switch_guids",
    "switch_ports",
    "switch_lids",
    "switch_lmc",
    "switch_device",
    "switch_system",
    "switch_rack",
    "switch_unit",
)
OF_HOSTS = ("host_guids", "host_sizes", "host_device", "host_system", "host_rack", "host_unit")
PER_CABLE = ("width", "rate_gbps", "one_sided", "length_m", "part")
OF_LINKS = ("link_ports", *(f"link_{name}" for name in PER_CABLE))
OF_ENDPOINTS = (
    *("port_guids", "port_lids", "port_lmc", "endpoint_ports", "host_ports"),
    *(f"endpoint_{name}" for name in PER_CABLE),
)


def plane_of(topology: Topology, switches: np.ndarray, endpoints: np.ndarray, links: np.ndarray, name: str) -> Plane:
    """Some switches of a network, with some of their endpoints and of the links between them, and the hosts of these.

    Parameters
    ----------
    topology : Topology
    switches, endpoints, links : int64[n], int64[k], int64[m]
        Their numbers, ascending.
    name : str
        Of the part.

    Returns
    -------
    Plane
    """
    hosts, host = np.unique(topology.host[endpoints], return_inverse=True)
    part = Topology(
        links=np.searchsorted(switches, topology.links[links]),
        switches=switches.size,
        endpoints=np.searchsorted(switches, topology.endpoints[endpoints]),
        host=host.reshape(-1),
        labels={key: values[switches] for key, values in topology.labels.items()},
        name=name,
        **topology.rates_of(links, endpoints),
    )
    return Plane(part, switches, endpoints, hosts.astype(np.int64), links)


def part_of(fabric: Fabric, plane: Plane) -> Fabric:
    """The switches, hosts and cables of a part of a fabric.

    Parameters
    ----------
    fabric : Fabric
    plane : Plane
        A part of its topology.
    """
    inside = np.isin(fabric.loops[:, 0], plane.switches)
    loops = fabric.loops[inside].copy()
    loops[:, 0] = np.searchsorted(plane.switches, loops[:, 0])
    return replace(
        fabric,
        topology=plane.topology,
        switch_names=tuple(fabric.switch_names[s] for s in plane.switches.tolist()),
        host_names=tuple(fabric.host_names[h] for h in plane.hosts.tolist()),
        loops=loops,
        switch_port_names=names_of_nodes(fabric.switch_port_names, plane.switches),
        host_port_names=names_of_nodes(fabric.host_port_names, plane.hosts),
        **{name: getattr(fabric, name)[plane.switches] for name in OF_SWITCHES},
        **{name: getattr(fabric, name)[plane.hosts] for name in OF_HOSTS},
        **{name: getattr(fabric, name)[plane.links] for name in OF_LINKS},
        **{name: getattr(fabric, name)[plane.endpoints] for name in OF_ENDPOINTS},
    )
