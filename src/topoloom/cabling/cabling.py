"""Cabling: every cable with both its ends, its product and its position in the order of work."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from topoloom.cabling.plugs import Plugs
from topoloom.cabling.real_names import RealNames
from topoloom.core.errors import InputError
from topoloom.cost.choose import Cables, choose_cables, host_ends, joined_cables, kept_cables
from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import cages_of_ends, kinds_if_sold
from topoloom.cost.terms import Terms
from topoloom.fabric.fabric import Fabric
from topoloom.formats.cables import host_ports
from topoloom.model.link_rates import own_rates
from topoloom.model.results import Filed, Provenance, provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class Cabling(Filed):
    """The cables of a layout as columns, one row per cable, in the order in which an installer pulls them.

    First the bundles, rack after rack in the order of the floor, each to the racks after it, the longest first: a crew
    finishes one rack before the next, and long cables lie below short ones in the tray. Then, rack after rack, the cables
    within it, links before host cables: earlier they would obstruct the bundles. Within a bundle or a rack, from the lowest
    port of the lowest switch upwards. Cables and bundles are numbered from 1 in this order.

    Attributes
    ----------
    layout : Layout
    bought : Cables
        Product, stock length, prices and power of each cable.
    rate_gbps : float or None
        The rate of all cables; None where they differ.
    link : int64[cables]
        The link of the topology; -1 for a host's cable.
    ends : int32[cables, 2]
        The switch at each end, a and b; for a host's cable b is the host. End a is in the rack that comes first on the
        floor, or lower in the rack.
    port : int32[cables, 2]
        The port at each end, from 1.
    bundle : int64[cables]
        The bundle, from 0; -1 for a cable within a rack.
    pairs : int64[bundles, 2]
        The two racks of each bundle.
    number : int64[cables]
        The numbers on the cables: 1, 2, .. in this order, unless they had numbers before.
    terms : Terms
        The terms of the bill, stored in the folder.
    rates_gbps : float64[cables]
        The rate of each cable, Gb/s.
    fabric : Fabric or None
        The names of its devices and ports, where the network is cabled already; None: as topoloom counts them.
    """

    record_name = "cabling"
    record_version = 2
    written_by = "topoloom.cabling.files.save_cabling"
    read_by = "topoloom.cabling.files.load_cabling"
    unrecorded = (
        "layout",
        "bought",
        "link",
        "ends",
        "port",
        "bundle",
        "pairs",
        "number",
        "terms",
        "rates_gbps",
        "fabric",
    )
    derived = ("parts_name", "cables", "host_cables", "bundles", "total_m", "stock_m", "power_w")

    layout: Layout
    bought: Cables
    rate_gbps: float | None
    link: np.ndarray
    ends: np.ndarray
    port: np.ndarray
    bundle: np.ndarray
    pairs: np.ndarray
    number: np.ndarray
    provenance: Provenance = field(default_factory=Provenance, compare=False)
    terms: Terms = field(default_factory=Terms)
    rates_gbps: np.ndarray = field(default_factory=lambda: np.empty(0))
    fabric: Fabric | None = None

    def rows(self) -> list[dict[str, Any]]:
        """One row per cable, in the order of work: its number, kind, bundle (from 1), both ends, lengths and product."""
        names = self.layout.rack_names
        titles = [product.title for product in self.bought.parts.cable]
        rack, standing = self.layout.rack, self.layout.host_slot is not None
        of_host = self.layout.host_rack if standing else rack
        columns = (
            self.number.tolist(),
            self.to_host.tolist(),
            self.bundle.tolist(),
            self.ends.tolist(),
            self.port.tolist(),
            self.length_m.tolist(),
            self.bought.stock_m.tolist(),
            self.bought.product.tolist(),
        )
        return [
            {
                "cable": number,
                "kind": "host" if to_host else "link",
                "bundle": bundle + 1 if bundle >= 0 else None,
                "a": a,
                "a_port": a_port,
                "a_rack": names[rack[a]],
                "b": b,
                "b_port": b_port,
                "b_rack": names[rack[b]] if not to_host else names[of_host[b]] if standing else None,
                "length_m": length_m,
                "stock_m": stock_m,
                "product": titles[product],
            }
            for number, to_host, bundle, (a, b), (a_port, b_port), length_m, stock_m, product in zip(
                *columns, strict=True
            )
        ]

    @cached_property
    def names(self) -> RealNames | None:
        """The real names of devices and ports; None: as topoloom counts them."""
        return None if self.fabric is None else RealNames(self.fabric)

    @property
    def parts_name(self) -> str:
        """The name of the catalogue."""
        return self.bought.parts.name

    @property
    def cables(self) -> int:
        """Number of cables."""
        return len(self)

    @property
    def host_cables(self) -> int:
        """Number of cables to hosts."""
        return int(self.to_host.sum())

    @property
    def bundles(self) -> int:
        """Number of pairs of racks with cables between them."""
        return len(self.pairs)

    @property
    def total_m(self) -> float:
        """Total length of all cables on the floor, in m."""
        return float(self.length_m.sum())

    @property
    def stock_m(self) -> float:
        """Total length of all cables as bought, in m."""
        return float(self.bought.stock_m.sum())

    @property
    def power_w(self) -> float:
        """Total power of all cables, both ends of each, in W."""
        return float(self.bought.power_w.sum())

    def __len__(self) -> int:
        return len(self.link)

    @property
    def length_m(self) -> np.ndarray:
        """The length of each cable on the floor in m, float64[cables]."""
        return self.bought.length_m

    @property
    def to_host(self) -> np.ndarray:
        """Whether each cable goes to a host, bool[cables]."""
        return np.asarray(self.link < 0)

    @property
    def with_hosts(self) -> bool:
        """Whether the list includes the cables of hosts."""
        return bool(self.to_host.any())

    @cached_property
    def medium(self) -> np.ndarray:
        """The medium of each cable, str[cables]."""
        return self.bought.medium

    @property
    def link_medium(self) -> np.ndarray:
        """The medium of each link, str[links], in the topology's order."""
        medium = np.empty(len(self.layout.topology.links), self.medium.dtype)
        medium[self.link[~self.to_host]] = self.medium[~self.to_host]
        return medium

    @cached_property
    def bundle_sizes(self) -> np.ndarray:
        """Number of cables of each bundle, int64[bundles]."""
        return np.bincount(self.bundle[self.bundle >= 0], minlength=len(self.pairs))


