"""Ports of hosts with several ports, in planes or on rails: which ports of two hosts reach each other."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.connectivity import components
from topoloom.model.topology import Topology


def ports_by_host(topology: Topology) -> np.ndarray:
    """The endpoints of each host, int32[hosts, ports].

    Ports with the same index reach each other: they are sorted by plane, and in a plane by switch.

    Raises
    ------
    InputError
        Hosts have different numbers of ports, or ports in different planes.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> ports_by_host(build("complete:n=2,hosts=1+planes:count=3")).tolist()
    [[0, 2, 4], [1, 3, 5]]
    """
    hosts, endpoints = topology.hosts, topology.endpoints.size
    count = np.bincount(topology.host, minlength=hosts)
    if (count != count[:1]).any():
        raise InputError(
            f"{topology.name}: hosts have {count.min()} to {count.max()} ports; a simulation needs the same number for all"
        )
    if hosts == endpoints:
        return np.argsort(topology.host, kind="stable").reshape(hosts, -1 if hosts else 1).astype(np.int32)
    part = components(topology)[topology.endpoints]
    ports = np.lexsort((np.arange(endpoints), part, topology.host)).reshape(hosts, count[0])
    if (part[ports] != part[ports[0]]).any():
        raise InputError(f"{topology.name}: hosts have different numbers of ports in the planes; simulate one plane")
    return ports.astype(np.int32)
