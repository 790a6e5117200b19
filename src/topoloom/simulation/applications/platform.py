"""The binary file from which SimGrid's platform is built: switches, cables, hosts, and the tables' next hops."""

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.graph.host_ports import ports_by_host
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.channels import channels_of
from topoloom.routing.routing import Routing, carriers_of
from topoloom.simulation.applications.placement import switch_of_hosts
from topoloom.simulation.applications.settings import AppSettings

_BYTES_PER_GBIT = 1e9 / 8


def platform_bytes(
    routings: Sequence[Routing], settings: AppSettings, layout: Layout | None = None, cores: int = 1
) -> bytes:
    """Return the network in the format of platform.cpp, with tables for the first, the second, ... host of each switch.

    ``TLFABRIC``; int64[9]: switches, links, hosts, switches with hosts, tables, cores per host, 1 for half duplex, 1 for fair
    sharing of links, ports per host; float64[5]: operations per second, delay of a host's link, of a switch, bytes per second
    and delay within a host; then int32[links, 2] the links, float64[links] their delays, float64[links] their bytes per second,
    int32[hosts, ports] the switch of each port, float64[hosts, ports] its bytes per second, int32[carriers] the switches with
    hosts, and int32[tables, carriers, switches] the next hop towards each of them: twice the link, plus one where the link is
    traversed from its higher switch; -1 where no host's message passes. Delays are in seconds; numbers are little-endian.

    Parameters
    ----------
    routings : sequence of Routing
        The tables for the first, the second, ... host of each switch, in turn; one table serves all hosts. All are tables of
        the same network.
    settings : AppSettings
        Rates and delays of links, switches and hosts.
    layout : Layout, optional
        Gives the length of each cable; without it, all have the same length.
    cores : int
        Cores per host.

    Returns
    -------
    bytes
        The file's content.

    Raises
    ------
    InputError
        Tables that choose among paths, networks without hosts, hosts with more ports than others, or a layout of another
        network.
    """
    topology = routings[0].topology
    for routing in routings:
        if routing.choice is not None:
            raise InputError(
                f"engine {routing.engine} chooses among paths, but SimGrid's routes are fixed; use an engine of tables, such as"
                " orders or minimal, or the simulator flows, which follows next-hop groups"
            )
        if routing.topology != topology:
            raise InputError(f"{topology.name}: one of the tables is of another network, {routing.topology.name}")
    if layout is not None and not np.array_equal(layout.topology.links, topology.links):
        raise InputError(f"{topology.name}: the layout is of another network")
    carriers = np.flatnonzero(carriers_of(topology))
    if not carriers.size:
        raise InputError(f"{topology.name}: no hosts; add hosts, as in {topology.spec or 'SPEC'},hosts=4")
    delay_ns = cable_m(topology.links.shape[0], settings, layout) * settings.cable_ns_per_m + settings.link_ns
    inside_m = layout.floor.inside_m if layout is not None else 0.0
    host_m = inside_m if settings.cable_m is None else settings.cable_m
    host_ns = host_m * settings.cable_ns_per_m + settings.host_link_ns
    rates = (
        settings.speed_gflops * 1e9,
        host_ns * 1e-9,
        settings.switch_ns * 1e-9,
        settings.loopback_gbps * _BYTES_PER_GBIT,
        settings.loopback_ns * 1e-9,
    )
    flags = int(settings.duplex == "half"), int(settings.model == "plain")
    # With several ports per host, ports in the same position reach each other; with one port, it has the number of its host.
    several = topology.hosts < topology.endpoints.size
    switch = topology.endpoints[ports_by_host(topology)].ravel() if several else switch_of_hosts(topology)
    place = ports_by_host(topology).ravel() if several else np.argsort(topology.host)
    link_gbps = np.full(len(topology.links), settings.rate_gbps)
    port_gbps = np.full(topology.endpoints.size, settings.host_rate_gbps or settings.rate_gbps)
    if topology.mixed and topology.link_rate_gbps is not None and topology.endpoint_rate_gbps is not None:
        link_gbps, port_gbps = topology.link_rate_gbps, topology.endpoint_rate_gbps[place]
    ports = topology.endpoints.size // max(1, topology.hosts)
    counts = topology.switches, len(topology.links), topology.hosts, carriers.size, len(routings), cores, *flags, ports
    parts = [
        topology.links.astype("<i4"),
        (delay_ns * 1e-9).astype("<f8"),
        (link_gbps * _BYTES_PER_GBIT).astype("<f8"),
        switch.astype("<i4"),
        (port_gbps * _BYTES_PER_GBIT).astype("<f8"),
        carriers.astype("<i4"),
    ]
    parts += [_next_hops(topology, routing.ports, carriers).astype("<i4") for routing in routings]
    return b"TLFABRIC" + struct.pack("<9q5d", *counts, *rates) + b"".join(part.tobytes() for part in parts)


