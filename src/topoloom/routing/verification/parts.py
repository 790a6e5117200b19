"""The parts of a network that the verifier follows: its planes, which no path leaves, and planes that are equal only once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from topoloom.graph.planes import plane_count, planes_of
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.choices import Layers
from topoloom.routing.plane_layers import PlaneLayers
from topoloom.routing.routing import Routing, carriers_of

#: The ports and the virtual channels, if any, of one layer of tables.
Table = tuple[np.ndarray, np.ndarray | None]


@dataclass(eq=False)
class FollowedPart:
    """A plane with the planes that are equal to it, or a whole network.

    Attributes
    ----------
    topology : Topology
        Of one of the equal planes.
    places : list of int64[m]
        The switches of each of the equal planes in the whole network, ascending.
    table : callable (int) -> (ports, virtual channels or None)
        The tables of a layer, between the switches of one of the planes.
    destinations : int64[k]
        The destinations to follow, as numbers of `topology`.
    """

    topology: Topology
    places: list[np.ndarray]
    table: Callable[[int], Table]
    destinations: np.ndarray

    @cached_property
    def channels(self) -> Channels:
        """The channels of one of the planes."""
        return channels_of(self.topology)

    @cached_property
    def carriers(self) -> np.ndarray:
        """Switches of one of the planes that send and receive data."""
        return carriers_of(self.topology)

    def equals(self, other: "FollowedPart", layers: int) -> bool:
        """Whether links, switches with hosts and the tables of every layer are the same, entry for entry."""
        if self.topology.switches != other.topology.switches or not (
            np.array_equal(self.topology.links, other.topology.links) and np.array_equal(self.carriers, other.carriers)
        ):
            return False
        return all(
            _same(entries, others)
            for layer in range(layers)
            for entries, others in zip(self.table(layer), other.table(layer), strict=True)
        )


def _same(first: np.ndarray | None, second: np.ndarray | None) -> bool:
    if first is None or second is None:
        return first is second
    return first is second or np.array_equal(first, second)


def layer_count(routing: Routing) -> int:
    """The number of layers of tables."""
    return 1 + (len(routing.choice.ports) if isinstance(routing.choice, Layers) else 0)


def table_virtual_channels(routing: Routing, layer: int) -> np.ndarray | None:
    """The virtual channels of a layer of the whole network, uint8[n, n]; None: all packets use virtual channel 0."""
    own = routing.choice.virtual_channels if layer and isinstance(routing.choice, Layers) else None
    return routing.virtual_channels if own is None else own[layer - 1]


def _ports_of(routing: Routing, layer: int) -> np.ndarray:
    """The ports of a layer of the whole network."""
    return routing.choice.ports[layer - 1] if layer and isinstance(routing.choice, Layers) else routing.ports


def tables_of_layer(routing: Routing, layer: int) -> Table:
    """The tables of a layer of the whole network; those of planes are made for this call."""
    return _ports_of(routing, layer), table_virtual_channels(routing, layer)


def whole_part(routing: Routing, destinations: np.ndarray | None = None) -> FollowedPart:
    """The whole network as one part; parameters are those of `parts_to_follow`."""
    every = np.arange(routing.topology.switches)
    wanted = every if destinations is None else destinations
    return FollowedPart(routing.topology, [every], partial(tables_of_layer, routing), wanted)


def parts_to_follow(routing: Routing, destinations: np.ndarray | None = None) -> list[FollowedPart]:
    """The parts of a network to follow: one per kind of planes, or the whole network if it has no planes.

    Two planes are of one kind if their links, their switches with hosts and all their tables are equal: then every path of one
    is a path of the other, so their verifications are equal. With `destinations`, every plane is a part.

    Parameters
    ----------
    routing : Routing
    destinations : int64[k], optional
        Only these are followed, in the numbers of the whole network; all when omitted.

    Returns
    -------
    list of FollowedPart

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> [len(part.places) for part in parts_to_follow(route(build("petersen:hosts=1+planes:count=3"), "minimal"))]
    [3]
    """
    topology = routing.topology
    if plane_count(topology) < 2:
        return [whole_part(routing, destinations)]
    layers, parts = layer_count(routing), list[FollowedPart]()
    for number, plane in enumerate(planes_of(topology)):
        switches = plane.switches
        wanted = np.arange(switches.size)
        if destinations is not None:
            wanted = np.searchsorted(switches, destinations[np.isin(destinations, switches)])
        part = FollowedPart(plane.topology, [switches], _tables_within(routing, number, switches), wanted)
        like = (
            None if destinations is not None else next((other for other in parts if other.equals(part, layers)), None)
        )
        if like is None:
            parts.append(part)
        else:
            like.places.append(switches)
    return parts


def _tables_within(routing: Routing, plane: int, switches: np.ndarray) -> Callable[[int], Table]:
    """The tables of each layer between the switches of a plane: the arrays that `PlaneLayers` keep, or copies."""
    more: Sequence[np.ndarray] = routing.choice.ports if isinstance(routing.choice, Layers) else ()
    places = more.places if isinstance(more, PlaneLayers) else ()
    shared = plane < len(places) and np.array_equal(places[plane], switches)
    at = np.ix_(switches, switches)

    def table(layer: int) -> Table:
        own = table_virtual_channels(routing, layer)
        ports = more.of_plane(plane)[layer - 1] if layer and shared and isinstance(more, PlaneLayers) else None
        ports = _ports_of(routing, layer)[at] if ports is None else ports
        return ports, None if own is None else own[at]

    return table
