"""Draws a network: its blocks with their places, its switches with their names, and its links with ports, cables and loads."""

import numpy as np

from topoloom.cabling.cabling import cable
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.drawing.arranging import Arrangement, arranged
from topoloom.drawing.bundles import opening_scales
from topoloom.drawing.columns import packed
from topoloom.drawing.drawing import (
    Arranged,
    Cable,
    Drawing,
    DrawnBlocks,
    DrawnHosts,
    DrawnLabel,
    DrawnLinks,
    DrawnSwitches,
)
from topoloom.drawing.lost_names import MOST_VALUES, losable_labels, lost_names
from topoloom.drawing.port_names import NamedPorts, named_ports
from topoloom.drawing.structure import racks_part, structure_part
from topoloom.graph.planes import plane_count
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.network.losses import power_feeds
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing

#: Most links of a drawing.
MOST_LINKS = 2_000_000


def draw_network(
    network: NetworkSource,
    arrangement: Arranged = "structure",
    *,
    engine: str | None = None,
    floor: str | None = None,
    jobs: int | None = None,
    work: Work | None = None,
) -> Drawing:
    """A network as blocks in blocks, so that its structure is seen.

    Parameters
    ----------
    network : NetworkSource
        With its names, racks and cables where it has them.
    arrangement : "structure" or "racks"
        structure: planes, tiers, pods, groups, rings and lattices, by the labels of its family; racks: by the floor.
    engine : str, optional
        Add the loads of links by the tables of this engine.
    floor : str, optional
        For `racks`, the floor of a network without a layout; ``slimfly-2014`` when omitted.
    jobs : int, optional
        Threads; one per core if None.
    work : Work, optional
        Deadline, progress, cancellation.

    Returns
    -------
    Drawing

    Raises
    ------
    InputError
        The network has more than 2,000,000 links; or it cannot be placed or routed.

    Examples
    --------
    >>> drawing = draw_network("fat-tree:k=4")
    >>> drawing.blocks.name[:4], drawing.switch_name(0), drawing.switch_name(19)
    (('fat-tree(k=4)', 'core', 'pods', 'pod 0'), 'leaf 0', 'core 19')
    """
    opened = network_of(network, "draw_network")
    topology = opened.topology
    if len(topology.links) > MOST_LINKS:
        raise InputError(
            f"{opened.source}: {len(topology.links):,} links are too many for a drawing (at most {MOST_LINKS:,})"
        )
    if floor is not None and arrangement != "racks":
        raise InputError(f"`floor` {floor}: only the arrangement 'racks' stands on a floor; omit it")
    if arrangement == "racks":
        opened = opened.with_layout(floor, **({} if opened.layout is not None else {"map": "rows"}))
        part = racks_part(opened.part(Layout))
    else:
        part = structure_part(topology, opened.layout)
    places = arranged(part, topology.switches)
    labels, ports = losable_labels(topology), named_ports(opened)
    tables = opened.with_tables(engine, jobs=jobs, work=work).part(Routing) if engine is not None else None
    return Drawing(
        arrangement=arrangement,
        switches=topology.switches,
        hosts=topology.hosts,
        links=len(topology.links),
        planes=max(1, plane_count(topology)),
        width=float(places.rect[0, 2]),
        height=float(places.rect[0, 3]),
        blocks=_blocks(places, topology, labels),
        switch=_switches(places, opened, labels, ports),
        host=_hosts(opened, ports),
        link=_links(opened, tables, ports),
        provenance=provenance_of(
            topology,
            engine="" if tables is None else tables.engine,
            settings={"arrangement": arrangement, "floor": floor},
        ),
    )


def _blocks(places: Arrangement, topology: Topology, labels: dict[str, np.ndarray]) -> DrawnBlocks:
    scales = opening_scales(places.parent, places.depth, places.rect, places.block, places.side, topology.links)
    left, top, width, height = (packed(places.rect[:, at]) for at in range(4))
    return DrawnBlocks(
        kind=tuple(part.kind for part in places.parts),
        name=tuple(part.name for part in places.parts),
        parent=packed(places.parent),
        left=left,
        top=top,
        width=width,
        height=height,
        opens=packed(scales),
        side=packed(places.side),
        loss=lost_names(topology, places, labels),
    )