def cable(
    network: NetworkSource,
    parts: Parts | str | Path | None = None,
    rate_gbps: float | None = None,
    host_cables: bool | None = None,
    plugs: Plugs | None = None,
    fabric: Fabric | None = None,
) -> Cabling:
    """The cabling of a network on its floor: for every cable its ends, its product, its position in the order of work.

    Parameters
    ----------
    network : NetworkSource
        A network without a layout is placed with the default settings. Parameters omitted below are taken from the network.
    parts : Parts, str or path, optional
        The catalogue of products, stock lengths, prices and power; the network's own, otherwise ``slimfly-2014``.
    rate_gbps : float, optional
        The rate of every link, Gb/s; the network's own, otherwise 40, or the nearest rate in the catalogue's prices. In a
        network of several rates, each cable has its own.
    host_cables : bool, optional
        Whether to list a cable for every endpoint; they are always listed if hosts have separate racks.
    plugs : Plugs, optional
        Ports, numbers and products of installed cables; those of the network's cable list, if it has one.
    fabric : Fabric, optional
        The names of devices and ports of a layout; those of a cabled network, if a network is given.

    Returns
    -------
    Cabling

    Raises
    ------
    InputError
        The rate is not valid, no product serves a link, or only some cables have numbers.

    Examples
    --------
    >>> from topoloom import build, place
    >>> cables = cable(place(build("slimfly:q=5,hosts=4"), map="rows"))
    >>> len(cables), len(cables.pairs), int(cables.bundle_sizes[0])
    (175, 10, 10)
    >>> cables.ends[0].tolist(), cables.port[0].tolist(), str(cables.medium[0])
    ([0, 40], [10, 5], 'fibre')
    """
    if isinstance(network, Layout):
        layout, terms = network, Terms()
    else:
        placed = network_of(network, "cable").with_layout(parts=parts, rate_gbps=rate_gbps)
        layout, terms, plugs = placed.part(Layout), placed.terms, placed.plugs if plugs is None else plugs
        fabric = placed.cabled if fabric is None else fabric
    terms = terms.changed(parts=parts, rate_gbps=rate_gbps, host_cables=host_cables).on(layout.topology, "cable")
    parts, rate_gbps, topology = terms.catalogue, terms.rate_on(layout.topology), layout.topology
    host_cables = terms.host_cables or layout.housing is not None
    m, k = len(topology.links), topology.endpoints.size if host_cables else 0
    link = np.concatenate([np.arange(m), np.full(k, -1)])
    ends = np.concatenate([topology.links, np.stack([topology.endpoints[:k], topology.host[:k]], axis=1)])
    at = np.concatenate(
        [
            layout.rack[topology.links],
            np.stack([layout.rack[topology.endpoints], layout.host_rack[topology.host]], axis=1)[:k],
        ]
    )
    plugs = Plugs.of(layout) if plugs is None else plugs
    plug = np.stack([plugs.endpoint[:k], host_ports(topology.host)[:k]], axis=1)
    port = np.concatenate([plugs.link, plug]).astype(np.int32)
    turned = np.zeros(m + k, bool)
    turned[:m] = at[:m, 0] > at[:m, 1]
    # A cable that carries several links begins at the lower switch, whichever end is a.
    trunk = ends
    ends, port = (np.where(turned[:, None], pair[:, ::-1], pair) for pair in (ends, port))

    # Links through panels are not pulled: their cords and trunks are.
    between = np.concatenate([layout.between & layout.cabled_alone, layout.host_between[:k]])
    bundle = np.full(m + k, -1)
    pairs, bundle[between] = _bundles(layout, np.sort(at[between], axis=1))
    here = layout.rack[ends[:, 0]].astype(np.int64)
    work = np.where(bundle >= 0, bundle, len(pairs) + 2 * here + (link < 0))
    order = np.lexsort((port[:, 0], layout.height[ends[:, 0]], link < 0, work))

    length_m = np.concatenate([layout.length_m, layout.host_length_m[:k]])
    to_hosts = host_ends(layout)
    of_links, of_hosts = own_rates(topology, rate_gbps)
    rates = np.concatenate([np.broadcast_to(of_links, m), np.broadcast_to(of_hosts, topology.endpoints.size)[:k]])
    at_links, at_hosts = cages_of_ends(topology, parts, rate_gbps, kinds_if_sold(topology, terms)) or (None, None)
    through = ~layout.cabled_alone
    chosen = [choose_cables(parts, length_m[:m], layout.between, rates[:m], trunk[:m], cages=at_links, through=through)]
    if k:
        boxes = to_hosts.boxes
        chosen.append(choose_cables(parts, length_m[m:], between[m:], rates[m:], boxes, "host", to_hosts, at_hosts))
    bought = joined_cables(*chosen).at(order)
    product = np.concatenate([plugs.product_in(parts), np.full(k, -1)])[order]
    if (product >= 0).any():
        bought = kept_cables(bought, product, np.concatenate([plugs.stock_m, np.zeros(k)])[order], rates[order])
    number = _numbers(np.concatenate([plugs.number, plugs.endpoint_number[:k]])[order], topology.name)
    rate = None if topology.mixed else rate_gbps
    settings = {"parts": parts.name, "rate_gbps": rate, "host_cables": host_cables}
    provenance = provenance_of(topology, settings=settings)
    return Cabling(
        *(layout, bought, rate, link[order], ends[order], port[order], bundle[order], pairs, number, provenance),
        terms.changed(parts=parts),
        rates[order],
        fabric,
    )


def _numbers(number: np.ndarray, name: str) -> np.ndarray:
    """The numbers of the cables in the order of work: their existing ones, or 1, 2, .."""
    if not number.any():
        return np.arange(1, len(number) + 1)
    if len(np.unique(number)) < len(number) or number.min() < 1:
        raise InputError(f"{name}: some cables have no number, or two have the same; number all cables")
    return number


def _bundles(layout: Layout, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rack pairs in the order of work, int64[bundles, 2], and the bundle of each cable between racks."""
    pair = ends.astype(np.int64) @ (layout.racks, 1)
    keys, member = np.unique(pair, return_inverse=True)
    pairs = np.stack(np.divmod(keys, layout.racks), axis=1)
    apart_m = layout.slots.apart_m(layout.used[pairs[:, 0]], layout.used[pairs[:, 1]])
    # Sums of distances are not exact: pairs at equal distances must not be sorted by the last digits.
    order = np.lexsort((pairs[:, 1], -np.round(apart_m, 6), pairs[:, 0]))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return pairs[order], rank[member.ravel()]