def layers_bytes(topology: Topology, ports: Sequence[np.ndarray]) -> bytes:
    """Return additional tables, for messages with their own paths, in the format of platform.cpp.

    ``TLLAYERS``; int64: layers; int32[layers, carriers, switches]: next hops, as in `platform_bytes`. Each port of a host then
    has an address in each layer, layer * number of all host ports + port; a message between two addresses of a layer leaves and
    arrives through these ports.

    Parameters
    ----------
    topology : Topology
    ports : sequence of uint8 or uint16[n, n]
        Tables as in `Routing.ports`, one per layer.

    Returns
    -------
    bytes
        The file's content, little-endian.
    """
    carriers = np.flatnonzero(carriers_of(topology))
    tables = (_next_hops(topology, table, carriers).astype("<i4").tobytes() for table in ports)
    return b"TLLAYERS" + struct.pack("<q", len(ports)) + b"".join(tables)


def write_fabric(
    path: Path, routings: Sequence[Routing], settings: AppSettings, layout: Layout | None = None, cores: int = 1
) -> None:
    """Write the result of `platform_bytes` to a file.

    Parameters
    ----------
    path : path
        The file.
    routings : sequence of Routing
        See `platform_bytes`.
    settings : AppSettings
        Rates and delays of links, switches and hosts.
    layout : Layout, optional
        Gives the length of each cable.
    cores : int
        Cores per host.

    Raises
    ------
    InputError
        As for `platform_bytes`.
    """
    write_atomically(path, platform_bytes(routings, settings, layout, cores))


def cable_m(links: int, settings: AppSettings, layout: Layout | None) -> np.ndarray:
    """Return the length of each link's cable, float64[links], in metres.

    Parameters
    ----------
    links : int
    settings : AppSettings
        Settings whose `cable_m`, if set, overrides the layout.
    layout : Layout or None
        Gives the lengths; without it, cables have length 0.

    Returns
    -------
    float64[links]
        The lengths in metres.
    """
    if settings.cable_m is not None:
        return np.full(links, float(settings.cable_m))
    return np.zeros(links) if layout is None else layout.length_m


def _next_hops(topology: Topology, table: np.ndarray, carriers: np.ndarray) -> np.ndarray:
    """Return the next hop of every switch to each carrier, int32[carriers, switches]: twice the link, plus one if reversed."""
    link = topology.csr[2]
    if not link.size:
        return np.full((carriers.size, topology.switches), -1)
    channels = channels_of(topology)
    switch = np.arange(topology.switches)
    ports = table[carriers].astype(np.int64)
    has_route = ports != np.iinfo(table.dtype).max
    place = channels.first[switch][None, :] + np.where(has_route, ports, 0)
    place = np.minimum(place, len(link) - 1)
    against = topology.links[link[place], 0] != switch[None, :]
    return np.where(has_route, 2 * link[place].astype(np.int64) + against, -1)
