"""A part of a machine's network: some of its switches and devices, each at its place and in its port."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from topoloom.fabric.fabric_parts import part_of, plane_of
from topoloom.network import Network
from topoloom.network.opening import as_network
from topoloom.placement.hosts.housing import housing_of_some
from topoloom.placement.layout.layout import Layout


def part_of_network(network: Network, switches: np.ndarray, endpoints: np.ndarray, links: np.ndarray) -> Network:
    """A part of a network in its layout, with its terms, and with the names and ports of the whole.

    Parameters
    ----------
    network : Network
        Of a machine.
    switches, endpoints, links : int64[...]
        The numbers of those that stay, ascending; devices stay with their endpoints.

    Returns
    -------
    Network
    """
    topology, layout = network.topology, network.part(Layout)
    plane = plane_of(topology, switches, endpoints, links, topology.name)
    keep = np.zeros(topology.hosts, bool)
    keep[plane.hosts] = True
    stated, slots, units, own_u = layout.stated, layout.host_slot, layout.host_at, layout.switch_u
    placed = replace(
        layout,
        topology=plane.topology,
        slot=layout.slot[switches],
        housing=None if layout.housing is None else housing_of_some(layout.housing, keep.tolist()),
        host_slot=None if slots is None else slots[keep],
        host_at=None if units is None else units[keep],
        switch_u=own_u[switches] if isinstance(own_u, np.ndarray) else own_u,
        stated=None if stated is None else stated.part(switches, links, endpoints),
    )
    cabled, terms = part_of(network.fabric, plane), network.terms
    readers: dict[str, Callable[[], Any]] = {"terms": lambda: terms, "layout": lambda: placed, "fabric": lambda: cabled}
    return replace(as_network(plane.topology), source=network.source, known=readers)