def _switches(
    places: Arrangement, network: Network, labels: dict[str, np.ndarray], ports: NamedPorts | None
) -> DrawnSwitches:
    roles = [part.role for part in places.parts]
    names = tuple(dict.fromkeys(roles[block] for block in np.unique(places.block).tolist()))
    role = np.array([names.index(each) if each in names else 0 for each in roles])
    layout, fabric = network.layout, network.cabled
    racks, rack = (
        np.unique(network.racks, return_inverse=True)
        if layout is None
        else (np.array(layout.rack_names), np.asarray(layout.rack))
    )
    values = {name: np.unique(texts).tolist() for name, texts in labels.items()}
    return DrawnSwitches(
        block=packed(places.block),
        x=packed(places.point[:, 0]),
        y=packed(places.point[:, 1]),
        role=packed(role[places.block]),
        roles=names,
        names=None if fabric is None else fabric.switch_names,
        rack=packed(rack.reshape(-1)) if any(racks) else None,
        racks=tuple(racks.tolist()) if any(racks) else (),
        feeds=power_feeds(network),
        labels=tuple(
            DrawnLabel(name=name, values=tuple(sorted(texts, key=lambda text: (len(text), text))))
            for name, texts in values.items()
            if len(texts) <= MOST_VALUES
        ),
        ports=() if ports is None else ports.names,
    )


def _hosts(network: Network, named: NamedPorts | None) -> DrawnHosts:
    topology, plugs = network.topology, network.plugs
    ports = topology.endpoint_ports if plugs is None else plugs.endpoint
    names = () if network.cabled is None and network.layout is None else network.fabric.host_names
    plain = not names or names == tuple(f"H{number}" for number in range(topology.hosts))
    return DrawnHosts(
        at=packed(topology.endpoints_at),
        host=packed(topology.host),
        port=None if np.array_equal(ports, topology.endpoint_ports) else packed(ports),
        names=None if plain else names,
        port_name=None if named is None else packed(named.endpoint),
    )


def _links(network: Network, tables: Routing | None, named: NamedPorts | None) -> DrawnLinks:
    topology, plugs = network.topology, network.plugs
    links = topology.links
    ports = topology.link_ports if plugs is None else plugs.link
    own = np.array_equal(ports, topology.link_ports)
    number, kinds = _cables(network)
    load = None
    if tables is not None and tables.verification is not None:
        most = np.zeros(len(links), np.float64)
        np.maximum.at(most, topology.csr[2], tables.verification.channel_load)
        load = packed(most)
    return DrawnLinks(
        first=packed(np.bincount(links[:, 0], minlength=topology.switches)),
        to=packed(links[:, 1]),
        port=None if own else packed(ports[:, 0]),
        to_port=None if own else packed(ports[:, 1]),
        port_name=None if named is None else packed(named.link[:, 0]),
        to_port_name=None if named is None else packed(named.link[:, 1]),
        cable=None if number is None else packed(number),
        cables=kinds,
        load=load,
    )


def _cables(network: Network) -> tuple[np.ndarray | None, tuple[Cable, ...]]:
    """The kind of each link's cable, and all kinds; None where neither products, lengths nor rates are known."""
    topology, count = network.topology, len(network.topology.links)
    product, names = np.zeros(count, np.int64), np.array([""])
    length_m = np.full(count, np.nan)
    if network.layout is not None and count:
        cables = cable(network)
        names = np.array([each.title for each in cables.bought.parts.cable])
        between = ~cables.to_host
        product[cables.link[between]] = cables.bought.product[between]
        length_m[cables.link[between]] = cables.length_m[between]
    elif network.cables is not None or network.lengths is not None:
        if network.cables is not None:
            names, product = np.unique(np.array(network.cables.product, object), return_inverse=True)
        if network.lengths is not None:
            length_m = network.lengths.link_m
    rate = np.full(count, np.nan) if topology.link_rate_gbps is None else topology.link_rate_gbps
    if not any(names) and np.isnan(length_m).all() and np.isnan(rate).all():
        return None, ()
    # Lengths to the centimetre: a floor states no more, and few kinds of cables remain.
    rows = np.stack([product.reshape(-1), np.round(100 * length_m), np.round(1000 * rate)], axis=1)
    kinds, number = np.unique(np.nan_to_num(rows, nan=-1.0), axis=0, return_inverse=True)
    made = tuple(
        Cable(
            product=str(names[int(each)]),
            length_m=None if length < 0 else length / 100,
            rate_gbps=None if gbps < 0 else gbps / 1000,
        )
        for each, length, gbps in kinds.tolist()
    )
    return number.reshape(-1), made
