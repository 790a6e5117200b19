"""Hosts with several ports, in planes or on rails: traffic is between hosts, and each packet uses one of the ports."""

import contextlib
from dataclasses import replace

import numpy as np

from topoloom.graph.host_ports import ports_by_host
from topoloom.model.topology import Topology
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.scheduled import Placed
from topoloom.simulation.workloads.named import is_workload, load_workload
from topoloom.throughput.traffic import Loop, TablesNeededError, Trace, Traffic, traffic_of


def ports_of_hosts(topology: Topology) -> np.ndarray | None:
    """Return the endpoints of each host, int32[hosts, ports]; None where every host has one.

    Ports in the same position of two hosts reach each other: planes come one after the other, and within a plane the ports are
    in the order of their switches. Hosts are in the order of their first ports, as in a network with only these ports.

    Raises
    ------
    InputError
        Hosts differ in their number of ports, or in their planes.
    """
    if topology.hosts == topology.endpoints.size:
        return None
    ports = ports_by_host(topology)
    return np.asarray(ports[np.argsort(ports[:, 0])])


def traffic_between_hosts(text: str, network: Routing | Topology, seed: int) -> Traffic | Trace | Loop | Placed:
    """Return traffic between hosts, as from `traffic_of`; a host with several ports counts once, at its first port.

    Parameters
    ----------
    text : str
        A pattern and its settings, or a workload's file (`topoloom.simulation.workloads.named.WORKLOADS`).
    network : Routing or Topology
        Patterns that depend on tables use those to first ports.
    seed : int
        The seed of random choices.

    Returns
    -------
    Traffic, Trace, Loop or Placed
        The traffic; hosts are numbered as in `ports_of_hosts`.
    """
    if isinstance(text, str) and is_workload(text):
        return Placed(load_workload(text))
    topology = network if isinstance(network, Topology) else network.topology
    ports = ports_of_hosts(topology)
    if ports is None:
        return traffic_of(text, network, seed)
    rate = topology.endpoint_rate_gbps
    first = topology.replace(
        endpoints=topology.endpoints[ports[:, 0]],
        endpoint_rate_gbps=None if rate is None else rate[ports].sum(axis=1) if topology.mixed else rate[ports[:, 0]],
    )
    if isinstance(network, Topology):
        return traffic_of(text, first, seed)
    return traffic_of(text, replace(network, topology=first, verification=None), seed)


def check_simulated(topology: Topology, text: str, seed: int) -> tuple[str, ...]:
    """Refuse, before a network is routed, traffic that it cannot have: no hosts, or a pattern that does not fit.

    Parameters
    ----------
    topology : Topology
    text : str
        As for `traffic_between_hosts`.
    seed : int
        The seed of random choices.

    Returns
    -------
    tuple of str
        The notes of a workload's schedule; none for other traffic.

    Raises
    ------
    InputError
        As for `traffic_between_hosts`.
    """
    with contextlib.suppress(TablesNeededError):
        sent = traffic_between_hosts(text, topology, seed)
        return sent.schedule.notes if isinstance(sent, Placed) else ()
    return ()
