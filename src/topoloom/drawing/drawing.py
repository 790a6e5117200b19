"""A network as a drawing: blocks in blocks, switches with their names, and links, so that its structure is seen."""

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import msgspec
import numpy as np

from topoloom.drawing.bundles import Bundles, bundled, visible_nodes
from topoloom.drawing.columns import PackedColumn
from topoloom.figures.print_formats import StyleName, WidthName
from topoloom.figures.style import Axes
from topoloom.model.results import Provenance, Result

Arranged = Literal["structure", "racks"]
#: Most bundles that are drawn.
MOST_BUNDLES = 5_000


class DrawnBlocks(msgspec.Struct, frozen=True, kw_only=True):
    """The blocks, parents before children; the first is the whole network.

    Attributes
    ----------
    kind, name : tuple of str
        plane, tier, group, pod, tile, rack, switches ...; and the name for people, unique among the blocks of a block.
    parent : PackedColumn
        The number of the block around each; 0 for the first.
    left, top, width, height : PackedColumn
        The rectangle of each, in units of the drawing; y runs downwards.
    opens : PackedColumn
        The scale, in pixels per unit, from which each block shows its inside.
    side : PackedColumn
        The side of a switch directly in the block, in units; 0 for blocks of blocks.
    loss : tuple of str
        What `outage` and `reroute` call the loss of each: ``group:3``, ``switch:8..15``; empty for the network, and where its
        switches have no short name.
    """

    kind: tuple[str, ...]
    name: tuple[str, ...]
    parent: PackedColumn
    left: PackedColumn
    top: PackedColumn
    width: PackedColumn
    height: PackedColumn
    opens: PackedColumn
    side: PackedColumn
    loss: tuple[str, ...] = ()


class DrawnLabel(msgspec.Struct, frozen=True, kw_only=True):
    """A label of the switches, such as group, with its values; a switch with a value is lost as ``group:3``."""

    name: str
    values: tuple[str, ...]


class DrawnSwitches(msgspec.Struct, frozen=True, kw_only=True):
    """The switches, in the order of their numbers.

    Attributes
    ----------
    block : PackedColumn
        The innermost block of each.
    x, y : PackedColumn
        The middle of each, in units of the drawing.
    role : PackedColumn
        The place of its role in `roles`.
    roles : tuple of str
        leaf, spine, core, switch ...
    names : tuple of str or None
        The real names; None: role and number, as in ``leaf 7``.
    rack : PackedColumn or None
        The place of its rack in `racks`; None where racks are not known.
    racks : tuple of str
    feeds : tuple of str
        The power feeds of each rack, A, B ...; empty where not known.
    labels : tuple of DrawnLabel
        Those with at most 4,096 values.
    ports : tuple of str
        The names of ports, where ports have names: `port_name` of hosts and links are places in it.
    """

    block: PackedColumn
    x: PackedColumn
    y: PackedColumn
    role: PackedColumn
    roles: tuple[str, ...]
    names: tuple[str, ...] | None = None
    rack: PackedColumn | None = None
    racks: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    labels: tuple[DrawnLabel, ...] = ()
    ports: tuple[str, ...] = ()


class DrawnHosts(msgspec.Struct, frozen=True, kw_only=True):
    """The endpoints of hosts, sorted by their switches.

    Attributes
    ----------
    at : PackedColumn
        Endpoints of each switch.
    host : PackedColumn
        The host of each endpoint.
    port : PackedColumn or None
        The switch port of each endpoint; None: the first ports of each switch, in order.
    names : tuple of str or None
        The real names of hosts; None: ``H0``, ``H1``, ...
    port_name : PackedColumn or None
        The name of the switch port, as a place in `DrawnSwitches.ports`; None where ports have numbers only.
    """

    at: PackedColumn
    host: PackedColumn
    port: PackedColumn | None = None
    port_name: PackedColumn | None = None
    names: tuple[str, ...] | None = None


class Cable(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of cable; what is not known is empty or None."""

    product: str = ""
    length_m: float | None = None
    rate_gbps: float | None = None


class DrawnLinks(msgspec.Struct, frozen=True, kw_only=True):
    """The links, sorted by their lower, then by their higher switch.

    Attributes
    ----------
    first : PackedColumn
        Per switch, the number of links whose lower switch it is.
    to : PackedColumn
        The higher switch of each link.
    port, to_port : PackedColumn or None
        The ports at the lower and at the higher switch; None: after the ports of hosts, in the order of the links.
    port_name, to_port_name : PackedColumn or None
        The names of both ports, as places in `DrawnSwitches.ports`; None where ports have numbers only.
    cable : PackedColumn or None
        The place of each link's cable in `cables`; None where nothing is known of cables.
    cables : tuple of Cable
    load : PackedColumn or None
        The load of the more loaded direction of each link, in paths between pairs of hosts; None without tables.
    """

    first: PackedColumn
    to: PackedColumn
    port: PackedColumn | None = None
    to_port: PackedColumn | None = None
    port_name: PackedColumn | None = None
    to_port_name: PackedColumn | None = None
    cable: PackedColumn | None = None
    cables: tuple[Cable, ...] = ()
    load: PackedColumn | None = None


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
    blocks : DrawnBlocks
    switch : DrawnSwitches
    host : DrawnHosts
    link : DrawnLinks
    """

    record_name = "drawing"

    arrangement: Arranged
    switches: int
    hosts: int
    links: int
    planes: int
    width: float
    height: float
    blocks: DrawnBlocks
    switch: DrawnSwitches
    host: DrawnHosts
    link: DrawnLinks
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

    def plot(
        self, ax: "Axes | None" = None, *, style: StyleName | None = None, width: WidthName | None = None
    ) -> "Axes":
        """Draw blocks, switches and bundles with their widths and counts, at the scale of a page.

        Parameters
        ----------
        ax : matplotlib axes, optional
            A new figure when omitted.
        style, width
            Refused: such a picture has a scale of its own.

        Returns
        -------
        Axes

        Raises
        ------
        InputError
            `style` or `width` is given.
        """
        from topoloom.drawing.picture import plot_drawing
        from topoloom.figures.print_formats import refuse_print

        refuse_print(style, width)
        return plot_drawing(self, ax)

    def svg(self) -> str:
        """The picture of `plot` as SVG text, which is as wide as the page around it."""
        from topoloom.drawing.picture import drawing_svg

        return drawing_svg(self)

    def save_picture(self, path: str | os.PathLike[str]) -> None:
        """Write the picture of `plot`; the ending of the name selects .svg, .png, .pdf or .pgf.

        Raises
        ------
        InputError
            Another ending, or the file cannot be written.
        """
        from topoloom.drawing.picture import save_picture

        save_picture(self, path)
