"""A network as a drawing: blocks in blocks, switches with their names, and links, so that its structure is seen."""

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import msgspec
import numpy as np

from topoloom.cabling.cabling import cable
from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.drawing.arranging import arranged
from topoloom.drawing.bundles import Bundles, bundled, opening_scales, visible_nodes
from topoloom.drawing.columns import Column, column
from topoloom.drawing.structure import racks_part, structure_part
from topoloom.figures.style import Axes
from topoloom.graph.planes import plane_count
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.network import Network
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing

Arranged = Literal["structure", "racks"]
#: Most links of a drawing.
MOST_LINKS = 2_000_000
#: Most bundles that are drawn.
MOST_BUNDLES = 5_000


class Blocks(msgspec.Struct, frozen=True, kw_only=True):
    """The blocks, parents before children; the first is the whole network.

    Attributes
    ----------
    kind, name : tuple of str
        plane, tier, group, pod, tile, rack, switches ...; and the name for people, unique among the blocks of a block.
    parent : Column
        The number of the block around each; 0 for the first.
    left, top, width, height : Column
        The rectangle of each, in units of the drawing; y runs downwards.
    opens : Column
        The scale, in pixels per unit, from which each block shows its inside.
    side : Column
        The side of a switch directly in the block, in units; 0 for blocks of blocks.
    """

    kind: tuple[str, ...]
    name: tuple[str, ...]
    parent: Column
    left: Column
    top: Column
    width: Column
    height: Column
    opens: Column
    side: Column


class Switches(msgspec.Struct, frozen=True, kw_only=True):
    """The switches, in the order of their numbers.

    Attributes
    ----------
    block : Column
        The innermost block of each.
    x, y : Column
        The middle of each, in units of the drawing.
    role : Column
        The place of its role in `roles`.
    roles : tuple of str
        leaf, spine, core, switch ...
    names : tuple of str or None
        The real names; None: role and number, as in ``leaf 7``.
    rack : Column or None
        The place of its rack in `racks`; None without a layout.
    racks : tuple of str
    """

    block: Column
    x: Column
    y: Column
    role: Column
    roles: tuple[str, ...]
    names: tuple[str, ...] | None = None
    rack: Column | None = None
    racks: tuple[str, ...] = ()


class Hosts(msgspec.Struct, frozen=True, kw_only=True):
    """The endpoints of hosts, sorted by their switches.

    Attributes
    ----------
    at : Column
        Endpoints of each switch.
    host : Column
        The host of each endpoint.
    port : Column or None
        The switch port of each endpoint; None: the first ports of each switch, in order.
    names : tuple of str or None
        The real names of hosts; None: ``H0``, ``H1``, ...
    """

    at: Column
    host: Column
    port: Column | None = None
    names: tuple[str, ...] | None = None


