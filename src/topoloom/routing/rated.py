"""Tables of networks whose links differ in rate: engines see a link of four times the rate as four parallel links.

Engines spread pairs evenly over channels. On such a copy of the network, a link of four times the rate gets four times the
pairs, whatever the engine.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.capacities import whole_capacities
from topoloom.model.link_rates import only_rate
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.choices import Layers
from topoloom.routing.routing import Routing, empty_ports

#: The most parallel links for one link; rates of a greater ratio are rounded.
_MOST_COPIES = 16


def rated_tables(
    topology: Topology, make: Callable[[Topology, Layout | None], Routing], layout: Layout | None = None
) -> Routing:
    """Return the tables that an engine makes for a connected network, with pairs spread by the rates of links.

    Parameters
    ----------
    topology : Topology
    make : callable (Topology, Layout or None) -> Routing
        The engine.
    layout : Layout, optional
        Of this topology.

    Returns
    -------
    Routing
        Where all links have the same rate, or where the engine does not take parallel links or lets packets choose among
        channels, those of the network itself.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> star = Topology(links=[(0, 1), (0, 1), *((1, leaf) for leaf in range(2, 11))], switches=11)
    >>> rated = route(star.with_rates([400, 100] + [100] * 9), "minimal")  # which uses this function
    >>> np.bincount(rated.ports[1:, 0]).tolist()  # from switch 0 to ten others, over its two cables
    [8, 2]
    """
    equal = equal_links(topology)
    if equal is None:
        return make(topology, layout)
    own = None if layout is None else Layout(equal.copy, layout.floor, layout.slots, layout.slot)
    try:
        routed = make(equal.copy, own)
    except InputError:
        return make(
            topology, layout
        )  # either the engine does not take parallel links, or its message is about the network
    choice = routed.choice
    if choice is not None and not isinstance(choice, Layers):
        return make(topology, layout)
    if isinstance(choice, Layers):
        choice = replace(choice, ports=tuple(map(equal.ports, choice.ports)))
    return replace(routed, topology=topology, ports=equal.ports(routed.ports), choice=choice)


@dataclass(frozen=True, eq=False)
class EqualLinks:
    """A network with rates, and its copy whose links all have the same rate.

    Attributes
    ----------
    topology : Topology
    copy : Topology
        Each link of k times the rate is k parallel links, without rates.
    link : int64[links of the copy]
        The link of `topology` that each link of the copy is part of.
    """

    topology: Topology
    copy: Topology
    link: np.ndarray

    def ports(self, ports: np.ndarray) -> np.ndarray:
        """Return tables of the copy (uint[n, n]) with the ports of the network itself."""
        none, made = np.iinfo(ports.dtype).max, empty_ports(self.topology)
        filled = ports != none
        channel = self.copy.csr[0][:-1][None, :] + np.where(filled, ports, 0)
        made[filled] = self._port[channel[filled]]
        return made

    @cached_property
    def _port(self) -> np.ndarray:
        """The port of each channel of the copy in the network itself, int64[channels of the copy]."""
        topology = self.topology
        position = np.arange(2 * len(topology.links)) - np.repeat(topology.csr[0][:-1], topology.degrees)
        port = np.empty(position.size, np.int64)
        port[_link_and_side(topology)] = position
        key = _link_and_side(self.copy)
        return np.asarray(port[2 * self.link[key // 2] + key % 2])


def equal_links(topology: Topology) -> EqualLinks | None:
    """Return the copy of a network whose links all have the same rate; None where they have it already."""
    rates = topology.link_rate_gbps
    if rates is None or only_rate(rates) is not None:
        return None
    link = np.repeat(np.arange(rates.size), whole_capacities(rates, _MOST_COPIES))
    copy = replace(topology, links=topology.links[link], link_rate_gbps=None, endpoint_rate_gbps=None)
    return EqualLinks(topology, copy, link)


def _link_and_side(topology: Topology) -> np.ndarray:
    """For each channel, twice the number of its link, plus 1 where it begins at the link's higher end: int64[2 m]."""
    link = topology.csr[2].astype(np.int64)
    origin = np.repeat(np.arange(topology.switches), topology.degrees)
    return np.asarray(2 * link + (origin != topology.links[link, 0]))
