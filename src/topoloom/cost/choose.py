"""Choice of cables: a product, a stock length, a price and a power for every link; and the list to order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from topoloom.cost.cages import HostPlug, SwitchCage
from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import LinkCages, SwitchKind, cages_of_ends
from topoloom.model.link_rates import own_rates
from topoloom.placement.hosts.ports import host_ports_as_built
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True)
class CableLot:
    """A number of cables of one product and length; `cut`: the product is cut to length instead of kept in stock."""

    product: str
    medium: str
    stock_m: float
    cut: bool
    count: int
    cost_low_usd: float
    cost_high_usd: float
    power_w: float


@dataclass(frozen=True, eq=False)
class Cables:
    """The cables that are bought, as columns with one row per link.

    product: int64[links], the index in `parts.cable`; length_m: float64[links], the length of the link; stock_m:
    float64[links], the length that is bought, with slack; usd_low, usd_high: float64[links], the price without installation
    and transceivers, NaN where the catalogue has none; power_w: float64[links], both ends together, without transceivers;
    share: float64[links], the cables of a link: 1, less where a cable carries several links, over which its price, its power
    and its length are spread, or more where a link needs several cords.
    """

    parts: Parts
    product: np.ndarray
    length_m: np.ndarray
    stock_m: np.ndarray
    usd_low: np.ndarray
    usd_high: np.ndarray
    power_w: np.ndarray
    share: np.ndarray

    @property
    def medium(self) -> np.ndarray:
        """The medium of each cable, str[links]."""
        return np.asarray(np.array([cable.medium for cable in self.parts.cable])[self.product])

    def at(self, order: np.ndarray) -> "Cables":
        """The rows with these numbers, int64[rows], in this order."""
        return Cables(self.parts, *(getattr(self, column)[order] for column in _COLUMNS))


#: The columns of `Cables`.
_COLUMNS = ("product", "length_m", "stock_m", "usd_low", "usd_high", "power_w", "share")


def joined_cables(*cables: Cables) -> Cables:
    """Cables of one catalogue, one after another."""
    columns = (np.concatenate([getattr(some, column) for some in cables]) for column in _COLUMNS)
    return Cables(cables[0].parts, *columns)


def choose_cables(
    parts: Parts,
    length_m: np.ndarray,
    between: np.ndarray | bool,
    rate_gbps: float | np.ndarray,
    ends: np.ndarray | None = None,
    to: Literal["switch", "host"] = "switch",
    plugs: "HostEnds | None" = None,
    cages: LinkCages | None = None,
    through: np.ndarray | None = None,
) -> Cables:
    """The cable of every link: the first product of the catalogue that fits, in its next length.

    The cable is as long as the link plus the catalogue's `slack_m`: the next of the product's `lengths_m`, or cut to that
    length where it has none. Where a cable carries several links, links of one rate between the same two boxes share it; a
    breakout cable is shared by links of one rate from the same switch that need the same length.

    Parameters
    ----------
    parts : Parts
    length_m : float64[links]
    between : bool[links] or bool
        Whether the link runs between racks.
    rate_gbps : float or float64[links]
        The rate of all links, or of each, Gb/s.
    ends : int[links, 2], optional
        The two boxes of each link, where a breakout cable begins at the first; without them, every cable that carries
        several links is assumed to be full.
    to : "switch" or "host"
        What the far ends are plugged into.
    plugs : HostEnds, optional
        What the cages of the hosts take at the far ends; any, if omitted.
    cages : LinkCages, optional
        What the cages of the switches take at the ends of each link; any, if omitted.
    through : bool[links], optional
        The links that pass through panels: their product gives their modules only, since cords and trunks are bought instead.

    Returns
    -------
    Cables
        Product, length to buy, price and power of every link, in the given order.

    Raises
    ------
    InputError
        No product suits one of the links.
    """
    length_m, is_between = np.broadcast_arrays(np.asarray(length_m, float), between)
    several = any(cable.links > 1 for cable in parts.cable)
    rates = np.broadcast_to(np.asarray(rate_gbps, float), length_m.shape)
    # The same first box at another rate is another cage.
    rate_index = np.unique(rates, return_inverse=True)[1].reshape(rates.shape)
    if ends is not None:
        ends = np.stack([ends[:, 0] + rate_index * (1 + int(ends[:, 0].max(initial=0))), ends[:, 1]], axis=1)
    same_ends = _counts(ends[:, 0], ends[:, 1]) if several and ends is not None else None
    product = np.full(length_m.shape, -1)
    panelled = np.zeros(length_m.shape, bool) if through is None else through
    for same, ends_take, plug in _alike(cages, plugs, length_m.size):
        for modules_only in (False, True):
            own = panelled if modules_only else ~panelled
            own = own & _mask(same, length_m.shape)
            if own.any():
                alike = None if same_ends is None else same_ends[own]
                product[own] = parts.product_of(
                    *(length_m[own], is_between[own], rates[own], to, alike, plug, ends_take), modules_only=modules_only
                )
    stock_m, usd = np.zeros(length_m.shape), np.zeros((2, *length_m.shape))
    power_w, share = np.zeros(length_m.shape), np.ones(length_m.shape)
    for index in np.unique(product).tolist():
        cable, of_product = parts.cable[index], product == index
        stock_m[of_product] = cable.stock_m(cable.needed_m(length_m[of_product], parts.slack_m))
        usd[:, of_product] = cable.usd(stock_m[of_product], rates[of_product])
        power_w[of_product] = cable.both_ends_w
        share[of_product] = cable.cords
        if cable.links > 1:
            count = np.full(int(of_product.sum()), cable.links)
            if cable.panel and ends is not None:
                share[of_product] = _trunks(ends[of_product], stock_m[of_product], cable.links)
                continue
            if ends is not None:
                far_end = stock_m[of_product] if cable.breakout else ends[of_product, 1]
                count = _counts(ends[of_product, 0], far_end)
            share[of_product] = -(-count // cable.links) / count * (2 if cable.panel else 1)
    # Cords and trunks are bought instead; the length stays that of the link.
    for column in (*usd, power_w, share):
        column[panelled] = 0.0
    return Cables(parts, product, length_m, stock_m, usd[0] * share, usd[1] * share, power_w * share, share)


def _mask(same: np.ndarray | slice, shape: tuple[int, ...]) -> np.ndarray:
    """Links given by a mask, or by a slice of all."""
    mask = np.zeros(shape, bool)
    mask[same] = True
    return mask


def reach_use(
    parts: Parts,
    length_m: np.ndarray,
    between: np.ndarray,
    rate_gbps: float | np.ndarray,
    ends: np.ndarray,
    to: Literal["switch", "host"] = "switch",
    plugs: "HostEnds | None" = None,
    cages: LinkCages | None = None,
) -> tuple[int, float] | None:
    """The link between racks that takes most of the reach of its products, and this reach in m; inf where nothing limits it.

    Parameters
    ----------
    parts, length_m, between, rate_gbps, ends, to, plugs, cages
        As in `choose_cables`.

    Returns
    -------
    (int, float) or None
        None where no link leaves its rack.
    """
    rates, rate_of = np.unique(np.broadcast_to(np.asarray(rate_gbps, float), length_m.shape), return_inverse=True)
    same_ends, uses = _counts(ends[:, 0], ends[:, 1]), []
    # One number per rate and number of links with the same ends: sorting rows is slow.
    several = 1 + int(same_ends.max(initial=0))
    kind = rate_of * several + same_ends
    for same, ends_take, plug in _alike(cages, plugs, length_m.size):
        out = np.zeros(length_m.size, bool)
        out[same] = between[same]
        numbers = np.flatnonzero(out)
        for each in np.unique(kind[numbers]).tolist():
            own = numbers[kind[numbers] == each]
            link, (rate, alike) = int(own[length_m[own].argmax()]), divmod(each, several)
            uses.append((link, parts.reach_m(True, float(rates[rate]), to, alike, plug, ends_take)))
    return max(uses, key=lambda use: length_m[use[0]] / use[1] if use[1] else np.inf, default=None)


def _alike(
    cages: LinkCages | None, plugs: "HostEnds | None", links: int
) -> Iterator[tuple[np.ndarray | slice, tuple[SwitchCage, ...], HostPlug | None]]:
    """Yield links whose ends take the same: which links, what the cages of their switches take, and those of their hosts."""
    for hosts, plug in ((slice(None), None),) if plugs is None else plugs.groups():
        if cages is None:
            yield hosts, (), plug
            continue
        for same, ends_take in cages.groups(links):
            both = same if isinstance(hosts, slice) else same & hosts
            if both.any():
                yield both, ends_take, plug


def _trunks(ends: np.ndarray, stock_m: np.ndarray, legs: int) -> np.ndarray:
    """The breakout cables of each link that begin at either of its switches, float64[links]: a part of one at each end.

    A cable of a switch serves as many of its links of one length as it has legs, whichever end the switch is.
    """
    both = np.concatenate([ends[:, 0], ends[:, 1]])
    count = _counts(both, np.concatenate([stock_m, stock_m]))
    return np.asarray((-(-count // legs) / count).reshape(2, -1).sum(axis=0))


def _counts(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The number of rows with the same pair of values, int64[rows], one entry per row."""
    if b.dtype.kind == "f":
        b = np.unique(b, return_inverse=True)[1]
    code = a.astype(np.int64) * (1 + int(b.max(initial=0))) + b
    _, member, counts = np.unique(code, return_inverse=True, return_counts=True)
    return np.asarray(counts[member])


