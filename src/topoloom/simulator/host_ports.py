"""Hosts with several ports, in planes or on rails: traffic is from host to host, and each packet takes one of the ports."""

from dataclasses import replace

import numpy as np

from topoloom.graph.host_ports import ports_by_host
from topoloom.routing.routing import Routing
from topoloom.simulator.scheduled import Placed
from topoloom.topology import Topology
from topoloom.traffic import Loop, Trace, Traffic, traffic_of
from topoloom.workloads.named import is_workload, load_workload


def ports_of_hosts(topology: Topology) -> np.ndarray | None:
    """The endpoints of each host, int32[hosts, ports]; None where every host has one.

    Ports of two hosts that stand in the same place reach each other: planes come one after the other, and in a plane the ports
    are in the order of their switches. Hosts come in the order of their first ports, as in a network of these ports alone.

    Raises
    ------
    InputError
        Some hosts have more ports than others, or in other planes.
    """
    if topology.hosts == topology.endpoints.size:
        return None
    ports = ports_by_host(topology)
    return np.asarray(ports[np.argsort(ports[:, 0])])


def traffic_between_hosts(text: str, routing: Routing, seed: int) -> Traffic | Trace | Loop | Placed:
    """Traffic from host to host, as `traffic_of` makes it; hosts with several ports count once, at their first one.

    Parameters
    ----------
    text : str
        A pattern and its settings, or a workload's file (`topoloom.workloads.named.WORKLOADS`).
    routing : Routing
        The network; patterns that go by tables take those to first ports.
    seed : int
        Of random choices.

    Returns
    -------
    Traffic, Trace, Loop or Placed
        Hosts are numbered as `ports_of_hosts` lists them.
    """
    if isinstance(text, str) and is_workload(text):
        return Placed(load_workload(text))
    topology = routing.topology
    ports = ports_of_hosts(topology)
    if ports is None:
        return traffic_of(text, routing, seed)
    first = topology.replace(endpoints=topology.endpoints[ports[:, 0]])
    return traffic_of(text, replace(routing, topology=first, verdict=None), seed)
