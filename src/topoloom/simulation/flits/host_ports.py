"""Hosts with several ports, in planes or on rails: traffic is between hosts, and each packet uses one of the ports."""

import contextlib
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.host_ports import ports_by_host
from topoloom.model.topology import Topology
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.scheduled import Placed
from topoloom.simulation.workloads.named import is_workload, load_workload
from topoloom.throughput.traffic import Loop, TablesNeededError, Trace, Traffic, traffic_of
from topoloom.throughput.traffic.given import between_hosts


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


def traffic_between_hosts(
    text: str | Traffic, network: Routing | Topology, seed: int
) -> Traffic | Trace | Loop | Placed:
    """Return traffic between hosts, as from `traffic_of`; a host with several ports counts once, at its first port.

    Parameters
    ----------
    text : str or Traffic
        A pattern and its settings, a workload's file (`topoloom.simulation.workloads.named.WORKLOADS`), or traffic; what it has
        between switches is between all their hosts.
    network : Routing or Topology
        Patterns that depend on tables use those to first ports.
    seed : int
        The seed of random choices.

    Returns
    -------
    Traffic, Trace, Loop or Placed
        The traffic; hosts are numbered as in `ports_of_hosts`.

    Raises
    ------
    InputError
        As for `traffic_of` and `load_workload`; traffic of another network, or too many pairs of hosts.
    """
    if isinstance(text, str) and is_workload(text):
        return Placed(load_workload(text))
    topology = network if isinstance(network, Topology) else network.topology
    ports = ports_of_hosts(topology)
    if isinstance(text, Traffic):
        own = topology.endpoints if ports is None else topology.endpoints[ports[:, 0]]
        if text.switches != topology.switches or not np.array_equal(text.switch, own):
            raise InputError(
                f"{topology.name}: traffic {text.name} is for {text.hosts} hosts on {text.switches} switches, and the network"
                f" has {own.size} on {topology.switches}, or others; make the traffic for this network"
            )
        return between_hosts(text)
    if ports is not None:
        rate = topology.endpoint_rate_gbps
        topology = topology.replace(
            endpoints=topology.endpoints[ports[:, 0]],
            endpoint_rate_gbps=None
            if rate is None
            else rate[ports].sum(axis=1)
            if topology.mixed
            else rate[ports[:, 0]],
        )
        network = topology if isinstance(network, Topology) else replace(network, topology=topology, verification=None)
    sent = traffic_of(text, network, seed)
    return between_hosts(sent) if isinstance(sent, Traffic) else sent


def check_simulated(topology: Topology, text: str | Traffic, seed: int) -> tuple[str, ...]:
    """Refuse, before a network is routed, traffic that it cannot have: no hosts, or a pattern that does not fit.

    Parameters
    ----------
    topology : Topology
    text : str or Traffic
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