def kept_cables(bought: Cables, product: np.ndarray, stock_m: np.ndarray, rate_gbps: float | np.ndarray) -> Cables:
    """`bought`, with existing cables in place of new ones; existing ones keep their length, even if less is needed now.

    Parameters
    ----------
    bought : Cables
        The cables as they would be bought if all were new.
    product : int64[cables]
        The product of the existing cable; -1 where a new one is bought.
    stock_m : float64[cables]
        The length of the existing cable, metres; ignored where there is none.
    rate_gbps : float or float64[cables]
        The rate that prices are taken at, Gb/s: of all cables, or of each.

    Returns
    -------
    Cables
        Existing cables with their own product, length and price; the others as in `bought`.
    """
    parts, exists = bought.parts, product >= 0
    product, stock_m = np.where(exists, product, bought.product), np.where(exists, stock_m, bought.stock_m)
    usd, rates = np.stack([bought.usd_low, bought.usd_high]), np.broadcast_to(rate_gbps, product.shape)
    for index, cable in enumerate(parts.cable):
        of_product = exists & (product == index)
        usd[:, of_product] = cable.usd(stock_m[of_product], rates[of_product]) * bought.share[of_product]
    power_w = np.array([cable.both_ends_w for cable in parts.cable])[product] * bought.share
    return Cables(parts, product, bought.length_m, stock_m, usd[0], usd[1], power_w, bought.share)


