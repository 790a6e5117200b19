"""Tables of a network of several planes: each plane is routed separately, and the tables are combined."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.planes import Plane, plane_count, planes_of
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.choices import Adaptive, Detour, Layers, NextHopGroups
from topoloom.routing.plane_layers import PlaneLayers
from topoloom.routing.routing import Routing


def joined_planes(
    topology: Topology, make: Callable[[Topology, Layout | None], Routing], layout: Layout | None = None
) -> Routing:
    """Combine the routings of the planes into one `Routing` of the whole network; switches of other planes have no port.

    Planes with the same links (and, if a layout is given, the same cable lengths) share their tables, which are made once.

    Parameters
    ----------
    topology : Topology
        A network of several planes, which no link connects.
    make : callable (Topology, Layout or None) -> Routing
        Routes one plane, given its layout.
    layout : Layout, optional
        The layout of the whole network.

    Returns
    -------
    Routing
        Without verification.

    Raises
    ------
    InputError
        The engine restricts the layers that pairs may take, or groups detours; such choices cannot be combined.
    """
    planes = planes_of(topology)
    routing_by_key: dict[str, Routing] = {}
    kinds: list[int] = []
    n = topology.switches
    whole: Routing | None = None
    ports = virtual_channels = None
    layered: dict[str, Sequence[np.ndarray]] = {}
    for plane in planes:
        key, own = _structure(plane), None
        if layout is not None:
            stated = layout.stated and layout.stated.part(plane.switches, plane.links, plane.endpoints)
            own = Layout(plane.topology, layout.floor, layout.slots, layout.slot[plane.switches], stated=stated)
            key += own.length_m.tobytes().hex()
        if key not in routing_by_key:
            routing_by_key[key] = make(plane.topology, own)
        routing = routing_by_key[key]
        layers = routing.choice.ports if isinstance(routing.choice, Layers) and _plain(routing.choice) else ()
        if not layers and (
            isinstance(routing.choice, Layers | NextHopGroups | Adaptive)
            or (isinstance(routing.choice, Detour) and routing.choice.group is not None)
        ):
            raise InputError(f"{topology.name}: engine {routing.engine} routes only one plane; give it a single plane")
        if ports is None:
            ports = np.full((n, n), np.iinfo(routing.ports.dtype).max, routing.ports.dtype)
            virtual_channels = None if routing.virtual_channels is None else np.zeros((n, n), np.uint8)
            whole = routing
        ports = ports.astype(np.promote_types(ports.dtype, routing.ports.dtype), copy=False)
        at = np.ix_(plane.switches, plane.switches)
        ports[at] = np.where(routing.ports == routing.none, np.iinfo(ports.dtype).max, routing.ports)
        layered[key] = layers
        kinds.append(list(layered).index(key))
        if len({len(tables) for tables in layered.values()}) > 1 or (layers and ports.dtype != routing.ports.dtype):
            raise InputError(
                f"{topology.name}: engine {routing.engine} makes different layers for different planes; give it a single plane"
            )
        if routing.virtual_channels is not None and virtual_channels is not None:
            virtual_channels[at] = routing.virtual_channels
    if whole is None or ports is None:
        raise InputError(f"{topology.name}: not a network of planes")
    if any(layered.values()):
        by_host = isinstance(whole.choice, Layers) and whole.choice.by_host
        more = PlaneLayers([plane.switches for plane in planes], kinds, list(layered.values()))
        whole = replace(whole, choice=Layers(more, by_host=by_host))
    return replace(
        whole,
        topology=topology,
        ports=ports,
        virtual_channels=virtual_channels,
        minimal=all(part.minimal for part in routing_by_key.values()),
    )


def _plain(choice: Layers) -> bool:
    """Whether every pair may take every layer, in the virtual channels of the first."""
    return choice.virtual_channels is None and choice.allowed is None


def distinct_tables(*routings: Routing) -> tuple[tuple[tuple[Routing, ...], int], ...]:
    """The different tables of the planes, by links, hosts and entries, each with the number of planes that have them.

    Parameters
    ----------
    *routings : Routing
        Tables of one network of planes; several if the ports of a switch use them in turn. A single one may have a table per
        host of a switch.

    Returns
    -------
    tuple of (tuple of Routing, int)
        The tables of a plane, one per routing of `routings` and without verification; and the number of planes that have them.
    """
    kinds: dict[tuple[str, bytes], tuple[tuple[Routing, ...], int]] = {}
    for plane, own in tables_of_planes(*routings):
        digest = hashlib.sha256()
        for table in own:
            digest.update(np.ascontiguousarray(table.ports).data)
        key = _structure(plane), digest.digest()
        first, count = kinds.get(key, (own, 0))
        kinds[key] = first, count + 1
    return tuple(kinds.values())


def tables_of_planes(*routings: Routing) -> Iterator[tuple[Plane, tuple[Routing, ...]]]:
    """Yield each plane of a network with its own tables, without verification; parameters are those of `distinct_tables`."""
    first = routings[0]
    layers = first.choice.ports if isinstance(first.choice, Layers) and first.by_host and first.paths == 1 else None
    shared = layers if len(routings) == 1 and isinstance(layers, PlaneLayers) else None
    tables = routings if shared is not None or len(routings) > 1 else first.host_paths
    for number, plane in enumerate(planes_of(first.topology)):
        at = np.ix_(plane.switches, plane.switches)
        own = [
            replace(
                routing,
                topology=plane.topology,
                ports=routing.ports[at],
                virtual_channels=None if routing.virtual_channels is None else routing.virtual_channels[at],
                choice=None if shared is not None else routing.choice,
                verification=None,
            )
            for routing in tables
        ]
        more = () if shared is None else shared.of_plane(number)
        yield plane, (*own, *(own[0].with_tables(ports=ports) for ports in more))


def one_of_equal_planes(routing: Routing) -> tuple[Routing, Plane] | None:
    """The tables of the first of several equal planes, and the plane; None for one plane, planes that differ, or a choice.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> single, plane = one_of_equal_planes(route(build("fat-tree:k=4,hosts=8+planes:count=2"), "fat-tree-hosts"))
    >>> single.topology.switches, plane.hosts.size, len(single.host_tables)
    (6, 8, 2)
    """
    if plane_count(routing.topology) < 2 or (routing.choice is not None and not routing.by_host):
        return None
    kinds = distinct_tables(routing)
    if len(kinds) > 1:
        return None
    (first, *more), _ = kinds[0]
    choice = Layers(tuple(table.ports for table in more), by_host=True) if more else None
    verification = routing.verification  # its virtual channels and hops are those of every plane
    plane = planes_of(routing.topology)[0]
    return replace(first, choice=choice, verification=verification), plane


def _structure(plane: Plane) -> str:
    """A key that is equal for planes with the same tables: links, endpoints and labels, except for a shift of group numbers."""
    topology = plane.topology
    group = topology.labels.get("group")
    if group is not None and group.dtype.kind == "i" and group.size:
        topology = topology.replace(labels={**topology.labels, "group": group - group.min()})
    return topology.digest