class Cable(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of cable; what is not known is empty or None."""

    product: str = ""
    length_m: float | None = None
    rate_gbps: float | None = None


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """The links, sorted by their lower, then by their higher switch.

    Attributes
    ----------
    first : Column
        Per switch, the number of links whose lower switch it is.
    to : Column
        The higher switch of each link.
    port, to_port : Column or None
        The ports at the lower and at the higher switch; None: after the ports of hosts, in the order of the links.
    cable : Column or None
        The place of each link's cable in `cables`; None where nothing is known of cables.
    cables : tuple of Cable
    load : Column or None
        The load of the more loaded direction of each link, in paths between pairs of hosts; None without tables.
    """

    first: Column
    to: Column
    port: Column | None = None
    to_port: Column | None = None
    cable: Column | None = None
    cables: tuple[Cable, ...] = ()
    load: Column | None = None


@dataclass(frozen=True, eq=False)
class Drawing(Result):
    """A network as blocks in blocks, switches and links, each with its place in one plane.

    Attributes
    ----------
    arrangement : "structure" or "racks"
    switches, hosts, links, planes : int
        The size of the network.
    width, height : float
        The size of the drawing, in its units.
    blocks : Blocks
    switch : Switches
    host : Hosts
    link : Links
    """

    record_name = "drawing"

    arrangement: Arranged
    switches: int
    hosts: int
    links: int
    planes: int
    width: float
    height: float
    blocks: Blocks
    switch: Switches
    host: Hosts
    link: Links
    provenance: Provenance = field(default_factory=Provenance)

    @cached_property
    def parent(self) -> np.ndarray:
        """The block around each block, int64[blocks]."""
        return self.blocks.parent.values.astype(np.int64)

    @cached_property
    def rect(self) -> np.ndarray:
        """Left, top, width and height of each block, float64[blocks, 4]."""
        of = self.blocks
        return np.stack([of.left.values, of.top.values, of.width.values, of.height.values], axis=1).astype(np.float64)

    @cached_property
    def block(self) -> np.ndarray:
        """The innermost block of each switch, int64[switches]."""
        return self.switch.block.values.astype(np.int64)

    @cached_property
    def points(self) -> np.ndarray:
        """The middle of each switch, float64[switches, 2]."""
        return np.stack([self.switch.x.values, self.switch.y.values], axis=1).astype(np.float64)

    @cached_property
    def ends(self) -> np.ndarray:
        """The two switches of each link, int64[links, 2]."""
        first = np.repeat(np.arange(self.switches), self.link.first.values)
        return np.stack([first, self.link.to.values.astype(np.int64)], axis=1)

    def opened(self, scale: float) -> np.ndarray:
        """Whether each block shows its inside at this scale, in pixels per unit: bool[blocks]."""
        return np.asarray(self.blocks.opens.values <= scale)

    def bundles(self, opened: np.ndarray) -> Bundles:
        """The links as bundles between what is visible when these blocks are open.

        Parameters
        ----------
        opened : bool[blocks]

        Returns
        -------
        Bundles
        """
        return bundled(visible_nodes(self.parent, self.block, opened), self.ends)

    def node_name(self, node: int) -> str:
        """The name of a visible node: of a block, or of a switch, whose number follows those of the blocks."""
        count = len(self.blocks.name)
        return self.blocks.name[node] if node < count else self.switch_name(node - count)

    def switch_name(self, switch: int) -> str:
        """The name of a switch: the real one, else its role and number."""
        if self.switch.names is not None:
            return self.switch.names[switch]
        return f"{self.switch.roles[int(self._role[switch])]} {switch}"

    @cached_property
    def _role(self) -> np.ndarray:
        return self.switch.role.values

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw blocks, switches and bundles with their widths and counts, at the scale of a page.

        Parameters
        ----------
        ax : matplotlib axes, optional
            A new figure when omitted.
        """
        from topoloom.drawing.picture import plot_drawing

        return plot_drawing(self, ax)

    def save_picture(self, path: str | os.PathLike[str]) -> None:
        """Write the picture of `plot`; the ending of the name selects .svg or .png.

        Raises
        ------
        InputError
            Another ending, or the file cannot be written.
        """
        from topoloom.drawing.picture import save_picture

        save_picture(self, path)


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
    roles = [each.role for each in places.parts]
    names = tuple(dict.fromkeys(roles[block] for block in np.unique(places.block).tolist()))
    role = np.array([names.index(each) if each in names else 0 for each in roles])
    scales = opening_scales(places.parent, places.depth, places.rect, places.block, places.side, topology.links)
    tables = opened.with_tables(engine, jobs=jobs, work=work).part(Routing) if engine is not None else None
    layout = opened.layout
    return Drawing(
        arrangement=arrangement,
        switches=topology.switches,
        hosts=topology.hosts,
        links=len(topology.links),
        planes=max(1, plane_count(topology)),
        width=float(places.rect[0, 2]),
        height=float(places.rect[0, 3]),
        blocks=Blocks(
            kind=tuple(each.kind for each in places.parts),
            name=tuple(each.name for each in places.parts),
            parent=column(places.parent),
            **{name: column(places.rect[:, at]) for at, name in enumerate(("left", "top", "width", "height"))},
            opens=column(scales),
            side=column(places.side),
        ),
        switch=Switches(
            block=column(places.block),
            x=column(places.point[:, 0]),
            y=column(places.point[:, 1]),
            role=column(role[places.block]),
            roles=names,
            names=None if opened.cabled is None else opened.cabled.switch_names,
            rack=None if layout is None else column(layout.rack),
            racks=() if layout is None else tuple(layout.rack_names),
        ),
        host=_hosts(opened),
        link=_links(opened, tables),
        provenance=provenance_of(
            topology,
            engine="" if tables is None else tables.engine,
            settings={"arrangement": arrangement, "floor": floor},
        ),
    )


def _hosts(network: Network) -> Hosts:
    topology, plugs = network.topology, network.plugs
    ports = topology.endpoint_ports if plugs is None else plugs.endpoint
    fabric = network.fabric if network.cabled is not None or network.layout is not None else None
    names = None if fabric is None else fabric.host_names
    plain = names is None or names == tuple(f"H{number}" for number in range(topology.hosts))
    return Hosts(
        at=column(topology.endpoints_at),
        host=column(topology.host),
        port=None if np.array_equal(ports, topology.endpoint_ports) else column(ports),
        names=None if plain else names,
    )


def _links(network: Network, tables: Routing | None) -> Links:
    topology, plugs = network.topology, network.plugs
    links = topology.links
    ports = topology.link_ports if plugs is None else plugs.link
    own = np.array_equal(ports, topology.link_ports)
    number, kinds = _cables(network)
    load = None
    if tables is not None and tables.verification is not None:
        most = np.zeros(len(links), np.float64)
        np.maximum.at(most, topology.csr[2], tables.verification.channel_load)
        load = column(most)
    return Links(
        first=column(np.bincount(links[:, 0], minlength=topology.switches)),
        to=column(links[:, 1]),
        port=None if own else column(ports[:, 0]),
        to_port=None if own else column(ports[:, 1]),
        cable=None if number is None else column(number),
        cables=kinds,
        load=load,
    )


def _cables(network: Network) -> tuple[np.ndarray | None, tuple[Cable, ...]]:
    """The kind of each link's cable, and all kinds; None where neither products, lengths nor rates are known."""
    topology, count = network.topology, len(network.topology.links)
    product, names = np.zeros(count, np.int64), [""]
    length_m = np.full(count, np.nan)
    if network.layout is not None and count:
        cables = cable(network, host_cables=None)
        names = [each.title for each in cables.bought.parts.cable]
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
