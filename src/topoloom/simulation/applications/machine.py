"""A network with the rates and delays of the settings, for all simulators of schedules."""

from collections.abc import Sequence

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.platform import cable_m
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.collectives.delays import NetworkTiming
from topoloom.simulation.flows.network import flow_network
from topoloom.simulation.flows.state import FlowNetwork

BYTES_PER_GBIT = 1e9 / 8


def network_as_flows(routings: Sequence[Routing], settings: AppSettings, layout: Layout | None) -> FlowNetwork:
    """Return the network for the simulator flows, with the same settings as SimGrid's platform.

    Parameters
    ----------
    routings : sequence of Routing
    settings : AppSettings
    layout : Layout or None

    Raises
    ------
    InputError
        As for `topoloom.simulation.flows.network.flow_network`; a layout of another network.
    """
    rates = machine(routings[0].topology, settings, layout)
    return flow_network(
        routings,
        link_rate=(rates.rate_gbps if rates.link_gbps is None else rates.link_gbps) * BYTES_PER_GBIT,
        host_rate=(rates.host_rate_gbps if rates.port_gbps is None else rates.port_gbps) * BYTES_PER_GBIT,
        cable_s=rates.cable_s,
        switch_s=rates.switch_s,
        host_s=rates.host_s,
        inside_rate=settings.loopback_gbps * BYTES_PER_GBIT,
        inside_s=rates.inside_s,
        half_duplex=settings.duplex == "half",
    )


def machine(topology: Topology, settings: AppSettings, layout: Layout | None) -> NetworkTiming:
    """Return the rates and delays of a network by the settings; rates that differ within the network are its own.

    Parameters
    ----------
    topology : Topology
    settings : AppSettings
    layout : Layout or None

    Raises
    ------
    InputError
        A layout of another network.
    """
    if layout is not None and not np.array_equal(layout.topology.links, topology.links):
        raise InputError(f"{topology.name}: the layout is of another network")
    rate = settings.rate_gbps
    links, ports = (topology.link_rate_gbps, topology.endpoint_rate_gbps) if topology.mixed else (None, None)
    lengths = cable_m(len(topology.links), settings, layout)
    inside_m = layout.floor.inside_m if layout is not None else 0.0
    host_m = inside_m if settings.cable_m is None else settings.cable_m
    return NetworkTiming(
        rate_gbps=rate if links is None else float(links.max(initial=0.0)) or rate,
        host_rate_gbps=(settings.host_rate_gbps or rate) if ports is None else float(ports.max(initial=0.0)) or rate,
        cable_s=(lengths * settings.cable_ns_per_m + settings.link_ns) * 1e-9,
        switch_s=settings.switch_ns * 1e-9,
        host_s=(host_m * settings.cable_ns_per_m + settings.host_link_ns) * 1e-9,
        inside_s=settings.loopback_ns * 1e-9,
        link_gbps=links,
        port_gbps=ports,
    )