def link_cables(layout: Layout, parts: Parts, rate_gbps: float, switches: Sequence[SwitchKind] | None = None) -> Cables:
    """The cables of a layout's links, in their order.

    Parameters
    ----------
    layout : Layout
        The network on its floor, which gives the lengths.
    parts : Parts
        The catalogue.
    rate_gbps : float
        The rate of every link, Gb/s; in a network of several rates, each link has its own instead.
    switches : sequence of SwitchKind, optional
        The switches, whose cages the cables fit; those that the catalogue has for the network, if omitted.

    Returns
    -------
    Cables
        In the order of the layout's links.

    Raises
    ------
    InputError
        No product suits one of the links.
    """
    rates, _ = own_rates(layout.topology, rate_gbps)
    cages = cages_of_ends(layout.topology, parts, rate_gbps, switches)
    return choose_cables(
        parts,
        layout.length_m,
        layout.between,
        rates,
        layout.topology.links,
        cages=None if cages is None else cages[0],
        through=None if layout.plant is None else layout.plant.through,
    )


def endpoint_cables(
    layout: Layout, parts: Parts, rate_gbps: float, switches: Sequence[SwitchKind] | None = None
) -> Cables:
    """The cable of every endpoint of a layout, in their order: to the rack of its host, or inside the rack.

    Parameters
    ----------
    layout : Layout
        The network on its floor, which gives the lengths of host cables.
    parts : Parts
        The catalogue.
    rate_gbps : float
        The rate of every host's port, Gb/s; in a network of several rates, each port has its own instead.
    switches : sequence of SwitchKind, optional
        The switches, whose cages the cables fit; those that the catalogue has for the network, if omitted.

    Returns
    -------
    Cables
        In the order of the topology's endpoints.

    Raises
    ------
    InputError
        No product suits one of the endpoints.
    """
    to_hosts = host_ends(layout)
    _, rates = own_rates(layout.topology, rate_gbps)
    cages = cages_of_ends(layout.topology, parts, rate_gbps, switches)
    at_switches = None if cages is None else cages[1]
    boxes = to_hosts.boxes
    return choose_cables(parts, layout.host_length_m, layout.host_between, rates, boxes, "host", to_hosts, at_switches)


@dataclass(frozen=True, eq=False)
class HostEnds:
    """The cable of each endpoint: between which boxes it runs, and what the host's cage takes.

    Attributes
    ----------
    boxes : int64[endpoints, 2]
        The switch and the cage of the host, numbered through all hosts; the host itself where the hosts are not described.
    host : int64[boxes]
        The host of each box at the far end.
    kinds : tuple of HostPlug
        What the cages of each kind of host take; empty where the hosts are not described.
    kind : int64[endpoints]
        The kind of the host.
    """

    boxes: np.ndarray
    host: np.ndarray
    kinds: tuple[HostPlug, ...]
    kind: np.ndarray

    def groups(self) -> Iterator[tuple[np.ndarray | slice, HostPlug | None]]:
        """Yield the endpoints with the same plug, bool[endpoints] (a slice for all), and the plug."""
        if len(self.kinds) < 2:
            yield slice(None), (self.kinds[0] if self.kinds else None)
            return
        for kind in np.unique(self.kind).tolist():
            yield self.kind == kind, self.kinds[kind]


def host_ends(layout: Layout) -> HostEnds:
    """The boxes and plugs of the cables of all endpoints.

    Parameters
    ----------
    layout : Layout
    """
    topology = layout.topology
    if layout.housing is None:
        boxes = np.stack([topology.endpoints, topology.host], axis=1).astype(np.int64)
        return HostEnds(boxes, np.arange(topology.hosts), (), np.zeros(topology.endpoints.size, np.int64))
    ports = host_ports_as_built(topology, layout.housing)
    boxes = np.stack([topology.endpoints.astype(np.int64), ports.cage_of_all(topology.host)], axis=1)
    plugs = tuple(HostPlug(of_kind.host.connector, of_kind.cage_ports) for of_kind in ports.kinds)
    return HostEnds(boxes, np.repeat(np.arange(topology.hosts), ports.cages), plugs, ports.kind)


def order_list(*cables: Cables) -> tuple[CableLot, ...]:
    """The number of cables of each product and length, in the catalogue's order, shortest first."""
    parts = cables[0].parts
    product = np.concatenate([some.product for some in cables])
    # Lengths that differ only by rounding errors are equal.
    stock_m = np.round(np.concatenate([some.stock_m for some in cables]), 6)
    lengths, length = np.unique(stock_m, return_inverse=True)
    code = product * len(lengths) + length
    kinds = np.flatnonzero(np.bincount(code))
    low, high, watts, pieces = (
        np.bincount(code, np.concatenate([getattr(some, column) for some in cables]))[kinds]
        for column in ("usd_low", "usd_high", "power_w", "share")
    )
    out = []
    for row, kind in enumerate(kinds.tolist()):
        if not pieces[row]:
            continue  # links through panels have no cable of their own
        cable, length_m = parts.cable[kind // len(lengths)], lengths[kind % len(lengths)]
        sums = float(low[row]), float(high[row]), float(watts[row])
        out.append(CableLot(cable.title, cable.medium, float(length_m), not cable.lengths_m, round(pieces[row]), *sums))
    return tuple(out)
